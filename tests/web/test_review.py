"""What is shown of a hand that is over: ranges by Bayes' rule, asked hand by hand; and luck taken out."""

import random
import time
from contextlib import closing
from itertools import permutations

import numpy as np
import pytest

from honest import Honest
from pokerlab.agents.asking import choices
from pokerlab.agents.simple import Call, Raise, Random
from pokerlab.cards.deck import Deck
from pokerlab.cards.holes import class_name, class_number, holes_of
from pokerlab.cards.preflop import preflop_equity
from pokerlab.game.betting import CALL
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand
from pokerlab.match.play import play_hand
from pokerlab.web.house import House
from pokerlab.web.ledger import Ledger
from pokerlab.web.luck import without_luck, without_lucky_cards
from pokerlab.web.review import points_of, why_not
from small_blueprint import small_agent


def hands(rules, agents, count, seed):
    rng = random.Random(seed)
    needed = rules.players * rules.hole_cards + sum(rules.board_cards)
    for _ in range(count):
        yield play_hand(rules, agents, rng.sample(range(len(rules.deck)), needed), rng)


def naive_range(hand, seat, who, agent, at, held):
    """The weight of hole cards after `at` actions: the product of what the agent does with them."""
    if {*held} & {*hand.holes[seat]}:
        return 0.0
    now = new_hand(hand.rules)._replace(holes=tuple(held if s == who else () for s in range(hand.rules.players)))
    weight = 1.0
    for number, action in enumerate(hand.actions[: at + 1]):
        if pending := now.pending:
            now = now.dealt(hand.board[len(now.board) : len(now.board) + pending])
            if {*now.board} & {*held}:
                return 0.0
        if number < at and now.betting.actor == who:
            weight *= agent.act(now.view(who)).get(action, 0.0)
        if number < at:
            now = now.act(action)
    return weight


@pytest.mark.parametrize("game", ["leduc", "kuhn"])
def test_ranges_and_your_own_cards_in_small_games(game):
    rules, agent = rules_of(game), Honest()
    looked = 0
    for hand in hands(rules, [Random(), agent], 40, 1):
        for point in points_of(hand, 0, {1: agent}):
            looked += 1
            weights = {held: naive_range(hand, 0, 1, agent, point["at"], held) for held in holes_of(len(rules.deck), 1)}
            by_rank = dict.fromkeys(rules.deck.ranks, 0.0)
            for held, weight in weights.items():
                by_rank[rules.deck.ranks[rules.deck.rank(held[0])]] += weight / sum(weights.values())
            assert {kind: told["share"] for kind, told in point["kinds"].items()} == pytest.approx(
                {kind: share for kind, share in by_rank.items() if share}
            )
            now = new_hand(rules, hand.names)._replace(holes=((), hand.holes[0]))
            for action in hand.actions[: point["at"]]:
                now = now.act(action)
                now = now.dealt(hand.board[: now.pending]) if now.pending else now
            told = dict(zip(point["actions"], point["yours"], strict=True))
            asked = sorted(choice.probability for choice in choices(agent, now.view(1)) if choice.probability)
            assert sorted(told.values()) == pytest.approx(asked)
            assert sum(point["often"]) == pytest.approx(1)
            assert point["did"] in point["actions"]
    assert looked >= 40


def test_ranges_of_a_blueprint_are_those_of_bayes():
    agent = small_agent(1)
    rules = agent.rules
    deck, sample = holes_of(52, 2), random.Random(3)
    for hand in hands(rules, [Call(), agent], 3, 2):
        for point in points_of(hand, 0, {1: agent}):
            assert sum(told["share"] for told in point["kinds"].values()) == pytest.approx(1)
            kinds = dict(sample.sample(list(point["kinds"].items()), 4))
            held = {kind: [hole for hole in deck if class_name(class_number(*hole)) == kind] for kind in kinds}
            weights = {
                kind: sum(naive_range(hand, 0, 1, agent, point["at"], hole) for hole in holes)
                for kind, holes in held.items()
            }
            for kind, told in kinds.items():  # shares of kinds are as their weights
                assert sum(told["strategy"]) == pytest.approx(1)
                assert told["share"] * sum(weights.values()) == pytest.approx(
                    weights[kind] * sum(one["share"] for one in kinds.values())
                )


def test_cards_that_the_agent_held_do_not_matter():
    """The same is told whatever it held: all cards that fit are tried."""
    rules, agent = rules_of("kuhn"), Honest()
    for mine, held, other in permutations(range(3)):
        one, two = (
            new_hand(rules).dealt((mine, each)).act(CALL).act(rules.blinds[0] + 1).act(CALL) for each in (held, other)
        )
        assert points_of(one, 0, {1: agent}) == points_of(two, 0, {1: agent})
        assert without_luck(one, 0, agent) == without_luck(two, 0, agent)


@pytest.mark.parametrize("game", ["leduc", "kuhn"])
def test_luck_is_taken_out_without_bias(game):
    """Its mean is that of the money, to the errors of both, and it varies less."""
    rules, agent = rules_of(game), Honest()
    money, free = [], []
    for hand in hands(rules, [Random(), agent], 1500, 4):
        money.append(hand.payoffs()[0])
        free.append(without_luck(hand, 0, agent))
    difference = np.subtract(money, free)
    assert abs(difference.mean()) < 4 * difference.std() / len(difference) ** 0.5
    assert np.std(free) < 0.85 * np.std(money)


def test_who_cannot_be_shown_says_why(tmp_path):
    class Remembering(Honest):
        stateless = False

    assert "remembers" in why_not(Remembering(), rules_of("leduc"))
    assert "hand by hand" in why_not(Honest(), rules_of("holdem-limit"))
    assert why_not(Honest(), rules_of("leduc")) == why_not(Call(), rules_of("holdem-limit")) == ""
    ledger = Ledger(tmp_path / "web.sqlite")
    house = House(ledger)
    state = house.open_table("holdem-nolimit", ["random"])
    while not state["over"]:
        state = house.act(state["table"], state["hand"], state["at"], "c")
    told = house.review(state["table"], 0)
    assert told["refused"] == []
    assert len(told["points"]) == sum(step["seat"] != state["view"]["seat"] for step in state["story"])
    for point in told["points"]:
        assert len(point["actions"]) <= 10
        assert sum(point["yours"]) == pytest.approx(1)
    ledger.close()


def test_the_curve_has_luck_taken_out_in_small_games(tmp_path):
    ledger = Ledger(tmp_path / "web.sqlite")
    house = House(ledger)
    state = house.open_table("kuhn", ["random"])
    for number in range(8):
        while not state["over"]:
            state = house.act(state["table"], state["hand"], state["at"], "c")
        if number < 7:
            state = house.deal(state["table"], state["hand"])
    for _ in range(100):
        told = house.curve(state["table"])
        if told["luck_free"] and len(told["luck_free"]) == 9:
            break
    assert told["luck_free"][-1][0] == 8
    rows = ledger.finished(state["table"])
    assert told["luck_free"][-1][1] == pytest.approx(sum(row.luck_free for row in rows))
    assert told["without_luck"]["mean"] == pytest.approx(sum(row.luck_free for row in rows) / 8 * 1000)
    ledger.close()


@pytest.mark.parametrize(
    ("game", "agents", "way"),
    [
        ("holdem-limit", ["call"], "aivat"),
        ("holdem-limit", ["rules"], "cards"),
        ("holdem-nolimit", ["random"], "cards"),
        ("holdem-limit-3p", ["call", "probe"], "cards"),
    ],
)
def test_luck_is_taken_out_of_holdem(tmp_path, monkeypatch, game, agents, way):
    """By AIVAT where an agent answers for all hands at once: against one who only calls, as we do, nothing is left."""
    monkeypatch.setattr("pokerlab.web.house._FEW_HANDS", 1)
    with closing(Ledger(tmp_path / "web.sqlite")) as ledger:
        house = House(ledger)
        state = house.open_table(game, agents)
        told = house.curve(state["table"])
        assert state["over"] or told["luck_free"] is None  # nothing before a hand is over
        while not state["over"]:
            state = house.act(state["table"], state["hand"], state["at"], "c")
        while not told["luck_free"]:  # the table of all pairs of hands may have to be made
            time.sleep(0.05)
            told = house.curve(state["table"])
        assert told["way"] == way
        (row,) = ledger.finished(state["table"])
        if way == "aivat":
            assert row.luck_free == pytest.approx(0, abs=1e-9)
        else:
            mine = state["view"]["holes"][state["view"]["seat"]]
            luck = 2 * state["bankroll"]["bet"] * (2 * preflop_equity(Deck().cards(mine)) - 1)
            assert row.luck_free == pytest.approx(row.chips - luck)


@pytest.mark.parametrize("game", ["holdem-limit-3p", "holdem-nolimit:stack=400"])
def test_lucky_cards_are_left_out_without_bias(game):
    """Its mean is that of the money, and it varies less; only cards that the person saw are there."""
    rules = rules_of(game)
    agents = [Call(), Raise(100.0 if not rules.limit else 0.0), Random()][: rules.players]
    money, free = [], []
    for hand in hands(rules, agents, 600, 12):
        seen = hand._replace(holes=hand.view(0).holes)
        money.append(hand.payoffs()[0])
        free.append(without_lucky_cards(seen, 0))
    difference = np.subtract(money, free)
    assert abs(difference.mean()) < 4 * difference.std() / len(difference) ** 0.5
    assert np.std(free) < np.std(money)


def test_two_cards_are_worth_nothing_on_average():
    assert np.mean([preflop_equity(hole) for hole in holes_of(52, 2)]) == pytest.approx(0.5, abs=1e-8)
