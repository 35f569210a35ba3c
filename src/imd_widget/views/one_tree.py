"""From a tree of any kind to the view of it that is drawn."""

from __future__ import annotations

from collections.abc import Iterator

from imd_widget._base.kinds import OutputKind
from imd_widget.rules.tree_record import TreeRecord
from imd_widget.views.schema import OneNodeView, OneTreeView, OutputsView

#: An end of the scale of classes.
_NONE: tuple[None, None] = (None, None)


def one_tree_view(tree: TreeRecord) -> OneTreeView:
    """Return the view of a tree."""
    return OneTreeView(
        version=1,
        title=tree.title,
        sentences=tree.sentences,
        careful=tree.careful,
        classes=tree.classes,
        outputs=_outputs(tree),
        nodes=tuple(_nodes(tree, 0, "r", None)),
    )


def _outputs(tree: TreeRecord) -> OutputsView:
    known = sorted((node.value, node.text) for node in tree.nodes if node.value is not None)
    (low, low_text), (high, high_text) = (known[0], known[-1]) if known else (_NONE, _NONE)
    return OutputsView(
        kind=_kind(tree),
        what=tree.what,
        differs=None,
        low=low,
        high=high,
        low_text=low_text,
        high_text=high_text,
        weighted=False,
    )


def _kind(tree: TreeRecord) -> OutputKind:
    if tree.classes:
        return "class"
    return "proba" if tree.what.startswith(("probability", "share")) else "value"


def _nodes(tree: TreeRecord, at: int, name: str, parent: str | None) -> Iterator[OneNodeView]:
    """Views of the nodes from one down, "yes" before "no"; an id is the path to the node."""
    node = tree.nodes[at]
    yield OneNodeView(
        id=name,
        parent=parent,
        kind="leaf" if node.question is None else "split",
        edge=None if parent is None else "yes" if name.endswith("y") else "no",
        depth=len(name) - 1,
        condition=node.question,
        column=node.column,
        label=node.label,
        said=node.text,
        value=node.value,
        purity=node.share,
        rows=node.rows,
        conditions=node.conditions,
    )
    for child, letter in ((node.yes, "y"), (node.no, "n")):
        if child is not None:
            yield from _nodes(tree, child, name + letter, name)
