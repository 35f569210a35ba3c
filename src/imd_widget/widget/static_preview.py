"""`StaticPreviewWidget`: a widget with a static preview in the notebook file."""

from __future__ import annotations

from typing import Any, get_args

import anywidget
import traitlets

from imd_widget._base.static_files import STATIC
from imd_widget.views.schema import Orientation, Theme
from imd_widget.widget.preview_formats import can_be_hidden, is_kept

#: Bounds of the height in pixels; a lower widget could not show a single node with its rules.
SMALLEST_HEIGHT, LARGEST_HEIGHT = 240, 4000


class StaticPreviewWidget(anywidget.AnyWidget):
    """A widget that draws a tree and publishes a static preview after itself.

    It has the front-end and the traits that all trees share. A subclass sets ``_picture``, whether
    a preview is wanted, and has `_text` and `_forms`; see `imd_widget.widget.preview_formats`.
    """

    _esm = STATIC / "widget.js"
    _css = STATIC / "widget.css"

    selected_node = traitlets.Unicode("").tag(sync=True)
    theme = traitlets.Enum(get_args(Theme), default_value="auto").tag(sync=True)
    orientation = traitlets.Enum(get_args(Orientation), default_value="right").tag(sync=True)
    folds = traitlets.Dict(
        key_trait=traitlets.Unicode(), value_trait=traitlets.Bool(), default_value={}
    ).tag(sync=True)
    height = traitlets.Int(
        default_value=None, allow_none=True, min=SMALLEST_HEIGHT, max=LARGEST_HEIGHT
    ).tag(sync=True)

    _picture: bool

    def _text(self) -> str:
        """What is shown, as text."""
        raise NotImplementedError

    def _forms(self) -> dict[str, Any]:
        """The picture by MIME type, and the text."""
        raise NotImplementedError

    def _static_preview(self) -> dict[str, Any]:
        """The static preview by MIME type, or its text alone if no picture is wanted or kept."""
        if not (self._picture and is_kept()):
            return {"text/plain": self._text()}
        return self._forms()

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the widget and its static preview as one output with several MIME types."""
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**data, **self._static_preview()}, metadata

    def _ipython_display_(self) -> None:
        """Publish the widget, then its static preview, which the widget hides.

        Two outputs are needed: JupyterLab reads only the widget from a single one, even if it
        cannot draw it.
        """
        from IPython import display

        publish: Any = display.publish_display_data  # IPython does not annotate it
        if not (self._picture and is_kept() and can_be_hidden()):
            publish(*self._repr_mimebundle_())
            return
        data, metadata = super()._repr_mimebundle_() or ({}, {})
        data.pop("text/plain", None)  # the picture's output holds the same text
        publish(data, metadata)
        picture = self._static_preview()
        alt = {"alt": picture["text/plain"]}
        publish(picture, {mime: alt for mime in picture if mime.startswith("image/")})
