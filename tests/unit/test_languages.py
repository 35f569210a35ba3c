"""Conditions as a person would say them; text, mask, query and SQL are the same rows, or refuse."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.rules.conditions import Interval, Membership
from imd_widget.rules.languages import conditions_text
from tests.examples import examples

RNG = np.random.default_rng(0)
N = 400
CODES = RNG.integers(0, 10, N)
Y1, Y2 = (CODES > 4).astype(int), (CODES > 6).astype(int)


def found_by_sql(X: Any, condition: str, zone: str = "UTC") -> list[int]:
    """Numbers of the rows that DuckDB finds, in a session of that time zone."""
    with duckdb.connect() as connection:
        connection.execute(f"SET TimeZone = '{zone}'")
        connection.register("given", X)
        numbered = "SELECT *, row_number() OVER () - 1 AS imd_row FROM given"
        found = connection.execute(
            f"SELECT imd_row FROM ({numbered}) WHERE {condition} ORDER BY imd_row"
        )
        return [row for (row,) in found.fetchall()]


def found_by_query(X: pd.DataFrame, condition: str) -> list[int]:
    return X.assign(imd_row=np.arange(len(X))).query(condition)["imd_row"].tolist()


def the_same_rows(d: imd.ModelDiff, X: pd.DataFrame, query: bool = True) -> None:
    """Mask, prediction, SQL and, unless it is refused, the query of the rules."""
    assert d.rules
    for rule in [*d.rules, d.rules]:
        expected = np.flatnonzero(rule.mask(X)).tolist()
        assert found_by_sql(X, rule.to_sql()) == expected
        if query:
            assert found_by_query(X, rule.to_query()) == expected
    np.testing.assert_array_equal(d.predict(X), d.rules.mask(X))


def shown(inside: Any, X: pd.DataFrame, query: bool = True) -> str:
    """The one condition that is found where the models differ exactly inside."""
    inside = np.asarray(inside, dtype=bool)
    models = (lambda _: np.zeros(len(X), int)), (lambda _: inside.astype(int))
    d = imd.diff(*models, X, test_size=0, max_bins=None)
    (rule,) = d.rules
    (condition,) = rule.conditions
    np.testing.assert_array_equal(rule.mask(X), inside)
    the_same_rows(d, X, query)
    return str(condition)


# --- in words -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values, inside, text",
    [
        ([0, 1] * 60, lambda x: x == 1, "x is 1"),
        ([0, 1] * 60, lambda x: x == 0, "x is 0"),
        ([-1, 1] * 60, lambda x: x == -1, "x is -1"),
        ([0.0, 1.0] * 60, lambda x: x == 1, "x is 1"),
        ([0.0, 1.0, np.nan] * 40, lambda x: x == 1, "x is 1"),
        ([7, 7, 9] * 40, lambda x: x == 9, "x is 9"),
        ([1, 2, 3, 4] * 30, lambda x: x == 3, "x is 3"),
        ([-4, -3, -2, -1] * 30, lambda x: x == -3, "x is -3"),
        ([1, 2, 3, 4, 5, 6] * 20, lambda x: x.between(3, 5), "x is 3 to 5"),
        ([-6, -5, -4, -3, -2] * 24, lambda x: x.between(-5, -3), "x is -5 to -3"),
        ([-2, -1, 0, 1, 2] * 24, lambda x: x.between(-1, 1), "x is -1 to 1"),
        ([1.0, 2.0, 3.0, 4.0] * 30, lambda x: x == 3, "x is 3"),
        ([1.0, 2.0, 3.0, 4.0, np.nan] * 24, lambda x: x == 3, "x is 3"),
        (
            [1.0, 2.0, 3.0, 4.0, np.nan] * 24,
            lambda x: x.isin([2, 3]) | x.isna(),
            "x is 2 to 3 or missing",
        ),
    ],
)
def test_whole_numbers_and_flags(values: list[Any], inside: Any, text: str) -> None:
    X = pd.DataFrame({"x": values})
    assert shown(inside(X["x"]), X) == text


@pytest.mark.parametrize("dtype", ["int8", "uint8", "Int64", "float32", "int64[pyarrow]"])
def test_whole_numbers_of_every_dtype(dtype: str) -> None:
    X = pd.DataFrame({"rooms": pd.Series([1, 2, 3, 4, 5, 6, 7] * 20).astype(dtype)})
    inside = X["rooms"].isin([3, 4, 5]).to_numpy(dtype=bool)
    assert shown(inside, X) == "rooms is 3 to 5"
    flags = pd.DataFrame({"flag": pd.Series([0, 1] * 60).astype(dtype)})
    assert shown((flags["flag"] == 1).to_numpy(dtype=bool), flags) == "flag is 1"


SIZES = ["XS", "S", "M", "L", "XL", "XXL"]


@pytest.mark.parametrize(
    "inside, text",
    [
        (["M"], "is M"),
        (["XS"], "is XS"),
        (["XXL"], "is XXL"),
        (["XS", "S"], "is one of XS, S"),
        (["M", "L"], "is one of M, L"),
        (["XS", "S", "M"], "is M or below"),
        (["L", "XL", "XXL"], "is L or above"),
        (["S", "M", "L"], "is S to L"),
    ],
)
def test_ordered_categories(inside: list[str], text: str) -> None:
    sizes = pd.Series(SIZES * 20).astype(pd.CategoricalDtype(SIZES, ordered=True))
    X = pd.DataFrame({"size": sizes})
    assert shown(X["size"].isin(inside), X) == f"size {text}"


def test_an_ordered_category_is_itself_and_a_missing_one_is_added() -> None:
    sizes = pd.Series([*SIZES, None] * 20).astype(pd.CategoricalDtype(SIZES, ordered=True))
    X = pd.DataFrame({"size": sizes})
    assert shown(X["size"].isin(["L"]) | X["size"].isna(), X) == "size is L or missing"


def test_a_negated_list_begins_with_the_missing_values() -> None:
    """ "race is not Black or missing" would read as "neither Black nor missing"."""
    one = Membership("race", ("Black",), missing=True, negated=True)
    two = Membership("race", ("Black", "White"), missing=True, negated=True)
    named = Membership("race", ("Black",), missing=True)
    assert str(one) == "race is missing or not Black"
    assert str(two) == "race is missing or none of Black, White"
    assert str(named) == "race is Black or missing"
    age = Interval("age", None, 40)
    assert conditions_text((one, age)) == "(race is missing or not Black) and age < 40"
    assert conditions_text((age, two)) == "age < 40 and (race is missing or none of Black, White)"
    assert conditions_text((one,)) == "race is missing or not Black"
    X = pd.DataFrame({"race": ["Black", "White", "Asian", "other", None] * 40})
    assert shown(X["race"] != "Black", X) == "race is missing or not Black"


def test_only_an_interval_of_ordered_categories_has_categories() -> None:
    assert Interval("age", 20, 40).categories == ()
    assert Interval("size", "M", None, order=("S", "M", "L")).categories == ("M", "L")


def test_sexes_colours_and_clarities() -> None:
    """As three tables that people have: no sign of an order where one value is meant."""
    sex = pd.DataFrame({"sex": pd.Categorical(["man", "woman"] * 60, ["man", "woman"], True)})
    assert shown(sex["sex"] == "man", sex) == "sex is man"
    assert shown(sex["sex"] == "woman", sex) == "sex is woman"
    color = pd.DataFrame({"color": pd.Categorical([*"DEFGHIJ"] * 20, ordered=True)})
    assert shown(color["color"] == "J", color) == "color is J"
    order = ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"]
    clarity = pd.DataFrame({"clarity": pd.Categorical(order * 20, order, ordered=True)})
    assert shown(clarity["clarity"] == "SI2", clarity) == "clarity is SI2"


@settings(deadline=None, max_examples=examples(150))
@given(data=st.data(), dtype=st.sampled_from(["int64", "float64", "Int64", "float32"]))
def test_a_range_of_whole_numbers_says_its_ends(data: st.DataObject, dtype: str) -> None:
    """Read literally: "x is a to b" is a <= x <= b and "x is a" is x == a, on every row."""
    n_rows = data.draw(st.integers(1, 40))
    numbers = st.integers(-6, 6)
    values = data.draw(st.lists(numbers, min_size=n_rows, max_size=n_rows))
    outputs = [data.draw(st.lists(st.integers(0, 1), min_size=n_rows, max_size=n_rows))]
    series = pd.Series(values).astype(dtype)
    if dtype in ("float64", "Int64") and data.draw(st.booleans()):
        series = series.where(pd.Series(values) != values[0])
    X = pd.DataFrame({"x": series})
    d = imd.diff(outputs[0], [0] * n_rows, X, test_size=0, method="imd", min_samples_leaf=1)
    plain = [math.nan if pd.isna(value) else int(value) for value in series]
    for rule in d.rules:
        literal = [all(said(str(c), value) for c in rule.conditions) for value in plain]
        assert rule.mask(X).tolist() == literal


def said(text: str, x: float) -> bool:
    """Whether a sentence about whole numbers is true of one: the naive reader."""
    text = text.removeprefix("(").removesuffix(")")
    if text.startswith("x is missing or "):
        return math.isnan(x) or said(f"x is {text.removeprefix('x is missing or ')}", x)
    if text.endswith(" or missing"):
        return math.isnan(x) or said(text.removesuffix(" or missing"), x)
    match text.removeprefix("x ").split():
        case ["is", "missing"]:
            return math.isnan(x)
        case ["is", "not", "missing"]:
            return not math.isnan(x)
        case ["is", "not", a]:
            return not math.isnan(x) and x != int(a)
        case ["is", "one", "of", *some]:
            return x in [int(a.removesuffix(",")) for a in some]
        case ["is", "none", "of", *some]:
            return not math.isnan(x) and x not in [int(a.removesuffix(",")) for a in some]
        case ["is", a, "to", b]:
            return int(a) <= x <= int(b)
        case ["is", a]:
            return x == int(a)
        case ["<", a]:
            return x < float(a)
        case [">=", a]:
            return x >= float(a)
    raise AssertionError(f"{text!r} is no sentence about whole numbers")


# --- the same rows, or a refusal in words ---------------------------------------------------------


@pytest.mark.parametrize("kind", [object, pd.ArrowDtype(pa.decimal128(10, 2))], ids=str)
def test_decimals_have_no_query(kind: Any) -> None:
    """Python says that Decimal("0.4") < 0.4, the rule does not."""
    prices = pd.Series([Decimal(int(code)) / 10 for code in CODES], dtype=object)
    X = pd.DataFrame({"price": prices.astype(kind)})
    d = imd.diff((CODES > 2).astype(int), (CODES > 3).astype(int), X)
    np.testing.assert_array_equal(d.rules.mask(X), CODES == 3)
    the_same_rows(d, X, query=False)
    refused = r"column 'price' holds decimals, which a pandas query does not compare as the rule"
    with pytest.raises(imd.InputError, match=refused + r" does: use rule\.mask\(X\), or convert"):
        d.rules.to_query()
    assert d.to_dict()["conditions"][0]["query"] is None


@pytest.mark.parametrize(
    "values",
    [
        [Decimal(int(code)) + Decimal("1e-20") for code in CODES],
        [10**25 * int(code) + 1 for code in CODES],
    ],
    ids=["decimals", "whole numbers"],
)
def test_numbers_of_too_many_digits_have_neither_query_nor_sql(values: list[Any]) -> None:
    X = pd.DataFrame({"b": pd.Series(values, dtype=object)})
    d = imd.diff(Y1, Y2, X)
    np.testing.assert_array_equal(d.rules.mask(X), Y1 != Y2)
    np.testing.assert_array_equal(d.predict(X), Y1 != Y2)
    for ask, language in ((d.rules.to_query, "a pandas query"), (d.rules.to_sql, "SQL")):
        message = f"column 'b' holds numbers of more digits .*, which {language} does not compare"
        with pytest.raises(imd.InputError, match=message):
            ask()


@pytest.mark.parametrize("kind", ["float[pyarrow]", "float16"])
def test_short_floats_are_compared_as_such(kind: str) -> None:
    values = np.random.default_rng(1).normal(size=2000).round(2)
    X = pd.DataFrame({"x": pd.Series(values).astype(kind)})
    for low in np.arange(-1, 1, 0.1):
        d = imd.diff(values > low, values > low + 0.3, X, method="imd")
        the_same_rows(d, X)


@pytest.mark.parametrize("library", ["pandas", "pandas Arrow", "polars", "pyarrow", "objects"])
def test_large_whole_numbers_stay_apart_beside_missing_ones(library: str) -> None:
    ids = [None if k % 50 == 0 else 2**53 + int(code) for k, code in enumerate(CODES)]
    frame = pd.DataFrame({"id": pd.array(ids, dtype="Int64")})
    X: Any = {
        "pandas": frame,
        "pandas Arrow": frame.astype("int64[pyarrow]"),
        "polars": pl.DataFrame({"id": ids}),
        "pyarrow": pa.table({"id": ids}),
        "objects": pd.DataFrame({"id": pd.Series(ids, dtype=object)}),
    }[library]
    present = np.array([one is not None for one in ids])
    differs = (Y1 != Y2) & present
    d = imd.diff(np.where(present, Y1, 0), np.where(present, Y2, 0), X)
    assert str(d.rules[0].conditions[0]) == "id is 9007199254740997 to 9007199254740998"
    np.testing.assert_array_equal(d.rules.mask(X), differs)
    np.testing.assert_array_equal(d.predict(X), differs)
    assert found_by_sql(frame, d.rules.to_sql()) == np.flatnonzero(differs).tolist()
    assert found_by_query(frame, d.rules.to_query()) == np.flatnonzero(differs).tolist()


@pytest.mark.parametrize("names", [("Age", "age"), ("STRASSE", "straße")])
def test_names_that_differ_in_case_alone_have_no_sql(names: tuple[str, str]) -> None:
    first, second = names
    X = pd.DataFrame({first: np.random.default_rng(3).permutation(CODES), second: CODES})
    d = imd.diff(Y1, Y2, X)
    np.testing.assert_array_equal(d.rules.mask(X), Y1 != Y2)
    assert found_by_query(X, d.rules.to_query()) == np.flatnonzero(Y1 != Y2).tolist()
    with pytest.raises(imd.InputError, match="but for upper and lower case, which SQL does not"):
        d.rules.to_sql()


@pytest.mark.parametrize("name", ["", "a\0b"])
def test_names_that_sql_does_not_know(name: str) -> None:
    d = imd.diff(Y1, Y2, pd.DataFrame({name: CODES}))
    with pytest.raises(imd.InputError, match=r"cannot be named in SQL.*or rename the column"):
        d.rules.to_sql()


def test_text_that_sql_cannot_hold() -> None:
    X = pd.DataFrame({"c": np.array(["a", "b\0c"])[Y1]})
    d = imd.diff(lambda _: Y1, lambda _: Y1 * 0, X)
    with pytest.raises(imd.InputError, match="has a NUL, which SQL cannot contain"):
        d.rules.to_sql()


def test_text_beside_numbers_has_no_sql() -> None:
    X = pd.DataFrame({"m": pd.Series([("1", 1, "x", 2)[c % 4] for c in CODES], dtype=object)})
    inside = CODES % 4 == 0
    d = imd.diff(inside.astype(int), np.zeros(N, int), X)
    np.testing.assert_array_equal(d.rules.mask(X), inside)
    assert found_by_query(X, d.rules.to_query()) == np.flatnonzero(inside).tolist()
    with pytest.raises(imd.InputError, match="'m' holds values of several types, which SQL does"):
        d.rules.to_sql()


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
@pytest.mark.parametrize("zone", ["America/New_York", "UTC", "Asia/Tokyo"])
def test_moments_of_a_zone_are_the_same_in_every_session(library: str, zone: str) -> None:
    moments = [dt.datetime(2020, 1, 1, int(code)) for code in CODES]
    local = pl.Series(moments).dt.replace_time_zone(zone)
    X: Any = pl.DataFrame({"t": local})
    if library == "pyarrow":
        X = X.to_arrow()
    d = imd.diff(Y1, Y2, X)
    np.testing.assert_array_equal(d.rules.mask(X), Y1 != Y2)
    np.testing.assert_array_equal(d.predict(X), Y1 != Y2)
    hour = pd.Timestamp("2020-01-01 05:00", tz=zone).tz_convert("UTC").tz_localize(None)
    assert str(d.rules[0]).startswith(f"{hour} UTC <= t < ")
    assert "TIMESTAMPTZ" in d.rules.to_sql()
    for session in ("UTC", "Asia/Tokyo", "America/Los_Angeles"):
        found = found_by_sql(X, d.rules.to_sql(), session)
        assert found == np.flatnonzero(Y1 != Y2).tolist()


@pytest.mark.parametrize("kind", ["objects", "duration[us][pyarrow]"])
def test_durations_are_ordered_and_their_query_is_refused(kind: str) -> None:
    minutes = np.random.default_rng(0).integers(0, 5000, N)
    waits = pd.Series([dt.timedelta(minutes=int(k)) for k in minutes], dtype=object)
    X = pd.DataFrame({"wait": waits if kind == "objects" else waits.astype(kind)})
    d = imd.diff(minutes > 1000, minutes > 2000, X)
    plain = imd.diff(minutes > 1000, minutes > 2000, pd.DataFrame({"wait": pd.to_timedelta(waits)}))
    assert list(map(str, d.rules)) == list(map(str, plain.rules))
    assert len(d.rules) == 1
    np.testing.assert_array_equal(d.rules.mask(X), plain.rules.mask(X))
    np.testing.assert_array_equal(d.predict(X), d.rules.mask(X))
    with pytest.raises(imd.InputError, match=r"a pandas query does not .*pd\.to_timedelta"):
        d.rules.to_query()


def test_a_file_keeps_what_a_language_refuses(tmp_path: Any) -> None:
    X = pd.DataFrame({"Age": CODES[::-1], "age": CODES, "price": [Decimal(int(c)) for c in CODES]})
    for column in ("age", "price"):
        d = imd.diff(Y1, Y2, X[["Age", column]])
        again = imd.load(d.save(tmp_path / "diff.json"))
        assert again.rules == d.rules
        refused = again.rules.to_sql if column == "age" else again.rules.to_query
        with pytest.raises(imd.InputError, match=r"use rule\.mask"):
            refused()
