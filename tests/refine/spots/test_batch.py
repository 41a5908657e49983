"""Batches of spots: solved as each alone, kept and gone on with, killed and finished; and what means over them are."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from pokerlab.abstraction.flop_subsets import flops_of
from pokerlab.cards.holes import HOLES
from pokerlab.cards.texture import MADE, PARTS, category
from pokerlab.cli import main
from pokerlab.errors import SpotError
from pokerlab.finished import Finished
from pokerlab.refine.spots import batch as batches
from pokerlab.refine.spots.aggregate import Aggregate, batch_of, check_lines
from pokerlab.refine.spots.aggregate_page import report_page, write_report
from pokerlab.refine.spots.batch import Settings, memory_of_batch, of_files, on_boards, solve_batch, weights_of
from pokerlab.refine.spots.report import CLASSES
from pokerlab.refine.spots.run import memory_of, solve_spot
from pokerlab.refine.spots.solution import load_spot_solution
from pokerlab.refine.spots.spot import read_spot
from small_batch import BOARDS, TEMPLATE, same

CSV = ("line", "player", "board", "weight", "suits", "pairs", "high", "connected")


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    file = tmp_path_factory.mktemp("template") / "river.toml"
    file.write_text(TEMPLATE)
    return file


@pytest.fixture(scope="module")
def solved(template, tmp_path_factory):
    """A batch, its reports and its folder."""
    batch, folder = batch_of([template], BOARDS), tmp_path_factory.mktemp("solved")
    return batch, solve_batch(batch, folder, exploitability=0.5, progress=False), folder


def test_a_report_is_what_the_solution_says(solved):
    """Figures by loops over pairs of hands."""
    batch, reports, _ = solved
    case, report = batch.cases[1], reports[1]
    alone = solve_spot(case.spot, exploitability=0.5, threads=1, progress=False)
    assert report.exploitability == pytest.approx(100 * alone.exploitability / 200)
    assert set(report.decisions) == {
        alone.tree.line(node.index) for node in alone.tree if node.kind == "decision"
    }  # a river has one street
    start = None
    for line, told in report.decisions.items():
        node = alone.node(line)
        weights = node.weights(0), node.weights(1)
        meet = (HOLES[:, None, :, None] != HOLES[None, :, None, :]).all(axis=(2, 3))
        joint = weights[0][:, None] * weights[1][None, :] * meet
        start = joint.sum() if start is None else start
        mine = joint.sum(axis=1 - node.player)[node.hands]
        theirs, values = node.other_ev()
        other = joint.sum(axis=node.player)[theirs]
        assert told.reach == pytest.approx(joint.sum() / start)
        assert told.frequencies == pytest.approx(mine @ node.strategy / mine.sum())
        assert told.ev[node.player] == pytest.approx(np.nan_to_num(node.ev) @ mine / mine.sum())
        assert told.ev[1 - node.player] == pytest.approx(np.nan_to_num(values) @ other / other.sum())
        assert sum(told.ev) == pytest.approx(told.pot, abs=1e-3)
        assert sum(told.equity) == pytest.approx(1)
        for number, name in enumerate(CLASSES):
            kinds = [category(tuple(hole), case.spot.board) for hole in HOLES[node.hands].tolist()]
            held = [name in PARTS[kind] for kind in kinds]
            if mine @ held > 0:
                part = mine * held
                row = told.classes[number]
                assert row[0] == pytest.approx(part.sum() / mine.sum())
                assert row[1] == pytest.approx(np.nan_to_num(node.ev) @ part / part.sum())
                assert row[3:] == pytest.approx(part @ node.strategy / part.sum())
            else:
                assert told.classes[number, 0] == 0
        made = told.classes[: len(MADE)]
        assert made[:, 0].sum() == pytest.approx(1)
        assert np.nansum(made[:, 0] * made[:, 2]) == pytest.approx(told.equity[node.player])


def test_means_are_over_deals(solved):
    """A twin that goes through all boards' decisions, weighing each deal for itself."""
    batch, reports, _ = solved
    told = Aggregate.of(batch, reports, ["", "check", "check, bet 100"])
    for each in told.decisions:
        total, chips, share, often = 0.0, np.zeros(2), np.zeros(2), np.zeros(len(each.actions))
        for case, report in zip(batch.cases, reports, strict=True):
            one = report.decisions[each.line]
            deals = case.weight * case.spot.matchups * one.reach
            total += deals
            chips += deals * np.array(one.ev)
            share += deals * np.array(one.equity)
            often += deals * one.frequencies
        mean = each.mean()
        assert mean.ev == pytest.approx(chips / total)
        assert mean.equity == pytest.approx(share / total)
        assert mean.frequencies == pytest.approx(often / total)
        assert mean.weight == pytest.approx(1)
        for kind in ("suits", "pairs", "high", "connected"):
            parts = [(one.weight * one.reach, one) for name, _, one in each.by_texture() if name == kind]
            assert sum(one.boards for _, one in parts) == 4
            again = sum(weight * np.array(one.frequencies) for weight, one in parts) / sum(w for w, _ in parts)
            assert again == pytest.approx(mean.frequencies)
        classes = [one for one in each.by_class() if one.name in MADE]
        assert sum(one.share for one in classes) == pytest.approx(1)
        assert sum(one.share * one.ev for one in classes) == pytest.approx(mean.ev[each.player])
        assert sum(one.share * np.array(one.frequencies) for one in classes) == pytest.approx(mean.frequencies)
    assert weights_of(batch, reports).sum() == pytest.approx(1)


def test_what_is_finished_is_not_solved_again(solved, template, monkeypatch, tmp_path):
    batch, reports, folder = solved
    monkeypatch.setattr(batches, "solve_spot", None)
    for one, other in zip(solve_batch(batch, folder, exploitability=0.5, progress=False), reports, strict=True):
        same(one, other)
    with pytest.raises(SpotError, match=r"has spots of another template, or of other settings \(.*report\): choose"):
        solve_batch(batch, folder, exploitability=0.25, progress=False)
    other = tmp_path / "river.toml"
    other.write_text(TEMPLATE.replace("pot = 200", "pot = 210"))
    with pytest.raises(SpotError, match="another template"):
        solve_batch(batch_of([other], BOARDS), folder, exploitability=0.5, progress=False)
    other.write_text("# the same\n" + TEMPLATE.replace("pot = 200", 'board = "AsKsQsJsTs"\npot=200'))
    assert len(solve_batch(batch_of([other], BOARDS), folder, exploitability=0.5, progress=False)) == 4


def test_another_precision_is_another_folders(solved, template, tmp_path):
    batch, reports, folder = solved
    with pytest.raises(SpotError, match="other settings"):
        solve_batch(batch, folder, exploitability=0.5, precision="half", progress=False)
    half = solve_batch(batch, tmp_path, exploitability=0.5, precision="half", progress=False)
    for one, other, case in zip(half, reports, batch.cases, strict=True):
        alone = solve_spot(case.spot, exploitability=0.5, precision="half", threads=1, progress=False)
        assert one.exploitability == pytest.approx(100 * alone.exploitability / 200)
        assert one.exploitability != other.exploitability
    with pytest.raises(SpotError, match="no precision 'double'"):
        solve_batch(batch, tmp_path, precision="double", progress=False)


def test_a_damaged_report_is_said_to_be_so(template, tmp_path):
    batch = batch_of([template], BOARDS)
    solve_batch(batch, tmp_path, iterations=1, progress=False)
    file = Finished(tmp_path, batches.KIND, Settings(iterations=1).digest(batch.subject)).file(batch.cases[2].name)
    whole = file.read_bytes()
    file.write_bytes(whole[:-100])
    with pytest.raises(SpotError, match="damaged"):
        solve_batch(batch, tmp_path, iterations=1, progress=False)
    file.write_bytes(whole)
    with np.load(file) as kept:
        arrays = dict(kept)
    arrays["classes_0"] = arrays["classes_0"][:-1]
    np.savez(file.with_suffix(".npz"), **arrays)
    file.with_suffix(".npz").rename(file)
    with pytest.raises(SpotError, match="damaged: its classes_0"):
        solve_batch(batch, tmp_path, iterations=1, progress=False)


def test_solutions_are_kept_where_asked_for(template, tmp_path):
    batch = batch_of([template], "Qs Jh 2h 4c 7d, As 5d 5c 2s 8c")
    (first, _) = solve_batch(batch, tmp_path, iterations=20, progress=False)
    assert not [*tmp_path.glob("*.solution")]
    (again, _) = solve_batch(batch, tmp_path, iterations=20, keep=True, progress=False)
    same(first, again)
    kept = load_spot_solution(tmp_path / "QsJh2h4c7d.solution")
    assert kept.spot == batch.cases[0].spot
    assert kept.node("").frequencies == pytest.approx(again.decisions[()].frequencies, abs=1e-4)


def test_folders_and_lists_of_files(tmp_path, template):
    for name, board in (("one", "Qs Jh 2h 4c 7d"), ("two", "As 5d 5c 2s 8c")):
        (tmp_path / f"{name}.toml").write_text(f'board = "{board}"\n{TEMPLATE}')
    (tmp_path / "two.toml").write_text((tmp_path / "two.toml").read_text().replace('bet = "50%"', 'bet = "75%"'))
    batch = batch_of([tmp_path], None)
    assert [case.name for case in batch.cases] == ["one", "two"]
    assert batch == of_files([tmp_path / "one.toml", tmp_path / "two.toml"])
    told = Aggregate.of(batch, solve_batch(batch, tmp_path / "out", iterations=30, progress=False))
    assert told.decisions[0].actions == ("check", "bet 100", "bet 150")
    assert told.decisions[0].frequencies(told.decisions[0].rows[0])[2] == 0
    assert sum(told.decisions[0].mean().frequencies) == pytest.approx(1)
    (tmp_path / "one.toml").write_text((tmp_path / "two.toml").read_text())
    with pytest.raises(SpotError, match=r"one.report is the report of another spot of this name"):
        solve_batch(batch_of([tmp_path], None), tmp_path / "out", iterations=30, progress=False)
    (tmp_path / "empty").mkdir()
    with pytest.raises(SpotError, match="no spot file"):
        batch_of([tmp_path / "empty"], None)
    with pytest.raises(SpotError, match="two of the spot files are called one"):
        batch_of([tmp_path, tmp_path / "one.toml"], None)
    with pytest.raises(SpotError, match="one spot file on many boards"):
        batch_of([tmp_path], "subset:3")
    with pytest.raises(SpotError, match="needs a board"):
        batch_of([template], None)


def test_templates_that_tell_suits_apart(tmp_path):
    file = tmp_path / "suits.toml"
    file.write_text(TEMPLATE.replace("KQs:0.5", "KcQc"))
    with pytest.raises(SpotError, match="tells suits apart"):
        on_boards(file, flops_of("trips"))
    assert len(on_boards(file, flops_of("Qs Jh 2h, 2c 3d 4h")).cases) == 2
    lock = '[[lock]]\nline = "check, check, {}"\nplay = {{ check = 1.0 }}\n'
    file.write_text(TEMPLATE + lock.format("7d"))
    with pytest.raises(SpotError, match="names the card 7d"):
        on_boards(file, flops_of("trips"))
    file.write_text(TEMPLATE + lock.format("deal"))
    assert len(on_boards(file, flops_of("trips")).cases) == 13


def test_one_lock_does_for_many_boards(tmp_path):
    """Hands that the board alone takes away are no slip; hands that the range has not are, before the first spot."""
    file, lock = tmp_path / "locked.toml", '[[lock]]\nline = "check"\nplay = {{ check = "{}" }}\n'
    boards = "Qs Jh 2h 4c 7d, Ts Th Td 2c 3c"
    file.write_text(TEMPLATE + lock.format("TT"))
    reports = solve_batch(batch_of([file], boards), tmp_path / "out", iterations=5, progress=False)
    assert len(reports) == 2
    file.write_text(TEMPLATE + lock.format("33"))
    with pytest.raises(SpotError, match=r"^TsThTd2c3c: the lock at check: ip has none of the hands .*: 33$"):
        batch_of([file], boards)
    file.write_text(f'board = "Qs Jh 2h 4c 7d"\n{TEMPLATE}{lock.format("33")}')
    with pytest.raises(SpotError, match=r"^locked: the lock at check"):
        of_files([file])


def test_boards_that_leave_a_player_no_hand_are_left_out(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "aces.toml"
    file.write_text(TEMPLATE.replace("AA-TT, AKs, QJs:0.25", "AA"))
    every = on_boards(file, flops_of("trips"))
    assert len(every.cases) == 12
    assert every.left_out == ("AsAhAd",)
    words = ["spots", str(file), "--flops", "Qs Jh 2h 4c 7d, As Ah Ad 2s 8c", "--out", "out", "--iterations", "5"]
    told = CliRunner().invoke(main, words)
    assert told.exit_code == 0, told.stderr
    said = "left out, as they leave a player no hand: AsAhAd2s8c"
    assert said in told.stdout
    assert said in Path("out/report.html").read_text()
    report = json.loads(Path("out/report.json").read_text())
    assert (report["spots"], report["left_out"]) == (1, ["AsAhAd2s8c"])
    assert report["decisions"][0]["boards"][0]["weight"] == 1
    with pytest.raises(SpotError, match="none of the boards leaves both players a hand, such as AsAhAd"):
        on_boards(file, flops_of("As Ah Ad"))


def test_players_are_not_mixed(tmp_path):
    """A line that is one player's in one file and the other's in another: two decisions, and files told apart."""
    for name, state in (("first", ""), ("second", '[state]\nto_act = "ip"\n')):
        (tmp_path / f"{name}.toml").write_text(f'board = "Qs Jh 2h 4c 7d"\n{TEMPLATE}{state}')
    batch = of_files([tmp_path])
    told = Aggregate.of(batch, solve_batch(batch, tmp_path / "out", iterations=20, progress=False), [""])
    assert [each.title for each in told.decisions] == ["the start: oop to act", "the start: ip to act"]
    for player, (each, report) in enumerate(zip(told.decisions, ("first", "second"), strict=True)):
        assert [row.name for row in each.rows] == [report]
        assert {row.figures.player for row in each.rows} == {player}
    write_report(told, tmp_path / "out")
    rows = [*csv.DictReader((tmp_path / "out" / "boards.csv").read_text().splitlines())]
    assert [(row["line"], row["player"], row["board"]) for row in rows] == [("", "oop", "first"), ("", "ip", "second")]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "</span> first</td>" in page
    assert 'data-name="QsJh2h4c7d second"' in page


def test_memory_is_known_before(template, tmp_path, monkeypatch):
    """The largest of all spots, times how many are worked on."""
    flops = on_boards(template, flops_of("Ks 8h 3d, Ks 8s 3s, 7s 7h 7d"))
    each = [memory_of(case.spot, threads=1) for case in flops.cases]
    assert max(each) == each[0] > each[1]
    assert memory_of_batch(flops, Settings(), 2) == 2 * max(each)
    assert memory_of_batch(flops, Settings(), 8) == 3 * max(each)
    half = memory_of(flops.cases[0].spot, threads=1, precision="half")
    assert half < 0.6 * max(each)
    assert memory_of_batch(flops, Settings(precision="half"), 2) == 2 * half
    kept = [memory_of_batch(flops, Settings(precision=each), 1, keep=True) for each in ("single", "half")]
    assert kept == [int(1.75 * max(each)), int(2.5 * half)]
    monkeypatch.setattr("pokerlab.processes.free_memory", lambda: 1 << 20)
    with pytest.raises(SpotError, match=r"solving 2 spots at a time takes .* GiB .* fewer --processes"):
        solve_batch(flops, tmp_path, iterations=1, workers=2, progress=False)
    assert not [*tmp_path.glob("*.report")]


def test_lines_are_refused_before_the_work(template):
    batch = batch_of([template], BOARDS)
    check_lines(batch, ["check,  bet 100", ""])
    with pytest.raises(SpotError, match=r"no decision of the first street after 'fold'; there is the start, bet 100; "):
        check_lines(batch, ["fold"])


# The command, in a process that sends itself a signal once so many spots are finished.
STOPPED = """
import os, sys
from pokerlab.finished import Finished
whole, (left, how) = Finished.write, map(int, sys.argv[1:3])
def write(*given):
    global left
    whole(*given)
    left -= 1
    if left == 0:
        os.kill(os.getpid(), how)
Finished.write = write
from pokerlab.cli import main
main(sys.argv[3:])
"""


def test_killed_twice_and_finished(template, tmp_path):
    """After Ctrl-C and two kills every finished board is kept, and the end is that of a batch that nobody stopped."""
    deck = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    rng, boards = np.random.default_rng(5), tmp_path / "boards.txt"
    boards.write_text("\n".join(" ".join(rng.choice(deck, 5, replace=False)) for _ in range(14)))
    place = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}

    def kept():
        return {file.name: file.read_bytes() for file in (tmp_path / "out").glob("*.report")}

    before, words = {}, ["spots", template, "--flops", boards, "--out", "out", "--iterations", "100"]
    for how, count, processes in ((signal.SIGINT, 2, "1"), (signal.SIGKILL, 3, "1"), (signal.SIGKILL, 4, "2")):
        process = subprocess.run(
            [sys.executable, "-c", STOPPED, str(count), str(int(how)), *words, "--processes", processes], cwd=tmp_path,
            env=place, capture_output=True, text=True,
        )  # fmt: skip
        if how == signal.SIGINT:
            assert process.returncode == 130
            assert process.stderr.endswith("interrupted: out has the finished spots, and the same command goes on\n")
        else:
            assert process.returncode == -signal.SIGKILL
        assert len(kept()) == len(before) + count
        assert kept().items() >= before.items()
        before = kept()
    batch = batch_of([template], str(boards))
    finished = solve_batch(batch, tmp_path / "out", iterations=100, progress=False)
    assert kept().items() >= before.items()
    for one, other in zip(finished, solve_batch(batch, tmp_path / "new", iterations=100, progress=False), strict=True):
        same(one, other)


def test_the_command_and_its_files(template, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["spots", str(template), "--flops", BOARDS, "--out", "out", "--iterations", "50", "--processes", "1"]
    told = CliRunner().invoke(main, words)
    assert told.exit_code == 0, told.stderr
    assert "the start: oop to act" in told.stdout
    assert "check: ip to act, which comes up" in told.stdout
    summary = json.loads(CliRunner().invoke(main, [*words, "--decision", "check, bet 100", "--json"]).stdout)
    (only,) = summary["decisions"]
    assert only["actions"] == ["fold", "call", "all-in"]
    assert summary["written"] == ["boards.csv", "textures.csv", "hands.csv", "report.json", "report.html"]
    rows = [*csv.DictReader(Path("out/boards.csv").read_text().splitlines())]
    assert tuple(rows[0])[: len(CSV)] == CSV
    assert {row["line"] for row in rows} == {"check, bet 100"}
    assert [float(row["call"]) for row in rows] == [row["call"] for row in only["boards"]]
    assert json.loads(Path("out/report.json").read_text())["decisions"] == summary["decisions"]
    refused = CliRunner().invoke(main, [*words, "--decision", "fold"])
    assert refused.exit_code == 2
    assert len(refused.stderr.splitlines()) == 1


def test_what_is_never_reached_is_nothing_in_json(tmp_path, template):
    """Values of a decision to which play never comes are not known."""
    file = tmp_path / "locked.toml"
    file.write_text(TEMPLATE + '[[lock]]\nline = ""\nplay = { check = 1.0 }\n')
    batch = batch_of([file], BOARDS)
    told = Aggregate.of(batch, solve_batch(batch, tmp_path / "out", iterations=5, progress=False), ["bet 100"])
    summary = json.loads(json.dumps(told.summary(), allow_nan=False))
    assert summary["decisions"][0]["mean"]["reach"] == 0
    assert summary["decisions"][0]["mean"]["ev"] == [None, None]
    assert summary["decisions"][0]["boards"][0]["ev oop"] is None
    assert told.lines()
    assert report_page(told, "locked")


def test_names_are_escaped_in_the_page(tmp_path, template):
    name = '<b onclick="x">'
    (tmp_path / f"{name}.toml").write_text(f'board = "Qs Jh 2h 4c 7d"\n{TEMPLATE}')
    batch = of_files([tmp_path])
    told = Aggregate.of(batch, solve_batch(batch, tmp_path / "out", iterations=5, progress=False))
    assert name not in report_page(told, name)
    assert read_spot(tmp_path / f"{name}.toml").name == name


def test_python_of_the_page(tmp_path, monkeypatch, capsys):
    page = (Path(__file__).parents[3] / "docs" / "batches.md").read_text()
    (tmp_path / "river.toml").write_text(re.search(r"```toml\n(.*?)```", page, flags=re.S)[1])
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"```python\n(.*?)```", page, flags=re.S)[1], {})
    assert "Mean(boards=2, weight=1.0" in capsys.readouterr().out
