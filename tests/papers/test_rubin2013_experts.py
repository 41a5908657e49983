"""Chapter 4 of the thesis, run quickly as a user would: tables beside its own, findings, and how they are made."""

import numpy as np
import pytest

from figures import ROOT
from paper_runs import reproduced
from pokerlab.agents.asked import answers_of
from pokerlab.agents.blueprint import BlueprintAgent
from pokerlab.game.betting import CALL, FOLD
from pokerlab.match.blueprints import expected_match
from pokerlab.match.play import play_match
from pokerlab.opponents.aggression import Aggressified
from pokerlab.opponents.dynamic import Dynamic
from pokerlab.opponents.ensemble import Ensemble
from pokerlab.papers.rubin2013_bandits import NAMES, Hands, Method, Worth, chosen, figure, runs, winnings
from pokerlab.papers.rubin2013_change import LAST, aggressified, since
from pokerlab.papers.rubin2013_experts import QUICK, TABLE_4_2, TABLE_4_3
from pokerlab.papers.rubin2013_players import Making, likeliest, response, styled, trained, voted
from pokerlab.papers.verdicts import FAILS, HOLDS, OPEN, interval
from random_cases import views


@pytest.fixture(scope="module")
def solid():
    return trained(Making("holdem-limit:raises=1", "holdem-limit", "", 8, 3000, 0, 0, ()))


@pytest.fixture(scope="module")
def three(solid):
    """Three who differ."""
    return [styled(solid, 4, 1, 0.5), styled(solid, 0.1, 1, 0.2), styled(solid, 0.2, 0.5, 5)]


@pytest.mark.slow
def test_quick_report(tmp_path):
    report = reproduced("rubin2013-experts", tmp_path, "--quick")
    for name in ("regret", "change"):
        assert "<svg" in (tmp_path / f"rubin2013-experts-{name}.svg").read_text()
    tables = {table["name"]: table for table in report["tables"]}
    limit, nolimit = tables["Table 4.2"], tables["Table 4.3"]
    rows = {row["label"]: row["paper"] for row in limit["rows"]}
    assert rows["Dynamic"] == {"solid": 0.01342, "average": 0.35095}
    assert rows["best arm"] == {"solid": 0.00825, "average": 0.34030}
    assert rows["mean of the arms"]["solid"] == pytest.approx(-0.0108, abs=1e-4)
    assert {row["label"]: row["paper"]["average"] for row in nolimit["rows"]}["worst arm"] == 0.1852
    for name, opponents in (("limit", QUICK.limit.opponents), ("no-limit", QUICK.nolimit.opponents)):
        ours = tables[f"Ours, {name}"]
        assert ours["columns"] == [*opponents, "average"]
        figures = {row["label"]: row["ours"] for row in ours["rows"]}
        arms = [label for label in figures if label.endswith(("-max", "-prob"))]
        assert len(arms) == 6
        for label in ("Ensemble", *arms):
            assert figures[label]["average"] == pytest.approx(np.mean([figures[label][each] for each in opponents]))
    verdicts = {told["finding"]: told["verdict"] for told in report["findings"]}
    assert set(verdicts.values()) <= {HOLDS, FAILS, OPEN}
    assert sum("above the mean of its arms against" in claim for claim in verdicts) == 2 * 7


def test_styles(solid):
    view = next(view for view in views(solid.rules, 30) if view.legal.fold and view.legal.raises)
    plain = BlueprintAgent(solid).act(view)
    weights = {FOLD: 4.0, CALL: 1.0, view.legal.raises[0]: 0.5}
    bent = {action: weights[action] * chance for action, chance in plain.items()}
    expected = {action: weight / sum(bent.values()) for action, weight in bent.items()}
    assert BlueprintAgent(styled(solid, 4, 1, 0.5)).act(view) == pytest.approx(expected, abs=0.01)


def test_votes_are_those_of_the_ensemble(solid, three):
    agents = [BlueprintAgent(each) for each in three]
    ours, ensemble = BlueprintAgent(voted(three)), Ensemble(agents)
    pure, one = BlueprintAgent(likeliest(solid)), Ensemble([BlueprintAgent(solid)])
    for view in views(solid.rules, 25):
        for table, agent in ((ours, ensemble), (pure, one)):
            expected = {action: odds for action, odds in answers_of(agent, view).items() if odds.any()}
            answers = {action: odds for action, odds in answers_of(table, view).items() if odds.any()}
            assert answers.keys() == expected.keys()
            assert all((answers[action] == expected[action]).all() for action in answers)


@pytest.mark.parametrize("factor", [-0.1, 0.0, 0.07, 0.1])
def test_aggression_is_that_of_the_agent(solid, factor):
    table, agent = BlueprintAgent(aggressified(solid, factor)), Aggressified(BlueprintAgent(solid), factor)
    for view in views(solid.rules, 25):
        one, other = answers_of(table, view), answers_of(agent, view)
        for action in {*one, *other}:
            assert np.abs(one.get(action, 0) - other.get(action, 0)).max() < 0.01


def test_an_expert_wins_from_whom_it_responds_to(solid, three):
    expert = response(solid, three[2], 1000)
    won, before = (expected_match(each, three[2], 2000, progress=False).winnings[:, 0] for each in (expert, solid))
    assert (won - before).mean() > interval(won - before)


def test_hands_are_those_of_the_arm_in_either_seat(solid, three):
    hands = Hands(three[0], three[1], 5)
    seen = [hands.view(seat, number) for seat in (0, 1) for number in range(40)]
    for view in seen:
        assert view.names[view.seat] == NAMES[0]
        assert hands.view(view.seat, seen.index(view) % 40) == view
    assert {view.seat for view in seen} == {0, 1}
    hands.turn_over()
    assert hands.view(0, 0) not in seen


@pytest.mark.parametrize("method", [Method(), Method("thompson", "luck"), Method("ucb1", "money", memory=30)])
def test_choices_are_those_of_the_agent_at_a_table(solid, three, method):
    """A real match: given the hands that its arms played there, the same arms are chosen."""
    agent = Dynamic(
        [BlueprintAgent(each) for each in three], method.chooser, method.credit, method.scale, method.memory, 9
    )
    played, picked = [[], [], []], []

    def score(hand, seated):
        seat = seated.index(agent)
        picked.append(agent.record(hand.view(seat)).chosen)
        played[picked[-1]].append(hand.view(seat))
        return hand.payoffs()

    play_match(solid.rules, [agent, BlueprintAgent(solid)], 80, seed=2, names=NAMES, score=score)

    class Played:
        def __init__(self, seen):
            self.by_seat = [[view for view in seen if view.seat == seat] for seat in (0, 1)]

        def view(self, seat, number):
            return self.by_seat[seat][number]

    source = [Played(seen) for seen in played]
    assert len({*picked}) == 3
    assert chosen(method, 3, 80, lambda number: source, 9).tolist() == picked


def test_what_runs_are_worth(solid, three):
    worth = Worth(winnings(three, solid, 300, seed=4))
    plain = expected_match(three[1], solid, 300, seed=4, progress=False)
    assert worth.by_arm[1] * solid.rules.small_bet == pytest.approx(plain.winnings[:, 0])
    picked = np.random.default_rng(0).integers(0, 3, (5, 50))
    by_hand = [[worth.won[arm, number % 2].mean() for number, arm in enumerate(row)] for row in picked]
    assert worth.by_run(picked) == pytest.approx(np.mean(by_hand, axis=1))
    deals = np.mean([[worth.won[arm, number % 2] for number, arm in enumerate(row)] for row in picked], axis=(0, 1))
    assert worth.by_deal(picked) == pytest.approx(deals)
    known = figure(worth.by_deal(picked), worth.by_run(picked))
    assert known.mean == pytest.approx(np.mean(by_hand))
    assert known.half == pytest.approx(np.hypot(interval(deals), interval(np.mean(by_hand, axis=1))))


def test_runs_are_apart_and_methods_together(solid, three):
    """Methods of a run see the same hands, other runs others; and an opponent may change."""
    method = Method("thompson", "money")
    same = runs([method, method], three, [solid], 60, 3, 1)
    assert (same[0] == same[1]).all()
    assert len({row.tobytes() for row in same[0]}) == 3
    changed = runs([method], three, [solid, three[2]], 60, 3, 1, at=30)
    assert (changed[0, 0, :31] == same[0, 0, :31]).all()
    assert (changed[0, 0] != same[0, 0]).any()


def test_when_a_change_is_noticed():
    """Arms 0 and 1 are worth 0 and 1 against the new style; half way is a half of the last hundred hands."""
    values, at = np.array([[0.0, 0.0], [1.0, 1.0]]), 200
    picked = np.zeros((2, 600), int)
    picked[0, at + 150 :] = 1
    worth = np.take(values[:, 0], picked)
    told = since(worth, picked, values, at)
    assert told[0] == 150 + LAST // 2
    assert np.isinf(told[1])
    third = np.full((1, 600), 0.1 / 3)  # who plays the best arm already has nothing to notice
    assert since(third, picked[:1] * 0 + 1, values * third[0, 0], at).tolist() == [LAST]


def test_the_page_has_the_published_tables():
    page = (ROOT / "docs" / "rubin2013-experts.md").read_text()
    for table in (TABLE_4_2, TABLE_4_3):
        digits = 5 if table is TABLE_4_2 else 4
        for label, figures in table.items():
            assert f"| {label} | " + " | ".join(f"{value:.{digits}f}" for value, _ in figures) + " |" in page
