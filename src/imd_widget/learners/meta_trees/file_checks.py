"""Checks that the parts of a model in a file fit together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.plain import shown
from imd_widget.learners.meta_trees.features import TreeFeature
from imd_widget.learners.meta_trees.growth import forest_shapes
from imd_widget.learners.meta_trees.networks import Architecture, parameter_shapes
from imd_widget.learners.meta_trees.options import DEEPEST
from imd_widget.learners.meta_trees.targets import Classes, Targets

Arrays = Mapping[str, NDArray[Any]]


def check_architecture(architecture: Architecture, targets: Targets) -> None:
    """Raise ValueError unless the networks are made for these targets."""
    a = architecture
    if not 1 <= a.depth <= DEEPEST:
        raise ValueError(f"depth is {a.depth}")
    if (a.n_targets, a.n_outputs) != (targets.n_targets, targets.n_outputs):
        raise ValueError("the networks are not made for the targets")
    if (a.low, a.high) != targets.range or not a.low < a.high:
        raise ValueError(f"the range of a leaf is {a.low} to {a.high}")
    if isinstance(targets, Classes):
        if len(targets.classes) < 2 or len(targets.shares) != len(targets.classes):
            raise ValueError(f"the classes are {shown(targets.classes)}")
    elif not targets.scale > 0:
        raise ValueError(f"the scale of the target is {targets.scale}")
    if any(not 0 <= feature < a.n_features for feature, _ in a.candidates):
        raise ValueError("a candidate is about a feature that is not there")


def check_features(
    features: Sequence[TreeFeature], columns: Sequence[Hashable], architecture: Architecture
) -> None:
    """Raise ValueError unless every feature is about a column and has values in order."""
    if len(features) != architecture.n_features:
        raise ValueError(f"there are {len(features)} features for {architecture.n_features}")
    for feature in features:
        if not feature.position < len(columns) or columns[feature.position] != feature.column:
            raise ValueError(f"there is no column {shown(feature.column)}")
        for name in ("grid", "thresholds"):
            values = getattr(feature, name)
            if values.ndim != 1 or values.dtype != np.float64 or np.isnan(values).any():
                raise ValueError(f"the {name} of {shown(feature.column)} are not numbers")
            if (np.diff(values) <= 0).any():
                raise ValueError(f"the {name} of {shown(feature.column)} do not increase")
        if len(feature.thresholds) != max(0, len(feature.grid) - 1):
            raise ValueError(f"the thresholds of {shown(feature.column)} are not between values")
        if not feature.scale > 0:
            raise ValueError(f"the scale of {shown(feature.column)} is {feature.scale}")
        _check_scale(feature)
        _check_categories(feature)


def _check_scale(feature: TreeFeature) -> None:
    """Raise ValueError unless the standardised thresholds are between the values of the grid."""
    between, grid = feature.standardised(feature.thresholds), feature.grid
    room = 1e-6 * (1 + np.abs(between))
    if ((between < grid[:-1] - room) | (between > grid[1:] + room)).any():
        raise ValueError(f"the scale of {shown(feature.column)} does not fit its values")


def _check_categories(feature: TreeFeature) -> None:
    n_categories = None if feature.categories is None else len(feature.categories)
    if (feature.kind == "order") != (n_categories is not None) or n_categories == 0:
        raise ValueError(f"the categories of {shown(feature.column)} are not those of its kind")
    if n_categories is not None and any(
        math.ceil(threshold) >= n_categories for threshold in feature.thresholds
    ):
        raise ValueError(f"a threshold of {shown(feature.column)} is no category")


def check_parameters(parameters: Arrays, architecture: Architecture) -> None:
    """Raise ValueError unless all parameters of the networks are there, and are numbers."""
    shapes = parameter_shapes(architecture)
    if parameters.keys() != shapes.keys():
        differing = parameters.keys() ^ shapes.keys()
        raise ValueError(f"the parameter {shown(min(differing))} is missing or unknown")
    for name, shape in shapes.items():
        _check_array(name, parameters[name], shape, np.float32)
        if not np.isfinite(parameters[name]).all():
            raise ValueError(f"{name} holds values that are not numbers")


def check_forest(forest: Arrays, architecture: Architecture, n_trees: int) -> None:
    """Raise ValueError unless there is a tree for each group that uses known features."""
    shapes = forest_shapes(architecture, n_trees)
    if not shapes.keys() - {"dense"} <= forest.keys() <= shapes.keys():
        differing = forest.keys() ^ shapes.keys()
        raise ValueError(f"the array {shown(min(differing))} is missing or unknown")
    for name, array in forest.items():
        _check_array(name, array, *shapes[name])
    if not np.isfinite(forest["values"]).all():
        raise ValueError("a leaf has no value")
    feature = forest["feature"]
    if ((feature < 0) | (feature >= architecture.n_features)).any():
        raise ValueError("a tree splits on an unknown feature")


def _check_array(name: str, array: NDArray[Any], shape: tuple[int, ...], dtype: type[Any]) -> None:
    if array.shape != shape or array.dtype.kind != np.dtype(dtype).kind:
        raise ValueError(f"{name} has the shape {array.shape} and the type {array.dtype}")
