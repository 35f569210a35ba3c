"""Rules that may use how sure both models are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.views.build import view_of

RNG = np.random.default_rng(0)
X = pd.DataFrame(RNG.normal(size=(1200, 3)), columns=["a", "b", "c"])


class Model:
    """A model of three classes whose probabilities a tree cannot describe by columns."""

    classes_ = np.array(["x", "y", "z"])

    def __init__(self, noise: float) -> None:
        self.noise = noise
        self.calls: list[str] = []

    def predict(self, table: pd.DataFrame) -> Any:
        self.calls.append("predict")
        return self.classes_[self._probabilities(table).argmax(axis=1)]

    def predict_proba(self, table: pd.DataFrame) -> Any:
        self.calls.append("predict_proba")
        return self._probabilities(table)

    def _probabilities(self, table: pd.DataFrame) -> Any:
        angle = 31 * table["a"] + 17 * table["b"] + self.noise * np.sin(97 * table["c"])
        scores = np.exp(2 * np.stack([np.sin(angle + k) for k in (0, 2, 4)], axis=1))
        return scores / scores.sum(axis=1, keepdims=True)


def fit(**options: Any) -> imd.ModelDiff:
    return imd.diff(Model(0), Model(0.3), X, names=("A", "B"), **options)


def test_margins_describe_models_that_columns_do_not() -> None:
    alone, sure = fit(), fit(given="margins")
    assert (sure.metrics.mcc or 0) > (alone.metrics.mcc or 0) + 0.3
    named = {str(c.column) for rule in sure.rules for c in rule.conditions}
    assert named & {"A's margin", "B's margin"}
    assert sure.given == "margins"
    assert "Given how sure they are, " in sure.summary()
    assert view_of(sure).options.given == "margins"


def test_a_change_is_the_same_as_a_new_diff() -> None:
    alone, sure = fit(), fit(given="margins")
    assert alone.change(given="margins").to_dict() == sure.to_dict()
    assert sure.change(given="nothing").to_dict() == alone.to_dict()


def test_only_probabilities_are_called_for() -> None:
    one, two = Model(0), Model(0.3)
    d = imd.diff(one, two, X, names=("A", "B"))
    one.calls.clear()
    d.change(given="margins")
    assert one.calls == ["predict_proba"]


def test_new_rows_need_the_margins(tmp_path: Path) -> None:
    d = fit(given="margins")
    both = []
    for model in (Model(0), Model(0.3)):
        proba = np.sort(model.predict_proba(X), axis=1)
        both.append(proba[:, -1] - proba[:, -2])
    wanted = d.predict(X)
    assert wanted.any()
    assert (d.rules.mask(X) == wanted).all()
    back = imd.load(d.save(tmp_path / "d.json"))
    assert (back.predict(X, given=np.stack(both, axis=1)) == wanted).all()
    named = X.assign(**{"A's margin": both[0], "B's margin": both[1]})
    assert (back.predict(named) == wanted).all()
    assert {row for rule in d.rules for row in named.query(rule.to_query()).index} == set(
        np.flatnonzero(wanted)
    )


def test_probabilities_have_margins_without_a_call() -> None:
    first, second = (Model(noise).predict_proba(X)[:, 0] for noise in (0, 0.3))
    d = imd.diff(first, second, X, outputs="proba", given="margins")
    assert {c.given for rule in d.rules for c in rule.conditions} >= {True}


def test_labels_have_none() -> None:
    said = [Model(noise).predict(X) for noise in (0, 0.3)]
    with pytest.raises(imd.InputError, match="needs probabilities, and neither model has predict"):
        imd.diff(*said, X, given="margins")


def test_swapped_models_predict_the_same() -> None:
    one = imd.diff(Model(0), Model(0.3), X, names=("A", "B"), given="margins")
    two = imd.diff(Model(0.3), Model(0), X, names=("B", "A"), given="margins")
    assert (one.predict(X) == two.predict(X)).all()
