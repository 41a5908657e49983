"""Reproductions: each module prints a paper's tables beside the published ones."""

from __future__ import annotations

import difflib
import importlib
from pathlib import Path

from pokerlab.errors import PokerlabError
from pokerlab.papers.report import Report

PAPERS = {
    "zinkevich2007-range-of-skill": "Zinkevich, Bowling, Burch 2007: A New Algorithm for Generating Equilibria in "
    "Massive Zero-Sum Games",
    "waugh2009-pathologies": "Waugh, Schnizlein, Bowling, Szafron 2009: Abstraction Pathologies in Extensive Games",
    "waugh2009-grafting": "Waugh, Bard, Bowling 2009: Strategy Grafting in Extensive Games",
    "moravcik2016-max-margin": "Moravcik, Schmid, Ha, Hladik, Gaukrodger 2016: Refining Subgames in Large Imperfect "
    "Information Games",
}


def reproduce(name: str, out: Path | None = None, quick: bool = False) -> Report:
    """Run the reproduction of a paper; figures and the tables as JSON go into `out`."""
    if name not in PAPERS:
        close = difflib.get_close_matches(name, PAPERS, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(PAPERS)}"
        raise PokerlabError(f"no paper {name!r}; {hint}")
    module = importlib.import_module(f"pokerlab.papers.{name.replace('-', '_')}")
    report: Report = module.reproduce(quick=quick)
    if out is not None:
        report.write(out)
    return report
