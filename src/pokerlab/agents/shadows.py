"""How a player with few bet sizes follows the real betting: the places in its betting graph that it may believe in.

A real bet may be taken for one of two sizes, so that there are several such places, *shadows* of the real state, each
with its probability. What the player did itself tells them apart again: in each it would have done that with some
probability, which depends on its cards. Nothing is drawn or remembered, so that equal views have equal answers.

Whatever the others do, a shadow goes on. One that is ahead of the table, because a raise was taken for a call or has no
counterpart, waits for it, and the player calls meanwhile (as the BigBot of Zinkevich, Bowling and Burch 2007 does). One
that waits for somebody who is out of the hand, or for a round that is over, lets them fold or check.
"""

from __future__ import annotations

from typing import NamedTuple

from pokerlab.abstraction.translation import carried_out, taken_for, translation_of
from pokerlab.game.betting import CALL, FOLD, Betting, start_betting
from pokerlab.solvers.sampling.betting_graph import BettingGraph

MOST = 64  # shadows kept of one history: the likeliest
_MOST_KNOWN = 50_000  # histories remembered


class Shadow(NamedTuple):
    """A place in the graph, and where its rows begin; `chance` is that of the translations that led to it.

    `choices` are the player's own on the way: node, where its rows begin, and the number of the action.
    """

    node: int
    base: int
    chance: float
    choices: tuple[tuple[int, int, int], ...] = ()


class Followed(NamedTuple):
    """A real history: the betting state, and its shadows."""

    real: Betting
    shadows: tuple[Shadow, ...]


class Follower:
    """Follows real betting through a graph for the player in each seat."""

    def __init__(self, graph: BettingGraph, translation: str, vary: float) -> None:
        translation_of(translation)
        self.graph, self.translation, self.vary = graph, translation, vary
        self._known: dict[tuple[int, tuple[int, ...]], Followed] = {}

    def follow(self, seat: int, actions: tuple[int, ...]) -> Followed:
        """Where the player in a seat may believe to be after these actions."""
        at = len(actions)
        while at and (seat, actions[:at]) not in self._known:
            at -= 1
        if at:
            followed = self._known[seat, actions[:at]]
        else:
            followed = Followed(start_betting(self.graph.rules), (Shadow(0, 0, 1.0),))
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        for i in range(at, len(actions)):
            followed = self._known[seat, actions[: i + 1]] = self._after(seat, followed, actions[i])
        return followed

    def decides(self, shadow: Shadow, real: Betting) -> bool:
        """Whether the shadow has a decision for who is to act at the table."""
        state = self.graph.states[shadow.node]
        return state.actor is not None and (state.actor, state.round) == (real.actor, real.round)

    def _after(self, seat: int, before: Followed, action: int) -> Followed:
        real, after = before.real, before.real.act(action)
        shadows: list[Shadow] = []
        if real.actor == seat:
            shadows = [new for shadow in before.shadows for new in self._own(shadow, real, action)]
        # Somebody else may have chosen for the player, who would never have done this.
        shadows = shadows or [new for shadow in before.shadows for new in self._others(shadow, real, action)]
        merged: dict[tuple, Shadow] = {}
        for shadow in shadows:
            shadow = self._caught_up(shadow, after)
            key = shadow.node, shadow.base, shadow.choices
            same = merged.get(key)
            merged[key] = shadow if same is None else same._replace(chance=same.chance + shadow.chance)
        kept = sorted(merged.values(), key=lambda shadow: -shadow.chance)[:MOST]
        total = sum(shadow.chance for shadow in kept)
        return Followed(after, tuple(shadow._replace(chance=shadow.chance / total) for shadow in kept))

    def _own(self, shadow: Shadow, real: Betting, action: int) -> list[Shadow]:
        """The shadows after the player's own action: all choices that it may have been."""
        if not self.decides(shadow, real):
            return [shadow] if action == CALL else []
        shadows = []
        for number, choice in enumerate(self.graph.actions[shadow.node]):
            odds = carried_out(self.graph.states[shadow.node], choice, real, self.vary).get(action)
            if odds:
                new = self._moved(shadow, number, odds)
                shadows.append(new._replace(choices=(*shadow.choices, (shadow.node, shadow.base, number))))
        return shadows

    def _others(self, shadow: Shadow, real: Betting, action: int) -> list[Shadow]:
        """The shadows after somebody else's action."""
        if not self.decides(shadow, real):
            return [shadow]
        actions = self.graph.actions[shadow.node]
        raises = [choice for choice in actions if choice > CALL]
        taken = taken_for(real, action, self.graph.states[shadow.node], raises, self.translation)
        return [self._moved(shadow, actions.index(choice), odds) for choice, odds in taken.items()]

    def _caught_up(self, shadow: Shadow, real: Betting) -> Shadow:
        """The shadow once it has let those act who cannot or need not any more at the table."""
        while (state := self.graph.states[shadow.node]).actor is not None:
            gone = not real.can_act(state.actor)
            if not gone and state.round >= real.round:
                break
            actions = self.graph.actions[shadow.node]
            fold = real.folded[state.actor] and FOLD in actions
            shadow = self._moved(shadow, actions.index(FOLD if fold else CALL), 1.0)
        return shadow

    def _moved(self, shadow: Shadow, number: int, odds: float) -> Shadow:
        arrays = self.graph.arrays
        edge = int(arrays.first[shadow.node]) + number
        return shadow._replace(
            node=int(arrays.child[edge]), base=shadow.base + int(arrays.skip[edge]), chance=shadow.chance * odds
        )
