"""Solved spots, walked in the page: the solutions of a folder, and a decision with every kind of hand.

A line leads to a decision, to a card that is to be named, or to the end of the hand. Figures of a decision are those of
`pokerlab spot --json`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from pokerlab.cards.deck import Deck
from pokerlab.errors import NoSuchTable, shown
from pokerlab.page import action_colours
from pokerlab.refine.spots.locks import DEAL, find_node
from pokerlab.refine.spots.solution import SpotSolution, load_spot_solution
from pokerlab.refine.spots.spot import line_words
from pokerlab.refine.spots.view import node_json

MOST_FILES = 200
_DECK = Deck()


def solutions() -> list[str]:
    """The solved spots of the current folder, by the names of their files."""
    return sorted(path.name for path in Path().glob("*.solution") if path.is_file())[:MOST_FILES]


def solution(file: str) -> SpotSolution:
    """A solved spot of the current folder."""
    if file not in solutions():
        raise NoSuchTable(f"there is no solved spot {shown(file)} in the folder of the server")
    told = Path(file).stat()
    return _load(str(Path(file).resolve()), told.st_mtime_ns, told.st_size)


def spot_of(file: str) -> str:
    """The text of the spot that was solved."""
    return solution(file).spot.text()


def look(file: str, line: str) -> dict[str, Any]:
    """Where a line leads in a solved spot of the current folder."""
    solved = solution(file)
    node, cards = find_node(solved.tree, line)
    words = list(line_words(line))
    board = [*solved.spot.board, *(card for card in cards if card is not None)]
    where = {"file": file, "line": words, "board": _DECK.text(board)}
    if node.kind == "deal":
        left = [card for card in range(len(_DECK)) if card not in board]
        return where | {"kind": DEAL, "cards": [_DECK.text((card,)) for card in left]}
    if node.kind != "decision":
        return where | {"kind": "end", "how": node.kind}
    seen = solved.node(line)
    return where | {"kind": "decision", "node": node_json(seen), "colours": action_colours(seen.actions)}


@lru_cache(maxsize=4)
def _load(path: str, changed: int, size: int) -> SpotSolution:
    return load_spot_solution(path)
