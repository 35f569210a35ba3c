"""The types that every kind of output is described with.

`Outputs` describes the compared outputs. Whatever depends on the kind of output is one of its
methods, so that no other package needs to know which kinds there are. The kinds themselves are in
`classes`, `probabilities` and `values`; `registry` lists them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypedDict

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.kinds import OutputKind
from imd_widget.counting.channels import Channels, Purpose
from imd_widget.counting.observations import Observations
from imd_widget.counting.tallies import Tally
from imd_widget.outputs.correctness import PairedLoss, Right, RightCounts
from imd_widget.outputs.number_text import short_number


class Counted(Protocol):
    """Counts and sums of the rows that reach each node."""

    @property
    def counts(self) -> NDArray[np.int64]:
        """Counts by channel: shape (n_nodes, n_counts)."""

    @property
    def sums(self) -> NDArray[np.float64]:
        """Sums of outputs: shape (n_nodes, n_sums)."""


class NodeTotals(Counted, Protocol):
    """What was counted at the nodes of a joint tree; `JointTree` has all of it."""

    @property
    def target(self) -> Channels:
        """The channels of ``counts``."""

    @property
    def side(self) -> NDArray[np.int8]:
        """The model that each node belongs to: 1 or 2; 0 in the shared part."""

    @property
    def rows(self) -> NDArray[np.int64]:
        """Number of rows at each node."""

    @property
    def weight(self) -> NDArray[np.int64]:
        """Weight of these rows."""

    @property
    def label_rows(self) -> NDArray[np.int64] | None:
        """Number of rows by node, model and label; None if ``counts`` has them."""

    @property
    def label_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Weight by node and label, for each model."""

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean output by node and model."""

    @property
    def spreads(self) -> NDArray[np.float64]:
        """Standard deviation of outputs by node and model."""

    def label(self, leaf: int) -> int:
        """Index of the label that a leaf predicts."""

    def value(self, leaf: int) -> float:
        """The number that a leaf predicts."""


class RegionTotals(Protocol):
    """What was counted in a region; `Region` has all of it."""

    @property
    def outcomes(self) -> tuple[int, int]:
        """The outcome pair: indices into the labels, or a direction."""

    @property
    def leaves(self) -> tuple[tuple[int, int], ...]:
        """The pairs of leaves that the region consists of."""

    @property
    def nodes(self) -> tuple[int, ...]:
        """Nodes of the shared part that lie inside the region as a whole."""

    @property
    def fit(self) -> Tally:
        """The rows used to fit that lie inside."""


@dataclass(frozen=True)
class OutcomePair:
    """The outputs of model 1 and model 2 on a part of a rule's differing rows."""

    outcomes: tuple[Any, Any]
    #: The same as it is shown.
    said: tuple[str, str]
    #: Of the rule's differing rows, by weight.
    share: float


@dataclass(frozen=True)
class RuleOutcomes:
    """What either model predicts inside a rule."""

    #: Two labels or two numbers.
    outcomes: tuple[Any, Any]
    #: The same as a sentence shows it.
    said: tuple[str, str]


class RuleDetails(TypedDict, total=False):
    """Fields of `Rule` that one kind of output has and another has not."""

    other_outcomes: tuple[OutcomePair, ...]
    n_outcomes: int | None
    up: float
    down: float
    differs: str | None
    within: str | None


@dataclass(frozen=True)
class Scale:
    """The ends of a colour scale, as numbers and as text."""

    low: float
    high: float
    low_text: str
    high_text: str


#: [label, rows, share by weight], most frequent first.
LabelCounts = tuple[tuple[float, float, float], ...]


class NodeOutputs(TypedDict):
    """What a view shows of the outputs at a node; what a kind does not have is None."""

    label: int | None
    said: str | None
    value: float | None
    purity: float | None
    spread: str | None
    counts: tuple[LabelCounts, LabelCounts]
    means: tuple[float, float] | None


class RuleOutputs(TypedDict):
    """What a view shows of the outcomes of a rule; what a kind does not have is None."""

    outcomes: tuple[int, int] | None
    values: tuple[float, float] | None
    said: tuple[str, str]
    usual: tuple[str, str] | None


@dataclass(frozen=True)
class LossView:
    """The mean of a loss for both models, as text."""

    name: str
    means: tuple[str, str]
    #: The mean of model 2 less that of model 1, with its 95 % interval: "−0.02 (−0.03 to −0.01)".
    difference: str

    @classmethod
    def of(cls, loss: PairedLoss) -> LossView:
        """The means to three digits of what they differ by, or of their interval."""
        ends = loss.interval or ()
        finest = max(map(abs, (loss.difference, *ends))) / 100 or max(loss.means) / 1000
        first, second, difference, *limits = (
            short_number(value, finest).replace("-", "−")
            for value in (*loss.means, loss.difference, *ends)
        )
        if limits:
            difference += f" ({limits[0]} to {limits[1]})"
        return cls(loss.name, (first, second), difference)


@dataclass(frozen=True)
class RightView(RightCounts):
    """Numbers of rows by which model is right, with errors and means as text."""

    #: For values and probabilities: the mean absolute error of each model, and the root mean
    #: squared error.
    errors: tuple[str, str] | None = None
    rmse: tuple[str, str] | None = None
    #: The mean of y, and of each model's outputs on the same rows.
    mean_y: str | None = None
    mean_outputs: tuple[str, str] | None = None
    #: For values: what a model is on the rows counted for it, such as "within 5"; null: "right".
    within: str | None = None
    #: The model whose errors are smaller, 0 or 1; null if neither has both of them smaller, or if
    #: the texts are the same.
    closer: int | None = None
    #: 95 % interval of the rows that only model 2 is right on less those that only model 1 is, and
    #: the p-value of a true difference of 0; null if they are not known.
    net_interval: tuple[float, float] | None = None
    p_value: float | None = None
    #: The loss that was asked for; null without.
    loss: LossView | None = None

    @classmethod
    def of(cls, right: Right, **texts: Any) -> RightView:
        """The counts of ``right`` with the other fields as text."""
        counts = (right.both, right.first, right.second, right.neither, right.unknown)
        asked = next((LossView.of(loss) for loss in right.losses if loss.asked), None)
        texts = {**texts, "net_interval": right.net_interval, "p_value": right.p_value}
        return cls(*counts, loss=asked, **texts)


class Outputs(ABC):
    """What two models predict, and whatever depends on its kind."""

    kind: OutputKind
    #: What one output is: "class", "probability of yes", "value".
    what: str
    #: The labels that occur, sorted; empty if outputs are numbers.
    labels: tuple[Hashable, ...]
    #: How the labels are shown, in the same order.
    class_names: tuple[str, ...]
    #: Two outputs differ if ``abs(first - second) > tolerance``; None if they differ whenever they
    #: are not equal.
    tolerance: float | None
    #: If it is not None, two outputs differ if ``abs(first - second) > relative * max(abs(first),
    #: abs(second))``, and ``tolerance`` is typical of that.
    relative: float | None = None

    #: Another kind in which models may differ where outputs of this kind are equal; None if none.
    finer_kind: ClassVar[OutputKind | None] = None
    #: Whether an output is a probability, and so shows how sure its model is.
    has_margins: ClassVar[bool] = False
    #: The loss by which the better of two models is chosen; None: a model is right or wrong.
    main_loss: ClassVar[str | None] = None

    # In words

    @property
    @abstractmethod
    def differs(self) -> str | None:
        """When two outputs differ, in words; None if they differ whenever they are not equal."""

    @property
    @abstractmethod
    def disagree(self) -> str:
        """What two models do on a row that differs, for a sentence: "disagree"."""

    @property
    @abstractmethod
    def agreement(self) -> str:
        """What is added to "the models agree on all rows"; empty if nothing is."""

    @abstractmethod
    def are_apart(self, first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether outputs of both models, in the units that are compared, differ: by row."""

    @abstractmethod
    def texts(self, values: Sequence[Any]) -> list[str]:
        """Outputs as text."""

    @abstractmethod
    def mean_difference_notes(self, mean: float | None, names: Sequence[str]) -> tuple[str, ...]:
        """Sentences about the mean of model 2's outputs less model 1's."""

    @abstractmethod
    def distance_notes(self) -> tuple[str, ...]:
        """Sentences about how far outputs are apart, if the tolerance was chosen by default."""

    @abstractmethod
    def right_texts(self, right: Right) -> RightView:
        """Notes about models and the truth beside the counts of ``right``."""

    def way_texts(self, pairs: NDArray[np.int64]) -> list[str]:
        """The ways in which two outputs differ, from outcome pairs: "yes -> no"."""
        names = self.class_names
        return [f"{names[first]} -> {names[second]}" for first, second in pairs.tolist()]

    def losses(
        self, errors: Sequence[NDArray[np.float64]], truth: NDArray[np.float64]
    ) -> dict[str, NDArray[np.float64]]:
        """Losses of both models by their names, each of shape (2, n_rows); none for classes.

        Parameters
        ----------
        errors : sequence of two ndarray of shape (n_rows,)
            ``output - truth`` of either model.
        truth : ndarray of shape (n_rows,)
        """
        del errors, truth
        return {}

    # Rows

    def predictions(self, observed: Observations, n_rows: int) -> list[NDArray[Any]]:
        """The outputs of either model for the first ``n_rows`` rows."""
        return self.predictions_at(observed, slice(n_rows))

    def predictions_at(
        self, observed: Observations, rows: NDArray[np.integer] | slice
    ) -> list[NDArray[Any]]:
        """The outputs of either model for some rows, in this order."""
        return [self.decoded(own) for own in observed.said_at(rows)]

    @abstractmethod
    def decoded(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Outputs of a model from the ``labels`` or ``values`` that `Observations` has of it."""

    @abstractmethod
    def mean_difference(self, sums: NDArray[np.float64], weight: float) -> float | None:
        """The mean of model 2's outputs less model 1's; None if outputs are not numbers.

        Parameters
        ----------
        sums : ndarray of shape (2, 2)
            `Observations.output_sums` of the rows.
        weight : float
            Weight of the rows.
        """

    # Nodes

    @abstractmethod
    def means(self, sums: NDArray[np.float64], weight: NDArray[np.int64]) -> NDArray[np.float64]:
        """Mean output of either model: shape (n_nodes, 2); (n_nodes, 0) for labels."""

    @abstractmethod
    def spreads(self, sums: NDArray[np.float64], weight: NDArray[np.int64]) -> NDArray[np.float64]:
        """Standard deviation of either model's outputs, in the same shape."""

    @abstractmethod
    def leaf_outputs(self, nodes: NodeTotals, is_leaf: NDArray[np.bool_]) -> NDArray[Any]:
        """The output that each leaf predicts; any value for other nodes."""

    @abstractmethod
    def leaf_text(self, nodes: NodeTotals, leaf: int) -> str:
        """The output that a leaf predicts, as text."""

    @abstractmethod
    def is_impure(self, nodes: NodeTotals, leaf: int) -> bool:
        """Whether the outputs of the leaf's own model are not all the same there."""

    @abstractmethod
    def leaf_pair(self, nodes: NodeTotals, pair: tuple[int, int]) -> tuple[int, int]:
        """The outcome pair of two leaves; equal if what they predict does not differ."""

    @abstractmethod
    def fidelity(
        self, nodes: NodeTotals, counted: Counted, task: Purpose, leaves: NDArray[np.intp]
    ) -> float:
        """How well the leaves of a surrogate imitate their model, on the rows ``counted``."""

    @abstractmethod
    def node_view(self, nodes: NodeTotals, node: int, is_leaf: bool) -> NodeOutputs:
        """What a view shows of a node."""

    # Rules

    @abstractmethod
    def rule_outcomes(self, nodes: NodeTotals, region: RegionTotals) -> RuleOutcomes:
        """What either model predicts in a region."""

    @abstractmethod
    def common_outcomes(self, nodes: NodeTotals, region: RegionTotals) -> tuple[int, int]:
        """The outcome pair of a region in which the models are predicted to agree."""

    @abstractmethod
    def rule_details(
        self,
        region: RegionTotals,
        pairs: NDArray[np.int64],
        differing: int,
        amount: Callable[[int], float],
    ) -> RuleDetails:
        """What else is known of the differing rows of a region.

        Parameters
        ----------
        region : RegionTotals
        pairs : ndarray of shape (n_pairs, 2)
            The outcome pairs that tallies count by.
        differing : int
            Weight of the differing rows inside.
        amount : callable
            From a weight to a number of average rows.
        """

    @abstractmethod
    def rule_view(
        self,
        nodes: NodeTotals,
        inside: Sequence[int],
        outcomes: tuple[Any, Any],
        said: tuple[str, str],
    ) -> RuleOutputs:
        """What a view shows of the outcomes of a rule; ``inside``: the nodes inside it."""

    @abstractmethod
    def check_outcomes(self, outcomes: tuple[Any, Any]) -> None:
        """Raise ValueError if the outcomes of a rule in a file are not of this kind."""

    # How it looks and how it is kept

    @property
    @abstractmethod
    def scale(self) -> Scale | None:
        """The ends of the colour scale; None if each label has a colour of its own."""

    @abstractmethod
    def to_plain(self) -> dict[str, Any]:
        """Plain values for a JSON file; `OutputSpec.from_plain` reads them."""

    @property
    @abstractmethod
    def options(self) -> dict[str, Any]:
        """Options of `imd_widget.diff` that compare `predictions` in the same way again."""
