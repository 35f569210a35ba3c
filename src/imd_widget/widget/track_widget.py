"""`TrackWidget`: the rules of a diff over several periods; it sends no messages to the kernel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets

from imd_widget._base.encodable import encodable, encodable_text
from imd_widget._base.errors import InputError
from imd_widget._base.plain import to_json
from imd_widget.comparison.track import Track
from imd_widget.export.formats import save
from imd_widget.views.track import track_view
from imd_widget.widget.preview_formats import forms_of
from imd_widget.widget.static_preview import StaticPreviewWidget

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class TrackWidget(StaticPreviewWidget):
    """A widget that draws a track: a small chart for each region.

    Parameters
    ----------
    result : Track
        What `imd_widget.track` returns.
    height : int, optional
        Pixels. None: as high as the content needs.
    theme : {"auto", "light", "dark"}, default="auto"
    orientation : {"right", "down"}, default="right"
        Nothing is drawn in a direction; it is accepted as `imd_widget.show` takes it.
    picture : bool, default=True
        Whether the notebook file also stores a static preview.

    Attributes
    ----------
    result : Track
        The track that is shown; read only.
    """

    result = traitlets.Instance(Track, read_only=True)
    track = traitlets.Dict(read_only=True).tag(sync=True)

    def __init__(
        self,
        result: Track,
        *,
        height: int | None = None,
        theme: str = "auto",
        orientation: str = "right",
        picture: bool = True,
    ) -> None:
        if not isinstance(result, Track):
            raise InputError(
                f"TrackWidget expects a Track, got {type(result).__name__}. Pass the result of "
                "imd.track."
            )
        self._picture = bool(picture)
        super().__init__(height=height, theme=theme, orientation=orientation)
        self.set_trait("result", result)
        self.set_trait("track", encodable(to_json(track_view(result))))

    def save(self, path: str | Path) -> Path:
        """Write the track as a page, a picture or a table, by the suffix; return the path."""
        return save(self.result, path)

    def _text(self) -> str:
        return encodable_text(f"{self.result.title}. {self.result.summary()}")

    def _forms(self) -> dict[str, Any]:
        def draw() -> Figure:
            from imd_widget.plot.results import figure

            return figure(self.result)

        return forms_of(self._text(), draw)
