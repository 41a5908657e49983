"""The betting tree of a spot: every line of play that the bet sizes allow, street after street, cards left out.

Lines and amounts are those of `game.betting`, with sizes as in `game.bet_sizes`: below the smallest legal raise they
become that, over the stack all-in; what is then the same is one action.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pokerlab.cards.deck import STREETS, Deck
from pokerlab.errors import BetSizeError, SpotError
from pokerlab.game import betting
from pokerlab.game.bet_sizes import Size, parse_sizes, step_at
from pokerlab.game.betting import Betting
from pokerlab.game.betting_tree import walk
from pokerlab.game.rules import UNLIMITED_RAISES, Rules

POSTFLOP = STREETS[1:]  # the streets of a spot, counted from the flop
FOLD, CHECK, CALL, ALL_IN = "fold", "check", "call", "all-in"
MAX_NODES = 500_000
_DECK = Deck()


class Sizes(NamedTuple):
    """What a player may bet on a street, and raise to; empty: never."""

    bets: tuple[Size, ...] = ()
    raises: tuple[Size, ...] = ()

    @classmethod
    def parse(cls, bet: str, raise_: str, where: str = "bets") -> Sizes:
        """Read sizes such as `50%, 100%, all-in`; an empty text means never."""
        both = []
        for text, what in ((bet, "bet"), (raise_, "raise")):
            try:
                both.append(parse_sizes(text))
            except BetSizeError as error:
                raise SpotError(f"{where} {what}: {error}") from None
        for size in both[0]:
            if size.unit == "x":
                raise SpotError(f"{where} bet: {size} is for raises: there is no bet to multiply")
        return cls(*both)


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
    least bet, `max_raises` the limit of a street.
    """

    street: int
    pot: int
    stack: int
    bets: tuple[int, int] = (0, 0)
    to_act: int = 0
    blind: int = 0
    max_raises: int | None = None

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
        words: list[str] = []
        while index:
            parent = self.nodes[self.nodes[index].parent]
            words.append(parent.labels[parent.children.index(index)])
            index = parent.index
        return tuple(reversed(words))

    @property
    def decisions(self) -> int:
        return sum(node.kind == "decision" for node in self.nodes)

    @property
    def terminals(self) -> int:
        return sum(node.kind in ("fold", "showdown") for node in self.nodes)


def betting_tree(start: Start, sizes: Mapping[tuple[int, int], Sizes]) -> BettingTree:
    """The tree of all lines; `sizes` are by street (0: flop) and player."""
    if not start.blind:
        _check(start, sizes)
    half, nodes, places = start.pot // 2, list[Node](), list[int]()

    def considered(state: Betting) -> Sequence[int]:
        if state.actor is None:
            return ()
        offered = step_at(sizes[state.round - 1, state.actor], state.raises)
        return state.actions(state.raises_to(offered, lifted=True))

    for before, _, state, actions in walk(start.betting(), considered):
        if len(nodes) >= MAX_NODES:
            raise SpotError(f"the betting tree has more than {MAX_NODES:,} nodes; give fewer sizes, or max_raises")
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
    return BettingTree(start, tuple(nodes))


def _check(start: Start, sizes: Mapping[tuple[int, int], Sizes]) -> None:
    """A first bet of hardly a chip was meant otherwise: 0.5% for 50%."""
    least = start.pot + 2 * max(start.bets)
    for (street, _), both in sizes.items():
        for size in both.bets:
            if street >= start.street and size.unit == "%" and size.amount * least < 50:
                raise SpotError(f"{POSTFLOP[street]}: {size} makes no legal bet where the pot is {least}")


def _labels(state: Betting, actions: Sequence[int]) -> tuple[str, ...]:
    """The players' words for what can be done; amounts are those of the street."""
    facing, stack = actions[0] == betting.FOLD, state.rules.stacks[0]
    words = [FOLD, CALL] if facing else [CHECK]
    name = "raise" if facing else "bet"
    return (*words, *(ALL_IN if to == stack else f"{name} {to - state.before}" for to in actions[len(words) :]))
