"""The pricing problem of column generation: a beam search for clauses of negative reduced cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from imd_widget.evaluation.boolean_rules.clauses import Clause
from imd_widget.evaluation.boolean_rules.master_problem import Prices
from imd_widget.evaluation.boolean_rules.rows import Rows

#: Clauses that one round adds to the pool at most.
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
