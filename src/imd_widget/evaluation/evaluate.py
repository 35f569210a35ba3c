"""Comparison of methods on one pair of models over repeated random splits."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import ShuffleSplit

from imd_widget._base.errors import Argument, Given, InputError
from imd_widget._base.validation import check_whole, is_number
from imd_widget.api.diff import diff
from imd_widget.comparison.confusion import Confusion
from imd_widget.comparison.given import NUMBERS
from imd_widget.comparison.metrics import SCORES
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.options import METHOD_OPTIONS, EvaluateOptions
from imd_widget.data.table import check_in_memory
from imd_widget.evaluation.baselines import BASELINES, Baseline, TrainingData
from imd_widget.methods import METHOD_TYPES

#: Methods that are evaluated by default.
METHODS = ("calibrated", "imd", "separate", "direct_tree", "direct_boosting")
#: Options of a variant: of a method of `imd_widget.diff`, and of a baseline.
OWN_OPTIONS = (
    *("max_depth", "refinements"),
    *(name for name in METHOD_OPTIONS if name not in ("max_depth", "augment")),
)
_BASELINE_OPTIONS = ("max_depth",)
_GROUNDED = (
    "Grounded rule sets are part of the benchmarks in the repository, not of the package: run "
    "from a clone, import grounded_baseline from benchmarks.boolean_rules and pass "
    'methods={"grounded": grounded_baseline}.'
)
COLUMNS = (
    *("method", "split", *SCORES, "n_rules", "n_predicates"),
    *("disagreement", "n_rows", "seconds"),
)


def evaluate(
    m1: Any,
    m2: Any,
    X: Any,
    *,
    methods: Sequence[str] | Mapping[str, Mapping[str, Any] | Baseline] = METHODS,
    n_splits: int = 5,
    test_size: float = 0.3,
    max_depth: int = 6,
    random_state: int = 0,
    **options: Unpack[EvaluateOptions],
) -> pd.DataFrame:
    """Measure how well each method predicts where two models differ, on held-out rows.

    Parameters
    ----------
    m1, m2 : model
        As for `imd_widget.diff`; each predicts once.
    X : table
        As for `imd_widget.diff`.
    methods : sequence of str, or mapping of str to options or callable
        Methods of `imd_widget.diff` ("calibrated", "imd", "separate", "direct") and baselines:
        "direct_tree" and "direct_boosting" learn "differs" with scikit-learn's decision tree and
        gradient boosting. A mapping names variants:
        ``{"refined": {"method": "imd", "refinements": 1}, "deeper": {"max_depth": 7}}``. A callable
        is a baseline of your own, ``{"mine": fit_mine}``: it takes a
        `~imd_widget.evaluation.baselines.TrainingData` and returns an object whose ``predict(X)``
        gives True for each row on which the models are predicted to differ.
    n_splits : int, default=5
        Number of random splits, which are the same for all methods.
    test_size : float, default=0.3
        Share of the rows that is held out for the measurement.
    max_depth : int, default=6
        Maximal depth of every method whose options do not set it.
    random_state : int, default=0
        Seed of the splits and of the methods.
    **options
        Options of `imd_widget.diff`: how outputs are compared (``outputs``, ``tolerance``,
        ``pos_label``, ``class_names``, ``dissimilarity``, ``names``), and ``max_bins``.

    Returns
    -------
    DataFrame
        One row for each method and split: ``method``, ``split``, ``precision``, ``recall``, ``f1``,
        ``mcc``, ``explained``, ``f1_over_always``, ``n_rules``, ``n_predicates`` (missing for
        boosting, which has no rules, and for a callable whose result lacks these attributes),
        ``disagreement`` and ``n_rows`` of the held-out rows, and ``seconds`` of fitting.

    Examples
    --------
    >>> import imd_widget as imd
    >>> pair = imd.datasets.breast_cancer_pair()
    >>> found = imd.evaluate(pair.m1, pair.m2, pair.X, methods=["calibrated", "imd"], n_splits=2)
    >>> found[["method", "split"]].values.tolist()
    [['calibrated', 0], ['calibrated', 1], ['imd', 0], ['imd', 1]]
    """
    variants = _variants(methods)
    _check(n_splits, test_size)
    _check_options(options)
    check_in_memory(X)
    # the models predict once; all splits reuse their outputs
    full_diff = diff(
        m1, m2, X, max_depth=max_depth, test_size=0, random_state=random_state, **options
    )
    masks = list(_splits(len(full_diff.differs), n_splits, test_size, random_state))
    rows = [
        (
            name,
            split,
            *_measured(full_diff, X, aside, dict(variant), max_depth, random_state, options),
        )
        for name, variant in variants.items()
        for split, aside in enumerate(masks)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(
        {"n_rules": "Int64", "n_predicates": "Int64"}
    )


def _variants(methods: Any) -> dict[str, Mapping[str, Any]]:
    """Options of each variant by its name."""
    known = (*METHOD_TYPES, *BASELINES)
    if isinstance(methods, str):
        methods = [methods]
    if not isinstance(methods, Mapping):
        methods = {name: {"method": name} for name in methods}
    if not methods:
        raise InputError(
            Argument("methods"), f" is empty: name at least one of {', '.join(known)}."
        )
    methods = {
        name: {"method": variant} if callable(variant) else variant
        for name, variant in methods.items()
    }
    for name, variant in methods.items():
        if not isinstance(variant, Mapping):
            raise InputError(
                f"methods[{name!r}] is {variant!r}: a mapping of options is needed, for example "
                f'{{"method": "imd", "max_depth": 4}}, or a callable that fits a baseline.'
            )
        method = variant.get("method", METHODS[0])
        if not callable(method) and method not in known:
            raise InputError(
                f"method {method!r} is not known. Choose from {', '.join(known)}.",
                hint=_GROUNDED if method == "grounded" else "",
            )
        accepted = _BASELINE_OPTIONS if _is_baseline(method) else OWN_OPTIONS
        extra = sorted(set(variant) - {"method", *accepted})
        if extra:
            called = getattr(method, "__name__", method)
            raise InputError(
                f"methods[{name!r}]: {', '.join(extra)} has no meaning for {called}, which takes "
                f"{', '.join(accepted)}."
            )
        check_whole(f"methods[{name!r}]: max_depth", variant.get("max_depth", 1), 1)
    return dict(methods)


def _check(n_splits: Any, test_size: Any) -> None:
    check_whole("n_splits", n_splits, 1)
    if not is_number(test_size) or not 0 < test_size < 1:
        raise InputError(Given("test_size", test_size), ": a share between 0 and 1 is needed.")


def _check_options(options: Mapping[str, Any]) -> None:
    accepted = EvaluateOptions.__annotations__
    for name in options:
        if name not in accepted:
            raise InputError(
                f"evaluate does not take {name}=. It takes {', '.join(accepted)}; options of one "
                f"method ({', '.join(OWN_OPTIONS)}) go into "
                'methods={"deep": {"method": "imd", "max_depth": 8}}.'
            )


def _splits(
    n_rows: int, n_splits: int, test_size: float, random_state: int
) -> Iterator[NDArray[np.bool_]]:
    """A mask of the rows kept aside for each split."""
    n_aside = round(test_size * n_rows)
    if not 0 < n_aside < n_rows:
        raise InputError(
            f"{n_rows} rows cannot be split: ",
            Given("test_size", test_size),
            f" keeps {n_aside} aside. More rows are needed, or another ",
            Argument("test_size"),
            ".",
        )
    splitter = ShuffleSplit(
        n_splits, test_size=n_aside, train_size=n_rows - n_aside, random_state=random_state
    )
    for _, aside in splitter.split(np.zeros(n_rows)):
        mask = np.zeros(n_rows, dtype=bool)
        mask[aside] = True
        yield mask


def _measured(
    full_diff: ModelDiff,
    X: Any,
    aside: NDArray[np.bool_],
    variant: dict[str, Any],
    max_depth: int,
    random_state: int,
    options: Mapping[str, Any],
) -> tuple[Any, ...]:
    """The columns of the result after "method" and "split", for one variant and split."""
    method = variant.pop("method", METHODS[0])
    depth = variant.pop("max_depth", max_depth)
    outputs = (
        full_diff.predictions.iloc[:, 0].to_numpy(),
        full_diff.predictions.iloc[:, 1].to_numpy(),
    )
    differs = full_diff.differs[aside]
    start = time.perf_counter()
    if _is_baseline(method):
        frame = _frame(full_diff)
        fit = ~aside
        data = TrainingData(
            frame[fit],
            outputs[0][fit],
            outputs[1][fit],
            full_diff.differs[fit],
            depth,
            random_state,
        )
        baseline = (BASELINES[method] if isinstance(method, str) else method)(data)
        taken = time.perf_counter() - start
        predicted = _checked(baseline.predict(frame[aside]), len(differs))
        size = tuple(getattr(baseline, name, None) for name in ("n_rules", "n_predicates"))
    else:
        steps = variant.pop("refinements", 0)
        d = diff(
            *outputs,
            X,
            **{
                **_same_outputs(full_diff, options),
                "method": method,
                "max_depth": depth,
                **variant,
            },
            holdout=aside,
            random_state=random_state,
        ).refine(steps)
        size = len(d.rules), d.rules.n_predicates
        taken = time.perf_counter() - start
        given = outputs[NUMBERS[d.given]][aside] if d.given in NUMBERS else None
        predicted = d.predict(full_diff.table.rows(aside), given)
    confusion = Confusion.of(predicted, differs)
    scores = (getattr(confusion, name) for name in SCORES)
    return (*scores, *size, float(differs.mean()), len(differs), taken)


def _same_outputs(full_diff: ModelDiff, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with which outputs of the full diff are compared as they were there."""
    kept = {name: options[name] for name in ("max_bins",) if name in options}
    return {**kept, **full_diff.tree.outputs.options}


def _is_baseline(method: Any) -> bool:
    return callable(method) or method in BASELINES


def _checked(predicted: Any, n_rows: int) -> NDArray[np.bool_]:
    """Predictions of a baseline as booleans; InputError unless there is one for each row."""
    values = np.asarray(predicted)
    if values.shape != (n_rows,):
        raise InputError(
            Argument("methods"),
            f": predict of a baseline returned an array of shape {values.shape} for {n_rows} rows. "
            "One boolean for each row is needed.",
        )
    return values.astype(bool)


def _frame(full_diff: ModelDiff) -> pd.DataFrame:
    """The table as a DataFrame; its columns are numbered if their names are not unique."""
    table = full_diff.table
    columns = {
        position: table.find(name, position).reset_index(drop=True)
        for position, name in enumerate(table.names)
    }
    frame = pd.DataFrame(columns)
    return frame.set_axis(list(table.names), axis=1) if len(table.place) == len(columns) else frame
