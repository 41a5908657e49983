"""The betting of some rules as a graph with one node a betting state, whatever path led there.

Three-player limit hold'em has 9.7 million betting sequences but 14,263 states, so that the graph stays in the cache.
Memory of the path is not lost: each edge says how many cells of the table to skip, and the skips of a path add up to a
place of its own, so that rows belong to (path, bucket).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import product

import numpy as np

from pokerlab.abstraction.small import FULL
from pokerlab.errors import AbstractionError, GameTooLarge, SolverError
from pokerlab.game.betting import Betting, start_betting
from pokerlab.game.betting_tree import Considered
from pokerlab.game.hand import split_pot
from pokerlab.game.rules import Rules
from pokerlab.solvers.sampling.kernels import Graph

MOST_PLAYERS = 4
MOST_RAISES = 50  # at one node: more is no abstraction but a game in whole chips
_MOST_STATES = 3_000_000


class BettingGraph:
    """Betting states, the actions considered in them, and where in a table each path has its rows.

    `buckets[p][r]` is how many things player p tells apart in round r. A row has the regrets of its actions, then
    their average strategy: 2 k cells. `arrays` is what kernels see.
    """

    def __init__(self, rules: Rules, buckets: Sequence[Sequence[int]], considered: Considered = FULL) -> None:
        if not 2 <= rules.players <= MOST_PLAYERS:
            raise SolverError(f"sampling is for 2 to {MOST_PLAYERS} players, not {rules.players}")
        if len(buckets) != rules.players or any(len(row) != rules.rounds or min(row) < 1 for row in buckets):
            raise AbstractionError(
                f"{rules.players} players and {rules.rounds} rounds need as many numbers of buckets, not {buckets}"
            )
        self.rules, self.buckets = rules, tuple(tuple(map(int, row)) for row in buckets)
        self.states, self.actions, children = _explore(rules, considered)
        self.arrays = self._arrays(children)
        self.sweep = self.arrays  # for kernels that visit every row once: a tree of the table's blocks

    def _arrays(self, children: list[list[int]]) -> Graph:
        states, rules = self.states, self.rules
        n, edges = len(states), sum(map(len, children))
        first = np.concatenate(([0], np.cumsum([len(row) for row in children])[:-1])).astype(np.int32)
        skip = np.zeros(edges, dtype=np.int64)
        sizes = [0] * n  # cells of a node's whole subtree: exact whole numbers, which may exceed any memory
        rows = [0] * n
        for here in range(n - 1, -1, -1):  # children come after parents
            state = states[here]
            if state.actor is None:
                continue
            own = self.buckets[state.actor][state.round]
            at, rows[here] = 2 * len(children[here]) * own, own
            for a, child in enumerate(children[here]):
                if at >= 2**62:
                    raise GameTooLarge(f"{rules.name or 'this game'} needs more than {at:.0e} cells")
                skip[first[here] + a] = at
                at += sizes[child]
                rows[here] += rows[child]
            sizes[here] = at
        self.cells, self.infosets = sizes[0], rows[0]
        payoff, pay = _payoffs(rules, states)
        return Graph(
            actor=np.array([-1 if s.actor is None else s.actor for s in states], dtype=np.int32),
            round=np.array([s.round for s in states], dtype=np.int32),
            actions=np.array([len(row) for row in children], dtype=np.int32),
            buckets=np.array(
                [0 if s.actor is None else self.buckets[s.actor][s.round] for s in states], dtype=np.int32
            ),
            first=first,
            child=np.array([c for row in children for c in row], dtype=np.int32),
            skip=skip,
            payoff=payoff,
            pay=pay,
        )

    def __repr__(self) -> str:
        return f"BettingGraph({len(self.states)} states, {self.infosets:,} infosets, {self.cells:,} cells)"

    @property
    def players(self) -> int:
        return self.rules.players

    @cached_property
    def most_actions(self) -> int:
        return int(self.arrays.actions.max())

    @cached_property
    def depth(self) -> int:
        """The most actions on one path."""
        return self._longest(lambda state, below: 1 + max(below))

    @cached_property
    def decisions(self) -> int:
        """Betting sequences after which somebody acts."""
        return self._longest(lambda state, below: 1 + sum(below))

    @cached_property
    def widest(self) -> int:
        """The most decisions of one player on the paths that the others' choices leave it, whatever these are."""
        return max(
            self._longest(lambda state, below, p=p: 1 + sum(below) if state.actor == p else max(below))
            for p in range(self.players)
        )

    def _longest(self, combine: Callable[..., int]) -> int:
        longest = [0] * len(self.states)
        g = self.arrays
        for here in range(len(longest) - 1, -1, -1):
            below = [longest[c] for c in g.child[g.first[here] : g.first[here] + g.actions[here]]]
            if below:
                longest[here] = combine(self.states[here], below)
        return longest[0]

    def stack(self) -> tuple[np.ndarray, np.ndarray]:
        """Room for the nodes and bases of a walk over all paths."""
        size = self.depth * self.most_actions + 1
        return np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)

    def follow(self, actions: Sequence[int]) -> tuple[int, int]:
        """The node of a betting sequence, and where its rows begin; SolverError if the graph does not have it."""
        here, base = 0, 0
        for action in actions:
            if action not in self.actions[here]:
                raise SolverError(f"{action} is not among the actions {self.actions[here]} considered here")
            edge = int(self.arrays.first[here]) + self.actions[here].index(action)
            base += int(self.arrays.skip[edge])
            here = int(self.arrays.child[edge])
        return here, base


def _explore(rules: Rules, considered: Considered) -> tuple[list[Betting], list[tuple[int, ...]], list[list[int]]]:
    """All states, parents before children, with the actions considered in each and the numbers they lead to."""
    root = start_betting(rules)
    known: dict[tuple, tuple[Betting, tuple[int, ...], list[tuple]]] = {}
    finished: list[tuple] = []  # states by key, each after all that follow it
    stack: list[tuple[Betting, bool]] = [(root, False)]
    while stack:
        state, expanded = stack.pop()
        key = _key(state)
        if expanded:
            finished.append(key)
            continue
        if key in known:
            continue
        actions = tuple(considered(state))
        _check_size(rules, actions, len(known))
        after = [state.act(action) for action in actions]
        known[key] = state, actions, [_key(child) for child in after]
        stack.append((state, True))
        stack.extend((child, False) for child in reversed(after))
    order = finished[::-1]
    number = {key: i for i, key in enumerate(order)}
    return (
        [known[key][0] for key in order],
        [known[key][1] for key in order],
        [[number[child] for child in known[key][2]] for key in order],
    )


def _key(state: Betting) -> tuple:
    """What the rest of the hand depends on."""
    least = 0 if state.rules.limit else state.min_raise_to
    before = 0 if state.rules.limit else state.before
    return state.round, state.spent, state.folded, state.actor, state.waiting, state.raises, least, before


def _check_size(rules: Rules, actions: Sequence[int], states: int) -> None:
    if len(actions) > MOST_RAISES + 2:
        raise GameTooLarge(
            f"{rules.name or 'this game'} allows {len(actions) - 2} raises at once; give bet sizes (abstraction.bets)"
        )
    if states > _MOST_STATES:
        raise GameTooLarge(f"{rules.name or 'this game'} has over {_MOST_STATES:,} betting states; take fewer bets")


def _payoffs(rules: Rules, states: Sequence[Betting]) -> tuple[np.ndarray, np.ndarray]:
    """The number of each terminal's payoffs (-1 elsewhere), and these: [number, showdown code, player].

    A showdown code has a digit a player in base `players`: how many players it beats.
    """
    players = rules.players
    codes = list(product(range(players), repeat=players))
    numbers: dict[tuple, int] = {}
    payoff = np.full(len(states), -1, dtype=np.int32)
    for here, state in enumerate(states):
        if state.finished:
            payoff[here] = numbers.setdefault((state.spent, state.folded), len(numbers))
    pay = np.zeros((len(numbers), players**players, players))
    for (spent, folded), i in numbers.items():
        for digits in codes:
            beaten = {seat: digits[seat] for seat in range(players) if not folded[seat]}
            pay[i, sum(d * players**seat for seat, d in enumerate(digits))] = split_pot(spent, beaten)
    return payoff, pay
