"""Text that can be written as UTF-8: half a letter, as broken file names have, is written out."""

from __future__ import annotations

import json
from typing import Any


def encodable_text(text: str) -> str:
    r"""The text, with each lone surrogate as its escape, ``\ud800``."""
    if text.isascii():
        return text
    return text.encode("utf-8", errors="backslashreplace").decode("utf-8")


def encodable(plain: Any) -> Any:
    """Plain values, as JSON knows them, in which every text can be written.

    A message to the front-end with half a letter in it would not be sent at all.
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
