"""An exported tree as a picture, drawn with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from imd_widget.learners.meta_trees.tree import MetaTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Inches between two leaves, and between two levels.
LEAF_WIDTH, LEVEL_HEIGHT = 1.7, 1.0


def draw(tree: MetaTree, ax: Axes | None = None) -> Axes:
    """Draw a tree from the root at the top to its leaves; returns the axes."""
    if ax is None:
        from matplotlib import pyplot  # a notebook displays its figures

        size = (max(3.0, LEAF_WIDTH * tree.n_leaves), LEVEL_HEIGHT * (tree.depth + 1))
        ax = pyplot.figure(figsize=size, layout="constrained").subplots()
    places = _places(tree)
    for at, node in enumerate(tree.nodes):
        x, y = places[at]
        if node.question is None:
            text = f"{tree.prediction_text(node)}\n{node.n_examples} examples"
        else:
            text = str(node.question.column)
            for child, answer in ((node.no, False), (node.yes, True)):
                _branch(ax, places[at], places[child], _answer(node.question.text(answer), text))
        # names of columns are of the user: no mathematics
        ax.text(
            *(x, y, text),
            ha="center",
            va="center",
            fontsize=9,
            parse_math=False,
            bbox={
                "boxstyle": "round,pad=0.35",
                "facecolor": "#eef3fa" if node.question is None else "white",
                "edgecolor": "#5b6b7f",
            },
        )
    ax.set_xlim(-0.6, tree.n_leaves - 0.4)
    ax.set_ylim(-tree.depth - 0.45, 0.45)
    ax.set_axis_off()
    if tree.group is not None:
        ax.set_title(str(tree.group), parse_math=False)
    return ax


def _answer(condition: str, column: str) -> str:
    """The condition without the name of the column, which stands in the box above."""
    return condition.removeprefix(column).strip() or condition


def _branch(ax: Axes, top: tuple[float, float], end: tuple[float, float], text: str) -> None:
    ax.plot([top[0], end[0]], [top[1], end[1]], color="#5b6b7f", linewidth=1, zorder=0)
    ax.text(
        *((top[0] + end[0]) / 2, (top[1] + end[1]) / 2, text),
        ha="center",
        va="center",
        fontsize=8,
        parse_math=False,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )


def _places(tree: MetaTree) -> dict[int, tuple[float, float]]:
    """Where each node is drawn: leaves one beside the other, parents above their children."""
    places: dict[int, tuple[float, float]] = {}

    def place(at: int, depth: int, free: float) -> float:
        node = tree.nodes[at]
        if node.question is None:
            places[at] = (free, -float(depth))
            return free + 1
        free = place(node.yes, depth + 1, place(node.no, depth + 1, free))
        places[at] = ((places[node.no][0] + places[node.yes][0]) / 2, -float(depth))
        return free

    place(0, 0, 0.0)
    return places
