"""The kinds of output that can be compared."""

from __future__ import annotations

from typing import Literal

OutputKind = Literal["class", "proba", "value"]
