"""Learners made of parts that are models themselves, so that the parts can be compared."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from imd_widget.learners.local_models.classifier import LocalModelsClassifier
    from imd_widget.learners.local_models.cross_validation import LocalModelsClassifierCV

__all__ = ["LocalModelsClassifier", "LocalModelsClassifierCV"]

#: Where each public name is found: a learner is loaded only when it is asked for.
_LATE = {
    "LocalModelsClassifier": "imd_widget.learners.local_models.classifier",
    "LocalModelsClassifierCV": "imd_widget.learners.local_models.cross_validation",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
