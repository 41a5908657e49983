"""Spots that the server solves on a device, a twin here."""

import os
import socket
from multiprocessing import Pipe
from pathlib import Path

import pytest
from click.testing import CliRunner

from cuda_twin import COMPILER, Twin
from pokerlab.cli import main
from pokerlab.errors import DeviceError, SpotError
from pokerlab.refine.spots.solution import load_spot_solution
from pokerlab.web.worker import Task, Worker, weighed

RIVER = """
board = "Qs Jh 2h 4c 7d"
pot = 20
stacks = 90
oop.range = "AA, 99"
ip.range = "KK, QQ"
bets = { bet = "50%", raise = "all-in" }
"""


@pytest.fixture
def here(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    twin = Twin(threads=1, warp=1)
    monkeypatch.setattr("pokerlab.refine.spots.cuda.engine.this_device", lambda: twin)
    return twin


@pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here to compile the kernels with")
def test_it_is_solved_there_and_goes_on_elsewhere(here, monkeypatch):
    """A server whose solve was stopped is started again without its device."""
    monkeypatch.setattr("pokerlab.web.worker._EVERY", 0.0)
    task = Task(1, "river", RIVER, None, 20, 60.0)
    cuda, cpu = (Worker(device, Pipe()[0]) for device in ("cuda", "cpu"))
    heard = []
    cuda._tell = cpu._tell = lambda *message: heard.append(message)
    told = cuda._solved(task)
    assert here.launched
    assert heard
    assert (told["iterations"], told["stopped"]) == (20, "iterations")
    assert load_spot_solution(task.solution).exploitability == pytest.approx(told["exploitability"] / 5, rel=1e-3)

    def stop(word, number, told):
        if told["iterations"]:
            cuda._to_stop.add(number)

    cuda._tell = stop
    stopped = cuda._solved(task._replace(iterations=10**6))
    assert stopped["stopped"] == "interrupted"
    assert 0 < stopped["iterations"] < 10**6
    launched = len(here.launched)
    more = cpu._solved(task._replace(iterations=stopped["iterations"] + 20))
    assert more["iterations"] == stopped["iterations"] + 20
    assert more["trace"][: len(stopped["trace"])] == stopped["trace"]
    assert len(here.launched) == launched
    assert not task.checkpoint.exists()


def test_what_does_not_fit_there_is_refused(here):
    assert weighed(RIVER, "river", "cuda")["bytes"] > 0
    here.free = lambda: 1000
    with pytest.raises(SpotError, match=r"takes 0.00 GiB on the device and 0.00 GiB are free: give fewer bet sizes"):
        weighed(RIVER, "river", "cuda")
    assert weighed(RIVER, "river", "cpu")["bytes"] > 0


def test_a_device_that_is_not_there_is_refused_before_anything_is_made(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    def none():
        raise DeviceError("there is none")

    monkeypatch.setattr("pokerlab.refine.spots.cuda.engine.this_device", none)
    refused = CliRunner().invoke(main, ["web", "--device", "cuda"])
    assert (refused.exit_code, refused.stderr) == (2, "pokerlab: there is none\n")
    assert not os.listdir()
    refused = CliRunner().invoke(main, ["web", "--device", "gpu"])
    assert refused.exit_code == 2
    assert "no engine 'gpu'" in refused.stderr
    assert not [*Path().iterdir()]
    with socket.create_server(("127.0.0.1", 0)) as taken:  # auto is content with the processor, and comes further
        words = ["web", "--device", "auto", "--port", str(taken.getsockname()[1])]
        assert "cannot listen" in CliRunner().invoke(main, words).stderr
