"""Claim: 10,000 hold'em hands/s a core between agents who call or act at random, 500,000 hands/s between tables.

Hands a second of processor time, all seats the same agent, the best of three stretches. Peers, everyone calling, in the
same run: pokerkit, rlcard where it is installed, and OpenSpiel, whose C++ states are driven from Python without agents
or views and are faster than our hands. A blueprint is one of the recipe for that game, trained for a moment: how well
it plays does not change how fast it looks its answers up.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pokerlab
from _command import FULL, Table, command
from pokerlab.agents.agent import Agent
from pokerlab.agents.blueprint import BlueprintAgent
from pokerlab.agents.recipes import RECIPES
from pokerlab.agents.spec import agent_of
from pokerlab.agents.table import TableAgent
from pokerlab.agents.training import train_recipe
from pokerlab.match.play import play_match
from pokerlab.match.tables import play_tables, tables_of

GAMES = {
    "hold'em, limit": "holdem-limit",
    "hold'em, no-limit": "holdem-nolimit",
    "hold'em, limit, three players": "holdem-limit-3p",
}
AGENTS = ("call", "raise", "random", "uniform", "blueprint")
TABLES = {"Leduc": "leduc", "Kuhn": "kuhn"}
COLUMNS = ("pokerlab", "OpenSpiel", "pokerkit")
CLAIMS = {"call": 10_000.0, "random": 10_000.0, "tables": 500_000.0}
TRAINED = 5.0  # seconds of walks that a blueprint is trained for

Play = Callable[[int], None]


def rate(play: Play, seconds: float) -> float:
    """Hands a second of processor time, best of three stretches of about `seconds` in all."""
    play(5)
    began = time.process_time()
    play(20)
    count = max(20, int(20 * seconds / 3 / (time.process_time() - began)))
    best = 0.0
    for _ in range(3):
        began = time.process_time()
        play(count)
        best = max(best, count / (time.process_time() - began))
    return best


def ours(game: str, agent: str) -> Play:
    rules = pokerlab.rules_of(game)
    agents = [blueprint(game) if agent == "blueprint" else agent_of(agent, rules)] * rules.players
    names = [f"{agent} {seat + 1}" for seat in range(rules.players)]

    def play(count: int) -> None:
        play_match(rules, agents, count, names=names)

    return play


def blueprint(game: str) -> Agent:
    with TemporaryDirectory() as folder:
        trained = train_recipe(RECIPES[game], seconds=TRAINED, out=Path(folder) / game, progress=False)
        return BlueprintAgent(trained.blueprint)


def tables(game: str) -> Play:
    rules = pokerlab.rules_of(game)
    pair = tables_of([TableAgent(pokerlab.solve(game, iterations=100)) for _ in range(2)], rules)
    assert pair is not None

    def play(count: int) -> None:
        play_tables(*pair, ["a", "b"], count)

    return play


def openspiel(betting: str, stacks: str) -> Play:
    import pyspiel

    game = pyspiel.load_game(
        f"universal_poker(betting={betting},numPlayers=2,numRounds=4,blind=10 5,firstPlayer=2 1 1 1,numSuits=4,"
        f"numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack={stacks},raiseSize=10 10 20 20,maxRaises=3 4 4 4)"
    )
    rng = random.Random(0)

    def play(count: int) -> None:
        for _ in range(count):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()) if state.is_chance_node() else 1)
            state.returns()

    return play


def pokerkit(limit: bool) -> Play:
    from pokerkit import Automation, FixedLimitTexasHoldem, NoLimitTexasHoldem

    steps = tuple(Automation)
    sizes = (10, 20) if limit else (10,)
    kind = FixedLimitTexasHoldem if limit else NoLimitTexasHoldem

    def play(count: int) -> None:
        for _ in range(count):
            state = kind.create_state(steps, True, 0, (5, 10), *sizes, (20_000, 20_000), 2)
            while state.status:
                state.check_or_call()

    return play


def rlcard(game: str) -> Play:
    import rlcard as library

    env = library.make(game)

    def play(count: int) -> None:
        for _ in range(count):
            state, _ = env.reset()
            while not env.is_over():
                legal = state["raw_legal_actions"]
                names = [getattr(action, "name", action).lower() for action in legal]
                choice = next(i for i, name in enumerate(names) if name in ("call", "check", "check_call"))
                state, _ = env.step(legal[choice], raw_action=True)
            env.get_payoffs()

    return play


def measure(quick: bool) -> dict[str, Any]:
    seconds = 0.2 if quick else 2.0
    measured: dict[str, dict[str, float]] = {}
    for title, game in GAMES.items():
        for agent in AGENTS[:-1] if quick else AGENTS:
            print(f"{title}: {agent} ...", file=sys.stderr)
            measured[f"{title}: {agent}"] = {"pokerlab": rate(ours(game, agent), seconds)}
    for title, game in TABLES.items():
        measured[f"{title}: tables"] = {"pokerlab": rate(tables(game), seconds)}
    peers: dict[str, dict[str, Callable[[], Play]]] = {
        "hold'em, limit: call": {
            "OpenSpiel": lambda: openspiel("limit", "20000 20000"),
            "pokerkit": lambda: pokerkit(True),
            "rlcard": lambda: rlcard("limit-holdem"),
        },
        "hold'em, no-limit: call": {
            "OpenSpiel": lambda: openspiel("nolimit", "20000 20000"),
            "pokerkit": lambda: pokerkit(False),
        },
    }
    for title, makers in peers.items():
        for library, make in makers.items():
            try:
                measured[title][library] = rate(make(), seconds)
            except ImportError:
                print(f"left out, {library} is not installed", file=sys.stderr)
    return {"claims": CLAIMS, "hands_a_second": measured}


def tables_of_pages(report: dict[str, Any]) -> dict[str, Table]:
    measured, quick = report["hands_a_second"], report["quick"]
    titles = [f"{game}: {agent}" for game in GAMES for agent in AGENTS] + [f"{game}: tables" for game in TABLES]

    def cells(title: str) -> list[str]:
        rates = measured.get(title, {})
        return [FULL if quick else _figure(rates[library]) if library in rates else "" for library in COLUMNS]

    return {"hands": [("hands a second", *COLUMNS), *((title, *cells(title)) for title in titles)]}


def _figure(rate: float) -> str:
    """Two digits: more would not be the same tomorrow."""
    digits = max(0, len(str(int(rate))) - 2)
    return f"{round(rate / 10**digits) * 10**digits:,}"


def show(report: dict[str, Any]) -> None:
    for title, rates in report["hands_a_second"].items():
        for library, hands in rates.items():
            ratio = f"   pokerlab x {rates['pokerlab'] / hands:.1f}" if library != "pokerlab" else ""
            print(f"{title:<42} {library:<10} {hands:12,.0f} hands/s{ratio}")


def failed(report: dict[str, Any]) -> list[str]:
    unmet = []
    for title, rates in report["hands_a_second"].items():
        least = CLAIMS.get(title.split(": ")[1], 0.0)
        if rates["pokerlab"] < least:
            unmet.append(f"{title}: {rates['pokerlab']:,.0f} hands/s, at least {least:,.0f}")
    return unmet


if __name__ == "__main__":
    sys.exit(command(__doc__, "short stretches, no blueprints", measure, show, failed, tables_of_pages))
