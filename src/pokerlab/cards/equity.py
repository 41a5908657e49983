"""Expected shares of the pot at showdown, exact by enumeration, and hand strength against a random hand.

deck = Deck()
showdown_equity([deck.cards("AcAd"), deck.cards("KhKs")], (), 5)        (0.8126, 0.1874)
hand_strength(deck.cards("AcAd"), deck.cards("Kh7s2d"))                  immediate hand rank, IHR
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np

from pokerlab.cards import equity_kernels as kernels
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import evaluator
from pokerlab.errors import CardError, GameTooLarge

Cards = tuple[int, ...]

STANDARD = Deck()
MOST_BOARDS = 3_000_000  # enumerated; before the flop hold'em has 1,712,304 for two hands


def showdown_equity(
    holes: Sequence[Cards],
    board: Cards,
    board_size: int,
    *,
    deck: Deck = STANDARD,
    ranking: str = "poker",
    dead: Cards = (),
) -> tuple[float, ...]:
    """Each hand's expected share of a pot, over all ways to complete the board to `board_size` cards; ties split.

    `dead` cards cannot come. Hold'em before the flop takes about 2 ms a matchup, and matchups are remembered.
    """
    holes, board, dead = tuple(map(tuple, holes)), tuple(board), tuple(dead)
    _check(deck, holes, board, board_size, dead)
    if deck == STANDARD and ranking == "poker" and board_size == 5 and not board and {*map(len, holes)} == {2}:
        return _before_the_flop(*_suits_renamed(holes, dead))
    return _equity(holes, board, board_size, deck, ranking, dead)


def _check(deck: Deck, holes: tuple[Cards, ...], board: Cards, board_size: int, dead: Cards) -> None:
    cards = [*(card for hole in holes for card in hole), *board, *dead]
    if not holes or not all(holes):
        raise CardError("every hand must be known: an equity without its cards cannot be told")
    if len({*map(len, holes)}) > 1:
        raise CardError(f"hands of different sizes: {' '.join(map(deck.text, holes))}")
    if not all(0 <= card < len(deck) for card in cards):
        raise CardError(f"cards outside the deck of {len(deck)}")
    if len(set(cards)) < len(cards):
        raise CardError(f"a card is there twice: {deck.text(tuple(cards))!r}")
    if not 0 <= board_size - len(board) <= len(deck) - len(cards):
        raise CardError(f"a board of {len(board)} cards cannot become one of {board_size} with the cards left")


def _suits_renamed(holes: tuple[Cards, ...], dead: Cards) -> tuple[tuple[Cards, ...], Cards]:
    """The same matchup with suits named in the order in which they turn up, so that more matchups are equal."""
    names: dict[int, int] = {}

    def renamed(cards: Cards) -> Cards:
        return tuple(card - card % 4 + names.setdefault(card % 4, len(names)) for card in sorted(cards, reverse=True))

    return tuple(map(renamed, holes)), renamed(dead)


@lru_cache(maxsize=1)
def _tables() -> tuple[np.ndarray, np.ndarray]:
    return kernels.rank_values(), kernels.flush_values()


@lru_cache(maxsize=100_000)
def _before_the_flop(holes: tuple[Cards, ...], dead: Cards) -> tuple[float, ...]:
    live = np.ones(52, np.int64)
    live[[card for cards in (*holes, dead) for card in cards]] = 0
    shares, boards = kernels.deck_shares(np.array(holes), live, *_tables())
    return tuple((shares / boards).tolist())


def _compiled(deck: Deck, ranking: str, size: int) -> bool:
    return ranking == "poker" and len(deck.ranks) == 13 and len(deck.suits) <= 4 and 5 <= size <= 7


def _live(deck: Deck, *gone: Cards) -> list[int]:
    seen = {card for cards in gone for card in cards}
    return [card for card in range(len(deck)) if card not in seen]


@lru_cache(maxsize=100_000)
def _equity(
    holes: tuple[Cards, ...], board: Cards, board_size: int, deck: Deck, ranking: str, dead: Cards
) -> tuple[float, ...]:
    come = board_size - len(board)
    live = _live(deck, *holes, board, dead)
    if _compiled(deck, ranking, len(holes[0]) + board_size):
        shares, boards = kernels.board_shares(
            np.array(holes), np.array(board, np.int64), np.array(live, np.int64), come, len(deck.suits)
        )
        return tuple((shares / boards).tolist())
    boards = comb(len(live), come)
    if boards > MOST_BOARDS:
        raise GameTooLarge(f"{boards:,} boards are too many to enumerate; use sampled_equity")
    total = np.zeros(len(holes))
    for cards in combinations(live, come):
        total += _shares(holes, board + cards, deck, ranking)
    return tuple((total / boards).tolist())


def _shares(holes: Sequence[Cards], board: Cards, deck: Deck, ranking: str) -> np.ndarray:
    rank = evaluator(len(deck.ranks), len(deck.suits), ranking, len(holes[0]) + len(board))
    values = [rank(hole + board) for hole in holes]
    best = max(values)  # type: ignore[type-var]
    won = np.array([value == best for value in values], dtype=float)
    return won / won.sum()


def sampled_equity(
    holes: Sequence[Cards],
    board: Cards,
    board_size: int,
    samples: int,
    rng: np.random.Generator,
    *,
    deck: Deck = STANDARD,
    ranking: str = "poker",
    dead: Cards = (),
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Shares over `samples` random boards, and their standard errors: for games too large to enumerate."""
    holes, board, dead = tuple(map(tuple, holes)), tuple(board), tuple(dead)
    _check(deck, holes, board, board_size, dead)
    live, come = np.array(_live(deck, *holes, board, dead)), board_size - len(board)
    found = np.array([
        _shares(holes, board + tuple(rng.choice(live, come, replace=False).tolist()), deck, ranking)
        for _ in range(samples)
    ])  # fmt: skip
    errors = found.std(axis=0, ddof=1) / np.sqrt(samples)
    return tuple(found.mean(axis=0).tolist()), tuple(errors.tolist())


@lru_cache(maxsize=200_000)
def hand_strength(hole: Cards, board: Cards, deck: Deck = STANDARD, ranking: str = "poker", dead: Cards = ()) -> float:
    """Immediate hand rank (IHR): (hands beaten + hands tied / 2) / all hands the others may hold, on this board."""
    _check(deck, (hole,), board, len(board), dead)
    live = _live(deck, hole, board, dead)
    if len(live) < len(hole):
        raise CardError(f"{len(live)} cards are left: nobody else can hold {len(hole)}")
    if _compiled(deck, ranking, len(hole) + len(board)):
        wins, ties, total = kernels.beaten(
            np.array(hole), np.array(board, np.int64), np.array(live, np.int64), len(deck.suits)
        )
        return (wins + ties / 2) / total
    shares = [_shares((hole, other), board, deck, ranking)[0] for other in combinations(live, len(hole))]
    return float(np.mean(shares))
