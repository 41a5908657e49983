"""The hold'em half of Zinkevich, Bowling and Burch (2007): SmallBot, BigBot and their Table 1.

SmallBot plays limit hold'em with hands in 625 sequences of quintiles and one bet a round fewer than the rules allow.
BigBot plays the whole betting: it calls a raise that SmallBot does not know and goes on as if it had not happened.
Ours is found by discounted CFR; range of skill, the paper's own way, and the double oracle are run beside it.

Table 1 is of one SmallBot among many. Ours is varied by solver and by how close to an equilibrium it is, also as close
as the paper's. Matrices of five buckets are of all boards. Those of ten are sampled: a best response in a sample wins
more there than it should, and one that is tried on turns it was not found on less than is possible, so that the
figure lies between the two.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from pokerlab.abstraction.buckets.build import build_buckets
from pokerlab.abstraction.buckets.joint import bucket_deals, sampled_folds
from pokerlab.form.compile import Origin, compile
from pokerlab.form.game import Game
from pokerlab.form.strategy import Profile
from pokerlab.form.treeplex import Treeplex
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.game.catalog import rules_of
from pokerlab.game.rules import Rules
from pokerlab.papers.pieces import Pieces
from pokerlab.papers.report import Row, Table
from pokerlab.papers.verdicts import Cell, Printed, interval
from pokerlab.progress import Bar
from pokerlab.solvers.oracles import DoubleOracle, RangeOfSkill
from pokerlab.solvers.run import solve

SMALL_BET = 10.0  # chips of the first round's bet, the unit of the paper
PUBLISHED = {
    "Player 1": {"5, abstracted": 0.0936, "5, full": 0.1150, "10, abstracted": 0.1377, "10, full": 0.1584},
    "Player 2": {"5, abstracted": -0.0725, "5, full": -0.0620, "10, abstracted": -0.0322, "10, full": -0.0204},
    "Average": {"5, abstracted": 0.0106, "5, full": 0.0265, "10, abstracted": 0.0528, "10, full": 0.0648},
}
DIGITS = 4  # of Table 1
SMALLBOT2298 = {"strategies": 298, "exploitability": PUBLISHED["Average"]["5, abstracted"]}
CLOSE, QUICK_CLOSE = 0.001, 0.01  # exploitability of our SmallBot
BOTS = {  # others: method, and exploitability
    "discounted CFR as close as the paper's": ("dcfr", SMALLBOT2298["exploitability"]),
    "CFR+ as close as the paper's": ("cfr+", SMALLBOT2298["exploitability"]),
}
QUICK_TURNS, TEN_TURNS, TEN_SEEDS = 600, 5_000, (1, 2)  # sampled turns: quick ones, and those of ten buckets a seed
START_ROUNDS = 30  # of range of skill from another start
ROUNDS = 10  # that are kept together

Ways = dict[str, np.ndarray]  # what other SmallBots give


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


class Bot(NamedTuple):
    """A SmallBot, and how it was found; its value to Player 1 and its exploitability are in chips."""

    strategy: Profile
    value: float
    exploitability: float
    iterations: int
    seconds: float


def small_bot(deals: BucketDeals, method: str, target: float, seconds: float, pieces: Pieces) -> Bot:
    """SmallBot by a method to `target` small bets a hand (or so many seconds)."""
    game = compile(fewer_bets(rules_of("holdem-limit")), deals=deals)

    def found() -> tuple[tuple[np.ndarray, ...], float, float, int, float]:
        solution = solve(game, method, exploitability=target * SMALL_BET, seconds=seconds, single=True)
        behaviours, exploitability = solution.strategy.behaviours, float(solution.exploitability)
        return tuple(behaviours), float(solution.value), exploitability, solution.iterations, solution.seconds

    behaviours, value, lost, iterations, taken = pieces.of(f"SmallBot by {method} to {target}", found)
    return Bot(Profile(game, behaviours), value, lost, iterations, taken)


def earned(bot: Bot, deals: BucketDeals, full: bool, seat: int) -> tuple[Treeplex, np.ndarray]:
    """The tree of who responds to a seat's strategy, and what each sequence there wins; the second buckets are its."""
    rules = rules_of("holdem-limit")
    game = compile(rules if full else fewer_bets(rules), deals=transposed(deals) if seat else deals)
    plan = game.trees[seat].realize(big_bot(bot.strategy, seat, game))
    return game.trees[1 - seat], game.gradient(1 - seat, (plan, plan))


def responses(bot: Bot, deals: BucketDeals, full: bool, tried: BucketDeals | None = None) -> np.ndarray:
    """What a best response wins from Player 1, Player 2 and on average, in small bets.

    `tried` are other matrices of the same buckets, for responses that are found with `deals` and tried there.
    """
    won = []
    for seat in range(2):
        tree, gradient = earned(bot, deals, full, seat)
        value, behaviour = tree.best_response(gradient)
        if tried is not None:
            value = float((tree.realize(behaviour) * earned(bot, tried, full, seat)[1]).sum())
        won.append(value / SMALL_BET)
    return np.array([*won, sum(won) / 2])


def table_1(quick: bool, pieces: Pieces) -> tuple[Table, list[str], Game]:
    """Best responses to SmallBot and BigBot beside the published ones, and SmallBot's game.

    `quick` leaves out ten buckets and has no verdicts: what its sample of turns does to SmallBot is not measured.
    """
    coarse = build_buckets("range-of-skill")
    five, seconds = bucket_deals(coarse, boards=QUICK_TURNS if quick else None), 90.0 if quick else 600.0
    main = small_bot(five, "dcfr", QUICK_CLOSE if quick else CLOSE, seconds, pieces)
    bots = {} if quick else {name: small_bot(five, *how, seconds, pieces) for name, how in BOTS.items()}
    lost = main.exploitability / SMALL_BET
    sentences = [
        f"SmallBot: {main.iterations} iterations of discounted CFR in {main.seconds:.0f} s, "
        f"{main.seconds / main.iterations:.3f} s each; exploitability {lost:.4f} sb/h (the paper's "
        f"{SMALLBOT2298['exploitability']}), value to Player 1 {main.value / SMALL_BET:.4f} sb/h, where the paper's "
        f"responses allow {-PUBLISHED['Player 1']['5, abstracted']} to {PUBLISHED['Player 2']['5, abstracted']}; "
        f"matrices {five.name}."
    ]
    gap, columns = {"SmallBot's gap": 2 * lost}, {}
    for name, full in (("5, abstracted", False), ("5, full", True)):
        ours, ways = pieces.of(f"responses with {name}", _five, main, bots, five, full)
        columns[name] = _cells(name, ours, ways, gap, quick=quick)
    if not quick:
        ten, told = pieces.of("responses with 10", _ten, main, bots)
        for name, (ours, ways, half, sampled) in ten.items():
            columns[name] = _cells(name, ours, ways, gap, half, sampled)
        sentences.append(told)
    rows = [Row(label, {name: column[i] for name, column in columns.items()}) for i, label in enumerate(PUBLISHED)]
    table = Table("Table 1", "small bets per hand", list(columns), rows, digits=DIGITS)
    return table, sentences, main.strategy.game


def _five(main: Bot, bots: Mapping[str, Bot], deals: BucketDeals, full: bool) -> tuple[np.ndarray, Ways]:
    return responses(main, deals, full), {name: responses(bot, deals, full) for name, bot in bots.items()}


def _ten(main: Bot, bots: Mapping[str, Bot]) -> tuple[dict[str, tuple[np.ndarray, Ways, np.ndarray, np.ndarray]], str]:
    """What a responder with ten buckets wins, half of what lies between a sample and turns left out of it, and their
    interval, by column; and a sentence on the matrices.
    """
    fine, coarse = build_buckets("range-of-skill-10"), build_buckets("range-of-skill")
    counted, folds = sampled_folds(fine, coarse, boards=TEN_TURNS, seeds=TEN_SEEDS)
    whole = transposed(counted)
    names = {"10, abstracted": False, "10, full": True}
    tried: dict[str, list[np.ndarray]] = {name: [] for name in names}
    for rest, left_out in folds:
        for name, full in names.items():
            tried[name].append(responses(main, transposed(rest), full, transposed(left_out)))
    columns = {}
    for name, full in names.items():
        within, elsewhere = responses(main, whole, full), np.array(tried[name])
        middle, half = (within + elsewhere.mean(axis=0)) / 2, (within - elsewhere.mean(axis=0)) / 2
        ways = {other: middle + responses(bot, whole, full) - within for other, bot in bots.items()}
        columns[name] = middle, ways, half, np.asarray(interval(elsewhere))
    return columns, f"Ten buckets: {whole.name}, in {len(tried['10, full'])} folds."


def _cells(
    name: str, ours: np.ndarray, ways: Mapping[str, np.ndarray], gap: Mapping[str, float],
    half: np.ndarray | None = None, sampled: np.ndarray | None = None, quick: bool = False,
) -> list[Cell]:  # fmt: skip
    """A column of Table 1: `half` of what lies between a sample and turns left out of it, `sampled` their interval."""
    rivals = tuple(figure for row in PUBLISHED.values() for figure in row.values())
    cells = []
    for i, published in enumerate(PUBLISHED.values()):
        paper, figure = Printed(published[name], DIGITS, rivals=rivals), float(ours[i])
        bots = {f"discounted CFR to {CLOSE}": figure} | {bot: float(figures[i]) for bot, figures in ways.items()}
        bounds, chance = dict(gap), {}
        if half is not None and sampled is not None:
            bounds["sample against turns left out"] = float(abs(half[i]))
            chance["folds of the sample"] = float(sampled[i])
        why = f"matrices of {QUICK_TURNS} sampled turns" if quick else ""
        cells.append(
            Cell(figure, paper, bots if ways else {}, "SmallBot", bounds=bounds, sampled=chance, not_reached=why)
        )
    return cells


def growing_sets(game: Game, target: float, patience: float, pieces: Pieces) -> Table:
    """Range of skill as in the paper, to a gap of `target` or for so many seconds; then the double oracle.

    Both begin with the strategy that always raises. The latter has as many strategies and seconds as the former
    needed, if it is no faster. Range of skill from uniform play is run for some rounds beside them.
    """
    grown = partial(_grown, pieces, target)
    rows = grown("range of skill", RangeOfSkill(game, response=3), patience)
    needed = rows[-1].ours
    published, gap = SMALLBOT2298["strategies"], 2 * SMALLBOT2298["exploitability"]
    ended = f"ended at a gap of {needed['gap']:.3f}; the paper's {published} strategies came to {gap:.4f}"
    strategies = Cell(needed["strategies"], Printed(published, 0), not_reached=ended if needed["gap"] > gap else "")
    rows[-1] = replace(rows[-1], cells={**rows[-1].cells, "strategies": strategies})
    uniform = RangeOfSkill(game, response=3, start="uniform")
    rows += grown("range of skill from uniform play", uniform, patience, START_ROUNDS)
    rows += grown("double oracle", DoubleOracle(game, start="raise"), needed["seconds"], needed["strategies"])
    return Table(
        "Growing sets of strategies on SmallBot's game", "strategies a player, gap in small bets per hand",
        ["strategies", "seconds", "gap"], rows,
    )  # fmt: skip


def _grown(
    pieces: Pieces,
    target: float,
    name: str,
    stepper: RangeOfSkill | DoubleOracle,
    patience: float,
    most: float = np.inf,
) -> list[Row]:
    """Rows at some sizes and at the end, `ROUNDS` of which are a piece."""

    def more(spent: float) -> tuple[tuple[tuple[int, float, float], ...], float, bool, dict[str, np.ndarray]]:
        began, told, done = time.perf_counter() - spent, [], False
        for _ in range(ROUNDS):
            stepper.step()
            gap, seconds = stepper.gap / SMALL_BET, time.perf_counter() - began
            bar.show(min(1.0, seconds / patience), f"{stepper.iteration} strategies, gap {gap:.3f} sb/h")
            done = gap <= target or seconds >= patience or stepper.iteration >= most
            if done or stepper.iteration in (1, 10, 30, 100, 300):
                told.append((stepper.iteration, seconds, gap))
            if done:
                break
        return tuple(told), seconds, done, stepper.state()

    rows, seconds, done, part = list[Row](), 0.0, False, 0
    with Bar(f"{name} on SmallBot's game") as bar:
        while not done:
            before, part = stepper.iteration, part + 1
            told, seconds, done, state = pieces.of(f"{name}, part {part}", more, seconds)
            if stepper.iteration == before:
                stepper.restore(state)
            for strategies, spent, gap in told:
                rows.append(Row.computed(name, {"strategies": float(strategies), "seconds": spent, "gap": gap}))
    return rows
