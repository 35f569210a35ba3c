"""Numbers of all partitions compared: order statistics of all of them set the scale."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.exact_sums import SumGrid
from imd_widget.counting.observations import Observations
from imd_widget.large.cases import LargeComparison, OutputRequest
from imd_widget.large.order_statistics import at_ranks
from imd_widget.large.partitions import PartitionedItems
from imd_widget.outputs.base import ComparedOutputs, RelativeTolerance
from imd_widget.outputs.number_outputs import NumberOutputs
from imd_widget.outputs.number_steps import (
    ENDS,
    USUAL,
    OutputSpread,
    Steps,
    StepTotals,
    coarse,
    coarseness_of,
    middle_ranks,
    rank_of,
)
from imd_widget.outputs.values import DIRECTIONS, NumberPlan, only_flags, value_outputs


def compare_numbers(
    kept: PartitionedItems[Any], plan: NumberPlan, case: OutputRequest, converted: bool = False
) -> LargeComparison:
    """Compare numbers: order statistics of all partitions set the scale.

    With ``converted``, the items are chunks that hold the numbers.
    """
    source = (plan, case, converted)
    spread = _spread(kept, source, case)
    outputs = value_outputs(plan.kind, plan.what, spread, case.options)
    steps = _steps(kept, source, outputs, case)
    totals: StepTotals = kept.sum(_step_totals, *source, steps)
    target = steps.channels(totals)
    bounds = np.max(kept.map(_bounds, *source, steps, target), axis=0)
    grids = tuple(SumGrid.of(float(bound), case.n_rows) for bound in bounds)
    chunks = kept.extend(_number_rows, *source, steps, target, grids)
    no_weight = np.empty(0) if case.weights else None
    nothing = steps.observations(target, (np.empty(0), np.empty(0)), None, no_weight)
    compared = ComparedOutputs(outputs, nothing, DIRECTIONS, np.empty(0, dtype=bool), plan.convert)
    return LargeComparison(chunks, compared, plan)


@dataclass(frozen=True, eq=False)
class _Numbers:
    """The numbers of both models, the weights and the mask of counting rows of a partition."""

    values: tuple[NDArray[np.float64], ...]
    weight: NDArray[np.float64] | None
    truth: NDArray[Any] | None

    @property
    def counting(self) -> tuple[NDArray[np.float64], ...]:
        """The numbers of the rows that count."""
        if self.weight is None:
            return self.values
        counts = self.weight > 0
        return tuple(one[counts] for one in self.values)


def _numbers_of(item: Any, plan: NumberPlan, case: OutputRequest, converted: bool) -> _Numbers:
    truth = item.truth.array() if item.truth else None
    if converted:
        return _Numbers(item.observations.values, item.observations.weight, truth)
    values = tuple(
        plan.convert(replace(model, values=output.array())) if len(item) else np.empty(0)
        for model, output in zip(case.models, item.outputs, strict=True)
    )
    weight = item.weight
    if case.weights is not None and weight is not None:
        weight = case.weights.whole(weight)
    return _Numbers(values, weight, truth)


def find_flags(
    kept: PartitionedItems[Any], plan: NumberPlan, case: OutputRequest
) -> tuple[bool, bool]:
    """Whether either model gives 0 and 1 only."""
    first, second = np.all(kept.map(_flags, plan, case, False), axis=0).tolist()
    return first, second


def _flags(item: Any, *source: Any) -> tuple[bool, bool]:
    first, second = _numbers_of(item, *source).values
    return only_flags(first), only_flags(second)


def _spread(
    kept: PartitionedItems[Any], source: tuple[Any, ...], case: OutputRequest
) -> OutputSpread:
    n_counting = sum(kept.map(_n_counting, *source))
    relative = isinstance(case.options.tolerance, RelativeTolerance)
    n_pooled = 2 * n_counting
    shares = (ENDS, 1 - ENDS, USUAL, 1 - USUAL)
    pooled = [*(rank_of(share, n_pooled) for share in shares), 0, n_pooled - 1]
    ranks = {"pooled": pooled, "apart": [*middle_ranks(n_counting), n_counting - 1]}
    if relative:
        ranks["larger"] = [*middle_ranks(n_counting)]
    found = at_ranks(kept, _ordered, (*source, relative), ranks)
    low, high, usual_low, usual_high, least, most = found["pooled"]
    below, above, most_apart = found["apart"]
    return OutputSpread(
        (low, high) if low < high else (least, most),
        (usual_low, usual_high) if usual_low < usual_high else (least, most),
        _mean(below, above),
        most_apart,
        _mean(*found["larger"]) if relative else None,
    )


def _mean(below: float, above: float) -> float:
    return float(np.mean([below, above]))


def _n_counting(item: Any, *source: Any) -> int:
    return len(_numbers_of(item, *source).counting[0])


def _ordered(
    item: Any, plan: NumberPlan, case: OutputRequest, converted: bool, relative: bool
) -> dict[str, NDArray[np.float64]]:
    first, second = _numbers_of(item, plan, case, converted).counting
    numbers = {"pooled": np.concatenate([first, second]), "apart": np.abs(first - second)}
    if relative:
        numbers["larger"] = np.maximum(np.abs(first), np.abs(second))
    return numbers


def _steps(
    kept: PartitionedItems[Any],
    source: tuple[Any, ...],
    outputs: NumberOutputs,
    case: OutputRequest,
) -> Steps:
    if case.weights is None:
        return Steps.of(outputs, case.n_rows, None)
    total = case.weights.total
    coarseness = coarseness_of(total, case.n_rows)
    coarse_total = sum(kept.map(_coarse_total, *source, coarseness))
    return Steps.by_weight(outputs, coarseness, total, coarse_total)


def _coarse_total(item: Any, *given: Any) -> float:
    *source, coarseness = given
    weight = _numbers_of(item, *source).weight
    assert weight is not None
    return float(coarse(weight, coarseness).sum())


def _step_totals(item: Any, *given: Any) -> StepTotals:
    *source, steps = given
    numbers = _numbers_of(item, *source)
    totals: StepTotals = steps.totals(numbers.values, numbers.weight)
    return totals


def _observed(item: Any, *given: Any) -> Observations:
    *source, steps, target = given
    plan: NumberPlan = source[0]
    numbers = _numbers_of(item, *source)
    judged = plan.judge(numbers.values, numbers.truth, steps.outputs.is_apart)
    observations: Observations = steps.observations(target, numbers.values, judged, numbers.weight)
    return observations


def _bounds(item: Any, *given: Any) -> NDArray[np.float64]:
    return _observed(item, *given).bounds()


def _number_rows(item: Any, *given: Any) -> Observations:
    *rest, grids = given
    return replace(_observed(item, *rest), grids=grids)
