"""The server: its address, its token, and Uvicorn. It is here that the extra `[web]` is asked for."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from ipaddress import ip_address
from typing import Any

from pokerlab.agents.spec import agent_of
from pokerlab.errors import AgentError, PokerlabError, shown
from pokerlab.web.guard import LONGEST, LOOPBACK, Guard
from pokerlab.web.ledger import Ledger

PORT = 8642
_NEEDED = ("fastapi", "uvicorn", "websockets")
_PATIENCE = 2  # seconds that open connections are given at the end


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
def guarded(ledger: Ledger, trusted: Sequence[str], host: str, token: str) -> Iterator[Guard]:
    """The application of a ledger for a server at this host; the token is asked for where there is one."""
    from pokerlab.web.api import application
    from pokerlab.web.house import House
    from pokerlab.web.solves import Solves

    hosts = (*LOOPBACK, host) if is_loopback(host) else ()
    with closing(Solves(ledger)) as solves:
        yield Guard(application(House(ledger, trusted), solves), hosts, token)


def serve(
    host: str, port: int | None, path: str, trusted: Sequence[str], announce: Callable[[dict[str, Any]], None]
) -> None:
    """Serve the tables of a file until Ctrl-C; `announce` hears of the address, the token and the file."""
    need_extra()
    import uvicorn

    for spec in trusted:
        if agent_of(spec).talks:
            raise AgentError(f"agent {spec!r} asks at a terminal: in the browser you are the person")
    with _listening(host, port) as listener:
        token = "" if is_loopback(host) else secrets.token_urlsafe(24)
        with closing(Ledger(path)) as ledger, guarded(ledger, trusted, host, token) as app:
            config = uvicorn.Config(
                app, log_level="error", access_log=False, ws_max_size=LONGEST, server_header=False, lifespan="off",
                timeout_graceful_shutdown=_PATIENCE, h11_max_incomplete_event_size=LONGEST,
            )  # fmt: skip
            named = f"[{host}]" if ":" in host else host
            url = f"http://{named}:{listener.getsockname()[1]}/{f'?token={token}' if token else ''}"
            announce({"url": url, "token": token or None, "ledger": str(path)})
            uvicorn.Server(config).run(sockets=[listener])


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
