"""What is answered over the API at tables, as its description tells it. Answers are made elsewhere, as plain JSON that
is sent as it is: nothing here is run for them.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel


class Problem(BaseModel):
    """What was refused, and why; of a spot also the key that it is about."""

    error: str
    field: str = ""


class Recipe(BaseModel):
    """An agent that can be trained, and for how long that takes by default."""

    agent: str
    about: str
    seconds: float
    trained: bool


class Game(BaseModel):
    """A game, with agents and files of agents that can play it; `bet` is the small bet or the big blind in chips, and
    results are told in `unit`, thousandths of it a hand.
    """

    game: str
    about: str
    players: int
    limit: bool
    unit: str
    bet: int
    agents: list[str]
    files: list[str]
    recipes: list[Recipe]


class Bankroll(BaseModel):
    """Hands that are over and the chips won in them; `mean` and half its 95 % interval, `ci95`, are in `unit`."""

    hands: int
    chips: float
    unit: str
    bet: int
    mean: float | None
    ci95: float | None


class Told(BaseModel):
    """An action: whose, in which round, as the competition writes it (`f`, `c`, `r`, `r300`), and in words."""

    seat: int
    round: int
    action: str
    words: str


class Raises(BaseModel):
    """Any amount between two may be raised to."""

    least: int
    most: int


class Legal(BaseModel):
    """Whether one may fold, the chips that a call takes, and what may be raised to, counted over the whole hand."""

    fold: bool
    call: int
    raises: Raises | list[int]


class View(BaseModel):
    """A hand as one seat sees it: cards that it does not know are "", `betting` is as the competition writes it, and
    chips are counted over the whole hand. `rules` is the definition of the game; `to_act` is nobody's seat when it is
    over, and `legal` is there when it is one's own.
    """

    seat: int
    rules: str
    game: str
    names: list[str]
    holes: list[str]
    board: str
    betting: str
    to_act: int | None
    pot: int
    spent: list[int]
    legal: Legal | None


class State(BaseModel):
    """What the person at a table sees: `view` is theirs of the hand, with `legal` when it is their turn.

    `at` is how many actions there were, `before` the most that a player had put in before this round, `holes` and
    `boards` how many cards the game has, `button` the dealer's seat; `payoffs` are there when the hand is `over`.
    """

    table: str
    hand: int
    at: int
    over: bool
    view: View
    limit: bool
    stacks: list[int] | None
    holes: int
    boards: int
    button: int
    folded: list[bool]
    before: int
    story: list[Told]
    payoffs: list[float] | None
    bankroll: Bankroll


class OpenTable(BaseModel):
    """A table, when it was opened (seconds since 1970), and what its person has won."""

    table: str
    game: str
    agents: list[str]
    player: str
    opened: float
    bankroll: Bankroll


class PlayedHand(BaseModel):
    """A hand that is over, as logs have it; `luck_free` is what was won with luck taken out, where that is known."""

    hand: int
    seat: int
    cards: str
    betting: str
    chips: float
    luck_free: float | None


class SeenHand(BaseModel):
    """The same as its person saw it."""

    table: str
    hand: int
    view: View
    story: list[Told]
    payoffs: list[float]
    chips: float
    luck_free: float | None


class Kind(BaseModel):
    """How likely such a hand is held, and how often each of the actions is taken with it."""

    share: float
    strategy: list[float]


class Mix(BaseModel):
    """What is done: `often` over all hands, and with each of the `kinds`, all in the order of `actions`."""

    actions: list[str]
    colours: list[str]
    often: list[float]
    kinds: dict[str, Kind]


class AgentDecision(Mix):
    """A decision of an agent after `at` actions, with its range by then; `yours` is what it would have done with the
    person's cards, and one that `explains` can be asked why.
    """

    at: int
    seat: int
    round: int
    board: str
    did: str
    yours: list[float]
    explains: bool


class OwnDecision(BaseModel):
    """A decision of the person after `at` actions: what each action was worth in chips, and what was lost."""

    at: int
    round: int
    board: str
    did: str
    values: dict[str, float]
    best: str
    cost: float


class Review(BaseModel):
    """The agents' decisions in a hand, the person's, and why some of both cannot be told."""

    table: str
    hand: int
    points: list[AgentDecision]
    refused: list[str]
    decisions: list[OwnDecision]
    uncosted: str


class Why(BaseModel):
    """Why an agent decided so, in its own terms and as text; with its cards if it has `shown` them, or the person's."""

    table: str
    hand: int
    at: int
    shown: bool
    cards: str
    lines: list[str]
    why: dict[str, Any]


class Mistake(OwnDecision):
    """One that cost something, and its hand."""

    hand: int


class Mistakes(BaseModel):
    """The costliest decisions of the last hands; those that were not `looked_at` yet are when this is asked again."""

    table: str
    hands: int
    looked_at: int
    decisions: int
    cost: float
    bet: int
    mistakes: list[Mistake]
    refused: str


Won = tuple[float, float, float]


class Curve(BaseModel):
    """Points of (hands, chips won, half the width of their 95 % interval), and the same with luck taken out, as far as
    that is done; `way` says how.
    """

    bet: int
    hands: int
    money: list[Won]
    luck_free: list[Won] | None
    bankroll: Bankroll
    without_luck: Bankroll | None
    way: Literal["aivat", "cards", ""]


class Report(BaseModel):
    """A report of the server's folder, and when it was written (seconds since 1970)."""

    file: str
    kind: Literal["tournament", "paper", "page"]
    title: str
    changed: float
