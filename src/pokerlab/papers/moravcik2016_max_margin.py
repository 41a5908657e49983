"""Moravcik, Schmid, Ha, Hladik and Gaukrodger (2016), Refining Subgames in Large Imperfect Information Games.

The report is put together from parts, each a module of its own that returns a report: the small games, where margins
and exploitability are exact, are in `moravcik2016_leduc`, the paper's own experiment is in `moravcik2016_holdem`.
"""

from __future__ import annotations

from pokerlab.papers import moravcik2016_holdem, moravcik2016_leduc
from pokerlab.papers.pieces import Pieces
from pokerlab.papers.report import Report

NAME = "moravcik2016-max-margin"
PARTS = (moravcik2016_leduc.reproduce, moravcik2016_holdem.reproduce)


def reproduce(quick: bool, pieces: Pieces) -> Report:
    """All parts, one after the other."""
    reports = [part(quick, pieces) for part in PARTS]
    return Report(
        NAME,
        [table for report in reports for table in report.tables],
        {name: rows for report in reports for name, rows in report.notes.items()},
        [sentence for report in reports for sentence in report.sentences],
        {name: draw for report in reports for name, draw in report.figures.items()},
    )
