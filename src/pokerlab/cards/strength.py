"""How good a hand is, in one number: exact, by enumeration. The metrics of Rubin (2013), sections 2.1.2 and 2.3.4.

    hand_strength            IHR, equation (2.1): the part of all hands that it beats now, ties half
    immediate_strength       IHS: the same against a range
    potential                PPot and NPot of Billings et al. (1998): to get ahead from behind, and the other way round
    effective_strength       EHS, equation (2.2): IHS + (1 - IHS) * PPot
    expected_strength        E[HS], also called 7cHS: the mean of the strength on the river
    expected_square          E[HS^2], the mean of its square, which favours hands with potential
    strength_histogram       how the strength on the river is distributed
    all_strengths            all of these for all 1,326 hands of a board at once

Opponents hold any hand unless a range is given. Against a range, boards count by the weight of the hands that they
leave it, so that expected_strength is the equity.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from pokerlab.cards import equity_kernels, preflop
from pokerlab.cards import strength_kernels as kernels
from pokerlab.cards.deck import Deck
from pokerlab.cards.equity import (
    STANDARD,
    Cards,
    Hands,
    check_cards,
    compiled,
    hand_equity,
    hand_on_boards,
    in_52,
    live_cards,
    pot_shares,
)
from pokerlab.cards.evaluator import board_values, tables
from pokerlab.cards.holes import COUNT, HOLES, hole_number, possible
from pokerlab.cards.ranges import Range, as_range
from pokerlab.cards.runouts import as_board, as_cards, over_boards, runouts, symmetries, symmetrised
from pokerlab.cards.showdown_kernels import range_showdowns
from pokerlab.errors import CardError, RangeError

AHEAD, TIED, BEHIND = range(3)
MOST = 1980  # strengths on the river are multiples of 1 / 1980: twice the hands beaten, of 990, and those tied


@lru_cache(maxsize=200_000)
def hand_strength(hole: Cards, board: Cards, deck: Deck = STANDARD, ranking: str = "poker", dead: Cards = ()) -> float:
    """Immediate hand rank (IHR): (hands beaten + hands tied / 2) / all hands the others may hold, on this board.

    For any deck and ranking, and boards of any size.
    """
    wins, ties, losses = hand_record(hole, board, deck, ranking, dead)
    return (wins + ties / 2) / (wins + ties + losses)


def hand_record(
    hole: Cards, board: Cards, deck: Deck = STANDARD, ranking: str = "poker", dead: Cards = ()
) -> tuple[int, int, int]:
    """How many of the hands that another may hold a hand beats, ties and loses to, on this board."""
    check_cards(deck, (hole,), board, len(board), dead)
    live = live_cards(deck, hole, board, dead)
    if len(live) < len(hole):
        raise CardError(f"{len(live)} cards are left: nobody else can hold {len(hole)}")
    if compiled(deck, ranking, len(hole) + len(board)):
        own, shown, rest = in_52(deck, hole), in_52(deck, board), in_52(deck, live)
        wins, ties, total = equity_kernels.beaten(tables(), own, shown, rest)
        return wins, ties, total - wins - ties
    shares = [float(pot_shares((hole, other), board, deck, ranking)[0]) for other in combinations(live, len(hole))]
    return shares.count(1.0), shares.count(0.5), shares.count(0.0)


def immediate_strength(hole: str | Cards, board: str | Cards, theirs: Hands = "random") -> float:
    """Immediate hand strength (IHS): the weight of a range that a hand beats on this board, ties half, of all of it."""
    own, now, weights = _now(hole, board, theirs)
    value = now[own]
    return float((weights[now < value].sum() + weights[now == value].sum() / 2) / weights.sum())


def _now(hole: str | Cards, board: str | Cards, theirs: Hands) -> tuple[int, np.ndarray, np.ndarray]:
    """A hand's number, the values of all hands on the board, and the weights that hand and board leave a range."""
    cards = as_cards(hole)
    number = hole_number(cards)
    shown = as_board(board, cards, sizes=(3, 4, 5))
    weights = as_range(theirs).weights * possible(cards + shown)
    if not weights.any():
        raise RangeError("their range has no hand that the cards on the table leave possible")
    return number, board_values(shown), weights


@dataclass(frozen=True)
class Potential:
    """Who is ahead now and who later, over opposing hands and cards to come (Billings et al. 1998)."""

    table: np.ndarray  # [3, 3] weights: rows ahead, tied, behind now; columns the same later. [1326, 3, 3] of all hands

    @property
    def positive(self) -> np.ndarray:
        """PPot: the chance to get ahead from behind; from or to a tie counts half. 0 if never behind or tied."""
        return self._moved(BEHIND, AHEAD)

    @property
    def negative(self) -> np.ndarray:
        """NPot: the chance to fall behind from ahead; from or to a tie counts half. 0 if never ahead or tied."""
        return self._moved(AHEAD, BEHIND)

    def _moved(self, start: int, end: int) -> np.ndarray:
        table = self.table
        moved = table[..., start, end] + table[..., start, TIED] / 2 + table[..., TIED, end] / 2
        whole = table[..., start, :].sum(axis=-1) + table[..., TIED, :].sum(axis=-1) / 2
        return moved / np.where(whole > 0, whole, 1.0)


def potential(
    hole: str | Cards, board: str | Cards, theirs: Hands = "random", *, cards: int | None = None
) -> Potential:
    """PPot and NPot on the flop or turn, looking one or two `cards` ahead (by default to the river)."""
    own = as_cards(hole)
    shown = as_board(board, own, sizes=(3, 4))
    number, now, weights = _now(own, shown, theirs)
    todo = runouts(shown, _later(shown, cards), symmetries([own, shown], [weights]), own)
    return Potential(kernels.hand_potential(tables(), now, todo.boards, todo.counts, HOLES, number, weights))


def effective_strength(
    hole: str | Cards, board: str | Cards, theirs: Hands = "random", *, cards: int | None = None, negative: bool = False
) -> float:
    """Effective hand strength (EHS): IHS + (1 - IHS) * PPot, equation (2.2) of the thesis.

    With `negative` also what may be lost, IHS * (1 - NPot) + (1 - IHS) * PPot: the other form of Billings et al. On the
    river it is IHS.
    """
    now = immediate_strength(hole, board, theirs)
    if len(as_cards(board)) == 5:
        return now
    later = potential(hole, board, theirs, cards=cards)
    return float(now * (1 - later.negative if negative else 1.0) + (1 - now) * later.positive)


def expected_strength(hole: str | Cards, board: str | Cards = (), theirs: Hands = "random") -> float:
    """E[HS], 7cHS: the mean strength on the river, which is the equity. Before the flop against any hand: a table."""
    own = as_cards(hole)
    if not as_board(board, own) and as_range(theirs) == Range.random():
        return preflop.preflop_equity(own)
    return hand_equity(own, theirs, board)


def expected_square(hole: str | Cards, board: str | Cards = (), theirs: Hands = "random") -> float:
    """E[HS^2]: the mean squared strength on the river. Before the flop against any hand: a table."""
    own = as_cards(hole)
    if not as_board(board, own) and as_range(theirs) == Range.random():
        return preflop.preflop_square(own)
    strengths, masses = river_strengths(own, board, theirs)
    return float(masses @ strengths**2)


def river_strengths(hole: str | Cards, board: str | Cards, theirs: Hands = "random") -> tuple[np.ndarray, np.ndarray]:
    """A hand's strength on the river on every board to come, and the probabilities of these boards.

    Boards that differ by suits that may be renamed are there once. A board on which the range has no hand has none.
    """
    weights, counts = hand_on_boards(hole, theirs, board)
    masses = counts * weights[:, 2]
    left = masses > 0
    weights, masses = weights[left], masses[left]
    return (weights[:, 0] + weights[:, 1]) / 2 / weights[:, 2], masses / masses.sum()


Bins = int | Sequence[float]


def strength_histogram(hole: str | Cards, board: str | Cards, bins: Bins = 50) -> np.ndarray:
    """How a hand's strength on the river is distributed over `bins`: a number of equal ones, or their edges.

    Opponents hold any hand. A strength on an edge is in the bin above it; the last bin has both its edges.
    """
    own = as_cards(hole)
    shown = as_board(board, own)
    if not shown:
        return all_histograms(shown, bins)[hole_number(own)]
    strengths, masses = river_strengths(own, shown)
    bin_of, count = _bins(bins)
    return np.bincount(bin_of[np.rint(strengths * MOST).astype(int)], masses, count)


def _bins(bins: Bins) -> tuple[np.ndarray, int]:
    """The bin of each strength 0 to 1,980, and how many bins there are."""
    steps = np.arange(MOST + 1)
    if isinstance(bins, int):
        if bins < 1:
            raise CardError(f"a histogram has at least one bin, not {bins}")
        return np.minimum(steps * bins // MOST, bins - 1), bins
    edges = np.asarray(bins, dtype=np.float64)
    if edges.ndim != 1 or len(edges) < 2 or edges[0] > 0 or edges[-1] < 1 or not (np.diff(edges) > 0).all():
        raise CardError("the edges of bins go up from 0 to 1")
    return np.clip(np.searchsorted(edges, steps / MOST, side="right") - 1, 0, len(edges) - 2), len(edges) - 1


@dataclass(frozen=True)
class Strengths:
    """Strengths of the 1,326 hands, in the order of `holes.HOLES`; nan where a card is on the board."""

    now: np.ndarray  # IHR
    positive: np.ndarray  # PPot
    negative: np.ndarray  # NPot
    effective: np.ndarray  # EHS
    expected: np.ndarray  # E[HS]
    square: np.ndarray  # E[HS^2]


def all_strengths(board: str | Cards) -> Strengths:
    """The strengths of all hands on a flop, turn or river, against any hand: 0.3 s on the flop, most for potential."""
    shown = as_board(board, sizes=(3, 4, 5))
    one, any_hand = np.array([shown], np.uint8), np.ones(COUNT)
    (beaten, matched), _ = range_showdowns(tables(), one, np.ones(1), HOLES, any_hand, any_hand)
    now = (beaten + matched) / 2 / comb(50 - len(shown), 2)
    later = all_potentials(shown)
    mean, square = all_expected(shown)
    gone = np.where(possible(shown), 0.0, np.nan)
    positive, negative = later.positive + gone, later.negative + gone
    return Strengths(now + gone, positive, negative, now + (1 - now) * positive, mean, square)


def all_expected(board: str | Cards = (), *, progress: bool | None = None) -> tuple[np.ndarray, np.ndarray]:
    """E[HS] and E[HS^2] of all 1,326 hands; nan where a card is on the board.

    20 ms on the flop, 2 s before it. `sweep.strength_moments` has those of all boards.
    """
    shown = as_board(board)
    sums, squares, _ = _river_sums(shown, np.zeros(MOST + 1, np.int64), 0, progress)
    boards = comb(50 - len(shown), 5 - len(shown)) / np.where(possible(shown), 1.0, np.nan)
    return sums / MOST / boards, squares / MOST**2 / boards


def all_histograms(board: str | Cards = (), bins: Bins = 50, *, progress: bool | None = None) -> np.ndarray:
    """`strength_histogram` of all hands: (1326, bins); nan where a card is on the board."""
    shown = as_board(board)
    _, _, histograms = _river_sums(shown, *_bins(bins), progress)
    boards = comb(50 - len(shown), 5 - len(shown)) / np.where(possible(shown), 1.0, np.nan)
    return histograms / boards[:, None]


def all_potentials(board: str | Cards, *, cards: int | None = None) -> Potential:
    """`potential` of all hands, against any hand; on the river nothing moves."""
    shown = as_board(board, sizes=(3, 4, 5))
    todo = runouts(shown, _later(shown, cards), symmetries([shown]))
    ready, now = tables(), board_values(shown)
    parts = over_boards(
        lambda boards, counts: kernels.all_potentials(ready, now, boards, counts, HOLES), todo, "potential", chunk=128
    )
    weights = symmetrised(np.moveaxis(sum(parts), 0, -1), todo.suits)
    return Potential(np.moveaxis(weights, -1, 0))


def _later(shown: Cards, cards: int | None) -> int:
    """The size of the board after `cards` more, or at the river."""
    if cards is None:
        return 5
    if not 1 <= cards <= 5 - len(shown):
        raise CardError(f"a board of {len(shown)} cards has no {cards} to come: it has five in the end")
    return len(shown) + cards


def _river_sums(
    shown: Cards, bin_of: np.ndarray, bins: int, progress: bool | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sums over all boards of strengths (0 to 1,980), of their squares, and of how many are in each bin."""
    ready, todo = tables(), runouts(shown, 5, symmetries([shown]))
    parts = over_boards(
        lambda boards, counts: kernels.river_sums(ready, boards, counts, HOLES, bin_of, bins),
        todo, "strengths", progress,
    )  # fmt: skip
    sums, squares, histograms = (sum(part[i] for part in parts) for i in range(3))
    return (
        symmetrised(sums, todo.suits),
        symmetrised(squares, todo.suits),
        symmetrised(histograms.T, todo.suits).T,
    )
