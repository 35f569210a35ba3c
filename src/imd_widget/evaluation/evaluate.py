"""Methods measured against each other on one pair of models: repeated splits, one tidy table."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget._base.validation import check_whole, is_number
from imd_widget.comparison.api import diff
from imd_widget.comparison.metrics import SCORES, Confusion
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.evaluation.baselines import BASELINES, TrainingData
from imd_widget.methods import Method

#: What is measured where nothing is named.
METHODS = ("calibrated", "imd", "separate", "direct_tree", "direct_boosting")
#: Options of a variant: of a method of ours, and of the others.
OWN_OPTIONS = (
    *("max_depth", "refinements", "alpha", "diff_weight", "min_samples_leaf"),
    *("rule_cost", "max_rules", "sensitivity"),
)
ACCEPTED: dict[str, tuple[str, ...]] = {
    "direct_tree": ("max_depth",),
    "direct_boosting": ("max_depth",),
    "grounded": (),
}
COLUMNS = (
    *("method", "split", *SCORES, "n_rules", "n_predicates"),
    *("disagreement", "n_rows", "seconds"),
)


def evaluate(
    m1: Any,
    m2: Any,
    X: Any,
    *,
    methods: Sequence[str] | Mapping[str, Mapping[str, Any]] = METHODS,
    n_splits: int = 5,
    test_size: float = 0.3,
    max_depth: int = 6,
    random_state: int = 0,
    **options: Any,
) -> pd.DataFrame:
    """How well each method predicts where two models differ, on rows it has not seen.

    Parameters
    ----------
    m1, m2 : model
        As for `imd_widget.diff`; each is asked once.
    X : table
        As for `imd_widget.diff`.
    methods : sequence of str, or mapping of str to options
        Methods of `imd_widget.diff` ("calibrated", "imd", "separate", "direct") and baselines:
        "direct_tree" and "direct_boosting" learn "differs" with scikit-learn's decision tree and
        gradient boosting; "grounded" learns a rule set for each model, the second one's biased to
        reuse the first's (two classes only, and slower than all others). A mapping names variants:
        ``{"refined": {"method": "imd", "refinements": 1}, "deeper": {"max_depth": 7}}``.
    n_splits : int, default=5
        Random splits; each method sees the same ones.
    test_size : float, default=0.3
        Share of the rows that is kept aside and measured on.
    max_depth : int, default=6
        Of every method, where its options do not say otherwise.
    random_state : int, default=0
    **options
        Of `imd_widget.diff`: how outputs are compared (``outputs``, ``tolerance``, ``pos_label``,
        ``class_names``, ``names``), and ``max_bins``.

    Returns
    -------
    DataFrame
        One row a method and split: ``method``, ``split``, ``precision``, ``recall``, ``f1``,
        ``n_rules``, ``n_predicates`` (missing for boosting, which has no rules), ``disagreement``
        and ``n_rows`` of the rows kept aside, and ``seconds`` to learn.

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
    # asked once; what they said is compared again and again
    asked = diff(m1, m2, X, max_depth=max_depth, test_size=0, random_state=random_state, **options)
    masks = list(_splits(len(asked.differs), n_splits, test_size, random_state))
    rows = [
        (name, split, *_measured(asked, X, aside, dict(variant), max_depth, random_state, options))
        for name, variant in variants.items()
        for split, aside in enumerate(masks)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype(
        {"n_rules": "Int64", "n_predicates": "Int64"}
    )


def _variants(methods: Any) -> dict[str, Mapping[str, Any]]:
    """Options of each method to measure, by the name it is shown with."""
    known = (*get_args(Method), *BASELINES)
    if isinstance(methods, str):
        methods = [methods]
    if not isinstance(methods, Mapping):
        methods = {name: {"method": name} for name in methods}
    if not methods:
        raise InputError(f"methods is empty: name at least one of {', '.join(known)}.")
    for name, variant in methods.items():
        if not isinstance(variant, Mapping):
            raise InputError(
                f"methods[{name!r}] is {variant!r}: a mapping of options is needed, for example "
                f'{{"method": "imd", "max_depth": 4}}.'
            )
        method = variant.get("method", METHODS[0])
        if method not in known:
            raise InputError(f"method {method!r} is not known. Choose from {', '.join(known)}.")
        accepted = ACCEPTED.get(method, OWN_OPTIONS)
        extra = sorted(set(variant) - {"method", *accepted})
        if extra:
            takes = f"takes {', '.join(accepted)}" if accepted else "takes no options"
            raise InputError(
                f"methods[{name!r}]: {', '.join(extra)} has no meaning for {method}, which {takes}."
            )
        check_whole(f"methods[{name!r}]: max_depth", variant.get("max_depth", 1), 1)
    return dict(methods)


def _check(n_splits: Any, test_size: Any) -> None:
    check_whole("n_splits", n_splits, 1)
    if not is_number(test_size) or not 0 < test_size < 1:
        raise InputError(f"test_size={test_size!r}: a share between 0 and 1 is needed.")


def _check_options(options: Mapping[str, Any]) -> None:
    accepted = ("outputs", "tolerance", "pos_label", "class_names", "names", "max_bins")
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
    """Rows kept aside, one mask a split."""
    n_aside = round(test_size * n_rows)
    if not 0 < n_aside < n_rows:
        raise InputError(
            f"{n_rows} rows cannot be split: test_size={test_size} keeps {n_aside} aside. More "
            "rows are needed, or another test_size."
        )
    for split in range(n_splits):
        order = np.random.default_rng((random_state, split)).permutation(n_rows)
        mask = np.zeros(n_rows, dtype=bool)
        mask[order[:n_aside]] = True
        yield mask


def _measured(
    asked: ModelDiff,
    X: Any,
    aside: NDArray[np.bool_],
    variant: dict[str, Any],
    max_depth: int,
    random_state: int,
    options: Mapping[str, Any],
) -> tuple[Any, ...]:
    """Precision, recall, F1, rules, predicates, disagreement, rows and seconds of one split."""
    method = variant.pop("method", METHODS[0])
    depth = variant.pop("max_depth", max_depth)
    said = asked.predictions.iloc[:, 0].to_numpy(), asked.predictions.iloc[:, 1].to_numpy()
    differs = asked.differs[aside]
    start = time.perf_counter()
    if method in BASELINES:
        frame = _frame(asked)
        fit = ~aside
        lesson = TrainingData(
            frame[fit], said[0][fit], said[1][fit], asked.differs[fit], depth, random_state
        )
        claims = BASELINES[method](lesson)
        taken = time.perf_counter() - start
        claimed = claims.predict(frame[aside])
        size = claims.n_rules, claims.n_predicates
    else:
        steps = variant.pop("refinements", 0)
        found = diff(
            *said,
            X,
            **{**_same_outputs(asked, options), "method": method, "max_depth": depth, **variant},
            holdout=aside,
            random_state=random_state,
        ).refine(steps)
        size = len(found.rules), found.rules.n_predicates
        taken = time.perf_counter() - start
        claimed = found.predict(asked.table.rows(aside))
    confusion = Confusion.of(claimed, differs)
    scores = (getattr(confusion, name) for name in SCORES)
    return (*scores, *size, float(differs.mean()), len(differs), taken)


def _same_outputs(asked: ModelDiff, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that compare what was said as it was compared at first."""
    kept = {name: options[name] for name in ("max_bins",) if name in options}
    return {**kept, **asked.tree.outputs.options}


def _frame(asked: ModelDiff) -> pd.DataFrame:
    """The table as pandas has it, columns by their places."""
    table = asked.table
    columns = {
        place: table.find(name, place).reset_index(drop=True)
        for place, name in enumerate(table.names)
    }
    return pd.DataFrame(columns)
