"""The hold'em half of Zinkevich, Bowling and Burch (2007): SmallBot, BigBot and their Table 1.

SmallBot plays limit hold'em with hands in 625 sequences of quintiles and one bet a round fewer than the rules allow.
BigBot plays the whole betting: it calls a raise that SmallBot does not know and goes on as if it had not happened.
Ours is found by discounted CFR; range of skill, the paper's own way, and the double oracle are run beside it.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from pokerlab.abstraction.buckets.build import build_buckets
from pokerlab.abstraction.buckets.joint import bucket_deals
from pokerlab.form.compile import Origin, compile
from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.game.catalog import rules_of
from pokerlab.game.rules import Rules
from pokerlab.papers.report import COMPUTED, DIFFERS, MATCHES, SOLVER_DEPENDENT, Row, Table
from pokerlab.progress import Bar
from pokerlab.solvers.oracles import DoubleOracle, RangeOfSkill
from pokerlab.solvers.run import solve
from pokerlab.solvers.solution import Solution

SMALL_BET = 10.0  # chips of the first round's bet, the unit of the paper
PUBLISHED = {
    "Player 1": {"5, abstracted": 0.0936, "5, full": 0.1150, "10, abstracted": 0.1377, "10, full": 0.1584},
    "Player 2": {"5, abstracted": -0.0725, "5, full": -0.0620, "10, abstracted": -0.0322, "10, full": -0.0204},
    "Average": {"5, abstracted": 0.0106, "5, full": 0.0265, "10, abstracted": 0.0528, "10, full": 0.0648},
}
SMALLBOT2298 = {"strategies": 298.0, "gap": 2 * 0.0106}  # the paper's run: what best responses to both seats win
QUICK_TURNS, TEN_TURNS = 600, 10_000  # sampled turns for the matrices: quick ones, and those of ten buckets


# BigBot follows SmallBot's game, or has seen a raise that it does not have, or is where it never goes by itself.
FOLLOWS, SURPRISED, LOST = range(3)


def fewer_bets(rules: Rules) -> Rules:
    """The same limit game with one bet fewer in each round."""
    return replace(rules, max_raises=tuple(most - 1 for most in rules.max_raises), name=f"{rules.name}, fewer bets")


def transposed(deals: BucketDeals) -> BucketDeals:
    """The same with the players' buckets changed round."""
    return BucketDeals(
        deals.name, (deals.parents[1], deals.parents[0]), tuple(m.T for m in deals.joint), -deals.showdown.T
    )


def big_bot(profile: Profile, player: int, game: Game) -> np.ndarray:
    """A behaviour for `player` of a game with more raises, that has the same buckets for that player.

    A raise that the profile's own game does not have is called, and then forgotten.
    """
    small, whole = _origin(profile.game), _origin(game)
    behaviour = np.zeros(game.trees[player].sequences)
    behaviour[0] = 1.0
    stack = [(0, 0, FOLLOWS)]  # a node, the one believed in, and how it stands
    while stack:
        here, believed, stands = stack.pop()
        node, shadow = whole.nodes[here], small.nodes[believed]
        if node.state.finished:
            continue
        own, kinds = node.state.actor == player, [_kind(action) for action in node.actions]
        if own:
            table = game.at_node(here, behaviour)
            if stands == FOLLOWS:
                table[[kinds.index(_kind(action)) for action in shadow.actions]] = profile.at_node(believed)
            else:
                table[kinds.index(CALL)] = 1.0
        known = {_kind(action): child for action, child in zip(shadow.actions, shadow.children, strict=True)}
        for kind, child in zip(kinds, node.children, strict=True):
            if stands == FOLLOWS and kind in known:
                stack.append((child, known[kind], FOLLOWS))
            elif stands == FOLLOWS and not own:
                stack.append((child, known[CALL], SURPRISED))  # the other is believed to have called
            elif stands == SURPRISED and kind == CALL:
                stack.append((child, believed, FOLLOWS))
            else:
                stack.append((child, believed, LOST))
    return behaviour


def _kind(action: int) -> int:
    """Fold, call or (whatever the amount) raise."""
    return action if action in (FOLD, CALL) else 1


def _origin(game: Game) -> Origin:
    assert game.origin is not None
    return game.origin


def small_bot(turns: int | None, target: float, seconds: float) -> tuple[Solution, BucketDeals]:
    """SmallBot by discounted CFR to `target` small bets a hand (or so many seconds), and its matrices."""
    deals = bucket_deals(build_buckets("range-of-skill"), boards=turns)
    game = compile(fewer_bets(rules_of("holdem-limit")), deals=deals)
    return solve(game, "dcfr", exploitability=target * SMALL_BET, seconds=seconds, single=True), deals


def responses(solution: Solution, deals: BucketDeals, full: bool) -> dict[str, float]:
    """What a best response wins from each seat's strategy, in small bets; the second buckets are the responder's."""
    rules = rules_of("holdem-limit")
    won = {}
    for seat in range(2):
        game = compile(rules if full else fewer_bets(rules), deals=transposed(deals) if seat else deals)
        behaviour = big_bot(solution.strategy, seat, game)
        plan = game.trees[seat].realize(behaviour)
        gradient = game.gradient(1 - seat, (plan, plan))
        won[f"Player {seat + 1}"] = game.trees[1 - seat].best_response(gradient)[0] / SMALL_BET
    return won | {"Average": sum(won.values()) / 2}


def table_1(quick: bool) -> tuple[Table, list[str], Game]:
    """Best responses to SmallBot and BigBot beside the published ones, and SmallBot's game.

    `quick` leaves out ten buckets.
    """
    solution, five = small_bot(QUICK_TURNS if quick else None, 0.01 if quick else 0.001, 90.0 if quick else 600.0)
    columns = {"5, abstracted": responses(solution, five, False), "5, full": responses(solution, five, True)}
    lost = solution.exploitability / SMALL_BET
    sentences = [
        f"SmallBot: {solution.iterations} iterations of discounted CFR in {solution.seconds:.0f} s, "
        f"{solution.seconds / solution.iterations:.3f} s each; exploitability {lost:.4f} sb/h (the paper's 0.0106), "
        f"value to Player 1 {solution.value / SMALL_BET:.4f} sb/h; matrices {five.name}."
    ]
    if not quick:
        fine, coarse = build_buckets("range-of-skill-10"), build_buckets("range-of-skill")
        ten = transposed(bucket_deals(fine, coarse, boards=TEN_TURNS))
        columns |= {"10, abstracted": responses(solution, ten, False), "10, full": responses(solution, ten, True)}
        sentences.append(f"Ten buckets: {ten.name}.")
    rows = []
    for label, published in PUBLISHED.items():
        ours = {column: values[label] for column, values in columns.items()}
        paper = {column: published[column] for column in columns}
        close = all(abs(ours[column] - paper[column]) < 0.03 for column in columns)
        verdict = MATCHES if close else DIFFERS
        rows.append(Row(label, paper, ours, verdict, "" if close else "more than 0.03 sb/h apart"))
    return Table("Table 1", "small bets per hand", list(columns), rows, digits=4), sentences, solution.game


def growing_sets(game: Game, target: float, patience: float) -> Table:
    """Range of skill as in the paper, to a gap of `target` or for so many seconds; then the double oracle.

    The latter has as many strategies and seconds as the former needed, if it is no faster.
    """
    rows = _grown("range of skill", RangeOfSkill(game, response=3), target, patience)
    needed = rows[-1].ours
    assert isinstance(needed, dict)
    why = "" if needed["gap"] <= target else "cut off"
    rows[-1] = replace(rows[-1], paper=SMALLBOT2298, verdict=SOLVER_DEPENDENT, why=why)
    rows += _grown("double oracle", DoubleOracle(game), target, needed["seconds"], needed["strategies"])
    return Table(
        "Growing sets of strategies on SmallBot's game", "strategies a player, gap in small bets per hand",
        ["strategies", "seconds", "gap"], rows,
    )  # fmt: skip


def _grown(
    name: str, stepper: RangeOfSkill | DoubleOracle, target: float, patience: float, most: float = np.inf
) -> list[Row]:
    rows: list[Row] = []
    began, done = time.perf_counter(), False
    with Bar(f"{name} on SmallBot's game") as bar:
        while not done:
            stepper.step()
            gap, seconds = stepper.gap / SMALL_BET, time.perf_counter() - began
            bar.show(min(1.0, seconds / patience), f"{stepper.iteration} strategies, gap {gap:.3f} sb/h")
            done = gap <= target or seconds >= patience or stepper.iteration >= most
            if done or stepper.iteration in (1, 10, 30, 100, 300):
                ours = {"strategies": float(stepper.iteration), "seconds": seconds, "gap": gap}
                rows.append(Row(name, None, ours, COMPUTED))
    return rows
