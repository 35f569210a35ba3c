"""What rules may use beside the columns, and how much they then explain, to choose between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import pandas as pd

from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.errors import InputError, Setting
from imd_widget.comparison.cross_fit import held_out
from imd_widget.comparison.diff_rows import DiffRows
from imd_widget.comparison.given import NUMBERS, choices
from imd_widget.methods import Calibrated, Method

GivenOption = Literal["nothing", "m1", "m2", "margins"]


@dataclass(frozen=True)
class Alternative:
    """What rules may use, and how much they then explain.

    Attributes
    ----------
    name : str
        In words: "columns", "columns and scores", "given LR's output", "given LR's probability of
        yes" or "given both models' margins".
    given : {"nothing", "m1", "m2", "margins"}
        The option ``given`` of `ModelDiff.change`.
    scores : bool
        The option ``scores`` of `ModelDiff.change`.
    n_rules : int
        Number of rules.
    mcc : float or None
        Matthews' correlation of "inside a rule" and "the models differ", on rows that were not used
        to fit the rules; None if there are no such rows.
    """

    name: str
    given: GivenOption
    scores: bool
    n_rules: int
    mcc: float | None

    @property
    def options(self) -> dict[str, Any]:
        """The arguments of `ModelDiff.change` that show it."""
        return {"given": self.given, "scores": self.scores}


@dataclass(frozen=True, eq=False, repr=False)
class Alternatives(Displayed):
    """What rules may use, side by side.

    Attributes
    ----------
    entries : tuple of Alternative
        One for each choice that is possible for the pair of models.
    """

    entries: tuple[Alternative, ...]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Alternative]:
        return iter(self.entries)

    def __getitem__(self, number: int) -> Alternative:
        return self.entries[number]

    @property
    def best(self) -> Alternative:
        """The one with the largest correlation, the first of ties."""
        return max(self.entries, key=lambda one: -1.0 if one.mcc is None else one.mcc)

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row for each."""
        return pd.DataFrame(
            {
                "rules may use": [one.name for one in self.entries],
                "rules": [one.n_rules for one in self.entries],
                "mcc": [float("nan") if one.mcc is None else one.mcc for one in self.entries],
                "given": [one.given for one in self.entries],
                "scores": [one.scores for one in self.entries],
            }
        )

    def __str__(self) -> str:
        return "\n".join(
            f"{one.name}: {one.n_rules} {'rule' if one.n_rules == 1 else 'rules'}, "
            + ("MCC unknown" if one.mcc is None else f"MCC {one.mcc:.2f}")
            for one in self.entries
        )

    def __repr__(self) -> str:
        return f"<Alternatives: {len(self)}, best: {self.best.name}>"

    def _report(self) -> Report:
        return Report(table=self.to_frame(), digits="{:.2f}")


def possible_methods(rows: DiffRows) -> tuple[Method, ...]:
    """Return the method with each choice of what rules may use; the present one is among them."""
    method = rows.method
    if not isinstance(method, Calibrated):
        raise InputError(
            "the alternatives differ in what rules may use beside the columns, which is an option "
            "of ",
            Setting("method", "calibrated"),
            f" alone; this diff was made with {method.name!r}.",
        )
    columns = replace(method, given=None, scores=False)
    in_memory = rows.dataset.in_memory
    found: list[Method] = [columns]
    if rows.compared.outputs.labels:
        found.append(replace(columns, scores=True))
    right = rows.right_from(rows.totals.right)
    found += [replace(columns, given=own) for own in choices(rows.models.names, right)]
    if in_memory and rows.has_margins:
        found.append(replace(columns, given="margins"))
    return tuple(found) if method in found else (method, *found)


def compare_alternatives(
    rows: DiffRows, methods: tuple[Method, ...], after_each: Callable[[int], object]
) -> Alternatives:
    """Fit and measure each of some methods, without refinement.

    Parameters
    ----------
    rows : DiffRows
    methods : tuple of Method
    after_each : callable
        Called with the number of methods done; an exception that it raises ends the work.
    """
    found = []
    for number, method in enumerate(methods, start=1):
        is_present = method == rows.method and not rows.refinements
        fitted = rows if is_present else rows.changed(method)
        # without a score that ranks the rows well, the rules are those of the columns
        has_scores = fitted.dataset.without_scores() is not fitted.dataset
        if is_present or has_scores or not method.scores:
            found.append(_alternative(fitted))
        after_each(number)
    return Alternatives(tuple(found))


def _alternative(fitted: DiffRows) -> Alternative:
    given, scores = fitted.method.given, fitted.method.scores
    assert given != "auto"
    return Alternative(
        _name(fitted, scores), given or "nothing", scores, len(fitted.ranked), _mcc(fitted)
    )


def _name(fitted: DiffRows, scores: bool) -> str:
    given = fitted.method.given
    if given is None:
        return "columns and scores" if scores else "columns"
    if given in NUMBERS:
        name = f"given {fitted.models.names[NUMBERS[given]]}'s output"
    else:
        columns = [str(own.name) for own in fitted.dataset.columns if own.given]
        name = "given both models' margins" if len(columns) == 2 else f"given {columns[0]}"
    return f"{name}, and scores" if scores else name


def _mcc(fitted: DiffRows) -> float | None:
    """Return the correlation on rows not used to fit; in folds if the diff has no such rows."""
    if fitted.measured_by != "none":
        return fitted.measured.metrics.mcc
    if not fitted.dataset.in_memory or fitted.method.augment is not None:
        return None
    found = held_out(
        fitted.dataset,
        fitted.compared,
        fitted.method,
        fitted.fit_input.n_chunks,
        fitted.with_rows,
    )
    return None if found is None else found.mcc
