"""A decision tree surrogate with matplotlib."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from imd_widget.explain.drawing import new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from imd_widget.explain.tree_surrogate import TreeSurrogate

#: Characters of a line in a box.
LINE = 18


def draw_surrogate(tree: TreeSurrogate, ax: Axes | None = None) -> Axes:
    """Draw a decision tree surrogate and return the axes; "yes" is to the left."""
    places = _places(tree)
    width = max(x for x, _ in places.values()) + 1
    depth = max(node.depth for node in tree.nodes) + 1
    ax = new_axes(max(4.0, 1.15 * width), max(2.5, 1.15 * depth)) if ax is None else ax
    low, high = min(node.value for node in tree.nodes), max(node.value for node in tree.nodes)
    for number, (x, y) in places.items():
        node = tree.nodes[number]
        for child, word in ((node.yes, "yes"), (node.no, "no")):
            if child is None:
                continue
            below = places[child]
            ax.plot([x, below[0]], [y, below[1]], color="#868f9e", linewidth=1, zorder=1)
            middle = (x + below[0]) / 2, (y + below[1]) / 2
            ax.text(
                *middle,
                word,
                fontsize=6,
                ha="center",
                va="center",
                color="#4d5766",
                bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
            )
        share = (node.value - low) / (high - low) if high > low else 0.5
        body = fill(node.question, LINE) if node.question else tree._text(node.value)
        text = f"{body}\n{node.rows} rows".replace("$", r"\$")
        ax.text(
            x,
            y,
            text,
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
    ax.set_xlim(-0.6, width - 0.4)
    ax.set_ylim(-depth + 0.4, 0.6)
    ax.set_axis_off()
    ax.set_title(fill(tree.fidelity, 90).replace("$", r"\$"), fontsize=8, loc="left")
    return ax


def _shade(strength: float) -> tuple[float, float, float]:
    """Blue on white, opaque: the lines of the tree end below the box."""
    red, green, blue = (1 - strength * (1 - own) for own in (0.0, 0.45, 0.7))
    return red, green, blue


def _places(tree: TreeSurrogate) -> dict[int, tuple[float, float]]:
    """Leaves side by side, each split in the middle above its sides."""
    places: dict[int, tuple[float, float]] = {}
    leaves = 0

    def place(number: int) -> float:
        nonlocal leaves
        node = tree.nodes[number]
        if node.yes is None or node.no is None:
            x = float(leaves)
            leaves += 1
        else:
            x = (place(node.yes) + place(node.no)) / 2
        places[number] = x, -float(node.depth)
        return x

    place(0)
    return places
