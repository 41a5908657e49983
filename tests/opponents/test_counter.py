"""`pokerlab counter`: from an agent or from records to a strategy that plays, and what is said of it."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import pokerlab
from pokerlab.agents.table import profile_of
from pokerlab.cli import main
from pokerlab.errors import AgentError, PokerlabError
from pokerlab.match.play import play_match
from pokerlab.match.tables import exact_means, tables_of
from pokerlab.opponents.counter import counter
from pokerlab.opponents.watching import read_endings
from pokerlab.records.logs import LogWriter
from pokerlab.solvers.counter import restricted_nash, standing
from pokerlab.solvers.observed import UNKNOWN, Model, action_counts


def run(*words):
    return CliRunner().invoke(main, ["counter", *words])


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Four hundred hands of Leduc between two who do anything."""
    rules, path = pokerlab.rules_of("leduc"), tmp_path_factory.mktemp("logs") / "match.log"
    with LogWriter(path, rules, ["ann", "bob"], 400, 3) as log:
        play_match(rules, [pokerlab.agent_of("random"), pokerlab.agent_of("probe")], 400, seed=3, watch=log.watch)
    return path


def without_folded_cards(path, name, out):
    """The log as everybody but `name` saw it: without its cards where there was no showdown."""
    lines = []
    for line in path.read_text().splitlines():
        if line.startswith("STATE:"):
            parts = line.split(":")
            if parts[2].endswith("f"):
                seat = parts[5].split("|").index(name)
                holes, *board = parts[3].split("/")
                seats = holes.split("|")
                seats[seat] = ""
                parts[3] = "/".join(["|".join(seats), *board])
            line = ":".join(parts)
        lines.append(line)
    out.write_text("\n".join(lines) + "\n")
    return out


def test_an_agent_is_asked_and_its_counter_plays_as_a_file(tmp_path):
    out = tmp_path / "counter.strategy"
    ran = run("leduc", "--against", "random", "--p", "0.5", "--out", str(out), "--json")
    assert ran.exit_code == 0, ran.stderr
    told = json.loads(ran.stdout)
    game, random = pokerlab.compile("leduc"), pokerlab.agent_of("random")
    exact = restricted_nash(Model.known(profile_of(random, random, game)), 0.5)
    assert (told["kind"], told["won_from"], told["hands"], told["unit"]) == ("restricted-nash", "target", None, "mb/h")
    assert told["exploitability"] == pytest.approx(exact.exploitability * 500)
    mine = pokerlab.agent_of(str(out))
    tables = tables_of([mine, random], pokerlab.rules_of("leduc"))
    assert exact_means(*tables)[0] == pytest.approx(told["won"])


def test_p_goes_from_the_equilibrium_to_the_best_response():
    told = [json.loads(run("kuhn", "--against", "call", "--p", p, "--json").stdout) for p in ("0", "0.5", "1")]
    won, lost = [row["won"] for row in told], [row["exploitability"] for row in told]
    assert lost[0] == pytest.approx(0, abs=1e-6)
    assert won == sorted(won)
    assert lost == sorted(lost)
    call = pokerlab.agent_of("call")
    assert won[2] == pytest.approx(1000 * pokerlab.evaluate(profile_of(call, call, "kuhn")).exploitability)


def test_regret_comes_to_what_programs_find():
    exact, steps = (counter("kuhn", ["random"], p=0.6, kind=kind, method=method, **limits)
                    for kind, method, limits in (("restricted-nash", "lp", {}),
                                                 ("restricted-nash", "cfr+", {"iterations": 3000})))  # fmt: skip
    assert steps.won == pytest.approx(exact.won, abs=0.01)


def test_records_are_counted_with_the_cards_that_were_shown(log, tmp_path):
    game = pokerlab.compile("leduc")
    (first, second), left_out = read_endings(game, [log], "ann")
    assert first.hands == second.hands == 200
    assert not left_out
    assert first.state.min() >= 0
    hidden = without_folded_cards(log, "ann", tmp_path / "hidden.log")
    (shown, _), _ = read_endings(game, [hidden], "ann")
    folds = [not game.origin.nodes[node].state.showdown for node in shown.node]
    assert np.all((shown.state[0] == UNKNOWN) == folds)
    assert shown.hands == 200
    ran = run("leduc", "--against", str(hidden), "--expert", "ann", "--p", "0.8")
    assert ran.exit_code == 0, ran.stderr
    assert "400 hands, " in ran.stdout
    assert "of them without its cards" in ran.stdout
    assert "from the model of it" in ran.stdout
    # the hidden hands are not lost: the model folds about as often as the player did
    made = counter("leduc", [str(hidden)], expert="ann", kind="frequentist")
    true = action_counts(game, 0, first)
    assert made.target.model.seen[0].sum() == pytest.approx(true[1:].sum(), rel=0.05)
    folds = [game.at_node(n, np.arange(game.X.sequences))[0] for n, node in enumerate(game.origin.nodes)
             if node.state.actor == 0 and node.actions[0] == pokerlab.FOLD]  # fmt: skip
    folded = np.concatenate(folds)
    assert action_counts(game, 0, shown)[folded].sum() == 0
    visits = np.bincount(game.X.infoset_of[1:], true[1:], game.X.infosets)[game.X.infoset_of[folded]]
    assert visits @ made.target.model.behaviour[0][folded] == pytest.approx(true[folded].sum(), rel=0.15)


def test_what_cannot_be_is_told_in_one_line(log, tmp_path):
    for words, told in (
        (["leduc", "--against", str(log)], "whose hands? --expert names the player"),
        (["leduc", "--against", str(log), "--expert", "carl"], "'carl' has no hands in these records"),
        (["leduc", "--against", str(log), "--expert", "ann", "--observe", "5"], "--observe is for agents"),
        (["leduc", "--against", "call", "--against", "raise"], "one agent, or records with --expert"),
        (["leduc", "--against", "call", "--against", str(log)], "records and agents do not go together"),
        (["leduc", "--against", "dynamic:call|raise"], "remembers past hands"),
        (["kuhn-3p", "--against", "call"], "counter-strategies are for two players"),
        (["leduc", "--against", "call", "--iterations", "5"], "lp is exact and takes no limits"),
    ):
        ran = run(*words)
        assert ran.exit_code == 2, words
        assert told in ran.stderr, ran.stderr
    with pytest.raises(PokerlabError, match="no counter-strategy 'best'"):
        counter("kuhn", ["call"], kind="best")
    with pytest.raises(AgentError):
        counter("kuhn", ["nobody"])


def test_a_watched_agent_is_known_the_better_the_longer_it_is_watched():
    won = [counter("leduc", ["random"], kind="frequentist", observe=hands).won for hands in (50, 50_000)]
    best = counter("leduc", ["random"], kind="frequentist").won
    assert won[0] < won[1] < best
    assert won[1] > 0.95 * best


def test_a_coach_finds_the_member_of_a_team_that_beats_this_opponent(tmp_path):
    """Counter-strategies to three players as arms: more is won than by an equilibrium, whoever comes."""
    targets = ("call", "raise", "random")
    for name in targets:
        counter("leduc", [name], p=0.9).solution.save(tmp_path / f"{name}.strategy")
    team = "dynamic:" + "|".join(str(tmp_path / f"{name}.strategy") for name in targets) + "?credit=money&scale=8"
    rules, equilibrium = pokerlab.rules_of("leduc"), pokerlab.solve("leduc", "lp").strategy
    for name in ("call", "raise"):
        coached, opponent = pokerlab.agent_of(team), pokerlab.agent_of(name)
        won = play_match(rules, [coached, opponent], 1500, seed=2)
        (record,) = coached.records.values()
        pulls = [arm.pulls for arm in record.arms]
        assert pulls.index(max(pulls)) == targets.index(name)
        profile = profile_of(opponent, opponent, equilibrium.game)
        assert won.mean[0] > 1.3 * standing(equilibrium, profile).won / 0.002


def test_hold_em_by_sampling(tmp_path):
    out = tmp_path / "caller.blueprint"
    words = ["holdem-limit", "--against", "call", "--observe", "300", "--iterations", "4000", "--p", "0.8"]
    ran = run(*words, "--cards", "made-hands?count=3", "--out", str(out), "--json")
    assert ran.exit_code == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert (told["kind"], told["hands"], told["unit"]) == ("data-biased", 300, "mb/h")
    assert told["won"] > told["won_ci95"] > 0
    assert told["exploitability_at_least"] > 0
    rules = pokerlab.rules_of("holdem-limit")
    played = play_match(rules, [pokerlab.agent_of(str(out)), pokerlab.agent_of("call")], 20)
    assert len(played.winnings) == 20
    log = tmp_path / "match.log"
    with LogWriter(log, rules, ["ann", "bob"], 40, 3) as writer:
        play_match(rules, [pokerlab.agent_of("random"), pokerlab.agent_of("probe")], 40, seed=3, watch=writer.watch)
    short = ["--cards", "made-hands?count=3", "--iterations", "200"]
    ran = run("holdem-limit", "--against", str(log), "--expert", "ann", *short)
    assert ran.exit_code == 0, ran.stderr
    assert "seen             40 hands\n" in ran.stdout
    assert "from it" not in ran.stdout
    hidden = without_folded_cards(log, "ann", tmp_path / "hidden.log")
    told = json.loads(run("holdem-limit", "--against", str(hidden), "--expert", "ann", *short, "--json").stdout)
    folded = sum(line.split(":")[2].endswith("f") for line in hidden.read_text().splitlines() if "STATE" in line)
    assert (told["hands"], told["hidden"]) == (40, folded)
    assert folded > 10
    assert not told["left_out"]
    ran = run("holdem-limit", "--against", str(hidden), "--expert", "ann", *short)
    assert f"40 hands, {folded} of them without its cards" in ran.stdout
    for more, why in (
        (["--against", str(log)], "whose hands?"), (["--against", "call", "--exploitability", "1"], "nobody knows"),
        (["--against", "dynamic:call|raise"], "remembers past hands"),
        (["--against", "call", "--confidence", "threshold"], "confidence in hold'em is one of linear, curve"),
    ):  # fmt: skip
        ran = run("holdem-limit", *more, *short, "--observe", "5")
        assert ran.exit_code == 2
        assert why in ran.stderr
    assert "is not that" in run("holdem-nolimit", "--against", "call").stderr
