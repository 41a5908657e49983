"""Random treeplexes, payoffs and games: shapes that no poker game has."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from pokerlab.form.game import BilinearGame
from pokerlab.form.payoff import Group, Payoff
from pokerlab.form.treeplex import Treeplex


def random_treeplex(rng: np.random.Generator, blocks: int = 6) -> Treeplex:
    parents, actions, sequences = [], [], 1
    for _ in range(int(rng.integers(1, blocks + 1))):
        n, k = int(rng.integers(1, 6)), int(rng.integers(1, 5))
        parents.append(rng.integers(0, sequences, size=n))
        actions.append(k)
        sequences += n * k
    return Treeplex(parents, actions)


def random_payoff(rng: np.random.Generator, shape: tuple[int, int]) -> Payoff:
    groups = []
    for _ in range(int(rng.integers(1, 4))):
        m, n = int(rng.integers(1, shape[0] + 1)), int(rng.integers(1, shape[1] + 1))
        matrix = sparse.random_array((m, n), density=0.5, rng=rng, format="csr")
        count = int(rng.integers(1, 6))
        rows = rng.integers(0, shape[0] - m + 1, size=count)
        columns = rng.integers(0, shape[1] - n + 1, size=count)
        groups.append(Group(matrix, rows, columns, rng.normal(size=count)))
    return Payoff(shape, groups)


def random_game(rng: np.random.Generator) -> BilinearGame:
    x, y = random_treeplex(rng), random_treeplex(rng)
    return BilinearGame(x, random_payoff(rng, (x.sequences, y.sequences)), y, "random")
