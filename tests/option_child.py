"""The process in which `fuzz_options.py` runs command lines, in a folder that is put back before each.

It reads cases from standard input, one a line, and tells what became of each.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import traceback
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from click.testing import CliRunner

from option_values import (
    BOTS,
    EFG,
    GAME,
    LIMIT,
    PREFLOP,
    SPOT,
    WARM,
)
from pokerlab.cache import cache_folder
from pokerlab.cli import main

ROOM = 4 << 30  # bytes that a case may take beyond what the child has at its start
HERE = Path(__file__).parent
INTERRUPTED = 77  # exit code


def furnish(folder: Path) -> None:
    """The files that cases name."""
    # Libraries are loaded here, where no Ctrl-C can cut it short; DuckDB's threads begin with a connection.
    import duckdb  # noqa: F401
    import numpy as np
    import pyspiel  # noqa: F401
    import uvicorn  # noqa: F401

    import pokerlab
    import pokerlab.web.serve
    from pokerlab.abstraction.buckets.build import cached_path
    from pokerlab.agents.recipes import RECIPES, Recipe
    from pokerlab.agents.simple import Call, Raise
    from pokerlab.match.play import play_match
    from pokerlab.papers import PAPERS, Paper
    from pokerlab.papers.report import Report
    from pokerlab.records.logs import LogWriter
    from pokerlab.refine.preflop.game import parse_preflop
    from pokerlab.refine.preflop.run import solve_preflop
    from pokerlab.refine.spots.run import solve_spot
    from pokerlab.refine.spots.spot import parse_spot
    from tiny_cards import tiny_cards

    (folder / "folder").mkdir()
    texts = {
        "river.toml": SPOT, "tiny.toml": PREFLOP, "small.game": GAME, "limit.game": LIMIT, "pennies.efg": EFG,
    }  # fmt: skip
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "bots.py").write_text(BOTS)
    (folder / "empty").touch()
    (folder / "noise").write_bytes(np.random.default_rng(0).bytes(2000))
    for name in ("limit.blueprint", "nolimit.blueprint", "forgets.buckets", "turn.solution"):
        shutil.copy(HERE / "files" / name, folder)
    pokerlab.solve("kuhn", iterations=3).save(folder / "kuhn.strategy")
    solved = solve_spot(parse_spot(SPOT), iterations=3, threads=1, checkpoint=folder / "river.checkpoint")
    solved.save(folder / "river.solution")
    game = parse_preflop(PREFLOP, "tiny")
    before = solve_preflop(game, iterations=3, threads=1, checkpoint=folder / "tiny.checkpoint")
    before.save(folder / "tiny.preflop")
    kuhn = pokerlab.rules_of("kuhn")
    with LogWriter(folder / "match.log", kuhn, ["call", "raise"], 5, 0) as log:
        play_match(kuhn, [Call(), Raise()], 5, watch=log.watch)
    # In another process: DuckDB's threads would not survive a fork.
    make = [sys.executable, "-m", "pokerlab", "hands", "ingest", "match.log", "--store", "hands.store"]
    subprocess.run(make, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    tiny = tiny_cards()
    for recall in (True, False):
        for seed in (0, 1, 2):
            path = cached_path(replace(tiny.spec, perfect_recall=recall, seed=seed))
            path.parent.mkdir(exist_ok=True)
            tiny.save(path)
    RECIPES.add("tiny", Recipe("tiny", "for tests", "holdem-limit", "cap 1 1 1 1", "hand", tiny.spec.text, 1.0))
    PAPERS.add("tiny", Paper("Tiny", lambda quick, pieces: Report("tiny", [])))
    for words in WARM:  # forks find these kernels loaded
        ran = CliRunner().invoke(main, words.split())
        assert ran.exit_code == 0, ran.stderr


class Restored:
    """A folder that is put back to what it was."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        self.stamps = {name: self._stamp(name) for name in self.kept}

    def _stamp(self, name: str) -> tuple[int, int] | None:
        try:
            status = os.lstat(self.folder / name)
        except OSError:
            return None
        return (status.st_mtime_ns, status.st_size) if stat.S_ISREG(status.st_mode) else None

    def restore(self) -> None:
        for path in os.listdir(os.fsencode(self.folder)):
            name = os.fsdecode(path)
            if name in self.kept or name == "folder":
                continue
            whole = self.folder / name
            shutil.rmtree(whole) if whole.is_dir() and not whole.is_symlink() else whole.unlink()
        for path in (self.folder / "folder").iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        for name, content in self.kept.items():
            if self._stamp(name) != self.stamps[name]:
                (self.folder / name).write_bytes(content)
                self.stamps[name] = self._stamp(name)


def serve_a_dealer() -> int:
    """A port at which a match of two hands waits for one more player."""
    import numpy as np

    from pokerlab.agents.simple import Call
    from pokerlab.game.catalog import rules_of
    from pokerlab.match.client import join
    from pokerlab.match.dealer import Dealer, Limits

    rules = rules_of("kuhn")
    dealer = Dealer(rules, 2, limits=Limits(start=2, response=2))
    threading.Thread(target=dealer.run, daemon=True).start()
    other = "127.0.0.1", dealer.ports[1], Call(), rules, np.random.default_rng(0)
    threading.Thread(target=join, args=other, daemon=True).start()
    return dealer.ports[0]


def child() -> None:
    """Run cases from standard input, one a line, until it ends.

    They run in a fork, with kernels and files at hand; after Ctrl-C, which may leave things half done, in a new one.
    """
    folder, channel = Path(tempfile.mkdtemp(prefix="fuzz-")), os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what libraries print is no answer
    try:
        (folder / "here").mkdir()
        (folder / "cache").mkdir()
        for table in ("evaluator", "matchups"):  # which take some seconds to make
            for path in cache_folder().glob(f"{table}-*.npz"):
                shutil.copy(path, folder / "cache")
        os.environ |= {"COLUMNS": "200", "POKERLAB_CACHE": str(folder / "cache")}
        os.chdir(folder / "here")
        furnish(Path.cwd())
        here = Restored(Path.cwd())
        print("ready", file=channel, flush=True)
        again = True
        while again:
            pid = os.fork()
            if pid == 0:
                os._exit(serve(here, channel))
            again = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == INTERRUPTED
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def serve(here: Restored, channel: TextIO) -> int:
    """Run cases until there are no more, or one had to be interrupted."""
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, used + ROOM))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    alarms: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        alarms.append(number)
        os.kill(os.getpid(), signal.SIGINT)

    signal.signal(signal.SIGALRM, interrupt)
    for text in iter(sys.stdin.readline, ""):
        words, files, patience = json.loads(text)
        here.restore()
        for name, content in files.items():
            Path(name).write_text(content)
        if words[0] == "join" and "--game=kuhn" in words and words[-1] == "1":
            words = [*words[:-1], str(serve_a_dealer())]
        signal.setitimer(signal.ITIMER_REAL, patience)
        ran = CliRunner().invoke(main, words)
        signal.setitimer(signal.ITIMER_REAL, 0)
        told = {"code": ran.exit_code, "out": ran.stdout, "err": ran.stderr, "escaped": "", "interrupted": bool(alarms)}
        if ran.exception is not None and not isinstance(ran.exception, SystemExit):
            told["escaped"] = "".join(traceback.format_exception(ran.exception))[-2000:]
        print(json.dumps(told), file=channel, flush=True)
        if alarms:
            return INTERRUPTED
    return 0


if __name__ == "__main__":
    child()
