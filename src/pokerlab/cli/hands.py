"""`pokerlab hands`: take records of hands into a store, and ask it about the players."""

from __future__ import annotations

from typing import Any

import click

from pokerlab.bounds import HANDS, NEAREST
from pokerlab.cli.number import Within
from pokerlab.cli.options import option
from pokerlab.cli.output import csv_option, json_option, keeping, show, show_csv, warn

_APART = ("game", "stakes", "position")
WINDOW = 300  # hands by which a type is told, as `records.types` has it


@click.group()
def hands() -> None:
    """Take records of hands into a store, and ask it about the players."""


def _store_option(command: Any) -> Any:
    return click.option("--store", required=True, type=click.Path(dir_okay=False), help="The store's file.")(command)


@hands.command()
@click.argument("logs", nargs=-1, required=True, type=click.Path())
@_store_option
@option("--game", "Of the logs, where they do not tell; PHH files always do.")
@option("--skip-bad")
@json_option
def ingest(logs: tuple[str, ...], store: str, game: str | None, skip_bad: bool, as_json: bool) -> None:
    """Take in LOGS: the competition's logs, PHH files (.phh, .phhs) or poker sites' histories.

    What is there already is not taken twice.
    """
    from pokerlab.records.store import HandStore

    with keeping(f"{store} has the hands of all files before this one"), HandStore(store) as opened:
        files = opened.ingest_all(logs, game, skip_bad, warn)
    fresh = sum(file.hands for file in files if file.fresh)
    lines = [line for file in files for line in file.lines()]
    lines.append(f"{fresh:,} hands taken into {store}")
    show({"store": store, "hands": fresh, "files": [file._asdict() for file in files]}, as_json, lines)


@hands.command()
@_store_option
@click.option("--player", help="Only this one, in any case of letters, with what it does by round.")
@option("--game", "Only its hands.")
@click.option("--stakes", help="Only hands of these stakes, as in '$3/$6'.")
@click.option("--position", help="Only hands in this position: SB, BB, UTG, UTG+1, HJ, CO, BTN.")
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(["game", "stakes", "position"]),
    help="Keep apart by these; by default by game.",
)
@click.option("--street", is_flag=True, help="What each does round by round.")
@click.option("--least", default=1, show_default=True, type=Within(HANDS), help="Leave out rows with fewer hands.")
@click.option("--luck-adjusted", is_flag=True, help="All-in before the last cards: their mean instead of the payoff.")
@option("--html", "With the bankrolls.")
@csv_option
@json_option
def stats(
    store: str, player: str | None, game: str | None, stakes: str | None, position: str | None, by: tuple[str, ...],
    street: bool, least: int, luck_adjusted: bool, html: str | None, as_csv: bool, as_json: bool,
) -> None:  # fmt: skip
    """What each agent won, with 95 % intervals, and how it plays."""
    from pokerlab.match.stored_luck import all_in_payoffs
    from pokerlab.records.hand_page import hands_page
    from pokerlab.records.hand_stats import Choice, round_lines, stats_csv, stats_lines
    from pokerlab.records.store import HandStore
    from pokerlab.writing import replacing

    choice = Choice(player, game, stakes, position, least, by or ("game",))
    with HandStore(store, read_only=True) as opened:
        rows = opened.stats(choice=choice, instead=all_in_payoffs(opened) if luck_adjusted else None)
        if html is not None:
            with replacing(html) as file:
                file.write(hands_page(opened, rows).encode())
            warn(f"page written to {html}")
    if as_csv and not as_json:
        return show_csv(stats_csv(rows))
    lines = stats_lines(rows)
    if player is not None or street:
        lines += [line for row in rows for line in round_lines(row)]
    show({"store": store, "luck_adjusted": luck_adjusted, "agents": [row.as_json() for row in rows]}, as_json, lines)


@hands.command()
@_store_option
@click.option("--player", help="Only this one, in any case of letters, with what it does by round.")
@option("--game", "Only its hands.")
@click.option("--least", default=WINDOW, show_default=True, type=Within(HANDS), help="Leave out rows with fewer hands.")
@click.option("--nearest", default=3, show_default=True, type=Within(NEAREST), help="How many that are near to name.")
@click.option("--model", type=click.Path(dir_okay=False), help="Known types: a file of `pokerlab trends`.")
@csv_option
@json_option
def types(
    store: str, player: str | None, game: str | None, least: int, nearest: int, model: str | None, as_csv: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """What kind of player each agent is, and who is nearest: frequencies by round, Manhattan distance.

    Nearest are others of the same game or, with --model, opponents that are known.
    """
    from pokerlab.opponents.trends import load_trends
    from pokerlab.records.hand_stats import Choice
    from pokerlab.records.store import HandStore
    from pokerlab.records.type_table import player_types, type_csv, type_lines
    from pokerlab.records.types import type_of

    known = None
    if model is not None:
        trends = load_trends(model)
        known = dict(zip(trends.opponents, map(type_of, trends.counts), strict=True))
    with HandStore(store, read_only=True) as opened:
        rows = player_types(opened.stats(choice=Choice(game=game, least=least)), nearest, known)
    rows = [row for row in rows if player is None or row.agent.lower() == player.lower()]
    if as_csv and not as_json:
        return show_csv(type_csv(rows))
    show(
        {"store": store, "model": model, "players": [row.as_json() for row in rows]},
        as_json,
        type_lines(rows, player is not None),
    )


@hands.command()
@click.argument("query")
@_store_option
@csv_option
@json_option
def sql(query: str, store: str, as_csv: bool, as_json: bool) -> None:
    """Ask the store QUERY in SQL; it is only read, and no other file is. docs/hands.md has the tables."""
    from pokerlab.records.hand_stats import csv_lines
    from pokerlab.records.store import HandStore

    with HandStore(store, read_only=True) as opened:
        names, rows = opened.table(query)
    told: list[list[Any]] = [
        [cell if isinstance(cell, int | float | str | None) else str(cell) for cell in row] for row in rows
    ]
    if as_csv and not as_json:
        return show_csv(csv_lines(names, told))
    lines = ["  ".join(names), *("  ".join(map(str, row)) for row in told)]
    show({"store": store, "columns": names, "rows": told}, as_json, lines)
