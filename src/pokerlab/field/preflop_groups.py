"""Starting hands in groups, made by rolling every one of them out: ten groups of equal size, the best first.

Players of the field sort starting hands into groups that were published for full tables; Loki and Poki made theirs by
simulation, and found them much alike (Rubin 2013, section 2.1.1). Here a hand is worth its share of the pot when
everybody stays to the showdown. Against one opponent that is exact (`cards.preflop`), against more it is sampled.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import HOLES, class_number, classes
from pokerlab.cards.preflop import preflop_tables
from pokerlab.field.dealing_kernels import won_shares

GROUPS = 10
TRIALS = 2000  # a class: a standard error of about 0.01 against one opponent, less against more


@lru_cache(maxsize=16)
def rolled_out(opponents: int) -> np.ndarray:
    """[169] each class's share of the pot against so many random hands."""
    if opponents == 1:
        return preflop_tables()[0]
    rng = np.random.SeedSequence(opponents).generate_state(4, np.uint64)
    shares, none = np.empty(169), np.empty(0, np.int64)
    for number in range(169):
        hole = HOLES[np.flatnonzero(classes() == number)[0]].astype(np.int64)
        shares[number] = won_shares(tables(), hole, none, opponents, TRIALS, rng) / TRIALS
    return shares


@lru_cache(maxsize=16)
def groups(opponents: int) -> np.ndarray:
    """[169] the group of each class, 1 to 10: tenths of all 1,326 hands, by the middle of a class."""
    sizes = np.bincount(classes(), minlength=169)
    order = np.argsort(-rolled_out(opponents), kind="stable")
    better = np.cumsum(sizes[order]) - sizes[order] / 2
    group = np.empty(169, np.int64)
    group[order] = np.minimum((better * GROUPS / sizes.sum()).astype(int), GROUPS - 1) + 1
    return group


def group_of(hole: tuple[int, ...], opponents: int) -> int:
    """The group of a starting hand."""
    return int(groups(opponents)[class_number(hole[0], hole[1])])


def share_of(hole: tuple[int, ...], opponents: int) -> float:
    """The share of the pot that a starting hand wins from so many random hands."""
    return float(rolled_out(opponents)[class_number(hole[0], hole[1])])
