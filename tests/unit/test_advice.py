"""What the headline proposes where rules tell little, and what it really brings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import imd_widget as imd
from imd_widget.comparison import advice as advice_module
from imd_widget.comparison import unsure as unsure_module
from imd_widget.comparison.advice import _tolerances
from imd_widget.comparison.diff_rows import DiffRows

RNG = np.random.default_rng(0)
N = 3000
X = pd.DataFrame(RNG.normal(size=(N, 3)), columns=list("abc"))
ERRATIC = RNG.random(N) < 0.5
SMOOTH = (X["a"] > 0.5).to_numpy()
RARE = RNG.random(N) < 0.15
#: As RARE, but for a region in which it is never True.
NEVER = np.where(X["b"] > 0.3, False, RARE)


def test_a_given_model_is_proposed_with_what_it_brings() -> None:
    d = imd.diff(RARE, NEVER, X, names=("rare", "never"))
    [advice] = d.suggestions
    assert (advice.kind, advice.value) == ("given", "m1")
    better = d.change(given="auto")
    assert better.given == advice.value
    assert advice.mcc == pytest.approx(better.metrics.mcc)
    assert advice.present_mcc == pytest.approx(d.metrics.mcc)
    assert "Conditioning on rare's output would explain more (MCC 0.99" in d.summary()
    assert "would explain more" not in better.summary()
    assert "Given rare's output, 1 rule shows where never disagrees" in better.summary()


def test_a_given_model_is_not_proposed_where_rules_would_repeat_the_other() -> None:
    """Given the erratic model, the rules would be perfect: they are the other model's one rule."""
    d = imd.diff(ERRATIC, SMOOTH, X, names=("erratic", "smooth"))
    assert d.change(given="m1").metrics.mcc == 1
    assert d.suggestions == ()
    assert "would explain more" not in d.summary()


@pytest.mark.parametrize(
    "names, y",
    [(("model", "truth"), None), (("model", " Y_true"), None), (("model", "other"), RARE)],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_rules_never_ask_for_the_truth(names: tuple[str, str], y: Any, swapped: bool) -> None:
    """With the truth as given, the rules would be perfect, and no new row has it."""
    order = slice(None, None, -1) if swapped else slice(None)
    model, truth = ("m2", "m1") if swapped else ("m1", "m2")
    d = imd.diff(*(NEVER, RARE)[order], X, names=names[order], y=y)
    assert (d.change(given=truth).metrics.mcc or 0) > (d.change(given=model).metrics.mcc or 0) + 0.3
    assert [advice.kind for advice in d.suggestions] == []
    assert d.change(given="auto").given == model
    # an explicit wish is granted
    assert d.change(given=truth).given == truth


def test_values_equal_to_y_are_the_truth() -> None:
    truth = np.where(RARE, 10.0, 0.0)
    d = imd.diff(np.where(NEVER, 10.0, 0.0), truth, X, y=truth, outputs="value", tolerance=1)
    assert d.suggestions == ()
    assert d.change(given="auto").given == "m1"


def test_nothing_is_proposed_where_rules_tell_enough() -> None:
    d = imd.diff(np.zeros(N, int), SMOOTH.astype(int), X)
    assert d.suggestions == ()
    assert imd.diff(SMOOTH, SMOOTH, X).suggestions == ()
    assert imd.diff(ERRATIC, SMOOTH, X, method="imd").suggestions == ()


def test_another_tolerance_is_proposed_where_there_is_something_to_see() -> None:
    """Everything is a little apart; only on the right, much."""
    apart = RNG.uniform(0.2, 1, N) * RNG.choice([-1, 1], N) + np.where(X["a"] > 0.7, 5, 0)
    base = RNG.normal(0, 50, N)
    d = imd.diff(base, base + apart, X, tolerance=0.05)
    found = {advice.kind: advice for advice in d.suggestions}
    assert "tolerance" in found
    other = found["tolerance"]
    changed = d.change(tolerance=other.value)
    assert changed.metrics.mcc == pytest.approx(other.mcc)
    assert changed.metrics.mcc > (d.metrics.mcc or 0) + 0.3
    assert f"A tolerance of {other.value:g} instead of 0.05 would explain more" in d.summary()


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
    assert "Comparing probabilities instead of classes may explain more." in d.summary()


def test_the_best_tolerance_is_proposed() -> None:
    apart = RNG.uniform(0.2, 1, N) * RNG.choice([-1, 1], N) + np.where(X["a"] > 0.7, 5, 0)
    base = RNG.normal(0, 50, N)
    d = imd.diff(base, base + apart, X, tolerance=0.05)
    tried = {other: d.change(tolerance=other).metrics.mcc or 0 for other in _tolerances(d.rows)}
    assert len(set(tried.values())) > 1
    [advice] = [own for own in d.suggestions if own.kind == "tolerance"]
    assert advice.value == max(tried, key=tried.__getitem__)


@pytest.mark.parametrize("scale, proposed", [(1e-5, []), (1e-2, ["tolerance"])])
def test_rounding_is_no_tolerance(scale: float, proposed: list[str]) -> None:
    """A few scattered rows are far apart, and the others by rounding alone or by a little more."""
    random = np.random.default_rng(0)
    apart = scale * random.random(N) + np.where(X["a"] > 0.5, scale, 0)
    first = 100 + random.normal(size=N)
    second = first + np.where(random.random(N) < 0.05, 1, apart)
    d = imd.diff(first, second, X, outputs="value", tolerance=0.5)
    assert [advice.kind for advice in d.suggestions if advice.kind == "tolerance"] == proposed


def test_no_tolerance_is_looked_for_where_rules_tell_half() -> None:
    """Rules explain something, and another tolerance would explain more: the user's own is kept."""
    apart = np.where(X["a"] > 0.7, 5.0, np.where(RNG.random(N) < 0.5, 0.5, 0.0))
    d = imd.diff(np.zeros(N), apart, X, tolerance=0.1)
    assert 0.25 <= (d.metrics.mcc or 0) < 0.5 < (d.change(tolerance=1).metrics.mcc or 0)
    assert d.suggestions == ()


def test_changes_are_tried_on_a_few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []
    changed = DiffRows.changed

    def counted(results: DiffRows, *options: Any) -> DiffRows:
        tried.append(max(len(results.dataset.fit), len(results.dataset.holdout)))
        return changed(results, *options)

    monkeypatch.setattr(advice_module, "MOST_ROWS", 400)
    monkeypatch.setattr(DiffRows, "changed", counted)
    assert imd.diff(RARE, NEVER, X).suggestions
    assert tried
    assert max(tried) <= 400


def test_a_file_says_it_too(tmp_path: Path) -> None:
    d = imd.diff(RARE, NEVER, X, names=("rare", "never"))
    assert d.suggestions
    again = imd.load(d.save(tmp_path / "d.json"))
    assert again.summary() == d.summary()
    assert again.suggestions == d.suggestions


class Unsteady:
    """Predicts by a line through three columns, moved a little for each row, and knows how near."""

    classes_ = np.array([0, 1])

    def __init__(self, seed: int, region: bool = False) -> None:
        self.seed, self.region = seed, region
        self.calls: list[int] = []

    def predict_proba(self, table: pd.DataFrame) -> Any:
        self.calls.append(len(table))
        line = table["a"] + table["b"] - table["c"]
        moved = line + 0.15 * np.sin(1e6 * (self.seed + 1) * table["a"])
        of_one = 1 / (1 + np.exp(-moved))
        return np.column_stack([1 - of_one, of_one])

    def predict(self, table: pd.DataFrame) -> Any:
        of_one = (self.predict_proba(table)[:, 1] > 0.5).astype(int)
        return np.where((table["a"] > 0.5) & self.region, 1 - of_one, of_one)


def test_a_pair_that_differs_where_a_model_is_unsure_is_described_so() -> None:
    d = imd.diff(Unsteady(0), Unsteady(1), X, names=("seed 0", "seed 1"))
    advice = d.suggestions[0]
    assert (advice.kind, advice.value) == ("given", "margins")
    unsure = advice.unsure
    assert unsure is not None
    name = d.names[0 if unsure.model == "m1" else 1]
    assert f"of the differences are where {name} is unsure: its probability of " in d.summary()
    # the shares are those of all rows, within a few points
    proba = Unsteady(0 if unsure.model == "m1" else 1).predict_proba(X)
    inside = (proba[:, 1] >= unsure.above) & (proba[:, 1] < unsure.below)
    assert inside.mean() == pytest.approx(unsure.rows, abs=0.03)
    assert inside[d.differs].mean() == pytest.approx(unsure.differing, abs=0.1)
    view = d.change(**advice.options)
    assert view.given == "margins"
    [rule] = view.rules  # the line itself, up to where its ends lie
    [band] = rule.conditions
    assert str(band).startswith(f"{name}'s probability of class 1 is ")
    assert (band.low, band.high) == pytest.approx((unsure.above, unsure.below), abs=0.06)
    assert (view.metrics.mcc or 0) > (d.metrics.mcc or 0) + 0.1
    assert "is unsure" not in view.summary()


def test_a_planted_region_is_no_doubt() -> None:
    d = imd.diff(Unsteady(0), Unsteady(0, region=True), X)
    assert (d.metrics.mcc or 0) > 0.9
    assert "unsure" not in d.summary()


def test_random_differences_are_no_doubt() -> None:
    """The margins are known, and have nothing to do with the differences."""
    one = Unsteady(0)
    d = imd.diff(one, one.predict(X) ^ RARE, X)
    assert "unsure" not in d.summary()


def test_swapped_models_are_unsure_of_the_same_rows() -> None:
    one, other = (
        imd.diff(*pair, X).suggestions[0].unsure
        for pair in ((Unsteady(0), Unsteady(1)), (Unsteady(1), Unsteady(0)))
    )
    assert one is not None
    assert other is not None
    assert {one.model, other.model} == {"m1", "m2"}
    assert (one.below, one.differing, one.rows) == (other.below, other.differing, other.rows)


def test_few_rows_are_asked_for_how_sure_a_model_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unsure_module, "MOST_ROWS", 100)
    first, second = Unsteady(0), Unsteady(1)
    d = imd.diff(first, second, X)
    first.calls.clear()
    assert d.suggestions[0].unsure is not None
    assert first.calls == [min(100, int(d.differs.sum())) + 100]


@pytest.mark.parametrize("limit, proposed", [(0.0, False), (1e9, True)])
def test_slow_models_are_not_called_for_a_suggestion(
    limit: float, proposed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(unsure_module, "MOST_SECONDS", limit)
    first, second = Unsteady(0), Unsteady(1)
    d = imd.diff(first, second, X)
    first.calls.clear()
    assert any(advice.unsure for advice in d.suggestions) == proposed
    assert bool(first.calls) == proposed


def test_a_model_that_fails_is_not_unsure() -> None:
    class Broken(Unsteady):
        def predict(self, table: pd.DataFrame) -> Any:
            return (Unsteady.predict_proba(self, table)[:, 1] > 0.5).astype(int)

        def predict_proba(self, table: pd.DataFrame) -> Any:
            raise RuntimeError("no probabilities")

    d = imd.diff(Broken(0), Broken(1), X)
    assert [advice.kind for advice in d.suggestions] == ["outputs"]


def test_probabilities_that_are_compared_are_not_asked_for_again() -> None:
    first, second = Unsteady(0), Unsteady(1)
    d = imd.diff(first, second, X, outputs="proba", tolerance=0.07)
    first.calls.clear()
    assert isinstance(d.suggestions, tuple)
    assert first.calls == []


def test_a_file_has_how_unsure_a_model_is(tmp_path: Path) -> None:
    d = imd.diff(Unsteady(0), Unsteady(1), X)
    again = imd.load(d.save(tmp_path / "d.json"))
    assert again.suggestions == d.suggestions
    assert again.suggestions[0].unsure is not None
    assert again.summary() == d.summary()
    assert "is unsure" in d.to_markdown()
    assert "is unsure" in d.save(tmp_path / "d.html").read_text()
