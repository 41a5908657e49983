"""Games as trees and gradients: what they refuse, and what every part of them says."""

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import AbstractionError, PokerlabError, SolverError
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import Evaluation
from pokerlab.form.game import BilinearGame, Tie, bilinear, matrix_game
from pokerlab.form.general import named_game
from pokerlab.form.payoff import Payoff
from pokerlab.form.treeplex import Block, Treeplex, simplex
from random_games import random_game, random_treeplex


def test_a_payoff_must_fit_the_trees():
    x, y = simplex(["a", "b"]), simplex(["a", "b", "c"])
    assert BilinearGame(x, Payoff((3, 4), []), y).trees == (x, y)
    for shape in ((4, 3), (3, 3), (4, 4)):
        with pytest.raises(PokerlabError) as caught:
            BilinearGame(x, Payoff(shape, []), y)
        assert str(caught.value) == f"payoff of shape {shape} does not fit 3 and 4 sequences"


@pytest.mark.parametrize("seed", range(5))
def test_gradients(seed):
    rng = np.random.default_rng(seed)
    game = random_game(rng)
    matrix, plans = game.A.to_sparse().toarray(), pokerlab.random_profile(game, rng).plans()
    for player, expected in enumerate((matrix @ plans[1], -matrix.T @ plans[0])):
        assert game.gradient(player, plans) == pytest.approx(expected, abs=1e-12)
        out = np.full(len(expected), np.nan)
        assert game.gradient(player, plans, out) is out
        assert out == pytest.approx(expected, abs=1e-12)
    single = game.single()
    assert (single.A.dtype, single.X, single.name) == (np.float32, game.X, game.name)
    assert single.terms is None
    assert len(game.terms) == 2
    assert not game.large
    assert single.large


def test_gradients_of_three():
    game, rng = compile("kuhn-3p"), np.random.default_rng(3)
    plans = pokerlab.random_profile(game, rng).plans()
    for player, tree in enumerate(game.trees):
        expected = np.zeros(tree.sequences)
        for places, pays in zip(game.sequences, game.payoffs, strict=True):
            others = [plans[p][places[p]] for p in range(3) if p != player]
            expected[places[player]] += pays[player] * others[0] * others[1]
        assert game.gradient(player, plans) == pytest.approx(expected, abs=1e-12)
        out = np.full(tree.sequences, np.nan)
        assert game.gradient(player, plans, out) is out
        assert out == pytest.approx(expected, abs=1e-12)
    assert game.ties == (None, None, None)
    assert not game.large
    assert game.terms is None
    assert [len(tree.parts) for tree in game.trees] == [0, 0, 0]
    with pytest.raises(SolverError, match="single precision is for two players; kuhn-3p has 3"):
        game.single()
    with pytest.raises(SolverError, match="kuhn-3p has 3 players and no payoff operator"):
        bilinear(game)
    two = compile("kuhn")
    assert bilinear(two) is two


def test_rounds_of_three_are_all_trunk():
    """Another's call may lead a sequence of one player's into the last round in many ways."""
    text = pokerlab.rules_of("leduc:raises=1").text()
    text = text.replace("numPlayers = 2", "numPlayers = 3").replace("blind = 1 1", "blind = 1 1 1")
    game = compile(pokerlab.parse_rules(text, "leduc for three"))
    assert all(len(tree.parts) == 0 and tree.trunk.tolist() == [[0, len(tree)]] for tree in game.trees)


def test_matrix_games():
    game = matrix_game([[1.0, -2.0, 0.5]], name="one row")
    assert game.A.to_sparse().toarray().tolist() == [[0, 0, 0, 0], [0, 1, -2, 0.5]]
    assert game.X.describe(0) == Block("row", ["-"], ["0"])
    assert game.Y.describe(0) == Block("column", ["-"], ["0", "1", "2"])
    assert game.name == "one row"
    named = matrix_game(np.eye(2), rows=["up", "down"], columns=["left", "right"])
    assert named.X.describe(0).actions == ["up", "down"]
    assert named.Y.describe(0).actions == ["left", "right"]
    assert named.name == "matrix game"
    for wrong in ([1.0, 2.0], [[]], [[1.0, np.nan]], [[[1.0]]], [[np.inf]]):
        with pytest.raises(PokerlabError, match="two-dimensional array of finite payoffs"):
            matrix_game(wrong)


@pytest.mark.parametrize("seed", range(5))
def test_slots_of_ties(seed):
    rng = np.random.default_rng(seed)
    tree = random_treeplex(rng)
    rows = np.concatenate([rng.integers(0, 3, n) for n in tree.blocks.n])
    ties, used = Tie(rows).arrays(tree), 1
    assert ties.slot[0] == 0
    for b in range(len(tree)):
        here = rows[tree.span(b)]
        different = sorted(set(here.tolist()))
        assert (ties.start[b], ties.n[b]) == (used, len(different))
        for a, line in enumerate(tree.block(b, ties.slot)):
            assert line.tolist() == [used + a * len(different) + different.index(row) for row in here]
        used += len(different) * int(tree.blocks.k[b])


def test_a_treeplex_by_hand():
    tree = Treeplex([np.array([0]), np.array([1, 1, 2])], [2, 3], parts=[(1, 2)])
    assert (tree.sequences, tree.infosets, len(tree)) == (1 + 2 + 9, 4, 2)
    assert tree.blocks.start.tolist() == [1, 3]
    assert tree.blocks.first.tolist() == [0, 1]
    assert tree.infoset_of.tolist() == [-1, 0, 0, 1, 2, 3, 1, 2, 3, 1, 2, 3]
    assert tree.uniform().tolist() == [1.0, 0.5, 0.5, *[1 / 3] * 9]
    assert tree.parts.tolist() == [[1, 2]]
    assert tree.trunk.tolist() == [[0, 1], [2, 2]]
    assert tree.describe(1) == Block("1", ["0", "1", "2"], ["0", "1", "2"])
    assert [tree.name_of(i) for i in range(4)] == [
        "'0' after '0'", "'0' after '1'", "'1' after '1'", "'2' after '1'",
    ]  # fmt: skip
    named = Treeplex([np.array([0, 0])], [1], lambda b: Block("", ["K", "Q"], ["c"]))
    assert named.name_of(1) == "'Q' after 'the deal'"
    matrix, right = tree.constraints()
    assert matrix.toarray().tolist() == [
        [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [-1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        [0, -1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0],
        [0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0],
        [0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 1],
    ]
    assert right.tolist() == [1, 0, 0, 0, 0]
    empty = Treeplex([], [])
    assert (empty.sequences, empty.infosets, empty.uniform().tolist()) == (1, 0, [1.0])
    with pytest.raises(PokerlabError, match="parents before children"):
        Treeplex([np.array([1])], [2])  # its own first sequence


def test_behaviour_is_checked_to_nine_digits():
    tree = simplex(["a", "b"])
    tree.check(np.array([1, 0.5, 0.5 + 5e-10]))
    tree.check(np.array([7, 0.0, 1.0]))  # the empty sequence is nobody's choice
    with pytest.raises(PokerlabError, match="not a probability distribution"):
        tree.check(np.array([1, 0.5, 0.5 + 5e-5]))
    with pytest.raises(PokerlabError, match=r"behaviour has shape \(2,\), expected \(3,\)"):
        tree.check(np.ones(2))
    with pytest.raises(PokerlabError, match="not a probability distribution"):
        tree.check(np.array([-1, 0.5, 0.5]))


def test_evaluations():
    measured = Evaluation((0.25, -0.25), (1.0, 0.5))
    assert measured.value == 0.25
    assert measured.exploitability == 0.75
    assert measured.bounds == (-0.5, 1.0)
    assert measured.by_seat(0.125) == (0.625, 0.875)
    assert Evaluation((1.0, 0.0, -1.0), (2.0, 1.0, 0.0)).exploitability == 1.0
    assert Evaluation((1.0, 0.5, 0.0), (2.0, 1.0, 0.0)).exploitability == 0.5
    table = measured.table()
    assert table.caption == "value +0.25, exploitability 0.75 chips"
    assert list(table.rows) == [(1, 0.25, 1.0, 0.75), (2, -0.25, 0.5, 0.75)]


def test_who_forgets_has_ties():
    forgets, recalls = "J.Q.K/~pair.nopair", "J.Q.K"
    assert [tie is not None for tie in compile("leduc", f"{forgets}-{recalls}").ties] == [True, False]
    assert [tie is not None for tie in compile("leduc", f"{recalls}-{forgets}").ties] == [False, True]


def test_only_compiled_games_take_abstractions():
    assert named_game("kuhn", "JQ.K").X.sequences < named_game("kuhn").X.sequences
    with pytest.raises(AbstractionError, match="openspiel:kuhn_poker was not compiled from rules"):
        named_game("openspiel:kuhn_poker", "JQ.K")
    assert named_game("openspiel:kuhn_poker").X.infosets == 6
