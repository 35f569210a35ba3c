"""Class labels of any hashable kind, and when two of them are the same.

Two labels are the same if they are equal in Python: ``1``, ``1.0``, ``True`` and NumPy's
and pandas' forms of them. Text is never equal to a number. Where one side has text alone and
the other in numbers or booleans alone, a label and its spelling are the same ("1" and ``1``,
"true" and ``True``), with a warning.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, InPython, Message, Quoted, warn
from imd_widget._base.sorting import sort_labels
from imd_widget._base.spelling import spelling_of
from imd_widget._base.validation import is_several
from imd_widget.outputs.whole_numbers import factorize_close

#: Place of an output that is missing.
MISSING = -1


@dataclass(frozen=True, eq=False)
class Factors:
    """Outputs as places in a list of distinct labels."""

    #: `MISSING` where there is no output.
    places: NDArray[np.intp]
    #: Python's own values, in no order.
    labels: tuple[Hashable, ...]

    @property
    def n_missing(self) -> int:
        """Rows without an output."""
        return int((self.places == MISSING).sum())


def factorize(output: NDArray[Any], argument: str) -> Factors:
    """The distinct labels of an output, and where they stand."""
    if output.dtype.kind == "c" or any(isinstance(value, complex) for value in output[:1]):
        raise InputError(
            Argument(argument),
            f" gave complex numbers, for example {output[0]!r}. Classes are text, whole "
            "numbers, booleans or anything else that is hashable; give the real part, or text.",
        )
    try:
        close = factorize_close(output)
        places, distinct = close or pd.factorize(_without_dates(output), use_na_sentinel=True)
        values = [_plain(value) for value in distinct]
        number = {value: at for at, value in enumerate(dict.fromkeys(values))}
        order = np.array([number[value] for value in values] + [MISSING], dtype=np.intp)
    except TypeError as error:
        example = next((v for v in output if not _is_hashable(v)), output[0])
        raise InputError(
            Argument(argument),
            " gave labels that cannot be compared, for example ",
            Quoted(example),
            f", a {type(example).__name__}. A label is text, a number, a boolean or anything else "
            "that is hashable; turn it into text if in doubt: [str(label) for label in outputs].",
        ) from error
    # whole numbers are distinct, and none of them is missing
    return Factors(places if close else order[places], tuple(number))


def joined(factors: Sequence[Factors]) -> tuple[tuple[Hashable, ...], list[NDArray[np.intp]]]:
    """The labels of all of them, sorted, and the outputs of each as places in that list."""
    shown: dict[Hashable, Hashable] = {}
    for label in (label for factor in factors for label in factor.labels):
        # of equal labels of several types the whole number is shown
        if label not in shown or (type(label) is int and type(shown[label]) is not int):
            shown[label] = label
    labels = sort_labels(shown.values())
    number = {label: at for at, label in enumerate(labels)}
    places = [
        np.array([number[label] for label in factor.labels] + [MISSING], dtype=np.intp)[
            factor.places
        ]
        for factor in factors
    ]
    return labels, places


def matched(factors: Sequence[Factors], names: Sequence[str], remark: bool = True) -> list[Factors]:
    """The same with text and its spelling made equal, where some have text and some numbers.

    Parameters
    ----------
    factors : sequence of Factors
        Of model 1, of model 2, and perhaps of the truth.
    names : sequence of str
        What to call each of them.
    remark : bool, default=True
        Whether to warn of labels that are taken for the same, or have nothing in common.
    """
    families = [_family(factor) for factor in factors]
    if not mixes_text(factors):
        if remark:
            _remark_on_strangers(factors, names)
        return list(factors)
    spelling = spelling_of([factor.labels for factor in factors])
    shown: dict[str, Hashable] = {}
    for factor, family in zip(factors, families, strict=True):
        if family == "text":  # as the text spells it
            shown |= {spelling(label): label for label in factor.labels}
    for label in (label for factor in factors for label in factor.labels):
        shown.setdefault(spelling(label), label)
    found = [
        replace(factor, labels=tuple(shown[spelling(label)] for label in factor.labels))
        for factor in factors
    ]
    first, other = _odd_pair(families)
    if not set(found[first].labels) & set(found[other].labels):
        raise InputError(
            Argument(names[first]),
            " gives ",
            _examples(factors[first]),
            " and ",
            Argument(names[other]),
            " gives ",
            _examples(factors[other]),
            ": they have no label in common, so ",
            _map_labels(names[other]),
        )
    if not remark:
        return found
    what = {"text": "text", "number": "numbers"}
    warn(
        Argument(names[first]),
        f" gives {what[families[first]]} (",
        _examples(factors[first]),
        "), ",
        Argument(names[other]),
        f" gives {what[families[other]]} (",
        _examples(factors[other]),
        "): labels of the same spelling are taken for the same. To be sure, give both in one type.",
    )
    return found


def mixes_text(factors: Sequence[Factors]) -> bool:
    """Whether some have text alone and all others numbers alone."""
    return {_family(factor) for factor in factors} - {"none"} == {"text", "number"}


def _odd_pair(families: Sequence[str]) -> tuple[int, int]:
    """The first two that differ in that."""
    others = {families[0], "none"}
    return 0, next(at for at, family in enumerate(families) if family not in others)


def _remark_on_strangers(factors: Sequence[Factors], names: Sequence[str]) -> None:
    """Warn if labels of other types have nothing in common."""
    first, second = (set(factor.labels) for factor in factors[:2])
    types = [{type(label) for label in labels} for labels in (first, second)]
    if not first & second and not types[0] & types[1]:
        warn(
            Argument(names[0]),
            " gives ",
            _examples(factors[0]),
            ", ",
            Argument(names[1]),
            " gives ",
            _examples(factors[1]),
            ": they have no label in common, so every row differs. If they mean the same, give "
            "both in one type.",
        )


def class_names(
    labels: tuple[Hashable, ...], given: Mapping[Any, str] | Sequence[str] | None
) -> tuple[str, ...]:
    """How labels are shown: by the user's names where there are any."""
    if given is None:
        names = tuple(str(label) for label in labels)
        if len(set(names)) < len(names):  # such as 1 and "1"
            names = tuple(repr(label) for label in labels)
        return names
    if isinstance(given, Mapping):
        names = tuple(str(given.get(label, label)) for label in labels)
    else:
        names = tuple(str(name) for name in given) if is_several(given) else (str(given),)
        if len(names) != len(labels):
            raise InputError(
                Argument("class_names"),
                f" has {len(names)} entries, the models give {len(labels)} labels: [",
                Quoted(*labels[:20]),
                "]. Give one name for each in that order, or a dict from label to name.",
            )
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise InputError(
            Argument("class_names"),
            f" gives two labels the name {twice!r}. Give each "
            "its own name; to merge two classes, map them in the models.",
        )
    return names


def _plain(value: Any) -> Hashable:
    """Python's own form of a label; a whole number is an int."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, str):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    hash(value)
    return value  # type: ignore[no-any-return]


def _without_dates(output: NDArray[Any]) -> Any:
    """Moments as pandas knows them: NumPy's own lose their type on the way to Python."""
    if output.dtype.kind in "mM":
        return np.array(pd.Series(output).astype(object).tolist() or [], dtype=object)
    return output


def _family(factors: Factors) -> str:
    if not factors.labels:
        return "none"
    if all(isinstance(label, str) for label in factors.labels):
        return "text"
    if all(isinstance(label, bool | int | float) for label in factors.labels):
        return "number"
    return "mixed"


def _map_labels(argument: str) -> Message:
    """What follows from labels that have nothing in common, and what to do about it."""
    if argument == "y":
        return Message(
            "no model could be right. Give ",
            Argument("y"),
            " in the labels of the models",
            InPython(", for example y=np.where(y, 'yes', 'no')"),
            ".",
        )
    return Message(
        "every row would differ. If they mean the same, map one onto the other",
        InPython(", for example m2=lambda X: np.where(model.predict(X), 'yes', 'no')"),
        ".",
    )


def _examples(factors: Factors) -> Message:
    more = ", ..." if len(factors.labels) > 3 else ""
    return Message(Quoted(*sort_labels(factors.labels)[:3]), more)


def _is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
