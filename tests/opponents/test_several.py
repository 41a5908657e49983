"""Agents made of agents: specs within specs, votes, and one for each hand."""

from pathlib import Path

import numpy as np
import pytest

from pokerlab.agents.agent import Agent
from pokerlab.agents.asked import answers_of
from pokerlab.agents.simple import Call, Fold, Raise, Random
from pokerlab.agents.spec import agent_of
from pokerlab.cards.holes import holes_of
from pokerlab.errors import AgentError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.game.catalog import rules_of
from pokerlab.match.play import play_match
from pokerlab.match.scores import SCORES
from pokerlab.opponents.choosers import Arm, deviation, thompson, ucb1
from pokerlab.opponents.credit import CREDITS, OwnCards
from pokerlab.opponents.dynamic import Dynamic
from pokerlab.opponents.ensemble import Ensemble
from pokerlab.opponents.several import opponents
from pokerlab.registry import options_of, parts_of
from random_cases import views

FILES = Path(__file__).parent.parent / "files"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("call", ["call"]),
        ("call|raise", ["call", "raise"]),
        ("call|(raise?size=50)", ["call", "raise?size=50"]),
        ("(a:(b|c)?x=1)|d", ["a:(b|c)?x=1", "d"]),
        ("(a)|(b)", ["a", "b"]),
        ("a(1).log | b", ["a(1).log", "b"]),
        ("", [""]),
    ],
)
def test_parts(text, parts):
    assert parts_of(text) == parts


@pytest.mark.parametrize(
    ("spec", "base", "options"),
    [
        ("a?x=1", "a", {"x": 1}),
        ("a:(b?x=1)|c?y=2", "a:(b?x=1)|c", {"y": 2}),
        ("a:(b?x=1)", "a:(b?x=1)", {}),
        ("a)?x=1", "a)", {"x": 1}),
    ],
)
def test_options_are_outside_parentheses(spec, base, options):
    assert options_of(spec, "agent", AgentError) == (base, options)


def test_specs_within_specs():
    agent = agent_of("ensemble:call|(dynamic:(raise?size=50)|fold?seed=3)")
    assert agent.name == "ensemble:call|(dynamic:(raise?size=50)|fold?seed=3)"
    assert isinstance(agent, Ensemble)
    assert not agent.stateless
    inner = agent.agents[1]
    assert isinstance(inner, Dynamic)
    assert inner.seed == 3
    assert inner.agents[0].size == 50
    with pytest.raises(AgentError, match="no agent 'rasie'; did you mean 'raise'"):
        agent_of("ensemble:call|rasie")
    with pytest.raises(AgentError, match="no chooser 'ucb'; did you mean 'ucb1'"):
        agent_of("dynamic:call|fold?chooser=ucb")
    with pytest.raises(AgentError, match="above 0"):
        agent_of("dynamic:call|fold?scale=0")
    with pytest.raises(AgentError, match="plays holdem-limit, not leduc"):
        agent_of(f"ensemble:call|blueprint:{FILES / 'limit.blueprint'}", rules_of("leduc"))


class Cards(Agent):
    """A distribution for each card, at random."""

    def __init__(self, seed):
        self.seed = seed

    def act(self, view):
        rng = np.random.default_rng([self.seed, *view.hole, len(view.actions)])
        actions = [*([FOLD] if view.legal.fold else []), CALL, *view.legal.raises[:2]]
        return dict(zip(actions, rng.dirichlet(np.ones(len(actions))).tolist(), strict=True))


def test_most_votes_win_and_the_first_decides_where_there_is_no_majority():
    (view, *_) = [view for view in views(rules_of("leduc"), 30) if view.legal.fold and view.legal.raises]
    up = view.legal.raises[0]
    assert Ensemble([Fold(), Call(), Call()]).act(view) == {CALL: 1.0}
    assert Ensemble([Fold(), Call(), Raise()]).act(view) == {FOLD: 1.0}
    assert Ensemble([Raise(), Fold(), Call()]).act(view) == {up: 1.0}
    assert Ensemble([Fold(), Call(), Call(), Fold(), Raise()]).act(view) == {FOLD: 1.0}
    assert Ensemble([Raise(), Call(), Call(), Fold(), Fold()]).act(view) == {up: 1.0}
    assert Ensemble([Random()]).act(view) == {FOLD: 1.0}  # equally likely: the least


@pytest.mark.parametrize("game", ["leduc", "kuhn", "leduc-nl:stack=6"])
def test_votes_with_all_hands_at_once(game):
    agent = Ensemble([Cards(1), Cards(2), Cards(3), Random()])
    for view in views(rules_of(game), 12):
        answers = answers_of(agent, view)
        for number, hole in enumerate(holes_of(len(view.rules.deck), view.rules.hole_cards)):
            if not set(hole) & set(view.board):
                held = view._replace(holes=tuple(hole if s == view.seat else () for s in range(2)))
                (action,) = agent.act(held)
                assert {one for one, odds in answers.items() if odds[number]} == {action}


def test_ucb1_on_a_known_bandit():
    """Its bonus by hand, and the best arm in most pulls of a long run (Auer et al. 2002, theorem 1 bounds the rest)."""
    rng = np.random.default_rng(0)
    arms = [Arm(), Arm(), Arm()]
    assert [ucb1(arms, 1.0, rng)] == [0]
    for arm, rewards in zip(arms, ([1.0, 0.2], [0.5], [0.2, 0.2, 0.2]), strict=True):
        for reward in rewards:
            arm.add(reward)
    # n = 6: 0.6 + sqrt(2 ln 6 / 2), 0.5 + sqrt(2 ln 6), 0.2 + sqrt(2 ln 6 / 3); almost without a bonus the best mean
    assert ucb1(arms, 1.0, rng) == 1
    assert ucb1(arms, 0.01, rng) == 0
    chances, pulls = np.array([0.3, 0.5, 0.7]), 3000
    arms = [Arm() for _ in chances]
    for _ in range(pulls):
        chosen = ucb1(arms, 1.0, rng)
        arms[chosen].add(float(rng.random() < chances[chosen]))
    for arm, gap in zip(arms, 0.7 - chances, strict=True):
        if gap:
            assert arm.pulls <= 8 * np.log(pulls) / gap**2 + 1 + np.pi**2 / 3
    assert arms[2].pulls > pulls / 2


def test_arms_have_the_mean_and_variance_of_their_rewards():
    arm, rewards = Arm(), np.random.default_rng(1).normal(1e6, 2.0, 50)
    for reward in rewards:
        arm.add(float(reward))
    assert (arm.pulls, arm.mean, arm.variance) == (
        50,
        pytest.approx(rewards.mean()),
        pytest.approx(rewards.var(ddof=1)),
    )


def test_the_scale_is_in_deviations_of_rewards():
    """Those of all arms about their own means together; a small bet while nothing is known."""
    agent, scales = Dynamic([Call(), Raise(), Fold()], credit="money", scale=0.5), []
    agent.choose = lambda arms, scale, rng: scales.append(scale) or len(scales) % 3
    rules, won = rules_of("leduc"), ([], [], [])
    play_match(
        rules, [agent, Random()], 60,
        watch=lambda n, s, hand, seats: won[(n + 1) % 3].append(hand.payoffs()[seats.index(0)] / rules.small_bet),
    )  # fmt: skip
    squares = sum(np.var(each) * len(each) for each in won)
    view = _start(rules, ("call", "random"))
    agent.records["random",].chosen = None
    agent.record(view)
    assert scales[-1] == pytest.approx(0.5 * np.sqrt(squares / (60 - 3)))
    assert scales[0] == 0.5
    arms = [Arm(), Arm(1, 5.0), Arm(4, 1.0, 12.0), Arm(3, 0.0, 3.0)]
    assert deviation(arms) == pytest.approx(np.sqrt(15 / 5))
    assert deviation(arms[:2]) == 0


def test_thompson_finds_the_best_arm_and_tries_all():
    rng, means = np.random.default_rng(2), (0.0, 0.4, 0.2)
    arms = [Arm() for _ in means]
    for _ in range(3000):
        chosen = thompson(arms, 1.0, rng)
        arms[chosen].add(rng.normal(means[chosen], 1.0))
    assert arms[1].pulls > 2000
    assert min(arm.pulls for arm in arms) >= 5
    # With as much known of two arms, each is drawn as often as it may be the better.
    known = [Arm(100, 0.0, 99.0), Arm(100, 0.1, 99.0)]
    drawn = np.mean([thompson(known, 1e6, np.random.default_rng(seed)) for seed in range(4000)])
    assert drawn == pytest.approx(0.76, abs=0.03)  # Phi(0.1 / sqrt(2 / 100))


class TestDynamic:
    def test_one_arm_a_hand_and_each_once(self):
        agent = Dynamic([Call(), Raise(), Fold()], credit="money")
        hands = []
        play_match(
            rules_of("leduc"), [agent, Random()], 3, names=["me", "you"],
            watch=lambda number, seating, hand, seats: hands.append((hand, seats)),
        )  # fmt: skip
        (record,) = agent.records.values()
        assert [arm.pulls for arm in record.arms] == [1, 1, 1]
        for arm, (hand, seats) in zip(record.arms, hands, strict=True):
            assert arm.mean == hand.payoffs()[seats.index(0)] / rules_of("leduc").small_bet

    def test_the_arm_is_asked_before_its_hand_is_told(self):
        """So that a score sees who played."""
        asked = []
        agent = Dynamic([Call(), Raise()], chooser="thompson")

        def score(hand, seated):
            asked.append(agent.playing(hand.view(seated.index(agent))))
            raised = any(action > 0 for action in hand.actions)
            assert raised == (type(asked[-1]) is Raise)
            return hand.payoffs()

        play_match(rules_of("kuhn"), [agent, Call()], 60, score=score)
        assert {type(one) for one in asked} == {Call, Raise}

    def test_it_comes_to_play_what_wins_from_whom(self):
        agent = Dynamic([Fold(), Raise()], credit="money", scale=0.5)
        rules = rules_of("leduc")
        play_match(rules, [agent, Fold()], 400, names=["me", "folds"])
        before = dict(agent.records)
        assert before["folds",].arms[1].pulls > 300
        agent.records["stranger",] = before.pop(("folds",))  # memories are by name
        assert agent.record(_start(rules, ("me", "other"))).hands == 0
        agent.reset()
        assert not agent.records

    def test_aivat_measures_what_was_played(self):
        """In Kuhn no arm wins from a caller: AIVAT, which knows what was played, sees that in each hand."""
        rules = rules_of("kuhn")
        agents = [Dynamic([Call(), Raise()]), Call()]
        money = play_match(rules, agents, 200)
        result = play_match(rules, agents, 200, score=SCORES["aivat"](rules, agents))
        assert (abs(result.mean[0]), result.ci95[0]) == pytest.approx((0, 0), abs=1e-9)
        assert money.ci95[0] > 100

    def test_the_same_for_a_seed(self):
        def pulls(seed):
            agent = Dynamic([Call(), Raise(), Fold(), Random()], chooser="thompson", credit="luck", seed=seed)
            play_match(rules_of("leduc"), [agent, Random()], 200, seed=5)
            return [arm.pulls for arm in next(iter(agent.records.values())).arms]

        assert pulls(1) == pulls(1)
        assert pulls(1) != pulls(2)


def _start(rules, names):
    from pokerlab.game.hand import new_hand

    return new_hand(rules, names).view(0)


def test_opponents_are_whoever_else_sits_there():
    rules = rules_of("kuhn-3p")
    for names, others in ((("me", "b", "a"), ("a", "b")), (("me", "a", "b"), ("a", "b")), ((), ())):
        assert opponents(_start(rules, names)) == others


def _told(hands):
    told = []
    play_match(
        rules_of("leduc"), [Random(), Random()], hands, seed=3, watch=lambda n, s, hand, seats: told.append(hand)
    )
    return told


def test_credit_of_showdowns_is_divat_and_of_folds_money():
    from pokerlab.match.divat import divat_difference

    credit = CREDITS["showdown-divat"]()
    kinds = set()
    for hand in _told(60):
        for seat in (0, 1):
            expected = divat_difference(hand) if hand.betting.showdown else hand.payoffs()
            assert credit(hand.view(seat)) == expected[seat]
            kinds.add((hand.betting.showdown, credit(hand.view(seat)) == hand.payoffs()[seat]))
    assert (True, False) in kinds
    assert (False, True) in kinds


@pytest.mark.parametrize("name", ["money", "showdown-divat", "luck"])
def test_credit_does_not_see_hidden_cards(name):
    """Whatever the others folded, the credit of what their opponent saw is the same."""
    one, other = CREDITS[name](), CREDITS[name]()
    for hand in _told(40):
        hidden = hand.holes[1] if hand.betting.showdown else ()
        known = hand._replace(holes=(hand.holes[0], hidden)).view(0)
        assert one(hand.view(0)) == other(known)


def test_the_luck_of_own_cards_is_taken_out_without_bias():
    money, luck = CREDITS["money"](), OwnCards()
    hands = _told(3000)
    won = np.array([money(hand.view(0)) for hand in hands])
    less = np.array([luck(hand.view(0)) for hand in hands])
    assert less.var() < won.var()
    assert abs((less - won).mean()) < 4 * (less - won).std() / np.sqrt(len(hands))
