"""One word, one meaning: every command's options are held to each other, without exceptions."""

import os
import re
import subprocess
import sys
from collections import defaultdict

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from option_cases import commands
from pokerlab import bounds
from pokerlab.agents.recipes import RECIPES
from pokerlab.agents.spec import AGENTS, agent_of
from pokerlab.cli import main, options
from pokerlab.cli.number import Within
from pokerlab.errors import AgentError
from pokerlab.game.catalog import CATALOG
from pokerlab.match.scores import SCORES
from pokerlab.refine.spots.engine import SCHEMES as SPOT_METHODS
from pokerlab.solvers.run import STEPPERS
from pokerlab.terminal import WIDTH

ALL = commands()
UNITS = {
    bounds.SECONDS: "seconds", bounds.WAIT: "seconds", bounds.MEMORY: "GiB", bounds.HANDS: "hands|deals",
    bounds.DEALS: "deals", bounds.ITERATIONS: "iterations", bounds.THREADS: "threads", bounds.PROCESSES: "processes",
    bounds.EXPLOITABILITY: f"{options.CHIPS}|{options.OF_THE_POT}|{options.OF_THE_BLINDS}", bounds.SAMPLES: "samples",
}  # fmt: skip


def by_name(kind):
    """Every option, or argument, by its name: where it is, and what it is."""
    rows = defaultdict(list)
    for words, command in ALL.items():
        for parameter in command.params:
            if isinstance(parameter, kind):
                rows[max(parameter.opts, key=len)].append((" ".join(words), parameter))
    return rows


def written(parameter):
    """What is written behind an option: its type, bound, choices, and the word for it in help."""
    kind = parameter.type
    if isinstance(kind, click.Path):  # a file, or a folder with several
        return "path", parameter.multiple, parameter.metavar
    what = getattr(kind, "bound", None) or getattr(kind, "choices", None) or kind.name
    return type(kind).__name__, what, parameter.is_flag, parameter.multiple, parameter.metavar


@pytest.mark.parametrize(("name", "rows"), by_name(click.Option).items(), ids=list(by_name(click.Option)))
def test_an_option_has_one_meaning_in_all_commands(name, rows):
    """The same type and unit, and help that begins with the same sentence; what is a command's own comes after it."""
    assert len({str(written(parameter)) for _, parameter in rows}) == 1, rows
    first = {re.split(r"(?<=[a-z)\"A-Z])\.(?: |$)", parameter.help)[0] for _, parameter in rows}
    assert len(first) == 1, first
    assert len({tuple(sorted((*p.opts, *p.secondary_opts))) for _, p in rows}) == 1


def test_every_option_is_explained_and_says_its_unit():
    for name, rows in by_name(click.Option).items():
        for words, parameter in rows:
            assert parameter.help, f"{words} {name}"
            assert parameter.help.endswith("."), f"{words} {name}: {parameter.help}"
            if isinstance(parameter.type, Within) and parameter.type.bound in UNITS:
                told = f"{name} {parameter.help}"
                assert re.search(UNITS[parameter.type.bound], told), f"{words} {name} does not say its unit: {told}"


def test_what_goes_on_and_what_begins_anew_are_flags_everywhere():
    rows = by_name(click.Option)
    assert {words for words, _ in rows["--resume"]} == {"preflop", "solve", "spot", "train"}
    assert {words for words, _ in rows["--fresh"]} == {"buckets build", "tournament"}
    assert all(parameter.is_flag for name in ("--resume", "--fresh") for _, parameter in rows[name])


def test_agents_are_asked_for_alike():
    asking = {words for name in ("agent", "agents") for words, _ in by_name(click.Argument)[name]}
    assert asking >= {"ask", "evaluate", "match", "tournament"}
    for rows in (*(by_name(click.Argument)[name] for name in ("agent", "agents")), by_name(click.Option)["--agent"]):
        for words, parameter in rows:
            assert parameter.type is options.AGENT
            assert "An agent is fold, call" in ALL[tuple(words.split())].epilog


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_help_is_not_wider_than_a_terminal(words):
    told = CliRunner().invoke(main, [*words, "--help"], terminal_width=None, env={"COLUMNS": "300"})
    assert told.exit_code == 0
    assert max(map(len, told.stdout.splitlines())) <= WIDTH


# ---- names that the shell completes


def completed(words, incomplete):
    items = ShellComplete(main, {}, "pokerlab", "_POKERLAB_COMPLETE").get_completions(words, incomplete)
    return [item.value for item in items if item.type == "plain"], any(item.type == "file" for item in items)


@pytest.mark.parametrize(
    ("words", "incomplete", "names", "files"),
    [
        ([], "so", ["solve"], False),
        (["hands"], "st", ["stats"], False),
        (["solve"], "led", ["leduc", "leduc-nl"], True),
        (["solve", "leduc", "--method"], "c", ["cfr", "cfr+"], False),
        (["spot", "x.toml", "--method"], "d", ["dcfr-spot", "dcfr"], False),
        (["match"], "ra", ["raise", "random"], True),
        (["match", "call"], "holdem-l", ["holdem-limit", "holdem-limit-3p"], True),
        (["match", "call", "call", "--game"], "kuhn", ["kuhn", "kuhn-3p"], True),
        (["match", "call", "call", "--score"], "m", ["money", "mivat"], False),
        (["evaluate"], "unif", ["uniform"], True),
        (["ask"], "unif", ["uniform"], True),
        (["join", "localhost", "1", "--agent"], "pro", ["probe"], True),
        (["train"], "smallbot", ["smallbot-3", "smallbot-4", "smallbot-5"], False),
        (["paper"], "waugh2009-p", ["waugh2009-pathologies"], False),
    ],
)
def test_the_shell_completes(words, incomplete, names, files):
    assert completed(words, incomplete) == (names, files)


def test_names_that_are_completed_are_those_of_the_registries():
    """They are written down, because the registries' rooms take long to import."""
    assert {*options.METHODS} == {"lp", *STEPPERS}
    assert {*options.SPOT_METHODS} == {*SPOT_METHODS}
    assert {*options.SCORES} == {*SCORES}
    complete = {*options.SIMPLE_AGENTS, *options.FIELD_AGENTS, *RECIPES}
    assert complete <= {*AGENTS}
    for name in {*AGENTS} - complete:  # of what follows a colon
        with pytest.raises(AgentError, match="missing"):
            agent_of(name)
    assert completed(["solve"], "")[0] == list(CATALOG)


def test_completion_as_a_shell_asks_for_it():
    """As the line of the README sets it up, and quickly: nothing that compiles is imported."""
    code = (
        "import sys; sys.argv = ['pokerlab']\n"
        "from pokerlab.cli import main\n"
        "try:\n    main()\n"
        "finally:\n    print('numba' in sys.modules)\n"
    )
    env = {
        **os.environ,
        "_POKERLAB_COMPLETE": "bash_complete",
        "COMP_WORDS": "pokerlab match call ra",
        "COMP_CWORD": "3",
    }
    told = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60)
    assert told.stdout.splitlines() == ["plain,raise", "plain,random", "file,ra", "False"]
    source = subprocess.run(
        [sys.executable, "-c", code], env={**env, "_POKERLAB_COMPLETE": "bash_source"}, capture_output=True, text=True,
        timeout=60,
    )  # fmt: skip
    assert "_POKERLAB_COMPLETE=bash_complete" in source.stdout, source.stderr
