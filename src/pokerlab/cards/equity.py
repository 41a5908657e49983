"""Expected shares of the pot at showdown: hands against hands, hands against ranges, and ranges against ranges.

    showdown_equity([deck.cards("AcAd"), deck.cards("KhKs")], (), 5)       (0.8126, 0.1874)
    hand_equity("AcKc", "QQ+,AKs", "Kh 7s 2d")                             0.5573
    range_equity("TT+,AK", "22+,A2s+,KQ", "Kh 7s 2d").equity               (0.7454, 0.2546)

All are exact, over every card to come and with card removal, except the two that are called sampled. Ranges are
compared on one board after another, where a sorted pass takes some 20 microseconds for all hands. Before the flop
boards are many, and it can be cheaper to go through the pairs of hands that differ by more than suits: the cheaper way
is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import combinations
from math import comb

import numpy as np

from pokerlab.cards import equity_kernels as kernels
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import evaluator, tables
from pokerlab.cards.holes import COUNT, HOLES, compatible, hole_number, possible, renamed_holes
from pokerlab.cards.ranges import Range, as_range
from pokerlab.cards.runouts import (
    Runouts,
    as_board,
    as_cards,
    over_boards,
    runouts,
    symmetries,
    symmetrised,
)  # fmt: skip
from pokerlab.cards.showdown_kernels import hand_showdowns, range_samples, range_showdowns
from pokerlab.errors import CardError, GameTooLarge, RangeError
from pokerlab.threads import in_pieces

Cards = tuple[int, ...]
Hands = Range | str | Cards

STANDARD = Deck()
MOST_BOARDS = 3_000_000  # enumerated; before the flop hold'em has 1,712,304 for two hands
MATCHUP = 80  # boards that can be compared while one pair of hands is, before the flop
AT_ONCE = 64  # pairs a task


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
    check_cards(deck, holes, board, board_size, dead)
    if deck == STANDARD and ranking == "poker" and board_size == 5 and not board and {*map(len, holes)} == {2}:
        return tuple(share for share, _, _ in _before_the_flop(*_suits_renamed(holes, dead)))
    return _equity(holes, board, board_size, deck, ranking, dead)


def check_cards(deck: Deck, holes: tuple[Cards, ...], board: Cards, board_size: int, dead: Cards) -> None:
    """Hands, board and dead cards can be on one table, and the board can be completed."""
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


def holdem_shares(holes: tuple[Cards, ...], board: Cards, dead: Cards = ()) -> np.ndarray:
    """Of each hand of hold'em its expected share, how often it wins alone and how often it shares a pot: [n, 3].

    Exact, over all boards; the cards are not checked.
    """
    if not board:
        return np.array(_before_the_flop(*_suits_renamed(holes, dead)))
    live = np.array(live_cards(STANDARD, *holes, board, dead))
    return _odds(*kernels.board_shares(tables(), np.array(holes), np.array(board), live, 5 - len(board)))


def _odds(shares: np.ndarray, boards: int) -> np.ndarray:
    """Share, clear wins and ties of each hand, from its sums of shares, clear wins and pots won or shared [n, 3]."""
    share, win, best = shares.T / boards
    return np.stack([share, win, best - win], axis=1)


@lru_cache(maxsize=100_000)
def _before_the_flop(holes: tuple[Cards, ...], dead: Cards) -> tuple[tuple[float, ...], ...]:
    live = np.ones(52, np.int64)
    live[[card for cards in (*holes, dead) for card in cards]] = 0
    odds = _odds(*kernels.deck_shares(tables(), np.array(holes), live))
    return tuple(map(tuple, odds.tolist()))


def compiled(deck: Deck, ranking: str, size: int) -> bool:
    """Whether hands of `size` cards of such a deck can be ranked by the evaluator's tables."""
    return ranking == "poker" and len(deck.ranks) == 13 and len(deck.suits) <= 4 and 5 <= size <= 7


def in_52(deck: Deck, cards: Sequence[int] | Sequence[Cards]) -> np.ndarray:
    """Cards of a deck of 13 ranks and at most four suits as numbers of the standard deck."""
    numbers, suits = np.array(cards, np.int64), len(deck.suits)
    return numbers // suits * 4 + numbers % suits


def live_cards(deck: Deck, *gone: Cards) -> list[int]:
    seen = {card for cards in gone for card in cards}
    return [card for card in range(len(deck)) if card not in seen]


@lru_cache(maxsize=100_000)
def _equity(
    holes: tuple[Cards, ...], board: Cards, board_size: int, deck: Deck, ranking: str, dead: Cards
) -> tuple[float, ...]:
    come = board_size - len(board)
    live = live_cards(deck, *holes, board, dead)
    if compiled(deck, ranking, len(holes[0]) + board_size):
        hands, shown, rest = in_52(deck, holes), in_52(deck, board), in_52(deck, live)
        shares, boards = kernels.board_shares(tables(), hands, shown, rest, come)
        return tuple((shares[:, 0] / boards).tolist())
    boards = comb(len(live), come)
    if boards > MOST_BOARDS:
        raise GameTooLarge(f"{boards:,} boards are too many to enumerate; use sampled_equity")
    total = np.zeros(len(holes))
    for cards in combinations(live, come):
        total += pot_shares(holes, board + cards, deck, ranking)
    return tuple((total / boards).tolist())


def pot_shares(holes: Sequence[Cards], board: Cards, deck: Deck, ranking: str) -> np.ndarray:
    """Each hand's share of the pot on a complete board, of any deck and ranking."""
    rank = evaluator(len(deck.ranks), len(deck.suits), ranking, len(holes[0]) + len(board))
    values = [rank(hole + board) for hole in holes]
    best = max(values)
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
    check_cards(deck, holes, board, board_size, dead)
    live, come = np.array(live_cards(deck, *holes, board, dead)), board_size - len(board)
    shares = np.array([
        pot_shares(holes, board + tuple(rng.choice(live, come, replace=False).tolist()), deck, ranking)
        for _ in range(samples)
    ])  # fmt: skip
    errors = shares.std(axis=0, ddof=1) / np.sqrt(samples)
    return tuple(shares.mean(axis=0).tolist()), tuple(errors.tolist())


@dataclass(frozen=True)
class RangeEquity:
    """What two ranges win from each other at showdown, all cards to come; ours first, theirs second."""

    equity: tuple[float, float]  # expected shares of the pot, ties split
    wins: tuple[float, float]  # how often each wins alone
    ties: float
    by_hand: tuple[np.ndarray, np.ndarray]  # equity of each of the 1,326 hands in a range; nan where it has no weight


def range_equity(
    ours: Hands, theirs: Hands, board: str | Cards = (), *, dead: str | Cards = (), progress: bool | None = None
) -> RangeEquity:
    """Two ranges against each other: exact, on any street, with card removal.

    A range is a `Range`, its text, or a single hand. Pairs of hands without a card in common have the product of their
    weights, and every way to complete the board is equally likely. The flop takes some 25 ms. Before the flop ranges of
    whole kinds (AKs, QQ) take at most 3 s on one core, a hand against a range tenths of a second, and ranges in which
    every suit matters up to a minute: `progress` None shows a bar at a terminal.
    """
    shown, gone = _on_the_table(board, dead)
    a, b = _left(ours, "our", shown + gone), _left(theirs, "their", shown + gone)
    can_meet = (a > 0) & _meets(b), (b > 0) & _meets(a)
    if not can_meet[0].any():
        raise RangeError("every two hands of the ranges have a card in common: they cannot meet")
    by_pairs = None if shown else _by_matchups(a, b, gone, progress)
    won, kept = _by_boards(a, b, shown, gone, progress) if by_pairs is None else by_pairs
    total = a @ compatible(b)
    wins = float(a @ won[0] / total), float(b @ won[1] / total)
    ties = max(0.0, 1.0 - wins[0] - wins[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        mine = np.where(can_meet[0], (won[0] + kept[0]) / 2 / compatible(b), np.nan)
        other = np.where(can_meet[1], (won[1] + kept[1]) / 2 / compatible(a), np.nan)
    return RangeEquity((wins[0] + ties / 2, wins[1] + ties / 2), wins, ties, (mine, other))


def _on_the_table(board: str | Cards, dead: str | Cards, hole: Cards = ()) -> tuple[Cards, Cards]:
    """The cards of the board and the dead ones, checked."""
    shown = as_board(board, hole)
    gone = as_cards(dead, shown, hole)
    if len(gone) > 52 - 4 - 5:
        raise CardError(f"{len(gone)} dead cards leave too few for two hands and a board")
    return shown, gone


def _left(hands: Hands, whose: str, cards: Cards) -> np.ndarray:
    """The weights of a range that the cards on the table leave."""
    weights = as_range(hands).weights * possible(cards)
    if not weights.any():
        raise RangeError(f"{whose} range has no hand that the cards on the table leave possible")
    return weights


def _meets(weights: np.ndarray) -> np.ndarray:
    """Whether a range has anything without a card in common with each hand; in whole numbers, hence exact."""
    return compatible((weights > 0) * 1.0) > 0


Sides = tuple[np.ndarray, np.ndarray]  # for our hands, and for theirs, an array of 1,326


def _by_boards(a: np.ndarray, b: np.ndarray, shown: Cards, gone: Cards, progress: bool | None) -> tuple[Sides, Sides]:
    """For each hand the mean weight of hands that it beats, and that it beats or ties; over all boards."""
    ready = tables()
    todo = runouts(shown, 5, symmetries([shown, gone], [a, b]), gone)
    parts = over_boards(
        lambda boards, counts: range_showdowns(ready, boards, counts, HOLES, a, b), todo, "equity of ranges", progress
    )
    boards = comb(52 - len(shown) - len(gone) - 4, 5 - len(shown))  # of each pair of hands
    first, second = (symmetrised(sum(part[side] for part in parts), todo.suits) / boards for side in (0, 1))
    return (first[0], second[0]), (first[1], second[1])


_KNOWN: dict[int, tuple[float, float, float]] = {}  # pairs of hands before the flop: at most 47,008


def _by_matchups(a: np.ndarray, b: np.ndarray, gone: Cards, progress: bool | None) -> tuple[Sides, Sides] | None:
    """As `_by_boards` before the flop, by pairs of hands that differ by more than suits; None if that takes longer."""
    boards = comb(52 - len(gone), 5) / len(symmetries([gone], [a, b]))
    if np.count_nonzero(a) * np.count_nonzero(b) * MATCHUP > 48 * boards:  # 24 ways to name suits, 2 to order hands
        return None
    ours, theirs = (side.ravel() for side in np.meshgrid(np.flatnonzero(a), np.flatnonzero(b), indexing="ij"))
    apart = (HOLES[ours][:, :, None] != HOLES[theirs][:, None, :]).all(axis=(1, 2))
    ours, theirs = ours[apart], theirs[apart]
    names = renamed_holes(symmetries([gone]))
    straight = reduce(np.minimum, (row[ours] * COUNT + row[theirs] for row in names))
    turned = reduce(np.minimum, (row[theirs] * COUNT + row[ours] for row in names))
    keys, where = np.unique(np.minimum(straight, turned), return_inverse=True)
    known = {} if gone else _KNOWN
    missing = np.array([key for key in keys.tolist() if key not in known], dtype=np.int64)
    if len(missing) * MATCHUP > boards:
        return None
    if len(missing):
        pairs = HOLES[np.stack(np.divmod(missing, COUNT), axis=1)].astype(np.int64)
        ready, dead = tables(), np.array(gone, np.int64)
        parts = in_pieces(
            lambda first, last: kernels.matchups(ready, pairs[first:last], dead),
            len(pairs), AT_ONCE, "pairs of hands", progress,
        )  # fmt: skip
        known.update(zip(missing.tolist(), map(tuple, np.concatenate(parts).tolist()), strict=True))
    share, win, loss = np.array([known[key] for key in keys.tolist()])[where].T
    over = turned < straight  # these were compared with their hands first
    share, win, loss = np.where(over, 1 - share, share), np.where(over, loss, win), np.where(over, win, loss)
    tie = 2 * (share - win)

    def sums(hands: np.ndarray, weights: np.ndarray) -> np.ndarray:
        return np.bincount(hands, weights, COUNT)

    won = sums(ours, b[theirs] * win), sums(theirs, a[ours] * loss)
    return won, (won[0] + sums(ours, b[theirs] * tie), won[1] + sums(theirs, a[ours] * tie))


def hand_equity(
    hole: str | Cards, theirs: Hands, board: str | Cards = (), *, dead: str | Cards = (), progress: bool | None = None
) -> float:
    """A hand's expected share of the pot against a range: exact, on any street."""
    own = as_cards(hole)
    hole_number(own)
    if not as_board(board, own):
        return range_equity(own, theirs, dead=dead, progress=progress).equity[0]
    weights, counts = hand_on_boards(own, theirs, board, dead=dead, progress=progress)
    beaten, matched, met = counts @ weights
    return float((beaten + matched) / 2 / met)


def hand_on_boards(
    hole: str | Cards, theirs: Hands, board: str | Cards = (), *, dead: str | Cards = (), progress: bool | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """On each complete board, the weight of the hands that a hand beats, beats or ties, and meets: (n, 3).

    Boards that differ by suits that may be renamed are there once; second comes how many each stands for (n).
    """
    own = as_cards(hole)
    mine = hole_number(own)
    shown, gone = _on_the_table(board, dead, own)
    weights = _left(theirs, "their", shown + gone + own)
    ready = tables()
    todo = runouts(shown, 5, symmetries([own, shown, gone], [weights]), gone + own)
    parts = over_boards(
        lambda boards, counts: hand_showdowns(ready, boards, HOLES, mine, weights), todo, "equity of a hand", progress
    )
    return np.concatenate(parts), todo.counts


def equity_by_hand(
    theirs: Hands, board: str | Cards = (), *, dead: str | Cards = (), progress: bool | None = None
) -> np.ndarray:
    """The equity of each of the 1,326 hands against a range; nan where a hand and the range cannot meet."""
    return range_equity("random", theirs, board, dead=dead, progress=progress).by_hand[0]


def sampled_range_equity(
    ours: Hands,
    theirs: Hands,
    board: str | Cards,
    samples: int,
    rng: np.random.Generator,
    *,
    dead: str | Cards = (),
    progress: bool | None = None,
) -> tuple[tuple[float, float], float]:
    """Both ranges' equity over `samples` random boards, and its standard error; on each board all hands are compared.

    For ranges before the flop in which suits matter: 10,000 boards take 0.2 s and have an error of about 0.001.
    """
    shown, gone = _on_the_table(board, dead)
    a, b = _left(ours, "our", shown + gone), _left(theirs, "their", shown + gone)
    if samples < 2 or len(shown) == 5:
        raise CardError(f"{samples} samples on {len(shown)} cards; at least two are needed, and a card to come")
    live = np.array(live_cards(STANDARD, shown, gone), np.uint8)
    come = rng.random((samples, len(live))).argpartition(5 - len(shown), axis=1)[:, : 5 - len(shown)]
    boards = np.concatenate([np.tile(np.array(shown, np.uint8), (samples, 1)), live[come]], axis=1)
    ready = tables()
    parts = over_boards(
        lambda chunk, _: range_samples(ready, chunk, HOLES, a, b),
        Runouts(boards, np.ones(samples), symmetries(())[:1]), "boards", progress,
    )  # fmt: skip
    won, kept, met = np.concatenate(parts).T
    if not met.any():
        raise RangeError(
            "the two ranges never met on these boards: no two hands without a card in common, or few samples"
        )
    share = (won + kept) / 2
    equity = float(share.sum() / met.sum())
    # A ratio of means: boards that leave more pairs of hands count for more.
    error = np.sqrt(((share - equity * met) ** 2).sum() / (samples - 1) / samples) / met.mean()
    return (equity, 1.0 - equity), float(error)
