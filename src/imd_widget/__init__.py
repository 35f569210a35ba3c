"""Where in feature space two models differ, in words a person can check."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from imd_widget import datasets
from imd_widget.compare import ModelDiff, diff
from imd_widget.errors import InputError, InputWarning
from imd_widget.metrics import Metrics
from imd_widget.rules.conditions import Interval, Membership, Presence
from imd_widget.rules.rule import Rule, RuleSet
from imd_widget.tree.joint_tree import JointTree
from imd_widget.truth import Right

if TYPE_CHECKING:
    from imd_widget.estimator import JointSurrogateTree
    from imd_widget.evaluation import evaluate
    from imd_widget.widget import DiffWidget, show

try:
    __version__ = version("imd-widget")
except PackageNotFoundError:  # read from a source tree that was never installed
    __version__ = "0+unknown"

__all__ = [
    "DiffWidget",
    "InputError",
    "InputWarning",
    "Interval",
    "JointSurrogateTree",
    "JointTree",
    "Membership",
    "Metrics",
    "ModelDiff",
    "Presence",
    "Right",
    "Rule",
    "RuleSet",
    "datasets",
    "diff",
    "evaluate",
    "show",
]


def __getattr__(name: str) -> Any:
    # libraries of the widget, and scikit-learn, are loaded only when asked for: the core is light
    if name in ("show", "DiffWidget"):
        from imd_widget import widget

        return getattr(widget, name)
    if name == "JointSurrogateTree":
        from imd_widget.estimator import JointSurrogateTree

        return JointSurrogateTree
    if name == "evaluate":
        from imd_widget.evaluation import evaluate

        return evaluate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
