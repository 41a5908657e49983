"""Spots in half precision: what sixteen bits keep, and that solving does not suffer."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numba import njit

from naive_spots import NaiveSpot
from pokerlab.cards.holes import COUNT
from pokerlab.errors import SpotError, StrategyFileError
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.gadget import Gadget
from pokerlab.refine.spots.lanes import LANES, load, store
from pokerlab.refine.spots.run import memory_of, solve_spot
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import AVERAGE, HALF, REGRET, SINGLE, STEPS, coded, keep, plain, take
from pokerlab.refine.spots.spot import Lock
from random_spots import random_spot, spot_of

# All numbers that a regret can be: 0, and those from 2^-40 to below 2 with so many bits of fraction.
ABOVE = np.concatenate([[0], np.ldexp(1 + np.arange(1024) / 1024, np.arange(-40, 1)[:, None]).ravel()])
BELOW = np.concatenate([[0], np.ldexp(1 + np.arange(512) / 512, np.arange(-40, 1)[:, None]).ravel()])


@njit
def put(array, numbers, time):
    for i in range(0, len(array), LANES):
        keep(array, i, load(numbers, i), time)


@njit
def got(array, out):
    for i in range(0, len(array), LANES):
        store(out, i, take(array, i))


def taken(array):
    out = np.zeros(len(array), np.float32)
    got(array, out)
    return out


def of_all_sizes(count, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.choice([-1, 1], count) * np.exp2(rng.uniform(-39, 0.9, count))).astype(np.float32)


def dither(places, time, kind):
    """Parts of 1, by exact arithmetic: the fractional part of a sum."""
    by_place, by_time = (3242174889, 2447445413) if kind == REGRET else (2447445413, 3242174889)
    return [Fraction((place * by_place + time * by_time) % 2**32, 2**32) for place in places]


def neighbours(number):
    """The numbers just below and above in size that can be kept."""
    grid, size = (ABOVE if number > 0 else BELOW), abs(float(number))
    at = np.searchsorted(grid, size, side="right") - 1
    return grid[at], grid[min(at + 1, len(grid) - 1)]


def test_every_code_is_a_number_of_its_own():
    numbers = np.unique(np.concatenate([ABOVE, -BELOW]))
    np.testing.assert_array_equal(plain(coded(numbers, REGRET)), numbers)
    assert len({*coded(numbers, REGRET).tolist()}) == len(numbers)
    steps = np.arange(STEPS + 1, dtype=AVERAGE)
    np.testing.assert_array_equal(coded(plain(steps), AVERAGE), steps)


def test_the_nearest_is_taken():
    for number in of_all_sizes(2000).tolist():
        low, high = neighbours(number)
        (kept,) = np.abs(plain(coded(np.array([number]), REGRET)))
        assert kept == (high if abs(number) - low >= high - abs(number) else low)


def test_what_is_too_large_or_too_small():
    kept = plain(coded(np.array([3.0, 1e9, -7.0, 2**-50, -(2**-50), 0.0]), REGRET))
    np.testing.assert_array_equal(kept, [ABOVE[-1], ABOVE[-1], -BELOW[-1], 2.0**-40, 0, 0])
    np.testing.assert_array_equal(coded(np.array([-0.1, 1.5]), AVERAGE), [0, STEPS])


@pytest.mark.parametrize("kind", [REGRET, AVERAGE])
def test_kernels_read_what_numpy_reads(kind):
    codes = np.arange(2**16, dtype=np.uint16)
    if kind == REGRET:
        codes = coded(plain(codes.view(REGRET)), REGRET)
    np.testing.assert_array_equal(taken(codes), plain(codes))


@pytest.mark.parametrize("time", [0, 1, 777])
def test_kernels_round_by_place_and_time(time):
    """A regret between two that can be kept becomes the larger one as often as it is near to that."""
    numbers = of_all_sizes(64 * LANES)
    array = np.zeros(len(numbers), REGRET)
    put(array, numbers, time)
    for number, kept, part in zip(numbers, plain(array), dither(range(len(numbers)), time, REGRET), strict=True):
        low, high = neighbours(number)
        up = Fraction(abs(float(number))) - Fraction(low) + part * (Fraction(high) - Fraction(low)) >= (high - low)
        assert abs(kept) in (low, high)
        if abs((abs(number) - low) / (high - low) + float(part) - 1) > 1e-3:  # bits of `part` are dropped, too
            assert abs(kept) == (high if up else low)
        assert kept == 0 or (kept > 0) == (number > 0)


@pytest.mark.parametrize("kind", [REGRET, AVERAGE])
def test_small_changes_are_not_lost(kind):
    """Over the iterations rounding evens out, to a hundredth of a step."""
    numbers = np.random.default_rng(1).uniform(0.5, 0.99, 4 * LANES).astype(np.float32)
    array, total = np.zeros(len(numbers), kind), np.zeros(len(numbers))
    for time in range(2000):
        put(array, numbers, time)
        total += plain(array)
    step = 2**-11 if kind == REGRET else 1 / STEPS
    np.testing.assert_allclose(total / 2000, numbers, rtol=0, atol=0.01 * step)


def test_single_precision_is_kept_as_it_is():
    numbers = of_all_sizes(3 * LANES)
    array = np.zeros(len(numbers), np.float32)
    put(array, numbers, 5)
    np.testing.assert_array_equal(array, numbers)
    np.testing.assert_array_equal(taken(array), numbers)
    assert plain(array) is array


def river(seed=4, **more):
    return random_spot(np.random.default_rng(seed), 2, (30, 30), **more)


@pytest.mark.parametrize("method", ["dcfr-spot", "dcfr", "cfr+"])
def test_iterations_of_the_twin(method):
    """Averages follow those in double precision as far as sixteen bits let them; and both are as hard to exploit."""
    spot = river()
    solver, naive = CpuEngine(Shape(spot, isomorphism=False), method=method, precision=HALF), NaiveSpot(spot)
    for rates in solver.rates(8):
        for player in range(2):
            naive.walk(player, "improve", rates)
    solver.step(8)
    for index, place in solver.shape.layout.places.items():
        want = naive.strategy(naive.average, solver.shape.tree[index], spot.board)
        np.testing.assert_allclose(solver.average(solver.shape.tree[index], 0), want, rtol=0, atol=0.02)
        assert place.player in (0, 1)
    for player in range(2):
        earned = naive.walk(player, "best")
        np.testing.assert_allclose(solver.walk(player, best=True), earned, rtol=0, atol=0.01 * np.abs(earned).max())


def test_as_hard_to_exploit_as_in_single_precision():
    """By the best response of the engine in single precision, after the same iterations. Roundings make
    other paths, of spots as small as these: they are compared as a whole.
    """
    spots = [river(seed) for seed in range(6)] + [river(2, rake=0.05, rake_cap=20)]
    spots += [spot_of("Qs Jh 2h 4c", ("99-77,AQ", "AA-99,AK"))]
    times = []
    for spot in spots:
        single, half = (solve_spot(spot, iterations=100, precision=precision) for precision in (SINGLE, HALF))
        judge = CpuEngine(Shape(spot))
        for node in judge.shape.tree:
            if node.kind == "decision":
                judge.follow(node, half._engine.average(node))
        found = judge.figures().exploitability
        assert found == pytest.approx(half.exploitability, abs=1e-5 * spot.total)
        assert half.ev == pytest.approx(single.ev, abs=0.001 * spot.total)
        times.append(found / single.exploitability)
    assert np.exp(np.mean(np.log(times))) == pytest.approx(1, abs=0.15)


def test_memory_is_halved():
    spot = spot_of("Qs Jh 2h", ("99-22,AQ,AJs,KQ", "AA-99,AK,AQs,KQs"))
    single, half = memory_of(spot), memory_of(spot, precision=HALF)
    assert 0.5 < half / single < 0.53
    shape = Shape(random_spot(np.random.default_rng(12), 1, (60, 50)))
    stores = [store for pair in CpuEngine(shape, precision=HALF).stores.values() for store in pair]
    assert {array.dtype for store in stores for array in store[:2]} == {REGRET, AVERAGE}
    kept = sum(shape.kept(street, player) for street in shape.streets for player in range(2))
    assert CpuEngine.needs(shape, 1) - CpuEngine.needs(shape, 1, HALF) == 4 * kept
    with pytest.raises(SpotError, match="or take half precision"):
        solve_spot(spot, iterations=1, memory=half / 2**30)
    with pytest.raises(SpotError, match=r"or start on a later street$"):
        solve_spot(spot, iterations=1, memory=half / 2**31, precision=HALF)


def test_threads_change_nothing():
    spot = spot_of("As Ks 7s 2s", ("AA,KK,QJs,76s", "QQ,JJ,AK,87s"), bet="75%", raise_="")
    one, two = (solve_spot(spot, iterations=30, threads=threads, precision=HALF) for threads in (1, 2))
    for key, array in one._engine.state().items():
        np.testing.assert_array_equal(array, two._engine.state()[key])


CASES = {
    "dcfr": {"method": "dcfr"},
    "re-solving": {"gadget": Gadget("re-solving", 1, np.random.default_rng(1).uniform(0, 100, COUNT))},
    "max-margin": {"gadget": Gadget("max-margin", 1, np.random.default_rng(1).uniform(0, 100, COUNT))},
}


@pytest.mark.parametrize("case", CASES)
def test_stopped_and_gone_on_with(tmp_path, case):
    file, options = tmp_path / "half", CASES[case] | {"precision": HALF}
    whole = solve_spot(river(), iterations=60, **options)
    solve_spot(river(), iterations=17, checkpoint=file, **options)
    rest = solve_spot(river(), iterations=60, resume=file, **options)
    for key, array in whole._engine.state().items():
        np.testing.assert_array_equal(array, rest._engine.state()[key], err_msg=key)


def test_a_checkpoint_is_of_one_precision(tmp_path):
    solve_spot(river(), iterations=3, checkpoint=tmp_path / "half", precision=HALF)
    with pytest.raises(StrategyFileError, match=r"half precision, not CpuEngine$"):
        solve_spot(river(), iterations=3, resume=tmp_path / "half")
    with pytest.raises(SpotError, match="another engine: CpuEngine, not CpuEngine in half precision"):
        solve_spot(river(), iterations=5, resume=solve_spot(river(), iterations=3), precision=HALF)
    with pytest.raises(SpotError, match="no precision 'double'; there are single, half"):
        solve_spot(river(), iterations=3, precision="double")


def test_locks_and_a_gadget_are_as_in_single_precision():
    locked = replace(river(), locks=(Lock(("check",), {"check": 0.3, "bet 50": 0.7}),))
    half = solve_spot(locked, iterations=50, precision=HALF)
    np.testing.assert_allclose(
        half.node("check").strategy[:, :2], [[0.3, 0.7]] * len(half.node("check").hands), atol=2e-4
    )
    single = solve_spot(locked, iterations=50)
    assert half.exploitability == pytest.approx(single.exploitability, rel=0.3)
    options = CASES["re-solving"] | {"iterations": 300}
    margins = [solve_spot(river(), precision=precision, **options).margins for precision in (SINGLE, HALF)]
    np.testing.assert_allclose(margins[1], margins[0], atol=3)


def test_to_begin_from_averages():
    """As if so many iterations had led there: the regrets of both precisions are the same but for rounding."""
    engines = [CpuEngine(Shape(river()), precision=precision) for precision in (SINGLE, HALF)]
    engines[0].step(40)
    for node in engines[0].shape.tree:
        if node.kind == "decision":
            engines[1].follow(node, engines[0].average(node))
    for node in engines[0].shape.tree:
        if node.kind == "decision":
            engines[0].follow(node, engines[1].average(node))
    for engine in engines:
        engine.begin(25)
    weight, unit = engines[1]._weights()[0], engines[1]._unit()
    for single, half in zip(*(engine.stores[2] for engine in engines), strict=True):
        np.testing.assert_allclose(plain(half.regret) * weight * unit, single.regret, rtol=1e-3)
    for engine in engines:
        engine.begin(0)
        assert not any(array.any() for store in engine.stores[2] for array in store)
