"""Damaged files through every loader: each is read, or refused in one printable line, promptly and in little memory.

    python tests/fuzz_files.py --files 20000 [--seed 1] [--only strategy]

Samples and loaders are those of `file_loaders.py`; `wounds` damages them, half of the time by meaning,
under checksums that are right. Files are read in child processes whose memory is limited, in which a warning is an
error; some are read through the commands. What fails is kept, with its number, so that it can be looked at.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from file_loaders import Loader, loaders
from pokerlab.cli import main as command
from pokerlab.errors import PokerlabError, PokerlabWarning
from wounds import clean, wounded

MEMORY = 4 << 30  # bytes of addresses that reading may take beside what a process has when it begins
SECONDS = 20  # of a processor for one file; whoever waits, does so for six times as long at most
BLOCK = 100  # files that a child is given at once


def through(loader: Loader, path: Path, by_command: bool) -> str:
    """What came of a file: `read` or `refused`; anything else is an AssertionError or whatever was raised."""
    if by_command and loader.ask is not None:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                command(loader.ask(path), prog_name="pokerlab")
                code: Any = 0
            except SystemExit as stop:
                code = stop.code
        for line in (out.getvalue() + err.getvalue()).splitlines():
            assert line.isprintable(), f"not printable: {line!r}"
        assert code in (0, 2), (code, err.getvalue()[-500:])
        if code:
            assert clean(err.getvalue().splitlines()[-1]), err.getvalue()[-500:]
        return "refused by the command" if code else "read by the command"
    came, told = "read", []
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", PokerlabWarning)
        try:
            loader.load(path)
        except PokerlabError as error:
            came, told = "refused", [str(error)]
    told += [str(each.message) for each in warned]
    assert all(map(clean, told)), f"not one clean line: {told!r}"
    return came if came == "refused" or not warned else "read with a warning"


class Slow(BaseException):
    """A file took too long."""


def _late(signal_number: int, frame: Any) -> None:
    raise Slow(f"not done after {SECONDS} s of work")


def _child(name: str, first: int, last: int, seed: int, folder: Path, keep: Path, pipe: Any) -> None:
    """Read files of one loader, and tell what came of each."""
    loader = _LOADERS[name]
    with open("/proc/self/statm") as file:
        taken = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (taken + MEMORY, taken + MEMORY))
    signal.signal(signal.SIGPROF, _late)
    warnings.simplefilter("error")
    warnings.simplefilter("always", PokerlabWarning)
    path = folder / f"x{os.getpid()}{loader.suffix}"
    for number in range(first, last):
        rng = random.Random(f"{seed} {name} {number}")
        data = wounded(rng, loader.good)
        path.write_bytes(data)
        pipe.send((number, "begun"))
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            came = through(loader, path, rng.random() < 0.15)
        except BaseException as error:
            came = f"FAILED {type(error).__name__}: {str(error)[:300]}"
            keep.mkdir(parents=True, exist_ok=True)
            (keep / f"{name}-{number}{loader.suffix}").write_bytes(data)
            (keep / f"{name}-{number}.txt").write_text(traceback.format_exc())
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send((number, came))
    pipe.send((last, "done"))


_LOADERS: dict[str, Loader] = {}


def fuzz(files: int, seed: int, keep: Path, only: str | None = None, show: Callable[[str], None] = print) -> Counter:
    """Counts of (loader, outcome) over so many files."""
    counts: Counter = Counter()
    context = get_context("fork")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not _LOADERS:
            _LOADERS.update(loaders(folder))
            for each in _LOADERS.values():  # compiles and imports whatever reading needs, before memory is limited
                (folder / f"good{each.suffix}").write_bytes(each.good[0])
                through(each, folder / f"good{each.suffix}", False)
                through(each, folder / f"good{each.suffix}", True)
        chosen = [only] if only else list(_LOADERS)
        total = sum(_LOADERS[name].share for name in chosen)
        for name in chosen:
            share = max(1, files * _LOADERS[name].share // total)
            if name == chosen[0]:
                share += files - sum(max(1, files * _LOADERS[each].share // total) for each in chosen)
            at = 0
            while at < share:
                ours, theirs = context.Pipe(duplex=False)
                process = context.Process(
                    target=_child, args=(name, at, min(share, at + BLOCK), seed, folder, keep, theirs)
                )
                process.start()
                theirs.close()
                begun = at
                with contextlib.suppress(EOFError):
                    while ours.poll(6 * SECONDS):
                        begun, came = ours.recv()
                        if came == "done":
                            break
                        if came != "begun":
                            counts[name, came] += 1
                            begun += 1
                process.join(1)
                if process.is_alive():
                    process.kill()
                    process.join()
                if begun < min(share, at + BLOCK):
                    counts[name, f"FAILED: the process ended ({process.exitcode}) at file {begun}"] += 1
                    begun += 1
                at = begun
            show(
                f"{name:<24} " + ", ".join(f"{n:,} {came}" for (who, came), n in sorted(counts.items()) if who == name)
            )
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", help="one loader")
    parser.add_argument("--keep", type=Path, default=Path("/tmp/pokerlab-fuzz"), help="where files that failed are put")
    given = parser.parse_args()
    counts = fuzz(given.files, given.seed, given.keep, given.only)
    failed = sum(n for (_, came), n in counts.items() if came.startswith("FAILED"))
    print(f"{sum(counts.values()):,} files: {failed:,} failed" + (f", kept in {given.keep}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
