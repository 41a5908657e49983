"""The engine for a device, its kernels compiled for the processor, against the processor's own."""

import re
import shlex
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from cuda_twin import COMPILER, Twin, goes_on
from pokerlab.agents.resolving import ResolvingAgent
from pokerlab.agents.simple import Call
from pokerlab.cards.holes import COUNT, possible
from pokerlab.cards.ranges import Range
from pokerlab.cli.spot import spot as spot_command
from pokerlab.device import CupyDevice, this_device
from pokerlab.errors import AgentError, DeviceError, SpotError, StrategyFileError
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand
from pokerlab.refine.spot_refinement import SpotRefinement
from pokerlab.refine.spots.batch import workers_of
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.cuda.engine import CudaEngine, coprime, least_shared
from pokerlab.refine.spots.cuda.layout import packed
from pokerlab.refine.spots.engine import engine_for
from pokerlab.refine.spots.forecast import forecast
from pokerlab.refine.spots.gadget import Gadget
from pokerlab.refine.spots.run import memory_of, solve_spot
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import AVERAGE, HALF, PRECISIONS, REGRET, coded, plain
from pokerlab.refine.spots.solution import load_spot_solution
from pokerlab.refine.spots.spot import Lock
from pokerlab.refine.spots.tree import Sizes
from random_spots import random_spot, spot_of

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here to compile the kernels with")

ONE = {"threads": 1, "warp": 1}  # a thread a block: no turns to take, soon done
DEVICES = {
    "fibers": {},
    "fibers backwards": {"backwards": True},
    "every root alone": {"rows": 1},
    "rows in memory": {"shared": None, "rows": 1},
    "a warp": {"threads": 8, "warp": 8},
    "one thread": ONE,
}


def engine_on(device, shape, **options):
    """The engine for a device; one without any shared memory to speak of has just what terminals take."""
    if device.shared is None:
        device.shared = least_shared(shape, device)
    return CudaEngine(shape, device=device, **options)


def both(spot, device, *, isomorphism=False, **options):
    """The processor's engine and the device's, with the same random regrets and averages: where two actions are worth
    exactly the same, rounding would decide.
    """
    shape = Shape(spot, isomorphism=isomorphism)
    cpu, cuda = CpuEngine(shape, **options), engine_on(device, shape, **options)
    rng = np.random.default_rng(0)
    state = {}
    for key, array in cpu.state().items():
        scale = spot.pot if key.startswith("regret") else 1
        state[key] = rng.normal(scale=scale, size=array.shape).astype(array.dtype)
        if key.startswith("strategy"):
            state[key] = np.abs(state[key])
        if key == "clock":
            state[key] = np.array([3])
    cpu.restore(state)
    cuda.restore(state)
    for engine in (cpu, cuda):
        engine._write_locks()
    return cpu, cuda


def same(cpu, cuda):
    mine, theirs = cpu.state(), cuda.state()
    assert mine.keys() == theirs.keys()
    for key, array in mine.items():
        # An average follows from regrets that may be near 0 beside the sums that they were made of.
        least = (1e-3 if key.startswith("strategy") else 1e-4) * max(1, np.abs(array).max(initial=0))
        np.testing.assert_allclose(theirs[key], array, rtol=0, atol=least, err_msg=key)
    for best in (False, True):
        for player in range(2):
            want = cpu.walk(player, best=best)
            np.testing.assert_allclose(cuda.walk(player, best=best), want, rtol=0, atol=2e-5 * np.abs(want).max())
    np.testing.assert_allclose(cuda.figures(), cpu.figures(), atol=1e-3)


def stepped(spot, device, iterations=3, **options):
    cpu, cuda = both(spot, device, **options)
    for engine in (cpu, cuda):
        engine.step(iterations)
    same(cpu, cuda)
    return cpu, cuda


def stepped_in_half(spot, device, **options):
    """Three iterations in half precision. Where a number is almost what its dither decides by, the engines may round it
    otherwise, once in a hundred times or so.
    """
    shape = Shape(spot, isomorphism=False)
    engines = CpuEngine(shape, precision=HALF, **options), engine_on(device, shape, precision=HALF, **options)
    rng, state = np.random.default_rng(0), {}
    for key, array in engines[0].state().items():
        kind, size = (REGRET if key.startswith("regret") else AVERAGE), array.shape
        state[key] = coded(rng.normal(scale=0.1, size=size) if kind == REGRET else rng.random(size), kind)
    for engine in engines:
        engine.restore(state | {"clock": np.array([3])})
        engine._write_locks()
        engine.step(3)
    cpu, cuda = (engine.state() for engine in engines)
    codes = [(cpu[key], cuda[key]) for key in cpu if key != "clock"]
    assert np.mean(np.concatenate([one == other for one, other in codes])) > 0.97
    for one, other in codes:
        np.testing.assert_allclose(plain(other), plain(one), rtol=2**-8, atol=1e-3)
    for best in (False, True):
        for player in range(2):
            want = engines[0].walk(player, best=best)
            np.testing.assert_allclose(engines[1].walk(player, best=best), want, rtol=0, atol=1e-3 * np.abs(want).max())
    return engines


def turn(hands=(9, 17), **more):
    rng = np.random.default_rng(2)
    return random_spot(rng, 1, hands, bet="100%", raise_="all-in", stack=250, cards=20, **more)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("device", DEVICES)
def test_rivers(device, seed):
    rng = np.random.default_rng(seed)
    cards = 52 if seed % 2 else 14  # few cards: hands of the two players, and of one, share many
    hands = (1, 40) if seed == 3 else (int(rng.integers(1, 70)), int(rng.integers(1, 70)))
    stepped(random_spot(rng, 2, hands, cards=cards), Twin(**DEVICES[device]))


@pytest.mark.parametrize("device", ["fibers backwards", "every root alone", "rows in memory", "one thread"])
def test_turns(device):
    stepped(turn(), Twin(**DEVICES[device]), 2 if device == "one thread" else 1)


@pytest.mark.parametrize("device", ["fibers", "fibers backwards", "rows in memory"])
def test_rivers_in_half_precision(device):
    engines = stepped_in_half(random_spot(np.random.default_rng(1), 2, (20, 33)), Twin(**DEVICES[device]))
    node = engines[0].shape.tree[0]
    for one, other in zip(*(engine.rows(0, node, []) for engine in engines), strict=True):
        np.testing.assert_allclose(np.asarray(other), one, rtol=0, atol=1e-3 * np.abs(one).max())


def test_a_turn_locks_and_many_actions_in_half_precision():
    locked = turn(locks=(Lock(("check",), {"check": 0.3, "bet 100": 0.7}),))
    stepped_in_half(locked, Twin(**ONE))
    sizes = "20%, 40%, 60%, 80%, 100%, all-in"
    cpu, cuda = stepped_in_half(random_spot(np.random.default_rng(3), 2, (40, 20), bet=sizes), Twin())
    saved = CudaEngine.needs(cuda.shape, 1) - CudaEngine.needs(cuda.shape, 1, HALF)
    assert saved == 4 * (cpu.shape.kept(2, 0) + cpu.shape.kept(2, 1))


def test_goes_on_in_half_precision():
    spot = random_spot(np.random.default_rng(1), 2, (20, 33))
    goes_on(*(CudaEngine(Shape(spot), device=Twin(**ONE), precision=HALF) for _ in range(3)))


def test_large_groups_leave_the_opponents_rows_in_memory():
    """Two blocks of threads instead of one, beside small groups that have all in shared memory."""
    for backwards in (False, True):
        _, cuda = stepped(turn(), Twin(rows=1, together=20 * 1024, backwards=backwards), 1)
        assert {kind.rows for kind in cuda.classes[0]} == {(0, 1), (1, 1)}
        for plan in cuda.plans[cuda.last]:  # some bets that the player faces are beside those that the opponent does
            assert (plan.arrays["faced"]["folded"]["base"] >= 0).any()
    assert coprime(264, 11) == 263
    assert coprime(2, 1) == 2


def test_fours_are_filled_with_terminals_of_the_other_kind():
    for facing, faced in product(range(9), repeat=2):
        one, other = packed(np.arange(facing), np.arange(faced), faced)
        assert sorted([*(faced + one), *other]) == list(range(facing + faced))
        assert -(-len(one) // 4) + -(-len(other) // 4) == -(-(facing + faced) // 4)


def test_all_hands_and_many_actions():
    bets = "10%, 20%, 30%, 40%, 50%, 60%, 70%, 80%, 90%, 100%, all-in"
    for bet in (bets[:3], bets[:14], bets[:19], bets):
        spot = spot_of("Qs Jh 2h 4c 7d", ("random", "random" if bet == bets else "AA"), bet=bet, raise_="all-in")
        stepped(spot, Twin(**ONE))


def test_a_flop_with_cards_alike():
    """Two suits are alike on the flop: what comes back from one turn is another's with hands renamed."""
    none, some = Sizes(), Sizes.parse("100%", "all-in")
    by_street = {(0, 0): some, (0, 1): none, (1, 0): none, (1, 1): some, (2, 0): some, (2, 1): none}
    spot = spot_of("7s 7h 2c", ("77,A2s,K2s", "AA,72s,J9"), stack=500)
    _, cuda = stepped(replace(spot, sizes=by_street), Twin(**ONE, rows=300), 2, isomorphism=True)
    assert cuda.shape.changes
    assert {"down", "last", "collect", "up"} == {*cuda.device.launched}


@pytest.mark.parametrize("method", ["cfr+", "dcfr"])
def test_methods(method):
    stepped(random_spot(np.random.default_rng(7), 2, (20, 30)), Twin(), method=method)


def test_rake_and_a_street_begun():
    rng = np.random.default_rng(8)
    stepped(random_spot(rng, 2, (25, 20), rake=0.05, rake_cap=20.0), Twin(**ONE))
    for bets, to_act in (((0, 60), 0), ((80, 20), 1), ((0, 0), 1)):
        stepped(random_spot(rng, 2, (12, 15), bets=bets, to_act=to_act), Twin())


def test_locks():
    spot = spot_of("As Kh 7c 2d", ("AA,KQ,JT,99", "AQs,KJ,T9,22"), bet="75%", raise_="all-in", stack=150)
    mixed = {"fold": Range.parse("JT"), "call": Range.parse("KQ:0.5, AA"), "all-in": Range.parse("KQ:0.5")}
    locks = Lock(("check", "bet 75"), mixed), Lock(("check", "check", "deal", "bet 75"), {"call": 1.0})
    locked = replace(spot, locks=locks)
    cpu, cuda = stepped(locked, Twin(**ONE), 2)
    cuda.begin(0)
    cpu.begin(0)
    same(cpu, cuda)


@pytest.mark.parametrize("technique", ["re-solving", "max-margin"])
def test_gadgets(technique):
    for spot in (random_spot(np.random.default_rng(3), 2, (9, 8)), turn((5, 6))):
        had = np.random.default_rng(0).uniform(0, spot.total, COUNT)
        gadget = Gadget(technique, 1, had, belief=0.3 if spot.street == 2 else 0.0, likely=spot.weights(1))
        cpu, cuda = stepped(spot, Twin(**ONE), gadget=gadget)
        for engine in (cpu, cuda):
            engine.enter(None)
            engine.begin(4)
        same(cpu, cuda)


@pytest.mark.parametrize("options", [ONE, ONE | {"shared": None, "rows": 1}])
def test_rows_at_every_decision(options):
    for spot, step in ((random_spot(np.random.default_rng(4), 2, (12, 9)), 1), (turn((5, 6)), 29)):
        cpu, cuda = both(spot, Twin(**options))
        for node in cpu.shape.tree:
            if node.kind != "decision":
                continue
            boards = cpu.shape.boards[node.street].boards
            for number in range(0, len(boards), step):
                free = [possible(boards[number])[hands] for hands in cpu.shape.holes]
                path = [number] if node.street > spot.street else []
                for player in range(2):
                    one, two = (e.rows(player, node, path, best=bool(number % 2)) for e in (cpu, cuda))
                    assert one.earned.shape == two.earned.shape
                    mine, theirs = free[player], free[1 - player]
                    np.testing.assert_allclose(two.reach[theirs], one.reach[theirs], atol=1e-5)
                    np.testing.assert_allclose(two.earned[:, mine], one.earned[:, mine], atol=1e-3)


def test_what_hardly_anybody_comes_to():
    """Sums whose inverse is no number count as nothing, as on the processor."""
    spot = random_spot(np.random.default_rng(4), 2, (12, 9))
    for least in np.float32([1e-45, 1e-41, 1e-38, 1e-36]):
        cpu, cuda = CpuEngine(Shape(spot)), CudaEngine(Shape(spot), device=Twin(**ONE))
        state = {name: array if name == "clock" else np.full_like(array, least) for name, array in cpu.state().items()}
        for engine in (cpu, cuda):
            engine.restore(state)
        same(cpu, cuda)
        for engine in (cpu, cuda):
            engine.step(1)
        same(cpu, cuda)
        assert np.isfinite(cuda.exploitability())


def test_the_same_iterations_give_the_same_numbers():
    spot = random_spot(np.random.default_rng(5), 2, (30, 20))
    whole, parts, other = (CudaEngine(Shape(spot), device=Twin()) for _ in range(3))
    goes_on(whole, parts, other)


def test_memory_is_what_was_said():
    for spot in (random_spot(np.random.default_rng(12), 1, (60, 50)), turn()):
        shape = Shape(spot)
        engine = CudaEngine(shape, device=Twin(**ONE, rows=1))
        arrays = [a for stores in engine.stores.values() for store in stores for a in store]
        arrays += [*engine.reach.values(), *engine.value.values(), *engine.out.values(), engine.scratch]
        for views in engine.views.values():
            arrays += [there[name] for _, there in views for name in ("hand", "order", "start")]
        taken = sum(a.nbytes for a in arrays)
        assert taken <= CudaEngine.needs(shape, 1) <= 1.1 * taken


@pytest.fixture
def here(monkeypatch):
    """A machine that has a device, of a kind."""
    twin = Twin(**ONE)
    monkeypatch.setattr("pokerlab.refine.spots.cuda.engine.this_device", lambda: twin)
    return twin


def test_a_device_by_name(here, monkeypatch, tmp_path):
    spot, file = random_spot(np.random.default_rng(3), 2, (9, 8)), tmp_path / "checkpoint"
    cpu, whole = (solve_spot(spot, exploitability=0.3, engine=engine) for engine in ("cpu", "cuda"))
    assert here.launched
    assert max(whole.exploitability, cpu.exploitability) <= 0.003 * spot.total
    assert whole.ev == pytest.approx(cpu.ev, abs=0.006 * spot.total)
    assert whole.memory == memory_of(spot, engine="cuda") == CudaEngine.needs(Shape(spot), 1)
    solve_spot(spot, iterations=13, engine="cuda", checkpoint=file)
    rest = solve_spot(spot, exploitability=0.3, engine="cuda", resume=file)
    assert np.array_equal(rest.root.strategy, whole.root.strategy)
    whole.save(tmp_path / "x.solution", full=True)
    read = load_spot_solution(tmp_path / "x.solution")
    assert read.figures == whole.figures
    np.testing.assert_allclose(read.root.ev, whole.root.ev, atol=2e-3 * spot.total)
    for engine in ("cpu", "cuda"):
        more = solve_spot(spot, iterations=whole.iterations + 5, engine=engine, resume=read)
        assert more.exploitability <= 1.1 * whole.exploitability
    shape = Shape(spot)
    assert engine_for("auto", shape, 1) is CpuEngine  # too small to gain
    monkeypatch.setattr("pokerlab.refine.spots.engine._WORTH_A_DEVICE", shape.bytes(1))
    assert engine_for("auto", shape, 1) is CudaEngine
    here.shared = least_shared(shape, here) - 1
    assert engine_for("auto", shape, 1) is CpuEngine  # a block of threads has not enough
    with pytest.raises(
        DeviceError, match=r"^9 hands take more than the \d+ KiB .*narrow the ranges, or take device cpu$"
    ):
        solve_spot(spot, engine="cuda")
    here.shared += 1
    assert engine_for("auto", shape, 1) is CudaEngine
    assert solve_spot(spot, engine="cuda", iterations=3).ev == pytest.approx(solve_spot(spot, iterations=3).ev)
    here.free = lambda: CudaEngine.needs(shape, 1) - 1
    assert engine_for("auto", shape, 1) is CpuEngine  # no room there
    with pytest.raises(SpotError, match=r"takes 0.00 GiB on the device and 0.00 GiB are free: .* or take device cpu"):
        solve_spot(spot, engine="cuda")
    refined = [SpotRefinement(spot, 0, engine=engine) for engine in ("cpu", "cuda")]
    for each in refined:
        each.start("max-margin", np.full(COUNT, spot.total / 2))
        each.step(10)
    assert refined[1].margin == pytest.approx(refined[0].margin, abs=1e-2)


def test_the_commands_of_the_page(here, tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[3] / "docs" / "gpu.md").read_text()
    install, *commands = re.findall(r"^\$ (.*)$", page, flags=re.M)
    assert install == "pip install 'pokerlab[gpu]'"
    assert len(commands) == 2
    monkeypatch.chdir(tmp_path)
    Path("flop.toml").write_text(
        'board = "Qs Jh 2h 4c 7d"\npot = 20\nstacks = 90\n[oop]\nrange = "AA, 99"\n[ip]\nrange = "KK, QQ"\n'
        '[bets]\nbet = "50%"\nraise = "all-in"\n'
    )
    for command in commands:
        spot_command.main(shlex.split(command)[2:], standalone_mode=False)
        assert "written to flop.solution" in capsys.readouterr().out
    assert "last" in here.launched


def test_a_device_that_is_lost_leaves_the_checkpoint(here, monkeypatch, tmp_path):
    spot, file = random_spot(np.random.default_rng(3), 2, (9, 8)), tmp_path / "checkpoint"
    whole = solve_spot(spot, iterations=40, engine="cuda")
    monkeypatch.setattr("pokerlab.solvers.runner.CHECKPOINT_SECONDS", 0.0)
    monkeypatch.setattr("pokerlab.solvers.runner._CHUNK_SECONDS", 0.0)
    here.lose_after = len(here.launched) + 60
    with pytest.raises(DeviceError, match="the device failed"):
        solve_spot(spot, iterations=40, engine="cuda", checkpoint=file)
    here.lose_after = None
    rest = solve_spot(spot, iterations=40, engine="cuda", resume=file)
    assert rest.trace
    assert np.array_equal(rest.root.strategy, whole.root.strategy)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("engines", [("cuda", "cpu"), ("cpu", "cuda")])
def test_checkpoints_go_on_elsewhere(here, engines, precision, tmp_path):
    """What a device kept is the processor's start, and the other way round: to the bit, before either goes on."""
    spot, file = random_spot(np.random.default_rng(3), 2, (9, 8)), tmp_path / "checkpoint"
    first = solve_spot(spot, iterations=40, engine=engines[0], precision=precision, checkpoint=file)
    there = solve_spot(spot, iterations=40, engine=engines[1], precision=precision, resume=file)
    for name, array in first._engine.state().items():
        np.testing.assert_array_equal(there._engine.state()[name], array)
    rest = solve_spot(spot, iterations=60, engine=engines[1], precision=precision, resume=file)
    assert rest.iterations == 60
    assert rest.exploitability < first.exploitability
    other = PRECISIONS[1 - PRECISIONS.index(precision)]
    with pytest.raises(StrategyFileError, match=r"a checkpoint of another engine: .* in half precision"):
        solve_spot(spot, iterations=60, engine=engines[1], precision=other, resume=file)


def test_a_device_has_one_worker_and_a_checkpoint_needs_memory_here(here, monkeypatch, tmp_path):
    spot = random_spot(np.random.default_rng(3), 2, (9, 8))
    one, many = (forecast(spot, iterations=5, engine="cuda", threads=threads) for threads in (1, 16))
    assert (one.threads, one.place) == (many.threads, many.place) == (1, " on the device")
    assert re.search(r"^about \S+ s on the device: 5 iterations", many.lines()[3])
    assert one.seconds == pytest.approx(5 * one.iteration)
    monkeypatch.setattr("pokerlab.refine.spots.run.free_memory", lambda: CudaEngine.needs(Shape(spot), 1) - 1)
    solve_spot(spot, engine="cuda", iterations=1)
    with pytest.raises(SpotError, match=r"a checkpoint of this spot passes through 0.00 GiB of memory"):
        solve_spot(spot, engine="cuda", iterations=1, checkpoint=tmp_path / "checkpoint")
    assert not [*tmp_path.iterdir()]


def test_hands_that_fit_into_99_KiB():
    """As docs/gpu.md says, on devices that have no more for a block of threads."""
    for missing, fits in ((0, False), (8, False), (9, True)):  # of the 1,128 on a turn
        spot = spot_of("Qs Jh 2h 4c", ("random", "AA"), bet="all-in", raise_="all-in")
        weights = spot.weights(0).astype(np.float64)
        weights[np.flatnonzero(weights)[:missing]] = 0
        shape = Shape(replace(spot, ranges=(Range(weights), spot.ranges[1])))
        assert len(shape.holes[0]) == 1_128 - missing
        assert CudaEngine.fits(shape, Twin(warp=CupyDevice.warp, threads=CupyDevice.threads, shared=99 * 2**10)) == fits


def test_spots_at_a_time(here, monkeypatch):
    monkeypatch.setattr("pokerlab.device.this_device", lambda: here)
    monkeypatch.setattr("pokerlab.refine.spots.batch.cores", lambda: 7)
    assert [workers_of(engine) for engine in ("cpu", "cuda", "auto")] == [7, 1, 1]

    def none():
        raise DeviceError("there is none")

    monkeypatch.setattr("pokerlab.device.this_device", none)
    assert [workers_of(engine) for engine in ("cpu", "cuda", "auto")] == [7, 1, 7]


def test_an_agent_does_not_hide_a_device_that_fails(here):
    """It would play its blueprint for ever. What it has refined already it still knows."""
    rules = rules_of("holdem-nolimit:stack=2000")
    agent = ResolvingAgent(Call(), rules=rules, iterations=2, bets="all-in", device="cuda")
    hand = new_hand(rules).dealt((0, 5, 10, 15))
    for cards in ((), (20, 25, 30), (35,), (40,)):
        hand = hand.dealt(cards)
        while hand.actor is not None and len(hand.board) < 5:
            hand = hand.act(0)
    assert agent.refinement(hand.view(hand.actor)) is not None
    here.lose_after = len(here.launched)
    assert agent.refinement(hand.view(hand.actor)) is not None
    with pytest.raises(DeviceError, match="the device failed"):
        agent.act(hand.view(hand.actor)._replace(board=(20, 25, 30, 35, 41)))
    with pytest.raises(DeviceError, match="the device failed"):
        ResolvingAgent(Call(), rules=rules, iterations=2, bets="all-in", device="cuda")
    here.lose_after, here.shared = None, 1024
    with pytest.raises(DeviceError, match="narrow the ranges, or take device cpu"):
        ResolvingAgent(Call(), rules=rules, iterations=2, bets="all-in", device="cuda")


def test_without_a_device_there_is_one_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    this_device.cache_clear()
    spot = random_spot(np.random.default_rng(3), 2, (9, 8))
    with pytest.raises(DeviceError, match="needs CuPy"):
        solve_spot(spot, engine="cuda")
    monkeypatch.setattr("pokerlab.refine.spots.engine._WORTH_A_DEVICE", 0)
    assert engine_for("auto", Shape(spot), 1) is CpuEngine
    rules = rules_of("holdem-nolimit:stack=2000")
    with pytest.raises(AgentError, match="needs CuPy"):
        ResolvingAgent(Call(), rules=rules, device="cuda")
    with pytest.raises(AgentError, match="no engine 'gpu'"):
        ResolvingAgent(Call(), rules=rules, device="gpu")
