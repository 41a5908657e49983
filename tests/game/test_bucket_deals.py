"""Games of buckets: cards written as matrices must give the same games."""

import re
from dataclasses import replace

import numpy as np
import pytest

import pokerlab
from pokerlab.errors import AbstractionError, SolverError, StrategyFileError
from pokerlab.form.strategy import random_profile
from pokerlab.game import bucket_deals
from pokerlab.game.bucket_deals import BucketDeals
from pokerlab.game.deals import merger
from pokerlab.solvers.sampling.deals import BucketPairs
from pokerlab.solvers.sampling.randomness import streams


def as_buckets(game, name="cards"):
    """What each player of a compiled game tells apart, and its matrices."""
    origin, deals = game.origin, game.origin.deals

    def merged(matrix, r):
        mine, theirs = (merger(sight.seen[r], sight.sizes[r]) for sight in origin.sights)
        return (mine.T @ matrix @ theirs).toarray()

    last = origin.rules.rounds - 1
    return BucketDeals(
        name,
        (origin.sights[0].parents, origin.sights[1].parents),
        tuple(merged(matrix, r) for r, matrix in enumerate(deals.joint)),
        merged(deals.showdown, last),
    )


@pytest.mark.parametrize("abstraction", ["FULL", "JQ.K-FULL", "J.QK-JQ.K/JQ.K"])
def test_leduc_as_matrices(abstraction):
    """Also with different numbers of states for the two players."""
    cards = pokerlab.compile("leduc", abstraction)
    deals = as_buckets(cards)
    buckets = pokerlab.compile("leduc", deals=deals)
    assert [t.sequences for t in buckets.trees] == [t.sequences for t in cards.trees]
    assert buckets.X.blocks.n[-1] == deals.sizes(0)[1]
    assert buckets.Y.blocks.n[-1] == deals.sizes(1)[1]
    profile = random_profile(cards, np.random.default_rng(3))
    mine, theirs = pokerlab.evaluate(profile), pokerlab.evaluate(pokerlab.Profile(buckets, profile.behaviours))
    assert theirs.values == pytest.approx(mine.values, abs=1e-12)
    assert theirs.responses == pytest.approx(mine.responses, abs=1e-12)
    assert pokerlab.solve(buckets, "lp").value == pytest.approx(pokerlab.solve(cards, "lp").value, abs=1e-9)
    solved = pokerlab.solve(buckets, "cfr+", exploitability=1e-3)
    assert solved.value == pytest.approx(pokerlab.solve(cards, "lp").value, abs=1e-3)


def test_bets_can_be_limited_beside_buckets():
    cards = pokerlab.compile("leduc-nl:stack=5", "pa")
    deals = as_buckets(pokerlab.compile("leduc-nl:stack=5"))
    buckets = pokerlab.compile("leduc-nl:stack=5", "pa", deals=deals)
    assert pokerlab.solve(buckets, "lp").value == pytest.approx(pokerlab.solve(cards, "lp").value, abs=1e-9)


def test_names_of_states():
    deals = as_buckets(pokerlab.compile("leduc"))
    assert deals.labels(0)[0] == ["0", "1", "2"]
    assert deals.labels(0)[1][:4] == ["0.0", "0.1", "0.2", "1.0"]
    profile = pokerlab.uniform_profile(pokerlab.compile("leduc", deals=deals))
    assert profile.at(1, "cc/r", "2.1") == pytest.approx({"f": 1 / 3, "c": 1 / 3, "r": 1 / 3})


def test_cards_of_buckets_are_not_known():
    game = pokerlab.compile("leduc", deals=as_buckets(pokerlab.compile("leduc"), "six cards"))
    assert game.origin.buckets.name == "six cards"
    with pytest.raises(AbstractionError, match=r"buckets \(six cards\)"):
        _ = game.origin.deals
    assert pokerlab.compile("leduc").origin.buckets is None


def test_files_name_their_buckets(tmp_path):
    deals = as_buckets(pokerlab.compile("leduc"), "six cards")
    game, file = pokerlab.compile("leduc", deals=deals), tmp_path / "x.strategy"
    found = pokerlab.solve(game, iterations=20)
    found.save(file)
    assert np.array_equal(pokerlab.load(file, game).strategy[0], found.strategy[0])
    with pytest.raises(StrategyFileError, match="six cards"):
        pokerlab.load(file)
    other = replace(deals, showdown=-deals.showdown)
    for wrong in (pokerlab.compile("leduc", deals=other), pokerlab.compile("leduc")):
        with pytest.raises(StrategyFileError, match="another game"):
            pokerlab.load(file, wrong)


def test_what_does_not_fit_says_why():
    deals = as_buckets(pokerlab.compile("leduc"))
    (first, second), (mine, theirs) = deals.joint, deals.parents
    negative = first.copy()
    negative[0, 0], negative[1, 1] = negative[0, 0] - 1, negative[1, 1] + 1
    numbers = "parents of player {} in round {} must be numbers of its {} states before"
    shape = "{} has shape {}, but the players have {} and {} states"
    differ = "probabilities of rounds 1 and 2 differ by 0.27; both must be of the same deals"
    infinite = np.where(second > 0, np.inf, second)
    wrong = [
        ({"joint": (first,)}, "parents of 2 and 2 rounds do not fit matrices of 1"),
        ({"joint": ()}, "parents of 2 and 2 rounds do not fit matrices of 0"),
        ({"parents": (mine, theirs[:1])}, "parents of 2 and 1 rounds do not fit matrices of 2"),
        ({"parents": (mine[:1], theirs)}, "parents of 1 and 2 rounds do not fit matrices of 2"),
        ({"showdown": deals.showdown[:-1]}, shape.format("the showdown matrix", (8, 9), 9, 9)),
        ({"joint": (first[:, :2], second)}, shape.format("the matrix of round 1", (3, 2), 3, 3)),
        ({"joint": (first, second[:4])}, shape.format("the matrix of round 2", (4, 9), 9, 9)),
        ({"parents": (mine, (theirs[0], theirs[1] + 1))}, numbers.format(2, 2, 3)),
        ({"parents": (mine, (theirs[0], theirs[1] - 1))}, numbers.format(2, 2, 3)),
        ({"parents": ((mine[0] + 1, mine[1]), theirs)}, numbers.format(1, 1, 1)),
        ({"parents": ((mine[0][:0], mine[1]), theirs)}, numbers.format(1, 1, 1)),
        ({"parents": ((mine[0][None], mine[1]), theirs)}, numbers.format(1, 1, 1)),
        ({"joint": (first, 2 * second)}, "probabilities of round 2 must be at least 0 and add up to 1, not 2"),
        ({"joint": (0.999 * first, second)}, "probabilities of round 1 must be at least 0 and add up to 1, not 0.999"),
        ({"joint": (negative, second)}, "probabilities of round 1 must be at least 0 and add up to 1, not 1"),
        ({"joint": (first[::-1], second)}, differ),
        (
            {"showdown": 2 * deals.showdown},
            "the showdown matrix must be the last round's probabilities times signs between -1 and 1",
        ),
        ({"showdown": deals.showdown * np.nan}, "the showdown matrix has entries that are no numbers"),
        ({"joint": (first, infinite)}, "the matrix of round 2 has entries that are no numbers"),
    ]  # fmt: skip
    for change, message in wrong:
        with pytest.raises(AbstractionError) as caught:
            replace(deals, **change)
        assert str(caught.value) == f"buckets cards: {message}"
    narrow = as_buckets(pokerlab.compile("leduc", "JQ.K-FULL"), "narrow")
    with pytest.raises(AbstractionError, match=r"round 1 has shape \(3, 2\), but the players have 2 and 3 states"):
        replace(narrow, joint=(narrow.joint[0].T, narrow.joint[1]))
    with pytest.raises(AbstractionError, match="buckets without a name: the"):
        replace(deals, name="", showdown=2 * deals.showdown)
    # What single precision or sampling leave amiss is let through.
    assert replace(deals, joint=(first.astype(np.float32), second.astype(np.float32))).rounds == 2
    assert replace(deals, joint=(first * (1 + 9e-5), second), showdown=deals.showdown * (1 + 5e-5)).rounds == 2
    assert replace(deals, joint=(first, second), showdown=deals.showdown + 0.9e-4 * second.max()).sizes(1) == [3, 9]
    for game, abstraction, message in [
        ("kuhn", "FULL", "2 rounds, kuhn has 1"),
        ("kuhn-3p", "FULL", "3 players"),
        ("leduc", "JQ.K", "only limit bets"),
        ("leduc", "JQ.K-FULL", "only limit bets"),
        ("leduc", "FULL-JQ.K", "only limit bets"),
    ]:
        with pytest.raises(AbstractionError, match=message):
            pokerlab.compile(game, abstraction, deals=deals)


def three_rounds(**changes):
    """The first player learns more on every round, the second on the last alone."""
    zero = np.zeros(1, np.int64)
    parents = ((zero, np.array([0, 0]), np.array([0, 0, 1])), (zero, zero, np.array([0, 0])))
    joint = (np.array([[1.0]]), np.array([[0.25], [0.75]]), np.array([[0.125, 0.0], [0.125, 0.0], [0.25, 0.5]]))
    return replace(BucketDeals("three", parents, joint, joint[2] / 2), **changes)


def test_three_rounds():
    deals = three_rounds()
    assert deals.labels(0) == (["0"], ["0.0", "0.1"], ["0.0.0", "0.0.1", "0.1.0"])
    assert deals.labels(1) == (["0"], ["0.0"], ["0.0.0", "0.0.1"])
    last = deals.joint[-1]
    within = three_rounds(showdown=-last - 0.9e-4 * 0.5)
    assert within.rounds == 3
    for wrong in (last + 1.1e-4 * 0.5, -last - 1.1e-4 * 0.5):
        with pytest.raises(AbstractionError, match="times signs between -1 and 1"):
            three_rounds(showdown=wrong)


def test_what_may_just_be_amiss(monkeypatch):
    """With a tolerance that has no rounding: a quarter."""
    monkeypatch.setattr(bucket_deals, "_CLOSE", 0.25)
    zero = np.zeros(1, np.int64)

    def deals(*joint, showdown):
        parents = ((zero,) * len(joint),) * 2
        return BucketDeals("one", parents, tuple(np.array([[p]]) for p in joint), np.array([[showdown]]))

    for totals in ((1.25,), (0.75,), (1.0, 1.25), (1.0, 0.75), (1.25, 1.0)):
        assert deals(*totals, showdown=1.25 * totals[-1]).rounds == len(totals)
        with pytest.raises(AbstractionError, match="times signs"):
            deals(*totals, showdown=1.2501 * totals[-1])
    for totals, message in (((1.2501,), "add up to 1"), ((0.7499,), "add up to 1"), ((0.99, 1.2401), "differ by 0.25")):
        with pytest.raises(AbstractionError, match=message):
            deals(*totals, showdown=0.0)


def test_digests_of_each_players_states():
    deals = three_rounds()
    zero, one, _ = deals.parents[0]
    # States without cards, so that nothing else changes with their parents.
    joint = (np.array([[1.0]]), np.array([[1.0], [0.0]]), np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
    mine = three_rounds(joint=joint, showdown=0 * joint[2])
    other = replace(mine, parents=((zero, one, np.array([0, 1, 1])), mine.parents[1]))
    assert mine.digest != other.digest
    two_each = (np.array([[1.0]]), np.array([[1.0, 0.0]]), np.zeros((1, 2)))
    second = [
        BucketDeals("", ((zero, zero, zero), (zero, np.array([0, 0]), np.array(last))),
                    (*two_each[:2], np.array([[1.0, 0.0]])), two_each[2])
        for last in ([0, 0], [0, 1])
    ]  # fmt: skip
    assert second[0].digest != second[1].digest
    assert len(mine.digest) == 16


def test_digests_tell_apart():
    deals = as_buckets(pokerlab.compile("leduc", "JQ.K-FULL"))
    assert re.fullmatch("[0-9a-f]{16}", deals.digest)
    assert as_buckets(pokerlab.compile("leduc", "JQ.K-FULL"), "another name").digest == deals.digest
    others = [as_buckets(pokerlab.compile("leduc", "FULL-JQ.K")), replace(deals, showdown=-deals.showdown),
              replace(deals, showdown=np.asfortranarray(deals.showdown.T.copy().T) * 0.5)]  # fmt: skip
    assert len({deals.digest, *(other.digest for other in others)}) == 4


def test_sampling_a_game_of_buckets():
    """Pairs of buckets are drawn as their matrices say, and external sampling finds what the exact half finds."""
    game = pokerlab.compile("leduc", deals=as_buckets(pokerlab.compile("leduc", "JQ.K-J.QK")))
    source, deals = BucketPairs(game.origin.buckets), game.origin.buckets
    buckets, codes = np.empty((200_000, 2, 2), np.int32), np.empty(200_000, np.int32)
    source.fill(streams(7, 1)[0], buckets, codes)
    for r in range(2):
        seen = np.zeros_like(deals.joint[r])
        np.add.at(seen, (buckets[:, 0, r], buckets[:, 1, r]), 1 / len(codes))
        assert np.abs(seen - deals.joint[r]).max() < 5e-3
    signs = np.zeros_like(deals.showdown)
    np.add.at(signs, (buckets[:, 0, 1], buckets[:, 1, 1]), np.where(codes == 1, 1, -1) / len(codes))
    assert np.abs(signs - deals.showdown).max() < 5e-3
    sampled = pokerlab.solve(game, "external-sampling", iterations=200_000, seed=1)
    exact = pokerlab.solve(game, "lp")
    assert sampled.exploitability < 0.02
    assert sampled.value == pytest.approx(exact.value, abs=0.02)
    with pytest.raises(SolverError, match="game of buckets"):
        pokerlab.solve(game, "public-chance-sampling", iterations=1)
