"""The betting tree: sizes, limits, and the node counts of well-known trees."""

from dataclasses import replace

import pytest

from pokerlab.errors import SpotError
from pokerlab.refine.spots.tree import Sizes, Start, betting_tree


def sizes(bet="50%, 100%, all-in", raise_="60%, all-in"):
    return {(street, player): Sizes.parse(bet, raise_) for street in range(3) for player in range(2)}


def labels(tree, *line):
    node = tree[0]
    for word in line:
        node = tree[node.children[node.labels.index(word)]]
    return node.labels


@pytest.mark.parametrize(("street", "decisions", "terminals"), [(2, 24, 45), (1, 136, 225)])
def test_counts_of_the_peers(street, decisions, terminals):
    tree = betting_tree(Start(street, 200, 900), sizes())
    assert (tree.decisions, tree.terminals) == (decisions, terminals)


def test_amounts():
    tree = betting_tree(Start(2, 200, 900), sizes())
    assert labels(tree) == ("check", "bet 100", "bet 200", "all-in")
    assert labels(tree, "bet 100") == ("fold", "call", "raise 340", "all-in")
    assert labels(tree, "bet 100", "raise 340") == ("fold", "call", "raise 868", "all-in")
    assert labels(tree, "bet 100", "raise 340", "raise 868") == ("fold", "call", "all-in")
    assert labels(tree, "all-in") == ("fold", "call")
    assert labels(tree, "check", "check") == ()


def test_other_units():
    tree = betting_tree(Start(2, 100, 1000), sizes("33%, 70c", "2.5x, 30c"))
    assert labels(tree) == ("check", "bet 33", "bet 70")
    assert labels(tree, "bet 33") == ("fold", "call", "raise 66", "raise 82")  # 63 becomes the least raise
    assert labels(tree, "bet 70") == ("fold", "call", "raise 140", "raise 175")
    tree = betting_tree(Start(2, 100, 1000), sizes("33%", "120c"))
    assert labels(tree, "bet 33") == ("fold", "call", "raise 153")


def test_half_chips_round_down_and_equal_actions_are_one():
    tree = betting_tree(Start(2, 5, 1000), sizes("50%, 60%, 3c", "100%"))
    assert labels(tree) == ("check", "bet 2", "bet 3")
    assert labels(tree, "bet 2") == ("fold", "call", "raise 11")  # the odd chip of the pot counts


def test_half_chips_of_old_round_up():
    tree = betting_tree(Start(2, 5, 1000), sizes("~50%, ~60%, 3c", "~50%"))
    assert labels(tree) == ("check", "bet 3")
    assert labels(tree, "bet 3") == ("fold", "call", "raise 9")


def test_the_blind_is_the_least_bet():
    tree = betting_tree(Start(1, 200, 900, blind=100), sizes("10%, 50%, 75%", "10%"))
    assert labels(tree) == ("check", "bet 100", "bet 150")
    assert labels(tree, "bet 100", "call", "deal") == ("check", "bet 100", "bet 200", "bet 300")
    assert labels(tree, "bet 150") == ("fold", "call", "raise 300")


def test_bets_over_the_stack_become_all_in():
    tree = betting_tree(Start(2, 100, 60), sizes("50%, 100%", "100%"))
    assert labels(tree) == ("check", "bet 50", "all-in")
    assert labels(tree, "bet 50") == ("fold", "call", "all-in")


def test_all_in_before_the_river_is_a_showdown_without_betting():
    tree = betting_tree(Start(1, 100, 60), sizes("100%", "100%"))
    called = tree[tree[tree[0].children[1]].children[1]]
    assert (called.kind, called.street, called.put) == ("showdown", 1, (60, 60))


def test_limit_of_raises():
    deep = Start(2, 2, 10**6)
    for most in range(4):
        tree = betting_tree(replace(deep, max_raises=most), sizes("100%", "100%"))
        assert max(sum(word.startswith("raise") for word in tree.line(node.index)) for node in tree) == most


def test_starting_within_a_street():
    tree = betting_tree(Start(2, 100, 500, (50, 150), 0), sizes("100%", "100%"))
    assert labels(tree) == ("fold", "call", "all-in")  # 150 + 400 is over the stack
    tree = betting_tree(Start(2, 100, 5000, (50, 150), 0), sizes("100%", "50%"))
    assert labels(tree) == ("fold", "call", "raise 350")
    tree = betting_tree(Start(2, 100, 500, (0, 0), 1), sizes("100%", "100%"))
    assert labels(tree) == ("check", "bet 100")
    assert tree[tree[0].children[0]].kind == "showdown"


def test_streets_follow_each_other():
    tree = betting_tree(Start(0, 10, 10_000), sizes("100%", ""))
    assert tree.line(max(node.index for node in tree))
    lines = {", ".join(tree.line(node.index)) for node in tree if node.kind == "showdown"}
    assert "check, check, deal, check, check, deal, check, check" in lines
    assert "bet 10, call, deal, check, bet 30, call, deal, bet 90, call" in lines


@pytest.mark.parametrize("text", ["0%", "-50%", "half", "%", "0c", "50%%"])
def test_sizes_that_make_no_bet(text):
    with pytest.raises(SpotError, match="river bet"):
        Sizes.parse(text, "", "river")
    with pytest.raises(SpotError, match="river raise"):
        Sizes.parse("50%", text, "river")


def test_multiples_are_for_raises():
    with pytest.raises(SpotError, match="no bet to multiply"):
        Sizes.parse("3x", "", "river")
    with pytest.raises(SpotError, match="no legal bet"):
        Sizes.parse("50%", "1x", "river")


def test_sizes_below_a_chip():
    with pytest.raises(SpotError, match="10% makes no legal bet where the pot is 4"):
        betting_tree(Start(2, 4, 100), sizes("10%", ""))
    tree = betting_tree(Start(2, 4, 100), sizes("15%", "1.1x"))
    assert labels(tree) == ("check", "bet 1")
    assert labels(tree, "bet 1") == ("fold", "call", "raise 2")


def test_trees_without_end(monkeypatch):
    monkeypatch.setattr("pokerlab.refine.spots.tree.MAX_NODES", 10_000)
    with pytest.raises(
        SpotError, match="more than 10,000 nodes: give fewer bet sizes, max_raises or smaller stacks, or"
    ):
        betting_tree(Start(0, 10, 10**9), sizes("20%, 50%, 100%", "20%, 50%, 100%"))
