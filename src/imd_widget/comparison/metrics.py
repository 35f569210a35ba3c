"""The metrics of a diff, each defined in one place.

A metric is a field of `Metrics`, which holds its type, description, formula and the function that
computes it; `METRICS` lists all of them. The view, the JSON file, the report of the command line
and `evaluate` read that list. A metric that is newer than the file format needs a default, which is
used for files without it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.intervals import wilson
from imd_widget.comparison.confusion import Confusion
from imd_widget.counting.channels import Purpose
from imd_widget.rules.regions import Region
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.requests import NodeCounts, RegionCounts
from imd_widget.tree.shape import Kind

#: Scores that have an interval.
Score = Literal["precision", "recall"]


@dataclass(frozen=True)
class Measured:
    """Counts and scores of a set of regions and of the two surrogates on some rows."""

    #: `rows`, `differing`, `claimed`: Numbers of rows, of those on which the models differ, and of
    #: those inside a rule.
    rows: int
    differing: int
    #: Share of the rows on which the models differ, by weight.
    disagreement: float
    claimed: int
    confusion: Confusion
    fidelity: tuple[float, float]
    #: 95 % intervals.
    precision_interval: tuple[float, float]
    recall_interval: tuple[float, float]
    #: Weights of rows by whether a rule of agreement covers them and whether they agree.
    agreement: Confusion
    #: Number of rows inside a rule of agreement.
    agreeing: int


@dataclass(frozen=True)
class Evidence:
    """The inputs from which metrics are computed."""

    #: Number of all rows and of the differing rows.
    n_rows: int
    n_differing: int
    #: Weight of the differing rows divided by the weight of all rows.
    disagreement: float
    n_rules: int
    n_predicates: int
    #: What ``measured`` comes from: holdout rows, cross-fitting, or the rows used to fit.
    measured_by: str
    measured: Measured
    mean_difference: float | None


def _metric(
    description: str,
    value: Callable[[Evidence], Any],
    *,
    formula: str | None = None,
    in_report: bool = False,
    default: Any = MISSING,
) -> Any:
    """A field of `Metrics`; see `Metric` for the parameters."""
    return field(
        default=default,
        metadata={
            "description": description,
            "formula": formula,
            "value": value,
            "in_report": in_report,
        },
    )


def _score(description: str, formula: str, name: str, default: Any = MISSING) -> Any:
    """A field of `Metrics` that is the property of `Confusion` with this name."""
    made = _metric(
        description,
        lambda evidence: getattr(evidence.measured.confusion, name),
        formula=formula,
        in_report=True,
    )
    return field(default=default, metadata={**made.metadata, "is_score": True})


@dataclass(frozen=True)
class Metrics:
    """Measures of a diff, on rows kept aside where there are any; shares are by weight."""

    n_rows: int = _metric("All rows given.", lambda evidence: evidence.n_rows, in_report=True)
    n_differing: int = _metric(
        "Rows on which the models differ.", lambda evidence: evidence.n_differing, in_report=True
    )
    disagreement: float = _metric(
        "Share of all rows on which the models differ.",
        lambda evidence: evidence.disagreement,
        formula="n_differing / n_rows",
        in_report=True,
    )
    precision: float = _score(
        "Share of the rows inside a rule that differ. 1 where no rule claims a row and none "
        "differs, 0 where none is claimed although some differ.",
        "both / claimed",
        "precision",
    )
    recall: float = _score(
        "Share of the differing rows that lie inside a rule; 1 where none differs.",
        "both / differing",
        "recall",
    )
    f1: float = _score(
        "Harmonic mean of the two.",
        "2 * precision * recall / (precision + recall)",
        "f1",
    )
    n_rules: int = _metric("Number of rules.", lambda evidence: evidence.n_rules)
    n_predicates: int = _metric(
        "Number of distinct comparisons in all rules together.",
        lambda evidence: evidence.n_predicates,
    )
    fidelity: tuple[float, float] = _metric(
        "Share of rows on which each surrogate predicts what its model predicts; of values and "
        "probabilities the share of their variance that it explains.",
        lambda evidence: evidence.measured.fidelity,
    )
    on_holdout: bool = _metric(
        "Whether the measures come from rows kept aside; see measured_by.",
        lambda evidence: evidence.measured_by == "holdout",
        in_report=True,
    )
    measured_rows: int = _metric(
        "The rows they come from.", lambda evidence: evidence.measured.rows, in_report=True
    )
    measured_differing: int = _metric(
        "Those of the measured rows on which the models differ.",
        lambda evidence: evidence.measured.differing,
    )
    measured_disagreement: float = _metric(
        "Share of the measured rows that differ: the precision of a rule that is always true.",
        lambda evidence: evidence.measured.disagreement,
        formula="measured_differing / measured_rows",
    )
    measured_claimed: int = _metric(
        "Those of the measured rows that lie inside a rule.",
        lambda evidence: evidence.measured.claimed,
    )
    mean_difference: float | None = _metric(
        "Of values and probabilities: the mean of model 2's output less model 1's, over all rows.",
        lambda evidence: evidence.mean_difference,
        default=None,
    )
    mcc: float | None = _score(
        "Matthews' correlation of lying inside a rule and differing: 1 where rules find all "
        "differences and nothing else, 0 if they are unrelated. None in older files.",
        "(both * total - claimed * differing) / "
        "sqrt(claimed * differing * (total - claimed) * (total - differing))",
        "mcc",
        default=None,
    )
    explained: float | None = _score(
        "Share of the entropy of differing that lying inside a rule explains. None in older files.",
        "1 - H(differs | inside) / H(differs)",
        "explained",
        default=None,
    )
    f1_over_always: float | None = _score(
        "F1 less that of a rule that is always true, with which it must be compared where models "
        "differ often. None in older files.",
        "f1 - 2 * measured_disagreement / (1 + measured_disagreement)",
        "f1_over_always",
        default=None,
    )
    measured_by: Literal["holdout", "cv", "none"] | None = _metric(
        'What the measures come from: "holdout", rows kept aside; "cv", five folds, each measured '
        'with rules fitted on the others; "none", the rows used to fit. None in older files.',
        lambda evidence: evidence.measured_by,
        in_report=True,
        default=None,
    )
    precision_interval: tuple[float, float] | None = _metric(
        "95 % interval of precision on new rows; (0, 1) if there are too few groups to tell. None "
        "in older files.",
        lambda evidence: evidence.measured.precision_interval,
        in_report=True,
        default=None,
    )
    recall_interval: tuple[float, float] | None = _metric(
        "95 % interval of recall on new rows; (0, 1) if there are too few groups to tell. None in "
        "older files.",
        lambda evidence: evidence.measured.recall_interval,
        in_report=True,
        default=None,
    )
    agreement_precision: float | None = _metric(
        "Share of the rows inside a rule of agreement on which the models agree; None without such "
        "rules.",
        lambda evidence: _if_claimed(evidence.measured.agreement, "precision"),
        default=None,
    )
    agreement_recall: float | None = _metric(
        "Share of the agreeing rows that lie inside a rule of agreement; None without such rules.",
        lambda evidence: _if_claimed(evidence.measured.agreement, "recall"),
        default=None,
    )
    agreement_claimed: int | None = _metric(
        "Those of the measured rows that lie inside a rule of agreement. None in older files.",
        lambda evidence: evidence.measured.agreeing,
        default=None,
    )

    @classmethod
    def of(cls, evidence: Evidence) -> Metrics:
        """Compute every metric."""
        return cls(**{metric.name: metric.value(evidence) for metric in METRICS})


def _if_claimed(confusion: Confusion, score: str) -> float | None:
    return float(getattr(confusion, score)) if confusion.claimed else None


@dataclass(frozen=True)
class Metric:
    """One of the metrics."""

    #: Name of the field of `Metrics`.
    name: str
    #: Type of the value.
    type: str
    description: str
    #: Formula in terms of other metrics and of the fields of `Confusion`; None for a count.
    formula: str | None
    #: Computes the metric from an `Evidence`.
    value: Callable[[Evidence], Any]
    #: Whether the report of the command line contains the metric.
    in_report: bool
    #: Whether the metric is a property of `Confusion`; `evaluate` reports these too.
    is_score: bool = False

    def of(self, metrics: Metrics) -> Any:
        """Return the value of the metric."""
        return getattr(metrics, self.name)


#: Every metric, in the order of the fields of `Metrics`.
METRICS = tuple(
    Metric(name=field_.name, type=str(field_.type), **field_.metadata) for field_ in fields(Metrics)
)
#: The names of the metrics that are scores.
SCORES = tuple(metric.name for metric in METRICS if metric.is_score)


def _attributes() -> str:
    """Return the "Attributes" section of the docstring of `Metrics`."""
    lines = ["", "", "Attributes", "----------"]
    for metric in METRICS:
        of = metric.type.replace("tuple[float, float]", "tuple of two float").replace("|", "or")
        lines += [f"{metric.name} : {of}", f"    {metric.description}"]
    return "\n    ".join(lines) + "\n    "


if Metrics.__doc__ is not None:  # python -OO has none
    Metrics.__doc__ += _attributes()


def measure(
    tree: JointTree,
    counts: RegionCounts,
    regions: Sequence[Region],
    on_holdout: bool,
    agreement: Sequence[Region] = (),
) -> Measured:
    """Score the regions and surrogates on the holdout rows or on the rows used to fit."""
    target = tree.target
    nodes = counts.holdout_nodes if on_holdout else counts.fit_nodes

    def inside(some: Sequence[Region]) -> NDArray[np.int64]:
        tallies = [(region.holdout if on_holdout else region.fit).counts for region in some]
        return np.sum(tallies, axis=0) if tallies else np.zeros(target.n_leading, dtype=np.int64)

    everything = nodes.counts[0]
    total, agreeing = inside(regions), inside(agreement)
    confusion = Confusion(
        claimed=int(target.weight(total)),
        differing=int(target.differing(everything)),
        both=int(target.differing(total)),
        total=int(target.weight(everything)),
    )
    return Measured(
        rows=int(target.rows(everything)),
        differing=int(target.differing_rows(everything)),
        disagreement=confusion.differing / confusion.total,
        claimed=int(target.rows(total)),
        confusion=confusion,
        fidelity=(_fidelity(tree, nodes, Purpose.FIRST), _fidelity(tree, nodes, Purpose.SECOND)),
        precision_interval=wilson(confusion.precision, float(target.rows(total))),
        recall_interval=wilson(confusion.recall, float(target.differing_rows(everything))),
        agreement=Confusion(
            claimed=int(target.weight(agreeing)),
            differing=confusion.total - confusion.differing,
            both=int(target.weight(agreeing)) - int(target.differing(agreeing)),
            total=confusion.total,
        ),
        agreeing=int(target.rows(agreeing)),
    )


def measured_rows(
    differs: NDArray[np.bool_],
    claimed: NDArray[np.bool_],
    agreeing: NDArray[np.bool_],
    weight: NDArray[np.float64] | None,
    fidelity: tuple[float, float],
    interval: Callable[[NDArray[np.bool_], NDArray[np.bool_], Score], tuple[float, float]],
) -> Measured:
    """Score predictions for each of some rows.

    Parameters
    ----------
    differs, claimed, agreeing : ndarray of bool, shape (n_rows,)
        Whether the models differ, whether a rule covers the row, and whether a rule of agreement
        does.
    weight : ndarray of shape (n_rows,) or None
    fidelity : tuple of two float
    interval : callable
        From a mask of rows, a mask of the event and the score that is its share among them to the
        95 % interval of that share.
    """
    confusion = Confusion.of(claimed, differs, weight)
    return Measured(
        rows=len(differs),
        differing=int(differs.sum()),
        disagreement=confusion.differing / confusion.total,
        claimed=int(claimed.sum()),
        confusion=confusion,
        fidelity=fidelity,
        precision_interval=interval(claimed, differs, "precision"),
        recall_interval=interval(differs, claimed, "recall"),
        agreement=Confusion.of(agreeing, ~differs, weight),
        agreeing=int(agreeing.sum()),
    )


def _fidelity(tree: JointTree, nodes: NodeCounts, purpose: Purpose) -> float:
    """Return the fidelity of a surrogate to its model on the rows in ``nodes``."""
    leaves = np.flatnonzero((tree.kind == Kind.LEAF) & (tree.side == purpose + 1))
    return tree.outputs.fidelity(tree, nodes, purpose, leaves)
