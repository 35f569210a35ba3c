"""Rows of the user's table as text: pages of rows, and the trace of one row through the tree."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Given, InputError
from imd_widget._base.plain import ABSENT, Absent
from imd_widget.comparison.row_values import inferred

if TYPE_CHECKING:
    from imd_widget.comparison.diff_rows import DiffRows
    from imd_widget.comparison.model_diff import ModelDiff

#: Largest number of characters of a cell; longer text is cut.
LONGEST = 200
#: Largest number of characters of a text that is held beside its cell; longer text is cut.
LONGEST_HELD = 10_000
#: Largest number of characters of all such texts of a page of rows.
MOST_HELD = 1_000_000


@dataclass(frozen=True)
class Trace:
    """The path of one row through both surrogates.

    Attributes
    ----------
    row : int
        Number of the row in the table, from 0.
    label : str
        Index label of the row, as text.
    nodes : tuple of str
        Ids of the nodes on the paths through both surrogates.
    said : tuple of two str
        Outputs of the models for the row, as text.
    surrogate : tuple of two str
        Outputs of the surrogates for the row, as text.
    rules : tuple of int
        Numbers of the rules that contain the row.
    differs : bool
        Whether the models differ on the row.
    """

    row: int
    label: str
    nodes: tuple[str, ...]
    said: tuple[str, str]
    surrogate: tuple[str, str]
    rules: tuple[int, ...]
    differs: bool


@dataclass(frozen=True, eq=False)
class RowsPage:
    """Consecutive rows of a listing, as text. Rows are never sent in traits."""

    #: Number of rows of the listing, and index of the first one on this page.
    total: int
    start: int
    #: Names of the columns: the outputs of both models, ``y`` if it is known, the distance of the
    #: outputs if they are numbers, the columns of the rules, then the others of the table.
    columns: tuple[str, ...]
    #: What each of them holds: "output1", "output2", "truth", "distance" or "column".
    roles: tuple[Role, ...]
    #: Number of columns before the other columns of the table.
    lead: int
    #: Numbers of the rows in the table.
    positions: tuple[int, ...]
    #: Index labels of the rows, as text.
    labels: tuple[str, ...]
    #: One tuple per row.
    cells: tuple[tuple[str, ...], ...]
    #: Whether the models differ on each row.
    differs: tuple[bool, ...]
    #: Row, column and text of the cells that are rounded or cut, up to `LONGEST_HELD` characters
    #: each and `MOST_HELD` in all.
    whole: tuple[tuple[int, int, str], ...] = ()
    #: On a saved page, which holds a sample: number of rows of the listing in the whole table.
    of: int | Absent = ABSENT
    #: On a saved page: why the listing may have more rows.
    note: str | Absent = ABSENT


def predictions(results: DiffRows, names: tuple[str, str]) -> pd.DataFrame:
    """Return the outputs of both models for each row of the table."""
    observed, table = results.compared.observations, results.table
    both = results.compared.outputs.predictions(observed, table.n_rows)
    columns = [inferred(values, table.index) for values in both]
    return pd.concat(columns, axis=1).set_axis(list(names), axis=1)


def row_number(row: Any, n_rows: int) -> int:
    """Return the position of a row; InputError unless the table has it."""
    whole = isinstance(row, Integral) and not isinstance(row, bool)
    if not (whole and 0 <= row < n_rows):
        raise InputError(Given("row", row), f": rows are numbered 0 to {n_rows - 1}.")
    return int(row)


def trace(diff: ModelDiff, row: int) -> Trace:
    """Return the trace of the row with this number."""
    row, tree = row_number(row, diff.table.n_rows), diff.tree
    one = np.array([row], dtype=np.int32)
    leaves = diff.rows.leaves_of(one)[0].tolist()
    ids = [tree.ids[leaf] for leaf in leaves]
    passed = {name[:end] for name in ids for end in range(1, len(name) + 1)}
    surrogate = [tree.outputs.leaf_text(tree, leaf) for leaf in leaves]
    return Trace(
        row=int(row),
        label=diff.table.label_at(int(row)),
        nodes=tuple(name for name in tree.ids if name in passed),
        said=output_texts(diff, one)[0],
        surrogate=(surrogate[0], surrogate[1]),
        rules=tuple(rule for rule in diff.rows.rule_of(one).tolist() if rule < len(diff.rules)),
        differs=bool(diff.rows.differs_at(one)[0]),
    )


def output_texts(diff: ModelDiff, rows: NDArray[np.integer]) -> list[tuple[str, str]]:
    """Return the outputs of both models for some rows of the table, as text."""
    outputs, both = diff.tree.outputs, diff.rows.predictions_at(rows)
    first, second = (outputs.texts(own.tolist()) for own in both)
    return list(zip(first, second, strict=True))


#: What a listed column holds.
Role = Literal["output1", "output2", "truth", "distance", "column"]


@dataclass(frozen=True, eq=False)
class Listed:
    """One column of a listing."""

    name: str
    #: What it holds.
    role: Role
    #: From row numbers to the values of these rows, in this order and numbered from 0.
    values: Callable[[NDArray[np.integer]], pd.Series[Any]]


@dataclass(frozen=True, eq=False)
class Listing:
    """The columns of a listing, in order."""

    columns: list[Listed]
    #: Number of columns before the other columns of the table.
    lead: int


def listing(diff: ModelDiff, first: tuple[int, ...]) -> Listing:
    """List the columns at ``first``, the outputs, ``y``, their distance, and the others."""
    table, fitted = diff.table, diff.rows

    def column(position: int) -> Listed:
        return Listed(str(table.names[position]), "column", partial(table.values_at, position))

    def apart(rows: NDArray[np.integer]) -> pd.Series[Any]:
        one, two = fitted.predictions_at(rows)
        return (one - two).abs()

    lead = [
        *map(column, first),
        Listed(diff.names[0], "output1", lambda rows: fitted.predictions_at(rows)[0]),
        Listed(diff.names[1], "output2", lambda rows: fitted.predictions_at(rows)[1]),
    ]
    if fitted.dataset.truth is not None:
        lead.append(
            Listed("y", "truth", lambda rows: cast("pd.Series[Any]", fitted.truth_at(rows)))
        )
    if diff.tolerance is not None:
        lead.append(Listed("apart", "distance", apart))
    others = [column(position) for position in range(len(table.names)) if position not in first]
    return Listing([*lead, *others], len(lead))


def page(
    diff: ModelDiff,
    inside: NDArray[np.bool_],
    first_columns: tuple[int, ...],
    start: int,
    count: int,
    sort: tuple[int, bool] | None,
) -> RowsPage:
    """Return a page of the rows in the mask ``inside``.

    Parameters
    ----------
    first_columns : tuple of int
        Positions of the columns that are listed first.
    sort : (int, bool) or None
        Index of the listed column to sort by, and whether the order is descending.
    """
    positions = row_order(diff, inside, first_columns, sort)
    return page_of(diff, positions, first_columns, start, count)


def row_order(
    diff: ModelDiff,
    inside: NDArray[np.bool_],
    first_columns: tuple[int, ...],
    sort: tuple[int, bool] | None,
) -> NDArray[np.intp]:
    """Return the numbers of the rows in the mask ``inside``, in the order of `page`."""
    positions = np.flatnonzero(inside)
    listed = listing(diff, first_columns).columns
    if sort is not None and 0 <= sort[0] < len(listed):
        values = listed[sort[0]].values(positions)
        positions = positions[_order(values, descending=sort[1])]
    return positions


def page_of(
    diff: ModelDiff,
    positions: NDArray[np.intp],
    first_columns: tuple[int, ...],
    start: int,
    count: int,
) -> RowsPage:
    """Return a page of the rows with these numbers, in this order."""
    listed = listing(diff, first_columns)
    shown = positions[start : start + count]
    values = [one.values(shown) for one in listed.columns]
    cells = [[_text(value) for value in column] for column in values]
    return RowsPage(
        total=len(positions),
        start=start,
        columns=tuple(one.name for one in listed.columns),
        roles=tuple(one.role for one in listed.columns),
        lead=listed.lead,
        positions=tuple(shown.tolist()),
        labels=tuple(map(diff.table.label_at, shown.tolist())),
        cells=tuple(zip(*cells, strict=True)) if len(shown) else (),
        differs=tuple(diff.rows.differs_at(shown).tolist()),
        whole=tuple(_within(whole_texts(values, cells), MOST_HELD)),
    )


def whole_texts(
    columns: Sequence[pd.Series[Any]], cells: Sequence[Sequence[str]]
) -> Iterator[tuple[int, int, str]]:
    """Yield row, column and text of every value that a cell, given by column, rounds or cuts."""
    for column, (values, shown) in enumerate(zip(columns, cells, strict=True)):
        for row, (value, cell) in enumerate(zip(values, shown, strict=True)):
            text = whole_text(value)
            if text and text != cell:
                yield row, column, text


def _within(texts: Iterable[tuple[int, int, str]], most: int) -> Iterator[tuple[int, int, str]]:
    """Yield texts, cut where they are very long, up to a number of characters in all."""
    for row, column, text in texts:
        held = cut_text(text, LONGEST_HELD)
        most -= len(held)
        if most < 0:
            return
        yield row, column, held


def rows_as_csv(
    diff: ModelDiff, positions: NDArray[np.intp], first_columns: tuple[int, ...]
) -> str:
    """Return rows of the table as CSV: row number, then the columns of `listing`.

    The columns of outputs, truth and distance have names that no column of the table has.
    """
    listed = listing(diff, first_columns).columns
    taken = {one.name for one in listed if one.role == "column"}
    names = [one.name if one.role == "column" else _other(one.name, taken) for one in listed]
    columns = [one.values(positions) for one in listed]
    frame = pd.concat(columns, axis=1).set_axis(names, axis=1)
    frame.insert(0, _other("row", {*names}), positions, allow_duplicates=True)
    return frame.to_csv(index=False)


def _other(name: str, taken: Collection[str]) -> str:
    """Return a name that is not taken."""
    while name in taken:
        name = f"{name} (of the diff)"
    return name


def ranks(values: pd.Series[Any]) -> list[int]:
    """Return the dense rank of each value, from 0; -1 for a missing value."""
    order = _order(values, descending=False)
    ordered = values.iloc[order]
    try:
        ordered_ranks = pd.factorize(ordered)[0]
    except TypeError:  # values such as lists are not hashable
        ordered_ranks = pd.factorize(ordered.astype(str))[0]
    row_ranks = np.empty(len(values), dtype=np.intp)
    row_ranks[order] = ordered_ranks
    return row_ranks.tolist()


def _order(values: pd.Series[Any], descending: bool) -> NDArray[np.intp]:
    """Return the positions of a stable sort, missing values last."""
    plain = values.reset_index(drop=True)
    try:
        ordered = plain.sort_values(ascending=not descending, kind="stable", na_position="last")
    except (TypeError, UnicodeEncodeError):  # mixed types, or a lone surrogate: sort the text
        shown = plain.map(_sortable, na_action="ignore")
        ordered = shown.sort_values(ascending=not descending, kind="stable")
    return ordered.index.to_numpy()


def _sortable(value: Any) -> str:
    """Return encodable text that sorts like ``str(value)``."""
    return str(value).encode("utf-8", "surrogatepass").decode("latin-1")


def _text(value: Any) -> str:
    if value is None or (not isinstance(value, list | tuple | dict) and pd.isna(value) is True):
        return "missing"
    if isinstance(value, float | np.floating):
        return _rounded(float(value))
    return cut_text(_str(value), LONGEST)


def _rounded(value: float) -> str:
    """Return a number with 4 significant digits, and all digits before the point: "12346"."""
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"


def cut_text(text: str, longest: int) -> str:
    """Return a text, or its beginning and an ellipsis."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def whole_text(value: Any) -> str:
    """Return a value as `rows_as_csv` writes it: all digits, all letters; "" if it is missing."""
    return "" if _text(value) == "missing" and not isinstance(value, str) else _str(value)


def _str(value: Any) -> str:
    try:
        return str(value)
    except NotImplementedError:  # an object whose local time is before the year 1
        return f"{value.tz_convert('UTC').tz_localize(None)} UTC"
