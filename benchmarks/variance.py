"""Claim: unbiased stand-ins for money need fewer hands, on every log, in Leduc and between hold'em agents.

Real: DeepStack against professionals (36,000 heads-up no-limit hands, all cards known) and logs of the competition.
Leduc: every hand that an equilibrium plays against a uniformly random opponent, exactly, with and without its strategy.
Hold'em agents: those that `pokerlab train` has built, in matches scored by AIVAT; what is not trained is left out.
A deviation that is k times smaller needs k * k times fewer hands for the same interval: the last column.
"""

from __future__ import annotations

import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

import pokerlab
from _command import FULL, Table, command
from pokerlab.agents.blueprint_file import blueprint_path
from pokerlab.agents.recipes import RECIPES
from pokerlab.agents.spec import agent_of
from pokerlab.form.strategy import Profile, uniform_profile
from pokerlab.game.catalog import rules_of
from pokerlab.game.rules import unit_of
from pokerlab.match.aivat import Aivat, history_values
from pokerlab.match.aivat_holdem import HoldemAivat
from pokerlab.match.all_hands import exact_moments
from pokerlab.match.divat import BetForValue, check_call, divat, round_value
from pokerlab.match.play import by_hand, play_match
from pokerlab.match.result import interval
from pokerlab.match.variance import POT_SHARE, all_in_equity, cross_fitted, luck, mivat, money
from pokerlab.records.logs import read_log

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "acpc"
# Log, game, and the agent whose winnings are estimated.
LOGS = [
    ("deepstack_vs_pros/hands.log", "holdem-nolimit", "DeepStack"),
    ("2017_2p_nolimit/Intermission.PokerCNN.1.0.log", "holdem-nolimit", "Intermission_2pn_2017"),
    ("2016_2p_nolimit/act1.hitcz.0.1.log", "holdem-nolimit", "act1_2pn_2016"),
    ("dealer_test_logs/2p.nolimit.h1000.r0.log", "holdem-nolimit", "p1"),
    ("dealer_test_logs/2p.limit.h1000.r0.log", "holdem-limit", "p1"),
]
# Agent, opponent, deals; `holdem-limit` and `holdem-nolimit` play the games of their names.
MATCHES = [
    ("holdem-limit", "call", 300),
    ("holdem-limit", "probe", 300),
    ("holdem-limit", "uniform", 300),
    ("holdem-limit?threshold=0.2", "holdem-limit", 300),
    ("holdem-nolimit", "call", 200),
    ("holdem-nolimit?threshold=0.2", "holdem-nolimit", 1000),
]
SAMPLES = 16  # deals a sampled expectation takes: bet-for-value before and on the flop


def estimates(hands: list[Any], limit: bool) -> dict[str, np.ndarray]:
    """Estimates of all hands, for the seat that each hand comes with."""
    rng = np.random.default_rng(1)
    values = {"pot share": POT_SHARE, "check-call": round_value(check_call)}
    if limit:
        values["bet for value"] = round_value(BetForValue())
    payoffs = np.array([hand.payoffs()[seat] for hand, seat in hands])
    by_name = {"money": payoffs, "all-in equity": np.array([all_in_equity(hand)[seat] for hand, seat in hands])}
    names = {
        "pot share": "MIVAT, pot share",
        "check-call": "DIVAT, check-call",
        "bet for value": "DIVAT, bet for value",
    }
    showdown = np.array([hand.betting.showdown for hand, _ in hands])
    for name, value in values.items():
        terms = np.array([luck(hand, value, rng, SAMPLES)[:, seat] for hand, seat in hands])
        by_name[names[name]] = payoffs - terms.sum(axis=1)
    by_name[f"showdown {names[name]} (biased)"] = np.where(showdown, by_name[names[name]], payoffs)
    by_name[f"MIVAT, fitted to {name}"] = cross_fitted(terms, payoffs, min(10, len(hands)))
    return by_name


def measure_log(path: Path, game: str, agent: str, most: int | None) -> dict[str, Any]:
    """Means and deviations on one log, in the unit of the field."""
    began = time.perf_counter()
    rules = rules_of(game)
    records = list(islice(read_log(path, rules), most))
    hands = [(record.hand, record.names.index(agent)) for record in records]
    unit, chips = unit_of(rules)
    rows = []
    for name, values in estimates(hands, rules.limit).items():
        rows.append(
            row(name, values.mean() / chips, values.std(ddof=1) / chips, float(interval(values[:, None])[0]) / chips)
        )
    return {
        "log": f"{path.parent.name}/{path.name}", "game": game,
        "agent": agent, "hands": len(hands), "unit": unit, "seconds": time.perf_counter() - began, "rows": ratios(rows),
    }  # fmt: skip


def measure_leduc() -> dict[str, Any]:
    """Exact deviations in Leduc: an equilibrium in seat 1 against a uniformly random opponent in seat 2."""
    began = time.perf_counter()
    game = pokerlab.compile("leduc")
    solution = pokerlab.solve(game, "lp", progress=False).strategy
    uniform = uniform_profile(game)
    played = Profile(game, (solution[0], uniform[1]))
    estimators = {
        "money": money,
        "MIVAT, pot share": mivat,
        "DIVAT, bet for value": divat,
        "AIVAT, first known, values of the equilibrium": Aivat(solution, (0,)),
        "AIVAT, first known, values of the true pair": Aivat(played, (0,)),
        "AIVAT, both known, values of the equilibrium": Aivat(played, (0, 1), history_values(solution)),
        "AIVAT, both known, values of the true pair": Aivat(played, (0, 1)),
    }
    unit, chips = unit_of(rules_of("leduc"))
    rows = []
    for name, estimator in estimators.items():
        moments = exact_moments(played, estimator)
        rows.append(row(name, moments.mean[0] / chips, moments.deviation[0] / chips, 0.0))
    return {
        "log": "exact", "game": "leduc", "agent": "equilibrium against uniform", "hands": 0, "unit": unit,
        "seconds": time.perf_counter() - began, "rows": ratios(rows),
    }  # fmt: skip


def row(name: str, mean: float, deviation: float, ci: float) -> dict[str, Any]:
    return {"estimator": name, "mean": float(mean), "deviation": float(deviation), "ci95": ci}


def ratios(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    for each in rows:
        kept = each["deviation"] / rows[0]["deviation"]
        # Below rounding there is no deviation left, and no number to divide by.
        each["fewer_hands"] = 1 / kept**2 if kept > 1e-6 else None
        each["deviation_kept"] = kept
    return rows


def measure_agents(quick: bool) -> list[dict[str, Any]]:
    """One duplicate match a pair, the same hands scored by several estimators."""
    rows = []
    for first, second, deals in () if quick else MATCHES:
        game = first.split("?")[0]
        missing = [name for name in {first.split("?")[0], second} & set(RECIPES) if not blueprint_path(name).exists()]
        if missing:
            print(f"left out, not trained: pokerlab train {missing[0]}", file=sys.stderr)
            continue
        print(f"{first} against {second} ...", file=sys.stderr)
        rules = rules_of(game)
        agents = [agent_of(first, rules), agent_of(second, rules)]
        scores = {"money": None, "all-in": by_hand(all_in_equity), "MIVAT": by_hand(mivat)}
        scores["AIVAT"] = HoldemAivat(rules, agents)
        row: dict[str, Any] = {"match": f"{first}, {second}", "deviation": {}, "duplicate": {}}
        for name, score in scores.items():
            plain = play_match(rules, agents, 2 * deals, seed=1, score=score)
            row["deviation"][name] = float(plain.winnings[:, 0].std(ddof=1)) / unit_of(rules)[1]
            if name in ("money", "AIVAT"):
                result = play_match(rules, agents, deals, duplicate=True, seed=1, score=score)
                row["duplicate"][name] = [float(result.mean[0]), float(result.ci95[0])]
        rows.append(row)
    return rows


def run(quick: bool, hands: int | None) -> dict[str, Any]:
    tables, skipped = [], []
    for name, game, agent in LOGS:
        path = DATA / name
        if not path.exists():
            skipped.append(name)
            print(f"skipped, no data: {path}", file=sys.stderr)
            continue
        limit = (40 if game == "holdem-limit" else 300) if quick else hands
        print(f"{name} ...", file=sys.stderr)
        tables.append(measure_log(path, game, agent, limit))
    tables.append(measure_leduc())
    return {"skipped": skipped, "measured": tables, "agents": measure_agents(quick)}


def show(report: dict[str, Any]) -> None:
    for table in report["measured"]:
        hands = f"{table['hands']:,} hands of " if table["hands"] else "exactly: "
        print(f"\n{table['game']}, {table['log']}: {hands}{table['agent']}, {table['unit']} ({table['seconds']:.0f} s)")
        print(f"{'estimator':<48}{'mean':>9}{'± 95 %':>9}{'deviation':>11}{'of money':>10}{'fewer hands':>15}")
        for line in table["rows"]:
            fewer = f"x {line['fewer_hands']:.2f}" if line["fewer_hands"] else "all luck gone"
            print(f"{line['estimator']:<48}{line['mean']:>9.0f}{line['ci95']:>9.0f}{line['deviation']:>11.0f}"
                  f"{line['deviation_kept']:>10.3f}{fewer:>15}")  # fmt: skip
    for row in pages(report)["agents"] if report["agents"] else ():
        print("".join(f"{cell:>20}" for cell in row))


def pages(report: dict[str, Any]) -> dict[str, Table]:
    quick, measured = report["quick"], {table["log"]: table for table in report["measured"]}

    def of_log(log: str, title: str, unit: str, names: dict[str, str]) -> Table:
        header = (title, f"mean ± 95 %, {unit}", "deviation", "of money", "fewer hands")
        rows = {line["estimator"]: line for line in measured[log]["rows"]} if log in measured and not quick else {}
        forms = ("{mean:.0f} ± {ci95:.0f}", "{deviation:,.0f}", "{deviation_kept:.3f}", "{fewer_hands:.2f}")
        lines = [
            (title, *(form.format(**rows[name]) if rows else FULL for form in forms)) for name, title in names.items()
        ]
        lines[0] = (*lines[0][:-1], "")  # money itself
        return [header, *lines]

    exact = [
        (
            line["estimator"],
            f"{line['deviation']:,.0f}",
            f"{line['deviation_kept']:.3f}",
            f"{line['fewer_hands']:.1f}" if line["fewer_hands"] else "one hand is enough",
        )
        for line in measured["exact"]["rows"]
    ]
    exact[0] = (*exact[0][:-1], "")
    names = {name: name for name in ("money", "all-in equity", "MIVAT, pot share", "DIVAT, check-call")}
    agents = [
        (
            row["match"],
            *(f"{deviation:,.0f}" for deviation in row["deviation"].values()),
            *("{:,.0f} ± {:,.0f}".format(*row["duplicate"][name]) for name in ("money", "AIVAT")),
            f"{_fewer(row['deviation']['money'], row['deviation']['AIVAT']):.0f}, "
            f"{_fewer(row['duplicate']['money'][1], row['duplicate']['AIVAT'][1]):.0f}",
        )
        for row in report["agents"]
    ]
    blank = [(f"{first}, {second}", *[FULL if quick else ""] * 7) for first, second, _ in MATCHES[len(agents) :]]
    return {
        "deepstack": of_log(
            "deepstack_vs_pros/hands.log",
            "DeepStack against professionals, 36,000 no-limit hands",
            "mbb/h",
            names | {"MIVAT, fitted to check-call": "MIVAT, fitted"},
        ),
        "limit": of_log(
            "dealer_test_logs/2p.limit.h1000.r0.log",
            "1,000 limit hands of the dealer's test log",
            "mb/h",
            {name: name for name in names if name != "all-in equity"}
            | {"DIVAT, bet for value": "DIVAT, bet for value", "MIVAT, fitted to bet for value": "MIVAT, fitted"},
        ),
        "leduc": [
            ("Leduc, an equilibrium against a uniformly random player", "deviation, mb/h", "of money", "fewer hands"),
            *exact,
        ],
        "agents": [
            ("match", "money", "all-in", "MIVAT, pot share", "AIVAT", "by money", "by AIVAT", "fewer hands"),
            *agents,
            *blank,
        ],
    }


def _fewer(money: float, other: float) -> float:
    return (money / other) ** 2


def failed(report: dict[str, Any]) -> list[str]:
    """All-in equity may leave everything as it was: where nobody was all-in."""
    unmet = []
    for table in report["measured"]:
        for line in table["rows"][1:]:
            kept, name = line["deviation_kept"], line["estimator"]
            if not name.endswith("(biased)") and (kept > 1 or (kept == 1 and name != "all-in equity")):
                unmet.append(f"{table['log']}: {name} leaves {kept:.3f} of the deviation of money")
    for row in report["agents"]:
        if row["deviation"]["AIVAT"] >= row["deviation"]["money"]:
            unmet.append(f"{row['match']}: AIVAT leaves {row['deviation']['AIVAT']:.0f}")
    return unmet


if __name__ == "__main__":
    most = {"type": int, "help": "at most this many hands of each log"}
    sys.exit(command(__doc__, "a few hundred hands of each log", run, show, failed, pages, hands=most))
