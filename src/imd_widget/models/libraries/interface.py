"""The interface that models of other libraries are given: that of scikit-learn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.data.table import open_table

#: What scikit-learn calls the kinds of estimators.
EstimatorKind = Literal["classifier", "regressor"]


class ForeignModel(ABC):
    """A model of another library that is called with a table and returns an output per row."""

    #: What the model is called in sentences.
    title: str
    #: None if it is not known.
    estimator_kind: EstimatorKind | None = None
    #: Names of the columns that the model is called with; None if they are not known.
    feature_names_: tuple[Hashable, ...] | None = None

    @abstractmethod
    def predict(self, table: Any) -> Any:
        """Return the output of the model for each row of a table of any library."""


class ForeignClassifier(ForeignModel):
    """A model of another library that gives the probability of each class."""

    estimator_kind: EstimatorKind | None = "classifier"
    #: The classes of the columns of probabilities; None if they are not known.
    classes_: tuple[Hashable, ...] | None

    @abstractmethod
    def predict_proba(self, table: Any) -> Any:
        """Return the probabilities of the classes: shape (n_rows, n_classes)."""

    def predict(self, table: Any) -> Any:
        """Return the most likely class of each row; None where a probability is missing."""
        return most_likely(np.asarray(self.predict_proba(table)), self.classes_)


def most_likely(
    probabilities: NDArray[Any], classes: tuple[Hashable, ...] | None = None
) -> NDArray[Any]:
    """Return the class of the largest probability of each row, by default its number."""
    names = np.empty(probabilities.shape[1], dtype=object)
    names[:] = classes or range(len(names))
    missing = np.isnan(probabilities).any(axis=1)
    labels = names[np.where(missing[:, None], 0, probabilities).argmax(axis=1)]
    labels[missing] = None
    return labels if missing.any() else np.array(labels.tolist())


def two_columns(second: Any) -> NDArray[np.float64]:
    """Return the probabilities of two classes, given those of the second."""
    probabilities = np.asarray(second, dtype=float).ravel()
    return np.column_stack([1 - probabilities, probabilities])


def pandas_or_array(native: Any) -> Any:
    """Return a table of any library as a pandas table; an array stays as it is."""
    if isinstance(native, np.ndarray | pd.DataFrame):
        return native
    table = open_table(native, may_be_empty=True)
    columns = {name: table.get(at) for at, name in enumerate(table.names)}
    return pd.DataFrame(columns)
