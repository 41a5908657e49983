"""`pokerlab games`: the catalogue."""

from __future__ import annotations

import click

from pokerlab.cli.output import json_option, show


@click.command()
@json_option
def games(as_json: bool) -> None:
    """List the catalogue, with sizes."""
    from pokerlab.game.size import catalog_sizes, size_lines

    rows = catalog_sizes()
    show({"games": rows}, as_json, size_lines(rows))
