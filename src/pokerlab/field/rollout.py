"""A player by plain roll-outs: how often it wins against hands of any kind (r00lbot; Rubin 2013, section 2.2.2).

    rollout                 3,000 deals to the showdown against as many random hands as there are opponents
    rollout?trials=500

Before the flop it goes by groups of starting hands, as r00lbot did, through the player of rules. Later it calls above
the pot odds and raises what wins well above its share; the thesis does not say how r00lbot chose, so these lines are
ours.
"""

from __future__ import annotations

import numpy as np

from pokerlab.agents.agent import Distribution
from pokerlab.cards.evaluator import tables
from pokerlab.errors import AgentError
from pokerlab.field.dealing_kernels import won_shares
from pokerlab.field.player import SECONDS, TRIALS, Clock, HoldemPlayer, Triple, in_time, owed, pot_odds
from pokerlab.field.rules import RULES, advised, facts_of
from pokerlab.game.hand import View

PIECE = 500  # trials between two looks at the clock
RAISES_ABOVE = 1.25  # times its fair share, and more with every raise of the round
MORE_A_RAISE = 0.2


class RollOutPlayer(HoldemPlayer):
    """Plays by its chance to win at a showdown that everybody comes to."""

    name = "rollout"

    def __init__(
        self, trials: int = 3000, size: float = 100.0, seed: int = 0, seconds: float = SECONDS, name: str = ""
    ) -> None:
        super().__init__(size, seed, seconds, name)
        TRIALS.check(trials, error=AgentError)
        self.trials = trials

    def share(self, view: View) -> float:
        """The part of the pot that it wins on average."""
        rng, opponents, won, done = self.stream(view), len(view.betting.survivors) - 1, 0.0, 0
        hole, board = np.array(view.hole, np.int64), np.array(view.board, np.int64)
        for piece in in_time(self.trials, PIECE, Clock(self.seconds)):
            won += won_shares(tables(), hole, board, opponents, piece, rng)
            done += piece
        return won / done

    def act(self, view: View) -> Distribution:
        if not view.board:
            return self.acted(view, advised(RULES, facts_of(view)))
        betting, share, chips = view.betting, self.share(view), owed(view.betting, view.seat)
        if share * len(betting.survivors) > RAISES_ABOVE + MORE_A_RAISE * betting.raises:
            return self.acted(view, Triple(0.0, 0.0, 1.0))
        if not chips or share > pot_odds(chips, betting.pot):
            return self.acted(view, Triple(0.0, 1.0, 0.0))
        return self.acted(view, Triple(1.0, 0.0, 0.0))
