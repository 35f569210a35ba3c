"""The same rules over several periods: what grew, what shrank, what appeared outside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.encodable import encodable_text
from imd_widget._base.verbs import verb
from imd_widget.comparison.origin import Origin
from imd_widget.comparison.remeasuring import (
    EVERYTHING,
    OUTSIDE,
    RegionChange,
    RegionFigures,
    Remeasured,
    net_cell,
    rate_cell,
)

if TYPE_CHECKING:
    from imd_widget.widget.track_widget import TrackWidget


@dataclass(frozen=True)
class Track(Displayed):
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
    origin : Origin or None
        When and from which models the diff of the first period was made.
    """

    names: tuple[str, str]
    periods: tuple[str, ...]
    measured: tuple[Remeasured, ...]
    origin: Origin | None = None

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

    @property
    def holds(self) -> tuple[str, ...]:
        """Rules whose rate and net did not change beyond chance in any period."""
        changed = {change.name for _, change in self.alarms}
        return tuple(name for name in self._rules if name not in changed)

    @property
    def _rules(self) -> tuple[str, ...]:
        return tuple(name for name in self.regions if name not in (OUTSIDE, EVERYTHING))

    def verdict(self, region: str) -> str:
        """Return what happened to a region: "no change", "grew in July", "net fell in August"."""
        kinds: dict[str, list[str]] = {}
        for period, change in self.alarms:
            if change.name == region:
                kinds.setdefault(_kind(change), []).append(period)
        moves = [f"{kind} in {', '.join(periods)}" for kind, periods in kinds.items()]
        return "; ".join(moves) or "no change"

    def summary(self) -> str:
        """Return the sentences of the headline."""
        return " ".join(self.sentences)

    @property
    def title(self) -> str:
        """The models and the periods: "old and new, May to August"."""
        return f"{' and '.join(self.names)}, {self.periods[0]} to {self.periods[-1]}"

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many rules hold, which regions changed, and where the rules come from."""
        n_rules, held = len(self._rules), len(self.holds)
        later = "the later period" if len(self.periods) == 2 else "any later period"
        found = []
        if held == n_rules > 0:
            which = {1: "The rule did not change", 2: "Neither rule changed"}.get(
                n_rules, f"None of the {n_rules} rules changed"
            )
            found.append(f"{which} beyond chance in {later}.")
        elif held:
            found.append(f"{held} of {n_rules} rules did not change beyond chance in {later}.")
        elif n_rules:
            which = {1: "The rule", 2: "Both rules"}.get(n_rules, f"All {n_rules} rules")
            found.append(f"{which} changed.")
        verdicts = {region: self.verdict(region) for region in self.regions}
        found += [
            f"{region[0].upper()}{region[1:]}: {verdict}."
            for region, verdict in verdicts.items()
            if verdict != "no change"
        ]
        if self.appeared:
            found.append("Differences outside all rules may be new regions: make a new diff.")
        origin = "" if self.origin is None else f", made on {self.origin.date}"
        tags = () if self.origin is None else self.origin.tags.items()
        origin += "".join(f", {key} {text}" for key, text in tags)
        return (*found, f"The rules are those of {self.periods[0]}{origin}.")

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
                        "period": encodable_text(period),
                        "rows": figures.rows,
                        "measured_rows": figures.measured_rows,
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

    def show(self, **options: Any) -> TrackWidget:
        """Return a widget that draws the regions over the periods.

        ``options`` are those of `imd_widget.show`: ``height``, ``theme`` and ``picture``.
        """
        return cast("TrackWidget", verb("show")(self, **options))

    def plot(self, axes: Sequence[Any] | None = None) -> Any:
        """Draw the rate of each region over the periods, side by side, and return the axes.

        Parameters
        ----------
        axes : sequence of matplotlib Axes, optional
            One for each region; None: a new figure.
        """
        return verb("plot")(self, axes)

    def save(self, path: str | Path) -> Path:
        """Write the track in the format given by the suffix of ``path``, and return the path.

        Parameters
        ----------
        path : str or Path
            ``.html``: an interactive page. ``.svg``, ``.png``: the picture, see `plot`. ``.json``,
            ``.csv``: the table of `to_frame`. ``.md``: headline and table.
        """
        return cast("Path", verb("save")(self, path))

    def _report(self) -> Report:
        return Report((f"{self.title}.", self.summary()), self.shown.set_index("region"))

    @property
    def shown(self) -> pd.DataFrame:
        """The table that reports and pages show: figures as text, a row per region and period."""
        texts = dict(zip(self.regions, (one.text for one in self.measured[0].regions), strict=True))
        alarms = {(period, change.name) for period, change in self.alarms}
        cells = [
            {
                "region": encodable_text(f"{region}: {texts[region]}" if texts[region] else region),
                "period": encodable_text(period),
                "differ": rate_cell(figures),
                "net": net_cell(figures),
                "changed": "yes" if (period, region) in alarms else "no" if place else "",
            }
            for region in self.regions
            for place, (period, figures) in enumerate(
                zip(self.periods, self.figures(region), strict=True)
            )
        ]
        frame = pd.DataFrame(cells)
        return frame if any(frame["net"]) else frame.drop(columns="net")

    def __str__(self) -> str:
        lines = [f"{period}: {change}" for period, change in self.alarms]
        if lines:
            return "\n".join(lines)
        n = len(self.periods) - 1
        return f"no change in {n} later period{'s' if n > 1 else ''}"

    def __repr__(self) -> str:
        return f"<Track: {len(self.alarms)} alarms in {len(self.periods)} periods>"


def _kind(change: RegionChange) -> str:
    """Return the verb for a change beyond chance."""
    if change.rate_changed:
        return "grew" if _direction(change) > 0 else "shrank"
    then, now = change.then.net, change.now.net
    return "net rose" if then is not None and now is not None and now > then else "net fell"


def _direction(change: RegionChange) -> float:
    """Return by how much the rate rose; 0 unless it changed beyond chance."""
    then, now = change.then.rate, change.now.rate
    if not change.rate_changed or then is None or now is None:
        return 0.0
    return now - then
