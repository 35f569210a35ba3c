"""A view as it travels: by columns, floats to six digits. js/protocol/codec.ts decodes it.

A thousand nodes repeat the names of twenty fields a thousand times, and most of their values are
None: by columns, a tree of 1,023 nodes with 2,000 rules is a quarter of its size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from imd_widget.views.schema import Columns, DiffView, PackedView, SentNodeView

#: Digits that a picture can use, and more.
DIGITS = 6


def packed(view: DiffView) -> PackedView:
    """The view with each list of records as columns."""
    nodes: Columns[SentNodeView] = by_columns(view["nodes"])
    # the rules below a node are those with a leaf there, which the rules say themselves
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
        lacks=view["lacks"],
    )


def by_columns(records: Sequence[Mapping[str, Any]]) -> Columns[Any]:
    """Number of records, and by name a list with one value each; one value where all are None."""
    names = records[0] if records else ()
    columns = {name: [_shorter(record[name]) for record in records] for name in names}
    fields = {
        name: None if all(value is None for value in values) else values
        for name, values in columns.items()
    }
    return Columns(count=len(records), fields=fields)


def _shorter(value: Any) -> Any:
    if isinstance(value, list):
        return [_shorter(one) for one in value]
    if not isinstance(value, float) or value.is_integer() or abs(value) >= 10 ** (DIGITS - 1):
        return value
    rounded = float(f"{value:.{DIGITS}g}")
    # never round 0.9999999 to 1
    return value if rounded.is_integer() else rounded
