"""Payoffs and regret methods on a device, its kernels compiled for the processor, against the processor's own."""

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import naive
from cuda_twin import COMPILER, Twin, goes_on
from pokerlab.cli import main
from pokerlab.errors import DeviceError, SolverError
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate
from pokerlab.form.on_device import DevicePayoff, _gathered
from pokerlab.form.payoff import DensePayoff, Group
from pokerlab.form.strategy import uniform_profile
from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.solvers.on_device import DeviceRegretSolver, on_device
from pokerlab.solvers.regret import SCHEMES, RegretSolver, scheme_of
from pokerlab.solvers.run import solve
from random_games import random_payoff

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here to compile the kernels with")

ONE = {"threads": 1, "warp": 1}


def buckets():
    """Leduc by buckets that are made up: four states that split into three each, other ones for the second player."""
    rng = np.random.default_rng(0)
    parents = tuple((np.zeros(n, int), np.repeat(np.arange(n), 3)) for n in (4, 2))
    joint = rng.random((12, 6))
    joint /= joint.sum()
    before = joint.reshape(4, 3, 2, 3).sum(axis=(1, 3))
    return compile("leduc", deals=BucketDeals("made up", parents, (before, joint), joint * rng.uniform(-1, 1, (12, 6))))


GAMES = {"buckets": buckets, "leduc": lambda: compile("leduc"), "kuhn": lambda: compile("kuhn")}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("real", "close"), [(np.float64, 1e-12), (np.float32, 1e-4)])
def test_products(seed, real, close, monkeypatch):
    """Of random operators, their transposes and negatives; many corners, or few at once."""
    rng = np.random.default_rng(seed)
    if seed % 2:
        monkeypatch.setattr("pokerlab.form.on_device._ROOM", 20)
    plain = random_payoff(rng, (int(rng.integers(1, 60)), int(rng.integers(1, 60))))
    matrix = np.array(naive.dense(plain))
    large = DevicePayoff(DensePayoff(plain.shape, plain.groups), Twin(**(ONE if seed % 3 else {})))
    for operator, expected in [(large, matrix), (large.T, matrix.T), (-large.T, -matrix.T), ((-large).T.T, -matrix)]:
        y = rng.normal(size=operator.shape[1])
        out = np.full(operator.shape[0], np.nan, dtype=real)
        operator.astype(real).into(y.astype(real), out)
        assert out == pytest.approx(expected @ y, abs=close)
    assert large.to_sparse().toarray() == pytest.approx(matrix)
    assert large.large


def test_terms_that_share_rows_or_overlap():
    """Several terms at one corner, and corners nearer than a matrix is high: all are added."""
    rng = np.random.default_rng(3)
    rows, columns = np.array([0, 0, 1, 4, 5, 0]), np.array([0, 2, 1, 3, 0, 0])
    plain = DensePayoff((9, 7), [Group(rng.random((3, 2)), rows, columns, rng.normal(size=6))])
    y = rng.random(7)
    for operator in (plain, plain.T):
        twin = DevicePayoff(operator, Twin(**ONE))
        y = rng.random(operator.shape[1])
        assert twin @ y == pytest.approx(operator @ y, abs=1e-12)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("method", SCHEMES)
def test_the_same_iterations(game, method):
    """As on the processor, together or in turn, in double and in single precision."""
    game = GAMES[game]()
    for changes, close in (({}, 1e-10), ({"alternating": False}, 1e-10), ({"single": True}, 1e-3)):
        scheme = scheme_of(method, **changes)
        cpu, device = RegretSolver(game, scheme), DeviceRegretSolver(on_device(game, Twin(**ONE)), scheme)
        for solver in (cpu, device):
            solver.step(12)
        mine, theirs = cpu.state(), device.state()
        assert mine.keys() == theirs.keys()
        for key, array in mine.items():
            np.testing.assert_allclose(theirs[key], array, rtol=0, atol=close * max(1, np.abs(array).max()))
        for one, other in zip(cpu.plans(), device.plans(), strict=True):
            np.testing.assert_allclose(other, one, rtol=0, atol=close)
        assert evaluate(device.profile()).exploitability == pytest.approx(
            evaluate(cpu.profile()).exploitability, abs=close
        )


def test_threads_that_take_turns_and_a_state_put_back():
    game = on_device(buckets(), Twin())
    whole, parts, other = (DeviceRegretSolver(game, scheme_of("dcfr")) for _ in range(3))
    assert [*whole.plans()[0]] == pytest.approx([*uniform_profile(game).plans()[0]])
    goes_on(whole, parts, other)


@pytest.fixture
def here(monkeypatch):
    twin = Twin(**ONE)
    for place in ("pokerlab.device", "pokerlab.solvers.on_device", "pokerlab.form.on_device"):
        monkeypatch.setattr(f"{place}.this_device", lambda: twin)
    return twin


@pytest.mark.parametrize("method", ["cfr+", "egt", "omd", "double-oracle"])
def test_one_option(here, method):
    """Regret methods live there, of all others the products."""
    game = compile("kuhn")
    cpu, device = (solve(game, method, iterations=30, progress=False, device=name) for name in ("cpu", "cuda"))
    assert here.launched
    assert device.exploitability == pytest.approx(cpu.exploitability, abs=1e-6)


def test_on_the_command_line(here, tmp_path):
    file = str(tmp_path / "x.strategy")
    words = ["solve", "leduc", "--iterations", "20", "--device", "cuda", "--out", file]
    assert CliRunner().invoke(main, words).exit_code == 0
    launched = len(here.launched)
    done = CliRunner().invoke(
        main, ["solve", "leduc", "--iterations", "25", "--device", "cuda", "--out", file, "--resume"]
    )
    assert done.exit_code == 0, done.output
    assert len(here.launched) > launched
    launched = len(here.launched)
    for device, iterations in (("cpu", "30"), ("cuda", "35")):  # either goes on from the other's file
        words = ["solve", "leduc", "--iterations", iterations, "--device", device, "--out", file, "--resume"]
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, done.output
        assert (len(here.launched) > launched) == (device == "cuda")
    assert solve("leduc", iterations=5, device="auto", progress=False).iterations == 5  # too small to gain
    here.lose_after = len(here.launched) + 5
    lost = CliRunner().invoke(
        main, ["solve", "leduc", "--iterations", "40", "--device", "cuda", "--out", file, "--resume"]
    )
    assert lost.exit_code == 2
    assert "the device failed" in lost.output
    here.lose_after = None
    assert CliRunner().invoke(main, ["evaluate", file]).exit_code == 0  # what was kept is whole


def test_auto_takes_the_processor_for_what_is_not_for_a_device(here, monkeypatch):
    for kind in ("Game", "BilinearGame"):
        monkeypatch.setattr(f"pokerlab.form.game.{kind}.large", True)
    for game, method in (("kuhn", "external-sampling"), ("kuhn-3p", "cfr+")):
        assert solve(game, method, iterations=5, device="auto", progress=False).iterations == 5
    assert not here.launched
    assert solve("kuhn", iterations=5, device="auto", progress=False).iterations == 5
    assert here.launched


def test_what_is_gathered_is_counted(here):
    """As much again as the matrices may be, and none of it is taken before it is known to be there."""
    payoff = random_payoff(np.random.default_rng(3), (40, 30))
    dense = DensePayoff(payoff.shape, payoff.groups)
    taken, xp = [], here.xp

    class Counted:
        def __getattr__(self, name):
            return getattr(xp, name)

        def empty(self, shape, dtype):
            taken.append(int(np.prod(shape)) * np.dtype(dtype).itemsize)
            return xp.empty(shape, dtype)

    here.xp = Counted()
    blocks = dense._matrices.of(dense.dtype)
    needed = dense.dtype.itemsize * _gathered(dense.groups, blocks)
    product = DevicePayoff(dense, here).product
    product.apply(np.ones(30), np.zeros(40))
    assert 0 < max(taken) <= needed / 2
    here.free = lambda: blocks.data.nbytes + needed - 1
    with pytest.raises(DeviceError, match="are free"):
        DevicePayoff(dense, here).product  # noqa: B018
    here.free = lambda: blocks.data.nbytes + needed
    DevicePayoff(dense, here).product.apply(np.ones(30), np.zeros(40))


def test_what_is_not_for_a_device(here):
    with pytest.raises(SolverError, match="lp is not for a device"):
        solve("kuhn", "lp", device="cuda")
    with pytest.raises(SolverError, match="samples, which is not for a device"):
        solve("kuhn", "external-sampling", device="cuda")
    with pytest.raises(DeviceError, match="no device 'gpu'"):
        solve("kuhn", device="gpu")
    game = compile("kuhn")
    with pytest.raises(DeviceError, match="no payoff of matrices for two: take device cpu"):
        solve("kuhn-3p", device="cuda")
    here.free = lambda: 10
    with pytest.raises(
        DeviceError, match=r"matrices and their products take 0.00 GiB on the device and 0.00 GiB are free: take single"
    ):
        solve(replace(game), device="cuda", progress=False)
