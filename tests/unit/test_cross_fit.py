"""Small tables are measured by folds: each row by rules that were fitted without it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.comparison.confusion import Confusion
from imd_widget.comparison.cross_fit import N_FOLDS, _folds
from imd_widget.comparison.problem import fit_problem, make_problem
from imd_widget.data.boxes import in_box
from tests.examples import examples
from tests.unit.strategies import Problem, problems

RNG = np.random.default_rng(3)
X = pd.DataFrame({"a": RNG.uniform(size=400), "b": RNG.uniform(size=400)})
OLD = (X["a"] > 0.5).to_numpy(int)
NEW = np.where((X["b"] > 0.8) & (RNG.random(400) < 0.9), 1 - OLD, OLD)


def folds_of(d: imd.ModelDiff) -> list[np.ndarray[Any, Any]]:
    results = d.rows
    return list(_folds(results.dataset, results.compared.observations.outcome > 0))


def test_a_small_table_is_measured_by_folds_and_fitted_on_all_rows() -> None:
    d = imd.diff(OLD, NEW, X)
    assert d.metrics.measured_by == "cv"
    assert not d.metrics.on_holdout
    assert not d.kept_aside.any()
    assert d.metrics.measured_rows == d.tree.rows[0] == 400
    assert d.metrics.measured_differing == (OLD != NEW).sum()
    assert all(rule.holdout_support == 0 for rule in d.rules)


def test_a_naive_twin_measures_the_same() -> None:
    d = imd.diff(OLD, NEW, X).refine()
    results = d.rows
    dataset = results.dataset
    claimed = np.zeros(400, dtype=bool)
    fidelity = []
    for inside in folds_of(d):
        rows = dataset.fit[~inside]
        problem = make_problem(replace(dataset, fit=rows), results.compared, results.method)
        fit = fit_problem(problem, refinements=d.refinements)
        for row in dataset.fit[inside].tolist():
            codes = [column[row : row + 1] for column in dataset.codes]
            claimed[row] = any(in_box(region.box, codes, 1)[0] for region in fit.regions)
        leaves = fit.tree.route(dataset.codes, dataset.fit[inside])
        said = [
            [fit.tree.labels[fit.tree.label(leaf)] for leaf in pair] for pair in leaves.tolist()
        ]
        truth = np.column_stack([OLD, NEW])[dataset.fit[inside]]
        fidelity.append((inside.sum(), (np.array(said) == truth).mean(axis=0)))
    expected = Confusion.of(claimed, OLD != NEW)
    metrics = d.metrics
    assert (metrics.precision, metrics.recall) == (expected.precision, expected.recall)
    assert metrics.mcc == pytest.approx(expected.mcc)
    assert metrics.measured_claimed == claimed.sum()
    sizes, shares = zip(*fidelity, strict=True)
    assert metrics.fidelity == pytest.approx(tuple(np.average(shares, axis=0, weights=sizes)))


@settings(max_examples=examples(60))
@given(problems(max_rows=60), st.integers(0, 3), st.booleans())
def test_folds_part_the_rows_and_share_the_differences(
    problem: Problem, seed: int, grouped: bool
) -> None:
    groups = np.arange(len(problem.X)) // 4 if grouped else None
    if grouped and len(problem.X) <= 4:
        return
    d = imd.diff(
        problem.y1,
        problem.y2,
        problem.X,
        measure="cv",
        groups=groups,
        random_state=seed,
        outputs="class",
    )
    if d.metrics.measured_by != "cv":
        assert len(problem.X) == 1
        return
    folds = folds_of(d)
    n_units = len(problem.X) if groups is None else len(set(groups.tolist()))
    assert len(folds) == min(N_FOLDS, n_units)
    assert (np.sum(folds, axis=0) == 1).all()
    if groups is None:
        differing = [int(d.differs[d.rows.dataset.fit][fold].sum()) for fold in folds]
        assert max(differing) - min(differing) <= 1
        sizes = [int(fold.sum()) for fold in folds]
        assert max(sizes) - min(sizes) <= 1
    else:
        for group in set(groups.tolist()):
            assert sum(bool(fold[groups == group].any()) for fold in folds) == 1


def test_noise_is_no_better_than_chance_by_folds_although_it_fits() -> None:
    """On the rows used to fit, rules for noise look good; by folds they tell nothing."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(300, 8))).rename(columns=str)
    differs = rng.random(300) < 0.1
    options: Any = {"rule_cost": 0, "min_samples_leaf": 1}
    fitted = imd.diff(np.zeros(300, int), differs.astype(int), table, measure="none", **options)
    folds = imd.diff(np.zeros(300, int), differs.astype(int), table, measure="cv", **options)
    assert [str(rule) for rule in fitted.rules] == [str(rule) for rule in folds.rules]
    assert fitted.metrics.mcc is not None
    assert folds.metrics.mcc is not None
    assert fitted.metrics.mcc > 0.5
    assert abs(folds.metrics.mcc) < 0.15
    assert "not shown to be better than chance: in five-fold cross-fitting" in folds.summary()


@pytest.mark.parametrize(
    "options, measured_by",
    [
        ({}, "cv"),
        ({"measure": "holdout"}, "holdout"),
        ({"measure": "none"}, "none"),
        ({"test_size": 0}, "none"),
        ({"holdout": np.arange(400) < 100}, "holdout"),
        ({"measure": "cv", "test_size": 0}, "cv"),
    ],
)
def test_how_it_is_measured_is_chosen(options: dict[str, Any], measured_by: str) -> None:
    assert imd.diff(OLD, NEW, X, **options).metrics.measured_by == measured_by


def test_fifty_differing_rows_kept_aside_are_enough() -> None:
    n = 4000
    table = pd.DataFrame({"a": np.arange(n)})
    for n_differing in (100, 1200):
        new = (np.arange(n) % n >= n - n_differing).astype(int)
        d = imd.diff(np.zeros(n, int), new, table)
        assert d.metrics.measured_by == ("holdout" if n_differing == 1200 else "cv")
    assert d.metrics.measured_differing >= 50


def test_another_tolerance_is_measured_anew() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"a": rng.uniform(size=1000)})
    apart = np.where(table["a"] > 0.97, 5.0, np.where(table["a"] > 0.3, 1.0, 0.0))
    d = imd.diff(np.zeros(1000), apart, table, outputs="value", tolerance=0.5)
    assert d.metrics.measured_by == "holdout"
    changed = d.change(tolerance=2)
    assert changed.metrics.measured_by == "cv"
    assert changed.metrics.n_differing == (table["a"] > 0.97).sum()
    assert changed.tolerance == 2
    same = imd.diff(np.zeros(1000), apart, table, outputs="value", tolerance=2)
    assert same.rules == changed.rules
    assert same.metrics == changed.metrics


def test_a_headline_says_that_folds_were_measured() -> None:
    assert (
        "rules show where: in five-fold cross-fitting they cover"
        in imd.diff(OLD, NEW, X, rule_cost=0).summary()
        or "rule shows where: in five-fold cross-fitting it covers"
        in imd.diff(OLD, NEW, X).summary()
    )
