"""Lanes do what numpy does."""

import numpy as np
from numba import njit

from pokerlab.refine.spots.lanes import (
    LANES,
    aligned,
    columns_of_rows,
    lanes_of,
    larger,
    load,
    rows_of_columns,
    splat,
    store,
    where_positive,
)


@njit
def formula(a, b, out, number):
    for i in range(0, len(a), LANES):
        x, y = load(a, i), load(b, i)
        store(out, i, where_positive(x - y, (x + y) * splat(number), larger(x, y) / splat(number)))


@njit
def there_and_back(table, rows, first, width, panel, again):
    for i in range(0, width, LANES):
        columns_of_rows(panel, i * LANES, table, rows, first, width, i)
    for i in range(0, width, LANES):
        rows_of_columns(panel, i * LANES, again, rows, first, width, i)


def test_arithmetic():
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=5 * LANES).astype(np.float32) for _ in range(2))
    b[::7] = a[::7]
    out = aligned(5 * LANES)
    formula(a, b, out, np.float32(3))
    np.testing.assert_allclose(out, np.where(a > b, (a + b) * 3, np.maximum(a, b) / 3), rtol=1e-6)


def test_double_precision():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 3 * LANES))
    out = aligned(3 * LANES, dtype=np.float64)
    for first in range(0, 3 * LANES, LANES):  # a vector is half as many numbers
        part = slice(first, first + LANES)
        formula(a[part], b[part], out[part], 3.0)
    wanted = np.where(a > b, (a + b) * 3, np.maximum(a, b) / 3).reshape(-1, LANES)
    lanes = lanes_of(np.float64)
    np.testing.assert_allclose(out.reshape(-1, LANES)[:, :lanes], wanted[:, :lanes], rtol=1e-15)
    assert lanes == 8
    assert not out.reshape(-1, LANES)[:, lanes:].any()


def test_rows_as_columns():
    rng = np.random.default_rng(1)
    width, count = 3 * LANES, 40
    table = rng.normal(size=(count, width)).astype(np.float32)
    rows = rng.permutation(count).astype(np.int32)
    panel, again = aligned(width, LANES), aligned(count, width)
    there_and_back(table.ravel(), rows, 5, width, panel.reshape(-1), again.reshape(-1))
    named = rows[5 : 5 + LANES]
    np.testing.assert_array_equal(panel, table[named].T)
    np.testing.assert_array_equal(again[named], table[named])
    assert not np.delete(again, named, axis=0).any()


def test_alignment():
    for shape in ((16,), (3, 48), (0,)):
        array = aligned(*shape)
        assert array.shape == shape
        assert array.dtype == np.float32
        assert array.ctypes.data % 64 == 0 or not array.size
        assert not array.any()
