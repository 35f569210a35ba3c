"""From what two models said to outputs that can be compared, and to what is counted of them."""

from __future__ import annotations

from imd_widget.outputs.base import Answers, Case, Wish
from imd_widget.outputs.classes import read_classes
from imd_widget.outputs.detection import kind_of
from imd_widget.outputs.probabilities import read_probabilities
from imd_widget.outputs.values import read_values

__all__ = ["Answers", "Case", "Wish", "read_answers"]

_READ = {"class": read_classes, "proba": read_probabilities, "value": read_values}


def read_answers(case: Case) -> Answers:
    """Outputs of two models, and the truth where it is known, made comparable."""
    return _READ[kind_of(case)](case)
