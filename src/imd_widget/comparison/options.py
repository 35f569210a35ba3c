"""Validation of the options of a diff."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

import numpy as np

from imd_widget._base.errors import Argument, Given, InputError, Message, Setting
from imd_widget._base.validation import check_whole, is_number
from imd_widget.methods import METHODS, GivenChoice, Method, MethodOptions, methods_with
from imd_widget.models.adapters import can_predict
from imd_widget.outputs.base import OutputOptions, RelativeTolerance, Tolerance
from imd_widget.outputs.registry import CHOICES, check_output_options

#: Largest ``diff_weight`` and ``rule_cost``: larger ones would round the other terms away.
LARGEST_WEIGHT = 1e12


def method_options(
    method: Any,
    max_depth: Any,
    alpha: Any,
    diff_weight: Any,
    min_samples_leaf: Any,
    rule_cost: Any,
    max_rules: Any,
    sensitivity: Any,
    given: Any = None,
) -> MethodOptions:
    """Validate the options of a method."""
    if not (isinstance(method, str) and method in METHODS):
        raise InputError(
            Given("method", method), f" is not known. Choose one of {', '.join(METHODS)}."
        )
    method = cast("Method", method)
    check_whole("max_depth", max_depth, 1, 30)
    if min_samples_leaf is None:
        min_samples_leaf = METHODS[method].min_samples_leaf
    check_whole("min_samples_leaf", min_samples_leaf, 1, None)
    if max_rules is not None:
        check_whole("max_rules", max_rules, 1, None)
    special = {"alpha": alpha, "max_rules": max_rules, "sensitivity": sensitivity, "given": given}
    for name, value in special.items():
        _check_meaning(name, value, method)
    if alpha is not None and not (is_number(alpha) and alpha <= 1):
        raise InputError(
            Given("alpha", alpha),
            ": a number up to 1 is needed. 1 parts the surrogates at the root, "
            "smaller numbers keep them together longer; None uses the paper's condition (6).",
        )
    for name, value in (("diff_weight", diff_weight), ("rule_cost", rule_cost)):
        if not (is_number(value) and 0 <= value <= LARGEST_WEIGHT):
            raise InputError(
                Given(name, value), f": a number from 0 to {LARGEST_WEIGHT:g} is needed."
            )
    if sensitivity is not None and not (is_number(sensitivity) and 0 <= sensitivity <= 1):
        raise InputError(
            Given("sensitivity", sensitivity),
            ": the share of differing rows to cover is a number from 0 "
            "to 1; None chooses the best balance.",
        )
    if given is not None and given not in get_args(GivenChoice):
        raise InputError(
            Given("given", given),
            ': rules may ask what one model says: "m1", "m2", or "auto" for the one that tells '
            "more; None asks about the columns of ",
            Argument("X"),
            " alone.",
        )
    return MethodOptions(
        method,
        int(max_depth),
        int(min_samples_leaf),
        None if alpha is None else float(alpha),
        float(diff_weight),
        float(rule_cost),
        None if max_rules is None else int(max_rules),
        None if sensitivity is None else float(sensitivity),
        given,
    )


def _check_meaning(name: str, value: Any, method: Method) -> None:
    """Raise an error if an option is set that the method does not use."""
    if value is not None and name not in METHODS[method].options:
        others = [Message(" or ", Setting("method", other)) for other in methods_with(name)]
        raise InputError(
            Given(name, value),
            " has no meaning with ",
            Setting("method", method),
            ": leave it out, or use ",
            *Message(*others).parts[1:],
            ".",
        )


def read_output_options(
    outputs: Any, tolerance: Any, pos_label: Any, class_names: Any
) -> OutputOptions:
    """Validate the options that control how outputs are compared."""
    if not (isinstance(outputs, str) and outputs in CHOICES):
        raise InputError(
            Given("outputs", outputs),
            f" is not known. Choose one of {', '.join(CHOICES)}: classes, "
            "probabilities of a class, values, or whatever the outputs look like.",
        )
    wanted = None if tolerance is None else read_tolerance(tolerance)
    given = OutputOptions(cast("Any", outputs), wanted, pos_label, class_names)
    check_output_options(given)  # before a model is called
    return given


def read_tolerance(tolerance: Any) -> Tolerance:
    """Return a tolerance: a number from 0 up, or a text such as "10 %"."""
    if isinstance(tolerance, str) and tolerance.strip().endswith("%"):
        try:
            share = float(tolerance.strip()[:-1]) / 100
        except ValueError:
            share = -1.0
        if 0 < share < 1:
            return RelativeTolerance(share)
    elif is_number(tolerance) and 0 <= tolerance < np.inf:
        return cast("float", tolerance)
    raise InputError(
        Given("tolerance", tolerance),
        ": how far two outputs may be apart and still count as the same is a number from 0 up, or "
        'a share of the larger of them between 0 and 100 %, such as "10 %"; None takes a share of '
        "their spread.",
    )


def check_augment(augment: Any, method: Method, models: Mapping[str, Any]) -> None:
    """Raise an error if ``augment`` is not known, or if the method or a model cannot use it.

    ``models`` are the models by the arguments that they were passed as.
    """
    if augment is None:
        return
    if augment != "neighbours":
        raise InputError(Given("augment", augment), ' is not known. Choose "neighbours" or None.')
    _check_meaning("augment", augment, method)
    for name, model in models.items():
        if not can_predict(model):
            raise InputError(
                Argument("augment"),
                " asks the models about new rows, and ",
                Argument(name),
                " is an array of outputs. Pass the model itself or a function, or leave augment "
                "out.",
            )


def check_measure(measure: Any, holdout: Any, augment: Any) -> None:
    """Raise an error if ``measure`` is not known or contradicts ``holdout`` or ``augment``."""
    choices = ("auto", "holdout", "cv", "none")
    if not (isinstance(measure, str) and measure in choices):
        raise InputError(
            Given("measure", measure),
            f" is not known. Choose one of {', '.join(choices)}: rows kept aside, five folds, or "
            "the rows used to fit.",
        )
    if holdout is not None and measure in ("cv", "none"):
        raise InputError(
            Given("measure", measure),
            " measures without rows kept aside, and ",
            Argument("holdout"),
            " gives such rows. Leave one of them out.",
        )
    if augment is not None and measure == "cv":
        raise InputError(
            Given("measure", measure),
            " would measure on rows that new rows were made from: with ",
            Argument("augment"),
            " use ",
            Setting("measure", "holdout"),
            ".",
        )


def check_rest(max_bins: Any, subsample: Any, test_size: Any, random_state: Any) -> None:
    """Validate the options that all methods share."""
    if max_bins is not None:
        check_whole("max_bins", max_bins, 2, 65_535)
    if subsample is not None:
        check_whole("subsample", subsample, 2)
    if not (is_number(test_size) and 0 <= test_size < 1):
        raise InputError(
            Given("test_size", test_size),
            ": the share of rows to keep aside is a number from 0 to below 1, for example 0.25.",
        )
    check_whole("random_state", random_state, 0, None)
