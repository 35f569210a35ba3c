"""Targets: numbers or classes, as the networks see them and as leaves hold them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, Quoted
from imd_widget._base.sorting import sort_labels
from imd_widget.learners.meta_trees.inputs import read_labels, read_numbers

#: Classes that a leaf can hold.
MOST_CLASSES = 50


class EncodedTargets(NamedTuple):
    """Targets as h sees them, (n_rows, n_targets), and as leaves hold them, (n_rows, n_outputs)."""

    seen: NDArray[np.float32]
    outcomes: NDArray[np.float64]


@dataclass(frozen=True)
class Numbers:
    """Targets that are numbers; h sees them standardised."""

    #: The range in `fit`, which predictions do not leave.
    low: float
    high: float
    #: Mean and standard deviation in `fit`.
    centre: float
    scale: float
    n_targets = 1
    n_outputs = 1
    classes: None = None

    @classmethod
    def of(cls, y: NDArray[np.float64]) -> Numbers:
        """The targets of `fit`."""
        if y.min() == y.max():
            raise InputError(
                Argument("y"),
                f" is {y[0]:g} in every row: there is nothing to learn. At least two different "
                "values are needed.",
            )
        return cls(float(y.min()), float(y.max()), float(y.mean()), float(y.std()))

    @property
    def range(self) -> tuple[float, float]:
        """The range of a leaf's value."""
        return self.low, self.high

    def mean(self) -> list[float]:
        """The mean of the outcomes."""
        return [self.centre]

    def encoded(self, y: Any, n_rows: int) -> EncodedTargets:
        """Targets that a user passed, checked."""
        numbers = read_numbers(y, n_rows)
        seen = ((numbers - self.centre) / self.scale).astype(np.float32)
        return EncodedTargets(seen[:, None], numbers[:, None])

    def decoded(self, outputs: NDArray[np.float64]) -> NDArray[Any]:
        """Predictions from the values of leaves."""
        return outputs[:, 0]


@dataclass(frozen=True)
class Classes:
    """Targets that are classes; h sees -1 and 1, or one column for each of three or more."""

    #: Sorted.
    classes: tuple[Hashable, ...]
    #: The share of each class in `fit`.
    shares: tuple[float, ...]

    @classmethod
    def of(cls, labels: NDArray[Any]) -> Classes:
        """The targets of `fit`."""
        counts = Counter(labels.tolist())
        classes = tuple(sort_labels(counts))
        if len(classes) < 2:
            raise InputError(
                Argument("y"),
                " is ",
                Quoted(classes[0]),
                " in every row: there is nothing to learn. At least two classes are needed.",
            )
        if len(classes) > MOST_CLASSES:
            raise InputError(
                Argument("y"),
                f" has {len(classes):,} classes, and a leaf can hold {MOST_CLASSES}. For numbers "
                "take MetaTreeRegressor.",
            )
        return cls(classes, tuple(counts[label] / len(labels) for label in classes))

    @property
    def n_targets(self) -> int:
        """Columns that h sees."""
        return 1 if len(self.classes) == 2 else len(self.classes)

    @property
    def n_outputs(self) -> int:
        """Probabilities in a leaf."""
        return len(self.classes)

    @property
    def range(self) -> tuple[float, float]:
        """The range of a leaf's values."""
        return 0.0, 1.0

    def mean(self) -> list[float]:
        """The mean of the outcomes."""
        return list(self.shares)

    def encoded(self, y: Any, n_rows: int) -> EncodedTargets:
        """Targets that a user passed, checked."""
        labels = read_labels(y, n_rows)
        places = pd.Index(self.classes, dtype=object).get_indexer(pd.Index(labels, dtype=object))
        if (places < 0).any():
            raise InputError(
                Argument("y"),
                " names ",
                Quoted(*dict.fromkeys(labels[places < 0].tolist())),
                ", which was not a class in fit. The classes are ",
                Quoted(*self.classes),
                ".",
            )
        outcomes = np.eye(len(self.classes))[places]
        seen = 2 * outcomes - 1 if self.n_targets > 1 else 2 * outcomes[:, 1:] - 1
        return EncodedTargets(seen.astype(np.float32), outcomes)

    def decoded(self, outputs: NDArray[np.float64]) -> NDArray[Any]:
        """Predictions from the values of leaves: the most probable class."""
        labels = np.array(self.classes)
        if labels.tolist() != list(self.classes):  # NumPy has changed one of them
            labels = np.empty(len(self.classes), dtype=object)
            labels[:] = self.classes
        return np.asarray(labels[outputs.argmax(axis=1)])


Targets = Numbers | Classes
