"""The limits of a gate, what was compared with them, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, Literal

import pandas as pd

from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.errors import Given, InputError
from imd_widget._base.shares import read_share
from imd_widget.rules.languages import percent

#: What is limited: the share of rows that differ or break, the net loss inside a rule, in a group
#: or over all rows, and the margin of a test of equivalence.
LimitName = Literal["disagreement", "breaks", "rule_breaks", "group_breaks", "net", "same"]

#: What is limited, in words.
_WORDS: Mapping[LimitName, str] = {
    "disagreement": "rows that differ",
    "breaks": "rows that break",
    "rule_breaks": "net loss in a rule",
    "group_breaks": "net loss in a group",
    "net": "net loss",
    "same": "difference",
}


class CheckFailedError(AssertionError):
    """A diff is beyond a limit of `imd_widget.ModelDiff.check`."""


@dataclass(frozen=True)
class Limits:
    """The limits of `imd_widget.ModelDiff.check`, checked; None: no limit."""

    disagreement: float | None = None
    breaks: float | None = None
    rule_breaks: float | None = None
    group_breaks: float | None = None
    net: float | None = None
    same: float | None = None

    @classmethod
    def of(cls, limits: Mapping[LimitName, float | str | None]) -> Limits:
        """Return limits, which may be given as text such as "5 %"."""
        return cls(**{name: _read(name, given) for name, given in limits.items()})

    def __post_init__(self) -> None:
        for name, value in self.given:
            _read(name, value)
        if not self.given:
            names = ", ".join(one.name for one in fields(self))
            raise InputError(f"d.check needs a limit, such as rule_breaks=0.05: {names}.")

    @property
    def needs_truth(self) -> list[tuple[str, float]]:
        """The limits that need ``y``."""
        return [(name, value) for name, value in self.given if name not in ("disagreement", "same")]

    @property
    def given(self) -> list[tuple[str, float]]:
        """The names and values of the limits that there are."""
        every = [(one.name, getattr(self, one.name)) for one in fields(self)]
        return [(name, value) for name, value in every if value is not None]


def _read(name: str, given: Any) -> float | None:
    """Return a limit as a number; raise an InputError if it is no share of the rows."""
    value = read_share(given)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise InputError(
            Given(name, given),
            ': a limit is a share of the rows from 0 to 1, such as 0.05 or "5 %".',
        )
    return float(value)


@dataclass(frozen=True, kw_only=True)
class Check:
    """One figure that was compared with a limit.

    Attributes
    ----------
    limit : str
        Name of the limit: the argument of `imd_widget.ModelDiff.check`.
    allowed : float
    where : str
        The rows: "all rows", "rule 0: age >= 40", "site is C".
    rows : float
        Number of these rows that the figure comes from; by weight if rows have weights.
    estimate : float
        The share that is limited: for ``net``, rules and groups the net loss.
    interval : tuple of two float, or None
        95 % interval of the estimate (90 % for ``same``); None if it is not known.
    p_value : float or None
        The p-value of a true net loss within the limit; adjusted (Holm) for rules and groups.
        For ``same`` that of a true difference beyond the margin.
    known : float or None
        With a baseline: the share of the rule's rows that lie inside rules of the baseline, which
        are not counted.
    known_interval : tuple of two float, or None
        95 % interval of that share.
    passed : bool
    text : str
        A sentence.
    measured : str
        The estimate as text, with its interval: "26.5 % (22.0 to 31.0 %)".
    """

    limit: LimitName
    allowed: float
    where: str
    rows: float
    estimate: float
    interval: tuple[float, float] | None = None
    p_value: float | None = None
    known: float | None = None
    known_interval: tuple[float, float] | None = None
    passed: bool
    text: str

    @property
    def measured(self) -> str:
        """The estimate as text, with its interval."""
        share = percent(self.estimate, 1)
        if self.interval is not None:
            share += f" ({100 * self.interval[0]:.1f} to {100 * self.interval[1]:.1f} %)"
        return share.replace("-", "−")


@dataclass(frozen=True)
class Verdict(Displayed):
    """Whether a diff is within its limits.

    It is true in a condition (``if d.check(rule_breaks=0.05):``) if it is.

    Attributes
    ----------
    passed : bool
    checks : tuple of Check
        Every figure that was compared with a limit, those beyond it first.
    notes : tuple of str
        What could not be checked, and why.
    unchecked : tuple of str
        The limits with which nothing was compared, and why: "rule_breaks: there are no rules".
    """

    passed: bool
    checks: tuple[Check, ...]
    notes: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """A sentence for each check that failed."""
        return tuple(check.text for check in self.checks if not check.passed)

    def raise_if_failed(self) -> Verdict:
        """Raise CheckFailedError, an AssertionError, with the reasons, unless it is passed."""
        if not self.passed:
            raise CheckFailedError(str(self))
        return self

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        if not self.passed:
            return f"FAILED: {' '.join(self.reasons)}"
        n_limits = len({check.limit for check in self.checks})
        named = ", ".join(dict.fromkeys(check.limit for check in self.checks))
        unchecked = "; ".join(self.unchecked)
        if not n_limits:
            return f"PASSED: nothing was checked ({unchecked})."
        held = f"PASSED: {'the limit holds' if n_limits == 1 else 'all limits hold'} ({named})."
        return f"{held} Not checked: {unchecked}." if unchecked else held

    def _report(self) -> Report:
        frame = pd.DataFrame(
            {
                "result": ["passed" if one.passed else "failed" for one in self.checks],
                "limit": [f"{_WORDS[one.limit]}: {percent(one.allowed, 1)}" for one in self.checks],
                "rows": [f"{one.rows:,.0f}" for one in self.checks],
                "measured": [one.measured for one in self.checks],
            },
            index=pd.Index([one.where for one in self.checks], name="where"),
        )
        sentences = (str(self), *self.notes)
        return Report(sentences, frame if self.checks else None)

    def __repr__(self) -> str:
        return f"<Verdict: {self}>"
