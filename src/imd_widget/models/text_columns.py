"""Models of texts, such as a pipeline that begins with a TfidfVectorizer: they get one column."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from imd_widget.data.deriving import is_free_text
from imd_widget.data.table import Table, open_table

#: Largest number of nested models that are unwrapped to find the first step.
DEEPEST = 10
#: Maximum number of texts of a column that are looked at.
MOST_TEXTS = 1000
#: Columns of texts that a hint names, beside the first.
MOST_OTHERS = 5
#: The tasks of pipelines of transformers whose outputs are labels of texts.
TEXT_TASKS = ("text-classification", "sentiment-analysis")


def text_columns(table: Table) -> list[int]:
    """Return the positions of the columns that hold texts; those of free text, if there are any."""
    found = {}
    for position in range(len(table.names)):
        column = table.get(position)
        present = column[column.notna()]
        if len(present) and isinstance(present.iloc[0], str):
            found[position] = present.iloc[:MOST_TEXTS]
    free = [
        position
        for position, texts in found.items()
        if is_free_text([text for text in texts.tolist() if isinstance(text, str)])
    ]
    return free or list(found)


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


def is_text_pipeline(model: Any) -> bool:
    """Whether a model is a pipeline of transformers that classifies texts."""
    module = type(model).__module__.partition(".")[0]
    return module == "transformers" and getattr(model, "task", None) in TEXT_TASKS


def with_text_column(call: Callable[[Any], Any], model: Any, table: Table) -> Callable[[Any], Any]:
    """Return ``call`` with the only text column of a table, if the model takes texts.

    A column of free text counts before columns of a few categories.
    """
    listed = is_text_pipeline(model)
    if not (listed or takes_texts(model)):
        return call
    texts = text_columns(table)
    if len(texts) != 1:
        return call

    def call_with_column(native: Any) -> Any:
        column = open_table(native, may_be_empty=True).get(texts[0])
        return [_label(own) for own in call(column.tolist())] if listed else call(column)

    return call_with_column


def _label(output: Any) -> Any:
    """Return the label of an output, or the likeliest one of several."""
    best = max(output, key=lambda one: one["score"]) if isinstance(output, list) else output
    return best["label"]


def text_line(model: Any, table: Table, argument: str, call: str) -> str:
    """Return the line that calls a model with a column of texts of the table.

    Parameters
    ----------
    call : str
        How the model is called, such as "model.predict".
    """
    at = (*text_columns(table), 0)[0]
    array = isinstance(table.native, np.ndarray)
    column = f"X[:, {at}]" if array else f"X[{table.names[at]!r}]"
    if is_text_pipeline(model):
        return f"{argument}=lambda X: [row['label'] for row in {call}(list({column}))]"
    return f"{argument}=lambda X: {call}({column})"


def other_texts(table: Table) -> str:
    """Return which other columns of texts may be meant, as the end of a sentence; may be empty."""
    others = [table.names[at] for at in text_columns(table)[1:]]
    if not others:
        return ""
    listed = ", ".join(map(repr, others[:MOST_OTHERS]))
    return f", or another column of texts: {listed}{', ...' if others[MOST_OTHERS:] else ''}"
