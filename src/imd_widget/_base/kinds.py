"""The kinds of output that can be compared."""

from __future__ import annotations

from typing import Literal

OutputKind = Literal["class", "proba", "value"]
#: What the user may ask for; "auto" chooses a kind from the outputs.
OutputChoice = Literal["auto", OutputKind]
