"""From what two models said to outputs that can be compared, and to what is counted of them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Number
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.errors import InputError, warn
from imd_widget.inputs import Said
from imd_widget.labels import (
    MISSING,
    Factors,
    class_names,
    factorize,
    joined,
    matched,
    sort_labels,
)
from imd_widget.outputs import ClassOutputs, OutputKind, Outputs, ValueOutputs
from imd_widget.tree.observations import Observations
from imd_widget.tree.target import ClassTarget, ValueTarget
from imd_widget.truth import who_is_right
from imd_widget.weights import Weights

#: More distinct floats than this are values, not classes.
MAX_FLOAT_CLASSES = 100
#: And more distinct labels of any kind cannot be classes.
MAX_CLASSES = 1000
#: Values are this part of the spread of both models' outputs apart, or they count as the same.
SPREAD_SHARE = 0.1
#: The same for probabilities, as such.
PROBA_TOLERANCE = 0.1
#: Values may be squared, so they must not be larger than this.
LARGEST_VALUE = 1e100
#: Outputs further than this many times the usual spread from it count as if they were just there.
FAR = 2

#: Steps in which the average weight of a row is told, where outputs are added up by weight.
COARSE_STEPS = 1024

#: Of numbers: the same, model 2 says more, model 2 says less.
DIRECTIONS = np.array([[0, 0], [0, 1], [1, 0]])


@dataclass(frozen=True)
class Wish:
    """How the user wants outputs to be compared; see `imd_widget.diff`."""

    outputs: Literal["auto", "class", "proba", "value"] = "auto"
    tolerance: float | None = None
    pos_label: Any = None
    class_names: Mapping[Any, str] | Sequence[str] | None = field(default=None, hash=False)


@dataclass(frozen=True, eq=False)
class Answers:
    """What both models said about every row.

    Attributes
    ----------
    outputs : ClassOutputs or ValueOutputs
        What they speak of.
    observations : Observations
        What is counted of each row.
    pairs : ndarray of shape (n_pairs, 2)
        The outcome pairs that occur: indices into the labels; of numbers `DIRECTIONS`.
    usable : ndarray of shape (n_rows,)
        False for new rows of which a model says something that it says of no other row.
    """

    outputs: Outputs
    observations: Observations
    pairs: NDArray[np.int64]
    usable: NDArray[np.bool_]


def read_answers(
    said: tuple[Said, Said],
    truth: NDArray[Any] | None,
    wish: Wish,
    weights: Weights | None,
    counting: NDArray[np.bool_],
) -> Answers:
    """Outputs of two models, and the truth where it is known, made comparable.

    ``counting`` are the rows that decide what there is to compare.
    """
    kind = _kind(said, wish)
    if kind == "class":
        if wish.tolerance is not None:
            raise InputError(
                f"tolerance={wish.tolerance!r} has no meaning for classes, which are the same or "
                'not. Leave it out, or compare numbers: outputs="proba" or outputs="value".'
            )
        return _classes(said, truth, wish, weights, counting)
    if kind == "proba":
        return _probabilities(said, truth, wish, weights, counting)
    if wish.class_names is not None:
        raise InputError("class_names has no meaning for values, which are shown as numbers.")
    values = tuple(_numbers(one.values, one.argument) for one in said)
    outputs = _value_outputs("value", "value", values, wish.tolerance, counting)
    if truth is None:
        return _values(outputs, values, None, weights)
    # right is who is within the tolerance of the truth
    actual = _numbers(truth, "y", may_miss=True)
    return _values(outputs, values, _Truth.of(values, actual, outputs.tolerance), weights)


def _kind(said: tuple[Said, Said], wish: Wish) -> OutputKind:
    """What to compare: as wished, else what the outputs look like."""
    if wish.outputs != "auto":
        return wish.outputs
    looks = [_looks_like_values(one) for one in said]
    if not any(looks):
        return "class"
    other = said[looks.index(True) - 1]
    if not _is_numeric(other.values):
        numbers, texts = said[looks.index(True)], other
        raise InputError(
            f"{numbers.argument} gives numbers such as {_example(numbers.values)}, "
            f"{texts.argument} gives {_example(texts.values)}: values and classes cannot be "
            "compared. Give both the same kind of output, for example by a function that bins the "
            f"numbers: {numbers.argument}=lambda X: np.where(model.predict(X) > 0.5, 'yes', 'no')."
        )
    _check_both_values(said)
    return "value"


def _check_both_values(said: tuple[Said, Said]) -> None:
    """Numbers that are labels of one and values of the other are a slip, mostly."""
    for one, other in (said, said[::-1]):
        if _are_labels(one) and _are_probabilities(other.values):
            raise InputError(
                f"{one.argument} gives the labels {_example(one.values)}, {other.argument} numbers "
                f"such as {_example(other.values)}, as a probability is: nearly every row would "
                f"differ. Give labels of both, {other.argument}=lambda X: model.predict(X) > 0.5; "
                'or probabilities of both with outputs="proba"; or say that numbers are meant with '
                'outputs="value".'
            )
        if one.classifier and other.regressor:
            raise InputError(
                f"{one.argument} is a classifier and {other.argument} a regressor: labels and "
                'values cannot be compared. Bin the values with a function, or say outputs="value" '
                "if the labels are numbers on the same scale."
            )


def _are_labels(said: Said) -> bool:
    if said.regressor:
        return False
    distinct = set(np.unique(said.values.astype(float)).tolist())
    return said.classifier or distinct <= {0.0, 1.0}


def _are_probabilities(values: NDArray[Any]) -> bool:
    numbers = values.astype(float)
    inside = ((numbers >= 0) & (numbers <= 1)).all()
    return bool(inside and (numbers != np.rint(numbers)).any())


def _looks_like_values(said: Said) -> bool:
    values = said.values
    if not _is_numeric(values):
        return False
    if said.regressor:
        return True
    if values.dtype.kind in "iub":
        return len(np.unique(values)) > MAX_CLASSES
    numbers = values.astype(float)
    distinct = np.unique(numbers[np.isfinite(numbers)])
    return len(distinct) > MAX_FLOAT_CLASSES or bool((distinct != np.rint(distinct)).any())


def _is_numeric(values: NDArray[Any]) -> bool:
    if values.dtype.kind in "iubf":
        return True
    return values.dtype == object and all(
        isinstance(value, Number | np.bool_) and not isinstance(value, complex) for value in values
    )


# --- classes --------------------------------------------------------------------------------------


def _classes(
    said: tuple[Said, Said],
    truth: NDArray[Any] | None,
    wish: Wish,
    weights: Weights | None,
    counting: NDArray[np.bool_],
) -> Answers:
    if wish.pos_label is not None:
        raise InputError(
            f"pos_label={wish.pos_label!r} says whose probability is compared, which needs "
            'outputs="proba".'
        )
    factors = [_labels_of(one) for one in said]
    names = [one.argument for one in said]
    if truth is not None:
        factors.append(factorize(truth, "y"))
        names.append("y")
    factors = matched(factors, names)
    labels, (first, second, *_), usable = _known_labels(factors[:2], said)
    if len(labels) > MAX_CLASSES:
        raise InputError(
            f"the two models give {len(labels)} distinct labels, as a regression does. At most "
            f"{MAX_CLASSES} classes can be compared: pass functions that bin the outputs, or "
            'compare them as numbers with outputs="value".'
        )
    del counting
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
        ClassTarget(weighted, n),
        outcome=(first != second).astype(np.uint8),
        pair=place[joint],
        pair_outcome=(pairs[:, 0] != pairs[:, 1]).astype(np.uint8),
        labels=(first.astype(np.uint16), second.astype(np.uint16)),
        pair_labels=pairs,
        weight=weights.whole if weights else None,
        right=right,
    )
    outputs = ClassOutputs(labels, class_names(labels, wish.class_names))
    return Answers(outputs, observations, pairs, usable)


def _known_labels(
    factors: Sequence[Factors], said: tuple[Said, Said]
) -> tuple[tuple[Hashable, ...], list[NDArray[np.intp]], NDArray[np.bool_]]:
    """Labels of rows that are the user's own; new rows of other labels cannot be used."""
    labels, places = joined(factors)
    n_own = said[0].n_own
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


def _labels_of(said: Said) -> Factors:
    found = factorize(said.values, said.argument)
    _check_complete(found.places == MISSING, said.argument)
    if not found.labels:
        raise InputError(f"{said.argument} gave no output at all.")
    wild = [x for x in found.labels if isinstance(x, float) and math.isinf(x)]
    if wild:
        raise InputError(
            f"{said.argument} gave {wild[0]!r} as a label. Classes are anything hashable but "
            "infinite numbers."
        )
    return found


def _check_truth(truth: Factors, labels: tuple[Hashable, ...]) -> None:
    if truth.labels and not set(truth.labels) & set(labels):
        warn(
            f"y holds {list(truth.labels)[:3]!r}, the models give {list(labels)[:3]!r}: they have "
            "no label in common, so no model is ever right. Is y in the labels of the models?"
        )


def _check_complete(missing: NDArray[np.bool_], argument: str) -> None:
    if missing.any():
        raise InputError(
            f"{argument} gave no output for {int(missing.sum())} of {len(missing)} rows (the first "
            f"is row {int(missing.argmax())}). Every row needs one: leave those rows out of X, or "
            "give them a label of their own such as 'no answer'."
        )


# --- numbers --------------------------------------------------------------------------------------


def _numbers(output: NDArray[Any], argument: str, may_miss: bool = False) -> NDArray[np.float64]:
    """Finite floats."""
    try:
        if output.dtype.kind in "mM":
            raise TypeError("moments and durations")
        if output.dtype.kind in "OUST":
            if any(isinstance(v, str | bytes) for v in output):
                raise TypeError("text")
            output = np.where(pd.isna(output), np.nan, output)
        values = output.astype(float)
    except (TypeError, ValueError) as error:
        if argument == "y":
            raise InputError(
                f"y holds {_example(output)}, and the models give numbers: the truth must be "
                "numbers too, for example y.astype(float)."
            ) from error
        raise InputError(
            f'{argument} gave {_example(output)}, which are no numbers. Use outputs="class", or '
            "give numbers (of moments and durations for example the days)."
        ) from error
    missing = np.isnan(values)
    if not may_miss:
        _check_complete(missing, argument)
    wild = ~missing & ~(np.abs(values) <= LARGEST_VALUE)
    if wild.any():
        raise InputError(
            f"{argument} gave {float(values[wild][0])!r} at row {int(wild.argmax())}. Finite "
            f"numbers are needed (up to {LARGEST_VALUE:g}): clip them, or leave those rows out."
        )
    return values


def _value_outputs(
    kind: Literal["value", "proba"],
    what: str,
    values: Sequence[NDArray[np.float64]],
    tolerance: float | None,
    counting: NDArray[np.bool_],
) -> ValueOutputs:
    pooled = np.concatenate([one[counting] for one in values])
    if kind == "proba":
        low, high, default = 0.0, 1.0, PROBA_TOLERANCE
    else:
        low, high = _ends(pooled, 0.01)
        usual = _ends(pooled, 0.05)
        default = two_digits(SPREAD_SHARE * (usual[1] - usual[0]))
    return ValueOutputs(
        kind=kind,
        what=what,
        tolerance=default if tolerance is None else float(tolerance),
        low=low,
        high=high,
        middle=(low + high) / 2,
        spread=(high - low) or 1.0,
    )


def is_above(apart: NDArray[np.float64], tolerance: float) -> NDArray[np.bool_]:
    """Whether distances are above the tolerance, and not only because 0.4 - 0.3 is above 0.1."""
    return np.asarray(apart > tolerance * (1 + 1e-9))


def _ends(pooled: NDArray[np.float64], tail: float) -> tuple[float, float]:
    """Between these lie all but the tails; all of them, if that were a single point."""
    low, high = np.quantile(pooled, (tail, 1 - tail), method="nearest").tolist()
    return (low, high) if low < high else (float(pooled.min()), float(pooled.max()))


def two_digits(value: float) -> float:
    """A number rounded to two digits: what is shown is what is used."""
    return float(f"{value:.2g}")


def _values(
    outputs: ValueOutputs,
    values: Sequence[NDArray[np.float64]],
    truth: _Truth | None,
    weights: Weights | None,
) -> Answers:
    first, second = values
    outcome = np.zeros(len(first), dtype=np.uint8)
    outcome[is_above(second - first, outputs.tolerance)] = 1
    outcome[is_above(first - second, outputs.tolerance)] = 2
    coarse, scale, total = None, 1.0, float(len(first))
    if weights is not None:
        coarse = _coarse(weights.whole)
        total = float(coarse.sum())
        scale = float(weights.whole.sum()) / total
    unit = _unit(outputs, total)
    whole = [_whole(one, outputs, unit) for one in values]
    numbers = [number for one in whole for number in (one, one * one)]
    if coarse is not None:
        numbers = [coarse, *(coarse * number for number in numbers)]
    target = ValueTarget(
        weights is not None,
        slack=(outputs.slack / unit) ** 2,
        variances=(_variance(whole[0], coarse), _variance(whole[1], coarse)),
        weight_scale=scale,
    )
    observations = Observations(
        target,
        outcome=outcome,
        pair=outcome,
        pair_outcome=np.arange(3, dtype=np.uint8),
        numbers=tuple(numbers),
        values=(
            (first - outputs.middle) / outputs.spread,
            (second - outputs.middle) / outputs.spread,
        ),
        weight=weights.whole if weights else None,
        right=truth.right if truth else None,
        errors=truth.errors if truth else None,
    )
    return Answers(outputs, observations, DIRECTIONS, np.ones(len(first), dtype=bool))


def _variance(values: NDArray[np.float64], weight: NDArray[np.float64] | None) -> float:
    mean = np.average(values, weights=weight)
    return float(np.average((values - mean) ** 2, weights=weight))


def _coarse(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights as whole numbers so small that sums of squares by them stay exact."""
    total, most = float(weight.sum()), len(weight) * COARSE_STEPS
    if total <= most:
        return weight
    return np.where(weight > 0, np.maximum(np.rint(weight * (most / total)), 1), 0)


def _unit(outputs: ValueOutputs, weight: float) -> float:
    """The step in which values are counted: as fine as sums of squares stay exact."""
    bits = (52 - math.ceil(math.log2(max(weight, 2)))) // 2
    reach = (FAR + 0.5) * (outputs.high - outputs.low)
    return reach / 2.0 ** min(bits, 20) if reach > 0 else 1.0


def _whole(values: NDArray[np.float64], outputs: ValueOutputs, unit: float) -> NDArray[np.float64]:
    """Values as whole steps from the middle. A few wild ones must not hide all the others."""
    reach = (FAR + 0.5) * (outputs.high - outputs.low)
    near = np.clip(values - outputs.middle, -reach, reach)
    return np.asarray(np.rint(near / unit))


@dataclass(frozen=True, eq=False)
class _Truth:
    """Who is right about numbers, and how far off either model is."""

    right: NDArray[np.uint8]
    errors: tuple[NDArray[np.float64], NDArray[np.float64]]

    @classmethod
    def of(
        cls, values: Sequence[NDArray[np.float64]], actual: NDArray[np.float64], tolerance: float
    ) -> _Truth:
        known = ~np.isnan(actual)
        first, second = (np.where(known, np.abs(one - actual), 0) for one in values)
        near = [~is_above(one, tolerance) for one in (first, second)]
        right = who_is_right(near[0], near[1], known)
        return cls(right, (first, second))


# --- probabilities --------------------------------------------------------------------------------


def _probabilities(
    said: tuple[Said, Said],
    truth: NDArray[Any] | None,
    wish: Wish,
    weights: Weights | None,
    counting: NDArray[np.bool_],
) -> Answers:
    label = _positive(said, wish.pos_label)
    # columns without names are in the order that scikit-learn gives them: sorted by class
    known = next((sort_labels(one.classes) for one in said if one.classes is not None), None)
    values = tuple(_probability(one, label, known) for one in said)
    name = _class_name(label, known, wish.class_names)
    what = "probability" if name is None else f"probability of {name}"
    outputs = _value_outputs("proba", what, values, wish.tolerance, counting)
    if truth is None:
        return _values(outputs, values, None, weights)
    factors = factorize(truth, "y")
    actual = np.where(
        factors.places == MISSING, np.nan, _true_places(factors, label, known)[factors.places]
    )
    # right is who gives more than half to what it is, as a classifier of two classes decides
    sides = [np.where(one > 0.5, 1.0, 0.0) for one in values]
    right = _Truth.of(sides, actual, 0.0).right
    return _values(outputs, values, replace(_Truth.of(values, actual, 0.5), right=right), weights)


def _true_places(
    truth: Factors, label: Hashable, known: tuple[Hashable, ...] | None
) -> NDArray[np.bool_]:
    """Which labels of the truth are the class whose probability is compared."""
    if known is None:  # nobody named the classes: y may name this one, or say 1 for it
        wanted = label if label in truth.labels else 1
        if truth.labels and wanted not in truth.labels and not set(truth.labels) <= {0, 1}:
            raise InputError(
                f"y holds {list(truth.labels)[:3]!r}, but probabilities of {label!r} are compared: "
                "say which class they are of with pos_label, or give y as 0 and 1."
            )
        return np.array([*(value == wanted for value in truth.labels), False])
    flags = set(truth.labels) <= {0, 1} and not set(truth.labels) & set(known)
    spelled = {str(value).casefold() for value in known} & {str(v) for v in truth.labels}
    if flags and not spelled:
        return np.array([*(value == 1 for value in truth.labels), False])
    classes = Factors(np.arange(len(known)), known)
    same, own = matched([classes, truth], ["the models", "y"])
    positive = same.labels[known.index(label)] if label in known else label
    return np.array([*(value == positive for value in own.labels), False])


def _positive(said: tuple[Said, Said], wished: Any) -> Hashable:
    """The class whose probability is compared; None where nobody knows its name."""
    classes = [one.classes for one in said]
    for one in said:
        if one.classes is None or wished is None:
            continue
        if wished not in one.classes:
            raise InputError(
                f"pos_label={wished!r} is no class of {one.argument}, which has "
                f"{list(one.classes)[:20]!r}. Choose one that both models know."
            )
    if wished is not None:
        return wished  # type: ignore[no-any-return]
    columns = max(one.values.shape[1] if one.values.ndim == 2 else 1 for one in said)
    known = [own for own in classes if own is not None]
    if columns > 2 or any(len(own) > 2 for own in known):
        own = known[0] if known else tuple(range(columns))
        raise InputError(
            f"the models tell {max(columns, len(own))} classes apart: say whose probability to "
            f"compare, pos_label=... one of {list(own)[:20]!r}. To compare the most likely "
            'class, use outputs="class".'
        )
    if len(known) == 2 and set(known[0]) != set(known[1]):
        raise InputError(
            f"m1 knows the classes {list(known[0])!r}, m2 {list(known[1])!r}: say whose "
            "probability to compare, pos_label=... one that both know."
        )
    return sort_labels(known[0])[-1] if known else None


def _probability(
    said: Said, label: Hashable, known: tuple[Hashable, ...] | None
) -> NDArray[np.float64]:
    """The probability of one class from what a model gave, checked."""
    values = _flat_numbers(said)
    outside = (values < -1e-6) | (values > 1 + 1e-6)
    if outside.any():
        raise InputError(
            f"{said.argument} gave {float(values[outside][0])!r}, which is no probability: numbers "
            "from 0 to 1 are needed. Are these scores or logits? Then apply a sigmoid or softmax "
            'first, or compare them as they are with outputs="value".'
        )
    if values.ndim == 1:
        return np.clip(values, 0, 1)
    off = np.abs(values.sum(axis=1) - 1) > 1e-3
    if off.any():
        row = int(off.argmax())
        raise InputError(
            f"{said.argument} gave probabilities that do not sum to one: "
            f"{float(values[row].sum()):.4g} at row {row}. Every row needs one probability a "
            "class; for several labels at once compare one at a time, for example "
            f"{said.argument}=lambda X: model.predict_proba(X)[:, 0]."
        )
    return np.clip(values[:, _column(said, label, known, values.shape[1])], 0, 1)


def _column(said: Said, label: Hashable, known: tuple[Hashable, ...] | None, n_columns: int) -> int:
    """Which column is the one of the class."""
    for classes in (said.classes, known):
        if classes is not None and len(classes) == n_columns and label in classes:
            return classes.index(label)
    if label is None:
        return n_columns - 1
    whole = isinstance(label, int) and not isinstance(label, bool)
    if known is None and whole and 0 <= label < n_columns:  # type: ignore[operator]
        return int(label)  # type: ignore[call-overload, no-any-return]
    raise InputError(
        f"{said.argument} gave {n_columns} columns of probabilities without the names of their "
        f"classes, so the one of {label!r} cannot be found: give pos_label as the number of the "
        f"column, from 0 to {n_columns - 1}, or pass a function that gives that column."
    )


def _flat_numbers(said: Said) -> NDArray[np.float64]:
    values = said.values
    if values.ndim == 1:
        return _numbers(values, said.argument)
    flat = _numbers(values.ravel(), said.argument)
    return flat.reshape(values.shape)


def _class_name(label: Hashable, known: tuple[Hashable, ...] | None, names: Any) -> str | None:
    if label is None:
        return None
    if names is None or isinstance(names, Mapping):
        return str((names or {}).get(label, label))
    if known is None or label not in known:
        raise InputError(
            "class_names as a list needs models that say which classes they know; give a dict from "
            "label to name."
        )
    return class_names(known, names)[known.index(label)]


def _example(values: NDArray[Any]) -> str:
    distinct = list(dict.fromkeys(str(value) for value in values[:100].tolist()))[:3]
    if values.dtype.kind in "OUS" and not _is_numeric(values[:100]):
        return ", ".join(repr(value) for value in distinct)
    return ", ".join(distinct)
