"""Who may speak to the server, and how much: hosts, origins, the token, the size of what is sent, and the headers of
what is answered. All of it stands before the application, for pages and sockets alike.

On this computer pages of other sites must not reach the tables: a request has to name a host that is ours, and one that
a page makes has to come from our own. On other addresses a token is asked for, too.
"""

from __future__ import annotations

import hmac
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

LONGEST = 1 << 16  # bytes of a request's body, or of a message
LOOPBACK = ("127.0.0.1", "localhost", "::1")
_HEADERS = {
    b"content-security-policy": b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    b"connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-resource-policy": b"same-origin",
    b"cache-control": b"no-store",
}


class Guard:
    """An ASGI application around another. Without `hosts` any host is ours; without a `token` none is asked for."""

    def __init__(self, app: Any, hosts: tuple[str, ...] = (), token: str = "") -> None:
        self.app, self.hosts, self.token = app, hosts, token

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if (refusal := self._refusal(scope, headers)) is not None:
            await _refuse(scope, send, *refusal)
        elif scope["type"] == "websocket":
            await self.app(scope, receive, send)
        elif self._opens(scope):
            cookie = f"{_cookie(headers)}={self.token}; Path=/; HttpOnly; SameSite=Strict".encode()
            await _answer(send, 303, [(b"location", b"/"), (b"set-cookie", cookie)], b"")
        else:
            body = await _body(receive)
            if body is None:
                await _refuse(scope, send, 413, f"a request has at most {LONGEST} bytes")
            else:
                await self.app(scope, _once(body, receive), _with_headers(send))

    def _refusal(self, scope: Any, headers: dict[bytes, str]) -> tuple[int, str] | None:
        host = headers.get(b"host", "")
        if self.hosts and _named(host)[0] not in self.hosts:
            return 403, "this is another host than the server listens on"
        origin = headers.get(b"origin")
        asks = scope["type"] == "http" and scope["method"] in ("GET", "HEAD")
        if origin is not None and not asks and origin.partition("://")[2] != host:
            return 403, "only pages of this server may do this"
        if self.token and not self._opens(scope) and not self._knows(headers):
            return 401, "the token that was printed when the server was started is needed"
        return None

    def _knows(self, headers: dict[bytes, str]) -> bool:
        """Whether a request has the token, as `Authorization: Bearer` or as the page's cookie."""
        told = [headers.get(b"authorization", "").removeprefix("Bearer ").strip()]
        for pair in headers.get(b"cookie", "").split(";"):  # other servers of the host may have left any others
            name, _, value = pair.strip().partition("=")
            if name == _cookie(headers):
                told.append(value)
        return any(hmac.compare_digest(one.encode(), self.token.encode()) for one in told)

    def _opens(self, scope: Any) -> bool:
        """Whether this is the address that was printed, which leaves the token with the browser."""
        if not self.token or scope["type"] != "http" or scope["path"] != "/":
            return False
        told = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        return hmac.compare_digest(told.encode(), self.token.encode())


def _named(host: str) -> tuple[str, int]:
    """The name and the port of a host."""
    try:
        parts = urlsplit(f"//{host}")
        return parts.hostname or "", parts.port or 80
    except ValueError:
        return "", 0


def _cookie(headers: dict[bytes, str]) -> str:
    """The name of the cookie with the token: browsers give those of all ports of a host to each."""
    return f"pokerlab-{_named(headers.get(b'host', ''))[1]}"


async def _body(receive: Any) -> bytes | None:
    """The whole body of a request; None where it is too long."""
    parts, size = list[bytes](), 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return b"".join(parts)
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > LONGEST:
            return None
        if not message.get("more_body"):
            return b"".join(parts)


def _once(body: bytes, receive: Any) -> Any:
    """What the application receives: the body that was read, and then whatever else comes."""
    told = False

    async def next_message() -> Any:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return next_message


def _with_headers(send: Any) -> Any:
    """What is sent, with our headers; a policy of its own (reports) stands for ours."""

    async def sending(message: Any) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            ours = [(name, value) for name, value in _HEADERS.items() if name not in own]
            message["headers"] = [*message["headers"], *ours]
        await send(message)

    return sending


async def _refuse(scope: Any, send: Any, status: int, error: str) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": error})
        return
    body = json.dumps({"error": error}).encode()
    await _answer(send, status, [(b"content-type", b"application/json")], body)


async def _answer(send: Any, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length, *_HEADERS.items()]})
    await send({"type": "http.response.body", "body": body})
