"""What came out: scores of groups of files with their intervals, and the mutants that are listed as equivalent."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutation.operators import Mutant

Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Score:
    """Of a group: how many mutants there are, were tried, killed, and killed by a hang or a crash; and who survived.

    `equivalent` are those of the survivors that are listed.
    """

    name: str
    mutants: int
    tried: int
    killed: int
    hangs: int
    survivors: tuple[Mutant, ...]
    equivalent: tuple[Mutant, ...]

    def parts(self, listed: bool) -> tuple[int, int]:
        """Killed and tried; with `listed`, equivalent mutants are not counted."""
        return self.killed, self.tried - (len(self.equivalent) if listed else 0)

    def as_json(self) -> dict:
        survivors, equivalent = (list(map(str, rows)) for rows in (self.survivors, self.equivalent))
        return {**vars(self), "survivors": survivors, "equivalent": equivalent}


def wilson(killed: int, tried: int) -> tuple[float, float]:
    """The 95 % interval of a share by Wilson's score."""
    if not tried:
        return 0.0, 1.0
    z2, share = 1.96**2, killed / tried
    middle, half = share + z2 / (2 * tried), 1.96 * math.sqrt(share * (1 - share) / tried + z2 / (4 * tried**2))
    return (middle - half) / (1 + z2 / tried), (middle + half) / (1 + z2 / tried)


def overall(scores: Sequence[Score], listed: bool) -> tuple[float, float, float]:
    """The share of all mutants that are killed, groups weighted by their sizes, and its 95 % interval."""
    total, share, variance = sum(score.mutants for score in scores), 0.0, 0.0
    for score in scores:
        killed, tried = score.parts(listed)
        if tried:
            weight, smooth, unseen = score.mutants / total, (killed + 2) / (tried + 4), 1 - score.tried / score.mutants
            share += weight * killed / tried
            variance += weight**2 * smooth * (1 - smooth) / tried * unseen
    return share, max(0.0, share - 1.96 * math.sqrt(variance)), min(1.0, share + 1.96 * math.sqrt(variance))


def report(scores: Sequence[Score]) -> Iterator[str]:
    """A row a group, all of them together, and the survivors."""
    yield "group      mutants  tried killed  lived listed   score  95 % interval"
    for score in scores:
        killed, tried = score.parts(listed=True)
        share = killed / max(tried, 1)
        low, high = wilson(killed, tried) if score.tried < score.mutants else (share, share)
        counts = f"{score.killed:>6} {len(score.survivors):>6} {len(score.equivalent):>6}"
        yield f"{score.name:<10} {score.mutants:>7,} {score.tried:>6} {counts}  {share:>6.1%}  {low:.1%} to {high:.1%}"
    for listed, words in ((True, "all but those listed as equivalent"), (False, "all")):
        yield "{}: {:.1%}, {:.1%} to {:.1%}".format(words, *overall(scores, listed))
    for score in scores:
        yield from (f"- {mutant}" for mutant in score.survivors if mutant not in score.equivalent)


def listed_mutants(file: Path) -> dict[Key, str]:
    """The mutants that a file lists as equivalent, and why: `file function`, `- before`, `+ after`, `= reason`."""
    listed: dict[Key, str] = {}
    lines = [line for line in file.read_text().splitlines() if line.strip() and not line.startswith("#")]
    for i in range(0, len(lines), 4):
        where, *texts = lines[i : i + 4]
        if [text[:2] for text in texts] != ["- ", "+ ", "= "]:
            raise SystemExit(f"{file}: `file function`, `- before`, `+ after` and `= reason` expected at {where!r}")
        name, _, function = where.partition(" ")
        listed[name, function, texts[0][2:], texts[1][2:]] = texts[2][2:]
    return listed
