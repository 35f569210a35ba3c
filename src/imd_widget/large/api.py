"""`diff` of a table that does not fit in memory: a Dask DataFrame, or Parquet files."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, Quoted
from imd_widget.comparison.diff_rows import DiffRows, fit_rows
from imd_widget.comparison.fit_input import FitInput, MeasuredBy, MeasuredDataset
from imd_widget.comparison.losses import check_loss
from imd_widget.comparison.options import Options
from imd_widget.comparison.prepare import read_columns
from imd_widget.data.sampling import RowSplit, in_band, split_rows
from imd_widget.large.cases import OutputRequest
from imd_widget.large.comparing import compare_parts
from imd_widget.large.comparison import PartitionedComparison, with_comparison
from imd_widget.large.dask_partitions import DaskPartitions, is_dask_frame
from imd_widget.large.dataset import LargeDataset
from imd_widget.large.describing import Binning, describe_columns
from imd_widget.large.files import FileReader
from imd_widget.large.partitions import Partitions
from imd_widget.large.parts import (
    EncodePlan,
    PartitionInfo,
    Roles,
    counting_in_band,
    encode_part,
    inspect_partition,
    row_ranges,
)
from imd_widget.large.table import LargeTable, RowReader
from imd_widget.large.threads import ThreadPartitions
from imd_widget.large.weighing import weigh
from imd_widget.models.adapters import (
    ModelOutput,
    can_predict,
    in_batches,
    model_names,
)
from imd_widget.models.pair import ComparedModels

#: Columns of the table that an argument may name.
ROLES = ("m1", "m2", "y", "sample_weight")


def open_partitions(X: Any) -> Partitions:
    """Open a Dask DataFrame, files, a pyarrow dataset or any `Reader`."""
    if is_dask_frame(X):
        return DaskPartitions(X)
    return ThreadPartitions(X if hasattr(X, "read") else FileReader(X))


def read_roles(partitions: Partitions, given: Mapping[str, Any]) -> Roles:
    """The columns that the arguments name, and the features that are left.

    Models may also be models; ``y`` and ``sample_weight`` are names of columns.
    """
    names = partitions.names
    columns: dict[str, Hashable] = {}
    for argument in ROLES:
        value = given.get(argument)
        if value is None or (argument in ("m1", "m2") and not _is_name(value, names)):
            continue
        if not _is_name(value, names):
            raise InputError(
                Argument(argument),
                f" is a {type(value).__name__}. For a table that is read in partitions, pass the "
                "name of a column, such as ",
                Quoted(*map(str, names[:3])),
                ". Add it to the table first.",
            )
        if value not in names:
            raise InputError(
                Given(argument, value),
                " is not a column of the table, which has ",
                Quoted(*map(str, names[:8])),
                ", ..." if len(names) > 8 else "",
                ".",
            )
        if value in columns.values():
            raise InputError(
                Given(argument, value), " is named twice: give each argument its own column."
            )
        columns[argument] = value
    features = tuple(name for name in names if name not in columns.values())
    if not features:
        raise InputError(
            "no column is left for rules: the table has ",
            Quoted(*map(str, names)),
            " only.",
        )
    return Roles(features, columns)


def _is_name(value: Any, names: Sequence[Hashable]) -> bool:
    if isinstance(value, str):
        return True
    return isinstance(value, Hashable) and not can_predict(value) and value in names


def names_of(models: tuple[Any, Any], roles: Roles, given: Sequence[str] | None) -> tuple[str, str]:
    """The names of the models: those given, else those of their columns or classes."""
    first, second = (
        pd.Series([0], name=str(roles.columns[argument])) if argument in roles.columns else model
        for argument, model in zip(("m1", "m2"), models, strict=True)
    )
    return model_names(first, second, given, Roles((), {}).header)


def check_models(models: Sequence[Any], roles: Roles) -> None:
    """Raise InputError if a model is an array of outputs."""
    for argument, model in zip(("m1", "m2"), models, strict=True):
        if argument not in roles.columns and not can_predict(model):
            raise InputError(
                Argument(argument),
                f" is a {type(model).__name__}. For a table that is read in partitions, pass a "
                "model with predict, a function of the table, or the name of the column with its "
                "outputs.",
            )


def diff_large(X: Any, m1: Any, m2: Any, options: Options) -> DiffRows:
    """Compare two models on a table that is read in partitions.

    Parameters
    ----------
    X : Dask DataFrame, str, Path, list of them, pyarrow Dataset, or Reader
    m1, m2 : model, or name of a column
    options : Options
        ``y`` and ``sample_weight`` are names of columns.
    """
    options.check_large()
    partitions = open_partitions(X)
    given = {"m1": m1, "m2": m2, "y": options.y, "sample_weight": options.sample_weight}
    roles = read_roles(partitions, given)
    models = in_batches(m1, options.batch_size, "m1"), in_batches(m2, options.batch_size, "m2")
    output_options = options.output_options
    check_models(models, roles)
    both = names_of(models, roles, options.names)
    called = zip(("m1", "m2"), _called(models, roles), strict=True)
    partitions.check_models({argument: model for argument, model in called if model is not None})
    infos = inspect_partitions(partitions, roles)
    starts = np.cumsum([0, *(one.n_rows for one in infos)])
    n_rows, n_counting = int(starts[-1]), sum(one.n_counting for one in infos)
    _check_rows(n_rows, n_counting)
    measured_by: MeasuredBy = "none" if options.measure == "none" else "holdout"
    test_size = 0.0 if measured_by == "none" else options.test_size
    split = _split(partitions, roles, infos, starts, test_size, options.random_state)
    if split.last is None:
        measured_by = "none"
    asked = None if options.columns is None else read_columns(options.columns, roles.header)
    binning = Binning(
        options.max_bins or 255, options.subsample, options.random_state, asked, options.derive
    )
    columns, single = describe_columns(partitions, roles, split, starts, n_counting, binning)
    plan = EncodePlan(roles, split, columns, _called(models, roles), output_options.outputs)
    parts = partitions.persist(
        encode_part, row_ranges(starts), plan, title="encoding and predicting partitions"
    )
    largest = max(one.largest for one in infos)
    weights = None
    if "sample_weight" in roles.columns:
        weights = weigh(parts, largest, n_rows, n_counting)
    known = _model_outputs(models, roles, output_options.outputs)
    case = OutputRequest(output_options, known, n_rows, weights)
    comparison = compare_parts(parts, case)
    reader = RowReader(partitions, roles, starts)
    table = LargeTable.of(reader)
    has_truth, seed = "y" in roles.columns, options.random_state
    dataset, compared = with_comparison(
        LargeDataset(table, columns, comparison.chunks, starts, weights, has_truth, seed),
        comparison,
    )
    first, second = (np.empty(0) if model is None else model for model in _called(models, roles))
    pair = ComparedModels((first, second), both, output_options.outputs, compared.convert)
    again = PartitionedComparison(dataset, case, comparison.plan, measured_by)
    check_loss(options.loss, compared.outputs.kind)
    fit_input = FitInput(
        table, again, pair, loss=options.loss, tags=options.tags, identifiers=single
    )
    return fit_rows(fit_input, compared, MeasuredDataset(dataset, measured_by), options.method)


def _called(models: tuple[Any, Any], roles: Roles) -> tuple[Any, Any]:
    """The models that are called; None for those whose outputs are a column."""
    first, second = (
        None if argument in roles.columns else model
        for argument, model in zip(("m1", "m2"), models, strict=True)
    )
    return first, second


def _model_outputs(
    models: tuple[Any, Any], roles: Roles, kind: str
) -> tuple[ModelOutput, ModelOutput]:
    """What is known of the outputs of either model before it is called."""
    first, second = (
        ModelOutput(np.empty(0), argument)
        if argument in roles.columns
        else ModelOutput.of(model, argument, kind, np.empty(0))
        for argument, model in zip(("m1", "m2"), models, strict=True)
    )
    return first, second


def inspect_partitions(partitions: Partitions, roles: Roles) -> list[PartitionInfo]:
    """Count the rows of the partitions, without reading them if that is known."""
    lengths = partitions.lengths
    if lengths is not None and "sample_weight" not in roles.columns:
        return [PartitionInfo(length, length, partitions.names, (), 1.0) for length in lengths]
    infos = partitions.run(
        inspect_partition, [None] * partitions.size, roles, title="looking at partitions"
    )
    _check_alike(infos, partitions)
    return infos


def _check_alike(infos: Sequence[PartitionInfo], partitions: Partitions) -> None:
    """Raise InputError unless all partitions have the same columns of the same types."""
    filled = [(number, one) for number, one in enumerate(infos) if one.n_rows]
    if not filled:
        return
    first, model = filled[0]
    for number, one in filled[1:]:
        if set(one.names) != set(model.names):
            differing = set(one.names) ^ set(model.names)
            raise InputError(
                f"{partitions.label(number)} has other columns than {partitions.label(first)}: ",
                Quoted(*sorted(map(str, differing))[:5]),
                " is in one of them only. All partitions need the same columns.",
            )
        own, expected = (dict(zip(each.names, each.dtypes, strict=True)) for each in (one, model))
        for name, dtype in expected.items():
            if own[name] != dtype and not {own[name], dtype} <= {"object", "str", "string"}:
                raise InputError(
                    "the column ",
                    Quoted(name),
                    f" is {dtype} in {partitions.label(first)} and {own[name]} in "
                    f"{partitions.label(number)}: all partitions need the same types. Convert it "
                    "first, for example with X[name].astype(float).",
                )


def _check_rows(n_rows: int, n_counting: int) -> None:
    if not n_rows:
        raise InputError(
            Argument("X"),
            " has no rows: at least one is needed to describe where two models differ.",
        )
    if not n_counting:
        raise InputError(
            Argument("sample_weight"),
            ": the weight of every row is zero, and at least one must count.",
        )


def _split(
    partitions: Partitions,
    roles: Roles,
    infos: Sequence[PartitionInfo],
    starts: NDArray[np.int64],
    test_size: float,
    seed: int,
) -> RowSplit:
    """Choose the rows kept aside, of those that count."""
    n_rows, n_counting = int(starts[-1]), sum(one.n_counting for one in infos)

    def band_count(low: int, high: int) -> tuple[int, NDArray[np.uint64]]:
        if n_counting == n_rows:
            return in_band(0, n_rows, seed, low, high)
        own = row_ranges(starts)
        found = partitions.run(
            counting_in_band, own, roles, seed, low, high, title="choosing rows to keep aside"
        )
        return sum(below for below, _ in found), np.concatenate([inside for _, inside in found])

    return split_rows(n_counting, test_size, seed, band_count)
