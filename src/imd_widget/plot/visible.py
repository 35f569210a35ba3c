"""Selects the boxes that are drawn: the nodes of the view that no folded node hides.

The rules are those of js/tree/visible.ts, so that a picture shows the boxes of the browser.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from imd_widget._base.plain import record_from
from imd_widget.views.schema import DiffView, NodeView, OneTreeView

#: pair: an or-node and its two leaves in one box. stub: a subtree without a rule, or one that is a
#: rule of agreement as a whole, folded. A subtree that is one diff rule as a whole is, folded,
#: drawn like an or-node.
BoxKind = Literal["split", "or", "leaf", "pair", "stub"]
#: Fields of a node that only a joint tree has, for nodes of one tree.
_OF_JOINT_TREE: Mapping[str, Any] = {
    "side": 0,
    "position": None,
    "bars": None,
    "spread": None,
    "differing": 0,
    "rate": None,
    "counts": ((), ()),
    "means": None,
    "region": False,
    "rules": (),
}


@dataclass(eq=False)
class Box:
    """One box of the picture."""

    kind: BoxKind
    node: NodeView
    #: For a pair: the leaf of model 1 and of model 2.
    pair: tuple[NodeView, NodeView] | None = None
    children: list[Box] = field(default_factory=list)
    #: Whether nodes below the box are not drawn.
    folded: bool = False
    #: Rules, by their number in the view, that this box marks.
    numbers: list[int] = field(default_factory=list)
    #: Whether there are rules at or below the node, all of them rules of agreement.
    agrees: bool = False

    @property
    def differs(self) -> bool:
        """Whether the box is an or-node or pair with at least one diff rule."""
        return self.kind in ("or", "pair") and bool(self.node.rules) and not self.agrees

    def walk(self) -> Iterator[Box]:
        """Iterate over the box and all below it, in pre-order."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True)
class Index:
    """Children and rules of the nodes of a view, computed once for all trees built from it."""

    root: NodeView
    #: Children of a node, by its id.
    children: Mapping[str, list[NodeView]]
    #: Rules that contain the whole subtree of a node, by its id.
    whole_rules: Mapping[str, set[int]]
    #: Numbers of the rules of agreement.
    agreement: set[int]

    @classmethod
    def of(cls, view: DiffView) -> Index:
        """Return the index of a view, which has at least one node."""
        children: dict[str, list[NodeView]] = {}
        for node in view.nodes:
            if node.parent is not None:
                children.setdefault(node.parent, []).append(node)
        whole_rules: dict[str, set[int]] = {}
        for rule in view.rules:
            for inside in rule.nodes:
                whole_rules.setdefault(inside, set()).add(rule.number)
        agreement = {rule.number for rule in view.rules if rule.agrees}
        return cls(view.nodes[0], children, whole_rules, agreement)

    def tree(self, differences_only: bool, folds: Mapping[str, bool] | None = None) -> Box:
        """Return the root box; see `visible_tree`."""
        root = _build(self, differences_only, folds or {})
        _number(self, root)
        return root


def visible_tree(
    view: DiffView, differences_only: bool, folds: Mapping[str, bool] | None = None
) -> Box:
    """Return the root box of the visible tree.

    ``folds`` maps ids of nodes to whether they are folded; it takes precedence over
    ``differences_only``.
    """
    return Index.of(view).tree(differences_only, folds)


def whole_tree(view: OneTreeView) -> Box:
    """Return the root box of one tree; what only a joint tree has is empty."""
    children: dict[str | None, list[NodeView]] = {}
    for node in view.nodes:
        whole = record_from(NodeView, node, **_OF_JOINT_TREE)
        children.setdefault(node.parent, []).append(whole)

    def build(node: NodeView) -> Box:
        below = [build(child) for child in children.get(node.id, [])]
        return Box(node.kind, node, children=below)

    return build(children[None][0])


def _build(index: Index, differences_only: bool, folds: Mapping[str, bool]) -> Box:
    def build(node: NodeView) -> Box:
        below = index.children.get(node.id, [])
        agrees = bool(node.rules) and index.agreement.issuperset(node.rules)
        if node.kind == "leaf" or not below:
            return Box("leaf", node, agrees=agrees)
        agreement = index.agreement & index.whole_rules.get(node.id, set())
        silent = not node.rules or bool(agreement)
        choice = folds.get(node.id)
        folded = (differences_only and silent) if choice is None else choice
        if folded and silent:
            return Box("stub", node, folded=True, agrees=agrees)
        # a subtree that is one rule is drawn as one box, unless the user wants all nodes
        whole = differences_only if choice is None else choice
        if node.region and node.kind == "split" and whole:
            return Box("or", node, folded=True)
        if node.kind == "or" and all(leaf.kind == "leaf" for leaf in below):
            return Box("pair", node, pair=(below[0], below[1]), agrees=agrees)
        children = [] if folded else [build(child) for child in below]
        return Box(node.kind, node, children=children, folded=folded, agrees=agrees)

    return build(index.root)


def _number(index: Index, root: Box) -> None:
    """Mark each rule on the topmost boxes that lie inside it as a whole, and not below them."""
    marked: set[int] = set()  # rules of the boxes above

    def mark(box: Box) -> None:
        node = box.node
        inside = index.whole_rules.get(node.id, ()) if box.children else node.rules
        numbers = {number for number in inside if number not in marked}
        box.numbers = sorted(numbers)
        marked.update(numbers)
        for child in box.children:
            mark(child)
        marked.difference_update(numbers)

    mark(root)
