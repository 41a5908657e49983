"""What the commands say of case bases: as plain JSON and as lines."""

from __future__ import annotations

from typing import Any

from pokerlab.cases.base import CaseBase
from pokerlab.cases.features import street_name
from pokerlab.cases.train import Trained


def round_names(base: CaseBase) -> list[str]:
    return [street_name(base.rules, number) for number in range(base.rules.rounds)]


def round_rows(base: CaseBase) -> list[dict[str, Any]]:
    """Cases and decisions of each round, and how many decisions a case has: the compression of Table 3.2."""
    return [
        {
            "round": street_name(base.rules, number), "cases": len(each.rows), "decisions": each.decisions,
            "compression": each.decisions / len(each.rows) if len(each.rows) else None,
        }
        for number, each in enumerate(base.rounds)
    ]  # fmt: skip


def round_lines(base: CaseBase) -> list[str]:
    lines = [f"  {'round':<10}{'cases':>10}{'decisions':>12}{'a case':>9}"]
    for row in round_rows(base):
        many = "" if row["compression"] is None else f"{row['compression']:.1f}"
        lines.append(f"  {row['round']:<10}{row['cases']:>10,}{row['decisions']:>12,}{many:>9}")
    return lines


def trained_summary(trained: Trained, out: str) -> dict[str, Any]:
    base = trained.base
    return {
        "file": out, "game": base.rules.name, "expert": base.experts[0], "hands": trained.hands,
        "held_out": trained.held_out, "refused": trained.refused, "cases": base.cases, "decisions": base.decisions,
        "rounds": round_rows(base), "features": base.features.as_json(),
        "similarities": [each.as_json() for each in base.similarities], "fit": base.about.get("fit"),
    }  # fmt: skip


def trained_lines(trained: Trained, out: str) -> list[str]:
    base = trained.base
    lines = [
        f"{out}: {base.experts[0]} in {base.rules.name}, {trained.hands:,} hands learnt, {trained.held_out:,} held out",
        *round_lines(base),
    ]
    return lines + [f"  refused {count:,} hands: {reason}" for reason, count in sorted(trained.refused.items())]
