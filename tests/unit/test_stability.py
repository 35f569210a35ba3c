"""Rules are looked for again in resamples of the rows."""

from __future__ import annotations

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
        expected = max(
            (inside & (numbers == rule)).sum() / (inside | (numbers == rule)).sum()
            for rule in range(3)
        )
        assert RowRules(numbers, 3).most_similar(inside)[1] == pytest.approx(expected)
    assert RowRules(np.zeros(3, int), 0).most_similar(np.ones(3, bool)) == (0, 0.0)


def test_groups_are_drawn_whole() -> None:
    user = np.arange(900) // 9
    d = imd.diff(OLD, CLEAR, X, groups=user)
    part = _resampled(d._fitted.dataset, np.random.default_rng(0))
    rows, counts = np.unique(part.fit, return_counts=True)
    times = dict(zip(rows.tolist(), counts.tolist(), strict=True))
    for row in rows.tolist():
        first = row // 9 * 9
        assert {times.get(other, 0) for other in range(first, first + 9)} == {times[row]}


def test_refined_rules_are_refined_in_the_resamples_too() -> None:
    d = imd.diff(OLD, NOISE | CLEAR, X, measure="holdout").refine()
    assert len(d.stability(2).found) == len(d.rules)


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
