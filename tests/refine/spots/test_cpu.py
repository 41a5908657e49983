"""The compiled solver against its naive twin: iterations, best responses and values, on every street."""

from dataclasses import replace

import numpy as np
import pytest

from naive_spots import NaiveSpot
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import HOLES
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import HALF, SINGLE, coded, plain
from pokerlab.refine.spots.tree import Sizes
from random_spots import random_spot, spot_of


def rows(solver, array, index, number):
    """A decision's rows (actions, hands) on a board."""
    return solver.shape.read(array, solver.shape.tree[index], number)


def decisions(solver):
    """Board, number of the board, node, and who decides, for every decision."""
    for street, boards in solver.shape.boards.items():
        for number, board in enumerate(boards.boards):
            for index, place in solver.shape.layout.places.items():
                if place.street == street:
                    yield board, number, index, place


def both(spot, iterations, **options):
    """Solver and twin after some iterations. They begin with random regrets: where two actions are worth exactly the
    same, rounding would decide.
    """
    rng = np.random.default_rng(0)
    solver, naive = CpuEngine(Shape(spot, isomorphism=False), **options), NaiveSpot(spot)
    for stores in solver.stores.values():
        for store in stores:
            store.regret[:] = rng.normal(scale=spot.pot, size=store.regret.shape)
            store.strategy[:] = rng.uniform(size=store.strategy.shape)
    for board, number, index, place in decisions(solver):
        store = solver.stores[place.street][place.player]
        naive.regret[index, board] = rows(solver, store.regret, index, number).astype(np.float64)
        naive.average[index, board] = rows(solver, store.strategy, index, number).astype(np.float64)
    solver.iteration = 3
    for rates in solver.rates(iterations):
        for player in range(2):
            naive.walk(player, "improve", rates)
    solver.step(iterations)
    return solver, naive


def same_regrets(solver, naive):
    for board, number, index, place in decisions(solver):
        store = solver.stores[place.street][place.player]
        free = ~np.isin(HOLES[solver.shape.holes[place.player]], board).any(axis=1)
        for array, table in ((store.regret, naive.regret), (store.strategy, naive.average)):
            want = table[index, board][:, free]
            found = rows(solver, array, index, number)[:, free]
            np.testing.assert_allclose(found, want, rtol=0, atol=1e-4 * max(1, np.abs(want).max(initial=0)))


def same_figures(solver, naive):
    found = solver.figures()
    for player in range(2):
        for best, name, figure in ((True, "best", found.best), (False, "expect", found.ev)):
            earned = naive.walk(player, name)
            most = np.abs(earned).max()
            np.testing.assert_allclose(solver.walk(player, best=best), earned, rtol=0, atol=2e-5 * most)
            np.testing.assert_array_equal(solver.walk(player, best=best), solver.walks(best=best)[player])
            assert figure[player] == pytest.approx(naive.chips(player, earned), abs=1e-3)


@pytest.mark.parametrize("seed", range(6))
def test_rivers(seed):
    rng = np.random.default_rng(seed)
    cards = 52 if seed % 2 else 14  # few cards: hands of the two players, and of one, share many
    spot = random_spot(rng, 2, (int(rng.integers(1, 70)), int(rng.integers(1, 70))), cards=cards)
    solver, naive = both(spot, 4)
    same_regrets(solver, naive)
    same_figures(solver, naive)


def test_all_hands_of_a_river():
    spot = spot_of("Qs Jh 2h 4c 7d", ("random", "random"), bet="100%", raise_="")
    solver, naive = both(spot, 2)
    same_figures(solver, naive)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_turns(seed):
    rng = np.random.default_rng(seed)
    spot = random_spot(rng, 1, (9, 17), bet="100%", raise_="all-in", stack=250, cards=20)
    solver, naive = both(spot, 3)
    same_regrets(solver, naive)
    same_figures(solver, naive)


@pytest.mark.slow
def test_a_flop():
    none, some = Sizes(), Sizes.parse("100%", "")
    by_street = {(0, 0): some, (0, 1): none, (1, 0): none, (1, 1): some, (2, 0): some, (2, 1): none}
    spot = random_spot(np.random.default_rng(0), 0, (3, 4), stack=500, cards=7)
    solver, naive = both(replace(spot, sizes=by_street), 1)
    same_regrets(solver, naive)
    assert sum(solver.figures().ev) == pytest.approx(spot.pot, abs=1e-3)


def test_cfr_plus():
    spot = random_spot(np.random.default_rng(7), 2, (20, 30))
    solver, naive = both(spot, 5, method="cfr+")
    same_figures(solver, naive)


def test_rake():
    spot = random_spot(np.random.default_rng(8), 2, (25, 20), rake=0.05, rake_cap=20.0)
    solver, naive = both(spot, 5)
    same_figures(solver, naive)
    assert sum(solver.figures().ev) < spot.pot - 4.9


def test_a_street_begun():
    rng = np.random.default_rng(9)
    for bets, to_act in (((0, 60), 0), ((80, 20), 1), ((0, 0), 1)):
        spot = random_spot(rng, 2, (12, 15), bets=bets, to_act=to_act)
        solver, naive = both(spot, 4)
        same_figures(solver, naive)
        assert sum(solver.figures().ev) == pytest.approx(spot.total, abs=1e-3)


@pytest.mark.parametrize("precision", [SINGLE, HALF])
def test_what_hardly_anybody_comes_to(precision):
    """Reach that is almost none leaves sums whose inverse is no number: they count as nothing."""
    spot = random_spot(np.random.default_rng(4), 2, (12, 9))
    solver = CpuEngine(Shape(spot), precision=precision)
    for least in np.float32([1e-45, 1e-41, 1e-38, 1e-36]):
        state = {name: array.copy() for name, array in solver.state().items()}
        for name, array in state.items():
            if name != "clock":
                array[...] = coded(np.full(array.shape, least), array.dtype)
        solver.restore(state)
        even, best = solver.figures()
        assert np.isfinite([*even, *best]).all()
        solver.step(3)
        assert all(np.isfinite(plain(array)).all() for array in solver.state().values())
        assert np.isfinite(solver.exploitability())


def test_without_rake_chips_add_up_to_the_pot():
    solver = CpuEngine(Shape(random_spot(np.random.default_rng(10), 2, (40, 40))))
    for _ in range(5):
        solver.step(7)
        assert sum(solver.figures().ev) == pytest.approx(100, abs=1e-3)
        assert solver.exploitability() == pytest.approx(solver.figures().exploitability, abs=1e-3)
        assert solver.exploitability() > 0


@pytest.mark.slow
def test_threads_change_nothing():
    spot = random_spot(np.random.default_rng(11), 1, (60, 50))
    solvers = [CpuEngine(Shape(spot), threads=threads) for threads in (1, 2, 3)]
    for solver in solvers:
        solver.step(5)
    for other in solvers[1:]:
        for street in other.shape.streets:
            for player in range(2):
                for one, two in zip(solvers[0].stores[street][player], other.stores[street][player], strict=True):
                    np.testing.assert_array_equal(one, two)
        assert other.figures() == solvers[0].figures()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "ranges"),
    [
        ("As Ks 7s 2s", ("AA,KK,QJs,76s", "QQ,JJ,AK,87s")),  # three suits alike
        ("As Kh 7c 2s", ("AA,KQ,JT,99", "AQs,KJ,T9,22")),  # none
        ("7s 7h 2c", ("77,A2s", "AA,72s")),  # a flop: the suits of the pair, before a card of one of them comes
    ],
)
def test_isomorphic_cards(board, ranges):
    """Solved with one card for all that are alike, a spot's strategies are as good when every card counts."""
    spot = spot_of(board, ranges, bet="75%", raise_="all-in", stack=150)
    found = solve_spot(spot, iterations=60)
    plain = CpuEngine(Shape(spot, isomorphism=False))
    averages = {}
    for cards, number, index, place in decisions(plain):
        dealt = iter([Deck().text([card]) for card in cards[len(spot.board) :]])
        line = [next(dealt) if word == "deal" else word for word in found.tree.line(index)]
        node = found.node(line)
        hands = np.searchsorted(plain.shape.holes[place.player], node.hands)
        kept = averages.setdefault(index, np.ones_like(plain.average(plain.shape.tree[index])))
        kept[number][:, hands] = node.strategy.T
    for index, average in averages.items():
        plain.follow(plain.shape.tree[index], average)
        assert np.array_equal(plain.average(plain.shape.tree[index]), average)
    np.testing.assert_allclose(plain.figures(), found.figures, atol=1e-3)
    assert found.exploitability < 0.02 * spot.pot


def test_which_cards_are_alike():
    def boards(board, ranges):
        found = Shape(spot_of(board, ranges)).boards
        return [len(street.boards) for street in found.values()], [
            sum(map(len, street.deals)) for street in found.values()
        ]

    assert boards("As Ks 7s 2s", ("AA,KQs", "QQ"))[0] == [1, 9 + 13]
    assert boards("As Ks 7s 2s", ("AA,KcQc", "QQ"))[0] == [1, 9 + 13 + 13]
    assert boards("As Kh 7c 2d", ("AA,KQs", "QQ"))[0] == [1, 48]
    assert boards("As Ks 7s 2s", ("AA,KQs", "QQ"))[1] == [1, 48]
    assert boards("As Ks 7s", ("AA,KQs", "QQ"))[0][1] == 10 + 13


def test_memory_is_what_was_said():
    shape = Shape(random_spot(np.random.default_rng(12), 1, (60, 50)))
    solver = CpuEngine(shape, threads=2)
    arrays = [a for stores in solver.stores.values() for store in stores for a in store]
    arrays += [a for rooms in solver.rooms for room in rooms.values() for a in room]
    arrays += [*solver.outs, *(a for deep in solver.deep for a in deep)]
    arrays += [a for views in solver.views.values() for view in views for a in view.mine if isinstance(a, np.ndarray)]
    taken = sum(a.nbytes for a in arrays)
    assert taken <= shape.bytes(2) <= 1.3 * taken
