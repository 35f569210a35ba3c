"""What probabilities and values share: outputs are numbers, and differ by an amount."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.plain import Plain, from_json, matches_type, shown
from imd_widget.counting.channels import Channels, Purpose, ValueChannels
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.interface import (
    Counted,
    NodeOutputs,
    NodeTotals,
    Outputs,
    RegionTotals,
    RightView,
    RuleDetails,
    RuleOutcomes,
    RuleOutputs,
    Scale,
)
from imd_widget.outputs.number_text import exact_number, short_number

if TYPE_CHECKING:
    from imd_widget.outputs.number_steps import OutputSpread

#: A number is shown to about this part of the tolerance.
SHOWN_PART = 5


@dataclass(frozen=True)
class Bounds:
    """The ends of the scale of numbers, and their tolerance if the user gave none."""

    low: float
    high: float
    tolerance: float


@dataclass(frozen=True, eq=False)
class NumberOutputs(Outputs):
    """Numbers that both models give, and when two of them differ."""

    main_loss = "absolute error"
    #: What an output is: "value", "probability of yes".
    what: str
    #: Two outputs differ if ``abs(first - second) > tolerance``; see `is_above`.
    tolerance: float
    #: Nearly all outputs lie between these: the ends of a scale.
    low: float
    high: float
    #: Outputs are added up as ``(output - middle) / spread``.
    middle: float
    spread: float
    #: Whether the user gave no tolerance.
    by_default: bool
    #: Median and maximum of ``abs(first - second)``.
    median_apart: float
    most_apart: float
    #: For a relative tolerance, the share of the larger output; ``tolerance`` is this share of the
    #: median of the larger outputs, and decides how finely numbers are shown and split.
    relative: float | None = None

    labels = ()
    class_names = ()

    #: What a score of several models is.
    score_name: ClassVar[str]
    #: Whether that score is the mean of the errors, otherwise the share of rows that are right.
    scores_errors: ClassVar[bool]

    @classmethod
    @abstractmethod
    def bounds(cls, spread: OutputSpread) -> Bounds:
        """The ends of the scale and the default tolerance, from the spread of the outputs."""

    @classmethod
    @abstractmethod
    def default_tolerance(cls, low: float, high: float) -> float:
        """The tolerance if the user gave none and most outputs lie from ``low`` to ``high``."""

    @property
    @abstractmethod
    def plural(self) -> str:
        """What several outputs are: "values"."""

    @property
    @abstractmethod
    def hedge(self) -> str:
        """What a sentence puts before a mean; see `OutputSpec`."""

    @property
    @abstractmethod
    def within(self) -> str | None:
        """What a model is that counts as right: "within 5"; None if it is right or wrong."""

    @property
    def differs(self) -> str:
        """When two outputs differ, in words."""
        return distance_text(self.tolerance, self.relative)

    @property
    def disagree(self) -> str:
        """What two models do on a row that differs."""
        if not self.tolerance and self.relative is None:
            return f"give different {self.plural}"
        return f"give {self.plural} {self.differs}"

    @property
    def agreement(self) -> str:
        """What is added to "the models agree on all rows"."""
        return f": no two {self.plural} are {self.differs}" if self.tolerance else ""

    def is_apart(self, by: Any, first: Any, second: Any) -> Any:
        """Whether outputs that are ``by`` apart differ; ``by`` may be negative."""
        return are_beyond(by, first, second, self.tolerance, self.relative)

    def are_apart(self, first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether numbers differ by more than the tolerance, by row."""
        return np.asarray(self.is_apart(np.abs(first - second), first, second))

    def text(self, value: float) -> str:
        """A number to the precision at which a difference shows: 310k, 0.31."""
        return short_number(value, self._finest)

    def texts(self, values: Sequence[Any]) -> list[str]:
        """Numbers as text."""
        return [self.text(value) for value in values]

    def error_text(self, error: float) -> str:
        """A distance to one digit more: errors are compared with each other."""
        return short_number(error, self._finest / 10)

    def right_texts(self, right: Right) -> RightView:
        """Errors and means, to the precision at which errors are compared with each other."""

        def texts(pair: tuple[float, float] | None) -> tuple[str, str] | None:
            return (self.error_text(pair[0]), self.error_text(pair[1])) if pair else None

        errors, rmse = texts(right.errors), texts(right.rmse)
        closer = None
        if right.errors and right.rmse and errors and rmse:
            smaller = {pair.index(min(pair)) for pair in (right.errors, right.rmse)}
            told = errors[0] != errors[1] and rmse[0] != rmse[1]
            closer = smaller.pop() if told and len(smaller) == 1 else None
        return RightView.of(
            right,
            within=self.within,
            errors=errors,
            rmse=rmse,
            mean_y=None if right.mean_y is None else self.error_text(right.mean_y),
            mean_outputs=texts(right.mean_outputs),
            closer=closer,
        )

    def way_texts(self, pairs: NDArray[np.int64]) -> list[str]:
        """Whether the output of model 2 is higher or lower."""
        return ["higher" if second > first else "lower" for first, second in pairs.tolist()]

    def losses(
        self, errors: Sequence[NDArray[np.float64]], truth: NDArray[np.float64]
    ) -> dict[str, NDArray[np.float64]]:
        """Absolute and squared errors of both models."""
        del truth
        both = np.stack(errors)
        return {"absolute error": np.abs(both), "squared error": both**2}

    @property
    def smallest_error(self) -> str:
        """The smallest error that `error_text` does not show as 0."""
        step = 10.0 ** math.floor(math.log10(self._finest / 10))
        return short_number(step, step)

    @property
    def _finest(self) -> float:
        return self.tolerance / SHOWN_PART or (self.high - self.low) / 10_000

    def mean_difference_notes(self, mean: float | None, names: Sequence[str]) -> tuple[str, ...]:
        """By how much model 2 is above model 1 on average."""
        if mean is None:
            return ()
        first, second = names
        if not mean:
            return (f"On average {first} and {second} are equal.",)
        size = self.error_text(abs(mean))
        if size == "0":
            size = f"under {self.smallest_error}"
        return (f"On average {second} is {size} {'higher' if mean > 0 else 'lower'} than {first}.",)

    def distance_notes(self) -> tuple[str, ...]:
        """Median and maximum distance, if the user gave no tolerance."""
        if not self.by_default:
            return ()
        median, largest = (short_number(x, x / 10) for x in (self.median_apart, self.most_apart))
        return (
            f"Half of the rows are at most {median} apart, the furthest {largest}; the tolerance "
            "sets what counts as different.",
        )

    def decoded(self, outputs: NDArray[Any]) -> NDArray[Any]:
        """The numbers of a model."""
        return outputs

    def mean_difference(self, sums: NDArray[np.float64], weight: float) -> float | None:
        """The mean of model 2's outputs less model 1's."""
        coarse, fine = (sums[:, 1] - sums[:, 0]).tolist()
        mean = (coarse + fine) / weight
        # a difference far below the spread of the outputs is that of their rounding
        return float(f"{round(mean, 12) * self.spread:.10g}")

    def mean(self, total: float, weight: float) -> float:
        """The mean of outputs from their sum, to the digits that do not depend on their order."""
        scaled = round(float(total) / max(float(weight), 1.0), 12)
        return float(f"{scaled * self.spread + self.middle:.12g}")

    @property
    def slack(self) -> float:
        """Standard deviation up to which a leaf counts as pure."""
        return self.tolerance / 4

    def means(self, sums: NDArray[np.float64], weight: NDArray[np.int64]) -> NDArray[np.float64]:
        """Mean output of either model: shape (n_nodes, 2)."""
        return np.array(
            [
                [self.mean(own[0], total), self.mean(own[2], total)]
                for own, total in zip(sums.tolist(), weight.tolist(), strict=True)
            ]
        )

    def spreads(self, sums: NDArray[np.float64], weight: NDArray[np.int64]) -> NDArray[np.float64]:
        """Standard deviation of either model's outputs: shape (n_nodes, 2)."""
        total = np.maximum(weight, 1)[:, None]
        variances = sums[:, 1:4:2] / total - (sums[:, 0:4:2] / total) ** 2
        return np.sqrt(np.maximum(variances, 0)) * self.spread

    def leaf_outputs(self, nodes: NodeTotals, is_leaf: NDArray[np.bool_]) -> NDArray[Any]:
        """The mean that each leaf predicts; NaN for other nodes."""
        return np.where(is_leaf, nodes.means[np.arange(len(is_leaf)), nodes.side - 1], np.nan)

    def leaf_text(self, nodes: NodeTotals, leaf: int) -> str:
        """The mean that a leaf predicts."""
        return self.text(nodes.value(leaf))

    def is_impure(self, nodes: NodeTotals, leaf: int) -> bool:
        """Whether the standard deviation of the leaf's own model is above a quarter tolerance."""
        return bool(nodes.spreads[leaf, int(nodes.side[leaf]) - 1] > self.slack)

    def leaf_pair(self, nodes: NodeTotals, pair: tuple[int, int]) -> tuple[int, int]:
        """(0, 1) if the second mean is above the first by more than the tolerance, (1, 0) if below.

        (0, 0) if the means do not differ.
        """
        first, second = map(nodes.value, pair)
        if not self.is_apart(abs(first - second), first, second):
            return 0, 0
        return (0, 1) if first < second else (1, 0)

    def fidelity(
        self, nodes: NodeTotals, counted: Counted, task: Purpose, leaves: NDArray[np.intp]
    ) -> float:
        """Share of the variance of a model's outputs that the means of its leaves explain."""
        total, squares = counted.sums[:, 2 * task], counted.sums[:, 2 * task + 1]
        weight = nodes.target.weight(counted.counts.T)
        mean = (nodes.means[leaves, task] - self.middle) / self.spread
        left = (squares[leaves] - 2 * mean * total[leaves] + mean**2 * weight[leaves]).sum()
        spread = squares[0] - total[0] ** 2 / weight[0]
        # below the smallest numbers a quotient means nothing
        if spread <= max(1e-12 * abs(squares[0]), 1e-290):
            return float(left <= 1e-9 * abs(squares[0]) or left <= 0)
        return float(1 - left / spread)

    def node_view(self, nodes: NodeTotals, node: int, is_leaf: bool) -> NodeOutputs:
        """The means of both models; for a leaf its own, and its spread if it is impure."""
        view = NodeOutputs(
            label=None,
            said=None,
            value=None,
            purity=None,
            spread=None,
            counts=((), ()),
            means=(float(nodes.means[node, 0]), float(nodes.means[node, 1])),
        )
        if is_leaf:
            view["value"], view["said"] = nodes.value(node), self.leaf_text(nodes, node)
            if self.is_impure(nodes, node):
                spread = float(nodes.spreads[node, int(nodes.side[node]) - 1])
                view["spread"] = f"± {self.text(spread)}"
        return view

    def rule_outcomes(self, nodes: NodeTotals, region: RegionTotals) -> RuleOutcomes:
        """The means of either model inside; those of the first two leaves if no row is inside."""
        weight = int(nodes.target.weight(region.fit.counts))
        if weight:
            first, second = (self.mean(region.fit.sums[at], weight) for at in (0, 2))
        else:
            first, second = map(nodes.value, region.leaves[0])
        said = (f"{self.hedge}{self.text(first)}", f"{self.hedge}{self.text(second)}")
        return RuleOutcomes((first, second), said)

    def common_outcomes(self, nodes: NodeTotals, region: RegionTotals) -> tuple[int, int]:
        """No direction."""
        del nodes, region
        return 0, 0

    def rule_details(
        self,
        region: RegionTotals,
        pairs: NDArray[np.int64],
        differing: int,
        amount: Callable[[int], float],
    ) -> RuleDetails:
        """Rows on which model 2 is above and below model 1, and when a row differs."""
        del pairs, differing
        up, down = (amount(region.fit.counts[way]) for way in (1, 2))
        return {"up": up, "down": down, "differs": self.differs, "within": self.within}

    def rule_view(
        self,
        nodes: NodeTotals,
        inside: Sequence[int],
        outcomes: tuple[Any, Any],
        said: tuple[str, str],
    ) -> RuleOutputs:
        """The means, and their text without "about", which a view adds itself."""
        del nodes, inside, said
        one, two = self.texts(outcomes)
        return RuleOutputs(outcomes=None, values=outcomes, said=(one, two), usual=None)

    def check_outcomes(self, outcomes: tuple[Any, Any]) -> None:
        """Raise ValueError if an outcome is not a finite number."""
        if not matches_type(outcomes, tuple[float, float]):
            raise ValueError(f"a rule has the outcome {shown(outcomes)}, which are not numbers")

    @property
    def scale(self) -> Scale:
        """The ends between which nearly all outputs lie."""
        return Scale(self.low, self.high, self.text(self.low), self.text(self.high))

    def to_plain(self) -> dict[str, Any]:
        """Kind and fields."""
        return {"kind": self.kind, **asdict(self)}

    @property
    def options(self) -> dict[str, Any]:
        """Options that compare the numbers again: two probabilities are two numbers, too."""
        if self.relative is not None:
            return {"outputs": "value", "tolerance": f"{100 * self.relative!r} %"}
        return {"outputs": "value", "tolerance": self.tolerance}


def distance_text(tolerance: float, relative: float | None) -> str:
    """When two numbers differ, in words."""
    if relative is not None:
        return f"more than {100 * relative:g} % apart"
    if not tolerance:
        return "not equal"
    return f"more than {exact_number(tolerance)} apart"


def is_above(apart: Any, tolerance: Any) -> Any:
    """Whether distances are above the tolerance, and not only because 0.4 - 0.3 is above 0.1."""
    return apart > tolerance * (1 + 1e-9)


def are_beyond(by: Any, first: Any, second: Any, tolerance: float, relative: float | None) -> Any:
    """Whether outputs that are ``by`` apart differ; see `NumberOutputs`."""
    if relative is None:
        return is_above(by, tolerance)
    return is_above(by, relative * np.maximum(np.abs(first), np.abs(second)))


def number_channels_from_plain(plain: Plain) -> Channels:
    """The channels that count numbers, from a file."""
    if "n_labels" in plain:
        raise ValueError("outputs and counts are of different kinds")
    return from_json(ValueChannels, plain)
