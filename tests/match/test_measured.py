"""Every agent without memory has AIVAT and local best response, in hold'em and in games that compile."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import pokerlab
from own_agent import MY_BOTS
from pokerlab.agents.agent import Agent
from pokerlab.agents.simple import Call, Fold, Probe, Raise
from pokerlab.agents.spec import agent_of
from pokerlab.agents.table import TableAgent, profile_of
from pokerlab.cards.equity import showdown_equity
from pokerlab.cli import main
from pokerlab.errors import PokerlabError
from pokerlab.match.local_best_response import local_best_response
from pokerlab.match.play import play_match
from pokerlab.match.scores import SCORES
from pokerlab.match.showdowns import Showdowns, showdowns_of
from pokerlab.match.tables import exact_means, tables_of

LEDUC, LIMIT = pokerlab.rules_of("leduc"), pokerlab.rules_of("holdem-limit")


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "my_bots.py").write_text(MY_BOTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    return lambda rules: agent_of("my_bots:Cautious", rules)


@pytest.fixture(scope="module")
def table():
    return TableAgent(pokerlab.solve("leduc", iterations=300))


def exact_of(first, second, rules=LEDUC):
    return exact_means(*tables_of([first, second], rules))[0]


# AIVAT


def test_aivat_in_leduc_leaves_no_luck(table, own):
    """Both strategies are known tables, so that a hand is estimated at what it is worth in its seats."""
    for agents in ([Call(), Probe()], [own(LEDUC), Call()], [table, own(LEDUC)]):
        result = play_match(LEDUC, agents, 20, duplicate=True, score=SCORES["aivat"](LEDUC, agents))
        assert result.winnings.std(axis=0) == pytest.approx(0, abs=1e-9)
        assert result.mean[0] == pytest.approx(exact_of(*agents), abs=1e-6)


def test_aivat_of_an_own_agent_in_holdem(own):
    agents = [own(LIMIT), Call()]
    scored = play_match(LIMIT, agents, 16, duplicate=True, score=SCORES["aivat"](LIMIT, agents))
    played = play_match(LIMIT, agents, 1500, duplicate=True, seed=1)
    assert abs(scored.mean[0] - played.mean[0]) < 1.5 * (scored.ci95[0] + played.ci95[0])
    plain = play_match(LIMIT, agents, 16, duplicate=True)
    assert scored.ci95[0] < plain.ci95[0] / 2


def test_the_command_scores_by_aivat_in_small_games_too():
    told = ["match", "call", "probe", "--hands", "6", "--score", "aivat", "--json"]
    ran = CliRunner().invoke(main, told)
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.output)
    assert found["score"] == "aivat"
    assert sum(found["mean"]) == pytest.approx(0, abs=1e-9)
    refused = CliRunner().invoke(main, [*told[:2], "call", "probe", *told[3:], "--game", "kuhn-3p"])
    assert "AIVAT is for two players" in refused.output


class Moody(Agent):
    """Remembers: calls until it has lost a hand, then raises; says so before the cards are dealt."""

    name, stateless = "moody", False
    calm, angry = Call(), Raise()

    def __init__(self):
        self.reset()

    def reset(self):
        self.lost, self.asked = False, []

    def playing(self, view):
        assert view.hole == ()
        assert view.names[view.seat : view.seat + 1] in ((), ("moody",))
        return self.angry if self.lost else self.calm

    def act(self, view):
        return self.playing(view._replace(holes=())).act(view)

    def observe(self, view):
        shown = view.betting.showdown and view.holes[1 - view.seat]
        self.lost = self.lost or bool(shown and max(shown) > max(view.hole))


@pytest.mark.parametrize("rules", [LEDUC, LIMIT], ids=lambda rules: rules.name)
def test_who_remembers_is_measured_by_what_it_was_playing(rules):
    """Two who never fold and never raise win nothing: all that is won is won by the raiser, or lost."""
    moody, moods, chips = Moody(), [], []
    agents = [moody, Probe()]
    estimate = SCORES["aivat"](rules, agents)

    def score(hand, seated):
        moods.append(moody.lost)
        chips.append((estimate(hand, seated), hand))
        return chips[-1][0]

    play_match(rules, agents, 12, seed=3, score=score)
    assert set(moods) == {False, True}
    for mood, (found, hand) in zip(moods, chips, strict=True):
        alone = [Raise() if mood else Call(), Probe()]
        seated = alone if hand.names[0] == "moody" else alone[::-1]
        assert SCORES["aivat"](rules, alone)(hand, seated) == pytest.approx(found, abs=1e-9)


def test_who_remembers_and_cannot_say_is_refused():
    class Diary(Call):
        stateless, name = False, "diary"

    with pytest.raises(PokerlabError, match="diary remembers past hands"):
        SCORES["aivat"](LEDUC, [Call(), Diary()])


# Local best response


def test_local_best_response_in_leduc_bounds_exploitability(table, own):
    for agent in (Call(), own(LEDUC), table, Probe()):
        found = local_best_response(agent, LEDUC, 150, seed=2)
        most = 1000 / 2 * pokerlab.evaluate(profile_of(agent, agent, "leduc")).exploitability
        assert found.mean - found.ci95 < most
    # One who always calls is robbed of nearly all that can be had.
    assert local_best_response(Call(), LEDUC, 600, seed=2).mean > 300


def test_local_best_response_in_leduc_wins_what_it_says(own):
    """It only calls with `first_round` beyond the last: the exact value is known then."""
    for agent in (own(LEDUC), Raise()):
        found = local_best_response(agent, LEDUC, 1200, first_round=9, seed=4)
        assert abs(found.mean - exact_of(Call(), agent)) < 1.3 * found.ci95
    robbed = local_best_response(Fold(), LEDUC, 100, seed=1)  # of its ante in every hand
    assert abs(robbed.mean - 500) < 1.3 * robbed.ci95


def test_local_best_response_to_an_own_agent_in_holdem(own):
    found = local_best_response(own(LIMIT), LIMIT, 6, seed=1)
    assert np.isfinite(found.winnings).all()
    assert len(found.winnings) == 6


def test_the_command_measures_any_agent(own):
    def evaluate(*told):
        return CliRunner().invoke(main, ["evaluate", *told, "--deals", "20"])

    figures = json.loads(evaluate("my_bots:Cautious", "--game", "leduc", "--json").stdout)
    exact = pokerlab.evaluate(profile_of(own(LEDUC), own(LEDUC), "leduc")).exploitability
    assert figures["exploitability"] == pytest.approx(1000 / 2 * exact)
    assert figures["local_best_response"]["deals"] == 20
    assert "at least" in evaluate("call", "--game", "holdem-limit").stdout
    assert "remembers past hands" in evaluate("human", "--game", "leduc").output
    assert "did you mean 'call'" in evaluate("cal", "--game", "leduc").output


def test_too_many_cards_are_refused():
    rules = pokerlab.parse_rules(LIMIT.text().replace("numHoleCards = 2", "numHoleCards = 4"))
    with pytest.raises(PokerlabError, match="too many cards"):
        local_best_response(Call(), rules, 5)


@pytest.mark.parametrize("game", ["leduc", "rhode-island"])
def test_shares_are_those_of_the_equity_calculator(game):
    rules = pokerlab.rules_of(game)
    showdowns, board = showdowns_of(rules), (1,) * bool(rules.board_cards[1])
    for shown in ((), board):
        share = showdowns.share(showdowns.number((3,)), shown)
        for number, hole in enumerate(showdowns.holes):
            if {*hole} & {3, *shown}:
                assert share[number] == 0
            elif number % 7 == 2:
                true = showdown_equity(
                    [(3,), hole], shown, sum(rules.board_cards), deck=rules.deck, ranking=rules.ranking
                )[0]
                assert share[number] == pytest.approx(true)
    others = [h for h in showdowns.holes if h != (3,)]
    mean = np.mean([showdowns.share(showdowns.number((3,)), ())[showdowns.number(h)] for h in others])
    assert showdowns.equity(showdowns.number((3,))) == pytest.approx(mean)


def test_enumeration_and_kernels_agree_on_a_turn():
    board, hole = (0, 13, 26, 39), (50, 51)
    fast = showdowns_of(LIMIT)
    slow = Showdowns.__new__(Showdowns)
    slow.__dict__ = fast.__dict__ | {"_ranks": {}, "_shares": {}}
    mine = fast.number(hole)
    assert Showdowns._share(slow, mine, board) == pytest.approx(fast.share(mine, board))
