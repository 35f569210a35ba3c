"""The same rules over several periods: what grew, what shrank, what appeared outside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from imd_widget._base.verbs import verb
from imd_widget.comparison.remeasuring import OUTSIDE, RegionChange, RegionFigures, Remeasured


@dataclass(frozen=True)
class Track:
    """The rules of the diff of the first period, measured in all periods.

    Alarms are controlled over all regions and periods together: the p-values are adjusted after
    Holm, and with no change anywhere there is an alarm in at most 5 % of the tracks.

    Attributes
    ----------
    names : tuple of two str
        Names of the models.
    periods : tuple of str
        Names of the periods; the rules were found in the first one.
    measured : tuple of Remeasured
        For each period after the first one, its regions compared with the first one.
    """

    names: tuple[str, str]
    periods: tuple[str, ...]
    measured: tuple[Remeasured, ...]

    @property
    def regions(self) -> tuple[str, ...]:
        """Names of the regions: each rule, what lies outside all rules, and all rows."""
        return tuple(change.name for change in self.measured[0].regions)

    def figures(self, region: str) -> list[RegionFigures]:
        """Return what was measured in a region, period by period."""
        place = self.regions.index(region)
        first = self.measured[0].regions[place].then
        return [first, *(one.regions[place].now for one in self.measured)]

    @property
    def alarms(self) -> tuple[tuple[str, RegionChange], ...]:
        """The periods and regions whose rate or net changed beyond chance."""
        return tuple((period, change) for period, change in self._changes() if change.changed)

    @property
    def grew(self) -> tuple[str, ...]:
        """Regions that differ more often in some period than in the first one, beyond chance."""
        return self._moved(1)

    @property
    def shrank(self) -> tuple[str, ...]:
        """Regions that differ less often in some period than in the first one, beyond chance."""
        return self._moved(-1)

    @property
    def appeared(self) -> tuple[str, ...]:
        """Periods in which more rows differ outside all rules: new regions, to be looked for."""
        return tuple(
            period
            for period, change in self._changes()
            if change.name == OUTSIDE and _direction(change) > 0
        )

    def _moved(self, sign: int) -> tuple[str, ...]:
        moved = [change.name for _, change in self._changes() if sign * _direction(change) > 0]
        return tuple(dict.fromkeys(moved))

    def _changes(self) -> Iterator[tuple[str, RegionChange]]:
        for period, one in zip(self.periods[1:], self.measured, strict=True):
            for change in one.regions:
                yield period, change

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row for each region and period."""
        rows: list[dict[str, Any]] = []
        for place, region in enumerate(self.regions):
            for number, (period, figures) in enumerate(
                zip(self.periods, self.figures(region), strict=True)
            ):
                change = self.measured[number - 1].regions[place] if number else None
                ends = figures.net_interval or (None, None)
                rows.append(
                    {
                        "region": region,
                        "period": period,
                        "rows": figures.rows,
                        "rate": figures.rate,
                        "rate_low": figures.interval[0],
                        "rate_high": figures.interval[1],
                        "net": figures.net,
                        "net_low": ends[0],
                        "net_high": ends[1],
                        "p_value": None if change is None else change.p_value,
                        "net_p_value": None if change is None else change.net_p_value,
                        "changed": change is not None and change.changed,
                    }
                )
        frame = pd.DataFrame(rows).set_index(["region", "period"])
        shares = [name for name in frame.columns if name not in ("rows", "changed")]
        return frame.astype(dict.fromkeys(shares, float))

    def plot(self, axes: Sequence[Any] | None = None) -> Any:
        """Draw the rate of each region over the periods, side by side, and return the axes.

        Parameters
        ----------
        axes : sequence of matplotlib Axes, optional
            One for each region; None: a new figure.
        """
        return verb("plot_track")(self, axes)

    def __str__(self) -> str:
        lines = [f"{period}: {change}" for period, change in self.alarms]
        return "\n".join(lines) or f"no change in {len(self.periods) - 1} periods"

    def __repr__(self) -> str:
        return f"<Track: {len(self.alarms)} alarms in {len(self.periods)} periods>"


def _direction(change: RegionChange) -> float:
    """Return by how much the rate rose; 0 unless it changed beyond chance."""
    then, now = change.then.rate, change.now.rate
    if not change.rate_changed or then is None or now is None:
        return 0.0
    return now - then
