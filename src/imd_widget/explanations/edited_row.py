"""A row of the table with some other values, and what models give for it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Foreign, Given, InputError, Quoted
from imd_widget.data.table import Table
from imd_widget.explanations.contributing import contributions_of_other_row
from imd_widget.explanations.contributions import Contributions
from imd_widget.explanations.editing import Field
from imd_widget.explanations.grid import column_position, exact_value_text, point_value_text
from imd_widget.explanations.ground import Ground
from imd_widget.explanations.schema import FieldView
from imd_widget.models.coercion import WrongLengthError
from imd_widget.models.pair import ComparedModels
from imd_widget.outputs.base import MissingOutputError


@dataclass(frozen=True)
class Edit:
    """Another value of one column.

    Attributes
    ----------
    column : Hashable
        Name of the column.
    position : int
        Its position in the table.
    before, after : object
        The value that the row has in the table, and the other one.
    """

    column: Hashable
    position: int
    before: Any
    after: Any

    def __str__(self) -> str:
        before, after = (point_value_text(own) for own in (self.before, self.after))
        if before == after:
            before, after = (exact_value_text(own) for own in (self.before, self.after))
        return f"{self.column} {after} instead of {before}"


def edited_row(
    table: Table, row: int, changes: Mapping[Any, Any] | None, *, by_position: bool
) -> tuple[tuple[Edit, ...], Table]:
    """Return the edits of a row that change a value, and a table of the edited row alone.

    Parameters
    ----------
    table : Table
    row : int
        Position of the row.
    changes : mapping or None
        The other values, by the name of their column.
    by_position : bool
        Whether ``changes`` is by the position of the column.
    """
    one = np.array([row], dtype=np.intp)
    edits, edited = [], table.take(one)
    for column, value in (changes or {}).items():
        position = _position(table, column) if by_position else column_position(table, column)
        after = Field.of(table, position).read(value)
        before = table.values_at(position, one).iloc[0]
        if exact_value_text(after) == exact_value_text(before):
            continue
        edited = edited.with_values(position, _listed(after))
        edits.append(Edit(table.names[position], position, before, after))
    return tuple(edits), edited


def field_views(table: Table, row: int, edits: tuple[Edit, ...]) -> tuple[FieldView, ...]:
    """Return the columns of a row as records: its values, and how they can be edited."""
    one = np.array([row], dtype=np.intp)
    edited = {edit.position: edit for edit in edits}
    found = []
    for position in range(len(table.names)):
        own = Field.of(table, position)
        original = exact_value_text(table.values_at(position, one).iloc[0])
        edit = edited.get(position)
        low, high = own.ends
        found.append(
            FieldView(
                column=str(own.name),
                position=position,
                original=original,
                value=original if edit is None else exact_value_text(edit.after),
                changed=edit is not None,
                kind=own.kind,
                choices=tuple(own.choices),
                low=low,
                high=high,
            )
        )
    return tuple(found)


def contributions_of_edited(ground: Ground, edited: Table, max_calls: int) -> Contributions:
    """Return the contributions on a row that is in no table, with its values as text."""
    found = contributions_of_other_row(ground, edited, max_calls)
    one = np.zeros(1, dtype=np.intp)
    values = tuple(
        None if at is None else point_value_text(edited.values_at(at, one).iloc[0])
        for at in found.positions
    )
    return replace(found, values=values)


class RaisedError(InputError):
    """A model raised an error for changed values."""


def output_of(
    pair: ComparedModels, model: int, table: Table, argument: str | None = None
) -> NDArray[Any]:
    """Return the outputs of a model for the rows of a table that has other values.

    ``argument`` is what the model is called in an error; by default "m1" or "m2".
    """
    named = Argument(argument or f"m{model + 1}"), " (", Quoted(pair.names[model]), ") "
    try:
        return pair.output(model, table, at_once=True)
    except MissingOutputError as error:
        lacking = InputError(*named, "gives no output for these values.")
        raise MissingOutputError(lacking, error.missing) from None
    except WrongLengthError as error:
        n, rows = error.n_outputs, f"{table.n_rows:,} row{'' if table.n_rows == 1 else 's'}"
        raise InputError(
            *named,
            f"gives {n:,} output{'' if n == 1 else 's'} for {rows} with changed values: one for "
            "each row is needed.",
        ) from None
    except InputError:
        raise
    except Exception as error:  # a model may raise anything for values that it does not know
        raise RaisedError(
            *named,
            f"raised {type(error).__name__}: ",
            Foreign(str(error).removesuffix(".")),
            " for the changed values.",
        ) from error


def _position(table: Table, column: Any) -> int:
    text = str(column)
    if not text.isdigit() or int(text) >= len(table.names):
        raise InputError(
            Given("column", column),
            f": columns are numbered 0 to {len(table.names) - 1}.",
        )
    return int(text)


def _listed(value: Any) -> Any:
    """A value as a column of one row."""
    column = np.empty(1, dtype=object)
    column[0] = value
    return np.array([value]) if isinstance(value, int | float | bool) else column
