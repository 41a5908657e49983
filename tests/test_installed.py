"""The package as pip installs it: without the source tree, from a folder and a home that cannot be written."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from obedient import obedient_run

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The folder of a package that was built from a copy of the sources, as an installation has it."""
    folder = tmp_path_factory.mktemp("installed")
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    build = "import setuptools; setuptools.setup(script_args=['-q', 'build_py', '--build-lib', 'site'])"
    done = subprocess.run([sys.executable, "-c", build], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def test_every_file_of_the_sources_is_installed(installed):
    def files(folder):
        return {
            str(path.relative_to(folder)) for path in folder.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts and ".egg-info" not in str(path)
        }  # fmt: skip

    assert files(installed) == files(ROOT / "src")
    assert "pokerlab/py.typed" in files(installed)


def test_from_a_read_only_package_and_home_all_goes_on_and_says_so_once(installed, tmp_path):
    """Nothing is compiled yet, and no kernel can be kept."""
    folders = [path for path in (installed, *installed.rglob("*")) if path.is_dir()]
    (tmp_path / "home").mkdir()
    folders.append(tmp_path / "home")
    for folder in folders:
        folder.chmod(0o555)
    told = {key: value for key, value in os.environ.items() if not key.startswith(("XDG", "POKERLAB", "NUMBA"))}
    env = told | {"PYTHONPATH": str(installed), "HOME": str(tmp_path / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        helped = obedient_run("-m", "pokerlab", "--help", cwd=tmp_path, env=env)
        assert (helped.returncode, helped.stderr) == (0, "")
        where = obedient_run("-c", "import pokerlab; print(pokerlab.__file__)", cwd=tmp_path, env=env)
        assert where.stdout.startswith(str(installed))
        solved = obedient_run("-m", "pokerlab", "solve", "kuhn", "--iterations", "5", cwd=tmp_path, env=env)
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert solved.returncode == 0, solved.stderr
    assert "after 5 iterations" in solved.stdout
    lines = [line for line in solved.stderr.splitlines() if not line.startswith("compiling kernels")]
    assert len(lines) == 1
    assert lines[0].startswith("pokerlab: compiled kernels are not kept for the next time (")
    assert lines[0].count("Permission denied") == 2
    assert not list(installed.rglob("*.kernel"))
    assert os.listdir(tmp_path) == ["home"]


FIRST_RUN = """
import pokerlab
from pokerlab.agents.simple import Call
solution = pokerlab.solve("kuhn", iterations=5)
rules = pokerlab.rules_of("holdem-limit")
result = pokerlab.play_match(rules, [Call(), Call()], 20, seed=1)
print(solution.value, result.winnings.tolist())
"""


def test_two_first_runs_at_once_do_not_disturb_each_other(installed, tmp_path):
    """Both compile the same kernels and make the evaluator's table, in the same folders; a third finds all of it."""
    site, cache = tmp_path / "site", tmp_path / "cache"
    shutil.copytree(installed, site, ignore=shutil.ignore_patterns("__pycache__"))
    told = {key: value for key, value in os.environ.items() if not key.startswith(("XDG", "NUMBA"))}
    env = told | {"PYTHONPATH": str(site), "POKERLAB_CACHE": str(cache)}

    def start():
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen([sys.executable, "-c", FIRST_RUN], cwd=tmp_path, env=env, **pipes)

    both = [start(), start()]
    said = [process.communicate(timeout=300) for process in both]
    third = start()
    said.append(third.communicate(timeout=300))
    assert [process.returncode for process in (*both, third)] == [0, 0, 0], said
    assert len({out for out, _ in said}) == 1
    assert "Traceback" not in str(said), said
    assert "pokerlab: " not in str(said), said  # nothing could not be kept or read
    assert "compiling" not in said[2][1]
    kernels = sorted(path.name for path in site.rglob("*.kernel"))
    assert kernels
    assert len({name.rpartition("-")[0] for name in kernels}) == len(kernels)  # one a kernel and its types
    assert [path.name for path in cache.iterdir()] == ["evaluator-1.npz"]
