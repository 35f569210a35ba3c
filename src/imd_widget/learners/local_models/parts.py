"""The classifiers of the mixture: any learner, with probabilities whether it has them or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import _safe_indexing

Floats = NDArray[np.float64]

#: Folds on which scores are turned into probabilities.
_FOLDS = 3


class ConstantClassifier(ClassifierMixin, BaseEstimator):
    """The same probabilities for every row: what a batch of one class teaches.

    Class ``c`` has the probability ``(n_c + 1) / (n + n_classes)`` after ``n`` rows of the batch,
    ``n_c`` of them of that class.

    Parameters
    ----------
    classes : array-like of shape (n_classes,), optional
        All classes, seen in the batch or not. By default those of ``y``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    proba_ : ndarray of shape (n_classes,)
    """

    def __init__(self, classes: Any = None) -> None:
        self.classes = classes

    def fit(self, X: Any, y: Any) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Count the classes."""
        y = np.asarray(y)
        self.classes_ = np.unique(y) if self.classes is None else np.asarray(self.classes)
        counts = np.array([(y == one).sum() for one in self.classes_])
        self.proba_ = (counts + 1) / (len(y) + len(counts))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The most frequent class, for each row."""
        return np.repeat(self.classes_[self.proba_.argmax()], len(X))

    def predict_proba(self, X: Any) -> Floats:
        """The same probabilities for each row, shape (n_samples, n_classes)."""
        return np.tile(self.proba_, (len(X), 1))


@dataclass(frozen=True)
class Component:
    """A fitted learner, and how its outputs become probabilities of all classes."""

    #: The learner as it was fitted, or a `ConstantClassifier`.
    model: Any
    #: All classes of the mixture, sorted.
    classes: NDArray[Any]
    #: Positions in ``classes`` of the classes that ``model`` knows.
    seen: NDArray[np.intp]
    #: Number of rows that it was fitted to.
    n_rows: int
    #: A learner without ``predict_proba`` has the probabilities ``softmax(slope * scores)``; its
    #: scores are those of ``decision_function`` or, if it has none, 1 for the predicted class.
    slope: float | None = None

    def proba(self, X: Any) -> Floats:
        """Probability of each class, shape (n_samples, n_classes)."""
        if self.slope is None:
            seen = np.asarray(self.model.predict_proba(X), dtype=float)
        else:
            seen = softmax(self.slope * scores(self.model, X, self.classes[self.seen]), axis=1)
        whole = np.zeros((len(seen), len(self.classes)))
        whole[:, self.seen] = seen
        return whole

    def log_likelihood(self, X: Any, codes: NDArray[np.intp]) -> Floats:
        """Logarithm of the smoothed probability of the class that each row has.

        With ``m`` rows behind a probability ``p``, ``(m * p + 1) / (m + n_classes)`` is taken: the
        correction of Laplace, for a tree with the rows of the leaf, for others with all rows that
        they were fitted to.
        """
        behind = _rows_behind(self.model, X, self.n_rows)
        p = self.proba(X)[np.arange(len(codes)), codes]
        result: Floats = np.log((behind * p + 1) / (behind + len(self.classes)))
        return result


def fit_part(
    learner: Any,
    X: Any,
    y: NDArray[Any],
    classes: NDArray[Any],
    seed: int,
    scaling: str = "cross_entropy",
) -> Component:
    """Fit a copy of the learner to a batch.

    Parameters
    ----------
    learner : estimator
    X : table or ndarray of shape (n_samples, n_columns)
        The batch.
    y : ndarray of shape (n_samples,)
    classes : ndarray
        All classes, sorted.
    seed : int
        For the learner, if it has a ``random_state`` that is None, and for the folds.
    scaling : {"cross_entropy", "squared_error"}
        What the slope of a learner without ``predict_proba`` minimises.

    Returns
    -------
    Component
    """
    present = np.unique(y)
    if len(present) == 1:
        constant = ConstantClassifier(classes).fit(X, y)
        return Component(constant, classes, np.arange(len(classes)), len(y))
    seen = np.searchsorted(classes, present)
    model = seeded(learner, seed)
    model.fit(X, y)
    if callable(getattr(model, "predict_proba", None)):
        return Component(model, classes, seen, len(y))
    slope = _slope(learner, model, X, y, seed, scaling)
    return Component(model, classes, seen, len(y), slope=slope)


def seeded(learner: Any, seed: int) -> Any:
    """A copy of the learner in which each ``random_state`` that was None is ``seed``."""
    copy = clone(learner, safe=False)
    if hasattr(copy, "get_params") and hasattr(copy, "set_params"):
        own = copy.get_params(deep=True)
        names = [
            name
            for name, value in own.items()
            if value is None and (name == "random_state" or name.endswith("__random_state"))
        ]
        if names:
            copy.set_params(**dict.fromkeys(names, seed))
    return copy


def scores(model: Any, X: Any, classes: NDArray[Any]) -> Floats:
    """A score for each class whose largest is at the class that the model predicts.

    Parameters
    ----------
    model : fitted estimator
    X : table or ndarray
    classes : ndarray of shape (n_classes,)
        The classes that the model can predict.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    if callable(getattr(model, "decision_function", None)):
        decision = np.asarray(model.decision_function(X), dtype=float)
        if decision.ndim == 1 and len(classes) == 2:
            return np.column_stack([-decision / 2, decision / 2])
        if decision.ndim == 2 and decision.shape[1] == len(classes):
            return decision
    said = np.asarray(model.predict(X))
    result: Floats = (said[:, None] == classes[None, :]).astype(float)
    return result


def fitted_slope(score: Floats, codes: NDArray[np.intp], scaling: str = "cross_entropy") -> float:
    """The slope ``a >= 0`` for which ``softmax(a * score)`` has the least cross-entropy.

    With ``scaling="squared_error"``, the one with the least sum of squared errors.

    Each row counts as its class with ``(n + 1) / (n + n_classes)`` and as another one with the
    rest, so that scores without an error have a finite slope.
    """
    n, n_classes = score.shape
    target = np.full(score.shape, 1 / (n + n_classes))
    target[np.arange(n), codes] += n / (n + n_classes)
    if scaling == "squared_error":
        return _least_squares_slope(score, target)
    wanted = float((target * score).sum())

    def ascent(slope: float) -> float:
        """Derivative of the cross-entropy, which is convex in the slope."""
        return float((softmax(slope * score, axis=1) * score).sum()) - wanted

    if ascent(0.0) >= 0:
        return 0.0
    high = 1.0
    while ascent(high) < 0:
        high *= 2
    return float(brentq(ascent, 0.0, high))


def _least_squares_slope(score: Floats, target: Floats) -> float:
    """The slope whose probabilities have the least squared distance to the targets."""
    spread = float(score.std())
    if not spread:
        return 0.0

    def squared_error(slope: float) -> float:
        return float(((softmax(slope * score, axis=1) - target) ** 2).sum())

    # the error is not convex: the best of a grid first, then between its neighbours
    grid = np.concatenate([[0.0], np.geomspace(1e-3, 1e3, 61) / spread])
    errors = [squared_error(slope) for slope in grid]
    best = int(np.argmin(errors))
    bounds = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = minimize_scalar(squared_error, bounds=bounds, method="bounded")
    return float(found.x) if found.fun < errors[best] else float(grid[best])


def _slope(learner: Any, model: Any, X: Any, y: NDArray[Any], seed: int, scaling: str) -> float:
    """The slope on rows that the learner was not fitted to, where there are enough of them."""
    present, codes = np.unique(y, return_inverse=True)
    n_folds = min(_FOLDS, int(np.bincount(codes).min()))
    if n_folds < 2:
        return fitted_slope(scores(model, X, present), codes, scaling)
    score = np.zeros((len(y), len(present)))
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    for train, test in folds.split(np.zeros(len(y)), codes):
        fold = seeded(learner, seed)
        fold.fit(_safe_indexing(X, train), y[train])
        score[test] = scores(fold, _safe_indexing(X, test), present)
    return fitted_slope(score, codes, scaling)


def last_step(model: Any) -> Any:
    """The learner itself, without the steps of a pipeline before it."""
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def before_last(model: Any, X: Any) -> Any:
    """The table as the last step of a pipeline sees it."""
    return model[:-1].transform(X) if isinstance(model, Pipeline) and len(model) > 1 else X


def _rows_behind(model: Any, X: Any, n_rows: int) -> Floats:
    """The number of training rows that each probability rests on."""
    tree = last_step(model)
    if not isinstance(tree, DecisionTreeClassifier):
        return np.array([float(n_rows)])
    leaves = tree.apply(before_last(model, X))
    result: Floats = np.asarray(tree.tree_.n_node_samples, dtype=float)[leaves]
    return result
