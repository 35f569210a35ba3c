"""Edits of an exported tree, and what they cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from imd_widget._base.errors import Argument, Given, InputError
from imd_widget._base.validation import check_whole, is_number
from imd_widget.learners.meta_trees.inputs import read_labels, read_numbers
from imd_widget.learners.meta_trees.nodes import TreeNode
from imd_widget.learners.meta_trees.questions import Question

if TYPE_CHECKING:
    from imd_widget.learners.meta_trees.tree import MetaTree


@dataclass(frozen=True)
class EditCost:
    """What edits of a tree cost on rows with known targets.

    Attributes
    ----------
    before, after : float
        Root mean squared error, or for classes the share of wrong predictions.
    n_rows : int
    n_changed : int
        Rows that are predicted otherwise than before.
    measure : str
        What ``before`` and ``after`` are.
    """

    before: float
    after: float
    n_rows: int
    n_changed: int
    measure: str

    def __str__(self) -> str:
        return (
            f"On {self.n_rows:,} rows the {self.measure} goes from {self.before:.4g} to "
            f"{self.after:.4g}; {self.n_changed:,} predictions change."
        )


def edited_nodes(tree: MetaTree, number: int, threshold: Any, value: Any) -> tuple[TreeNode, ...]:
    """The nodes of a tree after an edit of one of them; an `InputError` if it is impossible."""
    check_whole("node", number, 0, len(tree.nodes) - 1)
    if (threshold is None) == (value is None):
        raise InputError(
            Argument("threshold"),
            " or ",
            Argument("value"),
            " is needed, and not both: the threshold of a question, or the value of a leaf.",
        )
    node = tree.nodes[number]
    if threshold is None:
        edited = replace(node, value=_leaf_value(tree, node, value))
    elif node.question is None:
        raise InputError(
            Given("threshold", threshold),
            f": node {number} is a leaf, which has no question. Give its value.",
        )
    else:
        edited = replace(node, question=_moved(node.question, threshold))
    return (*tree.nodes[:number], edited, *tree.nodes[number + 1 :])


def _moved(question: Question, threshold: Any) -> Question:
    if question.kind == "missing":
        raise InputError(
            Given("threshold", threshold),
            ": the question of this node is whether a value is missing, which has no threshold.",
        )
    if question.kind == "number":
        if not is_number(threshold) or not np.isfinite(threshold):
            raise InputError(Given("threshold", threshold), ": a finite number is needed.")
        threshold = int(threshold) if float(threshold).is_integer() else float(threshold)
    elif question.kind == "order" and threshold not in (question.order or ()):
        raise InputError(
            Given("threshold", threshold),
            f" is no category of {question.column}: {', '.join(map(str, question.order or ()))}.",
        )
    return replace(question, threshold=threshold)


def _leaf_value(tree: MetaTree, node: TreeNode, value: Any) -> tuple[float, ...]:
    if node.question is not None:
        raise InputError(
            Given("value", value),
            ": this node has a question, and only leaves predict. Give its threshold.",
        )
    if tree.classes is None:
        if not is_number(value) or not np.isfinite(value):
            raise InputError(Given("value", value), ": a finite number is needed.")
        return (float(value),)
    if value not in tree.classes:
        raise InputError(
            Given("value", value),
            f" is none of the classes {', '.join(map(str, tree.classes))}.",
        )
    return tuple(float(label == value) for label in tree.classes)


def cost_between(first: MetaTree, last: MetaTree, X: Any, y: Any) -> EditCost:
    """What the second tree costs in comparison with the first."""
    before, after = first.predict(X), last.predict(X)
    n_changed = int((before != after).sum())
    if first.classes is not None:
        truth = read_labels(y, len(before))
        shares = [float((said != truth).mean()) for said in (before, after)]
        return EditCost(shares[0], shares[1], len(before), n_changed, "share of errors")
    numbers = read_numbers(y, len(before))
    errors = [float(np.sqrt(((said - numbers) ** 2).mean())) for said in (before, after)]
    return EditCost(errors[0], errors[1], len(before), n_changed, "root mean squared error")
