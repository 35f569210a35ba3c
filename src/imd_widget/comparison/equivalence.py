"""Tests of equivalence: whether two models are the same within a margin."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.errors import Argument, Given, InputError
from imd_widget._base.intervals import SampleSize
from imd_widget._base.paired import LEVEL, share_below
from imd_widget._base.shares import read_share
from imd_widget.rules.languages import percent

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff

#: What is tested: how often both models are right, or on how many rows they differ.
Tested = Literal["correctness", "outputs"]


@dataclass(frozen=True)
class Equivalence(Displayed):
    """Whether two models are the same within a margin, beyond what chance explains.

    It is true in a condition (``if d.equivalent(0.01):``) if they are.

    Attributes
    ----------
    passed : bool
        Whether the p-value is at most 5 %.
    of : {"correctness", "outputs"}
        What was tested: the shares of rows on which either model is right, or the share of rows on
        which the models differ.
    margin : float
    estimate : float
        The accuracy of model 2 less that of model 1, or the share of rows that differ.
    interval : tuple of two float, or None
        Two-sided 90 % interval of the estimate; the models are the same if it lies within the
        margin. None if there are too few rows or groups.
    p_value : float
        P-value of a true difference that is at least as large as the margin. For correctness it is
        the larger one of two one-sided tests.
    """

    passed: bool
    of: Tested
    margin: float
    estimate: float
    interval: tuple[float, float] | None
    p_value: float

    def __bool__(self) -> bool:
        return self.passed

    def _report(self) -> Report:
        return Report((f"{self}.",))

    def __str__(self) -> str:
        is_net = self.of == "correctness"
        what = "accuracy differs by" if is_net else "the models differ on"
        shown = f"{100 * self.estimate:+.2f} %" if is_net else percent(self.estimate, 2)
        ends = ""
        if self.interval is not None:
            signs = "+.2f" if is_net else ".2f"
            ends = f" ({' to '.join(format(100 * end, signs) for end in self.interval)} %)"
        verdict = "the same" if self.passed else "not shown to be the same"
        text = f"{verdict} within {percent(self.margin, 2)}: {what} {shown}{ends}"
        return text.replace("-", "−") if is_net else text


def equivalent(diff: ModelDiff, margin: Any, of: Tested | None) -> Equivalence:
    """Test whether two models are the same within a margin."""
    given, margin = margin, read_share(margin)
    if isinstance(margin, bool) or not isinstance(margin, Real) or not 0 < float(margin) < 1:
        raise InputError(
            Given("margin", given),
            ': the margin is a share of the rows above 0 and below 1, such as 0.01 or "1 %".',
        )
    margin, right = float(margin), diff.correctness
    if of is None:
        of = "outputs" if right is None or not right.known else "correctness"
    if of not in ("correctness", "outputs"):
        raise InputError(Given("of", of), ' is not known. Choose "correctness" or "outputs".')
    if of == "outputs":
        return _of_outputs(diff, margin)
    if right is None or not right.known:
        raise InputError(Given("of", of), " needs the truth: pass ", Argument("y"), " to imd.diff.")
    if right.size is None:
        raise InputError(
            "the file is from an earlier release and lacks the precision of the net. Make the diff "
            "again: imd.diff(m1, m2, X, y=y)."
        )
    found = right.same_p_value(margin)
    chance = 1.0 if found is None else found
    ends = right.net_share_interval_at(2 * LEVEL)
    return Equivalence(chance <= LEVEL, of, margin, right.net_share, ends, chance)


def _of_outputs(diff: ModelDiff, margin: float) -> Equivalence:
    metrics = diff.metrics
    size = SampleSize(float(metrics.n_rows))
    if diff.has_rows and diff.rows.has_dependent_rows:
        size = diff.rows.sample_size(np.flatnonzero(diff.rows.row_weight > 0))
    elif diff.tree.target.weighted:
        raise InputError(
            "the diff has weights and was read from a file: the share of rows that differ cannot "
            "be tested without its rows. Make the diff again: imd.diff(m1, m2, X)."
        )
    chance, ends = share_below(metrics.disagreement, size, margin)
    return Equivalence(chance <= LEVEL, "outputs", margin, metrics.disagreement, ends, chance)
