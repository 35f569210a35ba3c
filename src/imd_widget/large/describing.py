"""The columns of a large table, from summaries of its partitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.binning import with_unique_names
from imd_widget.data.columns import Column
from imd_widget.data.deriving import (
    MOST_TEXTS,
    Chosen,
    Derive,
    RawSample,
    choose_from,
    may_be_derived_from,
    sources,
)
from imd_widget.data.identifiers import identifiers
from imd_widget.data.sampling import LARGEST, RowSplit, sample_bound
from imd_widget.data.summaries import ColumnSummary, Family
from imd_widget.large.partitions import Partitions
from imd_widget.large.parts import (
    DescribePlan,
    Roles,
    describe,
    look_at,
    row_ranges,
    summaries_added,
)


@dataclass(frozen=True)
class Binning:
    """How columns are cut into bins; see `imd_widget.diff`."""

    max_bins: int
    subsample: int | None
    random_state: int
    #: Positions of the columns to describe; None: all of them.
    columns: tuple[int, ...] | None
    #: What is derived from them.
    derive: Derive


#: One in so many values of a column may be missing before it is described a second time.
ROOM = 4


def describe_columns(
    partitions: Partitions,
    roles: Roles,
    split: RowSplit,
    starts: NDArray[np.int64],
    n_counting: int,
    options: Binning,
) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """Describe the columns from summaries of all partitions; return the `identifiers` too.

    Some columns need a second pass: those whose sample has too few values because many are missing,
    and those whose partitions hold values of several families.
    """
    wanted = range(len(roles.features)) if options.columns is None else options.columns
    most = options.subsample
    # with room for columns of which some values are missing
    room = None if most is None else most + most // ROOM
    bound = sample_bound(round(n_counting * split.share_to_fit), room)

    def summarized(
        bounds: Mapping[int, int], families: Mapping[int, Family]
    ) -> tuple[dict[int, ColumnSummary], list[int]]:
        plan = DescribePlan(roles, split, ~options.random_state, bounds, families)
        parts = partitions.run(describe, row_ranges(starts), plan, title="describing columns")
        return summaries_added(parts)

    summaries, mixed = summarized(dict.fromkeys(wanted, bound), {})
    again = [at for at, summary in summaries.items() if summary.lacks(most)]
    if mixed or again:
        families: dict[int, Family] = dict.fromkeys(mixed, "category")
        bounds = dict.fromkeys(mixed, LARGEST)
        bounds |= {at: sample_bound(summaries[at].n_present, most) for at in again}
        summaries |= summarized(bounds, families)[0]
    short = [at for at, summary in summaries.items() if summary.lacks(most)]
    if short:  # the hashes of the rows with a value are uneven: hardly ever
        summaries |= summarized(dict.fromkeys(short, LARGEST), {})[0]
    chosen = _derived(partitions, roles, split, starts, summaries, options)
    described = (
        summaries[at].column(roles.features[at], at, options.max_bins, most)
        for at in (sorted(summaries) if chosen.positions is None else chosen.positions)
    )
    columns = with_unique_names(described, roles.header)
    counts = (summaries[column.position].count for column in columns)
    single = identifiers(
        ((column, count.values()) for column, count in zip(columns, counts, strict=True)),
        derives=options.derive is not None,
    )
    return (*columns, *chosen.columns), single


def _derived(
    partitions: Partitions,
    roles: Roles,
    split: RowSplit,
    starts: NDArray[np.int64],
    summaries: Mapping[int, ColumnSummary],
    options: Binning,
) -> Chosen:
    """Choose the derived columns; partitions are read again if there are dates or texts."""
    wanted = sources(roles.features, options.derive, options.columns)
    if options.derive == "auto":
        wanted = [at for at in wanted if may_be_derived_from(summaries[at], split.share_to_fit)]
    if not wanted:
        return Chosen(options.columns)

    def looked(bound: int) -> dict[int, RawSample]:
        plan = DescribePlan(roles, split, ~options.random_state, dict.fromkeys(wanted, bound), {})
        samples: dict[int, RawSample] = {}
        for part in partitions.run(
            look_at, row_ranges(starts), plan, title="looking at dates and texts"
        ):
            for at, sample in part.items():
                samples[at] = samples[at] + sample if at in samples else sample
        return samples

    samples = looked(sample_bound(int(starts[-1]), 2 * MOST_TEXTS))
    if any(sample.lacks_texts() for sample in samples.values()):
        samples = looked(LARGEST)
    return choose_from(samples, roles.header, options.derive, options.columns, options.max_bins)
