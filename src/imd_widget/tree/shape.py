"""The form of a joint tree: which node hangs where, and what it asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.boxes import says_yes
from imd_widget.data.columns import Codes, Column

#: Node number that stands for "there is none".
NONE = -1


class Kind(IntEnum):
    """What a node does with the rows that reach it."""

    SPLIT = 0  #: sends each of them to one of two children
    OR = 1  #: hands all of them to both models' branches
    LEAF = 2  #: gives them one label


# as plain numbers, for loops: a member of an enumeration takes longer to look up
SPLIT, OR, LEAF = (int(kind) for kind in Kind)


class Side(IntEnum):
    """Which surrogate a node belongs to."""

    SHARED = 0
    FIRST = 1
    SECOND = 2


class Step(NamedTuple):
    """One decision on the way from the root, and how it fell.

    Asked is whether the code of ``column`` is at most ``cut`` or, in a column without order, is
    ``cut``; rows without a value say yes if ``missing``.
    """

    column: int
    cut: int
    missing: bool
    yes: bool


Path = tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class TreeShape:
    """Two surrogate trees that share their upper part.

    Every way down the shared part ends in an or-node; below it hang the branch of model 1 and the
    branch of model 2, each at least a leaf. Nodes are numbered with parents before children.

    Attributes
    ----------
    columns : tuple of Column
        The columns that splits speak of.
    kind, side : ndarray of shape (n_nodes,)
        See `Kind` and `Side`.
    parent : ndarray of shape (n_nodes,)
    children : ndarray of shape (n_nodes, 2)
        Of a split the "yes" and the "no" child, of an or-node the branch of model 1 and of
        model 2, of a leaf `NONE` twice.
    column, cut, missing : ndarray of shape (n_nodes,)
        Of a split: what it asks, as in `Step`.
    """

    columns: tuple[Column, ...]
    kind: NDArray[np.int8]
    side: NDArray[np.int8]
    parent: NDArray[np.int32]
    children: NDArray[np.int32]
    column: NDArray[np.int32]
    cut: NDArray[np.int32]
    missing: NDArray[np.bool_]

    @property
    def n_nodes(self) -> int:
        """Number of nodes of all kinds."""
        return len(self.kind)

    @cached_property
    def _links(self) -> tuple[list[int], list[int], list[list[int]]]:
        """Kind, parent and children as lists: walking reads them one by one, and often."""
        return self.kind.tolist(), self.parent.tolist(), self.children.tolist()

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """A name for each node that survives refinement: the way to it from the root.

        "r" is the root; "y" and "n" follow for yes and no, "1" and "2" for the branches of the
        models below an or-node.
        """
        kinds, parents, children = self._links
        ids = ["r"] * self.n_nodes
        for node in range(1, self.n_nodes):
            parent = parents[node]
            second = int(children[parent][1] == node)
            ids[node] = ids[parent] + ("12" if kinds[parent] == OR else "yn")[second]
        return tuple(ids)

    @cached_property
    def levels(self) -> NDArray[np.int64]:
        """Number of decisions above each node; an or-node's edges are none."""
        kinds, parents, _ = self._links
        levels = [0] * self.n_nodes
        for node in range(1, self.n_nodes):
            levels[node] = levels[parents[node]] + (kinds[parents[node]] == SPLIT)
        return np.array(levels)

    @property
    def depth(self) -> int:
        """Largest number of decisions on the way to a leaf."""
        return int(self.levels.max())

    @property
    def or_nodes(self) -> tuple[str, ...]:
        """Ids of the nodes at which the two surrogates part, in the order they are drawn."""
        return tuple(self.ids[node] for node in self.walk() if self.kind[node] == Kind.OR)

    def walk(self, start: int = 0) -> Iterator[int]:
        """Nodes from ``start`` on down: a node, then all below its first child, then the rest."""
        kinds, _, children = self._links
        stack = [start]
        while stack:
            node = stack.pop()
            yield node
            if kinds[node] != LEAF:
                stack += reversed(children[node])

    def leaves(self, start: int) -> list[int]:
        """Leaves at or below ``start``, in the order they are drawn."""
        kinds = self._links[0]
        return [node for node in self.walk(start) if kinds[node] == LEAF]

    def path(self, node: int) -> Path:
        """The decisions on the way from the root to ``node``."""
        kinds, parents, children = self._links
        steps: list[Step] = []
        while (parent := parents[node]) != NONE:
            if kinds[parent] == SPLIT:
                yes = children[parent][0] == node
                steps.append(self.question(parent)._replace(yes=yes))
            node = parent
        return tuple(reversed(steps))

    def question(self, split: int) -> Step:
        """What a split asks, answered with yes."""
        return Step(
            int(self.column[split]), int(self.cut[split]), bool(self.missing[split]), yes=True
        )

    def shared_node(self, path: Path) -> int:
        """Number of the node of the shared part at the end of ``path``."""
        node = 0
        for step in path:
            node = int(self.children[node, 0 if step.yes else 1])
        return node

    def route(
        self, codes: Sequence[Codes], rows: NDArray[np.int32], start: int = 0
    ) -> NDArray[np.int32]:
        """Leaves that encoded rows reach from ``start`` on: shape (len(rows), 2), one a model."""
        leaf = np.empty((len(rows), 2), dtype=np.int32)
        stack = [(start, np.arange(len(rows), dtype=np.int32))]
        while stack:
            node, here = stack.pop()
            first, second = (int(child) for child in self.children[node])
            if self.kind[node] == Kind.LEAF:
                leaf[here, self.side[node] - 1] = node
            elif self.kind[node] == Kind.OR:
                stack += ((first, here), (second, here))
            else:
                column, cut, missing, _ = self.question(node)
                asked = codes[column].take(rows.take(here))
                yes = says_yes(self.columns[column], asked, cut, missing)
                stack += ((first, here.compress(yes)), (second, here.compress(~yes)))
        return leaf
