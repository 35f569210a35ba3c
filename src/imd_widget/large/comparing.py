"""The outputs of all partitions made comparable: what does not depend on one partition first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.large.cases import LargeComparison, OutputRequest
from imd_widget.large.comparing_labels import compare_labels
from imd_widget.large.comparing_numbers import compare_numbers, find_flags
from imd_widget.large.output_parts import joined
from imd_widget.large.partitions import PartitionedItems
from imd_widget.large.parts import EncodedPart
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import ComparisonInput
from imd_widget.outputs.reading import spec_for


def compare_parts(kept: PartitionedItems[EncodedPart], case: OutputRequest) -> LargeComparison:
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
        return compare_labels(kept, case)
    plan = plan_of(few)
    plan.remark(few.model_outputs, find_flags(kept, plan, case))
    return compare_numbers(kept, plan, case)


def _some(part: EncodedPart) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    first, second = (output.some() for output in part.outputs)
    return first, second, part.truth.some() if part.truth else None


def _representative(
    outputs: Sequence[ModelOutput], case: OutputRequest, truth: NDArray[Any] | None
) -> ComparisonInput:
    """The input of a comparison that has every output that occurs, but not every row."""
    first, second = outputs
    n = len(first.values)
    return ComparisonInput((first, second), case.options, np.ones(n, dtype=bool), n, truth)
