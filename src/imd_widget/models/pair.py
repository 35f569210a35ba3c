"""Both models of a diff, which can be called with any table."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget._base.frozen import read_only
from imd_widget._base.spelling import respelled
from imd_widget.data.table import Table
from imd_widget.models.adapters import (
    ModelOutput,
    can_predict,
    classes_of,
    gives_probabilities,
    predict,
)

#: The arguments that the models were passed as.
_ARGUMENTS = ("m1", "m2")


@dataclass(frozen=True, eq=False)
class ComparedModels:
    """The two models that a diff was made from; they are never saved with it."""

    #: Models, functions or arrays of outputs, as the user gave them. None after unpickling.
    models: tuple[Any, Any] | None
    #: Names of the models.
    names: tuple[str, str]
    #: The kind of outputs that was requested: "auto", "class", "proba" or "value".
    kind: str
    #: Converts the output of a model to an array of shape (n_rows,) in the units that the diff
    #: compares: labels, probabilities of the compared class, or values.
    convert: Callable[[ModelOutput], NDArray[Any]]
    #: What a row cost when each model was called, in seconds; None if it was not.
    seconds_per_row: tuple[float | None, float | None] = (None, None)
    #: How sure the models are, on the tables that are in use; see `sureness`.
    _sureness: WeakKeyDictionary[Table, dict[tuple[int, Hashable], NDArray[np.float64]]] = field(
        default_factory=WeakKeyDictionary
    )

    @property
    def can_be_called(self) -> tuple[bool, bool]:
        """Whether either model can be called with a table; an array of outputs cannot."""
        if self.models is None:
            return False, False
        first, second = self.models
        return can_predict(first), can_predict(second)

    def outputs(self, table: Table) -> NDArray[Any]:
        """Outputs of both models for every row of a table: shape (n_rows, 2).

        The units are those that the diff compares; see ``convert``.
        """
        columns = [self.output(model, table) for model in (0, 1)]
        both = np.empty((table.n_rows, 2), dtype=np.result_type(*columns))
        for number, column in enumerate(columns):
            both[:, number] = column
        return both

    def output(self, model: int, table: Table, *, at_once: bool = False) -> NDArray[Any]:
        """Outputs of one model, 0 or 1, for every row of a table: shape (n_rows,).

        ``at_once`` calls the model with the whole table, however slow it is.
        """
        own, argument = self._callable(model), _ARGUMENTS[model]
        return self.convert(predict(own, table, argument, self.kind, at_once=at_once))

    def gives_probability(self, label: Hashable) -> tuple[bool, bool]:
        """Whether either model can be called for its probability of a label of the diff."""
        if self.models is None:
            return False, False
        first, second = (
            can_predict(model)
            and gives_probabilities(model)
            and label in respelled(classes_of(model) or (), (label,))
            for model in self.models
        )
        return first, second

    def probability(
        self, model: int, table: Table, label: Hashable, *, at_once: bool = False
    ) -> NDArray[np.float64]:
        """Probability that one model, 0 or 1, gives a label for every row: shape (n_rows,)."""
        own, argument = self._callable(model), _ARGUMENTS[model]
        output = predict(own, table, argument, "proba", at_once=at_once)
        column = respelled(output.classes or (), (label,)).index(label)
        values = np.asarray(output.values, dtype=float).reshape(table.n_rows, -1)
        if values.shape[1] == 1:  # the probability of the second of two classes
            return values[:, 0] if column else 1 - values[:, 0]
        return np.asarray(values[:, column])

    @property
    def with_margins(self) -> tuple[int, ...]:
        """Numbers of the models whose ``predict_proba`` can be called."""
        if self.models is None:
            return ()
        return tuple(
            number
            for number, model in enumerate(self.models)
            if can_predict(model) and gives_probabilities(model)
        )

    def has_two_classes(self, model: int) -> bool:
        """Whether one model, 0 or 1, knows two classes."""
        return self.models is not None and len(classes_of(self.models[model]) or ()) == 2

    def sureness(
        self, model: int, table: Table, label: Hashable | None = None
    ) -> NDArray[np.float64]:
        """How sure one model, 0 or 1, is of every row: shape (n_rows,).

        The probability of ``label``, one of two classes; without it the margin, the probability of
        the likeliest class minus that of the next one. While a table is in use, a model is called
        with it once.
        """
        known = self._sureness.setdefault(table, {})
        if (model, label) not in known:
            if label is None:
                values = self._margin(model, table)
            else:
                values = self.probability(model, table, label, at_once=True)
            known[model, label] = read_only(values)
        return known[model, label]

    def _margin(self, model: int, table: Table) -> NDArray[np.float64]:
        own, argument = self._callable(model), _ARGUMENTS[model]
        output = predict(own, table, argument, "proba", at_once=True)
        values = np.asarray(output.values, dtype=float).reshape(table.n_rows, -1)
        if values.shape[1] == 1:
            return np.asarray(np.abs(2 * values[:, 0] - 1))
        values = np.sort(values, axis=1)
        return np.asarray(values[:, -1] - values[:, -2])

    def _callable(self, model: int) -> Any:
        """The model with this number; InputError if it cannot be called."""
        if self.models is None:
            raise InputError(
                "the models are not saved with a diff, so they cannot be called with a table: "
                "make the diff again with imd.diff(m1, m2, X)."
            )
        if not self.can_be_called[model]:
            raise InputError(
                f"{_ARGUMENTS[model]} ({self.names[model]}) was given as an array of outputs, "
                "which cannot be called with other rows: pass the model itself or a function of "
                "the table."
            )
        return self.models[model]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "models": None, "_sureness": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _sureness=WeakKeyDictionary())

    def __deepcopy__(self, memo: dict[int, Any]) -> ComparedModels:
        return self
