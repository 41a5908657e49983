"""Figures in README and docs say where they come from; `test_benchmarks.py` compares tables with their scripts."""

import re
import subprocess

import pytest
from click.testing import CliRunner

from figures import BLOCKS, MARKED, ROOT, agrees, blocks
from pokerlab.agents.blueprint import graph_of
from pokerlab.agents.recipes import RECIPES
from pokerlab.cli import main
from pokerlab.game.catalog import rules_of


def test_figures_say_where_they_come_from():
    unsaid = [str(block) for block in BLOCKS if block.of_figures and not block.mark]
    assert not unsaid, "\n".join(unsaid)


@pytest.mark.parametrize(
    ("text", "of_figures"),
    [
        ("| | a |\n| --- | --- |\n| x | 5 |", True),
        ("| | a |\n| --- | --- |\n| x | -5 ± 2 |\n| y | |", True),
        ("| | a |\n| --- | --- |\n| x | five |\n| y | six |\n| z | 7 |", False),
        ("It takes 5 ms.", True),
        ("It wins 37 ± 12 mbb/h.", True),
        ("At 22,000 hold'em hands/s.", True),
        ("72 million seven-card hands a second", True),
        ("a gap of 0.009 chips", True),
        ("blinds of 5 and 10 chips, every 50 seconds", False),
        ("Of 22 hands, two.", False),
        ("## In 5 s", False),
        ("```\n5 ms\n```", False),
    ],
)
def test_what_a_figure_is(text, of_figures):
    assert [block.of_figures for block in blocks(ROOT / "README.md", text)] == [of_figures]


def test_a_mark_is_seen_only_right_above():
    near, far = "<!-- printed: x -->\nIt takes 5 ms.", "<!-- printed: x -->\n\nIt takes 5 ms."
    assert [bool(block.mark) for block in blocks(ROOT, near)] == [True]
    assert not any(block.mark and block.of_figures for block in blocks(ROOT, far))


@pytest.mark.parametrize("block", MARKED, ids=str)
def test_a_mark_names_a_commit_of_ours_and_a_command(block):
    program = block.mark["command"].split()[0]
    assert program == "pokerlab" or (ROOT / program).is_file() or program == "make", block.mark["command"]
    if block.mark["commit"] and (ROOT / ".git").exists():
        # an ancestor: a commit that was rebased away still lies in the checkout where it was made, and in no clone
        ours = ["git", "merge-base", "--is-ancestor", block.mark["commit"], "HEAD"]
        known = subprocess.run(ours, cwd=ROOT, check=False)
        shallow = subprocess.run(
            ["git", "rev-parse", "--is-shallow-repository"], cwd=ROOT, capture_output=True, text=True
        )
        assert known.returncode == 0 or shallow.stdout.strip() == "true", block.mark["commit"]


def test_cells_agree_but_for_what_only_a_full_run_says():
    assert agrees("9 ms (80)", "… (80)")
    assert agrees("", "")
    assert not agrees("9 ms (81)", "… (80)")
    assert not agrees("9 ms", "")


PRINTED = [block for block in MARKED if block.table and block.mark["command"].startswith("pokerlab ")]


@pytest.mark.parametrize("block", [block for block in PRINTED if not block.mark["commit"]], ids=str)
def test_what_a_command_prints_is_in_its_table(block):
    """Every figure of a row stands in what the command prints, soon after the row's name."""
    words = block.mark["command"].split()
    told = " ".join(re.sub(r"[^\w.,:+-]", " ", CliRunner().invoke(main, words[1:]).output).split())
    for row in block.table[1:]:
        name = re.escape(row[0].strip("`"))
        for cell in row[1:]:
            if re.fullmatch(r"[\d,.]+", cell):
                assert re.search(rf"(?<!\S){name}\b.{{0,300}}?(?<![\w.]){cell}(?:\.0)?(?!\w|\.\d)", told), (name, cell)


def test_infosets_of_the_recipes():
    """Buckets of a round, within those of the round before where they are remembered; what `pokerlab train` builds."""
    (block,) = (block for block in PRINTED if block.table[0][-1] == "infosets")
    counted = {}
    for name, recipe in RECIPES.items():
        buckets = [int(street.split(":")[-1]) for street in recipe.cards.split("/")]
        if recipe.recall:
            buckets = [buckets[0] ** (street + 1) for street in range(4)]
        graph = graph_of(rules_of(recipe.game), recipe.bets, recipe.memory, tuple(buckets))
        counted[f"`pokerlab train {name}`"] = f"{graph.infosets:,}"
    assert {row[0]: row[-1] for row in block.table[1:]} == counted
