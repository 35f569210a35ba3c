"""The stage that adds scores to a dataset: one for each model and class, as derived columns.

Scores are fitted to the rows used to fit, so every fold and every resample has scores of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from imd_widget.comparison.dataset import Dataset
from imd_widget.comparison.given import given_name
from imd_widget.data.binning import with_unique_names
from imd_widget.data.columns import Column, OrderedColumn
from imd_widget.data.derived import is_derived
from imd_widget.data.native import Storage
from imd_widget.data.point_score import PointScore, ScoreItem
from imd_widget.data.raw_values import raw_values
from imd_widget.data.score_fit import FittedScore, Term, Terms, fit_score
from imd_widget.data.summaries import thresholds_of
from imd_widget.data.thresholds import shortest_between
from imd_widget.methods import Method
from imd_widget.outputs.base import ComparedOutputs

#: Rows used to fit from which scores are computed at most.
MOST_ROWS = 20_000
#: Levels of a column that may be items, and the shares of the rows that they have.
MOST_LEVELS, LEAST_SHARE, LARGEST_SHARE = 12, 0.02, 0.98
#: With more classes than two, the most frequent ones of each model have a score, ...
MOST_CLASSES = 3
#: ... unless the model predicts them this rarely, or nearly always.
RARE, USUAL = 0.03, 0.97
#: Columns with larger numbers are left out: their squares would overflow.
LARGEST_NUMBER = 1e60
#: Bins of a score.
BINS = 255
#: Columns stored otherwise hold numbers that a database may read as others.
_STORAGES: tuple[Storage, ...] = ("native", "nan")


def with_scores(dataset: Dataset, compared: ComparedOutputs, names: tuple[str, str]) -> Dataset:
    """Return the dataset with the scores of both models as its last columns.

    Without classes, and without a column of numbers, there are none.
    """
    base = dataset.without_scores()
    if not compared.outputs.labels:
        return base
    rows = np.asarray(base.few_rows(MOST_ROWS, ~base.random_state)[0], dtype=np.intp)
    weights = base.weights
    weight = np.ones(len(rows)) if weights is None else np.asarray(weights.whole[rows]) / base.unit
    found = list(_terms(base, rows, weight))
    if all(term.item.of_level for term in found):
        return base
    terms = Terms.of(found, weight)
    scores = _scores(terms, compared, names, rows, base.tables[0].names)
    return base.with_columns(_columns(base, scores, terms)) if scores else base


def why_no_scores(dataset: Dataset, compared: ComparedOutputs, method: Method) -> str:
    """Return why a dataset has no scores; empty if it has some, or if none were asked for."""
    if not method.scores or any(isinstance(own.name, PointScore) for own in dataset.columns):
        return ""
    if not compared.outputs.labels:
        return "only classes have them"
    if method.given == "margins":
        return "rules use how sure the models are, and no column"
    if not any(own.is_number and not own.given for own in dataset.columns):
        return "the table has no column of numbers"
    return "no sum of points ranks the rows as a model does"


def _terms(dataset: Dataset, rows: NDArray[np.intp], weight: NDArray[np.float64]) -> Iterator[Term]:
    """Yield the columns and levels that scores may be made of, with their values in some rows."""
    table, at = dataset.some_rows(rows)
    for number, column in enumerate(dataset.columns):
        if column.given or is_derived(column.name) or column.storage not in _STORAGES:
            continue
        if not column.ordered:
            codes = dataset.codes_at((number,), rows)[number]
            yield from _levels(column, codes, weight)
        elif column.is_number:
            numbers, missing = raw_values(table.values_at(column.position, at), np.dtype(float))
            values = numbers.astype(float)
            is_usable = np.abs(values).max() < LARGEST_NUMBER  # also not NaN
            if not is_usable or (missing is not None and missing.all()):
                continue
            present = slice(None) if missing is None else ~missing
            fill = _rounded_mean(values[present], weight[present])
            if missing is not None:
                values[missing] = fill
            item = ScoreItem(
                column.name, column.position, 0, missing=fill, has_missing=missing is not None
            )
            yield Term(item, values)


def _levels(
    column: Column, codes: NDArray[np.integer], weight: NDArray[np.float64]
) -> Iterator[Term]:
    """Yield the most frequent levels of a column that are neither rare nor usual."""
    levels = column.categories or ()
    known = len(levels)
    share = np.bincount(codes, weight, known)[:known] / weight.sum()
    usable = np.flatnonzero((share >= LEAST_SHARE) & (share <= LARGEST_SHARE))
    most = usable[np.argsort(-share[usable], kind="stable")][:MOST_LEVELS]
    for code in np.sort(most).tolist():
        item = ScoreItem(column.name, column.position, 0, of_level=True, level=levels[code])
        yield Term(item, (codes == code).astype(float))


def _rounded_mean(values: NDArray[np.float64], weight: NDArray[np.float64]) -> float:
    """Return the mean of a column, rounded to a hundredth of the spread of its values."""
    total = weight.sum()
    mean = float(weight @ values / total)
    spread = float(np.sqrt(weight @ (values - mean) ** 2 / total))
    if not spread > 0:
        return mean
    return float(np.round(mean, min(300, max(-300, 2 - int(np.floor(np.log10(spread)))))))


def _scores(
    terms: Terms,
    compared: ComparedOutputs,
    names: tuple[str, str],
    rows: NDArray[np.intp],
    taken: tuple[object, ...],
) -> list[PointScore]:
    """Return the scores of both models, in an order that does not depend on theirs."""
    outputs, labels = compared.outputs, compared.observations.labels
    assert labels is not None
    n_labels = len(outputs.labels)
    counts = [np.bincount(own[rows], terms.weight, n_labels) for own in labels]
    both = counts[0] + counts[1]
    found: list[tuple[str, FittedScore, PointScore]] = []
    for own, count, model in zip(labels, counts, names, strict=True):
        # of two classes, the scores of both models are for the same one
        frequent = np.argsort(-(both if n_labels == 2 else count), kind="stable")
        for label in frequent[: 1 if n_labels == 2 else MOST_CLASSES].tolist():
            if not RARE <= count[label] / count.sum() <= USUAL:
                continue
            fitted = fit_score(terms, own[rows] == label)
            if fitted is None:
                continue
            answer = outputs.class_names[label]
            other = outputs.class_names[1 - label] if n_labels == 2 else None
            name = f"{model}'s score" + ("" if n_labels == 2 else f" for {answer}")
            name = given_name(tuple(map(str, taken)), name)
            score = PointScore(name, model, answer, other, fitted.constant, fitted.items)
            found.append((f"{answer} {fitted}", fitted, score))
    found.sort(key=lambda one: one[0])
    distinct = {fitted: score for _, fitted, score in reversed(found)}
    return [score for _, fitted, score in found if distinct[fitted] is score]


def _columns(dataset: Dataset, scores: list[PointScore], terms: Terms) -> tuple[Column, ...]:
    """Return the columns of scores, whose thresholds come from the rows of the terms."""
    table, storages = dataset.tables[0], {own.position: own.storage for own in dataset.columns}
    values = {(term.item.source, term.item.at, term.item.level): term for term in terms.terms}
    first = 1 + max(len(table.names), *(own.position for own in dataset.columns))
    columns = []
    for number, score in enumerate(scores):
        total = np.full(len(terms.weight), score.start)
        for item in score.items:
            factor = float(item.points) if item.of_level else item.factor
            total += values[item.source, item.at, item.level].values * factor
        thresholds = thresholds_of(np.floor(total).astype(np.int64), BINS, shortest_between)
        storage: Storage = "native"
        if any(storages[at] == "nan" for _, at in score.sources):
            storage = "nan"
        columns.append(
            OrderedColumn(score, first + number, thresholds, whole=True, storage=storage)
        )
    return with_unique_names(columns, table)
