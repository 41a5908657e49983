"""`pokerlab paper`: reproductions."""

from __future__ import annotations

from pathlib import Path

import click

from pokerlab.cli.options import PAPER, option
from pokerlab.cli.output import interrupted, json_option, show


@click.command()
@click.argument("name", required=False, type=PAPER)
@click.option("--quick", is_flag=True, help="A shorter run where the whole takes long.")
@option("--out", "A folder for figures and the tables as JSON.", type=click.Path(file_okay=False), default="results",
        show_default=True)  # fmt: skip
@json_option
def paper(name: str | None, quick: bool, out: str, as_json: bool) -> None:
    """Reproduce the tables of the paper NAME beside the published ones; without NAME, list the papers.

    What is finished is kept beside the results until all is: an interrupted run goes on when started again.
    """
    from pokerlab.papers import PAPERS, pieces_folder, reproduce

    if name is None:
        titles = {key: known.title for key, known in PAPERS.items()}
        show({"papers": titles}, as_json, [f"{key:<28} {title}" for key, title in titles.items()])
        return
    try:
        report = reproduce(name, Path(out), quick=quick)
    except KeyboardInterrupt:
        folder = pieces_folder(name, Path(out), quick)
        there = f"{folder} has what is finished, and the same command goes on"
        interrupted(there if folder.exists() else "nothing was kept")
    files = [str(file) for file in report.files(Path(out))]
    show(report.as_json() | {"files": files}, as_json, [*report.lines(), "", *report.written(Path(out))])
