"""Outputs and truths of a partition: labels as places in a list, numbers as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

#: A partition with more distinct outputs than this keeps them as they are.
MOST_LABELS = 10_000
#: Rows in which too many distinct numbers are looked for first.
FIRST = 4 * MOST_LABELS


@dataclass(frozen=True, eq=False)
class OutputPart:
    """The outputs of one model, or the truth, for the rows of a partition."""

    #: The distinct outputs in the order of their first occurrence; None if there are many.
    labels: NDArray[Any] | None
    #: Where each row's output stands in ``labels``; ``len(labels)`` if it is missing.
    places: NDArray[np.unsignedinteger[Any]] | None
    #: The outputs, of shape (n_rows,) or (n_rows, n_classes), if they have no places.
    values: NDArray[Any] | None

    @classmethod
    def of(cls, values: NDArray[Any]) -> OutputPart:
        """Outputs as places if they have few distinct values, else as they are."""
        if values.ndim == 1 and values.dtype.kind not in "cmM":
            try:
                if len(pd.unique(values[:FIRST])) <= MOST_LABELS:
                    places, labels = pd.factorize(values)
                    if len(labels) <= MOST_LABELS:
                        return cls._by_places(values, places, labels)
            except TypeError:  # labels that are not hashable: reading the outputs raises the error
                pass
        return cls(None, None, values)

    @classmethod
    def _by_places(cls, values: NDArray[Any], places: NDArray[np.intp], labels: Any) -> OutputPart:
        distinct = np.empty(len(labels), dtype=values.dtype)
        distinct[:] = labels
        n_labels = len(labels)
        dtype = np.min_scalar_type(n_labels)
        return cls(distinct, np.where(places < 0, n_labels, places).astype(dtype), None)

    def array(self) -> NDArray[Any]:
        """The outputs of all rows, as they were."""
        if self.labels is None or self.places is None:
            assert self.values is not None
            return self.values
        if (self.places < len(self.labels)).all():
            return np.asarray(self.labels[self.places])
        missing = np.nan if self.labels.dtype.kind == "f" else None
        dtype = self.labels.dtype if missing is not None else np.dtype(object)
        every = np.empty(len(self.labels) + 1, dtype=dtype)
        every[:-1] = self.labels
        every[-1] = missing
        return np.asarray(every[self.places])

    def some(self) -> NDArray[Any]:
        """Outputs that show the kind of all of them.

        All distinct ones if there are few; otherwise the first ones, the extremes and, of numbers,
        one that is not whole, one that is not finite and a missing one, if there are such.
        """
        if self.labels is not None and self.places is not None:
            has_missing = bool((self.places == len(self.labels)).any())
            every = np.arange(len(self.labels) + has_missing, dtype=np.uint64)
            return OutputPart(self.labels, every, None).array()
        assert self.values is not None
        values = self.values
        if values.ndim == 2 or values.dtype.kind not in "iuf":
            return values[:FIRST]
        chosen = [values.argmin(), values.argmax()] if len(values) else []
        if values.dtype.kind == "f":
            chosen += np.flatnonzero(values != np.rint(values))[:1].tolist()
            chosen += np.flatnonzero(~np.isfinite(values))[:1].tolist()
        return np.concatenate([values[:FIRST], values[chosen]])

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        arrays = (self.labels, self.places, self.values)
        return sum(array.nbytes for array in arrays if array is not None)


def joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Outputs of several partitions in one array; of one dtype if they all are."""
    parts = [part for part in parts if len(part)] or parts[:1]
    if len({part.dtype.kind for part in parts}) > 1:
        parts = [part.astype(object) for part in parts]
    return np.concatenate(parts)
