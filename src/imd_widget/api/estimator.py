"""The joint surrogate tree as a scikit-learn estimator."""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from imd_widget._base.errors import Argument, InputError
from imd_widget.api.diff import diff
from imd_widget.comparison.confusion import Confusion
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.options import (
    METHOD_OPTIONS,
    OPTIONS,
    DiffOptions,
    check_names,
    parameters,
)
from imd_widget.data.distinct_names import check_distinct_names
from imd_widget.data.table import open_table
from imd_widget.data.weights import checked_weight
from imd_widget.models.adapters import ModelOutput
from imd_widget.models.coercion import as_output
from imd_widget.outputs.reading import ComparisonInput, OutputOptions, compare_outputs
from imd_widget.rules.rule import RuleSet
from imd_widget.tree.joint_tree import JointTree

#: Options of `imd_widget.diff` that the estimator has.
PARAMETERS = tuple(
    name
    for name in OPTIONS
    if name in ("method", "max_bins", "outputs", "tolerance", "class_names", "dissimilarity")
    or (name in METHOD_OPTIONS and name not in ("given", "augment"))
)


class JointSurrogateTree(BaseEstimator):
    """Two surrogates with a shared part, and the rules for where two models differ.

    The estimator is fitted to the outputs of two models: the two columns of ``Y``. `score` is the
    F1 of the rows that the rules predict to differ, so that a grid search selects the parameters
    that describe the differences best.

    Parameters
    ----------
    max_depth, method, alpha, diff_weight, min_samples_leaf, rule_cost, max_rules, sensitivity
        See `imd_widget.diff`.
    max_bins, outputs, tolerance, class_names, dissimilarity
        See `imd_widget.diff`; for probabilities, ``Y`` holds those of one class. Set the tolerance
        when cross-validating values: by default it is estimated from the training rows.

    Attributes
    ----------
    diff_ : ModelDiff
        The fitted diff, without holdout rows.
    tree_ : JointTree
    rules_ : RuleSet
    tolerance_ : float or None
        Two outputs differ if ``abs(output_1 - output_2) > tolerance_``; None for classes.
    n_features_in_ : int
        Number of columns of ``X``.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all of them are text.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from imd_widget import JointSurrogateTree
    >>> X = np.arange(200).reshape(100, 2)
    >>> Y = np.column_stack([X[:, 0] < 80, X[:, 0] < 120])
    >>> search = GridSearchCV(JointSurrogateTree(), {"max_depth": [1, 2]}).fit(X, Y)
    >>> search.best_params_
    {'max_depth': 2}
    """

    def __init__(self, **options: Unpack[DiffOptions]) -> None:
        check_names("JointSurrogateTree", options, PARAMETERS)
        for name in PARAMETERS:
            setattr(self, name, options.get(name, OPTIONS[name].default))

    # scikit-learn reads the names of the parameters from here
    __init__.__signature__ = Signature(  # type: ignore[attr-defined]
        [Parameter("self", Parameter.POSITIONAL_ONLY), *parameters(PARAMETERS)]
    )

    def fit(self, X: Any, Y: Any, sample_weight: Any = None) -> JointSurrogateTree:
        """Fit the joint tree and its rules to the outputs of two models.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        Y : array of shape (n_samples, 2)
            The outputs of model 1 and of model 2.
        sample_weight : array of shape (n_samples,), optional

        Returns
        -------
        self
        """
        _check_table(X)
        m1, m2 = _columns_of(Y, type(self).__name__)
        _check_rows(m1, open_table(X).n_rows)
        fitted = diff(m1, m2, X, test_size=0, sample_weight=sample_weight, **self.get_params())
        validate_data(self, X, skip_check_array=True)
        self.diff_: ModelDiff = fitted
        self.tree_: JointTree = fitted.tree
        self.rules_: RuleSet = fitted.rules
        self.tolerance_ = fitted.tolerance
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the outputs of both models for each row: shape (n_samples, 2)."""
        check_is_fitted(self)
        return self.tree_.predict(self._validated(X))

    def predict_diff(self, X: Any) -> NDArray[np.bool_]:
        """Predict whether the models differ on each row: shape (n_samples,)."""
        check_is_fitted(self)
        return self.diff_.predict(self._validated(X))

    def score(self, X: Any, Y: Any, sample_weight: Any = None) -> float:
        """Return the F1 of `predict_diff` against the rows on which the models differ."""
        check_is_fitted(self)
        claimed = self.predict_diff(X)
        differs = self._differs(*_columns_of(Y, type(self).__name__), len(claimed))
        weight = np.ones(len(claimed))
        if sample_weight is not None:
            weight = checked_weight(sample_weight, len(claimed), Argument("sample_weight"))
        return Confusion.of(claimed, differs, weight).f1

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _validated(self, X: Any) -> Any:
        """Return ``X`` if it has the columns that were fitted; raise an error otherwise."""
        _check_table(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return X

    def _differs(self, m1: Any, m2: Any, n_rows: int) -> NDArray[np.bool_]:
        """Return a mask of the rows on which the outputs differ, compared as in `fit`."""
        _check_rows(m1, n_rows)
        model_outputs = tuple(
            ModelOutput(as_output(column, n_rows, f"column {side} of Y"), f"column {side} of Y")
            for side, column in enumerate((m1, m2))
        )
        output_options = OutputOptions(
            self.diff_.outputs, self.tolerance_, dissimilarity=self.dissimilarity
        )
        every = np.ones(n_rows, dtype=bool)
        both = (model_outputs[0], model_outputs[1])
        compared = compare_outputs(ComparisonInput(both, output_options, every, n_rows))
        return np.asarray(compared.observations.outcome > 0)


def _check_table(X: Any) -> None:
    """Raise the errors whose texts scikit-learn's estimator checks require."""
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) == 1:
        open_table(X)
    if hasattr(X, "columns"):
        check_distinct_names(open_table(X).names)
    if len(shape) == 2 and shape[1] == 0:
        raise InputError(
            f"Found array with 0 feature(s) (shape={tuple(shape)}) while a minimum of 1 is "
            "required: at least one column is needed to describe where two models differ."
        )


def _check_rows(column: Any, n_rows: int) -> None:
    if len(column) != n_rows:
        raise InputError(f"Y has {len(column)} rows, X has {n_rows}: one for each is needed.")


def _columns_of(Y: Any, name: str) -> tuple[Any, Any]:
    if Y is None:
        raise InputError(
            f"This {name} estimator requires y to be passed, but the target y is None. It takes "
            "two columns: the outputs of model 1 and of model 2 for each row."
        )
    if isinstance(Y, pd.DataFrame) and Y.shape[1] == 2:
        return Y.iloc[:, 0], Y.iloc[:, 1]
    rows = Y if isinstance(Y, list | tuple) else []
    if rows and all(isinstance(row, list | tuple) and len(row) == 2 for row in rows):
        return [row[0] for row in rows], [row[1] for row in rows]  # no number becomes text
    array = np.asarray(Y)
    if array.ndim != 2 or array.shape[1] != 2:
        raise InputError(
            f"Y has the shape {array.shape}: two columns are needed, what model 1 and what model 2 "
            "for each row: np.column_stack([m1.predict(X), m2.predict(X)])."
        )
    return array[:, 0], array[:, 1]
