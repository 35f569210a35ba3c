"""How stable the rules of a diff are: each is looked for again in resamples of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.errors import InputError
from imd_widget._base.plain import PYTHON_ONLY
from imd_widget.comparison.cross_fit import row_rules_of
from imd_widget.comparison.dataset import Dataset
from imd_widget.comparison.diff_rows import DiffRows
from imd_widget.comparison.problem import fit_problem, make_problem
from imd_widget.rules.languages import conditions_text
from imd_widget.rules.rule import RuleSet

#: A rule is found again in a resample if a rule there overlaps it by at least this much.
SAME_RULE = 0.5


@dataclass(frozen=True, eq=False, repr=False)
class Stability(Displayed):
    """How often each rule is found again in bootstrap resamples of the rows used to fit.

    Attributes
    ----------
    n : int
        Number of resamples.
    overlap : tuple of float
        For each rule, the mean over the resamples of its overlap with the rule there that overlaps
        it most: the rows of the table inside both, divided by those inside either, by weight.
    found : tuple of int
        For each rule, the number of resamples in which that overlap is at least 0.5.
    rules : RuleSet
        The rules of the diff.
    """

    n: int
    found: tuple[int, ...]
    overlap: tuple[float, ...]
    rules: RuleSet = field(metadata=PYTHON_ONLY)

    @property
    def found_share(self) -> tuple[float, ...]:
        """Share of the resamples in which each rule is found again."""
        return tuple(found / self.n for found in self.found)

    @property
    def unstable(self) -> tuple[int, ...]:
        """Numbers of the rules that are not found again in half of the resamples."""
        return tuple(i for i, found in enumerate(self.found) if 2 * found < self.n)

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per rule."""
        return pd.DataFrame(
            {
                "rule": self.rules.to_frame()["rule"] if len(self.rules) else [],
                "found": self.found_share,
                "overlap": self.overlap,
            }
        )

    def __str__(self) -> str:
        lines = [
            f"{number:3}. {conditions_text(rule.conditions)}: found in {found} of {self.n} "
            f"resamples, overlap {overlap:.2f}"
            for number, rule, found, overlap in zip(
                count(), self.rules, self.found, self.overlap, strict=False
            )
        ]
        return "\n".join(lines) or "no rules"

    def __repr__(self) -> str:
        stable = len(self.rules) - len(self.unstable)
        return (
            f"<Stability: {stable} of {len(self.rules)} rules were found again in at least half of "
            f"{self.n} resamples>"
        )

    def _report(self) -> Report:
        return Report(table=self.to_frame(), digits="{:.2f}")


def measure_stability(
    rows: DiffRows,
    n: int,
    random_state: int,
    after_each: Callable[[int], object],
) -> Stability:
    """Fit ``n`` resamples and look for each rule in them.

    Parameters
    ----------
    rows : DiffRows
    n : int
        Number of resamples.
    random_state : int
    after_each : callable
        Called with the number of resamples done; an exception that it raises ends the work.
    """
    if not rows.dataset.in_memory:
        raise InputError(
            "stability is not supported for partitioned tables: resamples are fitted in memory. "
            "Compare the models on some of the rows in memory."
        )
    if rows.fit.known:
        raise InputError(
            "the rules are those of a patch, which were not fitted: resamples cannot find them "
            "again."
        )
    generator = np.random.default_rng(random_state)
    dataset, boxes = rows.dataset, rows.boxes
    own = [rows.inside(box) for box in boxes]
    weight = rows.row_weight
    overlaps = np.zeros((n, len(boxes)))
    for number in range(n):
        part = rows.with_rows(_resampled(dataset, generator), dataset.holdout)
        problem = make_problem(part, rows.compared, rows.method)
        fit = fit_problem(problem, rows.refinements)
        found = row_rules_of(part, fit.regions, slice(rows.table.n_rows))
        for rule, inside in enumerate(own):
            overlaps[number, rule] = found.most_similar(inside, weight)[1]
        after_each(number + 1)
    times_found = (overlaps >= SAME_RULE).sum(axis=0)
    return Stability(
        n, tuple(times_found.tolist()), tuple(overlaps.mean(axis=0).tolist()), rows.measured.rules
    )


def _resampled(dataset: Dataset, generator: np.random.Generator) -> NDArray[np.integer]:
    """Return rows used to fit, drawn with replacement; groups are drawn whole."""
    rows = dataset.fit
    if dataset.groups is None:
        drawn = generator.choice(rows, len(rows))
    else:
        groups = dataset.groups[rows]
        order = np.argsort(groups, kind="stable")
        present, starts = np.unique(groups[order], return_index=True)
        members = np.split(rows[order], starts[1:])
        picked = generator.integers(len(present), size=len(present))
        drawn = np.concatenate([members[number] for number in picked])
    return np.sort(drawn)
