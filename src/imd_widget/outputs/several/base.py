"""`SeveralOutputs`: the outputs of two or more models of one kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError, Setting
from imd_widget._base.kinds import OutputKind
from imd_widget._base.parallel import each
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import OutputOptions, Tolerance
from imd_widget.outputs.judging import Judged
from imd_widget.outputs.several.pairwise import Differing, Rows

Read = TypeVar("Read")
#: Called with the number of a model whose outputs cannot be read, and the reason.
OnError = Callable[[int, InputError], object]


class SeveralOutputs(ABC):
    """The outputs of two or more models, and when two of them differ."""

    kind: OutputKind
    #: Numbers of the models whose outputs could be read, ascending. Everything below is about
    #: these, in this order.
    kept: tuple[int, ...]
    #: The tolerance that every two models are compared with; None for classes.
    tolerance: Tolerance | None
    #: When two outputs differ, in words; None for classes.
    differs: str | None
    #: None without a truth.
    judged: Judged | None
    #: What a score is: "accuracy", "mean absolute error".
    score_name: str
    #: Whether the score is the mean of the errors, of which a smaller one is better; otherwise it
    #: is the share of the rows about which a model is right.
    scores_errors: bool

    @abstractmethod
    def differing(self, rows: Rows, weight: NDArray[np.float64] | None) -> Differing:
        """Count the rows on which each two models differ.

        Parameters
        ----------
        rows : slice or ndarray of int
            The rows that count.
        weight : ndarray or None
            Their weights.
        """

    def pair_options(self, given: OutputOptions) -> OutputOptions:
        """The options that every two of the models are compared with."""
        tolerance = given.tolerance if self.tolerance is None else self.tolerance
        return replace(given, outputs=self.kind, tolerance=tolerance)

    @abstractmethod
    def error_text(self, error: float) -> str | None:
        """A score that is an error as text; None if it is a share."""

    @abstractmethod
    def vote(self, outputs: Sequence[ModelOutput], own: int) -> NDArray[Any]:
        """The output that most of the models but one give, for each row.

        Parameters
        ----------
        outputs : sequence of ModelOutput
            The outputs of all models for any rows.
        own : int
            Index of the model that is left out.
        """


def too_few(n_left: int) -> InputError:
    """The error that fewer than two models are left."""
    left = "only one model is left" if n_left else "no model is left"
    return InputError(
        f"{left} after those that failed were skipped: at least two are needed. ",
        Setting("errors", "raise"),
        " shows why the first of them fails.",
    )


def read_each(
    outputs: Sequence[ModelOutput],
    read: Callable[[ModelOutput], Read],
    on_error: OnError | None,
) -> tuple[tuple[int, ...], list[Read]]:
    """Read the outputs of each model; return the numbers of those that can be read, and these.

    ``on_error`` None raises the error of the first that cannot.
    """

    def attempt(output: ModelOutput) -> Read | InputError:
        try:
            return read(output)
        except InputError as error:
            if on_error is None:
                raise
            return error

    found: dict[int, Read] = {}
    results = each(attempt, outputs, len(outputs[0].values))
    for number, result in enumerate(results):
        if isinstance(result, InputError) and on_error is not None:
            on_error(number, result)
        else:
            found[number] = cast("Read", result)
    if len(found) < 2:
        raise too_few(len(found))
    return tuple(found), list(found.values())
