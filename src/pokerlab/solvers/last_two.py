"""The last two of a tournament who jam or fold: chances to win for every division of the chips.

Miltersen and Sorensen (2007). Each hand is a game whose outcomes are worth the chance to win with the stacks that they
leave, the blinds changed over: an everlasting game. Stage games are solved exactly, and the chances that follow from
playing so for ever by a linear system, in turns until nothing changes. With `limps` the opponent of a player who jams
or folds may bet anything: what the player is sure of then bounds what jam or fold gives away.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import NamedTuple

import numpy as np

from pokerlab.bounds import Bound
from pokerlab.cards.matchups import class_matchups
from pokerlab.errors import PokerlabError
from pokerlab.form.jamfold import KINDS, Worth, jam_game
from pokerlab.progress import Bar
from pokerlab.solvers.lp import Basis, equilibrium

STEPS = Bound("stacks to tell apart", 2, 400)
_STILL = 1e-9  # change of chances at which they are taken for the fixed point
_ROUNDS = 50


@dataclass(frozen=True, eq=False)
class LastTwo:
    """Chances to win the tournament by stack: `small[i]` with stacks[i] in the small blind, `big[i]` in the big blind.

    `residual` is how much a further hand changes them at most.
    """

    chips: int
    blinds: tuple[int, int]
    stacks: np.ndarray
    small: np.ndarray
    big: np.ndarray
    rounds: int
    residual: float


class _Stage(NamedTuple):
    """A hand: its value to the small blind, how likely each stack of the small blind is after it, and its basis."""

    value: float
    after: dict[int, float]
    basis: Basis | None


def last_two(chips: int, blinds: tuple[int, int], *, limps: bool = False, progress: bool | None = None) -> LastTwo:
    """The value of the tournament to a player, by its stack, when both jam or fold.

    With `limps` the player jams or folds against one who may do anything.
    """
    small, big = blinds
    if not 0 < small <= big < chips:
        raise PokerlabError(f"blinds {small}/{big} and {chips} chips: blinds grow, and are fewer than the chips")
    step = gcd(gcd(small, big), chips)
    STEPS.check(chips // step, error=PokerlabError)
    stacks = np.arange(step, chips, step)
    here = stacks / chips  # what the chances are when nobody plays well or badly
    values = np.concatenate((here, here))  # in the small blind, then in the big blind
    rounds, residual, basis = 0, np.inf, None
    with Bar(f"the last two of a tournament with {chips:,} chips", progress) as bar:
        while residual > _STILL and rounds < _ROUNDS:
            stages: list[_Stage] = []
            for number in range(2 * len(stacks)):
                stages.append(_stage(number, stages, values, stacks, chips, blinds, limps, basis))
                basis = stages[-1].basis  # from one stack to the next it is not far
                bar.show((number + 1) / (2 * len(stacks)), f"round {rounds + 1}, change {residual:.1e}")
            residual = float(np.abs(np.array([stage.value for stage in stages]) - values).max())
            values, rounds = _for_ever(stages, stacks, chips), rounds + 1
    half = len(stacks)
    return LastTwo(chips, blinds, stacks, values[:half], values[half:], rounds, residual)


def _stage(
    number: int, before: list[_Stage], values: np.ndarray, stacks: np.ndarray, chips: int, blinds: tuple[int, int],
    limps: bool, start: Basis | None,
) -> _Stage:  # fmt: skip
    """A hand of the player with stack `number`, from half of the numbers on in the big blind, and the stacks after."""
    half, step = len(stacks), int(stacks[0])
    mine = int(stacks[number % half])

    def worth(stack: int, blind: int) -> float:
        """The player's chance with a stack, in the small (0) or big blind (1)."""
        if stack <= 0 or stack >= chips:
            return float(stack >= chips)
        return float(values[blind * half + stack // step - 1])

    if number < half:
        return _hand(mine, chips, blinds, lambda stack: worth(stack, 1), False, start)
    # Seen by the opponent, who has the small blind. Where it plays as the player does, that hand has been solved.
    other = before[2 * half - 1 - number]
    if limps:
        other = _hand(chips - mine, chips, blinds, lambda stack: 1.0 - worth(chips - stack, 0), True, start)
    return _Stage(1.0 - other.value, {chips - stack: odds for stack, odds in other.after.items()}, other.basis)


def _hand(
    stack: int, chips: int, blinds: tuple[int, int], worth: Callable[[int], float], limps: bool, start: Basis | None
) -> _Stage:
    """A hand of the player in the small blind; `worth` is what it has of a stack after it."""
    small, big = blinds
    at_stake = min(stack, chips - stack)
    dealt, won = class_matchups()
    outcomes = {stack + at_stake: float(won.sum()), stack - at_stake: float(won.sum()),
                stack: float(1 - 2 * won.sum())}  # fmt: skip
    if at_stake <= small:  # the blinds have put somebody all-in, and nobody has a choice
        return _Stage(sum(odds * worth(after) for after, odds in outcomes.items()), outcomes, start)
    ends = Worth(
        worth(stack - small), worth(stack + big), worth(stack + at_stake), worth(stack - at_stake), worth(stack),
        worth(stack - big) if limps else None,
    )  # fmt: skip
    if at_stake <= big:  # the big blind has, or faces, no more than it has put in
        called = won.sum(axis=1), won.sum(axis=0), (dealt - won - won.T).sum(axis=1)
        play = np.array([ends.wins, ends.loses, ends.ties]) @ np.array(called)
        jams = play > ends.folds * dealt.sum(axis=1)
        after = {stack + at_stake: called[0], stack - at_stake: called[1], stack: called[2]}
        odds = {end: float(part[jams].sum()) for end, part in after.items()}
        odds[stack - small] = odds.get(stack - small, 0.0) + float(dealt.sum(axis=1)[~jams].sum())
        return _Stage(sum(part * worth(end) for end, part in odds.items()), odds, start)
    game = jam_game(ends)
    solved = equilibrium(game, start)
    odds = _chances(game.X.sequences, solved.x, solved.y, stack, at_stake, blinds)
    return _Stage(solved.value, odds, solved.basis)


def _chances(
    sequences: int, x: np.ndarray, y: np.ndarray, stack: int, at_stake: int, blinds: tuple[int, int]
) -> dict[int, float]:
    """How likely each stack of the small blind is after a hand of two plans."""
    dealt, won = class_matchups()
    mine = [x[1 + KINDS * i : 1 + KINDS * (i + 1)] for i in range(sequences // KINDS)]
    theirs = [y[1 + KINDS * i : 1 + KINDS * (i + 1)] for i in range(len(y) // KINDS)]
    odds: dict[int, float] = {}

    def add(end: int, chance: float) -> None:
        odds[end] = odds.get(end, 0.0) + float(chance)

    def all_in(first: np.ndarray, second: np.ndarray) -> None:
        win, lose = first @ won @ second, first @ won.T @ second
        add(stack + at_stake, win)
        add(stack - at_stake, lose)
        add(stack, first @ dealt @ second - win - lose)

    add(stack - blinds[0], mine[0] @ dealt.sum(axis=1))
    add(stack + blinds[1], mine[1] @ dealt @ theirs[0])
    all_in(mine[1], theirs[1])
    if len(mine) > 2:
        add(stack + blinds[1], mine[2] @ dealt @ theirs[2])
        add(stack - blinds[1], mine[3] @ dealt @ theirs[3])
        all_in(mine[4], theirs[3])
    return odds


def _for_ever(stages: list[_Stage], stacks: np.ndarray, chips: int) -> np.ndarray:
    """The chances to win if every hand is played so: a linear system over stacks and blinds."""
    half, step = len(stacks), int(stacks[0])
    matrix, won = np.eye(2 * half), np.zeros(2 * half)
    for number, stage in enumerate(stages):
        next_blind = half if number < half else 0  # who had the small blind has the big one
        for after, odds in stage.after.items():
            if after >= chips:
                won[number] += odds
            elif after > 0:
                matrix[number, next_blind + after // step - 1] -= odds
    return np.linalg.solve(matrix, won)
