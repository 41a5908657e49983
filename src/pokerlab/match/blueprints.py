"""Two blueprints of one betting, each with cards of its own: what they win from each other, and hands that they play.

    expected_match(expert, imitator, deals=20_000).mean

All that the two may do on a deal counts with its probability, and every deal is played in both seats; only cards are
drawn. So no dice are left, and of the luck of the cards what the seats do not cancel. `drawn_hands` plays single hands
as at a table, many thousands a second, for logs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from pokerlab.abstraction.bets import parse_bets
from pokerlab.agents.blueprint import Blueprint
from pokerlab.agents.blueprint_kernels import play_out
from pokerlab.agents.response import walk_of
from pokerlab.bounds import DEALS, HANDS, SEED
from pokerlab.cards.any_deck import among_52
from pokerlab.cards.evaluator import tables
from pokerlab.errors import PokerlabError
from pokerlab.game.betting import Betting, start_betting
from pokerlab.game.hand import Hand
from pokerlab.game.rules import Rules
from pokerlab.match.kernels import draw_lines
from pokerlab.match.result import MatchResult
from pokerlab.progress import Bar
from pokerlab.solvers.sampling.betting_graph import BettingGraph
from pokerlab.solvers.sampling.holdem import showdowns, shuffle
from pokerlab.solvers.sampling.randomness import streams
from pokerlab.threads import spread

CHUNK = 1024  # deals at once; part of what a seed means


class Seating:
    """Two blueprints in two seats: one betting graph in which each seat has its own buckets, and what both do."""

    def __init__(self, seated: tuple[Blueprint, Blueprint]) -> None:
        first = seated[0]
        self.seated = seated
        buckets = [blueprint.graph.buckets[seat] for seat, blueprint in enumerate(seated)]
        self.graph = BettingGraph(first.rules, buckets, parse_bets(first.bets, first.rules))
        self.strategy: np.ndarray = np.zeros(self.graph.cells // 2, np.uint8)
        graphs = [blueprint.graph for blueprint in seated]
        stack = [(0, 0, (0, 0))]
        while stack:  # nodes are the same in all three graphs, and only where rows begin is not
            node, base, theirs = stack.pop()
            seat = int(self.graph.arrays.actor[node])
            if seat < 0:
                continue
            size, at = len(self.graph.actions[node]) * buckets[seat][self.graph.states[node].round], theirs[seat] // 2
            self.strategy[base // 2 : base // 2 + size] = seated[seat].strategy[at : at + size]
            first_edge = int(self.graph.arrays.first[node])
            for edge in range(first_edge, first_edge + len(self.graph.actions[node])):
                after = theirs[0] + int(graphs[0].arrays.skip[edge]), theirs[1] + int(graphs[1].arrays.skip[edge])
                stack.append((int(self.graph.arrays.child[edge]), base + int(self.graph.arrays.skip[edge]), after))

    @cached_property
    def pair(self) -> np.ndarray:
        """As `play_out` has it: what a seat plays, and what the other."""
        return np.stack([self.strategy, self.strategy])


def _must_meet(first: Blueprint, second: Blueprint) -> Rules:
    """The rules of both; refuses those who do not play one betting."""
    for what, one, other in (("games", first.rules, second.rules), ("bets", first.bets, second.bets)):
        if one != other:
            raise PokerlabError(f"blueprints of different {what} cannot be played against each other all at once")
    if first.rules.players != 2 or (first.memory, second.memory) != ("hand", "hand"):
        raise PokerlabError("two blueprints of a game for two are needed that remember the betting of the whole hand")
    return first.rules


class Dealer:
    """Deals by the chunk, with the buckets that both blueprints see in both seats."""

    def __init__(self, first: Blueprint, second: Blueprint, seed: int) -> None:
        self.rng, self.blueprints = streams(seed, 3), (first, second)

    def deal(self, count: int) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        """Cards [deals, 4 and the board's], codes of showdowns, and the buckets of either seating."""
        rules = self.blueprints[0].rules
        cards, codes = np.empty((count, 4 + sum(rules.board_cards)), np.uint8), np.empty(count, np.int32)
        shuffle(self.rng[0], len(rules.deck), cards)
        showdowns(tables(), among_52(rules.deck)[cards], 2, codes)
        first, second = (blueprint.cards.deal_buckets(cards, 2) for blueprint in self.blueprints)
        swapped = np.stack([second[:, 0], first[:, 1]], axis=1)
        return cards, codes, [np.stack([first[:, 0], second[:, 1]], axis=1), swapped]


def expected_match(
    first: Blueprint, second: Blueprint, deals: int, *, seed: int = 0, progress: bool | None = None
) -> MatchResult:
    """What two blueprints win from each other on so many deals, each in both seats, all betting counted."""
    mean = expected_winnings(first, second, deals, seed=seed, progress=progress).mean(axis=0)
    names = [str(each.about.get("recipe", "blueprint")) for each in (first, second)]
    return MatchResult.of(first.rules, names, np.stack([mean, -mean], axis=1), 2, seed)


def expected_winnings(
    first: Blueprint, second: Blueprint, deals: int, *, seed: int = 0, progress: bool | None = None
) -> np.ndarray:
    """[2, deals] what the first wins in either seat, in chips; the deals are the same for a seed, whoever plays."""
    _must_meet(first, second)
    DEALS.check(deals)
    SEED.check(seed)
    seatings = [Seating((first, second)), Seating((second, first))]
    works = [walk_of(seating.graph) for seating in seatings]
    dealer, nothing = Dealer(first, second, seed), np.zeros((0, 2))
    won: np.ndarray = np.empty((2, deals))
    with Bar("two blueprints", progress) as bar:
        for at in range(0, deals, CHUNK):
            last = min(at + CHUNK, deals)
            _, codes, buckets = dealer.deal(last - at)

            tasks = [
                (seating.graph.arrays, seating.pair, seat, buckets[seat], codes, works[seat], won[seat, at:last],
                 nothing, 0.0, 0.0, dealer.rng[1 + seat])
                for seat, seating in enumerate(seatings)
            ]  # fmt: skip
            spread(lambda task: play_out(*task), tasks)
            bar.show(last / deals, f"{last:,} deals")
    return won


def drawn_hands(
    first: Blueprint, second: Blueprint, hands: int, *, seed: int = 0, names: tuple[str, str] = ("", "")
) -> Iterator[Hand]:
    """Hands that two blueprints play, their actions drawn; who sits first changes from hand to hand."""
    rules = _must_meet(first, second)
    HANDS.check(hands)
    SEED.check(seed)
    seatings, dealer = [Seating((first, second)), Seating((second, first))], Dealer(first, second, seed)
    graph, named = seatings[0].graph, (names, names[::-1])
    for at in range(0, hands, CHUNK):
        cards, _, buckets = dealer.deal(CHUNK)
        lines, lengths = np.empty((CHUNK, graph.depth), np.int8), np.empty(CHUNK, np.int64)
        for seat, seating in enumerate(seatings):
            draw_lines(seating.graph.arrays, seating.strategy, buckets[seat], seat, dealer.rng[1], lines, lengths)
        for number in range(min(CHUNK, hands - at)):
            line = _line(graph, tuple(lines[number, : lengths[number]].tolist()))
            dealt = tuple(cards[number].tolist())
            yield Hand(
                rules, (dealt[:2], dealt[2:4]), dealt[4 : 4 + line.shown], line.actions, line.ends, line.betting,
                named[number % 2],
            )  # fmt: skip


class _Line(NamedTuple):
    """A line of betting to its end: actions, ends of rounds, the last state, and how many cards the board has then."""

    actions: tuple[int, ...]
    ends: tuple[int, ...]
    betting: Betting
    shown: int


@lru_cache(maxsize=100_000)
def _line(graph: BettingGraph, choices: tuple[int, ...]) -> _Line:
    """The line whose actions have these numbers."""
    betting, node = start_betting(graph.rules), 0
    actions: list[int] = []
    ends: list[int] = []
    for choice in choices:
        actions.append(graph.actions[node][choice])
        after = betting.act(actions[-1])
        ends += [len(actions)] * (after.round - betting.round)
        node, betting = int(graph.arrays.child[graph.arrays.first[node] + choice]), after
    return _Line(tuple(actions), tuple(ends), betting, sum(graph.rules.board_cards[: betting.round + 1]))
