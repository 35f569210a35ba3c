"""`compare`: call two or more models once, and count the rows on which they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, Unpack

from imd_widget._base.errors import Given, InputError
from imd_widget.comparison.options import DiffOptions, Options, with_options
from imd_widget.comparison.prepare import Prepared, prepare
from imd_widget.data.table import open_table
from imd_widget.many.figures import Skipped, figures_of
from imd_widget.many.model_comparison import ModelComparison
from imd_widget.many.models import NamedModels, check_table, read_models
from imd_widget.many.pairs import FittedPairs
from imd_widget.models.adapters import in_batches, read_columns_of_outputs
from imd_widget.outputs.base import ComparisonInput
from imd_widget.outputs.several.base import SeveralOutputs, too_few
from imd_widget.outputs.several.reading import read_several


@with_options(
    y="The true outputs; values may be missing. They change no rule; the comparison then has "
    "scores, and what each model fixes and breaks compared with each other.",
    names="Names of the models of a list.",
    outputs='What is compared; "auto" chooses one kind for all models together, as `diff` does for '
    "two.",
    tolerance='Only for "proba" and "value", see `diff`: the same for every two models, so that '
    "the figures of the matrix are comparable. By default 0.1 for probabilities; for values a "
    "tenth of the range that the middle 90 % of all models' outputs span, rounded to two digits.",
)
def compare(
    models: Mapping[str, Any] | Sequence[Any],
    X: Any,
    *,
    errors: Literal["raise", "skip"] = "raise",
    **options: Unpack[DiffOptions],
) -> ModelComparison:
    """Which of two or more models differ, how much, and, for each two of them, where.

    Each model is called once, and the table is encoded once. The diff of two models is made when
    it is asked for.

    Parameters
    ----------
    models : dict of str to model, or sequence of models
        2 to 30 models: as in `diff` anything with ``predict``, a function of the table or an array
        of outputs; or the name of a column of ``X`` that holds outputs, which is then left out of
        the table. The models of a list are named after their classes, functions or columns; equal
        names are numbered.
    X : pandas, polars or pyarrow table, or ndarray of shape (n_rows, n_columns)
        See `diff`.
    errors : {"raise", "skip"}, default="raise"
        What happens if a model cannot be called, or if its outputs cannot be read. "raise": its
        error is raised. "skip": it is left out, and `ModelComparison.skipped` has the reason; the
        figures of the others are what they are without it. At least two must be left.
    {options}

    Returns
    -------
    ModelComparison

    See Also
    --------
    diff : Where two models differ.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import imd_widget as imd
    >>> X = pd.DataFrame({"age": np.tile(np.arange(20, 70), 8)})
    >>> c = imd.compare(
    ...     {
    ...         "old": lambda table: table["age"] >= 40,
    ...         "new": lambda table: table["age"] >= 41,
    ...         "none": lambda table: table["age"] >= 99,
    ...     },
    ...     X,
    ... )
    >>> print(c.disagreement)
          old   new  none
    old   0.00  0.02  0.60
    new   0.02  0.00  0.58
    none  0.60  0.58  0.00
    >>> print(c.summary())
    old and new are nearly the same (2.0 %); the odd one out is none (58.0 % from the nearest, new).
    old and none differ most (60.0 %).
    >>> print(c["old", "new"].rules)
    0. age is 40: old True -> new False (8 of 8 rows differ; 100 % of held-out rows differ)
    """
    chosen = Options.of(options, "compare")
    _check_errors(errors)
    check_table(X)
    table = open_table(X)
    if chosen.feature_names is not None:
        table = table.named(chosen.feature_names)
    named = read_models(models, chosen.names, table)
    (y, weight), _ = read_columns_of_outputs((chosen.y, chosen.sample_weight), table)
    _, table = read_columns_of_outputs((chosen.y, chosen.sample_weight), named.table)
    chosen = replace(chosen, y=y, sample_weight=weight)
    called = [
        in_batches(model, chosen.batch_size, argument)
        for argument, model in zip(named.arguments, named.models, strict=True)
    ]
    chosen.check_models(dict(zip(named.arguments, named.models, strict=True)))
    failed = _Failed(named, skip=errors == "skip")
    prepared = prepare(
        called,
        named.arguments,
        table,
        chosen,
        on_error=failed.called if failed.skip else None,
    )
    several = _read_outputs(prepared, failed)
    kept = failed.kept
    prepared = replace(
        prepared,
        models=tuple(called[at] for at in kept),
        outputs=tuple(prepared.outputs[at] for at in several.kept),
        output_options=several.pair_options(prepared.output_options),
    )
    own = tuple(named.names[at] for at in kept)
    figures = figures_of(
        own, several, prepared.measurement, chosen.tolerance is None, tuple(failed.skipped)
    )
    return ModelComparison(figures, FittedPairs(own, prepared, several, chosen.method))


class _Failed:
    """Remembers which models failed, by their numbers."""

    def __init__(self, named: NamedModels, skip: bool) -> None:
        self.named, self.skip = named, skip
        self.kept = list(range(len(named.models)))
        self._reasons: dict[int, str] = {}

    @property
    def skipped(self) -> list[Skipped]:
        """The models that were left out, in their order."""
        reasons = sorted(self._reasons.items())
        return [Skipped(self.named.names[number], reason) for number, reason in reasons]

    def called(self, number: int, error: Exception) -> None:
        """A model could not be called."""
        text = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        self._reasons[number] = text
        self.kept.remove(number)

    def read(self, numbers: Sequence[int], at: int, error: InputError) -> None:
        """The outputs of a model could not be read; ``numbers`` are those of all that were."""
        self.called(numbers[at], error)


def _read_outputs(prepared: Prepared, failed: _Failed) -> SeveralOutputs:
    """Make the outputs of all models comparable."""
    asked = list(failed.kept)
    if len(asked) < 2:
        raise too_few(len(asked))
    dataset = prepared.measurement.dataset
    case = ComparisonInput(
        prepared.outputs,
        prepared.output_options,
        dataset.counting,
        dataset.n_own,
        dataset.truth,
        dataset.weights,
    )
    if not failed.skip:
        return read_several(case)
    return read_several(case, lambda at, error: failed.read(asked, at, error))


def _check_errors(errors: Any) -> None:
    if not (isinstance(errors, str) and errors in ("raise", "skip")):
        raise InputError(
            Given("errors", errors),
            ' is not known. Choose "raise", or "skip" to leave out the models that fail.',
        )
