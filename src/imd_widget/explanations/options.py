"""Options of an explanation, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from imd_widget._base.validation import check_whole
from imd_widget.comparison.redaction import FEWEST_SHARED
from imd_widget.explanations.contributing import MAX_CALLS
from imd_widget.explanations.selection import FEWEST_ROWS

#: Curves that are drawn first; together they keep to ``max_calls``.
FIRST_CURVES = 8


@dataclass(frozen=True)
class ExplainOptions:
    """Options of `ModelDiff.explain`, where they are described."""

    n_points: int = 20
    max_samples: int = 1000
    max_calls: int = MAX_CALLS
    max_depth: int = 4
    random_state: int = 0
    #: Whether the explanation is for a page: only of columns that rules may use, and without values
    #: of fewer than `FEWEST_SHARED` rows.
    shared: bool = False

    @classmethod
    def of(cls, **options: Any) -> ExplainOptions:
        """Return options that a user passed; InputError if one of them is impossible."""
        own = cls(**options)
        check_whole("n_points", own.n_points, 2)
        check_whole("max_samples", own.max_samples, FEWEST_ROWS)
        check_whole("max_calls", own.max_calls, 1)
        check_whole("max_depth", own.max_depth, 1)
        check_whole("random_state", own.random_state, 0)
        return own

    @property
    def least(self) -> int:
        """Rows that must have a value before it is shown."""
        return FEWEST_SHARED if self.shared else 1
