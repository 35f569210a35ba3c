"""Columns as numbers: kinds, features, missing and infinite values, scales."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.data.column_kinds import column_kind
from imd_widget.data.features import LARGEST, Encoder, Feature, feature_matrix, list_features
from imd_widget.data.table import open_table
from tests.examples import examples

DAY_4 = pd.Timestamp("2020-01-04")
TABLE = pd.DataFrame(
    {
        "age": [31.0, np.nan, 47.0, 52.0],
        "town": ["Rome", "Oslo", None, "Rome"],
        "size": pd.Categorical(["M", "L", None, "S"], ["S", "M", "L"], ordered=True),
        "adult": [True, False, True, True],
        "seen": pd.to_datetime(
            ["2020-01-01", "2020-01-02T12", None, "2020-01-04"], format="ISO8601"
        ),
        "took": pd.to_timedelta([1, 2, 3, 4], unit="D"),
    }
)


def matrix_of(table: Any, **options: Any) -> pd.DataFrame:
    opened = open_table(table)
    features = list_features(opened, **options)
    return pd.DataFrame(
        feature_matrix(opened, features), columns=[feature.name for feature in features]
    )


def test_features_of_every_kind() -> None:
    found = matrix_of(TABLE)
    assert list(found) == [
        *("age", "age=missing", "town=Oslo", "town=Rome", "town=missing"),
        *("size", "size=missing", "adult", "seen", "seen=missing", "took"),
    ]
    days = (pd.Timestamp("2020-01-01") - pd.Timestamp("1970-01-01")).days
    expected = {
        "age": [31, np.nan, 47, 52],
        "town=Rome": [1, 0, 0, 1],
        "town=missing": [0, 0, 1, 0],
        "size": [1, 2, np.nan, 0],
        "adult": [1, 0, 1, 1],
        "seen": [days, days + 1.5, np.nan, days + 3],
        "seen=missing": [0, 0, 1, 0],
        "took": [1, 2, 3, 4],
    }
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)


def test_options_choose_the_features() -> None:
    assert list(matrix_of(TABLE[["adult"]], flags=False)) == ["adult=False", "adult=True"]
    assert list(matrix_of(TABLE[["adult"]], flags=False, drop_binary=True)) == ["adult=True"]
    assert list(matrix_of(TABLE[["size"]], ranks=False)) == [
        *("size=L", "size=M", "size=S", "size=missing"),
    ]
    assert list(matrix_of(TABLE[["age", "town"]], indicators=False)) == [
        *("age", "town=Oslo", "town=Rome", "town=missing"),
    ]
    assert list(matrix_of(TABLE, positions=[5, 0], indicators=False)) == ["took", "age"]
    letters = pd.DataFrame({"a": list("xxxyyzw")})
    assert list(matrix_of(letters, max_categories=2)) == ["a=x", "a=y"]
    assert list(matrix_of(letters, max_categories=3)) == ["a=w", "a=x", "a=y"], "ties: by text"
    assert list(matrix_of(letters, min_rows=3)) == ["a=x"]


@pytest.mark.parametrize(
    "values, kind",
    [
        ([1, 2], "number"),
        (pd.array([1, None], dtype="Int64"), "number"),
        (pd.Series([Decimal("1.5"), None], dtype=object), "number"),
        (pd.Series([1, 2.5, None], dtype=object), "number"),
        ([True, False], "flag"),
        (pd.array([True, None], dtype="boolean"), "flag"),
        (pd.Series([True, None], dtype=object), "flag"),
        (pd.to_datetime(["2020-01-01"], utc=True), "moment"),
        (pd.Series([pd.Timestamp("2020-01-01").date()], dtype=object), "moment"),
        (pd.to_timedelta([1], unit="s"), "duration"),
        (pd.Series([pd.Timedelta("1s"), None], dtype=object), "duration"),
        (pd.Categorical([1, 2], ordered=True), "order"),
        (pd.Categorical([1, 2]), "category"),
        (pd.Categorical([True, False]), "category"),
        (["a", 1], "category"),
        (pd.array(["a", None], dtype="string"), "category"),
        (pd.array([None], dtype="string"), "category"),
        ([1j], "complex"),
        (pd.Series([1j, None], dtype=object), "complex"),
        ([None, None], "empty"),
        ([np.nan], "number"),
    ],
)
def test_kinds_of_columns(values: Any, kind: str) -> None:
    assert column_kind(pd.Series(values)) == kind


@pytest.mark.parametrize(
    "column, n_features",
    [
        (["a", None, "b", np.nan], 3),
        (["a", 1, 2.5, ("t",)], 4),
        (pd.Categorical(["a", None, "b", "a"]), 3),
        (pd.array(["a", pd.NA, "b", "a"], dtype="string"), 3),
        (pd.Categorical([3, None, 1, 2], [3, 1, 2], ordered=True), 2),
        (pd.array([1, None, 3, 4], dtype="Int64"), 2),
        (pd.array([True, None, False, True], dtype="boolean"), 2),
        (pd.Series([True, None, False, True], dtype=object), 2),
        (pd.Series([Decimal(1), None, Decimal(3), Decimal(4)], dtype=object), 2),
        (pd.to_datetime(["2026-01-01", None, "2026-01-02", "2026-01-03"]), 2),
        (pd.to_datetime(["2026-01-01", None, "2026-01-02", "2026-01-03"], utc=True), 2),
        (pd.to_timedelta([1, None, 2, 3], unit="s"), 2),
        ([np.nan] * 4, 2),
        ([None] * 4, 1),
        ([np.inf, -np.inf, np.nan, 1.0], 2),
        ([1e300, -1e300, np.nan, 1.0], 2),
    ],
)
@pytest.mark.parametrize("scaling", ["standard", "center", None])
def test_rows_that_differ_have_different_finite_features(
    column: Any, n_features: int, scaling: Any
) -> None:
    frame = pd.DataFrame({0: column})
    table = open_table(frame)
    encoder = Encoder.fit(table, list_features(table), scaling=scaling, infinite=True)
    features = encoder.transform(table)
    assert features.shape == (4, n_features)
    assert np.isfinite(features.astype(np.float32)).all()
    distinct = frame[0].nunique() + frame[0].isna().any()
    assert len(np.unique(features, axis=0)) == distinct


def test_infinite_values_are_placed_beyond_all_others() -> None:
    table = open_table(pd.DataFrame({"a": [1.0, 3.0, np.inf, -np.inf]}))
    encoder = Encoder.fit(table, list_features(table), infinite=True)
    assert encoder.transform(table)[:, 0].tolist() == [1, 3, 5, -1]
    large = open_table(pd.DataFrame({"a": [1e300, -1e300]}))
    assert encoder.transform(large)[:, 0].tolist() == [LARGEST, -LARGEST]


@pytest.mark.parametrize("fill, value", [("median", 2.0), ("mean", 3.0), (None, np.nan)])
def test_missing_numbers_are_replaced(fill: Any, value: float) -> None:
    table = open_table(pd.DataFrame({"a": [1.0, 2.0, 6.0, np.nan]}))
    encoder = Encoder.fit(table, list_features(table), fill=fill)
    np.testing.assert_array_equal(encoder.transform(table)[:, 0], [1, 2, 6, value])


def test_scales_are_those_of_the_fitted_table() -> None:
    fitted = open_table(pd.DataFrame({"a": [1.0, 3.0], "same": [0.1, 0.1]}))
    encoder = Encoder.fit(fitted, list_features(fitted), scaling="standard")
    other = open_table(pd.DataFrame({"a": [5.0, np.nan], "same": [1.1, 0.1]}))
    np.testing.assert_allclose(encoder.transform(other), [[3, 1], [0, 0]], atol=1e-15)


def test_new_categories_are_none_of_the_others() -> None:
    fitted = open_table(TABLE)
    features = list_features(fitted)
    other = TABLE[:2].assign(town=["Bonn", None], size=["XL", "S"])
    found = feature_matrix(open_table(other), features)
    found = pd.DataFrame(found, columns=[feature.name for feature in features])
    assert found[["town=Oslo", "town=Rome"]].to_numpy().sum() == 0
    assert found["town=missing"].tolist() == [0, 1]
    np.testing.assert_array_equal(found["size"], [np.nan, 0])


def test_columns_are_found_by_name_and_in_arrays_by_position() -> None:
    table = open_table(TABLE[["age", "adult"]])
    features = list_features(table, indicators=False)
    expected = feature_matrix(table, features)
    moved = TABLE[["town", "adult", "age"]]
    np.testing.assert_array_equal(feature_matrix(open_table(moved), features), expected)
    array = TABLE[["age", "adult"]].to_numpy(float)
    np.testing.assert_array_equal(feature_matrix(open_table(array), features), expected)
    with pytest.raises(imd.InputError, match=r"X lacks the column 'age', which is needed\. It has"):
        feature_matrix(open_table(TABLE[["town", "adult"]]), features)


def test_a_column_without_values_has_missing_features() -> None:
    features = list_features(open_table(TABLE))
    found = feature_matrix(open_table(TABLE.assign(**dict.fromkeys(TABLE))), features)
    assert np.isnan(found[:, 0]).all()
    assert (found[:, 1] == 1).all()


@pytest.mark.parametrize(
    "column, values, text",
    [
        ("age", ["a"] * 4, "The column 'age' of X holds no numbers, but it did in the fitted"),
        ("adult", ["a"] * 4, "The column 'adult' of X holds no booleans, but it did"),
        ("seen", [1.0] * 4, "The column 'seen' of X holds no dates, but it did"),
        ("took", [1.0] * 4, "The column 'took' of X holds no durations, but it did"),
        ("age", [1.0, np.inf, 2.0, np.inf], "'age' of X is infinite in 2 row(s), first in row 1."),
        ("town", [["a"]] * 4, "column 'town' holds values that cannot be compared, for example"),
    ],
)
def test_other_values_than_in_the_fitted_table_are_errors(
    column: str, values: Any, text: str
) -> None:
    features = list_features(open_table(TABLE))
    with pytest.raises(imd.InputError) as caught:
        feature_matrix(open_table(TABLE.assign(**{column: values})), features)
    assert text in str(caught.value)


def test_complex_numbers_are_refused() -> None:
    with pytest.raises(imd.InputError, match="Complex data not supported: column 'a'"):
        list_features(open_table(pd.DataFrame({"a": [1j, 2j]})))


def test_features_come_back_from_json() -> None:
    for feature in list_features(open_table(TABLE)):
        plain = json.loads(json.dumps(feature.to_plain()))
        again = Feature.from_plain(plain)
        assert vars(again) == vars(feature)
    with pytest.raises(ValueError, match="kind is 'odd'"):
        Feature.from_plain({**list_features(open_table(TABLE))[0].to_plain(), "kind": "odd"})


@given(st.integers(0, 1000))
@settings(max_examples=examples(30))
def test_numbers_read_at_once_are_those_read_column_by_column(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        rng.normal(size=(int(rng.integers(1, 9)), 3)).round(1), columns=list("abc")
    )
    frame = frame.mask(rng.random(frame.shape) < rng.choice([0, 0.3]))
    frame["b"] = rng.integers(0, 2, len(frame)).astype(bool)
    tables = [frame, frame.astype({"a": "Float64", "b": "boolean"}), frame.to_numpy(float)]
    found = []
    for table in map(open_table, tables):
        features = list_features(open_table(frame), indicators=False)
        found.append(feature_matrix(table, features))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_other_libraries_give_the_same_features(library: str) -> None:
    pytest.importorskip(library)
    table: Any = TABLE.drop(columns="size")
    if library == "polars":
        import polars as pl

        other: Any = pl.from_pandas(table)
    else:
        import pyarrow as pa

        other = pa.Table.from_pandas(table)
    pd.testing.assert_frame_equal(matrix_of(other), matrix_of(table))
