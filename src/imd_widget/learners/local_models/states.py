"""A combined model after an iteration, and what is kept of its history."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError
from imd_widget.learners.local_models.mixture import (
    Floats,
    local_share,
    log_responsibilities,
    mixed,
)
from imd_widget.learners.local_models.parts import Component

#: Bounds of a log density: an infinite one would leave a row without any responsible part.
_FARTHEST = 1e9


def log_densities(densities: tuple[Any, ...], Z: Floats) -> Floats:
    """Logarithm of each density at each row, shape (n_samples, n_parts)."""
    columns = [np.asarray(density.score_samples(Z), dtype=float) for density in densities]
    found = np.column_stack(columns)
    if np.isnan(found).any():
        raise InputError(
            Argument("density"),
            " gave NaN in score_samples.",
            hint="Each row needs the logarithm of a density; -inf is taken, NaN is not.",
        )
    result: Floats = np.clip(found, -_FARTHEST, _FARTHEST)
    return result


@dataclass(frozen=True)
class State:
    """The mixture after an iteration."""

    #: 0 is the state before the first one: all parts were learned from all rows.
    iteration: int
    #: The global model first.
    parts: tuple[Component, ...]
    #: One for each part; empty before the first iteration, where all rows are alike.
    densities: tuple[Any, ...]
    log_prior: Floats
    #: Number of rows that each part was fitted to.
    n_rows: tuple[int, ...]
    #: Complexity of the global model.
    size: float

    def log_responsibilities(self, Z: Floats) -> Floats:
        """Logarithm of ``P(z = j | x)``, shape (n_samples, n_parts)."""
        flat = np.zeros((len(Z), len(self.parts)))
        density = log_densities(self.densities, Z) if self.densities else flat
        return log_responsibilities(self.log_prior, density)

    def part_proba(self, X: Any) -> Floats:
        """Probabilities of each part, shape (n_parts, n_samples, n_classes)."""
        return np.stack([part.proba(X) for part in self.parts])

    def proba(self, X: Any, Z: Floats) -> Floats:
        """Probabilities of the mixture, shape (n_samples, n_classes)."""
        return mixed(np.exp(self.log_responsibilities(Z)), self.part_proba(X))


@dataclass(frozen=True)
class MeasuredState:
    """A state with its figures on the training rows."""

    state: State
    #: Share of the rows that the combined model, and the global model, classify wrongly.
    error: float
    global_error: float
    #: Share of the rows that the two classify differently.
    disagreement: float
    #: Mean responsibility of all local models together.
    local_share: float
    #: Mean of the largest difference of a probability between the two.
    mean_gap: float

    @classmethod
    def of(cls, state: State, X: Any, Z: Floats, codes: NDArray[np.intp]) -> MeasuredState:
        """Figures of the state on the rows that it was learned from."""
        responsibility = np.exp(state.log_responsibilities(Z))
        proba = state.part_proba(X)
        combined = mixed(responsibility, proba)
        said, said_globally = combined.argmax(axis=1), proba[0].argmax(axis=1)
        return cls(
            state=state,
            error=float((said != codes).mean()),
            global_error=float((said_globally != codes).mean()),
            disagreement=float((said != said_globally).mean()),
            local_share=local_share(responsibility),
            mean_gap=float(np.abs(combined - proba[0]).max(axis=1).mean()),
        )


def history_frame(measured: list[MeasuredState], chosen: int) -> pd.DataFrame:
    """A row for each iteration, the state before the first one included."""
    return pd.DataFrame(
        [
            {
                "iteration": one.state.iteration,
                "size": one.state.size,
                "error": one.error,
                "global_error": one.global_error,
                "disagreement": one.disagreement,
                "local_share": one.local_share,
                "mean_gap": one.mean_gap,
                "n_local": len(one.state.parts) - 1,
                "global_rows": one.state.n_rows[0],
                "local_rows": sum(one.state.n_rows[1:]) if one.state.iteration else 0,
                "chosen": one.state.iteration == chosen,
            }
            for one in measured
        ]
    )
