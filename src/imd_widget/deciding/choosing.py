"""Choose the rules of a patch on some labelled rows, and measure it on others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError
from imd_widget._base.paired import exact_interval, holm
from imd_widget.comparison.diff_rows import fit_rows
from imd_widget.comparison.fit_input import MeasuredDataset
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.paired import with_statistics
from imd_widget.comparison.remeasuring import compared_again
from imd_widget.counting.observations import ONLY_FIRST, UNKNOWN
from imd_widget.deciding.patch import Inside, PatchFigures
from imd_widget.outputs.correctness import Right
from imd_widget.rules.rule import RuleSet

#: A rule is patched if the p-value that the other model is no better inside is at most this, over
#: all rules together (Holm).
LEVEL = 0.05

Rows = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Labelled rows, and the outputs of both models for them."""

    #: The comparison of the model inside the rules (model 1) with the one outside (model 2).
    judged: ModelDiff

    @classmethod
    def of(
        cls, diff: ModelDiff, m1: Any, m2: Any, X: Any, inside: Inside, **options: Any
    ) -> LabelledRows:
        """Return that of a table; ``options`` are options of `imd_widget.diff`."""
        both = (m1, m2) if inside == "old" else (m2, m1)
        names = diff.names if inside == "old" else diff.names[::-1]
        judged = compared_again(diff, *both, X, names=names, **options)
        if judged.right is None or not judged.right.known:
            raise InputError(
                "the rules of a patch are chosen on rows with a truth: pass ",
                Argument("y"),
                ", or pass the rules to patch, such as d.rules[:2].",
            )
        return cls(judged)

    def chosen(self, rules: RuleSet, rows: Rows) -> RuleSet:
        """Return the rules inside which model 1 is better beyond chance, on some rows."""
        on = np.zeros(self.judged.table.n_rows, dtype=bool)
        on[rows] = True
        native = self.judged.table.native
        chances = [self._chance(np.flatnonzero(rule.mask(native) & on)) for rule in rules]
        kept = [number for number, chance in enumerate(holm(chances)) if chance <= LEVEL]
        return rules[kept]

    def _chance(self, rows: Rows) -> float:
        """Return the one-sided p-value that model 1 is no better on some rows."""
        right = self._right(self.judged, rows)
        wanted = self.judged.tree.outputs.main_loss
        for loss in right.losses if right is not None else ():
            if loss.name == wanted and loss.p_value is not None:
                return loss.p_value / 2 if loss.difference > 0 else 1 - loss.p_value / 2
        chance = None
        if right is not None and right.known and wanted is None:
            chance = right.loss_p_value(0.0)
        return 1.0 if chance is None else chance

    def measured(self, rules: RuleSet, rows: Rows, **chosen: int) -> PatchFigures:
        """Return what a patch fixes and breaks on some rows; ``chosen`` are further figures."""
        inside, outside = (self.judged.predictions.iloc[:, at].to_numpy() for at in (0, 1))
        native, own = self.judged.table.native, self.judged.rows.dataset
        compared = compared_again(
            self.judged,
            outside,
            np.where(rules.mask(native), inside, outside),
            native,
            y=self.judged.truth,
            sample_weight=None if own.weights is None else own.weights.whole[: len(outside)],
            groups=None if own.groups is None else own.groups[: len(outside)],
            names=("without the patch", "with it"),
        )
        right = self._right(compared, rows)
        if right is None or not right.known:
            raise InputError(
                "no row with a truth is left to measure the patch on: pass ",
                Argument("y"),
                " for more rows.",
            )
        who = compared.rows.compared.observations.right
        assert who is not None
        known = rows[(who[rows] != UNKNOWN) & (compared.rows.row_weight[rows] > 0)]
        size = compared.rows.sample_size(known, who[known] == ONLY_FIRST)
        ends = exact_interval(right.breaks / right.known, size)
        return PatchFigures(len(known), right, None if ends is None else ends[1], **chosen)

    @staticmethod
    def _right(judged: ModelDiff, rows: Rows) -> Right | None:
        return with_statistics(judged.rows.right_of(rows), judged.rows, rows)


def halves(n_rows: int, groups: NDArray[np.integer] | None, seed: int) -> tuple[Rows, Rows]:
    """Return the numbers of two halves of some rows, drawn at random; groups stay together."""
    unit = np.arange(n_rows) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_units = int(unit.max()) + 1
    first = np.zeros(n_units, dtype=bool)
    first[np.random.default_rng(seed).permutation(n_units)[: n_units // 2]] = True
    return np.flatnonzero(first[unit]), np.flatnonzero(~first[unit])


def parts_of(diff: ModelDiff, seed: int) -> tuple[RuleSet, Rows, Rows]:
    """Return the rules of a diff, the rows that they may be chosen on, and rows to measure on.

    The last are the rows kept aside. If there are none, the rules are found again on one half of
    the rows: those of the diff were fitted to all of them.
    """
    rows, n_rows = diff.rows, diff.table.n_rows
    if diff.kept_aside.any():
        return diff.rules, np.flatnonzero(~diff.kept_aside), np.flatnonzero(diff.kept_aside)
    groups = rows.dataset.groups
    chosen_on, aside = halves(n_rows, None if groups is None else groups[:n_rows], seed)
    dataset = rows.dataset.with_rows(chosen_on, aside)
    again = fit_rows(
        rows.fit_input, rows.compared, MeasuredDataset(dataset, "holdout"), rows.method
    )
    return ModelDiff.of(again).rules, chosen_on, aside
