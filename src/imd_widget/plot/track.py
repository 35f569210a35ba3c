"""The rates of regions over periods, as small multiples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from imd_widget.comparison.track import Track

#: Width and height of the drawing of a region, in inches.
WIDTH, HEIGHT = 2.2, 2.0


def plot_track(track: Track, axes: Sequence[Any] | None = None) -> Any:
    """Draw the rate of each region over the periods; alarms are filled circles."""
    regions = track.regions
    if axes is None:
        import matplotlib.pyplot as plt

        figure, made = plt.subplots(
            1,
            len(regions),
            sharey=True,
            squeeze=False,
            figsize=(WIDTH * len(regions), HEIGHT),
            layout="constrained",
        )
        axes = made[0]
        figure.supylabel("share that differs", fontsize=8)
    places = range(len(track.periods))
    alarms = {(period, change.name) for period, change in track.alarms}
    for ax, region in zip(axes, regions, strict=True):
        figures = track.figures(region)
        rates = [float("nan") if one.rate is None else one.rate for one in figures]
        ax.vlines(
            places,
            [one.interval[0] for one in figures],
            [one.interval[1] for one in figures],
            color="0.6",
        )
        ax.plot(places, rates, color="0.2", marker="o", markerfacecolor="white", markersize=5)
        there = [n for n, period in enumerate(track.periods) if (period, region) in alarms]
        ax.plot(there, [rates[n] for n in there], "o", color="#d55e00", markersize=6)
        ax.set_title(region, fontsize=8)
        ax.set_xticks(list(places), track.periods, rotation=45, ha="right", fontsize=7)
        ax.tick_params(axis="y", labelsize=7)
        ax.set_ylim(0, 1)
    return axes
