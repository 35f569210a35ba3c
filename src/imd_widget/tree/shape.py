"""The shape of a joint tree: its nodes, their children and their splits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.frozen import FrozenArrays, read_only
from imd_widget.data.boxes import says_yes
from imd_widget.data.columns import Codes, Column

#: Node number that stands for "there is none".
NONE = -1


class Kind(IntEnum):
    """What a node does with the rows that reach it."""

    SPLIT = 0  #: sends each row to one of two children
    OR = 1  #: sends every row to the branches of both models
    LEAF = 2  #: predicts one output for all rows


# plain integers for loops: looking up a member of an enumeration takes longer
SPLIT, OR, LEAF = (int(kind) for kind in Kind)


class Side(IntEnum):
    """Which surrogate a node belongs to."""

    SHARED = 0
    FIRST = 1
    SECOND = 2


class Step(NamedTuple):
    """One split on a path from the root, and the side of it that the path takes.

    A row goes to "yes" if ``code <= cut`` (``code == cut`` in a column without order), where
    ``code`` is the row's code in ``column``. A row without a value goes to "yes" if ``missing``.
    """

    column: int
    cut: int
    missing: bool
    yes: bool


Path = tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class TreeShape(FrozenArrays):
    """Two surrogate trees that share their upper part.

    Every path through the shared part ends in an or-node, whose children are the roots of the
    branches of model 1 and model 2. Nodes are numbered with parents before children.

    Attributes
    ----------
    columns : tuple of Column
        The columns of the table, which ``column`` indexes.
    kind, side : ndarray of shape (n_nodes,)
        See `Kind` and `Side`.
    parent : ndarray of shape (n_nodes,)
    children : ndarray of shape (n_nodes, 2)
        The "yes" and the "no" child of a split, the branches of model 1 and model 2 of an or-node,
        and `NONE` twice for a leaf.
    column, cut, missing : ndarray of shape (n_nodes,)
        The condition of a split, as in `Step`; not used for other nodes.
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
        """Kind, parent and children as lists, which are faster to read element by element."""
        return self.kind.tolist(), self.parent.tolist(), self.children.tolist()

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The path from the root to each node as text; refinement does not change it.

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

    @property
    def asked(self) -> frozenset[int]:
        """The columns that at least one split uses."""
        return frozenset(self.column[self.kind == SPLIT].tolist())

    @cached_property
    def levels(self) -> NDArray[np.int64]:
        """Number of splits above each node; or-nodes do not count."""
        kinds, parents, _ = self._links
        levels = [0] * self.n_nodes
        for node in range(1, self.n_nodes):
            levels[node] = levels[parents[node]] + (kinds[parents[node]] == SPLIT)
        return read_only(np.array(levels))

    @property
    def depth(self) -> int:
        """Largest number of splits on a path to a leaf."""
        return int(self.levels.max())

    @property
    def or_nodes(self) -> tuple[str, ...]:
        """Ids of the or-nodes, at which the two surrogates part, in the order of drawing."""
        return tuple(self.ids[node] for node in self.walk() if self.kind[node] == Kind.OR)

    def walk(self, start: int = 0) -> Iterator[int]:
        """Iterate over ``start`` and its descendants in pre-order."""
        kinds, _, children = self._links
        stack = [start]
        while stack:
            node = stack.pop()
            yield node
            if kinds[node] != LEAF:
                stack += reversed(children[node])

    def leaves(self, start: int) -> list[int]:
        """Return the leaves at or below ``start``, in the order of drawing."""
        kinds = self._links[0]
        return [node for node in self.walk(start) if kinds[node] == LEAF]

    def path(self, node: int) -> Path:
        """Return the steps from the root to ``node``."""
        kinds, parents, children = self._links
        steps: list[Step] = []
        while (parent := parents[node]) != NONE:
            if kinds[parent] == SPLIT:
                yes = children[parent][0] == node
                steps.append(self.question(parent)._replace(yes=yes))
            node = parent
        return tuple(reversed(steps))

    def question(self, split: int) -> Step:
        """Return the condition of a split as the step to its "yes" child."""
        return Step(
            int(self.column[split]), int(self.cut[split]), bool(self.missing[split]), yes=True
        )

    def shared_node(self, path: Path) -> int:
        """Return the number of the shared node at the end of ``path``."""
        node = 0
        for step in path:
            node = int(self.children[node, 0 if step.yes else 1])
        return node

    def route(
        self, codes: Sequence[Codes], rows: NDArray[np.int32], start: int = 0
    ) -> NDArray[np.int32]:
        """Return the leaf of each model that encoded rows reach from ``start``: (len(rows), 2)."""
        leaf = np.empty((len(rows), 2), dtype=np.int32)
        stack = [(start, np.arange(len(rows), dtype=np.int32))]
        while stack:
            node, reaching = stack.pop()
            first, second = (int(child) for child in self.children[node])
            if self.kind[node] == Kind.LEAF:
                leaf[reaching, self.side[node] - 1] = node
            elif self.kind[node] == Kind.OR:
                stack += ((first, reaching), (second, reaching))
            else:
                column, cut, missing, _ = self.question(node)
                node_codes = codes[column].take(rows.take(reaching))
                yes = says_yes(self.columns[column], node_codes, cut, missing)
                stack += ((first, reaching.compress(yes)), (second, reaching.compress(~yes)))
        return leaf
