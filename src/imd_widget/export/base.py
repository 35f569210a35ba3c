"""`Format`: a suffix and the function that writes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from imd_widget._base.encodable import encodable_text
from imd_widget.comparison.model_diff import ModelDiff


@dataclass(frozen=True)
class Format:
    """A file format.

    Attributes
    ----------
    suffix : str
        Suffix of its files, in lower case.
    description : str
        Its purpose, as error messages list it.
    write : callable
        Returns the content of the file of a diff: bytes if ``binary``, else text.
    binary : bool, default=False
    is_page : bool, default=False
        Whether ``write`` takes the options of a page: see `imd_widget.export.html.page_text`.
    is_drawn : bool, default=False
        Whether it is drawn by matplotlib.
    """

    suffix: str
    description: str
    write: Callable[..., Any]
    binary: bool = False
    is_page: bool = False
    is_drawn: bool = False

    def content(self, diff: ModelDiff, **page: Any) -> bytes:
        """Return the content of the file; the options of a page are ignored by other formats."""
        content = self.write(diff, **page) if self.is_page else self.write(diff)
        return bytes(content if self.binary else encodable_text(content).encode("utf-8"))
