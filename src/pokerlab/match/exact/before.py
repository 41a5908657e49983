"""The first round of the best response: what is left once every flop has said what it is worth.

Values of the flops are a sum, so that a response before the flop can be chosen by some flops and judged by others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.match.exact.street import ADD, FOLD, LEAF, MERGE, ROW, SET
from pokerlab.match.exact.tree import PublicTree


class Judged(NamedTuple):
    """What a response before the flop earns a hand by each set of leaf values, in chips; and its choices."""

    worth: np.ndarray  # (sets,)
    choices: list[np.ndarray]  # by decision, in the order of the program: the action of each kind of hand


def best_before(tree: PublicTree, responder: int, leaves: np.ndarray) -> Judged:
    """The best response before the flop to the first of several sets of leaf values, judged by all of them.

    `leaves` are (sets, lines, kinds), a mean over all flops as `PublicTree.flop` has them.
    """
    street, kinds = tree.seats[responder][0], tree.suits.kinds
    one_of, many = np.unique(kinds, return_index=True)[1], np.bincount(kinds)
    table = tree.play.table(responder, 0, ()).reshape(-1, street.program.rows, tree.lanes)[:, :, 0]
    odds = table[tree.play.buckets(())]  # (holes, rows)
    rows: dict[int, np.ndarray] = {0: np.ones(tree.holes)}
    stack: list[np.ndarray] = []
    choices: list[np.ndarray] = []
    for step, (what, slot, which, how) in enumerate(street.program.steps.tolist()):
        if what == ROW:
            rows[slot] = rows[street.program.parents[which]] * odds[:, which]
        elif what == FOLD:
            worth = street.pays[0, step] * met_by(tree, rows[slot])[one_of]
            stack.append(np.broadcast_to(worth, (len(leaves), len(many))))
        elif what == LEAF:
            stack.append(leaves[:, which])
        if what == MERGE or how != SET:
            second, first = stack.pop(), stack.pop()
            if how == ADD:
                stack.append(first + second)
            else:
                better = second[0] > first[0]
                choices.append(better)
                stack.append(np.where(better, second, first))
    hands = tree.holes * (met_by(tree, np.ones(tree.holes))[0])
    return Judged(stack[0] @ many / hands, choices)


def met_by(tree: PublicTree, row: np.ndarray) -> np.ndarray:
    """The weight of a row that each hole can meet."""
    by_card = np.bincount(tree.cards.ravel(), row.repeat(2))
    return row.sum() - by_card[tree.cards].sum(axis=1) + row
