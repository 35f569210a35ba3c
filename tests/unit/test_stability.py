"""Rules are looked for again in resamples of the rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.comparison.cross_fit import RowRules
from imd_widget.comparison.stability import _resampled

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.uniform(size=(900, 5)), columns=list("abcde"))
OLD = np.zeros(900, int)
CLEAR = (X["a"] > 0.8).to_numpy(int)
NOISE = (RNG.random(900) < 0.08).astype(int)


def test_a_clear_rule_is_found_again_and_noise_is_not() -> None:
    clear = imd.diff(OLD, CLEAR, X).stability(10)
    assert clear.found_share == (1.0,)
    assert clear.overlap[0] > 0.95
    assert clear.unstable == ()
    noise = imd.diff(OLD, NOISE, X, rule_cost=0, min_samples_leaf=1)
    assert len(noise.rules) > 3
    found = noise.stability(10)
    assert np.mean(found.found_share) < 0.3
    assert len(found.unstable) > len(noise.rules) / 2


def test_it_is_the_same_again_and_other_with_another_seed() -> None:
    d = imd.diff(OLD, NOISE | CLEAR, X, rule_cost=0)
    assert d.stability(4).overlap == d.stability(4).overlap
    assert d.stability(4).overlap != d.stability(4, random_state=1).overlap
    frame = d.stability(3).to_frame()
    assert list(frame) == ["rule", "found", "overlap"]
    assert len(frame) == len(d.rules)


def test_overlap_is_that_of_two_sets() -> None:
    rng = np.random.default_rng(1)
    for _ in range(30):
        inside = rng.random(50) < 0.4
        numbers = rng.integers(0, 4, 50)  # 3: inside no rule
        weight = rng.integers(0, 4, 50).astype(float)
        expected = max(
            weight[inside & (numbers == rule)].sum() / weight[inside | (numbers == rule)].sum()
            for rule in range(3)
        )
        found = RowRules(numbers, 3).most_similar(inside, weight)[1]
        assert found == pytest.approx(expected)
    none = RowRules(np.zeros(3, int), 0)
    assert none.most_similar(np.ones(3, bool), np.ones(3)) == (0, 0.0)


def test_rows_of_weight_0_do_not_overlap() -> None:
    odd = X[X["b"] > 0.5]
    table = pd.concat([X, odd], ignore_index=True)
    new = np.concatenate([NOISE | CLEAR, np.ones(len(odd), int)])
    weight = np.concatenate([np.ones(900), np.zeros(len(odd))])
    options: dict[str, Any] = {"rule_cost": 0, "measure": "none"}
    alone = imd.diff(OLD, NOISE | CLEAR, X, **options)
    added = imd.diff(np.zeros(len(table), int), new, table, sample_weight=weight, **options)
    assert str(added.rules) == str(alone.rules)
    assert added.stability(3).overlap == pytest.approx(alone.stability(3).overlap)


def test_groups_are_drawn_whole() -> None:
    user = np.arange(900) // 9
    d = imd.diff(OLD, CLEAR, X, groups=user)
    part = _resampled(d.rows.dataset, np.random.default_rng(0))
    rows, counts = np.unique(part, return_counts=True)
    times = dict(zip(rows.tolist(), counts.tolist(), strict=True))
    for row in rows.tolist():
        first = row // 9 * 9
        assert {times.get(other, 0) for other in range(first, first + 9)} == {times[row]}
    # as many groups as there are, drawn with replacement
    assert len(part) == len(d.rows.dataset.fit)
    assert {1, 2} < set(times.values())


def test_refined_rules_are_refined_in_the_resamples_too() -> None:
    """One question finds a > 0.7, and its refinement the two thirds of it that differ."""
    corner = ((X["a"] > 0.7) & (X["b"] > 0.35)).to_numpy(int)
    d = imd.diff(OLD, corner, X, method="imd", max_depth=1).refine()
    assert d.refinements == 1
    [rule] = d.rules
    assert {condition.column for condition in rule.conditions} == {"a", "b"}
    assert d.stability(4).overlap[0] > 0.9


def test_half_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule is found if half of it is, and stable if it is found in half of the resamples."""
    d = imd.diff(OLD, CLEAR, X)
    assert len(d.rules) == 1
    overlaps = iter([0.5, 0.49, 0.5, 0.49])
    monkeypatch.setattr(RowRules, "most_similar", lambda *_: (0, next(overlaps)))
    found = d.stability(4)
    assert found.found == (2,)
    assert found.unstable == ()
    assert replace(found, found=(1,)).unstable == (0,)


def test_without_rules_there_is_nothing_to_find() -> None:
    found = imd.diff(OLD, OLD, X).stability(2)
    assert (found.found, len(found.to_frame())) == ((), 0)


@pytest.mark.parametrize("n", [0, -1, 2.5, "x"])
def test_a_number_of_resamples_is_a_whole_number(n: object) -> None:
    with pytest.raises(imd.InputError, match="n="):
        imd.diff(OLD, CLEAR, X).stability(n)  # type: ignore[arg-type]


def test_the_widget_shows_it_and_forgets_it_with_the_diff() -> None:
    w = imd.show(OLD, CLEAR | NOISE, X)
    assert w.stability is None
    found = w.measure_stability(3)
    assert w.stability == {"n": 3, "found": list(found.found), "overlap": list(found.overlap)}
    w.change(max_depth=2)
    assert w.stability is None
