"""How many examples a property test draws."""

from __future__ import annotations

import os

IN_CI = os.environ.get("CI") == "true"


def examples(n: int) -> int:
    """Return the number of examples: half of ``n`` with CI=true, which always draws the same."""
    return max(1, n // 2) if IN_CI else n
