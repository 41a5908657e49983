"""Where it writes: links, devices, places that are refused before the work, full disks, and what killed runs leave."""

import os
import signal
import stat
import subprocess
import sys
import threading

import click
import numpy as np
import pytest
from click.testing import CliRunner

import pokerlab
from obedient import obedient_run
from pokerlab import writing
from pokerlab.cli import main
from pokerlab.cli.output import Output
from pokerlab.errors import PokerlabError
from pokerlab.reading import read_arrays
from pokerlab.solvers.checkpoint import FORMAT, VERSION, save_checkpoint
from pokerlab.solvers.runner import Record
from pokerlab.writing import check_folder, check_output, replacing

SPOT = """board = "Qs Jh 2h 4c 4d"
pot = 200
stacks = 100
oop.range = "AA"
ip.range = "KK"
bets.bet = "all-in"
bets.raise = "all-in"
"""
SPEC = "percentile:5/percentile:5/percentile:5/percentile:5"


def run(*arguments):
    result = CliRunner().invoke(main, list(map(str, arguments)))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def put(path, content=b"new"):
    with replacing(path) as file:
        file.write(content)


@pytest.fixture(autouse=True)
def _first_write():
    """Each test is the first in its process to write to a folder."""
    writing._clear_drafts.cache_clear()


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path):
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / "x.strategy", tmp_path / "link"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    for out in (link, link):
        assert run("solve", "kuhn", "--method", "lp", "--out", out)[0] == 0
        assert link.is_symlink()
        assert pokerlab.load(target).value == pytest.approx(-1 / 18)
        assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert os.listdir(tmp_path / "far") == ["x.strategy"]


def test_a_link_to_nothing_is_followed_too(tmp_path):
    (tmp_path / "link").symlink_to("there")
    put(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there").read_bytes() == b"new"


def test_links_in_a_circle_are_refused(tmp_path):
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    code, _, err = run("solve", "kuhn", "--out", tmp_path / "a")
    assert (code, err.count("\n")) == (2, 1)


class Counter:
    """What a checkpoint asks of a stepper."""

    def state(self):
        return {"count": np.arange(3)}

    def subject(self):
        return {"game": "counting"}


def test_the_checkpoint_before_lies_beside_what_the_link_leads_to(tmp_path):
    (tmp_path / "far").mkdir()
    (tmp_path / "run").symlink_to(tmp_path / "far" / "kept")
    for iterations in (1, 2):
        save_checkpoint(Counter(), tmp_path / "run", Record(iterations))
    assert sorted(os.listdir(tmp_path / "far")) == ["kept", "kept.previous"]
    for iterations, name in ((1, "kept.previous"), (2, "kept")):
        header, _ = read_arrays(tmp_path / "far" / name, FORMAT, VERSION, error=PokerlabError)
        assert header["iterations"] == iterations
    assert (tmp_path / "run").is_symlink()


def device(tmp_path):
    """A device that takes and forgets everything; not the system's own, which a mistake would replace."""
    path = tmp_path / "null"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        path.write_bytes(b"")
    except PermissionError:
        pytest.skip("devices cannot be made here")
    return path


def test_a_device_is_written_through_and_stays_one(tmp_path):
    path = device(tmp_path)
    assert run("solve", "kuhn", "--method", "lp", "--out", path)[0] == 0
    assert run("match", "call", "raise", "--hands", "3", "--log", path)[0] == 0
    assert stat.S_ISCHR(path.stat().st_mode)
    assert os.listdir(tmp_path) == ["null"]


def test_a_pipe_is_written_through(tmp_path):
    pipe, taken = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: taken.append(pipe.read_bytes()))
    reader.start()
    assert run("solve", "kuhn", "--method", "lp", "--out", pipe)[0] == 0
    reader.join(10)
    (tmp_path / "copy").write_bytes(taken[0])
    assert pokerlab.load(tmp_path / "copy").method == "lp"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_standard_output_is_written_through_also_where_it_is_a_file(tmp_path):
    with (tmp_path / "out").open("wb") as out:
        inode = os.fstat(out.fileno()).st_ino
        put_there = "from pokerlab.writing import *\nwith replacing('/dev/stdout') as f: f.write(b'whole')"
        subprocess.run([sys.executable, "-c", put_there], stdout=out, check=True)
    assert ((tmp_path / "out").stat().st_ino, (tmp_path / "out").read_bytes()) == (inode, b"whole")


def test_a_blueprint_needs_a_file(tmp_path):
    code, _, err = run("train", "holdem-limit", "--out", device(tmp_path))
    assert code == 2
    assert "needs a file" in err


def leaves(command, path=()):
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            yield from leaves(command.get_command(click.Context(command), name), (*path, name))
    else:
        yield path, command


def test_every_file_that_a_command_writes_is_tried_when_the_command_line_is_read():
    tried, read = set(), set()
    for path, command in leaves(main):
        for option in command.params:
            if isinstance(option.type, click.Path) and option.type.file_okay:
                (tried if isinstance(option.type, Output) else read).add(f"{' '.join(path)} {option.name}")
    assert {name.split()[-1] for name in read} <= {
        "compare",
        "file",
        "files",
        "ledger",
        "logs",
        "model",
        "resume",
        "store",
    }  # read, or opened
    assert tried >= {
        "solve out", "spot out", "spot checkpoint", "train out", "buckets build out", "buckets build html",
        "buckets show html", "match log", "dealer log",
    }  # fmt: skip


COMMANDS = {
    "solve": ["solve", "leduc", "--out"],
    "spot": ["spot", "x.spot", "--out"],
    "spot checkpoint": ["spot", "x.spot", "--checkpoint"],
    "train": ["train", "holdem-limit", "--out"],
    "buckets": ["buckets", "build", SPEC, "--out"],
    "buckets html": ["buckets", "build", SPEC, "--html"],
    "buckets show": ["buckets", "show", SPEC, "--html"],
    "match": ["match", "call", "raise", "--log"],
    "dealer": ["dealer", "--log"],
    "paper": ["paper", "waugh2009-pathologies", "--out"],
    "tournament": ["tournament", "call", "raise", "--out"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_what_cannot_be_written_is_refused_before_the_work(tmp_path, monkeypatch, command):
    """Work would call one of these, and take minutes or wait for players."""
    monkeypatch.chdir(tmp_path)
    for work in (
        "pokerlab.form.general.named_game", "pokerlab.refine.spots.spot.read_spot", "pokerlab.agents.training.train",
        "pokerlab.abstraction.buckets.build.build_buckets", "pokerlab.abstraction.buckets.build.find_buckets",
        "pokerlab.abstraction.cards.build_buckets", "pokerlab.match.by_spec.play_specs", "pokerlab.match.dealer.Dealer",
        "pokerlab.match.tournament.play.exact_crosstable", "pokerlab.papers.Paper.report",
    ):  # fmt: skip
        monkeypatch.setattr(work, lambda *_, **__: pytest.fail("worked before it looked"))
    (tmp_path / "file").write_text("a file")
    (tmp_path / "folder").mkdir()
    folder = command[0] in ("paper", "tournament")  # these write into a folder, which they make
    for bad in ("file", "file/x") if folder else ("folder", "nowhere/x", "file/x"):
        code, out, err = run(*command, bad)
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert bad.split("/")[0] in err
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]
    assert (tmp_path / "file").read_text() == "a file"


def test_buckets_need_a_cache_folder_or_a_file(tmp_path, monkeypatch):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path / "file" / "cache"))
    (tmp_path / "file").write_text("in the way, also of root")
    built = []
    monkeypatch.setattr("pokerlab.abstraction.buckets.build.build_buckets", lambda *_, **__: built.append(1) or 1 / 0)
    code, _, err = run("buckets", "build", SPEC)
    assert (code, err.splitlines()[-1]) == (
        2, f"pokerlab: cannot write to the folder {tmp_path / 'file' / 'cache'}: Not a directory"
    )  # fmt: skip
    assert not built
    with pytest.raises(ZeroDivisionError):
        run("buckets", "build", SPEC, "--out", tmp_path / "here")
    assert built


def test_the_default_of_a_spot_is_tried_before_the_work(tmp_path, monkeypatch):
    spot = tmp_path / "x.spot"
    spot.write_text(SPOT)
    (tmp_path / "x.solution").mkdir()
    monkeypatch.setattr("pokerlab.refine.spots.run.solve_spot", lambda *_, **__: pytest.fail("worked first"))
    code, _, err = run("spot", spot)
    assert code == 2
    assert "it is a folder" in err


def test_python_s_own_checkpoint_is_tried_before_the_work(tmp_path):
    with pytest.raises(PokerlabError, match="there is no folder"):
        pokerlab.solve("leduc", iterations=10**9, checkpoint=tmp_path / "nowhere" / "x")


def test_permissions_are_looked_at_before_the_work(tmp_path):
    (tmp_path / "shut").mkdir()
    (tmp_path / "mine").write_text("not to be written")
    (tmp_path / "mine").chmod(0o444)
    (tmp_path / "shut").chmod(0o555)
    code = (
        "import sys\nfrom pokerlab.writing import *\nfrom pokerlab.errors import PokerlabError\n"
        "for check, path in ((check_output, 'shut/x'), (check_output, 'mine'), (check_folder, 'shut'),\n"
        "                    (check_folder, 'shut/new')):\n"
        "    try: check(path); sys.exit(f'{path} was not refused')\n"
        "    except PokerlabError as error: print(error)\n"
    )
    done = obedient_run("-c", code, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Permission denied\n") == 4
    assert (tmp_path / "mine").read_text() == "not to be written"


@pytest.mark.parametrize("name", ["a" * 250, "ß" * 120, "tab\tand [brackets]*", "♠"])
def test_any_name_that_a_file_can_have(tmp_path, name):
    for content in (b"one", b"two"):
        check_output(tmp_path / name)
        put(tmp_path / name, content)
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_bytes() == b"two"


def test_a_name_that_no_file_can_have(tmp_path):
    for bad in (tmp_path / ("a" * 300), f"{tmp_path}/nul\0"):
        with pytest.raises(PokerlabError, match="cannot write"):
            check_output(bad)


def limited(size):
    """Writes fail beyond so many bytes, as on a full disk."""
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def test_a_full_disk_leaves_the_old_file_and_one_line(tmp_path):
    (tmp_path / "x.strategy").write_bytes(b"old")
    command = [sys.executable, "-m", "pokerlab", "solve", "kuhn", "--method", "lp", "--out", "x.strategy"]
    done = subprocess.run(command, cwd=tmp_path, preexec_fn=limited(100), capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "pokerlab: cannot write x.strategy: File too large\n")
    assert os.listdir(tmp_path) == ["x.strategy"]
    assert (tmp_path / "x.strategy").read_bytes() == b"old"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_standard_output_on_a_full_disk_is_one_line():
    with open("/dev/full", "wb") as full:
        done = subprocess.run([sys.executable, "-m", "pokerlab", "--help"], stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (2, b"pokerlab: standard output: No space left on device\n")


WRITER = """
import os, signal, sys
from pokerlab.writing import replacing
with replacing("x") as file:
    file.write(b"half")
    file.flush()
    print("begun", flush=True)
    sys.stdin.read() if sys.argv[1] == "wait" else os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_a_killed_run_left_is_cleared_by_the_next(tmp_path):
    killed = subprocess.run([sys.executable, "-c", WRITER, "die"], cwd=tmp_path, stdout=subprocess.DEVNULL)
    assert killed.returncode == -signal.SIGKILL
    (left,) = os.listdir(tmp_path)
    strangers = [".x.1", ".x.123-4", ".x.new", f"{left}.bak", "x.999999-1.pokerlab"]
    for name in strangers:
        (tmp_path / name).write_bytes(b"not ours")
    put(tmp_path / "x")
    assert sorted(os.listdir(tmp_path)) == sorted([*strangers, "x"])


def test_what_another_run_is_writing_is_left_alone(tmp_path):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", WRITER, "wait"], cwd=tmp_path, **pipes) as other:
        assert other.stdout.readline() == b"begun\n"
        (draft,) = os.listdir(tmp_path)
        # As another machine would see it: a process of this number is not here, but the lock is held.
        (tmp_path / ".x.999999999-0.pokerlab").hardlink_to(tmp_path / draft)
        put(tmp_path / "x", b"mine")
        assert len(os.listdir(tmp_path)) == 3
        other.stdin.close()
    assert other.returncode == 0
    assert (tmp_path / "x").read_bytes() == b"half"


def test_a_draft_of_a_process_that_lives_is_left_alone(tmp_path):
    """Between its first moment and its lock nothing but the number tells whose it is."""
    mine = tmp_path / f".x.{os.getpid()}-999999.pokerlab"
    mine.write_bytes(b"")
    put(tmp_path / "x")
    assert sorted(os.listdir(tmp_path)) == sorted(["x", mine.name])


def _fail(file, error):
    file.write(b"half")
    raise error


def test_an_error_while_writing_leaves_nothing(tmp_path):
    (tmp_path / "x").write_bytes(b"old")
    for error in (KeyboardInterrupt, OSError):
        with pytest.raises(error), replacing(tmp_path / "x") as file:
            _fail(file, error)
    assert os.listdir(tmp_path) == ["x"]
    assert (tmp_path / "x").read_bytes() == b"old"


def test_a_folder_is_made_and_tried(tmp_path):
    check_folder(tmp_path / "a" / "b")
    assert os.listdir(tmp_path / "a" / "b") == []
