"""The JSON API of the tables, over HTTP and WebSockets; described at /api/openapi.json, and all that the page uses.

A bot plays by it, too: open a table, act while `to_act` is one's own seat, deal when the hand is `over`.
"""

from __future__ import annotations

import asyncio
import sys
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Annotated, Any

from fastapi import FastAPI, Path, Query, Request, WebSocket, WebSocketDisconnect
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.exceptions import HTTPException

from pokerlab.errors import AgentFailed, HandMovedOn, NoSuchTable, PokerlabError, printable
from pokerlab.page import ACTIONS, BETS, COLOURS, STYLE
from pokerlab.web.games import games_told
from pokerlab.web.guard import LONGEST
from pokerlab.web.house import House
from pokerlab.web.look import look, solutions

MOST_WATCHERS = 400  # sockets open at once
_BEHIND = 32  # states that a socket may be behind before it is closed
_STATUS: dict[type[PokerlabError], int] = {NoSuchTable: 404, HandMovedOn: 409, AgentFailed: 409}
_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

TableId = Annotated[str, Path(min_length=1, max_length=40, pattern="^[a-z]+$")]
Number = Annotated[int, Field(ge=0, le=2**53)]
HandNumber = Annotated[int, Path(ge=0, le=2**53)]


class _Asked(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class NewTable(_Asked):
    """A game, an agent for each of the other seats as on the command line, and the person's name."""

    game: str = Field(max_length=100, examples=["leduc"])
    agents: list[str] = Field(min_length=1, max_length=9, examples=[["call"]])
    player: str = Field("you", max_length=100)


class Action(_Asked):
    """In hand `hand` after `at` actions, both as the state told: f, c or r, in no-limit r300 (raise to 300)."""

    hand: Number
    at: Number
    action: str = Field(max_length=20, examples=["c"])


class Deal(_Asked):
    """Deal the hand after hand `hand`, which is over."""

    hand: Number


class Message(_Asked):
    """What a socket may send: one of both."""

    act: Action | None = None
    deal: Deal | None = None


class Problem(BaseModel):
    """What was refused, and why."""

    error: str


class State(BaseModel):
    """What the person at a table sees: `view` is theirs of the hand, with `legal` when it is their turn.

    `at` is how many actions there were, `before` the most that a player had put in before this round, `holes` and
    `boards` how many cards the game has, `button` the dealer's seat; `bankroll` has `mean` and `ci95` in its `unit`.
    """

    table: str
    hand: int
    at: int
    over: bool
    view: dict[str, Any]
    limit: bool
    stacks: list[int] | None
    holes: int
    boards: int
    button: int
    folded: list[bool]
    before: int
    story: list[dict[str, Any]]
    payoffs: list[float] | None
    bankroll: dict[str, Any]


_ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem} for code in (400, 401, 403, 404, 405, 409, 413, 415, 422)
}


class Watchers:
    """Open sockets by table; each is told of every new state there."""

    def __init__(self) -> None:
        self._queues: dict[str, set[asyncio.Queue[Any]]] = defaultdict(set)
        self.count = 0

    def join(self, table_id: str) -> asyncio.Queue[Any]:
        queue: asyncio.Queue[Any] = asyncio.Queue(_BEHIND)
        self._queues[table_id].add(queue)
        self.count += 1
        return queue

    def leave(self, table_id: str, queue: asyncio.Queue[Any]) -> None:
        self._queues[table_id].discard(queue)
        if not self._queues[table_id]:
            del self._queues[table_id]
        self.count -= 1

    def tell(self, state: dict[str, Any]) -> None:
        for queue in self._queues.get(state["table"], ()):
            with suppress(asyncio.QueueFull):  # who is so far behind asks again
                queue.put_nowait({"state": state})


def problem_of(error: PokerlabError) -> tuple[int, str]:
    """The status and the words of an error. What an agent failed at may be its cards: that stays here."""
    status = next((code for kind, code in _STATUS.items() if isinstance(error, kind)), 422)
    if isinstance(error, AgentFailed):
        print(f"pokerlab: {error}", file=sys.stderr, flush=True)
        return status, "the agent failed: where the server was started it says why; the hand stays as it was"
    return status, str(error)


def application(house: House) -> FastAPI:
    """The application of a house, without its guard."""
    app = FastAPI(
        title="pokerlab web", version=version("pokerlab"), description=__doc__, openapi_url="/api/openapi.json",
        docs_url=None, redoc_url=None, responses=_ERRORS,
    )  # fmt: skip
    watchers = Watchers()
    _errors(app)
    _playing(app, house, watchers)
    _looking_back(app, house)
    _looking(app)
    _pages(app)

    @app.websocket("/api/tables/{table_id}/live")
    async def live(socket: WebSocket, table_id: str) -> None:
        await _live(socket, table_id, house, watchers)

    return app


def _errors(app: FastAPI) -> None:
    @app.exception_handler(PokerlabError)
    async def ours(_: Request, error: PokerlabError) -> JSONResponse:
        status, text = problem_of(error)
        return JSONResponse({"error": text}, status)

    @app.exception_handler(RequestValidationError)
    async def malformed(_: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse({"error": _malformed(error.errors())}, 422)

    @app.exception_handler(HTTPException)
    async def other(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": printable(str(error.detail))}, error.status_code, error.headers)


def _malformed(errors: Any) -> str:
    """Where a message is wrong, without repeating it."""
    parts = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in list(errors)[:5]]
    return printable("; ".join(parts))[:1000]


def _playing(app: FastAPI, house: House, watchers: Watchers) -> None:
    async def told(question: Callable[..., dict[str, Any]], *about: Any, status: int = 200) -> JSONResponse:
        state = await run_in_threadpool(question, *about)
        watchers.tell(state)
        return JSONResponse(state, status)

    @app.get("/api/games")
    def games() -> JSONResponse:
        """Games, and agents that can play them here; any other agent may be named by its spec."""
        return JSONResponse(games_told(house.players.trusted))

    @app.post("/api/tables", status_code=201, response_model=State)
    async def open_table(asked: NewTable) -> JSONResponse:
        """A new table with its first hand dealt."""
        return await told(house.open_table, asked.game, asked.agents, asked.player, status=201)

    @app.get("/api/tables")
    def tables() -> JSONResponse:
        """All tables, the newest first."""
        return JSONResponse(house.tables())

    @app.get("/api/tables/{table_id}", response_model=State)
    def state(table_id: TableId) -> JSONResponse:
        """The hand that is being played, or was last."""
        return JSONResponse(house.state(table_id))

    @app.post("/api/tables/{table_id}/actions", response_model=State)
    async def act(table_id: TableId, asked: Action) -> JSONResponse:
        """Act, and see what the agents answer."""
        return await told(house.act, table_id, asked.hand, asked.at, asked.action)

    @app.post("/api/tables/{table_id}/hands", response_model=State)
    async def deal(table_id: TableId, asked: Deal) -> JSONResponse:
        """Deal the next hand."""
        return await told(house.deal, table_id, asked.hand)


def _looking_back(app: FastAPI, house: House) -> None:
    @app.get("/api/tables/{table_id}/hands")
    def hands(
        table_id: TableId,
        below: Annotated[int | None, Query(ge=0, le=2**53)] = None,
        most: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> JSONResponse:
        """Hands that are over, the newest first; `below` a number for the page before."""
        return JSONResponse(house.hands(table_id, below, most))

    @app.get("/api/tables/{table_id}/hands/{number}")
    def hand(table_id: TableId, number: HandNumber) -> JSONResponse:
        """A hand that is over, as its player saw it."""
        return JSONResponse(house.hand(table_id, number))

    @app.get("/api/tables/{table_id}/hands/{number}/review")
    def review(table_id: TableId, number: HandNumber) -> JSONResponse:
        """The agents' decisions in it: their ranges, and what they would have done with the person's cards."""
        return JSONResponse(house.review(table_id, number))

    @app.get("/api/tables/{table_id}/curve")
    def curve(table_id: TableId) -> JSONResponse:
        """What was won over the hands, with intervals."""
        return JSONResponse(house.curve(table_id))

    @app.get("/api/tables/{table_id}/log", response_class=PlainTextResponse)
    def log(table_id: TableId) -> PlainTextResponse:
        """The hands that are over in the competition's format."""
        return _download(house.log(table_id), f"{table_id}.log")

    @app.get("/api/tables/{table_id}/phhs", response_class=PlainTextResponse)
    def phhs(table_id: TableId) -> PlainTextResponse:
        """The same as PHH, of hold'em."""
        return _download(house.phhs(table_id), f"{table_id}.phhs")


def _looking(app: FastAPI) -> None:
    @app.get("/api/spots")
    def spots() -> JSONResponse:
        """The solved spots of the folder where the server was started."""
        return JSONResponse(solutions())

    @app.get("/api/spots/look")
    def spot(
        file: Annotated[str, Query(max_length=255)], line: Annotated[str, Query(max_length=2000)] = ""
    ) -> JSONResponse:
        """Where a line leads in one of them: a decision, a card to be named, or the end of the hand."""
        return JSONResponse(look(file, line))


def _download(text: str, name: str) -> PlainTextResponse:
    return PlainTextResponse(text, headers={"content-disposition": f'attachment; filename="{name}"'})


async def _live(socket: WebSocket, table_id: str, house: House, watchers: Watchers) -> None:
    await socket.accept()
    if watchers.count >= MOST_WATCHERS:
        await socket.close(1013, "too many connections")
        return
    first = await _answered(lambda: {"state": house.state(table_id)})
    await socket.send_json(first)
    if "error" in first:
        await socket.close(1008, "no such table")
        return
    queue = watchers.join(table_id)
    sending = asyncio.create_task(_send(socket, queue))
    try:
        while True:
            text = await socket.receive_text()
            answer = await _asked(text, table_id, house)
            watchers.tell(answer["state"]) if "state" in answer else await queue.put(answer)
    except (WebSocketDisconnect, KeyError, RuntimeError):  # gone, or bytes where text is expected
        with suppress(RuntimeError):
            await socket.close(1003)
    finally:
        sending.cancel()
        watchers.leave(table_id, queue)


async def _send(socket: WebSocket, queue: asyncio.Queue[Any]) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.send_json(await queue.get())


async def _asked(text: str, table_id: str, house: House) -> dict[str, Any]:
    """What comes of a message."""
    try:
        message = Message.model_validate_json(text[:LONGEST])
    except ValidationError as error:
        return {"error": _malformed(error.errors()), "status": 422}
    act, deal = message.act, message.deal
    if act is not None and deal is None:
        return await _answered(lambda: {"state": house.act(table_id, act.hand, act.at, act.action)})
    if deal is not None and act is None:
        return await _answered(lambda: {"state": house.deal(table_id, deal.hand)})
    return {"error": "a message is either {act: ...} or {deal: ...}", "status": 422}


async def _answered(question: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    try:
        return await run_in_threadpool(question)
    except PokerlabError as error:
        status, text = problem_of(error)
        return {"error": text, "status": status}


# ---- the page


@cache
def page_files() -> dict[str, tuple[bytes, str]]:
    """The files of the page, by name, with their kinds. Colours are those of all our pages."""
    folder = files("pokerlab.web") / "page"
    known = {}
    for file in folder.iterdir():
        content, kind = file.read_bytes(), _KINDS.get(file.name.rpartition(".")[2])
        if kind is not None:
            known[file.name] = (_palette() + content if kind == "text/css" else content), kind
    return known


def _palette() -> bytes:
    colours = {name: colour for name, colour in ACTIONS.items()}
    colours |= {f"bet-{number}": colour for number, colour in enumerate(BETS)}
    colours |= {f"colour-{number}": colour for number, colour in enumerate(COLOURS)}
    declared = " ".join(f"--{name}: {colour};" for name, colour in colours.items())
    return f"{STYLE}\n:root {{ {declared} }}\n".encode()


def _pages(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    def index() -> Response:
        return _file("index.html")

    @app.get("/{name}", include_in_schema=False)
    def other(name: str) -> Response:
        return _file(name)


def _file(name: str) -> Response:
    if name not in page_files():
        raise HTTPException(404, "there is no such page")
    content, kind = page_files()[name]
    return Response(content, media_type=kind)
