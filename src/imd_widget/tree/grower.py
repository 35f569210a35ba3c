"""Breadth-first growth of a joint tree from counts alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import Purpose
from imd_widget.counting.histogram import Histogram
from imd_widget.tree.builder import TreeBuilder
from imd_widget.tree.requests import Histograms, Totals
from imd_widget.tree.shape import Path, Side, Step
from imd_widget.tree.source import CountSource
from imd_widget.tree.splitter import PAPER, NodeSplits, Objective


@dataclass(frozen=True)
class GrowthOptions:
    """Stopping conditions, objective and divergence condition of the growth of a tree."""

    #: Largest number of splits on a path to a leaf.
    max_depth: int
    #: Smallest number of rows on each side of a split.
    min_samples_leaf: int
    #: The impurity that a shared split minimises. A split below an or-node minimises the impurity
    #: of the model whose branch it is in.
    objective: Objective = PAPER
    #: Whether or-nodes are made; otherwise only the shared part is grown.
    parts: bool = True
    #: A shared node becomes an or-node if ``cost_1 == 0 or cost_2 == 0`` (None; the paper's
    #: condition 6), or if ``cost_1 + cost_2 <= alpha * common_cost`` (a number; condition 5). The
    #: costs are those of the best split for either model and of the best common split; with 1 the
    #: surrogates part at the root.
    alpha: float | None = None
    #: Number of copies of each row used to fit that are counted.
    times: int = 1


@dataclass(frozen=True)
class _Open:
    """A node that may still be split, with its histogram."""

    node: int
    path: Path
    histogram: Histogram


@dataclass(frozen=True)
class _Parted:
    """A node that was split and whose children have no histograms yet."""

    parent: _Open
    children: list[int]
    step: Step


class Grower:
    """Grows a joint tree level by level, with one request for counts per level.

    Parameters
    ----------
    source : CountSource
    builder : TreeBuilder
    options : GrowthOptions
    """

    def __init__(self, source: CountSource, builder: TreeBuilder, options: GrowthOptions) -> None:
        self._source = source
        self._builder = builder
        self._options = options
        self._target = source.target
        self._counts: dict[int, NDArray[np.float64]] = {}

    def grow(self, roots: Sequence[tuple[int, Path]]) -> None:
        """Grow below the nodes in ``roots``, which are shared leaves with their paths."""
        totals = self._source.answer(Totals([path for _, path in roots]))
        self._counts = {node: total for (node, _), total in zip(roots, totals, strict=True)}
        opened = self._opened(roots)
        level: list[_Open] = []
        for depth in range(self._options.max_depth):
            level += [candidate for candidate in opened if len(candidate.path) == depth]
            parted = self._decide(level)
            if depth + 1 < self._options.max_depth:  # the last level's children stay leaves
                level = self._open_children(parted)

    def _opened(self, roots: Sequence[tuple[int, Path]]) -> list[_Open]:
        wanted = [
            (node, path)
            for node, path in roots
            if len(path) < self._options.max_depth and not self._is_pure(node)
        ]
        if not wanted:
            return []
        histograms = self._histograms(roots, [node for node, _ in wanted])
        return [_Open(node, path, histograms[node]) for node, path in wanted]

    def _histograms(
        self, roots: Sequence[tuple[int, Path]], wanted: list[int]
    ) -> dict[int, Histogram]:
        """Return the histograms of the wanted roots.

        The largest one is computed as the whole table minus the other roots, if the other roots
        cover the rest of the table and fewer rows are then counted.
        """
        rows = {node: self._rows(node) for node, _ in roots}
        everything = self._source.answer(Totals([()]))[0]
        largest = max(wanted, key=lambda node: rows[node])
        by_rest = len(roots) > 1 and sum(rows.values()) == self._target.rows(everything)
        by_rest &= (
            2 * rows[largest]
            > sum(rows[node] for node in rows if node not in wanted) + rows[largest]
        )
        counted = [
            (node, path)
            for node, path in roots
            if (by_rest or node in wanted) and not (by_rest and node == largest)
        ]
        channels = [self._present(node) for node, _ in counted]
        paths = [path for _, path in counted]
        histograms = self._source.answer(Histograms(paths, channels))
        by_node = {
            node: histogram for (node, _), histogram in zip(counted, histograms, strict=True)
        }
        if by_rest:
            root = Histograms([()], [self._target.present(everything)])
            whole = self._source.answer(root)[0]
            by_node[largest] = whole.rest(list(by_node.values()), self._present(largest))
        return by_node

    def _decide(self, level: list[_Open]) -> list[_Parted]:
        """Make every node of a level a split, an or-node or a leaf; return the split nodes."""
        parted: list[_Parted] = []
        minimum = self._options.min_samples_leaf
        for opened in level:
            splits = NodeSplits(
                opened.histogram,
                self._target,
                self._source.layout,
                minimum,
                self._purposes(opened.node),
                len(opened.path),
                self._options.times,
            )
            if splits.none:
                continue
            nodes = [opened.node]
            if self._builder.side[opened.node] == Side.SHARED and self._diverges(splits):
                nodes = self._builder.make_or(opened.node)
                self._counts |= dict.fromkeys(nodes, self._counts[opened.node])
            parted += [
                self._split(node, opened, splits) for node in nodes if not self._is_pure(node)
            ]
        return parted

    def _split(self, node: int, opened: _Open, splits: NodeSplits) -> _Parted:
        side = self._builder.side[node]
        if side == Side.SHARED:
            split, yes = splits.best_common(self._options.objective)
        else:
            split, yes = splits.best_for(Purpose(side - 1))
        children = self._builder.make_split(node, split)
        self._counts |= zip(children, (yes, self._counts[node] - yes), strict=True)
        return _Parted(opened, children, Step(split.column, split.cut, split.missing, yes=True))

    def _diverges(self, splits: NodeSplits) -> bool:
        if not self._options.parts:
            return False
        first, second = (splits.best_for(Purpose(i))[0].cost for i in (0, 1))
        if self._options.alpha is None:
            return first == 0 or second == 0
        return first + second <= self._options.alpha * splits.best_common()[0].cost

    def _is_pure(self, node: int) -> bool:
        """Whether the node is pure for every purpose that a split of it would serve."""
        counts = self._counts[node]
        return all(self._target.is_pure(purpose, counts) for purpose in self._purposes(node))

    def _purposes(self, node: int) -> list[Purpose]:
        """Return what a split of the node is to tell apart."""
        side = self._builder.side[node]
        if side != Side.SHARED:
            return [Purpose(side - 1)]
        if self._options.parts:
            return [Purpose.FIRST, Purpose.SECOND]
        return [Purpose.DIFFERS]  # a tree of the shared part alone predicts "differs"

    def _rows(self, node: int) -> int:
        return int(self._target.rows(self._counts[node]))

    def _present(self, node: int) -> NDArray[np.intp]:
        return self._target.present(self._counts[node])

    def _open_children(self, parted: list[_Parted]) -> list[_Open]:
        """Return the children that may be split further.

        Of two siblings the smaller one is counted; the other is the parent minus the sibling.
        """
        wanted = [p for p in parted if not all(self._is_pure(node) for node in p.children)]
        smaller = [int(self._rows(p.children[1]) < self._rows(p.children[0])) for p in wanted]
        paths = [_child_path(p, second) for p, second in zip(wanted, smaller, strict=True)]
        channels = [
            self._present(p.children[second]) for p, second in zip(wanted, smaller, strict=True)
        ]
        counted = self._source.answer(Histograms(paths, channels)) if paths else ()
        return list(self._children(zip(wanted, smaller, counted, strict=True)))

    def _children(self, counted: Iterable[tuple[_Parted, int, Histogram]]) -> Iterable[_Open]:
        for parted, smaller, histogram in counted:
            for second, node in enumerate(parted.children):
                if self._is_pure(node):
                    continue
                child_histogram = histogram
                if second != smaller:
                    child_histogram = parted.parent.histogram.rest([histogram], self._present(node))
                yield _Open(node, _child_path(parted, second), child_histogram)


def _child_path(parted: _Parted, second: int) -> Path:
    return (*parted.parent.path, parted.step._replace(yes=second == 0))
