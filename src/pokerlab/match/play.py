"""Matches: seeded hands between agents, once or in duplicate, with honest intervals.

In a duplicate match the same deals are played once for every assignment of agents to seats, memories wiped in
between, so that luck in the deal cancels (thesis of Rubin 2013, section 1.2.2). The unit of statistics is then the
deal, averaged over the assignments.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations

import numpy as np

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import asked
from pokerlab.bounds import HANDS, SEED
from pokerlab.errors import AgentFailed, PokerlabError
from pokerlab.game.hand import Hand
from pokerlab.game.rules import Rules
from pokerlab.match.loop import Table
from pokerlab.match.result import MatchResult
from pokerlab.processes import must_fit
from pokerlab.progress import Bar

_LOOK_EVERY = 0.2  # seconds between two looks at the standing
_MOST_SEATINGS = 5040  # of seven players
_BLOCK = 512  # hands dealt at once; part of what a seed means

Watcher = Callable[[int, int, Hand, Sequence[int]], None]  # deal number, assignment, hand, agent in each seat
Score = Callable[[Hand, Sequence[Agent]], Sequence[float]]  # what a hand was worth to each seat, and who sat there


def by_hand(estimator: Callable[[Hand], Sequence[float]]) -> Score:
    """The score of an estimator that need not know who played."""
    return lambda hand, seated: estimator(hand)


def deals(rules: Rules, seed: int, count: int, start: int = 0) -> Iterator[tuple[int, ...]]:
    """The cards of deals number `start` on: hole cards seat by seat, then the board. The same for a seed, always."""
    needed = rules.players * rules.hole_cards + sum(rules.board_cards)
    for block in range(start // _BLOCK, (start + count - 1) // _BLOCK + 1 if count else 0):
        rng = np.random.default_rng([seed, block])
        order = rng.random((_BLOCK, len(rules.deck))).argsort(axis=1)[:, :needed].tolist()
        first = block * _BLOCK
        for cards in order[max(0, start - first) : start + count - first]:
            yield tuple(cards)


def assignments(players: int, duplicate: bool) -> list[tuple[int, ...]]:
    """Which agent sits in each seat, for every pass over the deals."""
    if duplicate and math.factorial(players) > _MOST_SEATINGS:
        raise PokerlabError(
            f"{players} players can sit in {math.factorial(players):,} ways, and {_MOST_SEATINGS:,} are the most that "
            "duplicate matches play: play without --duplicate"
        )
    return list(permutations(range(players))) if duplicate else [tuple(range(players))]


def play_hand(rules: Rules, seated: Sequence[Agent], cards: Sequence[int], rng: random.Random) -> Hand:
    """One hand between agents in seat order, with these cards."""
    table = Table(rules, cards, seated, rng)
    table.advance()
    return table.hand


def play_match(
    rules: Rules,
    agents: Sequence[Agent],
    hands: int,
    *,
    duplicate: bool = False,
    seed: int = 0,
    start: int = 0,
    names: Sequence[str] | None = None,
    watch: Watcher | None = None,
    score: Score | None = None,
    progress: bool | None = None,
) -> MatchResult:
    """Play `hands` deals from number `start` on (in duplicate: each in every assignment of seats) and score them.

    Seats rotate from hand to hand, as in the competition. `names` are by default the agents' own. `watch` sees every
    finished hand. `score` says what a hand was worth to each seat: money (None), `by_hand` of an estimator of
    `variance.py`, or `aivat_holdem`. Ctrl-C ends the match; the deals that were played in every assignment count.
    `progress` None shows a bar for longer matches at a terminal, and lines elsewhere.
    """
    if len(agents) != rules.players:
        raise PokerlabError(f"{rules.name or 'the game'} is for {rules.players} players, got {len(agents)} agents")
    HANDS.check(hands)
    SEED.check(seed)
    names = [agent.name for agent in agents] if names is None else names
    score = by_hand(Hand.payoffs) if score is None else score
    passes = assignments(rules.players, duplicate)
    must_fit(8 * len(passes) * hands * (rules.players + 1), f"a match of {hands:,} hands", "play fewer hands")
    winnings = np.zeros((len(passes), hands, rules.players))
    complete = number = 0
    shown = False if any(agent.talks for agent in agents) else progress
    with Bar(f"{rules.name}, {' against '.join(names)}", shown) as bar:
        try:
            for number, seating in enumerate(passes):
                complete, look = 0, time.perf_counter() + _LOOK_EVERY
                rng = random.Random(int(np.random.default_rng([seed, number, start, 1]).integers(2**63)))
                turns = [
                    (seats, [agents[who] for who in seats], tuple(names[who] for who in seats))
                    for seats in (seating[turn:] + seating[:turn] for turn in range(rules.players))
                ]
                for agent in agents:
                    asked(agent, agent.reset)
                for cards in deals(rules, seed, hands, start):
                    seats, seated, named = turns[(start + complete) % rules.players]
                    table = Table(rules, cards, seated, rng, named)
                    table.advance()
                    for who, chips in zip(seats, score(table.hand, seated), strict=True):
                        winnings[number, complete, who] = chips
                    table.tell()
                    if watch is not None:
                        watch(start + complete, number, table.hand, seats)
                    complete += 1
                    if time.perf_counter() >= look:
                        look = time.perf_counter() + _LOOK_EVERY
                        done = number * hands + complete
                        so_far = MatchResult.of(rules, names, winnings[number, :complete], 1, seed)
                        bar.show(done / (hands * len(passes)), f"{done:,} hands, {so_far.standing()}")
        except AgentFailed as error:
            raise error.during(f"hand {start + complete}") from error
        except KeyboardInterrupt:
            if number + 1 < len(passes) or not complete:
                raise
    scores = winnings[:, :complete].mean(axis=0)
    return MatchResult.of(rules, names, scores, len(passes), seed)
