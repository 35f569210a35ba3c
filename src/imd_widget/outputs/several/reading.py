"""Makes the outputs of two or more models comparable."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from imd_widget.outputs.base import ComparisonInput
from imd_widget.outputs.classes import CLASSES
from imd_widget.outputs.probabilities import PROBABILITIES
from imd_widget.outputs.reading import kind_of
from imd_widget.outputs.several.base import OnError, SeveralOutputs
from imd_widget.outputs.several.classes import read_several_classes
from imd_widget.outputs.several.numbers import read_several_probabilities, read_several_values
from imd_widget.outputs.values import VALUES

#: Readers of the outputs of several models, by kind.
READERS: Mapping[str, Callable[[ComparisonInput, OnError | None], SeveralOutputs]] = {
    CLASSES.kind: read_several_classes,
    PROBABILITIES.kind: read_several_probabilities,
    VALUES.kind: read_several_values,
}


def read_several(case: ComparisonInput, on_error: OnError | None = None) -> SeveralOutputs:
    """Read the outputs of all models as one kind.

    Parameters
    ----------
    case : ComparisonInput
        Of two or more models.
    on_error : callable, optional
        Is told of each model whose outputs cannot be read, which is then left out. None raises
        the first error.
    """
    return READERS[kind_of(case)](case, on_error)
