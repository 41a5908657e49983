"""What is asked over the API, as FastAPI checks and describes it; for answers see answers.py and look_answers.py."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import BaseModel, ConfigDict, Field

TableId = Annotated[str, Path(min_length=1, max_length=40, pattern="^[a-z]+$")]
Number = Annotated[int, Field(ge=0, le=2**53)]
HandNumber = Annotated[int, Path(ge=0, le=2**53)]


class Asked(BaseModel):
    """What is asked: with no other fields than these, and nothing taken for what it is not."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewTable(Asked):
    """A game, an agent for each of the other seats as on the command line, and the person's name."""

    game: str = Field(max_length=100, examples=["leduc"])
    agents: list[str] = Field(min_length=1, max_length=9, examples=[["call"]])
    player: str = Field("you", max_length=100)


class Action(Asked):
    """In hand `hand` after `at` actions, both as the state told: f, c or r, in no-limit r300 (raise to 300)."""

    hand: Number
    at: Number
    action: str = Field(max_length=20, examples=["c"])


class Deal(Asked):
    """Deal the hand after hand `hand`, which is over."""

    hand: Number


class Message(Asked):
    """What a socket may send: one of both."""

    act: Action | None = None
    deal: Deal | None = None


class RangeText(Asked):
    """A range in the one notation, such as `AA, AKs, T9s+, 77-22:0.5`."""

    range: str = Field(max_length=40_000, examples=["AA-99, AK, T9s:0.5"])


class SpotText(Asked):
    """A spot as its file has it (docs/spots.md)."""

    spot: str = Field(max_length=60_000)


class NewSolve(SpotText):
    """A spot to solve to the first limit met, kept under a name; `exploitability` is in per cent of the pot."""

    name: str = Field(max_length=100, examples=["my turn"])
    exploitability: float | None = Field(None, examples=[0.5])
    iterations: int | None = None
    seconds: float | None = None


class NewTraining(Asked):
    """An agent of those that are listed as not trained; without `seconds` for as long as `pokerlab train` would."""

    agent: str = Field(max_length=100, examples=["smallbot-3"])
    seconds: float | None = Field(None, examples=[60])
