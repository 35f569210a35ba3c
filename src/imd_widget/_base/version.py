"""The version of the package, which pyproject.toml alone says."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("imd-widget")
except PackageNotFoundError:  # read from a source tree that was never installed
    __version__ = "0+unknown"
