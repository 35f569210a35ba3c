"""Learners made of parts that are models themselves, so that the parts can be compared."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from imd_widget._base.optional import importing

if TYPE_CHECKING:
    from imd_widget.learners.local_models.classifier import LocalModelsClassifier
    from imd_widget.learners.local_models.cross_validation import LocalModelsClassifierCV
    from imd_widget.learners.local_models.region_test import RegionTest
    from imd_widget.learners.meta_trees.editing import EditCost
    from imd_widget.learners.meta_trees.estimators import MetaTreeClassifier, MetaTreeRegressor
    from imd_widget.learners.meta_trees.nodes import TreeNode
    from imd_widget.learners.meta_trees.tree import MetaClassTree, MetaTree, TreeRule

__all__ = [
    "EditCost",
    "LocalModelsClassifier",
    "LocalModelsClassifierCV",
    "MetaClassTree",
    "MetaTree",
    "MetaTreeClassifier",
    "MetaTreeRegressor",
    "RegionTest",
    "TreeNode",
    "TreeRule",
]

#: Where each public name is found: a learner is loaded only when it is used.
_LATE = {
    "EditCost": "imd_widget.learners.meta_trees.editing",
    "LocalModelsClassifier": "imd_widget.learners.local_models.classifier",
    "LocalModelsClassifierCV": "imd_widget.learners.local_models.cross_validation",
    "MetaClassTree": "imd_widget.learners.meta_trees.tree",
    "MetaTree": "imd_widget.learners.meta_trees.tree",
    "MetaTreeClassifier": "imd_widget.learners.meta_trees.estimators",
    "MetaTreeRegressor": "imd_widget.learners.meta_trees.estimators",
    "RegionTest": "imd_widget.learners.local_models.region_test",
    "TreeNode": "imd_widget.learners.meta_trees.nodes",
    "TreeRule": "imd_widget.learners.meta_trees.tree",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        with importing(f"imd_widget.learners.{name}"):
            return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
