"""Two models asked once each -> a pair of outputs with shared labels."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.errors import InputError

#: More distinct floats than this are taken for the outputs of a regression.
MAX_NUMERIC_CLASSES = 100
#: And more distinct labels of any kind.
MAX_CLASSES = 1000


@dataclass(frozen=True, eq=False)
class Outputs:
    """What both models say, row by row, as indices into one list of labels.

    Attributes
    ----------
    labels : tuple
        Every output that at least one model gave, sorted.
    class_names : tuple of str
        How a person reads them, same order.
    pairs : ndarray of shape (n_pairs, 2)
        The outcome pairs that occur (label of model 1, label of model 2), sorted.
    pair : ndarray of shape (n_rows,)
        For each row, the index of its outcome pair.
    """

    labels: tuple[Hashable, ...]
    class_names: tuple[str, ...]
    pairs: NDArray[np.int64]
    pair: NDArray[np.uint16]

    def head(self, n_rows: int) -> Outputs:
        """Those of the first rows alone, in the same terms."""
        return replace(self, pair=self.pair[:n_rows])

    @property
    def differing_pairs(self) -> NDArray[np.bool_]:
        """Of each outcome pair: do the two models differ in it?"""
        return np.asarray(self.pairs[:, 0] != self.pairs[:, 1])

    @property
    def differs(self) -> NDArray[np.bool_]:
        """Of each row: do the two models differ on it?"""
        return self.differing_pairs[self.pair]


def outputs_of(
    first: NDArray[Any],
    second: NDArray[Any],
    class_names: Mapping[Any, str] | Sequence[str] | None,
) -> Outputs:
    """What two models said, in terms of labels that they share."""
    if _family(first) != _family(second):
        raise InputError(
            f"the two models speak of different things: m1 gives {_examples(first)}, "
            f"m2 gives {_examples(second)}. Both must give the same kind of label "
            "(all text or all whole numbers); map one onto the other, for example "
            "m2=lambda X: np.where(model.predict(X) == 1, 'yes', 'no')."
        )
    values = np.unique(np.concatenate([pd.unique(first), pd.unique(second)]))
    n_labels = len(values)
    if n_labels > MAX_CLASSES:
        raise InputError(
            f"the two models give {n_labels} distinct labels, as a regression does. At most "
            f"{MAX_CLASSES} classes can be compared: pass functions that bin the outputs."
        )
    joint = _places(first, values) * np.uint32(n_labels) + _places(second, values)
    present = np.flatnonzero(np.bincount(joint, minlength=n_labels**2))
    place = np.zeros(n_labels**2, dtype=np.uint16)
    place[present] = np.arange(len(present))
    labels = tuple(values.tolist())
    return Outputs(
        labels=labels,
        class_names=_class_names(labels, class_names),
        pairs=np.stack([present // n_labels, present % n_labels], axis=1),
        pair=place[joint],
    )


def _places(output: NDArray[Any], values: NDArray[Any]) -> NDArray[np.uint16]:
    """Where in ``values``, which are sorted, each output stands."""
    codes, distinct = pd.factorize(output)
    return np.searchsorted(values, np.asarray(distinct)).astype(np.uint16)[codes]


def can_be_asked(model: Any) -> bool:
    """Whether a model can say something about rows that it was not given."""
    return callable(getattr(model, "predict", model))


def model_names(m1: Any, m2: Any, names: Sequence[str] | None) -> tuple[str, str]:
    """What to call the two models: the user's names, else their classes', told apart."""
    if names is not None:
        several = _is_several(names)
        given = [str(name) for name in names] if several else [str(names)]
        if len(given) != 2:
            raise InputError(
                f"names has {len(given)} entries: {given!r}. It takes two, one for each model: "
                'names=("before", "after").'
            )
        if given[0] == given[1]:
            raise InputError(
                f"both models are called {given[0]!r}: give two different names, otherwise "
                "no sentence about them can be understood."
            )
        return given[0], given[1]
    first, second = _own_name(m1, "model 1"), _own_name(m2, "model 2")
    return (f"{first} 1", f"{second} 2") if first == second else (first, second)


def _is_several(names: Any) -> bool:
    """Whether these are names in an order: one text is a single name, a set has no order."""
    return isinstance(names, Sequence | np.ndarray | pd.Index) and not isinstance(names, str)


def _own_name(model: Any, fallback: str) -> str:
    if isinstance(model, pd.Series):
        return str(model.name) if model.name is not None else fallback
    if hasattr(model, "steps"):  # a pipeline is known by its last step
        return _own_name(model.steps[-1][1], fallback)
    if hasattr(model, "predict"):
        return type(model).__name__
    owner = getattr(model, "__self__", None)
    if hasattr(owner, "predict"):  # a method of a model, such as model.predict itself
        return _own_name(owner, fallback)
    name = getattr(model, "__name__", "<lambda>")
    return name if callable(model) and name != "<lambda>" else fallback


def ask(model: Any, X: Any, n_rows: int, argument: str) -> NDArray[Any]:
    """Labels from one model, checked: shape (n_rows,), whole numbers, booleans or text.

    ``argument`` is what the user knows the model by: "m1" or "m2".
    """
    if isinstance(model, type):
        raise InputError(
            f"{argument} is the class {model.__name__}, not a model made from it. "
            f"Fit one first and pass that: {argument}={model.__name__}().fit(X, y)."
        )
    call = getattr(model, "predict", model)
    if callable(call):
        try:
            given = call(X)
        except Exception as error:
            shape = " x ".join(str(size) for size in getattr(X, "shape", (n_rows,)))
            error.add_note(
                f"imd_widget: {argument} ({_own_name(model, 'a function')}) raised this when it "
                f"was asked to predict the table of shape {shape}. Nothing was drawn. "
                f"Check that it predicts this table by itself."
            )
            raise
    elif hasattr(model, "__array__") or isinstance(model, list | tuple):
        given = model
    else:
        raise InputError(
            f"{argument} is a {type(model).__name__}. A model is anything with a predict method, "
            "a function of the table, or an array of outputs that you already have."
        )
    return _checked(given, n_rows, argument)


def _checked(given: Any, n_rows: int, argument: str) -> NDArray[Any]:
    if given is None:
        raise InputError(f"{argument} gave None: its predict must return one label for each row.")
    output = _as_array(given, argument)
    if output.ndim == 2 and output.shape[1] == 1:
        output = output[:, 0]
    if output.ndim != 1:
        raise InputError(
            f"{argument} gave an array of shape {output.shape}: one label for each row is needed, "
            f"shape ({n_rows},). Are these probabilities? Then pass a function that picks the "
            f"class: {argument}=lambda X: model.predict_proba(X).argmax(axis=1)."
        )
    if len(output) != n_rows:
        raise InputError(
            f"{argument} gave {len(output)} outputs for {n_rows} rows: one for each row of X is "
            "needed, in the same order."
        )
    if output.dtype.kind in "iub":
        return _as_int64(output, argument)
    if output.dtype.kind == "f":
        return _whole_numbers(output, argument)
    missing = pd.isna(output)
    if missing.any():
        raise InputError(_missing_text(argument, missing))
    values = output.tolist()
    if all(isinstance(value, str) for value in values):
        return np.array([str(value) for value in values], dtype=object)
    if all(isinstance(value, bool | int | np.integer | np.bool_) for value in values):
        return _as_int64(output, argument)
    if all(isinstance(value, bool | int | float | np.number | np.bool_) for value in values):
        return _whole_numbers(output.astype(float), argument)
    found = ", ".join(sorted({type(value).__name__ for value in values}))
    raise InputError(
        f"{argument} gave outputs of type {found}. Labels must be all text or all whole numbers; "
        "turn them into text if in doubt: [str(label) for label in outputs]."
    )


def _as_array(given: Any, argument: str) -> NDArray[Any]:
    """An array whose values are what was given: of a list, no number becomes text."""
    if isinstance(given, list | tuple):
        sizes = {len(row) for row in given if isinstance(row, list | tuple | np.ndarray)}
        if len(sizes) > 1:
            raise InputError(
                f"{argument} gave rows of different lengths ({sorted(sizes)[:3]}): one label for "
                "each row is needed."
            )
        if not sizes:
            array = np.empty(len(given), dtype=object)
            array[:] = given
            return array
    return np.asarray(given)


def _as_int64(output: NDArray[Any], argument: str) -> NDArray[np.int64]:
    """Whole numbers and booleans of any width in one dtype, so that equal labels are equal."""
    try:
        within = bool((output <= np.iinfo(np.int64).max).all())
        if within:
            return output.astype(np.int64)
    except OverflowError:
        pass
    raise InputError(
        f"{argument} gave whole numbers beyond 64 bits. Turn such labels into text: "
        "[str(label) for label in outputs]."
    )


def _whole_numbers(output: NDArray[Any], argument: str) -> NDArray[np.int64]:
    missing = np.isnan(output)
    if missing.any():
        raise InputError(_missing_text(argument, missing))
    distinct = np.unique(output)
    if np.isinf(distinct).any() or (distinct != np.rint(distinct)).any():
        raise InputError(
            f"{argument} gave numbers that are not whole ({_examples(output)}), as a regression "
            "or a probability does. Classes are compared here: pass a function that bins them, "
            f"for example {argument}=lambda X: model.predict(X) > 0.5."
        )
    if len(distinct) > MAX_NUMERIC_CLASSES:
        raise InputError(
            f"{argument} gave {len(distinct)} distinct numbers, as a regression does. Classes are "
            f"compared here (at most {MAX_NUMERIC_CLASSES} distinct floats): pass a function that "
            "bins them, or turn them into integers if they are class labels."
        )
    if np.abs(distinct).max(initial=0) > 2**53:
        raise InputError(
            f"{argument} gave floats too large to be told apart as labels ({_examples(output)}). "
            "Give them as integers or as text."
        )
    return output.astype(np.int64)


def _missing_text(argument: str, missing: NDArray[np.bool_]) -> str:
    return (
        f"{argument} gave no output for {int(missing.sum())} of {len(missing)} rows (the first is "
        f"row {int(missing.argmax())}). Every row needs a label: leave those rows out of X, or "
        "give them a label of their own such as 'no answer'."
    )


def _family(output: NDArray[Any]) -> str:
    return "text" if output.dtype == object else "number"


def _examples(output: NDArray[Any]) -> str:
    shown = [repr(value) for value in np.unique(output)[:3].tolist()]
    return ", ".join(shown)


def _class_names(
    labels: tuple[Hashable, ...], given: Mapping[Any, str] | Sequence[str] | None
) -> tuple[str, ...]:
    if given is None:
        return tuple(str(label) for label in labels)
    if isinstance(given, Mapping):
        return tuple(str(given.get(label, label)) for label in labels)
    several = _is_several(given)
    names = tuple(str(name) for name in given) if several else (str(given),)
    if len(names) != len(labels):
        raise InputError(
            f"class_names has {len(names)} entries, the models give {len(labels)} labels: "
            f"{list(labels)!r}. Give one name for each in that order, or a dict from label to name."
        )
    return names
