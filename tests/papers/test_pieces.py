"""What a reproduction has finished: kept as it was, thrown away with other sources, and gone once the report is."""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import pokerlab
from pokerlab import papers
from pokerlab.papers import pieces as room
from pokerlab.papers.pieces import KIND, Pieces, work_of

NUMBERS = arrays(
    st.sampled_from([np.float64, np.float32, np.int8, np.uint8, np.int64, np.bool_]), array_shapes(max_side=4)
)
LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | NUMBERS
NESTS = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def never():
    raise AssertionError("what is kept was made again")


def same(one, other):
    """Values that are equal, of the same kinds."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return one == other or (one != one and other != other)


@given(value=NESTS)
def test_what_is_kept_is_what_was_made(value, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pieces")
    assert Pieces(folder, "work").of("it", lambda: value) is value
    assert same(Pieces(folder, "work").of("it", never), value)


@pytest.mark.parametrize("value", [[1], {1: 2}, np.float64(1), {"a": {2}}, (1, object())])
def test_what_would_come_back_as_something_else_is_refused(value, tmp_path):
    with pytest.raises(TypeError, match="a piece is made of"):
        Pieces(tmp_path).of("it", lambda: value)
    assert Pieces(tmp_path).count == 1  # the beginning


def test_names_are_apart(tmp_path):
    """Names that differ by what no file's name may have are different pieces; so are long ones."""
    pieces, names = Pieces(tmp_path), ["a/b", "a b", "A b", "", "x" * 500, "x" * 501, "..", "ä"]
    for number, name in enumerate(names):
        assert pieces.of(name, lambda number=number: number) == number
    assert [pieces.of(name, never) for name in names] == [*range(len(names))]
    assert {pieces.place(name).parent for name in names} == {tmp_path}
    assert len({pieces.place(name) for name in names}) == len(names)


def test_of_other_work_all_is_thrown_away(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("pokerlab.cache._said", set())
    before = Pieces(tmp_path / "it", "one")
    before.of("it", lambda: 1)
    (before.place("agent") / "agent.blueprint").write_text("trained by other sources")
    del before
    after = Pieces(tmp_path / "it", "another")
    assert after.of("it", lambda: 2) == 2
    assert not (after.place("agent") / "agent.blueprint").exists()
    assert "has pieces of other sources or agents: all is computed anew" in capsys.readouterr().err
    del after
    assert Pieces(tmp_path / "it", "another").of("it", never) == 2


def test_one_run_works_in_a_folder(tmp_path):
    """Another is refused, and disturbs nothing, until the first has ended."""
    one = Pieces(tmp_path, "work")
    one.of("it", lambda: 1)
    for work in ("work", "other work"):
        with pytest.raises(room.OtherPieces, match="another run of this paper is at work in"):
            Pieces(tmp_path, work).of("it", never)
    assert one.of("it", never) == 1
    del one
    assert Pieces(tmp_path, "work").of("it", never) == 1


def test_files_of_other_work_are_thrown_away_though_there_is_no_piece(tmp_path):
    (Pieces(tmp_path, "one").place("agent") / "agent.blueprint").write_text("trained by other sources")
    assert not any(Pieces(tmp_path, "another").place("agent").iterdir())


def test_a_damaged_piece_is_made_again(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("pokerlab.cache._said", set())
    Pieces(tmp_path).of("it", lambda: (np.arange(1000), "text"))
    (file,) = (file for file in tmp_path.glob(f"*{KIND.ending}") if not file.name.startswith("begun"))
    whole = bytearray(file.read_bytes())
    whole[len(whole) // 2] ^= 1
    file.write_bytes(whole)
    assert Pieces(tmp_path).of("it", lambda: 3) == 3
    assert "it is computed anew" in capsys.readouterr().err
    assert Pieces(tmp_path).of("it", never) == 3


def test_work_is_told_apart_by_sources_agents_and_what_is_said(tmp_path, monkeypatch):
    agent = tmp_path / "agent"
    known = {work_of(test_names_are_apart), work_of(test_names_are_apart, "quick"), work_of("elsewhere")}
    known.add(work_of("elsewhere", files=[agent]))
    agent.write_bytes(b"trained")
    known.add(work_of("elsewhere", files=[agent]))
    assert len(known) == 5
    assert work_of("elsewhere", files=[agent]) in known
    package = tmp_path / "labs"
    (package / "inner").mkdir(parents=True)
    for name in ("__init__", "inner/__init__", "inner/paper"):
        (package / f"{name}.py").write_text("def reproduce(): ...")
    monkeypatch.syspath_prepend(tmp_path)
    theirs = importlib.import_module("labs.inner.paper").reproduce
    monkeypatch.setattr(pokerlab, "__path__", [str(tmp_path / "our own")])
    (tmp_path / "our own").mkdir()
    for place in ("labs/inner/paper.py", "labs/table.py", "our own/kernel.cu", "our own/room.py"):
        before = work_of(theirs), work_of("elsewhere")
        (tmp_path / place).write_text("changed")
        assert work_of(theirs) != before[0]
        assert (work_of("elsewhere") != before[1]) == place.startswith("our own")


LAB = """
import time
from pathlib import Path

from pokerlab.papers import Paper
from pokerlab.papers.report import Report, Row, Table


def worked(number):
    with open("made", "a") as made:
        made.write(f"{number}\\n")
    return number / 7


def reproduce(quick, pieces):
    rows = []
    for number in range(6):
        rows.append(Row.computed(str(number), {"seventh": pieces.of(f"number {number}", worked, number)}))
        if number == 3 and Path("wait").exists():
            Path("waiting").touch()
            time.sleep(60)
    return Report("sevenths", [Table("Sevenths", "", ["seventh"], rows)])


SEVENTHS = Paper("Sevenths", reproduce)
"""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_paper_that_was_stopped_goes_on(how, tmp_path):
    """By the command: what was finished is not made again, and the report is that of a run that was never stopped."""
    (tmp_path / "lab.py").write_text(LAB)
    command = [sys.executable, "-m", "pokerlab", "paper", "lab:SEVENTHS", "--json", "--out"]
    made, folder = tmp_path / "made", tmp_path / "out" / "lab-SEVENTHS.pieces"
    whole = subprocess.run([*command, "whole"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert made.read_text().split() == [*"012345"]
    made.unlink()
    (tmp_path / "wait").touch()
    with subprocess.Popen([*command, "out"], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as stopped:
        for _ in range(600):
            if (tmp_path / "waiting").exists():
                break
            time.sleep(0.1)
        os.kill(stopped.pid, how)
        said = stopped.communicate(timeout=60)[1]
    assert stopped.returncode == (130 if how == signal.SIGINT else -signal.SIGKILL)
    if how == signal.SIGINT:
        assert f"interrupted: {Path('out', folder.name)} has what is finished, and the same command goes on" in said
    assert Pieces(folder).count == 1 + 4
    (tmp_path / "wait").unlink()
    ended = subprocess.run([*command, "out"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "has 4 finished pieces of this run, which goes on" in ended.stderr
    assert made.read_text().split() == [*"012345"]
    reports = [json.loads(run.stdout) for run in (whole, ended)]
    assert reports[0].pop("files") == ["whole/sevenths.json"]
    assert reports[1].pop("files") == ["out/sevenths.json"]
    assert reports[0] == reports[1]
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["sevenths.json"]  # the next run computes anew


def test_nothing_is_kept_where_nothing_is_finished(tmp_path):
    said = subprocess.run(
        [sys.executable, "-c", "import pokerlab.papers as p; p.reproduce = None; from pokerlab.cli import main\n"
         "def stop(*_, **__): raise KeyboardInterrupt\np.reproduce = stop; main()", "paper", "waugh2009-grafting",
         "--out", str(tmp_path)], capture_output=True, text=True,
    )  # fmt: skip
    assert (said.returncode, said.stderr.strip()) == (130, "interrupted: nothing was kept")


def test_without_a_folder_nothing_is_left(monkeypatch, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    seen = []

    def report(self, quick, pieces):
        pieces.of("it", lambda: 1)
        seen.append(pieces.folder.parent)
        return "report"

    monkeypatch.setattr(papers.Paper, "report", report)
    assert papers.reproduce("waugh2009-grafting") == "report"
    assert seen == [tmp_path]
    assert not any(tmp_path.iterdir())
