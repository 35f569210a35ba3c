"""How well a diff predicts where two models differ, and how much there is to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imd_widget.counting.channels import Purpose
from imd_widget.rules.regions import Region
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import Kind
from imd_widget.tree.source import NodeCounts, RegionCounts


@dataclass(frozen=True)
class Metrics:
    """Measures of a diff, on rows kept aside where there are any; shares are by weight.

    Attributes
    ----------
    n_rows, n_differing : int
        All rows given, and those of them on which the models differ.
    disagreement : float
        Share of all rows on which the models differ.
    precision : float
        Share of the rows inside a rule that differ. 1 where no rule claims a row and none differs,
        0 where none is claimed although some differ.
    recall : float
        Share of the differing rows that lie inside a rule; 1 where none differs.
    f1 : float
        Harmonic mean of the two.
    n_rules, n_predicates : int
        Rules, and distinct comparisons in all of them together.
    fidelity : tuple of float
        Share of rows on which each surrogate says what its model says; of values and probabilities
        the share of their variance that it explains.
    on_holdout : bool
        Whether the measures come from rows kept aside; otherwise from the rows used to fit.
    measured_rows, measured_differing : int
        The rows they come from, and those of them on which the models differ.
    measured_disagreement : float
        The share of the latter: the precision of a rule that is always true.
    measured_claimed : int
        Those of the measured rows that lie inside a rule.
    mean_difference : float or None
        Of values and probabilities: the mean of model 2's output less model 1's, over all rows.
    """

    n_rows: int
    n_differing: int
    disagreement: float
    precision: float
    recall: float
    f1: float
    n_rules: int
    n_predicates: int
    fidelity: tuple[float, float]
    on_holdout: bool
    measured_rows: int
    measured_differing: int
    measured_disagreement: float
    measured_claimed: int
    mean_difference: float | None = None


@dataclass(frozen=True)
class Scores:
    """Precision, recall and F1 of a yes/no prediction, from its counts."""

    precision: float
    recall: float
    f1: float

    @classmethod
    def from_counts(cls, claimed: int, differing: int, both: int) -> Scores:
        """From the rows claimed to differ, the rows that do, and the rows that are both."""
        precision = both / claimed if claimed else float(differing == 0)
        recall = both / differing if differing else 1.0
        total = precision + recall
        return cls(precision, recall, 2 * precision * recall / total if total else 0.0)


@dataclass(frozen=True)
class Measured:
    """Scores of a set of regions and fidelity of the two surrogates, on some rows."""

    rows: int
    differing: int
    disagreement: float
    claimed: int
    scores: Scores
    fidelity: tuple[float, float]


def measure(
    tree: JointTree, counts: RegionCounts, regions: Sequence[Region], on_holdout: bool
) -> Measured:
    """Scores of the regions, on the rows kept aside or on those used to fit."""
    target = tree.target
    nodes = counts.holdout_nodes if on_holdout else counts.fit_nodes
    inside = [(region.holdout if on_holdout else region.fit).counts for region in regions]
    total = np.sum(inside, axis=0) if inside else np.zeros(target.n_leading, dtype=np.int64)
    everything = nodes.counts[0]
    return Measured(
        rows=int(target.rows(everything)),
        differing=int(target.differing_rows(everything)),
        disagreement=int(target.differing(everything)) / int(target.weight(everything)),
        claimed=int(target.rows(total)),
        scores=Scores.from_counts(
            claimed=int(target.weight(total)),
            differing=int(target.differing(everything)),
            both=int(target.differing(total)),
        ),
        fidelity=(_fidelity(tree, nodes, Purpose.FIRST), _fidelity(tree, nodes, Purpose.SECOND)),
    )


def _fidelity(tree: JointTree, nodes: NodeCounts, task: Purpose) -> float:
    """How well a surrogate imitates its model, on the rows in ``nodes``."""
    leaves = np.flatnonzero((tree.kind == Kind.LEAF) & (tree.side == task + 1))
    return tree.outputs.fidelity(tree, nodes, task, leaves)
