"""One decision tree as a record, whatever made it: what is drawn, shown and saved."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from imd_widget._base.verbs import verb

if TYPE_CHECKING:
    from imd_widget.widget.tree_widget import TreeWidget


@dataclass(frozen=True)
class NodeRecord:
    """A node of a tree.

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
        The index of the predicted class among the classes of the tree; None for numbers.
    share : float or None
        The probability of that class.
    question : str or None
        The condition of a split, "age < 42"; None for a leaf.
    column : str or None
        Name of the column of that condition.
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
class TreeRecord:
    """A decision tree.

    Attributes
    ----------
    title : str
        What the tree predicts and for whom, as a sentence.
    sentences : tuple of str
        What follows the title: how well it does, what its rows are.
    careful : bool
        Whether the sentences are a warning.
    what : str
        What is predicted: "probability of yes", "value", "class".
    classes : tuple of str
        Names of the classes; empty for numbers.
    nodes : tuple of NodeRecord
        The root first.
    """

    title: str
    sentences: tuple[str, ...]
    careful: bool
    what: str
    classes: tuple[str, ...]
    nodes: tuple[NodeRecord, ...]


class PlottableTree:
    """A tree that can be plotted, shown and saved; a subclass has ``to_record`` and ``to_dict``."""

    #: Suffix of the format of files whose own suffix is that of no format; None: an error.
    default_suffix: ClassVar[str | None] = None

    def to_record(self) -> TreeRecord:
        """Return the tree as a record of plain values."""
        raise NotImplementedError

    def drawn_tree(self) -> TreeRecord:
        """Return the record; deprecated, use `to_record`."""
        warnings.warn(
            "drawn_tree() was renamed: use to_record().", DeprecationWarning, stacklevel=2
        )
        return self.to_record()

    def plot(self, ax: Any = None, *, orientation: str = "right") -> Any:
        """Draw the tree with matplotlib and return the axes.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw: the tree is scaled to fit, its text with it. None: a new figure, as large
            as the tree needs.
        orientation : {"right", "down"}, default="right"
            The direction in which the tree grows.

        Returns
        -------
        matplotlib Axes
        """
        return verb("plot")(self, ax, orientation=orientation)

    def show(self, **options: Any) -> TreeWidget:
        """Return a widget that draws the tree; ``options`` are those of `imd_widget.show`."""
        widget: TreeWidget = verb("show")(self, **options)
        return widget

    def save(self, path: str | Path) -> Path:
        """Write the tree in the format of the suffix, and return the path.

        Parameters
        ----------
        path : str or Path
            ``.html``: an interactive page. ``.svg``, ``.png``: a picture. ``.json``: what
            ``to_dict`` returns.
        """
        written: Path = verb("save")(self, path)
        return written

    def _ipython_display_(self) -> None:
        self.show()._ipython_display_()
