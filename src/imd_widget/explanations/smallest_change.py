"""The smallest change of a row after which the models agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.validation import check_whole
from imd_widget.data.table import Table, open_table
from imd_widget.explanations.contributing import MAX_CALLS
from imd_widget.explanations.edited_row import Edit, table_row
from imd_widget.explanations.grid import column_is_number, describe_column, places_of
from imd_widget.explanations.schema import SmallestChangeView
from imd_widget.explanations.what_if import WhatIf, both_outputs, check_callable, what_if
from imd_widget.outputs.base import MissingOutputError

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff

#: A change of category counts as much as passing this share of the rows in an ordered column.
CATEGORY_SIZE = 0.5
#: Most values of one column that are tried by themselves if there are too many of all columns, and
#: most columns that are tried in pairs.
MOST_VALUES, MOST_COLUMNS = 200, 40
#: Fewest values of a column that are tried in pairs.
FEWEST_VALUES = 3
#: Rows that a model is called with at once.
CALL_ROWS = 20_000


@dataclass(frozen=True, eq=False, repr=False)
class SmallestChange:
    """The smallest change of a row after which the models agree.

    Attributes
    ----------
    row : int
        Position of the row in the table.
    edits : tuple of Edit
        The change: one column, or two if no value of one column is enough. Empty if none was found,
        or if the models agree already.
    size : float or None
        Size of the change, by which changes are compared: the sum over its columns of the share of
        rows whose value lies between the old and the new one; a change of category counts 0.5.
    what_if : WhatIf or None
        The row with this change.
    differs : bool
        Whether the models differ on the row of the table.
    n_asked : int
        Number of rows that each model was called with.
    exhaustive : bool
        Whether every value that occurs was tried; otherwise some of each column.
    """

    row: int
    edits: tuple[Edit, ...]
    size: float | None
    what_if: WhatIf | None
    differs: bool
    n_asked: int
    exhaustive: bool

    @property
    def found(self) -> bool:
        """Whether there is a change after which the models agree."""
        return bool(self.edits)

    @property
    def text(self) -> str:
        """The change in words."""
        if not self.differs:
            return f"The models agree on row {self.row} already."
        if not self.found:
            tried = "that occur in" if self.exhaustive else "that were tried in"
            return f"The models differ on row {self.row} for all values {tried} one or two columns."
        changes = " and ".join(map(str, self.edits))
        assert self.what_if is not None
        first, second = self.what_if.texts
        both = f"both give {first}" if first == second else f"they give {first} and {second}"
        return f"The models agree on row {self.row} with {changes}: {both}."

    def view(self) -> SmallestChangeView:
        """Return the change as a record."""
        own = None if self.what_if is None else self.what_if.view()
        return SmallestChangeView(self.found, own, self.text, self.n_asked)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<SmallestChange: {self.text}>"


@dataclass(frozen=True, eq=False)
class ChangeCandidates:
    """Other values of one column that occur in the table, the nearest to the row's first."""

    #: Position of the column.
    position: int
    #: Position of a row that has each value.
    sources: NDArray[np.intp]
    #: Size of the change to each value.
    sizes: NDArray[np.float64]
    #: Whether these are all values that occur.
    complete: bool = True

    def thinned(self, most: int) -> ChangeCandidates:
        """Return at most ``most`` of the values: the nearest, and evenly spaced others."""
        n = len(self.sources)
        if n <= most:
            return self
        kept = np.unique(np.rint(np.linspace(0, n - 1, most)).astype(np.intp))
        return ChangeCandidates(self.position, self.sources[kept], self.sizes[kept], complete=False)


def candidates(
    table: Table, position: int, row: int, weights: NDArray[np.float64]
) -> ChangeCandidates:
    """Return the values of a column that occur in rows that count, other than the row's own."""
    column, codes = describe_column(open_table(table.get(position).to_frame(0)), 0, 255)
    series = table.get(position)
    missing = codes == column.n_values
    present = np.flatnonzero(~missing & (weights > 0))
    ordered = column.ordered
    number_like = column_is_number(column)
    places = places_of(series, column) if number_like else codes.astype(float)
    distinct, first, number = np.unique(places[present], return_index=True, return_inverse=True)
    own = None if missing[row] else places[row]
    if ordered and own is not None:
        share = np.bincount(number, weights=weights[present], minlength=len(distinct))
        below = np.cumsum(share) - share / 2  # the middle of each value
        at = int(np.searchsorted(distinct, own))
        middle = below[at] if at < len(distinct) and distinct[at] == own else share[:at].sum()
        sizes = np.abs(below - middle) / share.sum()
    else:
        sizes = np.full(len(distinct), CATEGORY_SIZE)
    other = np.ones(len(distinct), dtype=bool) if own is None else distinct != own
    sources, sizes = present[first][other], sizes[other]
    order = np.lexsort((sources, sizes))
    return ChangeCandidates(position, sources[order], sizes[order])


@dataclass(frozen=True, eq=False)
class Trial:
    """Changes that are tried together: the row with values of other rows in some columns."""

    #: Columns that change.
    positions: tuple[int, ...]
    #: Row that each column takes its value from, for each of n changes.
    sources: NDArray[np.intp]
    sizes: NDArray[np.float64]


def smallest_change(
    diff: ModelDiff,
    row: Any,
    *,
    max_calls: int = MAX_CALLS,
    after_each: Callable[[float], object] = lambda _: None,
) -> SmallestChange:
    """Return the smallest change of a row after which the models agree.

    Parameters
    ----------
    diff : ModelDiff
    row : int
        Position of the row in the table.
    max_calls : int
        Most rows that each model is called with.
    after_each : callable
        Called after each call of the models with the share of the work that is done; an exception
        that it raises ends the work.
    """
    number = table_row(row, diff.table.n_rows)
    check_whole("max_calls", max_calls, 1)
    check_callable(diff)
    if not diff.rows.differs_at(np.array([number], dtype=np.intp))[0]:
        return SmallestChange(number, (), None, None, False, 0, True)
    table, weights = diff.table, diff.rows.row_weight
    every = [candidates(table, at, number, weights) for at in range(len(table.names))]
    single = every
    if sum(len(own.sources) for own in every) > max_calls // 2:
        most = min(MOST_VALUES, max(1, max_calls // (2 * len(every))))
        single = [own.thinned(most) for own in every]
    trials = [Trial((own.position,), own.sources[None], own.sizes) for own in single]
    search = _ChangeSearch(diff, number, max_calls, after_each)
    best = search.best(trials)
    exhaustive = all(own.complete for own in single)
    if best is None:
        pairs = _pairs(single, max_calls - search.n_asked)
        exhaustive = exhaustive and pairs[1]
        best = search.best(pairs[0])
    if best is None:
        return SmallestChange(number, (), None, None, True, search.n_asked, exhaustive)
    size, positions, sources = best
    changes = {
        at: table.values_at(at, np.array([source])).iloc[0]
        for at, source in zip(positions, sources, strict=True)
    }
    edited = what_if(diff, number, changes, by_position=True)
    return SmallestChange(number, edited.edits, size, edited, True, search.n_asked, exhaustive)


def _pairs(single: Sequence[ChangeCandidates], left: int) -> tuple[list[Trial], bool]:
    """Changes of two columns at once, up to the limit of calls; whether these are all."""
    useful = [own for own in single if len(own.sources)]
    chosen = useful[:MOST_COLUMNS]
    n_pairs = max(1, len(chosen) * (len(chosen) - 1) // 2)
    most = max(FEWEST_VALUES, int(np.sqrt(max(left, 0) / n_pairs)))
    total = sum(len(one.sources) * len(other.sources) for one, other in combinations(chosen, 2))
    complete = total <= left and len(chosen) == len(useful)
    kept = chosen if total <= left else [own.thinned(most) for own in chosen]
    trials = []
    for one, other in combinations(kept, 2):
        first = np.repeat(one.sources, len(other.sources))
        second = np.tile(other.sources, len(one.sources))
        sizes = np.add.outer(one.sizes, other.sizes).ravel()
        trials.append(Trial((one.position, other.position), np.stack([first, second]), sizes))
    return trials, complete and all(own.complete for own in kept)


class _ChangeSearch:
    """Asks both models about changes and keeps the smallest after which they agree."""

    def __init__(
        self, diff: ModelDiff, row: int, max_calls: int, after_each: Callable[[float], object]
    ) -> None:
        self._diff, self._row = diff, row
        self._max_calls, self._after_each = max_calls, after_each
        self.n_asked = 0

    def best(
        self, trials: Sequence[Trial]
    ) -> tuple[float, tuple[int, ...], tuple[int, ...]] | None:
        """Return size, columns and rows with their values; None if no change is enough."""
        found: tuple[float, tuple[int, ...], tuple[int, ...]] | None = None
        for together in _batches(trials):
            agreeing = self._agreeing(together)
            start = 0
            for trial in together:
                mask = agreeing[start : start + len(trial.sizes)]
                start += len(trial.sizes)
                at = int(np.where(mask, trial.sizes, np.inf).argmin())
                size = float(trial.sizes[at])
                if mask[at] and (found is None or size < found[0]):
                    found = (size, trial.positions, tuple(trial.sources[:, at].tolist()))
            self._after_each(min(1.0, self.n_asked / self._max_calls))
        return found

    def _agreeing(self, trials: Sequence[Trial]) -> NDArray[np.bool_]:
        """Whether the models agree after each change; not where one of them gives no output."""
        table = self._diff.table
        sizes = [len(trial.sizes) for trial in trials]
        takes = [np.full(sum(sizes), self._row) for _ in table.names]
        start = 0
        for trial, size in zip(trials, sizes, strict=True):
            for position, sources in zip(trial.positions, trial.sources, strict=True):
                takes[position][start : start + size] = sources
            start += size
        self.n_asked += sum(sizes)
        agree = np.zeros(sum(sizes), dtype=bool)
        usable = np.arange(sum(sizes))
        while len(usable):
            mixed = open_table(table.mix([own[usable] for own in takes]), table.argument)
            try:
                outputs = both_outputs(self._diff, mixed)
            except MissingOutputError as error:
                usable = usable[~error.missing]
                continue
            agree[usable] = ~self._diff.tree.outputs.are_apart(*outputs)
            break
        return agree


def _batches(trials: Sequence[Trial]) -> Iterator[list[Trial]]:
    """Put trials together that are asked in one call."""
    together: list[Trial] = []
    for trial in trials:
        if not len(trial.sizes):
            continue
        n = sum(len(own.sizes) for own in together) + len(trial.sizes)
        if together and n > CALL_ROWS:
            yield together
            together = []
        together.append(trial)
    if together:
        yield together
