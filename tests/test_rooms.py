"""Imports run downward only between the rooms, and each room can be found in the architecture page."""

import ast
import re
import runpy
from pathlib import Path

import pokerlab

SOURCE = Path(pokerlab.__file__).parent
ROOMS = [
    "errors",
    "bounds",
    "interrupts",
    "terminal",
    "progress",
    "writing",
    "files",
    "processes",
    "reading",
    "finished",
    "cache",
    "clusters",
    "compiled",
    "page",
    "plots",
    "threads",
    "registry",
    "notebook",
    "device",
    "cards",
    "game",
    "abstraction",
    "form",
    "solvers",
    "refine",
    "records",
    "agents",
    "match",
    "cases",
    "opponents",
    "field",
    "papers",
    "web",
]
ABOVE_ALL = {"__init__", "__main__", "cli", "demo", "every_file"}


def imports(path):
    """(line, room) of everything that a file imports from pokerlab."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            names = [node.module or ""]
            if node.module == "pokerlab":
                names = [f"pokerlab.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            if name.split(".")[0] == "pokerlab":
                yield node.lineno, [*name.split("."), ""][1]


def wrong_imports(root):
    wrong = []
    for path in sorted(root.rglob("*.py")):
        room = path.relative_to(root).parts[0].removesuffix(".py")
        if room in ABOVE_ALL:
            continue
        for line, other in imports(path):
            if other not in ROOMS or ROOMS.index(other) > ROOMS.index(room):
                wrong.append(f"{path.relative_to(root)}:{line} imports {other or 'the whole package'}")
    return wrong


def test_imports_run_downward_only():
    assert wrong_imports(SOURCE) == []


def test_an_upward_import_would_be_seen(tmp_path):
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "x.py").write_text("from pokerlab.game.rules import Rules\nimport pokerlab\n")
    assert wrong_imports(tmp_path) == ["cards/x.py:1 imports game", "cards/x.py:2 imports the whole package"]


def test_every_room_is_on_the_map():
    """Rooms, and the rooms within them; and what is on the map is there."""
    text = (SOURCE.parents[1] / "docs" / "architecture.md").read_text()
    rooms = {path.parent.name for path in SOURCE.rglob("*/__init__.py")} - {SOURCE.name}
    assert set(re.findall(r"\*\*(\w+)/\*\*", text)) == rooms


def test_kernels_are_compiled_by_our_own_decorator():
    """Its cache survives folders that cannot be written, damaged files and two first runs at once."""
    others = [
        path for path in SOURCE.rglob("*.py") if re.search(r"from numba import .*jit|numba\.n?jit", path.read_text())
    ]
    assert [path.name for path in others] == ["compiled.py"]


def test_files_that_start_first_are_there():
    """A file that is renamed would lose its place in silence."""
    tests = Path(__file__).parent
    order = runpy.run_path(str(tests / "conftest.py"))
    for name in order["LONGEST"]:
        assert len([*tests.rglob(f"{name.replace('/', '/test_')}.py")]) == 1, name
    for name in order["PROGRAMS"]:
        assert (tests / f"test_{name}.py").exists(), name
