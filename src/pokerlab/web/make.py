"""Spots and ranges that are made in the page: it edits the file of a spot, and there is one language of ranges, here.

The page paints a kind of hand by a further piece at the end of a range's text (`AKs:0.5`), which overrides what stands
before it; what it is told back is the shortest text of the same.
"""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np

from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import COUNT, HOLES, class_name, classes
from pokerlab.cards.ranges import Range
from pokerlab.refine.spots.spot import parse_spot

_DECK = Deck()


def range_told(text: str) -> dict[str, Any]:
    """A range as plain JSON; `mixed` has the weight of each pair of cards of those kinds that are no single weight."""
    held = Range.parse(text)
    grid, kinds = held.grid().ravel(), classes()
    mixed = [kind for kind in range(169) if len(set(held.weights[kinds == kind].tolist())) > 1]
    return {
        "text": held.text(),
        "combos": held.combos,
        "part": held.combos / COUNT,
        "kinds": {class_name(kind): float(grid[kind]) for kind in range(169) if grid[kind]},
        "mixed": {
            class_name(kind): {
                _DECK.text(HOLES[hole][::-1]): float(held.weights[hole]) for hole in np.flatnonzero(kinds == kind)
            }
            for kind in mixed
        },
    }


def spot_told(text: str) -> dict[str, Any]:
    """A spot's file as it is understood, with every key, and its content."""
    understood = parse_spot(text).text()
    return {"text": understood, "data": tomllib.loads(understood)}
