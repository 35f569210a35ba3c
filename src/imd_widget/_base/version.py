"""The version of the installed package, as pyproject.toml has it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("imd-widget")
except PackageNotFoundError:  # imported from a source tree that is not installed
    __version__ = "0+unknown"
