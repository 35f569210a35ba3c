"""Probabilities and values of two or more models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.kinds import OutputKind
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import ComparisonInput, RelativeTolerance, Tolerance
from imd_widget.outputs.judging import Judged
from imd_widget.outputs.number_outputs import (
    SHOWN_PART,
    are_beyond,
    distance_text,
)
from imd_widget.outputs.number_steps import USUAL, ends_of
from imd_widget.outputs.number_text import short_number
from imd_widget.outputs.several.base import OnError, SeveralOutputs, read_each
from imd_widget.outputs.several.pairwise import Differing, Rows, count_differing
from imd_widget.outputs.values import NumberPlan, only_flags


@dataclass(frozen=True, eq=False)
class SeveralNumbers(SeveralOutputs):
    """Numbers of two or more models, which differ if they are more than a tolerance apart."""

    plan: NumberPlan
    kind: OutputKind
    kept: tuple[int, ...]
    #: The numbers of each model.
    values: tuple[NDArray[np.float64], ...]
    tolerance: Tolerance
    differs: str
    judged: Judged | None
    score_name: str
    scores_errors: bool

    def differing(self, rows: Rows, weight: NDArray[np.float64] | None) -> Differing:
        """Count the rows on which the numbers of two models are more than the tolerance apart."""
        return count_differing([own[rows] for own in self.values], self._differ, weight)

    def _differ(self, one: NDArray[Any], others: NDArray[Any]) -> NDArray[np.bool_]:
        return np.asarray(are_beyond(np.abs(others - one), one, others, *_limits(self.tolerance)))

    def error_text(self, error: float) -> str | None:
        """An error, to one digit more than numbers are shown; None if the score is a share."""
        if not self.scores_errors:
            return None
        spread = max(float(np.ptp(own)) for own in self.values)
        distance, _ = _limits(self.tolerance)
        return short_number(error, (distance / SHOWN_PART or spread / 10_000) / 10)

    def vote(self, outputs: Sequence[ModelOutput], own: int) -> NDArray[Any]:
        """The median of the others."""
        others = [self.plan.convert(output) for at, output in enumerate(outputs) if at != own]
        return np.asarray(np.median(np.stack(others), axis=0))


def _limits(tolerance: Tolerance) -> tuple[float, float | None]:
    """The distance and the share of the larger output beyond which two numbers differ."""
    if isinstance(tolerance, RelativeTolerance):
        return 0.0, tolerance.share
    return float(tolerance), None


def read_several_numbers(
    plan_of: Callable[[ComparisonInput], NumberPlan],
    case: ComparisonInput,
    on_error: OnError | None,
) -> SeveralNumbers:
    """Read the outputs of each model as numbers, by the plan that is made of them."""
    plan = plan_of(case)
    kept, values = read_each(case.model_outputs, plan.convert, on_error)
    plan.remark([case.model_outputs[number] for number in kept], list(map(only_flags, values)))
    tolerance = case.output_options.tolerance
    if tolerance is None:
        rows = slice(None) if case.counting.all() else case.counting
        usual = ends_of(np.concatenate([own[rows] for own in values]), USUAL)
        tolerance = plan.kind.default_tolerance(*usual)
    limits = _limits(tolerance)
    judged = plan.judge(values, case.truth, lambda by, one, two: are_beyond(by, one, two, *limits))
    return SeveralNumbers(
        plan=plan,
        kind=plan.kind.kind,
        kept=kept,
        values=tuple(values),
        tolerance=tolerance,
        differs=distance_text(*limits),
        judged=judged,
        score_name=plan.kind.score_name,
        scores_errors=plan.kind.scores_errors,
    )
