"""Reproductions: each module prints a paper's tables beside the published ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from pokerlab.errors import PokerlabError
from pokerlab.papers.report import Report
from pokerlab.registry import Registry, others_code
from pokerlab.writing import check_folder


@dataclass(frozen=True)
class Paper:
    """`reproduce(quick=False)` makes the report; or it is the module that has this function, imported when needed."""

    title: str
    reproduce: str | Callable[..., Report]

    def report(self, quick: bool = False) -> Report:
        how = self.reproduce
        return (import_module(how).reproduce if isinstance(how, str) else how)(quick=quick)


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
        ),
        "rubin2013-cases": Paper(
            "Rubin 2013: On the Construction, Maintenance and Analysis of Case-Based Strategies in Computer Poker",
            "pokerlab.papers.rubin2013_cases",
        ),
        "rubin2013-experts": Paper(
            "Rubin 2013, chapter 4: several experts as one player, by votes and by dynamic selection",
            "pokerlab.papers.rubin2013_experts",
        ),
        "rubin2013-adaptation": Paper(
            "Rubin 2013, chapter 5: opponent types and adaptation in limit hold'em for two",
            "pokerlab.papers.rubin2013_adaptation",
        ),
        "rubin2013-switching": Paper(
            "Rubin 2013, chapter 6: from three players to two in limit hold'em",
            "pokerlab.papers.rubin2013_switching",
        ),
    },
    wrong=lambda row: "" if isinstance(row, Paper) else "is no pokerlab.papers.Paper",
)


def reproduce(name: str, out: Path | None = None, quick: bool = False) -> Report:
    """Run the reproduction of a paper; figures and the tables as JSON go into `out`."""
    paper = PAPERS[name]
    if out is not None:
        check_folder(out)
    with others_code(f"paper {name!r} failed", PokerlabError, paper.reproduce):
        report = paper.report(quick)
    if out is not None:
        report.write(out)
    return report
