"""Weights outside the fit: a whole weight repeats a row, and a row of weight 0 is not there.

Numbers of rows, and intervals, count rows and not weights: they are compared only where rows of
weight 0 are added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd

N = 600
RNG = np.random.default_rng(3)
X = pd.DataFrame(
    {
        "a": RNG.integers(0, 10, N),
        "b": RNG.integers(0, 6, N).astype(float),
        "c": RNG.choice(["u", "v", "w"], N),
        "z": RNG.random(N),
    }
)
#: Rows with a small z weigh more, so that hardly any figure is the same without weights.
WEIGHT = np.where(X["z"] < 0.4, RNG.integers(1, 5, N), RNG.integers(0, 2, N))
TIMES = np.repeat(np.arange(N), WEIGHT)
#: Rows of weight 0 that would change every figure if they counted.
ODD = pd.DataFrame({"a": 9, "b": 99.0, "c": "u", "z": np.linspace(0, 1, 200)})
ASIDE = np.arange(N) % 3 == 0


def first(table: pd.DataFrame) -> Any:
    return np.select([table["a"] > 6, table["a"] > 3], ["high", "middle"], "low")


def second(table: pd.DataFrame) -> Any:
    """Another class at one end and, now and then, elsewhere."""
    own = np.where((table["a"] > 6) & (table["c"] == "u") & (table["z"] < 0.7), "low", first(table))
    return np.where((table["z"] < 0.05) | (table["b"] > 50), "middle", own)


def first_value(table: pd.DataFrame) -> Any:
    return table["a"] * 1.5 + table["b"]


def second_value(table: pd.DataFrame) -> Any:
    apart = np.where((table["a"] > 6) & (table["c"] == "u"), 4 + table["z"], table["z"] / 9)
    return first_value(table) + apart


#: Models, the truth and options of a diff of each kind.
KINDS: Mapping[str, tuple[Any, Any, Callable[[pd.DataFrame], Any], dict[str, Any]]] = {
    "class": (first, second, lambda t: np.where(t["z"] < 0.5, first(t), second(t)), {}),
    "value": (
        first_value,
        second_value,
        lambda t: first_value(t) + np.where(t["z"] < 0.3, 0, 4.5),
        {"outputs": "value", "tolerance": 1.0},
    ),
}
CONDITION = "a > 4 and c != 'w'"
kinds = pytest.mark.parametrize("kind", KINDS)


def made(kind: str, table: pd.DataFrame, **options: Any) -> imd.ModelDiff:
    m1, m2, truth, own = KINDS[kind]
    options = {"measure": "none", "columns": ["a", "b", "c"], "max_rules": 1, **options}
    return imd.diff(m1, m2, table, y=truth(table), **own, **options)


def with_odd(values: Any, odd: Any) -> np.ndarray[Any, Any]:
    return np.concatenate([values, np.full(len(ODD), odd)])


def shares(d: imd.ModelDiff) -> dict[str, Any]:
    """Every figure of a diff that is a share or a mean.

    Not the fidelity of the surrogates, which grow by numbers of rows.
    """
    assert d.rules
    cohort, found = d.cohort(CONDITION), d.group_rates
    assert found is not None
    metrics = {name: value for name, value in asdict(d.metrics).items() if isinstance(value, float)}
    return {
        "metrics": metrics,
        "right": [_right(d.right), _right(d.holdout_right)],
        "rules": [_rule(rule) for rule in d.rules],
        "by": [group.rate for rows in (found.groups, *found.rules) for group in rows],
        "groups": [group.value for group in found.groups],
        "cohort": [cohort.rate, cohort.outside_rate, cohort.coverage, _right(cohort.right)],
        "outcomes": {outcome.said: outcome.share for outcome in cohort.outcomes},
    }


def _rule(rule: imd.Rule) -> dict[str, Any]:
    differing = rule.differing_weight
    return {
        "text": [str(condition) for condition in rule.conditions],
        "said": rule.said,
        "shares": [rule.rate, rule.holdout_rate, rule.outcome_share, rule.coverage],
        "others": [(other.said, other.share) for other in rule.other_outcomes],
        "ways": [None if n is None else n / differing for n in (rule.up, rule.down)],
        "right": [_right(rule.right), _right(rule.holdout_right)],
    }


def _right(right: Any) -> Any:
    if right is None or not right.known:
        return None
    parts = right.both, right.first, right.second, right.neither
    return [*(part / right.known for part in parts), *(right.errors or ())]


def flat(value: Any) -> list[Any]:
    """The numbers and texts in a nested value, in order."""
    if isinstance(value, dict):
        value = [part for key in sorted(value) for part in (str(key), value[key])]
    if isinstance(value, list | tuple | np.ndarray):
        return [part for one in value for part in flat(one)]
    return [np.nan if value is None else value]


def assert_same(found: Any, expected: Any) -> None:
    found, expected = flat(found), flat(expected)
    texts = [[part for part in own if isinstance(part, str)] for own in (found, expected)]
    assert texts[0] == texts[1]
    numbers = [[part for part in own if not isinstance(part, str)] for own in (found, expected)]
    np.testing.assert_allclose(*numbers, rtol=1e-9, atol=1e-12)


@kinds
@pytest.mark.parametrize("by", ["c", "z", "b"])
@pytest.mark.parametrize("holdout", [False, True])
def test_a_whole_weight_repeats_the_row(kind: str, by: str, holdout: bool) -> None:
    aside: dict[str, Any] = {"holdout": ASIDE, "measure": "holdout"} if holdout else {}
    again: dict[str, Any] = {**aside, "holdout": ASIDE[TIMES]} if holdout else {}
    weighted = made(kind, X, by=by, sample_weight=WEIGHT, **aside)
    repeated = made(kind, X.iloc[TIMES].reset_index(drop=True), by=by, **again)
    assert_same(shares(weighted), shares(repeated))
    alone = made(kind, X, by=by, **aside)
    assert flat(shares(alone)["cohort"]) != pytest.approx(flat(shares(weighted)["cohort"]))


@kinds
def test_only_the_proportions_of_weights_matter(kind: str) -> None:
    one, other = (made(kind, X, by="z", sample_weight=WEIGHT * scale) for scale in (1, 0.37))
    assert_same(shares(one), shares(other))
    assert one.cohort(CONDITION).interval == other.cohort(CONDITION).interval


#: Options that choose rows by their numbers, which rows after them do not change.
CHOOSING: tuple[dict[str, Any], ...] = (
    {"measure": "none"},
    {"measure": "holdout"},
    {"measure": "cv"},
    {"measure": "holdout", "groups": "g"},
    {"measure": "cv", "groups": "g"},
)


@kinds
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", CHOOSING, ids=str)
def test_rows_of_weight_0_change_nothing(
    kind: str, weighted: bool, options: dict[str, Any]
) -> None:
    own = WEIGHT + 1 if weighted else np.ones(N)
    if "groups" in options:
        options = {**options, "groups": np.arange(N) // 5}
    more = {**options, "sample_weight": with_odd(own, 0)}
    if "groups" in options:
        more["groups"] = with_odd(options["groups"], 7)
    alone = made(kind, X, by="z", sample_weight=own, **options)
    added = made(kind, pd.concat([X, ODD], ignore_index=True), by="z", **more)
    assert_same(shares(added), shares(alone))
    # what counts rows, too
    assert asdict(added.metrics) == asdict(alone.metrics)
    assert added.rules == alone.rules
    assert added.group_rates == alone.group_rates
    assert added.summary() == alone.summary()
    assert added.right == alone.right
    np.testing.assert_array_equal(added.kept_aside[:N], alone.kept_aside)
    assert not added.kept_aside[N:].any()
    one, other = added.cohort(CONDITION), alone.cohort(CONDITION)
    assert (one.rows, one.differing, one.interval) == (other.rows, other.differing, other.interval)
    assert one.outcomes == other.outcomes
    pd.testing.assert_frame_equal(_frame(added.crosstab), _frame(alone.crosstab))
    assert added.histograms([0]) == alone.histograms([0])
    again = added.stability(3), alone.stability(3)
    assert again[0].found == again[1].found
    assert again[0].overlap == pytest.approx(again[1].overlap)


def _frame(frame: pd.DataFrame | None) -> pd.DataFrame:
    return pd.DataFrame() if frame is None else frame


@kinds
def test_uneven_weights_and_groups_widen_every_interval(kind: str) -> None:
    """Rows of one group are nearly as one row, and so are rows beside a row that weighs most."""
    together = X.assign(g=np.repeat(np.arange(N // 10), 10))
    together[["a", "b", "c", "z"]] = X.iloc[together["g"]].to_numpy()
    together = together.astype({"a": int, "b": float, "z": float})
    alone = made(kind, together, by="c")
    groups = made(kind, together, by="c", groups="g")
    uneven = np.where(np.arange(N) % 10 == 0, 1000.0, 1.0)
    weights = made(kind, together, by="c", sample_weight=uneven)
    for wide in (groups, weights):
        assert (_widths(wide) > 1.5 * _widths(alone)).all()


def _widths(d: imd.ModelDiff) -> Any:
    """How wide the interval of a cohort is, and that of each group."""
    found = d.group_rates
    assert found is not None
    intervals = [d.cohort("c == 'u'").interval, *(group.interval for group in found.groups)]
    return np.array([high - low for low, high in intervals])


def explained(d: imd.ModelDiff) -> dict[str, Any]:
    e = d.explain()
    curves = {
        str(own.column): [own.first, own.second, own.spread.difference, own.support, own.texts]
        for own in e.curves(None)
    }
    tree = e.surrogates.difference
    return {
        "columns": e.columns,
        "curves": curves,
        "importance": [e.importance.columns, e.importance.forest, e.importance.loco],
        "fidelity": e.fidelity.to_frame().to_numpy(),
        "tree": str(tree),
        "klime": e.surrogates.klime.models[0].coefficients,
    }


@kinds
def test_rows_of_weight_0_explain_nothing(kind: str) -> None:
    alone = made(kind, X, sample_weight=WEIGHT + 1)
    more = with_odd(WEIGHT + 1, 0)
    added = made(kind, pd.concat([X, ODD], ignore_index=True), sample_weight=more)
    assert_same(explained(added), explained(alone))


@kinds
@pytest.mark.parametrize("column", list(X))
def test_a_curve_is_that_of_the_repeated_rows(kind: str, column: str) -> None:
    grid = sorted(set(X[column]))[::3]
    every: dict[str, Any] = {"max_samples": 10_000, "max_calls": 10**7}
    weighted = made(kind, X, sample_weight=WEIGHT).explain(**every)
    repeated = made(kind, X.iloc[TIMES].reset_index(drop=True)).explain(**every)
    one, other = (own.partial_dependence(column, grid=grid) for own in (weighted, repeated))
    for name in ("first", "second", "difference", "support"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name))
    for name in ("first", "second", "difference"):
        spreads = getattr(one.spread, name), getattr(other.spread, name)
        np.testing.assert_allclose(*spreads, atol=1e-12)
    assert one.moves == pytest.approx(other.moves)
    assert one.apart == pytest.approx(other.apart)


def _about(column: str) -> Callable[[pd.DataFrame], Any]:
    """A model of rows with b = 0 alone, and one of the other rows."""
    return lambda table: np.where(table["b"] == 0, table["a"], table[column] * 20.0)


def test_the_order_of_columns_and_the_forests_are_by_weight() -> None:
    """The few rows with b = 0, where a matters, weigh nearly everything."""
    options: dict[str, Any] = {"outputs": "value", "measure": "none"}
    light = np.where(X["b"] == 0, 1e6, 1)
    found, unweighted = (
        imd.diff(_about("z"), lambda table: table["b"] * 0.0, X, sample_weight=own, **options)
        for own in (light, None)
    )
    first, second = found.explain(), unweighted.explain()
    assert first.columns.index("a") < first.columns.index("z")
    assert second.columns.index("z") < second.columns.index("a")
    assert first.importance.columns[0] == "a"
    assert second.importance.columns[0] == "z"
    shares_of_a = [own.importance.to_frame().iloc[:, 0]["a"] for own in (first, second)]
    assert shares_of_a[0] > 0.5 > shares_of_a[1]


COMPARED = {"one": first, "two": second, "three": lambda t: np.where(t["z"] < 0.2, "low", first(t))}
VALUES = {"one": first_value, "two": second_value, "three": lambda t: first_value(t) + 2 * t["z"]}
SEVERAL = {"class": (COMPARED, {}), "value": (VALUES, {"outputs": "value", "tolerance": 1.0})}


def compared(kind: str, table: pd.DataFrame, **options: Any) -> imd.ModelComparison:
    models, own = SEVERAL[kind]
    truth = pd.Series(KINDS[kind][2](table))
    return imd.compare(
        models, table, y=truth.mask(table["z"] > 0.9), measure="none", **own, **options
    )


@kinds
def test_a_whole_weight_repeats_the_row_in_a_comparison(kind: str) -> None:
    weighted = compared(kind, X, sample_weight=WEIGHT)
    repeated = compared(kind, X.iloc[TIMES].reset_index(drop=True))
    pd.testing.assert_frame_equal(weighted.disagreement, repeated.disagreement)
    assert weighted.scores is not None
    pd.testing.assert_frame_equal(weighted.scores, _frame(repeated.scores))
    assert (weighted.order, weighted.largest()) == (repeated.order, repeated.largest())


@kinds
def test_rows_of_weight_0_change_no_comparison(kind: str) -> None:
    alone = compared(kind, X, sample_weight=WEIGHT + 1)
    table = pd.concat([X, ODD], ignore_index=True)
    added = compared(kind, table, sample_weight=with_odd(WEIGHT + 1, 0))
    for name in ("disagreement", "n_differing", "scores", "fixes"):
        pd.testing.assert_frame_equal(getattr(added, name), getattr(alone, name))
    assert added.summary() == alone.summary()
    assert added.n_rows == N
