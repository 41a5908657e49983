"""Solved spots, walked in the page: the solutions of a folder, and a decision with every kind of hand.

A line leads to a decision, to a card that is to be named, or to the end of the hand. Figures of a decision are those of
`pokerlab spot --json`.
"""

from __future__ import annotations

from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import class_name
from pokerlab.errors import NoSuchTable, PokerlabError, shown
from pokerlab.page import action_colours
from pokerlab.reading import Stamp, stamp_of
from pokerlab.refine.spots.compare import VIEWS as COMPARED
from pokerlab.refine.spots.compare import compare
from pokerlab.refine.spots.locks import DEAL, find_node
from pokerlab.refine.spots.runouts import runouts
from pokerlab.refine.spots.saved import label_of
from pokerlab.refine.spots.solution import SpotSolution, load_spot_solution
from pokerlab.refine.spots.spot import line_words
from pokerlab.refine.spots.view import node_json

MOST_FILES = 200
_DECK = Deck()


def solutions() -> list[str]:
    """The solved spots of the current folder, by the names of their files."""
    return sorted(path.name for path in Path().glob("*.solution") if path.is_file())[:MOST_FILES]


def labelled() -> list[dict[str, Any]]:
    """The same, each with its board, the pot and how exploitable it is in per cent of that, where the file says so."""
    return [{"file": file} | _label(stamp_of(file)) for file in solutions()]


@lru_cache(maxsize=2 * MOST_FILES)
def _label(stamp: Stamp) -> dict[str, Any]:
    told: dict[str, Any] = {"board": "", "pot": None, "exploitability": None}
    with suppress(PokerlabError):  # one that is damaged says so when it is looked at
        board, pot, chips = label_of(stamp.path)
        told = {"board": _DECK.text(board), "pot": pot, "exploitability": None if chips is None else 100 * chips / pot}
    return told


def solution(file: str) -> SpotSolution:
    """A solved spot of the current folder."""
    if file not in solutions():
        raise NoSuchTable(f"there is no solved spot {shown(file)} in the folder of the server")
    return _load(stamp_of(file))


def spot_of(file: str) -> str:
    """The text of the spot that was solved."""
    return solution(file).spot.text()


def look(file: str, line: str) -> dict[str, Any]:
    """Where a line leads in a solved spot of the current folder."""
    solved = solution(file)
    where = {"file": file} | _place(solved, line)
    if where["kind"] != "decision":
        return where
    seen = solved.node(line)
    return where | {"node": node_json(seen), "colours": action_colours(seen.actions)}


def compared(before: str, after: str, line: str) -> dict[str, Any]:
    """Where a line leads in two of them, and how a decision differs; `changes` by kind of hand in per cent or chips."""
    first, second = solution(before), solution(after)
    where = {"before": before, "after": after} | _place(first, line)
    if where["kind"] != "decision":
        return where
    both = compare(first, second, line, names=(before, after))
    actions = list(both.frequencies())
    changes = {view: both.by_kind(view) for view in (*COMPARED, *both.actions)}
    kinds = {
        view: {class_name(kind): float(values[kind]) for kind in range(169) if not np.isnan(values[kind])}
        for view, values in changes.items()
    }
    told = both.summary() | {"before": before, "after": after}
    return where | told | {"changes": kinds, "colours": dict(zip(actions, action_colours(actions), strict=True))}


def cards_after(file: str, line: str) -> dict[str, Any]:
    """Every card that may come after a line that ends a street: what it is worth to both, and what is done then."""
    solution(file)
    return _runouts(stamp_of(file), line)


@lru_cache(maxsize=32)
def _runouts(stamp: Stamp, line: str) -> dict[str, Any]:
    told = runouts(_load(stamp), line, progress=False).summary()
    return told | {"colours": action_colours(told["actions"])}


def _place(solved: SpotSolution, line: str) -> dict[str, Any]:
    node, cards = find_node(solved.tree, line)
    board = [*solved.spot.board, *(card for card in cards if card is not None)]
    where = {"line": list(line_words(line)), "board": _DECK.text(board)}
    if node.kind == "deal":
        left = [card for card in range(len(_DECK)) if card not in board]
        return where | {"kind": DEAL, "cards": [_DECK.text((card,)) for card in left]}
    return where | ({"kind": "decision"} if node.kind == "decision" else {"kind": "end", "how": node.kind})


@lru_cache(maxsize=4)
def _load(stamp: Stamp) -> SpotSolution:
    return load_spot_solution(stamp.path)
