"""Boosters of XGBoost and LightGBM, and CatBoost models that were loaded from a file."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.models.libraries.interface import (
    ForeignClassifier,
    ForeignModel,
    most_likely,
    pandas_or_array,
    two_columns,
)


class _XGBoost(ForeignModel):
    def __init__(self, booster: Any) -> None:
        self.booster = booster
        self.title = "Booster of XGBoost"
        self.feature_names_ = tuple(booster.feature_names or ()) or None

    def predict(self, table: Any) -> Any:
        return self._outputs(table)

    def _outputs(self, table: Any, **options: Any) -> NDArray[Any]:
        import xgboost

        native = pandas_or_array(table)
        is_frame = isinstance(native, pd.DataFrame)
        data = xgboost.DMatrix(native, enable_categorical=is_frame)
        outputs = self.booster.predict(data, validate_features=is_frame, **options)
        return np.asarray(outputs)


class _XGBoostRegressor(_XGBoost):
    estimator_kind = "regressor"


class _XGBoostLabels(_XGBoost):
    """A booster whose objective gives 0 and 1."""

    estimator_kind = "classifier"

    def predict(self, table: Any) -> Any:
        return self._outputs(table).astype(np.int64)


class _XGBoostClassifier(_XGBoost, ForeignClassifier):
    def __init__(self, booster: Any, n_classes: int) -> None:
        super().__init__(booster)
        self.classes_ = tuple(range(n_classes))

    def predict(self, table: Any) -> Any:
        return most_likely(self.predict_proba(table), self.classes_)

    def predict_proba(self, table: Any) -> Any:
        margins = self._outputs(table, output_margin=True).astype(float)
        if margins.ndim == 1:
            return two_columns(1 / (1 + np.exp(-margins)))
        powers = np.exp(margins - margins.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)


def xgboost_booster(booster: Any) -> ForeignModel:
    """Return a Booster of XGBoost by its objective: classes are 0, 1, ... as in XGBClassifier."""
    learner = json.loads(booster.save_config())["learner"]
    objective = str(learner["objective"]["name"])
    if objective in ("binary:logistic", "binary:logitraw"):
        return _XGBoostClassifier(booster, 2)
    if objective in ("multi:softprob", "multi:softmax"):
        return _XGBoostClassifier(booster, int(learner["learner_model_param"]["num_class"]))
    if objective == "binary:hinge":
        return _XGBoostLabels(booster)
    if objective.startswith(("reg:", "count:", "survival:")):
        return _XGBoostRegressor(booster)
    return _XGBoost(booster)


class _LightGBM(ForeignModel):
    def __init__(self, booster: Any) -> None:
        self.booster = booster
        self.title = "Booster of LightGBM"
        names = tuple(booster.feature_name())
        # the names that LightGBM makes up for an array
        is_array = names == tuple(f"Column_{at}" for at in range(len(names)))
        self.feature_names_ = None if is_array else names

    def predict(self, table: Any) -> Any:
        return self.booster.predict(pandas_or_array(table))


class _LightGBMRegressor(_LightGBM):
    estimator_kind = "regressor"


class _LightGBMClassifier(_LightGBM, ForeignClassifier):
    def __init__(self, booster: Any, n_classes: int) -> None:
        super().__init__(booster)
        self.classes_ = tuple(range(n_classes))

    def predict(self, table: Any) -> Any:
        return most_likely(self.predict_proba(table), self.classes_)

    def predict_proba(self, table: Any) -> Any:
        outputs = np.asarray(self.booster.predict(pandas_or_array(table)))
        return two_columns(outputs) if outputs.ndim == 1 else outputs


def lightgbm_booster(booster: Any) -> ForeignModel:
    """Return a Booster of LightGBM by its objective: classes are 0, 1, ..."""
    header = booster.model_to_string(num_iteration=1).partition("\nTree=")[0]
    lines = dict(line.split("=", 1) for line in header.splitlines() if "=" in line)
    objective = lines.get("objective", "").split(" ")[0]
    if objective == "binary":
        return _LightGBMClassifier(booster, 2)
    if objective in ("multiclass", "multiclassova"):
        return _LightGBMClassifier(booster, int(lines["num_class"]))
    return _LightGBMRegressor(booster) if objective in LIGHTGBM_VALUES else _LightGBM(booster)


#: Objectives of LightGBM that give values.
LIGHTGBM_VALUES = (
    "regression",
    "regression_l1",
    "huber",
    "fair",
    "poisson",
    "quantile",
    "mape",
    "gamma",
    "tweedie",
)


class _CatBoostClassifier(ForeignClassifier):
    """A classifier in the base class of CatBoost, whose ``predict`` gives raw scores."""

    title = "CatBoost"

    def __init__(self, model: Any) -> None:
        self.model = model
        self.feature_names_ = tuple(model.feature_names_)
        self.classes_ = tuple(np.asarray(model.classes_).tolist())

    def predict(self, table: Any) -> Any:
        """Return the class of each row."""
        return self.model.predict(pandas_or_array(table), prediction_type="Class")

    def predict_proba(self, table: Any) -> Any:
        """Return the probabilities of the classes."""
        return self.model.predict(pandas_or_array(table), prediction_type="Probability")


def catboost_model(model: Any) -> Any:
    """Return a model of CatBoost's base class by what it was trained for."""
    if type(model).__name__ != "CatBoost" or not len(getattr(model, "classes_", ())):
        return model
    return _CatBoostClassifier(model)
