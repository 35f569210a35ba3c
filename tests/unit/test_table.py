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
from imd_widget.data.binning import bin_table
from imd_widget.data.boxes import says_yes, yes_codes
from imd_widget.data.columns import CategoryColumn, Column, OrderedColumn
from imd_widget.data.table import encode, open_table
from imd_widget.data.thresholds import shortest_between, shortest_moment
from imd_widget.rules.conditions import condition
from tests.examples import examples
from tests.unit.strategies import KINDS, column

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
    found, codes = coded(pd.Series(values), max_bins)
    if values.dtype == bool:
        assert found.categories == tuple(np.unique(values).tolist())
        return
    if isinstance(found, CategoryColumn):  # of two whole numbers it is asked which of them it is
        assert found.categories == tuple(np.unique(values)) == tuple(np.rint(found.categories))
        np.testing.assert_array_equal(np.array(found.categories)[codes], values)
        return
    assert (found.thresholds[1:] > found.thresholds[:-1]).all()
    for cut, threshold in enumerate(found.thresholds):
        np.testing.assert_array_equal(codes <= cut, values < threshold)
    if max_bins is None:
        assert found.n_codes == len(np.unique(values))
    else:
        assert found.n_codes <= max_bins


@settings(deadline=None, max_examples=examples(200))
@given(data=st.data(), kind=st.sampled_from(KINDS), max_bins=st.sampled_from([None, 3, 255]))
def test_a_split_says_on_values_what_it_says_on_codes(
    data: st.DataObject, kind: str, max_bins: int | None
) -> None:
    series = data.draw(st.composite(lambda draw: column(draw, kind, draw(st.integers(1, 20))))())
    found, codes = coded(series, max_bins)
    assert codes.max() < found.n_codes
    table = open_table(pd.DataFrame({"x": series}))
    cuts = range(found.n_values - 1)
    for cut in cuts:
        for missing in {False, found.has_missing}:
            allowed = yes_codes(found, cut, missing)
            np.testing.assert_array_equal(
                says_yes(found, codes, cut, missing), condition(found, allowed).mask(table)
            )
            rest = ((1 << found.n_codes) - 1) ^ allowed
            np.testing.assert_array_equal(
                ~says_yes(found, codes, cut, missing), condition(found, rest).mask(table)
            )


def coded(series: pd.Series[Any], max_bins: int | None = 255) -> tuple[Column, Any]:
    """The description of a column on its own, and its codes."""
    table = open_table(pd.DataFrame({"x": series}))
    binned = bin_table(table, np.ones(table.n_rows, bool), max_bins, 200_000, 0)
    (found,), (codes,) = binned.columns, binned.codes
    np.testing.assert_array_equal(encode(table, [found]).codes[0], codes)
    return found, codes


@settings(deadline=None, max_examples=examples(300))
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


def test_codes_of_255_bins_and_missing_fit_in_a_byte() -> None:
    values = np.append(np.linspace(0, 1, 5000), np.nan)
    found, codes = coded(pd.Series(values), 255)
    assert found.n_codes == 256
    assert codes.dtype == np.uint8


def test_bins_hold_about_equal_shares_of_the_rows() -> None:
    rng = np.random.default_rng(0)
    found, codes = coded(pd.Series(rng.lognormal(size=50_000)), 20)
    shares = np.bincount(codes) / 50_000
    assert found.n_codes == 20
    assert np.abs(shares - 0.05).max() < 0.01


def test_float32_is_compared_as_float32() -> None:
    x = np.array([0.7, 0.5], dtype=np.float32)
    X = pd.DataFrame({"x": np.repeat(x, 20)})
    y1 = (X["x"].to_numpy() >= np.float32(0.7)).astype(int)
    d = imd.diff(y1, 1 - y1, X, test_size=0)
    assert d.rules.mask(X).all()
    for rule in imd.diff(y1, 1 - y1, X, test_size=0, method="imd").rules:
        assert len(X.query(rule.to_query())) == rule.support == 20


@pytest.mark.parametrize(
    "X, message",
    [
        (np.zeros(3), "1 dimension"),
        (np.zeros((0, 3)), "0 rows and 3 columns"),
        (np.zeros((3, 0)), "3 rows and 0 columns"),
        (pd.DataFrame(), "0 rows and 0 columns"),
    ],
)
def test_tables_that_are_none(X: Any, message: str) -> None:
    with pytest.raises(imd.InputError, match=message):
        open_table(X)


@pytest.mark.parametrize(
    "values, message",
    [
        ([1j, 2j], r"complex numbers, for example .*real.*imaginary"),
        ([[1], [2]], r"cannot be compared, for example \[1\].*X\.drop\(columns='x'\)"),
        ([{"a": 1}, None], r"cannot be compared, for example \{'a': 1\}"),
    ],
)
def test_columns_that_cannot_be_used(values: Any, message: str) -> None:
    with pytest.raises(imd.InputError, match=message):
        coded(pd.Series(values))


def test_a_table_without_a_column_that_is_needed() -> None:
    table = open_table(pd.DataFrame({"a": [1, 2, 3], "b": [1, 2, 3]}))
    columns = bin_table(table, np.ones(3, bool), 255, None, 0).columns
    with pytest.raises(imd.InputError, match=r"lacks the column 'b'.*It has 'a'"):
        encode(open_table(pd.DataFrame({"a": [1, 2]})), columns)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_grid_finds_what_a_search_finds(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    for raw in (
        rng.normal(size=40_000),
        rng.lognormal(sigma=8, size=40_000),  # most thresholds crowd into one bucket
        np.round(rng.normal(size=40_000), 1),
        np.append(rng.normal(size=39_996), [np.inf, -np.inf, np.finfo(dtype).max, 0.0]),
        np.append(rng.normal(size=39_998), [np.nan, np.nan]),
    ):
        values = raw.astype(dtype)
        found, codes = coded(pd.Series(values))
        assert isinstance(found, OrderedColumn)
        expected = np.searchsorted(found.thresholds, values, side="right")
        expected[np.isnan(values)] = found.n_values
        np.testing.assert_array_equal(codes, expected)


@pytest.mark.parametrize(
    "low, high, expected",
    [
        ("2019-12-31", "2021-03-05", "2021-01-01"),
        ("2021-01-15", "2021-03-05", "2021-03-01"),
        ("2021-03-01", "2021-03-05", "2021-03-05"),
        ("2021-03-01 10:15", "2021-03-01 12:30", "2021-03-01T12:00"),
        ("1965-05-05 00:00:01", "1965-05-05 00:00:03.5", "1965-05-05T00:00:03"),
    ],
)
def test_examples_of_moments(low: str, high: str, expected: str) -> None:
    moments = [np.array([moment], "datetime64[us]") for moment in (low, high, expected)]
    assert shortest_moment(*moments[:2]) == moments[2]


def test_categories_not_seen_are_another_one_and_lie_in_every_is_not() -> None:
    X = pd.DataFrame({"x": ["a"] * 30 + ["b"] * 30 + ["c"] * 30})
    y = (X["x"] == "a").to_numpy(int)
    d = imd.diff(y, y * 0, X, test_size=0)
    assert str(d.rules[0].conditions[0]) == "x is a"
    mirrored = imd.diff(1 - y, y * 0, X, test_size=0)
    assert str(mirrored.rules[0].conditions[0]) == "x is not a"
    new = pd.DataFrame({"x": ["a", "z", None]})
    assert d.predict(new).tolist() == d.rules.mask(new).tolist() == [True, False, False]
    assert (
        mirrored.predict(new).tolist() == mirrored.rules.mask(new).tolist() == [False, True, False]
    )


def test_a_missing_value_where_none_was_foreseen_lies_in_no_rule_about_it() -> None:
    X = pd.DataFrame({"x": np.arange(60.0), "z": np.arange(60) % 2})
    d = imd.diff((X["x"] < 30).to_numpy(int), np.zeros(60, int), X, test_size=0)
    new = pd.DataFrame({"x": [1.0, np.nan, 50.0], "z": [0, 1, 0]})
    assert d.predict(new).tolist() == d.rules.mask(new).tolist() == [True, False, False]
    assert d.tree.predict(new).shape == (3, 2)


def test_rules_speak_in_the_users_own_words() -> None:
    rng = np.random.default_rng(0)
    n = 2000
    X = pd.DataFrame(
        {
            "education": rng.choice(["HS", "Bachelors", "Masters", "PhD"], n),
            "age": rng.integers(18, 80, n),
            "hired": pd.Timestamp("2019-06-01") + pd.to_timedelta(rng.integers(0, 1000, n), "D"),
            "income": np.where(rng.random(n) < 0.2, np.nan, rng.lognormal(10, 1, n)),
            "size": pd.Categorical(rng.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "member": rng.random(n) < 0.5,
        }
    )
    none = np.zeros(n, int)
    asked = {
        "education is one of Masters, PhD": X["education"].isin(["Masters", "PhD"]),
        "age < 42": X["age"] < 42,
        "hired >= 2021-03-01": X["hired"] >= "2021-03-01",
        "income < 30000 or missing": ~(X["income"] >= 30000),
        "size is one of S, M": X["size"] < "L",
        "member is True": X["member"],
        "income is missing": X["income"].isna(),
    }
    for text, inside in asked.items():
        d = imd.diff(2 * inside.to_numpy(int), none, X, test_size=0, max_bins=None)
        shown = [str(rule.conditions[0]) for rule in d.rules]
        if text.startswith("income <"):  # the roundest number in the gap is as good as 30000
            assert len(shown) == 1
            assert shown[0].endswith(" or missing")
        else:
            assert shown == [text]
        np.testing.assert_array_equal(d.predict(X), inside)


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
def test_other_tables_give_the_same_rules(kind: str) -> None:
    rng = np.random.default_rng(0)
    n = 400
    X = pd.DataFrame(
        {
            "number": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n).round(2)),
            "whole": rng.integers(0, 9, n),
            "word": rng.choice(["a", "b", "c"], n),
            "flag": rng.random(n) < 0.5,
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 90, n), "D"),
        }
    )
    y1 = ((X["number"] > 0) & (X["word"] == "a") | (X["day"] < "2020-02-01")).to_numpy(int)
    y2 = ((X["number"] > 0.3) & X["flag"] | (X["whole"] > 6)).to_numpy(int)
    other = other_table(kind, X)
    d, theirs = imd.diff(y1, y2, X), imd.diff(y1, y2, other)
    assert d.rules
    assert list(map(str, d.rules)) == list(map(str, theirs.rules))
    np.testing.assert_array_equal(d.predict(X), theirs.predict(other))
    np.testing.assert_array_equal(d.rules.mask(X), theirs.rules.mask(other))
    chosen = theirs.table.rows(theirs.predict(other))
    assert type(chosen) is type(other)
    assert len(chosen) == d.predict(X).sum()


def other_table(kind: str, X: pd.DataFrame) -> Any:
    if kind == "polars":
        import polars as pl

        return pl.DataFrame({name: X[name].tolist() for name in X.columns}, strict=False)
    import pyarrow as pa

    return pa.Table.from_pandas(X)


def test_names_that_are_not_unique_or_not_text() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(300, 4)), columns=["a", "a", 3, ("b", 1)])
    for position in range(4):
        y = (X.iloc[:, position] < 0).to_numpy(int)
        d = imd.diff(y, y * 0, X, test_size=0)
        np.testing.assert_array_equal(d.predict(X), y == 1)
        np.testing.assert_array_equal(d.rules.mask(X), y == 1)
        assert None in [one["query"] for one in d.to_dict()["conditions"]]
    y = (X.iloc[:, 1] < 0).to_numpy(int)
    with pytest.raises(imd.InputError, match="more than one column called 'a'"):
        imd.diff(y, y * 0, X, test_size=0).rules[0].to_query()


def test_thousands_of_categories_and_of_columns() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5000, 20_000)
    X = pd.DataFrame({"city": np.char.add("c", codes.astype(str))})
    y = (codes == 17).astype(int)
    y[codes == 23] = 1
    d = imd.diff(y, y * 0, X, test_size=0, min_samples_leaf=1, rule_cost=0)
    assert d.metrics.f1 == 1
    wide = pd.DataFrame(rng.normal(size=(200, 2000))).rename(columns=str)
    y = (wide["1999"] > 0).to_numpy(int)
    assert imd.diff(y, y * 0, wide, test_size=0).metrics.f1 > 0.95


def test_constant_columns_and_tables() -> None:
    X = pd.DataFrame({"a": [1.0] * 50, "b": ["x"] * 50, "c": [None] * 50})
    y = np.arange(50) % 2
    d = imd.diff(y, y * 0, X, test_size=0)
    assert d.tree.or_nodes == ("r",)


def test_every_third_row_does_not_stand_for_all() -> None:
    """As many rows as make a sample of each third one fall on the same value."""
    X = pd.DataFrame({"k": np.arange(300_000) % 3})
    d = imd.diff(lambda t: t["k"] > 0, lambda t: t["k"] > 1, X, test_size=0)
    assert [str(c) for rule in d.rules for c in rule.conditions] == ["k is 1"]
    assert d.metrics.f1 == 1


def hours(n_rows: int) -> pd.DataFrame:
    """A row an hour, in the order of time."""
    hour = np.arange(n_rows) % 24
    noise = np.random.default_rng(0).normal(size=n_rows)
    return pd.DataFrame({"hour": hour, "load": 50 + 30 * np.sin(hour / 12 * np.pi) + noise})


@pytest.mark.parametrize("subsample", [100, 200])
def test_rows_with_a_rhythm_give_the_same_as_shuffled_ones(subsample: int) -> None:
    """Of 2,400 rows a sample of 100 is one of 24: each row of it would be the same hour."""
    X = hours(2400)
    ways = {
        "time": X,
        "backwards": X[::-1],
        "by hour": X.sort_values("hour", kind="stable"),
        "by load": X.sort_values("load"),
        "shuffled": X.sample(frac=1, random_state=0),
    }
    f1 = {}
    for way, table in ways.items():
        d = imd.diff(
            lambda t: t["load"] > 60,
            lambda t: t["load"] > 72,
            table,
            holdout=X,
            subsample=subsample,
        )
        f1[way] = d.metrics.f1
    assert min(f1.values()) > 0.9
    assert max(f1.values()) - min(f1.values()) < 0.08


def test_two_kinds_of_rows_in_turn() -> None:
    x = np.random.default_rng(0).normal(size=400)
    X = pd.DataFrame({"x": np.where(np.arange(400) % 4, x, 100 + x)})
    d = imd.diff(lambda t: t["x"] > 0, lambda t: t["x"] > 1, X, subsample=100, test_size=0)
    assert d.metrics.f1 > 0.9


def test_up_to_the_size_of_the_sample_the_order_of_rows_means_nothing() -> None:
    X = hours(500)
    y1, y2 = X["load"] > 60, X["load"] > 72
    shuffled = np.random.default_rng(1).permutation(500)
    expected = imd.diff(y1, y2, X, test_size=0, subsample=None, max_bins=20)
    for subsample in (500, 501, 200_000):
        for rows in (slice(None), slice(None, None, -1), shuffled):
            d = imd.diff(
                y1.iloc[rows],
                y2.iloc[rows],
                X.iloc[rows],
                test_size=0,
                subsample=subsample,
                max_bins=20,
            )
            assert d.rules == expected.rules
    one_less = imd.diff(y1, y2, X, test_size=0, subsample=499, max_bins=20)
    assert not np.array_equal(
        one_less.tree.columns[1].thresholds, expected.tree.columns[1].thresholds
    )


def test_the_sample_is_of_rows_that_have_a_value_and_are_fitted_on() -> None:
    """300 rows have a value, so all of them are looked at: thresholds lie between them all."""
    values = np.full(1000, np.nan)
    values[::3][:300] = np.arange(300.0) ** 2
    table = open_table(pd.DataFrame({"x": values}))
    fit_rows = np.ones(1000, bool)
    (every,) = bin_table(table, fit_rows, 20, None, 0).columns
    (some,) = bin_table(table, fit_rows, 20, 300, 0).columns
    np.testing.assert_array_equal(some.thresholds, every.thresholds)
    fit_rows[::6] = False
    (fewer,) = bin_table(table, fit_rows, None, 2, 0).columns
    assert len(fewer.thresholds) == 149, "without bins every value counts"


def test_another_seed_is_another_sample_and_the_same_one_the_same() -> None:
    table = open_table(hours(1000))
    found = [
        bin_table(table, np.ones(1000, bool), 255, 100, seed).columns[1].thresholds
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])


@pytest.mark.parametrize("subsample", [1, 0, -5, 2.5, "all", True])
def test_samples_that_are_none(subsample: Any) -> None:
    X = hours(100)
    with pytest.raises(imd.InputError, match="subsample="):
        imd.diff(X["load"] > 60, X["load"] > 72, X, subsample=subsample)


@settings(deadline=None)
@given(n_rows=st.integers(1, 60), most=st.integers(1, 60), seed=st.integers(0, 9), data=st.data())
def test_a_sample_is_those_rows_whose_hash_is_smallest(
    n_rows: int, most: int, seed: int, data: st.DataObject
) -> None:
    from imd_widget.data.sampling import hashed, sampled

    rows = np.array(sorted(data.draw(st.sets(st.integers(0, n_rows - 1)))), dtype=np.intp)
    numbers = hashed(n_rows, seed)
    naive = sorted(sorted(rows.tolist(), key=lambda row: int(numbers[row]))[:most])
    assert sampled(rows, numbers, most).tolist() == naive


@pytest.mark.parametrize("missing", [False, True])
def test_infinity_in_the_shortest_floats(missing: bool) -> None:
    rng = np.random.default_rng(44)
    values = rng.normal(size=20_000).astype(np.float16)
    values[rng.random(20_000) < 0.05] = np.inf
    values[rng.random(20_000) < 0.05] = -np.inf
    y1 = (values > 0).astype(int)
    y2 = np.where(values == np.inf, 0, y1)
    if missing:
        values[rng.random(20_000) < 0.05] = np.nan
    X = pd.DataFrame({"v": values})
    d = imd.diff(y1, y2, X, test_size=0)
    assert [len(rule.conditions) for rule in d.rules] == [1]
    np.testing.assert_array_equal(d.rules.mask(X), values == np.inf)
    np.testing.assert_array_equal(d.predict(X), values == np.inf)


def described(series: pd.Series[Any]) -> Column:
    """The column as a diff describes it."""
    nothing = np.zeros(len(series), int)
    return imd.diff(nothing, nothing, pd.DataFrame({"x": series}), test_size=0).tree.columns[0]


def test_numbers_that_span_more_than_the_largest_float() -> None:
    rng = np.random.default_rng(0)
    values = rng.choice([-1e308, 1e308], 20_000) * (1 + 0.7 * rng.random(20_000))
    X = pd.DataFrame({"v": values})
    d = imd.diff(values > 0, values > 1.2e308, X)
    assert d.metrics.f1 > 0.9
    np.testing.assert_array_equal(d.rules.mask(X), d.predict(X))


@pytest.mark.filterwarnings("ignore:the column 'x' holds a different value")
def test_of_too_many_categories_the_same_are_kept_whatever_the_order_of_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from imd_widget.data import summaries as module

    monkeypatch.setattr(module, "MAX_CATEGORIES", 50)
    names = [f"id{k:03}" for k in range(80)]
    kept = [described(pd.Series(order * 2)).categories for order in (names, names[::-1])]
    assert kept[0] == kept[1] == tuple(names[:50])
    often = described(pd.Series([*names[::-1], "id079"])).categories
    assert often == (*names[:49], "id079"), "the frequent ones first"


@pytest.mark.parametrize("values", [[True, 1], [1.0, True, 1], [0.0, False, "x", 0]])
def test_equal_values_of_several_types_are_one_whatever_the_order_of_rows(
    values: list[Any],
) -> None:
    own = pd.Series(values, dtype=object)
    found = described(own)
    assert [type(value) for value in found.categories if value != "x"] == [int]
    assert list(map(repr, found.categories)) == list(map(repr, described(own[::-1]).categories))
    assert len(set(found.encode(own)[:2].tolist())) == 1


@pytest.mark.parametrize("first", [1.0, 1, np.float32(1), None])
def test_whole_floats_beside_integers_are_read_alike_in_any_order(first: Any) -> None:
    values = pd.Series([first, *([1, 2.0, 6, 9.0] * 10)], dtype=object)
    y = np.array([value == 9 for value in values])
    for order in (slice(None), slice(None, None, -1)):
        d = imd.diff(y[order], y * 0, pd.DataFrame({"x": values[order]}), test_size=0)
        assert str(d.rules[0].conditions[0]) == "x >= 8"
        assert d.tree.columns[0].thresholds.dtype == float
