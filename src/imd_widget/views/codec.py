"""Encodes a view by columns, floats to six digits; js/protocol/codec.ts decodes it.

Records repeat the names of their fields, and most values of a node are None. Stored by columns, a
tree of 1,023 nodes with 2,000 rules has a quarter of the size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from imd_widget.views.schema import Columns, DiffView, PackedView, SentNodeView

#: Significant digits of a float: more than a drawing resolves.
DIGITS = 6


def packed(view: DiffView) -> PackedView:
    """Return the view with each list of records stored by columns."""
    nodes: Columns[SentNodeView] = by_columns(view["nodes"])
    # omitted: the decoder derives the rules below a node from the leaves of the rules
    nodes["fields"].pop("rules", None)
    return PackedView(
        version=view["version"],
        names=view["names"],
        classes=view["classes"],
        outputs=view["outputs"],
        options=view["options"],
        columns=view["columns"],
        headline=view["headline"],
        nodes=nodes,
        conditions=by_columns(view["conditions"]),
        rules=by_columns(view["rules"]),
        metrics=view["metrics"],
        right=view["right"],
        refinement=view["refinement"],
        crosstab=view["crosstab"],
        by=view["by"],
        truth=view["truth"],
        lacks=view["lacks"],
    )


def by_columns(records: Sequence[Mapping[str, Any]]) -> Columns[Any]:
    """Return the number of records, and for each field its values, or None if all are None."""
    names = records[0] if records else ()
    columns = {name: [_rounded(record[name]) for record in records] for name in names}
    fields = {
        name: None if all(value is None for value in values) else values
        for name, values in columns.items()
    }
    return Columns(count=len(records), fields=fields)


def _rounded(value: Any) -> Any:
    """Return a value with its floats at `DIGITS` significant digits.

    Integers and ``abs(value) >= 10 ** (DIGITS - 1)`` stay as they are.
    """
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    if not isinstance(value, float) or value.is_integer() or abs(value) >= 10 ** (DIGITS - 1):
        return value
    rounded = float(f"{value:.{DIGITS}g}")
    # never round 0.9999999 to 1
    return value if rounded.is_integer() else rounded
