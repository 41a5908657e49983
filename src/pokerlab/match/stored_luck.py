"""Luck taken out of stored hands: what those that were all-in before the last cards pay on average over these cards."""

from __future__ import annotations

from collections.abc import Iterator

from pokerlab.match.variance import all_in_equity
from pokerlab.progress import Bar
from pokerlab.records.store import HandStore


def all_in_payoffs(store: HandStore) -> Iterator[tuple[int, int, float]]:
    """Expected chips, as (hand, position, chips), of hands all-in early whose cards are known; others have none.

    Hands whose payoffs are not those of the cards (`adjusted`) stay as they are.
    """
    all_ins = list(store.all_ins())
    with Bar("hands all-in early") as bar:
        for done, (number, record) in enumerate(all_ins):
            hand = record.hand
            bar.show(done / len(all_ins), f"{done:,} of {len(all_ins):,}")
            if record.adjusted or not all(hand.holes[seat] for seat in hand.betting.survivors):
                continue
            for seat, chips in enumerate(all_in_equity(hand)):
                yield number, seat, float(chips)
