"""Compiled kernels: kept where that is possible, compiled again where it is not, and never in anybody's way."""

import errno
import itertools
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from obedient import obedient_run
from pokerlab import cache, compiled
from pokerlab.errors import PokerlabError
from pokerlab.reading import reading

CALLEE = """
from pokerlab.compiled import njit

FACTOR = 2

@njit(cache=True)
def times(x):
    return FACTOR * x
"""
CALLER = """
from pokerlab.compiled import njit
from {callee} import times

@njit(cache=True)
def kernel(x):
    return times(x) + 1
"""
SLOW = "compiling kernels (once, some seconds) ...\n"  # is said where a machine is busy
_numbers = itertools.count()


class Home:
    """A folder with a kernel that calls one of another module; `fresh` is the kernel as the next process sees it."""

    def __init__(self, folder):
        self.folder, number = folder, next(_numbers)
        self.caller, self.callee = folder / f"caller_{number}.py", folder / f"callee_{number}.py"
        folder.mkdir(exist_ok=True)
        self.caller.write_text(CALLER.format(callee=self.callee.stem))
        self.callee.write_text(CALLEE)

    def fresh(self):
        for memory in (compiled._folders, compiled._stamp, compiled._source):
            memory.cache_clear()
        cache._said.clear()
        for path in (self.callee, self.caller):
            module = sys.modules[path.stem] = ModuleType(path.stem)
            exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
        return module.kernel

    @property
    def kept(self):
        """The kept kernel of the caller."""
        (path,) = (self.folder / "__pycache__").glob(f"{self.caller.stem}.kernel-*.kernel")
        return path


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    yield Home(tmp_path / "home")
    for name in [name for name in sys.modules if name.startswith(("caller_", "callee_"))]:
        del sys.modules[name]


def hits(kernel):
    return sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values())


def test_kept_beside_the_module_and_found_there(home, capfd):
    first = home.fresh()
    assert (first(3), hits(first)) == (7, (0, 1))
    second = home.fresh()
    assert (second(3), hits(second)) == (7, (1, 0))
    assert (second(0.5), hits(second)) == (2.0, (1, 1))
    assert hits(home.fresh()) == (0, 0)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("what", ["empty", "cut", "head only", "garbage", "one bit", "a pickle of numba's"])
def test_a_damaged_kernel_is_compiled_again_and_said_once(home, capfd, what):
    home.fresh()(3)
    path, good = home.kept, home.kept.read_bytes()
    flipped = bytearray(good)
    flipped[len(good) // 2] ^= 4
    bad = {
        "empty": b"", "cut": good[:-1], "head only": good[:60], "garbage": bytes(range(256)) * 9,
        "one bit": bytes(flipped), "a pickle of numba's": b"\x80\x04\x95.",
    }  # fmt: skip
    path.write_bytes(bad[what])
    again = home.fresh()
    assert (again(3), hits(again)) == (7, (0, 1))
    assert capfd.readouterr().err == f"pokerlab: the compiled kernel {path} is damaged: it is compiled again\n"
    assert path.read_bytes().startswith(compiled._MAGIC)
    healed = home.fresh()
    assert (healed(3), hits(healed)) == (7, (1, 0))


def test_a_kernel_of_another_version_is_replaced_in_silence(home, capfd):
    home.fresh()(3)
    home.kept.write_bytes(home.kept.read_bytes().replace(compiled._MAGIC, compiled._KIND + b"1\n"))
    again = home.fresh()
    assert (again(3), hits(again)) == (7, (0, 1))
    assert capfd.readouterr().err == ""
    assert home.kept.read_bytes().startswith(compiled._MAGIC)


OUTSIDE = """
import sys
import numpy as np
from pokerlab.compiled import njit

@njit(cache=True)
def kernel(a, b):
    BODY

numbers = np.arange(4.0)
print(kernel(numbers, numbers), sum(kernel.stats.cache_hits.values()), "numba.np.arraymath" in sys.modules)
"""


@pytest.mark.parametrize(
    ("body", "told", "whole"),
    [
        ("return a[3] * len(b)", "12.0", False),
        ("c = a + b\n    return c[3]", "6.0", False),  # memory of arrays
        ("return np.dot(a, b)", "14.0", False),  # BLAS
        ("return hash(str(len(a))) * 0", "0", True),  # the interpreter's own secret, a symbol of numba.cpython.hashing
    ],
)
def test_what_compiling_needs_is_loaded_only_where_a_kernel_needs_it(tmp_path, body, told, whole):
    """An unknown symbol would end the process: the second one finds the kernel, and all that it calls."""
    script = tmp_path / "outside.py"
    script.write_text(OUTSIDE.replace("BODY", body))
    printed = [subprocess.run([sys.executable, script], capture_output=True, text=True).stdout for _ in range(2)]
    assert printed == [f"{told} 0 True\n", f"{told} 1 {whole}\n"]


def test_damaged_files_of_numbas_own_cache_are_not_looked_at(home, capfd):
    home.fresh()(3)
    for name in (f"{home.caller.stem}.kernel-5.py311.nbi", f"{home.caller.stem}.kernel-5.py311.1.nbc"):
        (home.folder / "__pycache__" / name).write_bytes(b"garbage")
    again = home.fresh()
    assert (again(3), hits(again)) == (7, (1, 0))
    assert capfd.readouterr().err == ""


def test_a_whole_file_of_another_kernel_or_numba_is_no_reason_to_fail(home):
    home.fresh()(3)
    start = len(compiled._MAGIC) + compiled._DIGEST
    for body in (b"no pickle", compiled.dumps(("of", "something", "else"))):
        stamped = home.kept.read_bytes()[start : start + compiled._DIGEST] + body
        home.kept.write_bytes(compiled._MAGIC + compiled.hashlib.sha256(stamped).digest() + stamped)
        again = home.fresh()
        assert (again(3), hits(again)) == (7, (0, 1))


def test_the_kernel_of_another_signature_is_not_taken(home):
    kernel = home.fresh()
    kernel(3)
    whole = home.kept
    kernel(0.5)
    (other,) = set((home.folder / "__pycache__").glob(f"{home.caller.stem}.kernel-*")) - {whole}
    other.write_bytes(whole.read_bytes())  # as if two signatures had one digest
    again = home.fresh()
    assert (again(0.5), hits(again)) == (2.0, (0, 1))


@pytest.mark.parametrize(
    ("before", "after"),
    [("FACTOR * x", "FACTOR * x * 10"), ("FACTOR = 2", "FACTOR = 20"), ("FACTOR = 2", "FACTOR = 2 # same")],
)
def test_what_a_kernel_calls_is_part_of_it(home, before, after):
    """Numba's own cache looks at the kernel's file alone, and would go on with the old code."""
    home.fresh()(3)
    home.callee.write_text(CALLEE.replace(before, after))
    changed = home.fresh()
    assert (changed(3), hits(changed)) == (7 if "same" in after else 61, (0, 1))


@pytest.mark.parametrize("change", [("+ 1", "- 1"), ("+ 1", "+ 11")])
def test_code_that_is_not_what_its_file_says_is_another_kernel(home, change):
    """As of an editor that has not saved yet, or a tool that changes code in memory."""
    assert home.fresh()(3) == 7
    written = home.caller.read_text()
    home.caller.write_text(written.replace(*change))
    changed = home.fresh()
    home.caller.write_text(written)
    assert (changed(3), hits(changed)) == (5 if "-" in change[1] else 17, (0, 1))


def test_a_constant_from_elsewhere_is_part_of_it(home):
    home.fresh()(3)
    kernel = home.fresh()
    sys.modules[home.callee.stem].FACTOR = 5
    assert kernel(3) == 16


def test_where_the_package_cannot_be_written_the_cache_folder_is_used(home, capfd, tmp_path):
    (home.folder / "__pycache__").write_text("in the way, also of root")
    assert home.fresh()(3) == 7
    second = home.fresh()
    assert (second(3), hits(second)) == (7, (1, 0))
    assert list((tmp_path / "cache" / "kernels").rglob("*.kernel"))
    assert capfd.readouterr().err == ""


def test_where_nothing_can_be_written_it_is_said_once(home, capfd, tmp_path):
    for folder in (home.folder / "__pycache__", tmp_path / "cache"):
        folder.write_text("in the way, also of root")
    kernel = home.fresh()
    assert (kernel(3), kernel(0.5), kernel(True)) == (7, 2.0, 3)
    told = capfd.readouterr().err
    assert told.startswith("pokerlab: compiled kernels are not kept for the next time")
    assert "POKERLAB_CACHE" in told
    assert told.count("\n") == 1


def test_a_read_only_package_with_kernels_in_it_is_used(home, monkeypatch):
    home.fresh()(3)
    monkeypatch.setattr(compiled, "replacing", lambda *_, **__: pytest.fail("wrote"))
    again = home.fresh()
    assert (again(3), hits(again)) == (7, (1, 0))


def test_a_full_disk_leaves_no_half_kernels(home, capfd, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("os.replace", full)
    assert home.fresh()(3) == 7
    assert not [path for path in home.folder.rglob("*") if path.suffix in (".kernel", ".pokerlab")]
    assert "No space left on device" in capfd.readouterr().err


def test_without_a_home_there_is_no_cache_folder_and_all_goes_on(home, capfd, monkeypatch):
    monkeypatch.delenv("POKERLAB_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    (home.folder / "__pycache__").write_text("in the way")
    assert home.fresh()(3) == 7
    assert capfd.readouterr().err.count("\n") == 1


def test_numbas_own_folder_is_heeded(home, monkeypatch, tmp_path):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "numba"))
    home.fresh()(3)
    assert len(list((tmp_path / "numba").rglob("*.kernel"))) == 2


RUN = """
import sys
sys.path.insert(0, {folder!r})
import {caller} as module
from numba import njit
for value in {values}:
    assert module.kernel(value) == 2 * value + 1, value
print(sum(module.kernel.stats.cache_misses.values()))
"""


def test_a_kernel_that_may_not_be_read_is_neither_removed_nor_replaced(home, tmp_path):
    home.fresh()(3)
    path, before = home.kept, home.kept.read_bytes()
    path.chmod(0)
    inode = path.stat().st_ino
    code = RUN.format(folder=str(home.folder), caller=home.caller.stem, values="[3]")
    env = os.environ | {"POKERLAB_CACHE": str(tmp_path / "cache")}
    for misses in (1, 0):  # compiled, kept elsewhere and found there
        done = obedient_run("-c", code, env=env)
        assert (done.returncode, done.stdout, done.stderr.removeprefix(SLOW)) == (0, f"{misses}\n", "")
    path.chmod(0o600)
    assert (path.read_bytes(), path.stat().st_ino) == (before, inode)


def test_first_runs_at_once_do_not_disturb_each_other(home):
    """Each with types of its own and one that all have; afterwards the next run finds every kernel."""
    values = ["[1, 0.5]", "[1, 2j]", "[1, True]"]
    codes = [RUN.format(folder=str(home.folder), caller=home.caller.stem, values=each) for each in values]
    runs = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for code in codes
    ]
    for each in runs:
        _, err = each.communicate(timeout=120)
        assert (each.returncode, err.removeprefix(SLOW)) == (0, ""), err
    kernel = home.fresh()
    assert [kernel(value) for value in (1, 0.5, 2j, True)] == [3, 2.0, 1 + 4j, 3]
    assert hits(kernel) == (4, 0)


def test_our_own_kernels_are_found_by_the_next_process():
    """None of them has in its name or stamp what differs from process to process."""
    code = (
        "import pokerlab, gc\nfrom numba.core.dispatcher import Dispatcher\n"
        "pokerlab.solve('kuhn', iterations=3)\n"
        "print(sum(sum(d.stats.cache_misses.values()) for d in gc.get_objects() if isinstance(d, Dispatcher)))"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(2)]
    assert runs[1].stdout == "0\n"


def test_kept_arrays_that_are_damaged_or_not_to_be_read(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    cache._said.clear()
    assert cache.recalled("x", np.load) is None
    assert cache.keep("x", lambda path: path.write_bytes(b"whole"))
    assert cache.recalled("x", Path.read_bytes) == b"whole"
    assert capfd.readouterr().err == ""

    def damaged(path):
        with reading(path, PokerlabError):
            raise KeyError("no such array")

    def forbidden(path):
        raise PokerlabError(f"cannot read {path}: Permission denied")

    assert cache.recalled("x", damaged) is None
    assert not (tmp_path / "x").exists()
    (tmp_path / "folder").mkdir()
    for _ in range(3):
        assert cache.recalled("folder", forbidden) is None
        assert not cache.keep("folder", lambda path: path.write_bytes(b"x"))
    assert (tmp_path / "folder").is_dir()
    lines = capfd.readouterr().err.splitlines()
    assert [line.split("(")[0] for line in lines] == [
        f"pokerlab: {tmp_path / 'x'} is damaged, and is made again",
        "pokerlab: what was kept is not used, and is made again ",
        "pokerlab: what was computed is not kept for the next time ",
    ]


def test_a_kept_table_that_may_not_be_read_stays(tmp_path):
    (tmp_path / "x").write_bytes(b"whole")
    (tmp_path / "x").chmod(0)
    code = "from pokerlab.cache import *\nprint(recalled_table('x', 'f', 1, 9, None), keep('y', Path.touch))"
    tmp_path.chmod(0o555)
    done = obedient_run("-c", code, env=os.environ | {"POKERLAB_CACHE": str(tmp_path)})
    tmp_path.chmod(0o755)
    assert (done.returncode, done.stdout) == (0, "None False\n")
    assert done.stderr.count("Permission denied") == 2
    (tmp_path / "x").chmod(0o600)
    assert os.listdir(tmp_path) == ["x"]
