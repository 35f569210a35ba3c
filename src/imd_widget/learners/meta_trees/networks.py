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
#: Hidden units of the network that scores features.
SCORER = 32
#: Added to the score of a feature that may not be asked about again.
FORBIDDEN = -1e9


@dataclass(frozen=True)
class Architecture:
    """The form of the networks and of the trees that they grow.

    Attributes
    ----------
    n_features : int
    n_targets : int
        Width of the target as h sees it: 1 for numbers and for two classes, else one column for
        each class.
    n_outputs : int
        Values in a leaf: 1 for numbers, else one for each class.
    low, high : float
        The range of a leaf's number; not used for classes.
    depth : int
        Questions on the longest path.
    dynamic : bool
        Whether a node that would leave one of its children without examples becomes a leaf.
    width, hidden : int
        Units of the layers of h; of the hidden layer of f and of g.
    leaves : {"network", "mean"}
        Whether g gives the value of a leaf, or the mean target of its examples.
    context : bool
        Whether f and g also see the mean embedding of all examples of the group.
    softness : {"learned", "fixed"}
        Whether f gives beta, or beta is 1.
    signed : bool
        Whether w may have negative entries; otherwise it is a softmax.
    max_repeats : int or None
        Questions about one feature on a path; None for no limit.
    """

    n_features: int
    n_targets: int
    n_outputs: int
    low: float
    high: float
    depth: int = 3
    dynamic: bool = False
    width: int = 128
    hidden: int = 64
    leaves: Literal["network", "mean"] = "network"
    context: bool = True
    softness: Literal["learned", "fixed"] = "learned"
    signed: bool = False
    max_repeats: int | None = None
    scorer: bool = False

    @property
    def n_pooled(self) -> int:
        """Numbers in the embedding of an example."""
        moments = self.n_features * (1 + self.n_targets) + self.n_targets
        return self.width + (moments if self.scorer else 0)

    @property
    def n_embedded(self) -> int:
        """Numbers that f and g see."""
        return self.n_pooled * (2 if self.context else 1)


class Rules(NamedTuple):
    """Decision rules of nodes: ``beta * (w @ x - b) >= 0`` leads to the second child."""

    w: Array
    b: Array
    beta: Array


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
    sizes = {f"h{layer}": (a.width, a.width) for layer in range(N_LAYERS)}
    sizes["h0"] = (a.n_features + a.n_targets * (1 + a.n_features), a.width)
    sizes |= {"f0": (a.n_embedded, a.hidden), "f1": (a.hidden, a.n_features + 2)}
    if a.scorer:
        n_moments = (2 if a.context else 1) * (1 + 2 * a.n_targets)
        sizes |= {"s0": (n_moments, SCORER), "s1": (SCORER, 1), "c": (a.n_embedded, SCORER)}
    sizes |= {"g0": (a.n_embedded, a.hidden), "g1": (a.hidden, a.n_outputs)}
    parameters: Parameters = {}
    for name, (n_in, n_out) in sizes.items():
        spread = np.sqrt((1.0 if name.endswith("1") and name[0] != "h" else 2.0) / n_in)
        parameters[f"{name}.w"] = rng.normal(0, spread, (n_in, n_out)).astype(np.float32)
        parameters[f"{name}.b"] = np.zeros(n_out, dtype=np.float32)
    parameters["f1.w"] *= 0.1  # rules begin with all features alike
    parameters["f1.b"][-1] = 1.0  # beta: rules begin with a direction
    share = np.asarray(mean, dtype=float)
    if a.n_outputs == 1:
        share = np.clip((share - a.low) / (a.high - a.low), 0.01, 0.99)
        parameters["g1.b"][:] = np.log(share / (1 - share))
    else:
        parameters["g1.b"][:] = np.log(np.clip(share, 0.001, None))
    return parameters


def embed(parameters: Any, x: Array, y: Array, architecture: Architecture, xp: Any) -> Array:
    """h: the embedding of each example, from its features, its target and their products."""
    products = (x[:, :, None] * y[:, None, :]).reshape(x.shape[0], -1)
    moments = out = xp.concatenate([x, y, products], axis=1)
    for layer in range(N_LAYERS):
        out = out @ parameters[f"h{layer}.w"] + parameters[f"h{layer}.b"]
        if layer < N_LAYERS - 1:
            out = xp.maximum(out, 0)
    return xp.concatenate([out, moments], axis=1) if architecture.scorer else out


def node_input(whole: Array, pooled: Array, architecture: Architecture, xp: Any) -> Array:
    """What f and g see of a node: r beside r_I, or r_I alone."""
    return xp.concatenate([whole, pooled], axis=-1) if architecture.context else pooled


def decision_rules(
    parameters: Any, seen: Array, asked: Array | None, architecture: Architecture, xp: Any
) -> Rules:
    """f: the rule of each node.

    Parameters
    ----------
    seen : array of shape (n_nodes, n_embedded)
    asked : array of shape (n_nodes, n_features) or None
        How often each feature was asked about on the way to the node.
    """
    out = _two_layers(parameters, "f", seen, xp)
    scores, b, beta = out[:, :-2], out[:, -2], out[:, -1]
    if architecture.scorer:
        scores = scores + _feature_scores(parameters, seen, architecture, xp)
    if asked is not None and architecture.max_repeats is not None:
        scores = xp.where(asked >= architecture.max_repeats, FORBIDDEN, scores)
    if architecture.signed:
        w = xp.where(scores == FORBIDDEN, 0.0, scores)
    else:
        w = _softmax(scores, xp)
    return Rules(w, b, beta if architecture.softness == "learned" else xp.ones_like(beta))


def _feature_scores(parameters: Any, seen: Array, a: Architecture, xp: Any) -> Array:
    """The same small network for every feature, from its moments in the node and in the group."""
    parts = []
    for end in range(a.n_pooled, a.n_embedded + 1, a.n_pooled):
        moments = seen[:, end - a.n_pooled + a.width : end]
        x, y = moments[:, : a.n_features], moments[:, a.n_features : a.n_features + a.n_targets]
        xy = moments[:, a.n_features + a.n_targets :].reshape(-1, a.n_features, a.n_targets)
        parts += [x[:, :, None], xy, xp.broadcast_to(y[:, None, :], xy.shape)]
    moments = xp.concatenate(parts, axis=2)
    around = (seen @ parameters["c.w"] + parameters["c.b"])[:, None, :]
    inner = xp.maximum(moments @ parameters["s0.w"] + parameters["s0.b"] + around, 0)
    return (inner @ parameters["s1.w"] + parameters["s1.b"])[:, :, 0]


def leaf_values(parameters: Any, seen: Array, architecture: Architecture, xp: Any) -> Array:
    """g: the values of each node as a leaf, of shape (n_nodes, n_outputs)."""
    out = _two_layers(parameters, "g", seen, xp)
    if architecture.n_outputs > 1:
        return _softmax(out, xp)
    return architecture.low + (architecture.high - architecture.low) * sigmoid(out, xp)


def sigmoid(values: Array, xp: Any) -> Array:
    """The logistic function, without overflow."""
    return 0.5 * (xp.tanh(0.5 * values) + 1)


def _two_layers(parameters: Any, name: str, seen: Array, xp: Any) -> Array:
    inner = xp.maximum(seen @ parameters[f"{name}0.w"] + parameters[f"{name}0.b"], 0)
    return inner @ parameters[f"{name}1.w"] + parameters[f"{name}1.b"]


def _softmax(scores: Array, xp: Any) -> Array:
    powers = xp.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
