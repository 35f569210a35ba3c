"""The values of a column at which both models are asked: one grid for both."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, Quoted
from imd_widget.data.binning import bin_table
from imd_widget.data.columns import Column
from imd_widget.data.raw_values import raw_values
from imd_widget.data.table import Table, open_table
from imd_widget.explanations.selection import RowCondition
from imd_widget.explanations.sharing import shared_values
from imd_widget.rules.languages import value_text

#: Text of the grid point that stands for a missing value.
MISSING = "missing"


@dataclass(frozen=True, eq=False)
class Grid:
    """Values of one column, in the order in which they are drawn."""

    #: The values, as the table has them; a missing value is last.
    values: tuple[Any, ...]
    #: The same as text.
    texts: tuple[str, ...]
    #: Places on an axis: the numbers themselves, moments and durations in seconds, places in the
    #: order of ordered categories; NaN for the missing value. None if there is no order.
    numbers: NDArray[np.float64] | None
    #: Position of a row of the table that has the value; -1 if no row has it.
    sources: NDArray[np.intp]
    #: Share of the rows explained, by weight, whose value is nearest to the point (of categories:
    #: the same). They sum to one, less the share of categories that the grid leaves out.
    shares: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.values)


def describe_column(table: Table, position: int, max_bins: int) -> tuple[Column, NDArray[Any]]:
    """Return the description of a column of a table, and the codes of its rows."""
    every = np.ones(table.n_rows, dtype=bool)
    encoded = bin_table(table, every, max_bins, None, 0, (position,))
    return encoded.columns[0], encoded.codes[0]


def grid_of(
    table: Table,
    position: int,
    rows: NDArray[np.intp],
    weights: NDArray[np.float64],
    n_points: int,
    condition: RowCondition | None = None,
    least: int = 1,
) -> Grid:
    """Return a grid from the rows explained, with at most ``n_points`` values.

    A column with an order has quantiles of what occurs, its least and its greatest value among
    them. If the rows lie inside an interval of the column, whose bounds are numbers, its ends are
    added. A column without an order has its most frequent categories. A missing value is a point
    of its own.

    With ``least`` above 1 no point reveals the value of a single row: numbers and moments are
    rounded (see `shared_values`), and categories that fewer rows have are left out, as is the
    missing value. The grid of a column of names or ids is then empty.

    Parameters
    ----------
    table : Table
        The user's table.
    position : int
        Position of the column.
    rows : ndarray of int
        The rows explained.
    weights : ndarray of shape (n_rows,)
        Weight of each of them.
    n_points : int
    condition : Condition, optional
        The condition of the rule on this column.
    least : int
        Rows that each point stands for at least.
    """
    series = table.values_at(position, rows)
    frame = open_table(pd.DataFrame({0: series}))
    column, codes = describe_column(frame, 0, 255)
    missing = codes == column.n_values
    if column_is_number(column) and least > 1:
        values, numbers = _shared_points(series, column, missing, n_points, least)
        sources = np.full(len(values), -1)
    else:
        if column_is_number(column):
            places = places_of(series, column)
            found = _quantile_points(places, missing, n_points)
            numbers = places[found]
        else:
            found = _category_points(codes, missing, weights, n_points, column.ordered, least)
            numbers = codes[found].astype(float)
        values = [series.iloc[at] for at in found.tolist()]
        sources = rows[found]
    if condition is not None and column.ordered and len(values):
        values, numbers, sources = _with_ends(values, numbers, sources, condition, column)
    own = places_of(series, column) if column.ordered and column_is_number(column) else codes
    shares = _shares(own, missing, weights, numbers, column.ordered)
    if missing.sum() >= least:
        first = int(missing.argmax())
        values, sources = [*values, None], np.append(sources, rows[first])
        numbers = np.append(numbers, np.nan)
        shares = np.append(shares, weights[missing].sum() / weights.sum())
    texts = tuple(MISSING if value is None else point_text(value) for value in values)
    return Grid(tuple(values), texts, numbers if column.ordered else None, sources, shares)


def column_is_number(column: Column) -> bool:
    """Whether an ordered column has places on an axis of its own: no ordered categories."""
    return column.ordered and getattr(column, "categories", None) is None


def given_grid(
    table: Table,
    position: int,
    rows: NDArray[np.intp],
    weights: NDArray[np.float64],
    values: Sequence[Any],
) -> Grid:
    """Return a grid of the user's own values."""
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray | pd.Index):
        raise InputError(
            Argument("grid"),
            " is a ",
            type(values).__name__,
            ": the values at which the models are asked are needed, as a list.",
        )
    listed = list(values)
    if not listed:
        raise InputError(Argument("grid"), " is empty: at least one value is needed.")
    series = table.values_at(position, rows)
    numbers = None
    if pd.api.types.is_numeric_dtype(series.dtype) and not pd.api.types.is_bool_dtype(series.dtype):
        try:
            numbers = np.array([float(value) for value in listed])
        except (TypeError, ValueError):
            raise InputError(
                Argument("grid"),
                " holds ",
                Quoted(*[v for v in listed if not isinstance(v, int | float)][:3]),
                ", and the column ",
                Quoted(table.names[position]),
                " holds numbers.",
            ) from None
        own, missing = raw_values(series, np.dtype(float))
        absent = np.zeros(len(series), dtype=bool) if missing is None else missing
        order = np.argsort(numbers)
        shares = np.empty(len(listed))
        shares[order] = _shares(own.astype(float), absent, weights, numbers[order], True)
    else:
        shares = np.array([weights[np.asarray(series == v, bool)].sum() for v in listed])
        shares = shares / weights.sum()
    texts = tuple(map(point_text, listed))
    return Grid(tuple(listed), texts, numbers, np.full(len(listed), -1), shares)


def point_text(value: Any) -> str:
    """Return a value of a column as text: at most six digits of a float, moments in their zone."""
    if isinstance(value, pd.Timestamp) and value.tz is not None and str(value.tz) != "UTC":
        return _local_text(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return value_text(number) if number.is_integer() else f"{number:.6g}"
    return value_text(value)


def _local_text(moment: Any) -> str:
    """A moment in its time zone, as a text that is read as the same moment: a day, or an offset."""
    local = moment.tz_localize(None)
    same = local.tz_localize(moment.tz, ambiguous="NaT", nonexistent="NaT") == moment
    day = local == local.normalize() and same
    return str(local.strftime("%Y-%m-%d") if day else moment.isoformat(sep=" "))


def point_value_text(value: Any) -> str:
    """Return a value of a column as text, which may be missing."""
    return MISSING if value is None or pd.isna(value) is True else point_text(value)


def exact_value_text(value: Any) -> str:
    """Return a value of a column as text that tells it from every other value."""
    text = point_value_text(value)
    if isinstance(value, float | np.floating) and text != MISSING and float(text) != float(value):
        return repr(float(value))
    return text


def places_of(series: pd.Series[Any], column: Column) -> NDArray[np.float64]:
    """Numbers of an ordered column without categories; moments and durations in seconds."""
    dtype = column.thresholds.dtype if column.ordered else np.dtype(float)  # type: ignore[union-attr]
    raw, _ = raw_values(series, dtype if dtype.kind in "mM" else np.dtype(float))
    return _axis(raw)


def _axis(raw: NDArray[Any]) -> NDArray[np.float64]:
    """Places on an axis: numbers as they are, moments and durations in seconds."""
    if raw.dtype.kind in "mM":
        return np.asarray(raw.astype(np.int64) / 1e6)
    return raw.astype(float)


def _shared_points(
    series: pd.Series[Any],
    column: Column,
    missing: NDArray[np.bool_],
    n_points: int,
    least: int,
) -> tuple[list[Any], NDArray[np.float64]]:
    """Values that reveal no single row, in the type of the column, and their places."""
    dtype = column.thresholds.dtype  # type: ignore[union-attr]
    raw, _ = raw_values(series, dtype if dtype.kind in "mM" else np.dtype(float))
    points = shared_values(raw[~missing], n_points, least)
    if not len(points):
        return [], np.empty(0)
    example = series.iloc[int((~missing).argmax())]
    return [_in_type_of(example, point) for point in points], _axis(points)


def _in_type_of(example: Any, point: Any) -> Any:
    """A number, moment or duration as the type of another value of its column."""
    if point.dtype.kind == "M":
        moment = pd.Timestamp(point)
        if isinstance(example, dt.datetime):  # Timestamps are datetimes too
            if example.tzinfo is not None:
                moment = moment.tz_localize("UTC").tz_convert(example.tzinfo)
            return moment if isinstance(example, pd.Timestamp) else moment.to_pydatetime()
        return moment.date() if isinstance(example, dt.date) else point.astype(example.dtype)
    if point.dtype.kind == "m":
        duration = pd.Timedelta(point)
        own = isinstance(example, pd.Timedelta) or not isinstance(example, dt.timedelta)
        return duration if own else duration.to_pytimedelta()
    if isinstance(example, Decimal):
        return Decimal(str(point.item()))
    return type(example)(point.item())


def _quantile_points(
    places: NDArray[np.float64], missing: NDArray[np.bool_], n_points: int
) -> NDArray[np.intp]:
    """Positions of rows with the values at evenly spaced quantiles, in increasing order."""
    present = np.flatnonzero(~missing)
    if not len(present):
        return present
    distinct, first = np.unique(places[present], return_index=True)
    if len(distinct) > n_points:
        ordered = np.sort(places[present])
        wanted = np.rint(np.linspace(0, len(ordered) - 1, n_points)).astype(np.intp)
        kept = np.unique(np.searchsorted(distinct, ordered[wanted]))
        # where most rows have one value, the points that this saves go to the others
        others = np.setdiff1d(np.arange(len(distinct)), kept)
        n_more = min(n_points - len(kept), len(others))
        more = others[np.rint(np.linspace(0, len(others) - 1, n_more)).astype(np.intp)]
        first = first[np.union1d(kept, more)]
    return present[first]


def _category_points(
    codes: NDArray[Any],
    missing: NDArray[np.bool_],
    weights: NDArray[np.float64],
    n_points: int,
    ordered: bool,
    least: int,
) -> NDArray[np.intp]:
    """Positions of rows with the most frequent categories; ordered ones in their order.

    Categories that fewer than ``least`` rows have are left out.
    """
    present = np.flatnonzero(~missing)
    distinct, first, place = np.unique(codes[present], return_index=True, return_inverse=True)
    number = np.bincount(place, weights=weights[present], minlength=len(distinct))
    kept = np.argsort(-number, kind="stable")
    kept = kept[np.bincount(place, minlength=len(distinct))[kept] >= least][:n_points]
    return present[first[np.sort(kept) if ordered else kept]]


def _with_ends(
    values: list[Any],
    numbers: NDArray[np.float64],
    sources: NDArray[np.intp],
    condition: RowCondition,
    column: Column,
) -> tuple[list[Any], NDArray[np.float64], NDArray[np.intp]]:
    """Add the ends of the rule's interval, where the column holds such numbers."""
    bounds = condition.named
    whole = getattr(column, "whole", False)
    for bound, low in zip(bounds, (True, False), strict=False):
        if isinstance(bound, bool) or not isinstance(bound, int | float | np.floating):
            continue
        end = bound
        if whole:  # "< 60" ends at 59
            end = math.ceil(bound) if low else math.ceil(bound) - 1
        outside = end < numbers[0] if low else end > numbers[-1]
        if not outside or not math.isfinite(end):
            continue
        at = 0 if low else len(values)
        values = [*values[:at], type(values[0])(end), *values[at:]]
        numbers = np.insert(numbers, at, float(end))
        sources = np.insert(sources, at, -1)
    return values, numbers, sources


def _shares(
    own: NDArray[Any],
    missing: NDArray[np.bool_],
    weights: NDArray[np.float64],
    numbers: NDArray[np.float64],
    ordered: bool,
) -> NDArray[np.float64]:
    """Share of the rows, by weight, at each point: nearest to it, or of the same category."""
    present = ~missing
    if not len(numbers):
        return np.empty(0)
    values, own_weights = own[present].astype(float), weights[present]
    if ordered:
        with np.errstate(invalid="ignore"):  # of infinite values
            middles = numbers[:-1] / 2 + numbers[1:] / 2
        place = np.searchsorted(middles, values, side="right")
        counted = np.bincount(place, weights=own_weights, minlength=len(numbers))
    else:
        counted = np.array([own_weights[values == number].sum() for number in numbers])
    return np.asarray(counted / weights.sum())


def nearest_points(
    table: Table, position: int, rows: NDArray[np.intp], grid: Grid
) -> NDArray[np.intp]:
    """Number of the point of a grid that is nearest to each row; -1 for categories it lacks."""
    series = table.values_at(position, rows)
    missing = series.isna().to_numpy(dtype=bool)
    found = np.full(len(rows), -1, dtype=np.intp)
    present = [at for at, value in enumerate(grid.values) if value is not None]
    column, _ = describe_column(open_table(pd.DataFrame({0: series})), 0, 255)
    if grid.numbers is not None and column_is_number(column):
        points = grid.numbers[: len(present)]
        middles = points[:-1] / 2 + points[1:] / 2
        found = np.searchsorted(middles, places_of(series, column), side="right").astype(np.intp)
    else:
        place = {grid.texts[at]: at for at in present}
        found[:] = [place.get(point_value_text(value), -1) for value in series]
    found[missing] = len(present) if len(present) < len(grid) else -1
    return found


def column_position(table: Table, column: Hashable) -> int:
    """Return the position of a column by its name; InputError if there is no such column."""
    known = isinstance(column, Hashable)
    if known and column in table.place:
        return table.place[column]
    if known and column in table.names:
        raise InputError(
            Argument("column"),
            ": several columns are called ",
            Quoted(column),
            ". Give each column a name of its own to explain one of them.",
        )
    near = get_close_matches(str(column), list(map(str, table.names)), 1)
    raise InputError(
        "there is no column ",
        Quoted(column),
        *([": did you mean ", Quoted(*near), "?"] if near else ["."]),
        " The table has ",
        Quoted(*table.names[:8]),
        " ..." if len(table.names) > 8 else "",
        ".",
    )
