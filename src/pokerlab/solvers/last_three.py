"""The last three of a tournament who jam or fold: what stacks are worth, for every division of the chips.

Ganzfried and Sandholm (2008). Each hand is a game of three whose ends are worth what the stacks that they leave are
worth, everybody a seat further: at first by the Independent Chip Model. Hands are played out by fictitious play, and
what follows from playing so for ever, a linear system as with the last two, is what stacks are worth in the next
round. When one is out, the last two play for the rest (`last_two.py`). Nothing promises that this comes to rest at an
equilibrium; `residual` and `gain` tell how near it is, on the deals that were drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import NamedTuple

import numpy as np

from pokerlab.bounds import DRAWN, ITERATIONS, ROUNDS, SEED, Bound
from pokerlab.cards.matchups import class_matchups
from pokerlab.errors import PokerlabError
from pokerlab.form.jam_three import FOLD, JAM, KINDS, after_hand, drawn_deals, icm, prizes_of
from pokerlab.progress import Bar
from pokerlab.solvers.jam_kernels import DECISIONS, ENDS, add_values, end_odds, fictitious_play
from pokerlab.solvers.last_two import last_two

STEPS = Bound("stacks to tell apart", 3, 60)
DEALS = 100_000
PLAYED = 60  # iterations of fictitious play for a hand in each round
STILL = 1e-4  # of all prizes: change of what stacks are worth at which they are taken for the fixed point
MOST_ROUNDS = 12
Stacks = tuple[int, ...]
# Ways of betting, as the kernels number their ends; of two who are all-in the first wins, loses or ties.
_LINES = (
    (FOLD, FOLD), (FOLD, JAM, FOLD), (JAM, FOLD, FOLD), (FOLD, JAM, JAM), (JAM, FOLD, JAM), (JAM, JAM, FOLD),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class LastThree:
    """What each division of the chips is worth to button, small blind and big blind, and how they jam or call.

    `stacks` and `worth` are [states, 3], `jam` is [states, decisions, kinds]. `residual` is how much the last round
    changed, and `gain` what any player could still win in a hand by another play, both at most.
    """

    blinds: tuple[int, int]
    prizes: tuple[float, ...]
    stacks: np.ndarray
    worth: np.ndarray
    jam: np.ndarray
    rounds: int
    residual: float
    gain: float

    def state(self, stacks: Stacks) -> int:
        """The number of a division of the chips."""
        check_steps(stacks, self.blinds)
        (at,) = np.flatnonzero((self.stacks == np.array(stacks)).all(axis=1))
        return int(at)


def check_steps(stacks: Stacks, blinds: tuple[int, int]) -> None:
    """Refuse stacks that are not told apart."""
    step = gcd(sum(stacks), *blinds)
    if any(stack <= 0 or stack % step for stack in stacks):
        raise PokerlabError(f"stacks {stacks}: with these chips and blinds multiples of {step} are told apart")


class _Deals(NamedTuple):
    kinds: np.ndarray
    orders: np.ndarray
    weights: np.ndarray
    wins: np.ndarray


class _Next(NamedTuple):
    """Where an end leads: with some share to what is paid at once, and to seats of states."""

    paid: np.ndarray
    shares: list[tuple[float, int, tuple[int, int, int]]]  # share, state, and the seat there of each player here


def last_three(
    chips: int,
    blinds: tuple[int, int],
    prizes: tuple[float, float, float],
    *,
    rounds: int = MOST_ROUNDS,
    iterations: int = PLAYED,
    deals: int = DEALS,
    seed: int = 0,
    progress: bool | None = None,
) -> LastThree:
    """What all stacks are worth that differ by the largest step that chips and blinds allow, as of the last two.

    Ends before the last of the `rounds` where stacks are worth what they were in the round before.
    """
    if not 0 < blinds[0] <= blinds[1] < chips:
        raise PokerlabError(f"blinds {blinds} and {chips} chips: blinds grow, and are fewer than the chips")
    size = gcd(chips, *blinds)
    STEPS.check(chips // size, error=PokerlabError)
    for bound, number in ((ROUNDS, rounds), (ITERATIONS, iterations), (DRAWN, deals), (SEED, seed)):
        bound.check(number, error=PokerlabError)
    tournament = _Tournament(chips // size, (blinds[0] // size, blinds[1] // size), prizes, deals, seed)
    worth = np.array([icm(stacks, prizes) for stacks in tournament.stacks])
    jam = np.full((len(worth), DECISIONS, KINDS), 0.5)
    number, residual, gain, total = 0, np.inf, np.inf, float(sum(prizes))
    with Bar(f"the last three of a tournament with {chips:,} chips", progress) as bar:
        while number < rounds and residual > STILL * total:
            odds, gains = [], []
            for state in range(len(worth)):
                # Later rounds go on from what they had, which counts as much as what is new.
                played, won = tournament.hand(state, worth, jam[state], iterations if number else 0, iterations)
                odds.append(played)
                gains.append(won)
                bar.show((state + 1) / len(worth), f"round {number + 1}, change {residual:.1e}")
            gain = max(gains)
            before, worth = worth, tournament.for_ever(odds)
            residual, number = float(np.abs(worth - before).max()), number + 1
    return LastThree(blinds, prizes, size * np.array(tournament.stacks), worth, jam, number, residual, gain)


class _Tournament:
    """All divisions of so many units of chips, where the ends of their hands lead, and the deals that are played."""

    def __init__(self, units: int, blinds: tuple[int, int], prizes: tuple[float, ...], deals: int, seed: int) -> None:
        self.blinds, self.prizes = blinds, prizes
        self.stacks = [(a, b, units - a - b) for a in range(1, units - 1) for b in range(1, units - a)]
        self.number = {stacks: number for number, stacks in enumerate(self.stacks)}
        kinds, worse, weights = drawn_deals(deals, np.random.default_rng(seed))
        self.standings, orders = np.unique(worse, axis=0, return_inverse=True)
        dealt, won = class_matchups()
        self.deals = _Deals(kinds, orders.ravel(), weights, won / dealt)
        self.chances = last_two(units, blinds, progress=False).small  # to win, in the small blind, by stack
        self.nexts = [self._nexts(stacks) for stacks in self.stacks]

    def _nexts(self, stacks: Stacks) -> list[_Next]:
        """Where each end of a hand leads."""
        ends = []
        for line in _LINES:
            inside = [player for player, choice in enumerate(line) if choice == JAM]
            for mine, theirs in ((1, 0), (0, 1), (0, 0)) if len(inside) == 2 else ((0, 0),):
                standing = [0, 0, 0]
                for player, rank in zip(inside, (mine, theirs), strict=False):
                    standing[player] = rank
                ends.append(self._next(stacks, after_hand(stacks, self.blinds, line, standing)))
        for standing in self.standings.tolist():
            ends.append(self._next(stacks, after_hand(stacks, self.blinds, (JAM, JAM, JAM), standing)))
        # An order that was not drawn is never asked for.
        return ends + [_Next(np.zeros(3), [])] * (ENDS - len(ends))

    def _next(self, before: Stacks, after: tuple[float, ...]) -> _Next:
        """A pot that two share may leave half a unit over: it goes to either as often."""
        halves = [player for player in range(3) if after[player] % 1]
        paid, shares = np.zeros(3), []
        for odd in halves or [-1]:
            whole = tuple(int(chips) + (player == odd) for player, chips in enumerate(after))
            share, left = 1 / max(len(halves), 1), [player for player in range(3) if whole[player] > 0]
            if len(left) == 3:  # the button is where the small blind was, and so on
                shares.append((share, self.number[whole[1], whole[2], whole[0]], (2, 0, 1)))
            elif len(left) == 2:  # the big blind goes to the next who is left
                big, small = left
                chance = self.chances[whole[small] - 1]
                (out,) = {0, 1, 2} - {*left}
                first, second, third = self.prizes
                paid[small] += share * (second + (first - second) * chance)
                paid[big] += share * (second + (first - second) * (1 - chance))
                paid[out] += share * third
            else:
                paid += share * prizes_of(before, whole, self.prizes)
        return _Next(paid, shares)

    def hand(
        self, state: int, worth: np.ndarray, jam: np.ndarray, begun: int, iterations: int
    ) -> tuple[np.ndarray, float]:
        """Play a hand: `jam` becomes what is played, with the odds of its ends and what a player could still gain."""
        ends = np.array([
            end.paid + sum((share * worth[after, list(seats)] for share, after, seats in end.shares), np.zeros(3))
            for end in self.nexts[state]
        ])  # fmt: skip
        forced = np.array(self.forced(self.stacks[state]))
        jam[forced] = 1.0
        fictitious_play(*self.deals, ends, forced, jam, begun, iterations)
        values = np.zeros((DECISIONS, KINDS, 2))
        add_values(*self.deals, ends, jam, values)
        best = np.where(forced[:, None], values[:, :, 1], values.max(axis=2))
        gains = (best - (1 - jam) * values[:, :, 0] - jam * values[:, :, 1]).sum(axis=1)
        return end_odds(*self.deals, jam), float(max(gains[0], gains[1] + gains[2], gains[3:].sum()))

    def forced(self, stacks: Stacks) -> list[bool]:
        """Decisions that nobody has: who is all-in by a blind, or has put in as much as there is to call."""
        button, small, big = stacks
        posted = small <= self.blinds[0]
        seen = [min(stack, big) <= self.blinds[1] for stack in (small, button, max(button, small))]
        return [False, posted or big <= self.blinds[0], posted, *seen]

    def for_ever(self, odds: list[np.ndarray]) -> np.ndarray:
        """What stacks are worth if every hand is played so: a linear system over states and seats."""
        states = len(self.stacks)
        matrix, paid = np.eye(3 * states), np.zeros(3 * states)
        for state, chances in enumerate(odds):
            for end, chance in zip(self.nexts[state], chances, strict=True):
                paid[3 * state : 3 * state + 3] += chance * end.paid
                for share, after, seats in end.shares:
                    for player, seat in enumerate(seats):
                        matrix[3 * state + player, 3 * after + seat] -= chance * share
        return np.linalg.solve(matrix, paid).reshape(states, 3)
