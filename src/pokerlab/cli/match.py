"""`pokerlab match`: agents against each other."""

from __future__ import annotations

from typing import Any

import click

from pokerlab.cli.output import json_option, show

AGENTS = """An agent is fold, call, raise, probe, random, uniform (options as in raise?size=100), table:FILE for a
strategy written by `pokerlab solve --out`, holdem-limit, holdem-limit-3p or holdem-nolimit once `pokerlab train` has
built them, blueprint:FILE for a file that it wrote, human, or module:Class?option=value for your own."""


@click.command(epilog=AGENTS)
@click.argument("agents", nargs=-1, required=True)
@click.option("--game", default="leduc", show_default=True, help="A name from `pokerlab games`, or a file.")
@click.option("--hands", type=int, default=3000, show_default=True, help="Deals; in duplicate, of each seating.")
@click.option("--duplicate", is_flag=True, help="Play every deal in every assignment of agents to seats.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--score",
    default="money",
    show_default=True,
    help="What a hand counts: money, or chips with luck taken out by all-in, mivat, check-call or aivat.",
)
@click.option("--log", type=click.Path(dir_okay=False), help="Write every hand here, in the competition's format.")
@json_option
def match(
    agents: tuple[str, ...],
    game: str,
    hands: int,
    duplicate: bool,
    seed: int,
    score: str,
    log: str | None,
    as_json: bool,
) -> None:
    """Play AGENTS against each other and print what each wins, with 95 % intervals.

    Two agents without memory in a game that compiles also get their exact expected winnings, and play in compiled
    code unless a log is asked for.
    """
    from pokerlab.agents.spec import agent_of
    from pokerlab.errors import PokerlabError
    from pokerlab.game.catalog import rules_of
    from pokerlab.match.play import play_match
    from pokerlab.match.scores import SCORES
    from pokerlab.match.tables import exact_means, play_tables, tables_of

    rules = rules_of(game)
    if len(agents) != rules.players:
        raise PokerlabError(f"{rules.name} is for {rules.players} players, got {len(agents)} agents")
    if hands < 1 or seed < 0:
        raise PokerlabError(f"--hands must be at least 1 and --seed at least 0, not {hands} and {seed}")
    players = [agent_of(spec, rules) for spec in agents]
    tables = tables_of(players, rules)
    options: dict[str, Any] = {"duplicate": duplicate, "seed": seed, "score": SCORES[score](rules, players)}
    summary: dict[str, Any] = {"exact": None, "engine": "python", "score": score}
    if tables is not None:
        summary["exact"] = exact_means(*tables).tolist()
    if tables is not None and log is None and score == "money":
        result = play_tables(*tables, [p.name for p in players], hands, duplicate=duplicate, seed=seed)
        summary["engine"] = "compiled"
    elif log is None:
        result = play_match(rules, players, hands, **options)
    else:
        from pokerlab.records.logs import LogWriter

        with LogWriter(log, rules, [p.name for p in players], hands, seed) as writer:
            result = play_match(rules, players, hands, watch=writer.watch, **options)
    summary = result.summary() | summary
    lines = [f"{rules.name}, {summary['played']:,} hands{', duplicate' if duplicate else ''}, seed {seed}"]
    for i, name in enumerate(result.agents):
        exact = f"   exact {summary['exact'][i]:+9.2f}" if summary["exact"] else ""
        lines.append(f"  {name:<20} {result.mean[i]:+9.2f} ± {result.ci95[i]:.2f} {result.unit}{exact}")
    show(summary, as_json, lines)
