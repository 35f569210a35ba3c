"""How well a diff predicts where two models differ, and how much there is to read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.tree.joint_tree import JointTree


@dataclass(frozen=True)
class Metrics:
    """Measures of a diff, on rows kept aside where there are any.

    Attributes
    ----------
    n_rows, n_differing : int
        All rows given, and those of them on which the models differ.
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
        Share of rows on which each surrogate says what its model says.
    on_holdout : bool
        Whether the measures come from rows kept aside; otherwise from the rows used to fit.
    measured_rows, measured_differing : int
        The rows they come from, and those of them on which the models differ.
    """

    n_rows: int
    n_differing: int
    precision: float
    recall: float
    f1: float
    n_rules: int
    n_predicates: int
    fidelity: tuple[float, float]
    on_holdout: bool
    measured_rows: int
    measured_differing: int

    @property
    def disagreement(self) -> float:
        """Share of all rows on which the models differ."""
        return self.n_differing / self.n_rows


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
    scores: Scores
    fidelity: tuple[float, float]


def measure(
    tree: JointTree,
    counts: Mapping[tuple[int, int], NDArray[np.int64]],
    claimed: Collection[tuple[int, int]],
) -> Measured:
    """Scores of the leaf pairs in ``claimed``, from the rows in ``counts``."""
    rows = differing = inside = hits = 0
    faithful = [0, 0]
    for leaves, by_pair in counts.items():
        own_differing = int(by_pair[tree.differs].sum())
        rows += int(by_pair.sum())
        differing += own_differing
        if leaves in claimed:
            inside += int(by_pair.sum())
            hits += own_differing
        for model, leaf in enumerate(leaves):
            faithful[model] += int(by_pair[tree.pairs[:, model] == tree.label(leaf)].sum())
    return Measured(
        rows=rows,
        differing=differing,
        scores=Scores.from_counts(claimed=inside, differing=differing, both=hits),
        fidelity=(faithful[0] / rows, faithful[1] / rows),
    )
