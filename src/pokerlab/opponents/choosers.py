"""Which of several arms to pull next, from what each has brought: bandits.

A chooser is a function of the past alone. What it draws comes from a generator that is made anew for every choice,
from a seed and the number of choices before, so that asking twice gives the same arm.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from pokerlab.errors import AgentError
from pokerlab.registry import Registry, is_function_of


@dataclass
class Arm:
    """What an arm has brought: how often it was pulled, and the mean and variance of its rewards.

    Pulls that fade count in part.
    """

    pulls: float = 0
    mean: float = 0.0
    _squares: float = field(default=0.0, repr=False)  # of distances from the mean

    def add(self, reward: float) -> None:
        """One more reward (Welford 1962: no digits are lost however many there are)."""
        self.pulls += 1
        apart = reward - self.mean
        self.mean += apart / self.pulls
        self._squares += apart * (reward - self.mean)

    def fade(self, part: float) -> None:
        """Let all pulls so far count only this part of what they did: discounted UCB (Garivier and Moulines 2011)."""
        self.pulls *= part
        self._squares *= part

    @property
    def variance(self) -> float:
        return self._squares / (self.pulls - 1) if self.pulls > 1 else 0.0


def deviation(arms: Sequence[Arm]) -> float:
    """The standard deviation of a reward, of all arms together; 0 while there are too few to tell."""
    degrees = sum(max(arm.pulls - 1, 0) for arm in arms)
    squares = sum(arm.variance * (arm.pulls - 1) for arm in arms if arm.pulls > 1)
    return math.sqrt(squares / degrees) if degrees else 0.0


Chooser = Callable[[Sequence[Arm], float, np.random.Generator], int]


def ucb1(arms: Sequence[Arm], scale: float, rng: np.random.Generator) -> int:
    """Each arm once, then the largest mean + scale sqrt(2 ln n / n_j): equation (4.2), Auer et al. (2002).

    Its bonus presumes rewards between 0 and 1; `scale` is how wide they are taken to be instead.
    """
    unknown = next((number for number, arm in enumerate(arms) if not arm.pulls), None)
    if unknown is not None:
        return unknown
    twice_log = 2 * math.log(sum(arm.pulls for arm in arms))
    hopes = [arm.mean + scale * math.sqrt(twice_log / arm.pulls) for arm in arms]
    return hopes.index(max(hopes))


def thompson(arms: Sequence[Arm], scale: float, rng: np.random.Generator) -> int:
    """Each arm as often as it may be the best (Thompson 1933), with normal beliefs about their means.

    Each has a prior with mean 0 and deviation `scale`; rewards have the deviation that all arms' rewards showed so far.
    """
    noise = (deviation(arms) or scale) ** 2
    drawn = []
    for arm in arms:
        precision = 1 / scale**2 + arm.pulls / noise
        drawn.append(arm.pulls / noise * arm.mean / precision + rng.standard_normal() / math.sqrt(precision))
    return int(np.argmax(drawn))


CHOOSERS: Registry[Chooser] = Registry(
    "chooser",
    {"ucb1": ucb1, "thompson": thompson},
    error=AgentError,
    wrong=is_function_of("arms, a scale and a generator"),
)
