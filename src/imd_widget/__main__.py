"""``python -m imd_widget`` and the command ``imd-widget``."""

from __future__ import annotations

from imd_widget.command_line import main

__all__ = ["main"]

if __name__ == "__main__":
    raise SystemExit(main())
