"""How well a case base tells what its expert does, on hands that it has not learnt from.

    score = score_cases(load_cases("deepstack.cases"), ["hands.log"], "DeepStack")
    print("\\n".join(score.lines()))

Odds are those of the retrieved cases with some pseudo-decisions of the round's frequencies (`Similarity.prior`), over
what is legal, so that nothing that happens has probability 0. Beside them are those who do not look at the cards: the
round's frequencies, and one who always checks or calls.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pokerlab.cases.base import CaseBase, Round, merged
from pokerlab.cases.features import street_name
from pokerlab.cases.retrieve import Index, indices_of
from pokerlab.cases.sequences import faces_bet
from pokerlab.cases.sources import check_expert, survey
from pokerlab.cases.train import Lesson, collect
from pokerlab.errors import CaseBaseError
from pokerlab.processes import Executor, at_work
from pokerlab.progress import Bar

_SURE = 0.99  # the odds that always-call is given for its action where odds are scored; the rest is the prior's


@dataclass(frozen=True)
class RoundScore:
    """A round's figures: the part of decisions that the likeliest action was, log-loss (natural) and Brier score.

    `prior` is the round's action frequencies in training, `always_call` how often a check or call was right.
    """

    round: str
    decisions: int
    top1: float
    log_loss: float
    brier: float
    prior_log_loss: float
    prior_top1: float
    prior_brier: float
    always_call_top1: float
    always_call_log_loss: float


@dataclass(frozen=True)
class Score:
    """The figures of all rounds that had decisions; `hands` were tested on."""

    expert: str
    hands: int
    refused: dict[str, int]
    rounds: tuple[RoundScore, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "expert": self.expert, "hands": self.hands, "refused": self.refused,
            "rounds": [vars(each) for each in self.rounds],
        }  # fmt: skip

    def lines(self) -> list[str]:
        lines = [
            f"{self.expert}: {self.hands:,} hands that were not learnt from",
            f"  {'round':<10}{'decisions':>10}{'top-1':>8}{'log-loss':>10}{'Brier':>8}   prior {'top-1':>7}"
            f"{'log-loss':>10}{'Brier':>8}   always call {'top-1':>7}",
        ]
        return lines + [
            f"  {row.round:<10}{row.decisions:>10,}{row.top1:>8.1%}{row.log_loss:>10.4f}{row.brier:>8.4f}"
            f"{row.prior_top1:>16.1%}{row.prior_log_loss:>10.4f}{row.prior_brier:>8.4f}{row.always_call_top1:>22.1%}"
            for row in self.rounds
        ]


def score_cases(
    base: CaseBase,
    paths: Sequence[str | Path],
    expert: str,
    *,
    skip_bad: bool = False,
    executor: Executor | None = None,
) -> Score:
    """Test a base on an expert's hands in records: of those that it has learnt from, on what was held out."""
    hands, refused, tests = unlearnt(base, paths, expert, skip_bad=skip_bad, executor=executor)
    rows = [
        _scored(street_name(base.rules, number), index, test)
        for number, (index, test) in enumerate(zip(indices_of(base), tests, strict=True))
        if test.decisions
    ]
    return Score(expert, hands, refused, tuple(rows))


def unlearnt(
    base: CaseBase,
    paths: Sequence[str | Path],
    expert: str,
    *,
    skip_bad: bool = False,
    executor: Executor | None = None,
) -> tuple[int, dict[str, int], list[Round]]:
    """The hands of an expert in records that a base has not learnt from, what was refused, and their cases by round."""
    known = {source["digest"]: source.get("hold_out", 0.0) for source in base.sources}
    sources = []
    for path in paths:
        source = survey(path, expert, base.rules, 0.0)
        if source.digest in known:
            source = survey(path, expert, base.rules, known[source.digest], kept=False)
        sources.append(source)
    check_expert(sources, expert)
    pieces = [piece for source in sources for piece in source.pieces]
    lesson = Lesson(base.rules, expert, base.features, "vector", 1, skip_bad)
    hands, refused, parts = 0, Counter[str](), []
    with Bar("hands not learnt from") as bar, at_work(executor, partial(collect, lesson), pieces) as results:
        for done, (some, why, (rounds,)) in enumerate(results, 1):
            hands += some
            bar.show(done / len(pieces), f"{hands:,} hands")
            parts.append(rounds)
            refused.update(why)
    if not hands:
        raise CaseBaseError(f"every hand of {expert!r} in these records was learnt from: none is left to be tested on")
    return hands, dict(refused), [merged(rounds) for rounds in zip(*parts, strict=True)]


def prior_of(cases: Round) -> np.ndarray:
    """The frequencies of a round's actions, with half a pseudo-decision each."""
    counts = cases.counts.sum(axis=0) + 0.5
    return np.asarray(counts / counts.sum())


def predicted(index: Index, test: Round, prior: np.ndarray) -> np.ndarray:
    """[cases, actions] the odds that an index gives in the situations of a round."""
    names = [name.decode() for name in test.sequences.tolist()]
    legal: np.ndarray = np.ones((len(names), len(prior)))
    legal[:, 0] = [faces_bet(index.cells.rules, name) for name in names]
    weight = index.similarity.prior
    expected = legal * prior / (legal @ prior)[:, None]
    odds = weight * expected[test.rows[:, 0]]
    if not index.empty:
        counts, _, _ = index.retrieve_many(names, test.rows[:, 0], test.rows[:, 1])
        odds = odds + counts * legal[test.rows[:, 0]]
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def log_loss(odds: np.ndarray, counts: np.ndarray) -> float:
    """The mean of -log of the odds of what was done."""
    return float(-(counts * np.log(np.maximum(odds, 1e-300))).sum() / counts.sum())


def brier(odds: np.ndarray, counts: np.ndarray) -> float:
    """The mean squared distance of the odds from what was done, summed over actions."""
    square = (odds**2).sum(axis=1, keepdims=True)
    return float((counts * (1 - 2 * odds + square)).sum() / counts.sum())


def top1(odds: np.ndarray, counts: np.ndarray) -> float:
    """How often the likeliest action was taken."""
    return float(np.take_along_axis(counts, odds.argmax(axis=1)[:, None], axis=1).sum() / counts.sum())


def _scored(name: str, index: Index, test: Round) -> RoundScore:
    prior = prior_of(index.cases)
    odds = predicted(index, test, prior)
    plain = np.broadcast_to(prior, odds.shape)
    call: np.ndarray = np.zeros(len(prior))
    call[1] = 1.0
    always = np.broadcast_to(_SURE * call + (1 - _SURE) * prior, odds.shape)
    return RoundScore(
        name, test.decisions, top1(odds, test.counts), log_loss(odds, test.counts), brier(odds, test.counts),
        log_loss(plain, test.counts), top1(plain, test.counts), brier(plain, test.counts), top1(always, test.counts),
        log_loss(always, test.counts),
    )  # fmt: skip
