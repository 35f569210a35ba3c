"""`diff`: compare two models on a table, in two stages: `prepare` and `compare`."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

from imd_widget._base.kinds import OutputChoice
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.options import (
    check_augment,
    check_measure,
    check_rest,
    method_options,
    read_output_options,
)
from imd_widget.comparison.prepare import DataOptions, Measure, compare, prepare, read_columns
from imd_widget.data.table import is_large, open_table
from imd_widget.methods import GivenChoice, Method
from imd_widget.models.adapters import check_order, model_names, read_columns_of_outputs


def diff(
    m1: Any,
    m2: Any,
    X: Any,
    *,
    y: Any = None,
    names: Sequence[str] | None = None,
    columns: Sequence[Hashable] | None = None,
    feature_names: Sequence[str] | None = None,
    by: Any = None,
    max_depth: int = 6,
    method: Method = "calibrated",
    alpha: float | None = None,
    diff_weight: float = 5.0,
    min_samples_leaf: int | None = None,
    rule_cost: float = 0.005,
    max_rules: int | None = None,
    sensitivity: float | None = None,
    given: GivenChoice | None = None,
    augment: Literal["neighbours"] | None = None,
    max_bins: int | None = 255,
    subsample: int | None = 200_000,
    test_size: float = 0.25,
    holdout: Any = None,
    measure: Measure = "auto",
    groups: Any = None,
    random_state: int = 0,
    outputs: OutputChoice = "auto",
    tolerance: float | str | None = None,
    pos_label: Any = None,
    class_names: Mapping[Any, str] | Sequence[str] | None = None,
    sample_weight: Any = None,
) -> ModelDiff:
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
        Numbers, booleans, text, categories, dates and times; values may be missing. A table that
        does not fit in memory is a Dask DataFrame, a pyarrow Dataset, or the names of Parquet
        files: a file, a folder, a pattern such as ``"scores/*.parquet"``, or a list of them. It is
        read in partitions; ``y`` and ``sample_weight`` are then names of its columns.
    y : array of shape (n_rows,), optional
        The true outputs; values may be missing. They change no rule; the diff then reports which
        model is right, for each rule and over all rows. (To see where one model errs, pass the
        truth as ``m2``.)
    names : sequence of two str, optional
        Names of the models; by default the names of their classes.
    columns : sequence of column names, optional
        The columns that rules may ask about; the models get all of them. None: every column.
    feature_names : sequence of str, optional
        Names of the columns of an array, which has none: by default x0, x1, ...
    by : str or array of shape (n_rows,), optional
        A column, or a value for each row: `ModelDiff.by` then has the rate of each of its groups,
        over all rows and in each rule, to see whom the differences hit. It changes no rule.
    max_depth : int, default=6
        Largest number of conditions of a surrogate.
    method : {"calibrated", "imd", "separate", "direct"}, default="calibrated"
        "calibrated": a joint tree that looks for the differences, cut back to the few questions
        that tell where they are; regions are claimed by their rate of difference. "imd": the
        paper's joint tree. "separate": two trees that share nothing. "direct": one decision tree
        on "differs".
    alpha : float, optional
        Of "imd": the paper's condition (5) in place of (6). The surrogates part where their best
        separate splits together cost at most ``alpha`` times the best common split. At most 1.
    diff_weight : float, default=5
        Of "calibrated": how much a shared split looks for the differences; 0 looks for the two
        models alone.
    min_samples_leaf : int, optional
        Rows that both sides of a split keep at least: 5 for "calibrated", 1 for the others.
    rule_cost : float, default=0.005
        For "calibrated": a split stays if it is worth more than this share of all differing rows,
        and one row; 0 keeps every split that is worth anything.
    max_rules : int, optional
        Of "calibrated": raises ``rule_cost`` until there are no more rules than this.
    sensitivity : float, optional
        Of "calibrated": share of the differing rows that the rules should cover, from 0 to 1. More
        of them at the cost of precision. None: the largest mean of F1 and Matthews' correlation.
    given : {"m1", "m2", "auto"}, optional
        For "calibrated": rules may also ask what this model says, as in "LR says benign and age <
        40"; "auto" takes the model with which rules tell more. This is another question, and often
        has a better answer: new rows need the output of that model. None: the columns alone.
    augment : {"neighbours"}, optional
        For "calibrated": also call the models with new rows between those of the table, and grow
        the tree on them too. For small tables (below some 2,000 rows) and models that can be
        called. New rows are not counted in any rule or metric.
    max_bins : int or None, default=255
        Parts that a column is cut into at most, at quantiles. None: a threshold between every two
        values that occur.
    subsample : int or None, default=200,000
        Rows on which these quantiles are taken, where more are used to fit: chosen by a hash of
        the row's number and ``random_state``. Up to this many rows their order does not matter.
        None: all rows.
    test_size : float, default=0.25
        Share of the rows kept aside, on which the diff is measured. 0: none.
    holdout : table, tuple or boolean array, optional
        Rows of your own to measure on, in place of ``test_size``: a table with the same columns,
        with which both models are called too; ``(table, y)`` or ``(table, y, sample_weight)``; or a
        mask of the rows of ``X`` to keep aside.
    measure : {"auto", "holdout", "cv", "none"}, default="auto"
        How the diff is measured. "holdout": on rows kept aside, which are not used to fit. "cv":
        the rules are fitted on all rows; the figures come from five folds, each of them predicted
        by rules fitted on the other four. "none": on the rows used to fit. "auto" is "cv" if fewer
        than 50 of the rows kept aside would differ, if fewer than 20 groups would be kept aside, or
        if a few weights would dominate, and otherwise "holdout"; with ``holdout`` or ``augment`` it
        is always "holdout".
    groups : str or array of shape (n_rows,), optional
        The group of each row, such as the user or the patient, or the name of a column that holds
        it. Rows of one group are kept aside together, and intervals count groups, not rows: rows
        drawn at random do not show that a rule is one user.
    random_state : int, default=0
        Chooses the rows kept aside, or the folds.
    outputs : {"auto", "class", "proba", "value"}, default="auto"
        What is compared. "class": labels of any hashable kind, which are the same or not. "proba":
        the probability of a class, from ``predict_proba`` where a model has it. "value": numbers,
        as a regression gives. "auto" takes numbers for values if a model says that it is a
        regressor, if they are not whole, or if there are more than 100 distinct floats or 1,000
        distinct integers; for probabilities if both models give such numbers from 0 to 1 and none
        is a regressor; anything else for classes. `ModelDiff.outputs` says what it chose.
    tolerance : float or str, optional
        Of "proba" and "value": two outputs differ when they are more than this apart. By default
        0.1 for probabilities; for values a tenth of the range that the middle 90 % of both models'
        outputs span, rounded to two digits. Of "value" also a share of the larger output: "10 %".
    pos_label : label, optional
        Of "proba": the class whose probability is compared; of two classes by default the second.
    class_names : dict or sequence of str, optional
        How outputs are shown: from label to name, or one name for each label in sorted order.
    sample_weight : array of shape (n_rows,), optional
        How much each row counts, against the others; 0 leaves a row out. All shares (rate,
        coverage, precision, recall) are then by weight; numbers of rows stay numbers of rows, also
        in ``min_samples_leaf``.

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
    old and new disagree on 120 of 400 rows (30.0 %). 1 rule says where: in five-fold cross-fitting
    it covers 100 % of the differences, and 100 % of the rows it covers really differ.
    >>> print(d.rules)
    0. age >= 40 and job is nurse: old yes -> new no (120 of 120 rows differ)

    or what it said; with the truth, a rule says who is right:

    >>> imd.diff(old(X), new(X), X, y=old(X)).rules[0].right.breaks
    120
    """
    options = method_options(
        method,
        max_depth,
        alpha,
        diff_weight,
        min_samples_leaf,
        rule_cost,
        max_rules,
        sensitivity,
        given,
    )
    check_rest(max_bins, subsample, test_size, random_state)
    if not is_large(X):
        check_augment(augment, method, {"m1": m1, "m2": m2})
    check_measure(measure, holdout, augment)
    output_options = read_output_options(outputs, tolerance, pos_label, class_names)
    check_order(m1, m2, X)
    if is_large(X):
        from imd_widget.large.api import Wanted, diff_large

        wanted = Wanted(
            augment=augment,
            holdout=holdout,
            groups=groups,
            by=by,
            feature_names=feature_names,
            max_bins=max_bins,
            subsample=subsample,
            measure=measure,
            test_size=float(test_size),
            random_state=int(random_state),
            columns=columns,
        )
        models = {"m1": m1, "m2": m2, "y": y, "sample_weight": sample_weight}
        found = diff_large(X, models, names, wanted, output_options, options)
        return ModelDiff(found.models.names, found)
    table = open_table(X)
    if feature_names is not None:
        table = table.named(feature_names)
    (m1, m2), table = read_columns_of_outputs((m1, m2), table)
    both = model_names(m1, m2, names, table)
    prepared = prepare(
        (m1, m2),
        ("m1", "m2"),
        table,
        output_options,
        DataOptions(
            max_bins,
            subsample,
            augment is not None,
            float(test_size),
            int(random_state),
            measure,
            None if columns is None else read_columns(columns, table),
        ),
        y=y,
        sample_weight=sample_weight,
        holdout=holdout,
        groups=groups,
        by=by,
    )
    return ModelDiff(both, compare(prepared, 0, 1, both, options))
