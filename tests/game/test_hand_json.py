"""Hands and views as JSON come back as they were, and what a seat may not know is not in them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerlab.errors import CardError, IllegalAction, PokerlabError
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import Hand, View, new_hand
from randomly import any_rules, hand_states

LEDUC, NO_LIMIT = rules_of("leduc"), rules_of("holdem-nolimit")


def through_json(told):
    return json.loads(json.dumps(told))


@given(any_rules(), st.integers(0, 2**32))
def test_random_hands_and_views_come_back(rules, seed):
    names = tuple(f"player {seat}" for seat in range(rules.players)) if seed % 2 else ()
    for state in hand_states(rules, seed):
        hand = state._replace(names=names)
        assert Hand.from_json(through_json(hand.as_json())) == hand
        for seat in range(rules.players):
            view = hand.view(seat)
            told = through_json(view.as_json())
            assert View.from_json(told) == view
            assert told["seat"] == seat
            assert (told["legal"] is None) == (view.legal is None)


@given(any_rules(), st.integers(0, 2**32))
def test_a_view_does_not_tell_what_is_hidden(rules, seed):
    for hand in hand_states(rules, seed):
        for seat in range(rules.players):
            told = hand.view(seat).as_json()
            shown = hand.betting.survivors if hand.finished and hand.betting.showdown else (seat,)
            for other, hole in enumerate(hand.holes):
                assert told["holes"][other] == (rules.deck.text(hole) if other in (seat, *shown) else "")
            # A view that is made from everything still shows the seat its own part only.
            assert View.from_json(hand.as_json() | {"seat": seat}) == hand.view(seat)


def test_what_a_page_needs_is_there():
    hand = new_hand(NO_LIMIT, ("Ann", "Bob")).deal((0, 1, 2, 3)).act(300)
    told = hand.view(0).as_json()
    assert told["names"] == ["Ann", "Bob"]
    assert (told["to_act"], told["pot"], told["spent"]) == (0, 400, [100, 300])
    assert told["legal"] == {"fold": True, "call": 200, "raises": {"least": 500, "most": 20000}}
    assert hand.view(1).as_json()["legal"] is None
    limit = new_hand(LEDUC).deal((0, 1)).view(0).as_json()
    assert limit["legal"] == {"fold": False, "call": 0, "raises": [3]}
    assert limit["names"] == []


@pytest.mark.parametrize(
    ("change", "kind", "message"),
    [
        ({"betting": "zz"}, IllegalAction, "cannot read betting"),
        ({"betting": "f"}, IllegalAction, "no bet to fold to"),
        ({"holes": ["Jh", "Jh"]}, CardError, "twice"),
        ({"holes": ["Jh"]}, PokerlabError, "2 names and hole cards"),
        ({"holes": ["JhQh", "Kh"]}, CardError, "1 hole cards or none"),
        ({"holes": 7}, PokerlabError, "no hand as JSON"),
        ({"names": ["one"]}, PokerlabError, "2 names"),
        ({"board": "KhKs"}, CardError, "does not fit"),
        ({"seat": "0"}, PokerlabError, "a seat"),
        ({"seat": 2}, PokerlabError, "no seat 2"),
    ],
)
def test_what_is_no_hand_is_refused(change, kind, message):
    told = new_hand(LEDUC).deal((0, 1)).view(0).as_json()
    with pytest.raises(kind, match=message):
        View.from_json(told | change)
    with pytest.raises(PokerlabError, match="no hand as JSON"):
        Hand.from_json({key: value for key, value in told.items() if key != "rules"})
