"""Any game tree of two players with perfect recall as `BilinearGame(X, A, Y)`: the sequence form of von Stengel (1996).

A tree is made of Chance, Decision and Terminal nodes. It need not exist as a whole: children may be anything that
`look` turns into a node, so that another program's states are walked without keeping them.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from pokerlab.bounds import raising, room
from pokerlab.errors import (
    ChanceError,
    ExtensiveGameError,
    ForgottenPast,
    GameTooLarge,
    InfosetMismatch,
    NotTwoPlayers,
    NotZeroSum,
)
from pokerlab.form.game import BilinearGame, Game
from pokerlab.form.payoff import Placed, payoff_of_matrix
from pokerlab.form.treeplex import Block, Treeplex

MAX_NODES = 10_000_000
# Files print probabilities with as few as six digits; what is this close to 1 in all is scaled to it.
_PROBABILITY_TOLERANCE = 1e-5
_SUM_TOLERANCE = 1e-9  # relative to the largest payoff so far: rounding


@dataclass(frozen=True, slots=True)
class Chance:
    """Nature moves to one of `children`. `where` (such as a line of a file) is for error messages."""

    probabilities: Sequence[float]
    children: Sequence[Any]
    where: str = ""


@dataclass(frozen=True, slots=True)
class Decision:
    """`player` (0 or 1) chooses, and cannot tell apart its nodes that have the same `infoset`."""

    player: int
    infoset: str
    actions: Sequence[str]
    children: Sequence[Any]
    where: str = ""


@dataclass(frozen=True, slots=True)
class Terminal:
    """The end: `payoff` to player 0, `other` to player 1 (None: what player 0 loses)."""

    payoff: float
    other: float | None = None
    where: str = ""


Node = Chance | Decision | Terminal


def extensive_game(
    root: Any,
    name: str = "extensive game",
    *,
    look: Callable[[Any], Node] | None = None,
    split: bool = False,
    limit: int | None = None,
) -> Game:
    """The sequence form of the tree below `root`.

    Payoffs may add up to any constant: player 0's are kept, and player 1's taken to be their opposite. Infosets are
    named by `Decision.infoset` as states of the empty public node: `profile.at(0, "", infoset)`. An infoset that its
    player reaches after different moves of its own is refused or, with `split`, made into one a past; the second and
    later ones have a number in brackets after their name.
    """
    limit = room(MAX_NODES) if limit is None else limit
    sides = _Side(name, 0, split), _Side(name, 1, split)
    ends = _Ends(name)
    stack: list[tuple[Any, float, int, int]] = [(root, 1.0, 0, 0)]
    seen = 0
    while stack:
        item, chance, first, second = stack.pop()
        node = item if look is None else look(item)
        seen += 1
        if seen > limit:
            raise GameTooLarge(f"{name} has more than {limit:,} nodes; take a smaller game{raising()}")
        # Children are pushed last to first, so that nodes are met in prefix order and infosets numbered by it.
        if isinstance(node, Terminal):
            ends.add(node, chance, first, second)
        elif isinstance(node, Chance):
            odds = _odds(node, name)
            for p, child in zip(odds[::-1], reversed(node.children), strict=True):
                stack.append((child, chance * p, first, second))
        elif isinstance(node, Decision):
            if node.player not in (0, 1):
                raise NotTwoPlayers(
                    f"{_at(name, node.where)}: player {node.player + 1} moves; only players 1 and 2 may"
                )
            start = sides[node.player].visit(node, second if node.player else first)
            for a in range(len(node.actions) - 1, -1, -1):
                after = (first, start + a) if node.player else (start + a, second)
                stack.append((node.children[a], chance, *after))
        else:
            raise ExtensiveGameError(f"{name}: a node is Chance, Decision or Terminal, not {type(node).__name__}")
    trees, orders = zip(*(side.treeplex() for side in sides), strict=True)
    shape = (trees[0].sequences, trees[1].sequences)
    return BilinearGame(trees[0], ends.payoff(orders[0], orders[1], shape), trees[1], name)


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """The names as they are where they differ; empty and repeated ones get a number, as Gambit gives them."""
    count = Counter(names)
    taken, given = set(names), Counter[str]()
    unlike = []
    for name in names:
        if name and count[name] == 1:
            unlike.append(name)
            continue
        while (candidate := f"{name}_{given[name] + 1}") in taken:
            given[name] += 1
        taken.add(candidate)
        unlike.append(candidate)
    return tuple(unlike)


def shown(names: Sequence[str]) -> str:
    """Names as a part of an error message: on one line, and not too long."""
    short = [" ".join(name[:40].split()) for name in names[:8]]
    return ", ".join(short) + (", ..." if len(names) > 8 else "")


def _at(name: str, where: str) -> str:
    return f"{name}, {where}" if where else name


def _odds(node: Chance, name: str) -> list[float]:
    """The probabilities of a chance node, adding up to 1."""
    odds = [float(p) for p in node.probabilities]
    if not odds or len(odds) != len(node.children):
        raise ChanceError(
            f"{_at(name, node.where)}: chance has {len(odds)} probabilities for {len(node.children)} children"
        )
    total = math.fsum(odds) if all(0 <= p <= 2 for p in odds) else math.nan
    if not abs(total - 1) <= _PROBABILITY_TOLERANCE:
        given = shown([f"{p:g}" for p in odds])
        raise ChanceError(f"{_at(name, node.where)}: chance probabilities {given} are not at least 0 with sum 1")
    return [p / total for p in odds]


class _Side:
    """One player's infosets as they turn up. Sequences are numbered infoset by infoset until they are laid out."""

    def __init__(self, name: str, player: int, split: bool) -> None:
        self.name, self.player, self.split = name, player, split
        self.number: dict[str | tuple[str, int], int] = {}
        self.pasts = Counter[str]()
        self.first: list[Decision] = []  # the node at which each infoset turned up
        self.label: list[str] = []
        self.actions: list[tuple[str, ...]] = []
        self.start: list[int] = []
        self.parent: list[int] = []
        self.depth: list[int] = []
        self.owner = array("q", [-1])  # the infoset of each sequence

    def visit(self, node: Decision, parent: int) -> int:
        """The sequence of the node's first action; the node must fit its infoset."""
        infoset = self.number.get((node.infoset, parent) if self.split else node.infoset)
        if infoset is None:
            return self._add(node, parent)
        if node.actions is not self.actions[infoset] or len(node.children) != len(node.actions):
            self._compare(node, infoset)
        if parent != self.parent[infoset]:
            self._forgets(node, infoset, parent)
        return self.start[infoset]

    def _add(self, node: Decision, parent: int) -> int:
        actions = tuple(node.actions)
        self._check(node, actions)
        infoset = self.number[(node.infoset, parent) if self.split else node.infoset] = len(self.number)
        self.pasts[node.infoset] += 1
        past = self.pasts[node.infoset]
        self.label.append(node.infoset if past == 1 else f"{node.infoset} [{past}]")
        self.first.append(node)
        self.actions.append(actions)
        self.start.append(len(self.owner))
        self.parent.append(parent)
        self.depth.append(self.depth[self.owner[parent]] + 1 if parent else 0)
        self.owner.extend([infoset] * len(actions))
        return self.start[-1]

    def _check(self, node: Decision, actions: tuple[str, ...]) -> None:
        what = f"{_at(self.name, node.where)}: infoset {node.infoset!r} of player {self.player + 1}"
        if not actions or len(set(actions)) != len(actions):
            raise InfosetMismatch(f"{what} needs actions with different names, not {shown(actions) or 'none'}")
        if len(node.children) != len(actions):
            raise InfosetMismatch(f"{what} has {len(actions)} actions and {len(node.children)} children")

    def _compare(self, node: Decision, infoset: int) -> None:
        actions = tuple(node.actions)
        self._check(node, actions)
        if actions != self.actions[infoset]:
            raise InfosetMismatch(
                f"{_at(self.name, node.where)}: infoset {node.infoset!r} of player {self.player + 1} has the actions "
                f"{shown(actions)} here, and {shown(self.actions[infoset])} "
                f"at {self.first[infoset].where or 'another node'}"
            )

    def _forgets(self, node: Decision, infoset: int, parent: int) -> None:
        here, before = self._past(parent), self._past(self.parent[infoset])
        raise ForgottenPast(
            f"{_at(self.name, node.where)}: player {self.player + 1} forgets: infoset {node.infoset!r} is reached "
            f"{here}, and at {self.first[infoset].where or 'another node'} {before}; perfect recall is needed"
        )

    def _past(self, sequence: int) -> str:
        """The player's last move of a sequence; two sequences differ just when their last moves do."""
        if not sequence:
            return "before any own move"
        infoset = self.owner[sequence]
        return f"after {self.actions[infoset][sequence - self.start[infoset]]!r} at {self.label[infoset]!r}"

    def treeplex(self) -> tuple[Treeplex, np.ndarray]:
        """The treeplex, and the place in it of each sequence.

        Infosets with the same actions after equally many own moves form a block: parents come before children, and
        loops over the infosets of a block vectorise.
        """
        groups: dict[tuple[int, tuple[str, ...]], list[int]] = defaultdict(list)
        for infoset, actions in enumerate(self.actions):
            groups[self.depth[infoset], actions].append(infoset)
        keys = sorted(groups, key=lambda key: key[0])
        starts, above = np.array(self.start, dtype=np.int64), np.array(self.parent, dtype=np.int64)
        place = np.zeros(len(self.owner), dtype=np.int64)
        parents, at = [], 1
        for key in keys:
            members = np.array(groups[key], dtype=np.int64)
            for a in range(len(key[1])):
                place[starts[members] + a] = at + a * len(members) + np.arange(len(members))
            parents.append(place[above[members]])
            at += len(members) * len(key[1])
        blocks = [Block("", [self.label[infoset] for infoset in groups[key]], key[1]) for key in keys]
        return Treeplex(parents, [len(key[1]) for key in keys], blocks.__getitem__), place


class _Ends:
    """Payoffs of terminals, by the sequences that lead there."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.total: float | None = None
        self.where, self.largest = "", 0.0
        self.rows, self.columns, self.values = array("q"), array("q"), array("d")

    def add(self, node: Terminal, chance: float, first: int, second: int) -> None:
        payoff = float(node.payoff)
        other = -payoff if node.other is None else float(node.other)
        total = payoff + other
        if not (math.isfinite(payoff) and math.isfinite(other) and math.isfinite(total)):
            raise ExtensiveGameError(f"{_at(self.name, node.where)}: payoffs {payoff} and {other} are not finite")
        if self.total is None:
            self.total, self.where = total, node.where
        self.largest = max(self.largest, abs(payoff), abs(other))
        if abs(total - self.total) > _SUM_TOLERANCE * self.largest:
            raise NotZeroSum(
                f"{_at(self.name, node.where)}: not zero-sum: payoffs {payoff:g} and {other:g} add up to {total:g}, "
                f"those at {self.where or 'another end'} to {self.total:g}"
            )
        self.rows.append(first)
        self.columns.append(second)
        self.values.append(chance * payoff)

    def payoff(self, first: np.ndarray, second: np.ndarray, shape: tuple[int, int]) -> Placed:
        """The operator, once the sequences have their places."""
        rows = first[np.frombuffer(self.rows, dtype=np.int64)]
        columns = second[np.frombuffer(self.columns, dtype=np.int64)]
        matrix = sparse.csr_array(sparse.coo_array((np.array(self.values), (rows, columns)), shape=shape))
        matrix.eliminate_zeros()
        return payoff_of_matrix(matrix)
