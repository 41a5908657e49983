"""Tests against mutants, each in a forked child; nothing is written to the sources.

A mutant of a function's body replaces the code of that function where all tests of a group are loaded already, which
takes a tenth of a second. One that passes, and one of anything else, is imported afresh in the place of the module.
Which tests run a line is gathered once, and kept in a file as long as the tests are the same. Compiled functions are
not traced, and what numba has cached would hide a mutant; so theirs run as plain Python, against tests whose times were
taken the same way.
"""

from __future__ import annotations

import ast
import atexit
import contextlib
import hashlib
import importlib
import importlib.machinery
import importlib.util
import json
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import _lru_cache_wrapper, partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import coverage
import pytest
from _pytest import main
from hypothesis import Phase, settings

from mutation.operators import Mutant, mutated_tree, plain

KEPT = ("numba", "numpy", "scipy", "re", "typing", "hypothesis")  # libraries whose memory has nothing of ours
SLOWEST = 10.0  # seconds of processor time: tests that take longer are left out


class TooSlow(Exception):
    """A test has run for so long that it hangs."""


@dataclass
class Ran:
    """A test of a clean run: did it pass, its processor time, and the lines it ran, {file: {function: offsets}}."""

    passed: bool
    seconds: float
    lines: dict[str, dict[str, list[int]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Group:
    """Files that are measured together, and the test files that ought to catch their mutants."""

    name: str
    files: tuple[Path, ...]
    tests: tuple[Path, ...]
    twins: tuple[Path, ...] = ()  # tests for what is compiled, which then runs as plain Python


@dataclass(frozen=True)
class Job:
    """A mutant, and the tests to try it with, in this order."""

    mutant: Mutant
    tests: tuple[str, ...]


class Laboratory:
    """A package at `source`, the folder `root` from which tests run, and one to keep things in between runs.

    `libraries` are loaded once, before anything is forked. A test hangs when it takes ten times as much processor time
    as without a mutant, and `patience` seconds more, or waits for three times that; how busy the machine is does not
    matter.
    """

    def __init__(
        self, root: Path, source: Path, keep: Path, libraries: Iterable[str] = (), patience: float = 10.0
    ) -> None:
        self.root, self.source, self.keep, self.patience = root, source, keep, patience
        keep.mkdir(parents=True, exist_ok=True)
        self._own = Path(tempfile.mkdtemp(dir=keep))
        atexit.register(shutil.rmtree, self._own, ignore_errors=True)
        self._map = keep / "map.json"
        self._known: dict[str, Any] = json.loads(self._map.read_text()) if self._map.exists() else {}
        for name in (*libraries, "_hypothesis_pytestplugin"):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)

    def name_of(self, file: Path) -> str:
        """A file's name in reports."""
        return file.relative_to(self.source).as_posix()

    def tests_of(self, group: Group, compiled: bool) -> dict[str, Ran]:
        """The tests of a group that pass without a mutant; `compiled` functions of its files as plain Python."""
        tests: dict[str, Ran] = {}
        for file in group.twins if compiled else group.tests:
            key = f"{group.name} {file.relative_to(self.root)} {'plain' if compiled else ''}".strip()
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            if self._known.get(key, {}).get("digest") != digest:
                print(f"running {key}", file=sys.stderr)
                rows = self._gather(group, file, compiled)
                self._known = (json.loads(self._map.read_text()) if self._map.exists() else {}) | self._known
                self._known[key] = {"digest": digest, "tests": rows}
                self._map.write_text(json.dumps(self._known))
            ran = {name: Ran(**row) for name, row in self._known[key]["tests"].items()}
            tests |= {name: each for name, each in ran.items() if each.passed and each.seconds <= SLOWEST}
        return tests

    def _gather(self, group: Group, file: Path, compiled: bool) -> dict[str, Any]:
        def task() -> dict[str, Any]:
            self._hook(group, compiled)
            watched = coverage.Coverage(
                data_file=None, include=[str(each) for each in group.files], config_file=False, messages=False
            )
            plugin = _Plugin(None, watched)
            with self._room(fill=True):
                watched.start()
                self._pytest([file], plugin)
                watched.stop()
            for each in group.files:
                functions = _functions(_parsed(each))
                for line, names in watched.get_data().contexts_by_lineno(str(each)).items():
                    function, first = functions.get(line, ("", 0))
                    for name in names:
                        if name in plugin.ran:
                            rows = plugin.ran[name].lines.setdefault(self.name_of(each), {})
                            rows.setdefault(function, []).append(line - first)
            return {name: asdict(ran) for name, ran in plugin.ran.items()}

        rows = self._forked(task, 3600)
        if rows is None:
            raise RuntimeError(f"{file} did not end, or crashed, without a mutant:\n{self._log()}")
        return rows

    def outcomes(self, group: Group, jobs: Sequence[Job], known: Mapping[str, Ran]) -> Iterator[str]:
        """Of each mutant the first test that it fails, "" if it passes all. A hang or a crash is a failure.

        All of them, or none, are of compiled functions.
        """
        bodies = [job for job in jobs if job.mutant.body and job.tests]
        quick = dict(zip(bodies, self._in_place(group, bodies, known), strict=True)) if bodies else {}
        for job in jobs:
            yield quick.get(job) or self._afresh(group, job, known)

    def _in_place(self, group: Group, jobs: Sequence[Job], known: Mapping[str, Ran]) -> list[str]:
        """The same for mutants of bodies of functions; "" where the code could not be replaced, too."""

        def task() -> list[str]:
            self._hook(group, jobs[0].mutant.compiled)
            plugin, outcomes = _Plugin({}), []

            def loop(session: pytest.Session) -> None:
                items = {item.nodeid: item for item in session.items}
                for job in jobs:
                    outcomes.append(self._forked(partial(within, session, items, job), self._patience(job, known)))

            def within(session: pytest.Session, items: Mapping[str, pytest.Item], job: Job) -> str:
                file = self.source / job.mutant.file
                if not replace_code(self._module(file), file, job.mutant):
                    return ""
                plugin.limits = self._limits(job, known)
                session.items = [items[name] for name in job.tests]
                with self._room(), contextlib.suppress(session.Failed):
                    main.pytest_runtestloop(session)
                return plugin.outcome(0)

            plugin.loop = loop
            self._pytest([self.root / name for name in _files(known)], plugin, "-x")
            return ["crash" if outcome is None else outcome for outcome in outcomes]

        outcomes = self._forked(task, 600 + sum(self._patience(job, known) for job in jobs))
        if outcomes is None or len(outcomes) != len(jobs):
            raise RuntimeError(f"the tests of {group.name} cannot be loaded:\n{self._log()}")
        return outcomes

    def _afresh(self, group: Group, job: Job, known: Mapping[str, Ran]) -> str:
        def task() -> str:
            self._hook(group, job.mutant.compiled, job.mutant)
            plugin = _Plugin(self._limits(job, known))
            with self._room():
                return plugin.outcome(self._pytest([self.root / name for name in _files(job.tests)], plugin, "-x"))

        outcome = self._forked(task, self._patience(job, known)) if job.tests else ""
        return "crash" if outcome is None else outcome

    def _limits(self, job: Job, known: Mapping[str, Ran]) -> dict[str, float]:
        return {name: 10 * known[name].seconds + self.patience for name in job.tests}

    def _patience(self, job: Job, known: Mapping[str, Ran]) -> float:
        return 300 + 50 * sum(known[name].seconds for name in job.tests)

    def _hook(self, group: Group, compiled: bool, mutant: Mutant | None = None) -> None:
        """From now on the files of a group are imported with nothing compiled (if asked for) and a mutant in them."""
        trees = {}
        for file in group.files:
            mine = mutant is not None and self.name_of(file) == mutant.file
            tree = mutated_tree(file.read_text(), mutant) if mine else ast.parse(file.read_text())  # type: ignore[arg-type]
            if mine or compiled:
                trees[self._module(file)] = file, plain(tree) if compiled else tree
        sys.meta_path.insert(0, _Finder(trees))  # type: ignore[arg-type]

    def _log(self) -> str:
        return (self._own / "log").read_text(errors="replace")[-2000:]

    def _module(self, file: Path) -> str:
        return ".".join((self.source.name, *file.relative_to(self.source).with_suffix("").parts)).removesuffix(
            ".__init__"
        )

    def _pytest(self, files: Iterable[Path], plugin: _Plugin, *options: str) -> int:
        os.chdir(self.root)
        fixed = ["-q", "-p", "no:cacheprovider", f"--basetemp={self._own / 'tmp'}", f"--rootdir={self.root}"]
        return int(pytest.main([*fixed, *options, *map(str, files)], [plugin]))

    @contextlib.contextmanager
    def _room(self, *, fill: bool = False) -> Iterator[None]:
        """A folder of computed tables for one run; those of clean runs are there as links, so that they stay clean."""
        tables, own = self.keep / "tables", Path(tempfile.mkdtemp(dir=self._own))
        tables.mkdir(exist_ok=True)
        _link_all(tables, own)
        os.environ["POKERLAB_CACHE"] = str(own)
        try:
            yield
            if fill:
                _link_all(own, tables)
        finally:
            shutil.rmtree(own, ignore_errors=True)

    def _forked(self, task: Callable[[], Any], seconds: float) -> Any:
        """What a task returns in a child of its own; None if it crashes or does not end."""
        read, write = os.pipe()
        pid = os.fork()
        if not pid:
            os.setpgid(0, 0)  # not a session: the scheduler would count it as one more rival
            os.close(read)
            log = os.open(self._own / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(log, 1), os.dup2(log, 2)
            code = 1
            try:
                answer = json.dumps(task()).encode()
                while answer:
                    answer = answer[os.write(write, answer) :]
                code = 0
            finally:
                sys.stdout.flush(), sys.stderr.flush()
                os._exit(code)
        os.close(write)
        os.set_blocking(read, False)
        pieces, end, done = [], time.monotonic() + seconds, False
        while not done and time.monotonic() < end:
            try:
                piece = os.read(read, 1 << 20)
                done = not piece
                pieces.append(piece)
            except BlockingIOError:
                time.sleep(0.005)
        os.close(read)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return json.loads(b"".join(pieces)) if done and any(pieces) else None


class _Plugin:
    """Runs the named tests in their order, each within its seconds; without names all, and says what they ran."""

    def __init__(self, limits: Mapping[str, float] | None, watched: Any = None) -> None:
        self.limits, self.watched, self.ran, self.hung = limits, watched, dict[str, Ran](), False
        self._limit = self._started = 0.0
        self.loop: Callable[[pytest.Session], None] | None = None

    def outcome(self, code: int) -> str:
        """The test that failed, or "" where none did and pytest ended with 0."""
        failed = next((name for name, ran in self.ran.items() if not ran.passed), "import" if code else "")
        return "hang" if self.hung else failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        if self.loop is not None:
            self.loop(session)
        return self.loop is not None or None

    def pytest_sessionstart(self) -> None:
        # An example that fails is enough: it need not be the smallest, nor be remembered.
        parent = settings.get_profile(settings.get_current_profile_name())
        settings.register_profile("mutants", parent, phases=[Phase.explicit, Phase.generate], database=None)
        settings.load_profile("mutants")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list) -> None:
        if self.limits:
            order = {name: i for i, name in enumerate(self.limits)}
            items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        if self.watched is not None:
            forget()  # else a line belongs to the first test alone that made what functions remember
            self.watched.switch_context(item.nodeid)
        if self.limits is not None:
            self._limit, self._started = self.limits[item.nodeid], _idle()
            old = [signal.signal(kind, self._too_slow) for kind in (signal.SIGPROF, signal.SIGALRM)]
            signal.setitimer(signal.ITIMER_PROF, self._limit, 5.0)
            signal.setitimer(signal.ITIMER_REAL, 1.0, 1.0)
        started = sum(os.times()[:4])
        yield
        self.ran[item.nodeid].seconds = sum(os.times()[:4]) - started
        if self.limits is not None:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGPROF, old[0])
            signal.signal(signal.SIGALRM, old[1])

    def _too_slow(self, kind: int, _: object) -> None:
        if kind == signal.SIGPROF or _idle() - self._started > 3 * self._limit:
            self.hung = True
            raise TooSlow

    def pytest_runtest_logreport(self, report: Any) -> None:
        ran = self.ran.setdefault(report.nodeid, Ran(True, 0.0))
        ran.passed = ran.passed and report.passed


def _idle() -> float:
    """Seconds by a clock that stands while this process could work and others do: of those that wait for something."""
    with contextlib.suppress(OSError):
        ran, waited, _ = map(int, Path("/proc/self/schedstat").read_text().split())
        return time.monotonic() - (ran + waited) / 1e9
    return time.monotonic() - time.process_time()


def _link_all(source: Path, target: Path) -> None:
    """Files of one folder in another, where they are not there yet."""
    for file in [each for each in source.rglob("*") if each.is_file()]:
        place = target / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.suppress(FileExistsError, FileNotFoundError):  # another run may be at work
            os.link(file, place)


def _files(tests: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name.split("::")[0] for name in tests))


def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


def _functions(tree: ast.Module) -> dict[int, tuple[str, int]]:
    """Of each line inside a function or class: that of the innermost, and the line that it begins in."""
    lines: dict[int, tuple[str, int]] = {}

    def visit(node: ast.AST, name: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = name
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{name}.{child.name}".lstrip(".")
                for line in range(child.lineno, (child.end_lineno or child.lineno) + 1):
                    lines[line] = inner, child.lineno
            visit(child, inner)

    visit(tree, "")
    return lines


class _Loader(importlib.machinery.SourceFileLoader):
    """Gives a module the code of a tree."""

    def __init__(self, name: str, path: str, tree: ast.Module) -> None:
        super().__init__(name, path)
        self.tree = tree

    def get_code(self, fullname: str) -> Any:
        return compile(self.tree, self.path, "exec", dont_inherit=True)


class _Finder:
    """Finds modules that are to have other trees."""

    def __init__(self, trees: Mapping[str, tuple[Path, ast.Module]]) -> None:
        self.trees = trees

    def find_spec(self, name: str, path: object = None, target: object = None) -> Any:
        if name not in self.trees:
            return None
        file, tree = self.trees[name]
        return importlib.util.spec_from_file_location(name, file, loader=_Loader(name, str(file), tree))


def replace_code(module: str, file: Path, mutant: Mutant) -> bool:
    """Give the function that a mutant is in its code, and forget what functions remember; False if it cannot be had."""
    tree = mutated_tree(file.read_text(), mutant)
    live: Any = sys.modules.get(module)
    code = compile(plain(tree) if mutant.compiled else tree, str(file), "exec", dont_inherit=True)
    for name in mutant.function.split("."):
        live = getattr(live, "__dict__", {}).get(name)
        for wrapped in ("__func__", "fget", "func", "__wrapped__"):
            live = getattr(live, wrapped, live)
        first = live.__code__.co_firstlineno if isinstance(live, FunctionType) else None
        codes = [c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name]
        codes = [c for c in codes if first in (None, c.co_firstlineno)]
        if len(codes) != 1:
            return False
        code = codes[0]
        if isinstance(live, FunctionType):
            break
    if not isinstance(live, FunctionType) or live.__code__.co_freevars != code.co_freevars:
        return False
    live.__code__ = code
    forget()
    return True


def forget() -> None:
    """Clear what functions remember."""
    for each in list(sys.modules.values()):
        for value in list(getattr(each, "__dict__", {}).values()):
            if type(value) is _lru_cache_wrapper and each.__name__.split(".")[0] not in KEPT:
                value.cache_clear()
