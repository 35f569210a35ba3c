"""What the models give for a row of the table with some other values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Given, InputError
from imd_widget._base.validation import check_whole
from imd_widget.comparison.rows import row_number
from imd_widget.data.boxes import Boxes, encode_with_given
from imd_widget.data.table import Table
from imd_widget.explanations.api import explain
from imd_widget.explanations.contributing import MAX_CALLS
from imd_widget.explanations.contributions import Contributions
from imd_widget.explanations.edited_row import (
    Edit,
    contributions_of_edited,
    edited_row,
    output_of,
)
from imd_widget.explanations.editing import Field
from imd_widget.explanations.scores import why_not, why_one

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff
    from imd_widget.explanations.explanation import Explanation
    from imd_widget.explanations.model_subject import OneModel
    from imd_widget.explanations.subject import Subject


@dataclass(frozen=True, eq=False, repr=False)
class WhatIf:
    """A row of the table with some other values, and what two models give for it, or one.

    Attributes
    ----------
    row : int
        Position of the row in the table.
    edits : tuple of Edit
        The values that are not those of the table.
    outputs_before, outputs : tuple of objects
        Output of each model for the row of the table, and for the edited one.
    explanation : Explanation
        The explanation of all rows, whose score is compared.
    differs_before, differs : bool
        Whether the outputs of two models differ.
    nodes : tuple of str
        Ids of the nodes on the paths of the edited row through the surrogates of two models.
    rules : tuple of int
        Numbers of the rules that contain the edited row.
    """

    row: int
    edits: tuple[Edit, ...]
    outputs_before: tuple[Any, ...]
    outputs: tuple[Any, ...]
    explanation: Explanation = field(repr=False)
    _subject: Subject = field(repr=False)
    _table: Table = field(repr=False)
    _max_calls: int = field(default=MAX_CALLS, repr=False)
    differs_before: bool = False
    differs: bool = False
    nodes: tuple[str, ...] = ()
    rules: tuple[int, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models."""
        return self._subject.names[: len(self.outputs)]

    @property
    def what(self) -> str:
        """The score that is explained: "probability of yes"."""
        return self.explanation.what

    @cached_property
    def scores(self) -> tuple[float, ...]:
        """Score of each model for the edited row."""
        found = self.explanation.contribution_room.ground().asked(self._table)
        return tuple(found[: len(self.outputs), 0].tolist())

    @cached_property
    def scores_before(self) -> tuple[float, ...]:
        """Score of each model for the row of the table."""
        rows = np.array([self.row], dtype=np.intp)
        found = self.explanation.contribution_room.ground().scores(rows)
        return tuple(found[: len(self.outputs), 0].tolist())

    @cached_property
    def contributions(self) -> Contributions:
        """What each column contributes to the scores for the edited row; a model alone is first."""
        ground = self.explanation.contribution_room.ground()
        return contributions_of_edited(ground, self._table, self._max_calls)

    @property
    def texts_before(self) -> tuple[str, ...]:
        """``outputs_before`` as text."""
        return tuple(self._subject.tree.outputs.texts(list(self.outputs_before)))

    @property
    def texts(self) -> tuple[str, ...]:
        """``outputs`` as text."""
        return tuple(self._subject.tree.outputs.texts(list(self.outputs)))

    @property
    def text(self) -> str:
        """What the change does, in words."""
        return " ".join(own for own in (self._outputs_text(), *self._more()) if own)

    def _outputs_text(self) -> str:
        before, after = self.texts_before, self.texts
        if not self.edits:
            first, *second = zip(self.names, after, strict=True)
            given = [f"{first[0]} gives {first[1]}", *(f"{name} {text}" for name, text in second)]
            return f"Row {self.row}: {', '.join(given)}."
        changes = " and ".join(map(str, self.edits))
        moved = [
            f"{name} gives {new} instead of {old}" if new != old else f"{name} still gives {old}"
            for name, old, new in zip(self.names, before, after, strict=True)
        ]
        return f"With {changes}, {', '.join(moved)}."

    def _more(self) -> tuple[str, ...]:
        """Whether two models agree, their scores behind classes, and which values no row has."""
        found = list(self.unseen)
        if self.explanation.score.label is not None and self.explanation.score.note is None:
            found.insert(0, self._scores_text())
        if len(self.outputs) == 2:
            still = bool(self.edits) and self.differs == self.differs_before
            when = "" if not self.edits else "still " if still else "now "
            found.insert(0, f"They {when}{'differ' if self.differs else 'agree'}.")
        return tuple(found)

    @cached_property
    def unseen(self) -> tuple[str, ...]:
        """A sentence for each edit to a value that no row of the table has, or beyond all."""
        table = self._subject.table
        found = (Field.of(table, own.position).unseen(own.after) for own in self.edits)
        return tuple(sentence for sentence in found if sentence is not None)

    def _scores_text(self) -> str:
        """The scores behind the classes, as a sentence."""
        parts = []
        for name, *both in zip(self.names, self.scores_before, self.scores, strict=True):
            old, new = map(self.explanation.score.text, both)
            moved = "" if not self.edits else f" instead of {old}" if old != new else " as before"
            parts.append(f"{name} {new}{moved}" if len(self.names) == 2 else f"{new}{moved}")
        return f"{self.what[:1].upper()}{self.what[1:]}: {', '.join(parts)}."

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<WhatIf: {self.text}>"


def what_if(
    diff: ModelDiff,
    row: Any,
    changes: Mapping[Any, Any] | None = None,
    values: Mapping[Any, Any] | None = None,
    *,
    max_calls: int = MAX_CALLS,
    by_position: bool = False,
) -> WhatIf:
    """Return what both models of a diff give for a row of the table with some other values.

    Parameters
    ----------
    diff : ModelDiff
    row : int
        Position of the row in the table.
    changes : mapping, optional
        The other values, by the name of their column.
    values : mapping, optional
        The same of other columns, as they were passed by keyword.
    max_calls : int
        Number of rows that each model is called with at most for contributions.
    by_position : bool
        Whether ``changes`` is by the position of the column.
    """
    check_callable(diff, "what_if")
    every = _together(changes, values)
    number, edits, edited = _edited(diff.table, row, every, max_calls, by_position)
    one = np.array([number], dtype=np.intp)
    first, second = diff.rows.predictions_at(one)
    before = (plain(first.iloc[0]), plain(second.iloc[0]))
    outputs = both_outputs(diff, edited)
    differed = differs = bool(diff.rows.differs_at(one)[0])
    if edits:
        differs = bool(diff.tree.outputs.are_apart(*outputs)[0])
    nodes, rules = path(diff, edited)
    return WhatIf(
        number,
        edits,
        before,
        (plain(outputs[0][0]), plain(outputs[1][0])) if edits else before,
        explain(diff, pos_label=_label(diff, before)),
        diff,
        edited,
        max_calls,
        differed,
        differs,
        nodes,
        rules,
    )


def what_if_alone(
    explanation: Explanation,
    model: OneModel,
    row: Any,
    changes: Mapping[Any, Any] | None = None,
    values: Mapping[Any, Any] | None = None,
    *,
    max_calls: int = MAX_CALLS,
    by_position: bool = False,
) -> WhatIf:
    """Return the same of one model, with its explanation."""
    every = _together(changes, values)
    number, edits, edited = _edited(model.table, row, every, max_calls, by_position)
    both = [model.table.take(np.array([number], dtype=np.intp)), edited]
    before, after = (output_of(model.models, 0, own, "model") for own in both)
    outputs = (plain(before[0]),), (plain(after[0]),)
    return WhatIf(number, edits, *outputs, explanation, model, edited, max_calls)


def _together(
    changes: Mapping[Any, Any] | None, values: Mapping[Any, Any] | None
) -> dict[Any, Any]:
    """All changes; InputError for a column that is in both."""
    both = {**(changes or {}), **(values or {})}
    twice = [name for name in values or {} if name in (changes or {})]
    if twice:
        raise InputError(
            Given(str(twice[0]), both[twice[0]]),
            ": this column is in the mapping too. Give one value for each column.",
        )
    return both


def _edited(
    table: Table, row: Any, changes: Mapping[Any, Any] | None, max_calls: int, by_position: bool
) -> tuple[int, tuple[Edit, ...], Table]:
    """Position of the row, its edits, and a table of the edited row alone."""
    number = row_number(row, table.n_rows)
    check_whole("max_calls", max_calls, 1)
    return number, *edited_row(table, number, changes, by_position=by_position)


def plain(output: Any) -> Any:
    """Return an output as a number or text of Python."""
    return output.item() if isinstance(output, np.generic) else output


def check_callable(diff: ModelDiff, asked: str) -> None:
    """Raise InputError if one of the models cannot be called with other values.

    ``asked`` is the method that would call it.
    """
    so = f"{asked} cannot try other values"
    reason = why_not(diff.rows.models, so) or why_one(diff.rows.models, so)
    if reason is not None:
        raise InputError(reason)


def both_outputs(diff: ModelDiff, table: Table) -> tuple[NDArray[Any], NDArray[Any]]:
    """Outputs of both models for every row of a table, in the units that the diff compares."""
    first, second = (output_of(diff.rows.models, model, table) for model in (0, 1))
    return first, second


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


def _label(diff: ModelDiff, outputs: tuple[Any, Any]) -> Any:
    """The class whose probability is explained: of two the second, else the later of the row's."""
    labels = diff.labels
    if not labels or len(labels) <= 2:
        return None
    known = [own for own in outputs if own in labels]
    return max(known, key=labels.index) if known else None
