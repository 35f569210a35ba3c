"""Coerce the return value of a model, or an array of the user, to one output per row."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import (
    Argument,
    Foreign,
    InputError,
    Message,
    Part,
    Quoted,
    Setting,
)
from imd_widget.data.native import printable, unmasked


class WrongLengthError(InputError):
    """A model gave another number of outputs than rows.

    Attributes
    ----------
    n_outputs : int
    """

    def __init__(self, n_outputs: int, *message: Part, hint: Part = "") -> None:
        super().__init__(*message, hint=hint)
        self.n_outputs = n_outputs


def copied(given: Any) -> Any:
    """Return a copy of ``given`` if it is mutable.

    A runtime that reuses its output buffer, or a user who modifies an array later, must not change
    the outputs that were compared.
    """
    if isinstance(given, list | tuple):
        return type(given)(map(copied, given)) if type(given) in (list, tuple) else given
    if isinstance(given, np.ndarray):
        return given.copy()
    if isinstance(given, pd.Series | pd.Index | pd.DataFrame):
        return given.copy(deep=True)
    for copy in ("clone", "copy"):  # tensors; other libraries' arrays
        method = getattr(given, copy, None)
        if callable(method) and (hasattr(given, "__array__") or hasattr(given, "detach")):
            return method()
    return given


def as_output(given: Any, n_rows: int, argument: str, outputs: str = "class") -> NDArray[Any]:
    """Return an array of shape (n_rows,); with ``outputs="proba"`` also (n_rows, n_classes)."""
    if given is None:
        raise InputError(
            Argument(argument), " gave None: its predict must return one output for each row."
        )
    if isinstance(given, Iterator):
        raise InputError(
            Argument(argument),
            f" gave {with_article(type(given).__name__)}, which can be read only once: return a "
            "list or an array, for example np.array(list(outputs)).",
        )
    if hasattr(given, "tocsr"):
        raise InputError(
            Argument(argument),
            " gave a sparse matrix: one output for each row is needed, as an array. "
            "Several outputs? Compare one at a time: model.predict(X)[:, 0].toarray().ravel().",
        )
    if isinstance(given, list) and given and all(_is_matrix(part) for part in given):
        raise InputError(_several_text(argument, (n_rows, len(given)), outputs))
    output = as_array(given, Argument(argument))
    if output.ndim == 2 and output.shape[1] == 1:
        output = output[:, 0]
    if output.ndim == 0 or output.ndim > 2 or (output.ndim == 2 and outputs != "proba"):
        looks = output.ndim == 2 and _looks_like_probabilities(output)
        raise InputError(_several_text(argument, output.shape, "looks" if looks else outputs))
    if len(output) != n_rows:
        raise WrongLengthError(
            len(output),
            Argument(argument),
            f" gave {len(output)} outputs for {n_rows} rows: one for each row of X is "
            "needed, in the same order.",
        )
    return output


def as_truth(given: Any, n_rows: int, argument: Part, what: str = "true output") -> NDArray[Any]:
    """Return ``y``, or ``what`` else has an entry for each row, as an array of shape (n_rows,)."""
    if isinstance(given, str) or callable(given):
        raise InputError(
            argument,
            " is ",
            Quoted(given),
            f": one {what} for each row is needed, as an array. A column of X? y=X['name'].",
        )
    truth = as_array(copied(given), argument)
    if truth.ndim == 2 and truth.shape[1] == 1:
        truth = truth[:, 0]
    if truth.ndim != 1:
        raise InputError(
            argument, f" has the shape {truth.shape}: one {what} for each row is needed."
        )
    if len(truth) != n_rows:
        raise InputError(
            argument,
            f" has {len(truth)} entries, its table has {n_rows} rows: one for each row "
            "is needed, in the same order.",
        )
    return truth


def unhashable(argument: str, values: Iterable[Any]) -> InputError:
    """Return the error for values, such as lists, that cannot be told apart by their hash."""
    kinds = [type(value).__name__ for value in values if not isinstance(value, Hashable)]
    kind = kinds[0] if kinds else "tuple"  # with a list in it
    return InputError(
        Argument(argument),
        f" holds values of the type {kind}, which cannot be told apart: numbers, texts, dates or "
        "True and False are needed.",
    )


def _several_text(argument: str, shape: tuple[int, ...], outputs: str) -> Message:
    start = Message(
        Argument(argument),
        f" gave an array of shape {tuple(shape)}: one output for each row is needed. ",
    )
    if not shape:
        return Message(
            Argument(argument),
            " gave a single output for the whole table: one for each row is needed.",
        )
    if outputs == "looks":
        return Message(
            start,
            "These look like probabilities: compare them with ",
            Setting("outputs", "proba"),
            ", or classes by passing the model itself, or the most likely column: "
            "probabilities.argmax(axis=1).",
        )
    return Message(
        start,
        "A model with several outputs is compared one output at a time: "
        f"{argument}=lambda X: model.predict(X)[:, 0]. Are these probabilities? Then pick the "
        f"class: {argument}=lambda X: model.predict_proba(X).argmax(axis=1), or use ",
        Setting("outputs", "proba"),
        ".",
    )


def _is_matrix(value: Any) -> bool:
    return hasattr(value, "ndim") and value.ndim == 2


def _looks_like_probabilities(output: NDArray[Any]) -> bool:
    if output.dtype.kind != "f" or not len(output):
        return False
    inside = ((output >= 0) & (output <= 1)).all()
    return bool(inside and np.allclose(output.sum(axis=1), 1, atol=1e-3))


def as_array(given: Any, argument: Part) -> NDArray[Any]:
    """Return ``given`` as an array; numbers in a list with text stay numbers (dtype object)."""
    if isinstance(given, list | tuple):
        sizes = {len(row) for row in given if isinstance(row, list | tuple | np.ndarray)}
        if len(sizes) > 1:
            raise InputError(
                argument,
                f" gave rows of different lengths ({sorted(sizes)[:3]}): one output for "
                "each row is needed.",
            )
        if not sizes:
            array = np.empty(len(given), dtype=object)
            array[:] = list(given)
            return _narrowed(array)
    for move in ("detach", "cpu"):  # a tensor that has a gradient, or is on another device
        given = getattr(given, move)() if callable(getattr(given, move, None)) else given
    if isinstance(given, pd.Series):
        given = printable(given)
    try:
        return np.asarray(unmasked(given), dtype=_object_of(given))
    except Exception as error:
        raise InputError(
            argument,
            f" gave a {type(given).__name__}, which could not be read as an array (",
            Foreign(str(error)),
            "). One output for each row is needed; does it hold several things, of which "
            "only the first is meant?",
        ) from error


def _object_of(given: Any) -> Any:
    """Return object for masked integers and booleans, which float64 would change; else None."""
    masked = np.ma.isMaskedArray(given) and given.dtype.kind in "iub" and given.mask.any()
    return object if masked else None


def _narrowed(array: NDArray[Any]) -> NDArray[Any]:
    """Return an object array as int64, float64 or bool if all its elements are of that type."""
    kinds = {type(value) for value in array.tolist()}
    for kind, dtype in ((int, np.int64), (float, np.float64), (bool, np.bool_)):
        if kinds == {kind}:
            try:
                return array.astype(dtype)
            except OverflowError:
                return array
    return array


def with_article(name: str) -> str:
    """Return a name with its indefinite article."""
    return f"an {name}" if name[:1] in "aeiouAEIOU" else f"a {name}"
