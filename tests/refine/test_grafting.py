"""Grafting: Definition 7's conditions, Definition 8's gluing, Theorem 1 and Corollary 1, on small games."""

from __future__ import annotations

import json
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

import pokerlab
from naive_maps import fix_map, tie_map
from pokerlab.errors import AbstractionError, GraftingError, ImperfectRecall
from pokerlab.form.compile import compile
from pokerlab.form.evaluate import evaluate
from pokerlab.form.game import BilinearGame, Game, matrix_game
from pokerlab.form.lift import lift
from pokerlab.form.maps import confine, restrict
from pokerlab.form.payoff import Payoff
from pokerlab.form.strategy import Profile, random_profile, uniform_profile
from pokerlab.form.treeplex import simplex
from pokerlab.processes import local_processes
from pokerlab.refine import grafting
from pokerlab.refine.grafting import graft, graft_both
from pokerlab.refine.lens import seen_by
from pokerlab.refine.partition import GraftingPartition, by_private_cards, flop_grafts, preflop_grafts
from pokerlab.solvers.run import solve
from random_games import random_game, random_treeplex

PLAYERS = pytest.mark.parametrize("player", [0, 1])


@pytest.fixture(scope="module")
def leduc() -> Game:
    return compile("leduc")


def everything(game: Game, player: int) -> GraftingPartition:
    """p = 1 and an empty G_0."""
    return GraftingPartition(game, player, np.ones(game.trees[player].infosets, dtype=int))


def labels_of(partition: GraftingPartition) -> dict[tuple[str, str], int]:
    tree, found = partition.tree, {}
    for b, first in enumerate(tree.blocks.first):
        block = tree.describe(b)
        for i, state in enumerate(block.states):
            found[block.public, state] = int(partition.labels[first + i])
    return found


# Definition 7.


@PLAYERS
def test_preflop_and_flop_grafts(leduc: Game, player: int) -> None:
    early, late = preflop_grafts(leduc, player), flop_grafts(leduc, player)
    assert early.names == late.names == ("J", "Q", "K")
    for (public, state), label in labels_of(early).items():
        assert label == 1 + "JQK".index(state[0])
        assert labels_of(late)[public, state] == (label if "/" in public else 0)


def test_grafts_for_groups_of_cards(leduc: Game) -> None:
    found = by_private_cards(leduc, 0, groups="JQ.K")
    assert found.names == ("J,Q", "K")
    assert labels_of(found)["", "Q"] == 1
    assert labels_of(found)["", "K"] == 2


def test_grafts_by_cards_on_an_abstract_game() -> None:
    small = compile("leduc", "JQ.K")
    assert by_private_cards(small, 0, groups="JQ.K").grafts == 2
    with pytest.raises(GraftingError, match="'J,Q' apart"):
        preflop_grafts(small, 0)


def test_labels_of_the_wrong_kind(leduc: Game) -> None:
    count = leduc.X.infosets
    for labels, words in (
        (np.zeros(count - 1, dtype=int), f"an integer an infoset .{count}."),
        (np.zeros(count), "float64"),
        (np.full(count, -1), "'J' after 'the deal' has a negative label"),
        (np.where(np.arange(count) == 0, 3, 0), "no infoset is of graft 1"),
    ):
        with pytest.raises(GraftingError, match=words):
            GraftingPartition(leduc, 0, labels)
    with pytest.raises(GraftingError, match="2 names for 1 grafts"):
        GraftingPartition(leduc, 0, np.ones(count, dtype=int), ("a", "b"))
    with pytest.raises(GraftingError, match="player must be 0 or 1"):
        GraftingPartition(leduc, 2, np.ones(count, dtype=int))


def test_games_that_have_no_cards_or_too_many_players() -> None:
    with pytest.raises(GraftingError, match="not compiled from rules"):
        preflop_grafts(matrix_game([[1, -1], [-1, 1]]), 0)
    with pytest.raises(GraftingError, match="rounds 0 to 0"):
        flop_grafts(compile("kuhn"), 0)
    three = compile("kuhn-3p")
    with pytest.raises(GraftingError, match="two players"):
        GraftingPartition(three, 0, np.zeros(three.trees[0].infosets, dtype=int))


def test_condition_3_names_the_infosets(leduc: Game) -> None:
    labels = preflop_grafts(leduc, 0).labels.copy()
    block = next(b for b in range(len(leduc.X.blocks.n)) if leduc.X.describe(b).public == "cc/")
    at = int(leduc.X.blocks.first[block]) + leduc.X.describe(block).states.index("K/Q")
    labels[at] = 1
    with pytest.raises(GraftingError, match=r"condition 3.*'K/Q' after 'cc/' of graft 1 is below 'K' after 'the deal'"):
        GraftingPartition(leduc, 0, labels)
    labels[at] = 0
    with pytest.raises(GraftingError, match="condition 3") as caught:
        # The infosets below one of G_0 are still below the graft above that.
        GraftingPartition(leduc, 0, np.where(labels_below(leduc, at), 2, labels))
    assert "below 'K' after 'the deal' of graft 3" in str(caught.value)


def labels_below(game: Game, infoset: int) -> np.ndarray:
    tree = game.X
    found = np.zeros(tree.infosets, dtype=bool)
    for i in range(tree.infosets):
        above = tree.infoset_of[tree.blocks.parent[i]]
        found[i] = above >= 0 and (above == infoset or found[above])
    return found


def test_condition_3_on_random_trees() -> None:
    """Against the definition: every pair of an infoset and one above it."""
    rng = np.random.default_rng(7)
    outcomes = set()
    for _ in range(300):
        tree = random_treeplex(rng)
        labels = rng.integers(0, 3, size=tree.infosets)
        if 2 in labels and 1 not in labels:
            continue
        broken = False
        for i in range(tree.infosets):
            above = tree.infoset_of[tree.blocks.parent[i]]
            while above >= 0:
                broken |= labels[above] > 0 and labels[i] not in (0, labels[above])
                above = tree.infoset_of[tree.blocks.parent[above]]
        empty = Payoff((tree.sequences, 2), [])
        game = BilinearGame(tree, empty, simplex(["only"]))
        outcomes.add(bool(broken))
        if broken:
            with pytest.raises(GraftingError, match="condition 3"):
                GraftingPartition(game, 0, labels)
        else:
            GraftingPartition(game, 0, labels)
    assert outcomes == {True, False}


def test_condition_2_where_the_game_forgets() -> None:
    game = compile("leduc", "J.Q.K/~pair.nopair")
    labels = preflop_grafts(compile("leduc", "J.Q.K"), 0).labels
    with pytest.raises(GraftingError, match=r"condition 2.*are one infoset to the player"):
        GraftingPartition(game, 0, labels)
    late = np.concatenate([np.full(n, "/" in game.X.describe(b).public) for b, n in enumerate(game.X.blocks.n)])
    GraftingPartition(game, 0, late.astype(int))


# The map of a graft's game.


@PLAYERS
def test_confine_is_fix_map_and_tie_map_in_one(leduc: Game, player: int) -> None:
    rng = np.random.default_rng(3)
    tree = leduc.trees[player]
    behaviour = tree.random(rng)
    free = flop_grafts(leduc, player).labels == 2
    mine = confine(tree, seen_by(leduc, player, "FULL"), free, behaviour)
    plain = fix_map(tree, free, behaviour)
    assert (mine.matrix != plain.matrix).nnz == 0
    small = mine.small.random(rng)
    assert np.array_equal(mine.lift(small), plain.lift(small))
    seen = seen_by(leduc, player, "JQ.K")
    whole = confine(tree, seen, np.ones(tree.infosets, dtype=bool), behaviour)
    assert (whole.matrix != tie_map(tree, seen.rows).matrix).nnz == 0


@pytest.mark.parametrize("lens", ["JQ.K", "pa", "J.QK+hpa"])
@PLAYERS
def test_confining_everywhere_is_compiling_with_the_abstraction(lens: str, player: int) -> None:
    name = "leduc-nl:stack=7"
    full = compile(name)
    tree = full.trees[player]
    confined = confine(tree, seen_by(full, player, lens), np.ones(tree.infosets, dtype=bool), tree.uniform())
    found = restrict(full, *((confined, None) if player == 0 else (None, confined)))
    wanted = compile(name, f"{lens}-FULL" if player == 0 else f"FULL-{lens}")
    assert confined.small.sequences == wanted.trees[player].sequences
    assert solve(found, "lp").value == pytest.approx(solve(wanted, "lp").value, abs=1e-9)
    lifted = confined.lift(confined.small.random(np.random.default_rng(1)))
    tree.check(lifted)


def test_infosets_out_of_reach_are_left_out_and_keep_the_base(leduc: Game) -> None:
    """A base that never raises: below its raises there is nothing to solve."""
    weights = np.ones(leduc.X.sequences)
    for b, (start, _, n, k) in enumerate(zip(*leduc.X.blocks[:4], strict=True)):
        for a, action in enumerate(leduc.X.describe(b).actions):
            if action.startswith("r"):
                weights[start + a * n : start + (a + 1) * n] = 0.0
        assert k > 1
    meek = leduc.X.normalize(weights)
    base = Profile(leduc, (meek, leduc.Y.uniform()))
    free = flop_grafts(leduc, 0).labels == 1
    small = confine(leduc.X, seen_by(leduc, 0, "FULL"), free, meek).small
    assert small.sequences < fix_map(leduc.X, free, meek).small.sequences
    found = graft(base, flop_grafts(leduc, 0), method="lp")
    plain = restrict(leduc, fix_map(leduc.X, free, meek))
    best = solve(plain, "lp").value
    worst = -evaluate(Profile(leduc, (found.grafts[0].behaviour, leduc.Y.uniform()))).responses[1]
    assert worst == pytest.approx(best, abs=1e-9)
    glued = Profile(leduc, (found.behaviour, leduc.Y.uniform()))
    for state in ("J/Q", "K/K"):
        assert glued.at(0, "rc/", state) == base.at(0, "rc/", state)
        assert glued.at(0, "cc/", state) != base.at(0, "cc/", state)


def test_merging_different_pasts_is_refused_by_name(leduc: Game) -> None:
    names = [state for b in range(len(leduc.X.blocks.n)) for state in leduc.X.describe(b).states]
    rows = np.array(["JQK".index(state) if "/" not in state else 0 for state in names])
    with pytest.raises(ImperfectRecall, match=r"'J/J' after 'cc/' and 'Q/J' after 'cc/' are merged"):
        graft(uniform_profile(leduc), everything(leduc, 0), inside=rows)


# Definition 8 and Theorem 1.


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_a_graft_of_everything_is_an_equilibrium(name: str) -> None:
    full = compile(name)
    base = random_profile(full, np.random.default_rng(5))
    both = graft_both(base, everything, method="lp")
    assert evaluate(both.profile).exploitability == pytest.approx(0.0, abs=1e-9)
    assert both.solution().value == pytest.approx(solve(full, "lp").value, abs=1e-9)


def test_a_game_without_cards() -> None:
    game = matrix_game([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
    found = graft(uniform_profile(game), everything(game, 1), method="lp")
    assert found.behaviour == pytest.approx([1, 1 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize("abstraction", ["J.Q.K", "JQ.K", "J.QK", "JQK"])
@pytest.mark.parametrize("kind", [preflop_grafts, flop_grafts])
@PLAYERS
def test_corollary_1(leduc: Game, abstraction: str, kind, player: int) -> None:
    """Against an unabstracted opponent of the base, a grafted strategy is no worse than its base."""
    pair = f"{abstraction}-FULL" if player == 0 else f"FULL-{abstraction}"
    base = solve(compile("leduc", pair), "lp").strategy
    found = graft(base, kind(leduc, player), method="lp")
    assert found.applies
    assert found.epsilon < 1e-9
    assert found.bound == pytest.approx(-9 * found.epsilon)
    assert found.gain >= -1e-9
    assert found.gain == pytest.approx(found.sum_of_gains, abs=1e-12)
    lifted = lift(base, leduc)
    mixed = [lifted[0], lifted[1]]
    mixed[player] = found.behaviour
    change = evaluate(Profile(leduc, tuple(mixed))).value - evaluate(lifted).value
    assert found.gain == pytest.approx(change if player == 0 else -change, abs=1e-12)


@PLAYERS
def test_theorem_1_with_a_loose_solver(leduc: Game, player: int) -> None:
    base = solve(compile("leduc", "JQ.K"), "cfr+", iterations=50).strategy
    for iterations in (1, 5, 50):
        found = graft(base, preflop_grafts(leduc, player), iterations=iterations)
        assert found.bound is not None
        assert found.epsilon >= max(g.epsilon for g in found.grafts) > 1e-4
        assert found.gain >= found.bound


def randomly(rng: np.random.Generator, player: int):
    """An executor that solves nothing: random strategies for the player, in any order."""

    def executor(function, tasks):
        for task in reversed(tasks):
            yield function(task)._replace(behaviour=task.game.trees[player].random(rng))

    return executor


@PLAYERS
def test_sum_of_gains_for_random_strategies(leduc: Game, player: int) -> None:
    """Theorem 1's equality needs no equilibrium."""
    rng = np.random.default_rng(11)
    for partition in (preflop_grafts(leduc, player), flop_grafts(leduc, player)):
        for _ in range(5):
            base = random_profile(leduc, rng)
            found = graft(base, partition, method="lp", executor=randomly(rng, player))
            assert found.gain == pytest.approx(found.sum_of_gains, abs=1e-9)
            assert abs(found.gain) > 1e-3


def test_sum_of_gains_on_random_games() -> None:
    """Partitions that go from a graft to G_0 and back, in games that no card makes."""
    rng = np.random.default_rng(13)
    checked = 0
    while checked < 30:
        game = random_game(rng)
        labels = rng.integers(0, 3, size=game.X.infosets)
        try:
            partition = GraftingPartition(game, 0, labels)
        except GraftingError:
            continue
        if partition.grafts < 2:
            continue
        base = random_profile(game, rng)
        found = graft(base, partition, method="lp", executor=randomly(rng, 0))
        assert found.gain == pytest.approx(found.sum_of_gains, abs=1e-9)
        owned = partition.of_sequences()
        for j, part in enumerate(found.grafts):
            assert np.array_equal(found.behaviour[owned == j + 1], part.behaviour[owned == j + 1])
            assert np.array_equal(part.behaviour[owned != j + 1], base[0][owned != j + 1])
        assert np.array_equal(found.behaviour[owned == 0], base[0][owned == 0])
        checked += 1


@PLAYERS
def test_gluing_keeps_the_base_before_the_flop(leduc: Game, player: int) -> None:
    base = solve(compile("leduc", "J.QK"), "cfr+", iterations=100).strategy
    found = graft(base, flop_grafts(leduc, player), iterations=100)
    lifted, owned = lift(base, leduc), found.partition.of_sequences()
    assert np.array_equal(found.behaviour[owned == 0], lifted[player][owned == 0])
    assert not np.allclose(found.behaviour[owned > 0], lifted[player][owned > 0])
    leduc.trees[player].check(found.behaviour)
    assert np.array_equal(found.base, lifted[player])


def test_sizes(leduc: Game) -> None:
    base = solve(compile("leduc", "JQ.K"), "cfr+", iterations=100).strategy
    found = graft(base, preflop_grafts(leduc, 1), iterations=10)
    assert found.sequences == leduc.Y.sequences - 1
    assert [part.sequences for part in found.grafts] == [(155, 113)] * 3
    assert found.sequences > max(sum(part.sequences) for part in found.grafts)
    summary = json.loads(json.dumps(found.summary()))
    assert [part["name"] for part in summary["grafts"]] == ["J", "Q", "K"]


# Sight inside a graft, and the opponent's.


@PLAYERS
def test_the_base_abstraction_inside_gains_nothing(leduc: Game, player: int) -> None:
    """The base is already optimal there; with full sight it is not."""
    base = solve(compile("leduc", "JQ.K"), "lp").strategy
    partition = by_private_cards(leduc, player, groups="JQ.K")
    assert graft(base, partition, inside="JQ.K", method="lp").gain == pytest.approx(0.0, abs=1e-9)
    assert graft(base, partition, inside="FULL", method="lp").gain > 0.01
    mixed = graft(base, partition, inside=["JQ.K", "FULL"], method="lp")
    assert mixed.grafts[0].gain == pytest.approx(0.0, abs=1e-9)
    assert mixed.grafts[1].sequences[player] > mixed.grafts[0].sequences[player]


def test_a_flop_graft_may_forget_what_the_base_played(leduc: Game) -> None:
    """The base told J from Q before the flop; that was not the graft's doing, so it may merge them."""
    base = solve(compile("leduc", "J.Q.K"), "lp").strategy
    partition = by_private_cards(leduc, 0, first_round=1, groups="JQ.K")
    found = graft(base, partition, inside="JQ.K", method="lp")
    profile = Profile(leduc, (found.behaviour, leduc.Y.uniform()))
    assert profile.at(0, "cc/", "J/K") == profile.at(0, "cc/", "Q/K")


def test_bets_inside_a_graft() -> None:
    name = "leduc-nl:stack=7"
    full = compile(name)
    base = solve(compile(name, "a"), "lp").strategy
    found = graft(base, preflop_grafts(full, 0), inside="pa", opponent="a", method="lp")
    allowed = compile(name, "pa-FULL").origin
    assert allowed is not None
    for b, node in enumerate(node for node in full.origin.nodes if node.state.actor == 0):  # type: ignore[union-attr]
        start, n = int(full.X.blocks.start[b]), int(full.X.blocks.n[b])
        reach = full.X.realize(found.behaviour)[start : start + n * len(node.actions)].reshape(-1, n)
        names = {text.text: text.names for text in allowed.nodes}
        for action, row in zip(node.names, reach, strict=True):
            if row.sum() > 0:
                assert action in names[node.text]
    assert found.epsilon < 1e-9


def test_an_opponent_that_cannot_play_the_bases_strategy(leduc: Game) -> None:
    base = solve(compile("leduc", "J.Q.K"), "lp").strategy
    assert graft(base, preflop_grafts(leduc, 0), opponent="FULL", method="lp").applies
    found = graft(base, preflop_grafts(leduc, 0), opponent="JQK", method="lp")
    assert not found.applies
    assert found.bound is None
    assert found.gain == pytest.approx(found.sum_of_gains, abs=1e-12)


def test_forgetful_opponents_and_grafts(leduc: Game) -> None:
    """Imperfect recall, as the paper's hold'em strategies have: by regret, not by linear programs."""
    lens = "J.Q.K/~pair.nopair"
    base = solve(compile("leduc", lens), "cfr+", iterations=2000).strategy
    found = graft(base, preflop_grafts(leduc, 0), iterations=2000)
    assert found.applies
    assert found.gain > 0.02
    tied = graft(base, flop_grafts(leduc, 0), inside=lens, iterations=200)
    profile = Profile(leduc, (tied.behaviour, leduc.Y.uniform()))
    assert profile.at(0, "cc/", "K/J") == profile.at(0, "cc/", "K/Q")
    with pytest.raises(ImperfectRecall, match="linear programming needs perfect recall"):
        graft(base, preflop_grafts(leduc, 0), method="lp")


def test_a_base_that_is_already_lifted(leduc: Game) -> None:
    base = solve(compile("leduc", "JQ.K"), "lp").strategy
    first = graft(base, preflop_grafts(leduc, 0), method="lp")
    second = graft(lift(base, leduc), preflop_grafts(leduc, 0), opponent="JQ.K", method="lp")
    assert np.array_equal(first.behaviour, second.behaviour)


def test_what_does_not_fit(leduc: Game) -> None:
    base = solve(compile("leduc", "JQ.K"), "lp").strategy
    partition = preflop_grafts(leduc, 0)
    with pytest.raises(AbstractionError, match="not the full game"):
        graft(base, preflop_grafts(compile("leduc:ranks=4"), 0))
    with pytest.raises(GraftingError, match="the base of kuhn"):
        graft(uniform_profile(compile("kuhn")), partition)
    with pytest.raises(GraftingError, match="2 abstractions inside 3 grafts"):
        graft(base, partition, inside=["FULL", "FULL"])
    with pytest.raises(GraftingError, match="'checkpoint' is for a single game"):
        graft(base, partition, checkpoint="x")
    with pytest.raises(GraftingError, match="rows of shape"):
        graft(base, partition, inside=np.zeros(3, dtype=int))
    small = compile("leduc", "J.Q.K")
    with pytest.raises(GraftingError, match="needs a full game"):
        graft(uniform_profile(small), everything(small, 0), inside="JQ.K")


def test_an_abstract_game_can_be_the_whole_game() -> None:
    small = compile("leduc", "J.Q.K")
    found = graft_both(uniform_profile(small), everything, full=small, method="lp")
    assert evaluate(found.profile).exploitability == pytest.approx(0.0, abs=1e-9)


# Running and keeping.


def test_processes_give_the_same_strategy(leduc: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    base = solve(compile("leduc", "J.QK"), "cfr+", iterations=300).strategy
    serial = graft(base, flop_grafts(leduc, 1), executor=None, iterations=300)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        given = graft(base, flop_grafts(leduc, 1), executor=pool.map, iterations=300)
    monkeypatch.setattr(grafting, "WORTH_PROCESSES", 0.0)
    spread = graft(base, flop_grafts(leduc, 1), executor=local_processes(2), iterations=300)
    for other in (given, spread):
        assert np.array_equal(serial.behaviour, other.behaviour)
        assert [part.epsilon for part in serial.grafts] == [part.epsilon for part in other.grafts]


def test_an_interrupted_run_leaves_the_rest_to_the_base(leduc: Game) -> None:
    def executor(function, tasks):
        yield function(tasks[0])
        yield function(tasks[1])._replace(stopped="interrupted")
        raise AssertionError("nothing is asked for after an interruption")

    base = solve(compile("leduc", "JQ.K"), "cfr+", iterations=100).strategy
    found = graft(base, preflop_grafts(leduc, 0), executor=executor, iterations=100)
    assert [part.name for part in found.grafts] == ["J", "Q"]
    kings = found.partition.of_sequences() == 3
    assert np.array_equal(found.behaviour[kings], found.base[kings])


def test_a_grafted_profile_can_be_saved(leduc: Game, tmp_path: Path) -> None:
    base = solve(compile("leduc", "JQ.K"), "lp").strategy
    solution = graft_both(base, preflop_grafts, method="lp").solution()
    assert solution.game.trees[0].sequences == leduc.X.sequences
    solution.save(tmp_path / "grafted.npz")
    loaded = pokerlab.load(tmp_path / "grafted.npz")
    assert np.array_equal(loaded.strategy[1], solution.strategy[1])
    assert loaded.exploitability == pytest.approx(evaluate(loaded.strategy).exploitability)
    assert len(loaded.parameters["players"][0]["grafts"]) == 3


@pytest.mark.slow
def test_the_benchmark_runs() -> None:
    script = Path(__file__).resolve().parents[2] / "benchmarks" / "grafting.py"
    command = [sys.executable, str(script), "--quick", "--json"]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=300, check=True).stdout)
    assert len(found["strategies"]) == 10
    for row in found["strategies"]:
        assert row["exploitability"] > 0
        for game in row["games"]:
            assert sum(game["sequences"]) <= row["largest"]
        for theorem in row.get("theorem_1", []):
            assert theorem["gain"] == pytest.approx(theorem["sum_of_gains"], abs=1e-9)
            assert theorem["gain"] >= theorem["bound"]
