"""How many of the differences are where one model is unsure, from a few rows of the table."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from imd_widget.comparison.confusion import Confusion
from imd_widget.comparison.dataset import Dataset
from imd_widget.comparison.given import NUMBERS, Given, GivenOutputs, choices
from imd_widget.comparison.margins import MARGIN, ROUND_NUMBERS, positive_label, what_is_known
from imd_widget.data.sampling import hashed, sampled
from imd_widget.outputs.base import ComparedOutputs
from imd_widget.tree.pruning import balanced_score

if TYPE_CHECKING:
    from imd_widget.comparison.diff_rows import DiffRows

#: Rows on which the models differ, and rows on which they agree, that are looked at most.
MOST_ROWS = 1_000
#: Folds of these rows: the band for each is chosen on the others.
N_FOLDS = 5
#: ``predict_proba`` of a model is called only if it should take at most this many seconds.
MOST_SECONDS = 2.0
#: A sentence on fewer differing rows would mean little.
FEWEST_DIFFERING = 20
#: A model is unsure in a band if its prediction changes in the middle part of this size.
MIDDLE = 0.6

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Unsure:
    """How many of the differences are in one band of what a model gives.

    The shares are of rows that were not used to choose the band.
    """

    model: Given
    #: The upper end of the band, which does not belong to it. Of a margin, the probability of the
    #: likeliest class minus that of the next one, the model is unsure of all rows below.
    below: float
    #: Share of the differing rows, and of all rows, in the band.
    differing: float
    rows: float
    #: The lower end of the band, which belongs to it.
    above: float = 0.0
    #: What the band is of: "margin", or "probability of yes".
    what: str = MARGIN
    #: Whether the model changes its prediction in the middle of the band.
    is_doubt: bool = True


@dataclass(frozen=True)
class UnsureScore:
    """The share of the differences in a band, and how well it predicts them."""

    unsure: Unsure
    #: Matthews' correlation of "in the band" and "the models differ".
    mcc: float


@dataclass(frozen=True)
class _Band:
    """Numbers from ``low`` up to ``high``, which does not belong to it unless it is 1."""

    low: float
    high: float

    def holds(self, values: Floats) -> Mask:
        return (values >= self.low) & ((values < self.high) | (self.high >= 1))


@dataclass(frozen=True, eq=False)
class _FewRows:
    """Some rows used to fit, differing ones and others."""

    rows: NDArray[np.intp]
    weight: Floats
    differs: Mask
    #: The rows of a group are in one fold.
    folds: NDArray[np.uint64]

    def scored(self, what: str, values: Floats) -> tuple[_Band, Confusion]:
        """Return the best band of some values, and each fold measured with that of the others."""
        inside = np.zeros(len(values), dtype=bool)
        for number in range(N_FOLDS):
            own = self.folds == number
            band = _best_band(what, values[~own], self.differs[~own], self.weight[~own])
            inside[own] = band.holds(values[own])
        measured = Confusion.of(inside, self.differs, self.weight)
        return _best_band(what, values, self.differs, self.weight), measured


def where_unsure(rows: DiffRows) -> UnsureScore | None:
    """Return the model and the band of its probability or margin that predict differences best.

    Probabilities that are compared are known. Of classes, ``predict_proba`` is called with a few
    rows, if the calls of the diff were fast. None if there are none, or too few differences.
    """
    few = _few_rows(rows.dataset, rows.compared) if rows.dataset.in_memory else None
    if few is None:
        return None
    what = what_is_known(rows.compared, rows.models)
    found = []
    for model in choices(rows.models.names, rows.right_from(rows.totals.right)):
        values = _sureness(rows, NUMBERS[model], few.rows)
        if values is None:
            continue
        band, measured = few.scored(what, values)
        share = measured.claimed / measured.total
        cut = _cut(rows.compared, NUMBERS[model], values, few.rows)
        is_doubt = what == MARGIN or _is_doubt(band, cut)
        unsure = Unsure(model, band.high, measured.recall, share, band.low, what, is_doubt)
        found.append(UnsureScore(unsure, measured.mcc))
    return max(found, key=lambda one: one.mcc, default=None)


def most_telling(
    dataset: Dataset, compared: ComparedOutputs, columns: Sequence[GivenOutputs]
) -> int | None:
    """Return the index of the column of which a band predicts the differences best.

    It is the model that `where_unsure` names. None if too few rows differ.
    """
    few = _few_rows(dataset, compared)
    if few is None:
        return None
    scores = [
        few.scored(own.sure.what, own.sure.values[few.rows])[1].mcc
        for own in columns
        if own.sure is not None
    ]
    return int(np.argmax(scores))


def _few_rows(dataset: Dataset, compared: ComparedOutputs) -> _FewRows | None:
    """Return some rows of the table; None if too few of them differ."""
    known = np.asarray(dataset.fit[dataset.fit < dataset.tables[0].n_rows], dtype=np.intp)
    differs = np.asarray(compared.observations.outcome[known] > 0)
    hashes = hashed(dataset.n_rows, ~dataset.random_state)
    weights = dataset.weights
    own = np.ones(dataset.n_rows) if weights is None else weights.whole
    parts, shares = [], []
    for part in (known[differs], known[~differs]):
        few = sampled(part, hashes, MOST_ROWS)
        parts.append(few)
        shares.append(own[few] * (own[part].sum() / own[few].sum() if len(few) else 1.0))
    if len(parts[0]) < FEWEST_DIFFERING or not len(parts[1]):
        return None
    rows = np.concatenate(parts)
    unit = rows if dataset.groups is None else dataset.groups[rows]
    folds = hashed(int(unit.max()) + 1, dataset.random_state + 1)[unit] % np.uint64(N_FOLDS)
    is_differing = np.arange(len(rows)) < len(parts[0])
    return _FewRows(rows, np.concatenate(shares), is_differing, np.asarray(folds))


def _sureness(rows: DiffRows, model: int, few: NDArray[np.intp]) -> Floats | None:
    """Return how sure a model is of some rows; None if that is not known, or slow to compute."""
    compared, models = rows.compared, rows.models
    known = compared.observations.values
    if compared.outputs.has_margins and known is not None:
        return np.asarray(known[model][few], dtype=float)
    seconds = models.seconds_per_row[model]
    if model not in models.with_margins or not compared.outputs.labels:
        return None
    if seconds is None or seconds * len(few) > MOST_SECONDS:
        return None
    order = np.argsort(few)
    label = positive_label(compared, models)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = models.sureness(model, rows.table.take(few[order]), label)
    except Exception:  # a suggestion is no reason to fail: predict_proba was not asked for
        return None
    found = np.empty(len(few))
    found[order] = values
    return found if np.isfinite(found).all() else None


def _best_band(what: str, values: Floats, differs: Mask, weight: Floats) -> _Band:
    """Return the band with the largest mean of F1 and Matthews' correlation, the first of ties.

    Its ends are round numbers. A band of a margin begins at 0.
    """
    ends = np.array([0.0, *ROUND_NUMBERS, 1.0])
    at = np.searchsorted(ends[1:-1], values, side="right")
    n_parts = len(ends) - 1
    total, found = (
        np.concatenate([[0.0], np.cumsum(np.bincount(at, own, n_parts))])
        for own in (weight, weight * differs)
    )
    low, high = np.array(list(combinations(range(len(ends)), 2))[: n_parts - 1]).T
    bands = [band for band in combinations(range(len(ends)), 2) if band != (0, n_parts)]
    low, high = np.array([band for band in bands if what != MARGIN or band[0] == 0]).T
    claimed, both = total[high] - total[low], found[high] - found[low]
    score = balanced_score(claimed, both, found[-1], total[-1]).value
    best = int(np.argmax(np.where(claimed > 0, score, -1.0)))
    return _Band(float(ends[low[best]]), float(ends[high[best]]))


def _cut(
    compared: ComparedOutputs, model: int, values: Floats, few: NDArray[np.intp]
) -> float | None:
    """Return the probability at which a model changes its prediction; None if there is none."""
    labels = compared.observations.labels
    if labels is None:
        return 0.5
    positive = labels[model][few] == 1
    if positive.all() or not positive.any():
        return None
    below, above = float(values[~positive].max()), float(values[positive].min())
    return (below + above) / 2 if below <= above else None


def _is_doubt(band: _Band, cut: float | None) -> bool:
    """Whether a cut lies in the middle part of a band."""
    if cut is None:
        return False
    return abs(cut - (band.low + band.high) / 2) <= MIDDLE / 2 * (band.high - band.low)
