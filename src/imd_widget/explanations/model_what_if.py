"""What one model gives for a row of the table with some other values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from imd_widget._base.validation import check_whole
from imd_widget.data.table import Table
from imd_widget.explanations.contributing import MAX_CALLS
from imd_widget.explanations.contributions import Contributions
from imd_widget.explanations.edited_row import (
    Edit,
    contributions_of_edited,
    edited_row,
    output_of,
    table_row,
)

if TYPE_CHECKING:
    from imd_widget.explanations.explanation import Explanation
    from imd_widget.explanations.model_subject import OneModel


@dataclass(frozen=True, eq=False, repr=False)
class ModelWhatIf:
    """A row of the table with some other values, and what one model gives for it.

    Attributes
    ----------
    row : int
        Position of the row in the table.
    edits : tuple of Edit
        The values that are not those of the table.
    output_before, output : object
        Output of the model for the row of the table, and for the edited one.
    """

    row: int
    edits: tuple[Edit, ...]
    output_before: Any
    output: Any
    subject: OneModel = field(repr=False)
    _explanation: Explanation = field(repr=False)
    _table: Table = field(repr=False)
    _max_calls: int = field(default=MAX_CALLS, repr=False)

    @property
    def what(self) -> str:
        """The score that is explained: "probability of yes"."""
        return self._explanation.what

    @cached_property
    def score_before(self) -> float:
        """The score of the model for the row of the table."""
        rows = np.array([self.row], dtype=np.intp)
        return float(self._explanation.ground().scores(rows)[0, 0])

    @cached_property
    def score(self) -> float:
        """The score of the model for the edited row."""
        return float(self._explanation.ground().asked(self._table)[0, 0])

    @cached_property
    def contributions(self) -> Contributions:
        """What each column contributes to the score of the edited row; a second model gives 0."""
        return contributions_of_edited(self._explanation.ground(), self._table, self._max_calls)

    @property
    def texts(self) -> tuple[str, str]:
        """``output_before`` and ``output`` as text."""
        before, after = self.subject.outputs.texts([self.output_before, self.output])
        return before, after

    @property
    def text(self) -> str:
        """What the change does, in words."""
        before, after = self.texts
        show = self._explanation.score.text
        old, new = show(self.score_before), show(self.score)
        if not self.edits:
            return (
                f"Row {self.row}: {self.subject.name} gives {after}. {_capital(self.what)}: {new}."
            )
        changes = " and ".join(map(str, self.edits))
        gives = f"gives {after} instead of {before}" if after != before else f"still gives {before}"
        moved = f"{new} instead of {old}" if old != new else f"{old} as before"
        said = f"With {changes}, {self.subject.name} {gives}."
        if self._explanation.score.label is None:  # the output is the score
            return said
        return f"{said} {_capital(self.what)}: {moved}."

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<ModelWhatIf: {self.text}>"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def model_what_if(
    e: Explanation,
    subject: OneModel,
    row: Any,
    changes: Mapping[Any, Any] | None = None,
    *,
    max_calls: int = MAX_CALLS,
    by_position: bool = False,
) -> ModelWhatIf:
    """Return what a model gives for a row of the table with some other values.

    Parameters
    ----------
    e : Explanation
        Of the model.
    subject : OneModel
    row : int
        Position of the row in the table.
    changes : mapping, optional
        The other values, by the name of their column.
    max_calls : int
        Most rows that the model is called with for contributions.
    by_position : bool
        Whether ``changes`` is by the position of the column.
    """
    table = subject.table
    number = table_row(row, table.n_rows)
    check_whole("max_calls", max_calls, 1)
    edits, edited = edited_row(table, number, changes, by_position=by_position)
    both = [table.take(np.array([number], dtype=np.intp)), edited]
    before, after = (output_of(subject.models, 0, own, "model")[0] for own in both)
    return ModelWhatIf(number, edits, before, after, subject, e, edited, max_calls)
