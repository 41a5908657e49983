"""Training from logs, PHH files and stores: the same cases from all of them, restartable, and clear about refusals."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from pokerlab.cases import sources, train
from pokerlab.cases.base import load_cases, merge_bases
from pokerlab.cases.features import Cells, Features
from pokerlab.cases.sources import FOLDS, survey
from pokerlab.cases.train import HIDDEN, OTHER_GAME, train_cases
from pokerlab.errors import CaseBaseError, LogError
from pokerlab.game.betting import CALL, FOLD, start_betting
from pokerlab.game.catalog import rules_of
from pokerlab.processes import local_processes
from pokerlab.records.logs import read_log, write_log
from pokerlab.records.phh import write_phh
from pokerlab.records.record import LoggedHand
from pokerlab.records.store import HandStore
from random_cases import played, random_hands


def records(hands, names=("Ann", "Bob", "Cid")):
    """Hands in which the players change seats."""
    told = []
    for number, hand in enumerate(hands):
        turned = [names[(seat + number) % hand.rules.players] for seat in range(hand.rules.players)]
        told.append(LoggedHand(number, hand._replace(names=tuple(turned)), hand.payoffs()))
    return told


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "a.log"
    write_log(path, "holdem-limit", records(played("holdem-limit")))
    return path


def counted(records, expert):
    """Decision by decision: how often, and what was won, by round, sequence, cell and action."""
    counts, won = Counter(), Counter()
    for record in records:
        hand, state, text = record.hand, start_betting(record.hand.rules), ""
        seat = record.names.index(expert)
        for action in hand.actions:
            letter = "f" if action == FOLD else "c" if action == CALL else "r"
            if state.actor == seat:
                board = hand.board[: (0, 3, 4, 5)[state.round]]
                cell = Cells(hand.rules, Features(), state.round).of(hand.holes[seat], board, 0, 1)
                key = state.round, text, cell, "fcr".index(letter)
                counts[key] += 1
                won[key] += round(2 * record.payoffs[seat])
            after = state.act(action)
            text += letter + "-" * (after.round - state.round)
            state = after
    return counts, won


def flat(base):
    counts, won = Counter(), Counter()
    for number, cases in enumerate(base.rounds):
        for row, (name, cell) in enumerate(cases.rows.tolist()):
            for action in np.flatnonzero(cases.counts[row]).tolist():
                key = number, cases.sequences[name].decode(), cell, action
                counts[key] += int(cases.counts[row, action])
                won[key] += int(cases.outcomes[row, action])
    return counts, won


def test_cases_are_the_experts_decisions(log, tmp_path):
    trained = train_cases([log], "Ann", tmp_path / "a.cases", hold_out=0.2)
    assert (trained.hands, trained.held_out, trained.refused) == (120, 30, {})
    expected = counted(list(read_log(log))[:120], "Ann")
    assert flat(trained.base) == expected
    assert flat(load_cases(tmp_path / "a.cases")) == expected
    assert not (tmp_path / "a.cases.parts").exists()


def test_only_what_the_expert_saw_is_used(tmp_path):
    """Other cards in the other's hand make the same file."""
    files = []
    for seed in (1, 2):
        rng = np.random.default_rng(seed)
        told = []
        for record in records(played("holdem-limit")):
            hand = record.hand
            seat = record.names.index("Ann")
            free = sorted(set(range(52)) - {*hand.board, *hand.holes[seat]})
            other = tuple(sorted(rng.choice(free, 2, replace=False).tolist()))
            holes = (hand.holes[0], other) if seat == 0 else (other, hand.holes[1])
            if hand.betting.showdown:
                continue
            told.append(record._replace(hand=hand._replace(holes=holes)))
        write_log(tmp_path / "x.log", "holdem-limit", told)
        base = train_cases([tmp_path / "x.log"], "Ann", tmp_path / "x.cases").base
        files.append(flat(base))
    assert files[0] == files[1]


def test_logs_histories_and_stores_teach_the_same(tmp_path):
    told = records(played("holdem-limit"))
    write_log(tmp_path / "a.log", "holdem-limit", told)
    write_phh(tmp_path / "a.phhs", told)
    with HandStore(tmp_path / "a.duckdb") as store:
        store.ingest(tmp_path / "a.log")
    bases = [
        train_cases([tmp_path / name], "Ann", tmp_path / "x.cases", game="holdem-limit").base
        for name in ("a.log", "a.phhs", "a.duckdb")
    ]
    assert flat(bases[0]) == flat(bases[1]) == flat(bases[2])
    assert len({base.sources[0]["digest"] for base in bases}) == 3


def test_no_limit_from_the_store(tmp_path):
    told = records(played("holdem-nolimit"))
    write_log(tmp_path / "a.log", "holdem-nolimit", told)
    with HandStore(tmp_path / "a.duckdb") as store:
        store.ingest(tmp_path / "a.log")
    one, other = (train_cases([tmp_path / name], "Bob", tmp_path / "x.cases").base for name in ("a.log", "a.duckdb"))
    assert flat(one) == flat(other)


def test_files_together_or_apart_in_any_order_make_the_same_bytes(tmp_path):
    rules = rules_of("holdem-limit-3p")
    for number in range(3):
        write_log(tmp_path / f"{number}.log", rules, records(random_hands(rules, 60, seed=number)))
    logs = [tmp_path / f"{number}.log" for number in range(3)]
    files = []
    for order, executor in (([0, 1, 2], None), ([2, 0, 1], local_processes(2))):
        train_cases([logs[i] for i in order], "Cid", tmp_path / "x.cases", executor=executor)
        files.append((tmp_path / "x.cases").read_bytes())
    apart = [train_cases([log], "Cid", tmp_path / "x.cases").base for log in logs]
    merge_bases(apart[::-1]).save(tmp_path / "x.cases")
    files.append((tmp_path / "x.cases").read_bytes())
    assert len({*files}) == 1


def test_pieces_change_nothing(log, tmp_path, monkeypatch):
    whole = train_cases([log], "Ann", tmp_path / "a.cases", by_fold=True)
    monkeypatch.setattr(sources, "PIECE", 7)
    assert len(survey(log, "Ann", None, 0.2).pieces) == 18
    cut = train_cases([log], "Ann", tmp_path / "b.cases", by_fold=True)
    assert (tmp_path / "a.cases").read_bytes() == (tmp_path / "b.cases").read_bytes()
    assert len(whole.folds) == len(cut.folds) == FOLDS
    for one, other in zip(whole.folds, cut.folds, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            assert all((a == b).all() for a, b in zip(mine, theirs, strict=True))


def test_the_last_hands_with_each_opponent_are_held_out(tmp_path):
    told = records(played("holdem-limit"))
    named = [
        record._replace(hand=record.hand._replace(names=tuple(
            name if name == "Ann" else ("Bob", "Eve")[number % 3 == 0] for name in record.names
        )))
        for number, record in enumerate(told)
    ]  # fmt: skip
    write_log(tmp_path / "a.log", "holdem-limit", named)
    wanted = np.concatenate([piece.wanted for piece in survey(tmp_path / "a.log", "Ann", None, 0.3).pieces])
    against = {name: [n for n, record in enumerate(named) if name in record.names] for name in ("Bob", "Eve")}
    for hands in against.values():
        kept = len(hands) - int(0.3 * len(hands))
        assert wanted[hands].tolist() == [True] * kept + [False] * (len(hands) - kept)
    others = np.concatenate([piece.wanted for piece in survey(tmp_path / "a.log", "Ann", None, 0.3, kept=False).pieces])
    assert (others == ~wanted).all()


def test_hidden_cards_are_refused_and_counted(tmp_path):
    told = []
    for number, record in enumerate(records(played("holdem-limit"))):
        holes = list(record.hand.holes)
        if number % 2 and not record.hand.betting.showdown:
            holes[record.names.index("Ann")] = ()
        told.append(record._replace(hand=record.hand._replace(holes=tuple(holes))))
    hidden = sum(() in record.hand.holes for record in told)
    write_log(tmp_path / "a.log", "holdem-limit", told)
    trained = train_cases([tmp_path / "a.log"], "Ann", tmp_path / "a.cases", hold_out=0)
    assert 0 < trained.refused[HIDDEN] == hidden == trained.base.sources[0]["refused"][HIDDEN]
    assert trained.hands == 150 - hidden
    write_log(tmp_path / "b.log", "holdem-limit", [record for record in told if () in record.hand.holes])
    with pytest.raises(CaseBaseError, match="never fold"):
        train_cases([tmp_path / "b.log"], "Ann", tmp_path / "b.cases")


def test_strangers_bad_lines_and_other_games(log, tmp_path):
    with pytest.raises(CaseBaseError, match=r"'Eve' has no hands .* Ann \(150\), Bob \(150\)"):
        train_cases([log], "Eve", tmp_path / "a.cases")
    other = tmp_path / "b.log"
    write_log(other, "holdem-nolimit", records(played("holdem-nolimit")))
    with pytest.raises(CaseBaseError, match="another game"):
        train_cases([log, other], "Ann", tmp_path / "a.cases")
    with pytest.raises(CaseBaseError, match="the same"):
        train_cases([log, log], "Ann", tmp_path / "a.cases")
    lines = log.read_text().splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("STATE:3:"))
    lines[at] = lines[at].replace("STATE:3:", "STATE:3:x")
    log.write_text("\n".join(lines) + "\n")
    with pytest.raises(LogError, match=rf"a.log:{at + 1}: "):
        train_cases([log], "Ann", tmp_path / "a.cases")
    assert train_cases([log], "Ann", tmp_path / "a.cases", skip_bad=True).refused == {train.BAD: 1}
    with pytest.raises(LogError, match="no such file"):
        train_cases([tmp_path / "none.log"], "Ann", tmp_path / "a.cases")
    for wrong in ({"hold_out": 1.0}, {"solutions": "triple"}):
        with pytest.raises(CaseBaseError):
            train_cases([log], "Ann", tmp_path / "a.cases", **wrong)


def test_histories_of_other_stacks_are_refused_by_hand(tmp_path):
    from dataclasses import replace

    rules = rules_of("holdem-nolimit")
    deep = replace(rules, stacks=(30000, 30000))
    told = records([*random_hands(rules, 10), *random_hands(deep, 5)])
    write_phh(tmp_path / "a.phhs", told)
    trained = train_cases([tmp_path / "a.phhs"], "Ann", tmp_path / "a.cases", hold_out=0)
    assert (trained.hands, trained.refused) == (10, {OTHER_GAME: 5})


def test_parts_are_used_again(log, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "PIECE", 20)
    out = tmp_path / "a.cases"
    done = []

    def three(function, tasks):
        for task in tasks[:3]:
            done.append(function(task))
            yield done[-1]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_cases([log], "Ann", out, executor=three)
    assert not out.exists()
    done[0].write_bytes(done[0].read_bytes()[:100])  # half a part is none
    learnt = []

    def others(function, tasks):
        learnt.extend(tasks)
        return map(function, tasks)

    train_cases([log], "Ann", out, executor=others)
    assert len(learnt) == 6 - 2
    train_cases([log], "Ann", tmp_path / "b.cases")
    assert out.read_bytes() == (tmp_path / "b.cases").read_bytes()


@pytest.mark.slow
def test_a_killed_training_goes_on(tmp_path):
    rules = rules_of("holdem-limit")
    log, out = tmp_path / "a.log", tmp_path / "a.cases"
    write_log(log, rules, records(list(random_hands(rules, 400)) * 10))
    code = "from pokerlab.cases import sources; sources.PIECE = 100; from pokerlab.cli import main; main()"
    command = [sys.executable, "-c", code, "cases", "train", str(log), "--expert", "Ann", "--out", str(out)]
    command += ["--processes", "1", "--json"]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ)
    parts = Path(f"{out}.parts")
    while running.poll() is None and (not parts.exists() or len(list(parts.glob("*.part"))) < 2):
        time.sleep(0.01)
    running.kill()
    assert running.wait() == -9
    left = len(list(parts.glob("*.part")))
    assert left >= 2
    assert not out.exists()
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(ended.stdout)["hands"] == 3200
    train_cases([log], "Ann", tmp_path / "b.cases")
    assert out.read_bytes() == (tmp_path / "b.cases").read_bytes()


@pytest.mark.parametrize("suffix", ["log", "phhs"])
def test_pipes_and_devices_are_no_records(tmp_path, suffix):
    """Who opened them would wait, or read without end."""
    pipe, device = tmp_path / f"a.{suffix}", tmp_path / f"b.{suffix}"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path in (pipe, device):
        with pytest.raises(LogError, match=f"cannot read {path}: it is a .*, not a file"):
            train_cases([path], "Ann", tmp_path / "x.cases", game="holdem-limit")


def test_an_overlong_line_is_read_in_pieces(log, tmp_path):
    """A line without end, as a file of zeros has, is no hand and takes no memory; the hands around it are learnt."""
    lines = log.read_text().splitlines(keepends=True)
    (tmp_path / "b.log").write_text("".join([*lines[:40], "x" * 100_000 + "\n", *lines[40:]]))
    one, other = (train_cases([path], "Ann", tmp_path / "x.cases").base for path in (log, tmp_path / "b.log"))
    assert flat(one) == flat(other)
