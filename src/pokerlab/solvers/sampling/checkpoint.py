"""Checkpoints of samplers: complete or not there at all, and the one before is kept beside them.

A checkpoint is a file of arrays (`pokerlab.files`), each with its checksum. A new one is written under a temporary
name; only when it is complete does the old one get the name `*.previous`, and the new one the old one's.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from pokerlab.errors import StrategyFileError
from pokerlab.files import read_arrays, write_arrays
from pokerlab.solvers.sampling.sampler import Sampler

FORMAT, VERSION = "pokerlab checkpoint", 1


def previous(path: str | Path) -> Path:
    """Where the checkpoint before the one at `path` is kept."""
    return Path(path).with_name(f"{Path(path).name}.previous")


def save_checkpoint(sampler: Sampler, path: str | Path, seconds: float = 0.0) -> None:
    """Write a checkpoint. If that fails, on a full disk for example, the one that was there is untouched."""
    path = Path(path)
    for left_over in path.parent.glob(f".{path.name}.*"):  # of a run that was killed while it wrote
        left_over.unlink(missing_ok=True)
    header = {"format": FORMAT, "version": VERSION, **_identity(sampler), "seconds": seconds}
    fresh = path.with_name(f".{path.name}.new")
    try:
        write_arrays(fresh, header, sampler.arrays(), error=StrategyFileError)
        if path.exists():
            _keep(path)
        os.replace(fresh, path)
    except StrategyFileError as error:
        reason = str(error).partition(": ")[2]
        kept = "; the last checkpoint is unharmed" if path.exists() else ""
        raise StrategyFileError(f"cannot write the checkpoint {path}: {reason}{kept}") from None
    except OSError as error:
        raise StrategyFileError(f"cannot write the checkpoint {path}: {error.strerror or error}") from None
    finally:
        fresh.unlink(missing_ok=True)


def _keep(path: Path) -> None:
    """Let the file also be the previous one, without a moment in which neither name exists."""
    spare = path.with_name(f".{path.name}.old")
    try:
        os.link(path, spare)
    except OSError:  # a file system without links
        os.replace(path, previous(path))
    else:
        os.replace(spare, previous(path))


def load_checkpoint(sampler: Sampler, path: str | Path) -> float:
    """Bring a sampler to where a checkpoint left off; the seconds that it had run by then.

    A damaged file, or one of another game or plan, is an error, and the sampler is left as it is.
    """
    path = Path(path)
    try:
        header, arrays = read_arrays(path, FORMAT, VERSION, error=StrategyFileError)
    except StrategyFileError as error:
        older = previous(path)
        raise StrategyFileError(f"{error}; the one before it is {older}" if older.exists() else str(error)) from None
    mine = _identity(sampler)
    for key, value in mine.items():
        if header.get(key) != value:
            raise StrategyFileError(f"{path} is a checkpoint of another {key}: {header.get(key)}, not {value}")
    sampler.restore(arrays)
    return float(header["seconds"])


def _identity(sampler: Sampler) -> dict[str, Any]:
    """What must be the same for a run to go on."""
    graph = sampler.graph
    digest = hashlib.sha256()
    for array in graph.arrays:
        digest.update(array.tobytes())
    return {
        "game": graph.rules.text(),
        "buckets": [list(row) for row in graph.buckets],
        "betting": digest.hexdigest()[:16],
        "plan": {"sampling": sampler.plan.sampling, **sampler.plan.parameters()},
    }
