"""Which models of other libraries are given the interface of scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from imd_widget.models.libraries.boosters import catboost_model, lightgbm_booster, xgboost_booster
from imd_widget.models.libraries.interface import EstimatorKind, ForeignModel
from imd_widget.models.libraries.mlflow import pyfunc_model
from imd_widget.models.libraries.onnx import onnx_session
from imd_widget.models.libraries.statsmodels import statsmodels_result


def adapted(model: Any) -> Any:
    """Return a model of a known library with the interface of scikit-learn; others unchanged.

    The library is not imported: a model of it is there already.
    """
    for kind in type(model).__mro__[:-1]:
        adapt = ADAPTERS.get((kind.__module__.partition(".")[0], kind.__name__))
        if adapt is not None:
            return adapt(model)
    return model


def estimator_kind(model: Any) -> EstimatorKind | None:
    """Return whether a model is a classifier or a regressor; None if it is not known."""
    owner = getattr(model, "__self__", model)  # a bound method such as model.predict
    if isinstance(owner, ForeignModel):
        return owner.estimator_kind
    if not hasattr(owner, "predict"):
        return None
    try:
        from sklearn.base import is_classifier, is_regressor

        if is_classifier(owner):
            return "classifier"
        return "regressor" if is_regressor(owner) else None
    # the tags of a third-party class may raise anything; without scikit-learn there are none
    except Exception:
        return None


def _of_mlflow(model: Any) -> ForeignModel:
    return pyfunc_model(model, adapted, estimator_kind)


def _of_skore(report: Any) -> Any:
    return adapted(report.estimator_)


#: How each is adapted, by the first part of the module and the name of its class or a base of it.
ADAPTERS: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("xgboost", "Booster"): xgboost_booster,
    ("lightgbm", "Booster"): lightgbm_booster,
    ("catboost", "CatBoost"): catboost_model,
    ("onnxruntime", "InferenceSession"): onnx_session,
    ("mlflow", "PyFuncModel"): _of_mlflow,
    ("statsmodels", "ResultsWrapper"): statsmodels_result,
    ("statsmodels", "Results"): statsmodels_result,
    ("skore", "EstimatorReport"): _of_skore,
}
