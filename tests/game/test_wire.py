"""Cards as the competition names them: the same numbers under other names, both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerlab.cards.deck import Deck
from pokerlab.errors import CardError
from pokerlab.game.catalog import rules_of
from pokerlab.game.wire import own_names, wire_cards, wire_rules
from randomly import any_rules, hand_states

LEDUC = rules_of("leduc")


def test_the_competitions_names():
    assert wire_rules(LEDUC).deck == Deck("QKA", "hs")
    assert wire_rules(rules_of("kuhn-3p")).deck == Deck("JQKA", "s")
    assert wire_rules(rules_of("leduc:ranks=4,suits=3")).deck == Deck("JQKA", "dhs")
    assert wire_rules(LEDUC).stacks == LEDUC.stacks
    holdem = rules_of("holdem-limit")
    assert wire_rules(holdem) == holdem  # they are its own


def test_names_both_ways():
    assert own_names(LEDUC, "Qh|Ks/As") == "Jh|Qs/Ks"
    assert own_names(LEDUC, "|Ah") == "|Kh"
    assert own_names(rules_of("holdem-limit"), "Qh Ks") == "Qh Ks"  # not looked at
    with pytest.raises(CardError, match=r"cards 'Qh Ks': no spaces are allowed"):
        own_names(LEDUC, "Qh Ks")
    with pytest.raises(CardError, match="J"):
        own_names(LEDUC, "Jh|Qs")


@given(any_rules(), st.integers(0, 2**32))
def test_every_hand_comes_back(rules, seed):
    for hand in hand_states(rules, seed):
        assert own_names(rules, wire_cards(hand)) == hand.cards_text()
        for seat in range(rules.players):
            view = hand.view(seat)
            assert own_names(rules, wire_cards(view)) == view.cards_text()
