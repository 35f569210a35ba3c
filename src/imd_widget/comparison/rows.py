"""Rows of the user's table for a person to look at: a page of them, and the way of one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Given, InputError

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff
    from imd_widget.comparison.results import FittedResults

#: Characters of a cell; what is longer is cut.
LONGEST = 200


@dataclass(frozen=True)
class Trace:
    """The way of one row through both surrogates.

    Attributes
    ----------
    row : int
        Its place in the table.
    label : str
        Its index, as text.
    nodes : tuple of str
        Ids of the nodes that it passes, of both models.
    said : tuple of two str
        What the models say about it.
    surrogate : tuple of two str
        What their surrogates say.
    rules : tuple of int
        Numbers of the rules that it lies in.
    differs : bool
        Do the models differ on it?
    """

    row: int
    label: str
    nodes: tuple[str, ...]
    said: tuple[str, str]
    surrogate: tuple[str, str]
    rules: tuple[int, ...]
    differs: bool


@dataclass(frozen=True, eq=False)
class Page:
    """Some rows in words.

    Attributes
    ----------
    total, start : int
        How many rows there are in all, and the first of them that is here.
    columns : tuple of str
        Names of the columns: those of the rules first, then the outputs of both models, then the
        truth where it is known, then the others.
    lead : int
        How many of them are not just others.
    positions : tuple of int
        Places of the rows in the table.
    labels : tuple of str
        Their index, as text.
    cells : tuple of tuple of str
        One tuple a row.
    differs : tuple of bool
        Do the models differ on the row?
    """

    total: int
    start: int
    columns: tuple[str, ...]
    lead: int
    positions: tuple[int, ...]
    labels: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    differs: tuple[bool, ...]


def predictions(found: FittedResults, names: tuple[str, str]) -> pd.DataFrame:
    """What the models said about each row of the table."""
    observed, n_rows = found.answers.observations, found.table.n_rows
    both = found.answers.outputs.predictions(observed, n_rows)
    native = found.table.native
    index = native.index if isinstance(native, pd.DataFrame) else pd.RangeIndex(n_rows)
    columns = [_as_series(own, index) for own in both]
    return pd.concat(columns, axis=1).set_axis(list(names), axis=1)


def _as_series(values: NDArray[Any], index: pd.Index[Any]) -> pd.Series[Any]:
    try:
        return pd.Series(values, index=index).infer_objects()
    except UnicodeEncodeError:  # half a letter, which Arrow's text cannot hold
        return pd.Series(values, index=index, dtype=object)


def trace(diff: ModelDiff, row: int) -> Trace:
    """The way of the row at a place of the table."""
    n_rows = diff.table.n_rows
    whole = isinstance(row, Integral) and not isinstance(row, bool)
    if not (whole and 0 <= row < n_rows):
        raise InputError(
            Given("row", row),
            f": the place of a row in the table is a whole number from 0 to {n_rows - 1}.",
        )
    tree = diff.tree
    one = np.array([row], dtype=np.int32)
    leaves = tree.route(diff._fitted.dataset.codes, one)[0].tolist()
    ids = [tree.ids[leaf] for leaf in leaves]
    passed = {name[:end] for name in ids for end in range(1, len(name) + 1)}
    surrogate = [tree.outputs.leaf_text(tree, leaf) for leaf in leaves]
    return Trace(
        row=int(row),
        label=_label(diff, int(row)),
        nodes=tuple(name for name in tree.ids if name in passed),
        said=said(diff, one)[0],
        surrogate=(surrogate[0], surrogate[1]),
        rules=tuple(rule for rule in diff._fitted.rule_of(one).tolist() if rule < len(diff.rules)),
        differs=bool(diff.differs[row]),
    )


def said(diff: ModelDiff, rows: NDArray[np.integer]) -> list[tuple[str, str]]:
    """What both models say about some rows of the table, as it is shown."""
    outputs, answers = diff.tree.outputs, diff.predictions.iloc[rows]
    first, second = (outputs.texts(answers.iloc[:, side].tolist()) for side in (0, 1))
    return list(zip(first, second, strict=True))


#: Name of a column, and how to get its values.
Listed = tuple[str, Callable[[], "pd.Series[Any]"]]


@dataclass(frozen=True, eq=False)
class Listing:
    """Which columns are listed, in which order.

    Attributes
    ----------
    columns : list of (str, callable)
        Name, and how to get the values of all rows.
    lead : int
        How many of them are not just others.
    """

    columns: list[Listed]
    lead: int


def listing(diff: ModelDiff, first: tuple[int, ...]) -> Listing:
    """Columns of the table at the places ``first``, the outputs, the truth, the other columns."""
    table, both = diff.table, diff.predictions

    def own(at: int) -> Listed:
        return str(table.names[at]), lambda: table.get(at)

    def said_by(side: int) -> Listed:
        return diff.names[side], lambda: both.iloc[:, side]

    lead = [*map(own, first), said_by(0), said_by(1)]
    if diff.truth is not None:
        truth, index = np.asarray(diff.truth), pd.RangeIndex(table.n_rows)
        lead.append(("y", lambda: _as_series(truth, index)))
    others = [own(at) for at in range(len(table.names)) if at not in first]
    return Listing([*lead, *others], len(lead))


def page(
    diff: ModelDiff,
    inside: NDArray[np.bool_],
    first_columns: tuple[int, ...],
    start: int,
    count: int,
    sort: tuple[int, bool] | None,
) -> Page:
    """Some of the rows that are ``inside``.

    Parameters
    ----------
    first_columns : tuple of int
        Places of the columns to begin with.
    sort : (int, bool) or None
        Which of the columns shown to sort by, and whether from the largest down.
    """
    positions = row_order(diff, inside, first_columns, sort)
    return page_of(diff, positions, first_columns, start, count)


def row_order(
    diff: ModelDiff,
    inside: NDArray[np.bool_],
    first_columns: tuple[int, ...],
    sort: tuple[int, bool] | None,
) -> NDArray[np.intp]:
    """Numbers of the rows that are ``inside``, in the order that `page` lists them."""
    positions = np.flatnonzero(inside)
    listed = listing(diff, first_columns).columns
    if sort is not None and 0 <= sort[0] < len(listed):
        values = listed[sort[0]][1]()
        positions = positions[_order(values.iloc[positions], descending=sort[1])]
    return positions


def page_of(
    diff: ModelDiff,
    positions: NDArray[np.intp],
    first_columns: tuple[int, ...],
    start: int,
    count: int,
) -> Page:
    """Some of the rows with these numbers, in their order."""
    listed = listing(diff, first_columns)
    shown = positions[start : start + count]
    cells = [[_text(value) for value in get().iloc[shown]] for _, get in listed.columns]
    return Page(
        total=len(positions),
        start=start,
        columns=tuple(name for name, _ in listed.columns),
        lead=listed.lead,
        positions=tuple(shown.tolist()),
        labels=tuple(_label(diff, row) for row in shown.tolist()),
        cells=tuple(zip(*cells, strict=True)) if len(shown) else (),
        differs=tuple(diff.differs[shown].tolist()),
    )


def ranks(values: pd.Series[Any]) -> list[int]:
    """The place of each value in their order, the same for equals; -1 where one is missing."""
    order = _order(values, descending=False)
    ordered = values.iloc[order]
    try:
        found = pd.factorize(ordered)[0]
    except TypeError:  # lists and the like
        found = pd.factorize(ordered.astype(str))[0]
    places = np.empty(len(values), dtype=np.intp)
    places[order] = found
    return places.tolist()


def _order(values: pd.Series[Any], descending: bool) -> NDArray[np.intp]:
    """Places in order; what is missing last, equals as they are."""
    plain = values.reset_index(drop=True)
    try:
        found = plain.sort_values(ascending=not descending, kind="stable", na_position="last")
    except (TypeError, UnicodeEncodeError):  # of several types, or half a letter: by what is shown
        shown = plain.map(_sortable, na_action="ignore")
        found = shown.sort_values(ascending=not descending, kind="stable")
    return found.index.to_numpy()


def _sortable(value: Any) -> str:
    """Text in the order of ``str(value)``, which every encoding of text can hold."""
    return str(value).encode("utf-8", "surrogatepass").decode("latin-1")


def _text(value: Any) -> str:
    if value is None or (not isinstance(value, list | tuple | dict) and pd.isna(value) is True):
        return "missing"
    if isinstance(value, float | np.floating):
        return f"{float(value):.6g}"
    text = _str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _str(value: Any) -> str:
    try:
        return str(value)
    except NotImplementedError:  # pandas has no way to write a local time before the year 1
        return f"{value.tz_convert('UTC').tz_localize(None)} UTC"


def _label(diff: ModelDiff, row: int) -> str:
    native = diff.table.native
    return str(native.index[row]) if isinstance(native, pd.DataFrame) else str(row)
