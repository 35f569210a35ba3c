"""A track as a page, as CSV or as Markdown."""

from __future__ import annotations

import json

from imd_widget._base.encodable import encodable_text
from imd_widget._base.plain import to_json
from imd_widget.comparison.track import Track
from imd_widget.export.csv_table import without_formula
from imd_widget.export.page import page_around
from imd_widget.views.track import track_view


def track_page(track: Track) -> str:
    """Return the track as an interactive page."""
    return page_around(
        {"height": 720, "theme": "auto", "track": to_json(track_view(track))},
        title=track.title,
        summary=track.summary(),
        what="the track",
        holds="This page contains the conditions of the rules, and for each region and period the "
        "number of rows, rates, nets and intervals. It contains no rows of the table.",
        plain=str(track.shown.to_html(index=False)),
    )


def track_table(track: Track) -> str:
    """Return CSV text with a line for each region and period; no cell is read as a formula."""
    frame = track.to_frame().reset_index()
    for name in ("region", "period"):
        frame[name] = [without_formula(value) for value in frame[name]]
    return encodable_text(str(frame.to_csv(index=False)))


def track_text(track: Track) -> str:
    """Return models, periods and the figures of each region and period as a JSON file."""
    frame = track.to_frame().reset_index()
    figures = frame.astype(object).where(frame.notna(), None).to_dict("records")
    plain = {
        "format": "imd-widget track",
        "version": 1,
        "names": list(track.names),
        "periods": list(track.periods),
        "origin": to_json(track.origin),
        "verdicts": {region: track.verdict(region) for region in track.regions},
        "figures": figures,
    }
    return json.dumps(plain, ensure_ascii=False, allow_nan=False, indent=1)


def track_report(track: Track) -> str:
    """Return headline and table as Markdown."""
    return track.to_markdown()
