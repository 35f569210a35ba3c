"""Parts of dates: rules about hours, weekdays and months."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import imd_widget as imd
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.data.boxes import in_box
from imd_widget.data.columns import OrderedColumn
from imd_widget.data.date_parts import DATE_PARTS, date_values, zone_name
from imd_widget.data.derivation import Derivation
from imd_widget.data.table import encode, open_table
from imd_widget.rules.cycles import cycles, tidied
from imd_widget.rules.regions import conditions
from tests.examples import examples
from tests.unit.large_tables import contents, cut, diff_frames

ZONES = (None, "UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC+02:00")
N = 3000


def moments(n: int = N, zone: str | None = None, seed: int = 0) -> pd.Series[Any]:
    """Moments over two years, with both changes of the clock, some of them missing."""
    rng = np.random.default_rng(seed)
    minutes = rng.integers(0, 2 * 365 * 24 * 60, n)
    found = pd.Series(pd.Timestamp("2023-01-01") + pd.to_timedelta(minutes, unit="min"))
    if zone is not None:
        found = found.dt.tz_localize("UTC").dt.tz_convert(zone)
    found[rng.random(n) < 0.02] = pd.NaT
    return found


def rides(zone: str | None = None, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame({"pickup": moments(zone=zone, seed=seed), "km": rng.exponential(3, N)})


def flipped(X: Any, where: Any, **options: Any) -> ModelDiff:
    """The diff of a model and another that differs where a mask holds."""
    new = np.asarray(where, dtype=bool).astype(int)
    return imd.diff(np.zeros_like(new), new, X, **options)


def texts(d: ModelDiff) -> list[str]:
    return [" and ".join(map(str, rule.conditions)) for rule in d.rules]


def by_sql(X: Any, where: str) -> NDArray[np.bool_]:
    with duckdb.connect() as connection:
        connection.register("X", X)
        numbered = "SELECT row_number() OVER () - 1 AS imd_row, * FROM X"
        found = connection.execute(f"SELECT imd_row FROM ({numbered}) WHERE {where}").fetchall()
    inside = np.zeros(len(X), dtype=bool)
    inside[[row for (row,) in found]] = True
    return inside


#: Night, morning, afternoon and evening, by the hour.
HOURS = [0] * 6 + [1] * 6 + [2] * 6 + [3] * 4 + [0] * 2


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("part", DATE_PARTS)
def test_parts_are_those_of_pandas(part: str, zone: str | None) -> None:
    raw, kind = moments(zone=zone), DATE_PARTS[part]
    expected = getattr(raw.dt, kind.attribute)
    if part == "part_of_day":
        expected = expected.map(lambda hour: HOURS[int(hour)], na_action="ignore")
    for start in (kind.first, kind.turn):
        found = date_values(raw, part, start, zone)
        assert found.cat.categories[0] == start
        assert len(found.cat.categories) == kind.n_values
        pd.testing.assert_series_equal(
            found.astype(object).astype(float), expected.astype(float), check_names=False
        )


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York"])
def test_hours_follow_the_clock_when_it_changes(zone: str) -> None:
    """An hour is skipped in spring and comes twice in autumn."""
    for day in ("2024-03-10", "2024-03-31", "2024-10-27", "2024-11-03"):
        raw = pd.Series(pd.date_range(f"{day} 00:00", periods=48, freq="h", tz="UTC"))
        local = raw.dt.tz_convert(zone)
        by_hand = [moment.hour for moment in local]
        for given_in in (raw, local):
            assert date_values(given_in, "hour", 12, zone).tolist() == by_hand
    assert len(set(by_hand)) == 24


def test_weekends_are_saturdays_and_sundays() -> None:
    raw = pd.Series(pd.date_range("2024-01-01", periods=14))  # a Monday
    assert date_values(raw, "weekend", 0, None).tolist() == [*[False] * 5, True, True] * 2
    raw[0] = pd.NaT
    assert date_values(raw, "weekend", 0, None)[0] is pd.NA


PLANTED: dict[str, Any] = {
    "pickup hour is 22 to 5": lambda p: (p.dt.hour >= 22) | (p.dt.hour < 6),
    "pickup hour is 8": lambda p: p.dt.hour == 8,
    "pickup is on a weekend": lambda p: p.dt.day_of_week >= 5,
    "pickup is Monday to Friday": lambda p: p.dt.day_of_week < 5,
    "pickup is Saturday to Monday": lambda p: p.dt.day_of_week.isin([5, 6, 0]),
    "pickup is on a Sunday": lambda p: p.dt.day_of_week == 6,
    "pickup is in November to February": lambda p: p.dt.month.isin([11, 12, 1, 2]),
    "pickup is in June": lambda p: p.dt.month == 6,
    "pickup hour is 7 to 9 and pickup is Monday to Friday": lambda p: (
        p.dt.hour.between(7, 9) & (p.dt.day_of_week < 5)
    ),
    "pickup is missing": lambda p: p.isna(),
}


@pytest.mark.parametrize("zone", [None, "America/New_York"])
@pytest.mark.parametrize("text", PLANTED)
def test_a_planted_part_is_found_and_selects_the_same_rows_in_every_language(
    text: str, zone: str | None
) -> None:
    X = rides(zone)
    where = PLANTED[text](X["pickup"]).to_numpy()
    d = flipped(X, where)
    assert sorted(texts(d)[0].split(" and ")) == sorted(text.split(" and "))
    assert len(d.rules) == 1
    rule = d.rules[0]
    assert (rule.mask(X) == where).all()
    assert X.query(rule.to_query()).index.tolist() == np.flatnonzero(where).tolist()
    assert (by_sql(X, rule.to_sql()) == where).all()
    assert (d.predict(X) == where).all()


def test_a_rule_in_one_zone_means_the_same_moments_in_another() -> None:
    X = rides("Europe/Berlin")
    d = flipped(X, X["pickup"].dt.hour < 6)
    other = X.assign(pickup=X["pickup"].dt.tz_convert("Asia/Kolkata"))
    assert texts(d) == ["pickup hour is 0 to 5"]
    assert (d.predict(other) == d.predict(X)).all()
    assert (
        other.query(d.rules[0].to_query()).index.tolist() == np.flatnonzero(d.predict(X)).tolist()
    )


def test_dates_without_a_zone_do_not_stand_for_moments_with_one() -> None:
    X = rides("Europe/Berlin")
    d = flipped(X, X["pickup"].dt.hour < 6)
    with pytest.raises(imd.InputError, match="expected timestamps with a time zone"):
        d.predict(X.assign(pickup=X["pickup"].dt.tz_localize(None)))


def test_a_zone_without_a_name_in_sql_is_refused_in_words() -> None:
    X = rides("UTC+02:00")
    d = flipped(X, X["pickup"].dt.hour < 6)
    rule = d.rules[0]
    assert X.query(rule.to_query()).index.tolist() == np.flatnonzero(rule.mask(X)).tolist()
    with pytest.raises(imd.InputError, match=r"'UTC\+02:00' of column 'pickup' has no name in SQL"):
        rule.to_sql()


def test_days_have_no_hours_and_python_dates_no_query() -> None:
    X = rides()
    X["pickup"] = X["pickup"].dt.date
    days = pd.to_datetime(X["pickup"])
    d = flipped(X, days.dt.day_of_week >= 5)
    assert texts(d) == ["pickup is on a weekend"]
    parts = {c.name.part for c in d.tree.columns if isinstance(c.name, Derivation)}
    assert parts == {"weekday", "month"}
    with pytest.raises(imd.InputError, match="Python date objects"):
        d.rules[0].to_query()
    assert (by_sql(X, d.rules[0].to_sql()) == (days.dt.day_of_week >= 5)).all()


def test_every_library_and_file_gives_the_same_rules(tmp_path: Path) -> None:
    X = rides()
    where = PLANTED["pickup hour is 22 to 5"](X["pickup"]).to_numpy()
    own = flipped(X, where)
    for table in (pl.from_pandas(X), pa.Table.from_pandas(X)):
        assert texts(flipped(table, where)) == texts(own) == ["pickup hour is 22 to 5"]
        assert (own.predict(table) == where).all()
    back = imd.load(own.save(tmp_path / "d.json"))
    assert (texts(back), back.rules[0].to_sql()) == (texts(own), own.rules[0].to_sql())
    assert (back.predict(X) == where).all()


@pytest.mark.parametrize("edges", [(), (1500,), (10, 700, 700, 2900)])
def test_partitions_make_no_difference(edges: tuple[int, ...]) -> None:
    X = rides("America/New_York")
    old = np.random.default_rng(1).integers(0, 2, N)
    where = (X["pickup"].dt.day_of_week >= 5) & (X["pickup"].dt.hour > 18)
    frame = X.assign(old=old, new=np.where(where, 1 - old, old))
    whole = imd.diff(old, frame["new"].to_numpy(), X, measure="holdout", names=["old", "new"])
    parts = diff_frames(cut(frame, edges), {"m1": "old", "m2": "new"})
    assert texts(parts) == texts(whole)
    assert parts.to_dict()["rules"] == whole.to_dict()["rules"]
    assert parts.metrics == whole.metrics
    assert contents(parts)["rules"]


def test_nothing_is_derived_without_dates_or_on_request() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "a": rng.random(400),
            "job": rng.choice(["cook", "nurse", "head of the kitchen"], 400),
            "id": [f"customer {n}" for n in range(400)],
            "wait": pd.to_timedelta(rng.integers(0, 99, 400), unit="s"),
        }
    )
    where = (X["a"] > 0.5) & (X["job"] == "cook")
    with pytest.warns(imd.InputWarning, match="'id'"):
        automatic = flipped(X, where)
    with pytest.warns(imd.InputWarning, match="'id'"):
        without = flipped(X, where, derive=None)
    assert contents(automatic) == contents(without)
    rows = rides()
    assert len(flipped(rows, rows["km"] > 3, derive=None).tree.columns) == 2


def test_what_is_derived_is_chosen_by_name() -> None:
    X = rides()
    d = flipped(X, X["pickup"].dt.day <= 7, derive={"pickup": ["day"]})
    assert texts(d) == ["pickup day of the month is 1 to 7"]
    assert (
        X.query(d.rules[0].to_query()).index.tolist()
        == np.flatnonzero(X["pickup"].dt.day <= 7).tolist()
    )
    d = flipped(X, X["pickup"].dt.day_of_week < 5, derive={"pickup": "weekend"})
    assert texts(d) == ["pickup is not on a weekend"]
    assert (by_sql(X, d.rules[0].to_sql()) == (X["pickup"].dt.day_of_week < 5)).all()
    assert X.query(d.rules[0].to_query()).index.tolist() == np.flatnonzero(d.predict(X)).tolist()


PARTS_OF_DAY: dict[str, set[int]] = {
    "pickup is at night": {0},
    "pickup is in the morning": {1},
    "pickup is in the morning or in the afternoon": {1, 2},
    "pickup is in the evening or at night": {0, 3},
    "pickup is not in the afternoon": {0, 1, 3},
}


@pytest.mark.parametrize("zone", [None, "America/New_York"])
@pytest.mark.parametrize("text", PARTS_OF_DAY)
def test_a_part_of_the_day_is_one_condition_in_every_language(text: str, zone: str | None) -> None:
    X = rides(zone)
    parts = X["pickup"].dt.hour.map(lambda hour: HOURS[int(hour)], na_action="ignore")
    where = parts.isin(PARTS_OF_DAY[text]).to_numpy()
    d = flipped(X, where, derive={"pickup": "part_of_day"})
    assert texts(d) == [text]
    assert (d.predict(X) == where).all()
    assert X.query(d.rules[0].to_query()).index.tolist() == np.flatnonzero(where).tolist()
    assert (by_sql(X, d.rules[0].to_sql()) == where).all()
    assert d.derived == {"pickup": ("part_of_day",)}


@pytest.mark.parametrize("day", ["2024-03-31", "2024-10-27"])
def test_every_part_agrees_in_every_language_when_the_clock_changes(day: str) -> None:
    X = rides("Europe/Berlin")
    around = pd.date_range(f"{day} 00:00", periods=96, freq="15min", tz="UTC") - pd.Timedelta("8h")
    changed = pd.DataFrame({"pickup": around.tz_convert("Europe/Berlin"), "km": 1.0})
    night = X["pickup"].dt.hour.isin([22, 23, 0, 1, 2, 3, 4, 5])
    sundays = X["pickup"].dt.day_of_week == 6
    for part, where in (("part_of_day", night), ("hour", night), ("weekend", sundays)):
        asked = {"pickup": [part, "weekday"]}
        for rule in flipped(X, where, derive=asked).rules:
            expected = rule.mask(changed)
            assert 0 < expected.sum() < len(changed)
            assert changed.index[expected].equals(changed.query(rule.to_query()).index)
            assert (by_sql(changed, rule.to_sql()) == expected).all()


def test_bars_name_the_days_and_months() -> None:
    X = rides()
    d = flipped(X, X["pickup"].dt.day_of_week == 6, derive={"pickup": "weekday"})
    [bars] = d.split_histograms.values()
    assert {bars.low, bars.high} <= {"< Tuesday", ">= Sunday", "< Friday", ">= Wednesday"}


def test_columns_names_raw_columns() -> None:
    X = rides()
    only_km = flipped(X, X["pickup"].dt.hour < 6, columns=["km"])
    assert [column.name for column in only_km.tree.columns] == ["km"]
    only_dates = flipped(X, X["pickup"].dt.hour < 6, columns=["pickup"])
    assert texts(only_dates) == ["pickup hour is 0 to 5"]


def test_models_get_the_raw_table() -> None:
    X = rides()
    seen = []

    def model(rows: pd.DataFrame) -> Any:
        seen.append(list(rows.columns))
        return rows["pickup"].dt.hour < 6

    d = imd.diff(model, lambda rows: np.zeros(len(rows), dtype=bool), X)
    assert texts(d) == ["pickup hour is 0 to 5"]
    assert {tuple(names) for names in seen} == {("pickup", "km")}


BAD: dict[str, tuple[Any, str]] = {
    "unknown part": ({"pickup": ["minute"]}, "hour, part_of_day, weekday, .*weekend from dates"),
    "no mapping": (["pickup"], 'choose "auto", None, or the columns'),
    "other text": ("all", 'choose "auto", None, or the columns'),
    "unknown column": ({"when": ["hour"]}, "derive names 'when', and the columns"),
    "no dates": (
        {"km": ["hour"]},
        "'hour' is derived from dates, and the column 'km' holds no dates",
    ),
    "no text": ({"pickup": ["words"]}, "'words' is derived from texts"),
}


@pytest.mark.parametrize("derive, message", BAD.values(), ids=BAD)
def test_bad_choices_are_explained(derive: Any, message: str) -> None:
    X = rides()
    with pytest.raises(imd.InputError, match=message):
        flipped(X, X["km"] > 3, derive=derive)


def test_a_column_that_rules_may_not_use_gives_no_derived_one() -> None:
    X = rides()
    with pytest.raises(imd.InputError, match="derive names 'pickup', which columns excludes"):
        flipped(X, X["km"] > 3, columns=["km"], derive={"pickup": ["hour"]})


def test_a_zone_that_pandas_cannot_name_is_an_error() -> None:
    class Odd(dt.tzinfo):
        def utcoffset(self, _: Any) -> dt.timedelta:
            return dt.timedelta(minutes=17)

        def dst(self, _: Any) -> dt.timedelta:
            return dt.timedelta(0)

        def __str__(self) -> str:
            return "somewhere"

    raw = pd.Series(pd.to_datetime(["2024-01-01"])).dt.tz_localize(Odd())
    with pytest.raises(ValueError, match="no time zone of the name somewhere"):
        zone_name(raw)


def hours(missing: bool) -> tuple[OrderedColumn, ...]:
    """Columns of the hour and the weekday, in both orders."""
    found = []
    for part in ("hour", "weekday"):
        kind = DATE_PARTS[part]
        for start in (kind.first, kind.turn):
            order = kind.order(start)
            name = Derivation("pickup", 0, part, start=start)
            thresholds = np.arange(1, len(order))
            found.append(OrderedColumn(name, 9 + len(found), thresholds, missing, order))
    return tuple(found)


@settings(max_examples=examples(150), deadline=None)
@given(st.data(), st.booleans())
def test_tidied_boxes_hold_for_the_same_rows(data: st.DataObject, missing: bool) -> None:
    columns = hours(missing)
    X = pd.DataFrame({"pickup": pd.date_range("2024-01-01", periods=24 * 7, freq="h")})
    if missing:
        X.loc[3:5, "pickup"] = pd.NaT
    codes = encode(open_table(X), columns).codes
    box = {}
    for index in data.draw(st.sets(st.sampled_from(range(len(columns))))):
        size = columns[index].n_values
        low = data.draw(st.integers(0, size - 1))
        run = ((1 << data.draw(st.integers(low + 1, size))) - 1) & ~((1 << low) - 1)
        box[index] = run | (data.draw(st.booleans()) and missing) << size
    shorter = tidied(box, columns, cycles(columns))
    assert len(shorter) <= len(box)
    expected = in_box(box, codes, len(X))
    assert (in_box(shorter, codes, len(X)) == expected).all()
    if all(shorter.values()):
        by_conditions = np.ones(len(X), dtype=bool)
        for condition in conditions(shorter, columns):
            by_conditions &= condition.mask(open_table(X))
        assert (by_conditions == expected).all()


def test_ranges_of_a_cycle_are_one_condition() -> None:
    columns = hours(missing=False)
    night = {0: sum(1 << hour for hour in (22, 23, 0, 1, 2, 3, 4, 5)) & 0xFFFFFF}
    assert list(tidied(night, columns, cycles(columns))) == [1]
    both = {0: (1 << 12) - 1, 1: tidied(night, columns, cycles(columns))[1]}
    [condition] = conditions(tidied(both, columns, cycles(columns)), columns)
    assert str(condition) == "pickup hour is 0 to 5"


def test_parts_of_dates_that_exclude_each_other_are_no_rule(tmp_path: Path) -> None:
    """The leaves of two trees may use different weekdays, which no row has."""
    days = {"-": pd.NaT, "s": "2019-12-28", "m": "2020-03-02", "w": "2020-01-01"}
    when = pd.Series([days[day] for day in "---sm--sw-s-ss-"], dtype="datetime64[us]")
    numbers = [np.nan, np.nan, 1, np.nan, 0, 0, np.nan, np.nan, 0, np.nan, np.nan, 0, np.nan, 0, 0]
    X = pd.DataFrame({"a": numbers, "when": when})
    first, second = np.zeros(15, dtype=int), np.zeros(15, dtype=int)
    first[[11, 13, 14]] = 2, 2, 1
    second[[4, 5, 11, 13, 14]] = 1, 1, 2, 2, 2
    d = imd.diff(first, second, X, method="separate", max_depth=2, test_size=0)
    assert [rule.support for rule in d.rules] == [1]
    d.save(tmp_path / "d.json")
    new = X.assign(when=pd.NaT)
    assert imd.load(tmp_path / "d.json").predict(new).tolist() == d.predict(new).tolist()
