"""The part of the API that looks: ranges, spots as files and as solutions, and solves with a socket to watch them."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import FastAPI, Path, Query, WebSocket
from fastapi.responses import JSONResponse

from pokerlab.refine.spots.spot import line_words
from pokerlab.web.buckets import abstractions, buckets_on
from pokerlab.web.look import cards_after, compared, labelled, look, spot_of
from pokerlab.web.look_answers import (
    Abstraction,
    Buckets,
    Charts,
    Compared,
    RangeTold,
    Runouts,
    Solve,
    SolvedSpot,
    SpotLook,
    SpotTold,
    Tree,
    Walked,
    Weighed,
)
from pokerlab.web.make import range_told, spot_told
from pokerlab.web.messages import NewSolve, RangeText, SpotText
from pokerlab.web.players import Players
from pokerlab.web.sockets import Watchers, follow
from pokerlab.web.solves import SPOT, Solves
from pokerlab.web.walk import jam_or_fold, look_at_agent, tree_of_agent

File = Annotated[str, Query(max_length=255)]
Name = Annotated[str, Query(min_length=1, max_length=300)]
Line = Annotated[str, Query(max_length=2000)]
SolveNumber = Annotated[int, Path(ge=0, le=2**53)]


def looking(app: FastAPI, solves: Solves, watchers: Watchers, players: Players) -> None:
    """Add it to the application."""
    _agents(app, players)
    _buckets(app)
    _spots(app, solves)
    _solving(app, solves, watchers)


def _agents(app: FastAPI, players: Players) -> None:
    @app.get("/api/agents/look", response_model=Walked)
    def agent(game: Name, agent: Name, line: Line = "") -> JSONResponse:
        """What an agent does with every hand after a line of actions and cards, such as `r, c, Qs7h2c`."""
        return JSONResponse(look_at_agent(players, game, agent, line_words(line)))

    @app.get("/api/agents/tree", response_model=Tree)
    def tree(game: Name, agent: Name) -> JSONResponse:
        """All that an agent does in a small game."""
        return JSONResponse(tree_of_agent(players, game, agent))

    @app.get("/api/jamfold", response_model=Charts)
    def charts(stack: Annotated[float, Query(gt=1, le=100, allow_inf_nan=False)]) -> JSONResponse:
        """All-in or fold before the flop with so many big blinds each, to a tenth."""
        return JSONResponse(jam_or_fold(round(stack, 1)))


def _buckets(app: FastAPI) -> None:
    @app.get("/api/buckets", response_model=list[Abstraction])
    def every_one() -> JSONResponse:
        """Card abstractions that can be looked at: files of the folder, and those that were built."""
        return JSONResponse(abstractions())

    @app.get("/api/buckets/look", response_model=Buckets)
    def on_board(
        cards: Name,
        recall: Literal["perfect", "imperfect"] | None = None,
        seed: Annotated[int, Query(ge=0, le=2**53)] = 1,
        board: Annotated[str, Query(max_length=40)] = "",
    ) -> JSONResponse:
        """The bucket of every hand on a board of none, three, four or five cards."""
        return JSONResponse(buckets_on(cards, recall, seed, board))


def _spots(app: FastAPI, solves: Solves) -> None:
    @app.get("/api/spots", response_model=list[SolvedSpot])
    def spots() -> JSONResponse:
        """The solved spots of the folder where the server was started."""
        return JSONResponse(labelled())

    @app.get("/api/spots/look", response_model=SpotLook)
    def spot(file: File, line: Line = "") -> JSONResponse:
        """Where a line leads in one of them: a decision, a card to be named, or the end of the hand."""
        return JSONResponse(look(file, line))

    @app.get("/api/spots/runouts", response_model=Runouts)
    def cards(file: File, line: Line = "") -> JSONResponse:
        """Every card that may come after a line: what it is worth to both players, and what is done after it."""
        return JSONResponse(cards_after(file, line))

    @app.get("/api/spots/compare", response_model=Compared)
    def two(before: File, after: File, line: Line = "") -> JSONResponse:
        """Where a line leads in two of them, and how what is done there differs."""
        return JSONResponse(compared(before, after, line))

    @app.get("/api/spots/file", response_model=SpotTold)
    def kept(file: File) -> JSONResponse:
        """The spot that one of them is a solution of: its `text`, and the same as `data`."""
        return JSONResponse(spot_told(spot_of(file)))

    @app.post("/api/spots/read", response_model=SpotTold)
    def read(asked: SpotText) -> JSONResponse:
        """A spot as it is understood: its `text` with every key, and the same as `data`."""
        return JSONResponse(spot_told(asked.spot))

    @app.post("/api/spots/weigh", response_model=Weighed)
    def weigh(asked: SpotText) -> JSONResponse:
        """The bytes that solving a spot takes, its decisions, hands and first actions."""
        return JSONResponse(solves.weigh(asked.spot))

    @app.post("/api/ranges", response_model=RangeTold)
    def ranges(asked: RangeText) -> JSONResponse:
        """A range: its shortest `text`, the mean weight of each kind of hand, and the kinds whose suits differ."""
        return JSONResponse(range_told(asked.range))


def _solving(app: FastAPI, solves: Solves, watchers: Watchers) -> None:
    @app.get("/api/solves", response_model=list[Solve])
    def every_solve() -> JSONResponse:
        """Spots that were, are or will be solved, the newest first."""
        return JSONResponse(solves.all())

    @app.post("/api/solves", status_code=201, response_model=Solve)
    def solve(asked: NewSolve) -> JSONResponse:
        """Solve a spot, after those that were asked for before."""
        told = solves.ask(asked.name, asked.spot, asked.exploitability, asked.iterations, asked.seconds)
        return JSONResponse(told, 201)

    @app.get("/api/solves/{number}", response_model=Solve)
    def one_solve(number: SolveNumber) -> JSONResponse:
        """How far it is, with its exploitability over time (iteration, seconds, per cent of the pot)."""
        return JSONResponse(solves.told(number))

    @app.get("/api/solves/{number}/spot", response_model=SpotTold)
    def its_spot(number: SolveNumber) -> JSONResponse:
        """The spot that it is about, as it is understood."""
        return JSONResponse(spot_told(solves.spot(number)))

    @app.post("/api/solves/{number}/stop", response_model=Solve)
    def stop(number: SolveNumber) -> JSONResponse:
        """End it; the strategy so far is kept."""
        return JSONResponse(solves.stop(number))

    @app.post("/api/solves/{number}/go-on", response_model=Solve)
    def go_on(number: SolveNumber) -> JSONResponse:
        """Go on with one that was stopped, from its checkpoint."""
        return JSONResponse(solves.go_on(number))

    @app.websocket("/api/solves/live")
    async def live(socket: WebSocket) -> None:
        await follow(socket, watchers, solves, SPOT)
