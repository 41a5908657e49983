"""The engine for a device, its kernels compiled for the processor, against the processor's own."""

import json
import sys

import numpy as np
import pytest
from click.testing import CliRunner

from cuda_twin import COMPILER, Twin
from naive_response import Moody, MoodyByBucket, holdem
from pokerlab.agents.spec import agent_of
from pokerlab.cli import main
from pokerlab.device import this_device
from pokerlab.errors import DeviceError
from pokerlab.game.catalog import rules_of
from pokerlab.match.exact.boards import Dealt
from pokerlab.match.exact.cuda.engine import CudaEngine
from pokerlab.match.exact.engine import device_for
from pokerlab.match.exact.run import exploitability
from pokerlab.match.exact.tree import PublicTree

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here to compile the kernels with")

ONE = {"threads": 1, "warp": 1}  # a thread a block: no turns to take, soon done
DEVICES = {"fibers": {}, "fibers backwards": {"backwards": True}, "a warp": {"threads": 8, "warp": 8}, "one": ONE}
SMALL = {  # one card and two, ties and none, one to three rounds after the first, suits alike or not
    "leduc": rules_of("leduc"),
    "many ranks": rules_of("leduc:ranks=13,suits=4"),
    "two rounds": rules_of("rhode-island:ranks=4"),
    "two cards": holdem(2, 2, ranks=4, suits=3),
    "a turn": holdem(3, 2, ranks=4, suits=2),
}


def same(tree, twin, dealt, rtol=2e-6):
    """Both engines on a board, in both seats."""
    engine = CudaEngine(tree, twin)
    for seat in range(2):
        reach = tree._arrived(seat)
        wanted = tree.engine.worth(seat, reach, dealt)
        got = engine.worth(seat, reach, dealt)
        np.testing.assert_allclose(got, wanted, rtol=0, atol=rtol * np.abs(wanted).max())
        assert np.abs(wanted).max() > 0
    return engine


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("game", SMALL)
def test_small_games(game, device):
    if device != "one" and game in ("many ranks", "two rounds"):
        pytest.skip("takes long with threads that take turns, and has nothing that others have not")
    for agent, alike in ((MoodyByBucket(1), None), (MoodyByBucket(2), False)):
        tree = PublicTree(agent, SMALL[game], alike=alike)
        flops = np.random.default_rng(0).permutation(len(tree.flops))[: 2 if device == "one" else 1]
        for number in flops:
            same(tree, Twin(**DEVICES[device]), tree.flops[number])


@pytest.mark.parametrize("board", [(4, 12, 16), (4, 5, 14)], ids=["one suit", "a pair"])
def test_turns_and_rivers_up_to_suits(board):
    """Boards that stand for others, whose values come back averaged over changes of suits."""
    tree = PublicTree(MoodyByBucket(1), holdem(4, 1, ranks=5))
    dealt = Dealt(board, 1, tree.suits.leaving(tree.rules, board))
    assert len(dealt.group) > 1
    engine = same(tree, Twin(**ONE), dealt)
    assert {*engine.device.launched} == {"sort", "walk", "collect"}
    few = Twin(**ONE)
    few.blocks = 10**6  # every river is a bundle of its own
    same(tree, few, dealt)


def test_little_shared_memory():
    """One root a panel where a block of threads has no room for two; where it has for none, that is said."""
    tree = PublicTree(MoodyByBucket(1), SMALL["a turn"])
    twin = Twin(**ONE)
    engine = same(tree, twin, tree.flops[0])
    rounds = tree.seats[0].keys() | tree.seats[1].keys()
    for lanes in (2, 1):
        assert engine.lanes == lanes
        twin.shared = max(engine._shared(round, lanes)[2] for round in rounds)
        assert CudaEngine(tree, twin).lanes == lanes
        twin.shared -= 1
        if lanes == 2:
            engine = same(tree, twin, tree.flops[0])
    with pytest.raises(DeviceError, match=r"takes more than the \d+ KiB of shared memory .*take device cpu"):
        CudaEngine(tree, twin)


def test_hold_em_on_small_devices():
    """99 KiB are what a block of threads may have on devices that people have at home."""
    tree = PublicTree(agent_of("call"), rules_of("holdem-limit"), alike=True)
    for kib, lanes in ((227, 2), (99, 1)):
        assert CudaEngine(tree, Twin(threads=640, warp=32, shared=kib * 1024)).lanes == lanes


def test_roots_that_the_agent_never_comes_to_are_left_out():
    """An agent that always calls comes to few; what the others are worth is 0, as on the processor."""
    rules = holdem(3, 2, ranks=4, suits=2)
    for name, share in (("call", 4), ("raise", 2)):
        tree = PublicTree(agent_of(name), rules)
        engine = same(tree, Twin(**ONE), tree.flops[0])
        for seat in range(2):
            every, some = (len(plans) for plans in (tree.seats[seat][2].roots, engine.plans[seat][2].roots))
            assert 0 < some <= every // share


def test_boards_late_in_a_hand():
    """As an agent that responds asks for them: what follows one line, from a turn and on the last board."""
    tree = PublicTree(MoodyByBucket(4), holdem(4, 1, ranks=4))
    rng = np.random.default_rng(1)
    for round in (2, 3):
        board = tuple(rng.permutation(16)[: tree.rules.boards[round]].tolist())
        below = tree.below(1, tree.seats[1][round].roots[3:4], round)
        reach = rng.random((1, tree.holes))
        dealt = Dealt(board, 1, tree.suits.leaving(tree.rules, board))
        wanted = below.engine.worth(1, reach, dealt)
        got = CudaEngine(below, Twin(**ONE)).worth(1, reach, dealt)
        np.testing.assert_allclose(got, wanted, rtol=0, atol=2e-6 * np.abs(wanted).max())


@pytest.fixture
def here(monkeypatch):
    """A machine that has a device, of a kind."""
    twin = Twin(**ONE)
    monkeypatch.setattr("pokerlab.match.exact.cuda.engine.this_device", lambda: twin)
    monkeypatch.setattr("pokerlab.device.this_device", lambda: twin)
    return twin


def test_one_option(here, tmp_path, monkeypatch):
    """The same folder on both devices; a device that is lost in the middle loses no finished flop."""
    words = ["evaluate", "random", "--game", "leduc", "--exact", "--flops", "all", "--json"]
    told = [json.loads(CliRunner().invoke(main, words).stdout)]
    here.lose_after = 4
    lost = CliRunner().invoke(main, [*words, "--device", "cuda", "--out", str(tmp_path)])
    assert lost.exit_code == 2
    assert "the device failed" in lost.output
    kept = {file: file.stat().st_mtime_ns for file in tmp_path.glob("*.flop")}
    assert 0 < len(kept) < 3
    here.lose_after = None
    for device in ("cuda", "cpu"):
        done = CliRunner().invoke(main, [*words, "--device", device, "--out", str(tmp_path)])
        told.append(json.loads(done.stdout))
    assert kept.items() <= {file: file.stat().st_mtime_ns for file in tmp_path.glob("*.flop")}.items()
    for key in ("exploitability", "seats"):
        assert told[1][key] == pytest.approx(told[0][key], rel=1e-5)
        assert told[2][key] == pytest.approx(told[0][key], rel=1e-5)
    assert told[1]["agent"] == told[0]["agent"]
    assert device_for("auto", 10) == "cpu"  # too small to gain
    assert device_for("auto", 1326) == "cuda"
    assert device_for("auto", 1326, fixed=False) == "cpu"  # asked anew on every board
    monkeypatch.setattr("pokerlab.match.exact.engine._WORTH_A_DEVICE", 1)
    assert PublicTree(Moody(), rules_of("leduc"), device="auto").device == "cpu"
    assert PublicTree(MoodyByBucket(1), rules_of("leduc"), device="auto").device == "cuda"


def test_what_is_not_for_a_device(here, monkeypatch):
    with pytest.raises(DeviceError, match=r"asked anew on every board.*take device cpu"):
        PublicTree(Moody(), rules_of("leduc"), device="cuda")
    with pytest.raises(DeviceError, match=r"no device 'gpu'.*cpu, cuda, auto"):
        exploitability(agent_of("call"), rules_of("leduc"), device="gpu")
    refused = CliRunner().invoke(main, ["evaluate", "call", "--game", "leduc", "--device", "cuda"])
    assert refused.exit_code == 2
    assert "--device and --out are for --exact" in refused.output
    here.free = lambda: 100
    with pytest.raises(DeviceError, match=r"takes 0.00 GiB on the device and 0.00 GiB are free: take device cpu"):
        exploitability(agent_of("call"), rules_of("leduc"), device="cuda")
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "cupy", None)
    this_device.cache_clear()
    assert device_for("auto", 1326) == "cpu"
    with pytest.raises(DeviceError, match="needs CuPy"):
        exploitability(agent_of("call"), rules_of("leduc"), device="cuda")
