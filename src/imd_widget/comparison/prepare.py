"""Prepare k models and a table once, then compare any two: no model is called twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from imd_widget._base.errors import Argument
from imd_widget.comparison.dataset import Dataset, build_dataset, read_holdout
from imd_widget.comparison.leaks import warn_of_leaks
from imd_widget.comparison.results import FittedResults, fit_results
from imd_widget.data.table import Table, open_table
from imd_widget.data.weights import checked_weight
from imd_widget.methods import MethodOptions
from imd_widget.models.adapters import ModelOutput, can_predict
from imd_widget.models.pair import ModelPair
from imd_widget.outputs.base import ComparisonInput, OutputOptions
from imd_widget.outputs.reading import compare_outputs


@dataclass(frozen=True)
class DataOptions:
    """How rows are encoded and which of them are kept aside; see `imd_widget.diff`."""

    max_bins: int | None = 255
    subsample: int | None = 200_000
    augment: bool = False
    test_size: float = 0.25
    random_state: int = 0


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table encoded once, and the outputs of every model for its rows.

    Attributes
    ----------
    table : Table
        The user's table.
    dataset : Dataset
        The rows of the table, of a separate holdout table and new rows, encoded.
    models : tuple of objects
        Models, functions or arrays of outputs, as the user gave them.
    outputs : tuple of ModelOutput
        The output of each model for all rows of the dataset.
    output_options : OutputOptions
    y : array or None
        The truth as the user gave it.
    augmented : bool
        Whether the dataset has new rows.
    """

    table: Table
    dataset: Dataset
    models: tuple[Any, ...]
    outputs: tuple[ModelOutput, ...]
    output_options: OutputOptions
    y: Any
    augmented: bool


def prepare(
    models: Sequence[Any],
    arguments: Sequence[str],
    X: Any,
    output_options: OutputOptions,
    options: DataOptions,
    *,
    y: Any = None,
    sample_weight: Any = None,
    holdout: Any = None,
) -> Prepared:
    """Encode a table and call every model with it, once.

    Parameters
    ----------
    models : sequence of models, functions or arrays of outputs
    arguments : sequence of str
        Name of the argument that each model was passed as, for error messages.
    X : table
    output_options : OutputOptions
    options : DataOptions
    y, sample_weight, holdout
        See `imd_widget.diff`.
    """
    table = open_table(X)
    weight = None
    if sample_weight is not None:
        weight = checked_weight(sample_weight, table.n_rows, Argument("sample_weight"))
    seed = options.random_state
    named = dict(zip(arguments, models, strict=True))
    held_out = read_holdout(holdout, table, weight, named, options.test_size, seed)
    dataset = build_dataset(
        table, held_out, y, weight, options.max_bins, options.subsample, options.augment, seed
    )
    kind = output_options.outputs
    outputs = tuple(dataset.predict(model, argument, kind) for argument, model in named.items())
    return Prepared(
        table, dataset, tuple(models), outputs, output_options, y, augmented=options.augment
    )


def compare(
    prepared: Prepared,
    first: int,
    second: int,
    names: tuple[str, str],
    options: MethodOptions,
    n_chunks: int = 1,
) -> FittedResults:
    """Compare two of the models, given by their numbers; no model is called.

    Parameters
    ----------
    prepared : Prepared
    first, second : int
        Numbers of the models.
    names : tuple of two str
        Names of the models.
    options : MethodOptions
    n_chunks : int, default=1
        Chunks in which rows are counted. The results are the same to the bit.
    """
    dataset = prepared.dataset
    outputs = (prepared.outputs[first], prepared.outputs[second])
    models = (prepared.models[first], prepared.models[second])
    compared = compare_outputs(
        ComparisonInput(
            outputs,
            prepared.output_options,
            dataset.counting,
            dataset.n_own,
            dataset.truth,
            dataset.weights,
        )
    )
    if compared.observations.outcome.any():  # otherwise there is no rule that a leak could explain
        arrays = [
            (output.argument, output.values)
            for output, model in zip(outputs, models, strict=True)
            if not can_predict(model)
        ]
        warn_of_leaks(prepared.table, arrays, prepared.y)
    pair = ModelPair(models, names, prepared.output_options.outputs, compared.convert)
    return fit_results(
        prepared.table, dataset, compared, pair, options, prepared.augmented, n_chunks
    )
