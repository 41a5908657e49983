"""Tests against mutants, each in a forked child that imports the mutant in the place of the module.

Nothing is written to the sources. Which tests run a line is gathered once, and kept in a file as long as the tests are
the same. Compiled functions are not traced, and what numba has cached would hide a mutant; so theirs run as plain
Python, against tests whose times were taken the same way.
"""

from __future__ import annotations

import ast
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
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import coverage
import pytest
from hypothesis import Phase, settings

from mutation.operators import Mutant, mutated_tree, plain

SLOWEST = 10.0  # seconds: tests that take longer are left out


class TooSlow(Exception):
    """A test has run for so long that it hangs."""


@dataclass
class Ran:
    """A test of a clean run: whether it passed, its seconds, and the lines {file: {function: offsets}} that it ran."""

    passed: bool
    seconds: float
    lines: dict[str, dict[str, list[int]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Group:
    """Files that are measured together, and the test files that ought to catch their mutants."""

    name: str
    files: tuple[Path, ...]
    tests: tuple[Path, ...]


class Laboratory:
    """A package at `source`, the folder `root` from which tests run, and one to keep things in between runs.

    `libraries` are loaded once, before anything is forked. A test hangs when it takes ten times as long as without a
    mutant, and `patience` seconds more.
    """

    def __init__(
        self, root: Path, source: Path, keep: Path, libraries: Iterable[str] = (), patience: float = 10.0
    ) -> None:
        self.root, self.source, self.keep, self.patience = root, source, keep, patience
        keep.mkdir(parents=True, exist_ok=True)
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
        for file in group.tests:
            key = f"{group.name} {file.relative_to(self.root)} {'plain' if compiled else ''}".strip()
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            if self._known.get(key, {}).get("digest") != digest:
                print(f"running {key}", file=sys.stderr)
                rows = self._gather(group, file, compiled)
                self._known[key] = {"digest": digest, "tests": rows}
                self._map.write_text(json.dumps(self._known))
            tests |= {name: Ran(**row) for name, row in self._known[key]["tests"].items() if row["passed"]}
        return tests

    def _gather(self, group: Group, file: Path, compiled: bool) -> dict[str, Any]:
        def task() -> dict[str, Any]:
            if compiled:
                _hook({self._module(each): (each, plain(_parsed(each))) for each in group.files})
            watched = coverage.Coverage(
                data_file=None, include=[str(each) for each in group.files], config_file=False, messages=False
            )
            plugin = _Plugin(None, watched)
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

        rows = self._forked(task, 1200)
        if rows is None:
            raise RuntimeError(f"{file} did not end, or crashed, without a mutant: see {self.keep / 'log'}")
        return rows

    def outcome(self, group: Group, mutant: Mutant | None, tests: Sequence[str], known: Mapping[str, Ran]) -> str:
        """The first test that a mutant fails, "" if it passes all. A hang or a crash is a failure."""

        def task() -> str:
            if mutant is not None:
                file = self.source / mutant.file
                tree = mutated_tree(file.read_text(), mutant)
                trees = {self._module(file): (file, tree)}
                if mutant.compiled:
                    trees = {self._module(each): (each, plain(_parsed(each))) for each in group.files}
                    trees[self._module(file)] = file, plain(tree)
                _hook(trees)
            plugin = _Plugin({name: 10 * known[name].seconds + self.patience for name in tests})
            files = list(dict.fromkeys(self.root / name.split("::")[0] for name in tests))
            code = self._pytest(files, plugin, "-x")
            if plugin.hung:
                return "hang"
            return "" if code == 0 else next((n for n, ran in plugin.ran.items() if not ran.passed), "import")

        outcome = self._forked(task, 60 + 20 * sum(known[name].seconds for name in tests)) if tests else ""
        return "hang" if outcome is None else outcome  # or a crash

    def _module(self, file: Path) -> str:
        return ".".join((self.source.name, *file.relative_to(self.source).with_suffix("").parts)).removesuffix(
            ".__init__"
        )

    def _pytest(self, files: Iterable[Path], plugin: _Plugin, *options: str) -> int:
        os.chdir(self.root)
        room = Path(tempfile.mkdtemp(dir=self.keep))
        # Tables that are computed once are there already, as links: what a mutant writes stays its own.
        tables = self.keep / "tables"
        if tables.exists():
            shutil.copytree(tables, room / "tables", copy_function=os.link)
        os.environ["POKERLAB_CACHE"] = str(room / "tables")
        try:
            names = [str(file) for file in files]
            fixed = ["-q", "-p", "no:cacheprovider", f"--basetemp={room / 'tmp'}", f"--rootdir={self.root}"]
            return int(pytest.main([*fixed, *options, *names], [plugin]))
        finally:
            if plugin.limits is None and (room / "tables").exists():
                shutil.copytree(room / "tables", tables, dirs_exist_ok=True)
            shutil.rmtree(room, ignore_errors=True)

    def _forked(self, task: Callable[[], Any], seconds: float) -> Any:
        """What a task returns in a child of its own; None if it crashes or does not end."""
        read, write = os.pipe()
        pid = os.fork()
        if not pid:
            os.setsid()
            os.close(read)
            log = os.open(self.keep / "log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
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

    def pytest_sessionstart(self) -> None:
        # An example that fails is enough: it need not be the smallest, nor be remembered.
        parent = settings.get_profile(settings.get_current_profile_name())
        settings.register_profile("mutants", parent, phases=[Phase.explicit, Phase.generate], database=None)
        settings.load_profile("mutants")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list) -> None:
        if self.limits is not None:
            order = {name: i for i, name in enumerate(self.limits)}
            items[:] = sorted((item for item in items if item.nodeid in order), key=lambda item: order[item.nodeid])

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Any:
        if self.watched is not None:
            self.watched.switch_context(item.nodeid)
        limit = SLOWEST if self.limits is None else self.limits[item.nodeid]
        old = signal.signal(signal.SIGALRM, self._too_slow)
        signal.setitimer(signal.ITIMER_REAL, limit, 1.0)
        started = time.monotonic()
        yield
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
        self.ran[item.nodeid].seconds = time.monotonic() - started

    def _too_slow(self, *_: object) -> None:
        self.hung = True
        raise TooSlow

    def pytest_runtest_logreport(self, report: Any) -> None:
        ran = self.ran.setdefault(report.nodeid, Ran(True, 0.0))
        ran.passed = ran.passed and report.passed


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


def _hook(trees: Mapping[str, tuple[Path, ast.Module]]) -> None:
    """From now on these modules are imported with these trees."""

    class Finder:
        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> Any:
            if name not in trees:
                return None
            file, tree = trees[name]
            return importlib.util.spec_from_file_location(name, file, loader=_Loader(name, str(file), tree))

    sys.meta_path.insert(0, Finder)  # type: ignore[arg-type]
