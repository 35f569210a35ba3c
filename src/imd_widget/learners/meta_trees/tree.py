"""The exported tree of one group: plain values, no networks."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Given, InputError
from imd_widget._base.plain import LONGEST, cut, listed, matches_type, shown, whole
from imd_widget._base.plain_values import distinct_from_plain, from_plain, to_plain
from imd_widget.data.table import open_table
from imd_widget.learners.meta_trees.editing import EditCost, cost_between, edited_nodes
from imd_widget.learners.meta_trees.nodes import TreeNode
from imd_widget.learners.meta_trees.questions import Question, conditions_of
from imd_widget.rules.conditions import Condition, all_hold
from imd_widget.rules.languages import conditions_text
from imd_widget.rules.tree_record import NodeRecord, PlottableTree, TreeRecord

VERSION = 1


@dataclass(frozen=True)
class TreeRule:
    """A leaf of an exported tree as a rule: where it holds, and what is predicted there.

    Attributes
    ----------
    conditions : tuple of Interval, Membership or Presence
    prediction : object
        A number, or the most probable class.
    probability : float or None
        The probability of that class; None for numbers.
    n_examples : int
        Examples of the group for which the conditions hold.
    """

    conditions: tuple[Condition, ...]
    prediction: Any
    probability: float | None
    n_examples: int

    def mask(self, X: Any) -> NDArray[np.bool_]:
        """Return a mask of the rows of ``X`` for which the conditions hold."""
        if not self.conditions:
            return np.ones(open_table(X).n_rows, dtype=bool)
        return all_hold(self.conditions, X)

    def __str__(self) -> str:
        rows = "1 example" if self.n_examples == 1 else f"{self.n_examples} examples"
        return f"{conditions_text(self.conditions)}: {self._predicted} ({rows})"

    @property
    def _predicted(self) -> str:
        if self.probability is None:
            return f"{self.prediction:.4g}"
        return f"{self.prediction} ({100 * self.probability:.0f} %)"


@dataclass(frozen=True, eq=False)
class MetaTree(PlottableTree):
    """The tree of one group: a model like any other, which needs neither JAX nor the networks.

    A tree is made by `MetaTreeRegressor.tree_of` and `MetaTreeRegressor.tree_for`. It asks one
    question about one column in each node. Questions whose answer is known from those above, or
    from the values of the table that the networks were trained on, are left out. `save` writes
    JSON, which `load` reads, unless the path ends in ``.html``, ``.svg`` or ``.png``.

    Attributes
    ----------
    nodes : tuple of TreeNode
        The root first; children come after their parent.
    group : Hashable
        Whose tree it is; None if it has no name.
    """

    #: A file of any other name is JSON, which `load` reads.
    default_suffix: ClassVar[str | None] = ".json"

    nodes: tuple[TreeNode, ...]
    group: Hashable = None
    classes: tuple[Hashable, ...] | None = field(default=None, repr=False)
    #: The tree before the last `edit`; None if it was not edited, or was saved since.
    previous: MetaTree | None = field(default=None, repr=False)

    @property
    def depth(self) -> int:
        """Questions on the longest path."""

        def below(at: int) -> int:
            node = self.nodes[at]
            return 0 if node.question is None else 1 + max(below(node.no), below(node.yes))

        return below(0)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return sum(node.question is None for node in self.nodes)

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """The columns that the tree splits on, in the order of its nodes."""
        asked = [node.question.column for node in self.nodes if node.question is not None]
        return tuple(dict.fromkeys(asked))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by hard routing: a row ends in exactly one leaf.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            With the columns that the tree splits on; others are not read. Of an array, columns are
            taken by their positions in the table that the networks were trained on.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._values(X)[:, 0]

    def leaf_of(self, X: Any) -> NDArray[np.intp]:
        """The number of the node in which each row ends: shape (n_samples,)."""
        table = open_table(X).cached()
        ends = np.zeros(table.n_rows, dtype=np.intp)
        todo = [(0, np.arange(table.n_rows))]
        while todo:
            at, rows = todo.pop()
            node = self.nodes[at]
            ends[rows] = at
            if node.question is not None:
                yes = node.question.answers(table)[rows]
                todo += [(node.no, rows[~yes]), (node.yes, rows[yes])]
        return ends

    def edit(
        self, node: int, *, threshold: Any = None, value: Any = None, X: Any = None
    ) -> MetaTree:
        """Return the tree with another threshold at a node, or another value in a leaf.

        The tree itself does not change. `undo` of the result is this tree, and `edit_cost` shows
        what the edit costs on rows with known targets.

        Parameters
        ----------
        node : int
            Number of the node in ``nodes``, as `leaf_of` returns it.
        threshold : object, optional
            For a node with a question: a number, or one of its categories.
        value : object, optional
            For a leaf: a number, or one of the classes.
        X : table of shape (n_examples, n_features), optional
            The examples of the group, to count them anew. Without them, the counts below a new
            threshold are those before the edit.

        Returns
        -------
        MetaTree
        """
        edited = replace(self, nodes=edited_nodes(self, node, threshold, value), previous=self)
        for rule in edited.rules():
            try:
                str(rule)
            except ValueError as error:
                raise InputError(
                    Given("threshold", threshold),
                    f" contradicts another question on the path to a leaf ({error}). Give one "
                    "that some rows can pass and others fail.",
                ) from error
        return edited if X is None else edited.counted(X)

    def undo(self) -> MetaTree:
        """Return the tree before the last edit."""
        if self.previous is None:
            raise InputError("There is no edit to undo: this tree is as it was grown or loaded.")
        return self.previous

    def counted(self, X: Any) -> MetaTree:
        """Return the tree with the numbers of these rows at its nodes.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        """
        counts = np.bincount(self.leaf_of(X), minlength=len(self.nodes))
        for at in range(len(self.nodes) - 1, -1, -1):  # children come after their parent
            node = self.nodes[at]
            if node.question is not None:
                counts[at] = counts[node.no] + counts[node.yes]
        pairs = zip(self.nodes, counts.tolist(), strict=True)
        return replace(self, nodes=tuple(replace(node, n_examples=n) for node, n in pairs))

    def edit_cost(self, X: Any, y: Any) -> EditCost:
        """Return what all edits of this tree cost on rows with known targets.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
        y : array of shape (n_samples,)

        Returns
        -------
        EditCost
        """
        first = self
        while first.previous is not None:
            first = first.previous
        return cost_between(first, self, X, y)

    def rules(self) -> tuple[TreeRule, ...]:
        """The leaves as rules, from left to right.

        Their masks cover every row exactly once, as long as no value is missing in a column that
        had none when the networks were trained.
        """
        return tuple(self._rules_below(0, ()))

    def to_dict(self) -> dict[str, Any]:
        """The tree as plain values for JSON; `from_dict` reads them."""
        nodes: list[dict[str, Any]] = []
        for node in self.nodes:
            plain: dict[str, Any] = {"value": list(node.value), "n_examples": node.n_examples}
            if node.question is not None:
                plain |= {"question": node.question.to_plain(), "no": node.no, "yes": node.yes}
            nodes.append(plain)
        classes = self.classes and [to_plain(label, "the class") for label in self.classes]
        return {
            "kind": "meta_tree",
            "version": VERSION,
            "group": to_plain(self.group, "the group"),
            "classes": classes,
            "nodes": nodes,
        }

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> MetaTree:
        """The tree that `to_dict` described."""
        try:
            if plain["kind"] != "meta_tree" or plain["version"] > VERSION:
                raise ValueError(f"it is a {plain['kind']} of version {plain['version']}")
            tree = _tree_from(plain)
            for rule in tree.rules():  # questions that contradict each other make no condition
                str(rule)
            return tree
        except Exception as error:  # any failure is caused by the content
            raise InputError(
                f"This is not a tree that to_dict wrote ({type(error).__name__}: "
                f"{cut(str(error), LONGEST)}). Trees of version {VERSION} and before are read."
            ) from error

    def to_record(self) -> TreeRecord:
        """Return the tree as a record of plain values."""
        nodes: list[NodeRecord | None] = [None] * len(self.nodes)
        self._record_below(0, (), nodes)
        of = "" if self.group is None else f" of {self.group}"
        n_examples = self.nodes[0].n_examples
        rows = "1 example" if n_examples == 1 else f"{n_examples:,} examples"
        return TreeRecord(
            title=f"The tree{of}: {'class' if self.classes else 'value'}.",
            sentences=(f"Its counts are of the {rows} that it was grown from.",),
            careful=False,
            what="class" if self.classes else "value",
            classes=tuple(map(str, self.classes or ())),
            nodes=tuple(node for node in nodes if node is not None),
        )

    def _record_below(
        self, at: int, path: tuple[tuple[Question, bool], ...], nodes: list[NodeRecord | None]
    ) -> None:
        node = self.nodes[at]
        asks = node.question
        best = int(np.argmax(node.value)) if self.classes else None
        nodes[at] = NodeRecord(
            conditions=tuple(map(str, conditions_of(path))),
            text=f"{node.value[0]:.4g}" if best is None else str((self.classes or ())[best]),
            rows=node.n_examples,
            value=node.value[0] if best is None else None,
            label=best,
            share=None if best is None else node.value[best],
            question=None if asks is None else asks.text(True),
            column=None if asks is None else str(asks.column),
            yes=None if asks is None else node.yes,
            no=None if asks is None else node.no,
        )
        if asks is not None:
            self._record_below(node.no, (*path, (asks, False)), nodes)
            self._record_below(node.yes, (*path, (asks, True)), nodes)

    @staticmethod
    def load(path: str | PathLike[str]) -> MetaTree:
        """The tree in a file that `save` wrote."""
        try:
            plain = json.loads(Path(path).read_bytes())
        except (ValueError, RecursionError) as error:
            raise InputError(Given("path", str(path)), f" is not a JSON file ({error}).") from error
        return MetaTree.from_dict(plain)

    def __str__(self) -> str:
        return "\n".join(self._lines(0, ""))

    def prediction_text(self, node: TreeNode) -> str:
        """What a node predicts, for a person to read."""
        return f"{node.value[0]:.4g}"

    def _lines(self, at: int, before: str) -> Iterator[str]:
        node = self.nodes[at]
        if node.question is None:
            yield f"{before}{self.prediction_text(node)} ({node.n_examples})"
            return
        for child, answer in ((node.no, False), (node.yes, True)):
            text = node.question.text(answer)
            if self.nodes[child].question is None:
                yield from self._lines(child, f"{before}{text}: ")
            else:
                yield f"{before}{text}"
                yield from self._lines(child, f"{before}|   ")

    def _values(self, X: Any) -> NDArray[np.float64]:
        return np.array([node.value for node in self.nodes])[self.leaf_of(X)]

    def _rules_below(self, at: int, path: tuple[tuple[Question, bool], ...]) -> Iterator[TreeRule]:
        node = self.nodes[at]
        if node.question is not None:
            yield from self._rules_below(node.no, (*path, (node.question, False)))
            yield from self._rules_below(node.yes, (*path, (node.question, True)))
        else:
            yield self._rule(node, conditions_of(path))

    def _rule(self, node: TreeNode, conditions: tuple[Condition, ...]) -> TreeRule:
        return TreeRule(conditions, node.value[0], None, node.n_examples)

    def __sklearn_tags__(self) -> Any:
        return _tags("regressor")


class MetaClassTree(MetaTree):
    """The tree of one group whose leaves hold the probabilities of classes."""

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, in the order of the columns of `predict_proba`."""
        classes = list(self.classes or ())
        labels = np.array(classes)
        return labels if labels.tolist() == classes else np.array(classes, dtype=object)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the most probable class of the leaf in which each row ends."""
        return np.asarray(self.classes_[self._values(X).argmax(axis=1)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of the leaf in which each row ends: shape (n_samples, n_classes)."""
        return self._values(X)

    def prediction_text(self, node: TreeNode) -> str:
        """What a node predicts, for a person to read."""
        best = int(np.argmax(node.value))
        return f"{self.classes_[best]} ({100 * node.value[best]:.0f} %)"

    def _rule(self, node: TreeNode, conditions: tuple[Condition, ...]) -> TreeRule:
        best = int(np.argmax(node.value))
        label = (self.classes or ())[best]
        return TreeRule(conditions, label, node.value[best], node.n_examples)

    def __sklearn_tags__(self) -> Any:
        return _tags("classifier")


def _tags(kind: Literal["regressor", "classifier"]) -> Any:
    """What scikit-learn's ``is_regressor`` and ``is_classifier`` ask for."""
    from sklearn.utils import ClassifierTags, RegressorTags, Tags, TargetTags

    return Tags(
        estimator_type=kind,
        target_tags=TargetTags(required=False),
        regressor_tags=RegressorTags() if kind == "regressor" else None,
        classifier_tags=ClassifierTags() if kind == "classifier" else None,
    )


def _tree_from(plain: Mapping[str, Any]) -> MetaTree:
    nodes = tuple(_node_from(node) for node in listed(plain, "nodes"))
    group = from_plain(plain["group"])
    if plain["classes"] is None:
        _check_nodes(nodes, n_values=1)
        return MetaTree(nodes, group)
    classes = distinct_from_plain(listed(plain, "classes"), "the classes")
    _check_nodes(nodes, n_values=len(classes))
    return MetaClassTree(nodes, group, classes)


def _node_from(plain: Mapping[str, Any]) -> TreeNode:
    value = tuple(listed(plain, "value"))
    if not value or not matches_type(value, tuple[float, ...]):
        raise ValueError(f"the value of a node is {shown(plain['value'])}")
    value = tuple(map(float, value))
    n_examples = whole(plain["n_examples"], "n_examples", 0, 1 << 53)
    if "question" not in plain:
        return TreeNode(value, n_examples)
    question = Question.from_plain(plain["question"])
    no, yes = (whole(plain[name], name, 0, 1 << 53) for name in ("no", "yes"))
    return TreeNode(value, n_examples, question, no, yes)


def _check_nodes(nodes: tuple[TreeNode, ...], n_values: int) -> None:
    """Children come after their parent and have one only, so that every walk ends."""
    children = [c for node in nodes if node.question is not None for c in (node.no, node.yes)]
    forward = all(
        at < child < len(nodes)
        for at, node in enumerate(nodes)
        if node.question is not None
        for child in (node.no, node.yes)
    )
    if not nodes or not forward or sorted(children) != list(range(1, len(nodes))):
        raise ValueError("its nodes are no tree")
    if any(len(node.value) != n_values for node in nodes):
        raise ValueError(f"a node has not {n_values} values")
