"""Pages of the rows of a selection, which the front-end lists in its tab "Rows"."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.rows import Page, page_of, row_order, rows_as_csv
from imd_widget.views.schema import CsvRequest, RowsRequest

#: Most rows of a page, and the number of rows if the request has no count.
MOST_ROWS, USUAL_ROWS = 500, 50
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
        positions = [c.position for number in rules for c in diff.rule_at(number).conditions]
    else:
        path = diff.path_to(node) if node else ()
        positions = [diff.tree.columns[step.column].position for step in path]
    # the outputs of a model that rules ask about are listed anyway
    return tuple(p for p in dict.fromkeys(positions) if p < len(diff.column_names))


class RowPages:
    """Pages of rows; caches the row order of the last selection for its next page."""

    def __init__(self) -> None:
        self._kept: tuple[_Key, NDArray[np.intp]] | None = None

    def page(self, diff: ModelDiff, request: RowsRequest) -> Page:
        """Return one page of a selection; a request of an older front-end may lack fields."""
        rules, node = request.get("rules") or [], request.get("node") or ""
        columns = columns_of(diff, rules, node)
        return page_of(
            diff,
            self._positions(diff, request, columns),
            columns,
            max(0, int(request.get("start", 0))),
            min(MOST_ROWS, max(1, int(request.get("count", USUAL_ROWS)))),
        )

    def csv(self, diff: ModelDiff, request: CsvRequest) -> str:
        """Return the rows of a selection as CSV; InputError if there are too many."""
        rules, node = request.get("rules") or [], request.get("node") or ""
        columns = columns_of(diff, rules, node)
        positions = self._positions(diff, request, columns)
        if len(positions) > MOST_CSV_ROWS:
            raise InputError(
                f"The selection has {len(positions):,} rows, and up to {MOST_CSV_ROWS:,} are saved "
                "here. In the notebook w.selected_rows has them all."
            )
        return rows_as_csv(diff, positions, columns)

    def _positions(
        self, diff: ModelDiff, request: RowsRequest | CsvRequest, columns: tuple[int, ...]
    ) -> NDArray[np.intp]:
        """Positions of the rows of the selection, in the requested order."""
        rules, node = tuple(request.get("rules") or ()), request.get("node") or ""
        sort, differing = request.get("sort"), bool(request.get("differing"))
        by = None if not sort else (int(sort["column"]), bool(sort["descending"]))
        key = (diff, rules, node, differing, by)
        if self._kept is None or self._kept[0] != key:
            inside = rows_inside(diff, rules, node)
            if differing:
                inside = inside & diff.differs
            self._kept = key, row_order(diff, inside, columns, by)
        return self._kept[1]
