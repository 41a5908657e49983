"""Flops up to suits and their words, against all 22,100 flops one by one."""

from collections import Counter
from itertools import combinations

import pytest

from pokerlab.cards.deck import Deck
from pokerlab.cards.flops import KINDS, every_flop, flops_with, texture_of
from pokerlab.errors import CardError

DECK = Deck()


def naive_texture(text):
    """From the text, by other means: sets and a list of all straights."""
    ranks, suits = {*text[::2]}, {*text[1::2]}
    order = "A23456789TJQKA"
    straights = [{*order[i : i + 5]} for i in range(10)]
    near = [{*order[i : i + 3]} for i in range(12)]
    names = dict(zip("AKQJT98765432", KINDS["high"], strict=True))
    connected = (
        "connected"
        if len(ranks) == 3 and any(ranks <= straight for straight in straights)
        else "semi-connected"
        if any(len(ranks & three) > 1 for three in near)
        else "disconnected"
    )
    return (
        {1: "monotone", 2: "two-tone", 3: "rainbow"}[len(suits)],
        {1: "trips", 2: "paired", 3: "unpaired"}[len(ranks)],
        next(names[rank] for rank in "AKQJT98765432" if rank in ranks),
        connected,
    )


def test_flops_up_to_suits_count_for_all_flops():
    every = every_flop()
    assert len(every.boards) == 1755
    assert every.weights.sum() == 22_100
    assert {*every.weights} == {4, 12, 24}
    of_all = Counter(texture_of(flop) for flop in combinations(range(52), 3))
    of_some = Counter()
    for board, weight in zip(every.boards, every.weights, strict=True):
        of_some[texture_of(board)] += weight
    assert of_all == of_some


def test_words_are_what_the_cards_say():
    for flop in every_flop().boards:
        assert texture_of(flop) == naive_texture(DECK.text(flop)), DECK.text(flop)


def test_the_order_of_cards_and_later_ones_do_not_matter():
    flop = DECK.cards("2h As 4s")
    assert texture_of(flop) == texture_of(flop[::-1]) == texture_of((*flop, *DECK.cards("As 5c")[1:]))
    assert texture_of(flop) == ("two-tone", "unpaired", "ace-high", "connected")


def test_flops_by_words():
    monotone = flops_with("monotone ace-high")
    assert len(monotone.boards) == 66
    assert {*monotone.weights} == {4}
    assert len(flops_with("trips").boards) == 13
    either = flops_with("monotone, ace-high king-high")
    assert len(either.boards) == 66 + 55
    with pytest.raises(CardError, match="no word for flops: 'purple'; there are rainbow, two-tone"):
        flops_with("monotone purple")
    with pytest.raises(CardError, match="no flop is monotone paired"):
        flops_with("monotone paired")
