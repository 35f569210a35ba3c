"""A cohort of the user's own, measured as a rule is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from tests.examples import examples

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
    "given, condition",
    [
        ("age<30", "age < 30"),
        (' age>=30&(job=="cook") ', "age >= 30 and job == 'cook'"),
        ("`hours per week`<40 or\nage in{20,21}", "`hours per week` < 40 or age in {20, 21}"),
    ],
)
def test_a_condition_has_a_normal_form(d: imd.ModelDiff, given: str, condition: str) -> None:
    found = d.cohort(given)
    assert found.condition == condition
    np.testing.assert_array_equal(found.mask, d.cohort(condition).mask)
    assert str(found).startswith(f"{condition}: ")


def test_a_name_with_a_backtick_can_be_read_again() -> None:
    found = imd.diff(OLD, NEW, X.rename(columns={"age": "a`ge"})).cohort("`a``ge`<30")
    assert found.condition == "`a``ge` < 30"
    assert found.explain().selection.text == found.condition


def test_numbers_of_rows_have_separators() -> None:
    many = pd.DataFrame({"age": np.arange(3_000)})
    found = imd.diff(many["age"] < 2_000, many["age"] < 0, many).cohort("age<2500")
    assert str(found).startswith("age < 2500: 2,000 of 2,500 rows differ (80 %, ")
    assert found.to_markdown().startswith("age \\< 2500: 2,000 of 2,500 rows differ (80 %, ")


@pytest.mark.parametrize(
    "condition, says",
    [
        ("income > 5", "cannot be used: there is no column 'income'.*The columns are age, job"),
        ("`pay per hour` > 5", "there is no column 'pay per hour'"),
        ("age <", "cannot be used: it is not an expression.*written as for DataFrame.query"),
        (
            "hours per week >= 40 and age < 30",
            "a name with spaces stands in backticks. Write '`hours per week` >= 40 and age < 30'.",
        ),
        ("age < 'young'", "cannot be used: TypeError"),
        ("'cook' in job", "in needs a column on its left and a list of values"),
        ("job in 'cook'", "in needs a column on its left and a list of values"),
        ("1 < 2", "1 < 2 does not depend on a column"),
        ("1", "1 is a single value, and a condition is True or False for each row"),
        ("age", "Compare it with a value: age > 0"),
        ("age % 2", "Compare it with a value: age % 2 == 1"),
        ("not age", "Compare it with a value: age > 0"),
        ("age and job == 'cook'", "Compare it with a value: age > 0"),
        ("job == 'cook' | `hours per week`", "with a value: `hours per week` > 0"),
        ("job", "job is a column of values.*Compare it with a value: job == '(nurse|cook)'"),
        ("", "cannot be used: it is not an expression"),
        ("@open", "cannot be used"),
        (np.ones(3, bool), "shape \\(3,\\).*one True or False for each of the 800 rows"),
        (np.ones(800), "an array of float64"),
    ],
)
def test_a_condition_that_is_wrong_is_said(d: imd.ModelDiff, condition: Any, says: str) -> None:
    with pytest.raises(imd.InputError, match=f"(?s){says}"):
        d.cohort(condition)


#: Every kind of expression that a condition may have, with rows inside and outside.
ALLOWED = [
    "age < 30",
    "18 < age <= 60 and job == 'nurse'",
    "age < 30 & job == 'nurse' | age > 70",
    "~(age < 30) and not job == 'nurse'",
    "job in ['nurse', 'baker'] and age not in [30, 31]",
    "job == ['nurse', 'baker']",
    "`hours per week` * 52 - age > 1000 or -age > -25",
    "age ** 2 / 3 > 500 and age // 10 % 2 == 1",
    "abs(age - 50) < 10",
    "pay.isna() or pay > 30.5",
    "pay.notna() and pay.between(20, 40)",
    "age.isin([20, 21, 22])",
    "job.str.contains('oo') or job.str.startswith('nu', na=False)",
    "job.str.upper().str.endswith('SE')",
    "day >= '2021-03-01' and day.dt.month == 3",
    "member or age > 80",
    "not maybe and age > 20",
    "index < 5",
    "index == index or index != index",
    "`it's` == 'a `b` \\x5c' or `it's` == \"&|\"",
    "pay < inf",
]
EVERY_KIND = X.reset_index(drop=True).assign(
    pay=np.where(RNG.random(800) < 0.2, np.nan, RNG.normal(30, 9, 800)),
    day=pd.date_range("2021-01-01", periods=800, freq="3h"),
    member=RNG.random(800) < 0.3,
    maybe=pd.Series(RNG.choice([True, False, None], 800), dtype="boolean"),
    **{"it's": RNG.choice(["a `b` \\", "&|", "c"], 800)},
)


@pytest.mark.parametrize("condition", ALLOWED)
def test_a_condition_holds_for_the_rows_of_a_pandas_query(condition: str) -> None:
    d = imd.diff(OLD, NEW, EVERY_KIND)
    expected = EVERY_KIND.query(condition, engine="python").index
    assert len(expected) > 0
    np.testing.assert_array_equal(np.flatnonzero(d.cohort(condition).mask), expected)


def test_a_list_of_dates_is_compared_as_dates() -> None:
    d = imd.diff(OLD, NEW, EVERY_KIND)
    found = d.cohort("day in ['2021-01-01', '2021-01-02 03:00']").mask
    np.testing.assert_array_equal(np.flatnonzero(found), [0, 9])


@settings(max_examples=examples(60))
@given(
    st.recursive(
        st.sampled_from(["age", "job", "pay", "day", "member", "3", "'x'", "[1, 2]", "index"]),
        lambda parts: (
            st.tuples(parts, st.sampled_from(["+", "*", "<", "in", "and", "|"]), parts).map(
                lambda three: f"({' '.join(three)})"
            )
            | parts.map(lambda part: f"not {part}")
            | parts.map(lambda part: f"{part}.isna()")
        ),
        max_leaves=5,
    )
)
def test_a_condition_is_boolean_or_refused(condition: str) -> None:
    """Whatever is written, rows come only from values that are True or False for each row."""
    d = imd.diff(OLD, NEW, EVERY_KIND)
    try:
        mask = d.cohort(condition).mask
    except imd.InputError:
        return
    assert mask.dtype == bool
    try:
        held = EVERY_KIND.eval(condition, engine="python")
    except TypeError:  # pandas' own expressions cannot add texts
        return
    assert pd.api.types.is_bool_dtype(pd.Series(held).dtype)
    np.testing.assert_array_equal(mask, held)


def test_a_column_of_booleans_is_a_condition() -> None:
    flags = pd.Series(RNG.choice([True, False, None], 800), dtype=object)
    d = imd.diff(OLD, NEW, X.reset_index(drop=True).assign(flag=flags, sure=flags == True))  # noqa: E712
    for name in ("flag", "sure"):
        np.testing.assert_array_equal(d.cohort(name).mask, flags.eq(True))
    np.testing.assert_array_equal(d.cohort(pd.Series(flags)).mask, flags.eq(True))
    np.testing.assert_array_equal(d.cohort("not flag").mask, flags.eq(False))


#: What is no condition, though Python or pandas would run it.
CODE = [
    "age.to_csv({path!r})",
    "age.to_frame().to_csv({path!r}) == 1",
    "job.str.cat(age).to_csv({path!r})",
    "open({path!r}, 'w')",
    "(lambda: open({path!r}, 'w'))()",
    "[open({path!r}, 'w') for _ in [1]]",
    "__import__('os').system('touch {path}')",
    "age.__class__.__init__.__globals__",
    "age.apply(print)",
    "age.map(list)",
    "age.eval('1')",
    "age.isna(*[1])",
    "age.isna(**{{}})",
    "age.between(age, age)",
    "job.str.replace('a', 'b') == 'b'",
    "day.dt.to_pydatetime()",
    "f'{{age}}' == 1",
    "(age := 3) > 1",
    "'x' * 10000000000 == job",
    "job * 10000000000 == 'x'",
    "9 ** 9 ** 9 ** 9 > age",
    "age.values == 1",
    "age[0] == 1",
    "age if age else age",
    "age < 3; age > 5",
]


@pytest.mark.parametrize("code", CODE)
def test_a_condition_runs_no_code(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither from Python nor as a message of the front-end."""
    path = tmp_path / "written.csv"
    condition = code.format(path=str(path))
    d = imd.diff(OLD, NEW, EVERY_KIND)
    with pytest.raises(imd.InputError, match="cannot be used"):
        d.cohort(condition)
    widget = imd.DiffWidget(d, picture=False)
    sent: list[Any] = []
    monkeypatch.setattr(widget, "send", sent.append)
    widget._handle_custom_msg({"kind": "cohort", "id": 1, "condition": condition}, [])
    assert "cannot be used" in str(sent[-1]["error"])
    assert not path.exists()


def test_what_is_allowed_is_said(d: imd.ModelDiff) -> None:
    says = (
        r"age.to_csv\('x'\) is not allowed. A condition has comparisons .*, arithmetic, and, or, "
        r"not, and the methods .*isna.*str.contains.*dt.year"
    )
    with pytest.raises(imd.InputError, match=says):
        d.cohort("age.to_csv('x')")


def test_all_rows_have_no_rate_outside(d: imd.ModelDiff) -> None:
    everybody = d.cohort("age > 0")
    assert np.isnan(everybody.outside_rate)
    assert str(everybody).endswith("; no row is outside)")
    assert "nan" not in str(everybody)


def test_a_mask_with_the_index_in_another_order_is_remarked(d: imd.ModelDiff) -> None:
    inside = X["age"] < 30
    assert d.cohort(inside).rows == inside.sum()
    with pytest.warns(imd.InputWarning, match="condition has the index of X in a different order"):
        d.cohort(inside.sort_values())


def test_weights_count(d: imd.ModelDiff) -> None:
    weight = np.where(INSIDE, 0.0, 1.0)
    found = imd.diff(OLD, NEW, X, sample_weight=weight).cohort(CONDITION)
    assert found.rows == 0
    assert np.isnan(found.rate)


def test_outcomes_are_shares_of_its_own_differing_rows(d: imd.ModelDiff) -> None:
    found = d.cohort("job == 'nurse' and age > 35")
    inside = ((X["job"] == "nurse") & (X["age"] > 35)).to_numpy() & (OLD != NEW)
    assert 0 < inside.sum() < (OLD != NEW).sum()
    expected = {
        (str(one), str(1 - one)): (OLD[inside] == one).mean() for one in set(OLD[inside].tolist())
    }
    assert {outcome.said: outcome.share for outcome in found.outcomes} == pytest.approx(expected)


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
