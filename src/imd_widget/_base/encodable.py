"""Text that can be encoded as UTF-8: lone surrogates, as in broken file names, are escaped."""

from __future__ import annotations

import json
from typing import Any


def encodable_text(text: str) -> str:
    r"""Return the text with each lone surrogate replaced by its escape, ``\ud800``."""
    if text.isascii():
        return text
    return text.encode("utf-8", errors="backslashreplace").decode("utf-8")


def encodable(plain: Any) -> Any:
    """JSON values in which every text can be encoded.

    Jupyter does not send a message that contains a lone surrogate.
    """
    try:
        json.dumps(plain, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return _replaced(plain)
    return plain


def _replaced(plain: Any) -> Any:
    if isinstance(plain, str):
        return encodable_text(plain)
    if isinstance(plain, dict):
        return {_replaced(key): _replaced(value) for key, value in plain.items()}
    return [_replaced(value) for value in plain] if isinstance(plain, list) else plain
