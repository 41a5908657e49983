"""Maps: the image of a small strategy is a strategy, gradients pull back, restricted games are right."""

from dataclasses import replace

import numpy as np
import pytest

import pokerlab
from naive_maps import column_map, fix_map, tie_map
from pokerlab.errors import ImperfectRecall, PokerlabError
from pokerlab.form import maps
from pokerlab.form.maps import Map, Seen, confine, restrict
from pokerlab.form.operators import Composed
from pokerlab.form.payoff import DensePayoff
from pokerlab.form.treeplex import Treeplex
from pokerlab.solvers.lp import equilibrium
from random_games import random_game


def pair_tie(game, player):
    """Merge J and Q in the first round, and the board's J and Q in the second (perfect recall)."""
    seen = pokerlab.compile("leduc", "JQ.K/JQ.K").origin.sights[player].seen
    rounds = [n.state.round for n in game.origin.nodes if n.state.actor == player]
    return tie_map(game.trees[player], np.concatenate([seen[r] for r in rounds]))


def some_maps(game, rng) -> list[Map]:
    tree = game.X
    free = rng.random(tree.infosets) < 0.5
    plans = [tree.realize(tree.random(rng)) for _ in range(3)]
    behaviour, rows = tree.random(rng), np.arange(tree.infosets)
    merged = confine(tree, Seen(rows, None, [np.arange(max(1, k - 1)) for k in tree.blocks.k]), free, behaviour)
    return [fix_map(tree, free, behaviour), column_map(tree, plans), merged]


@pytest.mark.parametrize("seed", range(10))
def test_images_are_strategies_and_gradients_pull_back(seed):
    rng = np.random.default_rng(seed)
    game = random_game(rng)
    for m in some_maps(game, rng):
        behaviour = m.small.random(rng)
        image = m.matrix @ m.small.realize(behaviour)
        rows, right = game.X.constraints()
        assert rows @ image == pytest.approx(right, abs=1e-12)
        assert game.X.realize(m.lift(behaviour)) == pytest.approx(image, abs=1e-9)
        gradient = rng.normal(size=game.X.sequences)
        assert m.pull(gradient) @ m.small.realize(behaviour) == pytest.approx(gradient @ image, abs=1e-9)


def test_tie_map_of_leduc():
    game = pokerlab.compile("leduc")
    m = pair_tie(game, 0)
    behaviour = m.small.random(np.random.default_rng(3))
    assert m.small.sequences < game.X.sequences
    lifted = m.lift(behaviour)
    game.X.check(lifted)
    assert game.X.realize(lifted) == pytest.approx(m.matrix @ m.small.realize(behaviour), abs=1e-12)


def test_fixed_elsewhere_a_player_can_still_best_respond_where_free():
    """Freeing nothing leaves the strategy's own value; freeing everything gives the game's."""
    game = pokerlab.compile("leduc")
    weak = game.X.uniform()
    frozen = restrict(game, fix_map(game.X, np.zeros(game.X.infosets, dtype=bool), weak))
    worst = -game.Y.best_response(-(game.A.T @ game.X.realize(weak)))[0]
    assert equilibrium(frozen).value == pytest.approx(worst, abs=1e-9)
    assert pokerlab.solve(frozen, "cfr+", iterations=2000).value == pytest.approx(worst, abs=1e-3)
    free = restrict(game, fix_map(game.X, np.ones(game.X.infosets, dtype=bool), weak))
    assert equilibrium(free).value == pytest.approx(equilibrium(game).value, abs=1e-9)
    half = np.arange(game.X.infosets) < 60
    middle = equilibrium(restrict(game, fix_map(game.X, half, weak))).value
    assert worst - 1e-9 <= middle <= equilibrium(game).value + 1e-9


def test_restricted_game_of_columns_is_the_matrix_of_their_payoffs():
    rng = np.random.default_rng(5)
    game = random_game(rng)
    xs = [game.X.realize(game.X.random(rng)) for _ in range(3)]
    ys = [game.Y.realize(game.Y.random(rng)) for _ in range(2)]
    small = restrict(game, column_map(game.X, xs), column_map(game.Y, ys))
    expected = [[x @ (game.A @ y) for y in ys] for x in xs]
    assert small.A.to_sparse().toarray()[1:, 1:] == pytest.approx(np.array(expected), abs=1e-9)


def test_forgetting_has_no_map_and_names_the_infosets():
    full, small = pokerlab.compile("leduc"), pokerlab.compile("leduc", "J.Q.K/~pair.nopair")
    sight = small.origin.sights[0]
    rows = [sight.rows[r][sight.seen[r]] for r in range(2)]
    rounds = [n.state.round for n in full.origin.nodes if n.state.actor == 0]
    seen = Seen(np.concatenate([rows[r] for r in rounds]), None, [np.arange(k) for k in full.X.blocks.k])
    with pytest.raises(ImperfectRecall, match=r"'\w/\w' after '.*' and '\w/\w' after '.*' are merged"):
        confine(full.X, seen, np.ones(full.X.infosets, dtype=bool), full.X.uniform())


def test_the_first_two_that_differ_are_named():
    tree = Treeplex([np.array([0]), np.array([1, 2, 3])], [3, 2])
    seen = Seen(np.zeros(tree.infosets, np.int64), None, [np.arange(k) for k in tree.blocks.k])
    with pytest.raises(ImperfectRecall) as caught:
        confine(tree, seen, np.ones(tree.infosets, dtype=bool), tree.uniform())
    assert str(caught.value) == (
        "'0' after '1' and '1' after '1' are merged though the player did not have the same past"
    )


def test_tied_rows_of_merged_infosets():
    tree = Treeplex([np.zeros(3, np.int64)], [2])
    seen = Seen(np.array([0, 0, 1]), np.array([5, 5, 7]), [np.arange(2)])
    made = confine(tree, seen, np.ones(3, dtype=bool), tree.uniform())
    assert made.tie.row.tolist() == [5, 7]
    assert made.small.infosets == 2


def test_who_is_not_confined_keeps_its_ties():
    forgets, recalls = "J.Q.K/~pair.nopair", "J.Q.K"
    for forgetful, text in enumerate((f"{forgets}-{recalls}", f"{recalls}-{forgets}")):
        game = pokerlab.compile("leduc", text)
        tree = game.trees[1 - forgetful]
        pair = [None, None]
        pair[1 - forgetful] = fix_map(tree, np.ones(tree.infosets, dtype=bool), tree.uniform())
        small = restrict(game, *pair)
        assert small.ties[forgetful] is game.ties[forgetful] is not None
        assert small.ties[1 - forgetful] is None


def test_what_is_never_reached_is_not_decided():
    """Kuhn's first player never checks, so that it has nothing to answer a bet with."""
    tree = pokerlab.compile("kuhn").X
    behaviour = tree.uniform()
    tree.block(0, behaviour)[:] = [[0.0] * 3, [1.0] * 3]
    free, every = np.arange(tree.infosets) >= 3, [np.arange(2)] * 2
    assert confine(tree, Seen(np.arange(tree.infosets), None, every), free, behaviour).small.infosets == 0
    assert confine(tree, Seen(np.arange(tree.infosets), None, every), free, behaviour).matrix.data.all()
    tree.block(0, behaviour)[:, 0] = [0.5, 0.5]
    assert confine(tree, Seen(np.arange(tree.infosets), None, every), free, behaviour).small.infosets == 1


def test_maps_refuse_what_they_cannot_do():
    game, other = pokerlab.compile("kuhn"), pokerlab.compile("leduc")
    with pytest.raises(PokerlabError, match="another game"):
        restrict(game, pair_tie(other, 0))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("real", "close"), [(np.float64, 1e-12), (np.float32, 1e-4)])
def test_composed_operators_are_the_product_written_out(seed, real, close):
    rng = np.random.default_rng(seed)
    game = random_game(rng)
    first, second = (some_maps(side, rng)[0].matrix for side in (game, replace(game, X=game.Y, A=game.A.T, Y=game.X)))
    inner = DensePayoff(game.A.shape, game.A.groups) if seed % 2 else game.A
    matrix = game.A.to_sparse().toarray()
    for rows, columns in ((first, second), (None, second), (first, None), (None, None)):
        expected = matrix if rows is None else rows.T @ matrix
        expected = expected if columns is None else expected @ columns
        made = Composed(inner, rows, columns)
        assert made.to_sparse().toarray() == pytest.approx(expected, abs=1e-12)
        twins = [(made, expected), (made.T, expected.T), (-made.T, -expected.T), ((-made).T.T, -expected)]
        for operator, twin in twins:
            assert operator.shape == twin.shape
            y, found = rng.normal(size=twin.shape[1]), operator.astype(real)
            assert found @ y == pytest.approx(twin @ y, abs=close)
            assert (found @ y).dtype == real


def test_what_cannot_be_written_out_is_solved_between_its_maps(monkeypatch):
    game = pokerlab.compile("leduc")
    pair = [confine(tree, Seen(np.arange(tree.infosets), None, [np.arange(k) for k in tree.blocks.k]),
                    np.arange(tree.infosets) % 2 == 0, tree.uniform()) for tree in game.trees]  # fmt: skip
    written = restrict(game, *pair)
    monkeypatch.setattr(maps, "WRITTEN", 10)
    lazy = restrict(game, *pair)
    assert isinstance(lazy.A, Composed)
    assert not isinstance(written.A, Composed)
    twice = restrict(restrict(game, pair[0]), None, pair[1])
    found = [pokerlab.solve(each, "cfr+", iterations=300) for each in (written, lazy, twice)]
    for other in found[1:]:
        assert other.value == pytest.approx(found[0].value, abs=1e-9)
        assert other.exploitability == pytest.approx(found[0].exploitability, abs=1e-9)
