"""Columns of every library: the same rules, read as a whole and not value by value."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import imd_widget as imd
from imd_widget.data.table import open_table

RNG = np.random.default_rng(0)
N = 400
CODES = RNG.integers(0, 10, N)
Y1, Y2 = (CODES > 4).astype(int), (CODES > 6).astype(int)


def arrow_table(n_rows: int = 2000) -> pd.DataFrame:
    """Text, moments, numbers, flags, dates and durations of Arrow, some of them missing."""
    rng = np.random.default_rng(0)
    k = rng.integers(0, 50, n_rows)
    word = np.array([f"w{j % 7}" for j in range(50)], dtype=object)[k]
    word[k == 3] = None
    plain = pd.DataFrame(
        {
            "word": word,
            "moment": pd.Timestamp("2020-01-01") + pd.to_timedelta(k, "h"),
            "whole": pd.array(np.where(k == 4, None, k), dtype="Int64"),
            "number": rng.normal(size=n_rows),
            "flag": k % 2 == 0,
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(k, "D"),
            "wait": pd.to_timedelta(k, "min"),
        }
    )
    kinds = (
        pa.string(),
        pa.timestamp("us"),
        pa.int64(),
        pa.float64(),
        pa.bool_(),
        pa.date32(),
        pa.duration("us"),
    )
    return plain.astype(dict(zip(plain.columns, map(pd.ArrowDtype, kinds), strict=True)))


class Count:
    """Counts the values that pandas turns into Python objects one by one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.values = 0
        for owner, name in (
            (pd.Series, "tolist"),
            (pd.Series, "to_list"),
            (pd.Series, "__iter__"),
            (pd.arrays.ArrowExtensionArray, "__iter__"),
            (pd.arrays.ArrowExtensionArray, "tolist"),
        ):
            if hasattr(owner, name):
                monkeypatch.setattr(owner, name, self._counting(getattr(owner, name)))
        astype = pd.Series.astype

        def counted(series: pd.Series[Any], dtype: Any, *rest: Any, **named: Any) -> Any:
            self.values += len(series) if dtype in (object, "object") else 0
            return astype(series, dtype, *rest, **named)

        monkeypatch.setattr(pd.Series, "astype", counted)

    def _counting(self, method: Any) -> Any:
        def counted(own: Any, *arguments: Any) -> Any:
            self.values += len(own)
            return method(own, *arguments)

        return counted


def test_columns_of_arrow_dtypes_are_not_converted_value_by_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = arrow_table()
    a = (X["number"] > 0).to_numpy(int)
    inside = (X["moment"] > pd.Timestamp("2020-01-02")).to_numpy(bool) & X["word"].isin(
        ["w1", "w2"]
    ).to_numpy(bool)
    m1, m2 = (lambda _: a), (lambda _: np.where(inside, 1 - a, a))
    expected = imd.diff(m1, m2, X, derive=None)
    assert {c.column for rule in expected.rules for c in rule.conditions} >= {"word"}
    count = Count(monkeypatch)
    d = imd.diff(m1, m2, X, derive=None)
    assert d.rules == expected.rules
    d.rules.mask(X)
    d.predict(X)
    for rule in d.rules:
        rule.mask(X)
    d.tree.predict(X)
    # what is left are outputs, labels and other lists of a few values
    assert count.values < len(X) / 2


def test_arrow_dtypes_say_what_numpy_dtypes_say() -> None:
    X = arrow_table()
    plain = pd.DataFrame(
        {
            "word": X["word"].astype(object).where(X["word"].notna(), None),
            "moment": X["moment"].astype("datetime64[us]"),
            "whole": X["whole"].astype("Int64"),
            "number": X["number"].astype(float),
            "flag": X["flag"].astype(bool),
            "day": pd.to_datetime(X["day"].astype(object)),
            "wait": X["wait"].astype("timedelta64[us]"),
        }
    )
    for column in X.columns:
        y = pd.factorize(plain[column], sort=True)[0] % 3 == 1
        if column == "number":
            y = plain[column] > 1
        both = [
            imd.diff(lambda _: y, lambda _: y & False, table[[column]], max_depth=8)  # noqa: B023
            for table in (X, plain)
        ]
        ours, theirs = both
        assert list(map(str, ours.rules)) == list(map(str, theirs.rules))
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(plain))


def test_a_question_converts_no_column_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule set asks about a column once for each condition, and reads it once."""
    import imd_widget.data.table as module

    X = arrow_table()
    y = X["whole"].fillna(-1).to_numpy(dtype=int)
    d = imd.diff((y // 5) % 2, np.zeros(len(X), int), X[["whole", "number"]], test_size=0)
    assert sum(len(rule.conditions) for rule in d.rules) > 2
    read: list[int] = []
    pandas_column = module.pandas_column

    def counted(frame: pd.DataFrame, position: int) -> Any:
        read.append(position)
        return pandas_column(frame, position)

    monkeypatch.setattr(module, "pandas_column", counted)
    d.rules.mask(X)
    assert sorted(read) == sorted(set(read))


@pytest.mark.parametrize("dtype", [float, int, "u1", bool, "f4", object])
def test_what_a_masked_array_hides_is_missing(dtype: Any) -> None:
    values = (CODES > 4 if dtype is bool else CODES).astype(dtype)
    hidden = CODES == 5
    M = np.ma.array(np.stack([values, values], axis=1), mask=np.stack([hidden, hidden * 0], axis=1))
    inside = (lambda _: hidden), (lambda _: hidden & False)
    d = imd.diff(*inside, M[:, :1], test_size=0)
    assert str(d.rules[0]).startswith("x0 is missing")
    np.testing.assert_array_equal(d.rules.mask(M[:, :1]), hidden)
    np.testing.assert_array_equal(d.predict(M[:, :1]), hidden)
    shown = imd.show(d).diff.table.get(0).isna().to_numpy()
    np.testing.assert_array_equal(shown, hidden)


@pytest.mark.parametrize("dtype", [float, int, bool, object])
def test_what_a_masked_output_hides_is_no_output(dtype: Any) -> None:
    outputs = np.ma.array(Y1.astype(dtype), mask=CODES == 5)
    first, n_hidden = int(np.argmax(CODES == 5)), int((CODES == 5).sum())
    X = pd.DataFrame({"x": CODES})
    message = rf"m1 gave no output for {n_hidden} of 400 rows \(the first is row {first}\)"
    for m1 in (outputs, lambda _: outputs):
        with pytest.raises(imd.InputError, match=message):
            imd.diff(m1, Y2, X)
    truth = imd.diff(Y1, Y2, X, y=outputs).right
    assert truth is not None
    assert truth.unknown == n_hidden
    nothing = np.ma.array(Y1.astype(dtype), mask=False)
    assert imd.diff(nothing, Y2, X).rules == imd.diff(Y1.astype(dtype), Y2, X).rules


def test_new_rows_between_those_of_a_masked_array_are_masked() -> None:
    hidden = CODES == 5
    M = np.ma.array(np.stack([CODES, CODES % 3], axis=1) * 1.0, mask=np.stack([hidden] * 2, axis=1))
    seen: list[Any] = []

    def m1(table: Any) -> Any:
        seen.append(table)
        return np.ma.getmaskarray(table)[:, 0].astype(int)

    imd.diff(m1, lambda t: np.zeros(len(t), int), M, augment="neighbours")
    assert all(np.ma.isMaskedArray(table) for table in seen)
    assert np.ma.getmaskarray(seen[-1])[:, 0].any()


def test_a_model_gets_new_rows_in_the_dtypes_of_the_table() -> None:
    words = pd.Series(["abc"[code % 3] for code in CODES])
    X = pd.DataFrame(
        {
            "whole": pd.Series(CODES).astype("int64[pyarrow]"),
            "text": words.astype(pd.ArrowDtype(pa.string())),
            "object": words.astype(object),
            "nullable": pd.Series(CODES, dtype="Int16"),
            "zoned": pd.Timestamp("2020-01-01", tz="Asia/Tokyo") + pd.to_timedelta(CODES, "h"),
            "category": pd.Categorical(words, ["c", "b", "a"], ordered=True),
            "number": pd.array(CODES / 2, dtype="float[pyarrow]"),
        }
    )
    seen: list[list[Any]] = []

    def m1(table: pd.DataFrame) -> Any:
        seen.append(table.dtypes.tolist())
        return (table["whole"] > 4).to_numpy(int)

    imd.diff(m1, lambda t: (t["whole"] > 6).to_numpy(int), X, augment="neighbours")
    assert len(seen) > 1
    assert all(dtypes == X.dtypes.tolist() for dtypes in seen)


def test_whole_numbers_of_128_bits() -> None:
    X = pl.DataFrame({"x": pl.Series([2**70 * int(code) for code in CODES], dtype=pl.Int128)})
    d = imd.diff(Y1, Y2, X)
    np.testing.assert_array_equal(d.rules.mask(X), Y1 != Y2)
    np.testing.assert_array_equal(d.predict(X), Y1 != Y2)


def objects(values: Any) -> pd.DataFrame:
    return pd.DataFrame({"x": pd.Series(list(values), dtype=object)})


#: Columns whose ten values need more digits than a float has.
MANY_DIGITS: dict[str, Any] = {
    "Int128": lambda codes: pl.DataFrame(
        {"x": pl.Series([2**70 + int(code) for code in codes], dtype=pl.Int128)}
    ),
    "objects": lambda codes: objects(2**70 + int(code) for code in codes),
    "decimals": lambda codes: objects(Decimal(f"12345678901234567.{code}") for code in codes),
    "decimals of Arrow": lambda codes: pa.table(
        {"x": pa.array([Decimal(2**70 + int(code)) for code in codes], pa.decimal128(38))}
    ),
}


@pytest.mark.parametrize("kind", MANY_DIGITS)
def test_numbers_that_are_the_same_float_are_remarked_on(kind: str) -> None:
    X = MANY_DIGITS[kind](CODES)
    message = "column 'x' has 10 different numbers, which are compared as floats, and only [1-5] of"
    with pytest.warns(imd.InputWarning, match=message):
        imd.diff(Y1, Y2, X)
    with pytest.warns(imd.InputWarning, match=message):
        imd.compare([Y1, Y2], X)
    text = objects(str(value) for value in open_table(X).get(0))
    assert imd.diff(Y1, Y2, text).rules, "as text they are told apart"


def test_numbers_that_stay_different_floats_give_no_remark() -> None:
    """They are rounded, and each has its own float; warnings are errors here."""
    for X in (
        objects(10**25 * int(code) + 1 for code in CODES),
        objects(Decimal(f"0.1234567890123456789{code}") * int(code) for code in CODES),
    ):
        assert imd.diff(Y1, Y2, X).rules


@pytest.mark.parametrize("kind", [pa.string_view(), pa.binary_view()], ids=str)
def test_rows_of_views_of_text(kind: Any) -> None:
    letters = ["abcdefghij"[code] for code in CODES]
    values = letters if kind == pa.string_view() else [one.encode() for one in letters]
    X = pa.table({"x": pa.array(values, kind), "k": pa.array(CODES)})
    w = imd.show(Y1, Y2, X, picture=False)
    w.selected_rules = [0]
    inside = w.diff.rules[0].mask(X)
    assert w.selected_rows["k"].to_pylist() == CODES[inside].tolist()
    assert w.selected_rows["x"].to_pylist() == [v for v, i in zip(values, inside, strict=True) if i]


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i4", ">u2"])
def test_arrays_of_the_other_byte_order(dtype: str, tmp_path: Any) -> None:
    X = CODES[:, None].astype(dtype)
    d = imd.diff(Y1, Y2, X)
    assert list(map(str, d.rules)) == list(
        map(str, imd.diff(Y1, Y2, X.astype(X.dtype.newbyteorder("="))).rules)
    )
    d.to_html(tmp_path / "page.html", rows=5)
    frame = pd.DataFrame({"x": X[:, 0]})
    again = imd.diff(Y1, Y2, frame)
    again.to_html(tmp_path / "page.html", rows=5)
    np.testing.assert_array_equal(again.rules.mask(frame), Y1 != Y2)


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "double[pyarrow]"])
def test_nan_that_is_not_null_is_refused_in_sql(kind: str) -> None:
    codes = np.random.default_rng(0).integers(0, 10, 400)
    values = np.where(codes == 0, np.nan, codes + 0.5)
    tables = {
        "polars": lambda: pl.DataFrame({"x": values}),
        "pyarrow": lambda: pa.table({"x": pa.array(values, from_pandas=False)}),
        "double[pyarrow]": lambda: pd.DataFrame(
            {"x": pd.arrays.ArrowExtensionArray(pa.array(values, from_pandas=False))}
        ),
    }
    X = tables[kind]()
    d = imd.diff(codes > 4, codes > 6, X)
    np.testing.assert_array_equal(d.rules.mask(X), d.predict(X))
    with pytest.raises(imd.InputError, match="NaN that is not missing to a database or to Arrow"):
        d.rules.to_sql()


def test_moments_across_a_clock_change_are_told_in_utc() -> None:
    zones = [dt.timezone(dt.timedelta(hours=-offset)) for offset in (4, 5)]
    moments = [dt.datetime(2024, 11, 1 + k % 9, 12, tzinfo=zones[k % 9 > 1]) for k in range(300)]
    X = pd.DataFrame({"t": pd.Series(moments, dtype=object)})
    day = np.array([moment.day for moment in moments])
    d = imd.diff(day > 3, day > 5, X)
    assert [str(c) for c in d.rules[0].conditions] == ["2024-11-04 UTC <= t < 2024-11-06 UTC"]
    np.testing.assert_array_equal(d.rules.mask(X), (day > 3) & (day <= 5))


def test_a_number_beyond_63_bits_is_refused_in_a_query() -> None:
    codes = np.arange(300) % 10
    X = pd.DataFrame({"u": codes.astype(np.uint64) + np.uint64(2**63)})
    rules = imd.diff(codes > 4, codes > 6, X).rules
    with pytest.raises(imd.InputError, match="larger than a pandas query can hold"):
        rules.to_query()
    np.testing.assert_array_equal(rules.mask(X), (codes > 4) & (codes <= 6))


@pytest.mark.parametrize("kind", ["polars", "pyarrow", "double[pyarrow]"])
def test_whether_nan_is_missing_is_asked_of_no_language_that_sees_it_otherwise(kind: str) -> None:
    rng = np.random.default_rng(0)
    values = np.where(np.arange(600) % 4 == 0, np.nan, rng.normal(size=600))
    tables = {
        "polars": lambda: pl.DataFrame({"x": values}),
        "pyarrow": lambda: pa.table({"x": pa.array(values, from_pandas=False)}),
        "double[pyarrow]": lambda: pd.DataFrame(
            {"x": pd.arrays.ArrowExtensionArray(pa.array(values, from_pandas=False))}
        ),
    }
    X, said = tables[kind](), rng.integers(0, 2, 600)
    (rule,) = imd.diff(said, np.where(np.isnan(values), 1 - said, said), X).rules
    assert [str(c) for c in rule.conditions] == ["x is missing"]
    assert rule.mask(X).sum() == 150
    for write in (rule.to_sql, rule.to_query):
        with pytest.raises(imd.InputError, match="NaN that is not missing"):
            write()
