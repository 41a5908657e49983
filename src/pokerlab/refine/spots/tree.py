"""The betting tree of a spot: every line of play that the bet sizes allow, street after street, cards left out.

Lines and amounts are those of `game.betting`, with sizes as in `game.bet_sizes`: below the smallest legal raise they
become that, over the stack all-in; what is then the same is one action.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pokerlab.cards.deck import STREETS, Deck
from pokerlab.errors import BetSizeError, GameTooLarge, SpotError
from pokerlab.game import betting
from pokerlab.game.bet_sizes import Size, parse_sizes
from pokerlab.game.betting import Betting
from pokerlab.game.betting_tree import walk
from pokerlab.game.rules import UNLIMITED_RAISES, Rules

POSTFLOP = STREETS[1:]  # the streets of a spot, counted from the flop
PLAYERS = ("oop", "ip")
FOLD, CHECK, CALL, ALL_IN = "fold", "check", "call", "all-in"
MAX_NODES = 300_000
_SAME = 1 + 1e-9  # what is equal but for rounding counts as equal
_DECK = Deck()


class Sizes(NamedTuple):
    """What a player may bet on a street, and raise to; empty: never. `donks` are the bets out of position into who bet
    or raised last on the street before; None: like other bets.
    """

    bets: tuple[Size, ...] = ()
    raises: tuple[Size, ...] = ()
    donks: tuple[Size, ...] | None = None

    @classmethod
    def parse(cls, bet: str, raise_: str, where: str = "bets", donk: str | None = None) -> Sizes:
        """Read sizes such as `50%, 100%, all-in`; an empty text means never."""
        bets, raises = parse_part(bet, f"{where} bet", first=True), parse_part(raise_, f"{where} raise")
        return cls(bets, raises, None if donk is None else parse_part(donk, f"{where} donk", first=True))


def parse_part(text: str, where: str, *, first: bool = False) -> tuple[Size, ...]:
    """Read sizes of one kind; `first` ones have no bet before them that they could multiply."""
    try:
        sizes = parse_sizes(text)
    except BetSizeError as error:
        raise SpotError(f"{where}: {error}") from None
    for size in sizes:
        if first and size.unit == "x":
            raise SpotError(f"{where}: {size} is for raises: there is no bet to multiply")
    return sizes


class Thresholds(NamedTuple):
    """When sizes become all-in, or one another; 0 is never. Bets are over the bet faced, the pot is that after calling.

    All-in is added where it is at most `add_all_in` pots. A bet becomes all-in where what is then left behind is at
    most `force_all_in` of the pot after it is called. Of two bets of X and Y pots, X the larger, Y is left out where
    (1 + X) / (1 + Y) is at most 1 + `merge`: the largest bet first, then the largest of those that are left.
    """

    add_all_in: float = 0.0
    force_all_in: float = 0.0
    merge: float = 0.0

    def kept(self, bets: Iterable[int], pot: int, behind: int) -> list[int]:
        """What becomes of bets, in chips over the bet faced, where so much could be bet; ascending."""
        offered = {*bets} | ({behind} if self.add_all_in and behind <= self.add_all_in * pot * _SAME else set())
        if self.force_all_in:
            least = self.force_all_in * _SAME
            offered = {behind if behind - bet <= least * (pot + 2 * bet) else bet for bet in offered}
        if not self.merge:
            return sorted(offered)
        kept: list[int] = []
        for bet in sorted(offered, reverse=True):
            if not kept or pot + kept[-1] > (1 + self.merge) * _SAME * (pot + bet):
                kept.append(bet)
        return kept[::-1]


NO_THRESHOLDS = Thresholds()


@dataclass(frozen=True)
class Edit:
    """A change of the tree. `add` and `remove` end `line` with a bet or raise that there is to be, or not; `sizes` are
    offered at the decision after `line` instead of the usual ones. `deal` stands for every card.
    """

    how: str
    line: tuple[str, ...]
    sizes: tuple[Size, ...] = ()

    def __str__(self) -> str:
        return f'[[line]] {"at" if self.how == "sizes" else self.how} = "{", ".join(self.line)}"'


@dataclass(slots=True)
class Node:
    """A point of the betting: a `decision` of `player`, a `fold` by `player`, a `showdown`, or the `deal` of a card.

    `put` are the chips that each has put in besides the pot that the spot began with; `actions` are those of
    `game.betting`, which the labels name. A showdown before the river is an all-in: the missing cards are dealt
    without betting. A deal has one child, whatever the card.
    """

    index: int
    kind: str
    street: int
    player: int
    put: tuple[int, int]
    parent: int
    labels: tuple[str, ...] = ()
    actions: Sequence[int] = ()
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Start:
    """Where the betting begins. `bets` lie in front of the players already, over and above `pot`; `stack` is the most
    that either can put in, bets included. With no bets, `to_act` 1 means that player 0 has checked. `blind` is the
    least bet, `max_raises` the limit of a street, `aggressor` who bet or raised last on the street before.
    """

    street: int
    pot: int
    stack: int
    bets: tuple[int, int] = (0, 0)
    to_act: int = 0
    blind: int = 0
    max_raises: int | None = None
    aggressor: int | None = None

    def betting(self) -> Betting:
        """The same at a table: each player has put in half of the pot before; an odd chip is nobody's."""
        half, odd = divmod(self.pot, 2)
        stack, (low, high) = half + self.stack, sorted(self.bets)
        most = UNLIMITED_RAISES if self.max_raises is None else min(self.max_raises + 1, UNLIMITED_RAISES)
        rules = Rules(
            limit=False, blinds=(0, self.blind), first=(0,) * 4, raise_sizes=(), max_raises=(most,) * 4,
            stacks=(stack, stack), hole_cards=2, board_cards=(0, 3, 1, 1), deck=_DECK, name="spot",
        )  # fmt: skip
        return Betting(
            rules, self.street + 1, (half + self.bets[0], half + self.bets[1]), (False, False), self.to_act,
            waiting=1 if high or self.to_act else 2, raises=int(high > 0) + int(low > 0),
            min_raise_to=half + max(1, self.blind, 2 * high - low), dead=odd, acted=0, before=half,
        )  # fmt: skip


def line_to(nodes: Sequence[Any], index: int) -> tuple[str, ...]:
    """The actions from node 0 to a node, of any nodes that know their parent and where their actions lead."""
    words: list[str] = []
    while index:
        parent = nodes[nodes[index].parent]
        words.append(parent.labels[parent.children.index(index)])
        index = parent.index
    return tuple(reversed(words))


@dataclass(frozen=True)
class BettingTree:
    """All nodes, parents before children; node 0 is the root."""

    start: Start
    nodes: tuple[Node, ...]

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __getitem__(self, index: int) -> Node:
        return self.nodes[index]

    def line(self, index: int) -> tuple[str, ...]:
        """The actions from the root to a node; `deal` stands for a card."""
        return line_to(self.nodes, index)

    @property
    def decisions(self) -> int:
        return sum(node.kind == "decision" for node in self.nodes)

    @property
    def terminals(self) -> int:
        return sum(node.kind in ("fold", "showdown") for node in self.nodes)


def line_words(line: str) -> tuple[str, ...]:
    """`check, bet 100, 7d` as words, spaces put right."""
    return tuple(" ".join(word.split()) for word in line.split(",") if word.strip())


def betting_tree(
    start: Start,
    sizes: Mapping[tuple[int, int], Sizes],
    thresholds: Thresholds = NO_THRESHOLDS,
    edits: Sequence[Edit] = (),
) -> BettingTree:
    """The tree of all lines; `sizes` are by street (0: flop) and player."""
    if not start.blind:
        _check(start, sizes)
    half, nodes, places = start.pot // 2, list[Node](), list[int]()
    made: set[Edit] = set()

    def considered(point: _Point) -> Sequence[int]:
        state = point.state
        if state.actor is None:
            return ()
        raises = _raises(point, sizes[state.round - 1, state.actor], thresholds)
        if point.edits:
            made.update(edit for edit in point.edits if len(edit.line) - (edit.how != "sizes") == point.depth)
            raises = _edited(point, raises)
        return state.actions(raises)

    for before, _, point, actions in _walked(_Point.first(start, edits), considered):
        state = point.state
        (first, second), parent = state.spent, -1 if before < 0 else places[before]
        put, labels = (first - half, second - half), tuple[str, ...]()
        if state.actor is None:
            above = nodes[parent]
            kind, street, player = "fold" if True in state.folded else "showdown", above.street, above.player
        else:
            kind, street, player, labels = "decision", state.round - 1, state.actor, _labels(state, actions)
            if parent >= 0 and nodes[parent].street < street:
                deal = Node(len(nodes), "deal", street - 1, nodes[parent].player, put, parent, ("deal",))
                nodes[parent].children.append(deal.index)
                nodes.append(deal)
                parent = deal.index
        places.append(len(nodes))
        if parent >= 0:
            nodes[parent].children.append(len(nodes))
        nodes.append(Node(len(nodes), kind, street, player, put, parent, labels, actions))
    for edit in edits:
        if edit not in made:
            raise SpotError(f"{edit}: no line of the tree leads there")
    return BettingTree(start, tuple(nodes))


@dataclass(frozen=True, slots=True)
class _Point:
    """A state of the betting and what sizes depend on besides: who bet or raised last on this street and on the one
    before, how many words led here, and the edits whose lines begin with these.
    """

    state: Betting
    led: int | None = None
    led_before: int | None = None
    depth: int = 0
    edits: tuple[Edit, ...] = ()

    @classmethod
    def first(cls, start: Start, edits: Sequence[Edit]) -> _Point:
        led = None if start.bets[0] == start.bets[1] else int(start.bets[1] > start.bets[0])
        return cls(start.betting(), led, start.aggressor, 0, tuple(edits))

    @property
    def rules(self) -> Rules:
        return self.state.rules

    def act(self, action: int) -> _Point:
        state, after = self.state, self.state.act(action)
        led, led_before = state.actor if action > betting.CALL else self.led, self.led_before
        words = [_word(state, action)] if self.edits else []
        if after.actor is not None and after.round > state.round:
            led, led_before = None, led
            words += ["deal"] * bool(words)
        here, depth = self.edits, self.depth
        for word in words:
            here = tuple(edit for edit in here if len(edit.line) > depth and edit.line[depth] == word)
            depth += 1
        return _Point(after, led, led_before, depth, here)


def _walked(
    first: _Point, considered: Callable[[_Point], Sequence[int]]
) -> Iterator[tuple[int, int, _Point, Sequence[int]]]:
    """All points, as `walk` has them; too many are an error of the spot."""
    try:
        yield from walk(first, considered, MAX_NODES)
    except GameTooLarge:
        raise SpotError(
            f"the betting tree has more than {MAX_NODES:,} nodes: give fewer bet sizes, max_raises or smaller stacks, "
            "or start on a later street"
        ) from None


def _raises(point: _Point, sizes: Sizes, thresholds: Thresholds) -> Sequence[int]:
    """What sizes and thresholds make of a decision."""
    state = point.state
    own = [edit for edit in point.edits if edit.how == "sizes" and len(edit.line) == point.depth]
    if own:
        offered = own[-1].sizes
        if not state.raises and any(size.unit == "x" for size in offered):
            raise SpotError(f"{own[-1]}: multiples are for raises, and there is no bet to multiply")
    elif state.raises:
        offered = sizes.raises
    else:
        donk = state.actor == 0 and point.led_before == 1 and sizes.donks is not None
        offered = sizes.bets if not donk else sizes.donks or ()
    raises = state.raises_to(offered, lifted=True)
    legal = state.legal().raises
    if thresholds == NO_THRESHOLDS or not legal:
        return raises
    assert state.actor is not None
    most, pot = legal[-1], state.pot + state.highest - state.spent[state.actor]
    kept = thresholds.kept([to - state.highest for to in raises], pot, most - state.highest)
    return [bet + state.highest for bet in kept]


def _edited(point: _Point, raises: Sequence[int]) -> Sequence[int]:
    """Raises with those that lines add here, and without those that lines remove."""
    state, kept = point.state, set(raises)
    by_word = {_word(state, to): to for to in raises}
    for edit in point.edits:
        if edit.how == "sizes" or len(edit.line) != point.depth + 1:
            continue
        word = edit.line[-1]
        if edit.how == "remove":
            if word not in by_word:
                there = ", ".join(by_word) or "no bet or raise"
                raise SpotError(f"{edit}: there is no such bet or raise; there is {there}")
            kept.discard(by_word[word])
        elif word in by_word:
            raise SpotError(f"{edit}: that is in the tree already")
        else:
            kept.add(_added(state, word, edit))
    return sorted(kept)


def _added(state: Betting, word: str, edit: Edit) -> int:
    """The raise that a word stands for, if it is legal."""
    legal, amount = state.legal().raises, word.partition(" ")[2]
    if not legal:
        raise SpotError(f"{edit}: nothing can be bet or raised there")
    to = legal[-1] if word == ALL_IN else state.before + int(amount) if amount.isdecimal() and len(amount) < 12 else 0
    if to not in legal or _word(state, to) != word:
        kind = "raise" if state.legal().fold else "bet"
        least, most = (end - state.before for end in (legal[0], legal[-1]))
        raise SpotError(f"{edit}: expected {kind} {least} up to {kind} {most - 1}, or all-in")
    return to


def _check(start: Start, sizes: Mapping[tuple[int, int], Sizes]) -> None:
    """A first bet of hardly a chip was meant otherwise: 0.5% for 50%."""
    least = start.pot + 2 * max(start.bets)
    for (street, _), both in sizes.items():
        for size in both.bets:
            if street >= start.street and size.unit == "%" and size.amount * least < 50:
                raise SpotError(f"{POSTFLOP[street]}: {size} makes no legal bet where the pot is {least}")


def _labels(state: Betting, actions: Sequence[int]) -> tuple[str, ...]:
    return tuple(_word(state, action) for action in actions)


def _word(state: Betting, action: int) -> str:
    """The players' word for an action; amounts are those of the street."""
    if action == betting.FOLD:
        return FOLD
    facing = state.legal().fold
    if action == betting.CALL:
        return CALL if facing else CHECK
    if action == state.rules.stacks[0]:
        return ALL_IN
    return f"{'raise' if facing else 'bet'} {action - state.before}"
