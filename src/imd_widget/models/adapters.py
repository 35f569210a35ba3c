"""A model asked for its outputs: once, as the user gave the table, and what it gave is checked."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, Quoted, Setting, warn
from imd_widget._base.kinds import OutputKind
from imd_widget._base.validation import is_several
from imd_widget.data.table import Table
from imd_widget.models.calling import call_model
from imd_widget.models.coercion import a, as_output, copied

#: Models inside each other that are looked into for a name.
DEEPEST_NAME = 10

_ACCEPTED = (
    "A model is anything with a predict method, a function of the table, or an array of outputs "
    "that you already have."
)


@dataclass(frozen=True, eq=False)
class ModelOutput:
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
    """

    values: NDArray[Any]
    argument: str
    classes: tuple[Hashable, ...] | None = None
    regressor: bool = False
    classifier: bool = False

    def and_then(self, more: ModelOutput) -> ModelOutput:
        """The same model's outputs for more rows."""
        same = self.values.dtype.kind == more.values.dtype.kind
        parts = [one.values if same else one.values.astype(object) for one in (self, more)]
        return replace(self, values=np.concatenate(parts))


def can_be_asked(model: Any) -> bool:
    """Whether a model can say something about rows that it was not given."""
    return callable(getattr(model, "predict", model))


def ask(model: Any, table: Table, argument: str, outputs: OutputKind | str = "auto") -> ModelOutput:
    """Outputs of one model for every row of a table.

    ``argument`` is what the user knows the model by: "m1" or "m2". With ``outputs="proba"`` the
    model is asked for probabilities, if it can be asked for them.
    """
    if isinstance(model, type):
        raise InputError(
            Argument(argument),
            f" is the class {model.__name__}, not a model made from it.",
            hint=f"Fit one first and pass that: {argument}={model.__name__}().fit(X, y).",
        )
    call = _call(model, argument, outputs)
    if call is None:
        given = copied(_given(model, table, argument))
        check_index(given, table, argument)
    else:
        name = _own_name(model, "a function")
        given = call_model(call, model, name, table, argument)
    classes = _classes_of(model)
    if outputs == "proba" and _are_dicts(given):
        frame = pd.DataFrame(list(given))  # one probability a class and row, as ONNX gives them
        given, classes = frame.to_numpy(), tuple(frame.columns.tolist())
    return ModelOutput(
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
            Argument(argument),
            f" ({type(model).__name__}) has no predict_proba, so its probabilities cannot be "
            "compared. Calibrate it with sklearn.calibration.CalibratedClassifierCV, pass a "
            "function that gives probabilities, or compare the classes: ",
            Setting("outputs", "class"),
            ".",
        )
    return call  # type: ignore[no-any-return]


def check_index(given: Any, table: Table, argument: str) -> None:
    """A remark, if the rows seem to be in another order than those of the table."""
    if not (isinstance(given, pd.Series) and isinstance(table.native, pd.DataFrame)):
        return
    own, index = given.index, table.native.index
    if len(own) != len(index) or own.equals(index) or not (own.is_unique and index.is_unique):
        return
    if own.isin(index).all():
        warn(
            Argument(argument),
            " has the index of X in another order, and is taken row by row as it is. If "
            f"its rows are to be found by the index, pass {argument}.loc[X.index]; if not, "
            f"{argument}.to_numpy() stops this remark.",
        )


def _given(model: Any, table: Table, argument: str) -> Any:
    """Outputs that the user already has."""
    if hasattr(model, "__array__") or isinstance(model, list | tuple):
        return model
    if isinstance(model, str):
        hint = ""
        if model in table.place:
            hint = f"To compare a column of X, pass it: {argument}=X[{model!r}]."
        raise InputError(
            Argument(argument), " is the text ", Quoted(model), f". {_ACCEPTED}", hint=hint
        )
    hint = f"Turn it into a list first: list({argument})." if isinstance(model, Iterator) else ""
    if hasattr(model, "tocsr"):
        hint = f"A sparse matrix must be made dense: {argument}.toarray()."
    raise InputError(Argument(argument), f" is {a(type(model).__name__)}. {_ACCEPTED}", hint=hint)


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


def check_order(m1: Any, m2: Any, X: Any) -> None:
    """Whether table and models were given in the other order."""
    if hasattr(X, "predict") or (callable(X) and not hasattr(X, "__array__")):
        raise InputError(
            Argument("X"),
            f" is {a(type(X).__name__)}, which is a model: the order is diff(m1, m2, X), the "
            f"table last. (m1 is {a(type(m1).__name__)}, m2 is {a(type(m2).__name__)}.)",
        )


def model_names(m1: Any, m2: Any, names: Sequence[str] | None, table: Table) -> tuple[str, str]:
    """What to call the two models: the user's names, else their classes', told apart."""
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
                f"names are {given!r}: a model without a name cannot be spoken of. Give each of "
                "them one: ",
                Setting("names", "before", "after"),
                ".",
            )
        if given[0] == given[1]:
            raise InputError(
                "both models are called ",
                Quoted(given[0]),
                ": give two different names, otherwise no sentence about them can be understood.",
            )
        return given[0], given[1]
    first, second = (
        # what was computed from a column still has its name
        fallback
        if isinstance(model, pd.Series) and model.name in table.place
        else _own_name(model, fallback)
        for model, fallback in ((m1, "model 1"), (m2, "model 2"))
    )
    return (f"{first} 1", f"{second} 2") if first == second else (first, second)


def _own_name(model: Any, fallback: str) -> str:
    for _ in range(DEEPEST_NAME):  # an object that has every attribute goes on for ever
        inner = _inner_model(model)
        if inner is None:
            break
        model = inner
    if isinstance(model, pd.Series):
        return str(model.name) if model.name is not None else fallback
    if hasattr(model, "predict"):
        return type(model).__name__
    name = getattr(model, "__name__", type(model).__name__ if callable(model) else "<lambda>")
    return str(name) if callable(model) and name != "<lambda>" else fallback


def _inner_model(model: Any) -> Any:
    """What a model is known by, where that is another one; None where it is itself."""
    if isinstance(model, pd.Series | np.ndarray):
        return None
    steps = getattr(model, "steps", None)
    if isinstance(steps, list) and steps:  # a pipeline is known by its last step
        return steps[-1][1]
    if hasattr(model, "best_estimator_"):  # and a search by what it found
        return model.best_estimator_
    if isinstance(model, partial):
        return model.func
    if not hasattr(model, "predict"):
        owner = getattr(model, "__self__", None)
        if hasattr(owner, "predict"):  # a method of a model, such as model.predict itself
            return owner
    return None
