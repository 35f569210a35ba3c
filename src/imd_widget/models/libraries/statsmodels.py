"""Results of statsmodels, fitted with a formula or with arrays."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget.data.table import open_table
from imd_widget.models.libraries.interface import (
    EstimatorKind,
    ForeignClassifier,
    ForeignModel,
    most_likely,
    pandas_or_array,
    two_columns,
)

#: Models of two classes, which are 0 and 1.
BINARY = ("Logit", "Probit")


class _Result(ForeignModel):
    estimator_kind: EstimatorKind | None = "regressor"

    def __init__(self, result: Any) -> None:
        self.result = result
        self.title = type(result.model).__name__
        self._names: tuple[str, ...] = tuple(map(str, result.model.exog_names))
        self._constant: int | None = getattr(result.model.data, "const_idx", None)
        self._by_formula = hasattr(result.model, "formula")

    def predict(self, table: Any) -> Any:
        return self._outputs(table)

    def _outputs(self, table: Any) -> Any:
        native = pandas_or_array(table)
        if not self._by_formula:
            native = self._design(native)
        elif isinstance(native, np.ndarray):
            raise InputError(
                f"{self.title} was fitted with a formula, which names columns, and X is an array: "
                "pass a DataFrame, or the names with feature_names."
            )
        return np.asarray(self.result.predict(native))

    def _design(self, native: Any) -> NDArray[np.float64]:
        """Return the columns that the model was fitted with, the constant among them."""
        table = open_table(native, may_be_empty=True)
        columns: dict[str, Any] = {str(name): at for at, name in enumerate(table.names)}
        wanted = [name for at, name in enumerate(self._names) if at != self._constant]
        lacking = [name for name in wanted if name not in columns]
        if lacking and len(table.names) in (len(wanted), len(self._names)):
            by_place = self._names if len(table.names) == len(self._names) else wanted
            is_array = isinstance(native, np.ndarray)
            made_up = all(name == f"x{at + 1}" for at, name in enumerate(wanted))
            if is_array or made_up:
                columns, lacking = {name: at for at, name in enumerate(by_place)}, []
        if lacking:
            raise InputError(
                f"{self.title} was fitted with columns that X lacks: "
                f"{', '.join(map(repr, lacking[:5]))}. Pass a function that makes them, for "
                "example lambda X: result.predict(sm.add_constant(X[['a', 'b']], "
                "has_constant='add'))."
            )
        made = [
            table.get(columns[name]).to_numpy(dtype=float, na_value=np.nan)
            if name in columns
            else np.ones(table.n_rows)
            for name in self._names
        ]
        return np.column_stack(made)


class _Classes(_Result, ForeignClassifier):
    estimator_kind: EstimatorKind | None = "classifier"

    def __init__(self, result: Any, classes: tuple[Hashable, ...]) -> None:
        super().__init__(result)
        self.classes_ = classes

    def predict(self, table: Any) -> Any:
        return most_likely(self.predict_proba(table), self.classes_)

    def predict_proba(self, table: Any) -> Any:
        outputs = self._outputs(table)
        return two_columns(outputs) if outputs.ndim == 1 else outputs


def statsmodels_result(result: Any) -> Any:
    """Return a result of statsmodels that predicts a table; others, of time series, as they are."""
    model: Any = getattr(result, "model", None)
    if not getattr(model, "exog_names", None) or not hasattr(result, "predict"):
        return result
    kind = type(model).__name__
    family = type(getattr(model, "family", None)).__name__
    if kind in BINARY or (family == "Binomial" and _is_binary(getattr(model, "endog", None))):
        return _Classes(result, (0, 1))
    if kind == "MNLogit":
        named = getattr(model, "_ynames_map", None)
        classes = tuple(named.values()) if named else tuple(range(int(model.J)))
        return _Classes(result, tuple(int(c) if str(c).isdigit() else c for c in classes))
    return _Result(result)


def _is_binary(endog: Any) -> bool:
    return endog is None or bool(pd.Series(np.ravel(endog)).isin((0, 1)).all())
