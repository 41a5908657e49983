"""An agent that follows a blueprint and, from the turn or the river on, refines the subgame it is in while it plays.

At its first decision of a round it takes the exact state, off-tree bets and all, as the root of a subgame (Moravcik et
al. 2016): its own range by what the blueprint would have done so far, the opponent's hands with what they could get
from the blueprint, and a gadget that keeps them from getting more. It plays on from the solution. When the opponent
bets what the tree does not have, a new subgame starts there, and the opponent's hands must not get more than they had
in the last one (nested re-solving, Brown and Sandholm 2017). So it is on the next round.

    ResolvingAgent(BlueprintAgent(load_blueprint(path)), from_round="river", technique="max-margin", seconds=2)
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from pokerlab.agents.agent import Agent, Answers, Distribution
from pokerlab.agents.reading import read_hands, view_at
from pokerlab.agents.rest import Rest, Translated, parse_street
from pokerlab.bounds import ITERATIONS, MEMORY, THREADS, WAIT
from pokerlab.cards.holes import COUNT, hole_number
from pokerlab.errors import AgentError, DeviceError, PokerlabError, SpotError
from pokerlab.game.betting import CALL, Betting, start_betting
from pokerlab.game.hand import View, new_hand
from pokerlab.game.rules import Rules
from pokerlab.processes import cores
from pokerlab.refine.gadgets import TECHNIQUES
from pokerlab.refine.spot_refinement import Boards, SpotRefinement, weights_range
from pokerlab.refine.spots.engine import check_engine
from pokerlab.refine.spots.tree import Node, Sizes

ROUNDS = {"turn": 2, "river": 3}
BETS = {
    "turn": "50 100 allin | 100 allin / 50 100 200 allin | 100 allin",
    "river": "50 100 200 allin | 100 allin",
}
BELIEF = 0.1
AHEAD = "100 allin | allin"
DEFAULT_SECONDS = 2.0
_USED = 0.75  # of a limit, after which nothing new is begun: the rest is for a machine that is busy
_READY = 0.5  # of a limit, by which the blueprint must have been looked up
_STEP = 6  # an iteration takes about as long as so many best responses, with something to spare
_PIECE = 0.1  # of what is left, that one call may take
_MOST_KEPT = 512 * 2**20  # bytes of solutions that are remembered
_MOST_KNOWN = 1000  # subgames that are, solved or not


class _OutOfTime(PokerlabError):
    """The limit of a decision would not be kept."""


class _Clock:
    """Time left of one decision."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds, self.began = math.inf if seconds is None else seconds, time.perf_counter()

    def left(self, share: float) -> float:
        """Until this part of the limit is used up."""
        return self.began + share * self.seconds - time.perf_counter()


class _Place(NamedTuple):
    """Where a hand is: a refinement, the part of the hand it is of, and a node of it.

    `left` are the chips of a bet by which the opponent has left the tree at this node; 0: it has not.
    """

    refined: SpotRefinement
    rest: Rest
    node: Node
    left: int = 0


class ResolvingAgent(Agent):
    """Refines from `from_round` on. A decision takes `seconds` at most, or so many `iterations`, or what is met first.

    `technique` is `max-margin`, `re-solving` or, with no guarantee, `endgame`. A safe one looks only at the opponent's
    worst case; with `belief` a part of its attention goes to the range that the opponent has if it plays the blueprint
    too (0: none, as in the paper). `bets` are the sizes in the round that is refined (see `rest`; turn and river parted
    by `/`), `ahead` those in the round after. With `iterations` alone, equal views have equal answers. Where nothing
    can be refined, for want of time or memory (in GiB), it plays the blueprint. `device` is `cpu`, `cuda` or `auto`
    (docs/gpu.md).
    """

    rules: Rules

    def __init__(
        self,
        blueprint: Agent,
        *,
        rules: Rules | None = None,
        from_round: str = "river",
        technique: str = "max-margin",
        seconds: float | None = None,
        iterations: int | None = None,
        bets: str | None = None,
        ahead: str = AHEAD,
        belief: float = BELIEF,
        threads: int | None = None,
        memory: float = 1.0,
        device: str = "cpu",
        name: str = "resolving",
    ) -> None:
        if not blueprint.stateless:
            raise AgentError(f"{blueprint.title} remembers past hands: it has no fixed strategy to refine")
        rules = blueprint.rules if rules is None else rules
        if rules is None:
            raise AgentError("resolving needs the rules of the game, unless a blueprint has them")
        if rules.players != 2 or not rules.holdem or rules.limit or rules.bet_sizes or len({*rules.first[1:]}) > 1:
            raise AgentError(f"resolving is for two-player no-limit hold'em, not for {rules.name or 'this game'}")
        blueprint.must_play(rules)
        if from_round not in ROUNDS or technique not in TECHNIQUES:
            raise AgentError(
                f"resolving is from {' or '.join(ROUNDS)} by {', '.join(TECHNIQUES)}, not from {from_round!r} by "
                f"{technique!r}"
            )
        if not 0 <= belief < 1:
            raise AgentError(f"belief is from 0 to below 1, not {belief}")
        WAIT.check(seconds, error=AgentError)
        ITERATIONS.check(iterations, error=AgentError)
        THREADS.check(threads, error=AgentError)
        MEMORY.check(memory, error=AgentError)
        try:
            check_engine(device)
        except (DeviceError, SpotError) as error:
            raise AgentError(str(error)) from None
        self.trunk, self.rules, self.technique, self.name = blueprint, rules, technique, name
        self.from_round, self.files = from_round, blueprint.files
        self.seconds = DEFAULT_SECONDS if seconds is None and iterations is None else seconds
        self.iterations, self.memory, self.belief = iterations, memory, belief
        self.threads, self.device = cores() if threads is None else threads, device
        self._first, self._ahead = ROUNDS[from_round], parse_street(ahead)
        self._now = _by_round(BETS[from_round] if bets is None else bets, self._first, rules.rounds)
        self._known: OrderedDict[tuple, _Place | None] = OrderedDict()
        self._kept = 0  # bytes
        self._warm_up()

    def rehearse(self, view: View) -> None:
        self.trunk.rehearse(view)

    def act(self, view: View) -> Distribution:
        answer = self._refined(view)
        if answer is None:
            return self.trunk.act(view)
        hand = hole_number(view.hole)
        return {action: float(odds[hand]) for action, odds in answer.items() if odds[hand] > 0}

    def answers(self, view: View) -> Answers:
        answer = self._refined(view)
        return self.trunk.answers(view) if answer is None else answer

    def guess(self, view: View) -> Answers:
        """As the blueprint: to ask here would be to solve subgames that were never played."""
        return self.trunk.answers(view)

    def refinement(self, view: View) -> SpotRefinement | None:
        """What a decision is played from; None: from the blueprint."""
        place = self._place(view)
        return None if place is None else place.refined

    def _refined(self, view: View) -> dict[int, np.ndarray] | None:
        self.must_play(view.rules)
        place = self._place(view)
        if place is None:
            return None
        answers: dict[int, np.ndarray] = {}
        for number, odds in enumerate(place.refined.strategy(place.node, view.board)):
            action = place.rest.action(place.node, number, view.betting)
            answers[action] = answers.get(action, 0.0) + odds
        return answers

    def _place(self, view: View) -> _Place | None:
        """Follow the hand through the subgames that were refined on the way; refines the last if it is new."""
        if view.betting.round < self._first:
            return None
        clock, betting = _Clock(self.seconds), start_betting(self.rules)
        place: _Place | None = None
        for count, action in enumerate((*view.actions, None)):
            mine = betting.actor == view.seat and betting.round >= self._first
            if mine and (place is None or place.left or place.rest.round < betting.round):
                place = self._begun(view_at(view, count, view.seat), place, clock)
            if action is None:
                break
            if place is not None:
                place = self._followed(place, view.seat, betting, action)
            betting = betting.act(action)
        return place

    def _followed(self, place: _Place, seat: int, betting: Betting, action: int) -> _Place | None:
        """The place after an action; the opponent may leave the tree, the player itself never does."""
        node = place.rest.child(place.refined.tree, place.node, action)
        if node is not None:
            return place._replace(node=node)
        assert betting.actor is not None
        owed = min(action, self._most) - betting.spent[betting.actor]
        return None if betting.actor == seat else place._replace(left=owed)

    @property
    def _most(self) -> int:
        """Chips that can be lost in a hand."""
        return min(self.rules.stacks)

    def _begun(self, view: View, place: _Place | None, clock: _Clock) -> _Place | None:
        """A subgame refined from this view on, or remembered; None where it cannot be."""
        key = view.seat, view.actions, view.board
        if key not in self._known:
            try:
                self._remember(key, self._refine(view, place, clock))
            except DeviceError:
                raise  # or it would play the blueprint for ever, and nobody knew
            except PokerlabError:
                self._remember(key, None)
        self._known.move_to_end(key)
        return self._known[key]

    def _remember(self, key: tuple, place: _Place | None) -> None:
        """Keep what was found, and forget what has not been asked for longest."""
        self._known[key] = place
        self._kept += _bytes(place)
        while len(self._known) > 1 and (self._kept > _MOST_KEPT or len(self._known) > _MOST_KNOWN):
            self._kept -= _bytes(self._known.popitem(last=False)[1])

    def _refine(self, view: View, place: _Place | None, clock: _Clock) -> _Place:
        rest, had = Rest(view), None
        likely = read_hands(self.trunk, view, 1 - view.seat)
        if place is None:
            mine = read_hands(self.trunk, view, view.seat)
        else:
            mine, had = place.refined.border(place.node, view.board)
            had = had + place.left
        theirs = likely if self.technique == "endgame" else np.ones(COUNT)
        ranges = weights_range(mine, view.board), weights_range(theirs, view.board)
        spot = rest.spot(*ranges, self._sizes(rest.round))
        refinement = SpotRefinement(spot, rest.player, threads=self.threads, memory=self.memory, engine=self.device)
        self._follow(refinement, view, clock)
        began = time.perf_counter()
        now = refinement.values()
        if clock.left(_USED) < _STEP * (time.perf_counter() - began):
            raise _OutOfTime(f"{self.seconds} seconds are too few for an iteration on this subgame")
        had = now if had is None else had
        refinement.start(self.technique, had, belief=self.belief, likely=likely, warm=True)
        self._solve(refinement, clock)
        return _Place(refinement, rest, refinement.tree[0])

    def _sizes(self, now: int) -> Mapping[int, Sizes]:
        return {now: self._now[now], **dict.fromkeys(range(now + 1, self.rules.rounds), self._ahead)}

    def _follow(self, refinement: SpotRefinement, view: View, clock: _Clock) -> None:
        """Let both players follow the blueprint, translated into the spot."""
        for seat in range(2):
            rest = Rest(view._replace(seat=seat))
            translated = Translated(self.trunk, rest, refinement.tree)

            def behaviour(node: Node, boards: Boards, translated: Translated = translated) -> np.ndarray:
                if clock.left(_READY) < 0:
                    raise _OutOfTime(f"{self.seconds} seconds are too few to look the blueprint up in this subgame")
                return translated(node, boards)

            refinement.follow(behaviour, rest.player)

    def _solve(self, refinement: SpotRefinement, clock: _Clock) -> None:
        """Iterate to the first limit; each call takes a small part of the time that is left."""
        count, most = 1, math.inf if self.iterations is None else self.iterations
        while refinement.iterations < most:
            began, before = time.perf_counter(), refinement.iterations
            refinement.step(int(min(count, most - before)))
            took = (time.perf_counter() - began) / (refinement.iterations - before)
            left = clock.left(_USED)
            if left < 2 * took:
                return
            count = max(1, int(min(_PIECE * left, 0.1) / took))

    def _warm_up(self) -> None:
        """Refine one subgame of each round, so that all kernels are compiled before the clock runs."""
        hand = new_hand(self.rules).dealt((0, 5, 10, 15))
        for cards in ((), (20, 25, 30), (35,), (40,)):
            hand = hand.dealt(cards)
            if hand.betting.round >= self._first:
                limits, self.seconds, self.iterations = (self.seconds, self.iterations), None, 1
                self._refined(hand.view(hand.betting.actor or 0))
                self.seconds, self.iterations = limits
            while hand.actor is not None:
                hand = hand.act(CALL)
        self._known.clear()
        self._kept = 0


def _bytes(place: _Place | None) -> int:
    return 0 if place is None else place.refined.bytes


def _by_round(bets: str, first: int, rounds: int) -> dict[int, Sizes]:
    """Sizes by round from `first` on; one part is for all rounds."""
    parts = bets.split("/")
    if len(parts) not in (1, rounds - first):
        raise AgentError(f"bets {bets!r}: sizes for one round or for {rounds - first}, parted by /, are expected")
    return {number: parse_street(parts[(number - first) % len(parts)]) for number in range(first, rounds)}
