"""Membership of encoded rows: in boxes, and on the "yes" side of splits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Codes, Column

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
