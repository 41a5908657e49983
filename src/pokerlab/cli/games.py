"""`pokerlab games`: the catalogue."""

from __future__ import annotations

import click

from pokerlab.cli.output import json_option, show


@click.command()
@json_option
def games(as_json: bool) -> None:
    """List the catalogue, with sizes."""
    from pokerlab.game.size import catalog_sizes

    rows = catalog_sizes()
    lines = [f"{'game':<17} {'players':>7} {'betting nodes':>14} {'infosets':>10} {'game tree':>9}  what it is"]
    for row in rows:
        nodes = f"{row['betting_nodes']:,}" if row["betting_nodes"] is not None else "-"
        infosets, tree = _short(row["infosets"], 8), _short(row["tree_nodes"], 6)
        lines.append(f"{row['game']:<17} {row['players']:>7} {nodes:>14} {infosets:>10} {tree:>9}  {row['about']}")
    lines.append(
        "infosets: of all players, suits forgotten where that loses nothing; game tree: decisions and ends with"
    )
    lines.append("all cards told apart; changes go after a colon, as in leduc:ranks=13,suits=4")
    show({"games": rows}, as_json, lines)


def _short(count: int | None, digits: int) -> str:
    """A number in full up to so many digits."""
    return "-" if count is None else f"{count:,}" if count < 10**digits else f"{count:.1e}"
