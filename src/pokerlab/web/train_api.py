"""The part of the API that trains agents by their recipes, in the process in which spots are solved."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Path, WebSocket
from fastapi.responses import JSONResponse

from pokerlab.web.look_answers import Training
from pokerlab.web.messages import NewTraining
from pokerlab.web.sockets import Watchers, follow
from pokerlab.web.solves import AGENT, Solves

TrainingNumber = Annotated[int, Path(ge=0, le=2**53)]


def training(app: FastAPI, solves: Solves, watchers: Watchers) -> None:
    """Add it to the application."""

    @app.get("/api/trainings", response_model=list[Training])
    def every_training() -> JSONResponse:
        """Agents that were, are or will be trained, the newest first."""
        return JSONResponse(solves.all(AGENT))

    @app.post("/api/trainings", status_code=201, response_model=Training)
    def train(asked: NewTraining) -> JSONResponse:
        """Train an agent, after what was asked for before."""
        return JSONResponse(solves.train(asked.agent, asked.seconds), 201)

    @app.post("/api/trainings/{number}/stop", response_model=Training)
    def stop(number: TrainingNumber) -> JSONResponse:
        """End it; the agent plays as far as it has come."""
        return JSONResponse(solves.stop(number, AGENT))

    @app.post("/api/trainings/{number}/go-on", response_model=Training)
    def go_on(number: TrainingNumber) -> JSONResponse:
        """Go on with one that was stopped, from its checkpoint."""
        return JSONResponse(solves.go_on(number, AGENT))

    @app.websocket("/api/trainings/live")
    async def live(socket: WebSocket) -> None:
        await follow(socket, watchers, solves, AGENT)
