"""Which boxes are drawn: the tree of the view, minus what is folded, minus what agrees.

The same rules as in js/tree/visible.ts, so that a picture shows what the browser shows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from imd_widget.views.schema import DiffView, NodeView

#: pair: an or-node and its two leaves in one box. stub: a subtree without a rule, folded. A
#: subtree that is one rule as a whole is, folded, drawn like an or-node.
BoxKind = Literal["split", "or", "leaf", "pair", "stub"]


@dataclass(eq=False)
class Box:
    """One box of the picture.

    Attributes
    ----------
    kind : BoxKind
    node : NodeView
    pair : tuple of two NodeView or None
        Of a pair: the leaf of model 1 and of model 2.
    children : list of Box
    folded : bool
        Whether there is more below than is drawn.
    numbers : list of int
        Rules, by their number in the view, that this box marks.
    """

    kind: BoxKind
    node: NodeView
    pair: tuple[NodeView, NodeView] | None = None
    children: list[Box] = field(default_factory=list)
    folded: bool = False
    numbers: list[int] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        """Whether there is a difference to see in it."""
        return self.kind in ("or", "pair") and bool(self.node["rules"])

    def walk(self) -> Iterator[Box]:
        """The box and all below it, as a reader of the tree meets them."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Index:
    """Nodes of a view by their place, made once for however many trees are built of it.

    Attributes
    ----------
    root : NodeView
    children : mapping of str to list of NodeView
        What hangs below a node, by its id.
    own : mapping of str to set of int
        Rules in which a node lies as a whole, by its id.
    """

    root: NodeView
    children: Mapping[str, list[NodeView]]
    own: Mapping[str, set[int]]

    @classmethod
    def of(cls, view: DiffView) -> Index:
        """Of a view, which has at least one node."""
        children: dict[str, list[NodeView]] = {}
        for node in view["nodes"]:
            if node["parent"] is not None:
                children.setdefault(node["parent"], []).append(node)
        own: dict[str, set[int]] = {}
        for rule in view["rules"]:
            for inside in rule["nodes"]:
                own.setdefault(inside, set()).add(rule["number"])
        return cls(view["nodes"][0], children, own)

    def tree(self, differences_only: bool, folds: Mapping[str, bool] | None = None) -> Box:
        """The root of what is drawn; see `visible_tree`."""
        root = _build(self, differences_only, folds or {})
        _number(self, root)
        return root


def visible_tree(
    view: DiffView, differences_only: bool, folds: Mapping[str, bool] | None = None
) -> Box:
    """The root of what is drawn.

    ``folds`` says of some nodes, by their ids, whether they are folded whatever is in them.
    """
    return Index.of(view).tree(differences_only, folds)


def _build(index: Index, differences_only: bool, folds: Mapping[str, bool]) -> Box:
    def build(node: NodeView) -> Box:
        below = index.children.get(node["id"], [])
        if node["kind"] == "leaf" or not below:
            return Box("leaf", node)
        silent = not node["rules"]
        choice = folds.get(node["id"])
        folded = (differences_only and silent) if choice is None else choice
        if folded and silent:
            return Box("stub", node, folded=True)
        # a rule as a whole: how the models decide inside it is there for those who ask for all
        whole = differences_only if choice is None else choice
        if node["region"] and node["kind"] == "split" and whole:
            return Box("or", node, folded=True)
        if node["kind"] == "or" and all(leaf["kind"] == "leaf" for leaf in below):
            return Box("pair", node, pair=(below[0], below[1]))
        children = [] if folded else [build(child) for child in below]
        return Box(node["kind"], node, children=children, folded=folded)

    return build(index.root)


def _number(index: Index, root: Box) -> None:
    """Each rule is marked as high up as a box is all its own, and nowhere below that."""
    known: set[int] = set()  # of the boxes above

    def mark(box: Box) -> None:
        node = box.node
        inside = index.own.get(node["id"], ()) if box.children else node["rules"]
        found = {number for number in inside if number not in known}
        box.numbers = sorted(found)
        known.update(found)
        for child in box.children:
            mark(child)
        known.difference_update(found)

    mark(root)
