"""The files of the built front-end."""

from __future__ import annotations

from pathlib import Path

STATIC = Path(__file__).parents[1] / "static"


def static_text(name: str) -> str:
    """Return the text of a built file."""
    path = STATIC / name
    if not path.is_file():
        raise FileNotFoundError(
            f"{name} of the front-end is missing. In a source tree build it with 'make build'; "
            "otherwise install the package again with 'pip install --force-reinstall imd-widget'."
        )
    return path.read_text(encoding="utf-8")
