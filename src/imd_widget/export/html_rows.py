"""Some rows of the table to take along in a page, ready to be looked at without a kernel."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.rows import listing, output_texts, page, ranks
from imd_widget.data.sampling import hashed
from imd_widget.views.schema import PageRows

#: Rows that a page brings of each rule at least, where there are so many.
LEAST_ROWS = 5


def rows_of_page(steps: Sequence[ModelDiff], count: int) -> PageRows:
    """``count`` rows of the table, with the leaves that they reach after each refinement step."""
    first = steps[0]
    chosen = choose(first, count)
    inside = np.zeros(first.table.n_rows, dtype=bool)
    inside[chosen] = True
    listed = listing(first, ())
    found = page(first, inside, (), 0, count, None)
    rows = np.flatnonzero(inside).astype(np.int32)
    return PageRows(
        total=first.table.n_rows,
        columns=list(found.columns),
        lead=found.lead,
        positions=list(found.positions),
        labels=list(found.labels),
        cells=[list(own) for own in found.cells],
        ranks=[ranks(get().iloc[rows]) for _, get in listed.columns],
        differs=list(found.differs),
        said=[list(pair) for pair in output_texts(first, rows)],
        leaves=[_leaves(step, rows) for step in steps],
        sizes=[_sizes(step) for step in steps],
    )


def _sizes(diff: ModelDiff) -> list[tuple[str, str, int, int]]:
    """Rows of the whole table by the pair of leaves they reach, and those that differ."""
    tree, n_rows = diff.tree, diff.table.n_rows
    every = np.arange(n_rows, dtype=np.int32)
    leaves = tree.route(diff._fitted.dataset.codes, every).astype(np.int64)
    pairs, place = np.unique(leaves @ np.array([tree.n_nodes, 1]), return_inverse=True)
    rows = np.bincount(place, minlength=len(pairs)).tolist()
    differing = np.bincount(place[diff.differs], minlength=len(pairs)).tolist()
    return [
        (tree.ids[pair // tree.n_nodes], tree.ids[pair % tree.n_nodes], many, differ)
        for pair, many, differ in zip(pairs.tolist(), rows, differing, strict=True)
    ]


def choose(diff: ModelDiff, count: int) -> NDArray[np.intp]:
    """Numbers of ``count`` rows that show the table as it is, drawn by a hash of their number.

    Each rule has a share of them in proportion to its rows, and `LEAST_ROWS` where it has so many;
    so have the rows in no rule. Of each share the part that differs is that of the rule.
    """
    n_rows = diff.table.n_rows
    if count >= n_rows:
        return np.arange(n_rows)
    rule = diff._fitted.rule_of(np.arange(n_rows))
    sizes = np.bincount(2 * rule + diff.differs, minlength=2 * len(diff.rules) + 2).reshape(-1, 2)
    number = hashed(n_rows, diff.metrics.n_rows)
    chosen = []
    for at, share in enumerate(shares(sizes.sum(axis=1), count, LEAST_ROWS).tolist()):
        for differs, part in enumerate(shares(sizes[at], share, 0).tolist()):
            rows = np.flatnonzero((rule == at) & (diff.differs == bool(differs)))
            chosen.append(rows[np.argsort(number[rows], kind="stable")[:part]])
    return np.concatenate(chosen)


def shares(sizes: NDArray[np.integer], total: int, least: int) -> NDArray[np.intp]:
    """How many of ``total`` each group gets: in proportion to its size, by largest remainder.

    No group gets more than its size; each gets ``least`` of it first, as far as that goes.
    """
    total = min(total, int(sizes.sum()))
    got = np.minimum(sizes, least)
    if got.sum() > total:  # too many groups: one each, in turn, the largest group first
        order = np.argsort(-sizes, kind="stable")
        turns = [at for turn in range(least) for at in order if sizes[at] > turn][:total]
        return np.asarray(np.bincount(turns, minlength=len(sizes)))
    rest, left = sizes - got, total - int(got.sum())
    if left == 0:
        return np.asarray(got, dtype=np.intp)
    quota = left * rest / rest.sum()
    whole = np.floor(quota).astype(np.intp)
    more = np.argsort(whole - quota, kind="stable")[: left - int(whole.sum())]
    whole[more] += 1
    return np.asarray(got + whole, dtype=np.intp)


def _leaves(diff: ModelDiff, rows: NDArray[np.int32]) -> list[list[str]]:
    tree = diff.tree
    reached = tree.route(diff._fitted.dataset.codes, rows).tolist()
    return [[tree.ids[one], tree.ids[two]] for one, two in reached]
