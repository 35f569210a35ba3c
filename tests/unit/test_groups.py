"""Rows that belong together, and groups whose rates are reported."""

from __future__ import annotations

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
