"""A tournament's results as JSON, as CSV, as text for a terminal, and all of it into its folder."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pokerlab.errors import PokerlabError
from pokerlab.match.tournament.folder import RESULTS
from pokerlab.match.tournament.html import common_page, page
from pokerlab.match.tournament.play import Tournament
from pokerlab.match.tournament.standings import Cell, RunOff, Standings
from pokerlab.writing import replacing, why

_PLACES = 6  # digits after the point in files; hundredths of the interval are noise long before


def summary(plan: Tournament, standings: Standings) -> dict[str, Any]:
    """Everything, as plain JSON. Lists are in the order of `agents`; in a crosstable the row is the agent."""
    s, n = standings, range(len(standings.agents))
    cells = s.crosstable

    def table(field: str) -> list[list[Any]]:
        return [[None if a == b else _plain(getattr(cells[a, b], field)) for b in n] for a in n]

    return {
        "game": plan.rules.name,
        "agents": list(s.agents),
        "specs": [entrant.spec for entrant in plan.entrants],
        "hands": plan.hands,
        "played": plan.played,
        "duplicate": plan.duplicate,
        "seed": plan.seed,
        "unit": s.unit,
        "mean": [_plain(e.mean) for e in s.bankroll],
        "ci95": [_plain(e.ci95) for e in s.bankroll],
        "ranks": {
            "bankroll": s.ranks,
            "bankroll_run_off": [s.bankroll_run_off.rank(a) for a in n],
            "series_run_off": [s.series_run_off.rank(a) for a in n],
        },
        "crosstable": {name: table(name) for name in ("mean", "ci95", "p", "adjusted", "stars")},
        "exact": None if s.exact is None else [[_plain(value) for value in row] for row in s.exact.tolist()],
        "matches": [
            {
                "agents": [s.agents[a] for a in who],
                **{name: [_plain(getattr(cell, name)) for cell in row] for name in Cell._fields},
                "outcome": [cell.outcome for cell in row],
            }
            for who, row in s.matches
        ],
        "run_offs": {"bankroll": _rounds(s, s.bankroll_run_off), "series": _rounds(s, s.series_run_off)},
        "curves": {
            "unit": s.bets,
            "deals": s.curves[0].deals.tolist(),
            "bankroll": [[_plain(value) for value in curve.bankroll.tolist()] for curve in s.curves],
            "ci95": [[_plain(value) for value in curve.ci95.tolist()] for curve in s.curves],
        },
    }


def _plain(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return round(value, 9) if math.isfinite(value) else None


def _rounds(standings: Standings, run_off: RunOff) -> list[dict[str, Any]]:
    name = standings.agents.__getitem__
    return [
        {
            "scores": {name(a): _plain(score) for a, score in r.scores.items()},
            "removed": name(r.removed),
            "tied": [name(a) for a in r.tied],
            "decided_by": r.decided_by or None,
        }
        for r in run_off.rounds
    ]


def crosstable_csv(standings: Standings) -> str:
    """A row an agent; the mean and its interval against each other one, then in total."""
    s, n = standings, range(len(standings.agents))
    head = [f"agent ({s.unit})", *(f"{name}{part}" for name in s.agents for part in ("", " ±")), "total", "total ±"]
    rows: list[list[str]] = []
    for a in n:
        cells = [("", "") if a == b else _figures(*s.crosstable[a, b][:2]) for b in n]
        cells.append(_figures(s.bankroll[a].mean, s.bankroll[a].ci95))
        rows.append([s.agents[a], *(part for cell in cells for part in cell)])
    return _csv([head, *rows])


def matches_csv(standings: Standings) -> str:
    """A row an agent and match: tidy, for a data frame."""
    s = standings
    rows = [["agent", "opponents", "deals", "mean", "ci95", "p", "p_holm", "outcome", "unit"]]
    for record, (who, row) in zip(s.records, s.matches, strict=True):
        for a, cell in zip(who, row, strict=True):
            others = " + ".join(s.agents[b] for b in who if b != a)
            figures = [*_figures(cell.mean, cell.ci95), f"{cell.p:.3g}", f"{cell.adjusted:.3g}", str(cell.outcome)]
            rows.append([s.agents[a], others, str(record.deals[-1]), *figures, s.unit])
    return _csv(rows)


def _figures(mean: float, ci95: float) -> tuple[str, str]:
    return f"{mean:.{_PLACES}f}", f"{ci95:.{_PLACES}f}" if math.isfinite(ci95) else ""


def _csv(rows: Sequence[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


def headline(plan: Tournament, standings: Standings) -> str:
    kind = "duplicate matches" if plan.duplicate else "matches"
    return (
        f"{plan.rules.name}: {len(plan.entrants)} agents, {len(plan.matches)} {kind} of {plan.hands:,} deals "
        f"({plan.played:,} hands), seed {plan.seed}; {standings.unit} with 95 % intervals"
    )


def lines(plan: Tournament, standings: Standings) -> list[str]:
    """For a terminal."""
    s, n = standings, range(len(standings.agents))
    table = [["", *s.agents]]
    for a in n:
        table.append([s.agents[a], *("" if a == b else _text(s.crosstable[a, b]) for b in n)])
    third = "" if s.players == 2 else ", in the mean of all others at the table"
    text = [headline(plan, s), "", f"what the row won from the column, a hand{third}", *_aligned(table)]
    if s.exact is not None:
        exact = [["" if math.isnan(v) or a == b else f"{v:+.1f}" for b, v in enumerate(s.exact[a])] for a in n]
        text += ["", "in expectation", *_aligned([["", *s.agents], *([s.agents[a], *exact[a]] for a in n)])]
    if s.players > 2:
        text += ["", "by match", *_aligned(_by_match(s), left=2)]
    head = ["", "rank", "total bankroll", "run-off", "series run-off"]
    order = sorted(n, key=lambda a: (s.ranks[a], a))
    runs = s.bankroll_run_off, s.series_run_off
    rows = [
        [s.agents[a], str(s.ranks[a]), f"{s.bankroll[a].mean:+.1f} ± {s.bankroll[a].ci95:.1f}"]
        + [str(run.rank(a)) for run in runs]
        for a in order
    ]
    text += ["", *_aligned([head, *rows])]
    text += [f"  {line}" for line in [*runs[0].ties(s.agents, "run-off"), *runs[1].ties(s.agents, "series run-off")]]
    tests = "matches" if s.players == 2 else "entries"
    return [*text, "", f"* ** ***  not zero at 5, 1, 0.1 % (two-sided t-test, Holm's correction over all {tests})"]


def _by_match(s: Standings) -> list[list[str]]:
    return [
        [s.agents[a], "against " + " and ".join(s.agents[b] for b in who if b != a), _text(cell)]
        for who, row in s.matches
        for a, cell in zip(who, row, strict=True)
    ]


def _text(cell: Cell) -> str:
    return f"{cell.mean:+.1f} ± {cell.ci95:.1f}{cell.stars:<3}"


def _aligned(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Columns of equal width, the first ones flush left."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    columns = [f"<{width}" if i < left else f">{width}" for i, width in enumerate(widths)]
    return ["  " + "  ".join(map(format, row, columns)).rstrip() for row in rows]


def write(plan: Tournament, standings: Standings, folder: str | Path) -> list[Path]:
    """results.json, crosstable.csv, matches.csv and index.html, each written whole; their paths."""
    texts = (
        json.dumps(summary(plan, standings), indent=1) + "\n",
        crosstable_csv(standings),
        matches_csv(standings),
        page(plan, standings, headline(plan, standings)),
    )
    return _write(dict(zip(RESULTS, texts, strict=True)), Path(folder))


def write_common_page(
    tournaments: Sequence[tuple[Tournament, Standings]], title: str, about: str, folder: str | Path
) -> Path:
    """index.html with several tournaments, under a title and what there is to say about them; its path."""
    told = [(plan, standings, headline(plan, standings)) for plan, standings in tournaments]
    return _write({"index.html": common_page(title, about, told)}, Path(folder))[0]


def _write(texts: dict[str, str], folder: Path) -> list[Path]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            with replacing(folder / name) as file:
                file.write(text.encode())
    except OSError as error:
        raise PokerlabError(f"cannot write to {folder}: {why(error)}") from None
    return [folder / name for name in texts]
