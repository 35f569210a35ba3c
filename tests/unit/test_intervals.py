"""Intervals of shares: Wilson's, and how weights and groups widen them."""

from __future__ import annotations

from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import imd_widget as imd
from imd_widget._base.intervals import effective_size, wilson


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
    assert effective_size(event) == len(event)
    assert effective_size(event, np.full(len(event), 3.5)) == len(event)


@given(st.lists(st.booleans(), min_size=2, max_size=30), st.integers(2, 6))
def test_copies_of_rows_tell_nothing_new(events: list[bool], times: int) -> None:
    """Rows repeated within a group tell at most about as much as one row of each group."""
    event = np.repeat(np.array(events), times)
    size = effective_size(event, groups=np.repeat(np.arange(len(events)), times))
    assert size <= len(events) + 1e-9
    assert size >= max(1.0, (len(events) - 1) - 1e-9)


def test_a_heavy_row_leaves_few_effective_ones() -> None:
    event = np.arange(100) % 2 == 0
    weight = np.ones(100)
    weight[0] = 1000
    assert effective_size(event, weight) < 30 < effective_size(event) == 100


def test_rules_and_metrics_carry_their_intervals() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.uniform(size=2000)})
    old = np.zeros(2000, int)
    new = ((X["a"] > 0.7) & (rng.random(2000) < 0.8)).to_numpy(int)
    d = imd.diff(old, new, X)
    [rule] = d.rules
    assert rule.interval == wilson(rule.rate, rule.support)
    assert rule.holdout_interval == wilson(rule.holdout_rate, rule.holdout_support)
    metrics = d.metrics
    assert metrics.precision_interval == wilson(metrics.precision, metrics.measured_claimed)
    assert metrics.recall_interval == wilson(metrics.recall, metrics.measured_differing)
    user = np.arange(2000) // 50
    grouped = imd.diff(old, new, X, groups=user)
    assert grouped.metrics.precision_interval is not None
    # rows of one user are alike in nothing: groups cost little, and never narrow the rule's support
    assert grouped.rules[0].effective_support is not None
    assert grouped.rules[0].effective_support <= grouped.rules[0].support


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
