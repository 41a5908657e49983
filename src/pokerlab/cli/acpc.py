"""`pokerlab dealer` and `pokerlab join`: the competition's protocol, both ends."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click

from pokerlab.cli.match import AGENTS
from pokerlab.cli.output import json_option, show
from pokerlab.errors import PokerlabError

_GRACE_SECONDS = 5.0  # for players to notice that the match is over, before they are stopped


@click.command(epilog=AGENTS)
@click.argument("more", nargs=-1, metavar="")
@click.option("--agents", "first", multiple=True, metavar="AGENT...",
              help="For the first seats, each in a process of its own; the other seats wait for players.")  # fmt: skip
@click.option("--game", default="leduc", show_default=True, help="A name from `pokerlab games`, or a file.")
@click.option("--hands", type=int, default=3000, show_default=True)
@click.option("--seed", type=int, default=0, show_default=True, help="Of the cards and of the agents' choices.")
@click.option("--ports", default="", help="Of the seats that wait, such as 18901,18902; by default any that are free.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; 0.0.0.0 is all of them.")
@click.option("--names", default="", help="Of all players, such as Alice,Bob.")
@click.option("--log", type=click.Path(dir_okay=False), help="Write every hand here, in the competition's format.")
@click.option("--response-seconds", type=float, default=600.0, show_default=True, help="Limit of one answer.")
@click.option("--hand-seconds", type=float, default=600.0, show_default=True, help="Limit of a player in one hand.")
@click.option("--match-seconds-a-hand", type=float, default=7.0, show_default=True,
              help="Limit of a player a hand, on average over the match.")  # fmt: skip
@click.option("--max-invalid", type=int, help="End the match when a player sends more invalid actions in a row.")
@click.option("--start-seconds", type=float, default=600.0, show_default=True, help="Limit for all to connect.")
@json_option
def dealer(
    more: tuple[str, ...], first: tuple[str, ...], game: str, hands: int, seed: int, ports: str, host: str, names: str,
    log: str | None, response_seconds: float, hand_seconds: float, match_seconds_a_hand: float,
    max_invalid: int | None, start_seconds: float, as_json: bool,
) -> None:  # fmt: skip
    """Deal a match to players who speak the competition's protocol.

    Prints the ports, one a seat (with --json on standard error), plays when all players are connected, and prints the
    SCORE line. If a player ends the match before its last hand, there is no SCORE and the exit code is 1.
    """
    from pokerlab.game.catalog import rules_of
    from pokerlab.match.dealer import Dealer, Limits

    if more and not first:
        raise PokerlabError(f"cannot take {more[0]!r}: agents are given as --agents {' '.join(more)}")
    rules, specs = rules_of(game), (*first, *more)
    table = Dealer(
        rules, hands, seed,
        names=names.split(",") if names else _names(specs, rules.players),
        ports=_ports(ports, len(specs), rules.players),
        host=host,
        limits=Limits(response_seconds, hand_seconds, match_seconds_a_hand, start_seconds, max_invalid),
        log=log,
        name=Path(log).stem if log else "match",
        report=lambda message: click.echo(f"warning: {message}", err=True),
    )  # fmt: skip
    players: list[subprocess.Popen] = []
    try:
        click.echo(" ".join(map(str, table.ports)), err=as_json)
        for seat, spec in enumerate(specs):
            players.append(_start(spec, game, host, table.ports[seat], seed, seat))
        result = table.run(lambda: _missing(players, table.names))
    finally:
        table.close()
        _stop(players)
    if as_json or result.finished:
        show({"game": rules.name, "seed": seed} | result.as_json(), as_json, [result.line()])
    if not result.finished:
        click.echo(f"the match ended after {result.hands:,} of {hands:,} hands: {result.reason}", err=True)
        raise click.exceptions.Exit(1)


@click.command(epilog=AGENTS)
@click.argument("host")
@click.argument("port", type=int)
@click.option("--agent", required=True, help="Who plays.")
@click.option("--game", default="leduc", show_default=True, help="As the dealer's: a name or a file.")
@click.option("--seed", type=int, help="Of the agent's choices; without it they differ from run to run.")
@click.option("--connect-seconds", type=float, default=10.0, show_default=True, help="How long to try to connect.")
@json_option
def join(host: str, port: int, agent: str, game: str, seed: int | None, connect_seconds: float, as_json: bool) -> None:
    """Play at the dealer on PORT of HOST, ours or the official one, until it closes."""
    import numpy as np

    from pokerlab.agents.spec import agent_of
    from pokerlab.game.catalog import rules_of
    from pokerlab.match.client import join as play

    if seed is not None and seed < 0:
        raise PokerlabError(f"--seed must be at least 0, not {seed}")
    rules = rules_of(game)
    player = agent_of(agent, rules)
    played = play(host, port, player, rules, np.random.default_rng(seed), connect_seconds=connect_seconds)
    found = {"agent": agent, "game": rules.name, "hands": played.hands, "chips": played.chips}
    show(found, as_json, [f"{agent}: {played.hands:,} hands, {played.chips:+g} chips"])


def _names(specs: tuple[str, ...], players: int) -> list[str]:
    """Local agents are named after their specs, in characters that a log can hold; all names are different."""
    names: list[str] = []
    for seat in range(players):
        name = re.sub(r"[\s:|]", "_", specs[seat]) if seat < len(specs) else f"p{seat + 1}"
        names.append(name if name not in names else f"{name}.{seat + 1}")
    return names


def _ports(text: str, local: int, players: int) -> list[int]:
    """A port a seat: any for the local agents, the given ones for the others."""
    waiting = players - local
    if waiting < 0:
        raise PokerlabError(f"the game is for {players} players, got {local} agents")
    words = text.split(",") if text else ["0"] * waiting
    if len(words) != waiting or not all(re.fullmatch("[0-9]{1,5}", word) for word in words):
        raise PokerlabError(f"--ports must have a number for each of the {waiting} seats without agents, not {text!r}")
    return [0] * local + [int(word) for word in words]


def _start(spec: str, game: str, host: str, port: int, seed: int, seat: int) -> subprocess.Popen:
    from pokerlab.match.client import player_seed

    near = "127.0.0.1" if host in ("", "0.0.0.0") else host
    command = [sys.executable, "-m", "pokerlab", "join", near, str(port), f"--agent={spec}", f"--game={game}"]
    return subprocess.Popen(
        [*command, "--seed", str(player_seed(seed, seat))], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )


def _missing(players: list[subprocess.Popen], names: tuple[str, ...]) -> str:
    """Which local players have ended although the match has not begun; they have said why on standard error."""
    ended = [name for name, player in zip(names, players, strict=False) if player.poll() is not None]
    return f"{', '.join(ended)} did not start" if ended else ""


def _stop(players: list[subprocess.Popen]) -> None:
    """Wait for local players to end, and end those that do not."""
    for player in players:
        try:
            player.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            player.kill()
            player.wait()
