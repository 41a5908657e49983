"""`pokerlab hands`: take records of hands into a store, and ask it about the players."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pokerlab.cli.output import json_option, show

if TYPE_CHECKING:
    from pokerlab.records.hand_stats import AgentStats

_TOLD = 5  # bad lines of a file that are printed; the others are counted


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
    from pokerlab.errors import LogError
    from pokerlab.progress import Bar
    from pokerlab.records.store import HandStore, Ingested

    found: list[Ingested] = []
    with HandStore(store) as opened, Bar("ingest") as bar:
        for number, log in enumerate(logs):
            told = 0

            def complain(error: LogError) -> None:
                nonlocal told
                told += 1
                if told <= _TOLD:
                    click.echo(f"skipped {error}", err=True)

            def progress(fraction: float, done: int, number: int = number) -> None:
                earlier = sum(file.hands for file in found)
                bar.show((number + fraction) / len(logs), f"{earlier + done:,} hands")

            found.append(opened.ingest(log, game, skip_bad, complain, progress))
            if told > _TOLD:
                click.echo(f"skipped {told - _TOLD:,} more lines of {log}", err=True)
    fresh = sum(file.hands for file in found if file.fresh)
    lines = [
        f"{file.path}: {file.hands:,} hand{'' if file.hands == 1 else 's'} of {file.games}"
        + (f", {file.bad:,} bad lines left out" if file.bad else "")
        + ("" if file.fresh else ", there already")
        for file in found
    ]
    lines.append(f"{fresh:,} hands taken into {store}")
    show({"store": store, "hands": fresh, "files": [file._asdict() for file in found]}, as_json, lines)


@hands.command()
@_store_option
@click.option("--agent", help="Only this one, with what it does round by round.")
@json_option
def stats(store: str, agent: str | None, as_json: bool) -> None:
    """What each agent won, with 95 % intervals, and how it plays."""
    from pokerlab.records.store import HandStore

    with HandStore(store, read_only=True) as opened:
        rows = opened.stats(agent)
    lines = _table(rows)
    if agent is not None:
        lines += [line for row in rows for line in _rounds(row)]
    show({"store": store, "agents": [row.as_json() for row in rows]}, as_json, lines)


def _table(rows: list[AgentStats]) -> list[str]:
    wide = max([5, *(len(row.agent) for row in rows)])
    games = max([4, *(len(row.game) for row in rows)])
    lines = [
        f"{'agent':<{wide}}  {'game':<{games}} {'hands':>10} {'won a hand':>28} {'VPIP':>6} {'PFR':>6} {'AF':>6} "
        f"{'showdowns':>10} {'won':>6}"
    ]
    for row in rows:
        half = "-" if row.ci95 is None else f"{row.ci95:.1f}"
        won = row.showdowns_won / row.showdowns if row.showdowns else None
        lines.append(
            f"{row.agent:<{wide}}  {row.game:<{games}} {row.hands:>10,} {f'{row.mean:+.1f} ± {half} {row.unit}':>28} "
            f"{row.vpip:>6.1%} {row.pfr:>6.1%} {_or_dash(row.aggression, '.2f'):>6} "
            f"{row.showdowns / row.hands:>10.1%} {_or_dash(won, '.1%'):>6}"
        )
    return lines


def _rounds(row: AgentStats) -> list[str]:
    from pokerlab.records.hand_columns import KINDS

    lines = [
        f"{row.agent} in {row.game}, by round",
        f"{'round':>5} {'actions':>10} " + " ".join(f"{k:>6}" for k in KINDS),
    ]
    for rates in row.rates:
        shares = " ".join(f"{rates[kind]:>6.1%}" for kind in KINDS)
        lines.append(f"{rates['round']:>5} {rates['actions']:>10,} {shares}")
    return lines


def _or_dash(value: float | None, form: str) -> str:
    return "-" if value is None else format(value, form)
