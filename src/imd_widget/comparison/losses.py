"""Losses of the rows for which the truth is known: errors, log loss, deviance, or the user's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

from imd_widget._base.errors import Argument, InputError, Setting
from imd_widget._base.kinds import OutputKind

if TYPE_CHECKING:
    from imd_widget.comparison.diff_rows import DiffRows

#: A loss that has a name.
LossName = Literal["absolute", "squared", "log_loss", "deviance"]
#: From ``y`` and the outputs of a model to the loss of each row.
LossFunction = Callable[[Any, Any], Any]

LOSS_NAMES: tuple[LossName, ...] = get_args(LossName)
#: How results name them.
TITLES: dict[LossName, str] = {
    "absolute": "absolute error",
    "squared": "squared error",
    "log_loss": "log loss",
    "deviance": "deviance",
}
#: The kinds of outputs that have them.
KINDS: dict[LossName, tuple[OutputKind, ...]] = {
    "absolute": ("proba", "value"),
    "squared": ("proba", "value"),
    "log_loss": ("proba",),
    "deviance": ("value",),
}
NEEDS: dict[LossName, str] = {
    "absolute": "numbers",
    "squared": "numbers",
    "log_loss": "probabilities",
    "deviance": "counts",
}
COMPARED: dict[OutputKind, str] = {
    "class": "classes",
    "proba": "probabilities",
    "value": "values",
}


def check_loss(loss: LossName | LossFunction | None, kind: OutputKind) -> None:
    """Raise InputError if outputs of this kind do not have a loss."""
    if not isinstance(loss, str) or kind in KINDS[loss]:
        return
    raise InputError(
        Setting("loss", loss),
        f" needs {NEEDS[loss]}, and {COMPARED[kind]} are compared: choose another loss, or "
        "compare ",
        Setting("outputs", KINDS[loss][0]),
        ".",
    )


def losses_at(
    rows: DiffRows, numbers: NDArray[np.integer]
) -> Iterator[tuple[str, bool, NDArray[np.float64]]]:
    """Iterate over the losses of both models on some rows with a truth.

    Each has its name, whether the user asked for it, and an array of shape (2, n_rows).
    """
    observed, outputs = rows.compared.observations, rows.compared.outputs
    asked = rows.fit_input.loss
    title = TITLES[asked] if isinstance(asked, str) else None
    if observed.errors is not None and observed.truth is not None:
        truth = np.asarray(observed.truth[numbers], dtype=float)
        errors = [np.asarray(own[numbers]) for own in observed.errors]
        for name, losses in outputs.losses(errors, truth).items():
            yield name, name == title, losses
        if asked == "deviance":
            yield TITLES["deviance"], True, _deviance(truth, np.stack(errors) + truth)
    if callable(asked) and len(numbers):
        truth = rows.known_truth(numbers)
        name = getattr(asked, "__name__", "loss")
        both = [_called(asked, truth, one) for one in outputs.predictions_at(observed, numbers)]
        yield "loss" if name == "<lambda>" else str(name), True, np.stack(both)


def _deviance(truth: NDArray[np.float64], outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Poisson deviance of each row, ``2 (y log(y / output) - y + output)``."""
    if len(truth) and (truth.min() < 0 or ((outputs < 0) | ((outputs == 0) & (truth > 0))).any()):
        raise InputError(
            Setting("loss", "deviance"),
            " is the Poisson deviance, which is for counts: neither ",
            Argument("y"),
            " nor an output may be below 0, and outputs are above 0 where ",
            Argument("y"),
            " is. Use ",
            Setting("loss", "squared"),
            ", or clip the outputs.",
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(truth > 0, truth / outputs, 1.0)
    return np.asarray(2 * (xlogy(truth, ratio) - truth + outputs))


def _called(loss: LossFunction, truth: NDArray[Any], output: NDArray[Any]) -> NDArray[np.float64]:
    """Return the loss of each row, checked."""
    given = np.asarray(loss(truth, output))
    if given.shape != truth.shape or given.dtype.kind not in "biuf":
        raise InputError(
            Argument("loss"),
            f" returned {given.dtype} of shape {given.shape} for {len(truth)} rows: it takes y and "
            "the outputs of a model and returns a number for each row, such as "
            "lambda y, output: (output - y) ** 2.",
        )
    if not np.isfinite(given).all():
        raise InputError(
            Argument("loss"),
            f" returned {float(given[~np.isfinite(given)][0])!r} for a row: losses are finite "
            "numbers.",
        )
    return given.astype(float)
