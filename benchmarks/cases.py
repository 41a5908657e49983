"""Claim: a million hands are learnt in 5 minutes, 200,000 limit decisions a second and core come from 500,000 cases.

Within 3 GiB; alone a limit decision takes 0.2 ms, one in no-limit or for three 1 ms. On DeepStack's hands (shared data)
the base is ahead of both priors on every round, fitted it is ahead of the thesis's weights, and within 10 % of a
gradient-boosted classifier on the same features. Peers in the same run: scikit-learn's neighbours and a DuckDB query.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from _command import FULL, Table, command
from pokerlab.agents.simple import Random
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.base import CaseBase, Round, empty_round, load_cases
from pokerlab.cases.features import Cells, Features
from pokerlab.cases.fit import Validation, train_and_fit
from pokerlab.cases.retrieve import indices_of
from pokerlab.cases.reuse import decide
from pokerlab.cases.score import log_loss, score_cases, unlearnt
from pokerlab.cases.sequences import BETS, decisions, letters, level_keys
from pokerlab.cases.similarity import Similarity
from pokerlab.cases.train import train_cases
from pokerlab.game.betting import start_betting
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import Hand, View, deal_random, new_hand
from pokerlab.match.play import play_match
from pokerlab.papers.rubin2013_company import EXPERT, QUICK_ITERATIONS, company, tiny_expert, write_logs
from pokerlab.processes import cores, local_processes

LIMITS = {"train_seconds": 300.0, "train_gib": 3.0, "batch": 200_000.0, "limit_ms": 0.2, "other_ms": 1.0}
SWEEP: dict[str, dict[str, Any]] = {  # one parameter at a time
    "nothing": {},
    **{f"k = {k:g}": {"k": k} for k in (0.5, 2.0, 4.0, 8.0)},
    "ties = weaker": {"ties": "weaker"},
    "holes = identity": {"holes": "identity"},
    **{f"alpha = {alpha:g}": {"alpha": alpha} for alpha in (0.02, 0.2)},
    "same_round = 0.6": {"same_round": 0.6},
    **{f"prior = {prior:g}": {"prior": prior} for prior in (0.1, 0.3, 2.0, 4.0)},
    **{
        f"neighbours = {some}, fading = {f:g}": {"neighbours": some, "fading": f}
        for some, f in ((10, 20.0), (80, 40.0))
    },
}
DEEPSTACK = Path(__file__).resolve().parents[2] / "shared" / "data" / "acpc" / "deepstack_vs_pros" / "hands.log"


def training(hands: int, folder: Path) -> dict[str, Any]:
    """What logs of so many hands take to be learnt on two processes, and the most memory of both and of this one.

    `seconds` are those of free cores: of this process, and half of the two that it starts.
    """
    expert = tiny_expert("holdem-limit", QUICK_ITERATIONS)
    logs = write_logs(folder, expert, company(expert), hands, seed=1)
    before, began = [_processor(who) for who in _WHO], time.perf_counter()
    trained = train_cases(logs, EXPERT, folder / "limit.cases", hold_out=0, executor=local_processes(2))
    own, workers = (_processor(who) - then for who, then in zip(_WHO, before, strict=True))
    memory, each = (resource.getrusage(who).ru_maxrss for who in _WHO)
    return {
        "hands": trained.hands, "cases": trained.base.cases, "decisions": trained.base.decisions,
        "seconds": own + workers / 2, "seconds_a_million": 1e6 * (own + workers / 2) / trained.hands,
        "wall_seconds": time.perf_counter() - began, "gib": (memory + 2 * each) / 2**20, "cores": cores(),
    }  # fmt: skip


_WHO = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)


def _processor(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def river_names() -> list[str]:
    """All betting that leads to a decision on the river."""
    rules = rules_of("holdem-limit")
    names, stack = [], [("", start_betting(rules))]
    while stack:
        text, state = stack.pop()
        if state.actor is None:
            continue
        if state.round == 3:
            names.append(text)
        for action in state.legal().actions():
            after = state.act(action)
            stack.append((text + "fcr"[min(action, 1) + 1] + "-" * (after.round - state.round), after))
    return sorted(names)


def large_base(cases: int) -> CaseBase:
    """A base of so many cases on the river, at random."""
    rules, rng = rules_of("holdem-limit"), np.random.default_rng(0)
    names, cells = river_names(), Cells(rules, Features(), 3).count
    keys = np.sort(rng.choice(len(names) * cells, cases, replace=False))
    rows = np.column_stack((keys // cells, keys % cells)).astype(np.int32)
    counts = rng.integers(0, 5, (cases, 3)) + np.array([0, 1, 0])
    river = Round(np.array(names, "S"), rows, counts, counts * rng.integers(-50, 50, (cases, 3)))
    return CaseBase(rules, (*[empty_round(3)] * 3, river))


def in_batch(base: CaseBase, asked: int) -> dict[str, Any]:
    """Decisions a second of random situations on the river, and of those of others on the same question."""
    rng, index = np.random.default_rng(1), indices_of(base)[3]
    names = [name.decode() for name in index.cases.sequences.tolist()]
    targets, cells = rng.integers(len(names), size=asked), rng.integers(index.cells.count, size=asked)
    legal = np.array([False, True, True])
    index.retrieve_many(names, targets[:10], cells[:10])
    began, worked = time.perf_counter(), time.process_time()
    counts, outcomes, similar = index.retrieve_many(names, targets, cells)
    decide(counts, outcomes, legal, "probabilistic")
    rate, of_core = (asked / seconds for seconds in (time.perf_counter() - began, time.process_time() - worked))
    few = min(asked, 200)
    return {
        "pokerlab": rate, "pokerlab, a second of one core": of_core,
        **neighbours_of_scikit(base, targets[:few], cells[:few]),
        "DuckDB": asked_of_duckdb(base, names, targets[:20], cells[:20], similar[:20, 0]),
    }  # fmt: skip


def neighbours_of_scikit(base: CaseBase, targets: np.ndarray, cells: np.ndarray) -> dict[str, float]:
    """An easier question, since levels of betting are no metric: nearest by number of the betting, hand, texture."""
    from sklearn.neighbors import NearestNeighbors

    rows = base.rounds[3].rows

    def points(sequences: np.ndarray, where: np.ndarray) -> np.ndarray:
        hand, look, _ = base.cells[3].split(where)
        return np.column_stack((100.0 * sequences, hand / 50, 10.0 * look))

    rates = {}
    for name, algorithm in (("scikit-learn, brute force", "brute"), ("scikit-learn, ball tree", "ball_tree")):
        known = NearestNeighbors(n_neighbors=1, algorithm=algorithm, metric="manhattan").fit(points(*rows.T))
        began = time.perf_counter()
        known.kneighbors(points(targets, cells))
        rates[name] = len(targets) / (time.perf_counter() - began)
    return rates


def asked_of_duckdb(
    base: CaseBase, names: list[str], targets: np.ndarray, cells: np.ndarray, expected: np.ndarray
) -> float:
    """The same question in SQL; refuses other answers than ours."""
    import duckdb

    rules, river = base.rules, base.rounds[3]
    keys = np.array([level_keys(rules, name)[1:] for name in names])
    hand, look, _ = base.cells[3].split(river.rows[:, 1].astype(np.int64))
    _, textures, _ = base.cells[3].similarities(base.similarities[3])
    with duckdb.connect() as store:
        columns = {"s": river.rows[:, 0], "hand": hand, "look": look}
        store.register("rows_", columns)
        store.register("keys_", {"s": np.arange(len(names)), "one": keys[:, 0], "two": keys[:, 1]})
        a, b = np.indices(textures.shape).reshape(2, -1)
        store.register("looks_", {"mine": a, "look": b, "alike": textures.ravel()})
        store.execute("CREATE TABLE cases AS SELECT * FROM rows_ JOIN keys_ USING (s)")
        store.execute("CREATE TABLE looks AS SELECT * FROM looks_")
        began = time.perf_counter()
        for target, cell, best in zip(targets.tolist(), cells.tolist(), expected.tolist(), strict=True):
            mine, seen, _ = base.cells[3].split(cell)
            answer = store.execute(
                "SELECT max((1 - abs(hand - ?) / 50.0 + alike + CASE WHEN s = ? THEN 1.0 WHEN one = ? THEN 0.9 "
                "WHEN two = ? THEN 0.8 ELSE 0.0 END) / 3) FROM cases JOIN looks USING (look) WHERE mine = ?",
                [mine, target, keys[target, 0], keys[target, 1], seen],
            ).fetchone()
            assert answer is not None
            if abs(answer[0] - best) > 1e-9:
                raise SystemExit(f"DuckDB finds {answer[0]}, not {best}")
        return len(targets) / (time.perf_counter() - began)


def random_views(game: str, count: int, seed: int) -> list[View]:
    """What is seen at the decisions of random hands."""
    rng, rules = np.random.default_rng(seed), rules_of(game)
    seen: list[View] = []
    while len(seen) < count:
        hand = new_hand(rules)
        while not hand.finished:
            if hand.pending:
                hand = deal_random(hand, rng)
                continue
            assert hand.actor is not None
            seen.append(hand.view(hand.actor))
            legal = hand.legal()
            few = [*([-1] if legal.fold and rng.random() < 0.2 else []), 0, *legal.raises[:400:40]]
            hand = hand.act(int(few[rng.integers(len(few))]))
    return seen[:count]


def wide_base(game: str, hands: int, cases: int) -> CaseBase:
    """A base of so many cases: the bettings of random hands, each with cells at random."""
    rules, rng = rules_of(game), np.random.default_rng(2)
    met: list[set[str]] = [set() for _ in range(rules.rounds)]

    def note(number: int, seating: int, hand: Hand, seats: Sequence[int]) -> None:
        for made in decisions(rules, hand.actions):
            met[made.round].add(made.sequence)

    play_match(rules, [Random() for _ in range(rules.players)], hands, seed=2, watch=note)
    cells = [Cells(rules, Features(), round).count for round in range(rules.rounds)]
    room = np.array([len(names) * count for names, count in zip(met, cells, strict=True)])
    wanted = (cases * np.minimum(room, cases) // np.minimum(room, cases).sum()).tolist()
    rounds, width = [], len(letters(rules))
    for names, count, most in zip(met, cells, wanted, strict=True):
        keys = np.sort(rng.choice(len(names) * count, min(most, len(names) * count), replace=False, shuffle=False))
        rows = np.column_stack((keys // count, keys % count)).astype(np.int32)
        counts = rng.integers(0, 3, (len(keys), width)) + np.eye(width, dtype=np.int64)[1]
        rounds.append(Round(np.array(sorted(names), "S"), rows, counts, counts))
    return CaseBase(rules, tuple(rounds))


def alone(game: str, hands: int, cases: int, views: int) -> dict[str, float]:
    """The median and the slowest time of single answers, most of them of situations that were never asked before."""
    agent = CasesAgent(wide_base(game, hands, cases))
    for view in random_views(game, 50, 3):
        agent.act(view)
    times = []
    for view in random_views(game, views, 4):
        began = time.process_time()
        agent.act(view)
        times.append(1000 * (time.process_time() - began))
    return {"median_ms": float(np.median(times)), "p99_ms": float(np.quantile(times, 0.99)), "cases": agent.base.cases}


def encoded(name: str) -> list[int]:
    """A no-limit sequence for a classifier: by round its length, bets, their sizes, and the last two."""
    told: list[int] = []
    for actions in (*name.split("-"), "", "", "")[:4]:
        bets = [BETS.index(letter) + 1 if letter in BETS else 8 * (letter == "a") for letter in actions]
        last = [*([-1, -1]), *bets][-2:]
        told += [len(bets), sum(bet > 0 for bet in bets), sum(bets), max(bets, default=0), *last]
    return told


def classified(base: CaseBase, number: int, test: Round) -> float:
    """The log-loss of scikit-learn's gradient boosting on the features of a round's cases."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    def told(cases: Round) -> np.ndarray:
        names = np.array([encoded(name.decode()) for name in cases.sequences.tolist()])
        return np.column_stack((names[cases.rows[:, 0]], *base.cells[number].split(cases.rows[:, 1])))

    known = base.rounds[number]
    rows, actions = np.nonzero(known.counts)
    model = HistGradientBoostingClassifier(
        random_state=0, learning_rate=0.06, max_iter=100, early_stopping=False, max_leaf_nodes=15, l2_regularization=1.0
    )
    model.fit(told(known)[rows], actions, sample_weight=known.counts[rows, actions])
    odds = np.full((len(test.rows), known.counts.shape[1]), 1e-6)
    odds[:, model.classes_] += model.predict_proba(told(test))
    return log_loss(odds / odds.sum(axis=1, keepdims=True), test.counts)


def deepstack(folder: Path) -> list[dict[str, Any]]:
    """Log-losses on the last fifth of DeepStack's hands with each professional."""
    if not DEEPSTACK.exists():
        print(f"left out, no shared data at {DEEPSTACK}", file=sys.stderr)
        return []
    out = folder / "deepstack.cases"
    train_and_fit([DEEPSTACK], "DeepStack", out, game="holdem-nolimit", executor=local_processes())
    fitted = load_cases(out)
    plain = CaseBase(
        fitted.rules, fitted.rounds, fitted.features, (Similarity(),) * 4, experts=fitted.experts,
        sources=fitted.sources,
    )  # fmt: skip
    scores = [score_cases(base, [DEEPSTACK], "DeepStack").rounds for base in (plain, fitted)]
    _, _, tests = unlearnt(fitted, [DEEPSTACK], "DeepStack")
    return [
        {
            "round": one.round, "decisions": one.decisions, "thesis": one.log_loss, "fitted": two.log_loss,
            "classifier": classified(fitted, number, tests[number]), "prior": one.prior_log_loss,
            "always_call": one.always_call_log_loss, "top1": two.top1, "prior_top1": two.prior_top1,
            "always_call_top1": two.always_call_top1,
        }
        for number, (one, two) in enumerate(zip(*scores, strict=True))
    ]  # fmt: skip


def swept(folder: Path) -> list[dict[str, Any]]:
    """Log-losses in other matches, round by round, with one parameter of the thesis's similarity changed."""
    if not DEEPSTACK.exists():
        return []
    trained = train_cases([DEEPSTACK], "DeepStack", folder / "swept.cases", game="holdem-nolimit", by_fold=True)
    base, folds = trained.base, trained.folds
    rounds = [
        Validation(base.cells[number], whole, [fold[number] for fold in folds])
        for number, whole in enumerate(base.rounds)
    ]
    return [
        {"changed": changed, "log_loss": [each.loss(Similarity().changed(**options)) for each in rounds]}
        for changed, options in SWEEP.items()
    ]


def tables(report: dict[str, Any]) -> dict[str, Table]:
    """Those of docs/cases.md."""
    header = ("changed", "preflop", "flop", "turn", "river")
    losses = {row["changed"]: row["log_loss"] for row in report["swept"]}
    rows = [
        (name, *(f"{loss:.3f}" for loss in losses[name])) if name in losses else (name, *[FULL] * 4) for name in SWEEP
    ]
    return {"sweep": [header, *rows]}


def measure(quick: bool) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        learnt = training(2000 if quick else 1_000_000, folder)  # first: its memory is measured
        alone_in = {
            game: alone(game, *((100, 2000, 100) if quick else (12_000, 520_000, 2000)))
            for game in ("holdem-limit", "holdem-limit-3p", "holdem-nolimit")
        }
        batch = in_batch(large_base(20_000 if quick else 500_000), 2000 if quick else 200_000)
        scores, sweep = ([], []) if quick else (deepstack(folder), swept(folder))
    return {"training": learnt, "batch": batch, "alone": alone_in, "deepstack": scores, "swept": sweep}


def show(report: dict[str, Any]) -> None:
    learnt = report["training"]
    print(f"training: {learnt['hands']:,} hands, {learnt['cases']:,} cases in {learnt['seconds']:.1f} s of two free "
          f"cores, {learnt['gib']:.2f} GiB")  # fmt: skip
    for name, rate in report["batch"].items():
        print(f"  {name:<28}{rate:>14,.0f} decisions a second")
    for game, row in report["alone"].items():
        print(f"  {game:<20}{row['median_ms']:>8.3f} ms alone ({row['p99_ms']:.3f} at the 99th per cent), from "
              f"{row['cases']:,} cases")  # fmt: skip
    for row in report["deepstack"]:
        print(f"  {row['round']:<8} log-loss: thesis {row['thesis']:.4f}, fitted {row['fitted']:.4f}, classifier "
              f"{row['classifier']:.4f}, prior {row['prior']:.4f}, always call {row['always_call']:.4f}")  # fmt: skip
    for changed, *losses in tables(report)["sweep"]:
        print(f"  {changed:<28}{''.join(f'{loss:>10}' for loss in losses)}")


def failed(report: dict[str, Any]) -> list[str]:
    why = []
    if report["training"]["seconds_a_million"] > LIMITS["train_seconds"] or report["training"]["gib"] > 3:
        why.append("a million hands in 5 minutes and 3 GiB")
    if report["batch"]["pokerlab, a second of one core"] < LIMITS["batch"]:  # machines are shared
        why.append("200,000 decisions a second")
    for game, row in report["alone"].items():
        if row["median_ms"] > LIMITS["limit_ms" if game == "holdem-limit" else "other_ms"]:
            why.append(f"a decision alone in {game}")
    for row in report["deepstack"]:
        if max(row["thesis"], row["fitted"]) > min(row["prior"], row["always_call"]):
            why.append(f"ahead of the priors on the {row['round']}")
        if row["fitted"] > min(row["thesis"], 1.1 * row["classifier"]):
            why.append(f"fitted ahead of the thesis's weights and within 10 % of the classifier on the {row['round']}")
    return why


if __name__ == "__main__":
    sys.exit(
        command("Case bases: learnt, asked, and how well they tell", "little of all", measure, show, failed, tables)
    )
