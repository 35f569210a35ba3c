"""Responsibilities of the parts of a mixture, and the bound that ``tau`` sets on them.

Part 0 is the global model, the others are local models. Everything is computed in logarithms: two
densities of 50 columns easily differ by a factor that no float can hold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

Floats = NDArray[np.float64]

#: Halvings of an interval of log odds: after them it has no float inside.
_BISECTIONS = 200


def log_responsibilities(log_prior: Floats, log_likelihood: Floats) -> Floats:
    """Logarithms of the responsibilities, rows that sum to one.

    Parameters
    ----------
    log_prior : ndarray of shape (n_parts,)
        Logarithm of ``P(z = j)``.
    log_likelihood : ndarray of shape (n_samples, n_parts)
        Logarithm of ``P(x | z = j)``, or of ``P(x, y | z = j)``.

    Returns
    -------
    ndarray of shape (n_samples, n_parts)
        Logarithm of ``P(z = j | x)``, or of ``P(z = j | x, y)``.
    """
    joint = log_likelihood + log_prior
    result: Floats = joint - logsumexp(joint, axis=1, keepdims=True)
    return result


@dataclass(frozen=True)
class Adjusted:
    """Priors that respect ``tau``, and the responsibilities that follow from them."""

    log_prior: Floats
    log_responsibility: Floats

    @property
    def local_share(self) -> float:
        """Mean responsibility of all local models together."""
        return local_share(np.exp(self.log_responsibility))


def local_share(responsibility: Floats) -> float:
    """Mean responsibility of all parts but the first."""
    return float(responsibility[:, 1:].sum(axis=1).mean())


def adjusted(log_prior: Floats, log_likelihood: Floats, *, tau: float, rule: str) -> Adjusted:
    """Estimate the priors anew and raise that of the global model as far as ``tau`` asks.

    Parameters
    ----------
    log_prior : ndarray of shape (n_parts,)
        Priors of the step before.
    log_likelihood : ndarray of shape (n_samples, n_parts)
    tau : float
        Greatest share of the local models: ``0 < tau < 1``.
    rule : {"posterior", "prior"}
        "posterior" raises the log odds of the global model until the mean responsibility of the
        others over the rows is at most ``tau``. "prior" is the rule as published: the prior itself
        is raised to ``1 - tau``, which leaves the mean responsibility free.

    Returns
    -------
    Adjusted
    """
    mean = np.exp(log_responsibilities(log_prior, log_likelihood)).mean(axis=0)
    # a part that no row belongs to keeps a prior from which it can come back
    mean = np.maximum(mean, np.finfo(float).tiny)
    if rule == "prior":
        if mean[0] < 1 - tau:
            others = mean[1:] * (tau / mean[1:].sum())
            mean = np.concatenate([[1 - tau], others])
        prior = np.log(mean / mean.sum())
        return Adjusted(prior, log_responsibilities(prior, log_likelihood))
    prior = _raised(np.log(mean / mean.sum()), log_likelihood, tau)
    return Adjusted(prior, log_responsibilities(prior, log_likelihood))


def _raised(log_prior: Floats, log_likelihood: Floats, tau: float) -> Floats:
    """The prior with the least shift of its first log odds that keeps ``tau``."""

    def shifted(by: float) -> Floats:
        moved = log_prior + np.concatenate([[by], np.zeros(len(log_prior) - 1)])
        result: Floats = moved - logsumexp(moved)
        return result

    def enough(by: float) -> bool:
        return local_share(np.exp(log_responsibilities(shifted(by), log_likelihood))) <= tau

    if enough(0.0):
        return shifted(0.0)
    # with this shift the bound holds in every single row
    against = logsumexp(log_likelihood[:, 1:] + log_prior[1:], axis=1)
    deficit = against - (log_likelihood[:, 0] + log_prior[0])
    high = max(float(deficit.max()) + math.log((1 - tau) / tau), 0.0) + 1.0
    while not enough(high):  # rounding only
        high += 1.0
    low = 0.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    # the upper end: there the bound was seen to hold
    return shifted(high)


def least_global_rows(n_samples: int, tau: float) -> int:
    """Number of rows that the global model is fitted to at least: ``ceil((1 - tau) * n)``."""
    return math.ceil(n_samples * (1 - tau) - 1e-9)


def batches(log_responsibility: Floats, tau: float) -> NDArray[np.intp]:
    """The part that each row is given to: the most responsible one.

    Where that leaves the global model fewer than ``ceil((1 - tau) * n)`` rows, it takes those of
    the others for which its own responsibility is largest.

    Parameters
    ----------
    log_responsibility : ndarray of shape (n_samples, n_parts)
    tau : float

    Returns
    -------
    ndarray of shape (n_samples,)
        Position of a part; 0 is the global model, which also wins ties.
    """
    owner: NDArray[np.intp] = log_responsibility.argmax(axis=1)
    missing = least_global_rows(len(owner), tau) - int((owner == 0).sum())
    if missing > 0:
        local = np.flatnonzero(owner != 0)
        advantage = log_responsibility[local, 0] - log_responsibility[local, owner[local]]
        owner[local[np.argsort(-advantage, kind="stable")[:missing]]] = 0
    return owner


def mixed(responsibility: Floats, proba: Any) -> Floats:
    """Probabilities of the mixture: each part's, weighted by its responsibility.

    Parameters
    ----------
    responsibility : ndarray of shape (n_samples, n_parts)
    proba : array-like of shape (n_parts, n_samples, n_classes)

    Returns
    -------
    ndarray of shape (n_samples, n_classes)
    """
    result: Floats = np.einsum("ij,jik->ik", responsibility, np.asarray(proba))
    return result
