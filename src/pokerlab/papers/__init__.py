"""Reproductions: each module prints a paper's tables beside the published ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from pokerlab.errors import PokerlabError
from pokerlab.papers.pieces import Pieces, work_of
from pokerlab.papers.report import Report
from pokerlab.registry import Registry, others_code
from pokerlab.writing import check_folder


@dataclass(frozen=True)
class Paper:
    """`reproduce(quick, pieces)` makes the report; or it is the module that has this function, imported when needed.

    `agents` are the recipes of `pokerlab train` whose agents it takes where they are.
    """

    title: str
    reproduce: str | Callable[[bool, Pieces], Report]
    agents: tuple[str, ...] = ()

    def report(self, quick: bool, pieces: Pieces) -> Report:
        how = self.reproduce
        return (import_module(how).reproduce if isinstance(how, str) else how)(quick, pieces)


PAPERS: Registry[Paper] = Registry(
    "paper",
    {
        "zinkevich2007-range-of-skill": Paper(
            "Zinkevich, Bowling, Burch 2007: A New Algorithm for Generating Equilibria in Massive Zero-Sum Games",
            "pokerlab.papers.zinkevich2007_range_of_skill",
        ),
        "waugh2009-pathologies": Paper(
            "Waugh, Schnizlein, Bowling, Szafron 2009: Abstraction Pathologies in Extensive Games",
            "pokerlab.papers.waugh2009_pathologies",
        ),
        "waugh2009-holdem": Paper(
            "After Waugh, Schnizlein, Bowling, Szafron 2009: abstraction pathologies in real limit hold'em",
            "pokerlab.papers.waugh2009_holdem",
        ),
        "waugh2009-grafting": Paper(
            "Waugh, Bard, Bowling 2009: Strategy Grafting in Extensive Games",
            "pokerlab.papers.waugh2009_grafting",
        ),
        "moravcik2016-max-margin": Paper(
            "Moravcik, Schmid, Ha, Hladik, Gaukrodger 2016: Refining Subgames in Large Imperfect Information Games",
            "pokerlab.papers.moravcik2016_max_margin",
            ("holdem-nolimit",),
        ),
        "rubin2013-cases": Paper(
            "Rubin 2013: On the Construction, Maintenance and Analysis of Case-Based Strategies in Computer Poker",
            "pokerlab.papers.rubin2013_cases",
            ("holdem-limit",),
        ),
        "rubin2013-experts": Paper(
            "Rubin 2013, chapter 4: several experts as one player, by votes and by dynamic selection",
            "pokerlab.papers.rubin2013_experts",
        ),
        "rubin2013-adaptation": Paper(
            "Rubin 2013, chapter 5: opponent types and adaptation in limit hold'em for two",
            "pokerlab.papers.rubin2013_adaptation",
            ("holdem-limit",),
        ),
        "rubin2013-switching": Paper(
            "Rubin 2013, chapter 6: from three players to two in limit hold'em",
            "pokerlab.papers.rubin2013_switching",
            ("holdem-limit-3p", "holdem-limit"),
        ),
    },
    wrong=lambda row: "" if isinstance(row, Paper) else "is no pokerlab.papers.Paper",
)


def pieces_folder(name: str, out: Path, quick: bool = False) -> Path:
    """Where a reproduction whose results go into `out` keeps what is finished."""
    plain = re.sub(r"[^\w.-]+", "-", name)  # a module's paper is named by its place
    return out / f"{plain}{'.quick' if quick else ''}.pieces"


def reproduce(name: str, out: Path | None = None, quick: bool = False) -> Report:
    """Run the reproduction of a paper; figures and the tables as JSON go into `out`.

    What is finished is kept there until the report is, so that a run which was stopped goes on.
    """
    if out is None:
        with TemporaryDirectory() as folder:
            return _report(name, quick, Pieces(Path(folder)))
    from pokerlab.agents.blueprint_file import blueprint_path

    check_folder(out)
    paper = PAPERS[name]
    work = work_of(paper.reproduce, *paper.agents, files=[blueprint_path(agent) for agent in paper.agents])
    pieces = Pieces(pieces_folder(name, out, quick), work)
    report = _report(name, quick, pieces)
    report.write(out)
    pieces.clear()
    return report


def _report(name: str, quick: bool, pieces: Pieces) -> Report:
    paper = PAPERS[name]
    with others_code(f"paper {name!r} failed", PokerlabError, paper.reproduce):
        return paper.report(quick, pieces)
