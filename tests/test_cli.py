"""The command line as a user meets it: figures, files, and one clear line for bad input."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

import pokerlab
from pokerlab.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in an empty folder; (exit code, standard output, standard error)."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        result = CliRunner().invoke(main, list(arguments))
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return call


def json_of(run, *arguments):
    code, out, err = run(*arguments, "--json")
    assert code == 0, err
    assert out.count("\n") == 1
    return json.loads(out)


def test_lp_values(run):
    leduc = json_of(run, "solve", "leduc", "--method", "lp")
    assert leduc["value"] == pytest.approx(-0.085606424, abs=1e-8)
    assert leduc["exploitability"] == pytest.approx(0, abs=1e-9)
    assert {"game", "abstraction", "method", "iterations", "value", "exploitability", "seconds"} <= set(leduc)
    assert (leduc["game"], leduc["method"], leduc["abstraction"]) == ("leduc", "lp", "FULL-FULL")
    assert json_of(run, "solve", "kuhn", "--method", "lp")["value"] == pytest.approx(-1 / 18, abs=1e-12)


def test_cfr_to_a_given_exploitability(run):
    leduc = json_of(run, "solve", "leduc", "--method", "cfr+", "--exploitability", "1e-4")
    assert leduc["exploitability"] <= 1e-4
    assert leduc["value"] == pytest.approx(-0.0856064, abs=1e-4)
    assert leduc["stopped"] == "exploitability"
    assert "full_exploitability" not in leduc


def test_abstract_games_report_the_full_one(run):
    row = json_of(run, "solve", "leduc", "--abstraction", "JQ.K-FULL", "--method", "lp")
    assert row["full_exploitability"][0] / 0.002 == pytest.approx(69.0, abs=0.05)
    assert row["abstraction"] == "JQ.K-FULL"
    same = json_of(run, "solve", "leduc", "--abstraction", "JQ.K", "--method", "lp")
    assert same["full_exploitability"][0] / 0.002 == pytest.approx(272.2, abs=0.05)
    assert len(same["full_exploitability"]) == 2


def test_solve_evaluate_resume(run):
    first = json_of(run, "solve", "leduc", "--iterations", "50", "--out", "x.strategy")
    again = json_of(run, "evaluate", "x.strategy")
    assert again["exploitability"] == pytest.approx(first["exploitability"], abs=1e-12)
    assert again["value"] == pytest.approx(first["value"], abs=1e-12)
    assert sum(again["full_exploitability"]) == pytest.approx(2 * again["exploitability"], abs=1e-9)
    more = json_of(run, "solve", "leduc", "--iterations", "90", "--out", "x.strategy", "--resume")
    whole = json_of(run, "solve", "leduc", "--iterations", "90")
    assert more["exploitability"] == whole["exploitability"]
    named = json_of(run, "evaluate", "table:x.strategy", "--game", "leduc")
    assert named["exploitability"] == whole["exploitability"]
    with_strategy = json_of(run, "evaluate", "x.strategy", "--strategy")["strategy"]
    assert len(with_strategy[0]) == 144
    code, out, _ = run("evaluate", "x.strategy", "--strategy", "--game", "leduc")
    assert code == 0
    assert "cc/" in out


def test_scheme_options(run):
    row = json_of(run, "solve", "kuhn", "--method", "dcfr", "--alpha", "2", "--beta", "0.5", "--averaging", "linear",
                "--simultaneous", "--iterations", "100")  # fmt: skip
    assert row["parameters"] == {"alpha": 2.0, "beta": 0.5, "gamma": 1.0, "predictive": False, "alternating": False}


def test_games(run):
    rows = {row["game"]: row for row in json_of(run, "games")["games"]}
    assert set(rows) == set(pokerlab.CATALOG)
    assert rows["leduc"]["infosets"] == 288
    assert rows["holdem-limit"]["betting_nodes"] == 6378
    assert rows["holdem-limit-3p"]["betting_nodes"] == 9_711_806
    assert rows["holdem-nolimit"]["infosets"] is None
    code, out, _ = run("games")
    assert code == 0
    assert "rhode-island" in out


def test_match(run):
    zero = json_of(
        run, "match", "call", "call", "--game", "holdem-limit", "--hands", "300", "--duplicate", "--seed", "1"
    )
    assert zero["mean"] == [0.0, 0.0]
    assert zero["ci95"] == [0.0, 0.0]
    assert (zero["agents"], zero["hands"], zero["unit"]) == (["call", "call"], 300, "mb/h")
    money = json_of(run, "match", "random", "call", "--hands", "2000", "--log", "x.log")
    assert money["exact"] == pytest.approx([0.0, 0.0], abs=1e-9)
    scored = json_of(run, "match", "random", "call", "--hands", "2000", "--score", "check-call")
    assert (scored["score"], scored["engine"]) == ("check-call", "python")
    assert scored["ci95"][0] < money["ci95"][0]


BROKEN = "GAMEDEF\nlimit\nnumPlayers = 2\nnumRounds = two\nnumSuits = 2\nnumRanks = 3\nnumHoleCards = 1\nEND GAMEDEF\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["solve", "leduk"], "did you mean 'leduc'"),
        (["solve", "leduc:ranks=x"], "a number above 0"),
        (["solve", "leduc:colours=3"], "cannot change 'colours'"),
        (["solve", "broken.game"], "broken.game, line 4"),
        (["solve", "binary.game"], "cannot read"),
        (["solve", "leduc", "--abstraction", "J.Q"], "rank 'K' is in no group"),
        (["solve", "leduc", "--abstraction", "A.B-FULL"], "does not fit the deck"),
        (["solve", "leduc", "--iterations", "-3"], "a whole number from 1 to 10^12 is needed, not -3"),
        (["solve", "leduc", "--iterations", "many"], "a whole number from 1 to 10^12 is needed, not 'many'"),
        (["solve", "leduc", "--exploitability", "-1"], "a number from 0 to 10^9 is needed, not -1"),
        (["solve", "leduc", "--method", "magic"], "no method 'magic'"),
        (["solve", "leduc", "--bogus"], "No such option"),
        (["solve", "kuhn-3p", "--method", "lp"], "3 players"),
        (["solve", "holdem-limit"], "deals"),
        (["solve", "holdem-nolimit"], "deals"),
        (["solve", "leduc", "--abstraction", "JQ.K/~pair.nopair", "--method", "lp"], "perfect recall"),
        (["solve", "leduc", "--iterations", "5", "--out", "no/where.strategy"], "cannot write"),
        (["evaluate", "missing.strategy"], "no such file"),
        (["evaluate", "broken.game"], "not a blueprint, strategy, cases or network file"),
        (["evaluate", "cut.strategy"], "damaged or cut short"),
        (["evaluate", "good.strategy", "--game", "kuhn"], "is a strategy of leduc, not of kuhn"),
        (["solve", "kuhn", "--resume", "--out", "good.strategy"], "another game"),
        (["solve", "leduc", "--method", "dcfr", "--out", "good.strategy", "--resume"], "made by cfr+"),
        (["solve", "leduc", "--resume"], "--resume needs --out"),
        (["solve", "leduc", "--resume", "--out", "missing.strategy"], "no such file"),
        (["ask", "call", "--hand", "K"], "call plays any game: say which one by --game"),
        (["evaluate", "call"], "call plays any game: say which one by --game"),
        (["paper", "waugh2009-pathology"], "did you mean"),
        (["match", "call", "call", "--score", "mony"], "no score 'mony'; did you mean 'money'?"),
        (["paper", "nobody"], "no paper"),
        (["frobnicate"], "No such command"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(run, tmp_path, arguments, message):
    (tmp_path / "broken.game").write_text(BROKEN)
    (tmp_path / "binary.game").write_bytes(bytes(range(128, 256)))
    pokerlab.solve("leduc", iterations=5).save(tmp_path / "good.strategy")
    (tmp_path / "cut.strategy").write_bytes((tmp_path / "good.strategy").read_bytes()[:2000])
    code, out, err = run(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("pokerlab: ")
    assert message in err
    assert err.count("\n") == 1


def test_no_arguments_shows_help(run):
    code, _, err = run()
    assert code == 2
    assert "Commands:" in err


def test_a_closed_pipe_is_quiet():
    command = f"{sys.executable} -m pokerlab games | head -n 1"
    result = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=60)
    assert result.stdout.startswith("game")
    assert "Traceback" not in result.stderr


def test_importing_and_listing_do_not_compile_or_load_what_they_do_not_need():
    code = "import sys, pokerlab.cli; print([m for m in ('numba', 'highspy', 'rich', 'scipy') if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert result.stdout == "[]\n"
