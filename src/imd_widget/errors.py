"""The one exception of our own: something the user gave cannot be used, and why."""

from __future__ import annotations


class InputError(ValueError):
    """What came, what is accepted, and what to do about it.

    A ``ValueError``, so that code written for scikit-learn catches it too.
    """
