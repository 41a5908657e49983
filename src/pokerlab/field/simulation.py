"""Players by selective sampling: they play the hand out in their heads, against hands that the others may well hold.

    loki               Loki-2 (Rubin 2013, section 2.2.2): the opponents' habits are learnt, its own are given
    poki               Poki SBS: it expects of itself what it has done before, and folds itself into a corner
    aki                AKI-RealBot: as loki, but before the flop it stays in with who has been losing to it
    loki?trials=1000

Every trial draws hands from weight tables, cards to come, and all actions from predicted triples, once after a call
and once after a raise; folding is worth 0. It then does what was worth most on average.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np

from pokerlab.agents.agent import Distribution
from pokerlab.bounds import WEIGHT
from pokerlab.cards.evaluator import tables
from pokerlab.cards.holes import COUNT, HOLES, hole_number
from pokerlab.errors import AgentError
from pokerlab.field.betting_kernels import state_of, terms_of
from pokerlab.field.habits import NOISE, PRIOR, Habits, ranks_now, weight_table
from pokerlab.field.player import CALLS, FOLDS, RAISES, SECONDS, TRIALS, Clock, HoldemPlayer, Triple, deeds, in_time
from pokerlab.field.rollout_kernels import roll_out
from pokerlab.game.hand import Hand, View

EACH = 20  # hands that are drawn for each board to come
PIECE = 100  # trials between two looks at the clock
PURE = (Triple(1.0, 0.0, 0.0), Triple(0.0, 1.0, 0.0), Triple(0.0, 0.0, 1.0))


class Values(NamedTuple):
    """What folding, calling and raising are worth in chips over folding, with standard errors; -inf: not possible."""

    means: np.ndarray
    errors: np.ndarray

    @property
    def best(self) -> int:
        return int(np.argmax(self.means))


def values_of(sums: np.ndarray, squares: np.ndarray, trials: int, may_raise: bool) -> Values:
    """Means and their standard errors from sums over trials."""
    means = sums / max(trials, 1)
    spread = np.maximum(squares / max(trials, 1) - means**2, 0.0)
    if not may_raise:
        means[RAISES] = -np.inf
    return Values(means, np.sqrt(spread / max(trials, 1)))


class Beliefs(NamedTuple):
    """What a view tells of everybody: habits [seats, rounds, faced, kinds], how much of what each does looks at no
    cards [seats], weights and ranks now [seats, 1326].
    """

    models: np.ndarray
    noise: np.ndarray
    weights: np.ndarray
    ranks: np.ndarray


class Simulating(HoldemPlayer):
    """What players share who model the others by their habits; opponents are known by name, where names are told."""

    stateless = False

    def __init__(
        self, trials: int = 400, size: float = 100.0, seed: int = 0, seconds: float = SECONDS, name: str = ""
    ) -> None:
        super().__init__(size, seed, seconds, name)
        TRIALS.check(trials, error=AgentError)
        self.trials = trials
        self.habits: dict[str, Habits] = {}

    def habits_of(self, view: View, seat: int) -> Habits:
        """Those of who sits there."""
        return self.habits.setdefault(view.names[seat] if view.names else "", Habits())

    def own_habits(self) -> tuple[np.ndarray, float]:
        """What it expects of itself later in the hand, and how much of that looks at no cards."""
        return PRIOR, NOISE

    def beliefs(self, view: View) -> Beliefs:
        """What everybody may hold and will do."""
        players = view.rules.players
        models, noise = np.empty((players, *PRIOR.shape)), np.full(players, NOISE)
        weights = np.ones((players, COUNT))
        for seat in range(players):
            if seat == view.seat:
                models[seat], noise[seat] = self.own_habits()
            else:
                models[seat] = self.habits_of(view, seat).frequencies
                weights[seat] = weight_table(view, seat, models[seat])
        return Beliefs(models, noise, weights, np.stack([ranks_now(view, row) for row in weights]))

    def observe(self, view: View) -> None:
        for deed in deeds(view):
            if deed.seat != view.seat:
                self.habits_of(view, deed.seat).add(deed)

    def reset(self) -> None:
        self.habits.clear()


class Loki(Simulating):
    """Takes what trials say is worth most; its own later actions are those of a usual player."""

    name = "loki"

    def values(self, view: View) -> Values:
        """What each kind of action is worth."""
        assert view.legal is not None
        rng, beliefs = self.stream(view), self.beliefs(view)
        terms, start = terms_of(view.rules, self.size), state_of(view.betting)
        board, mine = np.array(view.board, np.uint8), hole_number(view.hole)
        sums, squares, done = np.zeros(3), np.zeros(3), 0
        for piece in in_time(self.trials, PIECE, Clock(self.seconds)):
            boards = max(piece // EACH, 1)
            done += roll_out(
                tables(), HOLES, terms, start, mine, board, *beliefs, boards, min(piece, EACH), rng, sums, squares
            )  # fmt: skip
        return values_of(sums, squares, done, bool(view.legal.raises))

    def act(self, view: View) -> Distribution:
        return self.acted(view, PURE[self.values(view).best])


class Poki(Loki):
    """As Loki, but it expects itself to act as often so, whatever its cards, as it has done: folds breed folds."""

    name = "poki"

    def __init__(self, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self.own = Habits()

    def own_habits(self) -> tuple[np.ndarray, float]:
        return self.own.frequencies, 1.0

    def observe(self, view: View) -> None:
        super().observe(view)
        for deed in deeds(view):
            if deed.seat == view.seat:
                self.own.add(deed)

    def reset(self) -> None:
        super().reset()
        self.own = Habits()


WINDOW = 500  # hands, as AKI's


class Aki(Loki):
    """As Loki; with somebody weak in the pot it does not fold before the flop what is worth no less than -`lenience`.

    Weak is who has lost to it over the last 500 hands. How much AKI lowered its folding is not known: `lenience` is in
    small bets or big blinds.
    """

    name = "aki"

    def __init__(self, lenience: float = 0.5, **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        WEIGHT.check(lenience, "lenience", AgentError)
        self.lenience = float(lenience)
        self.taken: dict[str, deque[float]] = {}

    def weak(self, view: View, seat: int) -> bool:
        """Whether who sits there has lost to it of late."""
        return sum(self.taken.get(view.names[seat] if view.names else "", ())) > 0

    def act(self, view: View) -> Distribution:
        values = self.values(view)
        stays = values.best
        if stays == FOLDS and not view.board:
            others = [seat for seat in view.betting.survivors if seat != view.seat]
            near = values.means[CALLS] >= -self.lenience * view.rules.small_bet
            if near and any(self.weak(view, seat) for seat in others):
                stays = CALLS
        return self.acted(view, PURE[stays])

    def observe(self, view: View) -> None:
        super().observe(view)
        won = Hand(view.rules, view.holes, view.board, view.actions, view.ends, view.betting, view.names).payoffs()
        lost = sum(-chips for chips in won if chips < 0)
        for seat, chips in enumerate(won):
            if seat != view.seat:
                # of what it won the loser's part, or of what it lost the winner's
                mine = won[view.seat] * max(-chips, 0.0) / lost if lost and won[view.seat] > 0 else -max(chips, 0.0)
                name = view.names[seat] if view.names else ""
                self.taken.setdefault(name, deque(maxlen=WINDOW)).append(mine)

    def reset(self) -> None:
        super().reset()
        self.taken.clear()
