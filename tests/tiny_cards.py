"""A card abstraction of the house that takes no time to build: 169 hands before the flop, one bucket after it."""

from __future__ import annotations

import numpy as np

from pokerlab.abstraction.buckets.kernels import Lookup
from pokerlab.abstraction.buckets.lookup import DEALS, CardAbstraction
from pokerlab.abstraction.buckets.spec import parse_spec
from pokerlab.cards.holes import HOLES
from pokerlab.cards.isomorphism import isomorphism


def tiny_cards() -> CardAbstraction:
    hands = isomorphism((2,))
    spec = parse_spec("169/percentile:1/percentile:1/percentile:1", perfect_recall=False)
    zeros = [np.zeros(size, np.uint32) for size in (1_286_792, 13_960_050)]
    lookup = Lookup(
        np.array([False]), np.arange(169, dtype=np.uint32), *zeros, np.zeros(1, np.int32), np.zeros((1, 0), np.int32),
        hands.indices(HOLES).astype(np.int16),
    )  # fmt: skip
    before = hands.multiplicities(np.arange(169)).astype(np.int64)
    return CardAbstraction(
        spec=spec,
        counts=(169, 1, 1, 1),
        lookup=lookup,
        parents=(),
        deals=(before, *(np.array([n]) for n in DEALS[0][1:])),
    )
