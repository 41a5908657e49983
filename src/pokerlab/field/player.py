"""What the players of the field share: hold'em only, a triple (fold, call, raise), one raise size, seeds and a clock.

A strategy of the reviewed agents maps a state to a triple of probabilities (Rubin 2013, section 1.2). What of it is
not legal goes to calling. In no-limit a raise is of one size, `size` per cent of the pot. Whoever samples draws from a
generator made of its seed and of what it sees, so that equal views have equal answers in whatever order they come.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from time import perf_counter
from typing import NamedTuple
from zlib import crc32

import numpy as np

from pokerlab.agents.agent import Agent, Distribution
from pokerlab.agents.simple import sized_raise
from pokerlab.bounds import PERCENT, SEED, WAIT, Bound
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL, FOLD, Betting, start_betting
from pokerlab.game.hand import View
from pokerlab.game.rules import Rules

SECONDS = 2.0  # a decision takes some milliseconds; who needs so long sits at a table that cannot wait
TRIALS = Bound("trials", 1, 10**6)
FOLDS, CALLS, RAISES = range(3)  # kinds of actions: the places of a triple


class Triple(NamedTuple):
    """How often to fold, to call or check, and to bet or raise."""

    fold: float
    call: float
    bet: float


def pot_odds(call: float, pot: float) -> float:
    """c / (p + c), equation (2.3): the chance to win that a call needs to break even."""
    return call / (pot + call)


def owed(betting: Betting, seat: int) -> int:
    """Chips that a seat must put in to call."""
    return min(betting.highest, betting.rules.stacks[seat]) - betting.spent[seat]


def position(betting: Betting, seat: int) -> float:
    """How late a seat acts in this round among those who have not folded: 0 is first, 1 last."""
    seats, first = len(betting.spent), betting.rules.first[betting.round]
    order = [s for s in (*range(first, seats), *range(first)) if not betting.folded[s]]
    return order.index(seat) / (len(order) - 1)


def kind_of(action: int) -> int:
    """The place of an action in a triple."""
    return FOLDS if action == FOLD else CALLS if action == CALL else RAISES


class Deed(NamedTuple):
    """An action, and the betting that it was taken in."""

    seat: int
    kind: int
    before: Betting

    @property
    def faced(self) -> bool:
        """Whether there was a bet to call."""
        return self.before.spent[self.seat] < self.before.highest


def deeds(view: View) -> Iterator[Deed]:
    """What was done in a hand, action by action."""
    betting = start_betting(view.rules)
    for action in view.actions:
        assert betting.actor is not None
        yield Deed(betting.actor, kind_of(action), betting)
        betting = betting.act(action)


def boards_of(view: View) -> list[tuple[int, ...]]:
    """The board in each round up to the present one."""
    return [view.board[:count] for count in view.rules.boards[: view.betting.round + 1]]


class HoldemPlayer(Agent):
    """Plays hold'em, limit or not, and raises `size` per cent of the pot where it may choose.

    `two_only`: for two players. It samples with `seed`, and decides within `seconds`.
    """

    two_only = False

    def __init__(self, size: float = 100.0, seed: int = 0, seconds: float = SECONDS, name: str = "") -> None:
        PERCENT.check(size, "size", AgentError)
        SEED.check(seed, error=AgentError)
        WAIT.check(seconds, error=AgentError)
        self.size, self.seed, self.seconds = float(size), int(seed), float(seconds)
        self.name = name or type(self).name

    def must_play(self, rules: Rules) -> None:
        if not rules.holdem or (self.two_only and rules.players != 2):
            wanted = "hold'em for two" if self.two_only else "hold'em"
            raise AgentError(f"agent {self.title!r} plays {wanted}, not {rules.name or 'this game'}")

    def stream(self, view: View) -> np.ndarray:
        """A generator for kernels (`solvers.sampling.randomness`), of its seed and of all that the view tells."""
        told = f"{view.seat} {view.betting_text()} {view.cards_text()}"
        return np.random.SeedSequence([self.seed, crc32(told.encode())]).generate_state(4, np.uint64)

    def acted(self, view: View, triple: Triple) -> Distribution:
        """The distribution that a triple means: what is not legal is called."""
        assert view.legal is not None
        odds = {}
        if view.legal.fold and triple.fold > 0:
            odds[FOLD] = triple.fold
        if view.legal.raises and triple.bet > 0:
            odds[sized_raise(view, view.legal.raises, self.size)] = triple.bet
        called = 1.0 - sum(odds.values())
        return {**odds, CALL: max(called, 0.0)} if called > 1e-12 else odds


class Clock:
    """The `seconds` of a decision, which run from `start` on."""

    def __init__(self, seconds: float) -> None:
        self.seconds, self.until = seconds, inf

    def start(self) -> None:
        self.until = perf_counter() + self.seconds

    @property
    def over(self) -> bool:
        return perf_counter() >= self.until


def in_time(total: int, piece: int, clock: Clock) -> Iterator[int]:
    """Pieces of `total` trials: the first, then as many as begin before the clock is over, all where there is time.

    It starts after the first, which may have to wait for kernels to be compiled: that must not change what is played.
    """
    yield min(piece, total)
    clock.start()
    for done in range(piece, total, piece):
        if clock.over:
            return
        yield min(piece, total - done)
