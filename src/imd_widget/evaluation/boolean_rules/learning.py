"""Rule sets learnt by column generation, after Dash, Günlük and Wei (NeurIPS 2018)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, linprog, milp

from imd_widget._base.errors import InputError
from imd_widget._base.validation import check_whole
from imd_widget.evaluation.boolean_rules.checks import check_cost, check_shape, shown

#: Cells of the binary matrix that are learned from; of a larger one a sample of rows.
MAX_CELLS = 1 << 26
#: Clauses that one round adds to the pool at most, and that stay in it.
NEW_CLAUSES = 10
MAX_CLAUSES = 300
#: What a clause must be worth to be added, as a share of the rows.
TOLERANCE = 1e-6
#: Pairs of a clause and a group of rows up to which the integer program is tried.
MAX_EXACT = 100_000
#: Seconds after which the integer program is given up.
TIME_LIMIT = 10.0
#: How far a choice of clauses may be from the best one, as a share of its loss.
GAP = 0.01

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


def learn_rules(
    matrix: NDArray[np.bool_],
    y: Any,
    *,
    clause_cost: float = 0.001,
    literal_cost: float = 0.001,
    known: Sequence[Clause] = (),
    reuse: float = 0.5,
    max_degree: int = 10,
    beam: int = 10,
    iterations: int = 100,
    seed: int = 0,
) -> BooleanRules:
    """A rule set that holds where ``y`` does, for little loss and few conditions.

    The rules minimise, over the rows, the share of positives that no clause holds for, plus for
    every clause the share of negatives that it holds for (the Hamming loss of Dash et al.: a
    negative in two clauses counts twice), plus the costs of the clauses. The linear relaxation is
    solved over a growing pool of clauses; each round adds those of the least reduced cost that a
    beam search finds, until it finds none below zero or ``iterations`` is reached.

    The rules are then chosen from the pool, by adding, dropping and exchanging clauses for as long
    as that pays. Where the choice might be more than 1 % from the best, and the problem is small
    enough, an integer program makes it.

    The same rows give the same rules, in whatever order they come. (Only a machine so slow that
    the integer program runs out of its 10 seconds may choose otherwise.) Of a matrix with more than
    67 million cells a sample of the distinct rows is learned from, drawn by ``seed``.

    Parameters
    ----------
    matrix : ndarray of bool, shape (n_rows, n_literals)
    y : array-like of bool, or of 0 and 1, shape (n_rows,)
    clause_cost, literal_cost : float
        What a clause costs, and each literal in it, as a share of the rows: at 0.001 each a clause
        of two literals has to be worth 0.3 % of them.
    known : sequence of tuple of int
        Clauses that are cheaper, as are new clauses with literals from them.
    reuse : float
        How much cheaper: the share of the cost, from 0 to 1, that is left.
    max_degree : int
        Literals in a new clause at most.
    beam : int
        Clauses that the search makes longer at a time.
    iterations : int
        Rounds of adding clauses at most.
    seed : int
        Of the sample, where one is drawn.
    """
    for name, cost in (("clause_cost", clause_cost), ("literal_cost", literal_cost)):
        check_cost(name, cost, np.inf)
    check_cost("reuse", reuse, 1)
    for name, number in (("max_degree", max_degree), ("beam", beam)):
        check_whole(name, number, 1)
    for name, number in (("iterations", iterations), ("seed", seed)):
        check_whole(name, number, 0)
    rows = Rows.distinct(*_check_rows(matrix, y), seed)
    if not rows.positive.any():
        return BooleanRules(())
    prices = Prices.over(rows, clause_cost, literal_cost, known, reuse)
    pool = Pool.start(rows, prices, [(), *prices.known])
    for _ in range(iterations):
        relaxed = relax(pool)
        pool = pool.trimmed(relaxed)
        found = best_clauses(rows, relaxed.gain, prices, max_degree=max_degree, beam=beam)
        fresh = [clause for _, clause in found if clause not in pool.clauses]
        if not fresh:
            break
        pool = pool.with_clauses(fresh)
    return BooleanRules(tuple(sorted(choose(pool), key=lambda clause: (len(clause), clause))))


@dataclass(frozen=True, eq=False)
class Rows:
    """The distinct rows of a binary matrix, in an order of their own.

    Attributes
    ----------
    literals : ndarray of float32, shape (n_literals, n_distinct)
        1 where a literal holds, else 0: what the search multiplies with.
    positive, negative : ndarray of float, shape (n_distinct,)
        Rows of the matrix that are alike and positive, alike and negative.
    """

    literals: NDArray[np.float32]
    positive: NDArray[np.float64]
    negative: NDArray[np.float64]

    @classmethod
    def distinct(cls, matrix: NDArray[np.bool_], y: NDArray[np.bool_], seed: int) -> Rows:
        """The distinct rows, or as many of them as may be learned from."""
        first, alike = _alike(matrix)
        positive = _added(alike, y)
        negative = _added(alike, ~y)
        room = max(1, MAX_CELLS // max(1, matrix.shape[1]))
        if len(first) > room:
            drawn = np.random.default_rng(seed).choice(len(first), room, replace=False)
            first, positive, negative = first[drawn], positive[drawn], negative[drawn]
        return cls(np.ascontiguousarray(matrix[first].T, dtype=np.float32), positive, negative)

    @property
    def total(self) -> float:
        """All rows, alike or not."""
        return float(self.positive.sum() + self.negative.sum())

    @property
    def tolerance(self) -> float:
        """What a clause must be worth to be added, in rows."""
        return TOLERANCE * self.total

    def cover(self, clause: Clause) -> NDArray[np.bool_]:
        """For each distinct row: does the clause hold?"""
        return np.asarray(self.literals[list(clause)].all(axis=0))


def _alike(matrix: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where each distinct row of a matrix is first found, and for each row the distinct one."""
    packed = np.pad(np.packbits(matrix, axis=1), ((0, 0), (0, 1)))  # a byte at least
    keys = np.ascontiguousarray(packed).view(f"V{packed.shape[1]}").ravel()
    _, first, alike = np.unique(keys, return_index=True, return_inverse=True)
    return first, alike


def _added(alike: NDArray[np.intp], weights: NDArray[Any]) -> NDArray[np.float64]:
    """Weights of rows added up for each distinct one."""
    return np.bincount(alike, weights=weights).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Prices:
    """What clauses cost, in rows.

    Attributes
    ----------
    clause : float
    literals : ndarray of float, shape (n_literals,)
        Of each literal in a new clause.
    known : dict
        Of clauses that are reused as they are.
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
        """Prices where clauses and literals of ``known`` are cheaper."""
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
        The rows that each holds for.
    costs : ndarray of float, shape (n_clauses,)
        The price of each, and the negative rows that it holds for.
    """

    rows: Rows
    prices: Prices
    clauses: tuple[Clause, ...]
    covers: NDArray[np.bool_]
    costs: NDArray[np.float64]

    @classmethod
    def start(cls, rows: Rows, prices: Prices, clauses: Iterable[Clause]) -> Pool:
        """A pool of these clauses."""
        none = np.zeros((0, len(rows.positive)), dtype=bool)
        return cls(rows, prices, (), none, np.zeros(0)).with_clauses(dict.fromkeys(clauses))

    def with_clauses(self, clauses: Iterable[Clause]) -> Pool:
        """The pool with more clauses."""
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
        """The pool with fewer clauses."""
        clauses = tuple(self.clauses[k] for k in kept)
        return Pool(self.rows, self.prices, clauses, self.covers[kept], self.costs[kept])

    def trimmed(self, relaxed: Relaxed) -> Pool:
        """The pool without the clauses that are furthest from being of use."""
        kept = np.sort(np.argsort(relaxed.reduced, kind="stable")[:MAX_CLAUSES])
        return self.only(kept)

    def groups(self) -> Groups:
        """The rows that the pool can tell apart."""
        inside = np.flatnonzero(self.rows.positive)
        first, alike = _alike(self.covers[:, inside].T)
        held = self.covers[:, inside[first]].astype(float)
        return Groups(held, _added(alike, self.rows.positive[inside]), inside, alike)


@dataclass(frozen=True, eq=False)
class Groups:
    """Positive rows that the clauses of a pool cannot tell apart, taken as one.

    Attributes
    ----------
    held : ndarray of float, shape (n_clauses, n_groups)
        1 where a clause holds, else 0.
    weight : ndarray of float, shape (n_groups,)
        Positive rows.
    inside, alike : ndarray of int, shape (n_positive,)
        The distinct rows with a positive among them, and the group of each.
    """

    held: NDArray[np.float64]
    weight: NDArray[np.float64]
    inside: NDArray[np.intp]
    alike: NDArray[np.intp]

    def loss(self, costs: NDArray[np.float64], chosen: Any) -> float:
        """What a choice of clauses costs, with the positive rows that it misses."""
        missed = ~self.held[chosen].any(axis=0)
        return float(costs[chosen].sum() + self.weight[missed].sum())


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The solution of the master problem in fractions of clauses.

    Attributes
    ----------
    value : float
        The least loss, in rows.
    weights : ndarray of float, shape (n_clauses,)
        How much of each clause is used.
    gain : ndarray of float, shape (n_distinct,)
        What it would be worth to cover each of the rows once more: the dual values, from 0 to
        the number of positive rows.
    reduced : ndarray of float, shape (n_clauses,)
        What using each clause would change: nothing for those in use, no less for any.
    """

    value: float
    weights: NDArray[np.float64]
    gain: NDArray[np.float64]
    reduced: NDArray[np.float64]


def relax(pool: Pool) -> Relaxed:
    """The master problem solved in fractions of clauses.

    Rows that the pool cannot tell apart are one row with their weight, and share its dual value.
    Of the two problems the dual is given to the solver, which has a constraint a clause and not a
    row, and takes a fifth of the time: ``max sum(gain)`` where no clause gains more than it costs
    and no row more than its weight. Its own dual values, negated, are the weights of the clauses
    (SciPy's marginals say how the minimum, here ``-sum(gain)``, moves with a bound).
    """
    groups = pool.groups()
    solved = linprog(
        -np.ones(len(groups.weight)),
        A_ub=cast("Any", sparse.csr_array(groups.held)),  # which the stubs do not know
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


def best_clauses(
    rows: Rows,
    gain: NDArray[np.float64],
    prices: Prices,
    *,
    max_degree: int,
    beam: int,
    number: int = NEW_CLAUSES,
) -> list[tuple[float, Clause]]:
    """Clauses of negative reduced cost, with that cost, the least first.

    Level by level the ``beam`` best clauses are made one literal longer. A literal that keeps out
    no negative row is not tried, for it can only lose, and no clause is followed that even without
    any negative row would be no better than what is found; two clauses for the same rows are one.
    """
    found: list[tuple[float, Clause]] = []
    cheapest: dict[bytes, float] = {}
    parents: list[tuple[Clause, NDArray[np.bool_]]] = [((), np.ones(len(gain), dtype=bool))]
    limit = -rows.tolerance
    for _ in range(max_degree):
        masks = np.array([mask for _, mask in parents])
        weights = np.concatenate([masks * gain, masks * rows.negative]).astype(np.float32)
        won, lost = np.split((rows.literals @ weights.T).T, 2)
        spent = np.array([prices.literals[list(clause)].sum() for clause, _ in parents])
        price = prices.clause + spent[:, None] + prices.literals
        tried = (lost < (masks @ rows.negative)[:, None]) & (price - won < limit)
        promising = np.flatnonzero(tried)
        # coarse enough that no rounding of float32 decides between equals
        reduced = np.rint((lost - won + price).ravel()[promising] / (10 * rows.tolerance))
        children: list[tuple[Clause, NDArray[np.bool_]]] = []
        for at in promising[np.argsort(reduced, kind="stable")].tolist():
            parent, j = divmod(at, len(rows.literals))
            mask = parents[parent][1] & (rows.literals[j] > 0)
            key = np.packbits(mask).tobytes()
            if cheapest.get(key, np.inf) <= price.flat[at] + rows.tolerance:
                continue
            cheapest[key] = float(price.flat[at])
            clause = tuple(sorted({*parents[parent][0], j}))
            children.append((clause, mask))
            exact = float(prices.of(clause) + mask @ (rows.negative - gain))
            if exact < -rows.tolerance:
                found.append((exact, clause))
            if len(children) >= max(beam, number):
                break
        found = sorted(found)[:number]
        if len(found) == number:
            limit = min(limit, found[-1][0])
        parents = children[:beam]
        if not parents:
            break
    return found


def choose(pool: Pool) -> list[Clause]:
    """The clauses of the pool that together cost least."""
    groups, relaxed = pool.groups(), relax(pool)
    used = [np.flatnonzero(relaxed.weights > some).tolist() for some in (0.5, 1e-9)]
    least, chosen = min(_searched(groups, pool.costs, start) for start in ([], *used))
    # a clause whose reduced cost is more than what is left to gain is in no better choice
    kept = np.flatnonzero(relaxed.reduced <= least - relaxed.value)
    if least > relaxed.value * (1 + GAP) and groups.held[kept].sum() <= MAX_EXACT:
        exact = _exact(pool.only(kept))
        if exact is not None and exact[0] < least:
            chosen = kept[exact[1]].tolist()
    return [pool.clauses[k] for k in chosen]


def _searched(
    groups: Groups, costs: NDArray[np.float64], chosen: list[int]
) -> tuple[float, list[int]]:
    """A loss, and the clauses chosen for it, that no clause more, less or other makes less."""
    least = groups.loss(costs, chosen)
    while True:
        rests = [chosen, *([k for k in chosen if k != dropped] for dropped in chosen)]
        times = groups.held[chosen].sum(axis=0)
        left = np.where(np.vstack([times, times - groups.held[chosen]]) > 0, 0, groups.weight)
        worth = left @ groups.held.T - costs
        losses = left.sum(axis=1) + [costs[rest].sum() for rest in rests]
        losses -= np.maximum(worth.max(axis=1), 0)
        at = int(np.argmin(losses))
        added = int(np.argmax(worth[at]))
        best = [*rests[at], added] if worth[at, added] > 0 else rests[at]
        loss = groups.loss(costs, best)
        if loss >= least - 1e-9 * groups.weight.sum():
            return least, chosen
        least, chosen = loss, best


def _exact(pool: Pool) -> tuple[float, NDArray[np.intp]] | None:
    """The least loss and its choice, by an integer program; None where time ran out."""
    groups = pool.groups()
    n_clauses, n_groups = groups.held.shape
    covered = [sparse.csr_array(groups.held.T), sparse.identity(n_groups)]
    solved = milp(
        np.concatenate([pool.costs, groups.weight]),
        integrality=np.repeat([1, 0], [n_clauses, n_groups]),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(sparse.hstack(covered), lb=1),
        options={"time_limit": TIME_LIMIT, "mip_rel_gap": GAP},
    )
    if solved.status != 0:
        return None
    chosen = np.flatnonzero(solved.x[:n_clauses] > 0.5)
    return groups.loss(pool.costs, chosen), chosen


def _check_rows(matrix: Any, y: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """A matrix of literals, and for each of its rows whether it is positive."""
    is_array = isinstance(matrix, np.ndarray)
    if not is_array or matrix.dtype != bool or matrix.ndim != 2:
        came = f"{matrix.dtype} of shape {matrix.shape}" if is_array else type(matrix).__name__
        raise InputError(
            f"matrix is {came}: an array of booleans with a row for each row of the table and a "
            "column for each literal is needed. binarise(X).matrix(X) makes one."
        )
    values = check_shape("y", y, len(matrix))
    if values.dtype.kind not in "biuf" or not np.isin(values, (0, 1)).all():
        distinct = pd.unique(values).tolist()
        raise InputError(
            f"y has the values {shown(distinct)}: True and False are accepted, or 1 and 0, true "
            f"where the rules are to hold. Compare with one of them: y == {distinct[0]!r}."
        )
    return matrix, values.astype(bool)
