"""`track`: the same rules over several periods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from imd_widget._base.errors import Argument, InputError, Quoted, Setting
from imd_widget._base.verbs import verb
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.remeasuring import Remeasured, adjusted, changes_of
from imd_widget.comparison.track import Track


def track(periods: Any, *, pos_label: Any = None) -> Track:
    """Measure the rules of the first period in all later ones.

    Parameters
    ----------
    periods : mapping of str to ModelDiff or tuple, or sequence of ModelDiff
        In the order of time. The first value is a diff, or the file of one, whose rules are
        measured. The others are diffs with rows, or tuples ``(m1, m2, X)`` or ``(m1, m2, X, y)`` as
        for `imd_widget.ModelDiff.measure`. A list of diffs is put in the order in which they were
        made, and named after their tag "period" or their date.
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
    Friday: rule 0: x0 is 159 to 240: 94.0 % of the 83 rows not used to find it differed, 48.8 %
    of 82 rows differ (changed)
    Friday: all rows: 20.0 % of 400 rows differed, 10.0 % of 400 rows differ (changed)
    >>> week.shrank
    ('rule 0', 'all rows')
    """
    if isinstance(periods, list | tuple):
        periods = _named(periods)
    if not isinstance(periods, Mapping) or len(periods) < 2:
        raise InputError(
            Argument("periods"),
            ' takes a dict with at least two periods: {"October": d, "November": (m1, m2, X, y)}.',
        )
    (first, reference), *later = ((str(name), value) for name, value in periods.items())
    if isinstance(reference, str | PathLike):
        reference = verb("load")(reference)
    if not isinstance(reference, ModelDiff):
        raise InputError(
            "the first period, ",
            Quoted(first),
            ", is not a diff, and its rules are measured in the others: pass imd.diff(m1, m2, X).",
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
    names = (first, *(name for name, _ in later))
    return Track(reference.names, names, measured, reference.origin)


def _named(diffs: Sequence[Any]) -> dict[str, ModelDiff]:
    """Return diffs in the order in which they were made, by their tag "period" or their date."""
    for diff in diffs:
        if not isinstance(diff, ModelDiff) or diff.origin is None:
            raise InputError(
                Argument("periods"),
                " is a list, which takes diffs that hold when they were made. Pass a dict from "
                'names to diffs or data: {"October": d, "November": (m1, m2, X, y)}.',
            )
    ordered = sorted(diffs, key=lambda diff: diff.origin.when)
    names = [diff.origin.tags.get("period", diff.origin.date) for diff in ordered]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(
            "two periods are called ",
            Quoted(*twice[:3]),
            ": diffs of one day need a tag, ",
            Setting("tags", {"period": "October"}),
            ". Or pass a dict from names to diffs.",
        )
    return dict(zip(names, ordered, strict=True))


def _data(name: str, value: Any) -> tuple[Any, Any, Any]:
    """Return both models, or their outputs, and the table of a period."""
    if isinstance(value, ModelDiff) and not value.has_rows:
        raise InputError(
            "the period ",
            Quoted(name),
            " is a diff from a file, which holds no rows: only the first period can be one. Pass "
            "the diff that was made from the rows, or (m1, m2, X, y).",
        )
    if isinstance(value, ModelDiff):
        if not value.rows.dataset.in_memory:
            raise InputError(
                "the period ",
                Quoted(name),
                " is a diff of a table that is read in partitions: pass (m1, m2, X, y) instead.",
            )
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
