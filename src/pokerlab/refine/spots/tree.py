"""The betting tree of a spot: every line of play that the bet sizes allow, street after street, cards left out.

Sizes follow the usual solvers: a bet of x % is x % of the pot; a raise of x % is the bet faced plus x % of the pot
after calling. Amounts are whole chips; below the smallest legal raise they become that, over the stack all-in; what is
then the same is one action.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import floor

from pokerlab.errors import SpotError

STREETS = ("flop", "turn", "river")
FOLD, CHECK, CALL, ALL_IN = "fold", "check", "call", "all-in"
MAX_NODES = 500_000

_SIZE = re.compile(r"(\d+(?:\.\d+)?|\.\d+)\s*(%|x|c)")


@dataclass(frozen=True)
class Size:
    """One way to bet: `%` of the pot or `c` chips over the bet faced, `x` times that bet, or `all-in`."""

    amount: float
    unit: str

    def __str__(self) -> str:
        return ALL_IN if self.unit == ALL_IN else f"{self.amount:g}{self.unit}"

    def chips(self, pot: int, faced: int) -> int | None:
        """What it comes to over `faced` chips on this street, the pot being what it is after calling; None: all."""
        if self.unit == ALL_IN:
            return None
        exact = {"%": faced + self.amount / 100 * pot, "x": self.amount * faced, "c": faced + self.amount}[self.unit]
        return floor(exact + 0.5)


def parse_sizes(text: str, what: str, *, facing: bool) -> tuple[Size, ...]:
    """Sizes such as `50%, 100%, all-in`; `facing` says whether they answer a bet, so that 2.5x makes sense."""
    found = []
    for word in filter(None, (word.strip().lower() for word in text.split(","))):
        if word in (ALL_IN, "allin", "a"):
            found.append(Size(0, ALL_IN))
            continue
        match = _SIZE.fullmatch(word)
        if match is None:
            raise SpotError(f"{what}: cannot read the size {word!r}; write 50%, 120c (chips), 2.5x (a raise) or all-in")
        size = Size(float(match[1]), match[2])
        if size.unit == "x" and not facing:
            raise SpotError(f"{what}: {word} is for raises: there is no bet to multiply")
        if size.amount <= (1 if size.unit == "x" else 0):
            raise SpotError(f"{what}: {word} is no legal bet")
        found.append(size)
    return tuple(found)


@dataclass(frozen=True)
class Sizes:
    """What a player may bet on a street, and raise to; empty: never."""

    bets: tuple[Size, ...] = ()
    raises: tuple[Size, ...] = ()


@dataclass
class Node:
    """A point of the betting: a `decision` of `player`, a `fold` by `player`, a `showdown`, or the `deal` of a card.

    `put` are the chips that each has put in besides the pot that the spot began with. A showdown before the river is an
    all-in: the missing cards are dealt without betting. A deal has one child, whatever the card.
    """

    index: int
    kind: str
    street: int
    player: int
    put: tuple[int, int]
    parent: int
    labels: tuple[str, ...] = ()
    children: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Start:
    """Where the betting begins. `bets` lie in front of the players already, over and above `pot`; `stack` is the most
    that either can put in, bets included. `checked`: the other player has checked before.
    """

    street: int
    pot: int
    stack: int
    bets: tuple[int, int] = (0, 0)
    to_act: int = 0
    checked: bool = False


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


def betting_tree(start: Start, sizes: Mapping[tuple[int, int], Sizes], *, max_raises: int | None = None) -> BettingTree:
    """The tree of all lines; `sizes` are by street (0: flop) and player, `max_raises` is the limit of a street."""
    builder = _Builder(start, sizes, max_raises)
    builder.build()
    return BettingTree(start, tuple(builder.nodes))


@dataclass(frozen=True)
class _State:
    """A decision to come: chips put in, those of them before this street, the last raise, and how many there were."""

    node: int
    put: tuple[int, int]
    before: int
    last_raise: int
    raises: int
    closing: bool  # whether a check ends the round


class _Builder:
    def __init__(self, start: Start, sizes: Mapping[tuple[int, int], Sizes], max_raises: int | None) -> None:
        self.start, self.sizes, self.max_raises = start, sizes, max_raises
        self.nodes: list[Node] = []
        self.states: list[_State] = []

    def build(self) -> None:
        bets = self.start.bets
        root = self._add("decision", self.start.street, self.start.to_act, bets, -1)
        self.states.append(_State(root.index, bets, 0, abs(bets[0] - bets[1]), int(min(bets) > 0), self.start.checked))
        while self.states:
            self._expand(self.states.pop())

    def _add(self, kind: str, street: int, player: int, put: tuple[int, int], parent: int) -> Node:
        if len(self.nodes) >= MAX_NODES:
            raise SpotError(f"the betting tree has more than {MAX_NODES:,} nodes; give fewer sizes, or max_raises")
        node = Node(len(self.nodes), kind, street, player, put, parent)
        self.nodes.append(node)
        if parent >= 0:
            self.nodes[parent].children.append(node.index)
        return node

    def _expand(self, state: _State) -> None:
        node = self.nodes[state.node]
        me, other = node.player, 1 - node.player
        mine, theirs = state.put[me], state.put[other]
        labels: list[str] = []
        if theirs > mine:
            labels += [FOLD, CALL]
            self._add("fold", node.street, me, state.put, node.index)
            self._close(node, (theirs, theirs))
        else:
            labels.append(CHECK)
            if state.closing:
                self._close(node, state.put)
            else:
                child = self._add("decision", node.street, other, state.put, node.index)
                self.states.append(_State(child.index, state.put, state.before, state.last_raise, state.raises, True))
        for total in self._totals(node, state):
            put = (total, theirs) if me == 0 else (theirs, total)
            child = self._add("decision", node.street, other, put, node.index)
            raised = state.raises + 1 if theirs > mine else 0
            self.states.append(_State(child.index, put, state.before, total - theirs, raised, True))
            name = "raise" if theirs > mine else "bet"
            labels.append(ALL_IN if total == self.start.stack else f"{name} {total - state.before}")
        node.labels = tuple(labels)

    def _close(self, node: Node, put: tuple[int, int]) -> None:
        """The betting of a street is over: the next card, or the showdown."""
        if node.street == len(STREETS) - 1 or max(put) == self.start.stack:
            self._add("showdown", node.street, node.player, put, node.index)
            return
        deal = self._add("deal", node.street, node.player, put, node.index)
        deal.labels = ("deal",)
        first = self._add("decision", node.street + 1, 0, put, deal.index)
        self.states.append(_State(first.index, put, max(put), 0, 0, False))

    def _totals(self, node: Node, state: _State) -> list[int]:
        """What the player may have put in after betting or raising, in growing order."""
        theirs, stack = state.put[1 - node.player], self.start.stack
        facing = theirs > state.put[node.player]
        if theirs >= stack or (facing and self.max_raises is not None and state.raises >= self.max_raises):
            return []
        sizes = self.sizes[node.street, node.player]
        least = theirs + max(state.last_raise, 1)
        faced, pot = theirs - state.before, self.start.pot + 2 * theirs
        totals = set()
        for size in sizes.raises if facing else sizes.bets:
            chips = size.chips(pot, faced)
            if chips is not None and chips <= faced:
                raise SpotError(
                    f"{STREETS[node.street]}: {size} makes no legal {'raise' if facing else 'bet'} "
                    f"where the pot is {pot} and the bet faced {faced}"
                )
            totals.add(stack if chips is None else min(stack, max(least, state.before + chips)))
        return sorted(totals)
