"""`pokerlab spots`: many spots, solved and told of together."""

from __future__ import annotations

import click

from pokerlab.cli.options import (
    OF_THE_POT,
    SPOT_METHOD,
    SPOT_METHODS,
    either,
    executor_for,
    exploitability_option,
    option,
)
from pokerlab.cli.output import json_option, keeping, show


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path())
@option("--flops", 'To put FILE on: also words ("monotone ace-high"), a list ("AsKd2c, 7h7d2s: 2"), or a file of one.')
@option("--out", "A folder for finished spots, none of which is solved twice, and for the report.", required=True,
        type=click.Path(file_okay=False))  # fmt: skip
@exploitability_option(OF_THE_POT, 0.5)
@option("--iterations")
@option("--method", f"One of {either(SPOT_METHODS)}.", type=SPOT_METHOD, default=SPOT_METHODS[0])
@option("--threads", "Of each spot.", default=1, show_default=True)
@option("--device")
@option("--precision")
@option("--processes", "Spots at once.")
@option("--cluster")
@click.option("--keep", is_flag=True, help="Keep every solution, not only what is told of it.")
@click.option("--decision", "lines", metavar="LINE", multiple=True,
              help="Report this decision of the first street, such as check; may be repeated.")  # fmt: skip
@json_option
def spots(
    files: tuple[str, ...], flops: str | None, out: str, exploitability: float | None, iterations: int | None,
    method: str, threads: int, device: str, precision: str | None, processes: int | None, cluster: str | None,
    keep: bool, lines: tuple[str, ...], as_json: bool,
) -> None:  # fmt: skip
    """Solve the spots in FILES, or one template on many flops, and report them together (docs/batches.md).

    FILES are spot files or folders of them. What is finished stays in --out, and the same command goes on from there;
    the report is written there as pages and tables.
    """
    from pokerlab.refine.spots.aggregate import Aggregate, batch_of, check_lines
    from pokerlab.refine.spots.aggregate_page import write_report
    from pokerlab.refine.spots.batch import solve_batch, workers_of
    from pokerlab.refine.spots.sixteen import SINGLE

    batch, workers = batch_of(files, flops), processes or workers_of(device)
    check_lines(batch, lines)
    with keeping(f"{out} has the finished spots, and the same command goes on"):
        reports = solve_batch(
            batch, out, exploitability=exploitability, iterations=iterations, method=method, engine=device,
            threads=threads, precision=precision or SINGLE, keep=keep,
            executor=executor_for(processes if cluster else workers, cluster), workers=None if cluster else workers,
        )  # fmt: skip
    told = Aggregate.of(batch, reports, lines)
    written = write_report(told, out)
    summary = told.summary() | {"out": out, "written": written}
    show(summary, as_json, [*told.lines(), "", f"written to {out}: {', '.join(written)}"])
