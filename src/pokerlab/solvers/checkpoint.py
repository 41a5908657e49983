"""What is kept of a run so that it can go on: its record in a file's header, its state beside it as arrays.

Strategy files have both. Runs whose result is not such a file keep a checkpoint: complete or not there at all, and the
one before is kept beside it. A new one is written under a temporary name; only when it is complete does the old one get
the name `*.previous`, and the new one the old one's.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from pokerlab.errors import PokerlabError, StrategyFileError
from pokerlab.files import write_arrays
from pokerlab.reading import Damage, Header, number, of_kind, read_arrays, reading, refuse
from pokerlab.solvers.runner import Point, Record, Stepper

FORMAT, VERSION = "pokerlab checkpoint", 2


def kept(record: Record, state: Mapping[str, np.ndarray]) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """A run's part of a file: of its header, and of its arrays."""
    header = {
        "iterations": record.iterations,
        "seconds": record.seconds,
        "stopped": record.stopped,
        "trace": [list(point) for point in record.trace],
        "state": sorted(state),
    }
    return header, {f"state_{key}": array for key, array in state.items()}


def taken(header: Header, arrays: Mapping[str, np.ndarray]) -> tuple[Record, dict[str, np.ndarray]]:
    """The same, back from a file; Damage if it is none."""
    names = header.texts("state")
    if missing := [name for name in names if f"state_{name}" not in arrays]:
        raise Damage(f"it has no state {missing[0]!r}")
    return _record(header), {name: arrays[f"state_{name}"] for name in names}


def _record(header: Header) -> Record:
    trace = tuple(_point(entry) for entry in header.entries("trace"))
    return Record(header.whole("iterations"), _seconds(header), header.text("stopped"), trace)


def _point(entry: Any) -> Point:
    if not isinstance(entry, list) or len(entry) != len(Point._fields) or type(entry[0]) is not int:
        refuse("trace: iteration, seconds and figure", entry)
    return Point(entry[0], number(entry[1], "seconds"), number(entry[2], "figure"))


def _seconds(header: Header) -> float:
    seconds = header.number("seconds")
    return seconds if 0 <= seconds < math.inf else refuse("seconds: a time", seconds)


class Resumable(Stepper, Protocol):
    """A stepper that says what it works on."""

    def subject(self) -> dict[str, Any]:
        """What must be the same for a run to go on, as plain JSON."""
        ...


def previous(path: str | Path) -> Path:
    """Where the checkpoint before the one at `path` is kept: beside it, or beside what `path` is a link to."""
    real = Path(os.path.realpath(path))
    return real.with_name(f"{real.name}.previous")


def save_checkpoint(stepper: Resumable, path: str | Path, record: Record) -> None:
    """Write a checkpoint. If that fails, on a full disk for example, the one that was there is untouched."""
    header, arrays = kept(record, stepper.state())
    whole = {"format": FORMAT, "version": VERSION, **stepper.subject(), **header}
    try:
        write_arrays(path, whole, arrays, error=StrategyFileError, keep=previous(path))
    except StrategyFileError as error:
        reason = str(error).partition(": ")[2]
        unharmed = "; the last checkpoint is unharmed" if Path(path).exists() else ""
        raise StrategyFileError(f"cannot write the checkpoint {path}: {reason}{unharmed}") from None


def keeper(stepper: Resumable, path: str | Path | None) -> Callable[[Record], None] | None:
    """What writes a run's checkpoints; nothing where there is no file for them."""
    return None if path is None else partial(save_checkpoint, stepper, path)


def record_in(path: str | Path) -> Record:
    """How far the run was that a checkpoint is of; its arrays are not read."""
    header, _ = read_arrays(path, FORMAT, VERSION, error=StrategyFileError, names=())
    with reading(path, StrategyFileError):
        return _record(header)


def check_subject(
    found: Mapping[str, Any], wanted: Mapping[str, Any], what: str, error: type[PokerlabError]
) -> None:  # fmt: skip
    """Raise where what is found is of something else than what is wanted, and say what of it is the first."""
    for key, value in wanted.items():
        if found.get(key) != value:
            was, asked = _names(found.get(key), value)
            raise error(f"{what} of another {key}: {was}, not {asked}")


def _names(*told: Any) -> list[Any]:
    """Of things that have a name, as methods do, only that, if it tells them apart."""
    names = [each.get("name") if isinstance(each, Mapping) else None for each in told]
    return names if None not in names and len({*names}) == len(names) else list(told)


def load_checkpoint(stepper: Resumable, path: str | Path) -> Record:
    """Bring a stepper to where a checkpoint left off; the record of the run by then.

    A damaged file, or one of something else, is an error, and the stepper is left as it is.
    """
    path = Path(path)
    try:
        header, arrays = read_arrays(path, FORMAT, VERSION, error=StrategyFileError, oldest=1)
    except StrategyFileError as error:
        older = previous(path)
        raise StrategyFileError(
            f"{error}; the one before it is {older}" if os.path.exists(older) else str(error)
        ) from None
    check_subject(header, stepper.subject(), f"{path} is a checkpoint", StrategyFileError)
    with reading(path, StrategyFileError):
        if header["version"] == 1:  # of samplers only: the state alone, and no trace
            record, state = Record(int(of_kind(arrays, "clock", np.int64, 1)[0]), _seconds(header)), arrays
        else:
            record, state = taken(header, arrays)
    stepper.restore(state)
    return record
