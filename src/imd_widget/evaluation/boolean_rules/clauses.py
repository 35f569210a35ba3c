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
        Literals by number. A row is in if all literals of any clause hold: a clause without
        literals is "always", a set without clauses "never".
    """

    clauses: tuple[Clause, ...]

    def predict(self, matrix: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """For each row of a matrix of literals: does any clause hold?"""
        holds = np.zeros(len(matrix), dtype=bool)
        for clause in self.clauses:
            holds |= matrix[:, list(clause)].all(axis=1)
        return holds

    @property
    def n_predicates(self) -> int:
        """Number of distinct literals in all clauses together."""
        return len({j for clause in self.clauses for j in clause})
