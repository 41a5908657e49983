"""The command line that benchmarks share: `--quick`, `--json`, and an exit code that says whether a claim was met."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

Report = dict[str, Any]


def command(
    about: str,
    quick: str,
    measure: Callable[..., Report],
    show: Callable[[Report], None],
    failed: Callable[[Report], str],
    **more: dict[str, Any],
) -> int:
    """Measure, print, and say why a claim was not met; `failed` gives the reason, or nothing.

    `quick` says what there is less of in a quick run; `more` are further options, which `measure` takes by name.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--quick", action="store_true", help=f"{quick}; no claim is judged")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    for name, settings in more.items():
        parser.add_argument(f"--{name}", **settings)
    options = parser.parse_args()
    report = measure(options.quick, **{name: getattr(options, name) for name in more})
    if options.json:
        print(json.dumps(report))
    else:
        show(report)
    why = failed(report)
    if why:
        print(f"FAILED: {why}", file=sys.stderr)
    return int(bool(why))
