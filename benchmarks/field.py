"""Claim: in tournaments of 15 kinds in limit, 10 in no-limit and 8 for three players, each decides in under 100 ms.

The kinds of docs/field.md meet each other, simple players, a blueprint and, in limit, a case base: every pair, or every
three, in duplicate. Bankroll, instant run-off and crosstable of all three go to one page, `index.html` in the folder
`--out`, which also keeps what was made and played: a run that was interrupted goes on with the rest, and a finished one
is only scored again. The blueprint is the one of `pokerlab train` where that has been run, else a small one that is
made now; networks evolve and imitate here, the imitators from hands of the blueprint. Decisions are timed by processor
time, kernels compiled.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from _command import FULL, Table, command
from pokerlab.agents.blueprint_file import blueprint_path
from pokerlab.agents.recipes import RECIPES
from pokerlab.agents.spec import agent_of
from pokerlab.agents.training import train_recipe
from pokerlab.cases.train import train_cases
from pokerlab.field.evolution import evolve
from pokerlab.field.imitation import imitate
from pokerlab.game.catalog import rules_of
from pokerlab.match.play import play_match
from pokerlab.match.tournament.play import plan_tournament, run_tournament
from pokerlab.match.tournament.report import write_common_page
from pokerlab.match.tournament.standings import Standings
from pokerlab.records.logs import LogWriter

CLAIM = 100.0  # milliseconds
KINDS = {
    "holdem-nolimit": (
        "call", "raise", "blueprint", "rules", "formula", "rollout", "loki", "poki", "mcts", "vexbot", "brennus", "bpp",
    ),
    "holdem-limit-3p": ("call", "raise", "blueprint", "rules", "formula", "rollout", "loki", "aki", "mcts", "pareto"),
    "holdem-limit": (
        "call", "raise", "blueprint", "rules", "cases", "formula", "rollout", "loki", "poki", "aki", "mcts", "vexbot",
        "brplayer", "brennus", "bpp", "pareto", "hall-of-fame", "imitation",
    ),
}  # fmt: skip
LEAST = {"holdem-limit": 15, "holdem-nolimit": 10, "holdem-limit-3p": 8}
HANDS = {"holdem-limit": 150, "holdem-nolimit": 600, "holdem-limit-3p": 60}  # deals of a match
WATCHED = 1_500  # hands of the blueprint that are imitated
TIMED = 12  # hands in which decisions are timed
FEW = 4  # kinds of a quick run
SPIRAL = 300  # hands, of which the last two thirds count
ABOUT = (
    "Every kind of player of docs/field.md against every other, in limit and no-limit hold'em for two and in limit for "
    "three: the rank of each by total bankroll and in the instant run-off, and then everything about each tournament."
)


def blueprint_of(game: str, folder: Path, quick: bool) -> str:
    """The trained agent's spec, or a small one's."""
    if blueprint_path(game).exists() and not quick:
        return game
    path = folder / f"{game}.blueprint"
    if not path.exists():
        train_recipe(RECIPES[game], seconds=0.2 if quick else 20, threads=1, out=path, cards="made-hands?count=20")
    return f"blueprint:{path}"


def watched(game: str, expert: str, folder: Path, quick: bool) -> Path:
    """A log of the blueprint's hands with one who calls and one who plays by formula."""
    path, rules, hands = folder / f"{game}.log", rules_of(game), 40 if quick else WATCHED
    if not path.exists():
        agents = [agent_of(expert, rules), agent_of("formula", rules)]
        part = path.with_suffix(".part")  # what an interrupted run leaves is no log
        part.unlink(missing_ok=True)
        with LogWriter(part, rules, ["expert", "formula"], hands, 7) as log:
            play_match(rules, agents, hands, seed=7, names=["expert", "formula"], watch=log.watch)
        part.rename(path)
    return path


def specs_of(game: str, kinds: tuple[str, ...], folder: Path, quick: bool) -> list[str]:
    """What to play, as NAME=SPEC; files are made where they are missing."""
    specs = []
    for kind in kinds:
        spec, path = kind, folder / f"{game}-{kind}.network"
        if kind == "blueprint":
            spec = blueprint_of(game, folder, quick)
        elif kind == "cases":
            cases = folder / f"{game}.cases"
            if not cases.exists():
                train_cases([watched(game, blueprint_of(game, folder, quick), folder, quick)], "expert", cases)
            spec = f"cases:{cases}"
        elif kind == "imitation":
            if not path.exists():
                imitate([watched(game, blueprint_of(game, folder, quick), folder, quick)], "expert")[0].save(path)
            spec = f"network:{path}"
        elif kind in ("pareto", "hall-of-fame"):
            if not path.exists():
                evolve(game, kind, generations=1 if quick else 20, deals=5 if quick else 80).save(path)
            spec = f"network:{path}"
        specs.append(f"{kind}={spec}")
    return specs


def decision_ms(spec: str, game: str, hands: int) -> float:
    """Milliseconds of processor time that a decision takes on average, among callers."""
    rules = rules_of(game)
    agent, others = agent_of(spec, rules), [agent_of("formula", rules) for _ in range(rules.players - 1)]
    spent, act = [], agent.act

    def timed(view: Any) -> Any:
        began = time.thread_time()
        answer = act(view)
        spent.append(time.thread_time() - began)
        return answer

    names = ["it", *(f"other {number}" for number in range(1, rules.players))]
    play_match(rules, [agent, *others], 2, seed=1, names=names, progress=False)  # compiles, and loads tables
    agent.act = timed  # type: ignore[method-assign]
    play_match(rules, [agent, *others], hands, seed=2, names=names, progress=False)
    return 1000 * float(np.mean(spent))


def folded(kind: str, hands: int) -> float:
    """The part of hands that it folds to one who always raises, once it knows it."""
    rules, folds = rules_of("holdem-limit"), []
    play_match(
        rules, [agent_of(kind, rules), agent_of("raise", rules)], hands, seed=1, progress=False,
        watch=lambda number, seating, hand, seats: folds.append(hand.betting.folded[seats.index(0)]),
    )  # fmt: skip
    return float(np.mean(folds[hands // 3 :]))


def rows_of(standings: Standings, milliseconds: dict[str, float]) -> dict[str, dict[str, Any]]:
    """What each agent won, its place in the run-off, from whom it won most, and to whom it lost most."""
    places = {agent: place for place, agent in enumerate(standings.bankroll_run_off.order, 1)}
    rows = {}
    for a, name in enumerate(standings.agents):
        cells = {other: standings.crosstable[a, b] for b, other in enumerate(standings.agents) if a != b}
        most = max(cells, key=lambda other: cells[other].mean)
        least = min(cells, key=lambda other: cells[other].mean)
        rows[name] = {
            "mean": standings.bankroll[a].mean, "ci95": standings.bankroll[a].ci95, "place": places[a],
            "most": [most, cells[most].mean, cells[most].ci95], "least": [least, cells[least].mean, cells[least].ci95],
            "ms": milliseconds[name],
        }  # fmt: skip
    return rows


def measure(quick: bool, out: str) -> dict[str, Any]:
    folder = Path(out) / "quick" if quick else Path(out)  # a quick run's files are no full run's
    folder.mkdir(parents=True, exist_ok=True)
    games, played = {}, []
    for game, kinds in KINDS.items():
        chosen = kinds[:FEW] if quick else kinds
        specs = specs_of(game, chosen, folder, quick)
        milliseconds = {}
        for text in specs:
            name, _, spec = text.partition("=")
            milliseconds[name] = decision_ms(spec, game, 2 if quick else TIMED)
        plan = plan_tournament(specs, game, 2 if quick else HANDS[game], seed=2013)
        standings = run_tournament(plan, folder / game, executor=map)
        played.append((plan, standings))
        games[game] = {"unit": standings.unit, "hands": plan.hands, "rows": rows_of(standings, milliseconds)}
    spiral = {kind: folded(kind, 6 if quick else SPIRAL) for kind in ("loki", "poki")}
    page = write_common_page(played, "The field", ABOUT, folder)
    return {"games": games, "spiral": spiral, "page": str(page)}


def tables(report: dict[str, Any]) -> dict[str, Table]:
    """A table a game: in the order of `KINDS`."""
    made = {}
    for game, kinds in KINDS.items():
        told = report["games"][game]
        rows: list[list[str]] = [["", told["unit"], "run-off", "most from", "least from", "a decision"]]
        for kind in kinds:
            row = None if report["quick"] else told["rows"].get(kind)
            if row is None:
                rows.append([f"`{kind}`", *[FULL] * 5])
                continue
            most, least = (f"{name} {mean:+.0f} ± {ci95:.0f}" for name, mean, ci95 in (row["most"], row["least"]))
            rows.append([
                f"`{kind}`", f"{row['mean']:+.0f} ± {row['ci95']:.0f}", str(row["place"]), most, least,
                f"{row['ms']:.1f} ms",
            ])  # fmt: skip
        made[game] = rows
    return made


def show(report: dict[str, Any]) -> None:
    for game, told in report["games"].items():
        print(f"{game}, {told['hands']:,} deals a match in duplicate, {told['unit']}")
        for name, row in sorted(told["rows"].items(), key=lambda item: -item[1]["mean"]):
            print(
                f"  {name:<14} {row['mean']:+8.0f} ± {row['ci95']:<6.0f} run-off {row['place']:>2}   {row['ms']:.1f} ms"
            )
    print("folded to who always raises: " + ", ".join(f"{kind} {part:.0%}" for kind, part in report["spiral"].items()))
    print(f"all of it: {report['page']}")


def failed(report: dict[str, Any]) -> list[str]:
    unmet = []
    for game, least in LEAST.items():
        rows = report["games"].get(game, {}).get("rows", {})
        if len(rows) < least:
            unmet.append(f"{game}: {len(rows)} kinds, not {least}")
        unmet += [f"{game}: {kind} takes {row['ms']:.0f} ms" for kind, row in rows.items() if not row["ms"] < CLAIM]
    if not report["spiral"]["poki"] > report["spiral"]["loki"] + 0.1:
        unmet.append(f"no folding spiral: {report['spiral']}")
    return unmet


if __name__ == "__main__":
    out = {"default": "results/field", "help": "the folder of files and pages; what it has is not made again"}
    sys.exit(command(__doc__, "four kinds a game, two deals", measure, show, failed, tables, out=out))
