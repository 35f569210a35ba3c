"""What is known of outputs before they are compared, and what comparing them returns."""

from __future__ import annotations

from dataclasses import dataclass

from imd_widget.large.partitions import PartitionedItems
from imd_widget.large.parts import LargeChunk
from imd_widget.large.weighing import LargeWeights
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import ComparedOutputs, OutputOptions
from imd_widget.outputs.values import NumberPlan


@dataclass(frozen=True)
class OutputRequest:
    """What is known of outputs before they are read."""

    options: OutputOptions
    #: Arguments, classes and kinds of the models; their values are those of no row.
    models: tuple[ModelOutput, ModelOutput]
    n_rows: int
    weights: LargeWeights | None


@dataclass(frozen=True, eq=False)
class LargeComparison:
    """Both models compared on all partitions."""

    chunks: PartitionedItems[LargeChunk]
    #: With the observations of no row.
    compared: ComparedOutputs
    #: How outputs became numbers; None for labels.
    plan: NumberPlan | None = None
