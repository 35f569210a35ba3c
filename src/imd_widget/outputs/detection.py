"""Tells the kind of outputs that the user did not name."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, InPython, Setting, warn
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import ComparisonInput, example, is_numeric
from imd_widget.outputs.whole_numbers import n_distinct

#: More distinct floats than this are values, not classes.
MAX_FLOAT_CLASSES = 100
#: And more distinct labels of any kind cannot be classes.
MAX_CLASSES = 1000
#: More whole numbers than this raise a warning, unless a model is a classifier.
MANY_NUMBERS = 50
#: Up to this many distinct whole numbers beside values may be labels, which is remarked on.
FEW_LABELS = 20
#: Two whole numbers that label two classes.
TWO_CLASSES = ((-1, 1), (0, 1), (1, 2))


def look_like_labels(case: ComparisonInput) -> bool:
    """Whether the outputs of no model look like values.

    Raises InputError if one model gives values and another labels.
    """
    outputs = case.model_outputs
    looks = [_looks_like_values(one) for one in outputs]
    if not any(looks):
        _remark_on_many(outputs)
        return True
    texts = next((one for one in outputs if not is_numeric(one.values)), None)
    if texts is not None:
        numbers = outputs[looks.index(True)]
        raise InputError(
            Argument(numbers.argument),
            " gives numbers such as ",
            example(numbers.values),
            ", ",
            Argument(texts.argument),
            " gives ",
            example(texts.values),
            ": values and classes cannot be compared. Give both the same kind of output, for "
            "example ",
            InPython(
                f"by a function that bins the numbers: {numbers.argument}=lambda X: "
                "np.where(model.predict(X) > 0.5, 'yes', 'no')",
                "a column of labels made from the numbers",
            ),
            ".",
        )
    _check_all_values(outputs)
    return False


def look_like_probabilities(case: ComparisonInput) -> bool:
    """Whether all numbers lie between 0 and 1, and neither a model nor the truth contradicts it."""
    outputs = case.model_outputs
    if any(one.regressor for one in outputs) or not all(
        _are_probabilities(o.values) for o in outputs
    ):
        return False
    if case.truth is not None and _is_measured(case.truth):
        return False
    warn(
        f"{'both' if len(outputs) == 2 else 'all'} models give numbers from 0 to 1 that are not "
        "whole, which are taken for probabilities: ",
        Setting("outputs", "proba"),
        " confirms this without a warning, ",
        Setting("outputs", "value"),
        " compares them as values.",
    )
    return True


def _remark_on_many(outputs: Sequence[ModelOutput]) -> None:
    """Warn about many different whole numbers, which may be counts or prices."""
    if any(one.classifier or one.values.dtype.kind not in "iu" for one in outputs):
        return
    if all(
        len(one.values) and _range(one.values) < MANY_NUMBERS // len(outputs) for one in outputs
    ):
        return
    n_labels = len(np.unique(np.concatenate([np.unique(one.values) for one in outputs])))
    if n_labels > MANY_NUMBERS:
        warn(
            f"the models give {n_labels} different whole numbers, which are taken for classes: two "
            "that are not equal differ. If they are amounts, use ",
            Setting("outputs", "value"),
            "; ",
            Setting("outputs", "class"),
            " compares them as classes without a warning.",
        )


def _check_all_values(outputs: Sequence[ModelOutput]) -> None:
    """Raise InputError if the numbers are labels of one model and values of another."""
    labels = [_are_labels(one) for one in outputs]
    fractions = [_are_probabilities(one.values) for one in outputs]
    whole = [_few_whole(one) for one in outputs]
    few = None
    for at, beside in permutations(range(len(outputs)), 2):
        one, other = outputs[at], outputs[beside]
        if labels[at] and fractions[beside]:
            raise InputError(
                Argument(one.argument),
                " gives the labels ",
                example(one.values),
                ", ",
                Argument(other.argument),
                " numbers such as ",
                example(other.values),
                ", as a probability is: nearly every row would differ. Give labels of both",
                InPython(f", {other.argument}=lambda X: model.predict(X) > 0.5"),
                "; or probabilities of both with ",
                Setting("outputs", "proba"),
                "; or compare them as numbers with ",
                Setting("outputs", "value"),
                ".",
            )
        if one.classifier and other.regressor:
            raise InputError(
                Argument(one.argument),
                " is a classifier and ",
                Argument(other.argument),
                " a regressor: labels and values cannot be compared. Bin the values with a "
                "function, or say ",
                Setting("outputs", "value"),
                " if the labels are numbers on the same scale.",
            )
        if other.regressor or not _is_continuous(other, beside=len(whole[at])):
            continue
        if (one.classifier and labels[at]) or whole[at] in TWO_CLASSES:
            raise _labels_beside_scores(one, other, whole[at])
        if one.values.dtype.kind in "iub" and len(whole[at]) > 1 and few is None:
            few = one, other, len(whole[at])
    if few is not None:
        _remark_on_few(*few)


def _labels_beside_scores(
    one: ModelOutput, other: ModelOutput, labels: tuple[int, ...]
) -> InputError:
    """The error for labels of one model and numbers of any size of another, such as scores."""
    scores = {"array": "scores", "function": "model(X)"}.get(other.source, "model.predict(X)")
    start = "" if other.source == "array" else "lambda X: "
    make = "made by a function of the numbers"
    if len(labels) == 2:
        make = f"{other.argument}={start}np.where({scores} > 0, {labels[1]}, {labels[0]})"
    return InputError(
        Argument(one.argument),
        " gives the labels ",
        example(one.values),
        ", ",
        Argument(other.argument),
        " numbers such as ",
        example(other.values),
        ", as a decision function or a raw score is: nearly every row would differ. Give labels of "
        "both, for example ",
        InPython(make, "a column of labels made from the scores"),
        "; or compare them as numbers with ",
        Setting("outputs", "value"),
        ".",
    )


def _remark_on_few(one: ModelOutput, other: ModelOutput, n_labels: int) -> None:
    """Warn about a few whole numbers, which may be labels, that are compared with values."""
    warn(
        Argument(one.argument),
        f" gives {n_labels} different whole numbers (",
        example(one.values),
        ", ...), " if n_labels > 3 else "), ",
        Argument(other.argument),
        " numbers such as ",
        example(other.values),
        ": they are compared as values. If the whole numbers are labels, pass labels for both; ",
        Setting("outputs", "value"),
        " compares them as values without a warning.",
    )


def _is_measured(truth: NDArray[Any]) -> bool:
    """Whether the truth holds numbers that are not whole, which no class is."""
    known = truth[~np.asarray(pd.isna(truth))]
    return len(known) > 0 and is_numeric(known) and bool((known.astype(float) % 1 != 0).any())


def _are_labels(output: ModelOutput) -> bool:
    if output.regressor:
        return False
    if output.classifier:  # CatBoost takes a model that returns raw scores for a classifier
        return not _looks_like_values(output)
    return bool(np.isin(output.values.astype(float), (0, 1)).all())


def _is_continuous(output: ModelOutput, beside: int) -> bool:
    """Whether outputs are values, and over twice as many as ``beside`` labels of another model."""
    return _looks_like_values(output) and len(np.unique(output.values.astype(float))) > 2 * beside


def _few_whole(output: ModelOutput) -> tuple[int, ...]:
    """Return the distinct outputs if they are few whole numbers; empty for a regressor."""
    values = output.values
    if output.regressor:
        return ()
    if values.dtype.kind not in "iub":
        values = values.astype(float)
        if not (np.isfinite(values) & (values == np.rint(values))).all():
            return ()
    elif n_distinct(values) > FEW_LABELS:
        return ()
    distinct = np.unique(values)
    return tuple(map(int, distinct.tolist())) if len(distinct) <= FEW_LABELS else ()


def _are_probabilities(values: NDArray[Any]) -> bool:
    numbers = values.astype(float)
    inside = ((numbers >= 0) & (numbers <= 1)).all()
    return bool(inside and (numbers != np.rint(numbers)).any())


def _looks_like_values(output: ModelOutput) -> bool:
    values = output.values
    if not is_numeric(values):
        return False
    if output.regressor:
        return True
    if values.dtype.kind in "iub":
        return n_distinct(values) > MAX_CLASSES
    numbers = values.astype(float)
    finite = numbers[np.isfinite(numbers)]
    # most values are not whole, which is seen sooner than how many there are
    return bool((finite != np.rint(finite)).any()) or len(np.unique(finite)) > MAX_FLOAT_CLASSES


def _range(values: NDArray[Any]) -> int:
    return int(values.max()) - int(values.min())
