"""Suggestions where rules explain little: what rules may use, another tolerance or output kind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from imd_widget.comparison.confusion import Confusion
from imd_widget.comparison.dataset import sample_of
from imd_widget.comparison.given import NUMBERS, choices
from imd_widget.comparison.unsure import Unsure, where_unsure
from imd_widget.methods import Calibrated
from imd_widget.models.adapters import gives_probabilities

if TYPE_CHECKING:
    from imd_widget.comparison.diff_rows import DiffRows

#: Below this correlation rules explain little.
LITTLE = 0.5
#: A change is proposed if it raises the correlation by at least this much.
CLEARLY_MORE = 0.1
#: A model that is unsure of a smaller share of the differences is not mentioned.
MOST = 0.5
#: Rows used to fit, and rows kept aside, on which a change is tried at most.
MOST_ROWS = 30_000
#: Quantiles of the distance of the outputs that are tried as tolerances.
QUANTILES = (0.5, 0.75, 0.9)
#: Outputs in single precision are rounded by up to about this part of the largest one.
ROUNDING = 1e-6


@dataclass(frozen=True)
class Advice:
    """A change of the comparison, and what it would do."""

    #: The option of `imd_widget.diff` to change.
    kind: Literal["given", "tolerance", "outputs"]
    #: Its value: "m1", "m2" or "margins", a tolerance, or "proba".
    value: str | float
    #: Matthews' correlation with the change and without, measured alike; None if the change was not
    #: tried, because the models would have to be called.
    mcc: float | None = None
    present_mcc: float | None = None
    #: For "margins": how many of the differences are where a model is unsure.
    unsure: Unsure | None = None

    @property
    def options(self) -> dict[str, Any]:
        """The change as arguments: ``d.change(**advice.options)``.

        With ``outputs`` they are arguments of `imd_widget.diff` instead, because the models have to
        be called again.
        """
        return {self.kind: self.value}


def suggest(results: DiffRows) -> tuple[Advice, ...]:
    """Return the changes that would explain more; none if the rules explain enough or are known."""
    if results.fit.known:
        return ()
    metrics = results.measured.metrics
    present = metrics.mcc or 0.0
    method = results.method
    if not isinstance(method, Calibrated) or method.given is not None:
        return ()
    if metrics.n_differing == 0 or present >= LITTLE:
        return ()
    small = on_fewer_rows(results)
    found: list[Advice] = []
    if metrics.n_differing < metrics.n_rows:
        found += _given_model(results, small, present) + _where_unsure(results, present)
        found.sort(key=lambda advice: -(advice.mcc or 0.0))
    if present < LITTLE / 2:
        found += _other_tolerance(small, present) + _other_kind(results)
    return tuple(found)


def _given_model(results: DiffRows, small: DiffRows, present: float) -> list[Advice]:
    """Propose that rules may use the outputs of one model, if they then explain clearly more.

    Not if that model is the ground truth. Nor if the surrogate of the other model, which uses
    columns alone, finds the differences nearly as well: such rules only repeat that model.
    """
    possible = choices(results.models.names, results.right_from(results.totals.right))
    if not possible:
        return []
    given = small.changed(replace(results.method, given="auto", scores=False))
    model = given.method.given
    assert model in NUMBERS
    score = given.measured.metrics.mcc or 0.0
    known = max(present, _mcc_of_surrogate(small, NUMBERS[model]))
    if model not in possible or score < known + CLEARLY_MORE:
        return []
    return [Advice("given", model, score, present)]


def _where_unsure(results: DiffRows, present: float) -> list[Advice]:
    """Propose that rules may use how sure the models are, if one is unsure of most differences."""
    found = where_unsure(results)
    if found is None or found.mcc < present + CLEARLY_MORE or found.unsure.differing < MOST:
        return []
    return [Advice("given", "margins", found.mcc, present, found.unsure)]


def _mcc_of_surrogate(results: DiffRows, model: int) -> float:
    """Return the correlation of differing from the other model, and from its surrogate."""
    dataset, tree = results.dataset, results.tree
    rows = dataset.holdout if len(dataset.holdout) else dataset.fit
    outputs = results.compared.outputs
    said = outputs.predictions_at(results.compared.observations, rows)[model]
    described = tree.leaf_outputs[results.leaves_of(rows)[:, 1 - model]]
    both = (said, described) if model == 0 else (described, said)
    apart = tree.outputs.are_apart(*both)
    weight = None if dataset.weights is None else dataset.weights.whole[rows]
    return Confusion.of(np.asarray(apart, dtype=bool), results.differs_at(rows), weight).mcc


def on_fewer_rows(results: DiffRows) -> DiffRows:
    """Return the results with the same options, to be fitted again on at most `MOST_ROWS` rows.

    Of more than twice as many rows only the sampled ones are kept, and outputs are compared with
    another tolerance on them alone; not so if there are new rows, to which every row belongs.
    """
    dataset, fit_input = results.dataset, results.fit_input
    fit, holdout = dataset.few_rows(MOST_ROWS, dataset.random_state + 1)
    rows = None
    if dataset.n_rows <= 2 * MOST_ROWS or dataset.new is not None:
        few = dataset.with_rows(fit, holdout)
    else:
        few, rows = sample_of(dataset, fit, holdout), np.union1d(fit, holdout)
    measured = replace(results.measured_dataset, dataset=few)
    comparison, compared = fit_input.comparison.take(rows, results.compared, measured)
    fit_input = replace(fit_input, table=few.tables[0], comparison=comparison, grouping=None)
    return replace(results, fit_input=fit_input, measured_dataset=measured, compared=compared)


def _other_tolerance(results: DiffRows, present: float) -> list[Advice]:
    """Return the best of some other tolerances, if it explains clearly more."""
    tolerance = results.tree.outputs.tolerance
    if tolerance is None:
        return []
    tried: dict[float, float] = {}
    for other in _tolerances(results):
        if not np.isclose(other, tolerance):
            metrics = results.changed(results.method, other).measured.metrics
            tried[other] = metrics.mcc or 0.0
    best = max(tried, key=tried.__getitem__, default=None)
    if best is None or tried[best] < present + CLEARLY_MORE:
        return []
    return [Advice("tolerance", best, tried[best], present)]


def _tolerances(results: DiffRows) -> list[float]:
    """Return quantiles of the distance of the outputs on the table, rounded to two digits.

    Distances that are no larger than the rounding of single precision are left out.
    """
    outputs, observed = results.compared.outputs, results.compared.observations
    first, second = outputs.predictions(observed, results.table.n_rows)
    distance: NDArray[np.float64] = np.abs(first - second)
    quantiles = np.quantile(distance, QUANTILES)
    least = ROUNDING * max(float(np.abs(own).max()) for own in (first, second))
    return sorted({float(f"{quantile:.2g}") for quantile in quantiles if quantile > least})


def _other_kind(results: DiffRows) -> list[Advice]:
    """Propose to compare probabilities instead of labels, if both models give them."""
    models: tuple[Any, ...] = results.models.models or ()
    finer = results.tree.outputs.finer_kind
    if finer is None or not models or not all(map(gives_probabilities, models)):
        return []
    return [Advice("outputs", finer)]
