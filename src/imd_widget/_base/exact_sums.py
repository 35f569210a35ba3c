"""Sums of floats that do not depend on the order of the addends or on how rows are chunked.

Each addend is rounded to the nearest multiple of a step so coarse that any sum of these multiples
is exact in float64; what the rounding left over is rounded once more, to a finer step. The two
sums are kept apart and added last. This is the pre-rounding of reproducible summation (Demmel and
Nguyen, 2013) with two bins: for up to ``n`` addends the error is at most ``n`` times half of the
fine step, that is about ``n**3 * bound * 2**-105``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Sums of multiples of a step are exact while they are below this many steps.
_EXACT_STEPS_LOG2 = 53


@dataclass(frozen=True)
class SumGrid:
    """Two steps to which addends are rounded."""

    #: Powers of two. ``coarse`` is 0 where nothing is rounded: all addends are 0, or so small or so
    #: large that float64 has no such step.
    coarse: float
    fine: float

    @classmethod
    def of(cls, bound: float, n_addends: int) -> SumGrid:
        """Grid for up to ``n_addends`` addends ``a`` with ``abs(a) <= bound``."""
        if not bound or not math.isfinite(bound):
            return cls(0.0, 0.0)
        coarse = _step(bound, n_addends)
        return cls(coarse, _step(coarse / 2, n_addends))

    def parts(
        self, addends: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Multiples of the coarse step, and of the fine step, that add up to the addends."""
        if not self.coarse:
            return addends, np.zeros_like(addends)
        coarse = _rounded(addends, self.coarse)
        return coarse, _rounded(addends - coarse, self.fine)


def _step(bound: float, n_addends: int) -> float:
    """The smallest power of two of which ``n_addends`` multiples up to ``bound`` add up exactly."""
    # two more bits: rounding can exceed the bound by half a step, and `_rounded` needs a margin
    log2 = math.frexp(bound)[1] + math.ceil(math.log2(max(n_addends, 1))) + 2 - _EXACT_STEPS_LOG2
    return math.ldexp(1.0, log2) if log2 < 1024 - _EXACT_STEPS_LOG2 else 0.0


def _rounded(values: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Each value rounded to a multiple of a step: ``abs(value) < 2**51 * step`` must hold.

    Adding ``1.5 * 2**52 * step`` leaves no bit below the step. A step of 0 rounds nothing.
    """
    shift = 1.5 * 2.0**52 * step
    return (values + shift) - shift
