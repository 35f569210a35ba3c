"""Random forest surrogates: importance of columns, and contributions of columns to a row (LOCO)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.frozen import FrozenArrays
from imd_widget._base.optional import importing
from imd_widget.explanations.fidelity import SurrogateFit
from imd_widget.explanations.surrogate_data import SurrogateData

#: Trees of a forest, and rows in each of their leaves at least.
N_TREES, MIN_SAMPLES_LEAF = 50, 5
#: Fewer rows than this are looked up in one thread.
FEW_ROWS = 500


@dataclass(frozen=True, eq=False)
class ForestSurrogate(FrozenArrays):
    """A random forest fitted to one target: a model's scores, or the difference.

    Attributes
    ----------
    importance : ndarray of shape (n_columns,)
        Share of the decrease of squared error that each column's splits bring; they sum to 1, or
        to 0 if there is no split.
    baseline : float
        Mean over the trees of the mean at their root.
    fit : SurrogateFit
        How well it predicts the rows kept aside.
    """

    importance: NDArray[np.float64]
    baseline: float
    fit: SurrogateFit
    _trees: tuple[PathTree, ...]
    _estimator: Any

    def contributions(self, matrix: NDArray[np.float32]) -> NDArray[np.float64]:
        """Contributions of columns to the prediction for each row: shape (n_rows, n_columns).

        The change of the mean at each split on the path of a row, summed by the column that the
        split asks about, averaged over the trees. The baseline plus the sum over the columns is the
        prediction. LOCO with the sign of its source, the prediction without the column less the
        prediction, is the negative of it.
        """
        total = np.zeros((len(matrix), len(self.importance)))
        for tree, leaves in zip(self._trees, self._leaves(matrix), strict=True):
            total += tree.contributions[leaves]
        return total / len(self._trees)

    def predict(self, matrix: NDArray[np.float32]) -> NDArray[np.float64]:
        """Predictions for each row, as the mean over the trees, summed in a fixed order."""
        return _means(self._trees, self._leaves(matrix))

    def _leaves(self, matrix: NDArray[np.float32]) -> NDArray[np.intp]:
        """Leaf of each row in each tree: shape (n_trees, n_rows)."""
        return leaves_of(self._estimator, matrix)


def leaves_of(estimator: Any, matrix: NDArray[np.float32]) -> NDArray[np.intp]:
    """Return the leaf of each row in each tree of a forest: shape (n_trees, n_rows)."""
    if len(matrix) < FEW_ROWS:  # to start threads takes longer than the work
        return np.stack([own.tree_.apply(matrix) for own in estimator.estimators_])
    return np.asarray(estimator.apply(matrix)).T


def _means(trees: tuple[PathTree, ...], leaves: NDArray[np.intp]) -> NDArray[np.float64]:
    # scikit-learn's own predict adds up in the order in which its threads end
    total = np.zeros(leaves.shape[1])
    for tree, own in zip(trees, leaves, strict=True):
        total += tree.means[own]
    return total / len(trees)


@dataclass(frozen=True, eq=False)
class PathTree(FrozenArrays):
    """The mean at each node of a tree, and what each column contributes to it."""

    means: NDArray[np.float64]
    #: For each node: the changes of the mean on the path from the root, by column.
    contributions: NDArray[np.float64]


def path_tree(tree: Any, owner: NDArray[np.intp], n_columns: int) -> PathTree:
    """Return the contributions at each node of a tree of scikit-learn, from the root down."""
    means = np.asarray(tree.value[:, 0, 0], dtype=float)
    found = np.zeros((tree.node_count, n_columns))
    nodes = np.array([0])
    while len(nodes):
        nodes = nodes[tree.children_left[nodes] >= 0]
        columns = owner[tree.feature[nodes]]
        sides = []
        for children in (tree.children_left[nodes], tree.children_right[nodes]):
            found[children] = found[nodes]
            found[children, columns] += means[children] - means[nodes]
            sides.append(children)
        nodes = np.concatenate(sides)
    return PathTree(means, found)


def fit_forest(data: SurrogateData, target: int, random_state: int) -> ForestSurrogate:
    """Fit a forest to one target on the rows that are not kept aside."""
    with importing("explaining"):
        from sklearn.ensemble import RandomForestRegressor

    rows = ~data.aside
    owner, n_columns = data.tree_features.owner, len(data.described.columns)
    estimator = RandomForestRegressor(
        N_TREES,
        min_samples_leaf=MIN_SAMPLES_LEAF,
        max_features=max(1, -(-len(owner) // 3)),
        random_state=random_state,
        n_jobs=os.cpu_count() or 1,
    )
    estimator.fit(data.tree_matrix[rows], data.targets[rows, target], data.weights[rows])
    trees = tuple(path_tree(own.tree_, owner, n_columns) for own in estimator.estimators_)
    shares = np.asarray(estimator.feature_importances_, dtype=float)
    importance = np.bincount(owner, weights=shares, minlength=n_columns).astype(float)
    predicted = _means(trees, leaves_of(estimator, data.tree_matrix))
    return ForestSurrogate(
        importance,
        float(np.mean([tree.means[0] for tree in trees])),
        data.measured(target, predicted),
        trees,
        estimator,
    )
