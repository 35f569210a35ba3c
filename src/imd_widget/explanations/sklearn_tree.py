"""A fitted decision tree of scikit-learn, alone or at the end of a pipeline, as one tree."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from imd_widget.rules.tree_record import NodeRecord, PlottableTree, TreeRecord


@dataclass(frozen=True, eq=False, repr=False)
class SklearnTree(PlottableTree):
    """A fitted decision tree of scikit-learn that can be drawn."""

    #: A ``DecisionTreeClassifier`` or ``DecisionTreeRegressor``, or a pipeline that ends in one.
    #: The questions are about the columns that the tree itself is given.
    model: Any

    @property
    def estimator(self) -> Any:
        """The tree itself."""
        return self.model.steps[-1][1] if hasattr(self.model, "steps") else self.model

    def to_record(self) -> TreeRecord:
        """Return the tree as a record of plain values."""
        classes = getattr(self.estimator, "classes_", None)
        nodes: dict[int, NodeRecord] = {}
        self._record_below(0, {}, nodes)
        n_rows = nodes[0].rows
        return TreeRecord(
            title=f"{type(self.estimator).__name__}: {'value' if classes is None else 'class'}.",
            sentences=(f"Its counts are of the {n_rows:,} rows that it was fitted to.",),
            careful=False,
            what="value" if classes is None else "class",
            classes=() if classes is None else tuple(map(str, classes.tolist())),
            nodes=tuple(nodes[number] for number in range(len(nodes))),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain values that JSON can encode."""
        return asdict(self.to_record())

    def _record_below(
        self, at: int, path: dict[int, tuple[float, float]], nodes: dict[int, NodeRecord]
    ) -> None:
        """Add the records of a node and those below it; ``path``: the interval of each feature."""
        tree = self.estimator.tree_
        leaf = tree.children_left[at] < 0
        feature, threshold = int(tree.feature[at]), float(tree.threshold[at])
        column = None if leaf else self._names[feature]
        nodes[at] = NodeRecord(
            conditions=tuple(_text(self._names[own], *ends) for own, ends in path.items()),
            rows=int(tree.n_node_samples[at]),
            question=None if column is None else _text(column, -np.inf, threshold),
            column=column,
            yes=None if leaf else int(tree.children_left[at]),
            no=None if leaf else int(tree.children_right[at]),
            **self._said(tree.value[at, 0]),
        )
        if not leaf:
            low, high = path.get(feature, (-np.inf, np.inf))
            left, right = (low, min(high, threshold)), (max(low, threshold), high)
            self._record_below(int(tree.children_left[at]), {**path, feature: left}, nodes)
            self._record_below(int(tree.children_right[at]), {**path, feature: right}, nodes)

    def _said(self, value: Any) -> dict[str, Any]:
        """What is predicted: a number, or the class with the largest share of the rows."""
        classes = getattr(self.estimator, "classes_", None)
        if classes is None:
            return {"text": f"{value[0]:.4g}", "value": float(value[0])}
        best = int(np.argmax(value))
        share = float(value[best] / value.sum())
        return {"text": str(classes[best]), "label": best, "share": share}

    @property
    def _names(self) -> list[str]:
        """Names of the columns that the tree is given."""
        if hasattr(self.model, "steps") and len(self.model.steps) > 1:
            try:
                return [str(name) for name in self.model[:-1].get_feature_names_out()]
            except (AttributeError, ValueError):
                pass
        names = getattr(self.estimator, "feature_names_in_", None)
        n_features = self.estimator.n_features_in_
        return [f"column {at}" for at in range(n_features)] if names is None else list(names)


def _text(name: str, low: float, high: float) -> str:
    """Return ``low < name <= high`` as text."""
    if not np.isfinite(low):
        return f"{name} <= {high:.6g}"
    return f"{name} > {low:.6g}" if not np.isfinite(high) else f"{low:.6g} < {name} <= {high:.6g}"


def plottable_tree(model: Any) -> PlottableTree | None:
    """Return a tree that can be plotted; None if the object is not a tree with one output."""
    if isinstance(model, PlottableTree):
        return model
    if type(model).__module__.partition(".")[0] != "sklearn":
        return None
    steps = getattr(model, "steps", None)
    tree = getattr(steps[-1][1] if steps else model, "tree_", None)
    return SklearnTree(model) if tree is not None and tree.value.shape[1] == 1 else None
