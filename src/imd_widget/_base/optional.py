"""Libraries that are imported when they are needed, and may not be installed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
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


#: Libraries that not every task needs, by the name of the module: what pip calls them.
_PACKAGES = {
    "anywidget": "anywidget",
    "IPython": "ipython",
    "ipywidgets": "ipywidgets",
    "matplotlib": "matplotlib",
    "PIL": "pillow",
    "sklearn": "scikit-learn",
    "traitlets": "anywidget",
}


@contextmanager
def importing(what: str) -> Iterator[None]:
    """Turn the error of an import into an InputError with the line to type.

    ``what`` is the task that needs the library, such as "drawing".
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = _PACKAGES.get((error.name or "").split(".")[0])
        if package is None:
            raise
        raise InputError(
            f"{what} needs {package}, which is not installed: pip install {package}"
        ) from error


def check_drawing() -> None:
    """Raise an InputError if matplotlib is not installed; it is not imported, which takes long."""
    with importing("drawing"):
        if find_spec("matplotlib") is None:
            raise ModuleNotFoundError(name="matplotlib")
