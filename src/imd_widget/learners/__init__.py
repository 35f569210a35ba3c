"""Learners made of parts that are models themselves, so that the parts can be compared."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from imd_widget.learners.local_models.classifier import LocalModelsClassifier
    from imd_widget.learners.local_models.cross_validation import LocalModelsClassifierCV
    from imd_widget.learners.meta_trees.estimators import MetaTreeClassifier, MetaTreeRegressor
    from imd_widget.learners.meta_trees.tree import (
        MetaClassTree,
        MetaTree,
        TreeNode,
        TreeRule,
    )

__all__ = [
    "LocalModelsClassifier",
    "LocalModelsClassifierCV",
    "MetaClassTree",
    "MetaTree",
    "MetaTreeClassifier",
    "MetaTreeRegressor",
    "TreeNode",
    "TreeRule",
]

#: Where each public name is found: a learner is loaded only when it is used.
_LATE = {
    "LocalModelsClassifier": "imd_widget.learners.local_models.classifier",
    "LocalModelsClassifierCV": "imd_widget.learners.local_models.cross_validation",
    "MetaClassTree": "imd_widget.learners.meta_trees.tree",
    "MetaTree": "imd_widget.learners.meta_trees.tree",
    "MetaTreeClassifier": "imd_widget.learners.meta_trees.estimators",
    "MetaTreeRegressor": "imd_widget.learners.meta_trees.estimators",
    "TreeNode": "imd_widget.learners.meta_trees.tree",
    "TreeRule": "imd_widget.learners.meta_trees.tree",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
