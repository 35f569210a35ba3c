"""A sample of the rows of the table for an HTML page, which has no kernel to request them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.plain import record_from
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.rows import (
    LONGEST_HELD,
    cut_text,
    listing,
    output_texts,
    page,
    ranks,
    whole_texts,
)
from imd_widget.data.sampling import hashed
from imd_widget.views.schema import PageRows

#: Least number of rows of each rule in a page, if the rule has as many.
LEAST_ROWS = 5


def rows_of_page(steps: Sequence[ModelDiff], count: int) -> PageRows:
    """Return ``count`` rows of the table and the leaves they reach after each refinement step."""
    first = steps[0]
    chosen = choose(first, count)
    inside = np.zeros(first.table.n_rows, dtype=bool)
    inside[chosen] = True
    listed = listing(first, ())
    sample = page(first, inside, (), 0, count, None)
    rows = np.flatnonzero(inside).astype(np.int32)
    values = [one.values(rows) for one in listed.columns]
    whole = list(whole_texts(values, list(zip(*sample.cells, strict=True))))
    return record_from(
        PageRows,
        sample,
        total=first.table.n_rows,
        whole=tuple((row, column, cut_text(text, LONGEST_HELD)) for row, column, text in whole),
        cut=sum(len(text) > LONGEST_HELD for *_, text in whole),
        ranks=tuple(tuple(ranks(one)) for one in values),
        said=tuple(output_texts(first, rows)),
        leaves=tuple(_leaves(step, rows) for step in steps),
        sizes=tuple(_sizes(step) for step in steps),
    )


def _sizes(diff: ModelDiff) -> tuple[tuple[str, str, int, int], ...]:
    """For each pair of leaves, the rows of the whole table that reach it and those that differ."""
    tree = diff.tree
    leaves = diff.rows.leaves_of(slice(diff.table.n_rows)).astype(np.int64)
    pairs, pair_of_row = np.unique(leaves @ np.array([tree.n_nodes, 1]), return_inverse=True)
    rows = np.bincount(pair_of_row, minlength=len(pairs)).tolist()
    differing = np.bincount(pair_of_row[diff.differs], minlength=len(pairs)).tolist()
    return tuple(
        (tree.ids[pair // tree.n_nodes], tree.ids[pair % tree.n_nodes], n, d)
        for pair, n, d in zip(pairs.tolist(), rows, differing, strict=True)
    )


def choose(diff: ModelDiff, count: int) -> NDArray[np.intp]:
    """Positions of ``count`` rows, a stratified sample drawn by a hash of the row number.

    The strata are the rules and the rows in no rule, each divided into rows that differ and rows
    that do not. A rule gets rows in proportion to its size, and at least `LEAST_ROWS` if it has as
    many; within a rule the share of differing rows is that of the rule.
    """
    n_rows = diff.table.n_rows
    if count >= n_rows:
        return np.arange(n_rows)
    rule = diff.rows.rule_of(slice(n_rows))
    sizes = np.bincount(2 * rule + diff.differs, minlength=2 * len(diff.rules) + 2).reshape(-1, 2)
    number = hashed(n_rows, diff.metrics.n_rows)
    chosen = []
    for stratum, share in enumerate(shares(sizes.sum(axis=1), count, LEAST_ROWS).tolist()):
        for differs, part in enumerate(shares(sizes[stratum], share, 0).tolist()):
            rows = np.flatnonzero((rule == stratum) & (diff.differs == bool(differs)))
            chosen.append(rows[np.argsort(number[rows], kind="stable")[:part]])
    return np.concatenate(chosen)


def shares(sizes: NDArray[np.integer], total: int, least: int) -> NDArray[np.intp]:
    """Divide ``total`` among groups in proportion to their sizes, by largest remainder.

    A group gets at most its size and at least ``min(size, least)``. If these minima exceed
    ``total``, the groups get one each in turn, the largest first.
    """
    total = min(total, int(sizes.sum()))
    minimum = np.minimum(sizes, least)
    if minimum.sum() > total:
        order = np.argsort(-sizes, kind="stable")
        turns = [group for turn in range(least) for group in order if sizes[group] > turn][:total]
        return np.asarray(np.bincount(turns, minlength=len(sizes)))
    rest, left = sizes - minimum, total - int(minimum.sum())
    if left == 0:
        return np.asarray(minimum, dtype=np.intp)
    quota = left * rest / rest.sum()
    whole = np.floor(quota).astype(np.intp)
    more = np.argsort(whole - quota, kind="stable")[: left - int(whole.sum())]
    whole[more] += 1
    return np.asarray(minimum + whole, dtype=np.intp)


def _leaves(diff: ModelDiff, rows: NDArray[np.int32]) -> tuple[tuple[str, str], ...]:
    tree = diff.tree
    reached = diff.rows.leaves_of(rows).tolist()
    return tuple((tree.ids[one], tree.ids[two]) for one, two in reached)
