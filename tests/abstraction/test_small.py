"""Abstractions of small games: text, buckets, refinement."""

import pytest

import pokerlab
from pokerlab.abstraction import small
from pokerlab.abstraction.small import parse_abstraction, parse_player
from pokerlab.errors import AbstractionError
from pokerlab.game.deals import deals_of

LEDUC, NOLIMIT = pokerlab.rules_of("leduc"), pokerlab.rules_of("leduc-nl")


def groups(text, rules=LEDUC):
    """The private states of each round, as groups of labels."""
    deals = deals_of(rules)
    found = []
    for states, buckets in zip(deals.states, parse_player(text, rules).buckets(deals), strict=True):
        rows = {}
        for state, bucket in zip(states, buckets, strict=True):
            rows.setdefault(int(bucket), []).append(deals.label(state))
        found.append(sorted(",".join(row) for row in rows.values()))
    return found


def test_partitions_of_the_paper():
    assert groups("JQ.K") == [["J,Q", "K"], ["J/J,Q/Q", "J/Q,J/K,Q/J,Q/K", "K/J,K/Q", "K/K"]]
    assert groups("JQK")[1] == ["J/J,Q/Q,K/K", "J/Q,J/K,Q/J,Q/K,K/J,K/Q"]
    assert groups("FULL")[1] == sorted(f"{a}/{b}" for a in "JQK" for b in "JQK")
    assert groups("J.Q.K/J.Q.K") == groups("FULL")


def test_board_groups_and_forgetting():
    assert groups("J.QK/JQ.K")[1] == ["J/J,J/Q", "J/K", "Q/J,Q/Q,K/J,K/Q", "Q/K,K/K"]
    assert groups("J.Q.K/~pair.nopair")[1] == ["J/J,Q/Q,K/K", "J/Q,J/K,Q/J,Q/K,K/J,K/Q"]


def test_any_leduc_like_deck():
    rules = pokerlab.rules_of("leduc:ranks=13,suits=4")
    game = pokerlab.compile(rules, "2345.678.9TJ.QKA-FULL")
    assert game.X.sequences == 1 + 7 * 4 + 5 * 7 * 8
    assert game.Y.sequences == 6007
    kuhn = pokerlab.compile("kuhn:ranks=5", "9T.JQ.K")
    assert kuhn.X.infosets == 6


def test_bet_sizes_limit_only_their_player():
    def sizes(game, player):
        return max(int(k) for k in game.trees[player].blocks.k)

    game = pokerlab.compile("leduc-nl", "pa-FULL")
    full = pokerlab.compile("leduc-nl")
    assert sizes(game, 0) == 4  # fold, call, pot, all-in
    assert 4 < sizes(game, 1) <= sizes(full, 1)
    both = pokerlab.compile("leduc-nl", "JQ.K+pa-hpda")
    assert both.X.sequences < pokerlab.compile("leduc-nl", "pa-hpda").X.sequences


@pytest.mark.parametrize(
    ("finer", "coarser", "expected"),
    [
        ("J.Q.K", "JQ.K", True),
        ("JQ.K", "J.Q.K", False),
        ("JQ.K", "J.QK", False),
        ("FULL", "J.Q.K", True),
        ("J.Q.K", "FULL", False),
        ("J.Q.K-JQ.K", "JQ.K-JQK", True),
        ("J.Q.K-JQK", "JQ.K-JQ.K", False),
        ("FULL", "J.Q.K/J.Q.K", True),
        ("J.Q.K/J.Q.K", "FULL", True),
        ("J.Q.K", "J.Q.K/~pair.nopair", True),
    ],
)
def test_refinement(finer, coarser, expected):
    assert pokerlab.refines(finer, coarser, LEDUC) is expected


def test_refinement_of_bets():
    assert pokerlab.refines("hpda", "pa", NOLIMIT)
    assert not pokerlab.refines("pa", "hpa", NOLIMIT)
    assert pokerlab.refines("FULL", "hpda", NOLIMIT)
    assert not pokerlab.refines("hpda", "FULL", NOLIMIT)
    assert pokerlab.refines("hpda", "JQ.K+hpda", NOLIMIT)


@pytest.mark.parametrize(
    ("text", "rules", "message"),
    [
        ("J.Q", LEDUC, "rank 'K' is in no group"),
        ("J.Q.K.A", LEDUC, "no rank 'A'"),
        ("JQ.QK", LEDUC, "in two groups"),
        ("J..QK", LEDUC, "a group is empty"),
        ("", LEDUC, "empty part"),
        ("JQ.K-FULL-FULL", LEDUC, "names 3 players"),
        ("JQ.K/pair.nopair/pair.nopair", LEDUC, "deals 2 times"),
        ("hpda", LEDUC, "is limit"),
        ("JQ.K", pokerlab.rules_of("holdem-limit"), "one card at a time"),
    ],
)
def test_what_does_not_fit_is_refused(text, rules, message):
    with pytest.raises(AbstractionError, match=message):
        parse_abstraction(text, rules)


def test_a_board_dealt_with_the_hole_cards_is_seen_too(tmp_path):
    text = pokerlab.rules_of("leduc").text().replace("numBoardCards = 0 1", "numBoardCards = 1 0")
    rules = pokerlab.parse_rules(text)
    assert groups("JQ.K", rules) == [groups("JQ.K")[1]] * 2
    assert groups("FULL", rules) == [groups("FULL")[1]] * 2


def test_a_named_abstraction_tells_apart_what_its_function_does(monkeypatch):
    monkeypatch.setitem(
        small.ABSTRACTIONS._rows, "kings", lambda cards: ("K" in cards[0], len(set(cards)) < len(cards))
    )
    named, written = pokerlab.compile("leduc", "kings-FULL"), pokerlab.compile("leduc", "JQ.K-FULL")
    assert [tree.infosets for tree in named.trees] == [tree.infosets for tree in written.trees]
    assert pokerlab.solve(named, "lp").value == pytest.approx(pokerlab.solve(written, "lp").value, abs=1e-9)
    assert not named.origin.abstraction.is_full
    assert pokerlab.refines("FULL", "kings", pokerlab.rules_of("leduc"))
    with pytest.raises(AbstractionError, match="no rank 'k'"):
        pokerlab.compile("leduc", "kinks-FULL")


def test_a_named_abstraction_remembers_what_it_saw_before(monkeypatch):
    """Only the board counts in round two: its buckets still know whether the hole card was a King."""
    monkeypatch.setitem(small.ABSTRACTIONS._rows, "newest", lambda cards: "K" in cards[-1])
    buckets = parse_player("newest", LEDUC).buckets(deals_of(LEDUC))
    assert [len(set(row.tolist())) for row in buckets] == [2, 4]
