"""The commands of the pages in docs/, run as they stand there, in a folder that has the files they name."""

import glob
import json
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

import pokerlab
from own_agent import MY_BOTS
from page_commands import commands, too_wide
from pokerlab.agents.simple import Call, Random
from pokerlab.match.play import play_match
from pokerlab.records.logs import LogWriter, read_log
from pokerlab.records.phh import write_phh

DOCS = Path(__file__).parents[1] / "docs"
RUN_HERE = {
    "agents.md",
    "batches.md",
    "cards.md",
    "cases.md",
    "counter.md",
    "field.md",
    "hands.md",
    "jamfold.md",
    "opponents.md",
    "tournaments.md",
    "protocol.md",
    "web.md",
}

pytestmark = pytest.mark.slow


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rules = pokerlab.rules_of("holdem-nolimit")
    for path in ("match.log", "more/other.log"):
        Path(path).parent.mkdir(exist_ok=True)
        with LogWriter(path, rules, ["DeepStack", "call"], 30, len(path)) as log:
            play_match(rules, [Random(), Call()], 30, seed=len(path), watch=log.watch)
    Path("pluribus").mkdir()
    write_phh("pluribus/1.phh", [next(iter(read_log("match.log")))])
    pokerlab.solve("leduc", iterations=100).save("leduc.strategy")
    Path("my_bots.py").write_text(MY_BOTS)
    for page in ("spots.md", "batches.md"):
        for name, text in re.findall(
            r"^```toml\n# (\w+\.toml)(.*?)^```$", (DOCS / page).read_text(), flags=re.S | re.M
        ):
            Path(name).write_text(f"#{text}")
    return tmp_path


def start(line, **options):
    words = [match for word in shlex.split(line)[1:] for match in (sorted(glob.glob(word)) or [word])]
    return subprocess.Popen([sys.executable, "-m", "pokerlab", *words], text=True, **options)


def test_every_page_with_commands_is_run_here():
    assert {page.name for page in DOCS.glob("*.md") if commands(page.read_text())} == RUN_HERE | {
        "contributing.md",
        "tour.md",
    }  # of test_contributing.py and test_tour.py


@pytest.mark.parametrize("name", sorted(RUN_HERE - {"cards.md", "protocol.md", "web.md"}))
def test_commands(folder, name):
    for line in commands((DOCS / name).read_text()):
        process = start(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, f"{line}\n{err}"
        assert out.strip()
        assert "--json" in line or too_wide(out) == [], line


def test_buckets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for line in commands((DOCS / "cards.md").read_text()):
        process = start(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, f"{line}\n{err}"
        assert out.strip()
        assert "--json" in line or too_wide(out) == [], line
    assert (tmp_path / "five.html").exists()


def test_the_web(folder):
    """Each server prints its address, answers there, and ends by Ctrl-C with all kept."""
    for line in commands((DOCS / "web.md").read_text()):
        process = start(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            address = process.stdout.readline().removeprefix("play at ").strip()
            with urlopen(f"{address}api/games", timeout=60) as answer:
                games = json.load(answer)
            assert shlex.split(line)[2:] == games[0]["agents"][: len(shlex.split(line)) - 2]
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
            assert "pokerlab-web.sqlite has all tables and hands" in process.stderr.read()
        finally:
            process.kill()
            process.wait()
            process.stdout.close()
            process.stderr.close()
    assert Path("pokerlab-web.sqlite").exists()


def served(dealer, join):
    """A dealer and a player at each of its ports, run to their ends; what the dealer prints after the ports."""
    dealing = start(dealer, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    players = []
    try:
        ports = dealing.stdout.readline().split()
        players = [start(join.replace("PORT", port), stdout=subprocess.PIPE) for port in ports]
        out, err = dealing.communicate(timeout=300)
        assert dealing.returncode == 0, err
        assert all(player.wait(timeout=60) == 0 for player in players)
        return out
    finally:
        for process in (dealing, *players):
            process.kill()
            process.wait()
            process.stdout.close()
        dealing.stderr.close()


def test_a_dealer_and_its_players(folder):
    dealer, join, official, both = commands((DOCS / "protocol.md").read_text())
    for line, log, hands in ((dealer, "match.log", 3000), (official, "m.log", 100)):
        assert served(line, join).startswith("SCORE:")
        assert len(list(read_log(log))) == hands
    (script,) = re.findall(r"^```sh\n(.*?)^```$", (DOCS / "protocol.md").read_text(), flags=re.S | re.M)
    path = Path("startme.sh")
    path.write_text(script.replace("pokerlab join", f"{shlex.quote(sys.executable)} -m pokerlab join"))
    path.chmod(0o755)
    process = start(both, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    ports, score = out.splitlines()
    assert len(ports.split()) == 2
    assert re.fullmatch(r"SCORE:\S+:Alice\|Bob", score)
    assert len(list(read_log("m.log"))) == 100
