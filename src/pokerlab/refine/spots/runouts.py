"""Every card that may come at one point of a solved spot: what it is worth to both, and what is done after it.

told = runouts(solved, "check, bet 36, call")        the turn cards after that; a line with cards goes on to rivers
told.table(), told.mean(), told.lines()
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pokerlab.cards.deck import Deck
from pokerlab.cards.flops import texture_of
from pokerlab.errors import SpotError
from pokerlab.notebook import Table, Tabular
from pokerlab.progress import Bar
from pokerlab.refine.spots.aggregate import FIGURES, Decision, Mean, Row, plain, text_of
from pokerlab.refine.spots.frames import UNITS, unit_size
from pokerlab.refine.spots.locks import find_node
from pokerlab.refine.spots.report import Figures, figures_at
from pokerlab.refine.spots.solution import SpotSolution
from pokerlab.refine.spots.spot import PLAYERS, Spot
from pokerlab.refine.spots.tree import CALL, CHECK, POSTFLOP, line_words

_DECK = Deck()


@dataclass(frozen=True)
class Runouts(Tabular):
    """The first decision after each card. Rows have the card's name, and how likely it comes as their weight; values
    are in a `unit` of `frames.UNITS`.
    """

    board: tuple[int, ...]
    line: tuple[str, ...]
    decision: Decision
    unit: str = "chips"

    @property
    def title(self) -> str:
        board, line = _DECK.text(self.board), ", ".join(self.line)
        street = POSTFLOP[len(self.board) - 2]
        return f"{board}, {line}: the {street}, {PLAYERS[self.decision.player]} to act"

    def mean(self) -> Mean:
        """Over all cards."""
        return self.decision.mean()

    def table(self) -> Table:
        """A row a card, aces first."""
        columns = ("card", "weight", *FIGURES[1:], *self.decision.actions)
        rows = (
            (row.name, row.weight, *row.figures.ev, *row.figures.equity, *self.decision.frequencies(row).tolist())
            for row in self.decision.rows
        )
        return Table(self.title, columns, rows)

    def lines(self) -> list[str]:
        """As text, with the mean."""
        mean, table = self.mean(), self.table()
        last = ("mean", mean.weight, *mean.ev, *mean.equity, *mean.frequencies)
        told = f"{self.title}, values in {UNITS[self.unit]}"
        return [told, *text_of(table._replace(rows=[*table.rows, last]))]

    def summary(self) -> dict[str, Any]:
        """As plain JSON."""
        table = self.table()
        return {
            "board": _DECK.text(self.board),
            "line": list(self.line),
            "player": PLAYERS[self.decision.player],
            "unit": self.unit,
            "actions": list(self.decision.actions),
            "mean": plain(self.mean()._asdict()),
            "cards": [plain(dict(zip(table.columns, row, strict=True))) for row in table.rows],
        }


def passive_line(spot: Spot) -> tuple[str, ...]:
    """The checks and calls that lead to the next card."""
    tree, words = spot.tree(), list[str]()
    node = tree[0]
    while node.kind == "decision":
        word = next((word for word in (CHECK, CALL) if word in node.labels), None)
        if word is None:
            break
        words.append(word)
        node = tree[node.children[node.labels.index(word)]]
    return tuple(words)


def check_runouts(spot: Spot, line: str | Sequence[str]) -> tuple[str, ...]:
    """The words of a line after which a card comes, by default the checks and calls that lead to one."""
    words = (line_words(line) if isinstance(line, str) else tuple(line)) or passive_line(spot)
    node, cards = find_node(spot.tree(), words)
    if node.kind != "deal":
        what = "somebody acts" if node.kind == "decision" else "the hand is over"
        raise SpotError(f"no card comes after {', '.join(words)!r}: {what}; name a line that ends a street of betting")
    dealt = {*spot.board, *cards}
    if None in cards or len(dealt) < len(spot.board) + len(cards):
        raise SpotError(f"the cards before must be named, each once: {', '.join(words)!r}")
    return words


def runouts(
    solved: SpotSolution, line: str | Sequence[str] = "", *, unit: str = "chips", progress: bool | None = None
) -> Runouts:
    """Every card after a line that ends a street of betting, such as `check, bet 36, call`."""
    words, size = check_runouts(solved.spot, line), unit_size(solved.spot, unit)
    _, cards = find_node(solved.spot.tree(), words)
    board = (*solved.spot.board, *(card for card in cards if card is not None))
    live = [card for card in range(51, -1, -1) if card not in board]
    figures = []
    with Bar("cards", progress) as bar:
        for number, card in enumerate(live, 1):
            figures.append(_in_units(figures_at(solved.node([*words, _DECK.text([card])])), size))
            bar.show(number / len(live), f"{number} of {len(live)}")
    total = sum(each.reach for each in figures)
    rows = tuple(
        # The decision comes up whenever the card does: it has the card's weight, and a reach of 1.
        Row(_DECK.text([card]), (*board, card), each.reach / total if total else 0.0, texture_of(board),
            each._replace(reach=1.0))
        for card, each in zip(live, figures, strict=True)
    )  # fmt: skip
    return Runouts(board, words, Decision(rows[0].figures.line, rows), unit)


def _in_units(figures: Figures, size: float) -> Figures:
    """The same with values in units of so many chips."""
    classes = figures.classes.copy()
    classes[:, 1] /= size
    return figures._replace(ev=(figures.ev[0] / size, figures.ev[1] / size), classes=classes)
