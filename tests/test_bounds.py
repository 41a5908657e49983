"""Numbers beyond sense are one line, whoever gives them; those within are taken."""

import math
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import pokerlab
from option_values import SPOT
from pokerlab import bounds
from pokerlab.agents.simple import Call, Raise
from pokerlab.agents.spec import agent_of
from pokerlab.bounds import Bound
from pokerlab.cli import main
from pokerlab.errors import AgentError, BetSizeError, GameDefinitionError, GameTooLarge, PokerlabError, SpotError
from pokerlab.game.bet_sizes import parse_size
from pokerlab.match.client import join
from pokerlab.match.dealer import Dealer, Limits
from pokerlab.match.local_best_response import local_best_response
from pokerlab.match.play import play_match
from pokerlab.match.tournament.play import plan_tournament
from pokerlab.processes import local_processes
from pokerlab.refine.spots.run import solve_spot
from pokerlab.refine.spots.spot import parse_spot

ALL = [bound for bound in vars(bounds).values() if isinstance(bound, Bound)]
LEDUC = pokerlab.rules_of("leduc")
BEYOND = (-1, math.nan, math.inf, 10**23, "x", [1], None)


@pytest.mark.parametrize("bound", ALL, ids=lambda bound: bound.name)
def test_borders(bound):
    step = 1 if bound.whole else 1e-3 * (1 + abs(bound.most))
    inside = [bound.least + step if bound.above else bound.least, bound.most]
    for number in (*inside, np.int64(max(1, bound.least)) if bound.whole else np.float32(max(1, bound.least + 1))):
        assert bound.problem(number) is None
        bound.check(number)
    outside = [bound.least - step, bound.most + step, math.nan, "1", [1], 10**23, -(10**5000)]
    for number in (*outside, *([bound.least] if bound.above else []), *([1.5] if bound.whole else [])):
        with pytest.raises(SpotError, match=f"{bound.name}: a .*number .* is needed, not ") as refusal:
            bound.check(number, error=SpotError)
        assert len(str(refusal.value)) < 250
    for number in (math.inf, -math.inf):
        assert (bound.problem(number) is None) == bound.infinite


def test_numbers_are_written_for_people():
    assert str(bounds.HANDS) == "1 to 10^8"
    assert str(bounds.SEED) == "0 to 2^64-1"
    assert bounds.HANDS.problem(10**23) == "a whole number from 1 to 10^8 is needed, not about 10^23"
    assert bounds.WAIT.problem(0) == "a number above 0 to 10^8 is needed, not 0"


@pytest.mark.parametrize("number", BEYOND[:-1], ids=repr)
def test_in_python(number):
    """What the command line refuses, functions refuse too."""
    agents = [Call(), Call()]
    for call in (
        lambda: play_match(LEDUC, agents, number),
        lambda: play_match(LEDUC, agents, 1, seed=number),
        lambda: Dealer(LEDUC, number),
        lambda: Dealer(LEDUC, 1, number),
        lambda: Limits(response=number),
        lambda: Limits(start=number),
        lambda: Limits(invalid=number),
        lambda: plan_tournament(["call", "raise"], "leduc", number),
        lambda: plan_tournament(["call", "raise"], "leduc", 1, seed=number),
        lambda: local_processes(number),
        lambda: local_best_response(Call(), LEDUC, number),
        lambda: local_best_response(Call(), LEDUC, 1, seed=number),
        lambda: join("127.0.0.1", number, Call(), LEDUC, np.random.default_rng(0)),
        lambda: join("127.0.0.1", 1, Call(), LEDUC, np.random.default_rng(0), connect_seconds=number),
        lambda: pokerlab.solve("kuhn", iterations=number),
        lambda: pokerlab.solve("kuhn", seconds=number),
        lambda: pokerlab.solve("kuhn", exploitability=number),
        lambda: pokerlab.solve("kuhn", "omd", step_size=number, iterations=1),
        lambda: pokerlab.solve("kuhn", "external-sampling", threads=number, iterations=1),
        lambda: pokerlab.solve("kuhn", "external-sampling", seed=number, iterations=1),
        lambda: pokerlab.solve("kuhn", "external-sampling", epoch=number, iterations=1),
        lambda: pokerlab.solve("kuhn", "dcfr", gamma=number, iterations=1),
        lambda: solve_spot(parse_spot(SPOT), iterations=number),
        lambda: solve_spot(parse_spot(SPOT), threads=number, iterations=1),
        lambda: solve_spot(parse_spot(SPOT), memory=number, iterations=1),
        lambda: Raise(number),
    ):
        with pytest.raises(PokerlabError, match="number"):
            call()


@pytest.mark.parametrize("alpha", [math.nan, 25, -1e9])
def test_discounts_that_would_overflow(alpha):
    with pytest.raises(PokerlabError, match="alpha: a number from -20 to 20, inf or -inf"):
        pokerlab.solve("kuhn", "dcfr", alpha=alpha, iterations=1)


@pytest.mark.parametrize("key", ["pot = 200", "stacks = 900", "blind = 10", "bets = [0, 100]"])
def test_chips_of_spots(key):
    """Stacks of 10^23 were once solved to values of 10^12."""
    for number in (10**9 + 1, 10**23, -1):
        with pytest.raises(SpotError):
            parse_spot(SPOT.replace(key, f"{key.split('=')[0]}= {number}"))


def test_chips_of_games():
    rules = pokerlab.rules_of("leduc").text()
    for changed in (
        rules.replace("raiseSize = 2 4", f"raiseSize = 2 {10**23}"),
        rules.replace("blind", "stack = 1 2e9"),
    ):
        with pytest.raises(GameDefinitionError):
            pokerlab.parse_rules(changed)
    for size in ("nan", "inf", "1e400", "1e23%", "-5", "9" * 5000):
        with pytest.raises(BetSizeError, match="bet"):
            parse_size(size)


def test_games_too_large_are_refused_before_they_take_memory(monkeypatch):
    monkeypatch.setattr("pokerlab.game.betting_tree.MAX_NODES", 1000)
    wide = pokerlab.rules_of("leduc-nl").text().replace("stack = 12 12", "stack = 2000000000 2000000000")
    for text in (wide, "\n".join(line for line in wide.splitlines() if "betSizes" not in line)):
        with pytest.raises(GameTooLarge, match="bet sizes"):
            pokerlab.compile(pokerlab.parse_rules(text))


@pytest.mark.parametrize("option", ["size=nan", "size=inf", "size=-1", "size=1e23", f"size={10**23}", "size=x"])
def test_options_of_agents(option):
    with pytest.raises(AgentError):
        agent_of(f"raise?{option}", LEDUC)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["match", "call", "call", "--hands", "1000000000"], "'--hands': a whole number from 1 to 10^8 is needed"),
        (["match", "call", "call", "--seed", "-1"], "'--seed': a whole number from 0 to 2^64-1 is needed, not -1"),
        (["solve", "kuhn", "--seconds", "nan"], "'--seconds': a number from 0 to 10^8 is needed, not nan"),
        (["solve", "kuhn", "--threads", "1000000000"], "'--threads': a whole number from 1 to 256"),
        (["tournament", "call", "raise", "--processes", "0"], "'--processes': a whole number from 1 to 256"),
        (["dealer", "--start-seconds", "inf"], "'--start-seconds': a number above 0 to 10^8 is needed, not inf"),
        (["join", "localhost", "65536", "--agent", "call"], "'PORT': a whole number from 1 to 65535 is needed"),
        (["spot", "x.toml", "--max-memory", "0"], "'--max-memory': a number above 0 to 10^6 is needed, not 0"),
    ],
)
def test_on_the_command_line(words, said):
    ran = CliRunner().invoke(main, words)
    assert (ran.exit_code, ran.stderr.count("\n")) == (2, 1)
    assert said in ran.stderr


def test_help_states_the_bounds():
    assert "--hands (1 to 10^8)" in CliRunner().invoke(main, ["match", "--help"]).stdout


def test_too_many_matches_and_seatings():
    ten = pokerlab.parse_rules(
        "GAMEDEF\nlimit\nnumPlayers = 10\nnumRounds = 1\nblind = 1 1 1 1 1 1 1 1 1 1\nraiseSize = 1\nnumSuits = 2\n"
        "numRanks = 13\nnumHoleCards = 1\nnumBoardCards = 0\nEND GAMEDEF\n"
    )
    with pytest.raises(PokerlabError, match="10 players can sit in 3,628,800 ways"):
        play_match(ten, [Call()] * 10, 1, duplicate=True)
    with pytest.raises(PokerlabError, match="10 players can sit in 3,628,800 ways"):
        plan_tournament(["call"] * 10, ten, 1)
    assert play_match(ten, [Call()] * 10, 3).winnings.shape == (3, 10)
    with pytest.raises(
        PokerlabError, match="matches of the tournament: a whole number from 1 to 10000 is needed, not 19900"
    ):
        plan_tournament(["call"] * 200, "kuhn", 1)


def test_a_file_without_a_name_is_refused(tmp_path, monkeypatch):
    """An empty name once stood for the current folder, which was moved away to make room for the checkpoint."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("river.toml").write_text(SPOT)
    for words in (
        ["spot", "river.toml", "--checkpoint", ""],
        ["train", "smallbot-3", "--out", ""],
        ["solve", "kuhn", "--out="],
    ):
        ran = CliRunner().invoke(main, words)
        assert (ran.exit_code, ran.stderr) == (2, "pokerlab: cannot write a file without a name\n")
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
