"""`import pokerlab`: every name is there, nothing is imported before it is used, and any file loads."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pokerlab
from pokerlab.abstraction.buckets.lookup import CardAbstraction
from pokerlab.agents.blueprint import Blueprint
from pokerlab.cli import COMMANDS, main
from pokerlab.errors import StrategyFileError
from pokerlab.refine.preflop.solution import PreflopSolution
from pokerlab.refine.spots.solution import SpotSolution
from pokerlab.solvers.solution import Solution

FILES = Path(__file__).parent / "files"


def fresh(*arguments):
    """What a new interpreter prints."""
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True, timeout=60).stdout


def test_importing_pokerlab_imports_nothing_else():
    code = "import sys; before = set(sys.modules); import pokerlab; print(*sorted(set(sys.modules) - before))"
    new = fresh("-c", code).split()
    assert [name for name in new if name.startswith("pokerlab")] == ["pokerlab"]
    assert not {"numpy", "numba", "scipy", "click", "rich"} & {*new}


def test_help_imports_no_numbers_and_is_quick():
    shown = "import sys; from pokerlab.cli import main\ntry: main(['--help'])\nexcept SystemExit: print(*sys.modules)"
    assert not {"numpy", "numba", "scipy", "rich"} & {*fresh("-c", shown).split()}
    took = []
    for _ in range(3):
        before = os.times()
        fresh("-m", "pokerlab", "--help")
        after = os.times()
        took.append(after.children_user + after.children_system - before.children_user - before.children_system)
    assert min(took) < 0.3  # of a processor: other work on the machine does not count


def test_editors_and_python_are_told_the_same_names():
    tree = ast.parse(Path(pokerlab.__file__).read_text())
    checked = next(node for node in tree.body if isinstance(node, ast.If))
    told = {alias.name: node.module for node in checked.body for alias in node.names}
    assert told == pokerlab._PLACES


def test_every_name_is_there():
    for name in pokerlab.__all__:
        assert getattr(pokerlab, name) is not None
    assert {*pokerlab.__all__} <= {*dir(pokerlab)}
    assert fresh("-c", "from pokerlab import *; print(rules_of('kuhn').name)") == "kuhn\n"
    with pytest.raises(AttributeError, match=r"pokerlab has no 'sovle'; it has .* solve, "):
        pokerlab.sovle  # noqa: B018


def test_every_command_is_where_the_table_says():
    for name in COMMANDS:
        assert main.get_command(None, name).name == name
    assert list(COMMANDS) == sorted(COMMANDS)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("kuhn-lp.strategy", Solution),
        ("limit.blueprint", Blueprint),
        ("forgets.buckets", CardAbstraction),
        ("river.solution", SpotSolution),
        ("jam.preflop", PreflopSolution),
    ],
)
def test_load_knows_a_file_by_its_header(name, kind, tmp_path):
    path = tmp_path / "named anyhow"
    path.write_bytes((FILES / name).read_bytes())
    assert type(pokerlab.load(path)) is kind


def test_load_reads_the_folder_of_a_tournament():
    plan, standings = pokerlab.load(FILES / "tournament")
    assert (plan.hands, standings.agents) == (200, ("call", "raise", "random"))
    with pytest.raises(pokerlab.PokerlabError, match="not the folder of a tournament"):
        pokerlab.load(FILES)


def test_load_says_what_it_can_read(tmp_path):
    (tmp_path / "notes").write_text("hello")
    with pytest.raises(StrategyFileError, match="buckets, spot, preflop, cases, trends, network, tournament file"):
        pokerlab.load(tmp_path / "notes")
    with pytest.raises(StrategyFileError, match="only a strategy is of a game"):
        pokerlab.load(FILES / "forgets.buckets", pokerlab.compile("kuhn"))
