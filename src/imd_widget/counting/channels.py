"""The channels that are counted at a node, and the impurity computed from them.

Every decision of a tree depends on a vector of whole numbers, one per *channel*, which is additive
over rows. The first channels count the rows by outcome: the models agree, or differ in one of the
possible ways. If rows have weights, the numbers of rows follow. The last channels describe the
outputs of either model.
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
    """The target whose impurity a split minimises."""

    FIRST = 0  #: the outputs of model 1
    SECOND = 1  #: the outputs of model 2
    DIFFERS = 2  #: whether, and in which way, the models differ


@dataclass(frozen=True, eq=False)
class Channels(ABC):
    """The channels of a pair of models. In all arrays of counts, channels are the first axis."""

    #: Whether rows have weights. All channels then sum weights, except two that count rows: those
    #: on which the models agree, and those on which they differ.
    weighted: bool

    #: Number of outcome channels; the first one counts the rows on which the models agree.
    n_outcomes: ClassVar[int]
    #: Number of sums of outputs that are kept beside the counts of a node.
    n_sums: ClassVar[int] = 0

    @property
    def n_leading(self) -> int:
        """Number of channels that do not depend on the kind of outputs; they come first."""
        return self.n_outcomes + 2 * self.weighted

    @property
    @abstractmethod
    def n_channels(self) -> int:
        """Number of all channels."""

    @property
    def n_counts(self) -> int:
        """Number of channels that count rows or sum their weights; they come first."""
        return self.n_channels

    @property
    def n_label_channels(self) -> int:
        """Number of channels that count the labels of one model; 0 for numbers."""
        return 0

    def labels(self, task: Purpose, counts: NDArray[Any]) -> NDArray[Any]:
        """Return the counts of a model's labels; empty for numbers."""
        start = self.n_leading + task * self.n_label_channels
        return counts[start : start + self.n_label_channels]

    def weight(self, counts: NDArray[Any]) -> Any:
        """Return the weight of the rows."""
        return counts[: self.n_outcomes].sum(axis=0)

    def differing(self, counts: NDArray[Any]) -> Any:
        """Return the weight of the rows on which the models differ."""
        return counts[1 : self.n_outcomes].sum(axis=0)

    def rows(self, counts: NDArray[Any]) -> Any:
        """Return the number of rows."""
        if not self.weighted:
            return self.weight(counts)
        return counts[self.n_outcomes : self.n_leading].sum(axis=0)

    def differing_rows(self, counts: NDArray[Any]) -> Any:
        """Return the number of rows on which the models differ."""
        return counts[self.n_outcomes + 1] if self.weighted else self.differing(counts)

    def present(self, counts: NDArray[Any]) -> NDArray[np.intp]:
        """Return the channels to count below a node with these counts; all others are 0 there."""
        return np.arange(len(counts))

    @abstractmethod
    def impurity(
        self, task: Purpose, counts: NDArray[Any], channels: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Return the impurity in units of 1/65536 bit; ``counts`` has the given channels."""

    @abstractmethod
    def n_states(self, task: Purpose, counts: NDArray[Any]) -> int:
        """Return how many labels, or outcomes, occur; 2 for numbers."""

    def is_entropy(self, task: Purpose) -> bool:
        """Whether the impurity is the number of rows times an entropy."""
        return task == Purpose.DIFFERS or self.n_label_channels > 0

    @abstractmethod
    def is_pure(self, task: Purpose, counts: NDArray[Any]) -> bool:
        """Whether a node with these counts is pure."""


@dataclass(frozen=True, eq=False)
class ClassChannels(Channels):
    """Channels of labels: one for each label of model 1, then one for each label of model 2.

    Impurity is the entropy of the labels.
    """

    n_labels: int

    n_outcomes: ClassVar[int] = 2

    @property
    def n_channels(self) -> int:
        """Number of all channels."""
        return self.n_leading + 2 * self.n_labels

    @property
    def n_label_channels(self) -> int:
        """Number of channels that count the labels of one model."""
        return self.n_labels

    def present(self, counts: NDArray[Any]) -> NDArray[np.intp]:
        """Return the leading channels and those of the labels that occur."""
        occurs = counts != 0
        occurs[: self.n_leading] = True
        return np.flatnonzero(occurs)

    def impurity(
        self, task: Purpose, counts: NDArray[Any], channels: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Return the number of rows times the entropy of their labels."""
        if task == Purpose.DIFFERS:
            return impurity(counts[: self.n_outcomes])
        first = self.n_leading + task * self.n_labels
        start, stop = np.searchsorted(channels, (first, first + self.n_labels))
        return impurity(counts[start:stop])

    def is_pure(self, task: Purpose, counts: NDArray[Any]) -> bool:
        """Whether at most one label, or at most one outcome, occurs."""
        return self.n_states(task, counts) <= 1

    def n_states(self, task: Purpose, counts: NDArray[Any]) -> int:
        """Return how many labels, or outcomes, occur."""
        if task == Purpose.DIFFERS:
            return int(np.count_nonzero(counts[: self.n_outcomes]))
        return int(np.count_nonzero(self.labels(task, counts)))


@dataclass(frozen=True, eq=False)
class ValueChannels(Channels):
    """Channels of numbers: the sum of the outputs and of their squares, for either model.

    The outcomes are: the models agree, model 2 is higher, model 2 is lower. Impurity is the sum of
    squared distances from the mean minus ``slack`` per row, clipped at 0 and divided by the
    variance over all rows.
    """

    #: Squared distance from the mean that each row may have, in the units of the channels.
    slack: float
    #: Mean squared distance from the mean over all rows, in the same units.
    variances: tuple[float, float]
    #: If rows have weights, outputs are summed with coarser weights, so that the sums are exact; a
    #: coarse weight is this many fine ones. A separate channel before the sums has the sum of the
    #: coarse weights.
    weight_scale: float = 1.0

    n_outcomes: ClassVar[int] = 3
    n_sums: ClassVar[int] = 4

    @property
    def n_channels(self) -> int:
        """Number of all channels."""
        return self.n_leading + self.weighted + 4

    @property
    def n_counts(self) -> int:
        """Number of channels that count rows or sum their weights; they come first."""
        return self.n_leading

    def impurity(
        self, task: Purpose, counts: NDArray[Any], channels: NDArray[np.intp]
    ) -> NDArray[np.int64]:
        """Return the excess of the squared distances, relative to the variance over all rows."""
        del channels
        if task == Purpose.DIFFERS:
            return impurity(counts[: self.n_outcomes])
        if not self.variances[task]:
            return np.zeros(counts.shape[1:], dtype=np.int64)
        left = self._excess(task, counts)
        scale = SCALE * self.weight_scale / self.variances[task]
        return np.asarray(np.rint(left * scale), dtype=np.int64)

    def is_pure(self, task: Purpose, counts: NDArray[Any]) -> bool:
        """Whether ``65536 * excess <= variance / 2``, or at most one outcome occurs."""
        if task == Purpose.DIFFERS:
            return self.n_states(task, counts) <= 1
        return bool(self._excess(task, counts) * SCALE <= 0.5 * self.variances[task])

    def n_states(self, task: Purpose, counts: NDArray[Any]) -> int:
        """Return how many outcomes occur; 2 for the outputs of a model."""
        if task == Purpose.DIFFERS:
            return int(np.count_nonzero(counts[: self.n_outcomes]))
        return 2

    def _excess(self, task: Purpose, counts: NDArray[Any]) -> Any:
        first = self.n_leading + self.weighted + 2 * task
        weight = counts[self.n_leading] if self.weighted else self.weight(counts)
        total, squares = counts[first], counts[first + 1]
        excess = squares - total * total / np.maximum(weight, 1) - self.slack * weight
        # an excess below the rounding error of the quotient counts as 0
        return np.where(excess > 1e-12 * squares, excess, 0)
