"""Shares of rows that are given as text."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any


def read_percent(text: str) -> float | None:
    """Return a percentage as a share; None if the text is none.

    Examples
    --------
    >>> read_percent("0.7 %"), read_percent("0.7")
    (0.007, None)
    """
    given = text.strip()
    if not given.endswith("%"):
        return None
    try:
        # decimal arithmetic: 0.7 / 100 in floats is not 0.007
        return float(Decimal(given[:-1].strip()) / 100)
    except InvalidOperation:
        return None


def read_share(share: Any) -> Any:
    """Return a share that was given as a percentage, as a number; anything else as it is."""
    read = read_percent(share) if isinstance(share, str) else None
    return share if read is None else read
