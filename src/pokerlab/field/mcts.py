"""Monte-Carlo tree search with an opponent model (Van den Broeck, Driessens, Ramon 2009; Rubin 2013, section 2.2.2).

    mcts                 800 simulations; any number of players, limit or not
    mcts?errors=1        fewer standard errors of curiosity

Selection and backup know how uncertain sampled values are: a child is tried for its mean and `errors` standard errors,
and counts in what its parent is worth as often as it may be the best. The thesis has no formulas for that; ours are in
`mcts_kernels.py`. The model is one of habits, learnt while playing (`habits.py`); the original's is regression trees,
learnt from logs.
"""

from __future__ import annotations

import numpy as np

from pokerlab.agents.agent import Distribution
from pokerlab.bounds import WEIGHT
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import HOLES, hole_number
from pokerlab.errors import AgentError
from pokerlab.field.betting_kernels import state_of, terms_of
from pokerlab.field.mcts_kernels import ERROR, FIFTHS, MEAN, MINE, WHOSE, grow
from pokerlab.field.player import Clock, in_time
from pokerlab.field.simulation import PIECE, PURE, Simulating, Values
from pokerlab.game.hand import View

EACH = 10  # trials for each board to come


class TreeSearch(Simulating):
    """Grows a tree at every decision, and takes the best branch of it."""

    name = "mcts"

    def __init__(self, errors: float = 2.0, trials: int = 800, **options: object) -> None:
        super().__init__(trials, **options)  # type: ignore[arg-type]
        WEIGHT.check(errors, "errors", AgentError)
        self.errors = float(errors)

    def values(self, view: View) -> Values:
        """What the branches of the root are worth, over folding."""
        rng, beliefs = self.stream(view), self.beliefs(view)
        terms, start = terms_of(view.rules, self.size), state_of(view.betting)
        board, mine = np.array(view.board, np.uint8), hole_number(view.hole)
        nodes, children = np.zeros((self.trials + 1, 7)), np.full((self.trials + 1, FIFTHS), -1)
        nodes[0, WHOSE], count = MINE, 1
        for piece in in_time(self.trials, PIECE, Clock(self.seconds)):
            boards = max(piece // EACH, 1)
            count = grow(
                tables(), HOLES, terms, start, mine, board, *beliefs, boards, piece, self.errors, rng, nodes, children,
                count,
            )  # fmt: skip
        branches = children[0, :3]
        means, errors = nodes[branches, MEAN], nodes[branches, ERROR]
        return Values(np.where(branches >= 0, means, -np.inf), errors)

    def act(self, view: View) -> Distribution:
        return self.acted(view, PURE[self.values(view).best])
