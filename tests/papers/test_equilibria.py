"""The range of worst cases over all equilibria, against games with two rows, whose equilibria are an interval."""

import numpy as np
import pytest

import pokerlab
from pokerlab.papers.equilibria import worst_cases


def two_rows(matrix, columns):
    return pokerlab.matrix_game(np.array(matrix)[:, :columns])


def naive(matrix, columns):
    """Best and worst of the worst cases over a fine grid of P(second row), where the first columns' value is kept."""
    chance = np.linspace(0, 1, 200_001)
    lines = np.outer(1 - chance, matrix[0]) + np.outer(chance, matrix[1])
    known = lines[:, :columns].min(axis=1)
    kept = lines.min(axis=1)[known >= known.max() - 1e-9]
    return kept.max(), kept.min()


def test_figure_1_of_the_pathologies_paper():
    """AB-ab: P(B) from 5/8 to 1; the best worst case is where c and d cross, the worst at 5/8, on line d."""
    matrix = ((7, 2, 8, 0), (7, 10, 5, 6))
    found = worst_cases(two_rows(matrix, 2), two_rows(matrix, 4))
    assert (found.best, found.worst) == (pytest.approx(16 / 3), pytest.approx(15 / 4))


def test_games_with_many_equilibria():
    rng, wide = np.random.default_rng(7), 0
    for _ in range(25):
        matrix = rng.integers(-4, 5, (2, 5))
        matrix[:, 0] = matrix[:, 1:2].min()  # a column that nobody likes more or less: many equilibria
        found = worst_cases(two_rows(matrix, 2), two_rows(matrix, 5))
        best, worst = naive(matrix, 2)
        assert found.best == pytest.approx(best, abs=1e-3)
        assert found.worst == pytest.approx(worst, abs=1e-3)
        wide += best - worst > 0.1
    assert wide > 10


def test_a_unique_strategy_has_no_range():
    matrix = ((1, -1, 3), (-1, 1, -4))
    found = worst_cases(two_rows(matrix, 2), two_rows(matrix, 3))
    assert found.best == pytest.approx(found.worst) == pytest.approx(-0.5)
