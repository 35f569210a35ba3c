"""What both models give for a row of the table with some other values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Foreign, Given, InputError, Quoted
from imd_widget._base.validation import check_whole
from imd_widget.data.boxes import Boxes, encode_with_given
from imd_widget.data.table import Table
from imd_widget.explanations.api import explain
from imd_widget.explanations.contributions import (
    MAX_CALLS,
    Contributions,
    contributions_of_other_row,
)
from imd_widget.explanations.editing import Field
from imd_widget.explanations.grid import column_position, exact_value_text, point_value_text
from imd_widget.explanations.schema import FieldView, WhatIfView
from imd_widget.explanations.scores import why_not, why_one
from imd_widget.explanations.views import contributions_view

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff
    from imd_widget.explanations.explanation import Explanation


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


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf:
    """A row of the table with some other values, and what both models give for it.

    Attributes
    ----------
    row : int
        Position of the row in the table.
    edits : tuple of Edit
        The values that are not those of the table.
    outputs_before, outputs : tuple of two objects
        Outputs of both models for the row of the table, and for the edited one.
    differs_before, differs : bool
        Whether these differ.
    nodes : tuple of str
        Ids of the nodes on the paths of the edited row through both surrogates.
    rules : tuple of int
        Numbers of the rules that contain the edited row.
    """

    row: int
    edits: tuple[Edit, ...]
    outputs_before: tuple[Any, Any]
    outputs: tuple[Any, Any]
    differs_before: bool
    differs: bool
    nodes: tuple[str, ...]
    rules: tuple[int, ...]
    _diff: ModelDiff = field(repr=False)
    _table: Table = field(repr=False)
    _max_calls: int = field(default=MAX_CALLS, repr=False)

    @property
    def names(self) -> tuple[str, str]:
        """Names of the models."""
        return self._diff.names

    @cached_property
    def explanation(self) -> Explanation:
        """The explanation of all rows, whose score is compared."""
        return explain(self._diff, pos_label=_label(self._diff, self.outputs_before))

    @property
    def what(self) -> str:
        """The score that is explained: "probability of yes"."""
        return self.explanation.what

    @cached_property
    def scores(self) -> tuple[float, float]:
        """Scores of both models for the edited row."""
        first, second = self.explanation.ground().asked(self._table)[:, 0].tolist()
        return first, second

    @cached_property
    def scores_before(self) -> tuple[float, float]:
        """Scores of both models for the row of the table."""
        rows = np.array([self.row], dtype=np.intp)
        first, second = self.explanation.ground().scores(rows)[:, 0].tolist()
        return first, second

    @cached_property
    def contributions(self) -> Contributions:
        """What each column contributes to the scores of both models for the edited row."""
        ground = self.explanation.ground()
        found = contributions_of_other_row(ground, self._table, self._max_calls)
        one = np.zeros(1, dtype=np.intp)
        values = tuple(
            None if at is None else point_value_text(self._table.values_at(at, one).iloc[0])
            for at in found.positions
        )
        return replace(found, values=values)

    @property
    def texts_before(self) -> tuple[str, str]:
        """``outputs_before`` as text."""
        first, second = self._diff.tree.outputs.texts(list(self.outputs_before))
        return first, second

    @property
    def texts(self) -> tuple[str, str]:
        """``outputs`` as text."""
        first, second = self._diff.tree.outputs.texts(list(self.outputs))
        return first, second

    @property
    def text(self) -> str:
        """What the change does, in words."""
        first, second = self.names
        before, after = self.texts_before, self.texts
        if not self.edits:
            verdict = "They differ." if self.differs else "They agree."
            return f"Row {self.row}: {first} gives {after[0]}, {second} {after[1]}. {verdict}"
        changes = " and ".join(map(str, self.edits))
        if self.differs:
            verdict = "They still differ." if self.differs_before else "They now differ."
        else:
            verdict = "They now agree." if self.differs_before else "They still agree."
        moved = [
            f"{name} gives {new} instead of {old}" if new != old else f"{name} still gives {old}"
            for name, old, new in zip(self.names, before, after, strict=True)
        ]
        return f"With {changes}, {', '.join(moved)}. {verdict}"

    def view(self) -> WhatIfView:
        """Return the row as a record."""
        text = self.explanation.score.text
        return WhatIfView(
            row=self.row,
            label=self._diff.table.label_at(self.row),
            fields=tuple(self._fields()),
            said_before=self.texts_before,
            said=self.texts,
            what=self.what,
            scores_before=self.scores_before,
            scores=self.scores,
            score_texts_before=(text(self.scores_before[0]), text(self.scores_before[1])),
            score_texts=(text(self.scores[0]), text(self.scores[1])),
            differs_before=self.differs_before,
            differs=self.differs,
            nodes=self.nodes,
            rules=self.rules,
            contributions=contributions_view(self.contributions),
            text=self.text,
        )

    def _fields(self) -> list[FieldView]:
        table, one = self._diff.table, np.array([self.row], dtype=np.intp)
        edited = {edit.position: edit for edit in self.edits}
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
        return found

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<WhatIf: {self.text}>"


def what_if(
    diff: ModelDiff,
    row: Any,
    changes: Mapping[Any, Any] | None = None,
    *,
    max_calls: int = MAX_CALLS,
    by_position: bool = False,
) -> WhatIf:
    """Return what both models give for a row of the table with some other values.

    Parameters
    ----------
    diff : ModelDiff
    row : int
        Position of the row in the table.
    changes : mapping, optional
        The other values, by the name of their column.
    max_calls : int
        Most rows that each model is called with for contributions.
    by_position : bool
        Whether ``changes`` is by the position of the column.
    """
    number = table_row(row, diff.table.n_rows)
    check_whole("max_calls", max_calls, 1)
    check_callable(diff)
    table, one = diff.table, np.array([number], dtype=np.intp)
    edits = []
    edited = table.take(one)
    for column, value in (changes or {}).items():
        position = _position(table, column) if by_position else column_position(table, column)
        after = Field.of(table, position).read(value)
        before = table.values_at(position, one).iloc[0]
        if exact_value_text(after) == exact_value_text(before):
            continue
        edited = edited.with_values(position, _listed(after))
        edits.append(Edit(table.names[position], position, before, after))
    outputs = both_outputs(diff, edited)
    known = diff.rows.predictions_at(one)
    before = (known[0].iloc[0], known[1].iloc[0])
    nodes, rules = path(diff, edited)
    return WhatIf(
        row=number,
        edits=tuple(edits),
        outputs_before=before,
        outputs=(outputs[0][0], outputs[1][0]) if edits else before,
        differs_before=bool(diff.rows.differs_at(one)[0]),
        differs=bool(diff.tree.outputs.are_apart(*outputs)[0])
        if edits
        else bool(diff.rows.differs_at(one)[0]),
        nodes=nodes,
        rules=rules,
        _diff=diff,
        _table=edited,
        _max_calls=max_calls,
    )


def table_row(row: Any, n_rows: int) -> int:
    """Return the position of a row; InputError unless the table has it."""
    whole = isinstance(row, Integral) and not isinstance(row, bool)
    if not (whole and 0 <= row < n_rows):
        raise InputError(
            Given("row", row),
            f": the place of a row in the table is a whole number from 0 to {n_rows - 1}.",
        )
    return int(row)


def check_callable(diff: ModelDiff) -> None:
    """Raise InputError if one of the models cannot be called with other values."""
    reason = why_not(diff.rows.models) or why_one(diff.rows.models)
    if reason is not None:
        raise InputError(reason)


def both_outputs(diff: ModelDiff, table: Table) -> tuple[NDArray[Any], NDArray[Any]]:
    """Outputs of both models for every row of a table, in the units that the diff compares."""
    found = []
    for model in (0, 1):
        name = diff.names[model]
        try:
            found.append(diff.rows.models.output(model, table, at_once=True))
        except InputError:
            raise
        except Exception as error:  # a model may raise anything for values that it does not know
            raise InputError(
                Argument(f"m{model + 1}"),
                " (",
                Quoted(name),
                f") failed for other values of the row: {type(error).__name__}: ",
                Foreign(str(error)),
                ".",
            ) from error
    return found[0], found[1]


def path(diff: ModelDiff, table: Table) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Nodes on the paths of the first row of a table, and the rules that contain it."""
    tree, fitted = diff.tree, diff.rows
    boxes = Boxes(fitted.dataset.columns, fitted.boxes)
    needed = tree.asked | boxes.asked
    encoded = encode_with_given(table, tree.columns, needed, None, fitted.outputs_of)
    leaves = tree.route(encoded.codes, np.zeros(1, dtype=np.int32))[0].tolist()
    ids = [tree.ids[leaf] for leaf in leaves]
    passed = {name[:end] for name in ids for end in range(1, len(name) + 1)}
    rule = int(boxes.first_of(encoded.codes, encoded.n_rows)[0])
    inside = (rule,) if rule < len(diff.rules) else ()
    return tuple(name for name in tree.ids if name in passed), inside


def _position(table: Table, column: Any) -> int:
    text = str(column)
    if not text.isdigit() or int(text) >= len(table.names):
        raise InputError(
            Given("column", column),
            f": the position of a column is a whole number from 0 to {len(table.names) - 1}.",
        )
    return int(text)


def _listed(value: Any) -> Any:
    """A value as a column of one row."""
    column = np.empty(1, dtype=object)
    column[0] = value
    return np.array([value]) if isinstance(value, int | float | bool) else column


def _label(diff: ModelDiff, outputs: tuple[Any, Any]) -> Any:
    """The class whose probability is explained: of two the second, else the later of the row's."""
    labels = diff.labels
    if not labels or len(labels) <= 2:
        return None
    known = [own for own in outputs if own in labels]
    return max(known, key=labels.index) if known else None
