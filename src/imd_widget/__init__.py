"""Where in feature space two models differ, in words a person can check."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from imd_widget._base import verbs
from imd_widget._base.errors import InputError, InputWarning

if TYPE_CHECKING:
    from imd_widget import datasets, learners
    from imd_widget._base.version import __version__ as __version__
    from imd_widget.api.compare import compare
    from imd_widget.api.diff import diff
    from imd_widget.api.estimator import JointSurrogateTree
    from imd_widget.api.track import track
    from imd_widget.comparison.alternatives import Alternative, Alternatives
    from imd_widget.comparison.cohort import Cohort
    from imd_widget.comparison.equivalence import Equivalence
    from imd_widget.comparison.metrics import Metrics
    from imd_widget.comparison.model_diff import ModelDiff
    from imd_widget.comparison.origin import Origin
    from imd_widget.comparison.remeasuring import RegionChange, RegionFigures, Remeasured
    from imd_widget.comparison.stability import Stability
    from imd_widget.comparison.track import Track
    from imd_widget.comparison.verdict import Check, CheckFailedError, Verdict
    from imd_widget.deciding.api import patch
    from imd_widget.deciding.labelled import LabelledNet, LabelledStratum
    from imd_widget.deciding.patch import Patch, PatchFigures
    from imd_widget.deciding.patched_model import PatchedModel
    from imd_widget.deciding.sampling import RowsToLabel, SampledStratum
    from imd_widget.evaluation.evaluate import evaluate
    from imd_widget.explanations.explanation import Explanation
    from imd_widget.explanations.model_explanation import ModelExplanation
    from imd_widget.explanations.model_results import (
        ColumnContributions,
        ColumnTable,
        RankedPredictions,
    )
    from imd_widget.explanations.one_model import explain
    from imd_widget.explanations.single import surrogate
    from imd_widget.export.json_format.reading import load
    from imd_widget.many.model_comparison import ModelComparison
    from imd_widget.methods import Calibrated, Direct, Imd, Separate
    from imd_widget.outputs.correctness import PairedLoss, Right
    from imd_widget.rules.conditions import Interval, Membership, Presence
    from imd_widget.rules.rule import Rule, RuleSet
    from imd_widget.tree.joint_tree import JointTree
    from imd_widget.widget.api import show
    from imd_widget.widget.comparison_widget import ComparisonWidget
    from imd_widget.widget.diff_widget import DiffWidget
    from imd_widget.widget.model_widget import ModelWidget
    from imd_widget.widget.track_widget import TrackWidget
    from imd_widget.widget.tree_widget import TreeWidget

__all__ = [
    "Alternative",
    "Alternatives",
    "Calibrated",
    "Check",
    "CheckFailedError",
    "Cohort",
    "ColumnContributions",
    "ColumnTable",
    "ComparisonWidget",
    "DiffWidget",
    "Direct",
    "Equivalence",
    "Explanation",
    "Imd",
    "InputError",
    "InputWarning",
    "Interval",
    "JointSurrogateTree",
    "JointTree",
    "LabelledNet",
    "LabelledStratum",
    "Membership",
    "Metrics",
    "ModelComparison",
    "ModelDiff",
    "ModelExplanation",
    "ModelWidget",
    "Origin",
    "PairedLoss",
    "Patch",
    "PatchFigures",
    "PatchedModel",
    "Presence",
    "RankedPredictions",
    "RegionChange",
    "RegionFigures",
    "Remeasured",
    "Right",
    "RowsToLabel",
    "Rule",
    "RuleSet",
    "SampledStratum",
    "Separate",
    "Stability",
    "Track",
    "TrackWidget",
    "TreeWidget",
    "Verdict",
    "compare",
    "datasets",
    "diff",
    "evaluate",
    "explain",
    "learners",
    "load",
    "patch",
    "show",
    "surrogate",
    "track",
]


#: Where to find what is loaded only when it is used: the core is light, and the command line is
#: there to handle Ctrl-C before pandas and scikit-learn are loaded.
_LATE = {
    "Alternative": "imd_widget.comparison.alternatives",
    "Alternatives": "imd_widget.comparison.alternatives",
    "Calibrated": "imd_widget.methods",
    "Check": "imd_widget.comparison.verdict",
    "CheckFailedError": "imd_widget.comparison.verdict",
    "Cohort": "imd_widget.comparison.cohort",
    "ColumnContributions": "imd_widget.explanations.model_results",
    "ColumnTable": "imd_widget.explanations.model_results",
    "ComparisonWidget": "imd_widget.widget.comparison_widget",
    "DiffWidget": "imd_widget.widget.diff_widget",
    "Direct": "imd_widget.methods",
    "Equivalence": "imd_widget.comparison.equivalence",
    "Explanation": "imd_widget.explanations.explanation",
    "ModelExplanation": "imd_widget.explanations.model_explanation",
    "Imd": "imd_widget.methods",
    "Interval": "imd_widget.rules.conditions",
    "JointSurrogateTree": "imd_widget.api.estimator",
    "JointTree": "imd_widget.tree.joint_tree",
    "Membership": "imd_widget.rules.conditions",
    "LabelledNet": "imd_widget.deciding.labelled",
    "LabelledStratum": "imd_widget.deciding.labelled",
    "Metrics": "imd_widget.comparison.metrics",
    "ModelComparison": "imd_widget.many.model_comparison",
    "ModelDiff": "imd_widget.comparison.model_diff",
    "PairedLoss": "imd_widget.outputs.correctness",
    "Patch": "imd_widget.deciding.patch",
    "PatchFigures": "imd_widget.deciding.patch",
    "PatchedModel": "imd_widget.deciding.patched_model",
    "Presence": "imd_widget.rules.conditions",
    "Right": "imd_widget.outputs.correctness",
    "RankedPredictions": "imd_widget.explanations.model_results",
    "RegionChange": "imd_widget.comparison.remeasuring",
    "RegionFigures": "imd_widget.comparison.remeasuring",
    "Remeasured": "imd_widget.comparison.remeasuring",
    "RowsToLabel": "imd_widget.deciding.sampling",
    "SampledStratum": "imd_widget.deciding.sampling",
    "Rule": "imd_widget.rules.rule",
    "RuleSet": "imd_widget.rules.rule",
    "Separate": "imd_widget.methods",
    "Stability": "imd_widget.comparison.stability",
    "Origin": "imd_widget.comparison.origin",
    "Track": "imd_widget.comparison.track",
    "TrackWidget": "imd_widget.widget.track_widget",
    "ModelWidget": "imd_widget.widget.model_widget",
    "TreeWidget": "imd_widget.widget.tree_widget",
    "Verdict": "imd_widget.comparison.verdict",
    "__version__": "imd_widget._base.version",
    "compare": "imd_widget.api.compare",
    "diff": "imd_widget.api.diff",
    "evaluate": "imd_widget.evaluation.evaluate",
    "explain": "imd_widget.explanations.one_model",
    "load": "imd_widget.export.json_format.reading",
    "patch": "imd_widget.deciding.api",
    "show": "imd_widget.widget.api",
    "surrogate": "imd_widget.explanations.single",
    "track": "imd_widget.api.track",
}


verbs.register(
    {
        "comparison_report": "imd_widget.export.comparison.markdown",
        "contents": "imd_widget.export.json_format.writing",
        "diff": "imd_widget.api.diff",
        "explain": "imd_widget.explanations.api",
        "labelled_net": "imd_widget.deciding.labelled",
        "load": "imd_widget.export.json_format.reading",
        "markdown": "imd_widget.export.markdown",
        "model_report": "imd_widget.export.model_report",
        "page_text": "imd_widget.export.html",
        "plot": "imd_widget.plot.results",
        "rule_tables": "imd_widget.export.plain_html",
        "read_labels": "imd_widget.deciding.reading_labels",
        "save": "imd_widget.export.formats",
        "show": "imd_widget.widget.api",
        "smallest_change": "imd_widget.explanations.smallest_change",
        "to_label": "imd_widget.deciding.sampling",
        "tree_text": "imd_widget.rules.tree_text",
        "view_of": "imd_widget.views.build",
        "what_if": "imd_widget.explanations.what_if",
    }
)


def __getattr__(name: str) -> Any:
    if name in ("datasets", "learners"):
        from imd_widget._base.optional import importing

        with importing(f"imd_widget.{name}"):
            return import_module(f"imd_widget.{name}")
    if name in _LATE:
        from imd_widget._base.optional import importing

        with importing(f"imd_widget.{name}"):
            return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
