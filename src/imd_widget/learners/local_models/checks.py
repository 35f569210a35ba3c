"""Checks of what the user passed to a `LocalModelsClassifier`."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import is_regressor
from sklearn.utils.validation import column_or_1d

from imd_widget._base.errors import (
    Argument,
    Given,
    InputError,
    InPython,
    Message,
    Quoted,
    Row,
    Setting,
)
from imd_widget._base.validation import check_whole, is_number
from imd_widget.data.column_kinds import FLOAT_KINDS, column_kind
from imd_widget.data.features import as_floats
from imd_widget.data.table import open_table
from imd_widget.learners.local_models.columns import as_frame
from imd_widget.learners.local_models.complexity import check_complexity
from imd_widget.learners.local_models.densities import (
    GaussianDensity,
    KMedoidsDensity,
    MCDDensity,
)
from imd_widget.learners.local_models.mixture import least_global_rows

DENSITIES = {"kmedoids": KMedoidsDensity, "gaussian": GaussianDensity, "mcd": MCDDensity}
ADJUST = ("posterior", "prior")
SELECT = ("train_error", "complexity", "last")
SCALING = ("cross_entropy", "squared_error")
#: The minimum covariance determinant is meant for a few continuous columns.
MCD_COLUMNS = 20
#: The largest number of single precision.
LARGEST = float(np.finfo(np.float32).max)


def check_tau(name: str, tau: Any) -> None:
    """Raise an `InputError` unless ``0 < tau < 1``."""
    if not is_number(tau) or not 0 < tau < 1:
        raise InputError(
            Given(name, tau),
            ": a number above 0 and below 1 is needed: the greatest mean share of the local "
            "models.",
        )


def check_options(options: dict[str, Any]) -> None:
    """Raise an `InputError` for an option that cannot be used, whatever the data are."""
    check_tau("tau", options["tau"])
    check_whole("n_local", options["n_local"], 1)
    check_whole("n_iter", options["n_iter"], 1)
    _one_of("adjust", options["adjust"], ADJUST)
    _one_of("select", options["select"], SELECT)
    _one_of("scaling", options["scaling"], SCALING)
    _check_overlap(options["overlap"])
    _check_sample(options["global_sample"])
    check_complexity(options["complexity"], options["max_complexity"])
    for name in ("global_model", "local_model"):
        _check_learner(name, options[name])


def _check_overlap(overlap: Any) -> None:
    if overlap is not None and not (is_number(overlap) and 0 < overlap <= 0.5):
        raise InputError(
            Given("overlap", overlap),
            ": None, or a number above 0 and up to 0.5 is needed: the responsibility from which a "
            "part also learns a row of another part.",
        )


def _check_sample(sample: Any) -> None:
    whole = isinstance(sample, int | np.integer) and not isinstance(sample, bool)
    share = is_number(sample) and not whole and 0 < sample <= 1
    if sample is not None and not share and not (whole and sample >= 2):
        raise InputError(
            Given("global_sample", sample),
            ": None, a share above 0 and up to 1, or a whole number of rows from 2 up is needed.",
        )


def _one_of(name: str, value: Any, accepted: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in accepted:
        raise InputError(Given(name, value), ": one of ", Quoted(*accepted), " is needed.")


def _check_learner(name: str, learner: Any) -> None:
    if learner is None:
        return
    if inspect.isclass(learner):
        raise InputError(
            Argument(name),
            f" is the class {learner.__name__}.",
            hint=f"Pass an instance of it: {learner.__name__}().",
        )
    lacking = [one for one in ("fit", "predict") if not callable(getattr(learner, one, None))]
    if lacking:
        raise InputError(
            Argument(name),
            f" is a {type(learner).__name__} without {' and '.join(lacking)}.",
            hint="A classifier is needed, with fit(X, y) and predict(X).",
        )
    if _is_regressor(learner):
        raise InputError(
            Argument(name), f" is a regressor, {type(learner).__name__}; a classifier is needed."
        )


def _is_regressor(learner: Any) -> bool:
    try:
        return bool(is_regressor(learner))
    except (AttributeError, TypeError, ValueError):  # not a scikit-learn estimator
        return False


def checked_density(density: Any, X: Any) -> Any:
    """The density as an estimator that is not fitted.

    Parameters
    ----------
    density : {"kmedoids", "gaussian", "mcd"} or estimator
    X : table or ndarray
        What it will be learned from.

    Returns
    -------
    estimator
        It has ``fit(X)`` and ``score_samples(X)``.
    """
    if isinstance(density, str):
        if density not in DENSITIES:
            _one_of_densities(density)
        if density == "mcd":
            _check_mcd(X)
        return DENSITIES[density]()
    lacking = [one for one in ("fit", "score_samples") if not callable(getattr(density, one, None))]
    if inspect.isclass(density) or lacking:
        _one_of_densities(density)
    return density


def _one_of_densities(density: Any) -> None:
    raise InputError(
        Given("density", density),
        ": one of ",
        Quoted(*DENSITIES),
        ", or an estimator with fit(X) and score_samples(X), is needed.",
        hint="scikit-learn's GaussianMixture() and KernelDensity() are such estimators.",
    )


def _check_mcd(X: Any) -> None:
    frame = as_frame(X)
    table = open_table(frame)
    kinds = [column_kind(table.get(at)) for at in range(len(table.names))]
    text = [name for name, kind in zip(frame, kinds, strict=True) if kind not in FLOAT_KINDS]
    if text or frame.shape[1] > MCD_COLUMNS:
        why = (
            Message("column ", Quoted(text[0]), " holds text")
            if text
            else Message(f"the table has {frame.shape[1]} columns")
        )
        raise InputError(
            Setting("density", "mcd"),
            f" is meant for up to {MCD_COLUMNS} columns of numbers, but ",
            why,
            ". Use ",
            Setting("density", "kmedoids"),
            ".",
        )


def check_numbers(X: Any) -> None:
    """Raise an `InputError` for a number beyond the single precision of scikit-learn's trees."""
    table = open_table(as_frame(X), may_be_empty=True)
    for at, name in enumerate(table.names):
        column = table.get(at)
        kind = column_kind(column)
        if kind not in FLOAT_KINDS or kind == "flag":
            continue
        numbers = as_floats(column, kind)
        size = np.abs(numbers)
        too_large = np.flatnonzero((size > LARGEST) & np.isfinite(size))
        if len(too_large):
            row = int(too_large[0])
            raise InputError(
                "column ",
                Quoted(name),
                f" holds {numbers[row]:g} at ",
                Row(row),
                f": numbers of up to {LARGEST:.2g} are needed, because trees of scikit-learn "
                "compare them in single precision.",
                hint="Divide the column, or replace the number by a missing value.",
            )


def checked_classes(y: Any, table: pd.DataFrame) -> NDArray[Any]:
    """The classes of the rows of a table, as an array.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
    table : DataFrame of shape (n_samples, n_columns)

    Returns
    -------
    ndarray of shape (n_samples,)
    """
    if y is None:
        raise InputError(Argument("y"), " is needed: the class of each row.")
    for count, what in zip(table.shape, ("rows", "columns"), strict=True):
        if not count:
            raise InputError(Argument("X"), f" has no {what}.")
    classes: NDArray[Any] = column_or_1d(y, warn=True)
    if len(classes) != len(table):
        raise InputError(
            Argument("y"),
            f" has {len(classes)} values, but ",
            Argument("X"),
            f" {len(table)} rows.",
        )
    missing = np.flatnonzero(pd.isna(classes))
    if len(missing):
        raise InputError(
            Argument("y"),
            " has no class at ",
            Row(int(missing[0])),
            f"; {len(missing)} are missing.",
            hint="Leave those rows out.",
        )
    kinds = sorted({type(one).__name__ for one in classes}) if classes.dtype == object else []
    if len(kinds) > 1:
        raise InputError(
            Argument("y"),
            f" mixes classes of the kinds {' and '.join(kinds)}.",
            hint=InPython("Convert them to one kind: y.astype(str)."),
        )
    return classes


def room(n_samples: int, tau: float) -> int:
    """Number of rows that ``tau`` leaves to local models."""
    return n_samples - least_global_rows(n_samples, tau)


def check_rows(y: NDArray[Any], classes: NDArray[Any], *, n_local: int, tau: float) -> None:
    """Raise an `InputError` if the rows are too few, or of one class."""
    if len(classes) < 2:
        raise InputError(
            Argument("y"),
            " has one class, ",
            Quoted(classes[0].item() if isinstance(classes[0], np.generic) else classes[0]),
            ", in all rows; at least two are needed.",
        )
    if len(y) <= n_local:
        raise InputError(
            Given("n_local", n_local),
            f": {len(y)} rows are too few for so many local models and a global one.",
        )
    left = room(len(y), tau)
    if left < n_local:
        raise InputError(
            Given("tau", tau),
            f" leaves {left} of {len(y)} rows to ",
            Given("n_local", n_local),
            "; each local model needs at least one.",
            hint="Raise tau, use fewer local models, or pass more rows.",
        )
