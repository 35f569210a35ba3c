"""`TreeWidget`: one tree in a notebook; it sends no messages to the kernel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from imd_widget._base.encodable import encodable, encodable_text
from imd_widget._base.errors import InputError
from imd_widget._base.plain import to_json
from imd_widget.export.formats import save
from imd_widget.rules.tree_record import PlottableTree
from imd_widget.views.one_tree import one_tree_view
from imd_widget.widget.preview_formats import forms_of
from imd_widget.widget.static_preview import StaticPreviewWidget

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class TreeWidget(StaticPreviewWidget):
    """A widget that draws one tree: a decision tree surrogate, or the tree of a learner.

    Parameters
    ----------
    drawable : PlottableTree
        What `imd_widget.surrogate` returns, or the exported tree of a group.
    height : int, optional
        Pixels. None: 560.
    theme : {"auto", "light", "dark"}, default="auto"
    orientation : {"right", "down"}, default="right"
    picture : bool, default=True
        Whether the notebook file also stores a static preview.

    Attributes
    ----------
    drawable : PlottableTree
        The tree that is shown; read only.
    selected_node : str
        Id of the selected node, "" for none: "r" is the root, then "y" or "n" for each answer.
    folds : dict of str to bool
        Nodes that are folded (True), by id.
    """

    drawable = traitlets.Instance(PlottableTree, read_only=True)
    tree = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        drawable: PlottableTree,
        *,
        height: int | None = None,
        theme: str = "auto",
        orientation: str = "right",
        picture: bool = True,
    ) -> None:
        if not isinstance(drawable, PlottableTree):
            raise InputError(
                f"TreeWidget expects one tree, got {type(drawable).__name__}. Pass the result of "
                "imd.surrogate, or tree_of(group) of a learner."
            )
        self._picture = bool(picture)
        super().__init__(height=height, theme=theme, orientation=orientation)
        self.set_trait("drawable", drawable)
        self.set_trait("tree", encodable(to_json(one_tree_view(drawable.to_record()))))

    def save(self, path: str | Path) -> Path:
        """Write the tree as a page, a picture or plain values, by the suffix; return the path."""
        return save(self.drawable, path)

    def _text(self) -> str:
        return encodable_text(" ".join((self.tree["title"], *self.tree["sentences"])))

    def _forms(self) -> dict[str, Any]:
        def draw() -> Figure:
            from imd_widget.plot.results import figure

            return figure(self.drawable)

        return forms_of(self._text(), draw)

    @traitlets.validate("selected_node")
    def _known_node(self, proposal: dict[str, Any]) -> str:
        node = str(proposal["value"])
        if node and node not in {own["id"] for own in self.tree.get("nodes", [])}:
            raise traitlets.TraitError(
                f"there is no node {node!r}: 'r' is the root, and each branch appends 'y' or 'n'."
            )
        return node
