"""`pokerlab cases`: case bases from an expert's hands."""

from __future__ import annotations

from typing import Any

import click

from pokerlab.bounds import BUCKETS, SHARE
from pokerlab.cli.number import Within
from pokerlab.cli.options import executor_for, option
from pokerlab.cli.output import Output, json_option, keeping, show


@click.group()
def cases() -> None:
    """Imitate an expert: case bases from its hands, learnt, tested and looked at."""


@cases.command()
@click.argument("logs", nargs=-1, required=True, type=click.Path())
@option("--expert", "To be learnt.", required=True)
@option("--out", "The case base's file.", required=True, type=Output())
@option("--game", "Of the logs, where they do not tell.")
@click.option("--strength", default="square", show_default=True, help="square (E[HS^2]), mean (E[HS]) or category.")
@click.option("--buckets", type=Within(BUCKETS), default=50, show_default=True, help="Of hand strength.")
@click.option("--solutions", default="vector", show_default=True, help="vector, or single: a case a decision.")
@click.option(
    "--hold-out", type=Within(SHARE), default=0.2, show_default=True, help="The last part of each match, for score."
)
@click.option("--fit", is_flag=True, help="Find weights and other parameters by cross-validation over matches.")
@option("--skip-bad")
@option("--processes", "The result is the same.")
@option("--cluster")
@json_option
def train(
    logs: tuple[str, ...],
    expert: str,
    out: str,
    game: str | None,
    strength: str,
    buckets: int,
    solutions: str,
    hold_out: float,
    fit: bool,
    skip_bad: bool,
    processes: int | None,
    cluster: str | None,
    as_json: bool,
) -> None:
    """Learn what an expert does from LOGS: the competition's logs, PHH files (.phh, .phhs) and hand stores.

    The agent is then cases:FILE. After an interruption, what was learnt so far is not learnt again.
    """
    from pokerlab.cases.features import Features
    from pokerlab.cases.fit import fit_lines, train_and_fit
    from pokerlab.cases.report import round_names, trained_lines, trained_summary
    from pokerlab.cases.train import train_cases

    options: dict[str, Any] = {
        "game": game, "features": Features(strength, buckets), "solutions": solutions, "hold_out": hold_out,
        "skip_bad": skip_bad, "executor": executor_for(processes, cluster),
    }  # fmt: skip
    with keeping("what was learnt so far is kept, and the same command goes on"):
        if fit:
            trained, fits = train_and_fit(logs, expert, out, **options)
            more = ["found by cross-validation over matches:", *fit_lines(round_names(trained.base), fits)]
        else:
            trained, more = train_cases(logs, expert, out, **options), []
    show(trained_summary(trained, out), as_json, trained_lines(trained, out) + more)


@cases.command()
@click.argument("file", type=click.Path())
@click.argument("logs", nargs=-1, required=True, type=click.Path())
@option("--expert", "To be told.", required=True)
@option("--skip-bad")
@option("--processes")
@option("--cluster")
@json_option
def score(
    file: str, logs: tuple[str, ...], expert: str, skip_bad: bool, processes: int | None, cluster: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """How well FILE tells what an expert does in LOGS, on hands that were not learnt from."""
    from pokerlab.cases.base import load_cases
    from pokerlab.cases.score import score_cases

    result = score_cases(load_cases(file), logs, expert, skip_bad=skip_bad, executor=executor_for(processes, cluster))
    show({"file": file, **result.as_json()}, as_json, result.lines())


@cases.command("show")
@click.argument("file", type=click.Path())
@click.argument("logs", nargs=-1, type=click.Path())
@option("--expert", "In the logs; by default the one who was learnt from.", default="")
@option("--html")
@json_option
def show_cases(file: str, logs: tuple[str, ...], expert: str, html: str | None, as_json: bool) -> None:
    """What is in FILE; with LOGS, how much of the hands in them that were not learnt from it covers."""
    from pokerlab.cases.base import load_cases
    from pokerlab.cases.html import write_page
    from pokerlab.cases.show import shown, shown_lines

    base = load_cases(file)
    told = shown(base, logs, expert)
    lines = shown_lines(base, told)
    if html is not None:
        write_page(base, told, html)
        lines.append(f"page written to {html}")
    show({"file": file, **told}, as_json, lines)


@cases.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@option("--out", "The case base's file.", required=True, type=Output())
@json_option
def merge(files: tuple[str, ...], out: str, as_json: bool) -> None:
    """Make one case base of FILES; their order does not matter."""
    from pokerlab.cases.base import load_cases, merge_bases

    base = merge_bases([load_cases(path) for path in files])
    base.save(out)
    summary = {"file": out, "cases": base.cases, "decisions": base.decisions, "experts": list(base.experts)}
    show(summary, as_json, [f"{out}: {base.cases:,} cases of {base.decisions:,} decisions"])
