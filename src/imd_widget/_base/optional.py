"""Libraries that come with an extra of the package, imported when they are needed."""

from __future__ import annotations

import importlib
from typing import Any

from imd_widget._base.errors import InputError


def needed(module: str, extra: str, why: str) -> Any:
    """Import a module; InputError with the line to type if it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"{why}, which is not installed: pip install 'imd-widget[{extra}]'"
        ) from error
