"""Prepare k models and a table once, then compare any two: no model is called twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, InPython, Quoted, warn
from imd_widget._base.intervals import sample_size
from imd_widget.comparison.by_groups import Grouping, read_grouping
from imd_widget.comparison.dataset import Holdout, build_dataset, read_groups, read_holdout
from imd_widget.comparison.diff_rows import DiffRows, fit_rows
from imd_widget.comparison.fit_input import (
    FitInput,
    MeasuredBy,
    MeasuredDataset,
    MemoryComparison,
)
from imd_widget.comparison.known import KnownRegions, known_rules
from imd_widget.comparison.leaks import warn_of_leaks
from imd_widget.comparison.losses import check_loss
from imd_widget.comparison.memory_dataset import MemoryDataset
from imd_widget.comparison.options import Options
from imd_widget.data.columns import Column
from imd_widget.data.identifiers import counts_in, identifiers
from imd_widget.data.native import n_distinct
from imd_widget.data.table import Table, open_table
from imd_widget.data.weights import checked_weight
from imd_widget.methods import Method
from imd_widget.models.adapters import ModelOutput, can_predict
from imd_widget.models.calling import TableChangedError
from imd_widget.models.pair import ComparedModels
from imd_widget.outputs.base import ComparedOutputs, ComparisonInput, OutputOptions
from imd_widget.outputs.reading import compare_outputs
from imd_widget.rules.rule import RuleSet

#: Called with the number of a model that fails, and the error.
OnError = Callable[[int, Exception], object]
#: With fewer differing rows than this among the rows kept aside, "auto" measures by "cv".
FEW_DIFFERING = 50
#: The same if fewer groups would be kept aside, or if weights or the sizes of groups leave fewer
#: degrees of freedom.
FEW_GROUPS, FEW_DEGREES = 20, 10.0


@dataclass(frozen=True, eq=False)
class Measurement:
    """Chooses how diffs of a prepared table are measured; it holds no model."""

    #: The user's table.
    table: Table
    #: The rows of all tables, with a holdout unless none was wanted.
    dataset: MemoryDataset
    #: Weight of each row of the table.
    weight: NDArray[np.float64] | None
    options: Options
    #: Names of columns with a different value in nearly every row.
    identifiers: tuple[str, ...] = ()

    @cached_property
    def whole(self) -> MemoryDataset:
        """The dataset without a holdout: all rows that count are used to fit."""
        nothing = Holdout(np.zeros(self.table.n_rows, dtype=bool))
        groups = self.dataset.groups
        own = None if groups is None else groups[: self.table.n_rows]
        return _encoded(self.table, nothing, self.weight, self.options, own, augment=False)

    def choose(
        self, compared: ComparedOutputs, known: KnownRegions | None = None
    ) -> MeasuredDataset:
        """Return the dataset that two models are compared on, and how the diff is measured.

        Known rules are not fitted, and folds of the rows would not measure more.
        """
        by = self._measured_by(compared, is_fitted=known is None)
        dataset = self.whole if by == "cv" else self.dataset
        return MeasuredDataset(dataset if known is None else known.extended(dataset), by)

    def _measured_by(self, compared: ComparedOutputs, is_fitted: bool) -> MeasuredBy:
        chosen, aside = self.options.measure, self.dataset.holdout
        if chosen == "cv":
            return "cv" if len(self.dataset.fit) + len(aside) > 1 else "none"
        if not len(aside):
            return "none"
        is_free = self.options.holdout is None and self.options.method.augment is None
        if chosen == "auto" and is_free and is_fitted:
            differs = compared.observations.outcome > 0
            if differs[: self.table.n_rows].any() and self._is_small(aside, differs[aside]):
                return "cv"
        return "holdout"

    def _is_small(self, aside: NDArray[np.int32], differs: NDArray[np.bool_]) -> bool:
        """Whether the rows kept aside are too few, or too dependent, to measure on."""
        if differs.sum() < FEW_DIFFERING:
            return True
        weights, groups = self.dataset.weights, self.dataset.groups
        if weights is None and groups is None:
            return False
        size = sample_size(
            differs,
            None if weights is None else weights.whole[aside],
            None if groups is None else groups[aside],
        )
        too_few = size.n_units is not None and size.n_units < FEW_GROUPS
        return too_few or size.degrees < FEW_DEGREES


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table encoded once, and the outputs of every model for its rows."""

    #: The table, its rows encoded, and how diffs are measured.
    measurement: Measurement
    #: Models, functions or arrays of outputs, as the user gave them.
    models: tuple[Any, ...]
    #: The output of each model for all rows of the dataset.
    outputs: tuple[ModelOutput, ...]
    output_options: OutputOptions
    #: The groups whose rates are reported.
    grouping: Grouping | None = None


def prepare(
    models: Sequence[Any],
    arguments: Sequence[str],
    X: Any,
    options: Options,
    *,
    on_error: OnError | None = None,
) -> Prepared:
    """Encode a table and call every model with it, once.

    Parameters
    ----------
    models : sequence of models, functions or arrays of outputs
    arguments : sequence of str
        Name of the argument that each model was passed as, for error messages.
    X : table
    options : Options
    on_error : callable, optional
        Called with the number of a model that cannot be called, and the error; the model is then
        left out.
        None raises the error.
    """
    table = open_table(X)
    weight = None
    if options.sample_weight is not None:
        weight = checked_weight(options.sample_weight, table.n_rows, Argument("sample_weight"))
    named = dict(zip(arguments, models, strict=True))
    numbers = None if options.groups is None else read_groups(options.groups, table)
    test_size = 0.0 if options.measure in ("cv", "none") else options.test_size
    held_out = read_holdout(
        options.holdout, table, weight, named, test_size, options.random_state, numbers
    )
    augment = options.method.augment is not None
    dataset = _encoded(table, held_out, weight, options, numbers, augment)
    _warn_of_rounding(table, dataset.columns)
    single = identifiers(
        (
            (column, counts_in(column, codes))
            for column, codes in zip(dataset.columns, dataset.codes, strict=True)
        ),
        derives=options.derive is not None,
    )
    grouping = None if options.by is None else read_grouping(options.by, table, weight)
    kind = options.outputs
    asked: list[tuple[Any, ModelOutput]] = []
    for number, (argument, model) in enumerate(named.items()):
        try:
            asked.append((model, dataset.predict(model, argument, kind)))
        except Exception as error:
            if on_error is None or isinstance(error, TableChangedError):
                raise
            on_error(number, error)
    measurement = Measurement(table, dataset, weight, options, single)
    kept, outputs = tuple(model for model, _ in asked), tuple(output for _, output in asked)
    return Prepared(measurement, kept, outputs, options.output_options, grouping)


def _encoded(
    table: Table,
    holdout: Holdout,
    weight: NDArray[np.float64] | None,
    options: Options,
    groups: NDArray[np.int64] | None,
    augment: bool,
) -> MemoryDataset:
    return build_dataset(
        table,
        holdout,
        options.y,
        weight,
        options.max_bins,
        options.subsample,
        augment,
        options.random_state,
        groups,
        None if options.columns is None else read_columns(options.columns, table),
        options.derive,
    )


def _warn_of_rounding(table: Table, columns: Sequence[Column]) -> None:
    """Warn of columns with different numbers that are the same float, as which they are compared.

    These are integers beyond 64 bits and decimals of many digits.
    """
    for column in (column for column in columns if column.storage == "rounded"):
        n_numbers, n_floats = n_distinct(table.get(column.position))
        if n_floats < n_numbers:
            warn(
                "column ",
                Quoted(column.name),
                f" has {n_numbers} different numbers, which are compared as floats, and only "
                f"{n_floats} of these are different: rules cannot tell the others apart. If the "
                "numbers are identifiers, convert them to text; else subtract the smallest one, so "
                "that fewer digits are left.",
            )


def read_columns(columns: Any, table: Table) -> tuple[int, ...]:
    """Return the positions of the columns that rules may use."""
    if isinstance(columns, str) or not isinstance(columns, Iterable):
        raise InputError(
            Given("columns", columns),
            ": a list of column names is needed, such as ",
            InPython('columns=["age", "job"]', "a b"),
            ".",
        )
    wanted = list(columns)
    unknown = [name for name in wanted if name not in table.place]
    if unknown or not wanted:
        raise InputError(
            Argument("columns"),
            " names ",
            Quoted(*map(str, unknown[:3])) if unknown else "no column",
            ", and the table has ",
            Quoted(*map(str, table.names[:8])),
            ", ..." if len(table.names) > 8 else "",
            ".",
        )
    return tuple(sorted({table.place[name] for name in wanted}))


def compare(
    prepared: Prepared,
    first: int,
    second: int,
    names: tuple[str, str],
    method: Method,
    n_chunks: int | None = None,
    known: RuleSet | None = None,
) -> DiffRows:
    """Compare two of the models, given by their numbers; no model is called.

    Parameters
    ----------
    prepared : Prepared
    first, second : int
        Numbers of the models.
    names : tuple of two str
        Names of the models.
    method : Method
    n_chunks : int or None, default=None
        Chunks in which rows are counted; None: one per thread. The results are the same to the bit.
    known : RuleSet, optional
        Rules outside of which the models agree. None: those that the models know.
    """
    measurement = prepared.measurement
    dataset = measurement.dataset
    outputs = (prepared.outputs[first], prepared.outputs[second])
    models = (prepared.models[first], prepared.models[second])
    comparison = ComparisonInput(
        outputs,
        prepared.output_options,
        dataset.counting,
        dataset.n_own,
        dataset.truth,
        dataset.weights,
    )
    compared = compare_outputs(comparison)
    check_loss(measurement.options.loss, compared.outputs.kind)
    if compared.observations.outcome.any():  # otherwise there is no rule that a leak could explain
        arrays = [
            (output.argument, output.values)
            for output, model in zip(outputs, models, strict=True)
            if not can_predict(model)
        ]
        warn_of_leaks(measurement.table, arrays, measurement.options.y)
    seconds = outputs[0].seconds_per_row, outputs[1].seconds_per_row
    pair = ComparedModels(models, names, prepared.output_options.outputs, compared.convert, seconds)
    # the kind is detected, and remarked on, once
    found = replace(prepared.output_options, outputs=compared.outputs.kind)
    comparison = replace(comparison, output_options=found)
    regions = _known_regions(known or known_rules(*models), measurement)
    choose = partial(measurement.choose, known=regions)
    options = measurement.options
    fit_input = FitInput(
        measurement.table,
        MemoryComparison(comparison, choose),
        pair,
        n_chunks,
        prepared.grouping,
        options.loss,
        options.tags,
        regions,
        measurement.identifiers,
    )
    return fit_rows(fit_input, compared, choose(compared), method)


def _known_regions(rules: RuleSet | None, measurement: Measurement) -> KnownRegions | None:
    """Return known rules by their conditions; None if rules must be fitted."""
    if rules is None:
        return None
    known = KnownRegions.of(rules, measurement.table)
    try:
        known.extended(measurement.dataset)
    except ValueError:  # rules may not use one of the columns
        return None
    return known
