"""Which of two or more models are right about each row, and by how much numbers are off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.outputs.correctness import who_is_right


@dataclass(frozen=True, eq=False)
class Judged:
    """Which models are right about each row."""

    #: Whether each model is right; meaningless where ``known`` is False.
    right: NDArray[np.bool_]
    #: Where there is a truth.
    known: NDArray[np.bool_]
    #: Numbers only: ``output - truth`` of each model, 0 where the truth is not known.
    errors: tuple[NDArray[np.float64], ...] | None = None
    #: Numbers only: the truth, 0 where it is not known.
    truth: NDArray[np.float64] | None = None

    @classmethod
    def of_numbers(
        cls,
        values: Sequence[NDArray[np.float64]],
        actual: NDArray[np.float64],
        right: Sequence[NDArray[np.bool_]],
    ) -> Judged:
        """Numbers whose truth is not known where ``actual`` is NaN."""
        known = ~np.isnan(actual)
        truth = np.where(known, actual, 0)
        errors = tuple(np.where(known, one - truth, 0) for one in values)
        return cls(np.stack(right), known, errors, truth)

    @property
    def distances(self) -> NDArray[np.float64] | None:
        """Numbers only: the distance of each model from the truth, shape (n_models, n_rows)."""
        return None if self.errors is None else np.abs(np.stack(self.errors))

    @property
    def who(self) -> NDArray[np.uint8]:
        """Which of two models is right about each row; see `who_is_right`."""
        first, second = self.right
        return who_is_right(first, second, self.known)
