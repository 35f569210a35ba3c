"""A cohort of the user's own: the rows of a condition, measured as a rule is."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.errors import Argument, InputError
from imd_widget._base.frozen import FrozenArrays
from imd_widget.comparison.query import as_mask, rows_of, written
from imd_widget.models.adapters import check_index
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.interface import OutcomePair
from imd_widget.rules.languages import percent
from imd_widget.rules.rule import share

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff
    from imd_widget.explanations.explanation import Explanation

#: Most outcome pairs that are listed.
MOST_OUTCOMES = 3


#: The condition of a cohort that was given as a mask.
OF_MASK = "rows of a mask"


@dataclass(frozen=True, eq=False)
class Cohort(Displayed, FrozenArrays):
    """The rows of a condition of the user's own; no rule was fitted to them.

    Attributes
    ----------
    condition : str
        The condition, with spaces and quotes as Python writes them: "age < 30" for "age<30".
    mask : ndarray of bool, shape (n_rows,)
        The rows of the table that it holds for.
    rows, differing : int
        Their number, and the number of those on which the models differ.
    rate, outside_rate : float
        Share of the rows inside and outside that differ, by weight; NaN if there is no row.
    interval : tuple of two float
        95 % interval of the rate; (0, 1) if there is no row, or too few groups to tell.
    coverage : float
        Share of all differing rows that lie inside, by weight.
    outcomes : tuple of OutcomePair
        The most frequent pairs of labels among the differing rows, by weight; empty for numbers.
    right : Right or None
        How often either model is right inside; None without ``y``.
    """

    condition: str
    mask: NDArray[np.bool_]
    rows: int
    differing: int
    rate: float
    outside_rate: float
    interval: tuple[float, float]
    coverage: float
    outcomes: tuple[OutcomePair, ...]
    right: Right | None
    _diff: Any = field(default=None, repr=False)

    def explain(self, **options: Any) -> Explanation:
        """Explain both models on these rows: ``d.explain(cohort)``.

        Parameters
        ----------
        **options
            As `ModelDiff.explain` takes them.
        """
        if self._diff is None:
            raise InputError("this cohort was copied from its diff: d.explain(cohort) explains it.")
        explanation: Explanation = self._diff.explain(self, **options)
        return explanation

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_diff": None}

    def __str__(self) -> str:
        if not self.rows:
            return f"{self.condition}: no row"
        low, high = (round(100 * end) for end in self.interval)
        outside = "no row is outside"
        if not math.isnan(self.outside_rate):
            outside = f"outside {percent(self.outside_rate)}"
        return (
            f"{self.condition}: {self.differing:,} of {self.rows:,} rows differ "
            f"({percent(self.rate)}, {low} to {high} %; {outside})"
        )

    def _report(self) -> Report:
        ways = [
            f"{' -> '.join(way.said)}: {percent(way.share)} of the rows that differ"
            for way in self.outcomes
        ]
        return Report((str(self), *ways))

    def __repr__(self) -> str:
        return f"<Cohort: {self}>"


def cohort(diff: ModelDiff, condition: Any) -> Cohort:
    """Measure the rows of the table that a condition holds for."""
    fitted = diff.rows
    text, mask = _mask(diff, condition)
    weight = fitted.row_weight
    differs = diff.differs
    inside, outside = mask & (weight > 0), ~mask & (weight > 0)
    total = weight[differs].sum()
    rate = share(weight[inside & differs].sum(), weight[inside].sum())
    return Cohort(
        condition=text,
        mask=mask,
        rows=int(inside.sum()),
        differing=int((inside & differs).sum()),
        rate=rate,
        outside_rate=share(weight[outside & differs].sum(), weight[outside].sum()),
        interval=fitted.rate_interval(inside, rate),
        coverage=float(weight[inside & differs].sum() / total) if total else 0.0,
        outcomes=_outcomes(diff, inside & differs),
        right=fitted.right_of(np.flatnonzero(inside)),
        _diff=diff,
    )


def _mask(diff: ModelDiff, condition: Any) -> tuple[str, NDArray[np.bool_]]:
    """Return the condition as text, and the rows that it holds for."""
    if isinstance(condition, str):
        rows = rows_of(condition, diff.table)
        return written(condition, diff.table), rows
    check_index(condition, diff.table, "condition")
    given, n_rows = np.asarray(condition), diff.table.n_rows
    mask = as_mask(condition) if given.shape == (n_rows,) else None
    if mask is None:
        raise InputError(
            Argument("condition"),
            f" is an array of {given.dtype} and shape {given.shape}: a condition is a text, as "
            "for DataFrame.query (\"age < 30 and job == 'nurse'\"), or a boolean array with "
            f"one True or False for each of the {n_rows} rows.",
        )
    return OF_MASK, mask


def _outcomes(diff: ModelDiff, rows: NDArray[np.bool_]) -> tuple[OutcomePair, ...]:
    if not diff.labels or not rows.any():
        return ()
    fitted, texts = diff.rows, diff.tree.outputs.texts
    both = fitted.predictions_at(np.flatnonzero(rows))
    weights: Counter[tuple[Any, Any]] = Counter()
    for pair, weight in zip(zip(*both, strict=True), fitted.row_weight[rows], strict=True):
        weights[pair] += weight
    total = weights.total()
    return tuple(
        OutcomePair((one, two), (texts([one])[0], texts([two])[0]), float(weight / total))
        for (one, two), weight in weights.most_common(MOST_OUTCOMES)
    )
