"""Cross-fitting: each row is predicted by rules that were fitted without it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from imd_widget.comparison.dataset import Dataset
from imd_widget.comparison.metrics import measure
from imd_widget.comparison.problem import fit_problem, make_problem
from imd_widget.data.boxes import Boxes
from imd_widget.data.sampling import hashed
from imd_widget.methods import MethodOptions
from imd_widget.outputs.base import ComparedOutputs
from imd_widget.rules.regions import Region

#: Parts into which the rows are divided; the rules for each are fitted on the others.
N_FOLDS = 5


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Predictions for the rows of a dataset by rules that were fitted without them.

    Attributes
    ----------
    rows : ndarray of int
        Numbers of the rows.
    claimed, agreeing : ndarray of bool, shape (len(rows),)
        Whether each row lies inside a diff rule, and inside a rule of agreement.
    fidelity : tuple of two float
        Mean fidelity of either surrogate, by weight of the folds.
    """

    rows: NDArray[np.int32]
    claimed: NDArray[np.bool_]
    agreeing: NDArray[np.bool_]
    fidelity: tuple[float, float]


def cross_fit(
    dataset: Dataset,
    compared: ComparedOutputs,
    options: MethodOptions,
    refinements: int,
    n_chunks: int | None = None,
) -> CrossFit:
    """Fit on all folds but one, and predict the rows of that one; for each of `N_FOLDS` folds."""
    rows = dataset.fit
    claimed, agreeing = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    fidelities, weights = [], []
    for inside in _folds(dataset, compared.observations.outcome > 0):
        part = replace(dataset, fit=rows[~inside], holdout=rows[inside])
        problem = make_problem(part, compared, options, n_chunks)
        fit = fit_problem(problem, refinements)
        claimed[inside] = _covered(part, fit.regions)
        agreeing[inside] = _covered(part, fit.agreement)
        measured = measure(fit.tree, fit.counts, fit.regions, on_holdout=True)
        fidelities.append(measured.fidelity)
        weights.append(measured.confusion.total)
    first, second = np.average(fidelities, axis=0, weights=weights).tolist()
    return CrossFit(rows, claimed, agreeing, (first, second))


def _covered(dataset: Dataset, regions: tuple[Region, ...]) -> NDArray[np.bool_]:
    """Return a mask of the holdout rows that lie in one of the regions."""
    rows = dataset.holdout
    boxes = Boxes(dataset.columns, tuple(region.box for region in regions))
    codes = dataset.codes_at(boxes.asked, rows)
    return boxes.first_of(codes, len(rows)) < len(regions)


def _folds(dataset: Dataset, differs: NDArray[np.bool_]) -> Iterator[NDArray[np.bool_]]:
    """Masks of the rows of each fold, over ``dataset.fit``.

    The rows of a group are in one fold. Differing rows, or groups that have some, are dealt out
    first, so that the folds have about as many of them.
    """
    rows = dataset.fit
    unit = np.arange(len(rows))
    if dataset.groups is not None:
        unit = np.unique(dataset.groups[rows], return_inverse=True)[1]
    n_units = int(unit.max()) + 1
    has_difference = np.bincount(unit, weights=differs[rows], minlength=n_units) > 0
    order = np.lexsort((hashed(n_units, dataset.random_state), ~has_difference))
    fold = np.empty(n_units, dtype=np.int64)
    n_folds = min(N_FOLDS, n_units)
    fold[order] = np.arange(n_units) % n_folds
    for number in range(n_folds):
        yield fold[unit] == number
