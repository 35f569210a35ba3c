"""The input and the result of a method: `Problem` and `Fit`."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.boxes import Box
from imd_widget.methods.values import Method
from imd_widget.outputs.interface import Outputs
from imd_widget.rules.regions import Region
from imd_widget.tree.builder import TreeBuilder
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.pruning import Calibration
from imd_widget.tree.requests import HoldoutInBoxes, LeafPairs, RegionCounts
from imd_widget.tree.shape import TreeShape
from imd_widget.tree.shared_tree import SharedTree
from imd_widget.tree.source import CountSource

Kept = TypeVar("Kept")
#: Most intermediate results that a problem keeps; the oldest one is dropped for another.
MOST_KEPT = 40


@dataclass(frozen=True, eq=False)
class AugmentedSource:
    """Training rows of an augmented table: each row used to fit ``times`` times, plus new rows."""

    #: Counts the training rows.
    source: CountSource
    #: Number of copies of each row used to fit.
    times: int


@dataclass(frozen=True, eq=False)
class Problem:
    """The counts that a method fits to, and the method with its options."""

    #: Counts the rows of the table. Every reported count and every score comes from it.
    source: CountSource
    #: What the models predict.
    outputs: Outputs
    #: The outcome pairs, in the order in which tallies count them.
    pairs: NDArray[np.int64]
    #: Weight of an average row.
    unit: float
    #: The method with its options.
    method: Method
    #: The rows on which the shared tree is grown and pruned; None if ``source`` is used.
    augmented_source: AugmentedSource | None = None
    #: Boxes outside of which the models agree; empty if this is not known. See `fit_known`.
    known: tuple[Box, ...] = ()
    #: Intermediate results of fits of these rows, by the options that they depend on; see `once`.
    kept: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """Return what ``make`` returned when it was called with this key, or call it.

        A problem with another method shares what was kept: a fit with another sensitivity does not
        grow its tree again.
        """
        found = self.kept.get(key)
        if found is None:
            found = make()
            if len(self.kept) >= MOST_KEPT:
                self.kept.pop(next(iter(self.kept)), None)
            self.kept[key] = found
        kept: Kept = found
        return kept

    def builder(self) -> TreeBuilder:
        """Return a builder whose tree is a single shared node."""
        return TreeBuilder.root(tuple(self.source.columns))

    def counted(self, shape: TreeShape) -> tuple[JointTree, RegionCounts]:
        """Return the joint tree of this shape with its node counts, and the counts by leaf pair."""
        counts = self.source.answer(LeafPairs(shape))
        nodes = counts.fit_nodes
        target = self.source.target
        tree = JointTree.over(
            shape, target, self.outputs, nodes.counts, nodes.sums, nodes.label_rows
        )
        return tree, counts

    def recounted(self, regions: Sequence[Region]) -> list[Region]:
        """Return the regions with ``holdout`` counted by box instead of by routing.

        The two differ for values that do not occur in the rows used to fit: the tree routes such a
        row to a leaf, but no box contains it.
        """
        tallies = self.source.answer(HoldoutInBoxes([region.box for region in regions]))
        return [
            replace(region, holdout=tally) for region, tally in zip(regions, tallies, strict=True)
        ]


@dataclass(frozen=True, eq=False)
class Fit:
    """A joint tree and those of its regions in which the models are predicted to differ.

    Attributes
    ----------
    tree : JointTree
    regions : tuple of Region
    counts : RegionCounts
        Row counts by pair of leaves.
    impure : tuple of int
        Nodes that belong to a region and are not pure: a refinement step may split them.
    shared_tree, calibration : SharedTree, Calibration or None
        None if the regions are pairs of leaves ("imd" and "separate").
    grows_on : bool
        Whether the surrogates are grown below the leaves of ``shared_tree``.
    agreement : tuple of Region
        Regions in which the models are predicted to agree; empty unless they differ on more than
        half of the rows used to fit.
    agreement_calibration : Calibration or None
        None if ``agreement`` was not looked for.
    known : bool
        Whether the regions are the known boxes of the problem.
    """

    tree: JointTree
    regions: tuple[Region, ...]
    counts: RegionCounts
    impure: tuple[int, ...]
    shared_tree: SharedTree | None = None
    calibration: Calibration | None = None
    grows_on: bool = False
    agreement: tuple[Region, ...] = ()
    agreement_calibration: Calibration | None = None
    known: bool = False
