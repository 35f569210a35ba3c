"""Models of texts, such as a pipeline that begins with a TfidfVectorizer: they get one column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from imd_widget.data.table import Table, open_table

#: Largest number of nested models that are unwrapped to find the first step.
DEEPEST = 10


def text_columns(table: Table) -> list[int]:
    """Return the positions of the columns that hold texts, by their first value."""
    found = []
    for position in range(len(table.names)):
        column = table.get(position)
        present = column[column.notna()]
        if len(present) and isinstance(present.iloc[0], str):
            found.append(position)
    return found


def takes_texts(model: Any) -> bool:
    """Whether the first step of a model is one of scikit-learn's vectorizers of texts."""
    step = getattr(model, "__self__", model)  # a bound method such as model.predict
    for _ in range(DEEPEST):
        steps = getattr(step, "steps", None)
        if isinstance(steps, list) and steps:
            real = [own for _, own in steps if own not in (None, "passthrough")]
            step = real[0] if real else None
        elif hasattr(step, "best_estimator_"):
            step = step.best_estimator_
        else:
            break
    # the method with which all of them cut texts into words
    return hasattr(type(step), "build_analyzer")


def with_text_column(call: Callable[[Any], Any], model: Any, table: Table) -> Callable[[Any], Any]:
    """Return ``call`` with the only text column of a table, if the model takes texts."""
    if not takes_texts(model):
        return call
    texts = text_columns(table)
    if len(texts) != 1:
        return call

    def call_with_column(native: Any) -> Any:
        return call(open_table(native, may_be_empty=True).get(texts[0]))

    return call_with_column
