"""`Figures`: the matrix of k models, their scores and their order, as plain values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.kinds import OutputKind
from imd_widget.comparison.prepare import Measurement
from imd_widget.many.ordering import order_by_similarity
from imd_widget.many.telling_apart import told_apart
from imd_widget.outputs.base import RelativeTolerance, Tolerance
from imd_widget.outputs.judging import Judged
from imd_widget.outputs.several.base import SeveralOutputs
from imd_widget.outputs.several.pairwise import Rows, count_fixes
from imd_widget.rules.languages import percent


@dataclass(frozen=True)
class ModelScore:
    """How good one model is, as the matrix shows it."""

    #: Accuracy, or the mean absolute error of values.
    score: float
    #: The score as text.
    text: str
    #: Whether no other model has a better score, beyond what chance explains: see
    #: `imd_widget.many.telling_apart`. The model with the best score is one, perhaps of several.
    best: bool


@dataclass(frozen=True)
class Score(ModelScore):
    """How good one model is.

    Attributes
    ----------
    error : float or None
        Of probabilities and values: the mean distance from the truth.
    """

    error: float | None = None


@dataclass(frozen=True, eq=False)
class Scores:
    """How good the models are, on the rows that have a truth."""

    #: "accuracy", or "mean absolute error".
    name: str
    #: Whether a smaller score is better.
    is_error: bool
    #: Rows with a truth.
    n_rows: int
    #: Whether these are rows of a separate holdout table.
    on_holdout: bool
    models: tuple[Score, ...]
    #: Rows that model i gets wrong and model j right.
    fixes: NDArray[np.int64]
    #: Whether models i and j have different scores beyond what chance explains; None in older
    #: files.
    apart: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Skipped:
    """A model that was left out, and why."""

    name: str
    reason: str


@dataclass(frozen=True, eq=False)
class Figures:
    """What a comparison of k models is about, without its rows."""

    names: tuple[str, ...]
    outputs: OutputKind
    #: As `imd_widget.diff` takes it; None for classes.
    tolerance: float | str | None
    #: Whether the user gave no tolerance.
    by_default: bool
    #: When two outputs differ, in words; None for classes.
    differs: str | None
    #: Whether rows have weights.
    weighted: bool
    #: Rows of the table that count.
    n_rows: int
    #: Rows on which two models differ.
    rows: NDArray[np.int64]
    #: Their share, by weight.
    shares: NDArray[np.float64]
    #: Numbers of the models by similarity.
    order: tuple[int, ...]
    scores: Scores | None
    skipped: tuple[Skipped, ...] = ()


def figures_of(
    names: tuple[str, ...],
    several: SeveralOutputs,
    measurement: Measurement,
    by_default: bool,
    skipped: tuple[Skipped, ...],
) -> Figures:
    """Count the rows of the table on which each two models differ, and score each model."""
    dataset, n_rows = measurement.dataset, measurement.table.n_rows
    rows, weight = _counting(dataset.weights.whole[:n_rows] if dataset.weights else None, n_rows)
    counted = several.differing(rows, weight)
    n_counting = n_rows if weight is None else len(weight)
    total = float(n_counting) if weight is None else float(weight.sum())
    shares = counted.weight / total
    return Figures(
        names=names,
        outputs=several.kind,
        tolerance=_as_given(several.tolerance),
        by_default=by_default and several.tolerance is not None,
        differs=several.differs,
        weighted=weight is not None,
        n_rows=n_counting,
        rows=counted.rows,
        shares=shares,
        order=order_by_similarity(shares),
        scores=_scores(several, measurement),
        skipped=skipped,
    )


def _as_given(tolerance: Tolerance | None) -> float | str | None:
    if isinstance(tolerance, RelativeTolerance):
        return f"{100 * tolerance.share!r} %"
    return None if tolerance is None else float(tolerance)


def _counting(
    weight: NDArray[np.float64] | None, n_rows: int
) -> tuple[Rows, NDArray[np.float64] | None]:
    """Rows with a positive weight, and their weights."""
    if weight is None:
        return slice(0, n_rows), None
    rows = np.flatnonzero(weight)
    return rows, weight[rows]


def _scores(several: SeveralOutputs, measurement: Measurement) -> Scores | None:
    """Scores on the rows of the table; of a separate holdout table, if there is one."""
    judged, dataset = several.judged, measurement.dataset
    if judged is None:
        return None
    own = dataset.has_own_holdout
    rows = dataset.holdout if own else np.arange(measurement.table.n_rows)
    weight = np.ones(len(rows)) if dataset.weights is None else dataset.weights.whole[rows]
    known = judged.known[rows] & (weight > 0)
    if not known.any():
        return None
    rows, weight = rows[known], weight[known]
    groups = None if dataset.groups is None else dataset.groups[rows]
    models, apart = _score_each(several, judged, rows, weight, groups)
    fixes = count_fixes(judged.right[:, rows], np.ones(len(rows), dtype=bool))
    is_error = several.scores_errors
    return Scores(several.score_name, is_error, len(rows), own, models, fixes, apart)


def _score_each(
    several: SeveralOutputs,
    judged: Judged,
    rows: NDArray[np.integer],
    weight: NDArray[np.float64],
    groups: NDArray[np.integer] | None,
) -> tuple[tuple[Score, ...], NDArray[np.bool_]]:
    """Return the score of each model, and which pairs of models differ beyond chance."""
    total = float(weight.sum())
    right = [float(weight[own[rows]].sum()) / total for own in judged.right]
    errors: list[float | None] = [None] * len(right)
    distances = judged.distances
    if distances is not None:  # to the digits that do not depend on the order of rows
        errors = [float(f"{own[rows] @ weight / total:.10g}") for own in distances]
    found = [e for e in errors if e is not None] if several.scores_errors else right
    leader = int(np.argmin(found) if several.scores_errors else np.argmax(found))
    losses = distances if several.scores_errors else ~judged.right
    assert losses is not None
    apart = told_apart(losses[:, rows], weight, groups)
    behind = apart[leader].tolist()
    scores = tuple(
        Score(score, several.error_text(score) or percent(score, 1), not is_behind, error)
        for score, error, is_behind in zip(found, errors, behind, strict=True)
    )
    return scores, apart
