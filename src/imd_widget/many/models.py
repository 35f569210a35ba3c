"""Read what the user passed as models: their names, and the columns of X that hold outputs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from imd_widget._base.errors import Argument, InputError, InPython, Quoted, Setting
from imd_widget._base.validation import is_several
from imd_widget.data.table import Table
from imd_widget.models.adapters import can_predict, names_of, read_columns_of_outputs
from imd_widget.models.coercion import with_article

#: Fewest and most models that are compared.
FEWEST, MOST = 2, 30

_ACCEPTED = (
    "It takes a dict from names to models, or a list of models: anything with a predict method, a "
    "function of the table, an array of outputs, or the name of a column of X that holds outputs."
)


@dataclass(frozen=True, eq=False)
class NamedModels:
    """The models with their names, and the table without the columns that are outputs."""

    names: tuple[str, ...]
    #: What an error message calls each model: ``models['LR']``.
    arguments: tuple[str, ...]
    #: Models, functions or arrays of outputs.
    models: tuple[Any, ...]
    table: Table


def read_models(models: Any, names: Sequence[str] | None, table: Table) -> NamedModels:
    """Return the models with their names; a model that is text is a column of the table."""
    if isinstance(models, pd.DataFrame):
        models = dict(models.items())
    if isinstance(models, Mapping):
        if names is not None:
            raise InputError(
                Argument("names"),
                " names the models of a list, and the keys of ",
                Argument("models"),
                " are names already. Leave it out.",
            )
        given, keys = list(models.values()), list(models)
        called = [str(key) for key in keys]
    elif isinstance(models, list | tuple):
        given, keys = list(models), list(range(len(models)))
        called = _names_of_list(given, names, table)
    else:
        raise InputError(
            Argument("models"), f" is {with_article(type(models).__name__)}. {_ACCEPTED}"
        )
    _check_number(len(given))
    _check_names(called)
    for model in given:
        if isinstance(model, str):
            _check_column(model, table)
    own, rest = read_columns_of_outputs(given, table)
    return NamedModels(tuple(called), tuple(map(model_argument, keys)), tuple(own), rest)


def model_argument(key: Hashable) -> str:
    """What an error message calls the model with a key of a dict, or at a place of a list."""
    return f"models[{key!r}]"


def _names_of_list(models: Sequence[Any], names: Any, table: Table) -> list[str]:
    if names is None:
        found = names_of(models, table)
        columns = [model if isinstance(model, str) else None for model in models]
        return [column or name for column, name in zip(columns, found, strict=True)]
    given = [str(name) for name in names] if is_several(names) else [str(names)]
    if len(given) != len(models):
        raise InputError(
            Argument("names"),
            f" has {len(given)} entries and ",
            Argument("models"),
            f" {len(models)}: one name for each model is needed.",
        )
    return given


def _check_number(n_models: int) -> None:
    if n_models < FEWEST:
        held = "one model" if n_models else "no model"
        raise InputError(
            Argument("models"), f" holds {held}: at least two are needed to compare them."
        )
    if n_models > MOST:
        raise InputError(
            Argument("models"),
            f" holds {n_models} models: at most {MOST} are compared at once, in a matrix that can "
            "be read. Compare fewer at a time.",
        )


def _check_names(names: Sequence[str]) -> None:
    if not all(name.strip() for name in names):
        raise InputError(
            Argument("models"),
            f" has a model called {next(n for n in names if not n.strip())!r}: a model without a "
            "name is not allowed. Give each of them one.",
        )
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise InputError(
            "two models are called ",
            Quoted(twice),
            ": give each a different name",
            InPython(', for example as the keys of a dict: {"before": ..., "after": ...}'),
            ".",
        )


def _check_column(name: str, table: Table) -> None:
    """Raise InputError if the table has no column with this name."""
    if isinstance(table.native, np.ndarray) or name not in table.place:
        known = [str(column) for column in table.names[:8]]
        raise InputError(
            Argument("models"),
            " names the column ",
            Quoted(name),
            ", and X ",
            "is an array, whose columns have no names"
            if isinstance(table.native, np.ndarray)
            else "has ",
            "" if isinstance(table.native, np.ndarray) else Quoted(*known),
            ", ..." if len(table.names) > 8 else "",
            f". {_ACCEPTED}",
        )


def check_table(X: Any) -> None:
    """Raise an error if ``X`` is a model."""
    if can_predict(X) and not hasattr(X, "columns") and not hasattr(X, "__array__"):
        raise InputError(
            Argument("X"),
            f" is {with_article(type(X).__name__)}, which is a model: the order is "
            "compare(models, X), with all models in ",
            Argument("models"),
            ". ",
            Setting("models", ...),
            f" {_ACCEPTED[3:]}",
        )
