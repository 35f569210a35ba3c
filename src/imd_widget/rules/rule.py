"""Conditions, rules and rule sets: structure only; `languages` turns them into text."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.rules import languages
from imd_widget.table import as_frame


@dataclass(frozen=True)
class Interval:
    """``low <= column < high``; a bound that is None does not bound.

    Attributes
    ----------
    column : Hashable
        The user's own name of the column.
    low, high : number or None
        At least one of them is given.
    """

    column: Hashable
    low: Any = None
    high: Any = None

    @property
    def predicates(self) -> tuple[tuple[Hashable, str, Any], ...]:
        """The comparisons it is made of: (column, operator, value)."""
        lower = () if self.low is None else ((self.column, ">=", self.low),)
        upper = () if self.high is None else ((self.column, "<", self.high),)
        return lower + upper

    def mask(self, frame: pd.DataFrame) -> NDArray[np.bool_]:
        """For each row of ``frame``: does the condition hold?"""
        values = frame[self.column].to_numpy()
        holds = np.ones(len(values), dtype=bool)
        if self.low is not None:
            holds &= values >= self.low
        if self.high is not None:
            holds &= values < self.high
        return holds

    def __str__(self) -> str:
        return languages.condition_text(self)


@dataclass(frozen=True)
class Rule:
    """A region of feature space in which the two models are said to differ.

    Attributes
    ----------
    conditions : tuple of Interval
        All of them hold inside the rule; none at all means always.
    outcomes : tuple
        What model 1 says there and what model 2 says there.
    support, differing : int
        Rows used to fit that lie inside, and those of them on which the models differ.
    holdout_support, holdout_differing : int
        The same for rows kept aside.
    coverage : float
        Share of all differing rows, of those used to fit, that lie inside.
    or_node : str
        Id of the or-node of the joint tree that the rule lies under.
    leaves : tuple of (str, str)
        Ids of the leaf pairs (model 1, model 2) it is made of.
    """

    conditions: tuple[Interval, ...]
    outcomes: tuple[Hashable, Hashable]
    support: int
    differing: int
    holdout_support: int
    holdout_differing: int
    coverage: float
    or_node: str
    leaves: tuple[tuple[str, str], ...]

    @property
    def rate(self) -> float:
        """Share of its rows that differ; NaN where no row used to fit lies inside."""
        return self.differing / self.support if self.support else float("nan")

    @property
    def holdout_rate(self) -> float:
        """Share of its rows kept aside that differ; NaN where none lies inside."""
        if not self.holdout_support:
            return float("nan")
        return self.holdout_differing / self.holdout_support

    def mask(self, X: Any) -> NDArray[np.bool_]:
        """For each row of ``X``: does it lie inside the rule?"""
        frame = as_frame(X)
        holds = np.ones(len(frame), dtype=bool)
        for condition in self.conditions:
            holds &= condition.mask(frame)
        return holds

    def to_query(self) -> str:
        """The rule for ``DataFrame.query``."""
        return languages.rule_query(self)

    def to_sql(self) -> str:
        """The rule as a condition for SQL's WHERE."""
        return languages.rule_sql(self)

    def __str__(self) -> str:
        return languages.rule_text(self)


@dataclass(frozen=True)
class RuleSet(Sequence[Rule]):
    """Rules that together say where the two models differ: a row is in if any rule holds."""

    rules: tuple[Rule, ...]

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice) -> RuleSet: ...
    def __getitem__(self, index: int | slice) -> Rule | RuleSet:
        if isinstance(index, slice):
            return RuleSet(self.rules[index])
        return self.rules[index]

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    @property
    def n_predicates(self) -> int:
        """Number of distinct comparisons in all the rules together."""
        return len({p for rule in self for c in rule.conditions for p in c.predicates})

    def mask(self, X: Any) -> NDArray[np.bool_]:
        """For each row of ``X``: does any of the rules hold?"""
        frame = as_frame(X)
        holds = np.zeros(len(frame), dtype=bool)
        for rule in self:
            holds |= rule.mask(frame)
        return holds

    def to_query(self) -> str:
        """All the rules for ``DataFrame.query``: the rows in which any of them holds."""
        return languages.any_of((rule.to_query() for rule in self), " or ", languages.QUERY_NEVER)

    def to_sql(self) -> str:
        """All the rules as one condition for SQL's WHERE."""
        return languages.any_of((rule.to_sql() for rule in self), " OR ", languages.SQL_NEVER)

    def to_frame(self) -> pd.DataFrame:
        """One row a rule: text, outcomes and measures."""
        fields = (
            "support",
            "differing",
            "rate",
            "coverage",
            "holdout_support",
            "holdout_differing",
            "holdout_rate",
        )
        columns: dict[str, list[Any]] = {
            "rule": [languages.conditions_text(rule) for rule in self],
            "m1": [rule.outcomes[0] for rule in self],
            "m2": [rule.outcomes[1] for rule in self],
        }
        columns |= {field: [getattr(rule, field) for rule in self] for field in fields}
        return pd.DataFrame(columns)

    def _repr_html_(self) -> str:
        return str(self.to_frame().to_html(float_format="{:.3g}".format))

    def __str__(self) -> str:
        return "\n".join(str(rule) for rule in self) or "no rules"
