"""Probabilities of one class, which both models know."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import (
    Argument,
    Given,
    InputError,
    InPython,
    Message,
    Quoted,
    Row,
    Setting,
    warn,
)
from imd_widget._base.plain import from_json
from imd_widget._base.sorting import sort_labels
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import (
    ComparisonInput,
    OutputOptions,
    RelativeTolerance,
    check_complete,
    numbers,
)
from imd_widget.outputs.detection import look_like_probabilities
from imd_widget.outputs.labels import MISSING, Factors, class_names, factorize, matched
from imd_widget.outputs.number_outputs import (
    Bounds,
    NumberOutputs,
    number_channels_from_plain,
)
from imd_widget.outputs.number_steps import OutputSpread
from imd_widget.outputs.spec import OutputSpec
from imd_widget.outputs.values import IsApart, NumberPlan, read_numbers

#: Two probabilities may be this far apart by default.
PROBA_TOLERANCE = 0.1


@dataclass(frozen=True, eq=False)
class ProbabilityOutputs(NumberOutputs):
    """Probabilities of one class."""

    kind = "proba"
    has_margins = True
    main_loss = "squared error"
    hedge = ""
    score_name = "accuracy"
    scores_errors = False

    @classmethod
    def bounds(cls, spread: OutputSpread) -> Bounds:
        """All probabilities lie from 0 to 1."""
        del spread
        return Bounds(0.0, 1.0, PROBA_TOLERANCE)

    @classmethod
    def default_tolerance(cls, low: float, high: float) -> float:
        """A tenth, whatever the outputs are."""
        del low, high
        return PROBA_TOLERANCE

    @property
    def plural(self) -> str:
        """What several outputs are."""
        return self.what.replace("probability", "probabilities", 1)

    def losses(
        self, errors: Sequence[NDArray[np.float64]], truth: NDArray[np.float64]
    ) -> dict[str, NDArray[np.float64]]:
        """Absolute and squared errors, and the log loss, of both models.

        A probability of 0 or 1 is moved by the precision of a float, as scikit-learn does.
        """
        least = np.finfo(float).eps
        of_truth = np.clip(1 - np.abs(np.stack(errors)), least, 1.0)
        return {**super().losses(errors, truth), "log loss": -np.log(of_truth)}

    @property
    def within(self) -> None:
        """None: a model is right if it gives more than 0.5 to the true class."""


def plan_probabilities(case: ComparisonInput) -> NumberPlan:
    """Compare outputs as probabilities of one class."""
    outputs, output_options, truth = case.model_outputs, case.output_options, case.truth
    positive = PositiveClass.of(outputs, output_options.pos_label)
    convert = positive.reader()
    actual = None
    if truth is not None:
        positive = positive.named_by(truth)
        actual = partial(actual_flags, positive=positive.flags(truth))
    what = positive.what(output_options.class_names)
    return NumberPlan(ProbabilityOutputs, what, convert, actual, _is_on_the_side, check_flags)


def _is_on_the_side(
    values: NDArray[np.float64], actual: NDArray[np.float64], is_apart: IsApart
) -> NDArray[np.bool_]:
    """Whether more than 0.5 was given to the true class."""
    del is_apart
    return np.asarray(decided(values) == actual)


def actual_flags(truth: NDArray[Any], positive: Mapping[Hashable, bool]) -> NDArray[np.float64]:
    """1 where the label of the truth is positive, 0 where it is not, NaN where it is missing."""
    factors = factorize(truth, "y")
    flags = np.array([*(positive[label] for label in factors.labels), False])
    return np.where(factors.places == MISSING, np.nan, flags[factors.places])


def decided(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 where a class has more than 0.5, as a binary classifier decides, else 0."""
    return np.where(probability > 0.5, 1.0, 0.0)


@dataclass(frozen=True, eq=False)
class PositiveClass:
    """The class whose probability is compared."""

    #: None if the class is unnamed.
    label: Hashable
    #: The classes that the models know, sorted: columns without names are in that order, which is
    #: scikit-learn's. None if no model names its classes.
    known: tuple[Hashable, ...] | None

    @classmethod
    def of(cls, outputs: Sequence[ModelOutput], wished: Any) -> PositiveClass:
        """The class that the user wished, or the second of two that the models know."""
        known = next((sort_labels(one.classes) for one in outputs if one.classes is not None), None)
        return cls(_positive(outputs, wished), known)

    def reader(self) -> Callable[[ModelOutput], NDArray[np.float64]]:
        """Callable from what a model gave to its probability of the class."""
        return partial(_probability, label=self.label, known=self.known)

    def named_by(self, truth: NDArray[Any]) -> PositiveClass:
        """The class with the name that the truth gives it, where the models name none."""
        return self if self.label is not None else replace(self, label=_positive_of_truth(truth))

    def what(self, names: Any) -> str:
        """What an output is: "probability of yes"."""
        return probability_of(_class_name(self.label, self.known, names))

    def flags(self, truth: NDArray[Any]) -> dict[Hashable, bool]:
        """Whether each label of the truth is the class."""
        labels = factorize(truth, "y").labels
        return dict(zip(labels, _true_flags(labels, self.label, self.known), strict=True))


def probability_of(name: str | None) -> str:
    """Return what the probability of a class is: "probability of yes"; None: it has no name."""
    if name is None:
        return "probability"
    if name.replace(".", "").isdigit():
        return f"probability of class {name}"  # "of 1" would be a certainty
    return f"probability of {name}"


def check_flags(outputs: Sequence[ModelOutput], only_flags: Sequence[bool]) -> None:
    """Raise InputError if two models give labels; warn of 0 and 1 that are perhaps labels.

    ``only_flags``: whether each model gives 0 and 1 only. ``predict_proba`` may do so, and so may
    an array with a column for each class.
    """
    marked = list(zip(outputs, only_flags, strict=True))
    flat = [
        own
        for own, is_flag in marked
        if is_flag and own.values.ndim == 1 and own.source != "predict_proba"
    ]
    others = [own for own, is_flag in marked if not is_flag]
    labels = [own for own in flat if own.source == "predict"]
    if len(labels) > 1:
        raise InputError(
            Argument(labels[0].argument),
            " and ",
            Argument(labels[1].argument),
            " give only 0 and 1 and have no predict_proba: these are labels, not probabilities. "
            "Compare classes with ",
            Setting("outputs", "class"),
            InPython(
                ", or pass functions that return probabilities, for example "
                f"{labels[0].argument}=lambda X: model.predict_proba(X)[:, 1]"
            ),
            ".",
        )
    if flat and others:
        warn(
            Argument(flat[0].argument),
            " gives only 0 and 1, ",
            Argument(others[0].argument),
            " probabilities: few of them will be within the tolerance of each other. To compare "
            "classes use ",
            Setting("outputs", "class"),
            "; to count which model is right, ",
            InPython("pass the truth as ", "name the column of the truth with "),
            Argument("y"),
            ".",
        )
    elif len(flat) == len(outputs):
        warn(
            f"{'both' if len(outputs) == 2 else 'all'} models give only 0 and 1, which are "
            "compared as probabilities. If they are labels, use ",
            Setting("outputs", "class"),
            ".",
        )


def _true_flags(
    labels: tuple[Hashable, ...], label: Hashable, known: tuple[Hashable, ...] | None
) -> list[bool]:
    """Which labels of the truth are the class whose probability is compared."""
    if known is None:  # unnamed classes: y may name this one, or hold 1 for it
        wanted = label if label in labels else 1
        if labels and wanted not in labels and not set(labels) <= {0, 1}:
            raise InputError(
                Argument("y"),
                " holds [",
                Quoted(*labels[:3]),
                "], but probabilities of ",
                Quoted(label),
                " are compared: name their class with ",
                Argument("pos_label"),
                ", or give ",
                Argument("y"),
                " as 0 and 1.",
            )
        return [value == wanted for value in labels]
    flags = set(labels) <= {0, 1} and not set(labels) & set(known)
    spelled = {str(value).casefold() for value in known} & {str(v) for v in labels}
    if flags and not spelled:
        return [value == 1 for value in labels]
    classes = Factors(np.arange(len(known)), known)
    truth = Factors(np.arange(len(labels)), labels)
    same, own = matched([classes, truth], ["the models", "y"])
    positive = same.labels[known.index(label)] if label in known else label
    return [value == positive for value in own.labels]


def _positive(outputs: Sequence[ModelOutput], wished: Any) -> Hashable:
    """The class whose probability is compared; None if it is unnamed."""
    for one in outputs:
        if one.classes is None or wished is None:
            continue
        if wished not in one.classes:
            raise InputError(
                Given("pos_label", wished),
                " is not a class of ",
                Argument(one.argument),
                ", which has [",
                Quoted(*one.classes[:20]),
                f"]. Choose one that {'both' if len(outputs) == 2 else 'all'} models know.",
            )
    if wished is not None:
        return wished  # type: ignore[no-any-return]
    columns = max(one.values.shape[1] if one.values.ndim == 2 else 1 for one in outputs)
    named = [(one.argument, one.classes) for one in outputs if one.classes is not None]
    known = [classes for _, classes in named]
    if columns > 2 or any(len(own) > 2 for own in known):
        own = known[0] if known else tuple(range(columns))
        raise InputError(
            f"the models have {max(columns, len(own))} classes. Choose the one whose probability "
            "is compared: ",
            Setting("pos_label", ...),
            " one of [",
            Quoted(*own[:20]),
            "]. To compare the most likely class, use ",
            Setting("outputs", "class"),
            ".",
        )
    other = next((own for own in named if set(own[1]) != set(known[0])), None)
    if other is not None:
        raise InputError(
            Argument(named[0][0]),
            " knows the classes [",
            Quoted(*known[0]),
            "], ",
            Argument(other[0]),
            " [",
            Quoted(*other[1]),
            "]: choose the class whose probability is compared, ",
            Setting("pos_label", ...),
            " one that both know.",
        )
    return sort_labels(known[0])[-1] if known else None


def _positive_of_truth(truth: NDArray[Any]) -> Hashable:
    """The class that the truth gives a name, where the models name none; None where it is 1."""
    labels = sort_labels(factorize(truth, "y").labels)
    if set(labels) <= {0, 1}:
        return None
    if len(labels) != 2:
        numbers = all(isinstance(label, int | float) for label in labels)
        raise InputError(
            Argument("y"),
            " holds [",
            Quoted(*labels[:5]),
            "], and the models give the probability of an unnamed class: name it with ",
            Argument("pos_label"),
            ", for example ",
            Given("pos_label", labels[-1]),
            ", or give ",
            Argument("y"),
            " as 0 and 1",
            Message("; to compare numbers as such, use ", Setting("outputs", "value"))
            if numbers
            else "",
            ".",
        )
    warn(
        "the models give probabilities without the name of their class, and ",
        Argument("y"),
        " holds ",
        Quoted(labels[0]),
        " and ",
        Quoted(labels[1]),
        ": they are taken for probabilities of ",
        Quoted(labels[1]),
        ". ",
        Argument("pos_label"),
        " chooses the class without a warning.",
    )
    return labels[1]


def _probability(
    output: ModelOutput, label: Hashable, known: tuple[Hashable, ...] | None
) -> NDArray[np.float64]:
    """The probability of one class from what a model gave, checked."""
    values = _flat_numbers(output)
    outside = (values < -1e-6) | (values > 1 + 1e-6)
    if outside.any():
        raise InputError(
            Argument(output.argument),
            f" gave {float(values[outside][0])!r}, which is not a probability: numbers from 0 to 1 "
            "are needed. Are these scores or logits? Then apply a sigmoid or softmax first, or "
            "compare them as they are with ",
            Setting("outputs", "value"),
            ".",
        )
    if values.ndim == 1:
        return np.clip(values, 0, 1)
    off = np.abs(values.sum(axis=1) - 1) > 1e-3
    if off.any():
        row = int(off.argmax())
        raise InputError(
            Argument(output.argument),
            f" gave probabilities that do not sum to one: {float(values[row].sum()):.4g} at ",
            Row(row),
            ". Every row needs one probability a class; for several labels at once compare one at "
            "a time",
            InPython(f", for example {output.argument}=lambda X: model.predict_proba(X)[:, 0]"),
            ".",
        )
    return np.clip(values[:, _column(output, label, known, values.shape[1])], 0, 1)


def _column(
    output: ModelOutput, label: Hashable, known: tuple[Hashable, ...] | None, n_columns: int
) -> int:
    """Which column is the one of the class."""
    for classes in (output.classes, known):
        if classes is not None and len(classes) == n_columns and label in classes:
            return classes.index(label)
    if label is None:
        return n_columns - 1
    whole = isinstance(label, int) and not isinstance(label, bool)
    if known is None and whole and 0 <= label < n_columns:  # type: ignore[operator]
        return int(label)  # type: ignore[call-overload, no-any-return]
    raise InputError(
        Argument(output.argument),
        f" gave {n_columns} columns of probabilities without the names of their classes, so the "
        "one of ",
        Quoted(label),
        " cannot be found: give ",
        Argument("pos_label"),
        f" as the number of the column, from 0 to {n_columns - 1}, or pass a function "
        "that gives that column.",
    )


def _flat_numbers(output: ModelOutput) -> NDArray[np.float64]:
    values = output.values
    if values.ndim == 1:
        return numbers(values, output.argument)
    missing = np.asarray(pd.isna(values))
    check_complete(np.asarray(missing.any(axis=1)), output.argument)
    flat = numbers(values.ravel(), output.argument)
    return flat.reshape(values.shape)


def _class_name(label: Hashable, known: tuple[Hashable, ...] | None, names: Any) -> str | None:
    if label is None:
        return None
    if names is None or isinstance(names, Mapping):
        return str((names or {}).get(label, label))
    if known is None or label not in known:
        raise InputError(
            Argument("class_names"),
            " as a list needs models with `classes_`; give a dict from label to name.",
        )
    return class_names(known, names)[known.index(label)]


def _check_options(options: OutputOptions) -> None:
    """Raise InputError if no two probabilities could differ."""
    tolerance = options.tolerance
    if isinstance(tolerance, RelativeTolerance):
        raise InputError(
            Given("tolerance", str(tolerance)),
            ": probabilities are compared by their distance, such as 0.1; a share of the larger "
            "one is for values: ",
            Setting("outputs", "value"),
            ".",
        )
    if tolerance is not None and tolerance >= 1:
        raise InputError(
            Given("tolerance", tolerance),
            ": two probabilities are never more than 1 apart, so none "
            "would differ. Take a number below 1, for example 0.1.",
        )


PROBABILITIES = OutputSpec(
    kind=ProbabilityOutputs.kind,
    claims=look_like_probabilities,
    read=partial(read_numbers, plan_probabilities),
    plan=plan_probabilities,
    from_plain=partial(from_json, ProbabilityOutputs),
    channels_from_plain=number_channels_from_plain,
    check_options=_check_options,
)
