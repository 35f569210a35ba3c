"""Every public name used once, with what libraries it lacks.

The test of a light installation runs `refusals` in a process in which these libraries are blocked.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import imd_widget as imd

N = 400
AGE = 20 + np.arange(N) * 7 % 50
X = pd.DataFrame({"age": AGE, "site": np.where(np.arange(N) % 3 == 0, "north", "south")})
TRUTH = ((AGE < 40) ^ (np.arange(N) % 9 == 0)).astype(int)


class Model:
    """A classifier that needs no library."""

    classes_ = np.array([0, 1])

    def __init__(self, limit: int) -> None:
        self.limit = limit

    def predict(self, table: Any) -> Any:
        return (table["age"] < self.limit).astype(int)

    def predict_proba(self, table: Any) -> Any:
        share = 1 / (1 + np.exp((table["age"] - self.limit) / 5))
        return np.column_stack([1 - share, share])


OLD, NEW = Model(40), Model(50)
#: What each public function is called with.
CALLS: dict[str, Callable[[], Any]] = {
    "compare": lambda: imd.compare({"old": OLD, "new": NEW, "truth": TRUTH}, X),
    "diff": lambda: imd.diff(OLD, NEW, X, y=TRUTH),
    "evaluate": lambda: imd.evaluate([(OLD, NEW, X)]),
    "explain": lambda: imd.explain(OLD, X),
    "load": lambda: imd.load(imd.diff(OLD, NEW, X).save("loaded.json")),
    "patch": lambda: imd.patch(imd.diff(OLD, NEW, X), [0]),
    "show": lambda: imd.show(OLD, NEW, X),
    "surrogate": lambda: imd.surrogate(OLD, X),
    "track": lambda: imd.track({"May": imd.diff(OLD, NEW, X), "June": (OLD, NEW, X)}),
}
#: What a parameter without a default gets, by its name, or by its class and name.
ARGUMENTS: dict[str, Any] = {
    "X": X,
    "column": "age",
    "columns": ["age"],
    "condition": "age < 30",
    "holds": lambda rule: True,
    "labels": pd.Series(TRUTH),
    "level": 0.9,
    "limit": 0.1,
    "m1": OLD,
    "m2": NEW,
    "margin": 0.1,
    "max_calls": 1_000,
    "model": "old",
    "n": 20,
    "node": "r",
    "number": 0,
    "other": "site",
    "position": 0,
    "region": "rule 0",
    "row": 0,
    "rows": [0, 1],
    "rule": 0,
    "rules": [0],
    "table": X,
    "weights": None,
    "where": "age < 30",
    "JointTree.node": 0,
}
#: Methods for the package itself: how it makes the object, and what takes its coded columns.
INTERNAL = {"codes_in", "of", "Interval.mask", "Membership.mask", "Presence.mask"}
#: Parameters whose values only the package itself makes: their methods need no further library.
OF_THE_PACKAGE = {
    *("base", "codes", "counts", "found", "leaf", "models", "outputs", "shape", "split", "start"),
    *("path", "tags", "target", "value"),
}
#: Files that a result is saved to; a suffix that it does not know is refused, which is no door.
SUFFIXES = (".csv", ".html", ".json", ".md", ".pdf", ".png", ".svg")


def refusals() -> dict[str, str]:
    """Use every public name, method and property; return which named a library, and how.

    Any error but an `InputError` leaves this function, with a note of what was used.
    """
    found: dict[str, str] = {}
    for home, name in public_names():
        with _noted(f"{home}.{name}", found):
            value = getattr(_module(home), name)
            if inspect.isfunction(value):
                label = f"{home}.{name}()"
                with _noted(label, found):
                    _walk(label, _called(home, name, value), found, set())
    return found


def public_names() -> Iterator[tuple[str, str]]:
    """Yield the module and the name of everything public."""
    yield from (("imd", name) for name in imd.__all__)
    yield from (("learners", name) for name in imd.learners.__all__)
    for name, value in vars(imd.datasets).items():
        if getattr(value, "__module__", "") == imd.datasets.__name__ and name[0] != "_":
            yield "datasets", name


def _module(home: str) -> Any:
    return imd if home == "imd" else getattr(imd, home)


def _called(home: str, name: str, function: Callable[..., Any]) -> Any:
    return CALLS[name]() if home == "imd" else function()


def _walk(label: str, value: Any, found: dict[str, str], seen: set[type]) -> None:
    """Use every public method and property of a result, and of the results that it has."""
    if isinstance(value, list | tuple) and value:
        value = value[0]
    kind = type(value)
    if kind.__name__ not in imd.__all__ or kind in seen:
        return
    seen.add(kind)
    for name in dir(value):
        own = f"{kind.__name__}.{name}"
        if name.startswith("_") or INTERNAL.intersection((name, own)):
            continue
        with _noted(own, found):
            member = getattr(value, name)
            if not inspect.isroutine(member):
                _walk(own, member, found, seen)
            elif name == "save":
                for suffix in SUFFIXES:
                    with _noted(f"{own}({suffix})", found):
                        member(Path(f"saved{suffix}"))
            elif not OF_THE_PACKAGE.intersection(needed := _needed(member)):
                _walk(own, member(*_arguments(own, needed)), found, seen)


def _needed(method: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters that have to be given."""
    return [
        each.name
        for each in inspect.signature(method).parameters.values()
        if each.default is each.empty
        and each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
    ]


def _arguments(label: str, needed: list[str]) -> list[Any]:
    """Return an argument for each of these parameters."""
    kind = label.partition(".")[0]
    given = {name: ARGUMENTS.get(f"{kind}.{name}", ARGUMENTS.get(name, ...)) for name in needed}
    unknown = [name for name, value in given.items() if value is ...]
    if unknown:
        raise LookupError(f"{label} needs an entry of ARGUMENTS for {', '.join(unknown)}.")
    return list(given.values())


@contextmanager
def _noted(label: str, found: dict[str, str]) -> Iterator[None]:
    try:
        yield
    except imd.InputError as error:
        if "not installed" in str(error):
            found[label] = str(error)
    except Exception as error:
        error.add_note(f"It was raised by {label}.")
        raise
