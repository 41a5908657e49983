"""`pokerlab hands`: take records of hands into a store, and ask it about the players."""

from __future__ import annotations

from typing import Any

import click

from pokerlab.cli.output import json_option, show, warn


@click.group()
def hands() -> None:
    """Take records of hands into a store, and ask it about the players."""


def _store_option(command: Any) -> Any:
    return click.option("--store", required=True, type=click.Path(dir_okay=False), help="The store's file.")(command)


@hands.command()
@click.argument("logs", nargs=-1, required=True, type=click.Path())
@_store_option
@click.option("--game", help="Of the logs, where they do not tell; PHH files always do.")
@click.option("--skip-bad", is_flag=True, help="Leave out lines that cannot be read, and count them.")
@json_option
def ingest(logs: tuple[str, ...], store: str, game: str | None, skip_bad: bool, as_json: bool) -> None:
    """Take in LOGS: the competition's logs, or PHH files (.phh, .phhs). What is there already is not taken twice."""
    from pokerlab.records.store import HandStore

    with HandStore(store) as opened:
        files = opened.ingest_all(logs, game, skip_bad, warn)
    fresh = sum(file.hands for file in files if file.fresh)
    lines = [line for file in files for line in file.lines()]
    lines.append(f"{fresh:,} hands taken into {store}")
    show({"store": store, "hands": fresh, "files": [file._asdict() for file in files]}, as_json, lines)


@hands.command()
@_store_option
@click.option("--agent", help="Only this one, with what it does round by round.")
@json_option
def stats(store: str, agent: str | None, as_json: bool) -> None:
    """What each agent won, with 95 % intervals, and how it plays."""
    from pokerlab.records.hand_stats import round_lines, stats_lines
    from pokerlab.records.store import HandStore

    with HandStore(store, read_only=True) as opened:
        rows = opened.stats(agent)
    lines = stats_lines(rows)
    if agent is not None:
        lines += [line for row in rows for line in round_lines(row)]
    show({"store": store, "agents": [row.as_json() for row in rows]}, as_json, lines)
