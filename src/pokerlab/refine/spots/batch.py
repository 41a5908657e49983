"""Many spots: one template on many boards, or many files, each solved by itself and told of in a report.

    cases = on_boards("single-raised.toml", flops_of("subset:49"))
    reports = solve_batch(cases, "folder", exploitability=0.5, executor=executor_of(2))

Spots are tasks of their own, for any executor. A finished one stays in the folder, as a small report and, where asked
for, with its solution, and is never solved twice.
"""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pokerlab.bounds import THREADS
from pokerlab.cards.deck import Deck
from pokerlab.cards.flops import Flops
from pokerlab.cards.ranges import Range
from pokerlab.cards.runouts import symmetries
from pokerlab.device import is_wanted
from pokerlab.errors import SpotError
from pokerlab.finished import Finished, Kind
from pokerlab.processes import Executor, at_work, cores, must_fit
from pokerlab.progress import Bar
from pokerlab.reading import read_text, read_toml, reading
from pokerlab.refine.spots import boards
from pokerlab.refine.spots.engine import METHOD, SCHEMES
from pokerlab.refine.spots.locks import DEAL, lock_weights
from pokerlab.refine.spots.report import BoardReport, read_report, report_of
from pokerlab.refine.spots.run import DEFAULT_EXPLOITABILITY, memory_of, solve_spot
from pokerlab.refine.spots.sixteen import SINGLE, bytes_each, check_precision
from pokerlab.refine.spots.spot import LONGEST, NoHand, Spot, read_spot, spot_of
from pokerlab.solvers.runner import Limits
from pokerlab.writing import replacing

KIND = Kind("pokerlab report", 1, ".report", "batch", "spots of another template, or of other settings")
SOLUTION = ".solution"
_DECK = Deck()


class Case(NamedTuple):
    """A spot of a batch: its name in the folder, and how much it counts for."""

    name: str
    spot: Spot
    weight: float


class Batch(NamedTuple):
    """Spots that are solved alike; `subject` is what they have in common, by which a folder is known; `left_out` are
    boards that leave a player no hand, and hence come up never.
    """

    cases: tuple[Case, ...]
    subject: str
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Settings:
    """How each spot is solved. `threads` change nothing, and are not asked about when work goes on."""

    exploitability: float | None = None
    iterations: int | None = None
    method: str = METHOD
    engine: str = "cpu"
    threads: int = 1
    precision: str = SINGLE

    def digest(self, subject: str) -> str:
        told = {key: value for key, value in asdict(self).items() if key != "threads"}
        if self.precision == SINGLE:
            told.pop("precision")  # there was no other once
        return hashlib.sha256(json.dumps([told, subject], sort_keys=True).encode()).hexdigest()[:16]


def on_boards(path: str | Path, flops: Flops) -> Batch:
    """A template, whose own board does not matter, on each of these boards.

    Where each of them stands for others, the template must not tell suits apart.
    """
    name = Path(path).stem
    data = dict(read_toml(read_text(path, most=LONGEST, error=SpotError), f"{name}: not a spot file", SpotError))
    cases, left_out = list[Case](), list[str]()
    for board, weight in zip(flops.boards, flops.weights.tolist(), strict=True):
        text = _DECK.text(board)
        try:
            spot = spot_of(data | {"board": text}, name, Path(path).parent)
        except NoHand:
            left_out.append(text)
        else:
            cases.append(Case(text, replace(spot, name=text), weight))
    if not cases:
        raise SpotError(f"{name}: none of the boards leaves both players a hand, such as {left_out[0]}")
    if flops.alike:
        _blind_to_suits(cases[0].spot)
    _check_locks({case.spot.street: case for case in cases}.values())  # which have one tree, and one pair of ranges
    data.pop("board", None)
    return Batch(tuple(cases), json.dumps(data, sort_keys=True), tuple(left_out))


def of_files(paths: Sequence[str | Path]) -> Batch:
    """The spots of files, and of all files `.toml` in folders, each on its own board."""
    files = []
    for path in map(Path, paths):
        inside = sorted(path.glob("*.toml")) if path.is_dir() else [path]
        if not inside:
            raise SpotError(f"there is no spot file (.toml) in the folder {path}")
        files += inside
    names = [file.stem for file in files]
    for name in names:
        if names.count(name) > 1:
            raise SpotError(f"two of the spot files are called {name}: a name is that of one report")
    cases = tuple(Case(file.stem, read_spot(file), 1.0) for file in files)
    _check_locks(cases)
    return Batch(cases, "files")


def _check_locks(cases: Iterable[Case]) -> None:
    """Refuse locks that fit nothing before the first spot is solved, not after it."""
    for case in cases:
        for lock in case.spot.locks:
            try:
                lock_weights(lock, case.spot)
            except SpotError as error:
                raise SpotError(f"{case.name}: {error}") from None


def _blind_to_suits(spot: Spot) -> None:
    """Refuse a template for which flops do not stand for those that only suits tell from them."""
    played = [how for lock in spot.locks for how in lock.play.values() if isinstance(how, Range)]
    weights = [each.weights for each in (*spot.ranges, *played)]
    if len(symmetries((), weights)) < 24:
        raise SpotError(
            "a range or a lock tells suits apart, so that no flop stands for others: list the flops that are meant"
        )
    named = [word for lock in spot.locks for word in lock.line if _is_card(word)]
    if named:
        raise SpotError(f"a lock names the card {named[0]}, which is not alike on all flops: say {DEAL}, any card")


def _is_card(word: str) -> bool:
    return len(word) == 2 and word[0] in _DECK.ranks and word[1] in _DECK.suits


def largest(batch: Batch) -> Spot:
    """The spot of a batch that takes the most memory, as far as that can be told without laying all of them out."""

    def size(spot: Spot) -> tuple[int, int, int]:
        weights = spot.weights(0), spot.weights(1)
        hands = sum(int(np.count_nonzero(each)) for each in weights)
        return -len(spot.board), -len(boards.symmetries(spot.board, weights)), hands

    return max((case.spot for case in batch.cases), key=size)


def memory_of_batch(batch: Batch, settings: Settings, workers: int, *, keep: bool = False) -> int:
    """Bytes that so many spots take at once; a solution that is kept has a fourth of the bytes that single precision
    takes, and is there up to three times.
    """
    one = memory_of(largest(batch), threads=settings.threads, engine=settings.engine, precision=settings.precision)
    return int(one * min(workers, len(batch.cases)) * (1 + (3 / bytes_each(settings.precision) if keep else 0)))


def workers_of(engine: str) -> int:
    """How many spots are solved at a time where nobody says: one a core, but one alone on a GPU."""
    return 1 if is_wanted(engine, gains=True) else cores()


class SpotTask:
    """A case solved: its name, its report, and its solution's file if that is kept."""

    def __init__(self, settings: Settings, keep: bool) -> None:
        self.settings, self.keep = settings, keep

    def __call__(self, case: Case) -> tuple[str, BoardReport, bytes | None]:
        given = self.settings
        solved = solve_spot(
            case.spot, exploitability=given.exploitability, iterations=given.iterations, method=given.method,
            engine=given.engine, threads=given.threads, precision=given.precision, progress=False,
        )  # fmt: skip
        if solved.stopped == "interrupted":
            raise KeyboardInterrupt  # what is half solved is not kept
        return case.name, report_of(solved), _file_of(solved) if self.keep else None


def _file_of(solved: Any) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "solution"
        solved.save(file)
        return file.read_bytes()


def solve_batch(
    batch: Batch,
    folder: str | Path,
    *,
    exploitability: float | None = None,
    iterations: int | None = None,
    method: str = METHOD,
    engine: str = "cpu",
    threads: int = 1,
    precision: str = SINGLE,
    keep: bool = False,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: bool | None = None,
) -> list[BoardReport]:
    """The reports of all spots, in order; those in the folder are taken from there, and every new one is kept there.

    Limits are those of `solve_spot` for each spot. With `keep` its solution lies beside its report. `workers` is how
    many the executor works on at a time on this computer: what they take in memory is asked before the work.
    """
    Limits(iterations, exploitability, None).check(SpotError)
    THREADS.check(threads, error=SpotError)
    check_precision(precision)
    if method not in SCHEMES:
        raise SpotError(f"no method {method!r} for spots; there are {', '.join(SCHEMES)}")
    if exploitability is None and iterations is None:
        exploitability = DEFAULT_EXPLOITABILITY
    settings = Settings(exploitability, iterations, method, engine, threads, precision)
    finished = Finished(folder, KIND, settings.digest(batch.subject), SpotError)
    reports: dict[str, BoardReport] = {}
    missing = []
    for case in batch.cases:
        kept = None if keep and not _solution(finished, case).exists() else _read(finished, case)
        if kept is None:
            missing.append(case)
        else:
            reports[case.name] = kept
    if missing and workers is not None and not is_wanted(engine, gains=True):  # each spot asks for a GPU's memory
        left = Batch(tuple(missing), batch.subject)
        count = min(workers, len(missing))
        must_fit(
            memory_of_batch(left, settings, workers, keep=keep), f"solving {count} spots at a time",
            "give fewer --processes, fewer bet sizes, max_raises or narrower ranges", SpotError,
        )  # fmt: skip
    by_name = {case.name: case for case in missing}
    with Bar("spots", progress) as bar, at_work(executor, SpotTask(settings, keep), missing) as results:
        for name, report, solution in results:
            _write(finished, by_name[name], report, solution)
            reports[name] = report
            bar.show(len(reports) / len(batch.cases), f"{len(reports):,} of {len(batch.cases):,}, {name}")
    return [reports[case.name] for case in batch.cases]


def _solution(finished: Finished, case: Case) -> Path:
    return finished.path / f"{case.name}{SOLUTION}"


def _write(finished: Finished, case: Case, report: BoardReport, solution: bytes | None) -> None:
    """The solution first: where there is a report, there is what was asked for with it."""
    if solution is not None:
        with replacing(_solution(finished, case)) as file:
            file.write(solution)
    header, arrays = report.stored()
    finished.write(case.name, {"spot": _digest(case.spot)} | header, arrays)


def _read(finished: Finished, case: Case) -> BoardReport | None:
    piece = finished.read(case.name)
    if piece is None:
        return None
    header, arrays = piece
    file = finished.file(case.name)
    with reading(file, SpotError):
        digest, report = header.text("spot"), read_report(case.name, header, arrays)
    if digest != _digest(case.spot):
        raise SpotError(f"{file} is the report of another spot of this name: choose another folder")
    return report


def _digest(spot: Spot) -> str:
    return hashlib.sha256(spot.text().encode()).hexdigest()[:16]


def weights_of(batch: Batch, reports: Sequence[BoardReport]) -> np.ndarray:
    """How likely each spot is among these; adds up to 1. Its weight times that of the pairs of hands that it leaves."""
    given: Mapping[str, float] = {case.name: case.weight for case in batch.cases}
    weights = np.array([given[report.name] * report.matchups for report in reports])
    return np.asarray(weights / weights.sum())
