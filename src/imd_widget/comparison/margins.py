"""How sure models are of each row, as columns that rules may use.

For two classes that is the probability of one of them, so that a band such as 0.3 to 0.5 is one
condition. For more it is the margin: the probability of the likeliest class minus the next one's.
Where the models are unsure is another question than where in the table they differ.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError, InPython, Message, Setting
from imd_widget.comparison.given import GivenOutputs, Sureness
from imd_widget.data.columns import Column
from imd_widget.data.table import Table
from imd_widget.models.pair import ComparedModels
from imd_widget.outputs.base import ComparedOutputs
from imd_widget.outputs.probabilities import probability_of

Floats = NDArray[np.float64]

MARGIN = "margin"
#: Ends of the bands of a probability that the headline names, and thresholds of rules.
ROUND_NUMBERS = (0.01, 0.02, *(number / 20 for number in range(1, 20)), 0.98, 0.99)


def sure_models(compared: ComparedOutputs, models: ComparedModels) -> tuple[int, ...]:
    """Return the numbers of the models of which it can be known how sure they are.

    InputError if there is none. Probabilities that are compared are known. For classes, models need
    ``predict_proba``.
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


def positive_label(compared: ComparedOutputs, models: ComparedModels) -> Hashable | None:
    """Return the second of two classes that all models with probabilities know; None for more."""
    labels = compared.outputs.labels
    if len(labels) != 2 or labels[1] is None:
        return None
    gives = models.gives_probability(labels[1])
    if all(gives[own] and models.has_two_classes(own) for own in models.with_margins):
        return labels[1]
    return None


def what_is_known(compared: ComparedOutputs, models: ComparedModels) -> str:
    """Return what shows how sure the models are: "probability of yes" or "margin"."""
    if compared.outputs.has_margins:
        return compared.outputs.what
    if positive_label(compared, models) is None:
        return MARGIN
    return probability_of(compared.outputs.class_names[1])


def margins(
    compared: ComparedOutputs,
    models: ComparedModels,
    tables: Sequence[Table],
    possible: Sequence[int],
) -> tuple[tuple[GivenOutputs, ...], ...]:
    """Return the choices of columns that show how sure the models are of the rows of some tables.

    Margins of both models are one choice. The probabilities of both models together would be the
    difference itself, so that each is a choice of its own; those of models that are not among the
    ``possible`` ones, such as the ground truth, only if there are no others. For classes,
    ``predict_proba`` of each model is called; for probabilities, no model is.
    """
    known = compared.observations.values if compared.outputs.has_margins else None
    what, label = what_is_known(compared, models), positive_label(compared, models)
    round_numbers = () if what == MARGIN else ROUND_NUMBERS
    columns = []
    for number in sure_models(compared, models):
        if known is not None:
            values = np.asarray(known[number], dtype=float)
        else:
            values = np.concatenate([models.sureness(number, table, label) for table in tables])
        sure = Sureness(what, values, round_numbers)
        columns.append(GivenOutputs(compared.outputs, number, sure))
    if what == MARGIN:
        return (tuple(columns),)
    alone = tuple((own,) for own in columns)
    return tuple(own for own in alone if own[0].model in possible) or alone


def margins_of_table(
    compared: ComparedOutputs,
    models: ComparedModels,
    table: Table,
    columns: Sequence[Column],
    names: tuple[str, str],
) -> Floats:
    """Return what given columns of a diff hold for the rows of any table.

    Parameters
    ----------
    compared : ComparedOutputs
    models : ComparedModels
    table : Table
    columns : sequence of Column
        The columns of the diff, given or not. In files of earlier versions they are margins for
        two classes too.
    names : tuple of two str
        The names that the models have in the diff.

    Returns
    -------
    ndarray of shape (n_rows, n_given)
    """
    known = sure_models(compared, models)
    found = []
    for column in (own for own in columns if own.given):
        name = str(column.name)
        number = max(known, key=lambda own: name.rfind(f"{names[own]}'s "))
        is_margin = name.endswith(f"'s {MARGIN}")
        if compared.outputs.has_margins:
            values = np.asarray(models.output(number, table), dtype=float)
            values = np.abs(2 * values - 1) if is_margin else values
        else:
            label = None if is_margin else positive_label(compared, models)
            values = models.sureness(number, table, label)
        found.append(values)
    return np.stack(found, axis=1)
