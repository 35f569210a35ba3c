"""Read the labels of rows: a CSV file that comes back from a labeller, a table or a mapping."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from imd_widget._base.errors import Argument, InputError, InPython, Quoted, Setting
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.deciding.sampling import LABEL, ROW
from imd_widget.rules.languages import value_text

#: Most rows and labels that a message names.
MOST_NAMED = 5


def read_labels(
    diff: ModelDiff, labels: Any, other_labels: Collection[Hashable] = ()
) -> dict[int, Any]:
    """Return labels by the position of their row in the table, checked.

    Parameters
    ----------
    diff : ModelDiff
    labels : str, Path, DataFrame, Series or mapping
    other_labels : collection of labels
        Labels that no model predicts.
    """
    pairs = list(_pairs(labels))
    if not pairs:
        raise InputError(Argument("labels"), " holds no row.")
    numbers = [_number(row, diff.table.n_rows) for row, _ in pairs]
    missing = [row for row, (_, label) in zip(numbers, pairs, strict=True) if _is_missing(label)]
    if missing:
        raise InputError(
            Argument("labels"),
            f" has no label for {len(missing)} of {len(pairs)} rows: {_rows(missing)}. Fill them "
            "in, or delete the lines of rows that nobody can label. These then count like the "
            "other rows of their stratum.",
        )
    found: dict[int, Any] = {}
    for row, (_, label) in zip(numbers, pairs, strict=True):
        if row in found:
            raise InputError(
                Argument("labels"),
                f" has row {row} twice, with the labels ",
                Quoted(value_text(found[row]), value_text(label)),
                ". Keep one line per row.",
            )
        found[row] = label
    return _known(diff, found, other_labels)


def _pairs(labels: Any) -> Iterable[tuple[Any, Any]]:
    """Return rows and labels as they are given."""
    if isinstance(labels, str | Path):
        path = Path(labels)
        try:
            labels = pd.read_csv(path, dtype=str, keep_default_na=False)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(Quoted(path.name), f" cannot be read: {reason}.") from error
    if isinstance(labels, Mapping):
        return labels.items()
    if isinstance(labels, pd.Series):
        return zip(labels.index.tolist(), labels.tolist(), strict=True)
    names = [str(name) for name in getattr(labels, "columns", ())]
    if ROW in names and LABEL in names:
        return zip(list(labels[ROW]), list(labels[LABEL]), strict=True)
    came = f"has the columns {', '.join(names[:8])}" if names else f"is {type(labels).__name__}"
    raise InputError(
        Argument("labels"),
        f' {came}: expected the table or .csv file of d.to_label with its columns "{ROW}" and '
        f'"{LABEL}"',
        InPython(", or labels by the position of their row, such as {17: 'yes'}"),
        ".",
    )


def _number(row: Any, n_rows: int) -> int:
    try:
        number = float(row)
    except (TypeError, ValueError):
        number = math.nan
    if not number.is_integer() or not 0 <= number < n_rows:
        raise InputError(
            Argument("labels"),
            " has the row ",
            Quoted(str(row)),
            f": the position of a row in the table is a whole number from 0 to {n_rows - 1}.",
        )
    return int(number)


def _is_missing(label: Any) -> bool:
    return label is None or label is pd.NA or label != label or str(label).strip() == ""


def _rows(numbers: list[int]) -> str:
    more = len(numbers) - MOST_NAMED
    named = ", ".join(f"row {number}" for number in numbers[:MOST_NAMED])
    return f"{named} and {more} more" if more > 0 else named


def _known(
    diff: ModelDiff, labels: dict[int, Any], other_labels: Collection[Hashable]
) -> dict[int, Any]:
    """Return the labels as the models spell them."""
    if not diff.labels:
        return _numbers(labels)
    known = {value_text(label): label for label in (*diff.labels, *other_labels)}
    known |= dict(zip(diff.class_names, diff.labels, strict=True))
    found: dict[int, Any] = {}
    for row, label in labels.items():
        text = value_text(label).strip()
        if text not in known:
            raise InputError(
                Argument("labels"),
                " has the label ",
                Quoted(text),
                f" for row {row}, which no model predicts: they predict ",
                Quoted(*[value_text(one) for one in diff.labels[: 2 * MOST_NAMED]]),
                ". Correct the spelling, or declare it as a label of its own: ",
                Setting("other_labels", text),
                ".",
            )
        found[row] = known[text]
    return found


def _numbers(labels: dict[int, Any]) -> dict[int, Any]:
    """Return labels as numbers, if all of them are."""
    try:
        return {row: float(label) for row, label in labels.items()}
    except (TypeError, ValueError):
        return labels
