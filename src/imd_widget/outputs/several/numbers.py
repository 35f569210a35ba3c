"""Probabilities and values of two or more models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError
from imd_widget._base.kinds import OutputKind
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import ComparisonInput, RelativeTolerance, Tolerance, numbers
from imd_widget.outputs.number_outputs import SHOWN_PART, distance_text, is_above
from imd_widget.outputs.number_steps import USUAL, ends_of
from imd_widget.outputs.number_text import short_number
from imd_widget.outputs.probabilities import (
    PROBA_TOLERANCE,
    PositiveClass,
    ProbabilityOutputs,
    check_flags,
    decided,
)
from imd_widget.outputs.several.base import Judged, OnError, SeveralOutputs, read_each
from imd_widget.outputs.several.pairwise import Differing, Rows, count_differing
from imd_widget.outputs.values import ValueOutputs, as_values, only_flags


@dataclass(frozen=True, eq=False)
class SeveralNumbers(SeveralOutputs):
    """Numbers of two or more models, which differ if they are more than a tolerance apart."""

    kind: OutputKind
    kept: tuple[int, ...]
    #: The numbers of each model.
    values: tuple[NDArray[np.float64], ...]
    #: From the output of a model to its numbers.
    read: Callable[[ModelOutput], NDArray[np.float64]]
    tolerance: Tolerance
    differs: str
    judged: Judged | None
    score_name: str
    scores_errors: bool
    #: Errors are shown to this.
    finest: float

    def differing(self, rows: Rows, weight: NDArray[np.float64] | None) -> Differing:
        """Count the rows on which the numbers of two models are more than the tolerance apart."""
        return count_differing([own[rows] for own in self.values], self._are_apart, weight)

    def _are_apart(self, one: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(_are_apart(np.abs(others - one), one, others, self.tolerance))

    def error_text(self, error: float) -> str | None:
        """An error, to one digit more than numbers are shown; None if the score is a share."""
        return short_number(error, self.finest) if self.scores_errors else None

    def vote(self, outputs: Sequence[ModelOutput], own: int) -> NDArray[Any]:
        """The median of the others."""
        others = [self.read(output) for at, output in enumerate(outputs) if at != own]
        return np.asarray(np.median(np.stack(others), axis=0))


def _are_apart(by: Any, one: Any, other: Any, tolerance: Tolerance) -> Any:
    """Whether numbers that are ``by`` apart differ, as `NumberOutputs.is_apart` says."""
    if isinstance(tolerance, RelativeTolerance):
        return is_above(by, tolerance.share * np.maximum(np.abs(one), np.abs(other)))
    return is_above(by, float(tolerance))


def _differs(tolerance: Tolerance) -> str:
    if isinstance(tolerance, RelativeTolerance):
        return distance_text(0.0, tolerance.share)
    return distance_text(float(tolerance), None)


def read_several_values(case: ComparisonInput, on_error: OnError | None) -> SeveralNumbers:
    """Read the outputs of each model as values."""
    if case.output_options.class_names is not None:
        raise InputError(
            Argument("class_names"), " has no meaning for values, which are shown as numbers."
        )
    kept, values = read_each(case.model_outputs, as_values, on_error)
    tolerance = case.output_options.tolerance
    if tolerance is None:
        rows = slice(None) if case.counting.all() else case.counting
        usual = ends_of(np.concatenate([own[rows] for own in values]), USUAL)
        tolerance = ValueOutputs.default_tolerance(*usual)
    judged = None
    if case.truth is not None:
        actual = numbers(case.truth, "y", may_miss=True)
        known, truth = ~np.isnan(actual), np.where(np.isnan(actual), 0, actual)
        errors = [np.where(known, np.abs(own - truth), 0) for own in values]
        right = [
            ~_are_apart(error, own, truth, tolerance)
            for error, own in zip(errors, values, strict=True)
        ]
        judged = Judged(np.stack(right), known, np.stack(errors))
    return SeveralNumbers(
        kind=ValueOutputs.kind,
        kept=kept,
        values=tuple(values),
        read=as_values,
        tolerance=tolerance,
        differs=_differs(tolerance),
        judged=judged,
        score_name="mean absolute error",
        scores_errors=True,
        finest=_finest(tolerance, max(float(np.ptp(own)) for own in values)),
    )


def read_several_probabilities(case: ComparisonInput, on_error: OnError | None) -> SeveralNumbers:
    """Read the outputs of each model as probabilities of one class."""
    options = case.output_options
    positive = PositiveClass.of(case.model_outputs, options.pos_label)
    kept, values = read_each(case.model_outputs, positive.reader(), on_error)
    check_flags([case.model_outputs[number] for number in kept], list(map(only_flags, values)))
    tolerance = PROBA_TOLERANCE if options.tolerance is None else options.tolerance
    judged = None
    if case.truth is not None:
        actual = positive.named_by(case.truth).actual(case.truth)
        known, truth = ~np.isnan(actual), np.where(np.isnan(actual), 0, actual)
        right = [decided(own) == truth for own in values]
        errors = [np.where(known, np.abs(own - truth), 0) for own in values]
        judged = Judged(np.stack(right), known, np.stack(errors))
    return SeveralNumbers(
        kind=ProbabilityOutputs.kind,
        kept=kept,
        values=tuple(values),
        read=positive.reader(),
        tolerance=tolerance,
        differs=_differs(tolerance),
        judged=judged,
        score_name="accuracy",
        scores_errors=False,
        finest=_finest(tolerance, 1.0),
    )


def _finest(tolerance: Tolerance, spread: float) -> float:
    distance = 0.0 if isinstance(tolerance, RelativeTolerance) else float(tolerance)
    return (distance / SHOWN_PART or spread / 10_000) / 10
