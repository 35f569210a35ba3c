"""The outputs of one model as a column that rules may ask about.

With ``given="m1"`` the tree may split on what model 1 says. That is another question than where in
the table two models differ: the answer needs the output of that model for every new row, and tells
where the other model says otherwise.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from imd_widget.comparison.dataset import Dataset
from imd_widget.data.binning import bin_table
from imd_widget.data.columns import CategoryColumn, Codes, Column
from imd_widget.data.table import open_table
from imd_widget.outputs.base import ComparedOutputs
from imd_widget.outputs.correctness import Right

Given = Literal["m1", "m2"]
#: The numbers of the models.
NUMBERS: dict[Given, int] = {"m1": 0, "m2": 1}
#: Names that people give to the ground truth when they pass it in place of a model.
TRUTH_NAMES = frozenset({"truth", "ground truth", "y", "y_true", "true", "actual", "target"})


def is_truth(names: tuple[str, str], model: int, right: Right | None = None) -> bool:
    """Whether a "model" is the ground truth: it is called so, or its outputs are ``y``.

    Parameters
    ----------
    names : tuple of two str
        Names of the models.
    model : int
        Number of the model, 0 or 1.
    right : Right, optional
        How often either model is right over all rows.
    """
    if names[model].strip().casefold() in TRUTH_NAMES:
        return True
    if right is None or not right.known:
        return False
    return right.errors[model] == 0 if right.errors else right.accuracy[model] == 1


def choices(names: tuple[str, str], right: Right | None) -> tuple[Given, ...]:
    """Return the models that rules may ask about: those that are not the ground truth.

    New rows have no truth yet, so a rule that asks for it cannot be applied to them.
    """
    return tuple(own for own, number in NUMBERS.items() if not is_truth(names, number, right))


def with_given(dataset: Dataset, compared: ComparedOutputs, model: Given, name: str) -> Dataset:
    """Return the dataset with the outputs of a model as its last column.

    Parameters
    ----------
    dataset : Dataset
    compared : ComparedOutputs
    model : {"m1", "m2"}
    name : str
        The name of the model.
    """
    column, codes = _given_column(dataset, compared, NUMBERS[model], f"{name} says")
    return replace(dataset, columns=(*dataset.columns, column), codes=(*dataset.codes, codes))


def without_given(dataset: Dataset) -> Dataset:
    """Return the dataset without the column of outputs, if it has one."""
    kept = [j for j, column in enumerate(dataset.columns) if not column.given]
    return replace(
        dataset,
        columns=tuple(dataset.columns[j] for j in kept),
        codes=tuple(dataset.codes[j] for j in kept),
    )


def _given_column(
    dataset: Dataset, compared: ComparedOutputs, model: int, name: str
) -> tuple[Column, Codes]:
    observed, names = compared.observations, dataset.tables[0].names
    name, position = given_name(names, name), len(names)
    if observed.labels is not None:
        labels = compared.outputs.labels
        column = CategoryColumn(name, position, labels, given=True)
        dtype = column.encode(pd.Series(list(labels[:1]), dtype=object)).dtype
        return column, observed.labels[model].astype(dtype)
    values = compared.outputs.predictions(observed, len(observed))[model]
    fit = np.zeros(len(observed), dtype=bool)
    fit[dataset.fit] = True
    binned = bin_table(open_table(pd.DataFrame({name: values})), fit, 255, 200_000, 0)
    return replace(binned.columns[0], position=position, given=True), binned.codes[0]


def given_name(names: Sequence[Hashable], name: str) -> str:
    """Return a name for the column of outputs that no column of the table has, in any case.

    ``names`` are those of all columns of the table, also of those that rules may not ask about.
    """
    taken = {str(column).casefold() for column in names}
    while name.casefold() in taken:
        name = f"model {name}"
    return name
