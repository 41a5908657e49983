"""Ctrl-C ends every command with 130 and one line that says what was kept; what it says is so."""

from pathlib import Path

import pytest
from click.testing import CliRunner

import pokerlab
import pokerlab.cards.versus
from pokerlab.cli import main
from pokerlab.match.loop import Table
from pokerlab.records.logs import read_log
from pokerlab.solvers.runner import _Run

SPOT = """board = "Qs Jh 2h 4c 7d"
pot = 200
stacks = 900
oop.range = "AA, KQs:0.5, T9s"
ip.range = "QQ-99, AKs"
bets = { bet = "50%", raise = "all-in" }
"""


@pytest.fixture
def stopped(tmp_path, monkeypatch):
    """Run a command in which a method hears Ctrl-C at its fourth call: what it prints, and says on standard error."""
    monkeypatch.chdir(tmp_path)

    def run(kind, method, *words):
        with monkeypatch.context() as patch:
            whole, calls = getattr(kind, method), []

            def interrupted(*args, **options):
                calls.append(args)
                if len(calls) == 4:
                    raise KeyboardInterrupt
                return whole(*args, **options)

            patch.setattr(kind, method, interrupted)
            told = CliRunner().invoke(main, words)
        assert told.exit_code == 130, told.stderr
        (line,) = told.stderr.strip().splitlines()  # click parts a terminal's ^C from it by an empty one
        assert line.startswith("interrupted: ")
        return told.stdout, line.removeprefix("interrupted: ")

    return run


def test_solve(stopped):
    words = ("solve", "leduc", "--iterations", "500")
    assert stopped(_Run, "_advance", *words)[1] == "nothing was kept without --out"
    out, kept = stopped(_Run, "_advance", *words, "--out", "x.strategy")
    assert kept == "x.strategy has what there is, and --resume goes on from it"
    assert "written to x.strategy" in out
    assert 0 < pokerlab.load("x.strategy").iterations < 500
    assert CliRunner().invoke(main, [*words, "--out", "x.strategy", "--resume"]).exit_code == 0
    whole = pokerlab.solve("leduc", iterations=500)
    assert pokerlab.load("x.strategy").exploitability == whole.exploitability


def test_spot(stopped):
    Path("river.toml").write_text(SPOT)
    words = ("spot", "river.toml", "--iterations", "500", "--threads", "1")
    _, kept = stopped(_Run, "_advance", *words)
    assert kept == "river.solution has the strategy so far; --checkpoint would let it go on"
    _, kept = stopped(_Run, "_advance", *words, "--checkpoint", "river.checkpoint")
    assert kept == "river.solution has the strategy so far, and --resume goes on from river.checkpoint"
    told = CliRunner().invoke(main, [*words, "--checkpoint", "river.checkpoint", "--resume"])
    assert told.exit_code == 0, told.stderr
    assert pokerlab.load("river.solution").iterations == 500
    refused = CliRunner().invoke(main, [*words, "--resume"])
    assert refused.exit_code == 2
    assert "--resume needs --checkpoint" in refused.stderr


def test_match(stopped):
    words = ("match", "call", "raise", "--game", "holdem-limit", "--hands", "50")
    out, kept = stopped(Table, "advance", *words)
    assert kept == "the result is that of 3 of 50 deals; nothing was kept"
    assert "3 hands" in out
    _, kept = stopped(Table, "advance", *words, "--log", "x.log")
    assert kept == "the result is that of 3 of 50 deals; x.log has the hands that were played"
    assert len(list(read_log("x.log"))) == 3
    out, kept = stopped(Table, "advance", *words, "--log", "y.log", "--duplicate")
    assert (out, kept) == ("", "y.log has the hands that were played")  # no deal was played in every seating
    assert len(list(read_log("y.log"))) == 3


def test_tournament(stopped):
    words = ("tournament", "call", "raise", "--game", "holdem-limit", "--hands", "20", "--processes", "1", "--out", "t")
    _, kept = stopped(Table, "advance", *words)
    assert kept == "t has the finished hands, and the same command goes on"
    assert CliRunner().invoke(main, words).exit_code == 0


def test_what_keeps_nothing_says_so(stopped, monkeypatch):
    monkeypatch.setattr("pokerlab.cards.versus.MOST_DEALS", 10**6)
    _, kept = stopped(pokerlab.cards.versus, "holdem_shares", "equity", "AA", "KK", "QQ")
    assert kept == "nothing was kept"
