"""Which rows are explained: all, a node, a rule, a mask."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, Quoted, Row
from imd_widget._base.frozen import FrozenArrays
from imd_widget.comparison.cohort import OF_MASK, Cohort, cohort
from imd_widget.comparison.query import ColumnCondition, column_conditions
from imd_widget.comparison.rows import row_number
from imd_widget.data.boxes import Box
from imd_widget.data.sampling import hashed, sampled
from imd_widget.rules.conditions import Condition
from imd_widget.rules.languages import conditions_text
from imd_widget.rules.regions import conditions, path_box
from imd_widget.rules.rule import Rule

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff

#: A condition that all rows explained meet: of a rule or a node, or as the user wrote it.
RowCondition = Condition | ColumnCondition

#: What ids of nodes look like: the path from the root.
NODE_ID = re.compile("r[yn12]*")
#: Surrogates are not fitted to fewer rows, and a page explains no fewer; a smaller cluster of
#: K-LIME takes the global model.
FEWEST_ROWS = 20


class FewRowsError(InputError):
    """Too few rows were selected to explain them."""


@dataclass(frozen=True, eq=False)
class ExplainedRows(FrozenArrays):
    """The rows that are explained.

    Attributes
    ----------
    what : str
        What was selected: "all", "rule", "node" or "mask".
    name : str or None
        Id of the node, or number of the rule in ``d.rules``, from 0; rules of agreement
        follow. None for all rows and a mask.
    text : str
        The same in words.
    rows : ndarray of int
        Positions of the rows in the table, increasing.
    conditions : tuple of Condition or ColumnCondition
        The conditions on single columns that hold for all of them; empty for all rows and a mask.
    outcomes : tuple of two labels or None
        The title of the rule; None if no rule was selected.
    """

    what: str
    name: str | None
    text: str
    rows: NDArray[np.intp]
    conditions: tuple[RowCondition, ...] = ()
    outcomes: tuple[Hashable, Hashable] | None = None

    def sample(self, most: int, n_rows: int, random_state: int) -> NDArray[np.intp]:
        """At most ``most`` of the rows, chosen by a hash of their positions."""
        return sampled(self.rows, hashed(n_rows, random_state), most)

    def condition_on(self, position: int) -> RowCondition | None:
        """The condition on the column at a position of the table; None if there is none."""
        for condition in self.conditions:
            if condition.position == position and not condition.given:
                return condition
        return None


def select(diff: ModelDiff, where: Any, least: int = 1) -> ExplainedRows:
    """Return the rows of the table that ``where`` means, and that have a weight.

    Parameters
    ----------
    diff : ModelDiff
    where : object
        None, a rule of the diff, the id of a node, a condition as text, a cohort, or a mask of the
        rows.
    least : int
        Number of rows that it must have at least.
    """
    chosen = _chosen(diff, where)
    if len(chosen.rows) < least:
        raise FewRowsError(
            Argument("where"),
            f": {_lying(chosen)}, and at least {least} {'is' if least == 1 else 'are'} needed to "
            "explain them. Take a larger region, or explain one row among all: d.explain(row=...).",
        )
    return chosen


def check_imitable(selection: ExplainedRows) -> None:
    """Raise InputError if there are too few rows to fit surrogates to."""
    if len(selection.rows) < FEWEST_ROWS:
        raise FewRowsError(
            Argument("where"),
            f": {_lying(selection)}, and at least {FEWEST_ROWS} are needed to fit surrogates to "
            "them. Contributions and curves need no surrogate.",
        )


def _lying(selection: ExplainedRows) -> str:
    n = len(selection.rows)
    return f"{'1 row lies' if n == 1 else f'{n} rows lie'} inside ({selection.text})"


def _chosen(diff: ModelDiff, where: Any) -> ExplainedRows:
    if where is None:
        return ExplainedRows("all", None, "all rows", _rows(diff, None))
    if isinstance(where, Rule):
        return _of_rule(diff, where)
    if isinstance(where, str) and NODE_ID.fullmatch(where):
        return _of_node(diff, where)
    if isinstance(where, str):
        return _of_text(diff, where)
    if isinstance(where, Cohort):
        return _of_cohort(diff, where)
    if isinstance(where, Integral) and not isinstance(where, bool):
        raise InputError(
            Given("where", where),
            f": a rule is passed itself, d.explain(d.rules[{where}]), and a row by its position, "
            f"d.explain(row={where}).",
        )
    mask = np.asarray(where)
    if mask.dtype != bool or mask.shape != (diff.table.n_rows,):
        raise InputError(
            Argument("where"),
            f" is a {type(where).__name__} (as an array: {mask.dtype}, shape {mask.shape}): what "
            "is explained is a rule of the diff, the id of a node, a condition as text "
            '("age < 30"), a cohort, or a boolean array with one True or False for each of the '
            f"{diff.table.n_rows} rows; None explains all of them.",
        )
    return ExplainedRows("mask", None, OF_MASK, _rows(diff, mask))


def _of_rule(diff: ModelDiff, rule: Rule) -> ExplainedRows:
    known = (*diff.rules, *diff.agreement)
    number = next((at for at, own in enumerate(known) if own is rule), None)
    if number is None:
        number = next((at for at, own in enumerate(known) if own == rule), None)
    if number is None:
        raise InputError(
            Argument("where"),
            " is a rule of another diff: ",
            Quoted(conditions_text(rule.conditions)),
            ". Pass a rule of this one, d.explain(d.rules[0]), or the rows of that rule: "
            "d.explain(rule.mask(X)).",
        )
    return ExplainedRows(
        "rule",
        str(number),
        conditions_text(rule.conditions),
        _rows(diff, diff.covered([number])),
        rule.conditions,
        rule.outcomes,
    )


def _of_node(diff: ModelDiff, node: str) -> ExplainedRows:
    box: Box = path_box(diff.path_to(node), diff.tree.columns)
    own = conditions(box, diff.tree.columns)
    return ExplainedRows("node", node, conditions_text(own), _rows(diff, diff.reaches(node)), own)


def _of_text(diff: ModelDiff, where: str) -> ExplainedRows:
    """The rows of a condition as for ``DataFrame.query``, or of a rule as it is printed."""
    try:
        return _of_cohort(diff, cohort(diff, where))
    except InputError:
        for rule in (*diff.rules, *diff.agreement):
            if where.strip() in (conditions_text(rule.conditions), str(rule)):
                return _of_rule(diff, rule)
        raise


def _of_cohort(diff: ModelDiff, own: Cohort) -> ExplainedRows:
    if own.mask.shape != (diff.table.n_rows,):
        raise InputError(
            Argument("where"),
            f" is a cohort of another table, of {len(own.mask)} rows: d.cohort(...) makes one of "
            f"this table, of {diff.table.n_rows} rows.",
        )
    parts = () if own.condition == OF_MASK else column_conditions(own.condition, diff.table)
    return ExplainedRows("mask", None, own.condition, _rows(diff, own.mask), parts)


def _rows(diff: ModelDiff, mask: NDArray[np.bool_] | None) -> NDArray[np.intp]:
    counts = diff.rows.row_weight > 0
    return np.flatnonzero(counts if mask is None else mask & counts)


def check_row(row: Any, selection: ExplainedRows, n_rows: int) -> int:
    """Return the position of a row; InputError unless it is one of the rows explained."""
    number = row_number(row, n_rows)
    place = int(np.searchsorted(selection.rows, number))
    if place == len(selection.rows) or selection.rows[place] != number:
        raise InputError(
            Given("row", row),
            ": ",
            Row(int(row)),
            f" is not among the rows explained ({selection.text}). Explain it among all rows: "
            f"d.explain(row={row}).",
        )
    return number
