"""`pokerlab dealer` and `pokerlab join`: the competition's protocol, both ends."""

from __future__ import annotations

from pathlib import Path

import click

from pokerlab.bounds import INVALID, PORT, SECONDS, WAIT
from pokerlab.cli.match import AGENTS
from pokerlab.cli.number import Within
from pokerlab.cli.official import in_our_words, is_official
from pokerlab.cli.options import AGENT, option
from pokerlab.cli.output import Output, json_option, keeping, show, warn
from pokerlab.errors import COMPLAINT, PokerlabError


class _Dealer(click.Command):
    """Understands the official dealer's command line, too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, in_our_words(args, self.params) if is_official(args) else args)


@click.command(cls=_Dealer, epilog=AGENTS)
@click.argument("more", nargs=-1, metavar="")
@click.option("--agents", "first", multiple=True, metavar="AGENT...", type=AGENT,
              help="For the first seats, each in a process of its own; the other seats wait for players. "
                   "program:./startme.sh is a program that gets host and port.")  # fmt: skip
@option("--game", default="leduc", show_default=True)
@option("--hands")
@option("--seed", "Cards, and agents' choices.", default=0)
@click.option("--ports", default="", help="Of the seats that wait, such as 18901,18902; by default any that are free.")
@option("--host")
@click.option("--name", default="", help="Of the match, in logs; by default the log's.")
@option("--names")
@option("--fixed-seats")
@click.option("--show-folded", is_flag=True, help="When a hand is over, everybody sees the cards of those who folded.")
@option("--log")
@click.option("--append", is_flag=True, help="Write behind what the log holds, not in its place.")
@click.option("--transactions", type=Output(grows=True), metavar="FILE",
              help="Write every action here; a match of which it holds the beginning goes on from there.")  # fmt: skip
@click.option("--response-seconds", type=Within(WAIT), default=600.0, show_default=True, help="Limit of one answer.")
@click.option(
    "--hand-seconds", type=Within(WAIT), default=600.0, show_default=True, help="Limit of a player in a hand."
)
@click.option("--match-seconds-a-hand", type=Within(WAIT), default=7.0, show_default=True,
              help="Limit of a player a hand, on average over the match.")  # fmt: skip
@click.option("--max-invalid", type=Within(INVALID), help="End the match at more invalid actions of a player in a row.")
@click.option("--start-seconds", type=Within(WAIT), default=600.0, show_default=True, help="Limit for all to connect.")
@json_option
def dealer(
    more: tuple[str, ...], first: tuple[str, ...], game: str, hands: int, seed: int, ports: str, host: str, name: str,
    names: str, fixed_seats: bool, show_folded: bool, log: str | None, append: bool, transactions: str | None,
    response_seconds: float, hand_seconds: float, match_seconds_a_hand: float,
    max_invalid: int | None, start_seconds: float, as_json: bool,
) -> None:  # fmt: skip
    """Deal a match to players who speak the competition's protocol.

    Prints the ports, one a seat (with --json on standard error), plays when all players are connected, and prints the
    SCORE line. If a player ends the match before its last hand, there is no SCORE and the exit code is 1.

    The official dealer's command line is understood, too: NAME GAME HANDS SEED PLAYER... [-p PORTS] [-f] [-a] [-l|-L]
    [-t|-T] [-q] [-S] [--t_response MS] [--t_hand MS] [--t_per_hand MS] [--start_timeout MS].
    """
    from contextlib import closing
    from dataclasses import replace

    from pokerlab.game.catalog import rules_of
    from pokerlab.match.client import player_seed
    from pokerlab.match.dealer import Dealer, Limits
    from pokerlab.match.local_players import LocalPlayers, local_names, seat_ports

    if more and not first:
        raise PokerlabError(f"cannot take {more[0]!r}: agents are given as --agents {' '.join(more)}")
    rules, specs = rules_of(game), (*first, *more)
    table = Dealer(
        rules, hands, seed,
        names=names.split(",") if names else local_names(specs, rules.players),
        ports=seat_ports(ports, len(specs), rules.players),
        host=host,
        limits=Limits(response_seconds, hand_seconds, match_seconds_a_hand, start_seconds, max_invalid),
        log=log,
        append=append,
        transactions=transactions,
        fixed_seats=fixed_seats,
        show_folded=show_folded,
        name=name or (Path(log).stem if log else "match"),
        report=lambda message: warn(f"warning: {message}"),
    )  # fmt: skip
    logged = keeping(f"{log} has the hands that were played" if log else "nothing was kept")
    with logged, LocalPlayers(table.names, game, fixed_seats) as players, closing(table):
        click.echo(" ".join(map(str, table.ports)), err=as_json)
        for seat, spec in enumerate(specs):
            players.start(spec, host, table.ports[seat], player_seed(seed, seat))
        result = table.run(players.missing)
    if why := players.why(result.at_fault):
        result = replace(result, reason=f"{result.reason}: {why}")
    if as_json or result.finished:
        show({"game": rules.name, "seed": seed} | result.as_json(), as_json, [result.line()])
    if not result.finished:
        warn(f"{COMPLAINT}the match ended after {result.hands:,} of {hands:,} hands: {result.reason}")
        raise click.exceptions.Exit(1)


@click.command("play_match", context_settings={"ignore_unknown_options": True})
@click.argument("words", nargs=-1, metavar="NAME GAME HANDS SEED PLAYER PROGRAM...", type=click.UNPROCESSED)
def play_match(words: tuple[str, ...]) -> None:
    """Deal a match to programs, each started with host and port, as the competition's play_match does.

    Options are those of `pokerlab dealer`, in either spelling. The match is the same as that of
    `pokerlab dealer --agents program:PROGRAM...`.
    """
    with dealer.make_context("play_match", in_our_words(words, dealer.params, with_programs=True)) as context:
        dealer.invoke(context)


@click.command(epilog=AGENTS)
@click.argument("host")
@click.argument("port", type=Within(PORT))
@click.option("--agent", required=True, type=AGENT, help="Who plays.")
@option("--game", "The dealer's.", default="leduc", show_default=True)
@option("--seed", "The agent's choices; without it they differ from run to run.")
@option("--names", "To tell the agent.")
@option("--fixed-seats", "As the dealer's do.")
@click.option("--connect-seconds", type=Within(SECONDS), default=10.0, show_default=True, help="Time to connect in.")
@json_option
def join(
    host: str, port: int, agent: str, game: str, seed: int | None, names: str, fixed_seats: bool,
    connect_seconds: float, as_json: bool,
) -> None:  # fmt: skip
    """Play at the dealer on PORT of HOST, ours or the official one, until it closes."""
    from dataclasses import asdict

    import numpy as np

    from pokerlab.agents.spec import agent_of
    from pokerlab.game.catalog import rules_of
    from pokerlab.match.client import join as play

    rules = rules_of(game)
    player = agent_of(agent, rules)
    known, rng = tuple(names.split(",")) if names else (), np.random.default_rng(seed)
    played = play(host, port, player, rules, rng, names=known, fixed_seats=fixed_seats, connect_seconds=connect_seconds)
    summary = {"agent": agent, "game": rules.name, **asdict(played)}
    show(summary, as_json, [f"{agent}: {played.hands:,} hands, {played.chips:+g} chips"])
    if played.broken_off:
        warn(f"{COMPLAINT}the dealer broke the match off in hand {played.hands + 1:,}, after {played.hands:,}")
        raise click.exceptions.Exit(1)
