"""Some rows of the table to take along in a page, ready to be looked at without a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.compare import ModelDiff
from imd_widget.rows import listing, page, ranks, said


class RowsOfPage(TypedDict):
    """Rows that travel with a page; js/page.ts filters, sorts and traces them."""

    total: int
    columns: list[str]
    lead: int
    positions: list[int]
    labels: list[str]
    cells: list[list[str]]
    ranks: list[list[int]]
    differs: list[bool]
    said: list[list[str]]
    leaves: list[list[list[str]]]


def rows_of_page(steps: Sequence[ModelDiff], count: int) -> RowsOfPage:
    """``count`` rows of the table, with the leaves that they reach after each refinement step."""
    first = steps[0]
    chosen = choose(first, count)
    inside = np.zeros(first.table.n_rows, dtype=bool)
    inside[chosen] = True
    listed = listing(first, ())
    found = page(first, inside, (), 0, count, None)
    rows = np.flatnonzero(inside).astype(np.int32)
    return RowsOfPage(
        total=first.table.n_rows,
        columns=list(found.columns),
        lead=found.lead,
        positions=list(found.positions),
        labels=list(found.labels),
        cells=[list(own) for own in found.cells],
        ranks=[ranks(get().iloc[rows]) for _, get in listed.columns],
        differs=list(found.differs),
        said=[list(pair) for pair in said(first, rows)],
        leaves=[_leaves(step, rows) for step in steps],
    )


def choose(diff: ModelDiff, count: int) -> NDArray[np.intp]:
    """Rows that show most: of each rule in turn one, differing ones first; then the others.

    Others are rows in no rule, first those on which the models differ. Equals as they stand.
    """
    n_rows = diff.table.n_rows
    if count >= n_rows:
        return np.arange(n_rows)
    rule = _rule_of(diff, np.arange(n_rows, dtype=np.int32))
    same = ~diff.differs
    ranked = pd.DataFrame({"rule": rule, "same": same}).sort_values("same", kind="stable")
    turn = ranked.groupby("rule").cumcount().sort_index().to_numpy()
    outside = rule == len(diff.rules)
    order = np.lexsort((same, rule, np.where(outside, 0, turn), outside))
    return order[:count]


def _rule_of(diff: ModelDiff, rows: NDArray[np.int32]) -> NDArray[np.intp]:
    """Number of the rule that each row lies in; one more than there are for those in none."""
    tree, codes = diff.tree, diff._found.material.codes
    number = {pair: at for at, rule in enumerate(diff.rules) for pair in rule.leaves}
    leaves = tree.route(codes, rows).astype(np.int64)
    key, place = np.unique(leaves @ np.array([tree.n_nodes, 1]), return_inverse=True)
    of_pair = [
        number.get((tree.ids[one], tree.ids[two]), len(diff.rules))
        for one, two in (divmod(pair, tree.n_nodes) for pair in key.tolist())
    ]
    return np.array(of_pair, dtype=np.intp)[place]


def _leaves(diff: ModelDiff, rows: NDArray[np.int32]) -> list[list[str]]:
    tree = diff.tree
    reached = tree.route(diff._found.material.codes, rows).tolist()
    return [[tree.ids[one], tree.ids[two]] for one, two in reached]
