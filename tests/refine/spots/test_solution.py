"""Walking a solution: strategies and values of hands at nodes, against the naive twin; its file; the chart."""

import re

import numpy as np
import pytest

from naive_spots import NaiveSpot
from pokerlab.cards.chart import legend_lines, mixed_cells, symbols
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import HOLES, compatible
from pokerlab.errors import SpotError
from pokerlab.page import action_colours
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.solution import load_spot_solution
from pokerlab.refine.spots.view import chart, grid_lines, node_json
from pokerlab.terminal import Piece, painted, plain
from random_spots import random_spot, spot_of


@pytest.fixture(scope="module")
def river():
    return solve_spot(spot_of("Qs Jh 2h 4c 7d", ("random", "AA-22,AK,AQ,KQ,J9s"), bet="50%, 100%"), iterations=60)


@pytest.fixture(scope="module")
def turn():
    spot = spot_of("As Ks 7s 2s", ("AA,KK,QJs,76s,AcQd", "QQ,JJ,AK,87s"), bet="75%", raise_="all-in")
    return solve_spot(spot, iterations=40)


def twin(found, boards):
    """The naive twin with the solution's average strategies, on all boards that are asked for."""
    naive = NaiveSpot(found.spot)
    for node in naive.tree:
        if node.kind == "decision":
            for board in boards if node.street > found.spot.street else [found.spot.board]:
                dealt = iter([Deck().text([card]) for card in board[len(found.spot.board) :]])
                line = [next(dealt) if word == "deal" else word for word in naive.tree.line(node.index)]
                here = found.node(line)
                table = np.full((len(node.labels), len(naive.holes[node.player])), 1.0)
                table[:, np.searchsorted(naive.holes[node.player], here.hands)] = here.strategy.T
                naive.average[node.index, board] = table
    return naive


def test_values_of_every_node_of_a_river(river):
    naive = twin(river, [])
    for player in range(2):
        naive.walk(player, "expect")
    for node in naive.tree:
        if node.kind == "decision":
            here = river.node(naive.tree.line(node.index))
            met = compatible(here.weights(1 - node.player))[here.hands]
            earned = naive.values[node.index, river.spot.board].T / np.where(met > 0, met, np.nan)[:, None]
            want = earned + river.spot.total / 2 + node.put[node.player]
            seen = met > 1e-3  # where the opponent hardly ever is, single precision says little
            np.testing.assert_allclose(here.action_ev[seen], want[seen], atol=0.05)


@pytest.mark.slow
def test_values_on_isomorphic_cards(turn):
    spot = turn.spot
    boards = [(*spot.board, card) for card in range(52) if card not in spot.board]
    naive = twin(turn, boards)
    for player in range(2):
        naive.walk(player, "expect")
    for line in ("check, check, {}", "bet 75, call, {}, check", "check, bet 75, call, {}"):
        for card in ("4h", "4d", "4c", "9s"):
            here = turn.node(line.format(card))
            (index,) = (n.index for n in naive.tree if naive.tree.line(n.index) == here.line)
            met = compatible(here.weights(1 - here.player))[here.hands]
            hands = np.searchsorted(naive.holes[here.player], here.hands)
            earned = naive.values[index, here.board].T[hands] * 44 / np.where(met > 0, met, np.nan)[:, None]
            want = earned + spot.total / 2 + naive.tree[index].put[here.player]
            np.testing.assert_allclose(here.action_ev[met > 1e-3], want[met > 1e-3], atol=0.05)


def test_both_players_share_the_pot(river, turn):
    for found, line in ((river, ""), (river, "bet 50"), (turn, ""), (turn, "check, check, 4d, check")):
        node = found.node(line)
        hands, values = node.other_ev()
        mine, theirs = node.weights(node.player), node.weights(1 - node.player)
        other = theirs[hands] * compatible(mine)[hands]
        assert node.shares.sum() == pytest.approx(1)
        total = np.nansum(node.shares * node.ev) + np.nansum(values * other) / other.sum()
        assert total == pytest.approx(node.pot, abs=1e-2)


def test_the_root_is_worth_what_the_figures_say(river, turn):
    for found in (river, turn):
        assert np.nansum(found.root.shares * found.root.ev) == pytest.approx(found.ev[0], abs=1e-3)
        for player in range(2):
            weights = found.spot.weights(player) * compatible(found.spot.weights(1 - player))
            best = np.nansum(found.best_response(player) * weights) / weights.sum()
            assert best == pytest.approx(found.figures.best[player], abs=1e-3)


def test_folding_is_worth_nothing(river):
    node = river.node("bet 100, raise 280")
    assert node.actions[0] == "fold"
    np.testing.assert_allclose(node.action_ev[:, 0][~np.isnan(node.action_ev[:, 0])], 0, atol=1e-3)


def test_one_hand(river):
    hand = river.node("bet 50").hand("AsAh")
    assert set(hand) == {"hand", "kind", "made", "draw", "weight", "share", "equity", "ev", "actions", "blocks"}
    assert sum(action["probability"] for action in hand["actions"].values()) == pytest.approx(1)
    assert hand["ev"] == pytest.approx(sum(action["probability"] * action["ev"] for action in hand["actions"].values()))
    assert hand["weight"] == 1


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("bet 51", "no 'bet 51' after the start; there is check, bet 50"),
        ("bet 50, call", "the hand is over after bet 50, call"),
        ("bet 50, call, 9c", "no '9c' after bet 50, call; there is nothing to do"),
    ],
)
def test_lines_that_lead_nowhere(river, line, message):
    with pytest.raises(SpotError, match=message):
        river.node(line)


def test_cards_of_a_line(turn):
    with pytest.raises(SpotError, match="a card comes: name it"):
        turn.node("check, check")
    with pytest.raises(SpotError, match="name a card that is not there yet"):
        turn.node("check, check, As")
    with pytest.raises(SpotError, match="name a card that is not there yet"):
        turn.node("check, check, deal")
    with pytest.raises(SpotError, match="comes a card, such as 7d"):
        turn.node("check, check, bet 75")
    assert turn.node("check, check, 4h").hands.tolist() == [
        h for h in turn.root.hands.tolist() if 4 * 2 + 2 not in HOLES[h]
    ]


def test_hands_that_are_not_there(river):
    for node, cards in ((river.root, "QsAc"), (river.node("check"), "9s5h")):
        with pytest.raises(SpotError, match=f"{cards} is not in the range"):
            node.hand(cards)


def test_files(river, turn, tmp_path):
    for found in (river, turn):
        path = tmp_path / "spot.solution"
        found.save(path)
        again = load_spot_solution(path)
        assert again.spot == found.spot
        assert again.spot.name == found.spot.name
        assert (again.iterations, again.stopped, again.trace) == (found.iterations, found.stopped, found.trace)
        assert again.ev == pytest.approx(found.ev, abs=5e-3)
        assert again.exploitability == pytest.approx(found.exploitability, abs=5e-3)
        np.testing.assert_allclose(again.root.strategy, found.root.strategy, atol=2e-5)
    line = "check, check, 4d, bet 75"
    np.testing.assert_allclose(again.node(line).strategy, turn.node(line).strategy, atol=2e-5)


def test_damaged_files(turn, tmp_path):
    path = tmp_path / "spot.solution"
    with pytest.raises(SpotError, match="no such file"):
        load_spot_solution(path)
    path.write_text("board = 1")
    with pytest.raises(SpotError, match="not a spot file, or it is damaged"):
        load_spot_solution(path)
    turn.save(path)
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(SpotError, match="not a spot file, or it is damaged"):
        load_spot_solution(path)
    with pytest.raises(SpotError, match="cannot write"):
        turn.save(tmp_path / "no folder" / "spot.solution")


def test_the_chart(river):
    node = river.root
    found = chart(node)
    assert found["share"].sum() == pytest.approx(1)
    aces = [i for i, h in enumerate(node.hands) if (HOLES[h] // 4 == 12).all()]
    want = np.average(node.strategy[aces], axis=0, weights=node.shares[aces])
    np.testing.assert_allclose(found["strategy"][0], want)
    lines = [plain(line) for line in grid_lines(node)]
    assert len(lines) == 16
    assert lines[0].split() == list("AKQJT98765432")
    assert all(len(line) == len(lines[0]) for line in lines[:14])
    assert "two commonest actions" in lines[14]
    assert "x check" in lines[-1]
    for view, words in (("ev", "chips"), ("range", "of the range"), ("bet 50", "take bet 50")):
        assert len(grid_lines(node, view)) == 16
        assert words in grid_lines(node, view)[14]
    with pytest.raises(SpotError, match="no view 'bet 51'"):
        grid_lines(node, "bet 51")
    found = node_json(node)
    assert len(found["hands"]) == 169
    assert sum(found["frequencies"]) == pytest.approx(1)


def test_cells_show_the_two_commonest_actions_in_their_colours(river):
    """Each kind's mix, and that of a made-up one: what rounds to nothing is not shown, a third action neither."""
    node, signs = river.root, symbols(river.root.actions)
    rows = chart(node)["strategy"]
    for line, kinds in zip(grid_lines(node)[1:14], rows.reshape(13, 13, -1), strict=True):
        cells = plain(line).split()[1:]
        for cell, mix in zip(cells, kinds, strict=True):
            parts = re.findall(r"([a-z])(\d+)", cell)
            best = sorted(zip(-mix, signs, strict=True), key=lambda pair: pair[0])[: len(parts)]
            assert [(sign, f"{-100 * part:.0f}") for part, sign in best] == parts
            assert len(parts) == min(2, sum(round(100 * p) > 0 for p in mix))
    assert any(len(re.findall("[a-z]", cell)) == 2 for cell in plain(grid_lines(node)[1]).split()), "nobody mixes"
    actions = ("fold", "call", "raise 20", "all-in")
    colours = action_colours(actions)
    (made_up,) = mixed_cells(np.array([[0.28, 0.62, 0.1, 0.0]]), actions)
    assert made_up == [("c62", colours[1]), ("f28", colours[0])]
    assert plain(mixed_cells(np.array([[0.996, 0.004]]), ("check", "bet 20"))[0]) == "x100"


def test_a_long_legend_takes_several_lines(river):
    node = river.root
    many = tuple(f"bet {100 * n}" for n in range(1, 12))
    lines = legend_lines(many, np.full(11, 1 / 11))
    assert len(lines) == 3
    assert max(len(plain(line)) for line in (*lines, *grid_lines(node))) <= 100
    first = painted([Piece("b bet 100 9.1 %", action_colours(many)[0])])
    assert painted(lines[0]).startswith(f"{first}   ")


def test_hands_outside_a_range_are_dots(river):
    lines = [plain(line) for line in grid_lines(river.node("check"))]
    assert lines[13].split()[0] == "2"
    assert lines[13].split()[1:-1] == ["."] * 12


def test_the_chart_in_colours(river):
    node = river.node("check")
    kinds, html = chart(node), node._repr_html_()
    assert html.count("linear-gradient") == np.count_nonzero(~np.isnan(kinds["ev"])) < 169
    assert all(f"{action} {100 * p:.1f} %" in html for action, p in zip(node.actions, node.frequencies, strict=True))
    kind = int(np.flatnonzero(~np.isnan(kinds["ev"]))[0])
    assert f"; {kinds['ev'][kind]:.1f} chips" in html


def test_letters():
    assert symbols(("fold", "call", "raise 20", "raise 40", "all-in")) == ["f", "c", "b", "d", "a"]


@pytest.mark.slow
def test_nodes_of_a_flop():
    """Turn and river nodes of a flop follow the same strategies as the passes over the whole tree."""
    spot = random_spot(np.random.default_rng(1), 0, (5, 6), bet="100%", raise_="", stack=400, cards=9)
    found = solve_spot(spot, iterations=20)
    turns = [card for card in range(52) if card not in spot.board]
    total, chance = 0.0, 0.0
    for card in turns:  # the value of checking the flop through is the mean over the turns
        node = found.node(["check", "check", Deck().text([card])])
        joint = np.array(node.weights(0)) * compatible(node.weights(1))
        total += np.nansum(joint[node.hands] * node.ev)
        chance += joint.sum()
    flop = found.node("check")
    joint = flop.weights(1) * compatible(flop.weights(0))
    checked = flop.strategy[:, 0] * joint[flop.hands]
    want = flop.pot - np.nansum(checked * flop.action_ev[:, 0]) / checked.sum()
    assert total / chance == pytest.approx(want, abs=0.02)
    deep = found.node(["check", "check", Deck().text([turns[0]]), "check", "check", Deck().text([turns[5]])])
    assert len(deep.board) == 5
    assert np.nanmax(np.abs(deep.ev)) <= 500
