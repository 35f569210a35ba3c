"""The net of two models from labels of some rows: a stratified estimate with its interval.

The true net is that of new rows, as everywhere: the table is a sample of them, and the labelled
rows are a sample of the table (two-phase sampling). A stratum has the share ``W`` of the table and
``N`` rows, ``n`` of which have labels, with the variance ``s2``. The variance of the net is
``sum(W^2 s2 (1 / n - 1 / N))`` and that of the table, as if all of it had labels. The interval is
Tango's, on as many random rows as have this variance.

If rows belong to groups, a row of a stratum counts with the mean of its labels, and a labelled row
also with its distance from this mean, times ``N / n``. The variance is that of the sums of these
numbers over groups: it contains both phases (linearized two-phase estimator).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget._base.intervals import SampleSize, mean_spread
from imd_widget._base.paired import LEVEL, holm, loss_above, net_interval
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.paired import PairedRows
from imd_widget.comparison.remeasuring import compared_again
from imd_widget.deciding.strata import Rows, Stratum, labelled_strata, strata_of
from imd_widget.outputs.correctness import PairedLoss, PairedNet
from imd_widget.rules.rule import RuleSet


@dataclass(frozen=True)
class LabelledStratum:
    """The labels of one stratum.

    Attributes
    ----------
    name : str
        "rule 0", "other differences" or "agreement".
    text : str
        The conditions of the rule; empty for the others.
    rule : int or None
        Number of the rule.
    rows : int
        Number of rows of the table in the stratum.
    labels : int
        Number of these with a label.
    fixes, breaks : int
        Labelled rows on which only the new model, or only the old one is right.
    net : float
        Fixes less breaks as a share of the labelled rows, by weight.
    interval : tuple of two float, or None
        95 % interval of ``net``; None with weights, or if the labels are of too few groups.
    """

    name: str
    text: str
    rule: int | None
    rows: int
    labels: int
    fixes: int
    breaks: int
    net: float
    interval: tuple[float, float] | None


@dataclass(frozen=True, kw_only=True)
class LabelledNet(PairedNet):
    """Which of two models is better, from labels of a few rows.

    Attributes
    ----------
    names : tuple of two str
        Names of the models.
    labels : int
        Number of labels.
    known : float
        Number of rows of the table; by weight if rows have weights.
    first, second : float
        Estimated numbers of rows on which only model 1, or only model 2 is right.
    strata : tuple of LabelledStratum
    losses : tuple of PairedLoss
        For values and probabilities: mean losses, and their paired difference with its interval.
    effective_rows : float
        Number of labels of random rows that determine the net as well; 0 without an interval, if
        there are too few groups.
    degrees : float or None
        Degrees of freedom of the variance of the net; None: infinitely many.
    """

    names: tuple[str, str]
    labels: int
    known: float
    first: float
    second: float
    strata: tuple[LabelledStratum, ...]
    losses: tuple[PairedLoss, ...] = ()
    effective_rows: float | None = None
    degrees: float | None = None
    _rules: RuleSet = field(default=RuleSet(()), compare=False)

    @property
    def worse(self) -> RuleSet:
        """The rules inside which model 1 is better beyond chance, 5 % over all rules together."""
        return self._beyond_chance(1)

    @property
    def better(self) -> RuleSet:
        """The rules inside which model 2 is better beyond chance, 5 % over all rules together."""
        return self._beyond_chance(-1)

    def _beyond_chance(self, sign: int) -> RuleSet:
        tested = [one for one in self.strata if one.rule is not None and one.interval is not None]
        chances = []
        for one in tested:
            broken, fixed = (one.breaks, one.fixes)[::sign]
            size = SampleSize(float(one.labels))
            chances.append(loss_above(broken / size.n, fixed / size.n, size, 0.0))
        found = [one.rule for one, p in zip(tested, holm(chances), strict=True) if p <= LEVEL]
        return self._rules[[rule for rule in found if rule is not None]]

    def to_frame(self) -> pd.DataFrame:
        """Return a table with a row for each stratum."""
        ends = [one.interval or (math.nan, math.nan) for one in self.strata]
        names = ("text", "rows", "labels", "fixes", "breaks", "net")
        columns: dict[str, Any] = {
            name: [getattr(one, name) for one in self.strata] for name in names
        }
        columns |= {"net_low": [low for low, _ in ends], "net_high": [high for _, high in ends]}
        return pd.DataFrame(columns, index=[one.name for one in self.strata])

    def __str__(self) -> str:
        one, two = self.names
        text = f"{self.labels:,} labels: "
        for loss in self.losses[:1]:
            low, high = loss.interval or (math.nan, math.nan)
            text += f"mean {loss.name} {one} {loss.means[0]:.3g}, {two} {loss.means[1]:.3g}, "
            text += f"difference {loss.difference:+.3g} ({low:+.3g} to {high:+.3g})."
            return text.replace("-", "−")
        net, rows = round(abs(self.net)), f"of {self.known:,.0f} rows"
        if net:
            more = "more" if self.net > 0 else "fewer"
            text += f"{two} is right on about {net:,} {more} {rows} than {one}"
        else:
            text += f"{one} and {two} are right on about equally many {rows}"
        text += f", net {100 * self.net_share:+.1f} %"
        ends = self.net_share_interval
        if ends is not None:
            text += f" ({100 * ends[0]:+.1f} to {100 * ends[1]:+.1f} %)"
            text += f". As precise as {self.effective_rows:,.0f} labels of random rows"
        return text.replace("-", "−") + "."

    def __repr__(self) -> str:
        return f"<LabelledNet: {self}>"


def labelled_net(diff: ModelDiff, labels: dict[int, Any]) -> LabelledNet:
    """Return the net from the labels of some rows, by their positions in the table."""
    rows = np.array(sorted(labels))
    judged = _judged(diff, labels)
    strata = strata_of(diff)
    if not diff.differs[rows].any():
        raise InputError(
            "the models agree on every labelled row, and only rows on which they differ decide: "
            "label the rows of d.to_label(60)."
        )
    kept = labelled_strata(strata, rows)
    agreeing = [one for one in strata if not one.differs]
    if diff.tolerance is not None:
        kept += agreeing
    parts = [_Part.of(judged, one, one.rows[np.isin(one.rows, rows)]) for one in kept]
    weight = diff.rows.row_weight
    total = float(weight.sum())
    size = float(weight.sum() ** 2 / (weight**2).sum())
    weighted = diff.rows.dataset.weights is not None
    shares = np.array([weight[one.rows].sum() for one in kept]) / total
    first, second = (
        float(sum(share * part.mean(part.net == sign) for share, part in _zip(shares, parts)))
        for sign in (-1, 1)
    )
    table = _Clusters.of(diff)
    found = _size(first, second, shares, parts, size, table)
    used = sum(part.n for part in parts)
    return LabelledNet(
        names=diff.names,
        labels=used,
        known=total,
        first=first * total,
        second=second * total,
        strata=tuple(part.record(not weighted) for part in parts),
        losses=_losses(shares, parts, size, table) if found.is_enough else (),
        effective_rows=found.n if found.is_enough else 0.0,
        degrees=None if math.isinf(found.degrees) else found.degrees,
        _rules=diff.rules,
    )


def _zip(shares: NDArray[np.float64], parts: Sequence[_Part]) -> Any:
    return zip(shares.tolist(), parts, strict=True)


def _judged(diff: ModelDiff, labels: dict[int, Any]) -> ModelDiff:
    """Return the comparison of the models with the labels as the truth, which most rows lack."""
    n_rows, own = diff.table.n_rows, diff.rows.dataset
    truth = np.full(n_rows, None, dtype=object)
    for row, label in labels.items():
        truth[row] = label
    first, second = (diff.predictions.iloc[:, at].to_numpy() for at in (0, 1))
    return compared_again(
        diff,
        first,
        second,
        diff.table.native,
        y=truth,
        loss=diff.rows.fit_input.loss,
        sample_weight=None if own.weights is None else own.weights.whole[:n_rows],
        groups=None if own.groups is None else own.groups[:n_rows],
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """The labelled rows of a stratum."""

    stratum: Stratum
    rows: Rows
    judged: PairedRows

    @classmethod
    def of(cls, diff: ModelDiff, stratum: Stratum, rows: Rows) -> _Part:
        return cls(stratum, rows, PairedRows.of(diff.rows, rows))

    @property
    def n(self) -> int:
        return len(self.judged)

    @property
    def net(self) -> NDArray[np.float64]:
        return self.judged.net

    def mean(self, values: NDArray[Any]) -> float:
        return self.judged.mean(values.astype(float)) if self.n else 0.0

    def variance(self, values: NDArray[np.float64], prior: float) -> float:
        """Return the variance of the mean of values, of the rows of the table in the stratum.

        The variance of a few labels is unreliable: ``prior`` counts as that of one more.
        """
        if not self.n:
            return prior
        found = mean_spread(values, self.judged.weight)
        own = found.variance * found.kish
        shrunk = ((self.n - 1) * own + prior) / self.n
        return shrunk / found.kish * self.unlabelled

    @property
    def unlabelled(self) -> float:
        """Share of the rows of the stratum without a label."""
        return max(1 - self.n / len(self.stratum.rows), 0.0)

    def record(self, with_interval: bool) -> LabelledStratum:
        fixes, breaks = (int((self.net == sign).sum()) for sign in (1, -1))
        interval = None
        if with_interval and self.n:
            interval = net_interval(breaks / self.n, fixes / self.n, self.judged.size())
        one = self.stratum
        return LabelledStratum(
            one.name,
            one.text,
            one.rule,
            len(one.rows),
            self.n,
            fixes,
            breaks,
            self.mean(self.net),
            interval,
        )


def _size(
    first: float,
    second: float,
    shares: NDArray[np.float64],
    parts: Sequence[_Part],
    n_rows: float,
    table: _Clusters | None,
) -> SampleSize:
    """Return the number of random rows that determine the net as well."""
    nets = np.concatenate([part.net for part in parts if part.stratum.differs])
    # one more label for either model: no sample of a few labels shows that all are the same
    fixes, breaks, n = (nets > 0).sum() + 1, (nets < 0).sum() + 1, len(nets) + 2
    prior = float((fixes + breaks) / n - ((fixes - breaks) / n) ** 2)
    of_row = max(first + second - (second - first) ** 2, 1 / n_rows)
    variance, degrees = _total(
        [
            share**2 * part.variance(part.net, prior if part.stratum.differs else 0.0)
            for share, part in _zip(shares, parts)
        ],
        parts,
        of_row / n_rows,
    )
    if table is None:
        return SampleSize(min(of_row / variance, n_rows), degrees)
    nets_of = [(part, part.net, prior if part.stratum.differs else 0.0) for part in parts]
    variance, of_groups = table.variance(nets_of)
    return SampleSize(min(of_row / variance, n_rows), min(degrees, of_groups), table.n_groups)


@dataclass(frozen=True, eq=False)
class _Clusters:
    """The groups of the rows of a table."""

    #: The group and the weight of each row; 0 for rows that do not count.
    groups: NDArray[np.integer]
    weight: NDArray[np.float64]

    @classmethod
    def of(cls, diff: ModelDiff) -> _Clusters | None:
        """Return the groups of a diff; None if rows are independent."""
        groups = diff.rows.dataset.groups
        weight = diff.rows.row_weight
        return None if groups is None else cls(groups[: diff.table.n_rows], weight)

    @property
    def n_groups(self) -> int:
        return len(np.unique(self.groups[self.weight > 0]))

    def variance(
        self, parts: Sequence[tuple[_Part, NDArray[np.float64], float]]
    ) -> tuple[float, float]:
        """Return the variance of the mean of values over the table, and its degrees of freedom.

        Parameters
        ----------
        parts : sequence of (_Part, ndarray, float)
            The values of the labelled rows of each stratum, and the prior of their variance.
        """
        every = np.zeros(len(self.groups))
        more = 0.0
        for part, values, prior in parts:
            rows, share = part.stratum.rows, self.weight[part.stratum.rows].sum()
            more += (share / self.weight.sum()) ** 2 * self._doubt(part, values, prior)
            if not part.n:
                continue
            every[rows] = part.mean(values)
            # the mean is nearer to the labelled rows than to the others
            correction = 1 + part.unlabelled / max(part.n - 1, 1)
            expanded = math.sqrt(correction) * share / self.weight[part.rows].sum()
            every[part.rows] += expanded * (values - part.mean(values))
        counts = self.weight > 0
        found = mean_spread(every[counts], self.weight[counts], self.groups[counts])
        return found.variance + more, found.degrees

    @staticmethod
    def _doubt(part: _Part, values: NDArray[np.float64], prior: float) -> float:
        """Return what a prior adds to the variance of the mean of a few labels."""
        if part.n < 2:
            return part.variance(values, prior)
        found = mean_spread(values, part.judged.weight)
        return max(part.variance(values, prior) - found.variance * part.unlabelled, 0.0)


def _total(
    variances: Sequence[float], parts: Sequence[_Part], of_table: float
) -> tuple[float, float]:
    """Return the sum of variances, and its degrees of freedom after Satterthwaite."""
    total = sum(variances) + of_table
    doubt = sum(own**2 / max(part.n, 1) for own, part in zip(variances, parts, strict=True))
    degrees = total**2 / doubt if doubt else math.inf
    return total, degrees if degrees < 1e9 else math.inf


def _losses(
    shares: NDArray[np.float64],
    parts: Sequence[_Part],
    n_rows: float,
    table: _Clusters | None,
) -> tuple[PairedLoss, ...]:
    """Return the mean losses of both models and their difference."""
    found = []
    for name in parts[0].judged.losses:
        rows = [(share, part, part.judged.losses[name]) for share, part in _zip(shares, parts)]
        first, second = (
            sum(share * part.mean(own[at]) for share, part, own in rows) for at in (0, 1)
        )
        apart = [(share, part, own[1] - own[0]) for share, part, own in rows]
        square = sum(share * part.mean(own**2) for share, part, own in apart)
        pooled = np.concatenate([own for _, part, own in apart if part.stratum.differs])
        prior = float(pooled.var(ddof=1)) if len(pooled) > 1 else 0.0
        priors = [
            (part, own, prior if part.stratum.differs else float(own.var()))
            for _, part, own in apart
        ]
        variances = [
            share**2 * part.variance(own, doubt)
            for share, (part, own, doubt) in zip(shares.tolist(), priors, strict=True)
        ]
        of_table = max(square - (second - first) ** 2, 0.0) / n_rows
        variance, degrees = _total(variances, parts, of_table)
        if table is not None:
            variance, of_groups = table.variance(priors)
            degrees = min(degrees, of_groups)
        error = math.sqrt(variance)
        found.append(PairedLoss(name, (first, second), second - first, error, degrees))
    return tuple(found)
