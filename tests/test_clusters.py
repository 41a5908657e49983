"""Work on a Ray cluster of two nodes, started here: the same results, files by digest, and workers that are lost."""

import os
import re
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from cluster_tasks import added_to, always_killed, content, divided, kept, killed_once, squared
from pokerlab.clusters import executor_of
from pokerlab.errors import PokerlabError, WorkerDied
from pokerlab.form.compile import compile
from pokerlab.match.tournament.play import plan_tournament, run_tournament
from pokerlab.processes import at_work
from pokerlab.refine.grafting import graft
from pokerlab.refine.partition import flop_grafts
from pokerlab.refine.spots.aggregate import batch_of
from pokerlab.refine.spots.batch import solve_batch
from pokerlab.refine.spots.solution import load_spot_solution
from pokerlab.solvers.run import solve
from small_batch import BOARDS, TEMPLATE, same


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two nodes whose workers have a cache folder of their own, as another computer would."""
    ray = pytest.importorskip("ray")
    utils = pytest.importorskip("ray.cluster_utils")
    mine = os.environ.get("POKERLAB_CACHE")
    os.environ["POKERLAB_CACHE"] = str(tmp_path_factory.mktemp("theirs"))
    nodes = utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes.add_node(num_cpus=1)
    os.environ.pop("POKERLAB_CACHE")
    if mine is not None:
        os.environ["POKERLAB_CACHE"] = mine
    yield executor_of(nodes.address)
    ray.shutdown()
    nodes.shutdown()


def test_results_come_from_both_nodes_in_any_order(cluster):
    with at_work(cluster, squared, range(40)) as results:
        assert sorted(results) == [(n, n * n) for n in range(40)]


def test_arrays_can_be_written_to(cluster):
    (array,) = cluster(added_to, [np.zeros(3)])
    array += 1
    assert array.tolist() == [2, 2, 2]


def test_errors_of_workers_come_back(cluster):
    with pytest.raises(ZeroDivisionError), at_work(cluster, divided, [3, 2, 1, 0]) as results:
        list(results)


def test_what_is_left_is_dropped(cluster):
    with at_work(cluster, squared, range(100)) as results:
        next(iter(results))
    with at_work(cluster, squared, range(3)) as results:
        assert sorted(results) == [(0, 0), (1, 1), (2, 4)]


def test_the_task_of_a_lost_worker_is_done_by_another(cluster, tmp_path):
    with at_work(cluster, partial(killed_once, str(tmp_path)), range(8)) as results:
        assert sorted(results) == [(n, n * n) for n in range(8)]
    assert (tmp_path / "died").exists()


@pytest.mark.slow
def test_a_task_that_kills_every_worker(cluster):
    with pytest.raises(WorkerDied, match="a worker of the cluster died, 4 times over") as died:
        list(cluster(always_killed, ["deadly"]))
    assert died.value.task == "deadly"


def test_files_are_those_of_whom_is_worked_for(cluster, tmp_path, monkeypatch):
    """A name without a folder is one of this process's folder, and a table that is kept is one of its cache."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path / "mine"))
    Path("here.txt").write_text("of this folder")
    (tmp_path / "there.txt").write_text("by its whole name")
    names = ["here.txt", str(tmp_path / "there.txt"), "nowhere.txt"]
    assert dict(cluster(content, names)) == {names[0]: "of this folder", names[1]: "by its whole name", names[2]: None}
    Path("here.txt").write_text("another content")
    assert dict(cluster(content, ["here.txt"])) == {"here.txt": "another content"}
    assert list(cluster(kept, ["table"])) == [None]
    for text in ("a table", "made anew"):
        Path("mine").mkdir(exist_ok=True)
        (tmp_path / "mine" / "table").write_text(text)
        assert list(cluster(kept, ["table"])) == [text]


def test_a_tournament_is_the_same_to_the_last_byte_whoever_dies(cluster, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    agents = [f"mortal=cluster_tasks:Mortal?folder={tmp_path}", "random", "call", "uniform"]
    plan = plan_tournament(agents, "holdem-limit", 60, seed=3)
    run_tournament(plan, "cluster", executor=cluster, progress=False)
    assert Path("died").exists()
    run_tournament(plan, "local", executor=executor_of(2), progress=False)
    files = sorted(path.relative_to("local") for path in Path("local").rglob("*") if path.is_file())
    assert files
    assert files == sorted(path.relative_to("cluster") for path in Path("cluster").rglob("*") if path.is_file())
    for file in files:
        assert (Path("local") / file).read_bytes() == (Path("cluster") / file).read_bytes(), file


def test_grafts_are_the_same_to_the_last_bit(cluster):
    base, full = solve(compile("leduc", "J.QK"), "cfr+", iterations=50).strategy, compile("leduc")
    here, there = (graft(base, flop_grafts(full, 1), executor=each, iterations=50) for each in (None, cluster))
    np.testing.assert_array_equal(there.behaviour, here.behaviour)


def test_a_batch_of_spots_is_the_same_to_the_last_bit(cluster, tmp_path):
    """Reports, and the solutions that come back as files."""
    template = tmp_path / "river.toml"
    template.write_text(TEMPLATE)
    batch, limits = batch_of([template], BOARDS), {"iterations": 20, "keep": True, "progress": False}
    here, there = (
        solve_batch(batch, tmp_path / name, executor=executor, **limits)
        for name, executor in (("here", None), ("there", cluster))
    )
    for one, other in zip(here, there, strict=True):
        same(one, other)
    files = sorted(path.name for path in (tmp_path / "here").glob("*.solution"))
    assert len(files) == 4
    for name in files:
        mine, theirs = (load_spot_solution(tmp_path / folder / name) for folder in ("here", "there"))
        assert mine.figures == theirs.figures
        assert np.array_equal(mine.root.strategy, theirs.root.strategy)


@pytest.mark.parametrize("where", [None, 2, "2"])
def test_local_processes_by_number(where):
    with at_work(executor_of(where), squared, range(4)) as results:
        assert sorted(results) == [(n, n * n) for n in range(4)]


@pytest.mark.parametrize("where", ["", " ", "-1", "x", "leduc:stack=3", "ray://", "host:port", "http://host:80"])
def test_what_is_neither_a_number_nor_an_address(where):
    with pytest.raises(PokerlabError, match=rf"not '?{re.escape(where)}'?$"):
        executor_of(where)


@pytest.mark.parametrize("scheme", ["ray://", ""])
@pytest.mark.parametrize(("listens", "told"), [(False, ".*refused.*"), (True, "who listens there does not answer .*")])
def test_no_cluster_at_an_address(scheme, listens, told):
    pytest.importorskip("ray")
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))  # nobody else gets this port
        if listens:
            other.listen()
        address = f"{scheme}127.0.0.1:{other.getsockname()[1]}"
        ran = subprocess.run(
            [sys.executable, "-m", "pokerlab", "tournament", "call", "fold", "--cluster", address],
            capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    assert ran.returncode == 2
    assert re.fullmatch(rf"pokerlab: cannot reach a Ray cluster at '{address}': {told}\n", ran.stderr)


def test_without_ray_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(PokerlabError, match=re.escape("pip install 'pokerlab[cluster]'")):
        executor_of("ray")
