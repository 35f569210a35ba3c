"""Makes the outputs of two models comparable."""

from __future__ import annotations

from imd_widget._base.errors import Argument, InputError, Setting
from imd_widget.outputs.base import ComparedOutputs, ComparisonInput, OutputOptions
from imd_widget.outputs.registry import OUTPUT_SPECS
from imd_widget.outputs.spec import OutputSpec

__all__ = [
    "ComparedOutputs",
    "ComparisonInput",
    "OutputOptions",
    "compare_outputs",
    "spec_for",
]


def compare_outputs(case: ComparisonInput) -> ComparedOutputs:
    """Compare outputs of two models as the kind of `spec_for`."""
    return spec_for(case).read(case)


def spec_for(case: ComparisonInput) -> OutputSpec:
    """The kind that the options name, or the first kind that claims the outputs."""
    named = OUTPUT_SPECS.get(case.output_options.outputs)
    spec = named or next(spec for spec in OUTPUT_SPECS.values() if spec.claims(case))
    if spec.plan is not None and case.output_options.dissimilarity is not None:
        raise InputError(
            Argument("dissimilarity"),
            " compares labels, and these outputs are numbers, which differ if they are more than ",
            Argument("tolerance"),
            " apart. For another distance, pass functions that transform the outputs, such as "
            "their logarithm, or compare them as labels: ",
            Setting("outputs", "class"),
            ".",
        )
    return spec
