"""A user's own solver, abstraction, bucketing, game and the rest by `module:Name`: found, checked before it is called,
and what goes wrong in it said in one line. No file runs code by itself."""

import sys

import numpy as np
import pytest
from click.testing import CliRunner

import pokerlab
from pokerlab.abstraction.buckets.build import cached_path
from pokerlab.abstraction.buckets.divide import Hands, by_strength
from pokerlab.abstraction.buckets.spec import parse_spec
from pokerlab.cli import main
from pokerlab.errors import AbstractionError, PokerlabError, SolverError, StrategyFileError, UnknownGame
from pokerlab.records.logs import read_log
from pokerlab.registry import Registry, is_place, options_of
from pokerlab.solvers.solution import load

MINE = '''
from pathlib import Path

from pokerlab.solvers.stepper import PlainStepper


class Still(PlainStepper):
    """Plays uniformly; fails in the step `fails`."""

    def __init__(self, game, fails=0):
        super().__init__(game)
        if fails < 0:
            raise KeyError("no such step")
        self.fails = fails
        for p, tree in enumerate(game.trees):
            self._arrays[f"plan{p}"] = tree.realize(tree.uniform())

    def _once(self):
        if self.iteration + 1 == self.fails:
            raise ZeroDivisionError("nothing left")

    def plans(self):
        return self._arrays["plan0"], self._arrays["plan1"]


def called(*arguments):
    Path("was-called").touch()


class NoStepper:
    __init__ = called


def kings(cards):
    return "K" in cards[0]


def lists(cards):
    return [cards]


def stumbles(cards):
    raise RuntimeError("what card is that?")


def thirds(strengths, weights, count):
    return (strengths * count).astype(int)


NUMBER = 7
WAR = ("One card each", """GAMEDEF
limit
numPlayers = 2
numRounds = 1
blind = 1 1
raiseSize = 1
firstPlayer = 1
maxRaises = 1
numSuits = 4
numRanks = 6
numHoleCards = 1
numBoardCards = 0
END GAMEDEF
""")


class Inside:
    kings = staticmethod(kings)
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "own_lab.py").write_text(MINE)
    (tmp_path / "broken_lab.py").write_text("x = \n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    monkeypatch.delitem(sys.modules, "own_lab", raising=False)  # that of another test's folder
    return tmp_path


def refused(*words):
    ran = CliRunner().invoke(main, words)
    assert ran.exit_code == 2, ran.output
    assert ran.stderr.count("pokerlab: ") == 1
    return ran.stderr


def test_places_and_options():
    assert is_place("my_lab:Name")
    assert is_place("my.lab:Outer.inner")
    assert not any(map(is_place, ["lab", "lab:", ":Name", "leduc:ranks=6", "C:\\game", "my-lab:Name", "a:b:c"]))
    assert options_of("x:Y?a=1&b=0.5&c=true&d=word", "thing", SolverError) == (
        "x:Y",
        {"a": 1, "b": 0.5, "c": True, "d": "word"},
    )
    with pytest.raises(SolverError, match=r"thing 'x\?a': options are written as \?key=value"):
        options_of("x?a", "thing", SolverError)
    with pytest.raises(SolverError, match="options of things are finite numbers, or text, not 'inf'"):
        options_of("x?a=inf", "thing", SolverError)


def test_every_registry_takes_places(folder):
    things = Registry("thing", {}, error=SolverError, wrong=lambda row: "" if row == 7 else "is not seven")
    assert things["own_lab:NUMBER"] == 7
    with pytest.raises(SolverError, match="thing 'own_lab:WAR' is not seven"):
        things["own_lab:WAR"]
    with pytest.raises(SolverError, match=r"cannot import GONE from own_lab: .*own_lab\.py has no such name"):
        things["own_lab:GONE"]
    with pytest.raises(SolverError, match="cannot import X from no_such_lab: No module named 'no_such_lab'"):
        things["no_such_lab:X"]
    with pytest.raises(SolverError, match="cannot import X from broken_lab: SyntaxError"):
        things["broken_lab:X"]
    assert "own_lab:NUMBER" not in things  # a place is a name for who asks, not a row
    assert Registry("thing", {}, wrong=lambda row: "")["own_lab:Inside.kings"](("K",))


def test_a_solver(folder):
    solution = pokerlab.solve("kuhn", "own_lab:Still", iterations=3)
    assert (solution.method, solution.iterations) == ("own_lab:Still", 3)
    assert solution.exploitability == pytest.approx(
        pokerlab.evaluate(pokerlab.uniform_profile(pokerlab.compile("kuhn"))).exploitability
    )
    with pytest.raises(SolverError, match=r"unexpected keyword argument 'speed'"):
        pokerlab.solve("kuhn", "own_lab:Still?speed=2", iterations=3)
    with pytest.raises(SolverError, match=r"it cannot be made: KeyError: 'no such step' \(own_lab\.py, line 13\)"):
        pokerlab.solve("kuhn", "own_lab:Still?fails=-1", iterations=3)
    assert "method 'own_lab:Still' failed: ZeroDivisionError: nothing left (own_lab.py, line 20)" in refused(
        "solve", "kuhn", "--method", "own_lab:Still?fails=2", "--iterations", "3"
    )
    for wrong in ("NoStepper", "called", "NUMBER"):
        assert "derive it from pokerlab.solvers.stepper.PlainStepper" in refused(
            "solve", "kuhn", "--method", f"own_lab:{wrong}"
        )
    assert not (folder / "was-called").exists()


def test_an_abstraction_and_its_file(folder, monkeypatch):
    rules = pokerlab.rules_of("leduc")
    game = pokerlab.compile(rules, "own_lab:kings-FULL")
    assert game.trees[0].infosets < pokerlab.compile(rules).trees[0].infosets
    pokerlab.solve(game, "cfr+", iterations=5).save("kings.strategy")
    with pytest.raises(StrategyFileError, match=r"sees cards by 'own_lab:kings-FULL', code that no file may run"):
        load("kings.strategy")
    with pytest.raises(StrategyFileError, match=r"is of the abstraction 'own_lab:kings-FULL', not of 'JQ\.K-FULL'"):
        load("kings.strategy", abstraction="JQ.K-FULL")
    again = load("kings.strategy", abstraction="own_lab:kings-FULL")
    assert again.game.trees[0].infosets == game.trees[0].infosets
    resumed = pokerlab.solve(game, "cfr+", iterations=9, resume="kings.strategy")
    assert resumed.value == pokerlab.solve(game, "cfr+", iterations=9).value
    for text, problem in (
        ("own_lab:NUMBER", "is no function of the cards that a player sees, but 7"),
        ("own_lab:stumbles", r"failed: RuntimeError: what card is that\? \(own_lab\.py, line 4\d\)"),
        ("own_lab:lists", "failed: unhashable type: 'list'"),
    ):
        with pytest.raises(AbstractionError, match=problem):
            pokerlab.compile(rules, text)
    assert "name it again" in refused("evaluate", "kings.strategy")
    assert "name it again" in refused("match", "table:kings.strategy", "call")


def test_a_file_that_names_a_module_imports_nothing(folder):
    (folder / "trap_lab.py").write_text("from pathlib import Path\nPath('was-called').touch()\n")
    log = "# name/game/hands/seed m trap_lab:WAR 1 0\nSTATE:0:cc:Jh|Qh:-1|1:a|b\n"
    (folder / "trap.log").write_text(log)
    with pytest.raises(PokerlabError):
        list(read_log("trap.log"))
    assert parse_spec("169/trap_lab:cut:5/trap_lab:cut:5/trap_lab:cut:5").streets[1].method == "trap_lab:cut"
    assert not (folder / "was-called").exists()


def test_a_bucketing_is_kept_by_its_code(folder):
    spec = parse_spec("169/own_lab:thirds:3/own_lab:thirds:3/own_lab:thirds:3")
    assert spec.text == "lossless/own_lab:thirds:3/own_lab:thirds:3/own_lab:thirds:3"
    strengths = np.array([0.1, 0.5, 0.99])
    hands = Hands(np.ones(3, np.uint8), strengths, strengths**2)
    assert by_strength(hands, spec.streets[1]).buckets.tolist() == [0, 1, 2]
    before = cached_path(spec)
    (folder / "own_lab.py").write_text(MINE + "\n# changed\n")
    assert cached_path(spec) != before
    with pytest.raises(AbstractionError, match="is no function of strengths"):
        cached_path(parse_spec("169/own_lab:NUMBER:3/percentile:3/percentile:3"))
    assert "cannot import gone" in refused("buckets", "build", "169/own_lab:gone:3/percentile:3/percentile:3")


def test_a_game(folder):
    rules = pokerlab.rules_of("own_lab:WAR")
    assert (rules.name, len(rules.deck)) == ("own_lab:WAR", 24)
    assert len(pokerlab.rules_of("own_lab:WAR:ranks=4,suits=2").deck) == 8
    with pytest.raises(UnknownGame, match="is no pair of texts"):
        pokerlab.rules_of("own_lab:NUMBER")
    with pytest.raises(UnknownGame, match="no game or game-definition file"):
        pokerlab.rules_of("own_lab:WAR", own=False)
    ran = CliRunner().invoke(
        main, ["match", "call", "raise", "--game", "own_lab:WAR", "--hands", "20", "--log", "w.log"]
    )
    assert ran.exit_code == 0, ran.output
    assert len(list(read_log("w.log"))) == 20  # the log has the definition, and needs no module


def test_scores_papers_and_recipes(folder):
    assert "is no function of rules and agents" in refused("match", "call", "call", "--score", "own_lab:NUMBER")
    assert "is no pokerlab.papers.Paper" in refused("paper", "own_lab:NUMBER")
    assert "is no pokerlab.agents.recipes.Recipe" in refused("train", "own_lab:NUMBER")
