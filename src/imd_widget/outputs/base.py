"""What a kind of output is read from, what reading it returns, and checks that kinds share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, InPython, Part, Quoted, Row, Setting
from imd_widget._base.kinds import OutputChoice
from imd_widget.counting.observations import Observations
from imd_widget.data.weights import Weights
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.dissimilarity import Dissimilarity
from imd_widget.outputs.interface import Outputs

#: Values may be squared, so they must not be larger than this.
LARGEST_VALUE = 1e100


@dataclass(frozen=True)
class RelativeTolerance:
    """Two outputs differ if ``abs(first - second) > share * max(abs(first), abs(second))``."""

    share: float

    def __str__(self) -> str:
        return f"{100 * self.share:g} %"


#: A distance, or a share of the larger of two outputs.
Tolerance = float | RelativeTolerance


@dataclass(frozen=True)
class OutputOptions:
    """Options of `imd_widget.diff` for the comparison of outputs."""

    outputs: OutputChoice = "auto"
    tolerance: Tolerance | None = None
    pos_label: Any = None
    class_names: Mapping[Any, str] | Sequence[str] | None = field(default=None, hash=False)
    dissimilarity: Dissimilarity | None = field(default=None, hash=False, compare=False)


@dataclass(frozen=True, eq=False)
class ComparisonInput:
    """The outputs of two or more models before they are made comparable."""

    #: The outputs of each model.
    model_outputs: tuple[ModelOutput, ...]
    output_options: OutputOptions
    #: The rows that decide what there is to compare: those of the user's table, with a weight.
    counting: NDArray[np.bool_]
    #: Number of rows of the user's table; the rows after them are new.
    n_own: int
    #: Missing where it is not known.
    truth: NDArray[Any] | None = None
    weights: Weights | None = None

    def take(self, rows: NDArray[np.integer]) -> ComparisonInput:
        """Return the outputs of some rows that the user gave, in this order."""
        first, second = self.model_outputs
        return replace(
            self,
            model_outputs=(first.take(rows), second.take(rows)),
            counting=self.counting[rows],
            n_own=len(rows),
            truth=None if self.truth is None else self.truth[rows],
            weights=self.weights and self.weights.take(rows),
        )


@dataclass(frozen=True, eq=False)
class ComparedOutputs:
    """The outputs of two models, made comparable."""

    outputs: Outputs
    #: What is counted of each row.
    observations: Observations
    #: The outcome pairs that occur: indices into the labels; of numbers `DIRECTIONS`.
    pairs: NDArray[np.int64]
    #: False for new rows for which a model gives a label that it gives for no other row.
    usable: NDArray[np.bool_]
    #: From the output of a model, for any rows, to an array of shape (n_rows,) in the units that
    #: are compared: labels, probabilities of the compared class, or values.
    convert: Callable[[ModelOutput], NDArray[Any]]

    def take(self, rows: NDArray[np.integer]) -> ComparedOutputs:
        """Return the outputs of some rows, in this order."""
        return replace(self, observations=self.observations.take(rows), usable=self.usable[rows])


def numbers(output: NDArray[Any], argument: str, may_miss: bool = False) -> NDArray[np.float64]:
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
                Argument("y"),
                " holds ",
                example(output),
                ", and the models give numbers: the truth must be numbers too",
                InPython(", for example y.astype(float)"),
                ".",
            ) from error
        raise InputError(
            Argument(argument),
            " gave ",
            example(output),
            ", which are not numbers. Use ",
            Setting("outputs", "class"),
            ", or give numbers (of moments and durations for example the days).",
        ) from error
    missing = np.isnan(values)
    if not may_miss:
        check_complete(missing, argument)
    wild = ~missing & ~(np.abs(values) <= LARGEST_VALUE)
    if wild.any():
        raise InputError(
            Argument(argument),
            f" gave {float(values[wild][0])!r} at ",
            Row(int(wild.argmax())),
            f". Finite numbers are needed (up to {LARGEST_VALUE:g}): clip them, or leave those "
            "rows out.",
        )
    return values


def check_complete(missing: NDArray[np.bool_], argument: str) -> None:
    """Whether every row has an output."""
    if missing.any():
        error = incomplete(argument, int(missing.sum()), len(missing), int(missing.argmax()))
        raise MissingOutputError(error, missing)


class MissingOutputError(InputError):
    """A model has no output for some rows.

    Attributes
    ----------
    missing : ndarray of bool, shape (n_rows,)
        The rows of the table that it was called with.
    """

    def __init__(self, error: InputError, missing: NDArray[np.bool_]) -> None:
        super().__init__(error.message)
        self.missing = missing


def incomplete(argument: str, n_missing: int, n_rows: int, first: int) -> InputError:
    """The error for outputs that lack some rows."""
    return InputError(
        Argument(argument),
        f" gave no output for {n_missing} of {n_rows} rows (the first is ",
        Row(first),
        "). Every row needs one: leave those rows out of ",
        InPython("X", "the file"),
        ", or give them a label of their own such as 'no answer'.",
    )


def is_numeric(values: NDArray[Any]) -> bool:
    """Whether all are numbers or booleans."""
    if values.dtype.kind in "iubf":
        return True
    return values.dtype == object and all(
        isinstance(value, Number | np.bool_) and not isinstance(value, complex) for value in values
    )


def example(values: NDArray[Any]) -> Part:
    """Some of the values, to be shown."""
    distinct = list(dict.fromkeys(str(value) for value in values[:100].tolist()))[:3]
    if values.dtype.kind in "OUS" and not is_numeric(values[:100]):
        return Quoted(*distinct)
    return ", ".join(distinct)
