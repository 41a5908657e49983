"""Parameters of similarity learned from data: those whose cases best tell the expert's decisions in other matches.

The thesis set its weights by hand. Here k, alpha, the weights, how many decisions are pooled and how they fade are
found round by round by going through one parameter after the other, as long as the log-loss falls. It is
cross-validated by match: what is predicted is never in the base, and hands that are held out are not looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from pokerlab.cases.base import CaseBase, Round, less
from pokerlab.cases.features import Cells
from pokerlab.cases.retrieve import Index
from pokerlab.cases.score import log_loss, predicted, prior_of
from pokerlab.cases.similarity import FEATURES, Similarity
from pokerlab.cases.train import Trained, train_cases
from pokerlab.processes import Executor, at_work
from pokerlab.progress import Bar

_SWEEPS = 2
_MOST = 6000  # cases of a round that are predicted for one set of parameters; of more, some at equal distances
_ENOUGH = 1e-4  # an improvement of the log-loss that counts, so that no parameter wanders for nothing
_K = (0.5, 1.0, 2.0, 4.0, 8.0)
_ALPHA = (0.02, 0.05, 0.1, 0.2)
_WEIGHT = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
_POOLED = (  # neighbours and how they fade
    (1, 0.0), (10, 0.0), (10, 20.0), (30, 10.0), (30, 20.0), (80, 20.0), (80, 40.0), (200, 20.0), (200, 40.0),
    (500, 40.0), (500, 80.0),
)  # fmt: skip
_PRIOR = (0.1, 0.3, 1.0, 2.0, 4.0)
_SAME_ROUND = (0.0, 0.3, 0.6, 0.8)
_LEVELS = ((1.0, 0.9, 0.8, 0.0), (1.0, 0.95, 0.9, 0.0), (1.0, 0.8, 0.6, 0.0), (1.0, 0.99, 0.97, 0.0))


def train_and_fit(
    paths: Sequence[str | Path], expert: str, out: str | Path, *, executor: Executor | None = None, **options: Any
) -> tuple[Trained, tuple[Fit, ...]]:
    """`train_cases`, and then the parameters of similarity from the same hands."""
    trained = train_cases(paths, expert, out, executor=executor, by_fold=True, **options)
    base, fits = fit_similarities(trained.base, trained.folds, executor)
    base.save(out)
    return trained._replace(base=base), fits


class Fit(NamedTuple):
    """What was found for a round, and the log-loss in other matches: before and after."""

    similarity: Similarity
    before: float
    after: float


def fit_similarities(
    base: CaseBase, folds: Sequence[Sequence[Round]], executor: Executor | None = None
) -> tuple[CaseBase, tuple[Fit, ...]]:
    """The base with similarities that were found by its folds, each a part of its matches."""
    tasks = [
        (number, base.cells[number], base.rounds[number], [fold[number] for fold in folds], base.similarities[number])
        for number in range(base.rules.rounds)
    ]
    fits: dict[int, Fit] = {}
    with Bar("fit") as bar, at_work(executor, fit_round, tasks) as results:
        for number, fit in results:
            fits[number] = fit
            bar.show(len(fits) / len(tasks), f"{len(fits)} of {len(tasks)} rounds")
    every = tuple(fits[number] for number in range(len(tasks)))
    told = [{"before": fit.before, "after": fit.after} for fit in every]
    found = replace(base, similarities=tuple(fit.similarity for fit in every), about={**base.about, "fit": told})
    return found, every


class Validation:
    """The log-loss of a round's decisions by parameters of similarity, each fold told by the cases of the others."""

    def __init__(self, cells: Cells, whole: Round, folds: Sequence[Round]) -> None:
        self._parts = []
        for fold in folds:
            rest = less(whole, fold)
            if fold.decisions and len(rest.rows):
                step = -(-len(fold.rows) * len(folds) // _MOST)
                some = fold._replace(rows=fold.rows[::step], counts=fold.counts[::step], outcomes=fold.outcomes[::step])
                self._parts.append((Index(cells, rest, Similarity()), some, prior_of(rest)))

    @property
    def empty(self) -> bool:
        return not self._parts

    def loss(self, how: Similarity) -> float:
        total = decisions = 0.0
        for index, fold, prior in self._parts:
            index.measure_by(how)
            total += fold.decisions * log_loss(predicted(index, fold, prior), fold.counts)
            decisions += fold.decisions
        return total / decisions


def fit_round(task: tuple[int, Cells, Round, Sequence[Round], Similarity]) -> tuple[int, Fit]:
    """One round, in whatever process has time for it."""
    number, cells, whole, folds, start = task
    validation = Validation(cells, whole, folds)
    if validation.empty:
        return number, Fit(start, float("nan"), float("nan"))
    before = validation.loss(start)
    return number, Fit(*_descend(start, before, validation.loss, cells.rules.limit, cells.shape))


def _descend(
    start: Similarity, before: float, loss: Callable[[Similarity], float], limit: bool, shape: tuple[int, int, int]
) -> tuple[Similarity, float, float]:
    """Take the best value of one parameter after the other, until nothing falls any more."""
    known = {start: before}

    def asked(how: Similarity) -> float:
        if how not in known:
            known[how] = loss(how)
        return known[how]

    best = start
    for _ in range(_SWEEPS):
        earlier = best
        for options in _grids(limit, shape):
            candidates = [option(best) for option in options]
            near = min(candidates, key=asked)
            if asked(near) < asked(best) - _ENOUGH:
                best = near
        if best == earlier:
            break
    return best, before, asked(best)


Change = Callable[[Similarity], Similarity]


def _grids(limit: bool, shape: tuple[int, int, int]) -> Iterator[list[Change]]:
    """The parameters in order, each as the changes that are tried."""
    _, textures, committed = shape
    yield [_pool(*values) for values in _POOLED]
    grids: list[tuple[str, Sequence[Any]]] = [("prior", _PRIOR), ("k", _K)]
    grids += [("levels", _LEVELS)] if limit else [("same_round", _SAME_ROUND), ("alpha", _ALPHA)]
    for name, values in grids:
        yield [_set(name, value) for value in values]
    there = (True, False, textures > 1, committed > 1)  # the weight of betting is the measure of the others
    for place, has in enumerate(there):
        if has:
            yield [_weigh(place, value) for value in _WEIGHT]


def _set(name: str, value: Any) -> Change:
    return lambda how: how.changed(**{name: value})


def _pool(neighbours: int, fading: float) -> Change:
    return lambda how: how.changed(neighbours=neighbours, fading=fading)


def _weigh(place: int, value: float) -> Change:
    return lambda how: how.changed(weights=(*how.weights[:place], value, *how.weights[place + 1 :]))


def fit_lines(names: Sequence[str], fits: Sequence[Fit]) -> list[str]:
    """What was found, as text."""
    lines = []
    for name, fit in zip(names, fits, strict=True):
        how = fit.similarity
        weights = " ".join(f"{feature} {weight:g}" for feature, weight in zip(FEATURES, how.weights, strict=True))
        lines.append(
            f"  {name}: log-loss {fit.before:.4f} to {fit.after:.4f}; k {how.k:g}, alpha {how.alpha:g}, levels "
            f"{how.levels}, same round {how.same_round:g}, neighbours {how.neighbours}, fading {how.fading:g}, prior "
            f"{how.prior:g}, weights {weights}"
        )
    return lines
