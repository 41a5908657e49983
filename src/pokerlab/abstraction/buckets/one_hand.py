"""The buckets of one hand, street by street: rows of figures, and text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pokerlab.abstraction.buckets.lookup import SIZES, CardAbstraction
from pokerlab.cards.deck import STREETS, Deck
from pokerlab.cards.strength import expected_strength
from pokerlab.errors import CardError

Cards = tuple[int, ...]
DIGITS = 6  # of a strength


def board_of(text: str) -> Cards:
    """A board from text such as `Qs Jh 2h`."""
    shown = Deck().cards(text)
    if len(shown) not in SIZES:
        raise CardError(f"a board has none, three, four or five cards, not {len(shown)}")
    return shown


def hand_on_board(hand: str, board: str) -> tuple[Cards, Cards]:
    """Hole cards and board from text such as `AsKd` and `Qs Jh 2h`."""
    deck = Deck()
    hole, shown = deck.cards(hand), board_of(board)
    deck.cards(f"{hand} {board}")  # no card twice
    if len(hole) != 2:
        raise CardError(f"a hand has two cards, not {len(hole)}")
    return hole, shown


def bucket_rows(cards: CardAbstraction, street: int, buckets: Sequence[int]) -> list[dict[str, Any]]:
    """What buckets of a street are, as plain JSON: their parts of all deals and, with recall, where they come from."""
    shares, of_parents = cards.shares(street), cards.shares_of_parent(street)
    rows = []
    for bucket in buckets:
        row: dict[str, Any] = {
            "bucket": bucket, "share": float(shares[bucket]), "share_of_parent": float(of_parents[bucket]),
        }  # fmt: skip
        if cards.perfect_recall:
            row["path"] = list(cards.path(street, bucket))
        rows.append(row)
    return rows


def hand_rows(cards: CardAbstraction, hole: Cards, board: Cards) -> list[dict[str, Any]]:
    """A row a street up to the board's, as plain JSON."""
    rows = []
    for street in range(SIZES.index(len(board)) + 1):
        seen = board[: SIZES[street]]
        strength = round(expected_strength(hole, seen), DIGITS)
        (row,) = bucket_rows(cards, street, [cards.bucket(hole, seen)])
        rows.append({"street": STREETS[street], "board": Deck().text(seen), "strength": strength} | row)
    return rows


def hand_lines(cards: CardAbstraction, rows: list[dict[str, Any]]) -> list[str]:
    """The rows as text."""
    lines = [f"{'street':<8} {'board':<14} {'E[HS]':>6} {'bucket':>8} {'of':>9} {'share':>9}"
             + (f" {'of parent':>9}  path" if cards.perfect_recall else "")]  # fmt: skip
    for row, count in zip(rows, cards.counts, strict=False):
        line = (
            f"{row['street']:<8} {row['board']:<14} {row['strength']:>6.4f} {row['bucket']:>8} {count:>9,} "
            f"{row['share']:>9.3%}"
        )
        if cards.perfect_recall:
            line += f" {row['share_of_parent']:>9.2%}  {'.'.join(map(str, row['path']))}"
        lines.append(line)
    return lines
