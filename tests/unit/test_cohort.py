"""A cohort of the user's own, measured as a rule is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import imd_widget as imd

RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 90, 800),
        "job": RNG.choice(["cook", "nurse"], 800),
        "hours per week": RNG.integers(10, 60, 800),
    },
    index=[f"r{i}" for i in range(800)],
)
OLD = (X["age"] > 40).to_numpy(int)
NEW = np.where(X["job"] == "nurse", 1 - OLD, OLD) * (X["age"] > 25).to_numpy()
CONDITION = "age < 30 and job == 'nurse'"
INSIDE = ((X["age"] < 30) & (X["job"] == "nurse")).to_numpy()


@pytest.fixture(scope="module")
def d() -> imd.ModelDiff:
    return imd.diff(OLD, NEW, X, y=OLD, names=("old", "new"))


def test_it_is_counted(d: imd.ModelDiff) -> None:
    found = d.cohort(CONDITION)
    differs = OLD != NEW
    np.testing.assert_array_equal(found.mask, INSIDE)
    assert (found.rows, found.differing) == (INSIDE.sum(), (INSIDE & differs).sum())
    assert found.rate == pytest.approx(differs[INSIDE].mean())
    assert found.outside_rate == pytest.approx(differs[~INSIDE].mean())
    assert found.coverage == pytest.approx((INSIDE & differs).sum() / differs.sum())
    assert found.interval[0] <= found.rate <= found.interval[1]
    assert found.right is not None
    assert found.right.breaks == (INSIDE & differs).sum()
    assert str(found).startswith(f"{CONDITION}: {found.differing} of {found.rows} rows differ (")


def test_a_rule_as_a_cohort_is_the_rule(d: imd.ModelDiff) -> None:
    for rule in d.rules:
        found = d.cohort(rule.to_query())
        np.testing.assert_array_equal(found.mask, rule.mask(X))
        if d.metrics.measured_by == "cv":
            assert (found.rows, found.differing) == (rule.support, rule.differing)
            assert found.interval == rule.interval
        by_mask = d.cohort(rule.mask(X))
        assert (by_mask.rows, by_mask.rate) == (found.rows, found.rate)


def test_any_table_and_any_name() -> None:
    frame = pl.from_pandas(X.reset_index(drop=True))
    found = imd.diff(OLD, NEW, frame).cohort("`hours per week` >= 40 and job != 'cook'")
    expected = (X["hours per week"] >= 40) & (X["job"] != "cook")
    np.testing.assert_array_equal(found.mask, expected)
    nothing = imd.diff(OLD, NEW, X).cohort("age > 1000")
    assert (nothing.rows, str(nothing)) == (0, "age > 1000: no row")


@pytest.mark.parametrize(
    "condition, says",
    [
        ("income > 5", "cannot be used.*'income' is not defined.*The columns are age, job"),
        ("age <", "cannot be used.*written as for DataFrame.query"),
        ("@open", "cannot be used"),
        (np.ones(3, bool), "shape \\(3,\\).*one True or False for each of the 800 rows"),
        (np.ones(800), "an array of float64"),
    ],
)
def test_a_condition_that_is_wrong_is_said(d: imd.ModelDiff, condition: Any, says: str) -> None:
    with pytest.raises(imd.InputError, match=f"(?s){says}"):
        d.cohort(condition)


def test_weights_count(d: imd.ModelDiff) -> None:
    weight = np.where(INSIDE, 0.0, 1.0)
    found = imd.diff(OLD, NEW, X, sample_weight=weight).cohort(CONDITION)
    assert found.rows == 0
    assert np.isnan(found.rate)


def test_the_cross_table_counts_all_rows(d: imd.ModelDiff) -> None:
    table = d.crosstab
    assert table is not None
    expected = pd.crosstab(OLD, NEW)
    np.testing.assert_array_equal(table.to_numpy(), expected.to_numpy())
    assert (table.index.name, table.columns.name) == ("old", "new")
    assert imd.diff(OLD * 1.5, NEW * 2.5, X, outputs="value").crosstab is None


def test_histograms_part_the_rows(d: imd.ModelDiff) -> None:
    for number, rule in enumerate(d.rules):
        inside = rule.mask(X)
        found = d.histograms([number])
        assert {one.column for one in found} == {c.column for c in rule.conditions}
        for one in found:
            assert sum(one.inside) == inside.sum()
            assert sum(one.outside) == (~inside).sum()
            assert sum(one.inside_differing) == (inside & d.differs).sum()
            assert sum(one.outside_differing) == (~inside & d.differs).sum()
            sizes = {len(one.labels), len(one.inside), len(one.outside_differing)}
            assert len(sizes) == 1
            if one.column == "age":
                assert one.labels[0].startswith("<")
    with pytest.raises(imd.InputError, match="there is no rule 99"):
        d.histograms([99])
