"""The joint tree as indented text."""

from __future__ import annotations

from collections.abc import Iterator

from imd_widget.data.boxes import yes_codes
from imd_widget.outputs.number_text import amount
from imd_widget.rules.conditions import condition
from imd_widget.rules.languages import condition_text, percent
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import Kind

_INDENT = "|   "


#: Names of the models where they are not known: a tree does not hold them.
_NAMES = ("m1", "m2")


def tree_text(
    tree: JointTree,
    most_levels: int | None = None,
    most_lines: int = 200,
    names: tuple[str, str] = _NAMES,
) -> str:
    """Return a line for each answer to a question, with its rows and the share that differs.

    Below the last shared question stands what the surrogates of both models predict there, or the
    splits that each of them makes alone.

    Parameters
    ----------
    tree : JointTree
    most_levels : int, optional
        Questions on a path that are written at most; None: all of them.
    most_lines : int, default=200
        Lines that are written at most; the last line has the number of the others.
    names : tuple of two str
        Names of the models.
    """
    lines = [f"all {_counts(tree, 0)}", *_below(tree, 0, "", most_levels, names)]
    if len(lines) > most_lines:
        left = len(lines) - most_lines + 1
        lines = [*lines[: most_lines - 1], f"... and {left} more lines"]
    return "\n".join(lines)


def _below(
    tree: JointTree, node: int, indent: str, most: int | None, names: tuple[str, str]
) -> Iterator[str]:
    kind = tree.kind[node]
    if kind == Kind.LEAF:
        return
    first, second = (int(child) for child in tree.children[node])
    if most is not None and tree.levels[node] >= most and _asks(tree, node):
        yield f"{indent}|-- ..."
    elif kind == Kind.SPLIT:
        for child, yes in ((first, True), (second, False)):
            leaf = tree.kind[child] == Kind.LEAF
            says = f": {tree.outputs.leaf_text(tree, child)}" if leaf else ""
            yield f"{indent}|-- {_answer(tree, node, yes)}{says} ({_counts(tree, child)})"
            yield from _below(tree, child, indent + _INDENT, most, names)
    elif not _asks(tree, node):
        both = zip((first, second), names, strict=True)
        yield f"{indent}|-- {', '.join(_predicted(tree, child, name) for child, name in both)}"
    else:
        for child, name in zip((first, second), names, strict=True):
            yield f"{indent}|-- {_predicted(tree, child, name)}"
            yield from _below(tree, child, indent + _INDENT, most, names)


def _asks(tree: JointTree, node: int) -> bool:
    """Whether there is a question at or right below a node."""
    kinds = tree.kind[[node, *tree.children[node]]]
    return bool((kinds == Kind.SPLIT).any())


def _answer(tree: JointTree, split: int, yes: bool) -> str:
    step = tree.question(split)
    column = tree.columns[step.column]
    every = (1 << column.n_codes) - 1
    codes = yes_codes(column, step.cut, step.missing) & every
    return condition_text(condition(column, codes if yes else every ^ codes))


def _predicted(tree: JointTree, node: int, name: str) -> str:
    """Return what the surrogate of a model with this name predicts at a leaf: "m1: yes"."""
    if tree.kind[node] != Kind.LEAF:
        return name
    return f"{name}: {tree.outputs.leaf_text(tree, node)}"


def _counts(tree: JointTree, node: int) -> str:
    rows, weight = int(tree.rows[node]), int(tree.weight[node])
    counted = f"{amount(rows)} {'row' if rows == 1 else 'rows'}"
    return f"{counted}, {percent(int(tree.differing[node]) / weight)} differ" if weight else counted
