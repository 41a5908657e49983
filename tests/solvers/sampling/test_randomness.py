"""The generator of the kernels against its authors' program on Python's integers, and random rounding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from naive_sampling import Xoshiro
from pokerlab.solvers.sampling.randomness import below, next_word, streams, to_single, uniform


@given(st.integers(0, 2**64 - 1))
def test_words_are_those_of_the_paper(seed):
    state = streams(seed, 2)
    twin = Xoshiro(state[1])
    assert [int(next_word(state[1])) for _ in range(20)] == [twin.word() for _ in range(20)]
    assert [uniform(state[1]) for _ in range(5)] == [twin.uniform() for _ in range(5)]


def test_known_words():
    """The first outputs of xoshiro256++ from state 1, 2, 3, 4."""
    state = np.array([1, 2, 3, 4], dtype=np.uint64)
    assert [int(next_word(state)) for _ in range(4)] == [41943041, 58720359, 3588806011781223, 3591011842654386]


def test_streams_differ_and_repeat():
    assert np.array_equal(streams(5, 4), streams(5, 4))
    assert len({*streams(5, 4).ravel().tolist(), *streams(6, 4).ravel().tolist()}) == 32


def test_uniform_and_below_are_uniform():
    state = streams(1, 1)[0]
    drawn = np.array([uniform(state) for _ in range(20_000)])
    assert 0 <= drawn.min() < drawn.max() < 1
    assert drawn.mean() == pytest.approx(0.5, abs=0.01)
    counts = np.bincount([below(state, 7) for _ in range(14_000)], minlength=7)
    assert len(counts) == 7
    assert counts.min() > 1800


@pytest.mark.parametrize("value", [1.0, 0.1, -123.4567, 2.0**24 + 0.25, 1e30, -1e-20, 0.0])
def test_rounding_is_to_a_neighbour_and_right_on_average(value):
    state = streams(2, 1)[0]
    rounded = np.array([to_single(value, state) for _ in range(4000)])
    assert np.array_equal(rounded, rounded.astype(np.float32))
    nearest = np.float32(value)
    neighbours = {np.nextafter(nearest, np.float32(-np.inf)), nearest, np.nextafter(nearest, np.float32(np.inf))}
    assert {*rounded.astype(np.float32).tolist()} <= {float(n) for n in neighbours}
    step = float(np.nextafter(np.abs(nearest), np.float32(np.inf)) - np.abs(nearest))
    assert rounded.mean() == pytest.approx(value, abs=0.05 * step)


def test_a_sum_of_small_addends_goes_on_growing():
    state, total = streams(3, 1)[0], np.float32(2**25)
    for _ in range(40_000):
        total = np.float32(to_single(float(total) + 0.5, state))
    assert total - 2**25 == pytest.approx(20_000, rel=0.05)
    assert np.float32(2**25) + np.float32(0.5) == np.float32(2**25)  # as it would not otherwise
