"""How many of the differences are where one model is unsure, from a few rows of the table."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from imd_widget.comparison.confusion import Confusion
from imd_widget.comparison.given import NUMBERS, Given, choices
from imd_widget.data.sampling import hashed, sampled

if TYPE_CHECKING:
    from imd_widget.comparison.diff_rows import DiffRows

#: Rows on which the models differ, and rows on which they agree, that are looked at most.
MOST_ROWS = 1_000
#: Folds of these rows: the limit for each is chosen on the others.
N_FOLDS = 5
#: ``predict_proba`` of a model is called only if it should take at most this many seconds.
MOST_SECONDS = 2.0
#: A sentence on fewer differing rows would mean little.
FEWEST_DIFFERING = 20
#: Margins below which a model may count as unsure.
LIMITS = (0.01, 0.02, *(number / 20 for number in range(1, 20)), 0.98, 0.99)

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Unsure:
    """How many of the differences are where a model is unsure.

    The shares are of rows that were not used to choose the margin.
    """

    model: Given
    #: The model is unsure of a row if its margin is smaller: the probability of the likeliest class
    #: minus that of the next one.
    below: float
    #: Share of the differing rows, and of all rows, of which it is unsure.
    differing: float
    rows: float


@dataclass(frozen=True)
class UnsureScore:
    """The share of the differences where a model is unsure, and how well that predicts them."""

    unsure: Unsure
    #: Matthews' correlation of "the model is unsure" and "the models differ".
    mcc: float


def where_unsure(rows: DiffRows) -> UnsureScore | None:
    """Return the model whose doubt predicts the differences best.

    Probabilities that are compared are known. Of classes, ``predict_proba`` is called with a few
    rows, if the calls of the diff were fast. None if there are no margins, or too few differences.
    """
    if not rows.dataset.in_memory:
        return None
    few, weight = _some_rows(rows)
    differs = rows.differs_at(few)
    if differs.sum() < FEWEST_DIFFERING or differs.all():
        return None
    folds = _folds(rows, few)
    found = []
    for model in choices(rows.models.names, rows.right_from(rows.totals.right)):
        margin = _margin(rows, NUMBERS[model], few)
        if margin is not None:
            found.append(_scored(model, margin, differs, weight, folds))
    return max(found, key=lambda one: one.mcc, default=None)


def _some_rows(rows: DiffRows) -> tuple[NDArray[np.intp], Floats]:
    """Return some rows of the table, differing ones and others, and their weights."""
    dataset = rows.dataset
    known = np.union1d(dataset.fit, dataset.holdout)
    known = np.asarray(known[known < rows.table.n_rows], dtype=np.intp)
    hashes = hashed(dataset.n_rows, ~dataset.random_state)
    differs = rows.differs_at(known)
    parts, weights = [], []
    for part in (known[differs], known[~differs]):
        few = sampled(part, hashes, MOST_ROWS)
        own = rows.row_weight
        parts.append(few)
        weights.append(own[few] * (own[part].sum() / own[few].sum() if len(few) else 1.0))
    return np.concatenate(parts), np.concatenate(weights)


def _folds(rows: DiffRows, few: NDArray[np.intp]) -> NDArray[np.uint64]:
    """Return the fold of each of some rows; the rows of a group are in one fold."""
    groups = rows.dataset.groups
    unit = few if groups is None else groups[few]
    hashes = hashed(int(unit.max()) + 1, rows.dataset.random_state + 1)
    return np.asarray(hashes[unit] % np.uint64(N_FOLDS))


def _margin(rows: DiffRows, model: int, few: NDArray[np.intp]) -> Floats | None:
    """Return how sure a model is of some rows; None if that is not known, or slow to compute."""
    compared, models = rows.compared, rows.models
    known = compared.observations.values
    if compared.outputs.has_margins and known is not None:
        return np.asarray(np.abs(2 * known[model][few] - 1))
    seconds = models.seconds_per_row[model]
    if model not in models.with_margins or not compared.outputs.labels:
        return None
    if seconds is None or seconds * len(few) > MOST_SECONDS:
        return None
    order = np.argsort(few)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            margin = models.margin(model, rows.table.take(few[order]))
    except Exception:  # a suggestion is no reason to fail: predict_proba was not asked for
        return None
    found = np.empty(len(few))
    found[order] = margin
    return found if np.isfinite(found).all() else None


def _scored(
    model: Given, margin: Floats, differs: Mask, weight: Floats, folds: NDArray[np.uint64]
) -> UnsureScore:
    """Measure each fold of the rows with the limit that is best on the others."""
    inside = np.zeros(len(margin), dtype=bool)
    for number in range(N_FOLDS):
        own = folds == number
        inside[own] = margin[own] < _best_limit(margin[~own], differs[~own], weight[~own])
    measured = Confusion.of(inside, differs, weight)
    below = _best_limit(margin, differs, weight)
    rows = measured.claimed / measured.total
    return UnsureScore(Unsure(model, below, measured.recall, rows), measured.mcc)


def _best_limit(margin: Floats, differs: Mask, weight: Floats) -> float:
    """Return the limit with the largest mean of F1 and Matthews' correlation."""

    def score(limit: float) -> float:
        return Confusion.of(margin < limit, differs, weight).balanced

    return max(LIMITS, key=score)
