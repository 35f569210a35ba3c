"""From a track to the view of it that is drawn."""

from __future__ import annotations

from collections.abc import Sequence

from imd_widget._base.intervals import UNKNOWN
from imd_widget.comparison.remeasuring import RegionFigures, net_cell, range_text
from imd_widget.comparison.track import Track
from imd_widget.views.schema import PeriodView, RegionView, TrackView

#: The scales of charts.
TOPS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


def track_view(track: Track) -> TrackView:
    """Return the view of a track."""
    alarms = {(period, change.name) for period, change in track.alarms}
    regions = []
    for change in track.measured[0].regions:
        figures = track.figures(change.name)
        periods = tuple(
            _period(own, (period, change.name) in alarms)
            for period, own in zip(track.periods, figures, strict=True)
        )
        verdict, top = track.verdict(change.name), _top(periods)
        regions.append(RegionView(change.name, change.text, verdict, top, periods))
    return TrackView(
        version=1,
        title=track.title,
        sentences=track.sentences,
        periods=track.periods,
        regions=tuple(regions),
    )


def _top(periods: Sequence[PeriodView]) -> float:
    """Return the smallest of `TOPS` that all rates and intervals are below."""
    ends = [one.interval[1] if one.interval else one.rate or 0.0 for one in periods]
    return next(top for top in TOPS if top >= max(ends))


def _period(figures: RegionFigures, changed: bool) -> PeriodView:
    known = figures.rate is not None and figures.interval != UNKNOWN
    return PeriodView(
        rate=figures.rate,
        interval=figures.interval if known else None,
        changed=changed,
        text=_text(figures),
    )


def _text(figures: RegionFigures) -> str:
    """Return rows, rate and net of a region, with the intervals that are known."""
    if figures.rate is None:
        return f"{figures.rows:,} rows, rate not known"
    ends = "" if figures.interval == UNKNOWN else f" ({range_text(figures.interval)} %)"
    net = net_cell(figures)
    return f"{figures.rate_text} differ{ends}" + (f"; net {net}" if net else "")
