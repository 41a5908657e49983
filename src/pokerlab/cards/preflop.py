"""Hold'em hands before the flop: their chances against a random hand, and the part of all hands that they beat.

The table was computed with `showdown_equity` (five minutes); a test computes some of its entries again.
"""

from __future__ import annotations

from functools import lru_cache

# Ten-thousandths, ties half; rows and columns are ranks from 2 to A, suited hands below the diagonal.
_TABLE = """
5033 3230 3320 3428 3408 3458 3683 3910 4167 4435 4730 5051 5493
3598 5369 3515 3626 3608 3660 3748 4002 4259 4528 4822 5143 5584
3683 3864 5702 3816 3801 3855 3945 4067 4350 4619 4913 5233 5673
3785 3969 4145 6032 3994 4051 4143 4267 4425 4718 5012 5331 5770
3767 3953 4133 4313 6328 4232 4324 4449 4609 4784 5102 5422 5768
3816 4004 4185 4368 4537 6624 4505 4630 4791 4968 5177 5519 5884
4027 4087 4270 4454 4624 4794 6916 4810 4972 5149 5360 5602 5987
4242 4326 4386 4572 4743 4912 5080 7206 5153 5325 5536 5781 6077
4484 4569 4653 4722 4894 5064 5233 5403 7501 5525 5729 5974 6272
4738 4823 4907 4999 5061 5232 5402 5566 5753 7747 5813 6057 6356
5017 5102 5186 5277 5361 5430 5602 5766 5947 6026 7993 6146 6443
5321 5405 5488 5579 5664 5754 5831 5999 6179 6257 6340 8240 6532
5738 5822 5903 5992 5991 6098 6194 6278 6460 6539 6621 6704 8520
"""
_EQUITY = [[int(word) / 10_000 for word in line.split()] for line in _TABLE.split("\n") if line]


def preflop_equity(hole: tuple[int, int]) -> float:
    """The expected share of the pot against a random hand, all five cards to come."""
    low, high = sorted(card // 4 for card in hole)
    return _EQUITY[high][low] if hole[0] % 4 == hole[1] % 4 else _EQUITY[low][high]


@lru_cache(maxsize=2048)
def preflop_percentile(hole: tuple[int, int]) -> float:
    """The part of all 1,326 hands with less equity, equals half: 0 to 1, uniform over random hands."""
    mine, below = preflop_equity(hole), 0.0
    for i, row in enumerate(_EQUITY):
        for j, theirs in enumerate(row):
            combos = 6 if i == j else 4 if i > j else 12
            below += combos * (1.0 if theirs < mine else 0.5 if theirs == mine else 0.0)
    return below / 1326
