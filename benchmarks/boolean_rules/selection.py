"""The selection of the clauses of a pool that together cost least."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from benchmarks.boolean_rules.clauses import Clause
from benchmarks.boolean_rules.master_problem import Groups, Pool, relax

#: Maximal number of nonzeros with which the integer program is tried.
MAX_EXACT = 100_000
#: Time limit of the integer program, in seconds.
TIME_LIMIT = 10.0
#: Accepted relative gap between the loss of a selection and the optimum.
GAP = 0.01


def choose(pool: Pool) -> list[Clause]:
    """Select clauses of the pool with minimal loss, up to the relative gap ``GAP``."""
    groups, relaxed = pool.groups(), relax(pool)
    used = [np.flatnonzero(relaxed.weights > some).tolist() for some in (0.5, 1e-9)]
    least, chosen = min(_searched(groups, pool.costs, start) for start in ([], *used))
    # a clause whose reduced cost exceeds the remaining gap is in no better selection
    kept = np.flatnonzero(relaxed.reduced <= least - relaxed.value)
    if least > relaxed.value * (1 + GAP) and groups.held[kept].sum() <= MAX_EXACT:
        exact = _exact(pool.only(kept))
        if exact is not None and exact[0] < least:
            chosen = kept[exact[1]].tolist()
    return [pool.clauses[k] for k in chosen]


def _searched(
    groups: Groups, costs: NDArray[np.float64], chosen: list[int]
) -> tuple[float, list[int]]:
    """Local search: the loss and the clauses that no addition, removal or exchange improves."""
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
    """The minimal loss and its clauses by an integer program; None if the time limit is reached."""
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
