"""Deprecated names of `imd_widget.rules.tree_record`."""

from __future__ import annotations

import warnings
from typing import Any

from imd_widget.rules import tree_record

_RENAMED = {"Drawable": "PlottableTree", "DrawnNode": "NodeRecord", "DrawnTree": "TreeRecord"}


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    new = _RENAMED[name]
    warnings.warn(
        f"{name} was renamed: use imd_widget.rules.tree_record.{new}.",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(tree_record, new)
