"""Estimates of what a hand was worth that leave out luck, and stay unbiased: the common frame.

An estimator maps a finished hand, all cards known, to chips per seat. All here are advantage sums (Zinkevich, Bowling,
Bard, Kan and Billings 2006): with any value function V on hands,

    estimate = payoff - sum over deals of (V(after the deal) - E[V(after the deal)]),                        (1)

where the expectation is over the cards that might have come instead. Given what happened before, each term has mean
zero whatever V is and whoever plays, so that the estimate has the mean of the payoff. The better V foretells the
payoff, the less luck is left. V must see the record up to the deal only.

- `all_in_equity`: the cards after the last decision only.
- `mivat`: all deals, with a V of your choice (White and Bowling 2009: one fitted to hands, see `cross_fitted`).
- `divat`, `showdown_divat` in `divat.py`: V from a baseline way of betting.
- `Aivat` in `aivat.py`: also corrects the decisions of players whose strategies are known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from pokerlab.cards.equity import showdown_equity
from pokerlab.errors import CardError, PokerlabError
from pokerlab.game.betting import Betting
from pokerlab.game.hand import Cards, Hand, deal_random, new_hand

Chips = tuple[float, ...]  # net, one a seat
Estimator = Callable[[Hand], Chips]

MOST_DEALS = 1500  # that an expectation enumerates: all but the flop and hold'em's hole cards
SAMPLES = 32


def money(hand: Hand) -> Chips:
    """The payoff itself: what every estimator is measured against."""
    return hand.payoffs()


def events(hand: Hand) -> Iterator[tuple[Hand, Hand]]:
    """The hand before and after each of its deals and actions, from the start."""
    if not hand.holes or not all(hand.holes):
        raise CardError("an estimate needs everybody's cards; this hand has some unknown")
    now, acted = new_hand(hand.rules), 0
    while not now.finished:
        before = now
        if not now.holes:
            now = now._replace(holes=hand.holes)
        elif pending := now.pending:
            now = now.dealt(hand.board[len(now.board) : len(now.board) + pending])
        else:
            now = now.act(hand.actions[acted])
            acted += 1
        yield before, now


def pot_share(hand: Hand, betting: Betting | None = None) -> Chips:
    """What each seat would net on average if nobody put in another chip: pot by pot, by equity.

    Exact over all boards that may still come; of a finished hand, the payoff. Before the deal all are equal.
    `betting` stands in for that of the hand.
    """
    betting = hand.betting if betting is None else betting
    spent, folded = betting.spent, betting.folded
    net, paid = [0.0] * len(spent), 0
    for level in sorted(set(spent)):
        size = level - paid
        inside = [seat for seat, chips in enumerate(spent) if chips >= level]
        contenders = tuple(seat for seat in inside if not folded[seat])
        shares = dict(zip(contenders, equity(hand, contenders), strict=True))
        for seat in inside:
            net[seat] += size * (len(inside) * shares.get(seat, 0.0) - 1)
        paid = level
    return tuple(net)


def equity(hand: Hand, seats: tuple[int, ...]) -> tuple[float, ...]:
    """The expected share of each of these seats in a pot that is theirs alone, over the boards to come."""
    if len(seats) == 1 or not hand.holes:
        return (1 / len(seats),) * len(seats)
    rules = hand.rules
    dead = tuple(card for seat, hole in enumerate(hand.holes) if seat not in seats for card in hole)
    return showdown_equity(
        [hand.holes[seat] for seat in seats], hand.board, sum(rules.board_cards),
        deck=rules.deck, ranking=rules.ranking, dead=dead,
    )  # fmt: skip


@dataclass(frozen=True)
class Value:
    """A value function: `of(hand)` says what a hand that has just been dealt cards is worth to each seat.

    `expected(hand)`, of a hand with cards pending, must be the mean of `of` over all deals; without it the mean is
    enumerated or, where there are more than `MOST_DEALS`, estimated from samples.
    """

    of: Callable[[Hand], Chips]
    expected: Callable[[Hand], Chips] | None = None


# Equity is its own expectation before the cards come, so that nothing needs to be enumerated.
POT_SHARE = Value(pot_share, pot_share)


def expectation(value: Value, hand: Hand, rng: np.random.Generator | None = None, samples: int = SAMPLES) -> np.ndarray:
    """E[V(after the deal)] in (1), per seat.

    Where it takes samples it is the mean over `samples` deals drawn independently of the real one: an estimate of the
    expectation without bias, so that (1) has none either, and a little more variance.
    """
    if value.expected is not None:
        return np.array(value.expected(hand))
    if count_deals(hand) <= MOST_DEALS:
        return _enumerated(value, hand)
    if rng is None:
        raise PokerlabError(f"{count_deals(hand):,} deals are too many to enumerate: pass an rng to sample them")
    return np.mean([value.of(deal_random(hand, rng)) for _ in range(samples)], axis=0)


@lru_cache(maxsize=10_000)
def _enumerated(value: Value, hand: Hand) -> np.ndarray:
    # Remembered: in a small game all hands begin with the same deal.
    return np.mean([value.of(hand.dealt(cards)) for cards in all_deals(hand)], axis=0)


def count_deals(hand: Hand) -> int:
    """In how many ways the pending cards may come, order aside."""
    rules, left = hand.rules, len(hand.rules.deck) - len(hand.board) - sum(map(len, hand.holes))
    if hand.holes:
        return comb(left, hand.pending)
    count = 1
    for seat in range(rules.players):
        count *= comb(left - seat * rules.hole_cards, rules.hole_cards)
    return count


def all_deals(hand: Hand) -> Iterator[Cards]:
    """All of them, each as likely; hole cards seat by seat."""
    seen = set(hand.board).union(*hand.holes)
    live = [card for card in range(len(hand.rules.deck)) if card not in seen]
    groups = [hand.pending] if hand.holes else [hand.rules.hole_cards] * hand.rules.players

    def deal(live: list[int], at: int) -> Iterator[Cards]:
        if at == len(groups):
            yield ()
            return
        for cards in combinations(live, groups[at]):
            for more in deal([card for card in live if card not in cards], at + 1):
                yield cards + more

    return deal(live, 0)


def luck(
    hand: Hand, value: Value = POT_SHARE, rng: np.random.Generator | None = None, samples: int = SAMPLES
) -> np.ndarray:
    """The terms of (1): V(after) - E[V(after)], a row a deal and a column a seat.

    Row 0 is the hole cards, row 1 + r the board of round r, the last the cards that come when nobody can bet any more.
    In those the pot share takes the place of V: it is exact there.
    """
    terms = np.zeros((hand.rules.rounds + 2, hand.rules.players))
    for before, after in events(hand):
        if not before.pending:
            continue
        if before.betting.finished:
            terms[-1] = np.subtract(pot_share(after), pot_share(before))
        else:
            row = 1 + before.betting.round if before.holes else 0
            terms[row] = value.of(after) - expectation(value, before, rng, samples)
    return terms


def all_in_equity(hand: Hand) -> Chips:
    """Money, unless cards came after the last decision: then its expectation over these cards.

    The conditional mean of the payoff given all decisions, hence unbiased, and of no larger variance. It is (1) for
    the last deal only. Cards of those who folded may be unknown; then they are taken for any cards, and the estimate
    is a little off, because they were folded for a reason.
    """
    if not hand.betting.showdown:
        return hand.payoffs()
    last = sum(end < len(hand.actions) for end in hand.ends)  # the round of the last action
    return pot_share(hand._replace(board=hand.board[: sum(hand.rules.board_cards[: last + 1])]))


def mivat(
    hand: Hand,
    value: Value = POT_SHARE,
    weights: np.ndarray | None = None,
    rng: np.random.Generator | None = None,
    samples: int = SAMPLES,
) -> Chips:
    """Equation (1). `weights`, one a row of `luck`, scale its terms: fit them to other hands than these."""
    terms = luck(hand, value, rng, samples)
    return tuple((hand.payoffs() - (terms.sum(axis=0) if weights is None else weights @ terms)).tolist())


def fit_weights(terms: np.ndarray, payoffs: np.ndarray) -> np.ndarray:
    """The weights that leave the least variance: MIVAT's closed form, least squares.

    `terms[h]` are one seat's terms of hand h (a column of `luck`), `payoffs[h]` what the seat won. The last term is
    exact and keeps the weight 1: to fit it too would only add noise where all-ins are rare.
    """
    rest, free = payoffs - terms[:, -1], terms[:, :-1]
    fitted = np.linalg.lstsq(free - free.mean(axis=0), rest - rest.mean(), rcond=None)[0]
    return np.append(fitted, 1.0)


def cross_fitted(terms: np.ndarray, payoffs: np.ndarray, folds: int = 10) -> np.ndarray:
    """Estimates of each hand with weights fitted to the other folds: no hand helps to choose its own weights, so
    that each estimate is unbiased."""
    estimates = np.empty(len(payoffs))
    fold = np.arange(len(payoffs)) % folds
    for f in range(folds):
        here = fold == f
        estimates[here] = payoffs[here] - terms[here] @ fit_weights(terms[~here], payoffs[~here])
    return estimates
