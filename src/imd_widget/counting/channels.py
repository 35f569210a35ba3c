"""What is counted of the rows at a node, and how impure the node is in it.

Everything that a tree decides is decided on a vector of whole numbers, one a *channel*, which adds
up over rows. The first channels say how many rows the models agree on and how many they differ on,
in each way that they can; then come, where rows have weights, the rows themselves; then what is
known of the outputs of either model.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.impurity import SCALE, impurity


class Purpose(IntEnum):
    """What can be made pure."""

    FIRST = 0  #: the outputs of model 1
    SECOND = 1  #: the outputs of model 2
    DIFFERS = 2  #: whether, and in which way, they differ


@dataclass(frozen=True, eq=False)
class Channels(ABC):
    """The channels of a pair of models. In all arrays of counts, channels are the first axis.

    Attributes
    ----------
    weighted : bool
        Whether rows have weights. All channels then add up weights, but for two that count rows:
        those on which the models are the same, and those on which they differ.
    """

    weighted: bool

    #: Channels that say how the models stand to each other; the first of them: they are the same.
    n_outcomes: ClassVar[int]
    #: Sums of outputs that are kept beside the counts of a node.
    n_sums: ClassVar[int] = 0

    @property
    def n_leading(self) -> int:
        """Channels that do not depend on what the outputs are."""
        return self.n_outcomes + 2 * self.weighted

    @property
    @abstractmethod
    def n_channels(self) -> int:
        """All channels."""

    @property
    def n_counts(self) -> int:
        """Channels that count rows, or add up their weights: the first ones."""
        return self.n_channels

    @property
    def n_label_channels(self) -> int:
        """Channels that count the labels of one model; 0 if outputs are no labels."""
        return 0

    def labels(self, task: Purpose, counts: NDArray[Any]) -> NDArray[Any]:
        """The counts of a model's labels; none if outputs are no labels."""
        start = self.n_leading + task * self.n_label_channels
        return counts[start : start + self.n_label_channels]

    def weight(self, counts: NDArray[Any]) -> Any:
        """Rows, by weight."""
        return counts[: self.n_outcomes].sum(axis=0)

    def differing(self, counts: NDArray[Any]) -> Any:
        """Rows on which the models differ, by weight."""
        return counts[1 : self.n_outcomes].sum(axis=0)

    def rows(self, counts: NDArray[Any]) -> Any:
        """Rows, each counted once."""
        if not self.weighted:
            return self.weight(counts)
        return counts[self.n_outcomes : self.n_leading].sum(axis=0)

    def differing_rows(self, counts: NDArray[Any]) -> Any:
        """Rows on which the models differ, each counted once."""
        return counts[self.n_outcomes + 1] if self.weighted else self.differing(counts)

    def present(self, counts: NDArray[Any]) -> NDArray[np.intp]:
        """The channels that matter at a node with these counts: all others stay 0 below it."""
        return np.arange(len(counts))

    @abstractmethod
    def impurity(
        self, task: Purpose, counts: NDArray[Any], channels: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """What is left to tell apart, in 1/65536 bit a row; ``channels`` says which these are."""

    @abstractmethod
    def is_pure(self, task: Purpose, counts: NDArray[Any]) -> bool:
        """Whether there is nothing left to tell apart, at a node with these counts."""


@dataclass(frozen=True, eq=False)
class ClassChannels(Channels):
    """Labels: a channel for each label of model 1, then for each label of model 2.

    Impurity is the entropy of the labels.
    """

    n_labels: int

    n_outcomes: ClassVar[int] = 2

    @property
    def n_channels(self) -> int:
        """All channels."""
        return self.n_leading + 2 * self.n_labels

    @property
    def n_label_channels(self) -> int:
        """Channels that count the labels of one model."""
        return self.n_labels

    def present(self, counts: NDArray[Any]) -> NDArray[np.intp]:
        """The labels that occur, and the leading channels."""
        occurs = counts != 0
        occurs[: self.n_leading] = True
        return np.flatnonzero(occurs)

    def impurity(
        self, task: Purpose, counts: NDArray[Any], channels: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Rows times the entropy of their labels."""
        if task == Purpose.DIFFERS:
            return impurity(counts[: self.n_outcomes])
        first = self.n_leading + task * self.n_labels
        start, stop = np.searchsorted(channels, (first, first + self.n_labels))
        return impurity(counts[start:stop])

    def is_pure(self, task: Purpose, counts: NDArray[Any]) -> bool:
        """Whether there is only one label, or one answer to "do they differ"."""
        own = counts[: self.n_outcomes] if task == Purpose.DIFFERS else self.labels(task, counts)
        return int(np.count_nonzero(own)) <= 1


@dataclass(frozen=True, eq=False)
class ValueChannels(Channels):
    """Numbers: for either model the sum of its outputs and the sum of their squares.

    The models are the same, or the second is higher, or it is lower. Impurity is the sum of squared
    distances from the mean, as a share of what it is over all rows, less what values that lie
    within the tolerance have: closer than that they count as the same.

    Attributes
    ----------
    slack : float
        Squared distance from the mean that each row may have, in the units of the channels.
    variances : tuple of two float
        Mean squared distance from the mean over all rows, in the same units.
    weight_scale : float
        Where rows have weights, sums of outputs are by coarser weights, which stay exact; this many
        of the fine ones are a coarse one. A channel of its own, before the sums, adds them up.
    """

    slack: float
    variances: tuple[float, float]
    weight_scale: float = 1.0

    n_outcomes: ClassVar[int] = 3
    n_sums: ClassVar[int] = 4

    @property
    def n_channels(self) -> int:
        """All channels."""
        return self.n_leading + self.weighted + 4

    @property
    def n_counts(self) -> int:
        """Channels that count rows, or add up their weights: the first ones."""
        return self.n_leading

    def impurity(
        self, task: Purpose, counts: NDArray[Any], channels: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Rows times the share of the variance that they keep."""
        del channels
        if task == Purpose.DIFFERS:
            return impurity(counts[: self.n_outcomes])
        if not self.variances[task]:
            return np.zeros(counts.shape[1:], dtype=np.int64)
        left = self._excess(task, counts)
        scale = SCALE * self.weight_scale / self.variances[task]
        return np.asarray(np.rint(left * scale), dtype=np.int64)

    def is_pure(self, task: Purpose, counts: NDArray[Any]) -> bool:
        """Whether the values lie within the tolerance, or there is one answer to "differs"."""
        if task == Purpose.DIFFERS:
            return int(np.count_nonzero(counts[: self.n_outcomes])) <= 1
        return bool(self._excess(task, counts) * SCALE <= 0.5 * self.variances[task])

    def _excess(self, task: Purpose, counts: NDArray[Any]) -> Any:
        at = self.n_leading + self.weighted + 2 * task
        weight = counts[self.n_leading] if self.weighted else self.weight(counts)
        total, squares = counts[at], counts[at + 1]
        excess = squares - total * total / np.maximum(weight, 1) - self.slack * weight
        # the last digits of a quotient are not to be trusted
        return np.where(excess > 1e-12 * squares, excess, 0)
