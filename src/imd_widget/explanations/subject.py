"""What an explanation needs to know of the models and the table that it explains."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.columns import Column
from imd_widget.data.table import Table
from imd_widget.models.pair import ComparedModels
from imd_widget.outputs.interface import Outputs


class SubjectDataset(Protocol):
    """Groups of rows that are kept aside together, if there are any."""

    @property
    def groups(self) -> NDArray[np.int64] | None:
        """Number of the group of each row; None without groups."""


class SubjectRows(Protocol):
    """The rows of the table, and the models."""

    @property
    def table(self) -> Table:
        """The user's table."""

    @property
    def models(self) -> ComparedModels:
        """Both models."""

    @property
    def row_weight(self) -> NDArray[np.float64]:
        """Weight of each row of the table."""

    @property
    def dataset(self) -> SubjectDataset:
        """Groups of the rows."""


class SubjectTree(Protocol):
    """The columns that rules may ask about, and the outputs."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """These columns."""

    @property
    def outputs(self) -> Outputs:
        """What the models predict."""


class Subject(Protocol):
    """What is explained: a diff, or one model on a table."""

    @property
    def names(self) -> tuple[str, str]:
        """Names of the models."""

    @property
    def table(self) -> Table:
        """The user's table."""

    @property
    def tolerance(self) -> float | None:
        """How far two outputs may be apart and still count as the same; None for classes."""

    @property
    def tree(self) -> SubjectTree:
        """The columns that rules may ask about, and the outputs."""

    @property
    def rows(self) -> SubjectRows:
        """Rows and models."""
