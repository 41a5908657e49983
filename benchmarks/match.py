"""Claim: at least 10,000 hold'em hands/s a core between Python agents, 500,000 Leduc or Kuhn hands/s between tables.

Everyone calls. Peers in the same run: pokerkit, rlcard where it is installed, and OpenSpiel, whose C++ states are
driven from Python without agents or views and are faster than our hands.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable

import pokerlab
from pokerlab.agents.simple import Call
from pokerlab.agents.table import TableAgent
from pokerlab.match.play import play_match
from pokerlab.match.tables import play_tables, tables_of


def rate(play: Callable[[int], None], seconds: float) -> float:
    """Hands a second, best of three stretches of about `seconds` in all."""
    play(20)
    began = time.perf_counter()
    play(100)
    count = max(100, int(100 * seconds / 3 / (time.perf_counter() - began)))
    best = 0.0
    for _ in range(3):
        began = time.perf_counter()
        play(count)
        best = max(best, count / (time.perf_counter() - began))
    return best


def ours(game: str) -> Callable[[int], None]:
    rules = pokerlab.rules_of(game)
    agents = [Call() for _ in range(rules.players)]

    def play(count: int) -> None:
        play_match(rules, agents, count)

    return play


def tables(game: str) -> Callable[[int], None]:
    rules = pokerlab.rules_of(game)
    pair = tables_of([TableAgent(pokerlab.solve(game, iterations=100)) for _ in range(2)], rules)
    assert pair is not None

    def play(count: int) -> None:
        play_tables(*pair, ["a", "b"], count)

    return play


def openspiel(betting: str, stacks: str) -> Callable[[int], None]:
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


def pokerkit(limit: bool) -> Callable[[int], None]:
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


def rlcard(game: str) -> Callable[[int], None]:
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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true", help="short stretches, no claim checked")
    options = parser.parse_args()
    seconds = 0.2 if options.quick else 2.0
    rows: list[tuple[str, str, Callable[[], Callable[[int], None]]]] = [
        ("hold'em, limit", "pokerlab", lambda: ours("holdem-limit")),
        ("hold'em, limit", "OpenSpiel", lambda: openspiel("limit", "20000 20000")),
        ("hold'em, limit", "pokerkit", lambda: pokerkit(True)),
        ("hold'em, limit", "rlcard", lambda: rlcard("limit-holdem")),
        ("hold'em, no-limit", "pokerlab", lambda: ours("holdem-nolimit")),
        ("hold'em, no-limit", "OpenSpiel", lambda: openspiel("nolimit", "20000 20000")),
        ("hold'em, no-limit", "pokerkit", lambda: pokerkit(False)),
        ("hold'em, limit, three players", "pokerlab", lambda: ours("holdem-limit-3p")),
        ("Leduc, tables", "pokerlab", lambda: tables("leduc")),
        ("Kuhn, tables", "pokerlab", lambda: tables("kuhn")),
    ]
    measured: dict[str, dict[str, float]] = {}
    for game, library, make in rows:
        try:
            measured.setdefault(game, {})[library] = rate(make(), seconds)
        except ImportError:
            continue
    if options.json:
        print(json.dumps({"hands_a_second": measured}))
    else:
        for game, rates in measured.items():
            for library, hands in rates.items():
                ratio = f"   pokerlab x {rates['pokerlab'] / hands:.1f}" if library != "pokerlab" else ""
                print(f"{game:<30} {library:<10} {hands:12,.0f} hands/s{ratio}")
    claims = {"hold'em, limit": 1e4, "hold'em, no-limit": 1e4, "Leduc, tables": 5e5, "Kuhn, tables": 5e5}
    missed = [game for game, least in claims.items() if measured[game]["pokerlab"] < least]
    if missed and not options.quick:
        print(f"claim not met: {', '.join(missed)}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
