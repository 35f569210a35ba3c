"""A node of an exported tree."""

from __future__ import annotations

from dataclasses import dataclass

from imd_widget.learners.meta_trees.questions import Question

NO_CHILD = -1


@dataclass(frozen=True)
class TreeNode:
    """A node of an exported tree.

    Attributes
    ----------
    value : tuple of float
        The number that the node predicts, or the probability of each class; used in leaves.
    n_examples : int
        Examples of the group that arrive here.
    question : Question or None
        None in a leaf.
    no, yes : int
        The numbers of the children; -1 in a leaf.
    """

    value: tuple[float, ...]
    n_examples: int
    question: Question | None = None
    no: int = NO_CHILD
    yes: int = NO_CHILD
