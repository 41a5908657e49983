"""All pairs of hands before the flop: against equities of two hands, and how the table is kept."""

import numpy as np
import pytest

from pokerlab.cards import matchup_kernels, matchups
from pokerlab.cards.equity import showdown_equity
from pokerlab.cards.evaluator import board_values, tables
from pokerlab.cards.holes import HOLES, classes
from pokerlab.cards.preflop import preflop_tables


def test_wins_on_a_few_boards():
    """The kernel against comparing values, on boards counted different times."""
    rng = np.random.default_rng(0)
    boards = np.array([rng.permutation(52)[:5] for _ in range(5)], np.uint8)
    counts = np.array([4.0, 4.0, 12.0, 24.0, 24.0])
    expected = np.zeros((1326, 1326), np.int64)
    for board, times in zip(boards, counts, strict=True):
        values = board_values(board)
        beats = (values[:, None] > values[None, :]) & (values[:, None] > 0) & (values[None, :] > 0)
        expected += int(times) * beats
    np.testing.assert_array_equal(matchup_kernels.count_wins(tables(), boards, counts), expected)


@pytest.mark.slow
def test_pairs_of_hands():
    signs, rng = matchups.preflop_signs(), np.random.default_rng(1)
    assert np.array_equal(signs, -signs.T)
    for i, j in rng.integers(0, 1326, (150, 2)):
        first, second = tuple(HOLES[i].tolist()), tuple(HOLES[j].tolist())
        if set(first) & set(second):
            assert signs[i, j] == 0
        else:
            win, loss = showdown_equity([first, second], (), 5)
            assert signs[i, j] == pytest.approx(win - loss, abs=1e-12)
    against_all = (1 + signs.sum(axis=1) / 1225) / 2
    np.testing.assert_allclose(against_all, preflop_tables()[0][classes()], atol=1e-7)


def test_it_is_kept_and_made_again_when_damaged(monkeypatch, tmp_path):
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    made = []

    def count():
        made.append(1)
        return np.arange(1326 * 1326, dtype=np.int32).reshape(1326, 1326)

    monkeypatch.setattr(matchups, "counted_wins", count)
    first, again = matchups._kept_wins(), matchups._kept_wins()
    assert len(made) == 1
    np.testing.assert_array_equal(first, again)
    (path,) = tmp_path.glob("matchups-*")
    path.write_bytes(path.read_bytes()[:1000])
    np.testing.assert_array_equal(matchups._kept_wins(), first)
    assert len(made) == 2
