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


def test_parts_of_a_product_may_come_in_any_order(monkeypatch):
    at = np.arange(0, 64, 2, dtype=np.int64)
    payoff_ = DensePayoff((64, 2), [Group(np.ones((2, 2)), at, 0 * at, np.ones(32))])
    assert len(payoff_.product.cuts) > 8
    monkeypatch.setattr(dense, "spread", lambda work, parts: [work(part) for part in reversed(list(parts))])
    assert (payoff_ @ np.array([1.0, 2.0])).tolist() == [3.0] * 64


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


def test_which_payoffs_are_just_large(monkeypatch):
    """From so many entries on, and while a quarter of the diagonal blocks' entries are there."""
    at, one = np.zeros(1, dtype=np.int64), np.ones(1)
    quarter = np.zeros((4, 4))
    quarter[0, 0] = quarter[3, 3] = quarter[0, 3] = quarter[3, 0] = 1.0
    groups = [Group(sparse.csr_array(quarter), at, at, one)]
    monkeypatch.setattr(payoff, "_LARGE", 4)
    assert payoff_of((4, 4), groups).large
    monkeypatch.setattr(payoff, "_LARGE", 5)
    assert not payoff_of((4, 4), groups).large
    monkeypatch.setattr(payoff, "_LARGE", 1)
    quarter[0, 3] = 0.0
    assert not payoff_of((4, 4), [Group(sparse.csr_array(quarter), at, at, one)]).large
    fifth = np.zeros((3, 5))
    fifth[0, 0] = fifth[0, 4] = fifth[2, 0] = 1.0
    assert not payoff_of((3, 5), [Group(sparse.csr_array(fifth), at, at, one)]).large
    assert dense.dense_entries(groups) == 16
    twice = [groups[0]._replace(rows=np.zeros(2, np.int64)), Group(np.ones((2, 3)), at, at, one)]
    assert dense.dense_entries(twice) == 2 * 16 + 6
    assert [dense.entries_of(g.matrix) for g in twice] == [4, 6]


def test_sizes_in_bytes():
    at = np.zeros(2, dtype=np.int64)
    groups = [Group(np.ones((2, 3)), at, at, np.ones(2))]
    plain, large = payoff.Payoff((4, 4), groups), DensePayoff((4, 4), groups)
    assert plain.nbytes == sum(array.nbytes for array in plain.terms)
    assert (plain.entries, large.entries) == (12, 12)
    assert large.nbytes == sum(a.nbytes for a in (*large.product.places, *large.product.blocks))
    assert large.astype(np.float32).nbytes < large.nbytes
    assert plain.astype(np.float64) is plain
    assert plain.astype(np.float32).large
    assert len(plain.terms.gathered) == 6
    assert len(plain.terms.sums) == 2
    empty = payoff.Payoff((4, 4), [Group(np.ones((2, 3)), at[:0], at[:0], np.ones(0))])
    assert (empty.groups, empty.entries, empty.to_sparse().nnz) == ([], 0, 0)
    assert (len(empty.terms.gathered), len(empty.terms.sums)) == (0, 0)
    assert (empty @ np.ones(4)).tolist() == [0.0] * 4
    assert (DensePayoff((4, 4), []) @ np.ones(4)).tolist() == [0.0] * 4


def test_what_is_just_small_enough(monkeypatch):
    full = pokerlab.compile("kuhn").A
    monkeypatch.setattr(payoff, "WRITTEN", full.entries)
    assert full.to_sparse().nnz <= full.entries
    monkeypatch.setattr(payoff, "WRITTEN", full.entries - 1)
    with pytest.raises(GameTooLarge, match=f"a payoff of {full.entries} entries is too large to write out"):
        full.to_sparse()
    size = sum(h * w for g in full.groups for _, _, h, w in dense.diagonal_blocks(g.matrix))
    monkeypatch.setattr(dense, "_MOST", size)
    assert DensePayoff(full.shape, full.groups) @ np.ones(full.shape[1]) == pytest.approx(full @ np.ones(full.shape[1]))
    monkeypatch.setattr(dense, "_MOST", size - 1)
    with pytest.raises(
        GameTooLarge, match=f"the payoff's matrices have {size} entries as dense blocks; at most {size - 1}"
    ):
        DensePayoff(full.shape, full.groups) @ np.ones(full.shape[1])


def test_matrices_are_made_once_a_precision():
    full = pokerlab.compile("kuhn").A
    matrices = dense.Matrices(full.groups)
    double, single = matrices.of(np.dtype(np.float64)), matrices.of(np.dtype(np.float32))
    assert matrices.of(np.dtype(np.float64)) is double
    assert (double.data.dtype, single.data.dtype) == (np.float64, np.float32)
    assert np.all(np.diff(double.offset) == double.height * double.width)
    large = DensePayoff(full.shape, full.groups)
    assert large.T._matrices is (-large)._matrices is large.astype(np.float32)._matrices
    assert large.T.T is large


def test_small_blocks_are_for_threads_and_large_ones_for_blas(monkeypatch):
    """A block of just `_SMALL` entries is small: as many terminals at once as keep BLAS to one thread."""
    monkeypatch.setattr(dense, "_SMALL", 12)
    monkeypatch.setattr(dense, "_QUIET", 100)
    monkeypatch.setattr(dense, "_ROOM", 30)
    at = np.arange(9, dtype=np.int64)
    groups = [Group(np.ones(shape), at, at, np.ones(9)) for shape in ((3, 4), (1, 2), (13, 1), (4, 3))]
    product = DensePayoff((40, 40), groups).product
    assert product._quiet.tolist() == [0, 1, 3]
    assert product._loud.tolist() == [2]
    assert product.places.chunk.tolist() == [100 // 12, 100 // 2, 30 // 13, 100 // 12]
    assert product._room == 9 * 13  # nine terminals of the second group, each with room for the widest block
    assert product._loud_room == 2 * 13
    assert product._rooms.shape == (2, 26)
    y = np.arange(40.0)
    plain = payoff.Payoff((40, 40), groups)
    assert DensePayoff((40, 40), groups) @ y == pytest.approx(plain @ y)
    monkeypatch.setattr(dense, "_ROOM", 5)
    assert DensePayoff((40, 40), groups).product.places.chunk[2] == 1


def test_work_is_cut_evenly():
    """Terms side by side, each with four entries: all cuts wanted are there, and evenly spread."""
    at = np.arange(0, 64, 2, dtype=np.int64)
    rng = np.random.default_rng(0)
    product = DensePayoff((64, 2), [Group(np.ones((2, 2)), rng.permutation(at), 0 * at, np.ones(32))]).product
    assert product.cuts == list(range(0, 65, 4))
    overlapping = DensePayoff((64, 2), [Group(np.ones((3, 2)), at[:-1], 0 * at[:-1], np.ones(31))]).product
    assert overlapping.cuts == [0, 64]
    shapes = ((2, 60), (2, 2))  # most of the work in the first rows
    heavy = [Group(np.ones(shape), at[i : i + 1], 0 * at[:1], np.ones(1)) for i, shape in enumerate(shapes)]
    assert DensePayoff((64, 62), heavy).product.cuts == [0, 2, 64]
    assert DensePayoff((64, 62), []).product.cuts == [0, 64]


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
