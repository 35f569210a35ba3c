"""Which model is right about numbers, and by how much either is off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget.outputs.correctness import who_is_right


@dataclass(frozen=True, eq=False)
class NumberTruth:
    """Which model is right about each row, the truth, and ``output - truth`` of either model.

    Both are 0 where the truth is not known.
    """

    right: NDArray[np.uint8]
    errors: tuple[NDArray[np.float64], NDArray[np.float64]]
    truth: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        values: Sequence[NDArray[np.float64]],
        actual: NDArray[np.float64],
        is_apart: Callable[..., Any],
    ) -> NumberTruth:
        """A model is right unless ``is_apart(abs(output - actual), output, actual)``.

        Where ``actual`` is NaN, it is not known.
        """
        known = ~np.isnan(actual)
        truth = np.where(known, actual, 0)
        first, second = (np.where(known, one - truth, 0) for one in values)
        near = [
            ~is_apart(np.abs(error), one, truth)
            for error, one in zip((first, second), values, strict=True)
        ]
        right = who_is_right(near[0], near[1], known)
        return cls(right, (first, second), truth)
