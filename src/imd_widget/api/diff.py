"""`diff`: compare two models on a table, in two stages: `prepare` and `compare`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Unpack

from imd_widget.comparison.known import known_rules
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.options import DiffOptions, Options, with_options
from imd_widget.comparison.prepare import compare, prepare
from imd_widget.data.table import is_large, open_table
from imd_widget.large.streams import in_memory_or_files
from imd_widget.models.adapters import (
    check_order,
    in_batches,
    model_names,
    read_columns_of_outputs,
)


@with_options()
def diff(m1: Any, m2: Any, X: Any, **options: Unpack[DiffOptions]) -> ModelDiff:
    """Where in feature space two models differ.

    Parameters
    ----------
    m1, m2 : model
        Anything with ``predict``, a function of the table, an array of outputs that you already
        have, or the name of a column of ``X`` that holds outputs, which is then left out of the
        table. Each model is called once with the whole table as you gave it. From 1,000 rows
        on it is called with a few rows first, and a slow model is called in batches, with a
        progress bar. The output for a row must not depend on the other rows.
    X : pandas, polars or pyarrow table, or ndarray of shape (n_rows, n_columns)
        Numbers, booleans, text, categories, dates and times; values may be missing. A LazyFrame of
        polars is collected. Whatever has the Arrow PyCapsule interface, such as a relation of
        DuckDB or a table of Ibis, becomes a pandas table. Beyond 1 GB both are read in partitions.
        A table that
        does not fit in memory is a Dask DataFrame, a pyarrow Dataset, or the names of Parquet
        files: a file, a folder, a pattern such as ``"scores/*.parquet"``, or a list of them. It is
        read in partitions; ``y`` and ``sample_weight`` are then names of its columns.
    {options}

    Returns
    -------
    ModelDiff

    See Also
    --------
    show : The same, drawn in a notebook.
    evaluate : Methods measured against each other on one pair of models.

    Examples
    --------
    A model may be a function of the table:

    >>> import numpy as np
    >>> import pandas as pd
    >>> import imd_widget as imd
    >>> age = np.tile(np.arange(20, 70), 8)
    >>> X = pd.DataFrame({"age": age, "job": np.repeat(["cook", "nurse"], 200)})
    >>> def old(table):
    ...     return np.where(table["age"] >= 40, "yes", "no")
    >>> def new(table):
    ...     return np.where(table["job"] == "cook", old(table), "no")
    >>> d = imd.diff(old, new, X)
    >>> print(d.summary())
    old and new disagree on 120 of 400 rows (30.0 %). 1 rule shows where: in five-fold cross-fitting
    it covers 100 % of the differences, and 100 % of the rows it covers differ.
    >>> print(d.rules)
    0. age >= 40 and job is nurse: old yes -> new no (120 of 120 rows differ; 100 % of held-out
    rows differ)

    or an array of predictions. With ``y``, each rule reports which model is right:

    >>> imd.diff(old(X), new(X), X, y=old(X)).rules[0].right.breaks
    120
    """
    chosen = Options.of(options)
    check_order(m1, m2, X)
    if not is_large(X):
        X = in_memory_or_files(X)
    if is_large(X):
        from imd_widget.large.api import diff_large

        return ModelDiff.of(diff_large(X, m1, m2, chosen))
    chosen.check_models({"m1": m1, "m2": m2})
    table = open_table(X)
    if chosen.feature_names is not None:
        table = table.named(chosen.feature_names)
    known = known_rules(m1, m2)
    given = (m1, m2, chosen.y, chosen.sample_weight)
    (m1, m2, y, weight), table = read_columns_of_outputs(given, table)
    chosen = replace(chosen, y=y, sample_weight=weight)
    both = model_names(m1, m2, chosen.names, table)
    models = [in_batches(m1, chosen.batch_size, "m1"), in_batches(m2, chosen.batch_size, "m2")]
    prepared = prepare(models, ("m1", "m2"), table, chosen)
    return ModelDiff.of(compare(prepared, 0, 1, both, chosen.method, known=known))
