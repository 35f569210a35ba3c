"""Makes the outputs of two or more models comparable."""

from __future__ import annotations

from imd_widget.outputs.base import ComparisonInput
from imd_widget.outputs.reading import spec_for
from imd_widget.outputs.several.base import OnError, SeveralOutputs
from imd_widget.outputs.several.classes import read_several_classes
from imd_widget.outputs.several.numbers import read_several_numbers


def read_several(case: ComparisonInput, on_error: OnError | None = None) -> SeveralOutputs:
    """Read the outputs of all models as one kind.

    Parameters
    ----------
    case : ComparisonInput
        Of two or more models.
    on_error : callable, optional
        Called for each model whose outputs cannot be read, which is then left out. None raises
        the first error.
    """
    plan_of = spec_for(case).plan
    if plan_of is None:
        return read_several_classes(case, on_error)
    return read_several_numbers(plan_of, case, on_error)
