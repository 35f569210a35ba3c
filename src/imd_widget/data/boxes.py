"""Which rows lie in a box, and on the "yes" side of a split. All of it is decided on codes.

This is the only place that decides membership: masks of rules, predictions, traces, pages and
clicks in the widget all come here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, Quoted, Setting
from imd_widget.data.columns import Codes, Column
from imd_widget.data.table import EncodedTable, Table, encode, open_table

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


def codes_at(
    codes: Sequence[Codes], columns: Collection[int], rows: NDArray[np.integer] | slice
) -> list[Codes]:
    """Codes of some rows in some columns; those of the other columns are empty."""
    return [
        column_codes[rows] if column in columns else column_codes[:0]
        for column, column_codes in enumerate(codes)
    ]


#: From a table to the outputs of a model for its rows.
ModelOutputs = Callable[[Table], NDArray[Any]]


def encode_with_given(
    X: Any,
    columns: Sequence[Column],
    needed: Collection[int],
    given: Any = None,
    outputs_of: ModelOutputs | None = None,
) -> EncodedTable:
    """Encode the needed columns of ``X``, one of which may hold the outputs of a model.

    Such a column is read, in this order, from ``given``, from a column of ``X`` of its name, or
    from the model itself.

    Parameters
    ----------
    X : table
    columns : sequence of Column
    needed : collection of int
        Which of the columns to encode.
    given : array of shape (n_rows,), or (n_rows, n_columns) for several such columns, optional
    outputs_of : callable, optional
        Calls the model with a table.
    """
    table = open_table(X)
    several = [column for column in columns if column.given]
    asked: Any = None
    for column in (columns[number] for number in needed):
        if not column.given:
            continue
        if given is not None:
            if len(given) != table.n_rows:
                raise InputError(
                    Argument("given"),
                    f" has {len(given)} outputs, {table.argument} has {table.n_rows} rows: one "
                    "output for each row is needed.",
                )
            values = given
        elif column.name in table.place:
            continue
        elif outputs_of is not None:
            asked = outputs_of(open_table(X)) if asked is None else asked
            values = asked
        else:
            raise InputError(
                f"the rules use the output of a model, and {table.argument} has no column ",
                Quoted(column.name),
                ": pass the outputs of that model, ",
                Setting("given", ...),
                ", or add that column.",
            )
        if isinstance(values, np.ndarray) and values.ndim == 2:
            if values.shape[1] != len(several):
                names = [str(own.name) for own in several]
                raise InputError(
                    Argument("given"),
                    f" has {values.shape[1]} columns, {len(several)} needed: [",
                    Quoted(*names),
                    "].",
                )
            values = values[:, several.index(column)]
        table = table.with_column(column.name, column.as_known(pd.Series(values)))
    return encode(table, columns, needed)


@dataclass(frozen=True, eq=False)
class Boxes:
    """Boxes over the columns of a table."""

    columns: tuple[Column, ...]
    boxes: tuple[Box, ...]
    #: From a table to the outputs of the given model; None if it cannot be called.
    outputs_of: ModelOutputs | None = None

    @property
    def asked(self) -> frozenset[int]:
        """The columns that at least one box constrains."""
        return frozenset(column for box in self.boxes for column in box)

    def any_mask(self, X: Any, given: Any = None) -> NDArray[np.bool_]:
        """For each row of ``X``: does it lie in any of the boxes?

        Parameters
        ----------
        X : table
            With the columns that the boxes constrain; others are not read.
        given : array of shape (n_rows,), optional
            Outputs of the given model; see `encode_with_given`.
        """
        encoded = encode_with_given(X, self.columns, self.asked, given, self.outputs_of)
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
