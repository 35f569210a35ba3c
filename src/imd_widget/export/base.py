"""What a format of files is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from imd_widget._base.encodable import encodable_text
from imd_widget.comparison.model_diff import ModelDiff


@dataclass(frozen=True)
class Format:
    """One format of files.

    Attributes
    ----------
    suffix : str
        How the names of its files end, in small letters.
    description : str
        What it is for; error texts list it.
    write : callable
        From a diff to the content of the file: text, or bytes where it is ``binary``.
    binary : bool, default=False
    is_page : bool, default=False
        Whether ``write`` takes the options of a page: ``refinements``, ``rows`` and what is shown.
    """

    suffix: str
    description: str
    write: Callable[..., Any]
    binary: bool = False
    is_page: bool = False

    def content(self, diff: ModelDiff, **page: Any) -> bytes:
        """What the file holds; other formats than pages leave the options of a page aside."""
        content = self.write(diff, **page) if self.is_page else self.write(diff)
        return bytes(content if self.binary else encodable_text(content).encode("utf-8"))
