"""Call a model with the user's table and check that it returns one output per row."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, Quoted, Setting, warn
from imd_widget._base.kinds import OutputKind
from imd_widget._base.validation import is_several
from imd_widget.data.table import Table
from imd_widget.models.calling import call_model
from imd_widget.models.calls import Batched, one_per_row, resolved, unbatched
from imd_widget.models.coercion import WrongLengthError, as_output, copied, with_article
from imd_widget.models.libraries.interface import ForeignModel
from imd_widget.models.libraries.registry import adapted, estimator_kind
from imd_widget.models.library_hints import line_for
from imd_widget.models.text_columns import other_texts, text_line, with_text_column

#: Largest number of nested models that are unwrapped to find a name.
DEEPEST_NAME = 10

_ACCEPTED = (
    "A model is anything with a predict method, a function of the table, or an array of outputs "
    "that you already have."
)

#: Where an output comes from: an array of the user, a function, or a method of a model.
Source = Literal["array", "function", "predict", "predict_proba"]


@dataclass(frozen=True, eq=False)
class ModelOutput:
    """The output of one model for every row."""

    values: NDArray[Any]
    #: Name of the argument that the model was passed as: "m1" or "m2".
    argument: str
    #: The classes of the columns of probabilities; None if the model has no ``classes_``.
    classes: tuple[Hashable, ...] | None = None
    #: Whether scikit-learn takes the model for a regressor, or for a classifier.
    regressor: bool = False
    classifier: bool = False
    #: What returned the values.
    source: Source = "array"
    #: What a row cost, in seconds; None if no model was called.
    seconds_per_row: float | None = None

    @classmethod
    def of(
        cls,
        model: Any,
        argument: str,
        outputs: OutputKind | str,
        values: NDArray[Any],
        classes: tuple[Hashable, ...] | None = None,
    ) -> ModelOutput:
        """Values of a model, with what it declares about itself.

        ``classes`` are those of the columns of ``values``; None takes the model's ``classes_``.
        """
        kind = estimator_kind(adapted_model(model))
        return cls(
            values,
            argument,
            classes or classes_of(model),
            regressor=kind == "regressor",
            classifier=kind == "classifier",
            source=_source(model, outputs),
        )

    def take(self, rows: NDArray[np.integer]) -> ModelOutput:
        """Return the outputs of some rows, in this order."""
        return replace(self, values=self.values[rows])

    def and_then(self, more: ModelOutput) -> ModelOutput:
        """Return the outputs of the same model for these rows followed by ``more``."""
        same = self.values.dtype.kind == more.values.dtype.kind
        parts = [output.values if same else output.values.astype(object) for output in (self, more)]
        return replace(self, values=np.concatenate(parts))


def can_predict(model: Any) -> bool:
    """Whether a model can be called with any table; an array of outputs cannot."""
    model = adapted_model(model)
    return callable(getattr(model, "predict", model))


def gives_probabilities(model: Any) -> bool:
    """Whether a model has ``predict_proba``."""
    return hasattr(adapted_model(model), "predict_proba")


def adapted_model(model: Any) -> Any:
    """Return a model of a known library with the interface of scikit-learn; others unchanged."""
    if not isinstance(model, Batched):
        return adapted(model)
    own = adapted(model.model)
    return model if own is model.model else Batched(own, model.size, model.argument)


def in_batches(model: Any, size: int | None, argument: str) -> Any:
    """Return a model that is called with at most ``size`` rows; an array of outputs unchanged."""
    return model if size is None or not can_predict(model) else Batched(model, size, argument)


def predict(
    model: Any,
    table: Table,
    argument: str,
    outputs: OutputKind | str = "auto",
    *,
    at_once: bool = False,
) -> ModelOutput:
    """Return the output of one model for every row of a table.

    ``argument`` is the name of the argument that the model was passed as: "m1" or "m2". With
    ``outputs="proba"`` its ``predict_proba`` is called, if it has one. ``at_once`` calls it with
    the whole table, however slow it is.
    """
    if isinstance(model, type):
        raise InputError(
            Argument(argument),
            f" is the class {model.__name__}, not a model made from it.",
            hint=f"Fit one first and pass that: {argument}={model.__name__}().fit(X, y).",
        )
    model = adapted_model(model)
    call = _call(model, argument, outputs)
    seconds_per_row = None
    if call is None:
        given = copied(_given(model, table, argument))
        check_index(given, table, argument)
    else:
        name = _name_of(model, "a function")
        call = with_text_column(call, model, table)
        start = perf_counter()
        given = call_model(_resolving(call), model, name, table, argument, at_once)
        seconds_per_row = (perf_counter() - start) / max(table.n_rows, 1)
        given = one_per_row(given, table.n_rows, argument, outputs == "proba")
    classes = None
    if outputs == "proba" and _are_dicts(given):
        frame = pd.DataFrame(list(given))  # ONNX returns one dict of class probabilities per row
        given, classes = frame.to_numpy(), tuple(frame.columns.tolist())
    if call is not None:
        _check_per_row(given, model, table, argument, outputs)
    values = as_output(given, table.n_rows, argument, outputs)
    output = ModelOutput.of(model, argument, outputs, values, classes)
    return replace(output, seconds_per_row=seconds_per_row)


def _resolving(call: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def call_and_wait(native: Any) -> Any:
        return resolved(call(native))

    return call_and_wait


def _check_per_row(given: Any, model: Any, table: Table, argument: str, outputs: str) -> None:
    """Raise InputError if a model gave an output per column, as a model of texts does.

    Whatever iterates over a table gets the names of its columns.
    """
    n_columns = len(table.names)
    listed = isinstance(given, list) and not any(hasattr(one, "ndim") for one in given)
    if not (listed or isinstance(given, np.ndarray | pd.Series)) or np.ndim(given) == 0:
        return
    if len(given) != n_columns or n_columns == table.n_rows:
        return
    call = f"model.{_source(model, outputs)}" if hasattr(model, "predict") else "model"
    raise WrongLengthError(
        len(given),
        Argument(argument),
        f" gave {len(given)} outputs for {table.n_rows} rows: one for each column of X instead of "
        "one for each row. Models that are fitted on a single column of texts do this.",
        hint=f"Give it that column: {text_line(model, table, argument, call)}{other_texts(table)}.",
    )


def _source(model: Any, outputs: OutputKind | str) -> Source:
    """Return what is called for the outputs of a model."""
    if outputs == "proba" and gives_probabilities(model):
        return "predict_proba"
    if hasattr(model, "predict"):
        return "predict"
    if getattr(model, "__name__", None) == "predict_proba":  # the method of a model
        return "predict_proba"
    return "function" if callable(model) else "array"


def _are_dicts(given: Any) -> bool:
    listed = isinstance(given, list) or (isinstance(given, np.ndarray) and given.dtype == object)
    return listed and len(given) > 0 and all(isinstance(value, dict) for value in given)


def _call(model: Any, argument: str, outputs: str) -> Callable[[Any], Any] | None:
    """Return the function to call with a table; None if ``model`` is an array of outputs."""
    if outputs == "proba" and hasattr(model, "predict_proba"):
        return model.predict_proba  # type: ignore[no-any-return]
    call = getattr(model, "predict", model)
    if not callable(call):
        return None
    line, library = line_for(unbatched(model))
    if line is not None:
        raise InputError(
            Argument(argument),
            f" is {with_article(type(unbatched(model)).__name__)} of {library}, which does not "
            "predict a table as it is.",
            hint=f"Pass {argument}={line}.",
        )
    is_classifier = hasattr(model, "predict") and estimator_kind(model) == "classifier"
    if outputs == "proba" and is_classifier:
        raise InputError(
            Argument(argument),
            f" ({type(model).__name__}) has no predict_proba, so its probabilities cannot be "
            "compared. Calibrate it with sklearn.calibration.CalibratedClassifierCV, pass a "
            "function that gives probabilities, or compare the classes: ",
            Setting("outputs", "class"),
            ".",
        )
    return call  # type: ignore[no-any-return]


def check_index(given: Any, table: Table, argument: str) -> None:
    """Warn if the index of ``given`` is a permutation of the index of the table."""
    if not (isinstance(given, pd.Series) and isinstance(table.native, pd.DataFrame)):
        return
    given_index, index = given.index, table.native.index
    if len(given_index) != len(index) or given_index.equals(index):
        return
    if not (given_index.is_unique and index.is_unique):
        return
    if given_index.isin(index).all():
        warn(
            Argument(argument),
            " has the index of X in a different order and is used row by row, as it is. To align "
            f"it by the index, pass {argument}.loc[X.index]; to keep its order without this "
            f"warning, pass {argument}.to_numpy().",
        )


def _given(model: Any, table: Table, argument: str) -> Any:
    """Return ``model`` if it is an array of outputs; raise an error otherwise."""
    if hasattr(model, "__array__") or isinstance(model, list | tuple):
        return model
    if isinstance(model, str):
        hint = f"To compare a column of X, pass it: {argument}=X[{model!r}]."
        if model not in table.place:
            shown = ", ".join(map(repr, table.names[:8]))
            more = ", ..." if len(table.names) > 8 else ""
            hint = f"X has no column of that name; it has {shown}{more}."
        raise InputError(
            Argument(argument), " is the text ", Quoted(model), f". {_ACCEPTED}", hint=hint
        )
    hint = f"Turn it into a list first: list({argument})." if isinstance(model, Iterator) else ""
    line, _ = line_for(model)
    if line is not None:
        hint = f"Pass {argument}={line}."
    if hasattr(model, "tocsr"):
        hint = f"A sparse matrix must be made dense: {argument}.toarray()."
    type_name = with_article(type(model).__name__)
    raise InputError(Argument(argument), f" is {type_name}. {_ACCEPTED}", hint=hint)


def classes_of(model: Any) -> tuple[Hashable, ...] | None:
    """Return the ``classes_`` of a model; None if it has none, or several outputs."""
    classes = getattr(adapted_model(model), "classes_", None)
    if not isinstance(classes, np.ndarray | list | tuple) or np.ndim(classes) != 1:
        return None
    return tuple(np.asarray(classes).tolist())


def check_order(m1: Any, m2: Any, X: Any) -> None:
    """Raise an error if ``X`` is a model."""
    if hasattr(X, "predict") or (callable(X) and not hasattr(X, "__array__")):
        first, second, third = (with_article(type(given).__name__) for given in (m1, m2, X))
        raise InputError(
            Argument("X"),
            f" is {third}, which is a model: the order is diff(m1, m2, X), the "
            f"table last. (m1 is {first}, m2 is {second}.)",
        )


def read_columns_of_outputs(models: Sequence[Any], table: Table) -> tuple[list[Any], Table]:
    """Return models with the columns that some of them name, and the table without these.

    A patched model that reads columns is replaced by its outputs.
    """
    is_array = isinstance(table.native, np.ndarray)
    named = [
        (model,) if isinstance(model, str) else getattr(type(model), "read_columns", _none)(model)
        for model in models
    ]
    columns = {
        name: table.get(table.place[name]).rename(name)
        for names in named
        for name in names
        if not is_array and name in table.place
    }
    if not columns:
        return list(models), table
    own = []
    for model, names in zip(models, named, strict=True):
        if isinstance(model, str):
            own.append(columns.get(model, model))
        elif names:
            outputs = pd.Series(model.predict(table.native), name=type(model).__name__)
            own.append(outputs)
        else:
            own.append(model)
    return own, table.without(list(columns))


def _none(model: Any) -> tuple[str, ...]:
    del model
    return ()


def names_of(models: Sequence[Any], table: Table) -> list[str]:
    """Return the names of the models' classes, functions or Series; equal ones get numbers.

    A model without one is "model 3", by its place.
    """
    names = []
    for number, model in enumerate(models, start=1):
        fallback = f"model {number}"
        # a series computed from a column of the table keeps the name of the column
        of_column = isinstance(model, pd.Series) and model.name in table.place
        names.append(fallback if of_column else _name_of(model, fallback))
    return [
        f"{name} {names[:at].count(name) + 1}" if names.count(name) > 1 else name
        for at, name in enumerate(names)
    ]


def model_names(m1: Any, m2: Any, names: Sequence[str] | None, table: Table) -> tuple[str, str]:
    """Return the names of the models: ``names``, else their class names, numbered if equal."""
    if names is not None:
        several = is_several(names)
        given = [str(name) for name in names] if several else [str(names)]
        if len(given) != 2:
            raise InputError(
                Argument("names"),
                f" has {len(given)} entries: {given!r}. It takes two, one for each model: ",
                Setting("names", "before", "after"),
                ".",
            )
        if not all(name.strip() for name in given):
            raise InputError(
                f"names are {given!r}: a model name must not be empty. Give each of them one: ",
                Setting("names", "before", "after"),
                ".",
            )
        if given[0] == given[1]:
            raise InputError(
                "both models are called ",
                Quoted(given[0]),
                ": give them different names.",
            )
        return given[0], given[1]
    first, second = names_of((m1, m2), table)
    return first, second


def _name_of(model: Any, fallback: str) -> str:
    for _ in range(DEEPEST_NAME):  # an object that has every attribute never ends
        inner = _inner_model(model)
        if inner is None:
            break
        model = inner
    if isinstance(model, pd.Series):
        return str(model.name) if model.name is not None else fallback
    model = adapted(model)
    if isinstance(model, ForeignModel):
        return model.title
    if hasattr(model, "predict"):
        return str(getattr(type(model), "name_in_diffs", type(model).__name__))
    name = getattr(model, "__name__", type(model).__name__ if callable(model) else "<lambda>")
    return str(name) if callable(model) and name != "<lambda>" else fallback


def _inner_model(model: Any) -> Any:
    """Return the model that gives a wrapper its name; None if ``model`` is no wrapper."""
    if isinstance(model, pd.Series | np.ndarray):
        return None
    if isinstance(model, Batched):
        return model.model
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and steps:  # a pipeline is named after its last step
        return steps[-1][1]
    if hasattr(model, "best_estimator_"):  # a search is named after its best estimator
        return model.best_estimator_
    if isinstance(model, partial):
        return model.func
    if not hasattr(model, "predict"):
        owner = getattr(model, "__self__", None)
        if hasattr(owner, "predict"):  # a bound method, such as model.predict
            return owner
    return None
