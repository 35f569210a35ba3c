"""Cross-fitting: each row is predicted by rules that were fitted without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.intervals import Spread
from imd_widget.comparison.confusion import Confusion
from imd_widget.comparison.dataset import Dataset
from imd_widget.comparison.metrics import Score, measure
from imd_widget.comparison.problem import fit_problem, make_problem
from imd_widget.data.boxes import Boxes
from imd_widget.data.sampling import hashed
from imd_widget.methods import Method, Problem
from imd_widget.outputs.base import ComparedOutputs
from imd_widget.rules.regions import Region

#: Parts into which the rows are divided; the rules for each are fitted on the others.
N_FOLDS = 5
#: Part of the jackknife variance of the rules of the folds that is added to that of the rows. The
#: whole is an upper bound: part of it is the luck of the rows. Recall needs the whole of it, since
#: rules fitted on four fifths of the rows find less. Chosen by simulation.
JACKKNIFE_FACTOR: dict[Score, float] = {"precision": 0.75, "recall": 1.0}
#: With more rows, the trees of the folds are not kept for fits with other options.
MOST_ROWS_KEPT = 100_000

#: From this many rows on, a choice between methods takes one fold in place of all.
FEW_ROWS = 5_000

Kind = Literal["rules", "agreement"]


@dataclass(frozen=True, eq=False)
class RowRules:
    """The rule of each row, for rules that do not overlap."""

    #: Number of the rule of each row; ``n_rules`` if none contains it.
    numbers: NDArray[np.intp]
    n_rules: int

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Mask of the rows inside a rule."""
        return self.numbers < self.n_rules

    def most_similar(
        self, inside: NDArray[np.bool_], weight: NDArray[np.float64]
    ) -> tuple[int, float]:
        """Return the rule that overlaps a set of rows most, and how much.

        The overlap is the weight of the rows inside both divided by that of the rows inside either;
        (0, 0.0) if there is no rule.
        """
        n_rules = self.n_rules
        if not n_rules:
            return 0, 0.0
        sizes = np.bincount(self.numbers, weight, n_rules + 1)[:n_rules]
        both = np.bincount(self.numbers[inside], weight[inside], n_rules + 1)[:n_rules]
        either = sizes + weight[inside].sum() - both
        overlap = both / np.where(either > 0, either, 1)
        best = int(overlap.argmax())
        return best, float(overlap[best])


@dataclass(frozen=True, eq=False)
class Fold:
    """The rules that were fitted without the rows of one fold."""

    #: The rows of the fold.
    held_out: NDArray[np.bool_]
    #: The diff rule and the rule of agreement of every row, in the fold or not.
    rules: RowRules
    agreement: RowRules


@dataclass(frozen=True)
class MatchedRate:
    """The rate of a rule on rows not used to fit, by the rules of the folds that match it."""

    #: Share of the held-out rows inside the matching rules that differ, by weight.
    rate: float
    #: Variance of the rates of the matching rules over all rows.
    spread: Spread


@dataclass(frozen=True, eq=False)
class Matched:
    """The rows of the rules of the folds that match a rule."""

    #: The rows inside the matching rule that was fitted without them.
    held_out: NDArray[np.bool_]
    #: All rows inside each matching rule.
    same: tuple[NDArray[np.bool_], ...]

    def only(self, kept: NDArray[np.bool_]) -> Matched:
        """Return those of the rows that are in a mask."""
        return Matched(self.held_out & kept, tuple(same & kept for same in self.same))


@dataclass(frozen=True, eq=False)
class CrossFit:
    """Rules for the rows of a dataset that were fitted without them."""

    #: Numbers of the rows.
    rows: NDArray[np.integer]
    folds: tuple[Fold, ...]
    #: Mean fidelity of either surrogate, by weight of the folds.
    fidelity: tuple[float, float]

    def covered(self, kind: Kind) -> NDArray[np.bool_]:
        """Return a mask of the rows that a rule covers which was fitted without them."""
        mask = np.zeros(len(self.rows), dtype=bool)
        for fold in self.folds:
            mask[fold.held_out] = getattr(fold, kind).covered[fold.held_out]
        return mask

    def spread(self, score: Score, value: Callable[[NDArray[np.bool_]], float]) -> Spread:
        """Return the variance of a score that is due to the fit.

        It is a part of the jackknife variance of the scores of the folds' rules over all rows.

        Parameters
        ----------
        score : {"precision", "recall"}
        value : callable
            From a mask of covered rows to the score.
        """
        scores = np.array([value(fold.rules.covered) for fold in self.folds])
        scores = scores[~np.isnan(scores)]
        if len(scores) < 2:
            return Spread(0.0, 1.0)
        jackknife = (len(scores) - 1) * float(scores.var())
        return Spread(JACKKNIFE_FACTOR[score] * jackknife, len(scores) - 1)

    def matched(
        self, kind: Kind, inside: NDArray[np.bool_], weight: NDArray[np.float64]
    ) -> Matched | None:
        """Return the rows of the rules that match a rule; None unless two folds have such a rule.

        Each fold contributes its rule that overlaps the rule most.

        Parameters
        ----------
        kind : {"rules", "agreement"}
            Which rules of the folds to look at.
        inside : ndarray of bool, shape (n_rows,)
            Whether each row lies inside the rule.
        weight : ndarray of shape (n_rows,)
        """
        every = []
        all_held_out = np.zeros(len(inside), dtype=bool)
        for fold in self.folds:
            own: RowRules = getattr(fold, kind)
            number, overlap = own.most_similar(inside, weight)
            if not overlap:
                continue
            same = own.numbers == number
            every.append(same)
            all_held_out |= same & fold.held_out
        if len(every) < 2 or not weight[all_held_out].any():
            return None
        return Matched(all_held_out, tuple(every))

    def matched_rate(
        self, matched: Matched, differs: NDArray[np.bool_], weight: NDArray[np.float64]
    ) -> MatchedRate:
        """Return the rate of a rule on rows not used to fit, by the rules that match it."""

        def rate(rows: NDArray[np.bool_]) -> float:
            return float(weight[rows & differs].sum() / weight[rows].sum())

        rates = [rate(same) for same in matched.same]
        spread = Spread(float(np.var(rates, ddof=1)), len(rates) - 1)
        return MatchedRate(rate(matched.held_out), spread)


def cross_fit(
    dataset: Dataset,
    compared: ComparedOutputs,
    method: Method,
    refinements: int,
    n_chunks: int | None = None,
    with_rows: Callable[[NDArray[np.integer], NDArray[np.integer]], Dataset] | None = None,
    whole: Problem | None = None,
) -> CrossFit:
    """Fit on all folds but one, and find the rules of all rows; for each of `N_FOLDS` folds.

    ``with_rows`` returns the dataset with other rows used to fit and other holdout rows. The
    problem of all rows keeps those of the folds: with another sensitivity, their trees
    are not grown again.
    """
    rows, known = dataset.fit, () if whole is None else whole.known
    folds, fidelities, weights = [], [], []
    for number, inside in enumerate(_folds(dataset, compared.observations.outcome > 0)):
        part = (with_rows or dataset.with_rows)(rows[~inside], rows[inside])

        def make(part: Dataset = part) -> Problem:
            return make_problem(part, compared, method, n_chunks, known)

        if whole is not None and len(rows) <= MOST_ROWS_KEPT:
            problem = replace(whole.once(("fold", number), make), method=method, known=known)
        else:
            problem = make()
        fit = fit_problem(problem, refinements)
        row_rules = (row_rules_of(part, some, rows) for some in (fit.regions, fit.agreement))
        folds.append(Fold(inside, *row_rules))
        measured = measure(fit.tree, fit.counts, fit.regions, on_holdout=True)
        fidelities.append(measured.fidelity)
        weights.append(measured.confusion.total)
    first, second = np.average(fidelities, axis=0, weights=weights).tolist()
    return CrossFit(rows, tuple(folds), (first, second))


def held_out(
    dataset: Dataset,
    compared: ComparedOutputs,
    method: Method,
    n_chunks: int | None = None,
    with_rows: Callable[[NDArray[np.integer], NDArray[np.integer]], Dataset] | None = None,
) -> Confusion | None:
    """Return the confusion of a method on rows used to fit, each held out of the fit.

    The rows kept aside have no part in it, so that a choice by its scores leaves their figures as
    they are. From `FEW_ROWS` rows on, one fold tells enough. None if the rows are one group.
    """
    rows = dataset.fit
    parts: list[Confusion] = []
    n_folds = N_FOLDS if len(rows) < FEW_ROWS else 1
    for inside in islice(_folds(dataset, compared.observations.outcome > 0), n_folds):
        if inside.all():
            return None
        part = (with_rows or dataset.with_rows)(rows[~inside], rows[inside])
        fit = fit_problem(make_problem(part, compared, method, n_chunks))
        parts.append(measure(fit.tree, fit.counts, fit.regions, on_holdout=True).confusion)
    names = [own.name for own in fields(Confusion)]
    return Confusion(*(sum(getattr(part, name) for part in parts) for name in names))


def row_rules_of(
    dataset: Dataset, regions: Sequence[Region], rows: NDArray[np.integer] | slice
) -> RowRules:
    """Return the region of each of some rows."""
    boxes = Boxes(dataset.columns, tuple(region.box for region in regions))
    n_rows = len(range(*rows.indices(dataset.n_rows))) if isinstance(rows, slice) else len(rows)
    return RowRules(boxes.first_of(dataset.codes_at(boxes.asked, rows), n_rows), len(regions))


def _folds(dataset: Dataset, differs: NDArray[np.bool_]) -> Iterator[NDArray[np.bool_]]:
    """Masks of the rows of each fold, over ``dataset.fit``.

    The rows of a group are in one fold. Differing rows, or groups that have some, are dealt out
    first, so that the folds have about as many of them.
    """
    rows = dataset.fit
    unit = np.arange(len(rows))
    if dataset.groups is not None:
        unit = np.unique(dataset.groups[rows], return_inverse=True)[1]
    n_units = int(unit.max()) + 1
    has_difference = np.bincount(unit, weights=differs[rows], minlength=n_units) > 0
    order = np.lexsort((hashed(n_units, dataset.random_state), ~has_difference))
    fold = np.empty(n_units, dtype=np.int64)
    n_folds = min(N_FOLDS, n_units)
    fold[order] = np.arange(n_units) % n_folds
    for number in range(n_folds):
        yield fold[unit] == number
