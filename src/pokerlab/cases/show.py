"""What a case base knows: its cases by round, how much of other hands it covers, its commonest cases, and how
aggressive the expert is.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.cards.texture import Texture
from pokerlab.cases.base import CaseBase, Round
from pokerlab.cases.features import street_name
from pokerlab.cases.report import round_lines, round_rows
from pokerlab.cases.score import unlearnt
from pokerlab.cases.sequences import level_keys, shape
from pokerlab.game.rules import Rules

_COMMON = 5  # cases of each round
LIMIT_LEVELS = ("identical", "same betting", "level 1", "level 2", "worse")
BET_LEVELS = ("identical", "same betting", "same shape", "same round", "worse")


def levels_of(rules: Rules) -> tuple[str, ...]:
    """How near a situation's nearest betting may be."""
    return LIMIT_LEVELS if rules.limit else BET_LEVELS


def _keys(rules: Rules, sequence: str) -> tuple[str, ...]:
    """What sequences share on each level but the first and the last."""
    if rules.limit:
        return level_keys(rules, sequence)
    return sequence, shape(sequence), shape(sequence.rpartition("-")[2])


def coverage(rules: Rules, known: Round, test: Round) -> list[float]:
    """The part of a round's decisions whose situation had a case: identical, or with betting near on each level."""
    there = {(known.sequences[name], cell) for name, cell in known.rows.tolist()}
    met = [{*keys} for keys in zip(*(_keys(rules, name.decode()) for name in known.sequences.tolist()), strict=True)]
    counts = np.zeros(len(levels_of(rules)))
    level_of = {}
    for name in test.sequences.tolist():
        keys = _keys(rules, name.decode())
        level_of[name] = next((1 + level for level, every in enumerate(met) if keys[level] in every), len(counts) - 1)
    for (number, cell), decisions in zip(test.rows.tolist(), test.counts.sum(axis=1).tolist(), strict=True):
        name = test.sequences[number]
        counts[0 if (name, cell) in there else level_of[name]] += decisions
    return (counts / max(counts.sum(), 1)).tolist()


def commonest(base: CaseBase, number: int) -> list[dict[str, Any]]:
    """The cases of a round with the most decisions."""
    cases, cells = base.rounds[number], base.cells[number]
    rows = np.lexsort((np.arange(len(cases.rows)), -cases.counts.sum(axis=1)))[:_COMMON]
    told = []
    for row in rows.tolist():
        name, cell = cases.rows[row].tolist()
        hand, look, committed = cells.split(cell)
        told.append({
            "betting": cases.sequences[name].decode(), "hand": cells.hand_text(hand),
            "texture": cells.texture_text(look), "commitment": committed + 1 if cells.shape[2] > 1 else None,
            "counts": dict(zip(base.letters, cases.counts[row].tolist(), strict=True)),
        })  # fmt: skip
    return told


def aggression(base: CaseBase) -> list[dict[str, Any]]:
    """The part of decisions that were bets or raises, by round and by texture; None where there was no decision."""
    rows = []
    for number, cases in enumerate(base.rounds):
        cells = base.cells[number]
        decisions, bets = cases.counts.sum(axis=1), cases.counts[:, 2:].sum(axis=1)
        _, looks, _ = cells.split(cases.rows[:, 1])
        by_texture = {}
        if cells.shape[1] > 1:
            for texture in Texture:
                total = int(decisions[looks == texture].sum())
                by_texture[texture.key] = float(bets[looks == texture].sum() / total) if total else None
        whole = int(decisions.sum())
        share = float(bets.sum() / whole) if whole else None
        rows.append({"round": street_name(base.rules, number), "share": share, "by_texture": by_texture})
    return rows


def shown(base: CaseBase, logs: Sequence[str | Path] = (), expert: str = "") -> dict[str, Any]:
    """All of it as plain JSON; coverage where there are records of hands that were not learnt from."""
    name = expert or (base.experts[0] if base.experts else "")
    covered = None
    if logs:
        _, _, tests = unlearnt(base, logs, name)
        pairs = zip(base.rounds, tests, strict=True)
        covered = [
            dict(zip(levels_of(base.rules), coverage(base.rules, known, test), strict=True)) for known, test in pairs
        ]
    return {
        "game": base.rules.name, "experts": list(base.experts), "solutions": base.solutions,
        "features": base.features.as_json(), "similarities": [each.as_json() for each in base.similarities],
        "hands": sum(source.get("hands", 0) for source in base.sources), "rounds": round_rows(base),
        "coverage": covered, "aggression": aggression(base),
        "commonest": [commonest(base, number) for number in range(base.rules.rounds)],
    }  # fmt: skip


def shown_lines(base: CaseBase, told: dict[str, Any]) -> list[str]:
    """The same as text."""
    lines = [
        f"{' and '.join(base.experts)} in {base.rules.name}: {base.cases:,} cases of {base.decisions:,} decisions in "
        f"{told['hands']:,} hands",
        *round_lines(base),
    ]
    if told["coverage"]:
        levels = levels_of(base.rules)
        lines += ["nearest case of hands that were not learnt from:", "  " + "".join(f"{name:>14}" for name in levels)]
        for row, part in zip(told["rounds"], told["coverage"], strict=True):
            lines.append("  " + "".join(f"{part[name]:>14.1%}" for name in levels) + f"  {row['round']}")
    for row, common in zip(told["rounds"], told["commonest"], strict=True):
        lines.append(f"commonest on the {row['round']}:" if common else f"no case of {row['round']}")
        for case in common:
            done = " ".join(f"{letter} {count}" for letter, count in case["counts"].items() if count)
            features = ", ".join(filter(None, (case["hand"], case["texture"])))
            lines.append(f"  {case['betting'] or 'none yet'}; {features}: {done}")
    return lines
