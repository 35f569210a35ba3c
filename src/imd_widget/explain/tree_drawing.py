"""One tree with matplotlib."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from imd_widget.explain.drawing import new_axes
from imd_widget.rules.drawn_tree import DrawnNode, DrawnTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Characters of a line in a box.
LINE = 18
#: Left edge and middle of a node: leaves side by side, levels one below the other.
Places = dict[int, tuple[float, float]]


def draw_one_tree(tree: DrawnTree, title: str, ax: Axes | None = None) -> Axes:
    """Draw a tree and return the axes; "yes" is to the left."""
    places = _places(tree)
    width = max(x for x, _ in places.values()) + 1
    depth = 1 - min(y for _, y in places.values())
    ax = new_axes(max(4.0, 1.15 * width), max(2.5, 1.15 * depth)) if ax is None else ax
    values = [node.value for node in tree.nodes if node.value is not None] or [0.0]
    for number in places:
        _draw_links(ax, tree, number, places)
        _draw_box(ax, tree.nodes[number], places[number], (min(values), max(values)))
    ax.set_xlim(-0.6, width - 0.4)
    ax.set_ylim(-depth + 0.4, 0.6)
    ax.set_axis_off()
    ax.set_title(fill(title, 90).replace("$", r"\$"), fontsize=8, loc="left")
    return ax


def _draw_links(ax: Axes, tree: DrawnTree, number: int, places: Places) -> None:
    node, (x, y) = tree.nodes[number], places[number]
    for child, word in ((node.yes, "yes"), (node.no, "no")):
        if child is None:
            continue
        below = places[child]
        ax.plot([x, below[0]], [y, below[1]], color="#868f9e", linewidth=1, zorder=1)
        ax.text(
            (x + below[0]) / 2,
            (y + below[1]) / 2,
            word,
            fontsize=6,
            ha="center",
            va="center",
            color="#4d5766",
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )


def _draw_box(
    ax: Axes, node: DrawnNode, place: tuple[float, float], ends: tuple[float, float]
) -> None:
    low, high = ends
    share = ((node.value or 0.0) - low) / (high - low) if high > low else 0.5
    said = node.text if node.share is None else f"{node.text} ({100 * node.share:.0f} %)"
    body = fill(node.question, LINE) if node.question else said
    ax.text(
        *place,
        f"{body}\n{node.rows} {'row' if node.rows == 1 else 'rows'}".replace("$", r"\$"),
        fontsize=7,
        ha="center",
        va="center",
        zorder=2,
        bbox={
            "boxstyle": "round,pad=0.3",
            "facecolor": "white" if node.question else _shade(0.1 + 0.5 * share),
            "edgecolor": "#868f9e",
        },
    )


def _shade(strength: float) -> tuple[float, float, float]:
    """Blue on white, opaque: the lines of the tree end below the box."""
    red, green, blue = (1 - strength * (1 - own) for own in (0.0, 0.45, 0.7))
    return red, green, blue


def _places(tree: DrawnTree) -> Places:
    """Leaves side by side, each split in the middle above its sides."""
    places: Places = {}
    leaves = 0

    def place(number: int, depth: int) -> float:
        nonlocal leaves
        node = tree.nodes[number]
        if node.yes is None or node.no is None:
            x = float(leaves)
            leaves += 1
        else:
            x = (place(node.yes, depth + 1) + place(node.no, depth + 1)) / 2
        places[number] = x, -float(depth)
        return x

    place(0, 0)
    return places
