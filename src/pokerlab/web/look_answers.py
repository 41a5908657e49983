"""What is answered over the API of agents and spots that are looked at, solved and trained: as answers.py of tables."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from pokerlab.web.answers import Mix

Figures = dict[str, list[str | float | None]]
Percent = Annotated[float, Field(description="per cent of the pot")]

# ---- agents


class Combos(BaseModel):
    """Hands as columns: each one's kind, its part of the range, and how often each action is taken with it."""

    hand: list[str]
    kind: list[str]
    share: list[float]
    odds: list[list[float]]


class Place(BaseModel):
    """Where a line has led."""

    board: str
    pot: int


class Decided(Mix, Place):
    """A decision: `codes` are the words of a line that lead on; who never comes here (`reached`) is told as if."""

    kind: Literal["decision"]
    seat: int
    round: int
    reached: bool
    codes: list[str]


class ToDeal(Place):
    """So many cards are to be named next."""

    kind: Literal["deal"]
    count: int


class Ended(Place):
    """The hand is over."""

    kind: Literal["end"]
    how: Literal["showdown", "fold"]


class Walk(BaseModel):
    """A line of an agent's play, and the same in words."""

    game: str
    agent: str
    line: list[str]
    said: list[str]


class WalkDecision(Decided, Walk):
    """A decision, with every hand."""

    combos: Combos


class WalkDeal(ToDeal, Walk):
    """Cards are to be named, of these."""

    cards: list[str]


class WalkEnd(Ended, Walk):
    """The hand is over."""


Walked = Annotated[WalkDecision | WalkDeal | WalkEnd, Field(discriminator="kind")]


class TreeDecision(Decided):
    """A decision, and what follows each of its `codes`."""

    then: dict[str, TreeNode]


class TreeDeal(ToDeal):
    """A card is dealt, and what follows; one of a rank stands for all of it."""

    then: dict[str, TreeNode]


class TreeEnd(Ended):
    """The hand is over, and nothing follows."""

    then: dict[str, TreeNode]


TreeNode = Annotated[TreeDecision | TreeDeal | TreeEnd, Field(discriminator="kind")]


class Tree(TreeDecision):
    """All of a small game from its first decision on."""

    game: str
    agent: str


class Charts(BaseModel):
    """All-in or fold: how often each kind of hand jams, or calls; values are the small blind's, in `unit` a hand."""

    stack: float
    method: str
    value: float
    exploitability: float
    unit: str
    jam: dict[str, float]
    call: dict[str, float]
    jam_share: float
    call_share: float


class Abstraction(BaseModel):
    """A card abstraction: `cards`, `recall` and `seed` are what to ask for."""

    cards: str
    spec: str
    recall: str
    seed: int


class Bucket(BaseModel):
    """A bucket with hands on a board: its parts of all deals and of the bucket before it, and its hands here; with
    perfect recall also the buckets on the way to it.
    """

    bucket: int
    share: float
    share_of_parent: float
    path: list[int] | None = None
    hands: int
    strength: float
    colour: str


class BucketCombos(BaseModel):
    """Hands as columns; strengths are E[HS]."""

    hand: list[str]
    kind: list[str]
    bucket: list[int]
    strength: list[float]


class Buckets(Abstraction):
    """The buckets that are `here`, on a board, from the weakest to the strongest; `buckets` are how many each street
    has, `count` those of this one, and `stages` the seconds that building took.
    """

    buckets: dict[str, int]
    seconds: float
    stages: dict[str, float]
    board: str
    street: str
    count: int
    here: list[Bucket]
    combos: BucketCombos


# ---- spots


class SolvedSpot(BaseModel):
    """A solved spot of the server's folder; of a damaged file only the name is known."""

    file: str
    board: str
    pot: int | None
    exploitability: Percent | None


class SpotHand(BaseModel):
    """A kind of hand: its part of the range, and in chips its value, that of each action, and what taking it loses;
    null where that is not known.
    """

    share: float | None
    ev: float | None
    equity: float | None
    strategy: list[float | None]
    action_ev: list[float | None]
    loss: list[float | None]


class Both(BaseModel):
    """Of both players' ranges."""

    oop: float | None
    ip: float | None


class BothCombos(BaseModel):
    """Every hand of both players as columns, named as those of `pokerlab spot --csv`."""

    oop: Figures
    ip: Figures


class Node(BaseModel):
    """A decision of a spot, as `pokerlab spot --json` tells it: lists are in the order of `actions`, `hands` are those
    of the player `whose` they are, and `reached` says whether play ever comes here.
    """

    board: str
    line: list[str]
    player: Literal["oop", "ip"]
    reached: bool
    pot: float
    unit: str
    actions: list[str]
    frequencies: list[float | None]
    equity: Both
    whose: Literal["oop", "ip"]
    hands: dict[str, SpotHand]
    combos: BothCombos


class SpotPlace(BaseModel):
    """Where a line has led in a spot."""

    line: list[str]
    board: str


class CardToCome(SpotPlace):
    """A card is to be named, of these."""

    kind: Literal["deal"]
    cards: list[str]


class HandOver(SpotPlace):
    """The hand is over."""

    kind: Literal["end"]
    how: str


class OfFile(BaseModel):
    """In a solved spot."""

    file: str


class SpotDecision(SpotPlace, OfFile):
    """A decision of a solved spot, and a colour for each of its actions."""

    kind: Literal["decision"]
    node: Node
    colours: list[str]


class SpotDeal(CardToCome, OfFile):
    """A card is to be named in a solved spot."""


class SpotEnd(HandOver, OfFile):
    """The hand is over in a solved spot."""


SpotLook = Annotated[SpotDecision | SpotDeal | SpotEnd, Field(discriminator="kind")]


class OfTwo(BaseModel):
    """In two solved spots."""

    before: str
    after: str


class Change(BaseModel):
    """How often an action is taken in both."""

    before: float | None
    after: float | None


class ComparedDecision(SpotPlace, OfTwo):
    """How a decision differs in two solved spots: by action, by kind of hand (`changes`, in per cent or chips) and hand
    by hand as columns; and what only one of them has.
    """

    kind: Literal["decision"]
    player: Literal["oop", "ip"]
    unit: str
    frequencies: dict[str, Change]
    hands: Figures
    lines_only_before: list[str]
    lines_only_after: list[str]
    hands_only_before: list[str]
    hands_only_after: list[str]
    changes: dict[str, dict[str, float]]
    colours: dict[str, str]


class ComparedDeal(CardToCome, OfTwo):
    """A card is to be named in both."""


class ComparedEnd(HandOver, OfTwo):
    """The hand is over in both."""


Compared = Annotated[ComparedDecision | ComparedDeal | ComparedEnd, Field(discriminator="kind")]


class Mean(BaseModel):
    """The mean over all cards: pairs are of the first player and the second."""

    boards: int
    weight: float
    reach: float
    ev: list[float | None]
    equity: list[float | None]
    frequencies: list[float | None]


class Runouts(SpotPlace):
    """Every card that may come: its `weight`, `ev` (in `unit`) and `equity` of both players (`ev oop`, ...), and how
    often each action is taken.
    """

    player: Literal["oop", "ip"]
    unit: str
    actions: list[str]
    mean: Mean
    cards: list[dict[str, str | float | None]]
    colours: list[str]


class SpotTold(BaseModel):
    """A spot as it is understood: its file with every key (docs/spots.md), and the content of that."""

    text: str
    data: dict[str, Any]


class Weighed(BaseModel):
    """What solving a spot takes: bytes, decisions, hands of both players; and its first actions."""

    bytes: int
    decisions: int
    hands: tuple[int, int]
    actions: list[str]


class RangeTold(BaseModel):
    """A range in its shortest notation: how many pairs of cards, their part of all, the mean weight of each kind of
    hand, and of `mixed` kinds the weight of each pair of cards.
    """

    text: str
    combos: float
    part: float
    kinds: dict[str, float]
    mixed: dict[str, dict[str, float]]


class Queued(BaseModel):
    """What was asked of the process beside the server, when (seconds since 1970), and how far it is; `stopped` says why
    a run ended, and is `running` on its way.
    """

    number: int
    name: str
    state: Literal["waiting", "solving", "done", "stopped", "failed"]
    error: str
    asked: float
    iterations: int
    seconds: float
    stopped: str


class Goal(BaseModel):
    """The first of these that is met ends a solve."""

    exploitability: Percent | None
    iterations: int | None
    seconds: float


class Solve(Queued):
    """A spot that is solved; `trace` has (iterations, seconds, exploitability) on the way, in per cent of the pot."""

    kind: Literal["spot"]
    goal: Goal
    file: str | None
    exploitability: Percent | None
    trace: list[tuple[int, float, float]]


class TrainingGoal(BaseModel):
    """How long an agent is trained in all."""

    seconds: float


class Training(Queued):
    """An agent that is trained; the `stage` is first that of its cards, then that of its play."""

    kind: Literal["agent"]
    goal: TrainingGoal
    file: None
    stage: Literal["", "cards", "walks"]
