"""Sessions of onnxruntime."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget.data.table import Table, open_table
from imd_widget.models.libraries.interface import ForeignClassifier, ForeignModel, most_likely

#: NumPy's types by those of ONNX.
DTYPES = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
    "tensor(string)": np.object_,
}
LABELS = ("tensor(string)", "tensor(int64)", "tensor(int32)", "tensor(bool)")


class _Session(ForeignModel):
    title = "InferenceSession"

    def __init__(self, session: Any) -> None:
        self.session = session
        self.inputs = session.get_inputs()
        names = tuple(one.name for one in self.inputs)
        self.feature_names_ = names if len(names) > 1 else None

    def predict(self, table: Any) -> Any:
        first = self.session.get_outputs()[0]
        return self._run(table, [first.name])[0]

    def _run(self, native: Any, outputs: list[str]) -> list[Any]:
        feeds = _feeds(self.inputs, open_table(native, may_be_empty=True))
        found: list[Any] = self.session.run(outputs, feeds)
        return found


class _Classifier(_Session, ForeignClassifier):
    """A classifier with two outputs: labels, and probabilities as an array or as dicts."""

    classes_: tuple[Hashable, ...] | None = None

    def predict(self, table: Any) -> Any:
        return _Session.predict(self, table)

    def predict_proba(self, table: Any) -> Any:
        labels, given = self._run(table, [one.name for one in self.session.get_outputs()[:2]])
        if isinstance(given, list):  # a dict for each row
            self.classes_ = tuple(given[0]) if given else None
            return np.array([list(row.values()) for row in given])
        self.classes_ = _classes(np.ravel(labels), given)
        return given


class _Network(_Session, ForeignClassifier):
    """A session with one output, the probabilities of classes without names."""

    classes_: tuple[Hashable, ...] | None = None

    def predict(self, table: Any) -> Any:
        return most_likely(self.predict_proba(table))

    def predict_proba(self, table: Any) -> Any:
        given = np.asarray(_Session.predict(self, table), dtype=float)
        inside = ((given >= 0) & (given <= 1)).all()
        if not (inside and np.allclose(given.sum(axis=1), 1, atol=0.01)):
            raise InputError(
                f"a session of onnxruntime gave {given.shape[1]} numbers for each row, which are "
                "no probabilities. If they are scores of classes, take the largest one: "
                f"lambda X: session.run(None, {{{self.inputs[0].name!r}: "
                'np.asarray(X, dtype="float32")})[0].argmax(axis=1).'
            )
        self.classes_ = tuple(range(given.shape[1]))
        return given


def onnx_session(session: Any) -> ForeignModel:
    """Return a session of onnxruntime by the types of its outputs."""
    outputs = session.get_outputs()
    first = outputs[0]
    if len(outputs) > 1 and first.type in LABELS and _are_scores(outputs[1]):
        return _Classifier(session)
    columns = first.shape[1] if len(first.shape) == 2 else None
    if len(outputs) == 1 and first.type not in LABELS and isinstance(columns, int) and columns > 1:
        return _Network(session)
    return _Session(session)


def _are_scores(output: Any) -> bool:
    return output.type.startswith("seq(map(") or (
        output.type in ("tensor(float)", "tensor(double)") and len(output.shape) == 2
    )


def _classes(labels: NDArray[Any], scores: NDArray[Any]) -> tuple[Hashable, ...] | None:
    """Return the class of each column of probabilities, by the labels that go with the largest."""
    found: dict[int, Hashable] = {}
    for column, label in zip(scores.argmax(axis=1).tolist(), labels.tolist(), strict=True):
        found.setdefault(column, label)
    n_classes = scores.shape[1]
    if len(found) == n_classes:
        return tuple(found[column] for column in range(n_classes))
    if all(column == label for column, label in found.items()):
        return tuple(range(n_classes))
    return None


def _feeds(inputs: list[Any], table: Table) -> dict[str, NDArray[Any]]:
    """Return the columns of a table by the names of the inputs of a session."""
    if len(inputs) == 1:
        width = inputs[0].shape[1] if len(inputs[0].shape) == 2 else len(table.names)
        if isinstance(width, int) and width != len(table.names):
            raise InputError(
                f"a session of onnxruntime takes {width} columns, and X has {len(table.names)}. "
                f"Pass those that it was made for: lambda X: session.run(None, "
                f'{{{inputs[0].name!r}: np.asarray(X[["a", "b"]], dtype="float32")}})[0].'
            )
        columns = [_values(table, at, inputs[0]) for at in range(len(table.names))]
        return {inputs[0].name: np.column_stack(columns)}
    is_array = isinstance(table.native, np.ndarray)
    places = dict(zip((one.name for one in inputs), range(len(inputs)), strict=True))
    if not is_array:
        places = {str(name): at for at, name in enumerate(table.names)}
    n_columns = len(table.names)
    lacking = [one.name for one in inputs if places.get(one.name, n_columns) >= n_columns]
    if lacking:
        raise InputError(
            "a session of onnxruntime takes inputs that X has no columns for: "
            f"{', '.join(map(repr, lacking[:5]))}. Rename the columns, or pass a function of the "
            "table that calls session.run."
        )
    feeds = {}
    for one in inputs:
        values = _values(table, places[one.name], one)
        feeds[one.name] = values[:, None] if len(one.shape) == 2 else values
    return feeds


def _values(table: Table, position: int, wanted: Any) -> NDArray[Any]:
    column = table.get(position)
    dtype = DTYPES.get(wanted.type, np.float32)
    if dtype is np.object_:
        return np.where(column.isna(), "", column.astype(object).astype(str)).astype(object)
    if np.issubdtype(dtype, np.floating):
        return column.to_numpy(dtype=dtype, na_value=np.nan)
    return column.to_numpy(dtype=dtype)
