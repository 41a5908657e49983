"""`pokerlab evolve` and `pokerlab imitate`: networks that play."""

from __future__ import annotations

import click

from pokerlab.bounds import GENERATIONS, HIDDEN, PERCENT
from pokerlab.cli.number import Within
from pokerlab.cli.options import option
from pokerlab.cli.output import Output, json_option, show


@click.command()
@click.argument("game", default="holdem-limit")
@click.option("--selection", default="pareto", show_default=True, help="pareto or hall-of-fame.")
@click.option("--generations", type=Within(GENERATIONS), default=40, show_default=True, help="How many there are.")
@option("--hands", "Deals in each generation.", default=200)
@click.option(
    "--size",
    type=Within(PERCENT),
    default=100.0,
    show_default=True,
    help="Of raises, where there is no limit, per cent of the pot.",
)
@option("--seed", "Cards, weights and choices.", default=0)
@option("--out", "The network's file, for network:FILE.", required=True, type=Output())
@json_option
def evolve(
    game: str, selection: str, generations: int, hands: int, size: float, seed: int, out: str, as_json: bool
) -> None:
    """Evolve networks that play GAME, a kind of hold'em, among themselves."""
    from pokerlab.field.evolution import evolve as evolved

    network = evolved(game, selection, generations=generations, deals=hands, size=size, seed=seed)
    network.save(out)
    told = {"game": network.rules.name, "about": network.about, "hidden": network.hidden, "out": out}
    show(told, as_json, [f"{network.rules.name}: {network.about}", f"written to {out}: play it as network:{out}"])


@click.command()
@click.argument("logs", nargs=-1, required=True, type=click.Path())
@option("--expert", "To be learnt.", required=True)
@option("--game", "Of the logs, where they do not tell.")
@click.option("--hidden", type=Within(HIDDEN), default=20, show_default=True, help="Units of each network.")
@option("--skip-bad")
@option("--seed", "First weights.", default=0)
@option("--out", "The network's file, for network:FILE.", required=True, type=Output())
@json_option
def imitate(
    logs: tuple[str, ...], expert: str, game: str | None, hidden: int, skip_bad: bool, seed: int, out: str,
    as_json: bool,
) -> None:  # fmt: skip
    """Learn networks from what an expert did in LOGS: the competition's logs, PHH files and hand stores."""
    from pokerlab.field.imitation import imitate as imitated

    network, held = imitated(logs, expert, game=game, hidden=hidden, seed=seed, skip_bad=skip_bad)
    network.save(out)
    told = {
        "game": network.rules.name, "about": network.about, "hidden": hidden, "held_out": held.decisions,
        "right": held.right, "log_loss": held.log_loss, "out": out,
    }  # fmt: skip
    lines = [
        f"{network.rules.name}: {network.about}",
        f"of {held.decisions:,} decisions held out it tells {held.right:.1%}; log-loss {held.log_loss:.3f}",
        f"written to {out}: play it as network:{out}",
    ]
    show(told, as_json, lines)
