"""What a blueprint brings to the root of a subgame: reach, counterfactual best-response values, and the margin.

Moravcik et al. (2016): CBV in "Background and Notation", the margin in Definition 2. Gifts are of Brown and Sandholm
(2017), Safe and Nested Subgame Solving, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pokerlab.errors import SubgameError
from pokerlab.form import kernels
from pokerlab.form.strategy import Profile
from pokerlab.refine.forest import Forest
from pokerlab.refine.subgame import Subgame, joint
from pokerlab.solvers.solution import same_game

GIFTS = ("none", "split", "whole")


@dataclass(frozen=True, eq=False)
class Border:
    """The root of `subgame` as `player` (the p1 of the paper, who refines) meets it after the blueprint's trunk.

    A blueprint that never comes here has no belief; then both come with everything that chance deals, and `reached`
    is false. An opponent's infoset that cannot occur beside what the player comes with (`weight` 0) has a CBV by the
    same rule, but no part in the margin.
    """

    blueprint: Profile
    subgame: Subgame
    player: int

    def __post_init__(self) -> None:
        if self.player not in (0, 1):
            raise SubgameError(f"player must be 0 or 1, not {self.player}")
        if self.blueprint.game is not self.subgame.game and not same_game(self.blueprint.game, self.subgame.game):
            raise SubgameError(
                f"the blueprint is of another game than the subgame {self.subgame.name}: "
                "lift or translate it into the game of the subgame"
            )

    @property
    def opponent(self) -> int:
        return 1 - self.player

    @cached_property
    def chance(self) -> np.ndarray:
        """The probability of each deal at the root, the player's infosets in rows."""
        return self.subgame.chance if self.player == 0 else self.subgame.chance.T

    def _came(self, who: int) -> np.ndarray:
        plan = self.blueprint.game.trees[who].realize(self.blueprint[who])
        return plan[self.subgame.above(who)]

    @cached_property
    def reached(self) -> bool:
        """Whether the player's own trunk ever leads here."""
        return bool(np.any(self._came(self.player) > 0))

    @cached_property
    def mine(self) -> np.ndarray:
        """The player's own reach of each of its root infosets."""
        return self._came(self.player) if self.reached else np.ones(len(self.chance))

    @cached_property
    def theirs(self) -> np.ndarray:
        """The opponent's, by the blueprint; everything if what it comes with cannot meet what the player does."""
        came = self._came(self.opponent)
        return came if self.mine @ self.chance @ came > 0 else np.ones(len(came))

    @cached_property
    def weight(self) -> np.ndarray:
        """pi_{-2}(I): the probability of each of the opponent's root infosets, had it played to reach it."""
        return self.mine @ self.chance

    @cached_property
    def cbv(self) -> np.ndarray:
        """CBV of the blueprint at each of the opponent's root infosets."""
        return self.values(self.blueprint[self.player])

    def values(self, behaviour: np.ndarray) -> np.ndarray:
        """CBV at the opponent's root infosets if the player plays `behaviour` (of the whole game) in the subgame."""
        values = self._values(behaviour, self.mine)
        if np.all(self.weight > 0):
            return values
        return np.where(self.weight > 0, values, self._values(behaviour, np.ones(len(self.mine))))

    def _values(self, behaviour: np.ndarray, reach: np.ndarray) -> np.ndarray:
        forest = self.subgame.forest
        side, other = forest.sides[self.player], forest.sides[self.opponent]
        plan = side.plan(side.behaviour(behaviour), reach)
        below = forest.game.gradient(self.opponent, (plan, plan))
        kernels.respond(other.tree.blocks, below, np.ones(other.tree.sequences))
        weight = reach @ self.chance
        return below[1 : 1 + other.roots] / np.where(weight > 0, weight, 1.0)

    def margins(self, behaviour: np.ndarray) -> np.ndarray:
        """CBV of the blueprint minus that of `behaviour`, at each of the opponent's root infosets."""
        return self.cbv - self.values(behaviour)

    def margin(self, behaviour: np.ndarray) -> float:
        """Definition 2: the least of them."""
        return float(self.margins(behaviour)[self.weight > 0].min())

    def gifts(self, kind: str) -> np.ndarray:
        """What the opponent has given away on its way to each of its root infosets: chips for each time it is there.

        Where the opponent could have had more by another action, its value here may rise by that much before coming
        here pays. `split` lets the value rise by the same amount in every subgame below the gift, so all of them may
        be refined; `whole` spends all of it here, which is safe only if nothing else below is refined; `none` is
        gift-free.
        """
        if kind not in GIFTS:
            raise SubgameError(f"gifts must be one of {', '.join(GIFTS)}, not {kind!r}")
        gifts = np.zeros(len(self.weight))
        if kind == "none" or not self.reached:
            return gifts
        game, origin, opponent = self.blueprint.game, self.subgame.origin, self.opponent
        plan = game.trees[self.player].realize(self.blueprint[self.player])
        worth = game.gradient(opponent, (plan, plan))
        kernels.respond(game.trees[opponent].blocks, worth, np.ones(len(worth)))
        sight = origin.sights[opponent]
        for node, child in origin.public.steps_to(self.subgame.node):
            if origin.nodes[node].state.actor != opponent:
                continue
            table = game.at_node(node, worth)
            given = table.max(axis=0) - table[origin.nodes[node].children.index(child)]
            state = sight.ancestors(self.subgame.round, origin.nodes[node].state.round)[self.subgame.states[opponent]]
            if kind == "split":
                spread = self._weights_at(node, plan)
            else:
                spread = np.bincount(state, self.weight, minlength=len(given))
            gifts += np.where(spread > 0, given / np.where(spread > 0, spread, 1.0), 0.0)[state]
        return gifts

    def _weights_at(self, node: int, plan: np.ndarray) -> np.ndarray:
        """pi_{-2} of the opponent's states at a public node of the trunk."""
        origin = self.subgame.origin
        dealt = joint(self.subgame.game, origin.nodes[node].state.round)
        came = plan[origin.sequences_to(node, self.player)]
        return (dealt.T if self.player == 0 else dealt) @ came

    def live(self, endgame: bool) -> tuple[np.ndarray, np.ndarray]:
        """Which root infosets, the player's and the opponent's, can occur; in an `endgame` by both trunks."""
        dealt = self.chance * self.mine[:, None]
        if endgame:
            dealt = dealt * self.theirs[None, :]
        return dealt.sum(axis=1) > 0, dealt.sum(axis=0) > 0

    def cut(self, mine: np.ndarray, theirs: np.ndarray) -> Forest:
        """The forest with only these root infosets."""
        states = self.subgame.states[self.player][mine], self.subgame.states[self.opponent][theirs]
        return self.subgame.cut(*(states if self.player == 0 else states[::-1]))
