"""What a player does, from hands in which its cards are known only if it showed them: expectation over ranges.

A model by counting needs all cards; who plays sees those of a showdown. Of the other hands the betting is known, the
observer's own cards and the board, so that each hand that the player may have held has a probability: that of the deal
times that of having played so. Counting every hand in proportion, and playing as counted, again and again, is
expectation maximisation (Dempster, Laird and Rubin 1977): the likelihood of what was seen never falls. A prior strategy
counts as so many decisions at each infoset, which makes it the most probable model under a Dirichlet prior.
"""

from __future__ import annotations

import numpy as np

from pokerlab.errors import PokerlabError
from pokerlab.form.dense import Matrix
from pokerlab.form.game import Game
from pokerlab.form.public_tree import ending_matrix
from pokerlab.solvers.observed import UNKNOWN, Endings, counted, origin_of

ROUNDS = 1000  # at most
STILL = 1e-6  # change of any probability below which nothing more is learnt


class HiddenHands:
    """Hands as one saw them who played against `player`, to learn from: by terminal, what is known of the cards."""

    def __init__(self, game: Game, player: int, endings: Endings) -> None:
        self.game, self.player, self._origin = game, player, origin_of(game)
        mine, theirs = endings.state[player], endings.state[1 - player]
        if np.any((mine == UNKNOWN) & (theirs == UNKNOWN)):
            raise PokerlabError("of hands in which nobody's cards are known nothing can be told: leave them out")
        self.counts = np.zeros(game.trees[player].sequences)  # of hands that were shown
        self._folded: list[tuple[int, np.ndarray, Matrix]] = []  # node, hands by the observer's state, chance
        for node in np.unique(endings.node):
            here, round = endings.node == node, self._origin.nodes[node].state.round
            sizes = [sight.sizes[round] for sight in self._origin.sights]
            shown, hidden = here & (mine != UNKNOWN), here & (mine == UNKNOWN)
            counted(game, player, int(node), np.bincount(mine[shown], endings.times[shown], sizes[player]), self.counts)
            if hidden.any():
                times = np.bincount(theirs[hidden], endings.times[hidden], sizes[1 - player])
                self._folded.append((int(node), times, self._chance(round)))

    def _chance(self, round: int) -> Matrix:
        """The probability of each pair of states, the player's in rows."""
        labels = [(sight.seen[round], sight.sizes[round]) for sight in self._origin.sights]
        matrix = ending_matrix(self._origin.dealt, (False, round, ()), labels)
        return matrix if self.player == 0 else matrix.T

    def expected(self, behaviour: np.ndarray) -> tuple[np.ndarray, float]:
        """Counts of each sequence's last action if the player played so, and the log-likelihood of what was hidden."""
        counts, likelihood = self.counts.copy(), 0.0
        plan = self.game.trees[self.player].realize(behaviour)
        for node, times, chance in self._folded:
            reach = plan[self._origin.sequences_to(node, self.player)]
            seen = np.flatnonzero(times)
            total = (chance.T @ reach)[seen]
            likelihood += float(times[seen] @ np.log(np.maximum(total, 1e-300)))
            share = np.zeros(len(times))
            share[seen] = times[seen] / np.maximum(total, 1e-300)
            counted(self.game, self.player, node, reach * (chance @ share), counts)
        return counts, likelihood

    def likelihood(self, behaviour: np.ndarray) -> float:
        """The log-likelihood of all that was seen, up to what does not depend on the behaviour."""
        shown = float(self.counts[1:] @ np.log(np.maximum(behaviour[1:], 1e-300)))
        return shown + self.expected(behaviour)[1]

    def learn(self, prior: np.ndarray, weight: float = 1.0, rounds: int = ROUNDS) -> tuple[np.ndarray, np.ndarray]:
        """A behaviour, and how often each action was taken if the player plays so.

        `prior` is a behaviour that counts as `weight` decisions at each infoset; learning begins with it.
        """
        if not weight > 0:
            raise PokerlabError(f"a prior counts as more than 0 decisions, not {weight}")
        tree, behaviour = self.game.trees[self.player], prior
        for _ in range(rounds):
            counts, _ = self.expected(behaviour)
            better = tree.normalize(np.where(np.arange(tree.sequences) > 0, counts + weight * prior, 1.0))
            change, behaviour = float(np.abs(better - behaviour).max()), better
            if change < STILL:
                break
        return behaviour, self.expected(behaviour)[0]
