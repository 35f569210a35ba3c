"""Clauses of literals, and rule sets in disjunctive normal form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

#: Literals by number, in increasing order.
Clause = tuple[int, ...]


@dataclass(frozen=True)
class BooleanRules:
    """A rule set in disjunctive normal form.

    Attributes
    ----------
    clauses : tuple of tuple of int
        Literals by number. The set holds for a row if all literals of at least one clause hold. A
        clause without literals always holds; a set without clauses never does.
    """

    clauses: tuple[Clause, ...]

    def predict(self, matrix: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mask of the rows of a matrix of literals for which at least one clause holds."""
        holds = np.zeros(len(matrix), dtype=bool)
        for clause in self.clauses:
            holds |= matrix[:, list(clause)].all(axis=1)
        return holds

    @property
    def n_predicates(self) -> int:
        """Number of distinct literals in all clauses."""
        return len({j for clause in self.clauses for j in clause})
