"""How sure models are of each row: the probability of the likeliest class minus the next one's.

With ``given="margins"`` the tree may split on the margins of both models. That is another question
than where in the table two models differ: it is answered by how unsure a model is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError, InPython, Message, Setting
from imd_widget.comparison.given import GivenOutputs
from imd_widget.data.table import Table
from imd_widget.models.pair import ComparedModels
from imd_widget.outputs.base import ComparedOutputs

Floats = NDArray[np.float64]


def sure_models(compared: ComparedOutputs, models: ComparedModels) -> tuple[int, ...]:
    """Return the numbers of the models whose margins can be known; InputError if there is none.

    Those of probabilities are known. For classes, models need ``predict_proba``.
    """
    if compared.outputs.has_margins:
        return (0, 1)
    found = models.with_margins if compared.outputs.labels else ()
    if not found:
        raise InputError(
            Setting("given", "margins"),
            " needs probabilities, and neither model has predict_proba",
            InPython(": pass the models themselves"),
            ", or compare probabilities: ",
            *Message(Setting("outputs", "proba")).parts,
            ".",
        )
    return found


def margins(
    compared: ComparedOutputs, models: ComparedModels, tables: Sequence[Table]
) -> tuple[GivenOutputs, ...]:
    """Return the margins of the rows of some tables, as columns that rules may use.

    For classes, ``predict_proba`` of each model is called; for probabilities, no model is.
    """
    known = compared.observations.values if compared.outputs.has_margins else None
    columns = []
    for number in sure_models(compared, models):
        if known is not None:
            values = np.abs(2 * known[number] - 1)
        else:
            values = np.concatenate([models.margin(number, table) for table in tables])
        columns.append(GivenOutputs(compared.outputs, number, values))
    return tuple(columns)


def margins_of_table(compared: ComparedOutputs, models: ComparedModels, table: Table) -> Floats:
    """Return the margins of the rows of any table: shape (n_rows, n_models)."""
    if compared.outputs.has_margins:
        own = [np.abs(2 * models.output(number, table) - 1) for number in (0, 1)]
    else:
        own = [models.margin(number, table) for number in sure_models(compared, models)]
    return np.stack(own, axis=1)
