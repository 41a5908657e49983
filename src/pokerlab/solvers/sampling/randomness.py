"""A small random generator for kernels: xoshiro256++ (Blackman and Vigna 2019), its state four words of an array.

Numba's own generator is one a thread and hidden; a state that is passed in can be saved, so that a resumed run goes on
with the very numbers that it would have drawn.
"""

from __future__ import annotations

import numpy as np

from pokerlab.compiled import njit

_ROTATE_A, _ROTATE_B, _SHIFT, _UPPER = np.uint64(23), np.uint64(45), np.uint64(17), np.uint64(11)
_WORD = np.uint64(64)
_ULP = 1.0 / 9007199254740992.0  # 2 ** -53
_LOST_BITS = np.uint64((1 << 29) - 1)  # of a double's fraction that a single has no room for


def streams(seed: int, count: int) -> np.ndarray:
    """The states [count, 4] of independent generators: same seed, same streams."""
    return np.random.SeedSequence(seed).generate_state(4 * count, np.uint64).reshape(count, 4)


@njit(cache=True, nogil=True, inline="always")
def next_word(state: np.ndarray) -> np.uint64:
    """The next 64 random bits."""
    s0, s1, s2, s3 = state[0], state[1], state[2], state[3]
    word = s0 + s3
    word = ((word << _ROTATE_A) | (word >> (_WORD - _ROTATE_A))) + s0
    state[1] = s1 ^ s2 ^ s0
    state[0] = s0 ^ s3 ^ s1
    state[2] = s2 ^ s0 ^ (s1 << _SHIFT)
    s3 ^= s1
    state[3] = (s3 << _ROTATE_B) | (s3 >> (_WORD - _ROTATE_B))
    return word


@njit(cache=True, nogil=True, inline="always")
def uniform(state: np.ndarray) -> float:
    """A number in [0, 1)."""
    return (next_word(state) >> _UPPER) * _ULP


@njit(cache=True, nogil=True, inline="always")
def below(state: np.ndarray, n: int) -> int:
    """A whole number in 0 .. n - 1, for n far below 2 ** 53."""
    return int(uniform(state) * n)


@njit(cache=True, nogil=True, inline="always")
def to_single(value: float, state: np.ndarray) -> float:
    """The single-precision number above or below `value`, at random so that the mean is `value`.

    Rounding to the nearest would lose every addend below half a unit in the last place: a sum of ones would stop
    growing at 2 ** 24.
    """
    bits = np.float64(value).view(np.uint64) + (next_word(state) & _LOST_BITS)
    return np.uint64(bits & ~_LOST_BITS).view(np.float64)
