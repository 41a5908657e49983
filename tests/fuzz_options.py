"""Every option of every command, with values that make sense and values that do not.

The commands, their parameters and the types of these come from click itself, so that what is added is covered. Cases
run one after another in a child process with little memory and under a clock, in a folder that is put back before each:

    python tests/fuzz_options.py --seconds 600       random cases for ten minutes; those of the test suite come first

A case fails by an exit code other than 0, 1, 2 and 130, an exception that escapes, exit code 1 or 2 without exactly one
line of complaint, memory that runs out, JSON that is none, figures that overflow, escape codes on their way to a
terminal, or by not ending: whoever asks for much gets Ctrl-C, and has some seconds to end.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import resource
import select
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TextIO

import click
from click.testing import CliRunner

from option_values import (
    BESIDES,
    BOTS,
    EFG,
    FEW,
    FILES,
    GAME,
    GOOD,
    INSTEAD,
    LIMIT,
    NUMBERS,
    ODD,
    ONLY_WHEN_TESTED,
    PATHS,
    PREFLOP,
    PROCESSES,
    SPOT,
    WARM,
)
from pokerlab.cli import main
from pokerlab.cli.number import Within

PATIENCE = 1.5  # seconds until Ctrl-C
LONG = 40.0  # the same for a case that failed when it was interrupted: libraries that are still loading take it ill
GRACE = 60.0  # seconds to end after it, on a busy machine
ROOM = 4 << 30  # bytes that a case may take beyond what the child has at its start
HERE = Path(__file__).parent
INTERRUPTED = 77  # exit code
FIRST = 3  # bad values of each option that always run


@dataclass(frozen=True)
class Case:
    """Words after `pokerlab`, files to write before, the option under test, and whether its value makes sense."""

    words: tuple[str, ...]
    option: str
    good: bool
    files: dict[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class Outcome:
    """What became of a case; `failure` says in what way it failed, if it did."""

    case: Case
    code: int | None
    failure: str


def commands(group: click.Group = main, before: tuple[str, ...] = ()) -> dict[tuple[str, ...], click.Command]:
    """Every command that can be run, by its words."""
    context, known = click.Context(group), {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        words = (*before, name)
        known.update(commands(command, words) if isinstance(command, click.Group) else {words: command})
    return known


def option_of(words: tuple[str, ...], parameter: click.Parameter) -> str:
    return f"{' '.join(words)} {parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.name.upper()}"


def _rows(table: dict[str, list[str]], words: tuple[str, ...], parameter: click.Parameter) -> list[str] | None:
    return table.get(f"{words[-1]} {parameter.name}", table.get(parameter.name))


def values(words: tuple[str, ...], parameter: click.Parameter) -> tuple[list[str], list[str]]:
    """Values of a parameter that make sense, and others (of which some may)."""
    kind = parameter.type
    if isinstance(kind, Within):
        bound = kind.bound
        least = bound.least + (0.01 if bound.above else 0)
        beyond = [str(bound.most * 10 + 1), str(bound.least - 1), str(bound.most), f"-{bound.most}"]
        return [FEW.get(bound, "1"), str(bound.least + 1), str(least)], [*beyond, *NUMBERS]
    if isinstance(kind, click.Choice):
        return list(kind.choices), ["", "x", kind.choices[0].upper(), "\x1b[1m", "\udcff", "a" * 5000]
    if isinstance(kind, click.Path):
        rows = _rows(FILES, words, parameter)
        return (["new.out"] if rows is None else rows), PATHS
    rows = _rows(GOOD, words, parameter)
    return ([] if rows is None else rows), PROCESSES if option_of(words, parameter) == "dealer --agents" else ODD


def given(parameter: click.Parameter, value: str) -> list[str]:
    if isinstance(parameter, click.Option):
        return [f"{parameter.opts[-1]}={value}"]
    return [value]


def _asked_for(words: tuple[str, ...], parameter: click.Parameter) -> bool:
    """Whether a command is not run without it: what is required, and names without which a command only lists."""
    return parameter.required or parameter.name == "name"


def _times(parameter: click.Parameter) -> int:
    return 2 if parameter.name in ("agents", "ranges") else 1


def line(words: tuple[str, ...], command: click.Command, tested: click.Parameter, said: list[str]) -> tuple[str, ...]:
    """A command with `said` of the parameter under test, and what is needed besides, small and sensible."""
    besides, label = BESIDES.get(" ".join(words), []), option_of(words, tested)
    options = [*(besides if besides and besides[0] not in tested.opts else []), *BESIDES.get(label, [])]
    arguments: list[str] = []
    for parameter in command.params:
        few = isinstance(parameter.type, Within) and parameter.type.bound in FEW
        if parameter is tested:
            (arguments if isinstance(parameter, click.Argument) else options).extend(said * _times(parameter))
        elif isinstance(parameter, click.Argument) and _asked_for(words, parameter):
            arguments += values(words, parameter)[0][:1] * _times(parameter)
        elif option_of(words, parameter) in ONLY_WHEN_TESTED or parameter.opts[-1] in options:
            continue
        elif isinstance(parameter, click.Option) and (parameter.required or few):
            options += given(parameter, (*values(words, parameter)[0], "x")[0])
    if "--method=lp" in options:
        options = ["--method=lp"]  # which takes no limits
    return (*words, *options, "--", *INSTEAD.get(label, arguments))


def cases_of(words: tuple[str, ...], command: click.Command) -> list[Case]:
    """Each parameter of a command with each of its values, everything else small and sensible; every other as JSON."""
    cases = []
    for parameter in command.params:
        good, bad = values(words, parameter)
        rows = [(given(parameter, value), True) for value in good] + [(given(parameter, value), False) for value in bad]
        if isinstance(parameter, click.Option) and parameter.is_flag:
            spelled = [*parameter.opts, *parameter.secondary_opts]
            rows = [([one], True) for one in spelled] + [
                ([f"{one}={odd}"], False) for one in spelled for odd in ("x", "")
            ]
        for number, (said, sensible) in enumerate(rows):
            told = line(words, command, parameter, said)
            as_json = ("--json",) if number % 2 and "--json" not in told else ()
            cases.append(Case((*words, *as_json, *told[len(words) :]), option_of(words, parameter), sensible))
    return cases


def written(template: str) -> list[str]:
    """A file with each of its numbers, one after another, replaced by ones that make no sense."""
    files = []
    for spot in re.finditer(r"(?<![\w.])\d+(\.\d+)?", template):
        for number in (
            str(10**23),
            "nan",
            "inf",
            "-1",
            "0",
            str(10**9 + 1),
            "1e400",
            "1.5",
            '"x"',
            "9" * 5000,
            "[[1]]",
        ):
            files.append(template[: spot.start()] + number + template[spot.end() :])
    return files


def file_cases() -> list[Case]:
    """Numbers inside of files and of agents' specs."""
    cases = []
    for text in written(SPOT):
        words = ("spot", "--iterations=3", "--threads=1", "odd.toml")
        cases.append(Case(words, "spot FILE", False, {"odd.toml": text}))
    for number, text in enumerate([*written(GAME), *written(LIMIT)]):
        solve, match = (
            ("solve", "--iterations=2", "odd.game"),
            ("match", "--game=odd.game", "--hands=2", "random", "call"),
        )
        words, option = (match, "match --game") if number % 2 else (solve, "solve GAME")
        cases.append(Case(words, option, False, {"odd.game": text}))
    for option, agent, words in (
        ("size name", "raise", ("match", "--game=small.game", "--hands=2", "call")),
        ("size", "bots:Calls", ("match", "--game=small.game", "--hands=2", "call")),
        ("vary threshold translation name", "limit.blueprint", ("ask", "--hand=AsKd")),
        ("tight aggressive size", "formula", ("ask", "--game=holdem-limit", "--hand=AsKd")),
        ("trials seconds seed lenience", "aki", ("ask", "--game=holdem-limit", "--hand=AsKd")),
        ("mix needed fade levels", "vexbot", ("ask", "--game=holdem-limit", "--hand=AsKd")),
        (
            "seconds iterations threads memory belief bets ahead from technique device", "resolving:nolimit.blueprint",
            ("match", "--game=holdem-nolimit:stack=2000", "--hands=1", "call"),
        ),
    ):  # fmt: skip
        for key in option.split():
            for number in NUMBERS:
                place = "ask AGENT" if words[0] == "ask" else "match AGENTS"
                cases.append(Case((*words, f"{agent}?{key}={number}"), place, False))
    return cases


def all_cases() -> list[Case]:
    """Every option with every value."""
    return [case for words, command in commands().items() for case in cases_of(words, command)] + file_cases()


def some_cases(most: int, seed: int = 0) -> list[Case]:
    """For the suite: every good value of every option, the first bad ones of each, and others drawn from the rest."""
    rng, kept, rest, first = random.Random(seed), [], [], dict[str, int]()
    for case in all_cases():
        first[case.option] = first.get(case.option, 0) + (not case.good)
        (kept if case.good or first[case.option] <= FIRST else rest).append(case)
    return kept + rng.sample(rest, min(len(rest), max(0, most - len(kept))))


def random_case(rng: random.Random) -> Case:
    """A command with several options at once, each good or bad, and texts with some characters changed."""
    words, command = rng.choice(list(commands().items()))
    line, arguments, sensible = [], [], True
    for parameter in command.params:
        optional = isinstance(parameter, click.Option) and not parameter.required
        few = isinstance(parameter.type, Within) and parameter.type.bound in FEW
        if optional and not few and rng.random() < 0.7:
            continue
        if isinstance(parameter, click.Option) and parameter.is_flag:
            line.append(rng.choice([*parameter.opts, *parameter.secondary_opts]))
            continue
        good, bad = values(words, parameter)
        wrong = rng.random() < 0.3 or not good
        sensible &= not wrong
        for _ in range(2 if parameter.name == "agents" else 1):
            value = rng.choice(good) if not wrong else _changed(rng, rng.choice(good + bad), rng.random() < 0.5)
            (line if isinstance(parameter, click.Option) else arguments).extend(given(parameter, value))
    return Case((*words, *line, "--", *arguments), f"{' '.join(words)} at random", sensible)


def _changed(rng: random.Random, text: str, so: bool) -> str:
    if not so or not text:
        return text
    numbers = list(re.finditer(r"\d+", text))
    if numbers and rng.random() < 0.5:
        where = rng.choice(numbers)
        return text[: where.start()] + rng.choice(NUMBERS) + text[where.end() :]
    at = rng.randrange(len(text))
    return (
        text[:at] + rng.choice(["", "\x1b", "é", ":", "?", "-", "9" * 20, text[at] * 3]) + text[at + rng.randrange(2) :]
    )


# ---- the child


def furnish(folder: Path) -> None:
    """The files that cases name."""
    import duckdb  # noqa: F401 - loaded here, where no Ctrl-C can cut it short; its threads begin with a connection
    import numpy as np

    import pokerlab
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
    PAPERS.add("tiny", Paper("Tiny", lambda quick: Report("tiny", [])))
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
        os.environ |= {"COLUMNS": "200", "POKERLAB_CACHE": str(folder / "cache")}
        (folder / "here").mkdir()
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


# ---- the parent


class Child:
    """The process that runs cases; a new one when one had to be killed."""

    def __init__(self) -> None:
        self.process: subprocess.Popen | None = None

    def _start(self) -> subprocess.Popen:
        paths = os.pathsep.join([str(HERE), *sys.path])
        process = subprocess.Popen(
            [sys.executable, __file__, "--child"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": paths}, process_group=0,
        )  # fmt: skip
        line = process.stdout.readline()
        assert line == "ready\n", f"the child did not start: it said {line!r} and ended with {process.poll()}"
        return process

    def run(self, case: Case, patience: float = PATIENCE) -> dict | None:
        """What the child says of a case; None: it had to be killed, or has died."""
        self.process = self.process or self._start()
        self.process.stdin.write(json.dumps([list(case.words), case.files, patience]) + "\n")
        self.process.stdin.flush()
        ready, _, _ = select.select([self.process.stdout], [], [], patience + GRACE)
        line = self.process.stdout.readline() if ready else ""
        if line:
            return json.loads(line)
        self.close()
        return None

    def close(self) -> None:
        if self.process is not None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            self.process = None


_COMPLAINT = re.compile(r"^pokerlab: (?!warning: )", re.M)
_OVERFLOW = re.compile(r"encountered in|overflow|divide by zero")


def judged(case: Case, told: dict | None) -> Outcome:
    """Whether a case went as it must."""
    if told is None:
        return Outcome(case, None, "it hangs, or killed its process")
    code, out, err = told["code"], told["out"], told["err"]
    failure = ""
    if told["escaped"]:
        failure = f"escaped: {told['escaped']}"
    elif code not in (0, 1, 2, 130):
        failure = f"exit code {code}"
    elif code in (1, 2) and len(_COMPLAINT.findall(err)) != 1 and "Usage:" not in err:
        failure = f"exit code {code} and not one line of complaint: {err!r}"
    elif code == 130 and len(re.findall(r"^interrupted: ", err, re.M)) != 1:
        failure = f"Ctrl-C, and not one line that says what was kept: {err!r}"
    elif "Traceback" in err or "out of memory" in err:
        failure = err
    elif _OVERFLOW.search(err):
        failure = f"figures overflow: {err!r}"
    elif re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", out + err.replace("\r", "")):
        failure = f"control characters: {(out + err)!r}"
    elif code == 0 and "--json" in case.words:
        failure = _no_json(out)
    return Outcome(case, code, failure[-3000:])


def _no_json(text: str) -> str:
    def no_number(word: str) -> float:
        raise ValueError(f"{word} is no number of JSON")

    try:
        return "" if isinstance(json.loads(text, parse_constant=no_number), dict) else f"no object: {text[:300]!r}"
    except ValueError as error:
        return f"{error}: {text[:300]!r}"


def tried(runner: Child, case: Case) -> Outcome:
    """Run a case and judge it; one that failed when it was interrupted once more, with more time."""
    outcome = judged(case, told := runner.run(case))
    return judged(case, runner.run(case, LONG)) if outcome.failure and told and told["interrupted"] else outcome


def fuzz(cases: list[Case]) -> list[Outcome]:
    """Run cases and judge them."""
    runner, outcomes = Child(), []
    try:
        for case in cases:
            outcomes.append(tried(runner, case))
    finally:
        runner.close()
    return outcomes


def show(outcome: Outcome) -> str:
    words = " ".join(repr(word if len(word) < 80 else word[:80] + "...") for word in outcome.case.words)
    return f"{outcome.case.option}: pokerlab {words}\n    {outcome.failure}" + "".join(
        f"\n    {name}: {text!r}" for name, text in outcome.case.files.items()
    )


def run_long(seconds: float, seed: int) -> int:
    """Every option with every value, then random cases until the time is up."""
    rng, began, runner, count, failures = random.Random(seed), time.monotonic(), Child(), 0, 0
    waiting = all_cases()[::-1]
    options = {case.option for case in waiting}
    while time.monotonic() - began < seconds:
        case = waiting.pop() if waiting else random_case(rng)
        outcome = tried(runner, case)
        count += 1
        if outcome.failure:
            failures += 1
            print(show(outcome), flush=True)
    runner.close()
    told = f"{count:,} cases over {len(options)} options of {len(commands())} commands"
    print(f"{told}, {failures} failures, {len(waiting):,} cases not run, seed {seed}")
    return int(failures > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    sys.exit(child() if asked.child else run_long(asked.seconds, asked.seed))
