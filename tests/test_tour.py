"""The four walks of docs/tour.md, run as they stand there; its pictures show commands of it, and are there."""

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pokerlab.cli import main
from pokerlab.records.logs import read_log

DOCS = Path(__file__).parents[1] / "docs"
PAGE = (DOCS / "tour.md").read_text()
WALKS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", PAGE, flags=re.S | re.M))
FILES = {"sh": "startme.sh", "toml": "river.toml", "python": "my_lab.py"}


def blocks(text):
    return re.findall(r"^```(\w*)\n(.*?)^```$", text, flags=re.S | re.M)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files of the page, and `pokerlab` on the path of programs that are started there."""
    monkeypatch.chdir(tmp_path)
    for kind, text in blocks(PAGE):
        if kind:
            Path(FILES[kind]).write_text(text)
    (tmp_path / "bin").mkdir()
    Path("bin/pokerlab").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m pokerlab "$@"\n')
    for program in ("bin/pokerlab", "startme.sh"):
        os.chmod(program, 0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_lab", raising=False)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("role", WALKS)
def test_a_walk(role, folder):
    for kind, block in blocks(WALKS[role]):
        for line in [] if kind else block.splitlines():
            words = shlex.split(line)
            assert words[0] == "pokerlab"
            if words[1] == "play_match":  # it starts programs, and those a process each
                done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
                assert done.returncode == 0, done.stderr
                assert "SCORE:" in done.stdout
                continue
            ran = CliRunner().invoke(main, words[1:])
            assert ran.exit_code == 0, f"{line}\n{ran.output}"
            assert ran.stdout.strip()
    if role == "A competitor":
        assert len(list(read_log("royal.log", "holdem-limit:ranks=5"))) == 50
    if role == "An analyst":
        assert "<svg" in Path("bankrolls.html").read_text()


def test_there_are_four_walks():
    assert list(WALKS) == ["A competitor", "An analyst", "A student", "A researcher"]


def test_the_pictures_show_what_the_walks_run():
    spec = importlib.util.spec_from_file_location("make_pictures", DOCS / "pictures" / "make.py")
    make = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make)
    for name, commands in make.SHOWN.items():
        walk = next(text for title, text in WALKS.items() if title.endswith(name))
        assert f"(pictures/{name}.svg)" in walk
        assert all(line in walk for line in commands)
        drawn = (DOCS / "pictures" / f"{name}.svg").read_text()
        assert drawn.startswith("<svg")
        assert "http" not in re.sub(r"http://www\.w3\.org\S*", "", drawn).replace("https://www.textualize.io", "")
