"""``python -m imd_widget`` and the command ``imd-widget``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; its exit code."""
    try:
        # late, so that Ctrl-C is handled while the command line is not yet there to handle it
        from imd_widget.cli import main as run

        return run(arguments)
    except KeyboardInterrupt:
        with suppress(OSError):  # a stderr that is closed or full changes no exit code
            os.write(2, b"imd-widget: error: stopped.\n")
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
