"""`surrogate`: a decision tree that imitates one model."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from imd_widget._base.errors import Given, InputError
from imd_widget._base.kinds import OutputChoice
from imd_widget._base.validation import check_whole, is_number
from imd_widget.comparison.options import Options
from imd_widget.data.sampling import hashed, sampled
from imd_widget.data.table import Table, open_table
from imd_widget.explanations.scores import ExplainedScore, class_score, known_label, number_score
from imd_widget.explanations.selection import FEWEST_ROWS
from imd_widget.explanations.surrogate_data import surrogate_data
from imd_widget.explanations.tree_surrogate import TreeSurrogate, fit_tree, tree_surrogate
from imd_widget.models.adapters import check_order, model_names, predict
from imd_widget.models.pair import ComparedModels
from imd_widget.outputs.base import ComparedOutputs, ComparisonInput
from imd_widget.outputs.interface import Outputs
from imd_widget.outputs.reading import compare_outputs
from imd_widget.outputs.registry import chooses_class


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
    m : model
        Anything with ``predict``, a function of the table, or an array of outputs.
    X : pandas, polars or pyarrow table, or ndarray of shape (n_rows, n_columns)
        At least 20 rows.
    max_depth : int, default=4
        Depth of the tree.
    outputs : {"auto", "class", "proba", "value"}, default="auto"
        What the outputs are, as in `imd_widget.diff`. Of classes the tree imitates the probability
        of one of them, from ``predict_proba`` where the model has it, and its votes otherwise.
    pos_label : label, optional
        The class; by default the second of two, and the most frequent one of more.
    name : str, optional
        Name of the model; by default that of its class.
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


@dataclass(frozen=True, eq=False)
class OneScore:
    """The score of one model on a table."""

    #: Name of the model.
    name: str
    table: Table
    #: The model, twice.
    pair: ComparedModels
    #: The model, twice.
    score: ExplainedScore
    outputs: Outputs


def read_model(m: Any, X: Any, outputs: OutputChoice, pos_label: Any, name: str | None) -> OneScore:
    """Call a model with a table and find out which number it gives."""
    wished = pos_label if chooses_class(outputs) else None
    given = Options.of({"outputs": outputs, "pos_label": wished}).output_options
    check_order(m, m, X)
    table = open_table(X)
    if table.n_rows < FEWEST_ROWS:
        raise InputError(
            f"X has {table.n_rows} rows: at least {FEWEST_ROWS} are needed to imitate a model."
        )
    called = str(name) if name is not None else _name(m, table)
    output = predict(m, table, "m", outputs)
    counting = np.ones(table.n_rows, dtype=bool)
    compared = compare_outputs(ComparisonInput((output, output), given, counting, table.n_rows))
    pair = ComparedModels((m, m), (called, called), given.outputs, compared.convert)
    return OneScore(called, table, pair, _score(compared, pair, table, pos_label), compared.outputs)


def _name(m: Any, table: Any) -> str:
    name = model_names(m, m, None, table)[0]
    return name.removesuffix(" 1") if name != "model 1" else "the model"


def _score(
    compared: ComparedOutputs, pair: ComparedModels, table: Any, pos_label: Any
) -> ExplainedScore:
    """The score of one model, twice."""
    outputs = compared.outputs
    known = partial(outputs.predictions_at, compared.observations)
    if not outputs.labels:
        if pos_label is not None and not chooses_class(outputs.kind):
            known_label(pos_label, outputs)  # raises: there is none
        return number_score(outputs, pair, known)
    labels = outputs.labels
    if pos_label is not None:
        label = known_label(pos_label, outputs)
    elif len(labels) <= 2:
        label = labels[-1]
    else:
        first, _ = outputs.predictions(compared.observations, table.n_rows)
        label = Counter(first.tolist()).most_common(1)[0][0]
    return class_score(outputs, pair, label, known, table)
