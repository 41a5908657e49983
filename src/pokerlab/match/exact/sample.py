"""Exploitability from some flops: a stratified sample, a response that is judged on flops that it was not chosen on.

All flops are put in an order in which neighbours are alike and cut into strata of equal weight; each draw takes one
flop of every stratum. Below a flop the response is exact there. Before the flop it is one for all flops. Chosen and
judged on the same few it wins too much; so every flop is also judged by the response that is best on all the others.
That wins too little, because no response that is chosen wins more than the best one: a bound from below, but for its
interval. The truth lies between the two.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from pokerlab.match.exact.before import best_before
from pokerlab.match.exact.tree import PublicTree


class Estimate(NamedTuple):
    """In chips a hand: what a response wins in each seat, and half the width of the 95 % interval of their mean."""

    seats: tuple[float, float]
    ci95: float

    @property
    def mean(self) -> float:
        return sum(self.seats) / 2


def in_order(tree: PublicTree) -> np.ndarray:
    """The numbers of all flops, every one as often as it stands for others, alike ones side by side.

    By pairs, then by how high the cards are, which tell most of what can be won, then by suits.
    """
    suits, keys = len(tree.rules.deck.suits), []
    for dealt in tree.flops:
        ranks = [card // suits for card in dealt.board]
        keys.append((len({*ranks}), sum(ranks), len({card % suits for card in dealt.board})))
    order = sorted(range(len(keys)), key=lambda number: keys[number])
    return np.repeat(order, [tree.flops[number].times for number in order])


def drawn(tree: PublicTree, strata: int, draws: int, seed: int) -> np.ndarray:
    """Numbers of flops, (draws, strata): in each stratum as many different ones of all deals of a flop as may be."""
    every = in_order(tree)
    edges = np.linspace(0, len(every), strata + 1).round().astype(np.int64)
    rng = np.random.default_rng([seed, 18])
    columns = []
    for first, last in pairwise(edges.tolist()):
        columns.append(np.resize(every[first + rng.permutation(last - first)], draws))
    return np.stack(columns, axis=1)


def of_all(tree: PublicTree, worth: dict[int, np.ndarray]) -> Estimate:
    """Exactly, from what every flop is worth."""
    total = mean_of_all(tree, worth)
    first, second = (float(best_before(tree, seat, total[seat][None]).worth[0]) for seat in range(2))
    return Estimate((first, second), 0.0)


def mean_of_all(tree: PublicTree, worth: dict[int, np.ndarray]) -> np.ndarray:
    """What the next cards are worth before they are dealt: (seats, lines, kinds)."""
    total = np.sum([dealt.times * worth[number] for number, dealt in enumerate(tree.flops)], axis=0)
    return np.asarray(total / tree.chances(1))


def mean_of_sample(tree: PublicTree, numbers: np.ndarray, worth: dict[int, np.ndarray]) -> np.ndarray:
    """The same from a sample."""
    return _as_if_all(tree, numbers, worth).mean(axis=(0, 1))


def _as_if_all(tree: PublicTree, numbers: np.ndarray, worth: dict[int, np.ndarray]) -> np.ndarray:
    """(draws, strata, seats, lines, kinds): what flops would be worth before they are dealt if all were this one."""
    scale = sum(dealt.times for dealt in tree.flops) / tree.chances(1)
    return np.stack([[worth[number] for number in row] for row in numbers.tolist()]) * scale


def of_sample(tree: PublicTree, numbers: np.ndarray, worth: dict[int, np.ndarray], *, apart: bool) -> Estimate:
    """From flops (draws, strata); each judged by the response to the others if `apart`, or to all of them."""
    return estimate(won_by_flop(tree, numbers, worth, apart=apart))


def won_by_flop(tree: PublicTree, numbers: np.ndarray, worth: dict[int, np.ndarray], *, apart: bool) -> np.ndarray:
    """What the response would win in each seat if all flops were each of these: (draws, strata, seats)."""
    values = _as_if_all(tree, numbers, worth)
    return np.stack([_won(tree, seat, values[:, :, seat], apart) for seat in range(2)], axis=2)


def estimate(won: np.ndarray) -> Estimate:
    """The mean of what is won, or of a difference of two on the same flops, (draws, strata, seats)."""
    draws, strata, _ = won.shape
    first, second = won.mean(axis=(0, 1)).tolist()
    variance = won.mean(axis=2).var(axis=0, ddof=1).mean() / (draws * strata)
    return Estimate((first, second), float(stdtrit(strata * (draws - 1), 0.975) * np.sqrt(variance)))


def _won(tree: PublicTree, seat: int, values: np.ndarray, apart: bool) -> np.ndarray:
    """What the response before the flop would win if all flops were each of these: (draws, strata)."""
    draws, strata = values.shape[:2]
    by_stratum = values.mean(axis=0)
    mean, won = by_stratum.mean(axis=0), np.empty((draws, strata))
    for draw, stratum in np.ndindex(draws, strata):
        value, chosen = values[draw, stratum], mean
        if apart:  # the mean without this flop
            chosen = mean + (by_stratum[stratum] - value) / (draws - 1) / strata
        won[draw, stratum] = best_before(tree, seat, np.stack([chosen, value])).worth[1]
    return won
