"""The three networks h, f and g: their parameters, and their outputs in NumPy or in JAX.

``xp`` is the module that computes, ``numpy`` or ``jax.numpy``: training and growing a tree run the
same lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Parameters = dict[str, NDArray[np.float32]]
#: An array of NumPy or of JAX.
Array = Any

#: Layers of h, as in the paper.
N_LAYERS = 4
#: Hidden units of the network that scores candidates.
SCORER = 32
#: A weight nearer to 0 than this counts as this: thresholds are divided by it.
SMALLEST_WEIGHT = 1e-6
#: Added to the score of a feature that may not be used again on a path.
FORBIDDEN = -1e9
#: Numbers in the summary of a set of examples, besides two for each target.
SUMMARY = 2
#: Networks see the bounds of a node within so many standard deviations of the mean.
FARTHEST_BOUND = 2.0
#: Name of the parameter that weighs the scores of candidates.
TRUST = "trust.w"
#: Name of the logarithm of the number of examples that g counts for in a leaf, and its first value.
PRIOR, FIRST_PRIOR = "prior.log", 2.5


@dataclass(frozen=True)
class Architecture:
    """The form of the networks and of the trees that they grow."""

    n_features: int
    #: Width of the target as h sees it: 1 for numbers and for two classes, else one column for each
    #: class.
    n_targets: int
    #: Values in a leaf: 1 for numbers, else one for each class.
    n_outputs: int
    #: The range of a leaf's number; not used for classes.
    low: float
    high: float
    #: Questions on the longest path.
    depth: int = 3
    #: Whether a node that would leave one of its children without examples becomes a leaf.
    dynamic: bool = False
    #: Units of the layers of h; of the hidden layer of f and of g.
    width: int = 128
    hidden: int = 64
    #: Whether g gives the value of a leaf, or the mean target of its examples.
    leaves: Literal["network", "mean"] = "network"
    #: Whether f and g also see the mean embedding of all examples of the group.
    context: bool = True
    #: Whether f gives beta, or beta is 1.
    softness: Literal["learned", "fixed"] = "learned"
    #: Whether w may have negative entries; otherwise it is a softmax.
    signed: bool = False
    #: Questions about one feature on a path; None for no limit.
    max_repeats: int | None = None
    #: Features and standardised thresholds: f sees how well each of them separates the targets of a
    #: node's examples. Without any, f is that of the paper.
    candidates: tuple[tuple[int, float], ...] = ()
    #: Whether f and g also see the mean, the spread and the number of the targets, and the bounds
    #: of the node, and the value of a leaf is the mean target of its examples, drawn towards g. A
    #: mean embedding has neither the number nor the place of a node without examples.
    summaries: bool = False
    #: How far a threshold may lie from the mean of the candidates, in standard deviations; None for
    #: no limit. Without one it can leave the data for ever: then no row has a gradient.
    max_shift: float | None = None

    @property
    def n_embedded(self) -> int:
        """Numbers that f and g see of a node."""
        own = self.width + (2 * self.n_targets + SUMMARY if self.summaries else 0)
        bounds = 2 * self.n_features if self.summaries else 0
        return own * (2 if self.context else 1) + bounds


class Rules(NamedTuple):
    """Decision rules of nodes: ``beta * (w @ x - b) >= 0`` leads to the second child.

    ``own`` is the part of b that belongs to each feature, of shape (n_nodes, n_features), or None:
    the threshold of a rule with one feature is its own part, or b, divided by its weight.
    """

    w: Array
    b: Array
    beta: Array
    own: Array | None


class Pooled(NamedTuple):
    """What is known of a set of examples, for each of several sets."""

    #: Mean of the embeddings.
    h: Array
    #: Means of `split_moments`.
    moments: Array
    #: Examples in the set.
    counts: Array
    #: For a node, the lower and then the upper bounds of the features; see `child_bounds`.
    bounds: Array | None = None


def initial_parameters(
    architecture: Architecture, rng: np.random.Generator, mean: Any
) -> Parameters:
    """Random parameters (He et al.); an untrained leaf has about the value ``mean``.

    Parameters
    ----------
    mean : array of shape (n_outputs,)
        Mean target, or the frequency of each class.
    """
    a = architecture
    parameters: Parameters = {}
    for name, (n_in, n_out) in _layer_sizes(a).items():
        spread = np.sqrt((1.0 if name.endswith("1") and name[0] != "h" else 2.0) / n_in)
        parameters[f"{name}.w"] = rng.normal(0, spread, (n_in, n_out)).astype(np.float32)
        parameters[f"{name}.b"] = np.zeros(n_out, dtype=np.float32)
    if a.candidates:  # so that it begins with the questions that a tree of the group alone has
        parameters[TRUST] = np.ones(1, dtype=np.float32)
    if a.summaries:
        parameters[PRIOR] = np.full(1, FIRST_PRIOR, dtype=np.float32)
    parameters["f1.b"][-1] = 1.0  # beta: rules begin with a direction
    share = np.asarray(mean, dtype=float)
    if a.n_outputs == 1:
        share = np.clip((share - a.low) / (a.high - a.low), 0.01, 0.99)
        parameters["g1.b"][:] = np.log(share / (1 - share))
    else:
        parameters["g1.b"][:] = np.log(np.clip(share, 0.001, None))
    return parameters


def _layer_sizes(a: Architecture) -> dict[str, tuple[int, int]]:
    """Numbers of inputs and outputs of every layer, by name."""
    sizes = {f"h{layer}": (a.width, a.width) for layer in range(N_LAYERS)}
    sizes["h0"] = (a.n_features + a.n_targets * (1 + a.n_features), a.width)
    sizes |= {"f0": (a.n_embedded, a.hidden), "f1": (a.hidden, a.n_features + 2)}
    sizes |= {"g0": (a.n_embedded, a.hidden), "g1": (a.hidden, a.n_outputs)}
    if a.candidates:
        sizes["f1"] = (a.hidden, len(a.candidates) + 2)
        sizes |= {"s0": (4 * (2 * a.n_targets + 1), SCORER), "s1": (SCORER, 1)}
    return sizes


def parameter_shapes(architecture: Architecture) -> dict[str, tuple[int, ...]]:
    """The shape of every parameter, by name."""
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (n_in, n_out) in _layer_sizes(architecture).items():
        shapes |= {f"{name}.w": (n_in, n_out), f"{name}.b": (n_out,)}
    shapes |= {TRUST: (1,)} if architecture.candidates else {}
    return shapes | ({PRIOR: (1,)} if architecture.summaries else {})


def embed(parameters: Any, x: Array, y: Array, xp: Any) -> Array:
    """h: the embedding of each example, from its features, its target and their products."""
    products = (x[:, :, None] * y[:, None, :]).reshape(x.shape[0], -1)
    out = xp.concatenate([x, y, products], axis=1)
    for layer in range(N_LAYERS):
        out = out @ parameters[f"h{layer}.w"] + parameters[f"h{layer}.b"]
        if layer < N_LAYERS - 1:
            out = xp.maximum(out, 0)
    return out


def split_moments(x: Array, y: Array, architecture: Architecture, xp: Any) -> Array:
    """For each example its answer to every candidate, the products with the target, the target.

    Their means over the examples of a node measure how well each candidate separates them.
    """
    feature, threshold = _candidates(architecture)
    above = (x[:, feature] >= threshold).astype(x.dtype)
    products = (above[:, :, None] * y[:, None, :]).reshape(x.shape[0], -1)
    return xp.concatenate([above, products, y, y**2], axis=1)


def decision_rules(
    parameters: Any,
    whole: Pooled,
    node: Pooled,
    asked: Array | None,
    architecture: Architecture,
    xp: Any,
) -> Rules:
    """f: the rule of each node.

    Parameters
    ----------
    whole, node : Pooled
        All examples of the group, and those at the node; for each node.
    asked : array of shape (n_nodes, n_features) or None
        How often each feature was used on the way to the node.
    """
    a = architecture
    out = _two_layers(parameters, "f", _seen(whole, node, a, xp), xp)
    scores, b, beta = out[:, :-2], out[:, -2], out[:, -1]
    beta = beta if a.softness == "learned" else xp.ones_like(beta)
    if a.candidates:
        scores = scores + _evidence_scores(parameters, whole, node, a, xp)
    feature, threshold = _candidates(a)
    if asked is not None and a.max_repeats is not None:
        spent = asked >= a.max_repeats
        scores = xp.where(spent[:, feature] if a.candidates else spent, FORBIDDEN, scores)
    if a.signed:
        shares = xp.where(scores == FORBIDDEN, 0.0, scores)
    else:
        shares = _softmax(scores, xp)
    if not a.candidates:
        return Rules(shares, b, beta, None)
    of_feature = np.eye(a.n_features, dtype=np.float32)[feature]
    w = shares @ of_feature
    if a.max_shift is not None:
        b = a.max_shift * xp.tanh(b / a.max_shift)
    own = (shares * threshold) @ of_feature + b[:, None] * w
    return Rules(w, own.sum(axis=1), beta, own)


def _evidence_scores(
    parameters: Any, whole: Pooled, node: Pooled, a: Architecture, xp: Any
) -> Array:
    """A score for every candidate, by one small network, from how it separates the targets."""
    parts = []
    for pooled in (node, whole):
        n_candidates = len(a.candidates)
        share = pooled.moments[:, :n_candidates]
        rest = pooled.moments[:, n_candidates : -2 * a.n_targets]
        products = rest.reshape(-1, n_candidates, a.n_targets)
        mean = pooled.moments[:, -2 * a.n_targets : -a.n_targets]
        spread = pooled.moments[:, -a.n_targets :] - mean**2
        balance = share * (1 - share)
        covariance = products - share[:, :, None] * mean[:, None, :]
        gain = covariance**2 / (balance + 1e-3)[:, :, None]
        explained = gain / (spread + 1e-2)[:, None, :]
        log_count = xp.log1p(pooled.counts)[:, None] + 0 * share
        parts += [gain, explained, xp.sqrt(gain + 1e-6)]
        parts.append(xp.log1p(explained * pooled.counts[:, None, None]))
        parts += [balance[:, :, None], log_count[:, :, None] / 5]
        if pooled is node:
            strength = xp.sqrt((explained * pooled.counts[:, None, None]).mean(axis=2) + 1e-6)
    inner = xp.maximum(xp.concatenate(parts, axis=2) @ parameters["s0.w"] + parameters["s0.b"], 0)
    learned = (inner @ parameters["s1.w"] + parameters["s1.b"])[:, :, 0]
    return learned + parameters[TRUST] * strength


def _candidates(a: Architecture) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    feature = np.array([feature for feature, _ in a.candidates], dtype=np.intp)
    return feature, np.array([threshold for _, threshold in a.candidates], dtype=np.float32)


def _seen(whole: Pooled, node: Pooled, architecture: Architecture, xp: Any) -> Array:
    """What f and g see of nodes: r beside r_I, or r_I alone."""
    parts = [whole, node] if architecture.context else [node]
    seen = [pooled.h for pooled in parts]
    if architecture.summaries:
        seen += [*(_summary(pooled, architecture, xp) for pooled in parts), node.bounds]
    return xp.concatenate(seen, axis=1)


def first_bounds(n_groups: int, n_features: int, xp: Any) -> Array:
    """The bounds of the features at the root of each tree: shape (n_groups, 2 * n_features)."""
    ones = xp.ones((n_groups, n_features), dtype=np.float32)
    return xp.concatenate([-FARTHEST_BOUND * ones, FARTHEST_BOUND * ones], axis=1)


def child_bounds(bounds: Array, chosen: Array, threshold: Array, slope: Array, xp: Any) -> Array:
    """The bounds of the two children of each node, one after the other.

    Parameters
    ----------
    bounds : array of shape (n_nodes, 2 * n_features)
    chosen : array of shape (n_nodes, n_features)
        1 for the feature of the node's rule, else 0.
    threshold, slope : arrays of shape (n_nodes,)
        Values from the threshold on go to the second child if the slope is not negative.
    """
    n_features = chosen.shape[1]
    low, high = bounds[:, :n_features], bounds[:, n_features:]
    at = xp.clip(threshold, -FARTHEST_BOUND, FARTHEST_BOUND).astype(np.float32)[:, None]
    below = xp.concatenate([low, xp.where(chosen > 0, xp.minimum(high, at), high)], axis=1)
    above = xp.concatenate([xp.where(chosen > 0, xp.maximum(low, at), low), high], axis=1)
    up = (slope >= 0)[:, None]
    both = [xp.where(up, below, above), xp.where(up, above, below)]
    return xp.stack(both, axis=1).reshape(-1, bounds.shape[1])


def _summary(pooled: Pooled, architecture: Architecture, xp: Any) -> Array:
    """Mean and standard deviation of the targets of a set of examples, and its size, twice."""
    n_targets = architecture.n_targets
    mean = pooled.moments[:, -2 * n_targets : -n_targets]
    variance = xp.maximum(pooled.moments[:, -n_targets:] - mean**2, 0)
    count = pooled.counts[:, None]
    size = [xp.log1p(count) / 5, 1 / xp.sqrt(1 + count)]
    return xp.concatenate([mean, xp.sqrt(variance + 1e-6), *size], axis=1).astype(pooled.h.dtype)


def leaf_values(
    parameters: Any,
    whole: Pooled,
    node: Pooled,
    means: Array,
    architecture: Architecture,
    xp: Any,
) -> Array:
    """g, or its mean with the outcomes: the values of each node, of shape (n_nodes, n_outputs).

    Parameters
    ----------
    means : array of shape (n_nodes, n_outputs)
        The mean outcome of the examples at each node.
    """
    a = architecture
    out = _two_layers(parameters, "g", _seen(whole, node, a, xp), xp)
    if a.n_outputs > 1:
        values = _softmax(out, xp)
    else:
        values = a.low + (a.high - a.low) * sigmoid(out, xp)
    if not a.summaries:
        return values
    count, prior = node.counts[:, None], xp.exp(parameters[PRIOR])
    return (count * means + prior * values) / (count + prior)


def sigmoid(values: Array, xp: Any) -> Array:
    """The logistic function, without overflow."""
    return 0.5 * (xp.tanh(0.5 * values) + 1)


def _two_layers(parameters: Any, name: str, seen: Array, xp: Any) -> Array:
    inner = xp.maximum(seen @ parameters[f"{name}0.w"] + parameters[f"{name}0.b"], 0)
    return inner @ parameters[f"{name}1.w"] + parameters[f"{name}1.b"]


def _softmax(scores: Array, xp: Any) -> Array:
    powers = xp.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
