"""The same rules on new rows: what was measured then, what is measured now, and what changed.

No rule is fitted again, so the figures of two weeks are of the same regions.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import ndtr

from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.errors import InputError, InputWarning, Setting
from imd_widget._base.intervals import (
    QUANTILE_95,
    UNKNOWN,
    SampleSize,
    share_interval,
    size_of_interval,
)
from imd_widget._base.paired import LEVEL, fisher, holm
from imd_widget._base.verbs import verb
from imd_widget.comparison.margins import margins_of_table
from imd_widget.comparison.paired import with_statistics
from imd_widget.data.table import encode, is_large, open_table
from imd_widget.outputs.correctness import Right
from imd_widget.rules.languages import conditions_text, percent
from imd_widget.rules.rule import none_for_nan, share

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff

#: Names of the regions that are no rules.
OUTSIDE, EVERYTHING = "outside all rules", "all rows"


@dataclass(frozen=True)
class RegionFigures:
    """What was measured on the rows of a region.

    Attributes
    ----------
    rows : int
        Number of rows.
    rate : float or None
        Share of them on which the models differ, by weight; None if it is not known.
    interval : tuple of two float
        95 % interval of the rate; (0, 1) if it is not known.
    correctness : Right or None
        How often either model is right; None without ``y``.
    measured_rows : int or None
        Number of rows that the rate was measured on: those of a rule that were not used to find it.
        None if that is not known.
    """

    rows: int
    rate: float | None
    interval: tuple[float, float] = UNKNOWN
    correctness: Right | None = None
    measured_rows: int | None = None

    @property
    def rate_text(self) -> str:
        """The rate and the rows that it was measured on: "95.8 % of the 24 rows ..."."""
        if self.rate is None:
            return f"an unknown share of {_rows(self.rows)}"
        share, n_rows = percent(self.rate, 1), self.measured_rows
        if n_rows == self.rows:
            return f"{share} of {_rows(n_rows)}"
        which = "rows" if n_rows is None else f"{_rows(n_rows)}"
        return f"{share} of the {which} not used to find it"

    @property
    def net(self) -> float | None:
        """Fixes less breaks as a share of the rows with a truth; None if it is not known."""
        return None if self.correctness is None else none_for_nan(self.correctness.net_share)

    @property
    def net_interval(self) -> tuple[float, float] | None:
        """95 % interval of `net`; None if it is not known."""
        return None if self.correctness is None else self.correctness.net_share_interval


@dataclass(frozen=True)
class RegionChange:
    """A region then and now.

    Attributes
    ----------
    name : str
        "rule 0", "outside all rules" or "all rows".
    text : str
        The conditions of the rule; empty for the others.
    then, now : RegionFigures
        On rows not used to find the rule, and on the new rows.
    p_value, net_p_value : float or None
        The p-values of an unchanged rate and an unchanged net, adjusted for all tests (Holm);
        None if it cannot be tested.
    """

    name: str
    text: str
    then: RegionFigures
    now: RegionFigures
    p_value: float | None
    net_p_value: float | None

    @property
    def rate_changed(self) -> bool:
        """Whether the rate changed beyond chance."""
        return self.p_value is not None and self.p_value <= LEVEL

    @property
    def changed(self) -> bool:
        """Whether the rate or the net changed beyond chance."""
        return self.rate_changed or (self.net_p_value is not None and self.net_p_value <= LEVEL)

    def __str__(self) -> str:
        where = f"{self.name}: {self.text}" if self.text else self.name
        words = f"{where}: {self.then.rate_text} differed, {self.now.rate_text} differ"
        if self.then.net is not None and self.now.net is not None:
            nets = [
                f"{100 * one.net:+.1f} %" for one in (self.then, self.now) if one.net is not None
            ]
            words += f"; net {nets[0]}, now {nets[1]}".replace("-", "−")
        return words + (" (changed)" if self.changed else "")


def _rows(n: int) -> str:
    return f"{n:,} rows" if n != 1 else "1 row"


@dataclass(frozen=True)
class Remeasured(Displayed):
    """The rules of a diff, measured on new rows.

    Attributes
    ----------
    names : tuple of two str
        Names of the models.
    regions : tuple of RegionChange
        Each rule, what lies outside all rules, and all rows.
    """

    names: tuple[str, str]
    regions: tuple[RegionChange, ...]

    @property
    def changed(self) -> tuple[RegionChange, ...]:
        """The regions whose rate or net changed beyond chance, 5 % over all regions together."""
        return tuple(region for region in self.regions if region.changed)

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row for each region."""
        columns: dict[str, list[Any]] = {"rule": [region.text for region in self.regions]}
        for when in ("then", "now"):
            figures: list[RegionFigures] = [getattr(region, when) for region in self.regions]
            columns |= {
                f"rows_{when}": [one.rows for one in figures],
                f"measured_rows_{when}": [_nan(one.measured_rows) for one in figures],
                f"rate_{when}": [_nan(one.rate) for one in figures],
                f"rate_{when}_low": [one.interval[0] for one in figures],
                f"rate_{when}_high": [one.interval[1] for one in figures],
            }
            if any(one.correctness is not None for one in figures):
                ends = [one.net_interval or (math.nan, math.nan) for one in figures]
                columns |= {
                    f"net_{when}": [_nan(one.net) for one in figures],
                    f"net_{when}_low": [low for low, _ in ends],
                    f"net_{when}_high": [high for _, high in ends],
                }
        columns["p_value"] = [_nan(region.p_value) for region in self.regions]
        columns["net_p_value"] = [_nan(region.net_p_value) for region in self.regions]
        columns["changed"] = [region.changed for region in self.regions]
        return pd.DataFrame(columns, index=[region.name for region in self.regions])

    def _report(self) -> Report:
        frame = pd.DataFrame(
            {
                "where": [region.text for region in self.regions],
                "differed then": [rate_cell(region.then) for region in self.regions],
                "differ now": [rate_cell(region.now) for region in self.regions],
                "net then": [net_cell(region.then) for region in self.regions],
                "net now": [net_cell(region.now) for region in self.regions],
                "changed": ["yes" if region.changed else "no" for region in self.regions],
            },
            index=pd.Index([region.name for region in self.regions], name="region"),
        )
        if not any(frame["net then"] + frame["net now"]):
            frame = frame.drop(columns=["net then", "net now"])
        n = len(self.changed)
        which = f"{n} of {len(self.regions)} regions" if n else "no region"
        return Report((f"{' and '.join(self.names)}: {which} changed beyond chance.",), frame)

    def __str__(self) -> str:
        return "\n".join(map(str, self.regions))

    def __repr__(self) -> str:
        return f"<Remeasured: {len(self.changed)} of {len(self.regions)} regions changed>"


def rate_cell(figures: RegionFigures) -> str:
    """Return the rate with its interval and the number of rows, for a table."""
    if figures.rate is None:
        return ""
    ends = "" if figures.interval == UNKNOWN else f" ({range_text(figures.interval)} %)"
    n_rows = figures.measured_rows
    return f"{percent(figures.rate, 1)}{ends}" + ("" if n_rows is None else f" of {n_rows:,}")


def net_cell(figures: RegionFigures) -> str:
    """Return the net with its interval, for a table; empty without ``y``."""
    if figures.net is None:
        return ""
    ends = "" if figures.net_interval is None else f" ({range_text(figures.net_interval)} %)"
    return f"{100 * figures.net:+.1f} %{ends}".replace("-", "−")


def range_text(ends: tuple[float, float]) -> str:
    """Return two shares in percent: "−1.2 to 3.4"."""
    return f"{100 * ends[0]:.1f} to {100 * ends[1]:.1f}".replace("-", "−")


def _nan(value: float | None) -> float:
    return math.nan if value is None else value


def remeasure(diff: ModelDiff, m1: Any, m2: Any, X: Any, **options: Any) -> Remeasured:
    """Measure the rules of a diff on new rows; ``options`` are options of `imd_widget.diff`."""
    return Remeasured(diff.names, adjusted(changes_of(diff, m1, m2, X, **options)))


def changes_of(
    diff: ModelDiff, m1: Any, m2: Any, X: Any, **options: Any
) -> tuple[RegionChange, ...]:
    """Return the regions of a diff then and now, with p-values that are not adjusted."""
    _check_columns(diff, X)
    new = compared_again(diff, m1, m2, X, **options)
    counts = new.rows.row_weight > 0
    outputs: NDArray[Any] | None = None
    if diff.given == "margins" and not new.rows.dataset.in_memory:
        raise InputError(
            "the rules use how sure the models are, which is computed for a table in memory only: "
            "pass one, or make the diff without ",
            Setting("given", "margins"),
            ".",
        )
    if diff.given == "margins":
        outputs = margins_of_table(
            new.rows.compared, new.rows.models, new.table, diff.tree.columns, diff.names
        )
    elif diff.given is not None:
        outputs = new.predictions.iloc[:, 0 if diff.given == "m1" else 1].to_numpy()
    masks = [mask & counts for mask in _masks(diff, new, outputs)]
    inside = np.any(masks, axis=0) if masks else np.zeros(len(counts), dtype=bool)
    changes = []
    regions = [*masks, counts & ~inside, counts]
    for (name, text, then), mask in zip(regions_of(diff), regions, strict=True):
        now = _now(new, mask)
        changes.append(RegionChange(name, text, then, now, _rates(then, now), _nets(then, now)))
    return tuple(changes)


def _check_columns(diff: ModelDiff, X: Any) -> None:
    """Raise the error of a rule that needs a column which a table lacks.

    That is done before a model is called, which may fail without a column in its own way.
    """
    if is_large(X) or not hasattr(X, "shape"):  # read in parts, whose columns are checked then
        return
    table, columns = open_table(X), diff.tree.columns
    used = {column for rule in diff.rules for column in rule.box if not columns[column].given}
    encode(open_table(table.rows(np.arange(table.n_rows) < 1)), columns, sorted(used))


def _masks(
    diff: ModelDiff, new: ModelDiff, outputs: NDArray[Any] | None
) -> list[NDArray[np.bool_]]:
    """Return a mask of the new rows inside each rule."""
    found = [np.zeros(new.table.n_rows, dtype=bool) for _ in diff.rules]
    for rows, block in new.table.blocks():
        given = None if outputs is None else outputs[rows]
        for mask, rule in zip(found, diff.rules, strict=True):
            mask[rows] = rule.mask(block, given)
    return found


def compared_again(diff: ModelDiff, m1: Any, m2: Any, X: Any, **options: Any) -> ModelDiff:
    """Compare two models on other rows in the units of a diff; its rules are not to be read.

    ``options`` are options of `imd_widget.diff`; None keeps the default.
    """
    given = {name: value for name, value in options.items() if value is not None}
    if diff.has_rows and "pos_label" not in given:
        given["pos_label"] = diff.rows.fit_input.comparison.output_options.pos_label
    if "dissimilarity" in diff.tree.outputs.options:
        given.setdefault("dissimilarity", diff.tree.outputs.options["dissimilarity"])
    given = {"names": diff.names, "tolerance": _tolerance(diff), **given}
    # the comparison of outputs, and nothing else, is read from it: remarks about rules do not apply
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        found: ModelDiff = verb("diff")(
            m1, m2, X, max_depth=1, measure="none", outputs=diff.outputs, **given
        )
    return found


def _tolerance(diff: ModelDiff) -> float | str | None:
    if diff.tolerance_share is not None:
        return f"{100 * Decimal(repr(diff.tolerance_share))} %"
    return diff.tolerance


def adjusted(changes: Sequence[RegionChange]) -> tuple[RegionChange, ...]:
    """Return the changes with p-values adjusted for the number of all tests together."""
    every = _holm([chance for one in changes for chance in (one.p_value, one.net_p_value)])
    return tuple(
        replace(one, p_value=every[2 * at], net_p_value=every[2 * at + 1])
        for at, one in enumerate(changes)
    )


def _holm(chances: Sequence[float | None]) -> list[float | None]:
    """Adjust those that are known."""
    found = iter(holm([chance for chance in chances if chance is not None]))
    return [None if chance is None else next(found) for chance in chances]


def regions_of(diff: ModelDiff) -> list[tuple[str, str, RegionFigures]]:
    """Return the regions of a diff, and what was measured there."""
    found = []
    for number, rule in enumerate(diff.rules):
        rows = rule.support + rule.holdout_support
        figures = RegionFigures(
            rows, rule.measured_rate, rule.interval, rule.correctness, rule.measured_rows
        )
        found.append((f"rule {number}", conditions_text(rule.conditions), figures))
    metrics = diff.metrics
    n_out = metrics.measured_rows - metrics.measured_claimed
    claimed = 0.0
    if metrics.measured_claimed and metrics.precision:
        claimed = metrics.recall * metrics.measured_disagreement / metrics.precision
    elif metrics.measured_claimed:
        claimed = metrics.measured_claimed / metrics.measured_rows
    rest = none_for_nan(share((1 - metrics.recall) * metrics.measured_disagreement, 1 - claimed))
    is_known = metrics.measured_by in ("holdout", "cv") and n_out > 0 and rest is not None
    rate = min(max(rest, 0.0), 1.0) if is_known and rest is not None else None
    dependent = diff.tree.target.weighted or (diff.has_rows and diff.rows.has_dependent_rows)
    ends = UNKNOWN
    if rate is not None and not dependent:
        ends = share_interval(rate, SampleSize(float(n_out)))
    found.append((OUTSIDE, "", RegionFigures(n_out, rate, ends, measured_rows=n_out)))
    size = SampleSize(float(metrics.n_rows))
    if dependent:
        size = SampleSize(0.0)
        if diff.has_rows:
            size = diff.rows.sample_size(np.flatnonzero(diff.rows.row_weight > 0))
    whole = share_interval(metrics.disagreement, size)
    n_rows = metrics.n_rows
    figures = RegionFigures(n_rows, metrics.disagreement, whole, diff.correctness, n_rows)
    return [*found, (EVERYTHING, "", figures)]


def _now(new: ModelDiff, mask: NDArray[np.bool_]) -> RegionFigures:
    numbers, weight = np.flatnonzero(mask), new.rows.row_weight
    rate = none_for_nan(share(weight[mask & new.differs].sum(), weight[mask].sum()))
    if rate is None:
        return RegionFigures(0, None, measured_rows=0)
    right = with_statistics(new.rows.right_of(numbers), new.rows, numbers)
    ends = new.rows.rate_interval(mask, rate)
    return RegionFigures(len(numbers), rate, ends, right, len(numbers))


def _rates(then: RegionFigures, now: RegionFigures) -> float | None:
    """Return the p-value of the same rate then and now: Fisher's exact test, two-sided.

    It is made with as many independent rows as have the intervals of the rates.
    """
    counts = []
    for figures in (then, now):
        if figures.rate is None or figures.interval == UNKNOWN:
            return None
        n = math.floor(size_of_interval(figures.rate, figures.interval) + 0.5)
        events = round(figures.rate * n)
        counts += [events, n]
    return fisher(*counts, two_sided=True)


def _nets(then: RegionFigures, now: RegionFigures) -> float | None:
    """Return the p-value of the same net then and now, from their intervals; None if unknown."""
    errors, nets = [], []
    for figures in (then, now):
        ends, net = figures.net_interval, figures.net
        if ends is None or net is None:
            return None
        # the half of the interval towards the other net
        errors.append(((net - ends[0]) / QUANTILE_95, (ends[1] - net) / QUANTILE_95))
        nets.append(net)
    rises = nets[1] >= nets[0]
    error = math.hypot(errors[0][1 if rises else 0], errors[1][0 if rises else 1])
    return 2 * float(ndtr(-abs(nets[1] - nets[0]) / error)) if error else float(nets[0] == nets[1])
