"""The server: its addresses, its token, and Uvicorn. It is here that the extra `[web]` is asked for."""

from __future__ import annotations

import os
import re
import secrets
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Any

from pokerlab.agents.spec import agent_of
from pokerlab.errors import AgentError, LedgerError, PokerlabError, shown
from pokerlab.reading import read_text
from pokerlab.refine.spots.engine import check_engine
from pokerlab.web.guard import LONGEST, LOOPBACK, Guard
from pokerlab.web.ledger import Ledger
from pokerlab.writing import why

PORT = 8642
_NEEDED = ("fastapi", "uvicorn", "websockets")
_PATIENCE = 2  # seconds that open connections are given at the end
_TOKEN = re.compile("[A-Za-z0-9_-]{16,200}")
_ELSEWHERE = {"0.0.0.0": "192.0.2.1", "::": "2001:db8::1"}  # all addresses of this computer; one of nobody's


def need_extra() -> None:
    """Refuse to go on where the extra is missing."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise PokerlabError(f"the web needs {' and '.join(missing)}: pip install 'pokerlab[web]'")


def is_loopback(host: str) -> bool:
    """Whether an address is of this computer alone."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


@contextmanager
def guarded(ledger: Ledger, trusted: Sequence[str], host: str, token: str, device: str = "cpu") -> Iterator[Guard]:
    """The application of a ledger for a server at this host, which solves spots on the device; the token is asked for
    where there is one.
    """
    from pokerlab.web.api import application
    from pokerlab.web.house import House
    from pokerlab.web.solves import Solves

    hosts = (*LOOPBACK, host) if is_loopback(host) else ()
    with closing(Solves(ledger, device)) as solves:
        yield Guard(application(House(ledger, trusted), solves), hosts, token)


def serve(
    host: str, port: int | None, path: str, trusted: Sequence[str], announce: Callable[[dict[str, Any]], None],
    device: str = "cpu",
) -> None:  # fmt: skip
    """Serve the tables of a file until Ctrl-C; `announce` hears of the addresses, the token and the file."""
    need_extra()
    import uvicorn

    for spec in trusted:
        if agent_of(spec).talks:
            raise AgentError(f"agent {spec!r} asks at a terminal: in the browser you are the person")
    check_engine(device)
    with _listening(host, port) as listener, closing(Ledger(path)) as ledger:
        token = "" if is_loopback(host) else kept_token(f"{path}.token")
        with guarded(ledger, trusted, host, token, device) as app:
            config = uvicorn.Config(
                app, log_level="error", access_log=False, ws_max_size=LONGEST, server_header=False, lifespan="off",
                timeout_graceful_shutdown=_PATIENCE, h11_max_incomplete_event_size=LONGEST,
            )  # fmt: skip
            urls = [_url(name, listener.getsockname()[1], token) for name in _names(host, listener)]
            announce({"url": urls[0], "urls": urls, "token": token or None, "ledger": str(path)})
            uvicorn.Server(config).run(sockets=[listener])


def kept_token(path: str) -> str:
    """The token in a file, so that tabs and programs that have it are let in after a restart; made if it is not there,
    for nobody else to read.
    """
    try:
        with open(path, "x", opener=partial(os.open, mode=0o600)) as file:
            file.write(secrets.token_urlsafe(24))
    except FileExistsError:
        pass
    except OSError as error:
        raise LedgerError(f"cannot write {path}: {why(error)}") from None
    token = read_text(path, most=1000, error=LedgerError).strip()
    if not _TOKEN.fullmatch(token):
        raise LedgerError(f"{path} holds no token: delete it, and a new one is made")
    return token


def _names(host: str, listener: socket.socket) -> list[str]:
    """How this computer is called by those who can reach the server: where it listens on all addresses, by the one that
    faces outwards and by the computer's name.
    """
    if listener.getsockname()[0] not in _ELSEWHERE:
        return [host]
    names = [socket.gethostname()]
    with suppress(OSError), socket.socket(listener.family, socket.SOCK_DGRAM) as outward:  # no network: the name alone
        outward.connect((_ELSEWHERE[listener.getsockname()[0]], 9))  # which sends nothing
        names.insert(0, outward.getsockname()[0])
    return names


def _url(name: str, port: int, token: str) -> str:
    return f"http://{f'[{name}]' if ':' in name else name}:{port}/{f'?token={token}' if token else ''}"


def _listening(host: str, port: int | None) -> socket.socket:
    """A socket at this address; without a port the usual one or, where that is taken, any that is free."""
    if not host.isprintable() or not host:
        raise PokerlabError(f"an address such as 127.0.0.1 is needed to listen on, not {shown(host)}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in (PORT, 0) if port is None else (port,):
        try:
            return socket.create_server((host, number), family=family, backlog=1024)
        except (OSError, UnicodeError, TypeError) as error:
            problem = getattr(error, "strerror", None) or str(error)
    raise PokerlabError(f"cannot listen on {shown(host)}, port {number}: {problem}")
