"""Curves and reason codes with matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.optional import importing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from imd_widget.explanations.conditional_expectation import ConditionalExpectation
    from imd_widget.explanations.contributions import Contributions
    from imd_widget.explanations.difference_map import DifferenceMap
    from imd_widget.explanations.model_results import ColumnContributions, RankedPredictions
    from imd_widget.explanations.partial_dependence import PartialDependence

#: Model 1, model 2; their line styles differ too.
COLORS = ("#0072b2", "#d55e00")
STYLES = ("-", (0, (5, 2)))
GREY = "#8a8a8a"
#: Most characters of a label on an axis.
LONGEST_LABEL = 16
#: Columns whose contributions are drawn above curves.
MOST_BARS = 8
#: Most labels on the axis of a column without an order.
MOST_LABELS = 12


def new_axes(width: float, height: float) -> Axes:
    """Return the axes of a new figure of this size, in inches."""
    with importing("drawing"):
        from matplotlib import pyplot as plt

    _, ax = plt.subplots(figsize=(width, height), layout="constrained")
    return ax


def draw_curves(
    curves: PartialDependence,
    ax: Axes | None = None,
    ice: ConditionalExpectation | None = None,
    tolerance: float | None = None,
) -> Axes:
    """Draw the partial dependence of both models on one column and return the axes.

    Lines for a column with an order, paired dots otherwise; bars below show where the rows are. The
    band between the curves is filled where they are further apart than the tolerance, and the
    interval of the rule is shaded.

    Parameters
    ----------
    curves : PartialDependence
    ax : matplotlib Axes, optional
        None: a new figure.
    ice : ConditionalExpectation, optional
        The curves of one row, drawn with the band of one standard deviation.
    tolerance : float, optional
        None: 0.
    """
    ax = new_axes(4.2, 3.0) if ax is None else ax
    places = _places(curves)
    line = places[: _n_connected(curves)]
    lines = (curves.first, curves.second)
    for side, (values, name) in enumerate(zip(lines, curves.names, strict=True)):
        if not curves.drawn[side]:
            continue
        _draw_line(
            ax, line, places, values, COLORS[side], STYLES[side], name, ordered=_ordered(curves)
        )
        if ice is not None:
            spread = (curves.spread.first, curves.spread.second)[side]
            own = (ice.first, ice.second)[side]
            ax.fill_between(
                line,
                (values - spread)[: len(line)],
                (values + spread)[: len(line)],
                color=COLORS[side],
                alpha=0.12,
                linewidth=0,
            )
            _draw_line(
                ax,
                line,
                places,
                own,
                COLORS[side],
                ":",
                f"{name}, row {ice.row}",
                ordered=_ordered(curves),
            )
    if _ordered(curves) and len(line) > 1 and all(curves.drawn):
        apart = np.abs(curves.difference[: len(line)]) > (tolerance or 0.0)
        ax.fill_between(
            line,
            curves.first[: len(line)],
            curves.second[: len(line)],
            where=apart.tolist(),
            color=GREY,
            alpha=0.2,
            linewidth=0,
        )
    _draw_support(ax, curves, places)
    _label(ax, curves, places)
    return ax


def draw_explanation(
    found: Contributions | None,
    all_curves: Sequence[PartialDependence],
    title: str,
    tolerance: float | None,
) -> Any:
    """Draw contributions above the curves of several columns and return the figure.

    Parameters
    ----------
    found : Contributions or None
        None: they are left out.
    all_curves : sequence of PartialDependence
    title : str
    tolerance : float or None
    """
    bars = 0.0 if found is None else 1.2 + 0.34 * min(len(found.columns), MOST_BARS + 1)
    figure, places, first = _stacked(len(all_curves), bars)
    if found is not None:
        draw_contributions(found, figure.add_subplot(places[0, :]), MOST_BARS)
    _add_curves(figure, places, first, all_curves, tolerance)
    width = 40 * places.ncols
    figure.suptitle(fill(title, width).replace("$", r"\$"), fontsize=9, x=0.01, ha="left")
    return figure


def _stacked(n_curves: int, bars: float) -> tuple[Figure, Any, int]:
    """A figure with room for bars, so many inches high, above curves; and the row of curves."""
    with importing("drawing"):
        from matplotlib import pyplot as plt

    across = min(3, max(1, n_curves))
    down = -(-max(1, n_curves) // across)
    figure = plt.figure(figsize=(3.6 * across, bars + 2.6 * down + 0.7), layout="constrained")
    heights = [*([bars] if bars else []), *[2.6] * down]
    return figure, figure.add_gridspec(len(heights), across, height_ratios=heights), bool(bars)


def _add_curves(
    figure: Figure,
    places: Any,
    first: int,
    all_curves: Sequence[PartialDependence],
    tolerance: float | None,
) -> None:
    """Draw the curves of several columns on one scale, with one legend."""
    axes: list[Axes] = []
    for number, curves in enumerate(all_curves):
        place = places[first + number // places.ncols, number % places.ncols]
        ax = figure.add_subplot(place, sharey=axes[0] if axes else None)
        axes.append(draw_curves(curves, ax, tolerance=tolerance))
        if (legend := ax.get_legend()) is not None:
            legend.remove()
    if axes:
        handles, labels = axes[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=2, frameon=False)


def draw_reasons(
    labels: Sequence[str],
    values: Sequence[NDArray[np.float64]],
    names: Sequence[str],
    title: str,
    ax: Axes | None = None,
) -> Axes:
    """Draw signed contributions as bars, one series beside the other on one scale."""
    ax = new_axes(5.2, 0.45 * max(len(labels), 2) + 1.2) if ax is None else ax
    height = 0.8 / len(values)
    places = np.arange(len(labels))
    colors = (*COLORS, GREY)
    for number, (own, name) in enumerate(zip(values, names, strict=True)):
        ax.barh(places + number * height, own, height, color=colors[number], label=name)
    ax.axvline(0, color="black", linewidth=0.8)
    ax.set_yticks(places + 0.4 - height / 2, [_short(label, 30) for label in labels], fontsize=8)
    ax.invert_yaxis()
    ax.legend(frameon=False, fontsize=8)
    ax.set_title(fill(title, 80).replace("$", r"\$"), fontsize=8, loc="left")
    return ax


def _ordered(curves: PartialDependence) -> bool:
    return curves.numbers is not None


def _n_connected(curves: PartialDependence) -> int:
    """Number of points that a line connects: not the missing value."""
    missing = bool(curves.grid) and curves.grid[-1] is None
    return len(curves.grid) - missing


def _places(curves: PartialDependence) -> NDArray[np.float64]:
    """Where the points lie: on their own scale, or evenly spaced; a missing value at the end."""
    n = _n_connected(curves)
    if curves.numbers is None:
        return np.arange(len(curves.grid), dtype=float)
    places = curves.numbers[:n]
    if n == len(curves.grid):
        return places
    low, high = (places[0], places[-1]) if n else (0.0, 0.0)
    return np.append(places, high + 0.12 * ((high - low) or 1.0))


def _draw_line(
    ax: Axes,
    line: NDArray[np.float64],
    places: NDArray[np.float64],
    values: NDArray[np.float64],
    color: str,
    style: Any,
    name: str,
    *,
    ordered: bool,
) -> None:
    n = len(line)
    if not ordered:
        # model 2 is a ring, so that a dot below it is seen
        marker = {"-": "o", ":": "x"}.get(style if isinstance(style, str) else "", "o")
        face = color if isinstance(style, str) else "none"
        ax.plot(
            places,
            values,
            marker,
            color=color,
            markerfacecolor=face,
            markersize=5 if isinstance(style, str) else 8,
            label=name,
        )
        return
    ax.plot(line, values[:n], color=color, linestyle=style, linewidth=1.6, label=name)
    if n < len(places):
        ax.plot(places[n:], values[n:], "o", color=color, markersize=5)


def _draw_support(ax: Axes, curves: PartialDependence, places: NDArray[np.float64]) -> None:
    """Draw bars of the rows at each point, in the lowest seventh of the axes."""
    most = curves.support.max(initial=0.0)
    if not most:
        return
    below = ax.inset_axes((0, 0, 1, 0.14), sharex=ax, zorder=0)
    below.set_axis_off()
    below.vlines(places, 0, curves.support / most, color=GREY, linewidth=3, alpha=0.5)
    below.set_ylim(0, 1)


def _label(ax: Axes, curves: PartialDependence, places: NDArray[np.float64]) -> None:
    n = _n_connected(curves)
    dated = curves.numbers is not None and not _plain_numbers(curves)
    if curves.numbers is None or dated:
        step = max(1, -(-len(places) // (4 if dated else MOST_LABELS)))
        shown = list(range(0, n, step)) + ([n] if n < len(places) else [])
        ax.set_xticks(places[shown], [_short(curves.texts[at]) for at in shown])
        ax.tick_params(axis="x", labelrotation=30)
    elif n < len(places):
        ticks = [tick for tick in ax.get_xticks() if places[0] <= tick <= places[n - 1]]
        ax.set_xticks([*ticks, places[n]], [*(f"{tick:g}" for tick in ticks), "missing"])
    ax.tick_params(labelsize=7)
    ax.set_title(_short(str(curves.column), 40), fontsize=9)
    ax.set_ylabel(_short(curves.what, 40), fontsize=7)
    named = () if curves.condition is None else curves.condition.named
    if curves.numbers is not None and len(named) == 2 and _plain_numbers(curves):
        low, high = ax.get_xlim()
        ends = [end if isinstance(end, int | float) else None for end in named]
        ax.axvspan(
            low if ends[0] is None else max(low, float(ends[0])),
            high if ends[1] is None else min(high, float(ends[1])),
            color="#f0e442",
            alpha=0.12,
            zorder=0,
        )
        ax.set_xlim(low, high)
    ax.legend(frameon=False, fontsize=7)


def _plain_numbers(curves: PartialDependence) -> bool:
    return all(
        isinstance(value, int | float | np.number) for value in curves.grid if value is not None
    )


def _short(text: str, longest: int = LONGEST_LABEL) -> str:
    text = text.replace("$", r"\$")
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def draw_contributions(found: Contributions, ax: Axes | None, n: int) -> Axes:
    """Draw a bar of each model for the ``n`` columns that contribute most to the gap.

    Parameters
    ----------
    found : Contributions
    ax : matplotlib Axes, optional
        None: a new figure.
    n : int
        Number of columns; the others share a pair of bars.
    """
    by_size = found.averages_out
    first, second = (found.size[0], found.size[1]) if by_size else (found.first, found.second)
    third = found.size[2] if by_size else found.printed[2].parts
    labels, (one, two, gaps) = _listed(found, n, (first, second, third))
    ax = new_axes(5.6, 0.9 + 0.34 * len(labels)) if ax is None else ax
    places = np.arange(len(labels))[::-1]
    for side, (values, name) in enumerate(zip((one, two), found.names, strict=True)):
        ax.barh(places + 0.19 - 0.38 * side, values, 0.36, color=COLORS[side], label=name)
    for place, gap in zip(places, gaps, strict=True):
        _beside(ax, float(place), found.text(gap, signed=not by_size))
    ax.axvline(0, color=GREY, linewidth=0.8)
    ax.set_yticks(places, labels)
    if by_size:
        ax.set_xlabel(f"mean absolute contribution to the {found.what}; right: to the difference")
    else:
        ax.set_xlabel(f"contribution to the {found.what}; right: to the gap")
    whole = found.printed[2]
    here, base = (found.text(own, signed=True) for own in (whole.total, whole.base))
    ax.set_title(f"Gap {here} on these rows, {base} on average", fontsize="medium", loc="left")
    ax.legend(fontsize="small")
    return ax


def draw_map(found: DifferenceMap, ax: Axes | None) -> Axes:
    """Draw the difference over two columns; dots are as large as the share of rows there.

    Parameters
    ----------
    found : DifferenceMap
    ax : matplotlib Axes, optional
        None: a new figure.
    """
    ax = new_axes(5.6, 4.4) if ax is None else ax
    most = float(np.abs(found.difference).max(initial=0.0)) or 1.0
    image = ax.imshow(
        found.difference, cmap="PuOr", vmin=-most, vmax=most, origin="lower", aspect="auto"
    )
    y, x = np.nonzero(found.support > 0)
    sizes = 60 * found.support[y, x] / found.support.max(initial=1e-12)
    ax.scatter(x, y, s=sizes, color="black", alpha=0.5, linewidth=0)
    for axis, grid, name in zip((ax.xaxis, ax.yaxis), found.grids, found.columns, strict=True):
        axis.set_ticks(range(len(grid)), [_short(text, 12) for text in grid.texts])
        axis.set_label_text(_short(str(name), 40))
    ax.tick_params(labelsize=7)
    ax.tick_params(axis="x", labelrotation=45)
    ax.figure.colorbar(
        image,
        ax=ax,
        label=found.what if found.alone else f"{found.names[0]} less {found.names[1]}",
    )
    ax.set_title(fill(found.text, 60).replace("$", r"\$"), fontsize=8, loc="left")
    return ax


def draw_ranked(found: RankedPredictions, ax: Axes | None, row: int | None) -> Axes:
    """Draw predictions over the rank of the rows by the model's prediction.

    Parameters
    ----------
    found : RankedPredictions
    ax : matplotlib Axes, optional
        None: a new figure.
    row : int or None
        Position in the table of a row that is marked.
    """
    ax = new_axes(6.4, 4.0) if ax is None else ax
    ranks = np.arange(len(found.rows))
    if found.truth is not None:
        ax.plot(ranks, found.truth, "|", color="black", markersize=4, alpha=0.4, label="y")
    ax.plot(ranks, found.global_model, ".", color=GREY, markersize=3, label="global model")
    ax.plot(ranks, found.local_models, ".", color=COLORS[1], markersize=3, label="local models")
    ax.plot(ranks, found.model, color=COLORS[0], linewidth=2, label=found.name)
    marked = np.flatnonzero(found.rows == row)
    if len(marked):
        ax.axvline(int(marked[0]), color="black", linewidth=0.8, label=f"row {row}")
    ax.set_xlabel(f"rank of the row by the prediction of {_short(found.name, 40)}")
    ax.set_ylabel(found.what)
    ax.legend(fontsize="small")
    return ax


def draw_one_model(
    found: ColumnContributions, all_curves: Sequence[PartialDependence], title: str
) -> Figure:
    """Draw the contributions of one model's columns above their curves."""
    figure, places, first = _stacked(len(all_curves), 1.2 + 0.34 * min(len(found.columns), 9))
    ax = figure.add_subplot(places[0, :])
    shown = list(range(min(len(found.columns), MOST_BARS)))[::-1]
    ax.barh(shown, found.size[: len(shown)], color=COLORS[0])
    ax.set_yticks(shown, [_short(str(own), 30) for own in found.columns[: len(shown)]])
    ax.set_xlabel(f"mean absolute contribution to the {found.what}")
    _add_curves(figure, places, first, all_curves, None)
    figure.suptitle(fill(title, 120).replace("$", r"\$"), fontsize=9, x=0.01, ha="left")
    return figure


def draw_waterfall(found: Contributions, ax: Axes | None, n: int) -> Axes:
    """Draw how the scores of one row come about: from the average of either model, step by step.

    Parameters
    ----------
    found : Contributions
        The contributions of one row.
    ax : matplotlib Axes, optional
        None: a new figure.
    n : int
        Number of columns; the others share a step.
    """
    gap = found.printed[2]
    labels, (first, second, steps_of_gap) = _listed(
        found, n, (found.first, found.second, gap.parts)
    )
    both = first, second
    named = iter(found.order[:n].tolist())
    values = found.values or ()
    labels = [
        label if (at := next(named, None)) is None or values[at] is None
        else f"{label} = {_short(str(values[at]))}"
        for label in labels
    ]  # fmt: skip
    labels = ["on average", *labels, "this row"]
    ax = new_axes(5.6, 0.9 + 0.34 * len(labels)) if ax is None else ax
    places = np.arange(len(labels))[::-1]
    for side, name in enumerate(found.names):
        steps = np.asarray(both[side])
        ends = found.base[side] + np.concatenate([[0.0], np.cumsum(steps)])
        offset = 0.19 - 0.38 * side
        ax.barh(places[1:-1] + offset, steps, 0.36, left=ends[:-1], color=COLORS[side], label=name)
        marks = [found.base[side], found.level[side]]
        ax.plot(marks, places[[0, -1]] + offset, "D", color=COLORS[side], markersize=4)
        ax.vlines(ends, places[1:] + offset, places[:-1] + offset, color=GREY, linewidth=0.6)
    for place, own in zip(places, [gap.base, *steps_of_gap, gap.total], strict=True):
        _beside(ax, float(place), found.text(own, signed=True))
    ax.set_yticks(places, labels)
    ax.set_xlabel(f"{found.what}; right: the gap and what contributes to it")
    ax.legend(fontsize="small")
    return ax


def _listed(
    found: Contributions, n: int, measures: Sequence[NDArray[np.float64]]
) -> tuple[list[str], list[list[float]]]:
    """Names of the ``n`` first columns and of the rest, and some measures of them."""
    shown, rest = found.order[:n], found.order[n:]
    labels = [fill(_short(str(found.columns[at]), 60), LONGEST_LABEL * 2) for at in shown.tolist()]
    values = [own[shown].tolist() for own in measures]
    if len(rest):
        labels.append("1 other column" if len(rest) == 1 else f"{len(rest)} other columns")
        values = [
            [*own, float(measure[rest].sum())]
            for own, measure in zip(values, measures, strict=True)
        ]
    return labels, values


def _beside(ax: Axes, place: float, text: str) -> None:
    """Write to the right of the axes."""
    ax.annotate(
        text,
        (1, place),
        xycoords=("axes fraction", "data"),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        fontsize="small",
        color=GREY,
    )
