"""The betting tree: sizes, limits, and the node counts of well-known trees."""

import pytest

from pokerlab.errors import SpotError
from pokerlab.refine.spots.tree import Sizes, Start, betting_tree, parse_sizes


def sizes(bet="50%, 100%, all-in", raise_="60%, all-in"):
    both = Sizes(parse_sizes(bet, "bets", facing=False), parse_sizes(raise_, "raises", facing=True))
    return {(street, player): both for street in range(3) for player in range(2)}


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
    assert labels(tree, "bet 33") == ("fold", "call", "raise 66", "raise 83")  # 63 becomes the least raise
    assert labels(tree, "bet 70") == ("fold", "call", "raise 140", "raise 175")
    tree = betting_tree(Start(2, 100, 1000), sizes("33%", "120c"))
    assert labels(tree, "bet 33") == ("fold", "call", "raise 153")


def test_half_chips_round_up_and_equal_actions_are_one():
    tree = betting_tree(Start(2, 5, 1000), sizes("50%, 60%, 3c", "100%"))
    assert labels(tree) == ("check", "bet 3")


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
        tree = betting_tree(deep, sizes("100%", "100%"), max_raises=most)
        assert max(sum(word.startswith("raise") for word in tree.line(node.index)) for node in tree) == most


def test_starting_within_a_street():
    tree = betting_tree(Start(2, 100, 500, (50, 150), 0), sizes("100%", "100%"))
    assert labels(tree) == ("fold", "call", "all-in")  # 150 + 400 is over the stack
    tree = betting_tree(Start(2, 100, 5000, (50, 150), 0), sizes("100%", "50%"))
    assert labels(tree) == ("fold", "call", "raise 350")
    tree = betting_tree(Start(2, 100, 500, (0, 0), 1, True), sizes("100%", "100%"))
    assert labels(tree) == ("check", "bet 100")
    assert tree[tree[0].children[0]].kind == "showdown"


def test_streets_follow_each_other():
    tree = betting_tree(Start(0, 10, 10_000), sizes("100%", ""))
    assert tree.line(max(node.index for node in tree))
    lines = {", ".join(tree.line(node.index)) for node in tree if node.kind == "showdown"}
    assert "check, check, deal, check, check, deal, check, check" in lines
    assert "bet 10, call, deal, check, bet 30, call, deal, bet 90, call" in lines


@pytest.mark.parametrize("text", ["0%", "-50%", "half", "50", "%", "0c", "50%%"])
def test_sizes_that_make_no_bet(text):
    with pytest.raises(SpotError, match="river bet"):
        parse_sizes(text, "river bet", facing=False)


def test_multiples_are_for_raises():
    with pytest.raises(SpotError, match="no bet to multiply"):
        parse_sizes("3x", "river bet", facing=False)
    with pytest.raises(SpotError, match="no legal bet"):
        parse_sizes("1x", "river raise", facing=True)


def test_sizes_below_a_chip():
    with pytest.raises(SpotError, match="10% makes no legal bet where the pot is 4"):
        betting_tree(Start(2, 4, 100), sizes("10%", ""))


def test_trees_without_end():
    with pytest.raises(SpotError, match="more than"):
        betting_tree(Start(0, 10, 10**9), sizes("20%, 50%, 100%", "20%, 50%, 100%"))
