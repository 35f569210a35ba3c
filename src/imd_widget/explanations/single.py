"""`surrogate`: a decision tree that imitates one model."""

from __future__ import annotations

from typing import Any

import numpy as np

from imd_widget._base.errors import Given, InputError
from imd_widget._base.kinds import OutputChoice
from imd_widget._base.validation import check_whole, is_number
from imd_widget.data.sampling import hashed, sampled
from imd_widget.explanations.model_subject import read_model
from imd_widget.explanations.selection import FEWEST_ROWS
from imd_widget.explanations.surrogate_data import surrogate_data
from imd_widget.explanations.tree_surrogate import TreeSurrogate, fit_tree, tree_surrogate


def surrogate(
    m: Any,
    X: Any,
    *,
    max_depth: int = 4,
    outputs: OutputChoice = "auto",
    pos_label: Any = None,
    name: str | None = None,
    test_size: float = 0.25,
    max_samples: int = 50_000,
    random_state: int = 0,
) -> TreeSurrogate:
    """Return a decision tree that imitates a model, with its RMSE and R² on rows kept aside.

    Parameters
    ----------
    m, X, outputs, pos_label, name
        As `imd_widget.explain` takes them. ``m`` may also be an array of outputs.
    max_depth : int, default=4
        Depth of the tree.
    test_size : float, default=0.25
        Share of the rows kept aside, on which the tree is measured.
    max_samples : int, default=50,000
        Most rows that the tree is fitted to and measured on, chosen by a hash of their positions.
    random_state : int, default=0
        Chooses these rows and the rows kept aside.

    Returns
    -------
    TreeSurrogate

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import imd_widget as imd
    >>> X = pd.DataFrame({"age": np.tile(np.arange(20, 70), 8)})
    >>> tree = imd.surrogate(lambda t: np.where(t["age"] < 40, "no", "yes"), X, name="old")
    >>> print(tree.rules[0])
    age < 40: 0.00 (123 of 300 rows)
    >>> tree.r2, tree.predict(pd.DataFrame({"age": [30, 50]}))
    (1.0, array([0., 1.]))
    """
    check_whole("max_depth", max_depth, 1)
    check_whole("max_samples", max_samples, FEWEST_ROWS)
    check_whole("random_state", random_state, 0)
    if not (is_number(test_size) and 0 < test_size < 1):
        raise InputError(
            Given("test_size", test_size),
            ": a share of the rows between 0 and 1 is needed, to measure the tree on.",
        )
    own = read_model(m, X, outputs, pos_label, name)
    table, score, called = own.table, own.score, own.name
    rows = sampled(np.arange(table.n_rows), hashed(table.n_rows, random_state), max_samples)
    data = surrogate_data(
        table,
        rows,
        score.of_rows(rows)[:, :1],
        np.ones(len(rows)),
        None,
        random_state,
        score.precision,
        float(test_size),
    )
    fitted = fit_tree(data, 0, max_depth, random_state)
    return tree_surrogate(fitted, data, called, score.what, score.text, score.note, None)
