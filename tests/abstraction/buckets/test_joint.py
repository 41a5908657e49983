"""Matrices of two players' buckets, against looking at every pair of holes."""

import numpy as np
import pytest

from pokerlab.abstraction.buckets import joint
from pokerlab.abstraction.buckets.joint_kernels import SIGN, add_boards, add_river
from pokerlab.abstraction.buckets.kernels import KEYS, Lookup
from pokerlab.abstraction.buckets.lookup import CardAbstraction, suits_of
from pokerlab.abstraction.buckets.spec import parse_spec
from pokerlab.cards.evaluator import board_values, ranked_holes, tables
from pokerlab.cards.holes import HOLES
from pokerlab.cards.isomorphism import canonical_boards
from pokerlab.errors import AbstractionError, ImperfectRecall

DISJOINT = ~(HOLES[:, None, :, None] == HOLES[None, :, None, :]).any(axis=(2, 3))


def naive_pairs(values, mine, theirs, shape):
    """Pairs of holes and wins less losses, by looking at all pairs."""
    pairs, sign = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    live = values > 0
    meet = DISJOINT & live[:, None] & live[None, :]
    first, second = np.nonzero(meet)
    np.add.at(pairs, (mine[first], theirs[second]), 1)
    np.add.at(sign, (mine[first], theirs[second]), np.sign(values[first].astype(int) - values[second]))
    return pairs, sign


@pytest.mark.parametrize("seed", range(3))
def test_one_board(seed):
    rng = np.random.default_rng(seed)
    board = rng.permutation(52)[:5] if seed else np.array([0, 1, 4, 5, 8])
    values, (order, _) = board_values(board), ranked_holes(board)
    mine, theirs = rng.integers(0, 7, 1326), rng.integers(0, 11, 1326)
    packed = np.zeros((7, 11), np.int64)
    scratch = (
        np.zeros((3, 11), np.int64),
        np.zeros(11, np.int64),
        np.empty((52, 52, 3), np.int32),
        np.zeros(52, np.int64),
    )
    add_river(values, order, len(order), HOLES, mine, theirs, 11, packed, *scratch)
    pairs, sign = naive_pairs(values, mine, theirs, (7, 11))
    met = packed & (SIGN - 1)
    assert np.array_equal(met, pairs)
    assert np.array_equal((packed - met) >> 32, sign)


def by_strength(cuts):
    """Buckets that only tell strengths on the river apart: one bucket on every street before."""
    one = np.zeros(1, np.uint32)
    keys = np.array([cuts], np.int32) * KEYS
    turn = np.zeros(55_190_538, np.uint32)  # never touched but by reading: costs no memory
    lookup = Lookup(np.array([True]), one, one, turn, np.zeros(1, np.int32), keys, np.zeros(1326, np.int16))
    children = len(cuts) + 1
    parents = (np.zeros(1, np.int32), np.zeros(1, np.int32), np.zeros(children, np.int32))
    spec = parse_spec(f"percentile:1/percentile:1/percentile:1/percentile:{children}")
    return CardAbstraction(spec, (1, 1, 1, children), lookup, parents, ())


def test_all_rivers_after_a_turn():
    ours, yours = by_strength([300, 900, 1500]), by_strength([1000])
    board = canonical_boards((3, 1)).cards[[40_000]]
    joint, signs = np.zeros((4, 2)), np.zeros((4, 2))
    add_boards(
        tables(), HOLES, ours.lookup, suits_of(True), yours.lookup, suits_of(True), np.array([4, 2]), board,
        np.array([3]), joint, signs,
    )  # fmt: skip
    expected, expected_signs = np.zeros((4, 2)), np.zeros((4, 2))
    for card in range(52):
        if card in board[0]:
            continue
        values = board_values([*board[0].tolist(), card])
        order, ranked = ranked_holes([*board[0].tolist(), card])
        beats = DISJOINT[np.ix_(order, order)] * (np.sign(ranked[:, None].astype(int) - ranked) + 1)
        strength = np.zeros(1326, int)
        strength[order] = beats.sum(axis=1)
        pairs, sign = naive_pairs(
            values, np.searchsorted([300, 900, 1500], strength, "right"), (strength >= 1000).astype(int), (4, 2)
        )
        expected += 3 * pairs
        expected_signs += 3 * sign
    assert np.array_equal(joint, expected)
    assert np.array_equal(signs, expected_signs)


def test_deals_of_a_sample(tmp_path, monkeypatch):
    """They add up as probabilities must, are the same whoever is first, and are kept."""
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    ours, yours = by_strength([300, 900, 1500]), by_strength([1000])
    deals = joint.bucket_deals(ours, yours, boards=64, seed=5)
    assert deals.joint[0].shape == (1, 1)
    assert deals.joint[3].shape == (4, 2)
    assert "64 turns sampled" in deals.name
    other = joint.bucket_deals(yours, ours, boards=64, seed=5)
    assert np.allclose(deals.joint[3], other.joint[3].T, atol=1e-15)
    assert np.allclose(deals.showdown, -other.showdown.T, atol=1e-15)
    monkeypatch.setattr(joint, "count_pairs", None)
    assert joint.bucket_deals(ours, yours, boards=64, seed=5).digest == deals.digest


def test_folds_of_samples(tmp_path, monkeypatch):
    """A fold and the rest are the whole, folds are four different ones, and the whole is what both samples count."""
    monkeypatch.setenv("POKERLAB_CACHE", str(tmp_path))
    ours, yours = by_strength([300, 900, 1500]), by_strength([1000])
    whole, folds = joint.sampled_folds(ours, yours, boards=64, seeds=(5, 6))
    assert "128 turns sampled" in whole.name
    samples = [joint.bucket_deals(ours, yours, boards=64, seed=seed) for seed in (5, 6)]
    assert np.allclose(whole.joint[3], (samples[0].joint[3] + samples[1].joint[3]) / 2, atol=1e-15)
    assert np.allclose(whole.showdown, (samples[0].showdown + samples[1].showdown) / 2, atol=1e-15)
    pairs = list(folds)
    assert len({left_out.digest for _, left_out in pairs}) == 4
    for rest, left_out in pairs:
        assert np.allclose(0.75 * rest.joint[3] + 0.25 * left_out.joint[3], whole.joint[3], atol=1e-15)
        assert np.allclose(0.75 * rest.showdown + 0.25 * left_out.showdown, whole.showdown, atol=1e-15)
        assert rest.joint[3].sum() == pytest.approx(1.0)


def test_what_has_no_matrices():
    forgetful = CardAbstraction(parse_spec("169/fixed:2/fixed:2/fixed:2", perfect_recall=False), (1,) * 4, None, (), ())
    with pytest.raises(ImperfectRecall, match="forget their past"):
        joint.bucket_deals(forgetful)
    with pytest.raises(AbstractionError, match="at least 2 boards"):
        joint.bucket_deals(by_strength([1000]), boards=1)
