"""Intervals of shares: Wilson's, and how weights and groups widen them."""

from __future__ import annotations

import json
import math
from math import comb
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import imd_widget as imd
from imd_widget._base.intervals import (
    UNKNOWN,
    SampleSize,
    Spread,
    corrected_share,
    sample_size,
    share_interval,
    wilson,
    with_spread,
)
from imd_widget.comparison import cross_fit
from imd_widget.comparison.cross_fit import CrossFit, Fold, RowRules
from imd_widget.export.json_format.diff_reading import diff_of
from imd_widget.export.markdown import report
from imd_widget.export.plain_html import rule_tables
from tests.unit.test_json_format import file_text


@given(st.integers(1, 400), st.data())
def test_it_is_the_interval_of_scipy(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    expected = binomtest(k, n).proportion_ci(0.95, method="wilson")
    assert wilson(k / n, n) == pytest.approx((expected.low, expected.high), abs=1e-9)


@given(st.floats(0, 1), st.floats(0, 1e6))
def test_it_holds_the_share(share: float, n: float) -> None:
    low, high = wilson(share, n)
    assert 0 <= low <= share <= high <= 1


def test_nothing_is_known_of_no_row() -> None:
    assert wilson(float("nan"), 0) == (0.0, 1.0)


def test_it_covers_the_share_about_as_often_as_it_says() -> None:
    n, share = 40, 0.3
    chance = [comb(n, k) * share**k * (1 - share) ** (n - k) for k in range(n + 1)]
    held = [low <= share <= high for low, high in (wilson(k / n, n) for k in range(n + 1))]
    assert np.dot(chance, held) == pytest.approx(0.95, abs=0.02)


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_independent_rows_of_one_weight_count_in_full(events: list[bool]) -> None:
    event = np.array(events)
    full = SampleSize(len(event))
    assert sample_size(event) == full
    assert sample_size(event, np.full(len(event), 3.5)) == full


@given(st.lists(st.booleans(), min_size=2, max_size=30), st.integers(2, 6))
def test_copies_of_rows_add_no_information(events: list[bool], times: int) -> None:
    event = np.repeat(np.array(events), times)
    size = sample_size(event, groups=np.repeat(np.arange(len(events)), times))
    assert size.n <= len(events) + 1e-9
    assert size.n >= max(1.0, (len(events) - 1) - 1e-9)
    assert size.n_units == len(events)


ROWS = st.lists(
    st.tuples(st.booleans(), st.floats(0.01, 100), st.integers(0, 7)), min_size=2, max_size=40
)


@given(ROWS, st.booleans())
def test_size_and_degrees_are_those_of_the_matrices(
    rows: list[tuple[bool, float, int]], grouped: bool
) -> None:
    """The naive twin: residuals and their covariance written out as matrices."""
    event, weight, group = (np.array(values) for values in zip(*rows, strict=True))
    size = sample_size(event, weight, group if grouped else None)
    units = np.unique(group, return_inverse=True)[1] if grouped else np.arange(len(event))
    n_units = int(units.max()) + 1
    s, e = np.zeros(n_units), np.zeros(n_units)
    for unit, own, happened in zip(units, weight, event, strict=True):
        s[unit] += own
        e[unit] += own * happened
    if n_units == 1 or (not grouped and len(set(weight.tolist())) == 1):
        return
    b, p = s / s.sum(), e.sum() / s.sum()
    h = np.minimum(b, 0.95)
    variance = sum(((e - p * s) ** 2 / (1 - h)).tolist()) / s.sum() ** 2
    if 1e-9 < p < 1 - 1e-9 and variance > 0:
        assert size.n == pytest.approx(min(max(p * (1 - p) / variance, 1), len(event)))
    residual = np.eye(n_units) - np.outer(h, np.ones(n_units))
    covariance = np.diag(1 / (1 - h)) @ residual @ np.diag(b**2) @ residual.T
    degrees = np.trace(covariance) ** 2 / np.trace(covariance @ covariance)
    assert size.degrees == pytest.approx(max(degrees, 1.0), rel=1e-6)


@given(ROWS, st.booleans(), st.integers(1, 5))
def test_rows_of_weight_0_change_nothing(
    rows: list[tuple[bool, float, int]], grouped: bool, more: int
) -> None:
    event, weight, group = (np.array(values) for values in zip(*rows, strict=True))
    also = np.concatenate([event, np.ones(more, bool)]), np.concatenate([weight, np.zeros(more)])
    groups = np.concatenate([group, np.arange(more) + 3])
    with_them = sample_size(*also, groups if grouped else None)
    assert with_them == sample_size(event, weight, group if grouped else None)


def test_a_heavy_row_leaves_few_effective_ones() -> None:
    event = np.arange(100) % 2 == 0
    weight = np.ones(100)
    weight[0] = 1000
    size = sample_size(event, weight)
    assert size.n < 30 < sample_size(event).n == 100
    assert size.degrees < 2
    assert share_interval(0.5, size) == UNKNOWN


def test_two_groups_are_too_few_for_an_interval() -> None:
    event, groups = np.arange(400) % 3 == 0, np.arange(400) % 4
    assert share_interval(1 / 3, sample_size(event, groups=groups)) != UNKNOWN
    assert share_interval(1 / 3, sample_size(event, groups=groups % 2)) == UNKNOWN
    assert share_interval(1 / 3, sample_size(event, groups=0 * groups)) == UNKNOWN


@given(st.floats(0, 1), st.floats(1, 1e5), st.floats(2, 1e3), st.floats(1e-9, 0.2))
def test_more_variance_and_fewer_degrees_widen(
    share: float, n: float, degrees: float, variance: float
) -> None:
    def width(size: SampleSize, spread: Spread | None = None) -> float:
        low, high = share_interval(share, size, spread)
        assert 0 <= low <= share <= high <= 1
        return high - low

    known = width(SampleSize(n))
    assert known <= width(SampleSize(n, degrees)) + 1e-12
    assert known <= width(SampleSize(n), Spread(variance, np.inf)) + 1e-12
    assert known <= width(SampleSize(n), Spread(variance, degrees)) + 1e-12


def _folds(n: int, rules: list[list[int]]) -> CrossFit:
    """A cross-fit of ``n`` rows with the given rule of each row in each fold; -1: none."""
    none = RowRules(np.zeros(n, dtype=np.intp), 0)
    folds = []
    for number, own in enumerate(rules):
        held_out = np.arange(n) % len(rules) == number
        n_rules = max(own) + 1
        numbers = np.where(np.array(own) < 0, n_rules, own)
        folds.append(Fold(held_out, RowRules(numbers, n_rules), none))
    return CrossFit(np.arange(n, dtype=np.int32), tuple(folds), (1.0, 1.0))


NUMBERS = st.lists(st.integers(-1, 2), min_size=12, max_size=12)


@given(
    st.lists(NUMBERS, min_size=2, max_size=4),
    st.lists(st.booleans(), min_size=12, max_size=12),
    st.lists(st.booleans(), min_size=12, max_size=12),
    st.lists(st.integers(1, 5), min_size=12, max_size=12),
)
def test_a_matched_rate_is_that_of_the_most_similar_rules(
    rules: list[list[int]], inside: list[bool], differs: list[bool], weights: list[int]
) -> None:
    """The naive twin: sets of rows."""

    def amount(rows: set[int]) -> int:
        return sum(weights[row] for row in rows)

    mine = {row for row in range(12) if inside[row]}
    total = differing = 0
    rates = []
    for number, own in enumerate(rules):
        members = [{row for row in range(12) if own[row] == rule} for rule in range(max(own) + 1)]
        overlaps = [amount(mine & rows) / max(amount(mine | rows), 1) for rows in members]
        if not overlaps or max(overlaps) == 0:
            continue
        rows = members[overlaps.index(max(overlaps))]
        sizes = {row: weights[row] for row in rows}
        rates.append(sum(w for row, w in sizes.items() if differs[row]) / sum(sizes.values()))
        held_out = [row for row in rows if row % len(rules) == number]
        total += sum(weights[row] for row in held_out)
        differing += sum(weights[row] for row in held_out if differs[row])
    weight = np.array(weights, dtype=float)
    folds = _folds(12, rules)
    matched = folds.matched("rules", np.array(inside), weight)
    if len(rates) < 2 or not total:
        assert matched is None
        return
    assert matched is not None
    found = folds.matched_rate(matched, np.array(differs), weight)
    assert found.rate == pytest.approx(differing / total)
    assert found.spread.variance == pytest.approx(np.var(rates, ddof=1))
    assert found.spread.degrees == len(rates) - 1


@pytest.mark.parametrize("score, part", [("precision", 0.75), ("recall", 1.0)])
def test_the_spread_of_folds_is_a_part_of_the_jackknife_variance(score: Any, part: float) -> None:
    fit = _folds(12, [[0] * 6 + [-1] * 6, [0] * 3 + [-1] * 9, [-1] * 12])
    spread = fit.spread(score, lambda covered: float(covered.mean()))
    shares = np.array([0.5, 0.25, 0.0])
    assert spread.variance == pytest.approx(part * 2 / 3 * ((shares - shares.mean()) ** 2).sum())
    assert spread.degrees == 2


def _noisy(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.uniform(size=n)})
    return np.zeros(n, int), ((X["a"] > 0.7) & (rng.random(n) < 0.8)).to_numpy(int), X


def test_rules_and_metrics_carry_their_intervals() -> None:
    old, new, X = _noisy(2000)
    d = imd.diff(old, new, X)
    [rule] = d.rules
    assert rule.measured_rate == rule.holdout_rate
    assert rule.interval == rule.holdout_interval == wilson(rule.holdout_rate, rule.holdout_support)
    metrics = d.metrics
    assert metrics.precision_interval == wilson(metrics.precision, metrics.measured_claimed)
    assert metrics.recall_interval == wilson(metrics.recall, metrics.measured_differing)


def test_the_interval_of_a_rule_is_never_that_of_the_rows_used_to_fit() -> None:
    old, new, X = _noisy(150)
    folds = imd.diff(old, new, X, measure="cv").rules[0]
    assert folds.measured_rate is not None
    assert folds.interval[0] <= folds.measured_rate <= folds.interval[1]
    assert folds.holdout_interval == UNKNOWN
    assert f"{round(100 * folds.measured_rate)} % of held-out rows differ" in str(
        imd.diff(old, new, X, measure="cv").rules
    )
    fitted = imd.diff(old, new, X, measure="none").rules[0]
    assert fitted.measured_rate is None
    assert fitted.interval == UNKNOWN


def test_a_rule_that_is_luck_is_not_believed() -> None:
    """Nothing can be found: 15 % of the rows differ everywhere."""
    optimism = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.normal(size=(300, 3)), columns=list("abc"))
        new = (rng.random(300) < 0.15).astype(int)
        d = imd.diff(np.zeros(300, int), new, X, measure="cv", sensitivity=0.5)
        optimism += [
            (rule.rate - 0.15, rule.measured_rate - 0.15)
            for rule in d.rules
            if rule.measured_rate is not None
        ]
    fitted, measured = np.mean(optimism, axis=0)
    assert fitted > 0.1
    assert abs(measured) < 0.05


def test_few_groups_are_cross_fitted() -> None:
    old, new, X = _noisy(3000)
    assert imd.diff(old, new, X, groups=np.arange(3000) % 200).metrics.measured_by == "holdout"
    assert imd.diff(old, new, X, groups=np.arange(3000) % 40).metrics.measured_by == "cv"
    heavy = np.ones(3000)
    heavy[::100] = 10_000
    assert imd.diff(old, new, X, sample_weight=heavy).metrics.measured_by == "cv"


def test_too_few_groups_have_no_interval_and_the_headline_explains_why() -> None:
    old, new, X = _noisy(3000)
    d = imd.diff(old, new, X, groups=np.arange(3000) % 8, measure="holdout")
    assert len(set((np.arange(3000) % 8)[d.kept_aside])) == 2
    assert d.metrics.precision_interval == UNKNOWN
    assert d.rules[0].interval == UNKNOWN
    assert "No confidence interval: too few groups." in d.summary()


def test_groups_widen_what_depends_on_them() -> None:
    """Whether a user differs is a matter of the user: 40 users are 40 observations."""
    rng = np.random.default_rng(1)
    user = np.repeat(np.arange(40), 50)
    X = pd.DataFrame({"a": rng.uniform(size=2000), "b": rng.uniform(size=2000)})
    odd = rng.random(40) < 0.6
    new = ((X["a"] > 0.5) & odd[user]).to_numpy(int)
    plain = imd.diff(np.zeros(2000, int), new, X, columns=["a"])
    grouped = imd.diff(np.zeros(2000, int), new, X, columns=["a"], groups=user)
    narrow, wide = (d.metrics.precision_interval for d in (plain, grouped))
    assert narrow is not None
    assert wide is not None
    assert wide[1] - wide[0] > 2 * (narrow[1] - narrow[0])


@pytest.mark.parametrize("grouped", [False, True])
def test_metrics_and_rules_take_the_size_of_their_own_rows(grouped: bool) -> None:
    """The naive twin: masks of the rows kept aside."""
    old, new, X = _noisy(3000)
    rng = np.random.default_rng(5)
    weight, user = rng.exponential(size=3000), rng.integers(0, 200, 3000)
    groups = user if grouped else None
    d = imd.diff(old, new, X, sample_weight=weight, groups=groups, measure="holdout")
    aside, differs, claimed = d.kept_aside, old != new, d.predict(X)

    def interval(rows: np.ndarray, event: np.ndarray) -> tuple[float, float]:
        share = weight[rows & event].sum() / weight[rows].sum()
        size = sample_size(event[rows], weight[rows], groups[rows] if grouped else None)
        return share_interval(float(share), size)

    assert d.metrics.precision_interval == pytest.approx(interval(aside & claimed, differs))
    assert d.metrics.recall_interval == pytest.approx(interval(aside & differs, claimed))
    for rule in d.rules:
        assert rule.interval == pytest.approx(interval(aside & rule.mask(X), differs))


def test_the_fidelity_of_folds_is_their_mean_by_weight(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few groups make folds of different sizes: their plain mean is another number."""
    measured = []

    original = cross_fit.measure

    def recorded(*given: Any, **named: Any) -> Any:
        measured.append(original(*given, **named))
        return measured[-1]

    monkeypatch.setattr(cross_fit, "measure", recorded)
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(400, 2)), columns=["a", "b"])
    old, new = rng.random((2, 400)) < 1 / (1 + np.exp(-X["a"].to_numpy()))
    groups = np.minimum(np.arange(400) // 20, 5)
    fidelity = imd.diff(old, new, X, groups=groups, measure="cv").metrics.fidelity
    shares = np.array([one.fidelity for one in measured])
    sizes = [one.rows for one in measured]
    assert fidelity == pytest.approx(tuple(np.average(shares, axis=0, weights=sizes)))
    assert fidelity != pytest.approx(tuple(shares.mean(axis=0)), abs=1e-4)


def test_a_rate_that_was_not_measured_is_corrected() -> None:
    """Where nothing can be found, and where one box differs at 60 %: the rate of new rows."""
    errors = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = pd.DataFrame(rng.normal(size=(5400, 3)), columns=list("abc"))
        rate = np.where((X["a"] > 0.5) & (seed % 2 == 1), 0.6, 0.15)
        new = (rng.random(5400) < rate).astype(int)
        d = imd.diff(np.zeros(400, int), new[:400], X[:400], measure="none")
        errors += [
            (rule.rate - fresh, rule.expected_rate - fresh)
            for rule in d.rules
            if rule.expected_rate is not None
            for fresh in [new[400:][rule.mask(X[400:])].mean()]
        ]
    fitted, expected = np.mean(errors, axis=0)
    assert fitted > 0.15
    assert abs(expected) < 0.06


def test_the_expected_rate_is_the_measured_one_or_the_corrected_one() -> None:
    old, new, X = _noisy(2000)
    [held_out] = imd.diff(old, new, X).rules
    assert held_out.expected_rate == held_out.measured_rate
    d = imd.diff(old, new, X, measure="none")
    [fitted] = d.rules
    base = d.metrics.disagreement
    assert fitted.expected_rate == corrected_share(fitted.rate, fitted.support, base)
    assert base < fitted.expected_rate < fitted.rate
    expected = f"{round(100 * fitted.expected_rate)} %"
    assert f"; expect {expected} of new rows" in str(d.rules)
    assert f"| {expected} |" in report(d)
    assert f">about {expected}, estimated</td>" in rule_tables(d)
    assert "expect" not in str(fitted)  # the counts alone

    plain = json.loads(file_text(d))
    for rule in plain["rules"]:
        del rule["expected_rate"]  # a file of an earlier release
    assert [rule.expected_rate for rule in diff_of(plain).rules] == [fitted.expected_rate]


@given(st.floats(0, 1), st.integers(1, 10_000), st.floats(0, 1))
def test_a_corrected_share_lies_between_the_share_and_that_of_all_rows(
    share: float, n: int, base: float
) -> None:
    found = corrected_share(share, n, base)
    assert min(share, base) - 1e-12 <= found <= max(share, base) + 1e-12
    assert found <= share + 1e-12 or share < base


def test_a_rule_of_agreement_is_expected_to_agree_less_often() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(size=600)})
    new = ((X["a"] > 0.2) | (rng.random(600) < 0.1)).to_numpy(int)
    d = imd.diff(np.zeros(600, int), new, X, measure="none")
    [rule] = d.agreement
    assert rule.expected_rate is not None
    assert rule.rate < rule.expected_rate < d.metrics.disagreement


def test_weights_count_in_the_expected_rate() -> None:
    old, new, X = _noisy(300)
    weight = np.where(np.arange(300) % 10 == 0, 30.0, 0.1)
    heavy = imd.diff(old, new, X, measure="none", sample_weight=weight)
    for rule in heavy.rules:
        assert rule.expected_rate is not None
        alike = corrected_share(rule.rate, rule.support, heavy.metrics.disagreement)
        assert rule.expected_rate < alike  # few rows have nearly all of the weight


def test_the_sum_of_two_variances_does_not_depend_on_their_unit() -> None:
    total, degrees = with_spread(2.0, 30, Spread(1.0, 4))
    assert (total, degrees) == (3.0, pytest.approx(9 / (4 / 30 + 1 / 4)))
    large, same = with_spread(2e300, 30, Spread(1e300, 4))
    assert (large, same) == (pytest.approx(3e300), pytest.approx(degrees))
    assert with_spread(0.0, 30, Spread(0.0, 4)) == (0.0, math.inf)
