"""The master problem of column generation: a pool of clauses, and its linear relaxation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linprog

from benchmarks.boolean_rules.clauses import Clause
from benchmarks.boolean_rules.rows import Rows, distinct_rows, summed
from imd_widget._base.errors import InputError

#: Maximal number of clauses that stay in the pool.
MAX_CLAUSES = 300


@dataclass(frozen=True, eq=False)
class Prices:
    """Costs of clauses, in rows.

    Attributes
    ----------
    clause : float
        Cost of a new clause without its literals.
    literals : ndarray of float, shape (n_literals,)
        Cost of each literal in a new clause.
    known : dict
        Costs of known clauses, which are reused unchanged.
    """

    clause: float
    literals: NDArray[np.float64]
    known: dict[Clause, float]

    @classmethod
    def over(
        cls,
        rows: Rows,
        clause_cost: float,
        literal_cost: float,
        known: Sequence[Clause] = (),
        reuse: float = 1.0,
    ) -> Prices:
        """Prices at which clauses and literals of ``known`` cost the factor ``reuse``."""
        literals = np.full(len(rows.literals), literal_cost * rows.total)
        used = sorted({j for clause in known for j in clause})
        if used and not 0 <= used[0] <= used[-1] < len(literals):
            raise InputError(
                f"known speaks of the literals {used[0]} to {used[-1]}, and the matrix has "
                f"{len(literals)} columns, counted from 0. Give clauses that were learned from "
                "the same literals."
            )
        literals[used] *= reuse
        ready = {
            clause: reuse * (clause_cost + literal_cost * len(clause)) * rows.total
            for clause in (tuple(sorted(set(clause))) for clause in known)
        }
        return cls(clause_cost * rows.total, literals, ready)

    def of(self, clause: Clause) -> float:
        """The price of a clause."""
        return self.known.get(clause, self.clause + float(self.literals[list(clause)].sum()))


@dataclass(frozen=True, eq=False)
class Pool:
    """The clauses of the master problem.

    Attributes
    ----------
    clauses : tuple of Clause
    covers : ndarray of bool, shape (n_clauses, n_distinct)
        The distinct rows that each clause holds for.
    costs : ndarray of float, shape (n_clauses,)
        The price of each clause plus the negative rows that it holds for.
    """

    rows: Rows
    prices: Prices
    clauses: tuple[Clause, ...]
    covers: NDArray[np.bool_]
    costs: NDArray[np.float64]

    @classmethod
    def start(cls, rows: Rows, prices: Prices, clauses: Iterable[Clause]) -> Pool:
        """Create a pool of clauses."""
        none = np.zeros((0, len(rows.positive)), dtype=bool)
        return cls(rows, prices, (), none, np.zeros(0)).with_clauses(dict.fromkeys(clauses))

    def with_clauses(self, clauses: Iterable[Clause]) -> Pool:
        """The pool with more clauses added."""
        fresh = tuple(clauses)
        covers = np.array([self.rows.cover(clause) for clause in fresh])
        costs = covers @ self.rows.negative + [self.prices.of(clause) for clause in fresh]
        return Pool(
            self.rows,
            self.prices,
            self.clauses + fresh,
            np.concatenate([self.covers, covers]),
            np.concatenate([self.costs, costs]),
        )

    def only(self, kept: NDArray[np.intp]) -> Pool:
        """The pool with only the clauses at these positions."""
        clauses = tuple(self.clauses[k] for k in kept)
        return Pool(self.rows, self.prices, clauses, self.covers[kept], self.costs[kept])

    def trimmed(self, relaxed: Relaxed) -> Pool:
        """The pool with the ``MAX_CLAUSES`` clauses of the smallest reduced cost."""
        kept = np.sort(np.argsort(relaxed.reduced, kind="stable")[:MAX_CLAUSES])
        return self.only(kept)

    def groups(self) -> Groups:
        """The groups of positive rows that the same clauses hold for."""
        inside = np.flatnonzero(self.rows.positive)
        first, alike = distinct_rows(self.covers[:, inside].T)
        held = self.covers[:, inside[first]].astype(float)
        return Groups(held, summed(alike, self.rows.positive[inside]), inside, alike)


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of positive rows for which the same clauses of a pool hold.

    Attributes
    ----------
    held : ndarray of float, shape (n_clauses, n_groups)
        1 where a clause holds, else 0.
    weight : ndarray of float, shape (n_groups,)
        Number of positive rows of each group.
    inside, alike : ndarray of int, shape (n_positive,)
        The distinct rows with positives, and the group of each.
    """

    held: NDArray[np.float64]
    weight: NDArray[np.float64]
    inside: NDArray[np.intp]
    alike: NDArray[np.intp]

    def loss(self, costs: NDArray[np.float64], chosen: Any) -> float:
        """The costs of the chosen clauses plus the positive rows that none of them holds for."""
        missed = ~self.held[chosen].any(axis=0)
        return float(costs[chosen].sum() + self.weight[missed].sum())


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The solution of the linear relaxation of the master problem.

    Attributes
    ----------
    value : float
        The minimal loss, in rows.
    weights : ndarray of float, shape (n_clauses,)
        The fraction of each clause that is used.
    gain : ndarray of float, shape (n_distinct,)
        The dual values: the decrease of the loss if a row were covered once more, from 0 to the
        number of positive rows.
    reduced : ndarray of float, shape (n_clauses,)
        The reduced costs: 0 for clauses in use, ``>= 0`` for all others.
    """

    value: float
    weights: NDArray[np.float64]
    gain: NDArray[np.float64]
    reduced: NDArray[np.float64]


def relax(pool: Pool) -> Relaxed:
    """Solve the linear relaxation of the master problem.

    Rows for which the same clauses hold are one row with their total weight, and share its dual
    value. The solver gets the dual problem, which has one constraint for each clause and not for
    each row, and takes a fifth of the time: maximise ``sum(gain)``, where no clause gains more than
    its cost and no row more than its weight. The negated dual values of this problem are the
    weights of the clauses (SciPy's marginals are the derivatives of the minimum, ``-sum(gain)``).
    """
    groups = pool.groups()
    solved = linprog(
        -np.ones(len(groups.weight)),
        A_ub=cast("Any", sparse.csr_array(groups.held)),  # the stubs lack sparse arrays
        b_ub=pool.costs,
        bounds=[(0, most) for most in groups.weight.tolist()],
        method="highs",
    )
    if not solved.success:
        raise RuntimeError(f"the linear program was not solved: {solved.message}")
    assert solved.x is not None
    gain = np.zeros(len(pool.rows.positive))
    gain[groups.inside] = (solved.x / groups.weight)[groups.alike]
    gain *= pool.rows.positive
    return Relaxed(
        value=float(solved.x.sum()),
        weights=-solved.ineqlin.marginals,
        gain=gain,
        reduced=pool.costs - pool.covers @ gain,
    )
