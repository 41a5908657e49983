"""Slow, obvious twins of what the library does cleverly; tests compare the two."""

from __future__ import annotations

from fractions import Fraction


def payoffs_chip_by_chip(spent: tuple[int, ...], strengths: dict[int, tuple[int, ...]]) -> list[Fraction]:
    """Net chips per seat: each seat's k-th chip goes to the best survivors who also put in a k-th chip.

    `strengths` has the seats that did not fold.
    """
    net = [Fraction(-chips) for chips in spent]
    for k in range(1, max(spent) + 1):
        contributors = [seat for seat, chips in enumerate(spent) if chips >= k]
        best = max(strengths[seat] for seat in contributors if seat in strengths)
        winners = [seat for seat in contributors if strengths.get(seat) == best]
        for seat in winners:
            net[seat] += Fraction(len(contributors), len(winners))
    return net
