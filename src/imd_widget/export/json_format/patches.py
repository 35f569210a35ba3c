"""Writes a patch as plain values, and restores it; the models are not part of it."""

from __future__ import annotations

import json
from typing import Any

from imd_widget._base.plain import Plain, from_json, listed, matches_type, shown, to_json
from imd_widget._base.version import __version__
from imd_widget.data.columns import column_from_plain
from imd_widget.deciding.patch import Patch, PatchFigures, check_inside
from imd_widget.export.json_format.checks import check_figures
from imd_widget.export.json_format.rule_reading import KnownRules, rules_of
from imd_widget.rules.rule import rule_to_plain

PATCH_FORMAT = "imd-widget patch"
#: Incremented whenever a field changes its meaning or is removed.
PATCH_VERSION = 1


def patch_text(patch: Patch) -> str:
    """Return a patch as the text of a JSON file."""
    return json.dumps(patch_contents(patch), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def patch_contents(patch: Patch) -> dict[str, Any]:
    """Return a patch as plain values."""
    return {
        "format": PATCH_FORMAT,
        "version": PATCH_VERSION,
        "written_by": f"imd-widget {__version__}",
        "names": list(patch.names),
        "inside": patch.inside,
        "summary": str(patch),
        "columns": [
            {**column.to_plain(), "position": column.position} for column in patch.rules.columns
        ],
        "rules": [rule_to_plain(rule) for rule in patch.rules],
        "figures": to_json(patch.figures),
    }


def patch_of(plain: Plain) -> Patch:
    """Return the patch from the plain values that `patch_contents` returns."""
    columns = tuple(column_from_plain(c, i) for i, c in enumerate(listed(plain, "columns")))
    names = tuple(listed(plain, "names"))
    if not matches_type(names, tuple[str, str]):
        raise ValueError(f"names are {shown(names)}")
    both = (names[0], names[1])
    rules = rules_of(listed(plain, "rules"), KnownRules.of_columns(columns), both)
    figures = plain["figures"]
    found = None if figures is None else from_json(PatchFigures, figures)
    check_figures(found)
    return Patch(both, rules, check_inside(plain["inside"]), found)
