"""The JSON API of the tables, over HTTP and WebSockets; described at /api/openapi.json, and all that the page uses.

A bot plays by it, too: open a table, act while `to_act` is one's own seat, deal when the hand is `over`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request, WebSocket
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError, WebSocketRequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from pydantic import ValidationError
from starlette.exceptions import HTTPException

from pokerlab.errors import PokerlabError, SpotError, printable
from pokerlab.page import ACTIONS, BETS, COLOURS, STYLE
from pokerlab.web.answers import (
    Curve,
    Game,
    Mistakes,
    OpenTable,
    PlayedHand,
    Problem,
    Report,
    Review,
    SeenHand,
    State,
    Why,
)
from pokerlab.web.games import games_told
from pokerlab.web.guard import LONGEST
from pokerlab.web.house import House
from pokerlab.web.look_api import looking
from pokerlab.web.messages import Action, Deal, HandNumber, Message, NewTable, TableId
from pokerlab.web.reports import POLICY, report_page, reports
from pokerlab.web.sockets import Watchers, answered, attend, malformed, problem_of, refuse
from pokerlab.web.solves import Solves
from pokerlab.web.train_api import training

_KINDS = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

_ERRORS: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem} for code in (400, 401, 403, 404, 405, 409, 413, 415, 422, 429)
}


def application(house: House, solves: Solves) -> FastAPI:
    """The application of a house and its solves, without its guard."""
    app = FastAPI(
        title="pokerlab web", version=version("pokerlab"), description=__doc__, openapi_url="/api/openapi.json",
        docs_url=None, redoc_url=None, responses=_ERRORS,
    )  # fmt: skip
    watchers = Watchers()
    _errors(app)
    _playing(app, house, watchers)
    _looking_back(app, house)
    looking(app, solves, watchers, house.players)
    training(app, solves, watchers)
    _reporting(app)
    _pages(app)
    return app


def _errors(app: FastAPI) -> None:
    @app.exception_handler(PokerlabError)
    async def ours(_: Request, error: PokerlabError) -> JSONResponse:
        status, text = problem_of(error)
        about = {"field": error.field} if isinstance(error, SpotError) and error.field else {}
        return JSONResponse({"error": text, **about}, status)

    @app.exception_handler(RequestValidationError)
    async def other_shape(_: Request, error: RequestValidationError) -> JSONResponse:
        return JSONResponse({"error": malformed(error.errors())}, 422)

    @app.exception_handler(WebSocketRequestValidationError)
    async def other_place(socket: WebSocket, error: WebSocketRequestValidationError) -> None:
        await socket.accept()
        await refuse(socket, {"error": malformed(error.errors()), "status": 422})

    @app.exception_handler(HTTPException)
    async def other(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": printable(str(error.detail))}, error.status_code, error.headers)


def _playing(app: FastAPI, house: House, watchers: Watchers) -> None:
    async def told(question: Callable[..., dict[str, Any]], *about: Any, status: int = 200) -> JSONResponse:
        state = await run_in_threadpool(question, *about)
        watchers.tell(state["table"], {"state": state})
        return JSONResponse(state, status)

    @app.get("/api/games", response_model=list[Game])
    def games() -> JSONResponse:
        """Games, and agents that can play them here; any other agent may be named by its spec."""
        return JSONResponse(games_told(house.players.trusted))

    @app.post("/api/tables", status_code=201, response_model=State)
    async def open_table(asked: NewTable) -> JSONResponse:
        """A new table with its first hand dealt."""
        return await told(house.open_table, asked.game, asked.agents, asked.player, status=201)

    @app.get("/api/tables", response_model=list[OpenTable])
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

    @app.websocket("/api/tables/{table_id}/live")
    async def live(socket: WebSocket, table_id: TableId) -> None:
        async def heard(text: str) -> dict[str, Any] | None:
            answer = await _asked(text, table_id, house)
            if "state" not in answer:
                return answer
            watchers.tell(table_id, answer)
            return None

        await attend(socket, watchers, table_id, lambda: {"state": house.state(table_id)}, heard)


def _looking_back(app: FastAPI, house: House) -> None:
    @app.get("/api/tables/{table_id}/hands", response_model=list[PlayedHand])
    def hands(
        table_id: TableId,
        below: Annotated[int | None, Query(ge=0, le=2**53)] = None,
        most: Annotated[int, Query(ge=1, le=500)] = 50,
    ) -> JSONResponse:
        """Hands that are over, the newest first; `below` a number for the page before."""
        return JSONResponse(house.hands(table_id, below, most))

    @app.get("/api/tables/{table_id}/hands/{number}", response_model=SeenHand)
    def hand(table_id: TableId, number: HandNumber) -> JSONResponse:
        """A hand that is over, as its player saw it."""
        return JSONResponse(house.hand(table_id, number))

    @app.get("/api/tables/{table_id}/hands/{number}/review", response_model=Review)
    def review(table_id: TableId, number: HandNumber) -> JSONResponse:
        """The agents' decisions in it: their ranges, and what they would have done with the person's cards; and what
        the person's cost."""
        return JSONResponse(house.review(table_id, number))

    @app.get("/api/tables/{table_id}/hands/{number}/why", response_model=Why)
    def why(table_id: TableId, number: HandNumber, at: Annotated[int, Query(ge=0, le=2**53)]) -> JSONResponse:
        """Why an agent decided as it did after `at` actions: of case-based ones, the cases behind it."""
        return JSONResponse(house.why(table_id, number, at))

    @app.get("/api/tables/{table_id}/mistakes", response_model=Mistakes)
    def mistakes(table_id: TableId) -> JSONResponse:
        """The person's decisions in the last hands, ranked by what they cost against the agent's strategy."""
        return JSONResponse(house.mistakes(table_id))

    @app.get("/api/tables/{table_id}/curve", response_model=Curve)
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


def _reporting(app: FastAPI) -> None:
    @app.get("/api/reports", response_model=list[Report])
    def every_report() -> JSONResponse:
        """Pages of tournaments, papers, buckets and case bases in the folder where the server was started."""
        return JSONResponse(reports())

    @app.get("/api/reports/page", response_class=HTMLResponse)
    def one_report(file: Annotated[str, Query(max_length=500)]) -> HTMLResponse:
        """One of them, as a page without scripts or anything from elsewhere."""
        return HTMLResponse(report_page(file), headers={"content-security-policy": POLICY})


def _download(text: str, name: str) -> PlainTextResponse:
    return PlainTextResponse(text, headers={"content-disposition": f'attachment; filename="{name}"'})


async def _asked(text: str, table_id: str, house: House) -> dict[str, Any]:
    """What comes of a message to a table."""
    try:
        message = Message.model_validate_json(text[:LONGEST])
    except ValidationError as error:
        return {"error": malformed(error.errors()), "status": 422}
    act, deal = message.act, message.deal
    if act is not None and deal is None:
        return await answered(lambda: {"state": house.act(table_id, act.hand, act.at, act.action)})
    if deal is not None and act is None:
        return await answered(lambda: {"state": house.deal(table_id, deal.hand)})
    return {"error": "a message is either {act: ...} or {deal: ...}", "status": 422}


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
