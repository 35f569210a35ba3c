"""Call a model with the whole table or in batches, and check that the table is unchanged.

A model is called with the whole table at once, after a probe of a few rows. Only if the probe takes
so long that the whole table may take `SLOW` seconds is it cut into batches, so that a bar shows
progress; and a call whose cost does not depend on its rows is not made more often for that.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.bars import progress_bar
from imd_widget._base.errors import Argument, InputError, InputWarning, warn
from imd_widget.data.table import Table
from imd_widget.models.coercion import as_array, copied
from imd_widget.models.pace import Pace
from imd_widget.models.text_columns import is_text_pipeline, text_line
from imd_widget.models.trained_columns import table_for, trained_columns, wrapper_hint

#: From this many rows on, the model is first timed on a probe of a few rows.
MANY_ROWS = 1000
#: Size of the probe: this share of the rows, and at most this many.
PROBE_SHARE, PROBE_ROWS = 0.02, 1000
#: Estimated seconds for the whole table from which on a model is called in batches.
SLOW = 5.0
#: Target duration of one batch, in seconds, and largest number of batches after the first.
BATCH_SECONDS, MOST_BATCHES = 1.0, 20
#: The first batch has at least this many times the rows of the probe: two calls of different sizes
#: measure the fixed cost of a call.
FIRST_BATCH = 4
#: Seconds before the bar appears.
BAR_DELAY = 1.0
#: Largest number of rows that are compared to detect a model that changes the table.
WATCHED_ROWS = 10_000


def call_model(
    call: Callable[[Any], Any],
    model: Any,
    name: str,
    table: Table,
    argument: str,
    at_once: bool = False,
) -> Any:
    """Return the unchecked return value of a model for a table.

    A model that was trained on some of the columns is called with these. ``at_once`` calls it with
    the whole table, without a probe: for a model that was called before.
    """
    table = table_for(model, table)
    watched = _Watched.of(table)
    with _noting_model(model, name, table, argument):
        if at_once:
            given = copied(call(table.native))
        else:
            given = _predicted(call, table, f"asking {name}", argument)
    watched.check(table, name, argument)
    return given


def _predicted(call: Callable[[Any], Any], table: Table, title: str, argument: str) -> Any:
    """Call a model with the whole table, or a slow model in batches, with a progress bar.

    Every return value is copied before the next call: a runtime may reuse its output buffer.
    """
    if table.n_rows < MANY_ROWS:
        return copied(call(table.native))
    probe = min(PROBE_ROWS, int(PROBE_SHARE * table.n_rows))
    pace = Pace()
    try:
        with pace.timed(probe):
            first = _probe_outputs(call(table.part(0, probe)), probe)
    except Exception:  # a function may accept the whole table only
        return copied(call(table.native))
    if first is None:
        return copied(call(table.native))
    if pace.rows_within(SLOW) > table.n_rows:
        given = copied(call(table.native))
        if not _begins_with(given, first):
            _warn_of_unstable_outputs(argument)
        return given
    given = _in_batches(call, table, title, probe, pace)
    if given is not None and _begins_with(given, first):
        return given
    _warn_of_unstable_outputs(argument)
    return copied(call(table.native))


def _warn_of_unstable_outputs(argument: str) -> None:
    warn(
        Argument(argument),
        " predicts a row differently when it is called with other rows beside it, or "
        "called again; its outputs for the whole table at once are used. A model should predict "
        "each row by itself, and the same each time.",
    )


def _probe_outputs(given: Any, n_rows: int) -> NDArray[Any] | None:
    """Return a copy of the outputs for the probe; None if there is not one output per row."""
    if given is None or isinstance(given, Iterator) or hasattr(given, "tocsr"):
        return None
    outputs = as_array(copied(given), "")
    return outputs if outputs.ndim and len(outputs) == n_rows else None


def _in_batches(
    call: Callable[[Any], Any], table: Table, title: str, probe: int, pace: Pace
) -> NDArray[Any] | None:
    """Return the concatenated outputs of all batches; None if a batch lacks an output per row."""
    parts: list[NDArray[Any]] = []
    # the first batch is larger than the probe, so that a model whose outputs depend on the other
    # rows of a call is detected
    done, size = 0, max(pace.rows_within(BATCH_SECONDS), FIRST_BATCH * probe)
    options: dict[str, Any] = {"desc": title, "unit": "row", "delay": BAR_DELAY, "leave": False}
    with progress_bar(total=table.n_rows, **options) as bar:
        while done < table.n_rows:
            stop = min(done + size, table.n_rows)
            with pace.timed(stop - done):
                part = as_array(copied(call(table.part(done, stop))), "")
            if part.ndim == 0 or len(part) != stop - done:
                return None
            parts.append(part)
            bar.update(stop - done)
            done = stop
            size = _batch_size(table, done, pace)
    kinds = {part.dtype.kind for part in parts}
    return np.concatenate(parts if len(kinds) == 1 else [part.astype(object) for part in parts])


def _batch_size(table: Table, done: int, pace: Pace) -> int:
    """Return the size of the next batch: about `BATCH_SECONDS`, and the last ones alike."""
    left = table.n_rows - done
    size = max(pace.rows_within(BATCH_SECONDS), -(-table.n_rows // MOST_BATCHES))
    n_batches = max(1, round(left / size))
    return -(-left // n_batches) or 1


def _begins_with(given: Any, start: NDArray[Any]) -> bool:
    """Whether the first outputs equal ``start``; True if ``given`` is not one output per row."""
    try:
        outputs = as_array(given, "")
    except InputError:
        return True  # `as_output` raises the error
    if outputs.ndim == 0 or start.shape != outputs[: len(start)].shape:
        return outputs.ndim == 0 or len(outputs) < len(start)
    outputs = outputs[: len(start)]
    if start.dtype.kind == "f" and outputs.dtype.kind == "f":
        return bool(np.isclose(outputs, start, rtol=1e-4, atol=1e-6, equal_nan=True).all())
    both_missing = pd.isna(outputs) & pd.isna(start)
    return bool(np.all(both_missing | _equal(outputs, start)))


def _equal(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the elementwise equality, where ``pd.NA`` equals nothing."""
    if one.dtype != object and other.dtype != object:
        return np.asarray(one == other)
    pairs = zip(one.ravel().tolist(), other.ravel().tolist(), strict=True)
    return np.array([_is_equal(a, b) for a, b in pairs]).reshape(one.shape)


def _is_equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except (TypeError, ValueError):  # NA, or arrays inside an array
        return False


class TableChangedError(InputError):
    """A model changed the table: whatever is computed after it would be of another table."""


@contextmanager
def _noting_model(model: Any, name: str, table: Table, argument: str) -> Iterator[None]:
    """Add a note with the name of the model to an exception that it raises."""
    try:
        yield
    except (InputError, InputWarning):
        raise
    except Exception as error:
        error.add_note(
            f"imd_widget: {argument} ({name}) raised this error on the table "
            f"of shape {table.n_rows} x {len(table.names)}. Nothing was drawn. "
            f"{_missing_columns(model, table)}{wrapper_hint(model, table, argument)}"
            f"{_text_hint(model, table, argument)}"
            "Check that it predicts this table by itself."
        )
        raise


def _text_hint(model: Any, table: Table, argument: str) -> str:
    if not is_text_pipeline(model):
        return ""
    line = text_line(model, table, argument, "model")
    return f"It takes a list of texts, and several columns of X hold texts. Choose one: {line}. "


def _missing_columns(model: Any, table: Table) -> str:
    wanted = trained_columns(model)
    if wanted is None or isinstance(table.native, np.ndarray):
        return ""
    lacking = [name for name in wanted if name not in table.names]
    if not lacking:
        return ""
    shown = ", ".join(map(repr, lacking[:5])) + (" ..." if len(lacking) > 5 else "")
    return f"X lacks columns that it was fitted with: {shown}. "


@dataclass(frozen=True, eq=False)
class _Watched:
    """A copy of a table, or of every n-th row of a large one, made before a model is called."""

    names: tuple[Hashable, ...]
    columns: pd.Index[Any] | None
    rows: slice
    before: pd.DataFrame | None

    @classmethod
    def of(cls, table: Table) -> _Watched:
        step = -(-table.n_rows // WATCHED_ROWS)
        rows = slice(0, table.n_rows, step)  # pandas cannot index big-endian columns by an array
        columns = table.native.columns if isinstance(table.native, pd.DataFrame) else None
        return cls(table.names, columns, rows, _copied(table, rows))

    def check(self, table: Table, name: str, argument: str) -> None:
        """Raise an error if the table has changed."""
        changed = self._changed(table)
        if changed:
            raise TableChangedError(
                Argument(argument),
                f" ({name}) changed the table in place while it predicted: {changed}. "
                "The other model would get a different table. Load it again, and give the "
                f"model a copy: {argument}=lambda X: model.predict(X.copy()).",
            )

    def _changed(self, table: Table) -> str:
        native = table.native
        if isinstance(native, pd.DataFrame):
            now = tuple(native.columns)
            if not native.columns.equals(self.columns):
                new = [name for name in now if name not in self.names]
                return f"its columns are now {list(now)[:8]!r}" + (f", new: {new!r}" if new else "")
            if len(native) != table.n_rows:
                return f"it has {len(native)} rows, before there were {table.n_rows}"
        after = _copied(table, self.rows)
        if self.before is None or after is None or after.equals(self.before):
            return ""
        if not after.index.equals(self.before.index):
            return "its index has changed"
        for position, column in enumerate(self.names):
            if not after.iloc[:, position].equals(self.before.iloc[:, position]):
                return f"values of column {column!r} have changed"
        return "the types of its columns have changed"


def _copied(table: Table, rows: slice) -> pd.DataFrame | None:
    """Return a copy of some rows of the table; None if the table is immutable."""
    if isinstance(table.native, pd.DataFrame):
        return table.native.iloc[rows].copy(deep=True)
    if isinstance(table.native, np.ndarray):
        return pd.DataFrame(table.native[rows].copy())
    return None
