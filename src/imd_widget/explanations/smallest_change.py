"""The smallest change of a row after which two models agree, or one gives another output."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Given, InputError
from imd_widget._base.validation import check_whole, is_number
from imd_widget.comparison.rows import row_number
from imd_widget.data.table import Table, open_table
from imd_widget.explanations.contributing import MAX_CALLS
from imd_widget.explanations.edited_row import Edit, RaisedError, output_of
from imd_widget.explanations.editing import Field
from imd_widget.explanations.grid import column_is_number, describe_column, places_of
from imd_widget.explanations.model_results import UNNAMED, at_start
from imd_widget.explanations.schema import SmallestChangeView
from imd_widget.explanations.scores import known_label
from imd_widget.explanations.views import what_if_view
from imd_widget.explanations.what_if import (
    WhatIf,
    both_outputs,
    check_callable,
    what_if,
    what_if_alone,
)
from imd_widget.outputs.base import MissingOutputError

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff
    from imd_widget.explanations.explanation import Explanation
    from imd_widget.explanations.model_subject import OneModel

#: A change of category counts as much as passing this share of the rows in an ordered column.
CATEGORY_SIZE = 0.5
#: Most values of one column that are tried by themselves if there are too many of all columns, and
#: most columns that are tried in pairs.
MOST_VALUES, MOST_COLUMNS = 200, 40
#: Fewest values of a column that are tried in pairs.
FEWEST_VALUES = 3
#: Calls that may raise an error before the changes that are left count as not tried.
MOST_RAISED = 200
#: Rows that a model is called with at once.
CALL_ROWS = 20_000


@dataclass(frozen=True, eq=False, repr=False)
class SmallestChange:
    """The smallest change of a row after which two models agree, or one gives another output.

    Attributes
    ----------
    row : int
        Position of the row in the table.
    edits : tuple of Edit
        The change: one column, or two if no value of one column is enough. Empty if none was found,
        or if none is needed.
    size : float or None
        Size of the change, by which changes are compared: the sum over its columns of the share of
        rows whose value lies between the old and the new one; a change of category counts 0.5.
    what_if : WhatIf or None
        The row with this change.
    needed : bool
        Whether a change is needed: the models differ on the row of the table, or the output of the
        model is not the wanted one.
    n_asked : int
        Number of rows that each model was called with.
    exhaustive : bool
        Whether every value that occurs was tried; otherwise some of each column.
    wanted : str or None
        What one model shall give: "RF gives another class"; None for two models, which shall agree.
    """

    row: int
    edits: tuple[Edit, ...]
    size: float | None
    what_if: WhatIf | None
    needed: bool
    n_asked: int
    exhaustive: bool
    wanted: str | None = None

    @property
    def found(self) -> bool:
        """Whether there is a change after which the wish is met."""
        return bool(self.edits)

    @property
    def text(self) -> str:
        """The change in words."""
        wanted = self.wanted or "The models agree"
        if not self.needed:
            return f"{wanted} on row {self.row} already."
        own = self.what_if
        if own is None:
            tried = "that occur in" if self.exhaustive else "that were tried in"
            if self.wanted is None:
                end = f"for all values {tried} one or two columns."
                return f"The models differ on row {self.row} {end}"
            tried = "" if self.exhaustive else " that was tried"
            makes = wanted.replace(" gives ", " give ", 1)
            makes = (
                UNNAMED + makes[len(UNNAMED) :] if makes.startswith(at_start(UNNAMED)) else makes
            )
            return f"No change of one or two columns{tried} makes {makes} on row {self.row}."
        changes = f"on row {self.row} with {' and '.join(map(str, self.edits))}"
        first, *second = own.texts
        if self.wanted is not None:
            name, before = at_start(own.names[0]), own.texts_before[0]
            return f"{name} gives {first} instead of {before} {changes}."
        both = f"both give {first}" if [first] == second else f"they give {first} and {second[0]}"
        return f"{wanted} {changes}: {both}."

    def view(self) -> SmallestChangeView:
        """Return the change as a record."""
        own = None if self.what_if is None else what_if_view(self.what_if)
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
    """Return the smallest change of a row after which the models of a diff agree.

    Parameters
    ----------
    diff : ModelDiff
    row : int
        Position of the row in the table.
    max_calls : int
        Number of rows that each model is called with at most.
    after_each : callable
        Called after each call of the models with the share of the work that is done; an exception
        that it raises ends the work.
    """
    number = row_number(row, diff.table.n_rows)
    check_whole("max_calls", max_calls, 1)
    check_callable(diff, "smallest_change")
    if not diff.rows.differs_at(np.array([number], dtype=np.intp))[0]:
        return SmallestChange(number, (), None, None, False, 0, True)

    def agree(table: Table) -> NDArray[np.bool_]:
        return ~diff.tree.outputs.are_apart(*both_outputs(diff, table))

    search = _ChangeSearch(diff.table, number, agree, max_calls, after_each)
    changes, size, exhaustive = search.smallest(diff.rows.row_weight)
    edited = what_if(diff, number, changes, by_position=True) if changes else None
    edits = edited.edits if edited else ()
    return SmallestChange(number, edits, size, edited, True, search.n_asked, exhaustive)


def smallest_change_alone(
    explanation: Explanation,
    model: OneModel,
    row: Any,
    to: Any = None,
    *,
    max_calls: int = MAX_CALLS,
    after_each: Callable[[float], object] = lambda _: None,
) -> SmallestChange:
    """Return the smallest change of a row after which one model gives another output.

    Parameters
    ----------
    explanation : Explanation
        That of the model.
    model : OneModel
    row : int
        Position of the row in the table.
    to : label or number, optional
        The class that is wanted, by default any other one; or the number that the output shall
        reach, by default 0.5 for a probability and the mean of all rows for a value.
    max_calls, after_each
        As for `smallest_change`.
    """
    table = model.table
    number = row_number(row, table.n_rows)
    check_whole("max_calls", max_calls, 1)
    [before] = output_of(model.models, 0, table.take(np.array([number], dtype=np.intp)), "model")
    wanted, is_wanted = _goal(explanation, model, before, to)
    if is_wanted(np.array([before]))[0]:
        return SmallestChange(number, (), None, None, False, 0, True, wanted)

    def reached(other: Table) -> NDArray[np.bool_]:
        return is_wanted(output_of(model.models, 0, other, "model"))

    search = _ChangeSearch(table, number, reached, max_calls, after_each)
    changes, size, exhaustive = search.smallest(model.row_weight)
    edited = None
    if changes:
        edited = what_if_alone(explanation, model, number, changes, by_position=True)
    edits = edited.edits if edited else ()
    return SmallestChange(number, edits, size, edited, True, search.n_asked, exhaustive, wanted)


def _goal(
    explanation: Explanation, model: OneModel, before: Any, to: Any
) -> tuple[str, Callable[[NDArray[Any]], NDArray[np.bool_]]]:
    """What is wanted in words, and which outputs are."""
    outputs = model.tree.outputs
    if outputs.labels:
        if to is None:
            return f"{at_start(model.name)} gives another class", lambda found: found != before
        label = known_label(to, outputs)
        return (
            f"{at_start(model.name)} gives {outputs.texts([label])[0]}",
            lambda found: found == label,
        )
    if to is None:
        rows = np.arange(model.table.n_rows)
        every = explanation.score.of_rows(rows)[:, 0]
        to = 0.5 if outputs.has_margins else float(every.mean())
    elif not is_number(to):
        raise InputError(Given("to", to), f": the outputs are numbers ({outputs.what}).")
    if before >= to:
        return (
            f"{at_start(model.name)} gives at most {outputs.texts([to])[0]}",
            lambda found: found <= to,
        )
    return (
        f"{at_start(model.name)} gives at least {outputs.texts([to])[0]}",
        lambda found: found >= to,
    )


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
    """Tries changes of a row and keeps the smallest one after which a wish is met."""

    def __init__(
        self,
        table: Table,
        row: int,
        reached: Callable[[Table], NDArray[np.bool_]],
        max_calls: int,
        after_each: Callable[[float], object],
    ) -> None:
        self._table, self._row, self._reached = table, row, reached
        self._max_calls, self._after_each = max_calls, after_each
        self._raised: list[RaisedError] = []
        self._answered = False
        self.n_asked = 0

    def smallest(self, weights: NDArray[np.float64]) -> tuple[dict[int, Any], float | None, bool]:
        """Return the values by position of the column, the size, and whether all were tried."""
        table = self._table
        # the whole text of another row is no small change
        columns = [at for at in range(len(table.names)) if not Field.of(table, at).is_free_text]
        every = [candidates(table, at, self._row, weights) for at in columns]
        if not every:
            return {}, None, False
        single = every
        if sum(len(own.sources) for own in every) > self._max_calls // 2:
            most = min(MOST_VALUES, max(1, self._max_calls // (2 * len(every))))
            single = [own.thinned(most) for own in every]
        best = self.best([Trial((own.position,), own.sources[None], own.sizes) for own in single])
        exhaustive = all(own.complete for own in single)
        if best is None:
            trials, complete = _pairs(single, self._max_calls - self.n_asked)
            exhaustive = exhaustive and complete
            best = self.best(trials)
        if self._raised and not self._answered:
            raise self._raised[0]
        exhaustive = exhaustive and len(self._raised) <= MOST_RAISED
        if best is None:
            return {}, None, exhaustive
        size, positions, sources = best
        changes = {
            at: table.values_at(at, np.array([source])).iloc[0]
            for at, source in zip(positions, sources, strict=True)
        }
        return changes, size, exhaustive

    def best(
        self, trials: Sequence[Trial]
    ) -> tuple[float, tuple[int, ...], tuple[int, ...]] | None:
        """Return size, columns and rows with their values; None if no change is enough."""
        found: tuple[float, tuple[int, ...], tuple[int, ...]] | None = None
        for together in _batches(trials):
            met = self._met(together)
            start = 0
            for trial in together:
                mask = met[start : start + len(trial.sizes)]
                start += len(trial.sizes)
                at = int(np.where(mask, trial.sizes, np.inf).argmin())
                size = float(trial.sizes[at])
                if mask[at] and (found is None or size < found[0]):
                    found = (size, trial.positions, tuple(trial.sources[:, at].tolist()))
            self._after_each(min(1.0, self.n_asked / self._max_calls))
        return found

    def _met(self, trials: Sequence[Trial]) -> NDArray[np.bool_]:
        """Whether the wish is met after each change; not where a model gives none or raises."""
        table = self._table
        sizes = [len(trial.sizes) for trial in trials]
        takes = [np.full(sum(sizes), self._row) for _ in table.names]
        start = 0
        for trial, size in zip(trials, sizes, strict=True):
            for position, sources in zip(trial.positions, trial.sources, strict=True):
                takes[position][start : start + size] = sources
            start += size
        self.n_asked += sum(sizes)
        met = np.zeros(sum(sizes), dtype=bool)
        left = [np.arange(sum(sizes))]
        while left:
            usable = left.pop()
            if not len(usable):
                continue
            mixed = open_table(table.mix([own[usable] for own in takes]), table.argument)
            try:
                met[usable] = self._reached(mixed)
                self._answered = True
            except MissingOutputError as error:
                left.append(usable[~error.missing])
            except RaisedError as error:  # which of the rows it is about can only be tried
                self._raised.append(error)
                if len(self._raised) > MOST_RAISED:
                    break
                half = len(usable) // 2
                left += [usable[half:], usable[:half]] if half else []
        return met


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
