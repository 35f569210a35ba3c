"""What rules may use, side by side: the same figures as a change, and no model called twice."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.comparison.alternatives import compare_alternatives, possible_methods

RNG = np.random.default_rng(0)
N = 900
X = pd.DataFrame(RNG.normal(size=(N, 3)), columns=list("abc"))


class Line:
    """A model that is 1 above a line, and less sure near it."""

    classes_ = np.array([0, 1])

    def __init__(self, of_c: float) -> None:
        self.of_c = of_c
        self.calls: list[str] = []

    def _of_one(self, table: pd.DataFrame) -> Any:
        return 1 / (1 + np.exp(-(table["a"] + table["b"] - self.of_c * table["c"])))

    def predict_proba(self, table: pd.DataFrame) -> Any:
        self.calls.append("predict_proba")
        return np.column_stack([1 - self._of_one(table), self._of_one(table)])

    def predict(self, table: pd.DataFrame) -> Any:
        self.calls.append("predict")
        return (self._of_one(table) > 0.5).astype(int)


ONE, OTHER = Line(0.0), Line(1.0)
NAMES = ("one", "other")
CHOICES = [
    ("nothing", False),
    ("nothing", True),
    ("m1", False),
    ("m2", False),
    ("margins", False),
]


@pytest.fixture(scope="module")
def d() -> imd.ModelDiff:
    return imd.diff(ONE, OTHER, X, names=NAMES, max_depth=4)


@pytest.fixture(scope="module")
def found(d: imd.ModelDiff) -> imd.Alternatives:
    return d.alternatives()


def choices_of(found: imd.Alternatives) -> list[tuple[str, bool]]:
    return [(one.given, one.scores) for one in found]


def test_each_has_the_figures_of_the_diff_that_it_leads_to(
    d: imd.ModelDiff, found: imd.Alternatives
) -> None:
    assert choices_of(found) == CHOICES
    assert [one.name for one in found] == [
        "columns",
        "columns and scores",
        "given one's output",
        "given other's output",
        "given other's probability of class 1",
    ]
    for one in found:
        changed = d.change(**one.options)
        assert (one.n_rules, one.mcc) == (len(changed.rules), changed.metrics.mcc)
    assert found.best.mcc == max(one.mcc or 0 for one in found)
    assert len({one.mcc for one in found}) > 3


@pytest.mark.parametrize("options", [{"given": "m1", "scores": True}, {"given": "m2"}])
def test_the_choices_do_not_depend_on_the_one_that_is_shown(
    d: imd.ModelDiff, found: imd.Alternatives, options: dict[str, Any]
) -> None:
    shown = (options["given"], options.get("scores", False))
    others = d.change(**options).alternatives()
    assert shown in choices_of(others)
    ours = {(one.given, one.scores): one for one in found}
    for one in others:
        if (one.given, one.scores) in ours:
            assert one == ours[one.given, one.scores]


def test_refinements_are_left_out(d: imd.ModelDiff, found: imd.Alternatives) -> None:
    assert list(d.refine(2).alternatives()) == list(found)


def test_rows_used_to_fit_are_never_measured() -> None:
    """Noise: on the rows used to fit the rules find some of it, on others nothing."""
    noise = RNG.random(N) < 0.2
    d = imd.diff(np.zeros(N, int), noise.astype(int), X, measure="none", rule_cost=0)
    assert (d.metrics.mcc or 0) > 0.2
    columns = d.alternatives()[0]
    assert columns.mcc is not None
    assert abs(columns.mcc) < 0.12


def test_models_are_called_once_for_margins_and_not_at_all_else() -> None:
    one, other = Line(0.0), Line(1.0)
    d = imd.diff(one, other, X, max_depth=3)
    for model in (one, other):
        model.calls.clear()
    d.alternatives()
    d.alternatives()
    d.change(given="margins")
    assert one.calls == other.calls == ["predict_proba"]


def test_arrays_have_no_margins_and_values_no_scores() -> None:
    found = imd.diff(ONE.predict(X), OTHER.predict(X), X, max_depth=3).alternatives()
    assert choices_of(found) == CHOICES[:4]
    values = imd.diff(ONE._of_one(X), OTHER._of_one(X), X, outputs="value", max_depth=3)
    assert choices_of(values.alternatives()) == [CHOICES[0], *CHOICES[2:4]]


def test_the_truth_is_not_given_and_useless_scores_are_left_out() -> None:
    truth = RNG.integers(0, 2, N)
    found = imd.diff(truth, RNG.integers(0, 2, N), X, y=truth).alternatives()
    assert choices_of(found) == [("nothing", False), ("m2", False)]


def test_swapped_models_have_the_same_figures(found: imd.Alternatives) -> None:
    swapped = imd.diff(OTHER, ONE, X, max_depth=4).alternatives()
    columns = {one.given: one for one in swapped if not one.scores}
    mirror = {"nothing": "nothing", "m1": "m2", "m2": "m1", "margins": "margins"}
    for one in found:
        if not one.scores:
            other = columns[mirror[one.given]]
            assert one.n_rules == other.n_rules
            assert one.mcc == pytest.approx(other.mcc)


def test_work_is_done_in_parts_that_can_be_stopped(d: imd.ModelDiff) -> None:
    done: list[int] = []

    def after_each(number: int) -> None:
        done.append(number)
        if number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare_alternatives(d.rows, possible_methods(d.rows), after_each)
    assert done == [1, 2]


def test_other_methods_have_no_alternatives(d: imd.ModelDiff) -> None:
    with pytest.raises(imd.InputError, match='method="calibrated" alone; this diff was made with'):
        d.change(method="imd").alternatives()


def test_a_copy_has_the_alternatives_that_need_no_model(d: imd.ModelDiff) -> None:
    assert choices_of(copy.deepcopy(d).alternatives()) == CHOICES
    assert choices_of(pickle.loads(pickle.dumps(d)).alternatives()) == CHOICES[:4]


def test_it_is_a_table_and_a_text(found: imd.Alternatives) -> None:
    frame = found.to_frame()
    assert list(frame) == ["rules may use", "rules", "mcc", "given", "scores"]
    assert len(frame) == len(found) == len(str(found).splitlines())
    assert str(found).startswith(f"columns: {found[0].n_rules} rules, MCC {found[0].mcc:.2f}")
    assert found.best.name in repr(found)
