"""Chapter 6 of the thesis: hands of three, many at once, against agents asked one by one; and the quick report."""

import numpy as np
import pytest

from figures import ROOT
from paper_runs import reproduced
from pokerlab.agents.blueprint import BlueprintAgent
from pokerlab.agents.simple import Call, Raise, Random
from pokerlab.cases.agent import CasesAgent
from pokerlab.cases.features import Features
from pokerlab.game.catalog import rules_of
from pokerlab.game.hand import new_hand
from pokerlab.match.play import play_match
from pokerlab.opponents.switching import Switching, for_two
from pokerlab.papers.rubin2013_company import EXPERT, tiny_expert
from pokerlab.papers.rubin2013_switching import TABLE_6_1, THREE, base_of_three, watched_three
from pokerlab.papers.rubin2013_three import SEATINGS, ByBlueprint, ByCases, Deals, Hands, Weights
from pokerlab.papers.verdicts import FAILS, HOLDS, OPEN
from random_cases import base_of, random_hands

GAMES = f"{THREE}:raises=1", "holdem-limit:raises=1"
LARGE, SMALL = map(rules_of, GAMES)


@pytest.fixture(scope="module")
def experts():
    return tiny_expert(GAMES[0], 300, 10, THREE), tiny_expert(GAMES[1], 300, 10)


@pytest.fixture(scope="module")
def agents(experts):
    """Two who switch, with blueprints and with case bases: as agents, and as what the paper's tables have of them."""
    three, two = experts
    bases = [base_of(rules, random_hands(rules, 150), Features("category")) for rules in (LARGE, SMALL)]
    cases = [CasesAgent(base) for base in bases]
    return {
        "blueprints": (BlueprintAgent(three), BlueprintAgent(two), ByBlueprint(three, CARDS), ByBlueprint(two, CARDS)),
        "cases": (*cases, *(ByCases(agent, CARDS) for agent in cases)),
    }


DEALS = Deals.of(LARGE, 3, 5)
CARDS = DEALS.cards


def expected(agents, hand, left, seat):
    """What a seat wins on average, by asking whoever acts."""
    if hand.pending:
        return expected(agents, hand.dealt(left[: hand.pending]), left[hand.pending :], seat)
    if hand.finished:
        return hand.payoffs()[seat]
    odds = agents[hand.actor].act(hand.view(hand.actor))
    return sum(chance * expected(agents, hand.act(a), left, seat) for a, chance in odds.items() if chance > 0)


def won(seated, switching, cards, dice, mine):
    """One hand, drawn until the seat `mine` may switch, and counted from there on: with and without."""
    hand, left = new_hand(LARGE).dealt(cards[:6]), cards[6:]
    while not hand.finished:
        if hand.pending:
            hand, left = hand.dealt(left[: hand.pending]), left[hand.pending :]
            continue
        view = hand.view(hand.actor)
        survivors = hand.betting.survivors
        if len(survivors) == 2 and mine in survivors and for_two(hand.view(mine), SMALL) is not None:
            other = [switching if seat == mine else agent for seat, agent in enumerate(seated)]
            return [expected(those, hand, left, mine) for those in (seated, other)]
        odds, number = seated[hand.actor].act(view), dice[len(hand.actions)]
        for action in hand.legal().actions():
            number -= odds.get(action, 0.0)
            if number < 0:
                break
        hand = hand.act(action)
    return [hand.payoffs()[mine]] * 2


@pytest.mark.parametrize("kind", ["blueprints", "cases"])
def test_many_hands_at_once_are_those_of_the_agents(agents, kind):
    three, two, *tables = agents[kind]
    table = Hands(DEALS, [tables[0], Weights(1, 1, 1), Weights(0, 1, 0)], seed=3, least=0)
    dice = table._dice.copy()
    before, after, could = table.switched(tables[1], SMALL)
    assert 0.1 < could < 1
    assert before.sum(axis=1) == pytest.approx(0)
    assert after.sum(axis=1) == pytest.approx(0)
    players = [three, Random(), Call()]
    for deal, cards in enumerate(CARDS.tolist()):
        single = []
        for number, seating in enumerate(SEATINGS):
            seated = [players[who] for who in seating]
            hand = deal * len(SEATINGS) + number
            single.append(won(seated, Switching(three, two), tuple(cards), dice[hand], seating.index(0)))
        assert [before[deal, 0], after[deal, 0]] == pytest.approx(np.mean(single, axis=0))
    assert (before[:, 0] != after[:, 0]).any()


def test_what_is_unlikely_is_drawn_without_bias(experts):
    three, two = experts
    deals = Deals.of(LARGE, 300, 8)
    players = [ByBlueprint(three, deals.cards), Weights(1, 1, 1), ByBlueprint(three, deals.cards, 0.2)]
    whole, some = (
        Hands(deals, players, seed=3, least=least).switched(ByBlueprint(two, deals.cards), SMALL) for least in (0, 0.2)
    )
    assert whole[2] == some[2]
    for one, other in zip(whole[:2], some[:2], strict=True):
        apart = (one - other)[:, 0]
        assert apart.any()
        assert abs(apart.mean()) < 4 * apart.std() / np.sqrt(len(apart))


def test_hands_as_records(experts):
    three, _ = experts
    hands = list(watched_three(three, 300))
    assert len(hands) == 300
    assert all(hand.finished and EXPERT in hand.names for hand in hands)
    for hand in hands:
        replayed, left = new_hand(LARGE, hand.names).dealt(sum(hand.holes, ())), hand.board
        for action in hand.actions:
            assert action in replayed.legal()
            replayed = replayed.act(action)
            replayed, left = replayed.dealt(left[: replayed.pending]), left[replayed.pending :]
        assert replayed == hand
    seats = sum(hand.names.count(EXPERT) for hand in hands)
    assert seats == 60 * (3 + 2 + 1 + 1 + 1)
    base = base_of_three(iter(hands), three)
    assert 0 < base.cases < base.decisions


@pytest.mark.parametrize("kind", ["blueprints", "cases"])
def test_who_switches_plays(agents, kind):
    three, two, *_ = agents[kind]
    players = [Switching(three, two, name="switching"), Random(), Raise()]
    assert play_match(LARGE, players, 40, duplicate=True).summary()["played"] == 240


@pytest.mark.slow
def test_quick_report(tmp_path):
    report = reproduced("rubin2013-switching", tmp_path, "--quick")
    assert "<svg" in (tmp_path / "rubin2013-switching.svg").read_text()
    table, bases = report["tables"]
    published = table["rows"][0]
    assert published["verdict"] == "not reached"
    assert [published["paper"][column] for column in ("non-switching", "switching")] == [
        figure for figure, _ in TABLE_6_1["CaseBased3P"]
    ]
    for row in table["rows"]:
        before, after, gain = row["ours"].values()
        assert row["label"] == "± 95 %" or gain == pytest.approx(after - before)
    assert len(report["findings"]) == 4
    assert {told["verdict"] for told in report["findings"]} <= {HOLDS, FAILS, OPEN}
    assert bases["rows"][0]["ours"]["river"] > bases["rows"][2]["ours"]["river"]


def test_the_page_has_the_published_table():
    page = (ROOT / "docs" / "rubin2013-switching.md").read_text()
    for name, ((before, _), (after, _)) in TABLE_6_1.items():
        assert f"| {name} | {before:.4f} | {after:.4f} |" in page
