"""What both models give for a row of the table with some other values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget._base.validation import check_whole
from imd_widget.data.boxes import Boxes, encode_with_given
from imd_widget.data.table import Table
from imd_widget.explanations.api import explain
from imd_widget.explanations.contributing import MAX_CALLS
from imd_widget.explanations.contributions import Contributions
from imd_widget.explanations.edited_row import (
    Edit,
    contributions_of_edited,
    edited_row,
    field_views,
    output_of,
    table_row,
)
from imd_widget.explanations.schema import WhatIfView
from imd_widget.explanations.scores import why_not, why_one
from imd_widget.explanations.views import contributions_view

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff
    from imd_widget.explanations.explanation import Explanation


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
        return contributions_of_edited(self.explanation.ground(), self._table, self._max_calls)

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
            fields=field_views(self._diff.table, self.row, self.edits),
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
    one = np.array([number], dtype=np.intp)
    edits, edited = edited_row(diff.table, number, changes, by_position=by_position)
    outputs = both_outputs(diff, edited)
    known = diff.rows.predictions_at(one)
    before = (known[0].iloc[0], known[1].iloc[0])
    nodes, rules = path(diff, edited)
    return WhatIf(
        row=number,
        edits=edits,
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


def check_callable(diff: ModelDiff) -> None:
    """Raise InputError if one of the models cannot be called with other values."""
    reason = why_not(diff.rows.models) or why_one(diff.rows.models)
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
