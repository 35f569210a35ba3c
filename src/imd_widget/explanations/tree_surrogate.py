"""A decision tree that imitates one target: a model, or the difference of two."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.optional import importing
from imd_widget._base.plain import record_from, to_json
from imd_widget.data.boxes import Box
from imd_widget.data.table import open_table
from imd_widget.explanations.features import TreeFeatures
from imd_widget.explanations.fidelity import SurrogateFit, hardly_varies, is_low, r2_text
from imd_widget.explanations.schema import TreeNodeView, TreeView
from imd_widget.explanations.surrogate_data import SurrogateData
from imd_widget.rules.conditions import Condition, condition
from imd_widget.rules.languages import conditions_text
from imd_widget.rules.regions import conditions
from imd_widget.rules.tree_record import NodeRecord, PlottableTree, TreeRecord

#: Rows in each leaf at least.
MIN_SAMPLES_LEAF = 5


@dataclass(frozen=True, eq=False)
class SurrogateNode:
    """A node of a decision tree surrogate.

    Attributes
    ----------
    question : str or None
        What a split asks, "age < 42"; None for a leaf.
    column : str or None
        Name of the column that it splits on; None for a leaf.
    yes, no : int or None
        Numbers of the nodes below; None for a leaf.
    depth : int
    rows : int
        Number of rows that reach it, of those that were fitted.
    value : float
        Mean of the target there.
    conditions : tuple of Condition
        What holds for the rows that reach it.
    """

    question: str | None
    column: str | None
    yes: int | None
    no: int | None
    depth: int
    rows: int
    value: float
    conditions: tuple[Condition, ...]

    def __str__(self) -> str:
        return conditions_text(self.conditions)


@dataclass(frozen=True, eq=False, repr=False)
class TreeSurrogate(PlottableTree):
    """A decision tree that imitates a model, with what it is worth on rows kept aside.

    Attributes
    ----------
    name : str
        Name of the model; "the difference" of two.
    what : str
        What is imitated: "probability of yes", "value".
    rmse : float
        Root of the mean squared error on the rows kept aside.
    r2 : float or None
        R² on the rows kept aside; None if the target hardly varies there.
    n_fit, n_aside : int
        Numbers of rows that the tree was fitted to, and of rows kept aside.
    nodes : tuple of SurrogateNode
        The root first.
    note : str or None
        Why votes are imitated and not probabilities, as a sentence.
    trust : str or None
        How far the surrogates of two models explain their difference, as a sentence.
    """

    name: str
    what: str
    rmse: float
    r2: float | None
    n_fit: int
    n_aside: int
    nodes: tuple[SurrogateNode, ...]
    note: str | None
    trust: str | None
    _features: TreeFeatures = field(repr=False)
    _estimator: Any = field(repr=False)
    _text: Callable[[float], str] = field(repr=False)

    @property
    def leaves(self) -> tuple[SurrogateNode, ...]:
        """The leaves, from left to right."""
        return tuple(self.nodes[number] for number in self._walk(0) if not self._asks(number))

    @cached_property
    def _decreases(self) -> dict[int, float]:
        """The share of the squared error that each split reduces, by its number."""
        tree = self._estimator.tree_
        error = tree.impurity * tree.weighted_n_node_samples
        splits = np.flatnonzero(tree.children_left >= 0)
        below = error[tree.children_left[splits]] + error[tree.children_right[splits]]
        found = np.maximum(error[splits] - below, 0.0)
        total = float(found.sum()) or 1.0
        return dict(zip(splits.tolist(), (found / total).tolist(), strict=True))

    @property
    def column_shares(self) -> dict[str, float]:
        """How much each column reduces the squared error, as a share; the largest first."""
        shares: dict[str, float] = {}
        for number, share in self._decreases.items():
            column = str(self.nodes[number].column)
            shares[column] = shares.get(column, 0.0) + share
        return dict(sorted(shares.items(), key=lambda own: -own[1]))

    @property
    def pair_shares(self) -> dict[tuple[str, str], float]:
        """Pairs of different columns on one path; the largest share first.

        The share of the squared error that is reduced by splits on one of them below a split on the
        other: there the effect of one depends on the other.
        """
        shares: dict[tuple[str, str], float] = {}

        def walk(number: int, above: frozenset[str]) -> None:
            node = self.nodes[number]
            if node.yes is None or node.no is None:
                return
            column = str(node.column)
            for other in above - {column}:
                pair = (min(column, other), max(column, other))
                shares[pair] = shares.get(pair, 0.0) + self._decreases[number]
            for below in (node.yes, node.no):
                walk(below, above | {column})

        walk(0, frozenset())
        return dict(sorted(shares.items(), key=lambda own: -own[1]))

    @property
    def rules(self) -> tuple[str, ...]:
        """One line for each leaf: conditions, mean and number of rows."""
        return tuple(
            f"{leaf}: {self._text(leaf.value)} ({leaf.rows} of {self.n_fit} rows)"
            for leaf in self.leaves
        )

    @property
    def fidelity(self) -> str:
        """One line: RMSE and R² on the rows kept aside."""
        r2 = "no R²" if self.r2 is None else f"R² {r2_text(self.r2)}"
        line = (
            f"RMSE {self.rmse:.3g}, {r2} on {self.n_aside} rows kept aside "
            f"({self.name}, {self.what})."
        )
        why = hardly_varies([self.name]) if self.r2 is None else ""
        return " ".join(part for part in (line, why, self.trust, self.note) if part)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the target for each row of ``X``, which has the columns of the fitted table."""
        return np.asarray(self._estimator.predict(self._features.encoded(open_table(X))))

    def to_record(self) -> TreeRecord:
        """Return the tree as a record of plain values."""
        return TreeRecord(
            title=f"A decision tree that imitates {self.name}: {self.what}.",
            sentences=(
                self.fidelity,
                f"Its counts are of the {self.n_fit:,} rows it was fitted to.",
            ),
            careful=is_low(self.r2),
            what=self.what,
            classes=(),
            nodes=tuple(map(self._node_record, self.nodes)),
        )

    def _node_record(self, node: SurrogateNode) -> NodeRecord:
        return NodeRecord(
            conditions=tuple(map(str, node.conditions)),
            text=self._text(node.value),
            rows=node.rows,
            value=node.value,
            question=node.question,
            column=node.column,
            yes=node.yes,
            no=node.no,
        )

    def view(self) -> TreeView:
        """Return the tree as a record."""
        nodes = (
            record_from(TreeNodeView, node, text=self._text(node.value)) for node in self.nodes
        )
        return record_from(TreeView, self, nodes=tuple(nodes))

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain values that JSON can encode."""
        plain: dict[str, Any] = to_json(self.view())
        return plain

    def _asks(self, number: int) -> bool:
        return self.nodes[number].question is not None

    def _walk(self, number: int) -> list[int]:
        """Numbers of the nodes from one down, "yes" before "no"."""
        node = self.nodes[number]
        if node.yes is None or node.no is None:
            return [number]
        return [number, *self._walk(node.yes), *self._walk(node.no)]

    @cached_property
    def _as_text(self) -> str:
        return "\n".join([self.fidelity, *self.rules])

    def __str__(self) -> str:
        return self._as_text

    def __repr__(self) -> str:
        return f"<TreeSurrogate: {self.fidelity}>"


@dataclass(frozen=True, eq=False)
class FittedTree:
    """A decision tree of scikit-learn, and how well it does on the rows kept aside."""

    estimator: Any
    fit: SurrogateFit


def fit_tree(data: SurrogateData, target: int, max_depth: int, random_state: int) -> FittedTree:
    """Fit a decision tree to one target on the rows that are not kept aside."""
    with importing("explaining"):
        from sklearn.tree import DecisionTreeRegressor

    rows = ~data.aside
    estimator = DecisionTreeRegressor(
        max_depth=max_depth,
        min_samples_leaf=max(MIN_SAMPLES_LEAF, data.least),
        random_state=random_state,
    )
    estimator.fit(data.tree_matrix[rows], data.targets[rows, target], data.weights[rows])
    predicted = np.asarray(estimator.predict(data.tree_matrix))
    return FittedTree(estimator, data.measured(target, predicted))


def tree_surrogate(
    fitted: FittedTree,
    data: SurrogateData,
    name: str,
    what: str,
    text: Callable[[float], str],
    note: str | None,
    trust: str | None,
) -> TreeSurrogate:
    """Return a fitted tree in words."""
    features = data.tree_features
    return TreeSurrogate(
        name=name,
        what=what,
        rmse=fitted.fit.rmse,
        r2=fitted.fit.r2,
        n_fit=int((~data.aside).sum()),
        n_aside=int(data.aside.sum()),
        nodes=_nodes(fitted.estimator.tree_, features),
        note=note,
        trust=trust,
        _features=features,
        _estimator=fitted.estimator,
        _text=text,
    )


def _nodes(tree: Any, features: TreeFeatures) -> tuple[SurrogateNode, ...]:
    found: dict[int, SurrogateNode] = {}
    waiting: list[tuple[int, int, Box]] = [(0, 0, {})]
    while waiting:
        number, depth, box = waiting.pop()
        question = name = yes = no = None
        if tree.children_left[number] >= 0:
            feature, threshold = int(tree.feature[number]), float(tree.threshold[number])
            column, codes = features.yes(feature, threshold)
            sides = [int(tree.children_left[number]), int(tree.children_right[number])]
            if features.code[feature] >= 0:  # "is this category" is the side above the threshold
                sides.reverse()
            yes, no = sides
            question = str(condition(features.columns[column], codes))
            name = str(features.columns[column].name)
            for child, inside in ((yes, True), (no, False)):
                waiting.append((child, depth + 1, features.narrowed(box, column, codes, inside)))
        found[number] = SurrogateNode(
            question=question,
            column=name,
            yes=yes,
            no=no,
            depth=depth,
            rows=int(tree.n_node_samples[number]),
            value=float(tree.value[number, 0, 0]),
            conditions=_conditions(box, features),
        )
    return tuple(found[number] for number in range(len(found)))


def _conditions(box: Box, features: TreeFeatures) -> tuple[Condition, ...]:
    """The conditions of a box; columns of which it allows every code need none."""
    narrowed = {
        column: features.columns[column].shorter(codes)
        for column, codes in box.items()
        if codes != (1 << features.columns[column].n_codes) - 1
    }
    return conditions(narrowed, features.columns)
