"""`track`: the same rules over several periods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from imd_widget._base.errors import Argument, InputError, Quoted
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.remeasuring import Remeasured, adjusted, changes_of
from imd_widget.comparison.track import Track


def track(periods: Any, *, pos_label: Any = None) -> Track:
    """Measure the rules of the first period in all later ones.

    Parameters
    ----------
    periods : mapping of str to ModelDiff or tuple
        In the order of time. The first value is a diff, whose rules are measured; it may come from
        a file. The others are diffs with rows, or tuples ``(m1, m2, X)`` or ``(m1, m2, X, y)`` as
        for `imd_widget.ModelDiff.measure`.
    pos_label : label, optional
        For probabilities: the class, as in `imd_widget.ModelDiff.measure`.

    Returns
    -------
    Track

    Examples
    --------
    >>> import numpy as np
    >>> import imd_widget as imd
    >>> X = np.arange(400).reshape(400, 1)
    >>> old, new, later = (X[:, 0] < limit for limit in (160, 240, 200))
    >>> d = imd.diff(old, new, X)
    >>> week = imd.track({"Monday": d, "Tuesday": (old, new, X), "Friday": (old, later, X)})
    >>> print(week)
    Friday: rule 0: x0 is 159 to 240: 94.0 % of 82 rows differed, 48.8 % of 82 rows differ (changed)
    Friday: all rows: 20.0 % of 400 rows differed, 10.0 % of 400 rows differ (changed)
    >>> week.shrank
    ('rule 0', 'all rows')
    """
    if not isinstance(periods, Mapping) or len(periods) < 2:
        raise InputError(
            Argument("periods"),
            ' takes a dict of two periods or more: {"October": d, "November": (m1, m2, X, y)}.',
        )
    (first, reference), *later = ((str(name), value) for name, value in periods.items())
    if not isinstance(reference, ModelDiff):
        raise InputError(
            "the first period, ",
            Quoted(first),
            ", is no diff: its rules are measured in the others. Pass imd.diff(m1, m2, X) there.",
        )
    found = [
        changes_of(reference, *_data(name, value), y=_truth(value), pos_label=pos_label)
        for name, value in later
    ]
    # alarms are controlled over all regions and periods
    every = iter(adjusted([change for changes in found for change in changes]))
    measured = tuple(
        Remeasured(reference.names, tuple(next(every) for _ in changes)) for changes in found
    )
    return Track(reference.names, (first, *(name for name, _ in later)), measured)


def _data(name: str, value: Any) -> tuple[Any, Any, Any]:
    """Return both models, or their outputs, and the table of a period."""
    if isinstance(value, ModelDiff):
        both = value.predictions
        return both.iloc[:, 0].to_numpy(), both.iloc[:, 1].to_numpy(), value.table.native
    if isinstance(value, tuple) and len(value) in (3, 4):
        return value[0], value[1], value[2]
    raise InputError(
        "the period ",
        Quoted(name),
        f" is {type(value).__name__}: pass a diff, or a tuple (m1, m2, X) or (m1, m2, X, y).",
    )


def _truth(value: Any) -> Any:
    if isinstance(value, ModelDiff):
        return value.truth
    return value[3] if len(value) == 4 else None
