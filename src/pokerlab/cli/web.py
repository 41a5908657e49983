"""`pokerlab web`: play in a browser."""

from __future__ import annotations

from typing import Any

import click

from pokerlab.bounds import LISTENED
from pokerlab.cli.match import AGENTS
from pokerlab.cli.number import Within
from pokerlab.cli.options import AGENT, option
from pokerlab.cli.output import json_option, keeping, show


@click.command(epilog=AGENTS)
@click.argument("agents", nargs=-1, type=AGENT)
@option("--host", "Any but this computer's own needs the token that is then printed, and kept beside the ledger.")
@click.option("--port", type=Within(LISTENED), help="Port to listen on, 0 for any; by default 8642, if it is free.")
@click.option(
    "--ledger", type=click.Path(dir_okay=False), metavar="FILE", default="pokerlab-web.sqlite", show_default=True,
    help="Where tables and hands are kept; made if it is not there.",
)  # fmt: skip
@option("--device", "Spots are solved there.")
@json_option
def web(agents: tuple[str, ...], host: str, port: int | None, ledger: str, device: str, as_json: bool) -> None:
    """Play against agents in a browser, or over the JSON API that the page uses; Ctrl-C ends it.

    Tables and hands are kept, and go on when the server is started again. The page suggests AGENTS first, and only
    for them code of your own may run (my_bots:Maniac): all others are ours, or files.
    """
    from pokerlab.web.serve import serve

    def announce(told: dict[str, Any]) -> None:
        first, *others = told["urls"]
        lines = [f"play at {first}", *(f"     or {other}" for other in others)]
        show(told, as_json, [*lines, f"tables and hands are kept in {told['ledger']}; Ctrl-C ends"])

    with keeping(f"{ledger} has all tables and hands"):
        serve(host, port, ledger, agents, announce, device)
