"""A page on a case base: the expert's chart before the flop, its aggression by street and texture, cases, coverage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.cards.holes import class_name
from pokerlab.cards.texture import Texture
from pokerlab.cases.base import CaseBase
from pokerlab.cases.show import levels_of
from pokerlab.errors import CaseBaseError
from pokerlab.page import BLUE, action_colours, cells, chart, legend, page, said, table
from pokerlab.writing import replacing, why

_BET_NAMES = {"q": "1/4 pot", "h": "1/2 pot", "i": "3/4 pot", "p": "pot", "d": "2 pots", "v": "5 pots", "t": "10 pots"}
_NAMES = {"f": "fold", "c": "call", "r": "raise", "a": "all-in"} | _BET_NAMES
_CHARTS = 2  # the bettings before the flop with the most decisions


def write_page(base: CaseBase, told: dict[str, Any], path: str | Path) -> None:
    """The whole page, to a file."""
    try:
        with replacing(path) as file:
            file.write(cases_page(base, told).encode())
    except OSError as problem:
        raise CaseBaseError(f"cannot write {path}: {why(problem)}") from None


def cases_page(base: CaseBase, told: dict[str, Any]) -> str:
    """The page, from what `show.shown` tells."""
    who = " and ".join(base.experts) or "an expert"
    parts = [
        said(f"{base.rules.name}: {base.cases:,} cases of {base.decisions:,} decisions in {told['hands']:,} hands."),
        "<h2>Cases</h2>",
        table(("round", "cases", "decisions", "decisions a case"), (cells(_round(row)) for row in told["rounds"])),
    ]
    if told["coverage"]:
        parts += ["<h2>Coverage</h2>", said("The nearest case to situations of hands that were not learnt from.")]
        names = levels_of(base.rules)
        rows = zip(told["rounds"], told["coverage"], strict=True)
        parts.append(
            table(
                ("round", *names),
                (cells((row["round"], *(f"{part[name]:.1%}" for name in names))) for row, part in rows),
            )
        )
    if base.rules.holdem:
        parts += _charts(base)
        parts += [
            "<h2>Aggression</h2>",
            said("The part of decisions that were bets or raises, by the board's texture."),
        ]
        parts.append(_aggression(told["aggression"]))
    told_by = ", ".join(f"{letter} {_NAMES[letter]}" for letter in base.letters)
    parts += ["<h2>The commonest cases</h2>", said(f"Betting: {told_by}; rounds are parted by a hyphen.")]
    for row, common in zip(told["rounds"], told["commonest"], strict=True):
        parts.append(f"<h3>{row['round']}</h3>")
        parts.append(
            table(("betting", "hand", "board", "decisions"), (cells(_case(case), 4) for case in common), left=4)
        )
    return page(f"Cases of {who}", parts)


def _round(row: dict[str, Any]) -> tuple[str, ...]:
    many = "" if row["compression"] is None else f"{row['compression']:.1f}"
    return row["round"], f"{row['cases']:,}", f"{row['decisions']:,}", many


def _case(case: dict[str, Any]) -> tuple[str, ...]:
    done = ", ".join(f"{_NAMES[letter]} {count:,}" for letter, count in case["counts"].items() if count)
    return case["betting"] or "none yet", case["hand"], case["texture"], done


def _charts(base: CaseBase) -> list[str]:
    """What the expert does before the flop, after the bettings that it met most."""
    cases, width = base.rounds[0], base.cells[0].shape[2]
    decisions = np.bincount(cases.rows[:, 0], cases.counts.sum(axis=1), len(cases.sequences))
    parts = ["<h2>Before the flop</h2>"]
    for name in np.argsort(-decisions, kind="stable")[:_CHARTS].tolist():
        rows = cases.rows[:, 0] == name
        counts = np.zeros((169, len(base.letters)))
        np.add.at(counts, cases.rows[rows, 1] // width, cases.counts[rows])
        used = np.flatnonzero(counts.sum(axis=0))
        names = [_NAMES[base.letters[letter]] for letter in used]
        colours, totals = action_colours(names), counts.sum(axis=1)
        mixes = [row[used] / total if total else None for row, total in zip(counts, totals, strict=True)]
        tips = [
            f"{class_name(kind)}: "
            + (", ".join(f"{n} {c:,.0f}" for n, c in zip(names, counts[kind, used], strict=True)))
            for kind in range(169)
        ]
        betting = cases.sequences[name].decode()
        where = f"After {betting}" if betting else "The first decision of the hand"
        parts += [f"<h3>{where}: {int(decisions[name]):,} decisions</h3>", legend(names, colours)]
        parts.append(chart(mixes, colours, tips))
    return parts


def _aggression(rows: list[dict[str, Any]]) -> str:
    red, green, blue = BLUE

    def cell(share: float | None) -> str:
        if share is None:
            return "<td></td>"
        return f'<td style="background: rgba({red}, {green}, {blue}, {share:.2f})">{share:.0%}</td>'

    lines = []
    for row in rows:
        looks = [row["by_texture"].get(texture.key) for texture in Texture]
        lines.append(f"<td class=name>{row['round']}</td>{cell(row['share'])}{''.join(map(cell, looks))}")
    head = ("round", "all", *(texture.key for texture in Texture))
    key = said("; ".join(f"{texture.key} {texture.label.lower()}" for texture in Texture))
    return table(head, lines) + key
