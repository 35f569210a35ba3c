"""Checks of the parameters of the estimators."""

from __future__ import annotations

from typing import Any

from imd_widget._base.errors import Given, InputError, Setting
from imd_widget._base.validation import check_whole, is_number

#: Deeper trees cannot be read, and their arrays double with every level.
DEEPEST = 8

_CHOICES = {"leaves": ("network", "mean"), "softness": ("learned", "fixed")}
_WHOLE = {
    "depth": (1, DEEPEST),
    "width": (1, None),
    "hidden": (1, None),
    "max_iter": (1, None),
    "batch_size": (1, None),
    "n_iter_no_change": (1, None),
    "random_state": (0, None),
}
_FLAGS = (
    *("dynamic", "context", "signed", "sparse", "one_hot", "measure_all"),
    *("evidence", "early_stopping", "verbose"),
)


def check_options(options: dict[str, Any]) -> None:
    """Raise an `InputError` for the first parameter that cannot be used."""
    for name, (low, high) in _WHOLE.items():
        check_whole(name, options[name], low, high)
    if options["max_repeats"] is not None:
        check_whole("max_repeats", options["max_repeats"], 1)
    for name, accepted in _CHOICES.items():
        check_choice(name, options[name], accepted)
    for name in _FLAGS:
        if not isinstance(options[name], bool):
            raise InputError(Given(name, options[name]), ": True or False is needed.")
    _check_number("sparsity", options["sparsity"], 0, None)
    _check_number("hard_share", options["hard_share"], 0, 1)
    _check_number("learning_rate", options["learning_rate"], 0, None, open_below=True)
    _check_number("validation_fraction", options["validation_fraction"], 0, 0.9, open_below=True)
    if options["signed"] and options["softness"] == "learned":
        raise InputError(
            Given("signed", True),
            ": w may be negative only without beta, which gives the direction otherwise. Set ",
            Setting("softness", "fixed"),
            " too.",
        )
    if options["signed"] and options["evidence"]:
        raise InputError(
            Given("signed", True),
            ": a choice among candidate thresholds has no negative weights. Set ",
            Setting("evidence", False),
            " too.",
        )


def check_choice(name: str, value: Any, accepted: tuple[str, ...]) -> None:
    """Raise an `InputError` unless ``value`` is one of the accepted texts."""
    if not isinstance(value, str) or value not in accepted:
        shown = " or ".join(f'"{one}"' for one in accepted)
        raise InputError(Given(name, value), f": {shown} is needed.")


def _check_number(
    name: str, value: Any, low: float, high: float | None, *, open_below: bool = False
) -> None:
    outside = not is_number(value) or not (value > low if open_below else value >= low)
    if outside or value == float("inf") or (high is not None and value > high):
        least = f"above {low}" if open_below else f"from {low}"
        limits = f"{least} up" if high is None else f"{least} to {high}"
        raise InputError(Given(name, value), f": a number {limits} is needed.")
