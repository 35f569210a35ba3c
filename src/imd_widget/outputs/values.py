"""Values: numbers of any size, and what is counted of numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError
from imd_widget._base.plain import made
from imd_widget.counting.channels import ValueChannels
from imd_widget.counting.observations import Observations
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import (
    LARGEST_VALUE,
    ComparedOutputs,
    ComparisonInput,
    RelativeTolerance,
    numbers,
)
from imd_widget.outputs.correctness import who_is_right
from imd_widget.outputs.number_outputs import (
    Bounds,
    NumberOutputs,
    number_channels_from_plain,
)
from imd_widget.outputs.number_text import exact_number
from imd_widget.outputs.spec import OutputSpec

Described = TypeVar("Described", bound=NumberOutputs)

#: Values are this part of the spread of both models' outputs apart, or they count as the same.
SPREAD_SHARE = 0.1
#: Outputs further than this many times the usual spread from it count as if they were just there.
FAR = 2
#: Steps in which the average weight of a row is told, where outputs are added up by weight.
COARSE_STEPS = 1024

#: The smallest positive float.
SMALLEST = math.ulp(0.0)

#: Of numbers: the same, model 2 says more, model 2 says less.
DIRECTIONS = np.array([[0, 0], [0, 1], [1, 0]])


@dataclass(frozen=True, eq=False)
class ValueOutputs(NumberOutputs):
    """Numbers of any size: predictions of a regression, scores."""

    kind = "value"
    plural = "values"
    hedge = "about "

    @classmethod
    def bounds(cls, pooled: NDArray[np.float64]) -> Bounds:
        """Quantiles: outliers must not stretch the scale, or the tolerance."""
        low, high = _ends(pooled, 0.01)
        return Bounds(low, high, cls.default_tolerance(pooled))

    @classmethod
    def default_tolerance(cls, pooled: NDArray[np.float64]) -> float:
        """A tenth of the range of the middle 90 %, rounded to two digits."""
        low, high = _ends(pooled, 0.05)
        return float(f"{SPREAD_SHARE * (high - low):.2g}")

    def within(self) -> str:
        """A model is right if ``abs(output - y) <= tolerance``."""
        if self.relative is not None:
            return f"within {100 * self.relative:g} %"
        return f"within {exact_number(self.tolerance)}"


def read_values(case: ComparisonInput) -> ComparedOutputs:
    """Compare outputs as numbers."""
    output_options = case.output_options
    if output_options.class_names is not None:
        raise InputError(
            Argument("class_names"), " has no meaning for values, which are shown as numbers."
        )
    values = tuple(map(as_values, case.model_outputs))
    outputs = value_outputs(ValueOutputs, "value", values, case)
    truth = None
    if case.truth is not None:
        actual = numbers(case.truth, "y", may_miss=True)
        truth = NumberTruth.of(values, actual, outputs.is_apart)
    return compared_numbers(outputs, values, truth, case, as_values)


def as_values(output: ModelOutput) -> NDArray[np.float64]:
    """The output of a model as finite floats."""
    return numbers(output.values, output.argument)


def value_outputs(
    kind: type[Described],
    what: str,
    values: Sequence[NDArray[np.float64]],
    case: ComparisonInput,
) -> Described:
    """Describe the numbers of both models by the class ``kind``."""
    tolerance, relative = case.output_options.tolerance, None
    if isinstance(tolerance, RelativeTolerance):
        relative = tolerance.share
        larger = np.maximum(np.abs(values[0]), np.abs(values[1]))[case.counting]
        tolerance = relative * float(np.median(larger))
    apart = np.abs(values[0] - values[1])[case.counting]
    bounds = kind.bounds(np.concatenate([one[case.counting] for one in values]))
    low, high = bounds.low, bounds.high
    return kind(
        what=what,
        tolerance=bounds.tolerance if tolerance is None else float(tolerance),
        low=low,
        high=high,
        by_default=tolerance is None,
        median_apart=float(np.median(apart)),
        most_apart=float(apart.max()),
        middle=(low + high) / 2,
        spread=(high - low) or 1.0,
        relative=relative,
    )


def _ends(pooled: NDArray[np.float64], tail: float) -> tuple[float, float]:
    """Between these lie all but the tails; all of them, if that were a single point."""
    low, high = np.quantile(pooled, (tail, 1 - tail), method="nearest").tolist()
    return (low, high) if low < high else (float(pooled.min()), float(pooled.max()))


def compared_numbers(
    outputs: NumberOutputs,
    values: Sequence[NDArray[np.float64]],
    truth: NumberTruth | None,
    case: ComparisonInput,
    convert: Callable[[ModelOutput], NDArray[np.float64]],
) -> ComparedOutputs:
    """Describe each row of numbers by what is counted of it."""
    weights = case.weights
    first, second = values
    outcome = np.zeros(len(first), dtype=np.uint8)
    outcome[outputs.is_apart(second - first, first, second)] = 1
    outcome[outputs.is_apart(first - second, first, second)] = 2
    coarse, scale, total = None, 1.0, float(len(first))
    if weights is not None:
        coarse = _coarse(weights.whole)
        total = float(coarse.sum())
        scale = float(weights.whole.sum()) / total
    unit = _unit(outputs, total)
    whole = [_whole(one, outputs, unit) for one in values]
    sums = [number for one in whole for number in (one, one * one)]
    if coarse is not None:
        sums = [coarse, *(coarse * number for number in sums)]
    target = ValueChannels(
        weights is not None,
        slack=min(outputs.slack / unit, LARGEST_VALUE) ** 2,
        variances=(_variance(whole[0], coarse), _variance(whole[1], coarse)),
        weight_scale=scale,
    )
    observations = Observations(
        target,
        outcome=outcome,
        pair=outcome,
        pair_outcome=np.arange(3, dtype=np.uint8),
        numbers=tuple(sums),
        values=(
            (first - outputs.middle) / outputs.spread,
            (second - outputs.middle) / outputs.spread,
        ),
        weight=weights.whole if weights else None,
        right=truth.right if truth else None,
        errors=truth.errors if truth else None,
    )
    usable = np.ones(len(first), dtype=bool)
    return ComparedOutputs(outputs, observations, DIRECTIONS, usable, convert)


def _variance(values: NDArray[np.float64], weight: NDArray[np.float64] | None) -> float:
    mean = np.average(values, weights=weight)
    return float(np.average((values - mean) ** 2, weights=weight))


def _coarse(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weights as whole numbers so small that sums of squares by them stay exact."""
    total, most = float(weight.sum()), len(weight) * COARSE_STEPS
    if total <= most:
        return weight
    return np.where(weight > 0, np.maximum(np.rint(weight * (most / total)), 1), 0)


def _unit(outputs: NumberOutputs, weight: float) -> float:
    """The step in which values are counted: as fine as sums of squares stay exact."""
    bits = (52 - math.ceil(math.log2(max(weight, 2)))) // 2
    reach = (FAR + 0.5) * (outputs.high - outputs.low)
    # of the smallest floats there is no part: then a step is one of them
    return max(reach / 2.0 ** min(bits, 20), SMALLEST) if reach > 0 else 1.0


def _whole(values: NDArray[np.float64], outputs: NumberOutputs, unit: float) -> NDArray[np.float64]:
    """Values as whole steps from the middle. A few wild ones must not hide all the others."""
    reach = (FAR + 0.5) * (outputs.high - outputs.low)
    near = np.clip(values - outputs.middle, -reach, reach)
    return np.asarray(np.rint(near / unit))


@dataclass(frozen=True, eq=False)
class NumberTruth:
    """Which model is right about each row, and the distance of either model from the truth."""

    right: NDArray[np.uint8]
    errors: tuple[NDArray[np.float64], NDArray[np.float64]]

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
        first, second = (np.where(known, np.abs(one - truth), 0) for one in values)
        near = [
            ~is_apart(apart, one, truth) for apart, one in zip((first, second), values, strict=True)
        ]
        right = who_is_right(near[0], near[1], known)
        return cls(right, (first, second))


VALUES = OutputSpec(
    kind=ValueOutputs.kind,
    claims=lambda _: True,
    read=read_values,
    from_plain=partial(made, ValueOutputs),
    channels_from_plain=number_channels_from_plain,
    hedge=ValueOutputs.hedge,
)
