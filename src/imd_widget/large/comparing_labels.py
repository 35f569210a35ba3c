"""Labels of all partitions compared."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.counting.observations import Observations
from imd_widget.data.weights import Weights
from imd_widget.large.cases import LargeComparison, OutputRequest
from imd_widget.large.output_parts import OutputPart
from imd_widget.large.partitions import PartitionedItems
from imd_widget.large.parts import EncodedPart
from imd_widget.large.weighing import LargeWeights
from imd_widget.outputs.base import ComparedOutputs, ComparisonInput, incomplete
from imd_widget.outputs.reading import spec_for

#: An output or a truth that is missing, among the labels of several.
MISSING = None
#: Up to this many combinations of labels are counted in a dense array.
FEW_COMBINATIONS = 1 << 20


def compare_labels(kept: PartitionedItems[EncodedPart], case: OutputRequest) -> LargeComparison:
    """Compare labels: rows with the same labels of both models and of the truth are alike."""
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


def _triples(part: EncodedPart) -> _Triples:
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
    """The rows of a partition by their combination of labels of both models and of the truth."""

    #: The combinations that occur, of three entries each; `MISSING` stands for no truth.
    triples: list[tuple[Hashable, ...]]
    #: The number of the combination of each row.
    numbers: NDArray[np.intp]

    @classmethod
    def of(cls, part: EncodedPart) -> _Combined:
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


def _check_complete(summaries: Sequence[_Triples], case: OutputRequest) -> None:
    for at, model in enumerate(case.models):
        n_missing = sum(summary.n_missing[at] for summary in summaries)
        if n_missing:
            first = min(summary.start + summary.first_missing[at] for summary in summaries)
            raise incomplete(model.argument, n_missing, case.n_rows, first)


def _label_rows(
    part: EncodedPart,
    rows: Mapping[tuple[Hashable, ...], int],
    observations: Observations,
    weights: LargeWeights | None,
) -> Observations:
    """What is counted of each row of a partition, from the combination of its labels."""
    combined = _Combined.of(part)
    numbers = np.array([rows[triple] for triple in combined.triples], dtype=np.intp)
    own = observations.take(numbers[combined.numbers] if len(part) else combined.numbers)
    if weights is not None and part.weight is not None:
        own = replace(own, weight=weights.whole(part.weight))
    return own


def _of_no_row(compared: ComparedOutputs, observations: Observations) -> ComparedOutputs:
    """The outputs without the rows that they were read from."""
    nothing = observations.take(np.empty(0, dtype=np.intp))
    return replace(compared, observations=nothing, usable=np.empty(0, dtype=bool))
