"""How many small mistakes the tests catch: mutants of the files on which everything rests, and their rooms' tests.

    python tests/mutants.py                        every mutant of every group: hours
    python tests/mutants.py --sample 50 --seed 3   so many of each group, with intervals
    python tests/mutants.py --files game/betting.py --json score.json

A mutant is killed when a test fails, hangs or crashes; the fastest tests that run its line come first, and those of
more than ten seconds of the processor, or beyond the `--seconds` of a mutant, are not tried. Mutants that change
nothing anybody could see are listed, each with its reason, in tests/mutation/equivalent.txt.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "src")]

from mutation.operators import Mutant, mutants  # noqa: E402
from mutation.runs import Group, Job, Laboratory, Ran  # noqa: E402
from mutation.score import Key, Score, listed_mutants, report  # noqa: E402

# Files of the package, and the tests that ought to catch their mutants; then those for what is compiled.
GROUPS = {
    "game": (
        "game/*.py",
        "game/test_[!p]*.py game/test_playable.py abstraction/test_bets.py abstraction/test_tran*.py",
    ),
    "form": (
        "form/*.py",
        "form/test_*.py solvers/test_regret.py solvers/test_lp.py game/test_bucket_deals.py",
        "form/test_[dk]*.py form/test_treeplex.py form/test_evaluate.py",
    ),
    "regret": ("solvers/regret.py", "solvers/test_regret.py solvers/test_schemes.py form/test_[dk]*.py"),
    "shadows": ("agents/shadows.py", "agents/test_shadows.py agents/test_blueprint.py"),
    "dealer": (
        "match/dealer.py",
        "match/test_dealer.py match/test_dealer_[aflp]*.py match/test_transactions.py",
    ),
    "records": ("records/*.py", "records/test_*.py"),
}
# What these tests import of others: loaded once, before anything is forked.
LIBRARIES = (
    "numpy", "scipy.sparse.linalg", "scipy.optimize", "numba", "click", "rich.table", "rich.progress", "highspy",
    "duckdb", "hypothesis.strategies", "pokerkit", "pyspiel", "pygambit", "pandas",
)  # fmt: skip


def groups_of(root: Path, source: Path) -> list[Group]:
    """The groups of this project."""

    def files(folder: Path, patterns: str) -> tuple[Path, ...]:
        return tuple(file for pattern in patterns.split() for file in sorted(folder.glob(pattern)))

    return [
        Group(name, files(source, ours), *(files(root / "tests", each) for each in tests))
        for name, (ours, *tests) in GROUPS.items()
    ]


def chosen(mutant: Mutant, tests: Mapping[str, Ran], seconds: float) -> tuple[str, ...]:
    """Tests for a mutant: those that run its line first, then its function, then its file, the fastest first."""

    def distance(ran: Ran) -> int:
        functions = ran.lines.get(mutant.file, {})
        # What runs on import is of no test's lines, and any test may look at it.
        if not mutant.body or mutant.offset in functions.get(mutant.function, []):
            return 0
        inside = any(f"{name}.".startswith(f"{mutant.function}.") for name in functions)
        return 1 if inside else 2 if functions else 3

    names, left = [], seconds
    for far, took, name in sorted((distance(ran), ran.seconds, name) for name, ran in tests.items()):
        left -= took
        if far == 3 or left < 0:
            break
        names.append(name)
    return tuple(names)


def batches(sample: Sequence[Mutant], size: int = 40) -> Iterator[list[Mutant]]:
    """Mutants that are tried together: those of compiled functions apart from the others."""
    for compiled in (False, True):
        rows = [mutant for mutant in sample if mutant.compiled == compiled]
        yield from (rows[i : i + size] for i in range(0, len(rows), size))


def measure(
    lab: Laboratory, group: Group, rows: Sequence[Mutant], given: argparse.Namespace, listed: Mapping[Key, str]
) -> Score:
    """The score of a group on some of its mutants."""
    sample = rows if given.sample is None else random.Random(given.seed).sample(rows, min(given.sample, len(rows)))
    survivors, hangs, number = list[Mutant](), 0, 0
    for batch in batches(sample):
        tests = lab.tests_of(group, batch[0].compiled)
        jobs = [Job(mutant, chosen(mutant, tests, given.seconds)) for mutant in batch]
        for mutant, outcome in zip(batch, lab.outcomes(group, jobs, tests), strict=True):
            number, hangs = number + 1, hangs + (outcome in ("hang", "crash"))
            if not outcome:
                survivors.append(mutant)
            words = f"killed by {outcome}" if outcome else "SURVIVED"
            print(f"{group.name} {number}/{len(sample)} {words}: {mutant}", file=sys.stderr, flush=True)
    equivalent = tuple(mutant for mutant in survivors if mutant.key in listed)
    return Score(group.name, len(rows), len(sample), len(sample) - len(survivors), hangs, tuple(survivors), equivalent)


def run(lab: Laboratory, groups: Sequence[Group], given: argparse.Namespace, listed: Mapping[Key, str]) -> list[Score]:
    """The scores of groups, or of some of their files."""
    made = {group.name: [m for f in group.files for m in mutants(lab.name_of(f), f.read_text())] for group in groups}
    every = [mutant for rows in made.values() for mutant in rows]
    if gone := set(listed) - {mutant.key for mutant in every}:
        raise SystemExit(f"listed as equivalent, but no mutant any more: {sorted(gone)}")
    names = {*made, *(mutant.file for mutant in every)}
    if unknown := set(given.files or ()) - names:
        raise SystemExit(f"no group or file {', '.join(sorted(unknown))}; there are {', '.join(sorted(names))}")
    scores = []
    for group in groups:
        wanted = not given.files or group.name in given.files
        rows = [mutant for mutant in made[group.name] if wanted or mutant.file in given.files]
        if rows:
            scores.append(measure(lab, group, rows, given, listed))
    return scores


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", nargs="*", help="groups, or files such as game/betting.py; all if left out")
    parser.add_argument("--sample", type=int, help="so many mutants of each group, instead of all")
    parser.add_argument("--seed", type=int, default=1, help="of the sample")
    parser.add_argument("--seconds", type=float, default=15.0, help="of tests, at most, for one mutant")
    parser.add_argument("--json", type=Path, help="a file for scores and survivors")
    return parser.parse_args(arguments)


def main() -> None:
    """The command."""
    given, source = options(), ROOT / "src" / "pokerlab"
    lab = Laboratory(ROOT, source, ROOT / "build" / "mutants", LIBRARIES)
    listed = listed_mutants(ROOT / "tests" / "mutation" / "equivalent.txt")
    scores = run(lab, groups_of(ROOT, source), given, listed)
    print(*report(scores), sep="\n")
    if given.json:
        given.json.write_text(json.dumps([score.as_json() for score in scores], indent=1))


if __name__ == "__main__":
    main()
