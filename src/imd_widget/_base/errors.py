"""What the user is told when something that was given cannot be used, or only with a remark."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parents[1])


class InputError(ValueError):
    """What came, what is accepted, and what to do about it.

    A ``ValueError``, so that code written for scikit-learn catches it too.
    """

    # a traceback names it as the user does
    __module__ = "imd_widget"


class InputWarning(UserWarning):
    """Something that was given is used, but perhaps not as it was meant."""

    __module__ = "imd_widget"


def warn(message: str) -> None:
    """Warn the user, at the line of their own code from which the package was called."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, InputWarning, stacklevel=level)
