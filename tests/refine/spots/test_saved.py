"""The file of a solution: every decision as the engine sees it, read a board at a time, and gone on from."""

import json
import tracemalloc
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pokerlab.cards.deck import Deck
from pokerlab.cli import main
from pokerlab.errors import SpotError
from pokerlab.refine.spots.cpu import CpuEngine
from pokerlab.refine.spots.engine import Engine
from pokerlab.refine.spots.gadget import Gadget
from pokerlab.refine.spots.lanes import LANES
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.shape import Shape
from pokerlab.refine.spots.sixteen import REGRET, STEPS, coded, plain, proportions
from pokerlab.refine.spots.solution import SpotSolution, load_spot_solution
from pokerlab.refine.spots.spot import Lock
from random_spots import spot_of

DECK = Deck()
SPOTS = {
    "river": spot_of("Qs Jh 2h 4c 7d", ("random", "AA-22,AK,AQ,KQ,J9s"), bet="50%, 100%"),
    "turn": spot_of("As Ks 7s 2s", ("AA,KK,QJs,76s,AcQd", "QQ,JJ,AK,87s"), bet="75%", raise_="all-in"),
    "wide turn": spot_of("As Ks 7d 2s", ("22+,A2s+,KJo", "QQ,AK"), bet="75%", raise_="all-in", stack=150),
    "flop": spot_of("As Ks 7s", ("AA,QJs", "QQ,AK"), bet="75%", stack=120),
    "rainbow": spot_of("As Kd 7h", ("AA,AcQd", "QQ,JTs"), bet="100%", stack=90),
}


@pytest.fixture(scope="module", params=SPOTS)
def both(request, tmp_path_factory):
    """A solution, and the same from its file."""
    solved = solve_spot(SPOTS[request.param], iterations=30, threads=1)
    path = tmp_path_factory.mktemp(request.param) / "x.solution"
    solved.save(path)
    return solved, load_spot_solution(path)


def lines(solved, rng, count):
    """Some decisions, each on cards that may come; the first on every street among them."""
    decisions = [node for node in solved.tree if node.kind == "decision"]
    firsts = [next(n for n in decisions if n.street == street) for street in sorted({n.street for n in decisions})]
    for node in [*firsts, *(decisions[i] for i in rng.integers(len(decisions), size=count))]:
        left = [card for card in rng.permutation(52) if card not in solved.spot.board]
        yield [DECK.text([left.pop()]) if word == "deal" else word for word in solved.tree.line(node.index)]


def test_every_decision_is_as_the_engine_sees_it(both):
    """An engine with the averages of the file, all of them; and up to sixteen bits the one that solved it."""
    solved, read = both
    whole, chips = SpotSolution(read._engine._whole, read.record), 1e-3 * solved.spot.total
    for line in lines(solved, np.random.default_rng(0), 12):
        want, node = whole.node(line), read.node(line)
        np.testing.assert_allclose(node.strategy, solved.node(line).strategy, atol=2e-5)
        np.testing.assert_allclose(node.strategy, want.strategy, atol=1e-6)
        for player in range(2):
            np.testing.assert_allclose(node.weights(player), want.weights(player), rtol=1e-4, atol=1e-12)
        np.testing.assert_allclose(node.action_ev, want.action_ev, atol=chips)
        np.testing.assert_allclose(node.other_ev()[1], want.other_ev()[1], atol=chips)
    assert read.figures == solved.figures
    assert read.summary() == solved.summary()
    assert read.best_response(0) == pytest.approx(solved.best_response(0), abs=2 * chips, nan_ok=True)


def test_one_look_reads_the_boards_of_its_line_and_no_others(tmp_path):
    solved = solve_spot(SPOTS["turn"], iterations=5, threads=1)
    path, hurt = tmp_path / "x.solution", "check, check, 4d"
    solved.save(path)
    with zipfile.ZipFile(path) as archive:
        member = archive.getinfo("strategy_2_0.npy")
    board = solved.node(hurt)._path[-1]
    size = 2 * solved._engine.shape.kept_each(2, 0)
    begin = (
        member.header_offset + 30 + len(member.filename) + 20 + 128 + board * size
    )  # a zip's, a long size's, NumPy's
    data = bytearray(path.read_bytes())
    data[begin + size // 2] ^= 1
    path.write_bytes(data)
    read = load_spot_solution(path)
    read.root.ev, read.node("check, check, 9s").ev
    with pytest.raises(
        SpotError, match=f"x.solution is damaged: row {board} of its strategy_2_0 is not what was written"
    ):
        read.node(hurt)._passes  # noqa: B018


def test_a_file_that_is_replaced_is_still_looked_at(tmp_path):
    path = tmp_path / "x.solution"
    solved = solve_spot(SPOTS["turn"], iterations=5)
    solved.save(path)
    read = load_spot_solution(path)
    solve_spot(SPOTS["river"], iterations=5).save(path)
    np.testing.assert_allclose(read.node("check").strategy, solved.node("check").strategy, atol=2e-5)


def test_saving_takes_a_board_at_a_time(tmp_path):
    spot = spot_of("As Kd 7h", ("22+,A2s+", "QQ,JTs,AK"), bet="100%", stack=90)
    solved = solve_spot(spot, iterations=1, isomorphism=False)
    shape = solved._engine.shape
    kept = sum(2 * shape.kept(street, player) for street in shape.streets for player in range(2))
    solved.save(tmp_path / "x.solution")  # kernels are loaded
    tracemalloc.start()
    try:
        solved.save(tmp_path / "x.solution")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (tmp_path / "x.solution").stat().st_size > kept
    assert peak < kept / 2


def test_saving_is_counted_before_solving():
    spot = SPOTS["turn"]
    shape = Shape(spot)
    needed, gib = CpuEngine.needs(shape, 1), 2**30
    with pytest.raises(SpotError, match="this spot takes"):
        solve_spot(spot, iterations=1, threads=1, memory=(needed + shape.saving() - 1) / gib)
    solve_spot(spot, iterations=1, threads=1, memory=(needed + shape.saving()) / gib)


@pytest.mark.parametrize("name", ["river", "turn"])
@pytest.mark.parametrize("precision", ["single", "half"])
def test_solving_goes_on_from_a_full_file(name, precision, tmp_path):
    """As fast as from where it was in memory, to a quarter: sixteen bits of regrets are enough."""
    path, options = tmp_path / "x.solution", {"precision": precision, "threads": 1}
    begun = solve_spot(SPOTS[name], exploitability=1, **options)
    begun.save(path, full=True)
    straight = solve_spot(SPOTS[name], exploitability=0.3, resume=begun, **options).iterations - begun.iterations
    for engine in ("single", "half"):
        rest = solve_spot(SPOTS[name], exploitability=0.3, resume=path, precision=engine, threads=1)
        assert rest.exploitability <= 0.003 * rest.spot.total
        assert rest.iterations - begun.iterations <= 1.25 * straight + 10  # which are looked at in tens
        assert [*rest.trace][: len(begun.trace)] == [*begun.trace]


def test_what_a_full_file_keeps(tmp_path):
    """Regrets and averages come back as half precision has them, and fixed play stays fixed."""
    lock = Lock(("check",), {"bet 75": 1.0})
    spot = replace(SPOTS["turn"], locks=(lock,))
    solved = solve_spot(spot, iterations=12, threads=1)
    solved.save(tmp_path / "x.solution", full=True)
    engine = CpuEngine(Shape(spot))
    assert load_spot_solution(tmp_path / "x.solution").bring(engine) == solved.record
    for street, stores in engine.stores.items():
        for player, store in enumerate(stores):
            want, scale = solved._engine.stores[street][player], engine._regret_scale()
            kept = plain(coded(want.regret / np.float32(scale), REGRET)) * np.float32(scale)
            np.testing.assert_allclose(store.regret, kept, rtol=1e-6)
            total = engine._weights()[1]
            seen = want.strategy > 0
            np.testing.assert_allclose(store.strategy[seen], want.strategy[seen], atol=1.1 * total / STEPS)
    assert engine.iteration == 12
    engine.step(3)
    np.testing.assert_array_equal(engine.average(solved.node("check")._node, 0).argmax(axis=0), 1)


def test_what_is_not_saved(tmp_path):
    spot = SPOTS["river"]
    gadget = Gadget("max-margin", 0, np.zeros(1326))
    behind = solve_spot(spot, iterations=2, gadget=gadget)
    with pytest.raises(SpotError, match="behind a gadget"):
        behind.save(tmp_path / "x.solution")
    assert not [*tmp_path.iterdir()]


def test_probabilities_in_steps():
    rng = np.random.default_rng(1)
    shape = Shape(SPOTS["river"])
    side, width = shape.layout.sides[2][0], len(shape.root[0])
    kept = rng.random(shape.kept_each(2, 0), dtype=np.float32) * (rng.random(shape.kept_each(2, 0)) < 0.5)
    steps = np.zeros(len(kept), dtype=np.uint16)
    proportions(side.blocks, side.roots, width, kept, steps)
    for first, _, actions in side.blocks:
        at = slice((first - side.roots) * width, (first - side.roots + actions) * width)
        rows, got = (array[at].reshape(-1, actions, LANES) for array in (kept, steps))
        total = rows.sum(axis=1, keepdims=True)
        want = np.where(total > 0, rows / np.where(total > 0, total, 1), 1 / actions)
        assert abs(got - want * STEPS).max() <= 0.51


def test_the_command_goes_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.toml").write_text(SPOTS["river"].text())

    def spot(*words, code=0):
        result = CliRunner().invoke(main, ["spot", *words])
        assert result.exit_code == code, result.output
        return result.stderr if code else json.loads(result.stdout)

    first = spot("x.toml", "--iterations", "20", "--full", "--json")
    more = spot("x.solution", "--iterations", "50", "--json")
    assert (first["iterations"], more["iterations"], more["saved"]) == (20, 50, "x.solution")
    assert more["exploitability"] < first["exploitability"]
    assert spot("x.solution", "--iterations", "60", "--out", "y.solution", "--json")["saved"] == "y.solution"
    assert spot("x.solution", "--json")["exploitability"] == more["exploitability"]
    spot("x.toml", "--iterations", "20", "--json")
    assert "no regrets to go on from: save with --full" in spot("x.solution", "--iterations", "50", code=2)
    assert "of another method" in spot("y.solution", "--iterations", "99", "--method", "cfr+", code=2)
    assert "to go on, give --exploitability" in spot("y.solution", "--threads", "2", code=2)
    assert "without --resume and --dry-run" in spot("y.solution", "--iterations", "99", "--dry-run", code=2)


@pytest.mark.parametrize("precision", ["single", "half"])
def test_the_quick_way_to_probabilities_is_that_of_any_engine(precision):
    engine = solve_spot(SPOTS["turn"], iterations=7, precision=precision, threads=1)._engine
    for node in engine.shape.tree:
        if node.kind == "decision":
            place = node.street, node.player, 0
            ways = engine.probabilities(*place), Engine.probabilities(engine, *place)
            quick, slow = (engine.shape.read(steps, node, 0) for steps in ways)
            assert abs(quick.astype(int) - slow).max() <= 1
