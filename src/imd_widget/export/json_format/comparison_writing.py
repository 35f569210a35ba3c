"""Writes a comparison as plain values, from which `imd_widget.load` restores it without rows."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from imd_widget._base.plain import to_json
from imd_widget._base.version import __version__
from imd_widget.export.json_format.writing import contents
from imd_widget.many.model_comparison import ModelComparison

COMPARISON_FORMAT = "imd-widget comparison"
#: Incremented whenever a field changes its meaning or is removed.
COMPARISON_VERSION = 1


def comparison_text(comparison: ModelComparison, *, pairs: Sequence[tuple[int, int]]) -> str:
    """Return a comparison as the text of a JSON file, with a line for each part and each diff."""
    parts = comparison_contents(comparison, pairs)
    lines = [f" {json.dumps(name)}: {_part(value)}" for name, value in parts.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def comparison_contents(
    comparison: ModelComparison, pairs: Sequence[tuple[int, int]]
) -> dict[str, Any]:
    """Return a comparison as plain values, with the diffs of some pairs."""
    figures = comparison.figures
    return {
        "format": COMPARISON_FORMAT,
        "version": COMPARISON_VERSION,
        "written_by": f"imd-widget {__version__}",
        "names": list(figures.names),
        "summary": comparison.summary(),
        **to_json(figures),
        "diffs": [{"pair": list(pair), "diff": contents(comparison[pair])} for pair in pairs],
    }


def _part(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict | list):
        records = (json.dumps(item, ensure_ascii=False, allow_nan=False) for item in value)
        return "[\n  " + ",\n  ".join(records) + "\n ]"
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
