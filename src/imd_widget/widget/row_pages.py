"""Pages of the rows of a selection, which the front-end lists in its tab "Rows"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.rows import RowsPage, page_of, row_order, rows_as_csv
from imd_widget.data.derived import raw_positions
from imd_widget.views.schema import CsvRequest, RowsRequest, SortedSelection

#: Most rows of a page.
MOST_ROWS = 500
#: Most rows of a CSV file, which a browser holds in memory.
MOST_CSV_ROWS = 200_000

#: Cache key: diff, rules, node, whether only differing rows, and (column, descending) or None.
_Key = tuple[ModelDiff, tuple[int, ...], str, bool, tuple[int, bool] | None]


def rows_inside(diff: ModelDiff, rules: Sequence[int], node: str) -> NDArray[np.bool_]:
    """Mask of the rows in any of ``rules``, else of those that reach ``node``, else in any rule."""
    if node and not rules:
        return diff.reaches(node)
    return diff.covered(rules or None)


def columns_of(diff: ModelDiff, rules: Sequence[int], node: str) -> tuple[int, ...]:
    """Positions of the columns in the conditions of the rules, else on the path to the node."""
    if rules:
        conditions = [c for number in rules for c in diff.rule_at(number).conditions]
        positions = [p for c in conditions for p in raw_positions(c.column, c.position)]
    else:
        path = diff.path_to(node) if node else ()
        columns = [diff.tree.columns[step.column] for step in path]
        positions = [p for own in columns for p in raw_positions(own.name, own.position)]
    # the outputs of a given model are listed anyway
    return tuple(p for p in dict.fromkeys(positions) if p < len(diff.column_names))


class RowPages:
    """Pages of rows; caches the row order of the last selection for its next page."""

    def __init__(self) -> None:
        self._kept: tuple[_Key, NDArray[np.intp]] | None = None

    def page(self, diff: ModelDiff, request: RowsRequest) -> RowsPage:
        """Return one page of a selection."""
        columns = columns_of(diff, request.rules, request.node)
        return page_of(
            diff,
            self._positions(diff, request, columns),
            columns,
            request.start,
            min(MOST_ROWS, max(1, request.count)),
        )

    def csv(self, diff: ModelDiff, request: CsvRequest) -> str:
        """Return the rows of a selection as CSV; InputError if there are too many."""
        columns = columns_of(diff, request.rules, request.node)
        positions = self._positions(diff, request, columns)
        if len(positions) > MOST_CSV_ROWS:
            raise InputError(
                f"The selection has {len(positions):,} rows, more than the {MOST_CSV_ROWS:,} that "
                "can be downloaded; use w.selected_rows in the notebook."
            )
        return rows_as_csv(diff, positions, columns)

    def _positions(
        self, diff: ModelDiff, request: SortedSelection, columns: tuple[int, ...]
    ) -> NDArray[np.intp]:
        """Positions of the rows of the selection, in the requested order."""
        rules, node, sort = request.rules, request.node, request.sort
        by = None if sort is None else (sort.column, sort.descending)
        key = (diff, rules, node, request.differing, by)
        if self._kept is None or self._kept[0] != key:
            inside = rows_inside(diff, rules, node)
            if request.differing:
                inside = inside & diff.differs
            self._kept = key, row_order(diff, inside, columns, by)
        return self._kept[1]
