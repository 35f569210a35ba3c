"""A picture called ``...-light.png`` that has a dark twin gives way to it on a dark page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class TwinPictures(SphinxTransform):
    """Put the dark picture beside the light one; the theme hides one of them."""

    default_priority = 300  # before the files of pictures are looked for

    def apply(self, **_: Any) -> None:
        """Do it on one page."""
        folder = Path(self.env.srcdir, self.env.docname).parent
        for light in list(self.document.findall(nodes.image)):
            uri = light["uri"].replace("-light.", "-dark.")
            if uri == light["uri"] or not (folder / uri).is_file():
                continue
            dark = light.deepcopy()
            dark["uri"] = uri
            light["classes"].append("only-light")
            dark["classes"].append("only-dark")
            light.parent.insert(light.parent.index(light) + 1, dark)


def setup(app: Sphinx) -> dict[str, Any]:
    """Do it on every page."""
    app.add_transform(TwinPictures)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
