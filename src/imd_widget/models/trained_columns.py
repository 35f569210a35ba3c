"""The columns that a model was trained on, which may be fewer than those of the table."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from imd_widget.data.table import Table

#: Attributes in which libraries keep the names of the columns: scikit-learn and all that follow it
#: (XGBoost, LightGBM, pipelines and searches among them), CatBoost, LightGBM, XGBoost's Booster.
ATTRIBUTES = ("feature_names_in_", "feature_names_", "feature_name_", "feature_names")


def trained_columns(model: Any) -> tuple[Hashable, ...] | None:
    """Return the names of the columns that a model was trained on; None if they are not known."""
    owner = getattr(model, "__self__", model)  # a bound method such as model.predict
    for attribute in ATTRIBUTES:
        try:
            names = getattr(owner, attribute, None)
        except Exception:  # a property of a model that is not fitted may raise anything
            continue
        if isinstance(names, np.ndarray | list | tuple) and np.ndim(names) == 1 and len(names):
            return tuple(np.asarray(names, dtype=object).tolist())
    return None


def table_for(model: Any, table: Table) -> Table:
    """Return the table with the columns that the model was trained on, in their order.

    The table itself is returned if they are not known, if it lacks one of them, or if it is an
    array, whose columns have no names.
    """
    if isinstance(table.native, np.ndarray):
        return table
    names = matched_columns(model, table)
    return table if names is None or names == table.names else table.select(names)


def matched_columns(model: Any, table: Table) -> tuple[Hashable, ...] | None:
    """Return the columns of the table that a model was trained on; None if it lacks one of them.

    LightGBM writes "_" for a space in a name.
    """
    names = trained_columns(model)
    if names is None or set(names) <= set(table.place):
        return names
    respelled = {str(name).replace(" ", "_"): name for name in table.place}
    if len(respelled) == len(table.place) and set(names) <= set(respelled):
        return tuple(respelled[str(name)] for name in names)
    return None


def wrapper_hint(model: Any, table: Table, argument: str) -> str:
    """Return how to give a model fewer columns, if it may need that; else an empty text."""
    expected = getattr(getattr(model, "__self__", model), "n_features_in_", None)
    if matched_columns(model, table) is not None or expected in (None, len(table.names)):
        return ""
    return (
        f"It was trained on {expected} columns without names, X has {len(table.names)}: pass the "
        f'right ones, {argument}=lambda X: model.predict(X[["a", "b"]]). '
    )
