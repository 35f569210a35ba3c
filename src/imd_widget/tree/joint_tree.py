"""The fitted joint tree: its shape, the counts at its nodes, and what its leaves predict."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.frozen import read_only
from imd_widget._base.verbs import verb
from imd_widget.counting.channels import Channels, Purpose
from imd_widget.data.boxes import encode_with_given
from imd_widget.outputs.interface import Outputs
from imd_widget.tree.shape import Kind, TreeShape

#: Questions on a path, and lines, that the representation of a tree has at most.
SHOWN_LEVELS, SHOWN_LINES = 2, 20


@dataclass(frozen=True, eq=False, repr=False)
class JointTree(TreeShape):
    """Two surrogate trees that share their upper part. ``print`` writes it as indented text.

    Attributes
    ----------
    target : Channels
        The channels that were counted.
    outputs : Outputs
        What the models predict.
    counts : ndarray of shape (n_nodes, n_counts)
        The rows used to fit that reach each node, in the first ``target.n_counts`` channels.
    sums : ndarray of shape (n_nodes, 4 or more) or (n_nodes, 0)
        Sum and sum of squares of the outputs of model 1, then of model 2, after subtracting their
        middle; no columns for classes.
    label_rows : ndarray of shape (n_nodes, 2, n_labels) or None
        Numbers of rows by label of either model; None unless classes are compared with weights.
    """

    target: Channels
    outputs: Outputs
    counts: NDArray[np.int64]
    sums: NDArray[np.float64]
    label_rows: NDArray[np.int64] | None = None

    @classmethod
    def over(
        cls,
        shape: TreeShape,
        target: Channels,
        outputs: Outputs,
        counts: NDArray[np.int64],
        sums: NDArray[np.float64],
        label_rows: NDArray[np.int64] | None = None,
    ) -> JointTree:
        """Return the joint tree of this shape."""
        arrays = {field.name: getattr(shape, field.name) for field in fields(TreeShape)}
        return cls(
            **arrays,
            target=target,
            outputs=outputs,
            counts=counts,
            sums=sums,
            label_rows=label_rows,
        )

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The sorted labels that leaves predict; empty if the outputs are numbers."""
        return self.outputs.labels

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """Number of rows used to fit at each node."""
        return read_only(np.asarray(self.target.rows(self.counts.T)))

    @cached_property
    def weight(self) -> NDArray[np.int64]:
        """Weight of the rows used to fit at each node."""
        return read_only(np.asarray(self.target.weight(self.counts.T)))

    @cached_property
    def differing(self) -> NDArray[np.int64]:
        """Weight of the rows used to fit at each node on which the models differ."""
        return read_only(np.asarray(self.target.differing(self.counts.T)))

    @cached_property
    def label_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Weight at each node by label of model 1 and of model 2, each (n_nodes, n_labels).

        Defined for classes only.
        """
        first, second = (
            read_only(self.target.labels(purpose, self.counts.T).T)
            for purpose in (Purpose.FIRST, Purpose.SECOND)
        )
        return first, second

    @cached_property
    def means(self) -> NDArray[np.float64]:
        """Mean output of either model at each node, for numbers: shape (n_nodes, 2)."""
        return read_only(self.outputs.means(self.sums, self.weight))

    @cached_property
    def spreads(self) -> NDArray[np.float64]:
        """Standard deviation of either model's outputs at each node, for numbers: (n_nodes, 2)."""
        return read_only(self.outputs.spreads(self.sums, self.weight))

    def label(self, leaf: int) -> int:
        """Index of the label that a leaf predicts: its model's most frequent one, first of ties."""
        return int(self.label_counts[self.side[leaf] - 1][leaf].argmax())

    def value(self, leaf: int) -> float:
        """The number that a leaf predicts: the mean of its model's outputs."""
        return float(self.means[leaf, self.side[leaf] - 1])

    def is_impure(self, leaf: int) -> bool:
        """Whether the outputs of the leaf's model vary at the leaf; see ``Outputs.is_impure``."""
        return self.outputs.is_impure(self, leaf)

    def apply(self, X: Any, given: Any = None) -> NDArray[np.int32]:
        """Numbers of the leaves that each row of ``X`` reaches: shape (n_rows, 2).

        ``X`` needs the columns that the tree splits on; other columns may be absent. ``given`` are
        the outputs of the given model, if the tree splits on them.
        """
        used = set(self.column[self.kind == Kind.SPLIT].tolist())
        table = encode_with_given(X, self.columns, used, given)
        return self.route(table.codes, np.arange(table.n_rows, dtype=np.int32))

    def predict(self, X: Any, given: Any = None) -> NDArray[Any]:
        """The outputs that the two surrogates predict for ``X``: shape (n_rows, 2)."""
        return np.asarray(self.leaf_outputs[self.apply(X, given)])

    def to_text(self, depth: int | None = None, names: tuple[str, str] = ("m1", "m2")) -> str:
        """Return the tree as indented text: a line for each answer to a question.

        Parameters
        ----------
        depth : int, optional
            Questions on a path that are written at most; None: all of them.
        names : tuple of two str, default=("m1", "m2")
            Names of the models, such as ``d.names``.

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(200).reshape(200, 1)
        >>> d = imd.diff(X[:, 0] < 100, X[:, 0] < 140, X)
        >>> print(d.tree.to_text(depth=1))
        all 200 rows, 20 % differ
        |-- x0 < 100 (100 rows, 0 % differ)
        |   |-- m1: True, m2: True
        |-- x0 >= 100 (100 rows, 40 % differ)
        |   |-- ...
        """
        return str(verb("tree_text")(self, depth, names=names))

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        shown = verb("tree_text")(self, SHOWN_LEVELS, SHOWN_LINES)
        return f"<JointTree of {self.n_nodes} nodes, {self.depth} questions deep\n{shown}>"

    @cached_property
    def leaf_outputs(self) -> NDArray[Any]:
        """The output that each leaf predicts; any value for other nodes."""
        return read_only(self.outputs.leaf_outputs(self, self.kind == Kind.LEAF))
