"""The outputs of all partitions made comparable: what does not depend on one partition first."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.exact_sums import SumGrid
from imd_widget.counting.observations import Observations
from imd_widget.data.weights import Weights, WeightScale, WeightTotals
from imd_widget.large.order_statistics import at_ranks
from imd_widget.large.output_parts import OutputPart, joined
from imd_widget.large.partitions import Kept
from imd_widget.large.parts import Compared, LargeChunk, Part
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import (
    ComparedOutputs,
    ComparisonInput,
    OutputOptions,
    RelativeTolerance,
    incomplete,
)
from imd_widget.outputs.number_outputs import NumberOutputs
from imd_widget.outputs.number_steps import (
    ENDS,
    USUAL,
    Spread,
    Steps,
    StepTotals,
    coarse,
    coarseness_of,
    middle_ranks,
    rank_of,
)
from imd_widget.outputs.reading import spec_for
from imd_widget.outputs.values import DIRECTIONS, NumberPlan, only_flags, value_outputs

#: An output or a truth that is missing, among the labels of several.
MISSING = None
#: Up to this many combinations of labels are counted in a dense array.
FEW_COMBINATIONS = 1 << 20


@dataclass(frozen=True)
class LargeWeights:
    """The conversion of the weights of a large table.

    Attributes
    ----------
    largest : float
        The largest weight as it was given.
    scale : WeightScale
    total : float
        Sum of the whole weights.
    n_counting : int
        Number of positive weights.
    """

    largest: float
    scale: WeightScale
    total: float
    n_counting: int

    @property
    def unit(self) -> float:
        """Mean of the positive weights."""
        return self.total / self.n_counting

    def whole(self, weight: NDArray[np.float64]) -> NDArray[np.float64]:
        """The whole number of each weight."""
        return self.scale.whole(weight / self.largest)


def weigh(kept: Kept[Part], largest: float, n_rows: int, n_counting: int) -> LargeWeights:
    """Find the conversion of the weights of all partitions."""
    smallest = min(kept.map(_smallest, largest))
    totals = kept.sum(_weight_totals, largest, smallest, n_rows)
    scale = WeightScale.of(totals, smallest, 1.0)
    total = sum(kept.map(_whole_total, largest, scale))
    return LargeWeights(largest, scale, total, n_counting)


def _smallest(part: Part, largest: float) -> float:
    assert part.weight is not None
    share = part.weight / largest
    return float(share[share > 0].min(initial=np.inf))


def _weight_totals(part: Part, largest: float, smallest: float, n_rows: int) -> WeightTotals:
    assert part.weight is not None
    return WeightTotals.of(part.weight / largest, smallest, 1.0, n_rows)


def _whole_total(part: Part, largest: float, scale: WeightScale) -> float:
    assert part.weight is not None
    return float(scale.whole(part.weight / largest).sum())


@dataclass(frozen=True)
class OutputCase:
    """What is known of outputs before they are read.

    Attributes
    ----------
    options : OutputOptions
    models : tuple of two ModelOutput
        Arguments, classes and kinds of the models; their values are those of no row.
    n_rows : int
    weights : LargeWeights or None
    """

    options: OutputOptions
    models: tuple[ModelOutput, ModelOutput]
    n_rows: int
    weights: LargeWeights | None


@dataclass(frozen=True, eq=False)
class LargeComparison:
    """Both models compared on all partitions.

    Attributes
    ----------
    chunks : Kept of LargeChunk
    compared : ComparedOutputs
        With the observations of no row.
    plan : NumberPlan or None
        How outputs became numbers; None for labels.
    """

    chunks: Kept[LargeChunk]
    compared: ComparedOutputs
    plan: NumberPlan | None = None


def compare_parts(kept: Kept[Part], case: OutputCase) -> LargeComparison:
    """Make the outputs of all partitions comparable, and keep what is counted of each row."""
    some = kept.map(_some)
    outputs = tuple(
        replace(model, values=joined([part[at] for part in some]))
        for at, model in enumerate(case.models)
    )
    truths = [part[2] for part in some if part[2] is not None]
    truth = joined(truths) if truths else None
    few = _representative(outputs, case, truth)
    plan_of = spec_for(few).plan
    if plan_of is None:
        return _compare_labels(kept, case)
    return compare_numbers(kept, plan_of(few), case)


def _some(part: Part) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    first, second = (output.some() for output in part.outputs)
    return first, second, part.truth.some() if part.truth else None


def _representative(
    outputs: Sequence[ModelOutput], case: OutputCase, truth: NDArray[Any] | None
) -> ComparisonInput:
    """The input of a comparison that has every output that occurs, but not every row."""
    first, second = outputs
    n = len(first.values)
    return ComparisonInput((first, second), case.options, np.ones(n, dtype=bool), n, truth)


def _compare_labels(kept: Kept[Part], case: OutputCase) -> LargeComparison:
    """Compare labels: a row is told by the labels of both models and of the truth alone."""
    summaries = kept.map(_triples)
    _check_complete(summaries, case)
    rows: dict[tuple[Hashable, ...], int] = {}
    for summary in summaries:
        for triple in summary.triples:
            rows.setdefault(triple, len(rows))
    dtypes = [{summary.dtypes[at] for summary in summaries if summary.n_rows} for at in range(3)]
    columns = [_array([triple[at] for triple in rows], dtypes[at]) for at in range(3)]
    n = len(rows)
    has_truth = any(summary.has_truth for summary in summaries)
    few = ComparisonInput(
        (
            replace(case.models[0], values=columns[0]),
            replace(case.models[1], values=columns[1]),
        ),
        case.options,
        np.ones(n, dtype=bool),
        n,
        columns[2] if has_truth else None,
        Weights(np.ones(n), 1.0) if case.weights else None,
    )
    compared = spec_for(few).read(few)
    chunks = kept.extend(_label_rows, rows, compared.observations, case.weights)
    return LargeComparison(chunks, _of_no_row(compared, compared.observations))


@dataclass(frozen=True, eq=False)
class _Triples:
    """The combinations of labels of both models and of the truth that a partition has."""

    triples: tuple[tuple[Hashable, ...], ...]
    dtypes: tuple[str, ...]
    n_rows: int
    start: int
    n_missing: tuple[int, int]
    first_missing: tuple[int, int]
    has_truth: bool


def _triples(part: Part) -> _Triples:
    outputs = [*part.outputs, *([part.truth] if part.truth else [])]
    missing = [_missing_rows(output) for output in part.outputs]
    return _Triples(
        tuple(_Combined.of(part).triples),
        tuple(_labels_of(output).dtype.str for output in (*outputs, outputs[0])[:3]),
        len(part),
        part.start,
        (len(missing[0]), len(missing[1])),
        (int(missing[0].min(initial=1 << 62)), int(missing[1].min(initial=1 << 62))),
        part.truth is not None,
    )


def _labels_of(output: OutputPart) -> NDArray[Any]:
    labels = output.labels if output.labels is not None else output.values
    assert labels is not None
    return labels


def _missing_rows(output: OutputPart) -> NDArray[np.intp]:
    if output.labels is None or output.places is None:
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(output.places == len(output.labels))


@dataclass(frozen=True, eq=False)
class _Combined:
    """The rows of a partition by their combination of labels of both models and of the truth.

    Attributes
    ----------
    triples : list of tuple
        The combinations that occur, of three entries each; `MISSING` stands for no truth.
    numbers : ndarray of shape (n_rows,)
        The number of the combination of each row.
    """

    triples: list[tuple[Hashable, ...]]
    numbers: NDArray[np.intp]

    @classmethod
    def of(cls, part: Part) -> _Combined:
        outputs = [
            *map(_by_places, part.outputs),
            *([_by_places(part.truth)] if part.truth else []),
        ]
        code, size = np.zeros(len(part), dtype=np.int64), 1
        for output in outputs:
            assert output.places is not None
            code = code * _n_places(output) + output.places
            size *= _n_places(output)
        if size <= FEW_COMBINATIONS:
            occurring = np.flatnonzero(np.bincount(code, minlength=size))
            number = np.zeros(size, dtype=np.intp)
            number[occurring] = np.arange(len(occurring))
            numbers = number[code]
        else:
            occurring, numbers = np.unique(code, return_inverse=True)
        columns: list[list[Any]] = []
        left = occurring
        for output in reversed(outputs):
            left, place = np.divmod(left, _n_places(output))
            columns.insert(0, _with_missing(output)[place].tolist())
        if len(columns) == 2:
            columns.append([MISSING] * len(occurring))
        return cls(list(zip(*columns, strict=True)), numbers)


def _n_places(output: OutputPart) -> int:
    assert output.labels is not None
    return len(output.labels) + 1


def _with_missing(output: OutputPart) -> NDArray[Any]:
    """The labels as Python's own objects, and `MISSING` after them."""
    assert output.labels is not None
    labels = np.empty(len(output.labels) + 1, dtype=object)
    labels[:-1] = output.labels.tolist()
    labels[-1] = MISSING
    return labels


def _by_places(output: OutputPart) -> OutputPart:
    """Outputs as places, also if they have many distinct values."""
    if output.places is not None:
        return output
    import pandas as pd

    assert output.values is not None
    places, labels = pd.factorize(output.values)
    distinct = np.empty(len(labels), dtype=output.values.dtype)
    distinct[:] = labels
    return OutputPart(distinct, np.where(places < 0, len(labels), places).astype(np.uint64), None)


def _array(labels: list[Any], dtypes: set[str]) -> NDArray[Any]:
    """Labels as an array of the dtype that all partitions had; objects if they had several."""
    kinds = {np.dtype(dtype).kind for dtype in dtypes}
    if len(kinds) == 1 and MISSING not in labels and kinds <= set("iufb"):
        return np.array(labels, dtype=np.result_type(*map(np.dtype, dtypes)))
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    return array


def _check_complete(summaries: Sequence[_Triples], case: OutputCase) -> None:
    for at, model in enumerate(case.models):
        n_missing = sum(summary.n_missing[at] for summary in summaries)
        if n_missing:
            first = min(summary.start + summary.first_missing[at] for summary in summaries)
            raise incomplete(model.argument, n_missing, case.n_rows, first)


def _label_rows(
    part: Part,
    rows: Mapping[tuple[Hashable, ...], int],
    observations: Observations,
    weights: LargeWeights | None,
) -> Compared:
    """What is counted of each row of a partition, from the combination of its labels."""
    combined = _Combined.of(part)
    numbers = np.array([rows[triple] for triple in combined.triples], dtype=np.intp)
    own = observations.take(numbers[combined.numbers] if len(part) else combined.numbers)
    if weights is not None and part.weight is not None:
        own = replace(own, weight=weights.whole(part.weight))
    return Compared(own, None)


def compare_numbers(
    kept: Kept[Any], plan: NumberPlan, case: OutputCase, converted: bool = False
) -> LargeComparison:
    """Compare numbers: order statistics of all partitions set the scale.

    ``converted`` says that the items are chunks, of which the numbers are known.
    """
    source = (plan, case, converted)
    flags = kept.map(_flags, *source)
    first, second = (all(flag[at] for flag in flags) for at in (0, 1))
    plan.remark((first, second))
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


def _numbers_of(item: Any, plan: NumberPlan, case: OutputCase, converted: bool) -> _Numbers:
    truth = item.truth.array() if item.truth else None
    if converted:
        return _Numbers(item.numbers, item.observations.weight, truth)
    values = tuple(
        plan.convert(replace(model, values=output.array())) if len(item) else np.empty(0)
        for model, output in zip(case.models, item.outputs, strict=True)
    )
    weight = item.weight
    if case.weights is not None and weight is not None:
        weight = case.weights.whole(weight)
    return _Numbers(values, weight, truth)


def _flags(item: Any, *source: Any) -> tuple[bool, bool]:
    first, second = _numbers_of(item, *source).values
    return only_flags(first), only_flags(second)


def _spread(kept: Kept[Any], source: tuple[Any, ...], case: OutputCase) -> Spread:
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
    return Spread(
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
    item: Any, plan: NumberPlan, case: OutputCase, converted: bool, relative: bool
) -> dict[str, NDArray[np.float64]]:
    first, second = _numbers_of(item, plan, case, converted).counting
    numbers = {"pooled": np.concatenate([first, second]), "apart": np.abs(first - second)}
    if relative:
        numbers["larger"] = np.maximum(np.abs(first), np.abs(second))
    return numbers


def _steps(
    kept: Kept[Any], source: tuple[Any, ...], outputs: NumberOutputs, case: OutputCase
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


def _observed(item: Any, *given: Any) -> tuple[Observations, _Numbers]:
    *source, steps, target = given
    plan: NumberPlan = source[0]
    numbers = _numbers_of(item, *source)
    truth = None
    if plan.truth is not None and numbers.truth is not None:
        truth = plan.truth(numbers.values, numbers.truth, steps.outputs)
    return steps.observations(target, numbers.values, truth, numbers.weight), numbers


def _bounds(item: Any, *given: Any) -> NDArray[np.float64]:
    return _observed(item, *given)[0].bounds()


def _number_rows(item: Any, *given: Any) -> Compared:
    *rest, grids = given
    observations, numbers = _observed(item, *rest)
    return Compared(replace(observations, grids=grids), numbers.values)


def _of_no_row(compared: ComparedOutputs, observations: Observations) -> ComparedOutputs:
    """The outputs without the rows that they were told from."""
    nothing = observations.take(np.empty(0, dtype=np.intp))
    return replace(compared, observations=nothing, usable=np.empty(0, dtype=bool))
