"""The scores of a prediction "these rows differ", from four sums of weights."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Confusion:
    """Weights of rows by whether a rule covers them and whether they differ.

    Every score of a prediction "these rows differ" is a property.
    """

    #: Weight of the rows inside a rule, which are predicted to differ.
    claimed: float
    #: Weight of the rows on which the models differ.
    differing: float
    #: Weight of the rows inside a rule on which the models differ.
    both: float
    #: Weight of all rows.
    total: float

    @classmethod
    def of(
        cls,
        claimed: NDArray[np.bool_],
        differs: NDArray[np.bool_],
        weight: NDArray[np.float64] | None = None,
    ) -> Confusion:
        """Return the confusion of two masks of rows; ``weight`` None means 1 for each row."""

        def amount(rows: NDArray[np.bool_]) -> float:
            return int(rows.sum()) if weight is None else float(weight[rows].sum())

        everything = np.ones(len(claimed), dtype=bool)
        return cls(*map(amount, (claimed, differs, claimed & differs, everything)))

    @property
    def precision(self) -> float:
        """``both / claimed``; if nothing is claimed, 1 if nothing differs and else 0."""
        return self.both / self.claimed if self.claimed else float(self.differing == 0)

    @property
    def recall(self) -> float:
        """``both / differing``; 1 if nothing differs."""
        return self.both / self.differing if self.differing else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 if both are 0."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    @property
    def mcc(self) -> float:
        """Matthews' correlation of "inside a rule" and "differs"; 0 if either is constant.

        ``(both * total - claimed * differing) / sqrt(claimed * differing * (total - claimed) *
        (total - differing))``.
        """
        claimed, differing, total = map(float, (self.claimed, self.differing, self.total))
        spread = claimed * (total - claimed) * differing * (total - differing)
        if spread <= 0:
            return 0.0
        return (float(self.both) * total - claimed * differing) / math.sqrt(spread)

    @property
    def balanced(self) -> float:
        """The mean of F1 and Matthews' correlation, by which rules and given models are chosen."""
        return (self.f1 + self.mcc) / 2

    @property
    def explained(self) -> float:
        """Share of the entropy of "differs" that "inside a rule" explains; 0 if it is constant.

        ``1 - H(differs | inside) / H(differs)``, with the entropies of both parts by weight.
        """
        whole = self.total * _entropy(self.differing, self.total)
        if not whole:
            return 0.0
        outside = self.total - self.claimed
        left = self.claimed * _entropy(self.both, self.claimed)
        left += outside * _entropy(self.differing - self.both, outside)
        return max(0.0, 1 - left / whole)

    @property
    def f1_over_always(self) -> float:
        """F1 less that of the rule "always", which is ``2 b / (1 + b)`` for the base rate b."""
        base = self.differing / self.total if self.total else 0.0
        return self.f1 - 2 * base / (1 + base)


def _entropy(part: float, whole: float) -> float:
    """Entropy, in bits, of a share of a whole; 0 if either the part or the rest is empty."""
    if not 0 < part < whole:
        return 0.0
    share = part / whole
    return -share * math.log2(share) - (1 - share) * math.log2(1 - share)
