"""Jam or fold: before the flop the first player goes all-in or folds, and the other calls or folds.

With few blinds left in front of the players little is lost by playing so (Miltersen and Sorensen 2007), and the game is
small enough for exact solutions: 169 kinds of hands each, all cards to come counted. What outcomes are worth is given,
so that chips and chances to win a tournament are one game.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pokerlab.cards.holes import class_name
from pokerlab.cards.matchups import class_matchups
from pokerlab.form.game import BilinearGame
from pokerlab.form.payoff import payoff_of_matrix
from pokerlab.form.treeplex import Block, Treeplex

KINDS = 169


class Worth(NamedTuple):
    """What the ways in which a hand may end are worth to the small blind; `limp` where it may also put in a big blind.

    `folds`: it gives up its blind; `steals`: the big blind folds to it; then it wins, loses or ties an all-in.
    `limp`, if it is not None: it has called the big blind and folds to a jam.
    """

    folds: float
    steals: float
    wins: float
    loses: float
    ties: float
    limp: float | None = None


def jam_game(worth: Worth, name: str = "jam or fold") -> BilinearGame:
    """Player 0, in the small blind, folds or jams; player 1 then folds or calls.

    With `worth.limp` player 0 may call the big blind instead. Player 1, who still jams or folds, answers that apart,
    and player 0 then folds or calls: this is as much as any other bet could do for it against such an opponent.
    """
    dealt, won = class_matchups()
    lost = won.T
    all_in = worth.wins * won + worth.loses * lost + worth.ties * (dealt - won - lost)
    names = [class_name(kind) for kind in range(KINDS)]
    limps = worth.limp is not None
    mine = ["fold", "jam", "limp"] if limps else ["fold", "jam"]
    blocks = [Block("", names, mine)] + [Block("limp, jam", names, ["fold", "call"])] * limps
    answers = [Block("jam", names, ["fold", "call"])] + [Block("limp", names, ["fold", "jam"])] * limps
    fold, jam, limp, late_fold, late_call = (1 + KINDS * i for i in range(5))
    nowhere = np.zeros(KINDS, dtype=np.int64)
    first = [nowhere, limp + np.arange(KINDS)][: len(blocks)]
    x = Treeplex(first, [len(block.actions) for block in blocks], blocks.__getitem__)
    y = Treeplex([nowhere] * len(answers), [2] * len(answers), answers.__getitem__)
    payoff = np.zeros((x.sequences, y.sequences))

    def put(row: int, column: int, values: np.ndarray) -> None:
        payoff[row : row + KINDS, column : column + values.shape[1]] = values

    put(fold, 0, worth.folds * dealt.sum(axis=1, keepdims=True))
    put(jam, fold, worth.steals * dealt)
    put(jam, jam, all_in)
    if worth.limp is not None:
        put(limp, limp, worth.steals * dealt)
        put(late_fold, late_fold, worth.limp * dealt)
        put(late_call, late_fold, all_in)
    return BilinearGame(x, payoff_of_matrix(payoff), y, name)
