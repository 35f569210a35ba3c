"""Rows that belong together, and groups whose rates are reported."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget._base.intervals import wilson
from imd_widget.data.sampling import holdout_rows

RNG = np.random.default_rng(2)
N = 3000
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 90, N),
        "sex": RNG.choice(["f", "m"], N),
        "user": RNG.integers(0, 60, N),
    }
)
OLD = (X["age"] > 40).to_numpy(int)
NEW = np.where((X["age"] > 60) & (X["sex"] == "f") & (RNG.random(N) < 0.9), 1 - OLD, OLD)


@given(
    st.lists(st.integers(0, 12), min_size=2, max_size=80).filter(lambda g: len(set(g)) > 1),
    st.floats(0.05, 0.95),
    st.integers(0, 5),
)
def test_groups_are_kept_aside_whole(groups: list[int], test_size: float, seed: int) -> None:
    numbers = np.unique(groups, return_inverse=True)[1]
    aside = holdout_rows(len(groups), test_size, seed, None, numbers)
    for group in set(numbers.tolist()):
        assert len(set(aside[numbers == group].tolist())) == 1
    assert 0 < aside.sum() < len(groups)
    # no whole group more or less, in the order of the hashes, comes nearer
    sizes = np.bincount(numbers)
    assert abs(aside.sum() - test_size * len(groups)) <= sizes.max()


def test_random_rows_do_not_notice_that_a_rule_is_one_user() -> None:
    """A column that tells users apart explains a difference that is one user's alone."""
    rng = np.random.default_rng(0)
    user = np.repeat(np.arange(60), 100)
    table = pd.DataFrame({"score": user + rng.normal(0, 0.01, 6000), "x": rng.normal(size=6000)})
    odd = np.isin(user, rng.choice(60, 12, replace=False))
    new = (odd & (rng.random(6000) < 0.95)).astype(int)
    options: Any = {"measure": "holdout"}
    rows = imd.diff(np.zeros(6000, int), new, table, **options)
    users = imd.diff(np.zeros(6000, int), new, table, groups=user, **options)
    assert rows.metrics.f1 > 0.8
    assert users.metrics.f1 < 0.5
    aside = users.kept_aside
    assert not set(user[aside]) & set(user[~aside])


def test_groups_are_a_column_or_an_array() -> None:
    named = imd.diff(OLD, NEW, X, groups="user", measure="holdout")
    given = imd.diff(OLD, NEW, X, groups=[f"u{i}" for i in X["user"]], measure="holdout")
    np.testing.assert_array_equal(named.kept_aside, given.kept_aside)
    assert named.metrics == given.metrics


def test_whom_it_hits() -> None:
    d = imd.diff(OLD, NEW, X, by="sex")
    assert d.by is not None
    differs = OLD != NEW
    for sex in "fm":
        of = (X["sex"] == sex).to_numpy()
        assert d.by.loc[sex, "rows"] == of.sum()
        assert d.by.loc[sex, "rate"] == pytest.approx(differs[of].mean())
        for number, rule in enumerate(d.rules):
            inside = rule.mask(X) & of
            assert d.by.loc[sex, f"rule {number} rows"] == inside.sum()
            if inside.any():
                rate = d.by.loc[sex, f"rule {number} rate"]
                assert rate == pytest.approx(differs[inside].mean())
    assert d.by.index.name == "sex"
    view = d.to_dict()
    assert [group["value"] for group in view["by"]["groups"]] == list(d.by.index)
    group = view["by"]["groups"][0]
    assert tuple(group["interval"]) == wilson(group["rate"], group["rows"])
    assert len(view["rules"][0]["by"]) == 2


def test_it_changes_no_rule_and_comes_back_from_a_file(tmp_path: Path) -> None:
    d = imd.diff(OLD, NEW, X, by="sex")
    assert d.rules == imd.diff(OLD, NEW, X).rules
    again = imd.load(d.save(tmp_path / "d.json"))
    pd.testing.assert_frame_equal(again.by, d.by)
    assert imd.diff(OLD, NEW, X).by is None


def test_numbers_are_cut_into_ranges_and_many_values_into_others() -> None:
    ages = imd.diff(OLD, NEW, X, by="age").by
    assert ages is not None
    assert len(ages) == 4
    assert ages["rows"].sum() == N
    many = imd.diff(OLD, NEW, X, by=X["user"].astype(str)).by
    assert many is not None
    assert len(many) == 12
    assert many.index[-1] == "others"
    assert many["rows"].sum() == N
    gaps = X["sex"].where(X.index % 7 > 0)
    missing = imd.diff(OLD, NEW, X, by=gaps).by
    assert missing is not None
    assert missing.loc["missing", "rows"] == gaps.isna().sum()


def by(values: Any, **options: Any) -> pd.DataFrame:
    """The groups of some values."""
    found = imd.diff(OLD, NEW, X, by=values, **options).by
    assert found is not None
    return found


ROWS = np.arange(N)


@pytest.mark.parametrize(
    "values, texts",
    [
        (ROWS % 100, ["0 to 24", "25 to 49", "50 to 74", "75 to 99"]),
        (ROWS % 100 / 8, ["0 to 3", "3.125 to 6.125", "6.25 to 9.25", "9.375 to 12.38"]),
        (np.where(ROWS < 2000, 0, ROWS % 100), ["0", "1 to 24", "25 to 99"]),
        (1e6 + ROWS % 40 / 1e3, ["1000000 to 1000000.009", "1000000.01 to 1000000.019"]),
        (
            np.where(ROWS % 5 == 0, np.inf, ROWS % 40),
            ["1 to 12", "13 to 24", "26 to 37", "38 to inf"],
        ),
        (
            np.where(ROWS % 2, -1.0, 1.0) * np.linspace(0, 1.7976e308, N),
            ["-1.7976e+308 to -8.997e+307", "-8.985e+307 to -5.994e+304", "0 to 8.979e+307"],
        ),
        (
            pd.Timestamp("2020-01-01") + pd.to_timedelta(ROWS % 100, "D"),
            ["2020-01-01 to 2020-01-25", "2020-01-26 to 2020-02-19", "2020-02-20 to 2020-03-15"],
        ),
        (
            (pd.Timestamp("2020-01-01") + pd.to_timedelta(ROWS % 100, "D")).date,
            ["2020-01-01 to 2020-01-25", "2020-01-26 to 2020-02-19", "2020-02-20 to 2020-03-15"],
        ),
        (
            pd.Timestamp("2020-01-01", tz="UTC") + pd.to_timedelta(ROWS % 20, "min"),
            ["2020-01-01 to 2020-01-01 00:04:00", "2020-01-01 00:05:00 to 2020-01-01 00:09:00"],
        ),
        (
            pd.to_timedelta(ROWS % 20, "h"),
            ["0 days 00:00:00 to 0 days 04:00:00", "0 days 05:00:00 to 0 days 09:00:00"],
        ),
        (pd.array(ROWS % 100, dtype="Int64"), ["0 to 24", "25 to 49", "50 to 74", "75 to 99"]),
        (ROWS % 3 * 1.5, ["0", "1.5", "3"]),
        (ROWS % 2 == 0, ["False", "True"]),
        ([1, "1"] * (N // 2), ["1 (int)", "1 (str)"]),
        (["missing", None] * (N // 2), ["missing", "no value"]),
        (["missing", "no value", None] * (N // 3), ["missing", "no value", "(no value)"]),
    ],
)
def test_groups_have_names_that_are_true_and_their_own(values: Any, texts: list[str]) -> None:
    found = by(values)
    assert list(found.index)[: len(texts)] == texts
    assert found.index.is_unique
    assert len(found) <= 4
    assert found["rows"].sum() == N


def test_missing_values_of_ranges_are_a_group() -> None:
    gaps = pd.Series(ROWS % 100, dtype="Int64").mask(ROWS % 7 == 0)
    found = by(gaps)
    assert found.loc["missing", "rows"] == gaps.isna().sum()
    assert len(found) == 5


def test_the_largest_groups_are_kept() -> None:
    sizes = np.repeat(np.arange(30), np.r_[np.arange(1, 30), N - 435])
    found = by(sizes.astype(str))
    assert list(found.index) == [*(str(number) for number in range(29, 18, -1)), "others"]
    assert list(found["rows"])[:2] == [N - 435, 29]
    named = by(np.where(sizes == 29, "others", sizes.astype(str)))
    assert (named.index[0], named.index[-1]) == ("others", "all others")


@pytest.mark.parametrize(
    "values, order",
    [
        (np.array(["b", "c", "a"])[ROWS % 3], ["a", "b", "c"]),
        (np.array([10, 9, 2])[ROWS % 3], ["2", "9", "10"]),
        (np.array([3, "x", 1], dtype=object)[ROWS % 3], ["3", "x", "1"]),
        (
            pd.Categorical.from_codes(ROWS % 3, ["low", "high", "medium"]),
            ["high", "low", "medium"],
        ),
        (
            pd.Categorical.from_codes((ROWS + 2) % 3, ["low", "medium", "high"], ordered=True),
            ["low", "medium", "high"],
        ),
        (pd.Series([None, "b", "a"] * (N // 3)), ["a", "b", "missing"]),
    ],
)
def test_groups_are_sorted_if_they_can_be(values: Any, order: list[str]) -> None:
    assert list(by(values).index) == order


def test_a_series_is_named_after_its_column() -> None:
    assert by(pd.Series(X["sex"], name=0)).index.name == "0"
    assert by(X["sex"].to_numpy()).index.name == "group"


@pytest.mark.parametrize(
    "values, says",
    [
        (pd.Series([[1]] * N), "by holds values of the type list, which cannot be told apart"),
        (pd.Series([([1], 2)] * N), "by holds values of the type tuple"),
        (["age", "height"], "by='height' is not a column of the table"),
        (["weight", "height"], "by has 2 entries, its table has 3000 rows"),
        (np.ones((N, 2)), "by is an array of 2 columns without names"),
        (np.ones((N, 1, 1)), "by has the shape .*: one value for each row is needed"),
    ],
)
def test_a_grouping_that_is_wrong_is_said(values: Any, says: str) -> None:
    with pytest.raises(imd.InputError, match=says):
        by(values)


def test_groups_of_lists_are_said() -> None:
    with pytest.raises(imd.InputError, match="groups holds values of the type list"):
        imd.diff(OLD, NEW, X, groups=pd.Series([[1]] * N))


def test_the_command_line_takes_them(tmp_path: Path) -> None:
    from imd_widget.cli import main

    path = tmp_path / "scored.csv"
    X.assign(old=OLD, new=NEW).to_csv(path, index=False)
    out = tmp_path / "d.json"
    arguments = ["diff", str(path), "--m1", "old", "--m2", "new", "-o", str(out), "--quiet"]
    assert main([*arguments, "--groups", "user", "--by", "sex", "--measure", "cv"]) == 0
    d = imd.load(out)
    assert d.metrics.measured_by == "cv"
    assert d.by is not None
    assert "user" not in d.column_names


def test_groups_have_a_direction() -> None:
    """How the rows of a group differ, and what is fixed and broken, counted naively."""
    random = np.random.default_rng(0)
    old, new = (random.choice(["go", "stay", "turn"], N) for _ in range(2))
    y = random.choice(["go", "stay", "turn"], N)
    weight = random.integers(0, 3, N).astype(float)
    d = imd.diff(old, new, X, y=y, by="sex", sample_weight=weight)
    assert d.group_rates is not None
    for group in d.group_rates.groups:
        of = (X["sex"] == group.value).to_numpy() & (weight > 0)
        moved = pd.Series([f"{a} -> {b}" for a, b in zip(old, new, strict=True)])
        counts = moved[of & (old != new)].value_counts()
        total = weight[of & (old != new)].sum()
        assert len(group.ways) == 3
        for way in group.ways:
            assert way.rows == counts[way.text]
            there = of & (moved == way.text).to_numpy()
            assert way.share == pytest.approx(weight[there].sum() / total)
        shares = [way.share for way in group.ways]
        assert shares == sorted(shares, reverse=True)
        right, unit = group.correctness, weight[weight > 0].sum() / (weight > 0).sum()
        assert right is not None
        assert right.fixes == pytest.approx(weight[of & (new == y) & (old != y)].sum() / unit)
        assert right.breaks == pytest.approx(weight[of & (old == y) & (new != y)].sum() / unit)
        assert right.net_share_interval is not None
    frame = d.by
    assert frame is not None
    assert frame.loc["f", "ways"].count(" -> ") == 3
    assert (frame["net_rate_low"] <= frame["net_rate"]).all()


def test_numbers_go_up_or_down_in_a_group() -> None:
    base = X["age"].to_numpy(dtype=float)
    moved = base + np.where(X["sex"] == "f", 5.0, -5.0)
    d = imd.diff(base, moved, X[["sex"]], by="sex", outputs="value", tolerance=1)
    assert d.group_rates is not None
    ways = {group.value: [way.text for way in group.ways] for group in d.group_rates.groups}
    assert ways == {"f": ["higher"], "m": ["lower"]}


def test_groups_of_several_columns() -> None:
    together = by(["sex", "age"])
    assert together.index.name == "sex, age"
    assert together["rows"].sum() == N
    ages = by("age").index
    assert set(together.index) == {f"{sex}, {age}" for sex in "fm" for age in ages}
    pd.testing.assert_frame_equal(together, by(X[["sex", "age"]]))
    pd.testing.assert_frame_equal(by(["sex"]), by("sex"))
    many = by(["sex", "age", "user"])
    assert len(many) == 24
    assert many.index[-1] == "others"
    assert many["rows"].sum() == N


def test_direction_and_groups_are_in_every_file(tmp_path: Path, capsys: Any) -> None:
    import json

    from imd_widget.cli import main

    path = tmp_path / "scored.csv"
    X.assign(old=OLD, new=NEW, y=OLD).to_csv(path, index=False)
    files = [tmp_path / f"d.{suffix}" for suffix in ("json", "md", "csv")]
    outputs = [part for file in files for part in ("-o", str(file))]
    command = ["diff", str(path), "--m1", "old", "--m2", "new", "--y", "y", "--quiet", *outputs]
    # a column that rules may not use can be one of the groups
    assert main([*command, "--by", "sex", "user", "--drop", "user"]) == 0
    out = capsys.readouterr().out
    assert "Rows that differ, by sex, user:" in out
    assert " -> " in out.split("Rows that differ")[1]
    assert "breaks" in out.split("Rows that differ")[1]
    loaded = imd.load(files[0])
    assert loaded.group_rates is not None
    assert any(group.ways for group in loaded.group_rates.groups)
    inside = out.split("Share of the rows that differ, by sex, user:")[1]
    rates = inside.splitlines()[1].removeprefix("  all rows: ").split("; ")
    assert len(rates) == len(imd.load(files[0]).by)
    assert all(re.fullmatch(r"[^:]+: (no rows|[^:]+ % of \d+)", rate) for rate in rates)
    assert "| sex, user | rows | differ | how | fixes | breaks | net |" in files[1].read_text(
        encoding="utf-8"
    )
    csv = files[2].read_text(encoding="utf-8")
    assert re.search("sex is f and user is [^,]+: how,", csv)
    assert main([*command[:9], "--by", "sex", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    [group] = [group for group in report["by"]["groups"] if group["ways"]]
    assert group["correctness"]["net_share_interval"]
    view = imd.load(files[0]).to_dict()
    assert any(group["ways"] for group in view["by"]["groups"])
    assert main([*command[:9], "--by", "sxe"]) == 2
    assert "--by: " in capsys.readouterr().err
