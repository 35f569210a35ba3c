"""A change of the sensitivity or of max_rules does not grow the tree again, and gives the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.methods import base
from imd_widget.tree import grower
from imd_widget.tree.grower import Grower
from tests.unit.test_json_format import file_text

N = 1200


def table(n: int = N) -> tuple[pd.DataFrame, Any, Any]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n, 5)).round(2), columns=list("abcde"))
    X["kind"] = rng.choice(list("xyz"), n)
    first = (X["a"] + X["b"] > 0).to_numpy()
    differs = ((X["c"] > 0.5) & (X["kind"] == "x")).to_numpy() | (X["d"] > 1.3).to_numpy()
    return X, first, first ^ (differs ^ (rng.random(n) < 0.05))


CHANGES: list[dict[str, Any]] = [
    {"sensitivity": 0.9},
    {"sensitivity": 0.3},
    {"max_rules": 1},
    {"max_rules": 2},
    {"sensitivity": 0.7, "max_rules": 3},
]


@pytest.mark.parametrize("measure, given", [("holdout", None), ("cv", None), ("none", "m1")])
def test_a_change_gives_what_a_fit_with_these_options_gives(measure: str, given: Any) -> None:
    X, first, second = table(400)
    options: dict[str, Any] = {"measure": measure, "given": given}
    d = imd.diff(first, second, X, **options)
    for change in CHANGES:
        afresh = imd.diff(first, second, X, **options, **change)
        assert file_text(d.change(**change)) == file_text(afresh)
    # one after the other, and back
    again = d
    for change in CHANGES:
        again = again.change(**{"sensitivity": "auto", "max_rules": "auto"} | change)
    back = again.change(sensitivity="auto", max_rules="auto")
    assert file_text(back) == file_text(d)


@pytest.mark.parametrize("measure", ["none", "cv"])
def test_a_change_grows_no_tree(monkeypatch: pytest.MonkeyPatch, measure: str) -> None:
    grown = []

    def spy(self: Grower, *more: Any) -> None:
        grown.append(self)
        grow(self, *more)

    grow = Grower.grow
    monkeypatch.setattr(grower.Grower, "grow", spy)
    X, first, second = table(400)
    d = imd.diff(first, second, X, measure=measure)
    assert d.metrics.f1 > 0
    n_fits = 1 if measure == "none" else 6
    assert len(grown) == 2 * n_fits  # the shared tree, and the surrogates below it
    grown.clear()
    for sensitivity in (0.2, 0.5, 0.9):
        assert d.change(sensitivity=sensitivity).metrics.n_rows == 400
    assert not grown
    assert d.change(max_rules=1).metrics.n_rows == 400
    assert len(grown) <= n_fits  # below another pruned tree
    grown.clear()
    assert d.change(max_depth=3).metrics.n_rows == 400
    assert len(grown) == 2 * n_fits


def test_no_more_is_kept_than_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "MOST_KEPT", 4)
    X, first, second = table(400)
    d = imd.diff(first, second, X, measure="none")
    for depth in range(1, 6):
        e = d.change(max_depth=depth)
        assert len(e.rows.problem.kept) <= 4
        assert file_text(e) == file_text(
            imd.diff(first, second, X, measure="none", max_depth=depth)
        )
