"""Rule sets learned by column generation, after Dash, Günlük and Wei (NeurIPS 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.boolean_rules.checks import check_cost, check_shape, shown
from benchmarks.boolean_rules.clauses import BooleanRules, Clause
from benchmarks.boolean_rules.master_problem import Pool, Prices, relax
from benchmarks.boolean_rules.pricing import best_clauses
from benchmarks.boolean_rules.rows import Rows
from benchmarks.boolean_rules.selection import choose
from imd_widget._base.errors import InputError
from imd_widget._base.validation import check_whole


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
    """Learn a rule set that holds where ``y`` is true, with a small loss and few conditions.

    The rules minimise the share of positives that no clause holds for, plus for every clause the
    share of negatives that it holds for (the Hamming loss of Dash et al.: a negative in two clauses
    counts twice), plus the costs of the clauses. The linear relaxation is
    solved over a growing pool of clauses; each round adds those of the least reduced cost that a
    beam search finds, until it finds none below zero or ``iterations`` is reached.

    The rules are then selected from the pool by adding, dropping and exchanging clauses as long as
    the loss decreases. If the selection may be more than 1 % above the optimum and the problem is
    small enough, an integer program replaces it.

    The rules do not depend on the order of rows. (They may differ if the integer program exceeds
    its 10 seconds.) For a matrix with more than 67 million cells, the rules are learned from a
    sample of the distinct rows, drawn with ``seed``.

    Parameters
    ----------
    matrix : ndarray of bool, shape (n_rows, n_literals)
    y : array-like of bool, or of 0 and 1, shape (n_rows,)
    clause_cost, literal_cost : float
        Costs of a clause and of each literal in it, as a share of the rows: with 0.001 each, a
        clause of two literals must reduce the loss by 0.3 % of the rows.
    known : sequence of tuple of int
        Clauses that are cheaper, as are their literals in new clauses.
    reuse : float
        Factor of their cost, from 0 to 1.
    max_degree : int
        Maximal number of literals in a new clause.
    beam : int
        Width of the beam search.
    iterations : int
        Maximal number of rounds of column generation.
    seed : int
        Seed of the sample.
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
        priced = best_clauses(rows, relaxed.gain, prices, max_degree=max_degree, beam=beam)
        fresh = [clause for _, clause in priced if clause not in pool.clauses]
        if not fresh:
            break
        pool = pool.with_clauses(fresh)
    return BooleanRules(tuple(sorted(choose(pool), key=lambda clause: (len(clause), clause))))


def _check_rows(matrix: Any, y: Any) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Check the matrix of literals, and convert ``y`` to booleans."""
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
