"""Encoding: a code says exactly what the threshold says, and thresholds are short."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import imd_widget as imd
from imd_widget.table import as_frame, encode, find_columns, shortest_between

dtypes = st.sampled_from(["float64", "float32", "int64", "int8", "uint8", "uint64", "bool"])


@st.composite
def values(draw: st.DrawFn) -> np.ndarray[Any, Any]:
    dtype = np.dtype(draw(dtypes))
    elements = {"allow_nan": False, "allow_infinity": False} if dtype.kind == "f" else {}
    return draw(hnp.arrays(dtype, st.integers(1, 40), elements=elements))


def digits(number: float | int) -> int:
    """Significant digits of the shortest text that means this number."""
    return len(Decimal(repr(number)).normalize().as_tuple().digits)


def naive_shortest(low: float, high: float) -> Fraction | None:
    """The coarsest multiple of a power of ten in (low, high], found by exact arithmetic."""
    a, b = Fraction(low), Fraction(high)
    if a < 0 <= b:
        return Fraction(0)
    for exponent in range(20, -20, -1):
        unit = Fraction(10) ** exponent
        multiples = (k * unit for k in range(a // unit + 1, min(a // unit + 12, b // unit + 1)))
        if any(low < type(low)(multiple) <= high for multiple in multiples):
            return unit
    return None


@settings(deadline=None)
@given(values=values(), max_bins=st.sampled_from([None, 2, 3, 10, 255]))
def test_a_code_is_at_most_the_cut_iff_the_value_is_below_the_threshold(
    values: np.ndarray[Any, Any], max_bins: int | None
) -> None:
    frame = pd.DataFrame({"x": values})
    (column,) = find_columns(frame, max_bins)
    (codes,) = encode(frame, [column]).codes
    assert (np.diff(column.thresholds) > 0).all()
    for cut, threshold in enumerate(column.thresholds):
        np.testing.assert_array_equal(codes <= cut, values < threshold)
    if max_bins is None:
        assert column.n_codes == len(np.unique(values))
    else:
        assert column.n_codes <= max_bins


@settings(deadline=None, max_examples=300)
@given(pair=st.tuples(*[st.floats(-1e12, 1e12)] * 2).filter(lambda p: p[0] < p[1]))
def test_floats_get_the_shortest_decimal_between(pair: tuple[float, float]) -> None:
    low, high = pair
    (found,) = shortest_between(np.array([low]), np.array([high]))
    assert low < found <= high
    unit = naive_shortest(low, high)
    if unit is None or (high - low) < abs(high) * 1e-14:
        return  # neighbours to the last bit: any float between will do
    exact = Fraction(repr(float(found)))
    assert exact % unit == 0 if unit else exact == 0


@given(pair=st.tuples(*[st.integers(-(2**62), 2**62)] * 2).filter(lambda p: p[0] < p[1]))
def test_integers_get_the_roundest_integer_between(pair: tuple[int, int]) -> None:
    low, high = pair
    (found,) = shortest_between(np.array([low]), np.array([high]))
    assert low < found <= high
    unit = naive_shortest(low, high)
    assert int(found) % int(unit) == 0 if unit else found == 0


@pytest.mark.parametrize(
    "low, high, dtype, expected",
    [
        (41.0, 42.5, float, "42.0"),
        (0.1230, 0.1238, float, "0.1234"),
        (115.9, 116.05, float, "116.0"),
        (-3.0, 2.0, float, "0.0"),
        (0.1, np.nextafter(0.1, 1), float, repr(float(np.nextafter(0.1, 1)))),
        (5e-324, 1e-323, float, "1e-323"),
        (1e300, 3e300, float, "2e+300"),
        (0.6, 0.75, np.float32, "0.7"),
        (-5, -3, int, "-4"),
        (120, 127, np.int8, "123"),
        (18, 42, int, "30"),
    ],
)
def test_examples_of_thresholds(low: Any, high: Any, dtype: Any, expected: str) -> None:
    (found,) = shortest_between(np.array([low], dtype), np.array([high], dtype))
    assert str(found) == expected


def test_bins_hold_about_equal_shares_of_the_rows() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.lognormal(size=50_000)})
    (column,) = find_columns(frame, 20)
    shares = np.bincount(encode(frame, [column]).codes[0]) / len(frame)
    assert column.n_codes == 20
    assert np.abs(shares - 0.05).max() < 0.01


def test_float32_is_compared_as_float32() -> None:
    x = np.array([0.7, 0.5], dtype=np.float32)
    X = pd.DataFrame({"x": np.repeat(x, 20)})
    y1 = (X["x"].to_numpy() >= np.float32(0.7)).astype(int)
    d = imd.diff(y1, 1 - y1, X, test_size=0)
    assert d.rules.mask(X).all()
    for rule in d.rules:
        assert len(X.query(rule.to_query())) == rule.support == 20


@pytest.mark.parametrize(
    "X, message",
    [
        (np.zeros(3), "1 dimension"),
        (np.zeros((0, 3)), "0 rows and 3 columns"),
        (np.zeros((3, 0)), "3 rows and 0 columns"),
        (pd.DataFrame(), "0 rows and 0 columns"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "more than one column called 'a'"),
    ],
)
def test_tables_that_are_none(X: Any, message: str) -> None:
    with pytest.raises(imd.InputError, match=message):
        as_frame(X)


@pytest.mark.parametrize(
    "column, message",
    [
        (["a", "b"], "holds .*, for example 'a'.*get_dummies"),
        ([1.0, np.nan], "1 missing or infinite value.*row 1"),
        ([np.inf, 1.0], "1 missing or infinite value.*row 0"),
        ([1j, 2j], "complex"),
        ([[1], [2]], "object"),
    ],
)
def test_columns_that_are_not_numbers(column: Any, message: str) -> None:
    frame = pd.DataFrame({"x": column})
    with pytest.raises(imd.InputError, match=message):
        find_columns(frame, 255)


def test_a_table_without_a_column_that_is_needed() -> None:
    X = pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]})
    columns = find_columns(X, 255)
    with pytest.raises(imd.InputError, match=r"lacks the column.*'b'"):
        encode(X[["a"]], columns)
