"""Maps: the image of a small strategy is a strategy, gradients pull back, restricted games are right."""

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import ImperfectRecall, PokerlabError
from pokerlab.form.maps import Map, column_map, fix_map, restrict, tie_map
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
    return [fix_map(tree, free, tree.random(rng)), column_map(tree, plans)]


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
    with pytest.raises(ImperfectRecall, match=r"infosets '\w/\w' and '\w/\w' are merged"):
        tie_map(full.X, np.concatenate([rows[r] for r in rounds]))


def test_maps_refuse_what_they_cannot_do():
    game, other = pokerlab.compile("kuhn"), pokerlab.compile("leduc")
    with pytest.raises(PokerlabError, match="another game"):
        restrict(game, pair_tie(other, 0))
    with pytest.raises(PokerlabError, match="at least one"):
        column_map(game.X, [])
