"""Classes: labels that both models give, and pairs of them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, InPython, Quoted, Setting, warn
from imd_widget.counting.channels import ClassChannels
from imd_widget.counting.observations import Observations
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import ComparedOutputs, ComparisonInput, OutputOptions, check_complete
from imd_widget.outputs.correctness import who_is_right
from imd_widget.outputs.detection import MAX_CLASSES
from imd_widget.outputs.labels import (
    MISSING,
    Factors,
    class_names,
    factorize,
    joined,
    matched,
    respelled,
)
from imd_widget.outputs.spec import ClassOutputs


def read_classes(case: ComparisonInput) -> ComparedOutputs:
    """The outputs as labels."""
    said, output_options, truth, weights = case.said, case.output_options, case.truth, case.weights
    check_class_options(output_options)
    factors = [_labels_of(one) for one in said]
    names = [one.argument for one in said]
    if truth is not None:
        factors.append(factorize(truth, "y"))
        names.append("y")
    factors = matched(factors, names)
    labels, (first, second), usable = _known_labels(factors[:2], case.n_own)
    if len(labels) > MAX_CLASSES:
        raise InputError(
            f"the two models give {len(labels)} distinct labels, as a regression does. At most "
            f"{MAX_CLASSES} classes can be compared: ",
            InPython(
                "pass functions that bin the outputs", "make columns with fewer labels of them"
            ),
            ", or compare them as numbers with ",
            Setting("outputs", "value"),
            ".",
        )
    right = None
    if truth is not None:
        _check_truth(factors[2], labels)
        _, (one, two, actual) = joined(factors)
        right = who_is_right(one == actual, two == actual, actual != MISSING)
    n = len(labels)
    joint = first * n + second
    found = np.flatnonzero(np.bincount(joint, minlength=n * n))
    place = np.zeros(n * n, dtype=np.uint16 if len(found) < 1 << 16 else np.uint32)
    place[found] = np.arange(len(found))
    pairs = np.stack([found // n, found % n], axis=1)
    weighted = weights is not None
    observations = Observations(
        ClassChannels(weighted, n),
        outcome=(first != second).astype(np.uint8),
        pair=place[joint],
        pair_outcome=(pairs[:, 0] != pairs[:, 1]).astype(np.uint8),
        labels=(first.astype(np.uint16), second.astype(np.uint16)),
        pair_labels=pairs,
        weight=weights.whole if weights else None,
        right=right,
    )
    outputs = ClassOutputs(labels, class_names(labels, output_options.class_names))
    return ComparedOutputs(outputs, observations, pairs, usable, partial(as_labels, labels))


def as_labels(labels: tuple[Hashable, ...], output: ModelOutput) -> NDArray[Any]:
    """The output of a model as labels of the diff; a label that the diff lacks stays as it is.

    Text and a number of the same spelling ("1" and 1) are one label, as when the diff was made.
    """
    factors = _labels_of(output)
    distinct = np.empty(len(factors.labels), dtype=object)
    distinct[:] = respelled(factors.labels, labels)
    return np.asarray(distinct[factors.places])


def check_class_options(output_options: OutputOptions) -> None:
    """Whether what is wished has a meaning for classes."""
    if output_options.tolerance is not None:
        raise InputError(
            Given("tolerance", output_options.tolerance),
            " has no meaning for classes, which are the same or not. Leave it out, or compare "
            "numbers: ",
            Setting("outputs", "proba"),
            " or ",
            Setting("outputs", "value"),
            ".",
        )
    if output_options.pos_label is not None:
        raise InputError(
            Given("pos_label", output_options.pos_label),
            " says whose probability is compared, which needs ",
            Setting("outputs", "proba"),
            ".",
        )


def _known_labels(
    factors: Sequence[Factors], n_own: int
) -> tuple[tuple[Hashable, ...], list[NDArray[np.intp]], NDArray[np.bool_]]:
    """Labels of rows that are the user's own; new rows of other labels cannot be used."""
    labels, places = joined(factors)
    usable = np.ones(len(places[0]), dtype=bool)
    if n_own == len(usable):
        return labels, places, usable
    known = np.zeros(len(labels), dtype=bool)
    for place in places:
        known[place[:n_own]] = True
    if known.all():
        return labels, places, usable
    for place in places:
        usable &= known[place]
    number = np.where(known, np.cumsum(known) - 1, 0)
    kept = tuple(label for label, own in zip(labels, known, strict=True) if own)
    return kept, [number[place] for place in places], usable


def _labels_of(said: ModelOutput) -> Factors:
    found = factorize(said.values, said.argument)
    check_complete(found.places == MISSING, said.argument)
    if not found.labels:
        raise InputError(Argument(said.argument), " gave no output at all.")
    wild = [x for x in found.labels if isinstance(x, float) and math.isinf(x)]
    if wild:
        raise InputError(
            Argument(said.argument),
            f" gave {wild[0]!r} as a label. Classes are anything hashable but infinite numbers.",
        )
    return found


def _check_truth(truth: Factors, labels: tuple[Hashable, ...]) -> None:
    if truth.labels and not set(truth.labels) & set(labels):
        warn(
            Argument("y"),
            " holds [",
            Quoted(*truth.labels[:3]),
            "], the models give [",
            Quoted(*labels[:3]),
            "]: they have no label in common, so no model is ever right. Is ",
            Argument("y"),
            " in the labels of the models?",
        )
