"""Crosstables, bankrolls and run-offs against slow, obvious twins."""

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from pokerlab.match.tournament.standings import Estimate, Record, Standings, holm, pooled, run_off, stars


def random_standings(agents, players, deals, seed):
    """A round robin of random zero-sum winnings, and those winnings by match."""
    rng = np.random.default_rng(seed)
    won = {}
    for who in combinations(range(agents), players):
        chips = rng.normal(rng.normal(0, 2, players), rng.uniform(1, 8, players), (deals, players))
        won[who] = chips - chips.mean(axis=1, keepdims=True)
    records = tuple(
        Record.of(who, deals, [(0, chips[: deals // 3]), (deals // 3, chips[deals // 3 :])])
        for who, chips in won.items()
    )
    return Standings(tuple("abcdefgh"[:agents]), players, "mb/h", 0.002, records), won


def naive_holm(p_values):
    """The smallest level at which Holm's step-down procedure rejects each."""
    order = sorted(p_values)
    return [
        max(min(1.0, (len(order) - i) * q) for i, q in enumerate(order) if q <= p) for p in p_values
    ]  # fmt: skip


def naive_run_off(table, agents):
    """Of a crosstable for two: indices, best first; of equal ones the later goes first."""
    pool, gone = list(range(agents)), []
    while len(pool) > 1:
        totals = [sum(table[a][b] for b in pool if b != a) for a in pool]
        worst = max(i for i, total in enumerate(totals) if total == min(totals))
        gone.insert(0, pool.pop(worst))
    return pool + gone


def test_crosstable_of_pairs():
    s, won = random_standings(agents=5, players=2, deals=100, seed=1)
    tests = {who: stats.ttest_1samp(chips[:, 0] / 0.002, 0) for who, chips in won.items()}
    adjusted = dict(zip(tests, naive_holm([t.pvalue for t in tests.values()]), strict=True))
    for (a, b), t in tests.items():
        cell, mirror = s.crosstable[a, b], s.crosstable[b, a]
        low, high = t.confidence_interval(0.95)
        assert cell.mean == pytest.approx(won[a, b][:, 0].mean() / 0.002)
        assert (cell.mean - cell.ci95, cell.mean + cell.ci95) == pytest.approx((low, high))
        assert (cell.p, cell.adjusted) == pytest.approx((t.pvalue, adjusted[a, b]))
        assert (mirror.mean, mirror.ci95, mirror.stars) == (
            pytest.approx(-cell.mean),
            pytest.approx(cell.ci95),
            cell.stars,
        )
        assert cell.outcome == -mirror.outcome == (np.sign(cell.mean) if adjusted[a, b] < 0.05 else 0)
    assert {cell.outcome for cell in s.crosstable.values()} == {-1, 0, 1}


def test_bankroll_is_the_mean_of_matches():
    s, won = random_standings(agents=4, players=2, deals=30, seed=2)
    for a in range(4):
        mine = [chips[:, who.index(a)] / 0.002 for who, chips in won.items() if a in who]
        assert s.bankroll[a].mean == pytest.approx(np.mean(mine))
        assert s.bankroll[a].variance == pytest.approx(sum(x.var(ddof=1) / 30 for x in mine) / 9)
        assert s.curves[a].bankroll[-1] == pytest.approx(np.sum(mine) / 1000)
        assert s.curves[a].ci95[-1] == pytest.approx(s.bankroll[a].ci95 * 90 / 1000)
    assert sum(e.mean for e in s.bankroll) == pytest.approx(0)


def test_a_mean_of_two_means_is_welchs_test():
    rng = np.random.default_rng(3)
    x, y = rng.normal(0.5, 1, 12), rng.normal(0.2, 5, 40)
    both = pooled(Estimate(v.mean(), v.var(ddof=1) / len(v), len(v) - 1) for v in (x, y))
    welch = stats.ttest_ind(x, -y, equal_var=False)
    assert (both.mean, both.p, both.freedom) == pytest.approx(((x.mean() + y.mean()) / 2, welch.pvalue, welch.df))
    low, high = welch.confidence_interval(0.95)
    assert both.ci95 == pytest.approx((high - low) / 4)


def test_three_at_a_table():
    s, won = random_standings(agents=5, players=3, deals=50, seed=4)
    ps = [stats.ttest_1samp(chips[:, i], 0).pvalue for chips in won.values() for i in range(3)]
    assert [cell.adjusted for _, row in s.matches for cell in row] == pytest.approx(naive_holm(ps))
    for (a, b), cell in s.crosstable.items():
        common = [chips[:, who.index(a)].mean() / 0.002 for who, chips in won.items() if {a, b} <= set(who)]
        assert len(common) == 3
        assert cell.mean == pytest.approx(np.mean(common))
    pairs = [cell.p for cell in s.crosstable.values()]
    assert [cell.adjusted for cell in s.crosstable.values()] == pytest.approx(naive_holm(pairs))
    last = s.bankroll_run_off.rounds[-2]  # three are left: one match, which also decides between the last two
    chips = won[tuple(sorted(last.pool))].mean(axis=0) / 0.002
    assert [last.scores[a] for a in sorted(last.pool)] == pytest.approx(chips)
    assert s.bankroll_run_off.order[:3] == tuple(np.array(sorted(last.pool))[np.argsort(-chips)])


@pytest.mark.parametrize("seed", range(30))
def test_run_offs_on_random_tables(seed):
    rng = np.random.default_rng(seed)
    agents = int(rng.integers(2, 8))
    upper = np.triu(rng.integers(-2, 3, (agents, agents)), 1)  # few values: ties are common
    table = upper - upper.T
    found = run_off(agents, 2, [("table", lambda pool: {a: sum(table[a][b] for b in pool if b != a) for a in pool})])
    assert list(found.order) == naive_run_off(table, agents)
    assert sorted(found.rank(a) for a in range(agents)) == list(range(1, agents + 1))
    assert [len(r.pool) for r in found.rounds] == list(range(agents, 1, -1))


def test_the_run_off_does_not_favour_who_beats_only_the_weak():
    # The shark wins most in total, all of it from the fish, and loses to both others.
    table = np.array([[0, -1, -1, 9], [1, 0, 2, 1], [1, -2, 0, 1], [-9, -1, -1, 0]])
    score = ("table", lambda pool: {a: sum(table[a][b] for b in pool if b != a) for a in pool})
    found = run_off(4, 2, [score])
    assert np.argmax(table.sum(axis=1)) == 0
    assert found.order == (1, 2, 0, 3)
    assert not any(r.tied for r in found.rounds)


def test_ties_are_broken_by_the_next_score_then_by_listing_and_said():
    series = ("series", lambda pool: dict.fromkeys(pool, 0.0))
    bankroll = ("bankroll", lambda pool: {a: -5.0 if a == 1 else 2.0 for a in pool})
    found = run_off(3, 2, [series, bankroll])
    assert found.order == (0, 2, 1)
    assert [(r.removed, r.tied, r.decided_by) for r in found.rounds] == [
        (1, (0, 2), "bankroll"),
        (2, (0,), "order of listing"),
    ]
    first, second = found.ties(["x", "y", "z"], "series run-off")
    assert first == "series run-off, round 1: y left; x, z had the same score (0), and the bankroll decided"
    assert second.endswith("and the order of listing decided")


def test_rounding_is_no_difference():
    found = run_off(2, 2, [("bankroll", lambda pool: {0: 0.1 + 0.2, 1: 0.3})])
    assert found.rounds[0].tied == (0,)


@pytest.mark.parametrize("seed", range(20))
def test_holm(seed):
    rng = np.random.default_rng(seed)
    p = (rng.random(int(rng.integers(1, 12))) ** 3).round(2).tolist()
    assert holm(p) == pytest.approx(naive_holm(p))
    assert holm([]) == []


def test_stars():
    assert [stars(p) for p in (0.06, 0.05, 0.049, 0.009, 0.0009)] == ["", "", "*", "**", "***"]


def test_always_the_same_is_certain_and_one_deal_says_nothing():
    same = np.full((100, 2), [1 / 3, -1 / 3])
    record = Record.of((0, 1), 100, [(0, same)])
    assert record.estimate(0, 1.0).ci95 == record.estimate(0, 1.0).p == 0.0
    nothing = Record.of((0, 1), 100, [(0, np.zeros((100, 2)))])
    assert (nothing.estimate(0, 1.0).p, nothing.estimate(0, 1.0).ci95) == (1.0, 0.0)
    single = Record.of((0, 1), 1, [(0, np.array([[3.0, -3.0]]))])
    s = Standings(("a", "b"), 2, "mb/h", 1.0, (single,))
    assert s.bankroll[0].ci95 == math.inf
    assert s.crosstable[0, 1].outcome == 0
    assert s.ranks == [1, 2]


def test_equal_bankrolls_share_a_rank():
    records = tuple(Record.of(who, 9, [(0, np.zeros((9, 2)))]) for who in combinations(range(3), 2))
    assert Standings(("a", "b", "c"), 2, "mb/h", 1.0, records).ranks == [1, 1, 1]


def test_curves_count_every_deal_once_in_any_order():
    won = np.random.default_rng(5).normal(size=(997, 2))
    chunks = [(start, won[start : start + 100]) for start in range(0, 997, 100)]
    record = Record.of((0, 1), 997, chunks[::-1])
    assert record.deals[-1] == 997
    assert len(record.deals) == 100
    np.testing.assert_allclose(record.sums, won.cumsum(axis=0)[record.deals - 1])
    np.testing.assert_allclose(record.squares, (won**2).cumsum(axis=0)[record.deals - 1])
