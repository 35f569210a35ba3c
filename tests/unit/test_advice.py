"""What the headline proposes where rules tell little, and what it really brings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import imd_widget as imd

RNG = np.random.default_rng(0)
N = 3000
X = pd.DataFrame(RNG.normal(size=(N, 3)), columns=list("abc"))
ERRATIC = RNG.random(N) < 0.5
SMOOTH = (X["a"] > 0.5).to_numpy()


def test_a_given_model_is_proposed_with_what_it_brings() -> None:
    d = imd.diff(ERRATIC, SMOOTH, X, names=("erratic", "smooth"))
    [advice] = d._results.advice
    assert (advice.kind, advice.value) == ("given", "m1")
    better = d.change(given="auto")
    assert better.given == advice.value
    assert advice.mcc == pytest.approx(better.metrics.mcc)
    assert advice.present_mcc == pytest.approx(d.metrics.mcc)
    assert "Given what erratic says, rules would tell more (correlation 1.00" in d.summary()
    assert "would tell more" not in better.summary()


def test_nothing_is_proposed_where_rules_tell_enough() -> None:
    d = imd.diff(np.zeros(N, int), SMOOTH.astype(int), X)
    assert d._results.advice == ()
    assert imd.diff(SMOOTH, SMOOTH, X)._results.advice == ()
    assert imd.diff(ERRATIC, SMOOTH, X, method="imd")._results.advice == ()


def test_another_tolerance_is_proposed_where_there_is_something_to_see() -> None:
    """Everything is a little apart; only on the right, much."""
    apart = RNG.uniform(0.2, 1, N) * RNG.choice([-1, 1], N) + np.where(X["a"] > 0.7, 5, 0)
    base = RNG.normal(0, 50, N)
    d = imd.diff(base, base + apart, X, tolerance=0.05)
    found = {advice.kind: advice for advice in d._results.advice}
    assert "tolerance" in found
    other = found["tolerance"]
    changed = d.change(tolerance=other.value)
    assert changed.metrics.mcc == pytest.approx(other.mcc)
    assert changed.metrics.mcc > (d.metrics.mcc or 0) + 0.3
    assert f"A tolerance of {other.value:g} instead of 0.05 would tell more" in d.summary()


def test_probabilities_are_proposed_for_models_that_have_them() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, N)
    one, two = (LogisticRegression().fit(X, y ^ (rng.random(N) < 0.5)) for _ in range(2))

    class Noisy:
        """Says classes at random, and probabilities that it means."""

        def __init__(self, model: Any, seed: int) -> None:
            self.model, self.seed = model, seed

        def predict(self, table: pd.DataFrame) -> Any:
            bits = np.abs((table["a"] * 1e6).round().astype(int))
            return (bits // (self.seed + 2)) % 2

        def predict_proba(self, table: pd.DataFrame) -> Any:
            return self.model.predict_proba(table)

    d = imd.diff(Noisy(one, 1), Noisy(two, 2), X, names=("A", "B"))
    assert "Comparing probabilities instead of classes may tell more." in d.summary()


def test_a_file_says_it_too(tmp_path: Path) -> None:
    d = imd.diff(ERRATIC, SMOOTH, X, names=("erratic", "smooth"))
    again = imd.load(d.save(tmp_path / "d.json"))
    assert again.summary() == d.summary()
    assert again._results.advice == d._results.advice
