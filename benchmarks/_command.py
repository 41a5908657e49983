"""The command line of all benchmarks: `--quick`, `--json`, `--table`, and an exit code that says whether claims hold.

A script's claim is the first sentence of its docstring. Tables are those of the pages: `--table NAME` prints one as it
stands there. What only a full run can say is `FULL` in a quick one, and the tests compare the rest with the pages.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Report = dict[str, Any]
Table = Sequence[Sequence[str]]  # the header, then rows
FULL = "…"


def markdown(table: Table) -> str:
    """A table as pages have it."""
    header, *rows = table
    return "\n".join(f"| {' | '.join(row)} |".replace("  ", " ") for row in (header, ["---"] * len(header), *rows))


def no_numbers(report: Any, place: str = "") -> Iterator[str]:
    """Where a report has a figure that is none, which no comparison would find wanting."""
    if isinstance(report, float) and math.isnan(report):
        yield place
    for key, part in (
        report.items() if isinstance(report, dict) else enumerate(report) if isinstance(report, list) else ()
    ):
        yield from no_numbers(part, f"{place}, {key}" if place else str(key))


def command(
    about: str | None,
    quick: str,
    measure: Callable[..., Report],
    show: Callable[[Report], None],
    failed: Callable[[Report], list[str]],
    tables: Callable[[Report], dict[str, Table]] = lambda report: {},
    **more: dict[str, Any],
) -> int:
    """Measure, print, and say which claims were not met: `failed` lists them. A quick run is not judged.

    `quick` says what there is less of in a quick run; `more` are further options, which `measure` takes by name.
    """
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"{quick}; no claim is judged")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--table", metavar="NAME", help="print one table as it stands in the docs")
    for name, settings in more.items():
        parser.add_argument(f"--{name}", **settings)
    options = parser.parse_args()
    report = {"quick": options.quick, **measure(options.quick, **{name: getattr(options, name) for name in more})}
    printed = tables(report)
    if options.table:
        if options.table not in printed:
            parser.error(f"no table {options.table!r}; there are {', '.join(printed) or 'none'}")
        print(markdown(printed[options.table]))
    elif options.json:
        print(json.dumps(report | {"tables": printed}))
    else:
        show(report)
    unmet = [] if options.quick else [*failed(report), *(f"{place} is no number" for place in no_numbers(report))]
    for why in unmet:
        print(f"claim not met: {why}", file=sys.stderr)
    return int(bool(unmet))
