"""Functions of upper layers that methods of lower ones call, such as ``show``.

``d.show()`` draws a widget, and the package of the widget is built on that of the diff. The method
calls the function by its name here, and `imd_widget` registers where it is. So imports run one way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from imd_widget._base.optional import importing

_MODULES: dict[str, str] = {}


def register(modules: Mapping[str, str]) -> None:
    """Register the module of each function, by the name of the function."""
    _MODULES.update(modules)


def verb(name: str) -> Callable[..., Any]:
    """Return the function that is registered under this name; its module is imported now."""
    with importing(f"{name}()"):
        function: Callable[..., Any] = getattr(import_module(_MODULES[name]), name)
    return function
