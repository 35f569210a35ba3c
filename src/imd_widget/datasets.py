"""Small model pairs, made from data that comes with scikit-learn: for demo, docs and tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class ModelPair:
    """Two fitted models and a table to compare them on.

    Attributes
    ----------
    m1, m2 : fitted models
    X : DataFrame
        The table, whole.
    y : ndarray
        The ground truth, which a diff does not need.
    names : tuple of two str
        What to call the models.
    """

    m1: Any
    m2: Any
    X: pd.DataFrame
    y: np.ndarray[Any, Any]
    names: tuple[str, str]


def breast_cancer_pair() -> ModelPair:
    """Logistic regression and random forest on breast cancer, as in Figure 2 of the paper."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import train_test_split
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    data = load_breast_cancer(as_frame=True)
    X = data.data
    y = np.asarray(data.target_names)[data.target]
    X_train, _, y_train, _ = train_test_split(X, y, test_size=0.3, random_state=3)
    # a strong penalty: the two models then disagree about enough rows to look at
    m1 = make_pipeline(StandardScaler(), LogisticRegression(C=0.0005)).fit(X_train, y_train)
    m2 = RandomForestClassifier(random_state=0).fit(X_train, y_train)
    return ModelPair(m1, m2, X, y, names=("LR", "RF"))
