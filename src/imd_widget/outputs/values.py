"""Values: numbers of any size, and what is counted of numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError
from imd_widget._base.plain import from_json
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import (
    ComparedOutputs,
    ComparisonInput,
    OutputOptions,
    RelativeTolerance,
    numbers,
)
from imd_widget.outputs.judging import Judged
from imd_widget.outputs.number_outputs import (
    Bounds,
    NumberOutputs,
    number_channels_from_plain,
)
from imd_widget.outputs.number_steps import OutputSpread, Steps, rounded_outwards
from imd_widget.outputs.number_text import exact_number
from imd_widget.outputs.spec import OutputSpec

Described = TypeVar("Described", bound=NumberOutputs)

#: Values are this part of the spread of both models' outputs apart, or they count as the same.
SPREAD_SHARE = 0.1
#: Outcomes of numbers: the same, model 2 gives more, model 2 gives less.
DIRECTIONS = np.array([[0, 0], [0, 1], [1, 0]])
#: Whether numbers that are ``by`` apart differ, from ``by``, the first and the second.
IsApart = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True, eq=False)
class ValueOutputs(NumberOutputs):
    """Numbers of any size: predictions of a regression, scores."""

    kind = "value"
    plural = "values"
    hedge = "about "
    score_name = "mean absolute error"
    scores_errors = True

    @classmethod
    def bounds(cls, spread: OutputSpread) -> Bounds:
        """Quantiles: outliers must not stretch the scale, or the tolerance.

        The ends are rounded outwards, so that none is the output for a single row: files hold them.
        """
        low, high = rounded_outwards(*spread.ends)
        return Bounds(low, high, cls.default_tolerance(*spread.usual))

    @classmethod
    def default_tolerance(cls, low: float, high: float) -> float:
        """A tenth of the range of the middle 90 % of the outputs, rounded to two digits."""
        return float(f"{SPREAD_SHARE * (high - low):.2g}")

    @property
    def within(self) -> str:
        """A model is right if ``abs(output - y) <= tolerance``."""
        if self.relative is not None:
            return f"within {100 * self.relative:g} %"
        return f"within {exact_number(self.tolerance)}"


@dataclass(frozen=True, eq=False)
class NumberPlan:
    """How the outputs of two models become numbers: all that does not depend on a single row."""

    kind: type[NumberOutputs]
    #: What an output is: "value", "probability of yes".
    what: str
    #: From the output of a model, for any rows, to numbers.
    convert: Callable[[ModelOutput], NDArray[np.float64]]
    #: From the truth to numbers, NaN where it is not known; None without a truth.
    actual: Callable[[NDArray[Any]], NDArray[np.float64]] | None
    #: Whether numbers are right, from these, the true ones and the test of two being apart.
    is_right: Callable[[NDArray[np.float64], NDArray[np.float64], IsApart], NDArray[np.bool_]]
    #: Called with the models and with whether each of them gives 0 and 1 only.
    remark: Callable[[Sequence[ModelOutput], Sequence[bool]], None] = lambda *_: None

    def judge(
        self,
        values: Sequence[NDArray[np.float64]],
        truth: NDArray[Any] | None,
        is_apart: IsApart,
    ) -> Judged | None:
        """Which models are right, from their numbers; None without a truth."""
        if self.actual is None or truth is None:
            return None
        actual = self.actual(truth)
        right = [self.is_right(one, actual, is_apart) for one in values]
        return Judged.of_numbers(values, actual, right)


def plan_values(case: ComparisonInput) -> NumberPlan:
    """Compare outputs as numbers of any size."""
    if case.output_options.class_names is not None:
        raise InputError(
            Argument("class_names"), " has no meaning for values, which are shown as numbers."
        )
    actual = None if case.truth is None else partial(numbers, argument="y", may_miss=True)
    return NumberPlan(ValueOutputs, "value", as_values, actual, _is_near)


def _is_near(
    values: NDArray[np.float64], actual: NDArray[np.float64], is_apart: IsApart
) -> NDArray[np.bool_]:
    truth = np.where(np.isnan(actual), 0, actual)
    return np.asarray(~is_apart(np.abs(values - truth), values, truth))


def read_numbers(
    plan_of: Callable[[ComparisonInput], NumberPlan], case: ComparisonInput
) -> ComparedOutputs:
    """Compare outputs as numbers, by the plan that is made of them."""
    plan = plan_of(case)
    values = tuple(map(plan.convert, case.model_outputs))
    plan.remark(case.model_outputs, list(map(only_flags, values)))
    outputs = value_outputs(
        plan.kind, plan.what, OutputSpread.of(values, case), case.output_options
    )
    judged = plan.judge(values, case.truth, outputs.is_apart)
    return compared_numbers(outputs, values, judged, case, plan.convert)


def only_flags(values: NDArray[np.float64]) -> bool:
    """Whether all numbers are 0 or 1."""
    return bool(np.isin(values, (0, 1)).all())


def as_values(output: ModelOutput) -> NDArray[np.float64]:
    """The output of a model as finite floats."""
    return numbers(output.values, output.argument)


def value_outputs(
    kind: type[Described], what: str, spread: OutputSpread, options: OutputOptions
) -> Described:
    """Describe the numbers of both models by the class ``kind``."""
    tolerance, relative = options.tolerance, None
    if isinstance(tolerance, RelativeTolerance):
        relative = tolerance.share
        tolerance = relative * (spread.median_larger or 0.0)
    bounds = kind.bounds(spread)
    low, high = bounds.low, bounds.high
    return kind(
        what=what,
        tolerance=bounds.tolerance if tolerance is None else float(tolerance),
        low=low,
        high=high,
        by_default=tolerance is None,
        median_apart=spread.median_apart,
        most_apart=spread.most_apart,
        middle=(low + high) / 2,
        spread=(high - low) or 1.0,
        relative=relative,
    )


def compared_numbers(
    outputs: NumberOutputs,
    values: Sequence[NDArray[np.float64]],
    judged: Judged | None,
    case: ComparisonInput,
    convert: Callable[[ModelOutput], NDArray[np.float64]],
) -> ComparedOutputs:
    """Describe each row of numbers by what is counted of it."""
    weight = case.weights.whole if case.weights else None
    steps = Steps.of(outputs, len(values[0]), weight)
    target = steps.channels(steps.totals(values, weight))
    observations = steps.observations(target, values, judged, weight)
    usable = np.ones(len(values[0]), dtype=bool)
    return ComparedOutputs(outputs, observations, DIRECTIONS, usable, convert)


VALUES = OutputSpec(
    kind=ValueOutputs.kind,
    claims=lambda _: True,
    read=partial(read_numbers, plan_values),
    plan=plan_values,
    from_plain=partial(from_json, ValueOutputs),
    channels_from_plain=number_channels_from_plain,
    hedge=ValueOutputs.hedge,
)
