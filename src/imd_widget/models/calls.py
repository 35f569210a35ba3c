"""Calls in batches of a fixed size, and functions that return coroutines or dicts."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from imd_widget._base.errors import Argument, InputError
from imd_widget.data.table import open_table
from imd_widget.models.coercion import as_array, copied

#: Methods that are called with a table.
METHODS = ("predict", "predict_proba")


class Batched:
    """A model that is called with at most ``size`` rows at a time, as a service wants it.

    Everything but its methods for a table is that of the model.
    """

    def __init__(self, model: Any, size: int, argument: str) -> None:
        self.model, self.size, self.argument = model, size, argument

    def __getattr__(self, name: str) -> Any:
        if name in ("model", "size", "argument") or name.startswith("__"):
            raise AttributeError(name)
        value = getattr(self.model, name)
        return self._call(value, name == "predict_proba") if name in METHODS else value

    def __call__(self, table: Any) -> Any:
        """Call the model, a function, with a table."""
        return self._call(self.model)(table)

    def _call(self, function: Callable[[Any], Any], proba: bool = False) -> Callable[[Any], Any]:
        def call(native: Any) -> Any:
            table = open_table(native, may_be_empty=True)
            if table.n_rows <= self.size:
                return resolved(function(native))
            parts = []
            for start in range(0, table.n_rows, self.size):
                stop = min(start + self.size, table.n_rows)
                part = copied(resolved(function(table.part(start, stop))))
                parts.append(one_per_row(part, stop - start, self.argument, proba))
            return _joined(parts)

        return call


def unbatched(model: Any) -> Any:
    """Return the model that `Batched` holds; any other unchanged."""
    return model.model if isinstance(model, Batched) else model


def _joined(parts: list[Any]) -> Any:
    """The outputs of all batches."""
    if all(isinstance(part, list) for part in parts):
        return [one for part in parts for one in part]
    arrays = [as_array(part, "") for part in parts]
    same = len({array.dtype.kind for array in arrays}) == 1
    return np.concatenate(arrays if same else [array.astype(object) for array in arrays])


def resolved(given: Any) -> Any:
    """Return what a coroutine returns; anything else unchanged."""
    if not inspect.isawaitable(given):
        return given

    async def wait() -> Any:
        return await given

    # a thread of its own, because a notebook has an event loop that runs
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, wait()).result()


def one_per_row(given: Any, n_rows: int, argument: str, proba: bool = False) -> Any:
    """Return the outputs in a dict, or in a list of dicts, that a service returned.

    A dict with one entry for each row under one key is taken; of several keys, none is. With
    ``proba``, keys are the classes of probabilities.
    """
    if isinstance(given, Mapping) and not hasattr(given, "__array__"):
        per_row = [key for key, values in given.items() if _length(values) == n_rows]
        if proba and len(per_row) > 1 and all(map(_are_numbers, map(given.get, per_row))):
            rows = zip(*(given[key] for key in per_row), strict=True)
            return [dict(zip(per_row, row, strict=True)) for row in rows]
        if len(per_row) == 1:
            return given[per_row[0]]
        shown = ", ".join(repr(key) for key in list(given)[:8])
        key = (*per_row, *given, "label")[0]
        raise InputError(
            Argument(argument),
            f" gave a dict with the keys {shown or '(none)'}: one output for each row is needed.",
            hint=f"Pick one of them: {argument}=lambda X: model(X)[{key!r}].",
        )
    is_listed = isinstance(given, list) and len(given) == n_rows and n_rows > 0
    if is_listed and not proba and all(isinstance(row, Mapping) for row in given):
        keys = [key for key in given[0] if all(key in row for row in given)]
        if len(keys) == 1:
            return [row[keys[0]] for row in given]
        raise InputError(
            Argument(argument),
            f" gave a dict for each row, with the keys {', '.join(map(repr, list(given[0])[:8]))}: "
            "one output for each row is needed.",
            hint=f"Pick one of them: {argument}=lambda X: "
            f"[row[{(*keys, 'label')[0]!r}] for row in model(X)].",
        )
    return given


def _are_numbers(values: Any) -> bool:
    return as_array(values, "").dtype.kind in "fiub"


def _length(values: Any) -> int | None:
    is_text = isinstance(values, str | bytes)
    return None if is_text or not hasattr(values, "__len__") else len(values)
