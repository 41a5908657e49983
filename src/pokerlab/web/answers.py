"""What is answered over the API, as its description tells it. Answers are made elsewhere, as plain JSON that is sent as
it is: nothing here is run for them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

Figures = dict[str, list[str | float | None]]
Percent = Annotated[float, Field(description="per cent of the pot")]


class Problem(BaseModel):
    """What was refused, and why; of a spot also the key that it is about."""

    error: str
    field: str = ""


# ---- tables


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
