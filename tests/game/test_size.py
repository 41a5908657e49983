"""How large games are, against counting every node of small ones."""

from dataclasses import replace
from math import comb

import pytest

from pokerlab.game.bet_sizes import parse_sizes
from pokerlab.game.betting import start_betting
from pokerlab.game.catalog import CATALOG, rules_of
from pokerlab.game.deals import deals_of
from pokerlab.game.rules import UNLIMITED_STACK
from pokerlab.game.size import _betting_nodes, _short, _states, catalog_sizes, size_lines, tree_nodes

ROWS = {row["game"]: row for row in catalog_sizes()}


def every_node(rules):
    """Decisions and ends by round, one by one."""
    decisions, ends = [0] * rules.rounds, [0] * rules.rounds
    stack = [start_betting(rules)]
    while stack:
        state = stack.pop()
        (ends if state.finished else decisions)[state.round] += 1
        if not state.finished:
            stack += [state.act(action) for action in state.legal().actions()]
    return decisions, ends


GAMES = ["kuhn", "kuhn-3p", "leduc", "leduc-nl", "leduc:stack=6", "holdem-limit:raises=1", "holdem-limit-3p:raises=1",
         "rhode-island:raises=2"]  # fmt: skip


@pytest.mark.parametrize("game", GAMES)
def test_betting_and_tree_one_by_one(game):
    rules = rules_of(game)
    decisions, ends = every_node(rules)
    assert _betting_nodes(rules) == (decisions, ends)
    left, ways, total = len(rules.deck), 1, 0
    for cards in [rules.hole_cards] * rules.players:
        ways, left = ways * comb(left, cards), left - cards
    for r, cards in enumerate(rules.board_cards):
        ways, left = ways * comb(left, cards), left - cards
        total += ways * (decisions[r] + ends[r])
    assert tree_nodes(rules) == total


@pytest.mark.parametrize("sizes", ["25 100", "30 75 300", "2c 50", "2x 3x"])
def test_betting_without_stacks_one_by_one(sizes):
    """Bets that are fractions of the pot, or of a bet, come to the least one sooner or later."""
    changes = {"stacks": (UNLIMITED_STACK,) * 2, "max_raises": (3, 3), "bet_sizes": parse_sizes(sizes)}
    rules = replace(rules_of("leduc-nl"), **changes)
    assert _betting_nodes(rules) == every_node(rules)


def test_private_states():
    assert _states(rules_of("leduc")) == [3, 9]
    assert _states(rules_of("rhode-island:ranks=4")) == [
        len(row) for row in deals_of(rules_of("rhode-island:ranks=4")).states
    ]
    # Too many to enumerate up to suits: all of them.
    assert _states(rules_of("holdem-limit")) == [
        comb(52, 2), comb(52, 2) * comb(50, 3), comb(52, 2) * comb(50, 3) * 47, comb(52, 2) * comb(50, 3) * 47 * 46,
    ]  # fmt: skip


def test_the_catalogue():
    assert list(ROWS) == list(CATALOG)
    leduc = {"game": "leduc", "about": "Leduc hold'em, limit", "players": 2, "cards": 6, "betting_nodes": 36,
             "infosets": 288, "tree_nodes": 9300}  # fmt: skip
    assert ROWS["leduc"] == leduc
    assert ROWS["kuhn-3p"]["players"] == 3
    assert ROWS["leduc"]["infosets"] == 6 * 3 + 30 * 9
    assert ROWS["holdem-limit-3p"]["betting_nodes"] == 9_711_806
    nolimit = ROWS["holdem-nolimit"]
    assert (nolimit["betting_nodes"], nolimit["infosets"], nolimit["tree_nodes"]) == (None, None, None)


def test_lines():
    rows = [ROWS["leduc"], ROWS["holdem-limit"], ROWS["holdem-nolimit"]]
    head, leduc, limit, nolimit, *legend = size_lines(rows)
    assert head.split() == ["game", "players", "betting", "nodes", "infosets", "game", "tree", "what", "it", "is"]
    assert leduc == f"{'leduc':<17} {2:>7} {36:>14} {288:>10} {'9,300':>9}  Leduc hold'em, limit"
    assert limit.split()[:5] == ["holdem-limit", "2", "6,378", "3.2e+14", "8.5e+17"]
    assert nolimit.split()[:5] == ["holdem-nolimit", "2", "-", "-", "-"]
    assert len(legend) == 2


def test_short_numbers():
    assert [_short(n, 3) for n in (None, 0, 999, 1000, 12345)] == ["-", "0", "999", "1.0e+03", "1.2e+04"]
