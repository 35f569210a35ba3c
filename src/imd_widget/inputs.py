"""A model asked for its outputs: once, as the user gave the table, and what it gave is checked."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.errors import InputError, InputWarning, warn
from imd_widget.labels import is_several
from imd_widget.outputs import OutputKind
from imd_widget.table import Table

#: From this many rows on, a few are asked first to see how long all of them will take.
MANY_ROWS = 1000
#: Rows that are asked first: this share of them, and never more than so many.
PROBE_SHARE, PROBE_ROWS = 0.02, 1000
#: A model that would take longer than this for the whole table is asked in batches, in seconds.
SLOW = 1.0
#: What a batch should take.
BATCH_SECONDS = 0.5
#: Rows that are looked at to see whether a model changed the table.
WATCHED_ROWS = 10_000

_ACCEPTED = (
    "A model is anything with a predict method, a function of the table, or an array of outputs "
    "that you already have."
)


@dataclass(frozen=True, eq=False)
class Said:
    """What one model said about every row.

    Attributes
    ----------
    values : ndarray of shape (n_rows,) or, of probabilities, (n_rows, n_classes)
    argument : str
        What the user knows the model by: "m1" or "m2".
    classes : tuple or None
        The classes that probabilities are of, where the model says so.
    regressor, classifier : bool
        Whether the model says of itself that it gives values, or classes.
    n_new : int
        How many of the last rows were made up.
    """

    values: NDArray[Any]
    argument: str
    classes: tuple[Hashable, ...] | None = None
    regressor: bool = False
    classifier: bool = False
    n_new: int = 0

    @property
    def n_own(self) -> int:
        """Rows that are the user's own, and not new."""
        return len(self.values) - self.n_new

    def and_then(self, more: Said, is_new: bool) -> Said:
        """The same model's outputs for more rows."""
        same = self.values.dtype.kind == more.values.dtype.kind
        parts = [one.values if same else one.values.astype(object) for one in (self, more)]
        n_new = self.n_new + (len(more.values) if is_new else 0)
        return replace(self, values=np.concatenate(parts), n_new=n_new)


def can_be_asked(model: Any) -> bool:
    """Whether a model can say something about rows that it was not given."""
    return callable(getattr(model, "predict", model))


def ask(model: Any, table: Table, argument: str, outputs: OutputKind | str = "auto") -> Said:
    """Outputs of one model for every row of a table.

    ``argument`` is what the user knows the model by: "m1" or "m2". With ``outputs="proba"`` the
    model is asked for probabilities, if it can be asked for them.
    """
    if isinstance(model, type):
        raise InputError(
            f"{argument} is the class {model.__name__}, not a model made from it. "
            f"Fit one first and pass that: {argument}={model.__name__}().fit(X, y)."
        )
    call = _call(model, argument, outputs)
    if call is None:
        given = _given(model, table, argument)
    else:
        name = _own_name(model, "a function")
        watched = _Watched.of(table)
        with _telling(model, name, table, argument):
            given = _asked(call, table, f"asking {name}", argument)
        watched.check(table, name, argument)
    classes = _classes_of(model)
    if outputs == "proba" and _are_dicts(given):
        frame = pd.DataFrame(list(given))  # one probability a class and row, as ONNX gives them
        given, classes = frame.to_numpy(), tuple(frame.columns.tolist())
    return Said(
        as_output(given, table.n_rows, argument, outputs),
        argument,
        classes,
        regressor=_says_it_is(model, "regressor"),
        classifier=_says_it_is(model, "classifier"),
    )


def _are_dicts(given: Any) -> bool:
    listed = isinstance(given, list) or (isinstance(given, np.ndarray) and given.dtype == object)
    return listed and len(given) > 0 and all(isinstance(value, dict) for value in given)


def _call(model: Any, argument: str, outputs: str) -> Callable[[Any], Any] | None:
    """What to call with a table; None where the outputs are there already."""
    if outputs == "proba" and hasattr(model, "predict_proba"):
        return model.predict_proba  # type: ignore[no-any-return]
    call = getattr(model, "predict", model)
    if not callable(call):
        return None
    if outputs == "proba" and hasattr(model, "predict") and _says_it_is(model, "classifier"):
        raise InputError(
            f"{argument} ({type(model).__name__}) has no predict_proba, so its probabilities "
            "cannot be compared. Calibrate it with sklearn.calibration.CalibratedClassifierCV, "
            'pass a function that gives probabilities, or compare the classes: outputs="class".'
        )
    return call  # type: ignore[no-any-return]


def _given(model: Any, table: Table, argument: str) -> Any:
    """Outputs that the user already has."""
    if hasattr(model, "__array__") or isinstance(model, list | tuple):
        return model
    if isinstance(model, str):
        hint = ""
        if model in table.place:
            hint = f" To compare a column of X, pass it: {argument}=X[{model!r}]."
        raise InputError(f"{argument} is the text {model!r}. {_ACCEPTED}{hint}")
    hint = f" Turn it into a list first: list({argument})." if isinstance(model, Iterator) else ""
    if hasattr(model, "tocsr"):
        hint = f" A sparse matrix must be made dense: {argument}.toarray()."
    raise InputError(f"{argument} is {_a(type(model).__name__)}. {_ACCEPTED}{hint}")


def _a(name: str) -> str:
    return f"an {name}" if name[:1] in "aeiouAEIOU" else f"a {name}"


# --- asking ---------------------------------------------------------------------------------------


def _asked(call: Callable[[Any], Any], table: Table, title: str, argument: str) -> Any:
    """All outputs at once; from a slow model in batches, with a bar that shows how far it is."""
    if table.n_rows < MANY_ROWS:
        return call(table.native)
    probe = min(PROBE_ROWS, int(PROBE_SHARE * table.n_rows))
    start = time.perf_counter()
    try:
        first = call(table.part(0, probe))
    except Exception:  # it may know the whole table only
        return call(table.native)
    seconds = time.perf_counter() - start
    if not _answers(first, probe):
        return call(table.native)
    if seconds * table.n_rows / probe < SLOW:
        given = call(table.native)
        if not _begins_with(given, first):
            _warn_of_other_answers(argument)
        return given
    given = _in_batches(call, table, title, probe, seconds)
    if given is not None and _begins_with(given, first):
        return given
    _warn_of_other_answers(argument)
    return call(table.native)


def _warn_of_other_answers(argument: str) -> None:
    warn(
        f"{argument} answers a row differently when it is asked about other rows beside it, or "
        "asked again; its answers for the whole table at once are used. A model should answer each "
        "row by itself, and the same each time."
    )


def _answers(given: Any, n_rows: int) -> bool:
    """Whether this is one answer for each row."""
    if given is None or isinstance(given, Iterator) or not hasattr(given, "__len__"):
        return False
    return len(given) == n_rows


def _in_batches(
    call: Callable[[Any], Any], table: Table, title: str, probe: int, seconds: float
) -> NDArray[Any] | None:
    """The outputs of batch after batch; None where they cannot be put together."""
    from tqdm.auto import tqdm

    parts: list[NDArray[Any]] = []
    done, size = 0, max(1, int(BATCH_SECONDS * probe / max(seconds, 1e-9)), probe)
    with tqdm(total=table.n_rows, desc=title, unit="row", delay=SLOW, leave=False) as bar:
        while done < table.n_rows:
            stop = min(done + size, table.n_rows)
            start = time.perf_counter()
            part = _as_array(call(table.part(done, stop)), "")
            took = max(time.perf_counter() - start, 1e-9)
            if part.ndim == 0 or len(part) != stop - done:
                return None
            parts.append(part)
            bar.update(stop - done)
            size = min(max(int((stop - done) * BATCH_SECONDS / took), 1), 2 * size)
            done = stop
    kinds = {part.dtype.kind for part in parts}
    return np.concatenate(parts if len(kinds) == 1 else [part.astype(object) for part in parts])


def _begins_with(given: Any, first: Any) -> bool:
    if not hasattr(given, "__len__"):
        return True  # of no use, as will be said
    start, given = _as_array(first, ""), _as_array(given, "")
    if start.ndim == 0 or start.shape != given[: len(start)].shape:
        return False
    if start.dtype.kind == "f" and given.dtype.kind == "f":
        near = np.isclose(given[: len(start)], start, rtol=1e-4, atol=1e-6, equal_nan=True)
        return bool(near.all())
    return bool((given[: len(start)] == start).all())


class _telling:
    """Says of an exception which model raised it; its own type and traceback stay."""

    def __init__(self, model: Any, name: str, table: Table, argument: str) -> None:
        self._model, self._name, self._table, self._argument = model, name, table, argument

    def __enter__(self) -> None:
        return None

    def __exit__(self, _: Any, error: BaseException | None, __: Any) -> None:
        if not isinstance(error, Exception) or isinstance(error, InputError | InputWarning):
            return
        error.add_note(
            f"imd_widget: {self._argument} ({self._name}) raised this when it was asked to predict "
            f"the table of shape {self._table.n_rows} x {len(self._table.names)}. Nothing was "
            f"drawn. {_missing_columns(self._model, self._table)}"
            "Check that it predicts this table by itself."
        )


def _missing_columns(model: Any, table: Table) -> str:
    wanted = getattr(model, "feature_names_in_", None)
    if wanted is None or isinstance(table.native, np.ndarray):
        return ""
    lacking = [name for name in wanted if name not in table.names]
    if not lacking:
        return ""
    shown = ", ".join(map(repr, lacking[:5])) + (" ..." if len(lacking) > 5 else "")
    return f"X lacks columns that it was fitted with: {shown}. "


@dataclass(frozen=True, eq=False)
class _Watched:
    """A table as it was before a model saw it: all of it, or a part of a large one."""

    names: tuple[Hashable, ...]
    columns: pd.Index[Any] | None
    rows: NDArray[np.intp]
    before: pd.DataFrame | None

    @classmethod
    def of(cls, table: Table) -> _Watched:
        step = -(-table.n_rows // WATCHED_ROWS)
        rows = np.arange(0, table.n_rows, step)
        columns = table.native.columns if isinstance(table.native, pd.DataFrame) else None
        return cls(table.names, columns, rows, _copied(table, rows))

    def check(self, table: Table, name: str, argument: str) -> None:
        """Complain if the table is no longer what it was."""
        changed = self._changed(table)
        if changed:
            raise InputError(
                f"{argument} ({name}) changed the table in place while it predicted: {changed}. "
                "The other model would be asked about another table. Load it again, and give the "
                f"model a copy: {argument}=lambda X: model.predict(X.copy())."
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
        for at, column in enumerate(self.names):
            if not after.iloc[:, at].equals(self.before.iloc[:, at]):
                return f"values of column {column!r} are others than before"
        return "its index is another one"


def _copied(table: Table, rows: NDArray[np.intp]) -> pd.DataFrame | None:
    """Some rows of the table; None where no model could change it."""
    if isinstance(table.native, pd.DataFrame):
        return table.native.iloc[rows].copy(deep=True)
    if isinstance(table.native, np.ndarray):
        return pd.DataFrame(table.native[rows].copy())
    return None


# --- what came ------------------------------------------------------------------------------------


def as_output(given: Any, n_rows: int, argument: str, outputs: str = "class") -> NDArray[Any]:
    """One output for each row, as an array; of probabilities perhaps one for each class."""
    if "y" in argument and (isinstance(given, str) or callable(given)):
        raise InputError(
            f"{argument} is {given!r}: one true output for each row is needed, as an array. A "
            "column of X? y=X['name']."
        )
    if given is None:
        raise InputError(f"{argument} gave None: its predict must return one output for each row.")
    if isinstance(given, Iterator):
        raise InputError(
            f"{argument} gave {_a(type(given).__name__)}, which can be read only once: return a "
            "list or an array, for example np.array(list(outputs))."
        )
    if hasattr(given, "tocsr"):
        raise InputError(
            f"{argument} gave a sparse matrix: one output for each row is needed, as an array. "
            "Several outputs? Compare one at a time: model.predict(X)[:, 0].toarray().ravel()."
        )
    if isinstance(given, list) and given and all(_is_matrix(part) for part in given):
        raise InputError(_several_text(argument, (n_rows, len(given)), outputs))
    output = _as_array(given, argument)
    if output.ndim == 2 and output.shape[1] == 1:
        output = output[:, 0]
    if output.ndim == 0 or output.ndim > 2 or (output.ndim == 2 and outputs != "proba"):
        looks = output.ndim == 2 and _looks_like_probabilities(output)
        raise InputError(_several_text(argument, output.shape, "looks" if looks else outputs))
    if len(output) != n_rows:
        if "y" in argument:
            raise InputError(
                f"{argument} has {len(output)} entries, its table has {n_rows} rows: one for each "
                "row is needed, in the same order."
            )
        raise InputError(
            f"{argument} gave {len(output)} outputs for {n_rows} rows: one for each row of X is "
            "needed, in the same order."
        )
    return output


def _several_text(argument: str, shape: tuple[int, ...], outputs: str) -> str:
    start = f"{argument} gave an array of shape {tuple(shape)}: one output for each row is needed. "
    if "y" in argument:
        return f"{argument} has the shape {tuple(shape)}: one true output for each row is needed."
    if outputs == "looks":
        return start + (
            'These look like probabilities: compare them with outputs="proba", or their most '
            f"likely class with {argument}=lambda X: model.predict(X).argmax(axis=1)."
        )
    return start + (
        "A model with several outputs is compared one output at a time: "
        f"{argument}=lambda X: model.predict(X)[:, 0]. Are these probabilities? Then pick the "
        f"class: {argument}=lambda X: model.predict_proba(X).argmax(axis=1), or use "
        'outputs="proba".'
    )


def _is_matrix(value: Any) -> bool:
    return hasattr(value, "ndim") and value.ndim == 2


def _looks_like_probabilities(output: NDArray[Any]) -> bool:
    if output.dtype.kind != "f" or not len(output):
        return False
    inside = ((output >= 0) & (output <= 1)).all()
    return bool(inside and np.allclose(output.sum(axis=1), 1, atol=1e-3))


def _as_array(given: Any, argument: str) -> NDArray[Any]:
    """An array whose values are what was given: of a list, no number becomes text."""
    if isinstance(given, list | tuple):
        sizes = {len(row) for row in given if isinstance(row, list | tuple | np.ndarray)}
        if len(sizes) > 1:
            raise InputError(
                f"{argument} gave rows of different lengths ({sorted(sizes)[:3]}): one output for "
                "each row is needed."
            )
        if not sizes:
            array = np.empty(len(given), dtype=object)
            array[:] = list(given)
            return _narrowed(array)
    for move in ("detach", "cpu"):  # a tensor that has a gradient, or lies elsewhere
        given = getattr(given, move)() if callable(getattr(given, move, None)) else given
    try:
        return np.asarray(given)
    except Exception as error:
        raise InputError(
            f"{argument} gave a {type(given).__name__}, which could not be read as an array "
            f"({error}). One output for each row is needed; does it hold several things, of which "
            "only the first is meant?"
        ) from error


def _narrowed(array: NDArray[Any]) -> NDArray[Any]:
    """Objects that are numbers of one kind, as such."""
    kinds = {type(value) for value in array.tolist()}
    for kind, dtype in ((int, np.int64), (float, np.float64), (bool, np.bool_)):
        if kinds == {kind}:
            try:
                return array.astype(dtype)
            except OverflowError:
                return array
    return array


def _classes_of(model: Any) -> tuple[Hashable, ...] | None:
    classes = getattr(model, "classes_", None)
    if not isinstance(classes, np.ndarray | list | tuple) or np.ndim(classes) != 1:
        return None
    return tuple(np.asarray(classes).tolist())


def _says_it_is(model: Any, kind: str) -> bool:
    """Whether a model that follows scikit-learn says that it is of that kind."""
    owner = getattr(model, "__self__", model)
    if not hasattr(owner, "predict"):
        return False
    from sklearn.base import is_classifier, is_regressor

    try:
        return bool((is_regressor if kind == "regressor" else is_classifier)(owner))
    except Exception:  # whatever a stranger's object does, it is then not known to be one
        return False


# --- names ----------------------------------------------------------------------------------------


def model_names(m1: Any, m2: Any, names: Sequence[str] | None) -> tuple[str, str]:
    """What to call the two models: the user's names, else their classes', told apart."""
    if names is not None:
        several = is_several(names)
        given = [str(name) for name in names] if several else [str(names)]
        if len(given) != 2:
            raise InputError(
                f"names has {len(given)} entries: {given!r}. It takes two, one for each model: "
                'names=("before", "after").'
            )
        if given[0] == given[1]:
            raise InputError(
                f"both models are called {given[0]!r}: give two different names, otherwise "
                "no sentence about them can be understood."
            )
        return given[0], given[1]
    first, second = _own_name(m1, "model 1"), _own_name(m2, "model 2")
    return (f"{first} 1", f"{second} 2") if first == second else (first, second)


def _own_name(model: Any, fallback: str) -> str:
    if isinstance(model, pd.Series):
        return str(model.name) if model.name is not None else fallback
    if hasattr(model, "steps"):  # a pipeline is known by its last step
        return _own_name(model.steps[-1][1], fallback)
    if hasattr(model, "best_estimator_"):  # and a search by what it found
        return _own_name(model.best_estimator_, fallback)
    if isinstance(model, partial):
        return _own_name(model.func, fallback)
    if hasattr(model, "predict"):
        return type(model).__name__
    owner = getattr(model, "__self__", None)
    if hasattr(owner, "predict"):  # a method of a model, such as model.predict itself
        return _own_name(owner, fallback)
    name = getattr(model, "__name__", type(model).__name__ if callable(model) else "<lambda>")
    return name if callable(model) and name != "<lambda>" else fallback
