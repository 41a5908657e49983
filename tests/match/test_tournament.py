"""Tournaments: the same whoever plays them in whatever order, and nothing lost when one is killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from pokerlab.agents.agent import Agent
from pokerlab.agents.simple import SIMPLE
from pokerlab.errors import AgentFailed, PokerlabError
from pokerlab.game.betting import CALL
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand
from pokerlab.match.play import play_match
from pokerlab.match.tournament.play import exact_crosstable, load_tournament, plan_tournament, run_tournament
from pokerlab.match.tournament.report import summary, write
from pokerlab.processes import local_processes

FIVE = ["call", "raise", "random", "probe", "fold"]
COMMAND = [sys.executable, "-c", "from pokerlab.cli.tournament import tournament; tournament()"]


class Rememberer(Agent):
    """Raises once it has seen a hand: a match of it cannot be split."""

    name, stateless, seen = "rememberer", False, 0

    def act(self, view):
        return {view.legal.raises[0] if self.seen and view.legal.raises else CALL: 1.0}

    def observe(self, view):
        self.seen += 1

    def reset(self):
        self.seen = 0


def build(spec, rules):
    return Rememberer() if spec == "rememberer" else SIMPLE[spec]()


def small(agents=("call", "raise", "random"), game="kuhn-3p", hands=60, **options):
    """A plan that is not played in compiled code, in chunks of 25 deals."""
    return plan_tournament(agents, game, hands, chunk=25, build=build, **options)


def backwards(function, tasks):
    return map(function, tasks[::-1])


def files(folder):
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in (folder / "chunks").glob("*.npz")}


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    """A plan, its folder and its results, played one chunk after the other in this process."""
    folder, plan = tmp_path_factory.mktemp("serial"), small(["call", "raise", "random", "probe"])
    return plan, folder, summary(plan, run_tournament(plan, folder, executor=map, build=build))


def test_all_tables_of_agents_play(serial):
    _, folder, found = serial
    assert len(found["matches"]) == 4
    assert found["played"] == 4 * 60 * 6
    assert len(files(folder)) == 4 * 3
    assert {frozenset(match["agents"]) for match in found["matches"]} == {
        frozenset(found["agents"]) - {name} for name in found["agents"]
    }
    assert summary(*load_tournament(folder)) == found


def test_results_do_not_depend_on_the_order_of_work(serial, tmp_path):
    plan, folder, found = serial
    assert summary(plan, run_tournament(plan, tmp_path, executor=backwards, build=build)) == found
    assert {name: data for name, (_, data) in files(tmp_path).items()} == {
        name: data for name, (_, data) in files(folder).items()
    }


def test_nor_on_the_number_of_processes(serial):
    plan, _, found = serial
    specs = [entrant.spec for entrant in plan.entrants]
    alone = plan_tournament(specs, "kuhn-3p", 60, chunk=25)  # workers build agents from their specs
    assert summary(plan, run_tournament(alone, executor=local_processes(2))) == found


def test_nor_on_the_order_of_agents(serial):
    _, _, found = serial
    other = small(["probe", "random", "call", "raise"])
    turned = summary(other, run_tournament(other, executor=map, build=build))
    assert dict(zip(turned["agents"], turned["mean"], strict=True)) == dict(
        zip(found["agents"], found["mean"], strict=True)
    )


def test_another_seed_is_another_tournament(serial):
    plan, _, found = serial
    other = small(["call", "raise", "random", "probe"], seed=1)
    assert summary(other, run_tournament(other, executor=map, build=build))["mean"] != found["mean"]
    assert len({plan.seed_of(m) for m in range(4)}) == 4


def test_chunks_are_parts_of_one_match():
    agents, rules = [SIMPLE["call"](), SIMPLE["raise"](), SIMPLE["call"]()], rules_of("kuhn-3p")
    whole = play_match(rules, agents, 60, duplicate=False, seed=7).winnings
    parts = [play_match(rules, agents, deals, seed=7, start=start).winnings for start, deals in ((0, 25), (25, 35))]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


def test_an_interrupted_tournament_goes_on(serial, tmp_path):
    plan, _, found = serial

    def dies(function, tasks):
        for number, task in enumerate(tasks):
            if number == 5:
                raise KeyboardInterrupt
            yield function(task)

    with pytest.raises(KeyboardInterrupt):
        run_tournament(plan, tmp_path, executor=dies, build=build)
    kept = files(tmp_path)
    assert len(kept) == 5
    with pytest.raises(PokerlabError, match="not finished"):
        load_tournament(tmp_path)
    assert summary(plan, run_tournament(plan, tmp_path, executor=map, build=build)) == found
    assert kept.items() <= files(tmp_path).items()

    def refuses(function, tasks):
        raise AssertionError("nothing is left to play")

    assert summary(plan, run_tournament(plan, tmp_path, executor=refuses, build=build)) == found


@pytest.mark.filterwarnings("ignore::pokerlab.errors.PokerlabWarning")  # which tests/test_strange_files.py asks for
def test_a_damaged_chunk_is_played_again(serial, tmp_path):
    plan, _, found = serial
    run_tournament(plan, tmp_path, executor=map, build=build)
    cut, garbled, *_ = sorted((tmp_path / "chunks").iterdir())
    cut.write_bytes(cut.read_bytes()[:100])
    garbled.write_bytes(b"\0" * 50)
    (tmp_path / "chunks" / ".00000-0000000000.npz.123").write_bytes(b"half")
    assert summary(plan, run_tournament(plan, tmp_path, executor=map, build=build)) == found


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"hands": 61}, "hands: 60 there, 61 now"),
        ({"seed": 3}, "seed: 0 there, 3 now"),
        ({"duplicate": False}, "duplicate: True there, False now"),
        ({"game": "kuhn-3p:ranks=5"}, "another game"),
        ({"agents": ["call", "raise", "probe"]}, "call raise random there, call raise probe now"),
    ],
)
def test_other_parameters_are_refused(other, message, tmp_path):
    run_tournament(small(), tmp_path, executor=map, build=build)
    before = files(tmp_path)
    changed = small(**other)
    with pytest.raises(PokerlabError, match=message):
        run_tournament(changed, tmp_path, executor=map, build=build)
    assert files(tmp_path) == before
    fresh = run_tournament(changed, tmp_path, fresh=True, executor=map, build=build)
    assert summary(*load_tournament(tmp_path)) == summary(changed, fresh)


def everything(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_fresh_deletes_only_what_the_tournament_wrote(tmp_path):
    first = small()
    write(first, run_tournament(first, tmp_path, executor=map, build=build), tmp_path)
    mine = {
        "chunks/1-2.npz": b"my data", "chunks/2020-01.npz": b"mine", "chunks/00000-0000000001.npz": b"no first deal",
        "chunks/99999-0000000000.npz": b"no such match", "notes.txt": b"mine", "chunks/.hidden": b"mine",
    }  # fmt: skip
    for name, content in mine.items():
        (tmp_path / name).write_bytes(content)
    other = small(hands=20)
    run_tournament(other, tmp_path, fresh=True, executor=map, build=build)
    left = everything(tmp_path)
    assert {name: left.pop(name) for name in mine} == mine
    assert sorted(left) == ["chunks/00000-0000000000.npz", "manifest.json"]


@pytest.mark.parametrize("name", ["index.html", "results.json", "crosstable.csv", "chunks/00000-0000000000.npz"])
@pytest.mark.parametrize("fresh", [True, False])
def test_a_folder_with_other_files_of_these_names_is_refused(tmp_path, name, fresh):
    (tmp_path / "chunks").mkdir()
    (tmp_path / name).write_bytes(b"mine")
    with pytest.raises(PokerlabError, match=f"has a file {name} that is no tournament's"):
        run_tournament(small(), tmp_path, fresh=fresh, executor=map, build=build)
    assert everything(tmp_path) == {name: b"mine"}


def test_a_manifest_that_is_no_tournaments_is_not_deleted(tmp_path):
    (tmp_path / "manifest.json").write_text('{"name": "my web page"}')
    with pytest.raises(PokerlabError, match="not the manifest"):
        run_tournament(small(), tmp_path, fresh=True, executor=map, build=build)
    assert everything(tmp_path) == {"manifest.json": b'{"name": "my web page"}'}


def test_a_changed_strategy_file_is_another_agent(tmp_path):
    strategy = tmp_path / "bot.strategy"
    plans = []
    for content in ("one", "two"):
        strategy.write_text(content)
        plans.append(plan_tournament([f"table:{strategy}", "call"], "kuhn", 9, build=build_calls))
    assert plans[0] != plans[1]
    assert plans[0].folder_name() != plans[1].folder_name()
    run_tournament(plans[0], tmp_path / "t", executor=map, build=build_calls)
    with pytest.raises(PokerlabError, match="agents have changed"):
        run_tournament(plans[1], tmp_path / "t", executor=map, build=build_calls)


def build_calls(spec, rules):
    agent = SIMPLE["call"]()
    agent.files = (spec.partition(":")[2],)
    return agent


def test_matches_of_agents_with_a_memory_are_not_split():
    plan = small(["rememberer", "call", "raise"], game="kuhn")
    chunks = {plan.entrants[a].name + plan.entrants[b].name: [*plan.chunks(m)] for m, (a, b) in enumerate(plan.matches)}
    assert chunks["callraise"] == [(0, 25), (25, 25), (50, 10)]
    assert chunks["callrememberer"] == chunks["raiserememberer"] == [(0, 60)]
    standings = run_tournament(plan, executor=map, build=build)
    alone = play_match(plan.rules, [SIMPLE["call"](), Rememberer()], 60, duplicate=True, seed=plan.seed_of(1))
    assert standings.crosstable[1, 0].mean == pytest.approx(alone.mean[0])
    assert np.isnan(standings.exact[0, 1])  # it has no fixed behaviour
    assert standings.exact[1, 2] == 0


def test_names():
    plan = small(["call", "call", "mine=call", "raise"])
    assert [e.name for e in plan.entrants] == ["call", "call#2", "mine", "raise"]
    options = plan_tournament(["raise?size=50", "big=raise?size=100"], "leduc", 10)
    assert [(e.name, e.spec) for e in options.entrants] == [("raise?size=50",) * 2, ("big", "raise?size=100")]
    with pytest.raises(PokerlabError, match="two agents are named 'a'"):
        small(["a=call", "a=raise", "random"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["call", "raise"], "kuhn-3p", 10), "at least 3 agents"),
        ((["call", "raise"], "kuhn", 0), "hands: a whole number from 1"),
        ((["call", "raise"], "kuhn", 10, -1), "seed: a whole number from 0"),
        ((["call", "human"], "kuhn", 10), "a person cannot play"),
        ((["call", "cal"], "kuhn", 10), "did you mean"),
        ((["call", "raise"], "kun", 10), "did you mean"),
    ],
)
def test_bad_input(arguments, message):
    agents, game, hands, *seed = arguments
    with pytest.raises(PokerlabError, match=message):
        plan_tournament(agents, game, hands, seed=seed[0] if seed else 0)


def test_bad_folders(tmp_path):
    with pytest.raises(PokerlabError, match="processes: a whole number from 1"):
        local_processes(0)
    with pytest.raises(PokerlabError, match="no manifest"):
        load_tournament(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(PokerlabError, match="not the manifest"):
        run_tournament(small(), tmp_path, executor=map, build=build)
    (tmp_path / "file").write_text("")
    with pytest.raises(PokerlabError, match="cannot write"):
        run_tournament(small(), tmp_path / "file", executor=map, build=build)


def test_an_agent_that_fails_is_named(tmp_path):
    class Wrong(Agent):
        def act(self, view):
            return {99: 1.0}

    class Broken(Agent):
        def act(self, view):
            raise ZeroDivisionError

    plan = small(hands=10)
    with pytest.raises(PokerlabError, match=r"call against raise against random: .* illegal action 99"):
        run_tournament(plan, executor=map, build=lambda *_: Wrong())
    with pytest.raises(AgentFailed, match=r"call against raise against random: in hand 0, agent 'Broken' failed"):
        run_tournament(plan, executor=map, build=lambda *_: Broken())


def test_a_worker_that_dies_is_said(tmp_path, monkeypatch):
    (tmp_path / "quitting_bot.py").write_text(
        "import os\nfrom pokerlab.agents.agent import Agent\n\n\n"
        "class Quitter(Agent):\n    stateless = False\n\n    def act(self, view):\n        os._exit(3)\n"
    )
    monkeypatch.chdir(tmp_path)
    plan = plan_tournament(["call", "quitting_bot:Quitter", "raise"], "kuhn", 20)
    with pytest.raises(PokerlabError, match="a worker process died"):
        run_tournament(plan, tmp_path / "t", executor=local_processes(2))


def exact_without_cards(first, second, rules):
    """What `first` wins a hand in expectation as player 0, for agents that do not look at cards.

    Then both are as likely to hold the better hand, so that only folds are worth anything.
    """
    total, stack = 0.0, [(new_hand(rules), 1.0)]
    while stack:
        hand, chance = stack.pop()
        if hand.pending:
            start = rules.players if hand.holes else 0
            stack.append((hand.dealt(tuple(range(start, start + hand.pending))), chance))
        elif hand.finished:
            total += 0.0 if hand.betting.showdown else chance * hand.payoffs()[0]
        else:
            answer = (first, second)[hand.actor].act(hand.view(hand.actor))
            stack.extend((hand.act(action), chance * p) for action, p in answer.items() if p)
    return total


def naive_crosstable(names, rules):
    players = [SIMPLE[name]() for name in names]
    values = np.array([[exact_without_cards(a, b, rules) for b in players] for a in players])
    return (values - values.T) / 2 / rules.small_bet * 1000


def agrees(standings, exact):
    """Every entry within Bonferroni's interval, and of ten 95 % intervals hardly two wrong."""
    pairs = [(a, b) for a, b in standings.crosstable if a < b]
    wider = stats.norm.ppf(1 - 0.05 / 2 / len(pairs)) / stats.norm.ppf(0.975)
    off = {k: abs(standings.crosstable[k].mean - exact[k]) for k in pairs}
    assert all(off[k] <= wider * standings.crosstable[k].ci95 + 1e-9 for k in pairs), off
    assert sum(off[k] <= standings.crosstable[k].ci95 + 1e-9 for k in pairs) >= len(pairs) - 2
    return True


def test_five_agents_on_leduc_agree_with_the_exact_crosstable():
    plan = plan_tournament(FIVE, "leduc", 10_000, seed=3)
    exact = naive_crosstable(FIVE, plan.rules)
    standings = run_tournament(plan, executor=map)
    np.testing.assert_allclose(exact_crosstable(plan)[~np.eye(5, dtype=bool)], exact[~np.eye(5, dtype=bool)], atol=1e-9)
    assert agrees(standings, exact)
    assert exact[1, 2] == pytest.approx(949.6527777777777)
    assert {standings.crosstable[1, b].stars for b in (2, 4)} == {"***"}


@pytest.mark.slow
def test_and_also_hand_by_hand(monkeypatch):
    monkeypatch.setattr("pokerlab.match.tournament.play._game_of_tables", lambda plan: None)
    # Bonferroni's interval is missed by one seed in twenty. Seed 4 is such a one (call against random, 2.9 standard
    # errors); test_play.py holds the share of misses over 100 seeds to what the intervals promise.
    plan = plan_tournament(FIVE, "leduc", 10_000, seed=5)
    assert agrees(run_tournament(plan), naive_crosstable(FIVE, rules_of("leduc")))


def children(pid):
    """Living processes that were started by `pid`; a zombie that nobody has reaped is not alive."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == pid and state != "Z":
            found.append(int(path.parent.name))
    return found


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def begin(folder, *more):
    """A tournament as a process of its own."""
    agents = ["call", "raise", "random", "probe"]
    arguments = [*agents, "--game", "kuhn-3p", "--hands", "3000", "--out", str(folder), "--json", *more]
    return subprocess.Popen([*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)  # fmt: skip


def wait_for(condition, seconds=60):
    until = time.monotonic() + seconds
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    assert condition()


@pytest.fixture(scope="module")
def undisturbed():
    """The results of the same tournament, played to its end."""
    plan = plan_tournament(["call", "raise", "random", "probe"], "kuhn-3p", 3000)
    return summary(plan, run_tournament(plan))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_tournament_loses_no_finished_chunk(how, undisturbed, tmp_path):
    process = begin(tmp_path, "--processes", "2")
    wait_for(lambda: len(files(tmp_path)) >= 2)
    workers = children(process.pid)
    assert len(workers) >= 2
    # Ctrl-C at a terminal reaches the workers too; kill -9 hits the parent alone.
    (os.killpg if how == signal.SIGINT else os.kill)(process.pid, how)
    _, errors = process.communicate(timeout=30)
    wait_for(lambda: not any(map(alive, workers)), 10)
    kept = files(tmp_path)
    assert 2 <= len(kept) < 12
    if how == signal.SIGINT:
        assert "the same command goes on" in errors
    again = begin(tmp_path, "--processes", "2")
    out, errors = again.communicate(timeout=120)
    assert again.returncode == 0, errors
    assert kept.items() <= files(tmp_path).items()
    found = json.loads(out)
    assert found.pop("folder") == str(tmp_path)
    assert found == undisturbed
