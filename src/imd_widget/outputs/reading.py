"""Makes the outputs of two models comparable."""

from __future__ import annotations

from imd_widget.outputs.base import ComparedOutputs, ComparisonInput, OutputOptions
from imd_widget.outputs.registry import OUTPUT_SPECS

__all__ = ["ComparedOutputs", "ComparisonInput", "OutputOptions", "compare_outputs"]


def compare_outputs(case: ComparisonInput) -> ComparedOutputs:
    """Compare outputs as the kind that the options name, or the first kind that claims them."""
    named = OUTPUT_SPECS.get(case.output_options.outputs)
    spec = named or next(spec for spec in OUTPUT_SPECS.values() if spec.claims(case))
    return spec.read(case)
