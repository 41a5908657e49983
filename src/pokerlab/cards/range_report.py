"""A range as a student looks at it: its chart and how much it holds; on a board, what it has made there and what it
draws to; against another range, what it wins.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pokerlab.cards.chart import chart_lines
from pokerlab.cards.deck import Deck
from pokerlab.cards.equity import RangeEquity, range_equity
from pokerlab.cards.holes import COUNT, class_name, compatible
from pokerlab.cards.ranges import Range
from pokerlab.cards.runouts import as_board
from pokerlab.cards.texture import FLUSH_DRAWS, MADE, PARTS, STRAIGHT_DRAWS, categories
from pokerlab.errors import RangeError
from pokerlab.terminal import Line, listed

Cards = tuple[int, ...]

_DECK = Deck()


@dataclass(frozen=True)
class Part:
    """Some hands of a range: what they have in common, their weight, and what they win against the other range."""

    name: str
    combos: float
    share: float  # of the range
    equity: float | None = None

    def as_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {"name": self.name, "combos": self.combos, "share": self.share}
        return told if self.equity is None else told | {"equity": self.equity}


@dataclass(frozen=True)
class RangeReport:
    """A range, the board that it meets if any, and the range that it is held against if any.

    `left` are its hands that hold no card of the board, of which all shares are. `made` is the range by what its hands
    have made of the board, the best first, and `draws` by what they draw to, of which a hand may have several.
    """

    hands: Range
    board: Cards
    left: Range
    against: Range | None
    met: RangeEquity | None
    made: tuple[Part, ...] = ()
    draws: tuple[Part, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As plain JSON; kinds of hands with their mean weight."""
        grid = self.hands.grid().ravel()
        told: dict[str, Any] = {
            "range": self.hands.text(), "combos": self.hands.combos, "share": self.hands.combos / COUNT,
            "hands": {class_name(kind): float(grid[kind]) for kind in np.flatnonzero(grid).tolist()},
        }  # fmt: skip
        if self.board:
            told |= {
                "board": _DECK.text(self.board),
                "combos_left": self.left.combos,
                "made": [part.as_json() for part in self.made],
                "draws": [part.as_json() for part in self.draws],
            }
        if self.against is not None and self.met is not None:
            told |= {"against": self.against.text(), "equity": self.met.equity[0]}
        return told

    def lines(self) -> list[Line]:
        """The chart with its legend, and tables of what the range has on the board."""
        hands = self.hands
        board = " ".join(_DECK.text((card,)) for card in self.board)
        lines: list[Line] = [
            *listed(hands.text().split(","), indent=2, between=", "),
            f"{hands.combos:g} combos, {100 * hands.combos / COUNT:.1f} % of all {COUNT:,}",
            *chart_lines([_cell(kind, weight) for kind, weight in enumerate(hands.grid().ravel())]),
            "a name: all such hands; a number: so many per cent of them; a dot: none",
        ]
        if self.board:
            lines += ["", f"on {board}, which leaves {self.left.combos:g} combos", *_table(self.made, "made hand")]
            if self.draws:
                lines += ["", *_table(self.draws, "draw")]
        if self.against is not None and self.met is not None:
            won = self.met
            told = self.against.text() if len(self.against.text()) <= 60 else f"{self.against.combos:g} combos"
            odds = f"equity {100 * won.equity[0]:.2f} %, wins {100 * won.wins[0]:.2f} %, ties {100 * won.ties:.2f} %"
            lines += ["", f"against {told}: {odds}"]
        return lines


def range_report(
    hands: Range | str, board: str | Cards = (), against: Range | str | None = None, *, progress: bool | None = None
) -> RangeReport:
    """Look at a range, on a flop, turn or river and against another range where these are given."""
    shown = as_board(board)
    whole = Range.parse(hands) if isinstance(hands, str) else hands
    theirs = Range.parse(against) if isinstance(against, str) else against
    left = whole.without(shown)
    if not len(left):
        raise RangeError("there is no hand in this range" + " that the board leaves" * bool(shown))
    met = None if theirs is None else range_equity(left, theirs, shown, progress=progress)
    parts = _parts(left, shown, theirs, met) if shown else ((), ())
    return RangeReport(whole, shown, left, theirs, met, *parts)


def _parts(
    hands: Range, board: Cards, theirs: Range | None, met: RangeEquity | None
) -> tuple[tuple[Part, ...], tuple[Part, ...]]:
    """The range by what is made, and by what is drawn to."""
    weights, kinds = hands.weights, categories(board)
    # Each hand counts for as many hands of the other range as it can meet.
    pairs = None if theirs is None or met is None else weights * compatible(theirs.without(board).weights)
    earned = None if pairs is None or met is None else pairs * np.nan_to_num(met.by_hand[0])

    def part(name: str, place: int) -> Part:
        mine = np.array([kind >= 0 and PARTS[kind][place] == name for kind in kinds.tolist()])
        equity = None
        if pairs is not None and earned is not None and pairs[mine].sum() > 0:
            equity = float(earned[mine].sum() / pairs[mine].sum())
        combos = float(weights[mine].sum())
        return Part(name, combos, combos / hands.combos, equity)

    made = [part(name, 0) for name in reversed(MADE)]
    drawn = [part(name, 1) for name in FLUSH_DRAWS[:0:-1]] + [part(name, 2) for name in STRAIGHT_DRAWS[:0:-1]]
    if len(board) == 5:
        drawn = []
    return tuple(one for one in made if one.combos), tuple(one for one in drawn if one.combos)


def _cell(kind: int, weight: float) -> str:
    if weight == 0:
        return "."
    return class_name(kind) if weight == 1 else f"{100 * weight:.0f}"


def _table(parts: tuple[Part, ...], head: str) -> list[str]:
    equity = any(part.equity is not None for part in parts)
    lines = [f"  {head:<36}   combos    share{'   equity' * equity}"]
    for part in parts:
        told = "" if part.equity is None else f"  {100 * part.equity:5.1f} %"
        lines.append(f"  {part.name:<36} {part.combos:>8g}  {100 * part.share:5.1f} %{told}")
    return lines
