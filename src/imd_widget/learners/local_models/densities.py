"""Densities of the regions where a part of the mixture is responsible.

They see the table as numbers of mean 0 and variance 1 (`TableEncoder`), which is why a scale can be
bounded from below by a constant: a batch of equal rows would otherwise have an infinite density.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp
from scipy.stats import chi2
from sklearn.base import BaseEstimator
from sklearn.covariance import LedoitWolf, MinCovDet
from sklearn.utils import check_random_state

from imd_widget.learners.local_models.kmedoids import kmedoids

Floats = NDArray[np.float64]


class KMedoidsDensity(BaseEstimator):
    """A medoid with an isotropic Gaussian of its own scale, or several of them.

    The scale is robust: the median distance from the medoid, divided by what that median is for a
    Gaussian of scale 1. A minority of rows from elsewhere moves neither medoid nor scale far.

    Parameters
    ----------
    n_clusters : int, default=1
        Medoids of one density; more than one make a mixture with the shares of their rows.
    min_scale : float, default=0.01
        Least scale.
    random_state : int, RandomState or None, default=None
        Draws the rows that are tried as medoids where there are more than 1,000.

    Attributes
    ----------
    medoids_ : ndarray of shape (n_clusters, n_columns)
    scales_ : ndarray of shape (n_clusters,)
    shares_ : ndarray of shape (n_clusters,)
    """

    def __init__(
        self, n_clusters: int = 1, *, min_scale: float = 0.01, random_state: Any = None
    ) -> None:
        self.n_clusters = n_clusters
        self.min_scale = min_scale
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Find the medoids and their scales."""
        X = np.asarray(X, dtype=float)
        found = kmedoids(X, self.n_clusters, check_random_state(self.random_state))
        self.medoids_ = X[found.medoids]
        typical = chi2.median(X.shape[1])
        scales, shares = [], []
        for at, medoid in enumerate(self.medoids_):
            rows = X[found.labels == at]
            squared = ((rows - medoid) ** 2).sum(axis=1)
            scales.append(np.sqrt(np.median(squared) / typical))
            shares.append(len(rows) / len(X))
        self.scales_ = np.maximum(scales, self.min_scale)
        self.shares_ = np.array(shares)
        return self

    def score_samples(self, X: Any) -> Floats:
        """Logarithm of the density at each row."""
        X = np.asarray(X, dtype=float)
        n_columns = X.shape[1]
        terms = [
            np.log(share)
            - n_columns * (np.log(scale) + 0.5 * np.log(2 * np.pi))
            - ((X - medoid) ** 2).sum(axis=1) / (2 * scale**2)
            for medoid, scale, share in zip(self.medoids_, self.scales_, self.shares_, strict=True)
        ]
        result: Floats = logsumexp(terms, axis=0)
        return result


class GaussianDensity(BaseEstimator):
    """A Gaussian with the mean and the covariance of the rows, shrunk after Ledoit and Wolf.

    Parameters
    ----------
    min_variance : float, default=1e-4
        Added to each variance.

    Attributes
    ----------
    mean_ : ndarray of shape (n_columns,)
    covariance_ : ndarray of shape (n_columns, n_columns)
    """

    def __init__(self, *, min_variance: float = 1e-4) -> None:
        self.min_variance = min_variance

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 (scikit-learn's signature)
        """Estimate mean and covariance."""
        X = np.asarray(X, dtype=float)
        self.mean_, covariance = self._estimate(X)
        self.covariance_ = covariance + self.min_variance * np.eye(X.shape[1])
        self._lower = np.linalg.cholesky(self.covariance_)
        return self

    def _estimate(self, X: Floats) -> tuple[Floats, Floats]:
        """Mean and covariance."""
        single = len(X) == 1
        covariance = np.zeros((X.shape[1],) * 2) if single else LedoitWolf().fit(X).covariance_
        return X.mean(axis=0), covariance

    def score_samples(self, X: Any) -> Floats:
        """Logarithm of the density at each row."""
        X = np.asarray(X, dtype=float)
        white = np.linalg.solve(self._lower, (X - self.mean_).T)
        log_volume = np.log(np.diag(self._lower)).sum() + 0.5 * X.shape[1] * np.log(2 * np.pi)
        result: Floats = -0.5 * (white**2).sum(axis=0) - log_volume
        return result


class MCDDensity(GaussianDensity):
    """A Gaussian with the mean and the covariance of the rows that lie closest together.

    It is the minimum covariance determinant, for a few continuous columns. A batch with fewer than
    ``5 * n_columns`` rows, or one whose rows lie in a plane, has the density of `GaussianDensity`.

    Parameters
    ----------
    min_variance : float, default=1e-4
        Added to each variance.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    mean_ : ndarray of shape (n_columns,)
    covariance_ : ndarray of shape (n_columns, n_columns)
    """

    def __init__(self, *, min_variance: float = 1e-4, random_state: Any = None) -> None:
        super().__init__(min_variance=min_variance)
        self.random_state = random_state

    def _estimate(self, X: Floats) -> tuple[Floats, Floats]:
        n_samples, n_columns = X.shape
        flat = n_samples < 5 * n_columns or np.linalg.matrix_rank(X - X.mean(axis=0)) < n_columns
        if flat:
            return super()._estimate(X)
        with warnings.catch_warnings():
            # a subset whose rows lie in a plane; the variance that is added repairs it
            warnings.simplefilter("ignore")
            found = MinCovDet(random_state=self.random_state).fit(X)
        return found.location_, found.covariance_
