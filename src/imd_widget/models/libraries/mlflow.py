"""Models that MLflow has loaded with ``mlflow.pyfunc.load_model``."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from imd_widget.models.libraries.interface import EstimatorKind, ForeignModel


class _PyFunc(ForeignModel):
    """A PyFuncModel; what it wraps is called for what ``predict`` of MLflow does not give."""

    def __init__(self, model: Any, inner: Any, kind: EstimatorKind | None) -> None:
        self.model, self.inner = model, inner
        self.estimator_kind = kind
        metadata = model.metadata
        run, own = getattr(metadata, "run_id", None), getattr(metadata, "model_id", None)
        what = getattr(inner, "title", type(inner).__name__) if inner is not None else "model"
        of = f" of run {run[:8]}" if run else f" {own}" if own else ""
        self.title = f"{what}{of}"
        self.feature_names_ = _columns(metadata)

    def predict(self, table: Any) -> Any:
        options = (getattr(self.model.metadata, "flavors", None) or {}).get("python_function", {})
        gives_other = options.get("predict_fn", "predict") != "predict"
        if self.inner is not None and (gives_other or isinstance(self.inner, ForeignModel)):
            return self.inner.predict(table)
        return self.model.predict(table)


class _PyFuncClassifier(_PyFunc):
    """A PyFuncModel around a model with ``predict_proba``."""

    @property
    def classes_(self) -> Any:
        return getattr(self.inner, "classes_", None)

    def predict_proba(self, table: Any) -> Any:
        return self.inner.predict_proba(table)


def pyfunc_model(
    model: Any, adapted: Callable[[Any], Any], kind_of: Callable[[Any], EstimatorKind | None]
) -> ForeignModel:
    """Return a PyFuncModel.

    Parameters
    ----------
    model : PyFuncModel
    adapted : callable
        Returns the model that MLflow wraps with the interface of scikit-learn.
    kind_of : callable
        Returns whether that is a classifier or a regressor.
    """
    try:
        inner = adapted(model.get_raw_model())
    except (AttributeError, NotImplementedError):  # a function of the user, or an older MLflow
        inner = None
    kind = None if inner is None else kind_of(inner)
    if not hasattr(inner, "predict"):
        return _PyFunc(model, None, None)
    has_proba = hasattr(inner, "predict_proba")
    return (_PyFuncClassifier if has_proba else _PyFunc)(model, inner, kind)


def _columns(metadata: Any) -> tuple[Hashable, ...] | None:
    """Return the names in the signature that a model was logged with."""
    schema = metadata.get_input_schema() if hasattr(metadata, "get_input_schema") else None
    if schema is None or not schema.has_input_names():
        return None
    return tuple(schema.input_names())
