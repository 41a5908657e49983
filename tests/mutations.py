"""Damaged copies of good input, and noise, to feed to parsers."""

from __future__ import annotations

import random
from collections.abc import Sequence

_TELLING = b"fcrpd|/:#;=[]'\"{},. -0123456789AKQJThsdc?\n\r\t\x00\xff"


def damaged(rng: random.Random, good: Sequence[bytes]) -> bytes:
    """One of the good inputs with one to four wounds; now and then nothing but noise."""
    if rng.random() < 0.05:
        return rng.randbytes(rng.randrange(80))
    data = bytearray(rng.choice(good))
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(7)
        if kind == 0:
            data[at:at] = bytes([rng.choice(_TELLING)])
        elif kind == 1:
            data[at : at + 1] = bytes([rng.choice(_TELLING)])
        elif kind == 2:
            del data[at : at + rng.choice((1, 1, 2, 10))]
        elif kind == 3:  # a piece is repeated
            data[at:at] = data[at : at + rng.choice((1, 2, 4, 30))]
        elif kind == 4:  # a piece of another good input
            other = rng.choice(good)
            start = rng.randrange(len(other) + 1)
            data[at : at + 4] = other[start : start + rng.randrange(12)]
        elif kind == 5:
            data[at:at] = rng.randbytes(rng.randrange(1, 4))
        else:
            data = data[:at]
    return bytes(data)
