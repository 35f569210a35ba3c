"""The pricing problem of column generation: a beam search for clauses of negative reduced cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.boolean_rules.clauses import Clause
from benchmarks.boolean_rules.master_problem import Prices
from benchmarks.boolean_rules.rows import Rows

#: Maximal number of clauses that one round adds to the pool.
NEW_CLAUSES = 10


def best_clauses(
    rows: Rows,
    gain: NDArray[np.float64],
    prices: Prices,
    *,
    max_degree: int,
    beam: int,
    number: int = NEW_CLAUSES,
) -> list[tuple[float, Clause]]:
    """Clauses of negative reduced cost, with that cost, in increasing order.

    Each level extends the ``beam`` best clauses by one literal. A literal that excludes no negative
    row is skipped, because it cannot reduce the cost. A clause is dropped if it would not be better
    than the best ones even without negative rows. Of clauses that hold for the same rows, only the
    cheapest is kept.
    """
    best: list[tuple[float, Clause]] = []
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
        # rounded, so that errors of float32 do not decide between equal costs
        reduced = np.rint((lost - won + price).ravel()[promising] / (10 * rows.tolerance))
        children: list[tuple[Clause, NDArray[np.bool_]]] = []
        for candidate in promising[np.argsort(reduced, kind="stable")].tolist():
            parent, j = divmod(candidate, len(rows.literals))
            mask = parents[parent][1] & (rows.literals[j] > 0)
            key = np.packbits(mask).tobytes()
            if cheapest.get(key, np.inf) <= price.flat[candidate] + rows.tolerance:
                continue
            cheapest[key] = float(price.flat[candidate])
            clause = tuple(sorted({*parents[parent][0], j}))
            children.append((clause, mask))
            exact = float(prices.of(clause) + mask @ (rows.negative - gain))
            if exact < -rows.tolerance:
                best.append((exact, clause))
            if len(children) >= max(beam, number):
                break
        best = sorted(best)[:number]
        if len(best) == number:
            limit = min(limit, best[-1][0])
        parents = children[:beam]
        if not parents:
            break
    return best
