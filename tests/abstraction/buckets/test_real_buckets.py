"""Abstractions of all of hold'em, built: shares, lookups, cache, interruption, clusters, report and commands.

They need the strengths of all hands on flop and turn, which the tests of a run share.
"""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import naive_buckets as naive
from pokerlab.abstraction.buckets import build
from pokerlab.abstraction.buckets.build import build_buckets, cached_path
from pokerlab.abstraction.buckets.divide import Divided, Hands
from pokerlab.abstraction.buckets.report import report
from pokerlab.abstraction.buckets.spec import Bucketing, parse_spec
from pokerlab.cards.strength import expected_strength
from pokerlab.cards.sweep import forgetful, strength_moments
from pokerlab.cli import main

pytestmark = pytest.mark.slow

SPEC = "169/percentile:5/nested:3x2/kmeans:6"


@pytest.fixture(scope="module")
def forgetting():
    return build_buckets(SPEC, perfect_recall=False)


@pytest.fixture(scope="module")
def quintiles():
    return build_buckets("range-of-skill")


@pytest.fixture(scope="module")
def forgetting_report(forgetting):
    return report(forgetting)


@pytest.fixture(scope="module")
def quintiles_report(quintiles):
    return report(quintiles)


@pytest.fixture(scope="module")
def looked_ahead(forgetting):
    """A builder that has found what potential-aware clusters look ahead to: the river, then turn and flop."""
    builder = builder_on(forgetting)
    builder._ahead(1)
    builder._ahead(0)
    return builder


def arrays(cards):
    return [*cards.lookup, *cards.parents, *cards.deals]


def test_quintiles_within_half_a_point(quintiles):
    """The range-of-skill paper's buckets: on all four streets each gets a fifth of its parent."""
    assert quintiles.counts == (5, 25, 125, 625)
    for street in range(4):
        assert np.abs(quintiles.shares_of_parent(street) - 0.2).max() < 0.005


def test_equal_parts_without_recall(forgetting):
    assert forgetting.counts == (169, 5, 6, 6)
    assert np.abs(forgetting.shares(1) - 0.2).max() < 1e-5
    assert np.abs(forgetting.shares(2) - 1 / 6).max() < 1e-5


@pytest.mark.parametrize("name", ["forgetting", "quintiles"])
def test_dealt_hands(name, request):
    """Deals are looked up as hands and as boards are, and fall into buckets as often as was counted."""
    cards, random = request.getfixturevalue(name), np.random.default_rng(7)
    deals = np.array([random.permutation(52)[:9] for _ in range(100_000)])
    dealt = cards.deal_buckets(deals)
    for deal, row in zip(deals[:100].tolist(), dealt.tolist(), strict=False):
        for player, sizes in ((0, (0, 3, 4, 5)), (1, (5,))):
            hole = deal[2 * player : 2 * player + 2]
            plain = [naive.bucket(cards, hole, deal[4 : 4 + size]) for size in sizes]
            assert row[player][-len(sizes) :] == plain
            assert [cards.bucket(hole, deal[4 : 4 + size]) for size in sizes] == plain
    for street in range(4):
        shares, n = cards.shares(street), len(deals)  # of one player: the hands of both are not independent
        seen = np.bincount(dealt[:, 0, street], minlength=len(shares)) / n
        assert (np.abs(seen - shares) < 5 * np.sqrt(shares * (1 - shares) / n) + 1e-6).all()
    if cards.perfect_recall:
        for street in (1, 2, 3):
            assert np.array_equal(cards.parents[street - 1][dealt[:, :, street]], dealt[:, :, street - 1])


@pytest.mark.parametrize("name", ["forgetting", "quintiles"])
def test_suits_and_order_change_nothing(name, request):
    cards, random = request.getfixturevalue(name), np.random.default_rng(8)
    for _ in range(300):
        deal = naive.random_deal(random)
        other = naive.turned(random, deal)
        hole, flop, rest = random.permutation(other[:2]), random.permutation(other[2:5]), other[5:]
        for size in (0, 3, 4, 5):
            assert cards.bucket(hole, [*flop, *rest][:size]) == cards.bucket(deal[:2], deal[2 : 2 + size])
        if not cards.perfect_recall:
            mixed = random.permutation(other[2:])
            assert cards.bucket(hole, mixed) == cards.bucket(deal[:2], deal[2:])


def test_stronger_hands_have_higher_buckets(forgetting):
    random = np.random.default_rng(9)
    deals = [naive.random_deal(random, 5) for _ in range(150)]
    strengths = np.array([expected_strength(deal[:2], deal[2:]) for deal in deals])
    buckets = np.array([forgetting.bucket(deal[:2], deal[2:]) for deal in deals])
    assert (np.diff(buckets[np.argsort(strengths)]) >= 0).all()


def test_a_bucketing_is_built_once(forgetting, monkeypatch):
    monkeypatch.setattr(build._Builder, "build", None)
    again = build_buckets(SPEC, perfect_recall=False)
    assert all(np.array_equal(a, b) for a, b in zip(arrays(again), arrays(forgetting), strict=True))


def test_an_interrupted_build_goes_on_and_comes_out_the_same(forgetting, monkeypatch):
    """Another seed, which these methods make no use of: built from the start, interrupted after the turn."""
    divide, done = build._Builder._divide, []

    def interrupted(builder, street):
        if street == 1:
            raise KeyboardInterrupt
        return divide(builder, street)

    def noted(builder, street):
        done.append(street)
        return divide(builder, street)

    monkeypatch.setattr(build._Builder, "_divide", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build_buckets(SPEC, perfect_recall=False, seed=2)
    monkeypatch.setattr(build._Builder, "_divide", noted)
    again = build_buckets(SPEC, perfect_recall=False, seed=2)
    assert done == [1, 0]
    assert all(np.array_equal(a, b) for a, b in zip(arrays(again), arrays(forgetting), strict=True))
    cached_path(again.spec).unlink()


def some_hands(street, n, parents):
    """A few of a street's hands, with parents made up; the last parent has none."""
    random, moments = np.random.default_rng(street), strength_moments(street)
    indices = random.integers(0, forgetful(street).sizes[-1], n).astype(np.int32)
    which = random.integers(0, parents - 1, n).astype(np.uint16)
    return Hands(forgetful(street).multiplicities(indices).astype(np.uint8), *moments, indices, which, parents)


@pytest.mark.parametrize(
    ("street", "how"),
    [
        (2, Bucketing("potential", (5,))),
        (2, Bucketing("distribution", (4, 3, 6))),
        (2, Bucketing("potential", (12,), total=True)),
        (1, Bucketing("distribution", (5,))),
        (1, Bucketing("potential", (5,))),
        (1, Bucketing("potential", (9,), total=True)),
    ],
)
def test_clusters_of_a_few_hands(forgetting, looked_ahead, street, how, monkeypatch):
    """Each parent by itself, the same every time, and clusters that tell strengths apart."""
    monkeypatch.setattr(build, "ERROR_SAMPLE", 200)
    hands, twice = some_hands(street, 3000, 3), []
    for _ in range(2):
        builder = builder_on(forgetting)
        builder._river, builder.ahead = looked_ahead._river, dict(looked_ahead.ahead)
        twice.append(builder._clustered(street, how, hands))
    assert np.array_equal(twice[0].buckets, twice[1].buckets)
    divided = twice[0]
    counts = np.diff(divided.first)
    assert counts.sum() == (how.counts[0] if how.total else sum(how.counts) if len(how.counts) > 1 else 15)
    assert (np.searchsorted(divided.first, divided.buckets, side="right") - 1 == hands.parents).all()
    assert divided.deals.tolist() == np.bincount(divided.buckets, hands.weights, divided.size).tolist()
    mean = hands.mean[hands.indices]
    means = np.bincount(divided.buckets, hands.weights * mean, divided.size) / np.maximum(divided.deals, 1)
    within = np.average((mean - means[divided.buckets]) ** 2, weights=hands.weights)
    assert within < 0.25 * np.var(mean)


def builder_on(cards):
    """A builder that has the streets of an abstraction to look ahead to."""
    builder = build._Builder(parse_spec("potential:4/potential:5/nested:3x2/kmeans:6", perfect_recall=False), False)
    for street in (1, 2):
        first = np.array([0, cards.counts[street]])
        builder.divided[street] = Divided(cards.lookup[1 + street], first, cards.deals[street])
    return builder


def test_clusters_before_the_flop(forgetting, looked_ahead):
    """Looking ahead to the flop's quintiles: aces are with other big pairs, not with seven-deuce.

    What is looked ahead to is the same every time.
    """
    builder = builder_on(forgetting)
    divided = builder._divide(0)
    assert all(np.array_equal(a, b) for a, b in zip(builder._river, looked_ahead._river, strict=True))
    assert builder.ahead
    for street, clusters in builder.ahead.items():
        assert all(np.array_equal(a, b) for a, b in zip(clusters, looked_ahead.ahead[street], strict=True))
    assert divided.size == 4
    hands = {name: divided.buckets[forgetful(0).index(cards)] for name, cards in
             {"AA": (51, 50), "KK": (47, 46), "72": (20, 1), "32": (4, 1)}.items()}  # fmt: skip
    assert hands["AA"] == hands["KK"]
    assert hands["AA"] > hands["72"] == hands["32"]


@pytest.mark.parametrize("name", ["forgetting_report", "quintiles_report"])
def test_report_adds_up(name, request):
    report = request.getfixturevalue(name)
    for street, after in zip(report.streets, [*report.streets[1:], None], strict=True):
        assert street.strengths.sum(axis=1).tolist() == street.deals.tolist()
        assert np.average(street.means, weights=street.deals) == pytest.approx(0.5, abs=0.003)
        if street.moves is not None:
            for moves, deals in ((street.moves.sum(axis=1), street.deals), (street.moves.sum(axis=0), after.deals)):
                assert (moves * deals.sum() == deals * moves.sum()).all()
    assert [street.moves is None for street in report.streets] == [report.cards.perfect_recall] * 3 + [True]


def test_commands(forgetting, forgetting_report, tmp_path, monkeypatch):
    """What is built in the cache, and the report that was counted before; the commands of docs/cards.md do it all."""

    def counted_before(cards):
        assert all(np.array_equal(a, b) for a, b in zip(arrays(cards), arrays(forgetting), strict=True))
        return forgetting_report

    monkeypatch.setattr("pokerlab.abstraction.buckets.report.report", counted_before)
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        result = CliRunner().invoke(main, ["buckets", *arguments])
        assert result.exit_code == 0, result.stderr
        return result.stdout

    built = run("build", SPEC, "--recall", "imperfect", "--out", "five.buckets", "--html", "five.html")
    assert "already in the cache" in built
    assert "written to five.buckets" in built
    assert (tmp_path / "five.html").read_text().startswith("<!DOCTYPE html>")
    told = json.loads(run("build", SPEC, "--recall", "imperfect", "--json"))
    assert told["cached"] is True
    assert told["buckets"] == {"preflop": 169, "flop": 5, "turn": 6, "river": 6}
    text = run("show", "five.buckets")
    assert "from flop to turn" in text
    assert len(text.splitlines()) < 90
    hand = json.loads(run("show", SPEC, "--recall", "imperfect", "--hand", "7c2d", "--board", "AsAhKd", "--json"))
    assert hand["rows"][1]["bucket"] == 0
