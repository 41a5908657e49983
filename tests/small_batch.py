"""A template of rivers that are soon solved, boards to put it on, and what reports of it have in common."""

import numpy as np

TEMPLATE = """pot = 200
stacks = 300
[oop]
range = "99-66, AQ, KQs:0.5"
[ip]
range = "AA-TT, AKs, QJs:0.25"
[bets]
bet = "50%"
raise = "all-in"
"""
BOARDS = "Qs Jh 2h 4c 7d, As 5d 5c 2s 8c: 2, Kd 3h 2h 4h 5h, 6s 6h 7c Td 9h: 0.5"


def same(one, other):
    """Two reports are the same but for time."""
    (mine, arrays), (theirs, others) = one.stored(), other.stored()
    mine.pop("seconds"), theirs.pop("seconds")
    assert mine == theirs
    assert arrays.keys() == others.keys()
    for key, array in arrays.items():
        np.testing.assert_array_equal(array, others[key])
