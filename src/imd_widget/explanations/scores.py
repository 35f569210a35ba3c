"""The number of either model that is explained: a value, a probability, or a vote."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, InPython, Part, Quoted
from imd_widget.data.table import Table
from imd_widget.explanations.precision import precision_of
from imd_widget.explanations.selection import ExplainedRows
from imd_widget.models.pace import Pace
from imd_widget.models.pair import ComparedModels
from imd_widget.outputs.base import MissingOutputError
from imd_widget.outputs.interface import Outputs

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff


#: From the rows without an output to words about them, which end in a full stop.
Told = Callable[[NDArray[np.bool_]], Sequence[Part]]

#: What to do about a model that gives no output at a point of a curve.
CURVES_NEED: tuple[Part, ...] = (
    " A curve needs one for every row at every point: pass a function that answers such rows too, "
    "or other points: ",
    InPython("e.partial_dependence(column, grid=[...])"),
    ".",
)


@dataclass(frozen=True, eq=False)
class ExplainedScore:
    """The number of either model that is explained.

    Attributes
    ----------
    what : str
        What it is: "value", "probability of yes", "share of votes for yes".
    note : str or None
        Why votes are explained and not probabilities, as a sentence; None if that is not so.
    label : label or None
        The class whose probability or votes are explained; None for numbers.
    cannot : str or None
        Why no model can be called with other rows, as a sentence; None if one can.
    lacking : str or None
        Why one of the models cannot, as a sentence; None if both can, or neither.
    can : tuple of two bool
        Whether either model can be called with other rows.
    ask : callable
        From the number of a model, 0 or 1, and a table to its scores: shape (n_rows,).
    of_rows : callable
        From positions of rows of the user's table to the scores of both models for them: shape
        (n_rows, 2). It calls a model only if the diff does not know the scores.
    text : callable
        From a score to text.
    precision : float
        Differences of scores that are not larger count as none: see ``precision_of``.
    paces : tuple of two Pace
        What calls of either model cost, as far as they were made.
    """

    what: str
    note: str | None
    label: Hashable | None
    cannot: str | None
    lacking: str | None
    can: tuple[bool, bool]
    ask: Callable[[int, Table], NDArray[np.float64]]
    of_rows: Callable[[NDArray[np.intp]], NDArray[np.float64]]
    text: Callable[[float], str]
    precision: float = precision_of(0.0, 1.0)
    paces: tuple[Pace, Pace] = field(default_factory=lambda: (Pace(), Pace()))

    def asked(
        self, model: int, table: Table, told: Told, needed: Sequence[Part] = CURVES_NEED
    ) -> NDArray[np.float64]:
        """Scores of a model for every row of a table; NaN if it cannot be called.

        If it has no score for some of them, the error is that of ``told``, followed by ``needed``.
        """
        if not self.can[model]:
            return np.full(table.n_rows, np.nan)
        try:
            with self.paces[model].timed(table.n_rows):
                scores = self.ask(model, table)
        except MissingOutputError as error:
            missing = error.missing
        else:
            missing = np.isnan(scores)
            if not missing.any():
                return scores
        raise InputError(
            Argument(f"m{model + 1}"),
            " gave no output for ",
            *told(missing),
            *needed,
        ) from None

    def compared(self, table: Table, told: Told) -> NDArray[np.float64]:
        """Model 1's score less model 2's for every row; if one can be called, its score."""
        self.check()
        first, second = (
            self.asked(model, table, told) if self.can[model] else 0.0 for model in (0, 1)
        )
        return np.asarray(first - second)

    def rows_within(self, seconds: float) -> int:
        """Number of rows of a call of about so many seconds; see `Pace.rows_within`."""
        called = [pace for pace, can in zip(self.paces, self.can, strict=True) if can]
        return min(pace.rows_within(seconds) for pace in called)

    def check(self) -> None:
        """Raise InputError if no model can be called with other rows."""
        if self.cannot is not None:
            raise InputError(self.cannot)


def score_of(diff: ModelDiff, selection: ExplainedRows, pos_label: Any = None) -> ExplainedScore:
    """Return the score of the models of a diff that is explained in a selection."""
    outputs, pair = diff.tree.outputs, diff.rows.models
    if not outputs.labels:
        return number_score(outputs, pair, diff.rows.predictions_at)
    label = _label(diff, selection) if pos_label is None else known_label(pos_label, outputs)
    return class_score(outputs, pair, label, diff.rows.predictions_at, diff.table)


#: From positions of rows of the user's table to the outputs of both models for them.
Known = Callable[[NDArray[np.intp]], Sequence[Any]]


def number_score(outputs: Outputs, pair: ComparedModels, known: Known) -> ExplainedScore:
    """Return the score of models whose outputs are numbers; ``known``: those of the table."""
    scale = outputs.scale
    return ExplainedScore(
        what=outputs.what,
        note=None,
        label=None,
        cannot=why_not(pair),
        lacking=why_one(pair),
        can=pair.can_be_called,
        ask=lambda model, table: np.asarray(pair.output(model, table, at_once=True), dtype=float),
        of_rows=lambda rows: np.stack([np.asarray(own, float) for own in known(rows)], axis=1),
        text=lambda value: outputs.texts([value])[0],
        precision=0.0 if scale is None else precision_of(scale.low, scale.high),
    )


def class_score(
    outputs: Outputs,
    pair: ComparedModels,
    label: Hashable,
    known: Known,
    table: Table,
) -> ExplainedScore:
    """Return the probability of a label if both models give it, and otherwise their votes."""
    name = outputs.texts([label])[0]
    gives = pair.gives_probability(label)
    if not all(gives):
        lacking = list(
            dict.fromkeys(own for own, has in zip(pair.names, gives, strict=True) if not has)
        )
        verb = "gives" if len(lacking) == 1 else "give"
        return ExplainedScore(
            what=f"share of votes for {name}",
            note=(
                f"{' and '.join(lacking)} {verb} no probability of {name}, so the share of votes "
                f"is explained: a prediction of {name} counts as 1, any other as 0."
            ),
            label=label,
            cannot=why_not(pair),
            lacking=why_one(pair),
            can=pair.can_be_called,
            ask=lambda model, rows: _votes(pair.output(model, rows, at_once=True).tolist(), label),
            of_rows=lambda rows: np.stack(
                [_votes(own.tolist(), label) for own in known(rows)], axis=1
            ),
            text=_two_digits,
        )

    def of_rows(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        part = table.take(rows)
        both = [pair.probability(model, part, label, at_once=True) for model in (0, 1)]
        return np.stack(both, axis=1)

    return ExplainedScore(
        what=f"probability of {name}" if not name.isdigit() else f"probability of class {name}",
        note=None,
        label=label,
        cannot=why_not(pair),
        lacking=why_one(pair),
        can=pair.can_be_called,
        ask=lambda model, rows: pair.probability(model, rows, label, at_once=True),
        of_rows=of_rows,
        text=_two_digits,
    )


def _two_digits(value: float) -> str:
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text


def _votes(said: list[Hashable], label: Hashable) -> NDArray[np.float64]:
    return np.fromiter((own == label for own in said), dtype=float, count=len(said))


def why_not(pair: ComparedModels, so: str = "curves cannot be drawn") -> str | None:
    """Return why no model can be called, and ``so`` what, as a sentence; None if one can."""
    if any(pair.can_be_called):
        return None
    if pair.models is None:
        return (
            "the models were not saved with the diff, so they cannot be called with other values: "
            "make the diff again with imd.diff(m1, m2, X)."
        )
    return (
        f"the models m1 ({pair.names[0]}) and m2 ({pair.names[1]}) were given as arrays of "
        f"outputs, so {so}: a model that can be called with other values is needed, the model "
        "itself or a function of the table."
    )


def why_one(pair: ComparedModels, so: str | None = None) -> str | None:
    """Return why only one of the models can be called, and ``so`` what; None otherwise."""
    can = pair.can_be_called
    if all(can) or not any(can):
        return None
    place = can.index(False)
    so = f"only {pair.names[1 - place]} has curves" if so is None else so
    return (
        f"m{place + 1} ({pair.names[place]}) was given as an array of outputs, which cannot be "
        f"called with other values, so {so}: for both, pass the model itself or a function of the "
        "table."
    )


def known_label(pos_label: Any, outputs: Outputs) -> Hashable:
    """Return the label of the diff that the user means; InputError if there is none."""
    if not outputs.labels:
        raise InputError(
            Given("pos_label", pos_label),
            f": the outputs are numbers ({outputs.what}), not classes. Leave it out.",
        )
    if pos_label not in outputs.labels:
        raise InputError(
            Given("pos_label", pos_label),
            " is not a class of the diff, which has [",
            Quoted(*outputs.labels[:20]),
            "].",
        )
    return outputs.labels[outputs.labels.index(pos_label)]


def _label(diff: ModelDiff, selection: ExplainedRows) -> Hashable:
    """The class that a selection is about: of two outcomes the later in the order of the labels.

    The order of the models does not matter, and of two classes it is always the second.
    """
    labels = diff.labels
    if len(labels) <= 2:
        return labels[-1]
    outcomes = selection.outcomes or _usual(diff, selection)
    return max(outcomes, key=labels.index)


def _usual(diff: ModelDiff, selection: ExplainedRows) -> tuple[Hashable, ...]:
    """The most frequent pair of labels among the differing rows; else the most frequent label."""
    fitted, rows = diff.rows, selection.rows
    differs = fitted.differs_at(rows)
    both = fitted.predictions_at(rows[differs] if differs.any() else rows)
    pairs = Counter(zip(*both, strict=True))
    unordered: Counter[tuple[Hashable, ...]] = Counter()
    for pair, number in pairs.items():
        unordered[tuple(sorted(pair, key=diff.labels.index))] += number
    return max(unordered, key=lambda pair: (unordered[pair], *map(diff.labels.index, pair)))


def in_threads(pair: ComparedModels) -> bool:
    """Whether both models may be called from several threads: all parts are scikit-learn's."""
    return pair.models is not None and all(map(_is_of_sklearn, pair.models))


def _is_of_sklearn(model: Any) -> bool:
    if not type(model).__module__.startswith("sklearn.") or not hasattr(model, "get_params"):
        return False
    parts = model.get_params().values()
    if "HistGradientBoosting" in type(model).__name__:  # it starts a thread per core itself
        return False
    nested = [part for part in parts if hasattr(part, "get_params")]
    functions = any(callable(part) and not hasattr(part, "get_params") for part in parts)
    return not functions and all(type(part).__module__.startswith("sklearn.") for part in nested)


def mapped(
    work: Callable[[Any], Any], items: list[Any], threads: int, after_each: Callable[[], object]
) -> list[Any]:
    """Return ``work(item)`` for each item, in order; ``after_each`` may raise to end the work."""
    if threads < 2 or len(items) < 2:
        results = []
        for item in items:
            results.append(work(item))
            after_each()
        return results
    pool = ThreadPoolExecutor(max_workers=threads)
    try:
        futures = [pool.submit(work, item) for item in items]
        results = []
        for future in futures:
            results.append(future.result())
            after_each()
        return results
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
