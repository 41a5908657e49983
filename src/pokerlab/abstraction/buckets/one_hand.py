"""The buckets of one hand, street by street: rows of figures, and text."""

from __future__ import annotations

from typing import Any

from pokerlab.abstraction.buckets.lookup import SIZES, CardAbstraction
from pokerlab.cards.deck import STREETS, Deck
from pokerlab.cards.strength import expected_strength
from pokerlab.errors import CardError

Cards = tuple[int, ...]


def hand_on_board(hand: str, board: str) -> tuple[Cards, Cards]:
    """Hole cards and board from text such as `AsKd` and `Qs Jh 2h`."""
    deck = Deck()
    hole, shown = deck.cards(hand), deck.cards(board)
    deck.cards(f"{hand} {board}")  # no card twice
    if len(hole) != 2 or len(shown) not in SIZES:
        raise CardError(f"a hand has two cards and a board none, three, four or five, not {len(hole)} and {len(shown)}")
    return hole, shown


def hand_rows(cards: CardAbstraction, hole: Cards, board: Cards) -> list[dict[str, Any]]:
    """A row a street up to the board's, as plain JSON."""
    rows = []
    for street in range(SIZES.index(len(board)) + 1):
        seen = board[: SIZES[street]]
        bucket = cards.bucket(hole, seen)
        row: dict[str, Any] = {
            "street": STREETS[street], "board": Deck().text(seen),
            "strength": round(expected_strength(hole, seen), 6), "bucket": bucket,
            "share": float(cards.shares(street)[bucket]),
            "share_of_parent": float(cards.shares_of_parent(street)[bucket]),
        }  # fmt: skip
        if cards.perfect_recall:
            row["path"] = list(cards.path(street, bucket))
        rows.append(row)
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
