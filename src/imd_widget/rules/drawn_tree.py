"""One tree as the front-end draws it, whatever made it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from imd_widget.widget.tree_widget import TreeWidget


@dataclass(frozen=True)
class DrawnNode:
    """A node of a tree as it is drawn.

    Attributes
    ----------
    conditions : tuple of str
        What holds for the rows that reach it; empty at the root.
    text : str
        What is predicted here: "0.31", "yes".
    rows : int
        Number of rows that reach it, of those that the tree was made from.
    value : float or None
        The number that is predicted; None for classes.
    label : int or None
        The place of the class that is predicted among those of the tree; None for numbers.
    share : float or None
        The probability of that class.
    question : str or None
        What a split asks, "age < 42"; None for a leaf.
    column : str or None
        Name of the column that it asks about.
    yes, no : int or None
        Numbers of the nodes below; None for a leaf.
    """

    conditions: tuple[str, ...]
    text: str
    rows: int
    value: float | None = None
    label: int | None = None
    share: float | None = None
    question: str | None = None
    column: str | None = None
    yes: int | None = None
    no: int | None = None


@dataclass(frozen=True)
class DrawnTree:
    """A tree as it is drawn.

    Attributes
    ----------
    title : str
        Whose tree it is, as a sentence.
    sentences : tuple of str
        What follows the title: how well it does, what its rows are.
    careful : bool
        Whether the sentences are a warning.
    what : str
        What is predicted: "probability of yes", "value", "class".
    classes : tuple of str
        Names of the classes; empty for numbers.
    nodes : tuple of DrawnNode
        The root first.
    """

    title: str
    sentences: tuple[str, ...]
    careful: bool
    what: str
    classes: tuple[str, ...]
    nodes: tuple[DrawnNode, ...]


class Drawable:
    """A tree that a notebook draws; a subclass says how in `drawn_tree`, and has ``plot``."""

    def drawn_tree(self) -> DrawnTree:
        """Return the tree as it is drawn."""
        raise NotImplementedError

    def plot(self, ax: Any = None) -> Any:
        """Draw the tree with matplotlib and return the axes."""
        raise NotImplementedError

    def show(self, **options: Any) -> TreeWidget:
        """Return a widget that draws the tree; ``options`` are those of `imd_widget.show`."""
        from imd_widget.widget.api import show

        widget: TreeWidget = show(self, **options)
        return widget

    def save(self, path: str | Path) -> Path:
        """Write the tree in the format of the suffix, and return the path.

        Parameters
        ----------
        path : str or Path
            ``.html``: an interactive page. ``.svg``, ``.png``: a picture. ``.json``: what
            ``to_dict`` returns.
        """
        from imd_widget.export.one_tree import save_tree

        return save_tree(self, path)

    def _ipython_display_(self) -> None:
        self.show()._ipython_display_()
