"""A user's package, exactly as docs/contributing.md writes it, adds to every registry without touching ours."""

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import pokerlab

PAGE = (Path(__file__).parents[1] / "docs" / "contributing.md").read_text()
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, flags=re.S | re.M))
AS_TEXT = pokerlab.compile("leduc", "J.QK-FULL")  # what `court` tells apart


def blocks(kind, text=PAGE):
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.S | re.M)
    return [block for name, block in fenced if name == kind]


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A folder with the package installed, and the environment of processes that see it."""
    folder = tmp_path_factory.mktemp("lab")
    (folder / "my_lab.py").write_text("\n\n".join(blocks("python")))
    info = folder / "my_lab-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: my_lab\nVersion: 1.0\n")
    groups = tomllib.loads(blocks("toml")[0])["project"]["entry-points"]
    rows = (f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in g.items()) for group, g in groups.items())
    (info / "entry_points.txt").write_text("\n".join(rows))
    paths = [str(folder), str(Path(pokerlab.__file__).parents[1])]
    return folder, {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


def run(lab, code):
    folder, environment = lab
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


COMMANDS = """
import json, sys
from click.testing import CliRunner
from pokerlab.cli import main
for line in json.loads({lines!r}):
    result = CliRunner().invoke(main, [*line, "--json"])
    assert result.exit_code == 0, (line, result.output)
    print(json.dumps(json.loads(result.stdout)))
"""


def test_every_command_of_the_page(lab):
    lines = [shlex.split(line)[1:] for block in blocks("") for line in block.splitlines()]
    assert len(lines) == 19
    shown = list(map(json.loads, run(lab, COMMANDS.format(lines=json.dumps(lines))).splitlines()))
    whole, half, rest, court, judged, match, war, at_war, paper, halves = shown[:10]
    assert (whole["method"], whole["parameters"], half["iterations"]) == ("in-turns", {"speed": 1.0}, 50)
    assert rest["iterations"] == 100
    assert whole["exploitability"] < rest["exploitability"] < half["exploitability"]
    assert (court["abstraction"], court["infosets"][0]) == ("court-FULL", AS_TEXT.trees[0].infosets)
    assert court["value"] == pytest.approx(pokerlab.solve(AS_TEXT, "lp").value)
    assert sum(judged["full_exploitability"]) > 0.01
    assert match["agents"] == ["stubborn?often=0.9", "call"]
    assert match["exact"][0] > 0
    assert (war["game"], war["infosets"]) == ("war:ranks=6", [12, 12])
    assert at_war["game"] == "war"
    assert [row["verdict"] for row in paper["tables"][0]["rows"]] == ["matches"]
    assert halves["score"] == "halves"
    fast, mine, again, seated, my_war, counted, my_paper, suited, cards = shown[10:]  # by module:Name
    assert (fast["method"], fast["parameters"], fast["iterations"]) == ("my_lab:InTurns", {"speed": 2}, 100)
    assert (mine["abstraction"], mine["value"]) == ("my_lab:court-FULL", pytest.approx(court["value"]))
    assert again["full_exploitability"] == pytest.approx(judged["full_exploitability"])
    assert seated["agents"] == ["table:mine.strategy?abstraction=my_lab:court-FULL", "my_lab:Stubborn"]
    assert (my_war["game"], my_war["value"]) == ("my_lab:WAR:ranks=6", pytest.approx(war["value"]))
    assert (counted["game"], counted["score"]) == ("my_lab:WAR", "my_lab:halves")
    assert my_paper["tables"][0]["rows"] == paper["tables"][0]["rows"]
    assert (suited["cards"], suited["buckets"]) == ("my_lab:Suited", [2, 2, 2, 2])
    assert cards["played"] == 50


IN_PYTHON = """
import pokerlab
assert "my_lab" not in __import__("sys").modules
solution = pokerlab.solve(pokerlab.compile("war", "FULL"), "in-turns", iterations=20, speed=2.0)
assert solution.parameters == {"speed": 2.0}, solution.parameters
game = pokerlab.compile("leduc", "court")
rules = pokerlab.rules_of("leduc")
stubborn, call = pokerlab.agent_of("stubborn?often=1", rules), pokerlab.agent_of("call", rules)
result = pokerlab.play_match(rules, [stubborn, call], 200, duplicate=True)
from pokerlab.abstraction.buckets.divide import Hands, by_strength
from pokerlab.abstraction.buckets.spec import parse_spec
import numpy as np
strengths = np.array([0.1, 0.6, 0.99])
hands = Hands(np.ones(3, np.uint8), strengths, strengths**2)
buckets = by_strength(hands, parse_spec("169/halving:3/halving:3/halving:3").streets[1]).buckets
assert buckets.tolist() == [0, 1, 2], buckets
print(solution.exploitability < 0.2, game.trees[0].infosets, stubborn.often, result.mean[0] > 0)
"""


def test_the_same_in_python(lab):
    assert run(lab, IN_PYTHON).split() == ["True", str(AS_TEXT.trees[0].infosets), "1", "True"]


def test_a_name_that_no_package_has_is_an_error(lab):
    code = "import pokerlab; pokerlab.solve('kuhn', 'in-tuns')"
    with pytest.raises(AssertionError, match="SolverError: no method 'in-tuns'"):
        run(lab, code)


def test_each_piece_is_about_twenty_lines():
    for title in ("A solver", "An abstraction", "An agent", "A game", "A paper", "A score"):
        assert len("".join(blocks("python", SECTIONS[title])).splitlines()) <= 26
