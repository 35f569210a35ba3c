"""Which rows lie in a box, and on the "yes" side of a split. All of it is decided on codes.

This is the only place that decides membership: masks of rules, predictions, traces, pages and
clicks in the widget all come here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Codes, Column
from imd_widget.data.table import encode, open_table

#: For each constrained column, its allowed codes as bits: bit c is set if code c is allowed.
Box = Mapping[int, int]


def in_box(box: Box, codes: Sequence[Codes], n_rows: int) -> NDArray[np.bool_]:
    """Mask of the encoded rows inside a box; codes that are not allowed for are outside."""
    inside = np.ones(n_rows, dtype=bool)
    for column, allowed in box.items():
        size = max(allowed.bit_length(), int(codes[column].max(initial=0)) + 1)
        packed = np.frombuffer(allowed.to_bytes(-(-size // 8), "little"), dtype=np.uint8)
        inside &= np.unpackbits(packed, bitorder="little").astype(bool)[codes[column]]
    return inside


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes over the columns of a table.

    Attributes
    ----------
    columns : tuple of Column
    boxes : tuple of Box
    """

    columns: tuple[Column, ...]
    boxes: tuple[Box, ...]

    def any_mask(self, X: Any) -> NDArray[np.bool_]:
        """For each row of ``X``: does it lie in any of the boxes?

        ``X`` needs the columns that the boxes constrain, and no others.
        """
        asked = {column for box in self.boxes for column in box}
        encoded = encode(open_table(X), self.columns, asked)
        return self.first_of(encoded.codes, encoded.n_rows) < len(self.boxes)

    def first_of(self, codes: Sequence[Codes], n_rows: int) -> NDArray[np.intp]:
        """For each encoded row: the first box it lies in; ``len(boxes)`` if it lies in none."""
        first = np.full(n_rows, len(self.boxes), dtype=np.intp)
        for number in range(len(self.boxes) - 1, -1, -1):
            first[in_box(self.boxes[number], codes, n_rows)] = number
        return first


def yes_codes(column: Column, cut: int, missing: bool) -> int:
    """The codes that a split sends to "yes", as bits."""
    codes = (1 << (cut + 1)) - 1 if column.ordered else 1 << cut
    return codes | (1 << column.n_values) if missing else codes


def says_yes(column: Column, codes: Codes, cut: int, missing: bool) -> NDArray[np.bool_]:
    """Mask of the codes that the split sends to "yes": ``code <= cut``, or ``code == cut``."""
    yes = codes <= cut if column.ordered else codes == cut
    if missing:
        yes |= codes == column.n_values
    return np.asarray(yes)
