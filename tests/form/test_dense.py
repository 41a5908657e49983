"""Large payoffs: dense diagonal blocks, threads and single precision against the plain product."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

import naive
import pokerlab
from pokerlab.errors import GameTooLarge
from pokerlab.form import dense, payoff
from pokerlab.form.payoff import DensePayoff, Group, payoff_of
from random_games import random_payoff


def random_blocks(rng):
    """A matrix of random diagonal blocks, some of them empty, and where its entries may be."""
    parts = [rng.random(rng.integers(1, 5, size=2)) + 0.1 for _ in range(int(rng.integers(1, 6)))]
    return sparse.csr_array(sparse.block_diag(parts, format="csr")), [part.shape for part in parts]


@pytest.mark.parametrize("seed", range(20))
def test_diagonal_blocks(seed):
    rng = np.random.default_rng(seed)
    matrix, shapes = random_blocks(rng)
    found = dense.diagonal_blocks(matrix)
    assert [(height, width) for _, _, height, width in found] == shapes
    holes = sparse.csr_array(matrix * (rng.random(matrix.shape) < 0.6))
    holes.eliminate_zeros()
    covered = np.zeros(matrix.shape)
    for top, left, height, width in dense.diagonal_blocks(holes):
        covered[top : top + height, left : left + width] += 1
    assert np.all(covered[holes.toarray() != 0] == 1)
    assert covered.max(initial=0) <= 1


def test_blocks_of_other_matrices():
    assert dense.diagonal_blocks(sparse.csr_array((3, 4))) == []
    assert dense.diagonal_blocks(np.zeros((3, 4))) == [(0, 0, 3, 4)]
    assert dense.diagonal_blocks(sparse.csr_array(np.eye(3)[::-1])) == [(0, 0, 3, 3)]


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize(("real", "close"), [(np.float64, 1e-12), (np.float32, 1e-4)])
def test_products(seed, real, close, monkeypatch):
    rng = np.random.default_rng(seed)
    monkeypatch.setattr(dense, "_SMALL", [50, 0, 1000][seed % 3])  # as if blocks were large: some, all, none
    monkeypatch.setattr(dense, "_ROOM", 32)
    plain = random_payoff(rng, (int(rng.integers(1, 60)), int(rng.integers(1, 60))))
    groups = [g if i % 2 else g._replace(matrix=g.matrix.toarray()) for i, g in enumerate(plain.groups)]
    large = DensePayoff(plain.shape, groups)
    matrix = np.array(naive.dense(plain))
    for operator, expected in [(large, matrix), (large.T, matrix.T), (-large.T, -matrix.T), ((-large).T.T, -matrix)]:
        y = rng.normal(size=operator.shape[1])
        out = np.full(operator.shape[0], np.nan, dtype=real)
        operator.astype(real).into(y.astype(real), out)
        assert out == pytest.approx(expected @ y, abs=close)
        assert operator.large
        assert operator @ y == pytest.approx(expected @ y, abs=1e-12)
    assert large.to_sparse().toarray() == pytest.approx(matrix, abs=1e-12)


def test_no_term_adds_to_both_sides_of_a_cut():
    game = pokerlab.compile("rhode-island:ranks=5,suits=2")
    large = DensePayoff(game.A.shape, game.A.groups)
    for operator in (large, large.T):
        product = operator.product
        assert product.cuts[0] == 0
        assert product.cuts[-1] == operator.shape[0]
        assert len(product.cuts) > 8
        for group in operator.groups:
            for cut in product.cuts:
                assert not np.any((group.rows < cut) & (cut < group.rows + group.matrix.shape[0]))
    plan = game.Y.realize(game.Y.random(np.random.default_rng(0)))
    assert large @ plan == pytest.approx(game.A @ plan, abs=1e-12)


def test_which_payoffs_are_large(monkeypatch):
    full = pokerlab.compile("rhode-island:ranks=5,suits=2,raises=2").A
    assert not full.large
    monkeypatch.setattr(payoff, "_LARGE", full.entries)
    assert payoff_of(full.shape, full.groups).large
    scattered = sparse.random_array((200, 200), density=0.05, rng=np.random.default_rng(0), format="csr")
    at = np.zeros(1, dtype=np.int64)
    monkeypatch.setattr(payoff, "_LARGE", 1)
    assert not payoff_of((200, 200), [Group(scattered, at, at, np.ones(1))]).large
    assert not payoff_of((3, 2), []).large


def test_what_is_too_large_to_write_out_says_so(monkeypatch):
    full = pokerlab.compile("leduc").A
    monkeypatch.setattr(payoff, "WRITTEN", 10)
    with pytest.raises(GameTooLarge, match="cfr"):
        full.to_sparse()
    monkeypatch.setattr(dense, "_MOST", 10)
    with pytest.raises(GameTooLarge, match="dense blocks"):
        DensePayoff(full.shape, full.groups) @ np.zeros(full.shape[1])


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc-nl:stack=7", "rhode-island:ranks=3,suits=2"])
def test_parts_of_a_treeplex_can_be_worked_on_at_once(name):
    """No part leads to another, and no two hang from one sequence; together with the trunk they are all blocks."""
    game = pokerlab.compile(name)
    for tree in game.trees:
        blocks, hangs_from = tree.blocks, set()
        ranges = sorted([*tree.parts.tolist(), *tree.trunk.tolist()])
        assert [b for low, high in ranges for b in range(low, high)] == list(range(len(blocks.n)))
        assert len(tree.parts) == (0 if name == "kuhn" else len(entries(game)))
        for low, high in tree.parts:
            end = blocks.start[high - 1] + blocks.n[high - 1] * blocks.k[high - 1]
            above = set()
            for b in range(low, high):
                parents = blocks.parent[blocks.first[b] : blocks.first[b] + blocks.n[b]]
                assert parents.max() < end
                above |= {int(p) for p in parents if p < blocks.start[low]}
            assert not above & hangs_from
            hangs_from |= above


def entries(game):
    """Betting nodes at which the last round begins."""
    nodes = game.origin.nodes
    last = game.origin.rules.rounds - 1
    return [n for n in nodes if not n.state.finished and n.state.round == last != nodes[max(n.parent, 0)].state.round]


def test_values_bound_the_game():
    game = pokerlab.compile("leduc")
    low, high = pokerlab.evaluate(pokerlab.solve(game, iterations=50).strategy).bounds
    assert low <= pokerlab.solve(game, "lp").value <= high
    exact = replace(game, A=DensePayoff(game.A.shape, game.A.groups))
    assert pokerlab.evaluate(pokerlab.solve(exact, "lp").strategy).bounds == pytest.approx([-0.0856064] * 2, abs=1e-6)
