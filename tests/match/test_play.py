"""Matches: seeded, fair, zero-sum, duplicate, with honest intervals."""

import numpy as np
import pytest
from scipy import stats

import pokerlab
from pokerlab.agents.agent import Agent
from pokerlab.agents.simple import Call, Probe, Raise, Random
from pokerlab.agents.table import TableAgent
from pokerlab.errors import PokerlabError
from pokerlab.game.betting import CALL, FOLD
from pokerlab.match.divat import check_call, divat
from pokerlab.match.play import assignments, by_hand, deals, play_match
from pokerlab.match.result import MatchResult, interval
from pokerlab.match.tables import exact_means, play_tables, tables_of

LEDUC, KUHN3 = pokerlab.rules_of("leduc"), pokerlab.rules_of("kuhn-3p")


def test_deals_depend_on_seed_and_number_alone():
    rules = pokerlab.rules_of("holdem-limit")
    whole = list(deals(rules, 7, 1500))
    assert whole == list(deals(rules, 7, 700)) + list(deals(rules, 7, 800, start=700))
    assert whole[:100] != list(deals(rules, 8, 100))
    assert all(len(set(cards)) == 9 for cards in whole)
    assert list(deals(rules, 7, 0)) == []


def test_every_card_is_dealt_equally_often():
    counts = np.bincount([cards[i] for cards in deals(LEDUC, 1, 6000) for i in range(3)], minlength=6)
    assert stats.chisquare(counts).pvalue > 1e-4


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc-nl", "holdem-limit", "holdem-nolimit", "kuhn-3p"])
def test_a_match_is_zero_sum_and_the_same_for_a_seed(name):
    rules = pokerlab.rules_of(name)
    agents = [Random(), Probe(), Raise()][: rules.players]
    first = play_match(rules, agents, 60, duplicate=True, seed=3)
    assert np.abs(first.winnings.sum(axis=1)).max() < 1e-9
    assert np.array_equal(first.winnings, play_match(rules, agents, 60, duplicate=True, seed=3).winnings)
    assert not np.array_equal(first.winnings, play_match(rules, agents, 60, duplicate=True, seed=4).winnings)


@pytest.mark.parametrize("name", ["leduc", "holdem-limit", "holdem-nolimit", "kuhn-3p", "holdem-limit-3p"])
def test_duplicate_cancels_the_deal_for_identical_agents(name):
    rules = pokerlab.rules_of(name)
    result = play_match(rules, [Call() for _ in range(rules.players)], 50, duplicate=True, seed=1)
    assert np.abs(result.winnings).max() < 1e-9
    assert result.passes == (2 if rules.players == 2 else 6)
    alone = play_match(rules, [Call() for _ in range(rules.players)], 50, seed=1)
    assert np.abs(alone.winnings).max() > 0


def test_assignments_of_three():
    assert sorted(assignments(3, True)) == sorted([(0, 1, 2), (0, 2, 1), (2, 0, 1), (2, 1, 0), (1, 2, 0), (1, 0, 2)])
    assert assignments(3, False) == [(0, 1, 2)]


class Diary(Agent):
    """Remembers what it observes."""

    name = "diary"
    stateless = False

    def __init__(self):
        self.pages, self.resets, self.seats = [], 0, []

    def act(self, view):
        self.seats.append(view.seat)
        return {CALL: 1.0}

    def observe(self, view):
        self.pages.append(view)

    def reset(self):
        self.resets += 1
        self.pages = []


def test_memories_are_wiped_between_seatings_and_hands_are_observed():
    diary = Diary()
    seen = []
    play_match(LEDUC, [diary, Call()], 30, duplicate=True, seed=2, watch=lambda *event: seen.append(event))
    assert diary.resets == 2
    assert len(diary.pages) == 30
    assert {view.seat for view in diary.pages} == {0, 1}
    assert all(view.betting.finished for view in diary.pages)
    assert [event[0] for event in seen] == [*range(30), *range(30)]
    cards = [[(*event[2].holes, event[2].board) for event in seen if event[1] == number] for number in range(2)]
    assert cards[0] == cards[1]
    assert [event[3] for event in seen[:2]] == [(0, 1), (1, 0)]
    assert [event[3] for event in seen[30:32]] == [(1, 0), (0, 1)]


def test_folded_cards_stay_hidden_from_observers():
    class Quitter(Agent):
        def act(self, view):
            return {FOLD: 1.0} if view.legal.fold else {CALL: 1.0}

    diary = Diary()
    diary.act = lambda view: {view.legal.raises[0] if view.legal.raises else CALL: 1.0}
    play_match(LEDUC, [diary, Quitter()], 20)
    assert all(view.holes[1 - view.seat] == () for view in diary.pages)


def test_an_interrupted_match_keeps_its_complete_deals():
    def stop_after(n):
        def watch(deal, number, hand, seats):
            if (number, deal) == n:
                raise KeyboardInterrupt

        return watch

    result = play_match(LEDUC, [Random(), Call()], 100, seed=5, watch=stop_after((0, 40)))
    whole = play_match(LEDUC, [Random(), Call()], 100, seed=5)
    assert np.array_equal(result.winnings, whole.winnings[:40])
    both = play_match(LEDUC, [Random(), Call()], 100, seed=5, duplicate=True, watch=stop_after((1, 25)))
    assert len(both.winnings) == 25
    with pytest.raises(KeyboardInterrupt):
        play_match(LEDUC, [Random(), Call()], 100, duplicate=True, watch=stop_after((0, 25)))


def test_luck_can_be_taken_out_of_the_score():
    """The same hands, scored with the luck of the cards removed: a narrower interval around the exact value."""
    agents = [Random(), Probe()]
    exact = exact_means(*tables_of(agents, LEDUC))[0]
    plain = play_match(LEDUC, agents, 1500, seed=2)
    scored = play_match(LEDUC, agents, 1500, seed=2, score=by_hand(lambda hand: divat(hand, check_call)))
    assert scored.ci95[0] < plain.ci95[0]
    assert abs(scored.mean[0] - exact) < 2 * scored.ci95[0]
    assert np.abs(scored.winnings.sum(axis=1)).max() < 1e-9


def test_wrong_numbers():
    with pytest.raises(PokerlabError, match="for 2 players, got 3"):
        play_match(LEDUC, [Call()] * 3, 10)
    with pytest.raises(PokerlabError, match="hands: a whole number from 1"):
        play_match(LEDUC, [Call()] * 2, 0)


def test_intervals():
    rows = np.random.default_rng(0).normal(size=(50, 2))
    low, high = stats.t.interval(0.95, 49, loc=rows[:, 0].mean(), scale=stats.sem(rows[:, 0]))
    assert interval(rows)[0] == pytest.approx((high - low) / 2)
    single = MatchResult.of(LEDUC, ["a", "b"], np.zeros((1, 2)), 1, 0)
    assert single.summary()["ci95"] == [None, None]
    assert single.unit == "mb/h"
    assert MatchResult.of(pokerlab.rules_of("holdem-nolimit"), ["a"], np.ones((2, 1)), 1, 0).mean == pytest.approx([10])


@pytest.fixture(scope="module")
def pairing():
    agents = [TableAgent(pokerlab.solve("leduc", iterations=30)), Random()]
    return agents, *tables_of(agents, LEDUC)


def test_sampled_matches_cover_the_exact_value_as_often_as_they_say(pairing):
    """About 95 of 100 seeds, by hand and compiled, with and without duplicate."""
    agents, game, tables = pairing
    exact = exact_means(game, tables)[0]

    def covered(play):
        results = [play(seed) for seed in range(100)]
        return sum(abs(r.mean[0] - exact) <= r.ci95[0] for r in results)

    for duplicate in (False, True):
        compiled = covered(lambda s, d=duplicate: play_tables(game, tables, "ab", 2000, duplicate=d, seed=s))
        by_hand = covered(lambda s, d=duplicate: play_match(LEDUC, agents, 300, duplicate=d, seed=s))
        assert 88 <= compiled <= 100
        assert 86 <= by_hand <= 100


def test_compiled_play_has_the_distribution_of_play_by_hand(pairing):
    agents, game, tables = pairing
    for duplicate in (False, True):
        by_hand = play_match(LEDUC, agents, 6000, duplicate=duplicate, seed=1).winnings[:, 0]
        compiled = play_tables(game, tables, "ab", 60_000, duplicate=duplicate, seed=1).winnings[:, 0]
        values = np.union1d(by_hand, compiled)
        table = [[np.sum(np.isclose(sample, v)) for v in values] for sample in (by_hand, compiled)]
        table = np.array(table)[:, np.sum(table, axis=0) > 20]
        assert stats.chi2_contingency(table).pvalue > 1e-4


@pytest.mark.parametrize("name", ["kuhn", "leduc-nl", "rhode-island:ranks=3,suits=2,raises=1"])
def test_compiled_play_agrees_with_the_exact_value(name):
    rules = pokerlab.rules_of(name)
    game, tables = tables_of([Random(), Probe()], rules)
    result = play_tables(game, tables, "ab", 200_000, duplicate=True, seed=1)
    assert abs(result.mean[0] - exact_means(game, tables)[0]) < 4 * result.ci95[0] / 1.96


def test_where_there_are_no_tables():
    assert tables_of([Diary(), Call()], LEDUC) is None
    assert tables_of([Call()] * 3, KUHN3) is None
    assert tables_of([Call()] * 2, pokerlab.rules_of("holdem-limit")) is None
    assert tables_of([Call()] * 2, pokerlab.rules_of("holdem-nolimit")) is None
