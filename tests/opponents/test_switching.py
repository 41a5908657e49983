"""From three players to two: the worked example, and every betting of three against a search over bettings of two."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import answers_of
from pokerlab.agents.blueprint import graph_of
from pokerlab.agents.blueprint_file import load_blueprint, save_blueprint
from pokerlab.agents.simple import Call, Fold, Raise, Random
from pokerlab.agents.spec import agent_of
from pokerlab.cards.holes import hole_number
from pokerlab.cases.features import Features
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import parse_hand
from pokerlab.match.play import play_match
from pokerlab.opponents.switching import Switching, for_two, same_raises
from random_cases import base_of, random_hands, views

FILES = Path(__file__).parent.parent / "files"
THREE, TWO = rules_of("holdem-limit-3p"), rules_of("holdem-limit")


def viewed(betting, seat=None):
    hand = parse_hand(THREE, betting, "AsAh|KsKh|QsQh" + "/2c3d4h/5s/6d"[: (0, 7, 10, 13)[betting.count("/")]])
    return hand.view(hand.actor if seat is None else seat)


@pytest.mark.parametrize(
    ("three", "two"),
    [
        ("frc/r", "crc/r"),  # the dealer folds, the small blind raises: it becomes the big blind of two; not rc/r
        ("fcc/", "cc/"),
        ("rfc/", "rc/"),  # the small blind folds: the big blind stays first, the dealer stays last
        ("rcf/c", "rc/c"),  # the big blind folds
        ("crfrc/", "crrc/"),  # small blind and dealer raise once, the dealer last
        ("rrfc/", "rrc/"),  # dealer and small blind raise once, the small blind last
        ("ccc/rfc/c", "cc/rc/c"),  # a fold on the flop
        ("ccc/rfc/crc/r", "cc/rc/crc/r"),
        ("ccc/crrfc/", "cc/rrc/"),
        ("rrrfc/", "crrc/"),  # the dealer folds, having raised; the others raised once each, the big blind last
    ],
)
def test_bettings(three, two):
    assert for_two(viewed(three), TWO).betting_text() == two


@pytest.mark.parametrize("betting", ["", "f", "fr", "cc", "ccc/r", "ccc/rf", "ccc/rfr"])
def test_where_three_decide(betting):
    """Nobody has folded, or somebody has in this very round."""
    assert for_two(viewed(betting), TWO) is None


def rounds_of_two(first, most):
    """All whole rounds of two, by brute force: who raised in turn, and the actions."""
    rounds = []

    def go(actions, raisers, actor, owed, seen):
        if seen == 2:
            rounds.append((actions, raisers))
            return
        go([*actions, 0], raisers, 1 - actor, False, seen + 1)
        if len(raisers) < most:
            go([*actions, 1], [*raisers, actor], 1 - actor, True, 1)

    go([], [], first, False, 0)
    return rounds


@pytest.mark.parametrize("first", [0, 1])
def test_the_round_of_two_is_the_only_one(first):
    """As many raises by each, and the same one last: there is one such round, or none."""
    rounds = rounds_of_two(first, 4)
    rng = np.random.default_rng(first)
    for _ in range(300):
        raisers = rng.integers(2, size=rng.integers(5)).tolist()
        fit = [actions for actions, made in rounds if sorted(made) == sorted(raisers)]
        if len(fit) > 1:
            fit = [actions for actions, made in rounds if sorted(made) == sorted(raisers) and made[-1] == raisers[-1]]
        assert len(fit) <= 1
        assert same_raises(raisers, first) == (fit[0] if fit else None)


class Told(Agent):
    """Remembers what it was asked."""

    def __init__(self):
        self.seen = []

    def act(self, view):
        self.seen.append(view)
        return Random().act(view)


def test_views_of_two_are_those_of_the_seats_that_are_left():
    two, three = Told(), Told()
    agent = Switching(three, two)
    told = []
    for view in views(THREE, 300, seed=4):
        asked = len(two.seen)
        odds = agent.act(view)
        assert all(action in view.legal for action in odds)
        assert sum(odds.values()) == pytest.approx(1)
        if len(two.seen) > asked:
            small = two.seen[-1]
            told.append(small)
            assert small.hole == view.hole
            assert small.board == view.board
            assert (small.betting.actor, small.betting.round) == (small.seat, view.betting.round)
            assert small.legal.fold == view.legal.fold
            assert bool(small.legal.raises) == bool(view.legal.raises)
            left = [seat for seat in range(3) if not view.betting.folded[seat]]
            assert left[small.seat] == view.seat
            # Rounds after the fold have the same texts.
            assert small.betting_text().split("/")[-1] == view.betting_text().split("/")[-1]
    assert len(told) > 20
    assert three.seen


def test_raises_are_raises_and_calls_calls():
    view = viewed("frc/r")
    for two, action in ((Fold(), FOLD), (Call(), CALL), (Raise(), view.legal.raises[0])):
        assert Switching(Call(), two).act(view) == {action: 1.0}
        answers = Switching(Call(), two).answers(view)
        assert set(answers) == {action}
        assert answers[action].min() == 1


def test_matches():
    agent = agent_of("switching:random|raise", THREE)
    assert play_match(THREE, [agent, Random(), Call()], 200).summary()["played"] == 200


def carried(odds, view):
    """Odds of a game for two by what they do here."""
    up = view.legal.raises[0] if view.legal.raises else CALL
    actions = {}
    for action, chance in odds.items():
        made = action if action in (FOLD, CALL) else up
        actions[made] = actions.get(made, 0.0) + chance
    return actions


def test_case_bases_by_spec(tmp_path):
    """The base for three decides until somebody has folded, and then that for two."""
    specs = []
    for rules, name in ((THREE, "three"), (TWO, "two")):
        base = base_of(rules, random_hands(rules, 60), Features("category"))
        base.save(tmp_path / f"{name}.cases")
        specs.append(f"cases:{tmp_path / name}.cases")
    agent = agent_of(f"switching:{specs[0]}|{specs[1]}", THREE)
    three, two = (agent_of(spec) for spec in specs)
    assert {Path(file).name for file in agent.files} == {"three.cases", "two.cases"}
    switched = 0
    for view in views(THREE, 60, seed=6):
        small = for_two(view, TWO)
        switched += small is not None
        assert agent.act(view) == (three.act(view) if small is None else carried(two.act(small), view))
    assert switched > 5


def test_blueprints_by_spec(tmp_path):
    """The same with blueprints, and with all hands at once."""
    two = load_blueprint(FILES / "limit.blueprint")
    rules = rules_of("holdem-limit-3p:raises=1")
    rng = np.random.default_rng(0)
    cells = graph_of(rules, "all", "round", two.cards.counts).cells // 2
    strategy = rng.integers(1, 255, cells).astype(np.uint8)
    path = tmp_path / "three.blueprint"
    save_blueprint(replace(two, rules=rules, bets="all", memory="round", strategy=strategy, path=""), path)
    specs = f"blueprint:{path}", f"blueprint:{FILES / 'limit.blueprint'}"
    agent, switched = agent_of(f"switching:{specs[0]}|{specs[1]}", rules), 0
    large, small = (agent_of(spec) for spec in specs)
    for view in views(rules, 25, seed=7):
        seen = for_two(view, two.rules)
        switched += seen is not None
        expected = large.act(view) if seen is None else carried(small.act(seen), view)
        assert agent.act(view) == pytest.approx(expected)
        answers = answers_of(agent, view)
        assert {a: each[hole_number(view.hole)] for a, each in answers.items() if each[hole_number(view.hole)] > 0} == (
            pytest.approx(expected)
        )
    assert switched > 5


def test_games_that_do_not_fit():
    with pytest.raises(AgentError, match="plays holdem-limit-3p, not kuhn-3p"):
        agent_of("switching:call|call", rules_of("kuhn-3p"))
    with pytest.raises(AgentError, match=r"from limit with three players .* of 3 to holdem-nolimit\S* of 2"):
        agent_of(f"switching:call|blueprint:{FILES / 'nolimit.blueprint'}")
    with pytest.raises(AgentError, match="two agents are expected"):
        agent_of("switching:call|raise|fold")
    with pytest.raises(AgentError, match="remembers past hands"):
        agent_of("switching:call|(dynamic:call|raise)")
