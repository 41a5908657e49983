"""Subsets of flops against all of them, by what was not used to choose them; and the texts that name flops."""

from itertools import product

import numpy as np
import pytest

from pokerlab.abstraction.flop_subsets import descriptions, flop_subset, flops_of, representatives
from pokerlab.cards.deck import Deck
from pokerlab.cards.evaluator import board_values
from pokerlab.cards.flops import every_flop
from pokerlab.cards.holes import HOLES, compatible, possible
from pokerlab.cards.ranges import Range
from pokerlab.errors import CardError

DECK = Deck()
DEFENDER = "99-22, AJs-A2s, AQo-ATo, KTs-K9s, KQo, QTs-Q9s, JTs-J9s, T9s-T8s, 98s-97s, 87s-86s, 76s-75s, 65s, 54s"
OPENER = "AA-66, AKs-A8s, A5s-A4s, AKo-AJo, KQs-KTs, KQo, QJs-QTs, JTs, T9s, 98s, 87s"


def quantities(board):
    """What is exact and cheap on a flop: how often the first range is ahead, has top pair, three or four of a suit."""
    ours, theirs = (Range.parse(text).weights * possible(board) for text in (DEFENDER, OPENER))
    value = board_values(board)
    mine, other = np.flatnonzero(ours), np.flatnonzero(theirs)
    meet = (HOLES[mine][:, None, :, None] != HOLES[other][None, :, None, :]).all(axis=(2, 3))
    ahead = np.sign(value[mine][:, None].astype(np.int64) - value[other][None, :])
    ranks, top = HOLES[mine] // 4, max(card // 4 for card in board)
    has_top = ours[mine] @ (ranks == top).any(axis=1) / ours.sum()
    suits = np.array([[sum(card % 4 == suit for card in board) for suit in range(4)]])
    held = np.stack([(HOLES[mine] % 4 == suit).sum(axis=1) for suit in range(4)], axis=1)
    drawing = ours[mine] @ ((suits + held).max(axis=1) >= 4) / ours.sum()
    return (ours[mine] @ ((1 + ahead) / 2 * meet) @ theirs[other]) / (ours @ compatible(theirs)), has_top, drawing


@pytest.fixture(scope="module")
def figures():
    return {board: quantities(board) for board in every_flop().boards}


@pytest.mark.parametrize("size", [25, 49, 95, 184])
def test_means_over_a_subset_are_nearly_those_of_all(figures, size):
    """Within two thirds of the error that as many flops drawn at random would have."""
    every, some = every_flop(), flop_subset(size)
    values, mine = np.array([figures[b] for b in every.boards]), np.array([figures[b] for b in some.boards])
    mean = every.shares @ values
    spread = np.sqrt(every.shares @ (values - mean) ** 2)
    assert len({*some.boards}) == size
    assert some.weights.sum() == 22_100
    assert flops_of(f"{size}").boards == flops_of(f"subset:{size}").boards == some.boards
    assert (abs(some.shares @ mine - mean) < 2 / 3 * spread / np.sqrt(size)).all()


def test_a_subset_is_kept_and_read_again(tmp_path, monkeypatch):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    flop_subset.cache_clear()
    first = flop_subset(7)
    descriptions.cache_clear()  # would take seconds
    monkeypatch.setattr("pokerlab.abstraction.flop_subsets.descriptions", None)
    flop_subset.cache_clear()
    again = flop_subset(7)
    assert again.boards == first.boards
    assert (again.weights == first.weights).all()


def test_subsets_of_every_size(tmp_path, monkeypatch):
    """Large ones, too: no stratum is given more than it has. What flops are like does not matter here."""
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    points = np.random.default_rng(5).normal(size=(1755, 2))
    monkeypatch.setattr("pokerlab.abstraction.flop_subsets.descriptions", lambda: points)
    flop_subset.cache_clear()
    for size in (1, 15, 900, 1000, 1400, 1754, 1755):
        some = flop_subset(size)
        assert len({*some.boards}) == size
        assert some.weights.sum() == 22_100
    flop_subset.cache_clear()


def test_representatives_are_the_best_choice_there_is():
    rng = np.random.default_rng(3)
    better = 0
    for _ in range(20):
        points, labels = rng.normal(size=(9, 3)), np.array([0, 1, 2] * 3)
        weights = rng.integers(1, 5, 9).astype(float)
        shares = np.bincount(labels, weights) / weights.sum()
        middles = np.stack([np.average(points[labels == i], axis=0, weights=weights[labels == i]) for i in range(3)])

        def cost(chosen, points=points, middles=middles, shares=shares):
            away = shares[:, None] * (points[list(chosen)] - middles)
            return (away.sum(axis=0) ** 2).sum() + (away**2).sum()

        chosen = representatives(points, weights, labels)
        assert labels[chosen].tolist() == [0, 1, 2]
        costs = [cost(one) for one in product(*(np.flatnonzero(labels == i) for i in range(3)))]
        better += np.isclose(cost(chosen), min(costs))
        assert cost(chosen) <= np.quantile(costs, 0.2)
    assert better >= 15  # one after another is not always the best of all at once


def test_texts_that_name_flops(tmp_path):
    assert flops_of("all") is every_flop()
    assert len(flops_of(" monotone, ace-high ").boards) == 66
    listed = flops_of("As Kd 2c, 7h7d2s: 2.5")
    assert [DECK.text(board) for board in listed.boards] == ["AsKd2c", "7h7d2s"]
    assert listed.weights.tolist() == [1, 2.5]
    (tmp_path / "flops.txt").write_text("# two flops\nAs Kd 2c\n7h7d2s:2.5  # this counts for more\n\n")
    from_file = flops_of(str(tmp_path / "flops.txt"))
    assert from_file.boards == listed.boards
    assert (from_file.weights == listed.weights).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("subset:0", "1 to 1,755 flops, not 0"),
        ("subset:2000", "not 2,000"),
        ("subset", "has a size, as in subset:49"),
        ("", "no flops: name all"),
        ("As Kd", "three to five cards"),
        ("As Kd 2c, 2c Kd As", "there twice"),
        ("As Kd 2c: much", "weight is a number"),
        ("As Kd 2c: -1", "above 0"),
        ("As Kd 2c: nan", "above 0"),
        ("As Kd 2x", "no card '2x'"),
        ("purple", "'purple' is no file, number, all, subset:49, word of texture or list of boards: no card 'pu'"),
    ],
)
def test_texts_that_name_none(text, said):
    with pytest.raises(CardError, match=said):
        flops_of(text)
