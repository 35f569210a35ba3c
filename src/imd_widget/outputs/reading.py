"""From what two models said to outputs that can be compared, and to what is counted of them."""

from __future__ import annotations

from imd_widget.outputs.base import ComparedOutputs, ComparisonInput, OutputOptions
from imd_widget.outputs.classes import read_classes
from imd_widget.outputs.detection import detect_kind
from imd_widget.outputs.probabilities import read_probabilities
from imd_widget.outputs.values import read_values

__all__ = ["ComparedOutputs", "ComparisonInput", "OutputOptions", "compare_outputs"]

_READ = {"class": read_classes, "proba": read_probabilities, "value": read_values}


def compare_outputs(case: ComparisonInput) -> ComparedOutputs:
    """Outputs of two models, and the truth where it is known, made comparable."""
    return _READ[detect_kind(case)](case)
