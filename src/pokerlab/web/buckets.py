"""Card abstractions on the chart: the bucket of every hand on a board, and what the buckets are.

Those that there are lie in the current folder as files, or in the cache folder, where building keeps them. The figures
are those of `pokerlab buckets show --hand`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from pokerlab.abstraction.buckets.build import built, cached_path, not_built
from pokerlab.abstraction.buckets.lookup import SIZES, CardAbstraction, load_buckets, spec_in
from pokerlab.abstraction.buckets.one_hand import DIGITS, board_of, bucket_rows
from pokerlab.abstraction.buckets.report import describe
from pokerlab.abstraction.buckets.spec import NAMED, Spec, parse_spec
from pokerlab.cards.deck import STREETS, Deck
from pokerlab.cards.holes import HOLES, class_name, classes
from pokerlab.cards.preflop import preflop_tables
from pokerlab.cards.strength import all_expected
from pokerlab.errors import PokerlabError
from pokerlab.page import scale_colour
from pokerlab.reading import Stamp, stamp_of
from pokerlab.registry import without_own_code

MOST_FILES = 50
_loading = Lock()  # hundreds of megabytes each: one at a time


def abstractions() -> list[dict[str, Any]]:
    """Those that can be looked at: `cards` is the file or spec to ask for, with its `recall` and `seed`."""
    told = []
    for file in _files():
        with suppress(PokerlabError):  # one that is damaged says so when it is asked for by its name
            told.append(_told(file, spec_in(file)))
    names = {parse_spec(name): name for name in NAMED}
    with without_own_code():
        return told + [_told(names.get(replace(spec, seed=1), spec.text), spec) for spec in built()]


def _files() -> list[str]:
    return sorted(path.name for path in Path().glob("*.buckets") if path.is_file())[:MOST_FILES]


def _told(cards: str, spec: Spec) -> dict[str, Any]:
    return {"cards": cards, "spec": spec.text, "recall": spec.recall, "seed": spec.seed}


def buckets_on(name: str, recall: str | None, seed: int, board: str) -> dict[str, Any]:
    """The bucket of every hand on a board, and the `buckets` with hands there from the weakest to the strongest.

    `name` is a file of the folder or a spec that was built. A bucket's `strength` is the mean of its hands' here.
    """
    shown = board_of(board)
    cards = _cards(name, recall, seed)
    street = SIZES.index(len(shown))
    numbers = cards.board_buckets(shown)
    some = np.flatnonzero(numbers >= 0)
    strengths = _strengths(shown)[some]
    here, which, hands = np.unique(numbers[some], return_inverse=True, return_counts=True)
    means = np.bincount(which, strengths) / hands
    order = np.argsort(means, kind="stable")
    rows = bucket_rows(cards, street, here[order].tolist())
    for place, (row, number) in enumerate(zip(rows, order, strict=True)):
        part = place / max(1, len(order) - 1)
        colour = "#{:02x}{:02x}{:02x}".format(*scale_colour(part))
        row |= {"hands": int(hands[number]), "strength": round(float(means[number]), DIGITS), "colour": colour}
    deck, kinds = Deck(), classes()[some].tolist()
    return describe(cards) | {
        "cards": name, "board": deck.text(shown), "street": STREETS[street], "count": cards.counts[street],
        "here": rows,
        "combos": {
            "hand": [deck.text(hole[::-1]) for hole in HOLES[some].tolist()],
            "kind": [class_name(kind) for kind in kinds],
            "bucket": numbers[some].tolist(), "strength": [round(strength, DIGITS) for strength in strengths.tolist()],
        },
    }  # fmt: skip


def _strengths(board: tuple[int, ...]) -> np.ndarray:
    """E[HS] of all 1,326 hands."""
    return all_expected(board, progress=False)[0] if board else preflop_tables()[0][classes()]


def _cards(name: str, recall: str | None, seed: int) -> CardAbstraction:
    if name in _files():
        stamp = stamp_of(name)
    else:
        with without_own_code():
            spec = parse_spec(name, perfect_recall=None if recall is None else recall == "perfect", seed=seed)
            stamp = stamp_of(cached_path(spec))
        if not stamp.size:
            raise not_built(name, spec)
    with _loading:
        return _load(stamp)


@lru_cache(maxsize=2)
def _load(stamp: Stamp) -> CardAbstraction:
    return load_buckets(stamp.path)
