"""`TreeWidget`: one tree in a notebook; it asks the kernel for nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import traitlets

from imd_widget._base.encodable import encodable, encodable_text
from imd_widget._base.errors import InputError
from imd_widget.export.one_tree import save_tree, tree_picture
from imd_widget.rules.drawn_tree import Drawable
from imd_widget.views.one_tree import one_tree_view
from imd_widget.widget.still import forms_of
from imd_widget.widget.with_still import WidgetWithStill


class TreeWidget(WidgetWithStill):
    """A widget that draws one tree: a decision tree surrogate, or the tree of a learner.

    Parameters
    ----------
    drawable : Drawable
        What `imd_widget.surrogate` returns, or the exported tree of a group.
    height : int, default=560
        Pixels.
    theme : {"auto", "light", "dark"}, default="auto"
    orientation : {"right", "down"}, default="right"
    picture : bool, default=True
        Whether the notebook's file also holds a still picture.

    Attributes
    ----------
    drawable : Drawable
        The tree that is shown; read only.
    selected_node : str
        Id of the selected node, "" for none: "r" is the root, then "y" or "n" for each answer.
    folds : dict of str to bool
        Nodes that are folded (True), by id.
    """

    drawable = traitlets.Instance(Drawable, read_only=True)
    tree = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        drawable: Drawable,
        *,
        height: int = 560,
        theme: str = "auto",
        orientation: str = "right",
        picture: bool = True,
    ) -> None:
        if not isinstance(drawable, Drawable):
            raise InputError(
                f"TreeWidget shows one tree, {type(drawable).__name__} came: what imd.surrogate "
                "returns, or tree_of(group) of a learner."
            )
        self._picture = bool(picture)
        super().__init__(height=height, theme=theme, orientation=orientation)
        self.set_trait("drawable", drawable)
        self.set_trait("tree", encodable(one_tree_view(drawable.drawn_tree())))

    def save(self, path: str | Path) -> Path:
        """Write the tree as a page, a picture or plain values, by the suffix; return the path."""
        return save_tree(self.drawable, path)

    def _text(self) -> str:
        return encodable_text(" ".join((self.tree["title"], *self.tree["sentences"])))

    def _forms(self) -> dict[str, Any]:
        return forms_of(self._text(), lambda: tree_picture(self.drawable))

    @traitlets.validate("selected_node")
    def _known_node(self, proposal: dict[str, Any]) -> str:
        node = str(proposal["value"])
        if node and node not in {own["id"] for own in self.tree.get("nodes", [])}:
            raise traitlets.TraitError(
                f"there is no node {node!r}: 'r' is the root, and each answer on the way adds 'y' "
                "or 'n'."
            )
        return node
