"""What every method is given and what it gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from imd_widget.outputs.interface import Outputs
from imd_widget.rules.regions import Region
from imd_widget.tree.builder import TreeBuilder
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.pruning import Calibration
from imd_widget.tree.shape import TreeShape
from imd_widget.tree.shared_tree import SharedTree
from imd_widget.tree.source import CountSource, RegionCounts

Method = Literal["calibrated", "imd", "separate", "direct"]


@dataclass(frozen=True)
class MethodOptions:
    """What the user may choose; see `imd_widget.diff`."""

    method: Method
    max_depth: int
    min_samples_leaf: int
    alpha: float | None
    diff_weight: float
    rule_cost: float
    max_rules: int | None
    sensitivity: float | None


@dataclass(frozen=True, eq=False)
class AugmentedSource:
    """More rows to learn from than there are: ``times`` each row of the table, and new ones."""

    source: CountSource
    times: int


@dataclass(frozen=True, eq=False)
class Problem:
    """Where counts come from, and what they are about.

    Attributes
    ----------
    source : CountSource
        The rows of the table; all that is shown and measured is counted here.
    outputs : ClassOutputs or ValueOutputs
        What the models speak of.
    pairs : ndarray of shape (n_pairs, 2)
        The outcome pairs that tallies count by.
    unit : float
        Weight of an average row.
    options : MethodOptions
    augmented_source : AugmentedSource or None
        What to look for the differences in, in place of the table alone.
    """

    source: CountSource
    outputs: Outputs
    pairs: NDArray[np.int64]
    unit: float
    options: MethodOptions
    augmented_source: AugmentedSource | None = None

    def builder(self) -> TreeBuilder:
        """A tree of one node."""
        return TreeBuilder.root(tuple(self.source.columns))

    def counted(self, shape: TreeShape) -> tuple[JointTree, RegionCounts]:
        """The tree of a form with what reaches its nodes, and the same by pair of leaves."""
        counts = self.source.regions(shape)
        nodes = counts.fit_nodes
        target = self.source.target
        tree = JointTree.over(
            shape, target, self.outputs, nodes.counts, nodes.sums, nodes.label_rows
        )
        return tree, counts

    def recounted(self, regions: Sequence[Region]) -> list[Region]:
        """The regions with the rows kept aside that lie in their boxes.

        A value that a column does not foresee goes some way through the tree, but lies in no rule.
        """
        tallies = self.source.holdout_in([region.box for region in regions])
        return [
            replace(region, holdout=tally) for region, tally in zip(regions, tallies, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class Fit:
    """A joint tree and the regions of it that are claimed to differ.

    Attributes
    ----------
    tree : JointTree
    regions : tuple of Region
    counts : RegionCounts
        Rows by pair of leaves.
    impure : tuple of int
        Nodes that take part in a region and are not pure: a refinement step may split them.
    shared_tree, calibration : SharedTree, Calibration or None
        Of the methods that claim leaves of the shared part.
    grows_on : bool
        Whether the surrogates go on below those leaves.
    """

    tree: JointTree
    regions: tuple[Region, ...]
    counts: RegionCounts
    impure: tuple[int, ...]
    shared_tree: SharedTree | None = None
    calibration: Calibration | None = None
    grows_on: bool = False
