"""The rows that surrogates are fitted to, and the rows that they are measured on."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.sampling import holdout_rows
from imd_widget.data.table import Table, encode
from imd_widget.explanations.features import Described, LinearFeatures, TreeFeatures, describe
from imd_widget.explanations.fidelity import SurrogateFit, fit_of

#: Rows that surrogates are fitted to and measured on, at most.
SURROGATE_ROWS = 10_000
#: Share of them that is kept aside, to measure on.
TEST_SIZE = 0.25


@dataclass(frozen=True, eq=False)
class SurrogateData:
    """Rows with their features and targets."""

    #: Positions of the rows in the user's table, increasing.
    rows: NDArray[np.intp]
    #: These rows.
    table: Table
    #: Scores of model 1, of model 2, and their difference; or of one model alone.
    targets: NDArray[np.float64]
    weights: NDArray[np.float64]
    #: Whether a row is kept aside.
    aside: NDArray[np.bool_]
    described: Described
    #: Features of trees.
    tree_features: TreeFeatures
    #: Of the targets: see `precision_of`.
    precision: float
    #: Rows that a leaf of a tree must have before the tree is shown.
    least: int = 1

    @property
    def names(self) -> tuple[Hashable, ...]:
        """Names of the columns that surrogates use."""
        return tuple(column.name for column in self.described.columns)

    @cached_property
    def tree_matrix(self) -> NDArray[np.float32]:
        """Features of trees of all rows."""
        return self.tree_features.matrix(self.described.codes)

    @cached_property
    def linear(self) -> LinearFeatures:
        """Features of linear models of all rows."""
        return LinearFeatures.of(self.table, self.described.columns, ~self.aside, self.least)

    def measured(self, target: int, predicted: NDArray[np.float64]) -> SurrogateFit:
        """Return how well predictions for all rows hit a target, on the rows kept aside."""
        rows = self.aside if self.aside.any() else ~self.aside
        return fit_of(
            self.targets[rows, target], predicted[rows], self.weights[rows], self.precision
        )

    def with_row(self, table: Table, row: int, scores: NDArray[np.float64]) -> SurrogateData:
        """Return the data with one more row of the user's table, last; it is not fitted.

        It counts as kept aside, so that the scales of features stay those of the fitted rows.
        """
        rows = np.append(self.rows, row)
        part = table.take(rows)
        codes = encode(part, self.described.columns).codes
        target = [scores[0, 0], scores[0, 1], scores[0, 0] - scores[0, 1]]
        return SurrogateData(
            rows,
            part,
            np.vstack([self.targets, target]),
            np.append(self.weights, 1.0),
            np.append(self.aside, True),
            Described(self.described.columns, tuple(codes)),
            self.tree_features,
            self.precision,
            self.least,
        )

    def place_of(self, row: int) -> int | None:
        """Return the place of a row of the user's table among these rows; None if it is none."""
        place = int(np.searchsorted(self.rows, row))
        found = place < len(self.rows) and self.rows[place] == row
        return place if found else None


def surrogate_data(
    table: Table,
    rows: NDArray[np.intp],
    targets: NDArray[np.float64],
    weights: NDArray[np.float64],
    groups: NDArray[np.int64] | None,
    random_state: int,
    precision: float,
    test_size: float = TEST_SIZE,
    positions: Sequence[int] | None = None,
    least: int = 1,
) -> SurrogateData:
    """Return rows of a table with their features; a share of them is kept aside.

    Parameters
    ----------
    table : Table
        The user's table.
    rows : ndarray of int
        Positions of the rows.
    targets : ndarray of shape (n_rows, n_targets)
    weights : ndarray of shape (n_rows,)
    groups : ndarray of shape (n_rows,) or None
        Rows of one group are kept aside together.
    random_state : int
        Chooses the rows kept aside.
    precision : float
        Of the targets: see `precision_of`.
    test_size : float
        Share of the rows kept aside.
    positions : sequence of int, optional
        Positions of the columns that surrogates use; None: all of them.
    least : int
        Rows that each category and threshold of a tree stands for at least; see `shared_values`.
    """
    # another seed than that of the sample, which is by the same hash
    own_groups = None if groups is None else np.unique(groups, return_inverse=True)[1]
    aside = holdout_rows(len(rows), test_size, random_state + 1, None, own_groups)
    part = table.take(rows)
    described = describe(part, ~aside, positions, least)
    features = TreeFeatures.of(described.columns, [own[~aside] for own in described.codes])
    return SurrogateData(rows, part, targets, weights, aside, described, features, precision, least)
