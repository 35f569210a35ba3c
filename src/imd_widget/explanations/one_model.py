"""`explain`: one model on a table, by every technique."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError
from imd_widget._base.kinds import OutputChoice
from imd_widget.comparison.cohort import OF_MASK
from imd_widget.comparison.query import as_mask, column_conditions, rows_of
from imd_widget.data.table import Table
from imd_widget.explanations.contributing import MAX_CALLS
from imd_widget.explanations.explanation import Explanation
from imd_widget.explanations.model_explanation import ModelExplanation
from imd_widget.explanations.model_subject import read_model
from imd_widget.explanations.options import ExplainOptions
from imd_widget.explanations.selection import FEWEST_ROWS, ExplainedRows


def explain(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    where: Any = None,
    outputs: OutputChoice = "auto",
    pos_label: Any = None,
    name: str | None = None,
    n_points: int = 20,
    max_samples: int = 1000,
    max_calls: int = MAX_CALLS,
    max_depth: int = 4,
    random_state: int = 0,
) -> ModelExplanation:
    """Explain one model on a table; nothing is computed before it is asked for.

    Parameters
    ----------
    model : model
        Anything with ``predict``, or a function of the table.
    X : pandas, polars or pyarrow table, or ndarray of shape (n_rows, n_columns)
        At least 20 rows.
    y : array of shape (n_rows,), optional
        The truth, which is drawn beside the predictions.
    where : str or array of bool of shape (n_rows,), optional
        The rows to explain: a condition as for ``DataFrame.query``, or a mask. None: all rows.
    outputs : {"auto", "class", "proba", "value"}, default="auto"
        What the outputs are, as in `imd_widget.diff`. Of classes the probability of one of them is
        explained, from ``predict_proba`` where the model has it, and its votes otherwise.
    pos_label : label, optional
        The class; by default the second of two, and the most frequent one of more.
    name : str, optional
        Name of the model; by default that of its class.
    n_points, max_samples, max_calls, max_depth, random_state
        As in `ModelDiff.explain`.

    Returns
    -------
    ModelExplanation

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import imd_widget as imd
    >>> X = pd.DataFrame({"age": np.tile(np.arange(20.0, 60.0), 8), "pay": np.arange(320) % 7})
    >>> e = imd.explain(lambda t: 2 * t["age"], X, outputs="value", name="double")
    >>> e.columns
    ('age', 'pay')
    >>> c = e.contributions_of(0)
    >>> round(c.base), c.level, round(c.contribution[0])
    (79, 40.0, -39)
    """
    chosen = ExplainOptions.of(
        n_points=n_points,
        max_samples=max_samples,
        max_calls=max_calls,
        max_depth=max_depth,
        random_state=random_state,
    )
    own = read_model(model, X, outputs, pos_label, name)
    if own.score.cannot is not None:
        raise InputError(
            Argument("model"),
            " is an array of outputs, which cannot be called with other values: pass the model "
            "itself or a function of the table.",
        )
    selection = _selected(own.table, where)
    truth = None if y is None else _truth(y, own.table.n_rows)
    e = Explanation(selection, own.score, None, chosen, own)
    return ModelExplanation(own.name, truth, own, e)


def _selected(table: Table, where: Any) -> ExplainedRows:
    every = np.arange(table.n_rows)
    if where is None:
        return ExplainedRows("all", None, "all rows", every)
    if isinstance(where, str):
        rows = _enough(np.flatnonzero(rows_of(where, table)), where)
        return ExplainedRows("mask", None, where, rows, column_conditions(where, table))
    mask = as_mask(where) if np.shape(where) == (table.n_rows,) else None
    if mask is None:
        raise InputError(
            Argument("where"),
            f" is a {type(where).__name__}: a condition as text is needed, or a boolean array with "
            f"one True or False for each of the {table.n_rows} rows.",
        )
    return ExplainedRows("mask", None, OF_MASK, _enough(np.flatnonzero(mask), "the mask"))


def _enough(rows: NDArray[np.intp], text: str) -> NDArray[np.intp]:
    if len(rows) < FEWEST_ROWS:
        raise InputError(
            Argument("where"),
            f": {len(rows)} rows lie inside ({text}), and at least {FEWEST_ROWS} are needed.",
        )
    return rows


def _truth(y: Any, n_rows: int) -> NDArray[Any]:
    truth = np.asarray(y)
    if truth.shape != (n_rows,):
        raise InputError(
            Argument("y"), f" has the shape {truth.shape}: one value for each of {n_rows} rows."
        )
    return truth
