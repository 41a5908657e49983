"""Reports whose figures are made up, for pages of them."""

import numpy as np

from pokerlab.abstraction.buckets.report import BINS, Report, StreetReport
from pokerlab.cards.deck import STREETS
from pokerlab.papers.report import Report as PaperReport
from pokerlab.papers.report import Row, Table
from pokerlab.papers.verdicts import Cell, Printed


def bucket_report(cards, random, counts=None):
    """A report on a card abstraction; without counts, with as many buckets as it has."""
    recall, counts = cards.perfect_recall, counts or cards.counts
    streets = []
    for street in range(4):
        size = counts[street]
        centres = np.sort(random.random(size))
        strengths = np.array([
            np.histogram(np.clip(random.normal(at, 0.04, 300), 0, 1), BINS, (0, 1))[0] for at in centres
        ])  # fmt: skip
        deals = strengths.sum(axis=1)
        if size > 4 and not recall:
            strengths[2], deals[2] = 0, 0  # an empty one
        shares = deals / deals.sum()
        moves = None
        if street < 3 and not recall:
            moves = random.integers(0, 50, (size, counts[street + 1]))
            moves[deals == 0] = 0
        streets.append(
            StreetReport(STREETS[street], cards.spec.streets[street].text, deals, shares, shares, strengths, moves)
        )
    return Report(cards, tuple(streets))


def paper_report():
    """Two rows of a paper's table, one of them of figures that it has."""
    rows = [
        Row("<b>near</b>", {"any": Cell(1.02, Printed(1.0, digits=1)), "best": Cell(7.5, Printed(3.25, digits=2))}),
        Row.computed("ours alone", {"any": 12.345}, note="nobody has it"),
    ]
    return PaperReport(
        "kuhn1950", [Table("Table 9", "mb/h", ["any", "best"], rows)], notes={"orders": [{"pair": "a-b"}]}
    )
