"""K-LIME: a linear model of both models in each cluster of rows, and its reason codes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.frozen import FrozenArrays
from imd_widget._base.optional import importing
from imd_widget.data.sampling import holdout_rows
from imd_widget.explanations.fidelity import SurrogateFit, fit_of
from imd_widget.explanations.selection import FEWEST_ROWS
from imd_widget.explanations.surrogate_data import SurrogateData

#: Numbers of clusters that are tried.
CANDIDATES = (1, 2, 3, 4, 6, 8, 12, 16)
#: A larger number of clusters must raise R² by more than this.
WORTH = 0.005
#: Strength of the ridge, in rows: columns that say the same share what they say.
RIDGE = 1.0


@dataclass(frozen=True, eq=False)
class LinearModel(FrozenArrays):
    """``intercept + coefficients @ (features - center)``, for both models and the difference.

    Attributes
    ----------
    center : ndarray of shape (n_features,)
        Mean of the features over the rows of the cluster.
    intercepts : ndarray of shape (3,)
        Mean score of model 1 and of model 2 there, and the difference of the two.
    coefficients : ndarray of shape (3, n_features)
        Of the standardised features. Those of the difference are the difference of those of the
        models: least squares and ridge are linear in the target.
    rows : int
        Number of rows of the cluster that are fitted.
    is_global : bool
        Whether the cluster has fewer than 20 rows and takes the model of all rows.
    """

    center: NDArray[np.float64]
    intercepts: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    rows: int
    is_global: bool = False

    def predict(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Predictions of both models and of the difference: shape (n_rows, 3)."""
        return np.asarray(self.intercepts + (features - self.center) @ self.coefficients.T)


def linear_model(
    features: NDArray[np.float64], scores: NDArray[np.float64], weights: NDArray[np.float64]
) -> LinearModel:
    """Fit a ridge regression to the scores of both models, both in one system.

    Parameters
    ----------
    features : ndarray of shape (n_rows, n_features)
    scores : ndarray of shape (n_rows, 2)
    weights : ndarray of shape (n_rows,)
    """
    share = weights / weights.sum()
    center = share @ features
    middle = share @ scores
    centred = features - center
    # the ridge counts as rows: weights are scaled so that an average row counts 1
    own = weights * (len(weights) / weights.sum())
    gram = (centred * own[:, None]).T @ centred
    gram[np.diag_indices_from(gram)] += RIDGE
    right = (centred * own[:, None]).T @ (scores - middle)
    first, second = np.linalg.solve(gram, right).T if len(gram) else np.empty((2, 0))
    return LinearModel(
        center,
        np.array([middle[0], middle[1], middle[0] - middle[1]]),
        np.stack([first, second, first - second]),
        len(features),
    )


@dataclass(frozen=True, eq=False)
class Clustering(FrozenArrays):
    """How rows are put into clusters, by their features."""

    centers: NDArray[np.float64]

    def numbers(self, features: NDArray[np.float64]) -> NDArray[np.intp]:
        """Number of the nearest center of each row, the first of ties."""
        squares = (self.centers**2).sum(axis=1) - 2 * features @ self.centers.T
        return np.asarray(squares.argmin(axis=1))


@dataclass(frozen=True, eq=False)
class KLime(FrozenArrays):
    """Local linear models of both models, one for each cluster of rows or segment.

    Attributes
    ----------
    k : int
        Number of clusters; of segments, if the user gave them.
    chosen_by : dict of int to float
        R² of each number of clusters that was tried, over both models and the difference together,
        on rows that were neither fitted nor used to measure; empty for segments.
    models : tuple of LinearModel
        One for each cluster.
    global_model : LinearModel
        The model of all rows.
    clusters : ndarray of shape (n_rows,)
        Cluster of each row of the data.
    clustering : Clustering
        Puts a row into its cluster; not used with segments.
    segments : tuple
        Names of the segments; empty if the clusters were found by k-means.
    fits : tuple of three SurrogateFit
        How well model 1, model 2 and the difference are predicted on the rows kept aside.
    cluster_r2 : ndarray of shape (k, 3)
        R² of each cluster on the rows kept aside; NaN if there are fewer than 20 of them, or if the
        target hardly varies there.
    """

    k: int
    chosen_by: dict[int, float]
    models: tuple[LinearModel, ...]
    global_model: LinearModel
    clusters: NDArray[np.intp]
    clustering: Clustering
    segments: tuple[Any, ...]
    fits: tuple[SurrogateFit, SurrogateFit, SurrogateFit]
    cluster_r2: NDArray[np.float64]

    def predicted(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Predictions of the rows of the data, each by the model of its cluster: (n_rows, 3)."""
        return _predicted(self.models, features, self.clusters)

    def reasons(
        self, features: NDArray[np.float64], cluster: int, owner: NDArray[np.intp], n: int
    ) -> NDArray[np.float64]:
        """Reason codes of one row: shape (3, n), by column.

        ``coefficient * (feature - mean of the cluster)``, added up by the column that a feature was
        made from. With the intercept they sum to the prediction.
        """
        model = self.models[cluster]
        by_feature = model.coefficients * (features - model.center)
        return np.stack([np.bincount(owner, weights=own, minlength=n) for own in by_feature])


def fit_klime(
    data: SurrogateData, segments: NDArray[np.intp] | None, names: tuple[Any, ...], seed: int
) -> KLime:
    """Fit K-LIME; the number of clusters is chosen by R² on rows that are not fitted.

    Parameters
    ----------
    data : SurrogateData
    segments : ndarray of shape (n_rows,) or None
        Segment of each row of the data, from the user; None: clusters by k-means.
    names : tuple
        Names of the segments.
    seed : int
    """
    features, fit = data.linear.matrix, ~data.aside
    chosen_by: dict[int, float] = {}
    if segments is not None:
        k, clustering, clusters = len(names), Clustering(features[:0]), segments
    else:
        chosen_by = _tried(data, seed)
        best = max(chosen_by.values())
        k = min(k for k, r2 in chosen_by.items() if r2 >= best - WORTH)
        clustering = _clustering(features[fit], data.weights[fit], k, seed)
        clusters = clustering.numbers(features)
    models, whole = _models(data, clusters, k, fit)
    predicted = _predicted(models, features, clusters)
    fits = tuple(data.measured(target, predicted[:, target]) for target in range(3))
    return KLime(
        k,
        chosen_by,
        models,
        whole,
        clusters,
        clustering,
        names,
        (fits[0], fits[1], fits[2]),
        _r2_by_cluster(data, predicted, clusters, k),
    )


def _tried(data: SurrogateData, seed: int) -> dict[int, float]:
    """R² of each number of clusters, on a part of the rows that are not kept aside."""
    features = data.linear.matrix
    fit = ~data.aside
    places = np.flatnonzero(fit)
    judged = np.zeros(len(fit), dtype=bool)
    judged[places[holdout_rows(len(places), 0.25, seed + 2)]] = True
    fitted = fit & ~judged
    distinct = len(np.unique(features[fitted], axis=0))
    found: dict[int, float] = {}
    for k in CANDIDATES:
        if k > 1 and (k > distinct or fitted.sum() < 2 * FEWEST_ROWS * k):
            break
        clustering = _clustering(features[fitted], data.weights[fitted], k, seed)
        clusters = clustering.numbers(features)
        models, _ = _models(data, clusters, k, fitted)
        predicted = _predicted(models, features, clusters)
        found[k] = _joint_r2(data, predicted, judged if judged.any() else fitted)
    return found


def _joint_r2(
    data: SurrogateData, predicted: NDArray[np.float64], rows: NDArray[np.bool_]
) -> float:
    """R² over both models and the difference together: squared errors are added up."""
    weights, targets = data.weights[rows], data.targets[rows]
    error = weights @ (targets - predicted[rows]) ** 2
    mean = weights @ targets / weights.sum()
    total = float((weights @ (targets - mean) ** 2).sum())
    varies = np.sqrt(total / weights.sum()) > data.precision
    return 1 - float(error.sum()) / total if varies else 1.0


def _clustering(
    features: NDArray[np.float64], weights: NDArray[np.float64], k: int, seed: int
) -> Clustering:
    if k == 1:
        return Clustering(np.average(features, axis=0, weights=weights)[None, :])
    with importing("explaining"):
        from sklearn.cluster import KMeans
        from sklearn.exceptions import ConvergenceWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # nearly equal rows
        found = KMeans(k, n_init=1, random_state=seed).fit(features, sample_weight=weights)
    return Clustering(np.asarray(found.cluster_centers_, dtype=float))


def _models(
    data: SurrogateData, clusters: NDArray[np.intp], k: int, fit: NDArray[np.bool_]
) -> tuple[tuple[LinearModel, ...], LinearModel]:
    features, scores, weights = data.linear.matrix, data.targets[:, :2], data.weights
    whole = linear_model(features[fit], scores[fit], weights[fit])
    models = []
    for cluster in range(k):
        rows = fit & (clusters == cluster)
        if rows.sum() < FEWEST_ROWS:
            small = LinearModel(
                whole.center, whole.intercepts, whole.coefficients, int(rows.sum()), True
            )
            models.append(small)
        else:
            models.append(linear_model(features[rows], scores[rows], weights[rows]))
    return tuple(models), whole


def _predicted(
    models: tuple[LinearModel, ...], features: NDArray[np.float64], clusters: NDArray[np.intp]
) -> NDArray[np.float64]:
    found = np.empty((len(features), 3))
    for cluster, model in enumerate(models):
        rows = clusters == cluster
        found[rows] = model.predict(features[rows])
    return found


def _r2_by_cluster(
    data: SurrogateData, predicted: NDArray[np.float64], clusters: NDArray[np.intp], k: int
) -> NDArray[np.float64]:
    found = np.full((k, 3), np.nan)
    for cluster in range(k):
        rows = data.aside & (clusters == cluster)
        if rows.sum() >= FEWEST_ROWS:
            found[cluster] = [
                np.nan if fit.r2 is None else fit.r2
                for fit in (
                    fit_of(
                        data.targets[rows, own],
                        predicted[rows, own],
                        data.weights[rows],
                        data.precision,
                    )
                    for own in range(3)
                )
            ]
    return found
