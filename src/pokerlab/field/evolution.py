"""Networks by evolution: Pareto co-evolution and a hall of fame (Rubin 2013, section 2.5).

    evolve("holdem-limit", "pareto", generations=40).save("mine.network")

Networks play each other; the better ones have children, whose weights are sums of their parents', biased at random,
with some noise. Better is, by `pareto`, who is dominated by fewest: one dominates another if it does at least as well
against every member of a reference group, and somewhere better. Nobody is judged by the mean, which goes round in
circles where strategies beat each other in turn. By `hall-of-fame` it is the mean rank by chips at tables with each
other and with the best of earlier generations, whom one should not forget how to beat. Noble's two populations are one
here, and its reference group the best of generations before; both are ours to choose, as are all sizes.
"""

# mypy: allow-untyped-defs

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pokerlab.bounds import DEALS, GENERATIONS, SEED
from pokerlab.cards.evaluator import evaluate
from pokerlab.cards.holes import hole_number
from pokerlab.cards.strength import hand_strength
from pokerlab.compiled import njit
from pokerlab.errors import AgentError
from pokerlab.field.betting_kernels import ACTOR, RAISED, ROUND, SPENT, highest_of, net, state_of, step, terms_of
from pokerlab.field.habits import ordering
from pokerlab.field.networks import INPUTS, Network, answered, fill_inputs, size_of
from pokerlab.field.player import CALLS, FOLDS, RAISES
from pokerlab.field.preflop_groups import share_of
from pokerlab.game.betting import start_betting
from pokerlab.game.catalog import rules_of
from pokerlab.game.rules import Rules
from pokerlab.progress import Bar
from pokerlab.solvers.sampling.randomness import uniform

METHODS = ("pareto", "hall-of-fame")
MEMBERS = 16
FAMOUS = 8  # of earlier generations
NOISE = 0.3  # of a child's weights, falling with the generations
TABLES = 24  # that each member sits at in a generation, by hall of fame


class Deals(NamedTuple):
    """Hands to be played: chances now and at the river [deals, seats, rounds], before the flop by number of opponents
    [deals, seats, opponents], and values at the showdown [deals, seats].
    """

    now: np.ndarray
    later: np.ndarray
    preflop: np.ndarray
    values: np.ndarray


def draw_deals(rules: Rules, count: int, rng: np.random.Generator) -> Deals:
    """So many random deals."""
    seats = rules.players
    now, later = np.zeros((count, seats, 4)), np.zeros((count, seats, 4))
    preflop, values = np.empty((count, seats, seats - 1)), np.empty((count, seats), np.int64)
    for deal in range(count):
        cards = rng.permutation(52)[: 2 * seats + 5].tolist()
        board = tuple(cards[-5:])
        for seat in range(seats):
            hole = min(cards[2 * seat : 2 * seat + 2]), max(cards[2 * seat : 2 * seat + 2])
            preflop[deal, seat] = [share_of(hole, others) for others in range(1, seats)]
            for round in range(1, 4):
                shown = board[: round + 2]
                now[deal, seat, round] = hand_strength(hole, shown)
                later[deal, seat, round] = ordering(shown)[1][hole_number(hole)]
            values[deal, seat] = evaluate([[*hole, *board]])[0]
    return Deals(now, later, preflop, values)


@njit(cache=True, nogil=True)
def play_deals(genomes, hidden, terms, start, deals, bet, rng):
    """[seats] chips that networks [seats, 2, n] win over deals; `bet` is what the pot is measured in."""
    players = len(terms.stacks)
    won, state, inputs = np.zeros(players), start.copy(), np.empty(len(INPUTS))
    for deal in range(len(deals.values)):
        state[:] = start
        while state[ACTOR] >= 0:
            seat, round = state[ACTOR], state[ROUND]
            pot, left, place, others = 0, 0, 0, 0
            for i in range(players):
                other = (terms.first[round] + i) % players
                pot += state[SPENT + other]
                if state[SPENT + players + other] == 0:
                    if other == seat:
                        place = left
                    else:
                        others += 1
                    left += 1
            chips = min(highest_of(state, players), terms.stacks[seat]) - state[SPENT + seat]
            now, later = deals.now[deal, seat, round], deals.later[deal, seat, round]
            if round == 0:
                now = later = deals.preflop[deal, seat, others - 1]
            fill_inputs(
                inputs,
                now,
                later,
                others,
                chips / (pot + chips),
                state[RAISED],
                round,
                chips > 0,
                pot / bet,
                place / others,
            )
            f, c, _ = answered(genomes[seat, 1 if round > 0 else 0], hidden, inputs)
            if chips == 0:
                f, c = 0.0, f + c
            u = uniform(rng)
            step(terms, state, FOLDS if u < f else CALLS if u < f + c else RAISES)
        for seat in range(players):
            won[seat] += net(state, players, deals.values[deal], seat)
    return won


def dominated(results: np.ndarray) -> np.ndarray:
    """[members] how many others dominate each: do at least as well against everybody [members, references], and
    somewhere better.
    """
    least = (results[:, None] >= results[None]).all(axis=2) & (results[:, None] > results[None]).any(axis=2)
    return least.sum(axis=0)


def child_of(mother: np.ndarray, father: np.ndarray, noise: float, rng: np.random.Generator) -> np.ndarray:
    """A biased sum of the parents' weights, and noise."""
    bias = rng.random()
    return bias * mother + (1 - bias) * father + noise * rng.standard_normal(mother.shape)


class _Arena:
    """Where networks meet: the game, and the deals of a generation."""

    def __init__(self, rules: Rules, hidden: int, size: float, rng: np.random.Generator) -> None:
        self.rules, self.hidden, self.rng = rules, hidden, rng
        self.terms, self.start = terms_of(rules, size), state_of(start_betting(rules))
        self.stream = rng.integers(0, 2**63, 4).astype(np.uint64)

    def played(self, genomes: Sequence[np.ndarray], deals: Deals) -> np.ndarray:
        """Chips of each network a deal, in every seat: as many turns as there are seats."""
        seats, won = self.rules.players, np.zeros(self.rules.players)
        for turn in range(seats):
            order = [(seat + turn) % seats for seat in range(seats)]
            seated = np.stack([genomes[who] for who in order])
            won[order] += play_deals(
                seated, self.hidden, self.terms, self.start, deals, self.rules.small_bet, self.stream
            )
        return won / seats / len(deals.values)


def evolve(
    game: str | Rules,
    method: str = "pareto",
    *,
    generations: int = 40,
    deals: int = 200,
    hidden: int = 10,
    size: float = 100.0,
    seed: int = 0,
    progress: bool | None = None,
) -> Network:
    """The best network of the last generation; the same for a seed."""
    rules = rules_of(game)
    if not rules.holdem:
        raise AgentError(f"networks play hold'em, not {rules.name or 'this game'}")
    if method not in METHODS:
        raise AgentError(f"networks evolve by {' or '.join(METHODS)}, not {method!r}")
    GENERATIONS.check(generations, error=AgentError)
    DEALS.check(deals, "deals of a generation", AgentError)
    SEED.check(seed, error=AgentError)
    rng = np.random.default_rng(seed)
    arena = _Arena(rules, hidden, size, rng)
    members = [0.5 * rng.standard_normal((2, size_of(hidden))) for _ in range(MEMBERS)]
    famous = [0.5 * rng.standard_normal((2, size_of(hidden))) for _ in range(FAMOUS)]
    judged = _pareto if method == "pareto" else _by_rank
    with Bar(f"evolution by {method}", progress) as bar:
        for generation in range(generations):
            drawn = draw_deals(rules, deals, rng)
            order = judged(arena, members, famous, drawn)
            best = [members[number] for number in order[: MEMBERS // 2]]
            famous = [*famous[1:], best[0]]
            noise = NOISE * (1 - generation / generations)
            pairs = rng.integers(0, len(best), (MEMBERS - len(best), 2))
            members = [*best, *(child_of(best[a], best[b], noise, rng) for a, b in pairs)]
            bar.show((generation + 1) / generations, f"generation {generation + 1:,}")
    about = f"{method}, {generations} generations of {MEMBERS}, {deals} deals each, seed {seed}"
    return Network(rules, hidden, famous[-1], about)


def _pareto(arena: _Arena, members: list[np.ndarray], famous: list[np.ndarray], deals: Deals) -> np.ndarray:
    """Those dominated by fewest first; equals by their mean."""
    others = arena.rules.players - 2
    results = np.array([
        [arena.played([member, *[reference] * (1 + others)], deals)[0] for reference in famous] for member in members
    ])  # fmt: skip
    return np.lexsort((-results.mean(axis=1), dominated(results)))


def _by_rank(arena: _Arena, members: list[np.ndarray], famous: list[np.ndarray], deals: Deals) -> np.ndarray:
    """Those with the lowest mean rank at random tables first."""
    ranks, seats, pool = np.zeros(len(members)), arena.rules.players, [*members, *famous]
    for number in range(len(members)):
        for _ in range(TABLES // 2):
            others = arena.rng.choice([i for i in range(len(pool)) if i != number], seats - 1, replace=False)
            won = arena.played([members[number], *(pool[other] for other in others)], deals)
            ranks[number] += 1 + (won > won[0]).sum()
    return np.argsort(ranks, kind="stable")
