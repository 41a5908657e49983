"""Files of strangers through every loader: no plain files, forged ones, names that are no names."""

import json
import os
import random
import re
import socket
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import pokerlab
from file_loaders import EFG, FILES, SPOT
from fuzz_files import fuzz
from pokerlab.abstraction.buckets.lookup import load_buckets
from pokerlab.agents.blueprint_file import load_blueprint
from pokerlab.cli import main
from pokerlab.errors import PokerlabError, PokerlabWarning, one_line, printable
from pokerlab.form.efg import read_efg
from pokerlab.game.catalog import rules_of
from pokerlab.match.tournament.html import page as tournament_page
from pokerlab.match.tournament.play import load_tournament, plan_tournament, run_tournament
from pokerlab.progress import Bar
from pokerlab.reading import is_damage
from pokerlab.records.logs import read_log
from pokerlab.records.phh import read_phh
from pokerlab.records.store import HandStore
from pokerlab.refine.preflop.game import read_preflop
from pokerlab.refine.preflop.solution import load_preflop_solution
from pokerlab.refine.spots.libratus import read_libratus
from pokerlab.refine.spots.solution import load_spot_solution
from pokerlab.refine.spots.spot import read_spot
from wounds import NASTY, archived, claiming, clean, deep, edited, members, message, npy, peak

LOADERS = {
    "load": pokerlab.load,
    "strategy": pokerlab.solvers.solution.load,
    "blueprint": load_blueprint,
    "buckets": load_buckets,
    "solution": load_spot_solution,
    "spot": read_spot,
    "preflop": read_preflop,
    "preflop solution": load_preflop_solution,
    "endgame": read_libratus,
    "game": lambda path: rules_of(str(path)),
    "efg": read_efg,
    "log": lambda path: list(read_log(path)),
    "phh": lambda path: list(read_phh(path)),
    "store": lambda path: HandStore(path, read_only=True),
}
LEDUC = FILES / "leduc-cfr+.strategy"


def damage(load, path):
    """Whether a file that is refused counts as damaged."""
    with pytest.raises(PokerlabError) as caught:
        load(path)
    return is_damage(caught.value)


@pytest.mark.parametrize("kind", LOADERS)
def test_what_is_no_plain_file_is_refused_at_once(kind, tmp_path):
    load = LOADERS[kind]
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        assert "it is a pipe" in message(load, tmp_path / "pipe")
        assert "it is a device" in message(load, Path("/dev/zero"))
        assert "it is a socket" in message(load, tmp_path / "socket")
    told = message(load, tmp_path / "folder")
    assert ("it is a folder" in told) if kind != "load" else ("not the folder of a tournament" in told)
    if kind == "game":
        assert "no game or game-definition file" in message(load, tmp_path / "none")
    else:
        assert ("no hand store" if kind == "store" else "no such file") in message(load, tmp_path / "none")
    message(load, tmp_path / "no\x00name")
    message(load, tmp_path / ("long" * 100))


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root can become nobody")
def test_what_may_not_be_read_is_not_called_damaged(tmp_path):
    """As another user, in a child process: root may read everything."""
    path = tmp_path / "mine"
    path.write_bytes(LEDUC.read_bytes())
    for load in LOADERS.values():  # whatever reading imports is imported now
        with warnings.catch_warnings(), pytest.raises(PokerlabError):
            load(tmp_path / "none")
    path.chmod(0)
    for folder in (tmp_path, *tmp_path.parents):
        if "pytest-of" in str(folder):
            folder.chmod(0o755)
    theirs, ours = os.pipe()
    child = os.fork()
    if not child:
        os.setuid(65534)
        told = {}
        for kind, load in LOADERS.items():
            try:
                load(path)
                told[kind] = "read"
            except BaseException as error:
                told[kind] = f"{type(error).__name__}: {error}"
        os.write(ours, json.dumps(told).encode())
        os._exit(0)
    os.close(ours)
    with open(theirs, "rb") as pipe:
        said = json.loads(pipe.read())
    os.waitpid(child, 0)
    assert said.keys() == LOADERS.keys()
    for kind, line in said.items():
        assert "cannot read" in line, (kind, line)
        assert "Permission denied" in line, (kind, line)
        assert "damaged" not in line, (kind, line)


@pytest.mark.parametrize(
    ("name", "load"),
    [
        ("leduc-cfr+.strategy", pokerlab.load), ("river.solution", load_spot_solution),
        ("jam.preflop", load_preflop_solution),
        ("limit.blueprint", load_blueprint), ("forgets.buckets", load_buckets),
    ],
)  # fmt: skip
def test_files_of_newer_versions_say_so(name, load, tmp_path):
    path = tmp_path / name
    path.write_bytes(edited((FILES / name).read_bytes(), lambda header, arrays: header.update(version=9)))
    assert "written by a newer pokerlab" in message(load, path)
    assert not damage(load, path)


def rules(header, **lines):
    """Let the rules in a header have other lines."""
    for key, value in lines.items():
        header["rules"] = re.sub(f"{key} = .*", f"{key} = {value}", header["rules"])


MANY = {
    "numRounds": 6,
    "raiseSize": "2 " * 6,
    "maxRaises": "9 " * 6,
    "firstPlayer": "1 " * 6,
    "numBoardCards": "0 " * 6,
}

FORGED = [  # what is changed in a good file under checksums that are right, and what is then said
    ("leduc-cfr+.strategy", lambda h, a: a.update(strategy0=a["strategy0"].astype(np.float32)), "float32"),
    ("leduc-cfr+.strategy", lambda h, a: a.update(strategy0=a["strategy0"][:-1]), "shape"),
    ("leduc-cfr+.strategy", lambda h, a: a["strategy0"].__setitem__(3, np.nan), "probability distribution"),
    ("leduc-cfr+.strategy", lambda h, a: a["strategy0"].__setitem__(3, -0.5), "probability distribution"),
    ("leduc-cfr+.strategy", lambda h, a: h.update(iterations="many"), "iterations: a whole number"),
    ("leduc-cfr+.strategy", lambda h, a: h.update(seconds=-1), "seconds: a time"),
    ("leduc-cfr+.strategy", lambda h, a: h.update(value="x"), "value: a number"),
    ("leduc-cfr+.strategy", lambda h, a: h.update(value=10**400), "value: a number"),
    ("leduc-cfr+.strategy", lambda h, a: h.update(parameters=[1]), "parameters: a table"),
    ("leduc-cfr+.strategy", lambda h, a: h.update(trace=[[1, 2]]), "trace"),
    ("leduc-cfr+.strategy", lambda h, a: h.update(state=["none"]), "no state 'none'"),
    ("leduc-cfr+.strategy", lambda h, a: h.update(game=NASTY, rules=None), "does not hold the rules"),
    ("leduc-cfr+.strategy", lambda h, a: rules(h, **MANY), "the betting of leduc has more than 675 nodes"),
    ("leduc-cfr+.strategy", lambda h, a: rules(h, numRanks=60, numSuits=26), "damaged"),
    ("river.solution", lambda h, a: a.update(strategy_2_0=a["strategy_2_0"][:-8]), "shape"),
    ("river.solution", lambda h, a: a.update(strategy_2_0=a["strategy_2_0"].astype(np.float64)), "float64"),
    ("river.solution", lambda h, a: h.update(isomorphism=3), "true or false"),
    ("river.solution", lambda h, a: h.update(method=["dcfr"]), "method: text"),
    ("jam.preflop", lambda h, a: a["strategy_0"].__setitem__((3, 0), np.nan), "do not add up to 1"),
    ("jam.preflop", lambda h, a: a["strategy_0"].__setitem__((3, 0), -0.5), "do not add up to 1"),
    ("jam.preflop", lambda h, a: a.update(values_2=a["values_2"][:-1]), "shape"),
    ("jam.preflop", lambda h, a: h.update(ev=[1.0]), "ev: two numbers"),
    ("jam.preflop", lambda h, a: h.update(preflop="stack = 7"), "more than the big blind"),
    ("limit.blueprint", lambda h, a: a["strategy"].__setitem__(slice(None), 0), "does nothing with some cards"),
    ("limit.blueprint", lambda h, a: a.update(strategy=a["strategy"][:-1]), "does not fit a game"),
    ("limit.blueprint", lambda h, a: h["about"].update(infosets="many"), "infosets: a whole number"),
    ("limit.blueprint", lambda h, a: h.update(spare=10**9), "spare"),
    ("limit.blueprint", lambda h, a: h.update(game="GAMEDEF"), "missing"),
    ("forgets.buckets", lambda h, a: a["turn"].__setitem__(7, 60_000), "goes up to 60,000"),
    ("forgets.buckets", lambda h, a: a["ranks"].__setitem__(7, -1), "ranks of holes"),
    ("forgets.buckets", lambda h, a: a["cuts"].__setitem__((0, 3), 0), "cuts"),
    ("forgets.buckets", lambda h, a: a.update(deals1=a["deals1"][:-1]), "deals1"),
    ("forgets.buckets", lambda h, a: a.update(flop=a["flop"].astype(np.float64)), "float64"),
    ("forgets.buckets", lambda h, a: h.update(counts=[4, 7, 10**12, 5]), "counts"),
    ("forgets.buckets", lambda h, a: h.update(counts=None), "counts"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "says"), FORGED)
def test_forged_content_is_refused(name, change, says, tmp_path):
    path = tmp_path / name
    good = (FILES / name).read_bytes()
    data = edited(good, change)
    if name.endswith((".strategy", ".solution", ".preflop")):
        data = archived(members(data))  # those are not compressed
    path.write_bytes(data)
    assert says in message(pokerlab.load, path)
    assert damage(pokerlab.load, path) == (says != "does not hold the rules")


@pytest.mark.parametrize(
    ("method", "change", "says"),
    [
        ("cfr+", lambda h, a: a["state_regret0"].__setitem__(2, np.nan), "numbers that are none"),
        ("cfr+", lambda h, a: a["state_average0"].__setitem__(slice(None), 0), "no state after 5 iterations"),
        ("cfr+", lambda h, a: a["state_clock"].__setitem__(0, -3), "no state after 5 iterations"),
        ("cfr+", lambda h, a: h.update(iterations=7), "no state after 7 iterations"),
        ("omd", lambda h, a: a.update(state_clock=a["state_clock"].astype(np.float64)), "does not fit"),
    ],
)
def test_forged_states_are_not_gone_on_with(method, change, says, tmp_path):
    path = tmp_path / "x.strategy"
    pokerlab.solve("kuhn", method, iterations=5).save(path)
    path.write_bytes(archived(members(edited(path.read_bytes(), change))))
    assert says in message(lambda path: pokerlab.solve("kuhn", method, iterations=9, resume=path), path)


@pytest.mark.parametrize("value", ["9" * 400, "-" + "9" * 30, "1" + "0" * 23, "nan", "inf", "1e400"])
def test_spots_with_numbers_beyond_sense(value, tmp_path):
    path = tmp_path / "x.toml"
    for row in ("pot = 200", "stacks = [900, 900]", "rake = 0.05", "check = 0.5"):
        key = row.split(" = ")[0]
        path.write_text(SPOT.replace(row, f"{key} = {value}"))
        assert key in message(read_spot, path)


# --- tournaments


def damaged_chunks():
    """A good chunk, and what may have come of it."""
    good = sorted((FILES / "tournament" / "chunks").iterdir())[0].read_bytes()
    rng = random.Random(3)
    flipped = bytearray(good)
    flipped[len(good) // 2] ^= 255
    yield from (good[:50], b"", bytes(flipped), rng.randbytes(300))
    yield from (edited(good, lambda h, a, wrong=wrong: a.update(winnings=wrong)) for wrong in (
        np.zeros((100, 3)), np.zeros((100, 2), np.float32), np.full((100, 2), np.nan), np.full((100, 2), 1e300),
        np.zeros((10**6, 2)),
    ))  # fmt: skip
    yield archived({"losses": npy(np.zeros((100, 2)))})
    yield archived({"winnings": claiming("(1000000000000, 2)")})
    yield archived({"winnings": claiming("(100, 2)", "|O") + bytes(1600)})


def test_a_tournament_with_a_damaged_chunk_goes_on_and_says_so(tmp_path):
    plan = plan_tournament(["call", "raise"], "kuhn", 200, seed=3, chunk=100)
    before = run_tournament(plan, tmp_path, executor=map)
    chunk = sorted((tmp_path / "chunks").iterdir())[0]
    whole = chunk.read_bytes()
    for number, data in enumerate(damaged_chunks()):
        chunk.write_bytes(data)
        with pytest.warns(PokerlabWarning, match="have to be played again") as told:
            again = run_tournament(plan, tmp_path, executor=map)
        assert [clean(str(each.message)) for each in told] == [True], number
        assert again.crosstable[0, 1] == before.crosstable[0, 1]
        assert chunk.read_bytes() == whole
    chunk.write_bytes(b"PK")
    with pytest.warns(PokerlabWarning), pytest.raises(PokerlabError, match="not finished"):
        load_tournament(tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"hands": 10**15, "chunk": 1}, {"hands": -5}, {"chunk": 0}, {"agents": []}, {"agents": None}, {"seed": "x"},
        {"agents": [{"name": f"a{i}", "spec": "call", "stateless": True, "files": []} for i in range(3000)]},
        {"agents": [3, 4]}, {"rules": "x"}, {"version": 7}, {"game": deep(3)}, {"duplicate": "yes"},
    ],
)  # fmt: skip
def test_manifests_that_cannot_be(change, tmp_path):
    manifest = json.loads((FILES / "tournament" / "manifest.json").read_text()) | change
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "chunks").mkdir()
    assert peak(lambda: message(load_tournament, tmp_path)) < 64 << 20


# --- names


def test_text_of_strangers_is_made_printable():
    assert printable("Zoë [/red] 漢") == "Zoë [/red] 漢"
    assert printable("\x1b[2J\r\n\u202e\udc80") == "\\x1b[2J\\r\\n\\u202e\\udc80"
    assert one_line("a\nb\x1b[2J  c") == "a b\\x1b[2J c"
    assert len(one_line("x" * 10**6)) < 2100
    assert str(PokerlabError("a\nb\x9b31m")) == "a b\\x9b31m"
    assert str(PokerlabWarning("a\nb\x07")) == "a b\\x07"


def test_escape_codes_in_names_of_files_reach_no_terminal(tmp_path):
    path = tmp_path / "\x1b[2J[red]x.strategy"
    path.write_bytes(b"PK")
    for arguments in (
        ["evaluate", str(path)],
        ["spot", str(path)],
        ["solve", f"{path}.efg"],
        ["match", f"table:{path}", "call"],
    ):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 2
        assert clean(result.stderr.rstrip("\n")), result.stderr
    path.write_bytes(LEDUC.read_bytes())
    result = CliRunner().invoke(main, ["evaluate", str(path)])
    assert result.exit_code == 0
    assert all(line.isprintable() for line in result.output.splitlines())


def test_markup_in_names_does_not_break_a_bar(monkeypatch, capfd):
    monkeypatch.setattr("pokerlab.progress.PATIENCE", -1.0)
    with Bar(f"[/red] {NASTY}", shown=True) as bar:
        bar.show(0.5, f"[bold]leads[/nothing] {NASTY}")
    told = capfd.readouterr().err
    assert "[/red]" in told
    assert "[bold]leads[/nothing]" in told
    assert "\x1b[2J" not in told


def test_names_in_logs_and_games_are_printable(tmp_path):
    log = tmp_path / "x.log"
    log.write_text("STATE:0:r300r900c/r2250f:AcJs|3d2d/Kc5sQc:900|-900:Al\x1b[2Jice|Bob\n")
    assert "names are not printable" in message(lambda path: list(read_log(path, "holdem-nolimit")), log)
    game = rules_of("kuhn").text().replace("ranks = JQK", "ranks = J\x1bK")
    (tmp_path / "x.game").write_text(game)
    assert "not printable" in message(LOADERS["game"], tmp_path / "x.game")


def test_pages_escape_the_names_of_agents(tmp_path):
    plan = plan_tournament(["<script>alert(1)</script>=call", "<b>&'\"=raise"], "kuhn", 50, seed=3)
    text = tournament_page(plan, run_tournament(plan, tmp_path, executor=map), "<script>head")
    assert "<script" not in text
    assert "<b>&" not in text
    assert "&lt;script&gt;" in text


def test_infosets_with_escape_codes(tmp_path):
    path = tmp_path / "x.efg"
    path.write_text(EFG.replace("one's", f"one's {NASTY}").replace('"H"', f'"{NASTY}"'))
    result = CliRunner().invoke(main, ["solve", str(path), "--iterations", "3", "--out", str(tmp_path / "x.strategy")])
    assert result.exit_code == 0, result.output
    result = CliRunner().invoke(main, ["evaluate", str(tmp_path / "x.strategy"), "--strategy"])
    assert result.exit_code == 0, result.output
    assert all(line.isprintable() for line in result.output.splitlines())


def test_every_loader_under_five_hundred_wounds(tmp_path):
    """The first part of what `make fuzz` does with twenty thousand."""
    counts = fuzz(500, 1, tmp_path / "failed", show=lambda line: None)
    assert [key for key in counts if key[1].startswith("FAILED")] == []
    assert sum(counts.values()) == 500
    for loader in {name for name, _ in counts}:
        assert any(came.startswith(("read", "refused")) for name, came in counts if name == loader)
