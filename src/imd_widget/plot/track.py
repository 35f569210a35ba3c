"""`draw_track`: the rates of regions over periods, as small multiples."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from imd_widget._base.errors import InputError
from imd_widget.plot.colors import LIGHT, Theme, theme_on
from imd_widget.plot.rc_lock import serialised
from imd_widget.plot.text import SMALL, harmless
from imd_widget.views.schema import RegionView, TrackView

#: Width and height of a chart in inches, and most of them side by side.
WIDTH, HEIGHT, MOST = 1.8, 1.2, 4
#: Inches between two charts, and around all of them: left, right, above, below.
_GAP, _ABOVE, _MARGINS = 0.55, 1.25, (0.75, 0.1, 0.3, 0.95)
#: Marks changes beyond chance.
CHANGED = "#d55e00"
#: Most characters of a line of conditions, and most lines.
_LINE, _LINES = 34, 2
#: Most characters of the name of a period.
_NAME = 12


@serialised
def draw_track(view: TrackView, axes: Sequence[Axes] | None = None) -> Sequence[Axes]:
    """Draw the rate of each region over the periods; changes beyond chance are filled circles.

    Parameters
    ----------
    view : TrackView
    axes : sequence of matplotlib Axes, optional
        One for each region; None: a new figure.

    Returns
    -------
    sequence of Axes
    """
    if axes is None:
        from matplotlib import pyplot

        axes = _axes(pyplot.figure(), view)
    axes = list(np.ravel(np.asarray(axes, dtype=object)))
    if len(axes) != len(view.regions):
        raise InputError(
            f"{len(axes)} axes were given, and the track has {len(view.regions)} regions: one for "
            "each is needed."
        )
    _draw(view, axes, theme_on(rcParams["figure.facecolor"]))
    return axes


@serialised
def track_figure(view: TrackView) -> Figure:
    """Return the same drawing in a figure that pyplot does not manage; for files."""
    figure = Figure()
    _draw(view, _axes(figure, view), LIGHT)
    return figure


def _grid(view: TrackView) -> tuple[int, int]:
    """Return the numbers of columns and rows."""
    n = len(view.regions)
    columns = min(n, MOST)
    return columns, -(-n // columns)


def _axes(figure: Figure, view: TrackView) -> list[Axes]:
    columns, rows = _grid(view)
    left, right, above, below = _MARGINS
    width = columns * WIDTH + (columns - 1) * _GAP + left + right
    height = rows * HEIGHT + (rows - 1) * _ABOVE + above + below
    figure.set_size_inches(width, height)
    room = {
        "left": left / width,
        "right": 1 - right / width,
        "top": 1 - above / height,
        "bottom": below / height,
        "wspace": _GAP / WIDTH,
        "hspace": _ABOVE / HEIGHT,
    }
    every = np.ravel(figure.subplots(rows, columns, squeeze=False, gridspec_kw=room))
    for spare in every[len(view.regions) :]:
        spare.remove()
    figure.supylabel("share that differs", fontsize=SMALL)
    return list(every[: len(view.regions)])


def _draw(view: TrackView, axes: Sequence[Axes], theme: Theme) -> None:
    for ax, region in zip(axes, view.regions, strict=True):
        _draw_region(ax, region, view.periods, theme)


def _draw_region(ax: Axes, region: RegionView, periods: Sequence[str], theme: Theme) -> None:
    rates = [np.nan if one.rate is None else one.rate for one in region.periods]
    spans = [(at, *one.interval) for at, one in enumerate(region.periods) if one.interval]
    if spans:
        ax.vlines(*zip(*spans, strict=True), color=theme.line)
    style: dict[str, Any] = {"marker": "o", "markersize": 5, "clip_on": False, "zorder": 3}
    ax.plot(rates, color=theme.ink, linewidth=1, markerfacecolor=theme.ground, **style)
    changed = [at for at, one in enumerate(region.periods) if one.changed]
    ax.plot(changed, [rates[at] for at in changed], linestyle="", color=CHANGED, **style)
    ax.set_title(region.name, fontsize=SMALL + 1, loc="left", fontweight="bold")
    under = [*wrap(region.conditions, _LINE, max_lines=_LINES, placeholder=" …"), region.verdict]
    ax.set_xlabel("\n".join(map(harmless, under)), fontsize=SMALL - 1, loc="left")
    names = [harmless(one if len(one) <= _NAME else f"{one[: _NAME - 1]}…") for one in periods]
    ax.set_xticks(range(len(periods)), names, fontsize=SMALL - 1, rotation=30)
    ax.tick_params(axis="y", labelsize=SMALL - 1)
    ax.set_ylim(0, region.top)
    ax.set_xlim(-0.5, len(periods) - 0.5)
    ax.set_yticks([0, region.top / 2, region.top])
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
