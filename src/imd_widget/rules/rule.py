"""Rules and rule sets as data; `languages` renders them as text."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.displayed import Displayed, Report
from imd_widget._base.errors import InputError
from imd_widget._base.intervals import UNKNOWN, corrected_share
from imd_widget._base.plain import json_names, to_json
from imd_widget._base.plain_values import to_plain
from imd_widget.data.boxes import Box, Boxes
from imd_widget.data.columns import Column
from imd_widget.data.point_score import PointScore
from imd_widget.data.table import open_table
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.interface import OutcomePair
from imd_widget.rules import languages
from imd_widget.rules.conditions import Condition
from imd_widget.rules.titles import ONE_WAY, Title, title

Direction = Literal["up", "down", "either"]


@dataclass(frozen=True, repr=False)
class Rule(Displayed):
    """A region of feature space in which the two models are predicted to differ, or to agree.

    Attributes
    ----------
    conditions : tuple of Interval, Membership or Presence
        The rule holds for a row if all conditions hold; an empty tuple means always.
    outcomes : tuple
        The outputs of model 1 and model 2. For classes: the most frequent pair of labels among the
        differing rows or, with "imd" and "separate", the labels that the surrogates predict. For
        values and probabilities: the mean outputs over all rows inside that were used to fit.
    said : tuple of two str
        ``outcomes`` as text: class names, rounded numbers.
    support, differing : int
        Number of rows used to fit that lie inside, and of those on which the models differ.
    weight, differing_weight : int or float
        The same by weight: 1 for an average row.
    holdout_support, holdout_differing, holdout_weight, holdout_differing_weight
        The same four for the rows kept aside.
    outcome_share : float
        Share of the differing rows inside with exactly these outcomes; for values and
        probabilities, that differ in this direction.
    coverage : float
        Share of all differing rows used to fit that lie inside, by weight; for a rule of agreement
        the share of all agreeing rows.
    right, holdout_right : Right or None
        How often either model is right inside, on the rows used to fit and on the rows kept aside;
        None without ``y``.
    node : str
        Id of the lowest node of the joint tree that contains the whole rule.
    nodes : tuple of str
        Ids of the nodes of the shared part that lie inside as a whole. Empty for most rules of
        "imd" and "separate", which are pairs of leaves below the shared part.
    leaves : tuple of (str, str)
        Ids of the leaf pairs (model 1, model 2) that the rule consists of.
    other_outcomes : tuple of OutcomePair
        The next most frequent pairs of labels among the differing rows, at most three; empty for
        values and probabilities.
    n_outcomes : int or None
        Number of different pairs of labels among the differing rows; None for values and
        probabilities, and in rules from files of earlier releases.
    up, down : int, float or None
        Rows with ``output_2 - output_1 > tolerance`` and with ``output_1 - output_2 > tolerance``,
        by weight, 1 for an average row; None for classes.
    differs : str or None
        The condition under which a row differs, as text; None for classes.
    within : str or None
        For values: what a model is that counts as right, such as "within 5"; otherwise None.
    agrees : bool
        Whether this is a rule of agreement: the models are predicted to agree inside.
    measured_rate : float or None
        The rate on rows not used to fit, by weight: on the rows kept aside or, after cross-fitting,
        on the rows of each fold inside the most similar rule that was fitted without them. None if
        there is no such row, or no fold has a similar rule.
    measured_rows : int or None
        Number of rows that ``measured_rate`` comes from; None without it, and after cross-fitting
        in older files.
    interval : tuple of two float
        95 % interval of ``measured_rate``: how often the models differ on new rows inside the rule.
        (0, 1) if the rate was not measured, or on too few groups. See `imd_widget.diff` for weights
        and groups.
    correctness : Right or None
        How often either model is right on rows not used to fit, with ``net_interval``, ``p_value``
        and ``losses``: on the rows kept aside inside the rule or, after cross-fitting, on the rows
        that ``measured_rate`` comes from. None without ``y``, without such rows, and in older
        files.
    expected_rate : float or None
        The share of new rows inside the rule on which the models are expected to differ:
        ``measured_rate`` or, without it, ``rate`` corrected for the choice of the rule on these
        rows. It is shrunk towards the rate of the table by 10 rows, less one standard error. None
        if no row lies inside. Reports and the widget show this rate.
    confirmed : bool or None
        Whether the rows kept aside differ more often inside the rule than outside beyond what
        chance explains: Fisher's exact test at a level of 5 % over all rules together (Holm). A
        rule of agreement must differ less often. False: the rule is a hint. None: not tested,
        because no rows are kept aside, or none of them lies inside.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import imd_widget as imd
    >>> age = np.tile(np.arange(20, 70), 8)
    >>> X = pd.DataFrame({"age": age, "job": np.repeat(["cook", "nurse"], 200)})
    >>> old = np.where(X["age"] >= 40, "yes", "no")
    >>> new = np.where(X["job"] == "cook", old, "no")
    >>> rule = imd.diff(old, new, X).rules[0]
    >>> print(rule)
    age >= 40 and job is nurse: yes -> no (120 of 120 rows differ)
    >>> rule.measured_rate, [round(end, 2) for end in rule.interval]
    (1.0, [0.97, 1.0])
    >>> rule.to_query()
    "age >= 40 and job in ['nurse']"
    >>> X.query(rule.to_query()).equals(X[rule.mask(X)])
    True
    """

    conditions: tuple[Condition, ...]
    outcomes: tuple[Any, Any]
    said: tuple[str, str]
    support: int
    differing: int
    weight: float
    differing_weight: float
    holdout_support: int
    holdout_differing: int
    holdout_weight: float
    holdout_differing_weight: float
    outcome_share: float
    coverage: float
    right: Right | None
    holdout_right: Right | None
    node: str
    nodes: tuple[str, ...]
    leaves: tuple[tuple[str, str], ...]
    other_outcomes: tuple[OutcomePair, ...] = ()
    n_outcomes: int | None = None
    up: float | None = None
    down: float | None = None
    differs: str | None = None
    within: str | None = None
    agrees: bool = False
    measured_rate: float | None = None
    interval: tuple[float, float] = UNKNOWN
    correctness: Right | None = None
    expected_rate: float | None = None
    confirmed: bool | None = None
    measured_rows: int | None = None
    _region: Boxes = field(kw_only=True, compare=False)
    _diff: Any = field(default=None, kw_only=True, compare=False, repr=False)

    @property
    def box(self) -> Box:
        """The box of codes of the rule."""
        [box] = self._region.boxes
        return box

    @property
    def direction(self) -> Direction | None:
        """Direction of the differences of values and probabilities.

        "up" if model 2's output is larger on at least three quarters of the differing rows, "down"
        if it is smaller on as many, else "either". None for classes, and if no row differs.
        """
        if self.up is None or self.down is None or not self.up + self.down:
            return None
        if max(self.up, self.down) < ONE_WAY * (self.up + self.down):
            return "either"
        return "up" if self.up > self.down else "down"

    @property
    def outcome_pairs(self) -> tuple[OutcomePair, ...]:
        """``outcomes`` and ``other_outcomes`` in one list, the most frequent pair first.

        A pair that no differing row has is left out: with "imd" and "separate", ``outcomes`` are
        what the surrogates predict. Empty for values and probabilities, and if no row differs.
        """
        if self.agrees or self.up is not None or not self.differing_weight:
            return ()
        own = OutcomePair(self.outcomes, self.said, self.outcome_share)
        found = [pair for pair in (own, *self.other_outcomes) if pair.share > 0]
        return tuple(sorted(found, key=lambda pair: -pair.share))

    @property
    def title(self) -> Title:
        """The outputs of the models on the differing rows; ``str(rule.title)`` is one line.

        It names one pair of labels alone only if all differing rows have it, "mostly" that pair if
        at least half of them have it, two pairs if they share the rows about equally, and otherwise
        the number of different pairs and the most frequent one.
        """
        return title(self)

    @property
    def rate(self) -> float:
        """``differing_weight / weight``; NaN if no row used to fit lies inside.

        The rule was chosen on these rows, so that its rate on others is usually lower: see
        ``expected_rate``.
        """
        return share(self.differing_weight, self.weight)

    @property
    def holdout_rate(self) -> float:
        """The rate on the rows kept aside; NaN if none of them lies inside."""
        return share(self.holdout_differing_weight, self.holdout_weight)

    @property
    def holdout_interval(self) -> tuple[float, float]:
        """95 % interval of `holdout_rate`; (0, 1) if no row kept aside lies inside."""
        return self.interval if self.holdout_support else UNKNOWN

    def with_expected(self, base: float, n: float | None = None) -> Rule:
        """Return the rule with ``expected_rate``, from what else is known of it.

        Parameters
        ----------
        base : float
            Share of all rows on which the models differ.
        n : float, optional
            Number of independent rows inside that were used to fit; None: ``support``.
        """
        expected = self.measured_rate
        if expected is None and self.weight:
            n = float(self.support) if n is None else n
            if self.agrees:
                expected = 1 - corrected_share(1 - self.rate, n, 1 - base)
            else:
                expected = corrected_share(self.rate, n, base)
        return replace(self, expected_rate=expected)

    def mask(self, X: Any, given: Any = None) -> NDArray[np.bool_]:
        """Return a mask of the rows of ``X`` inside the rule.

        Parameters
        ----------
        X : table
        given : array of shape (n_rows,), optional
            Outputs of the given model, if the rule uses them. By default they are read from
            a column of ``X``, such as "LR predicts", or the model is called.
        """
        return self._region.any_mask(X, given)

    def explain(self, **options: Any) -> Any:
        """Explain both models inside the rule: ``d.explain(rule)`` of the diff that it belongs to.

        Parameters
        ----------
        **options
            As `ModelDiff.explain` takes them.

        Returns
        -------
        Explanation
        """
        if self._diff is None:
            raise InputError(
                "this rule does not belong to a diff: it was copied or read from a file. "
                "d.explain(rule) explains a rule of the diff d, and d.explain(rule.mask(X)) the "
                "rows of another."
            )
        return self._diff.explain(self, **options)

    def of(self, diff: Any) -> None:
        """Tell the rule which diff it belongs to, so that it can `explain` itself."""
        object.__setattr__(self, "_diff", diff)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_diff": None}  # a rule is not stored with all rows

    def to_query(self) -> str:
        """Return the rule as an expression for ``DataFrame.query``."""
        return languages.rule_query(self)

    def to_sql(self) -> str:
        """Return the rule as a condition for SQL's WHERE, with literals of the SQL standard.

        Tested in DuckDB. A database without ``TIMESTAMP '...'`` (SQLite) cannot read rules about
        dates.
        """
        return languages.rule_sql(self)

    def _report(self) -> Report:
        return Report((str(self),))

    def __str__(self) -> str:
        called = ("m1", "m2") if self._diff is None else self._diff.names
        return languages.rule_text(self, called=called)

    def __repr__(self) -> str:
        return f"<Rule: {self}>"


def share(part: float, whole: float) -> float:
    """Return ``part / whole``; NaN if ``whole`` is 0."""
    return float(part / whole) if whole else float("nan")


class RuleMeasures(TypedDict):
    """Counts and shares of a rule, by the names that views, reports and tables use."""

    support: int
    differing: int
    rate: float | None
    coverage: float
    holdout_support: int
    holdout_differing: int
    holdout_rate: float | None
    measured_rate: float | None
    interval: tuple[float, float]
    expected_rate: float | None
    confirmed: bool | None


def rule_measures(rule: Rule) -> RuleMeasures:
    """Return counts and shares of a rule; NaN becomes None, since JSON has no NaN."""
    return RuleMeasures(
        support=rule.support,
        differing=rule.differing,
        rate=none_for_nan(rule.rate),
        coverage=rule.coverage,
        holdout_support=rule.holdout_support,
        holdout_differing=rule.holdout_differing,
        holdout_rate=none_for_nan(rule.holdout_rate),
        measured_rate=rule.measured_rate,
        interval=rule.interval,
        expected_rate=rule.expected_rate,
        confirmed=rule.confirmed,
    )


def none_for_nan(value: float) -> float | None:
    """Return the number; None for NaN."""
    return None if math.isnan(value) else value


def rule_to_plain(rule: Rule) -> dict[str, Any]:
    """Return a rule as plain values for a JSON file."""
    in_words = {
        "text": languages.rule_text(rule),
        "conditions": [condition.to_plain() for condition in rule.conditions],
        "outcomes": _labels_to_plain(rule.outcomes),
        "other_outcomes": [
            {"outcomes": _labels_to_plain(other.outcomes), "share": other.share}
            for other in rule.other_outcomes
        ],
    }
    names = [name for name in json_names(Rule) if name not in in_words]
    return in_words | {name: to_json(getattr(rule, name)) for name in names}


def _labels_to_plain(labels: tuple[Any, ...]) -> list[Any]:
    return [to_plain(label, "the label") for label in labels]


def _as_column(values: list[Any]) -> pd.Series[Any]:
    try:
        return pd.Series(values)
    except UnicodeEncodeError:  # a lone surrogate, which Arrow cannot store as text
        return pd.Series(values, dtype=object)


#: Columns of a frame of rules if the truth is known.
_TRUTH = ("fixes", "breaks", "net", "both_right", "neither_right")


#: The columns of `RuleSet.to_frame` that a notebook shows.
SHOWN = (
    "rule",
    "outcome",
    "support",
    "differing",
    "rate",
    "coverage",
    "measured_rate",
    "measured_rate_low",
    "measured_rate_high",
    "fixes",
    "breaks",
    "net",
)


@dataclass(frozen=True)
class RuleSet(Displayed, Sequence[Rule]):
    """The rules of a diff; a row is predicted to differ if any rule holds.

    Attributes
    ----------
    rules : tuple of Rule
        A rule set is also a sequence: ``d.rules[0]``, ``d.rules[:3]``, ``d.rules[[0, 2]]``,
        ``for rule in d.rules``.
    names : tuple of two str, or None
        Names of the models, for the text of the rules.
    numbers : tuple of int, or None
        Numbers of the rules in ``d.rules``; None: from 0 on.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> import imd_widget as imd
    >>> age = np.tile(np.arange(20, 70), 8)
    >>> X = pd.DataFrame({"age": age, "job": np.repeat(["cook", "nurse"], 200)})
    >>> old = np.where(X["age"] >= 40, "yes", "no")
    >>> new = np.where(X["job"] == "cook", old, "no")
    >>> rules = imd.diff(old, new, X).rules
    >>> len(rules), int(rules.mask(X).sum())
    (1, 120)
    >>> rules.to_frame()[["rule", "m1", "m2", "support", "rate"]]
                             rule   m1  m2  support  rate
    0  age >= 40 and job is nurse  yes  no      120   1.0
    """

    rules: tuple[Rule, ...]
    names: tuple[str, str] | None = field(default=None, compare=False)
    numbers: tuple[int, ...] | None = field(default=None, compare=False)

    @overload
    def __getitem__(self, index: int) -> Rule: ...
    @overload
    def __getitem__(self, index: slice | list[int]) -> RuleSet: ...
    def __getitem__(self, index: int | slice | list[int]) -> Rule | RuleSet:
        if isinstance(index, slice):
            return RuleSet(self.rules[index], self.names, self._numbers[index])
        try:
            if isinstance(index, list):
                numbers = tuple(self._numbers[number] for number in index)
                return RuleSet(tuple(self.rules[i] for i in index), self.names, numbers)
            return self.rules[index]
        except IndexError:
            raise IndexError(
                f"there is no rule {index}: the diff has {len(self)} rules, numbered from 0. "
                "d.summary() explains why there are no more."
            ) from None

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def where(self, holds: Callable[[Rule], bool]) -> RuleSet:
        """Filter the rules: ``d.rules.where(lambda rule: rule.rate > 0.9)``."""
        kept = [number for number, rule in enumerate(self) if holds(rule)]
        numbers = tuple(self._numbers[number] for number in kept)
        return RuleSet(tuple(self.rules[number] for number in kept), self.names, numbers)

    @property
    def _numbers(self) -> tuple[int, ...]:
        return tuple(range(len(self.rules))) if self.numbers is None else self.numbers

    @property
    def n_predicates(self) -> int:
        """Number of distinct comparisons in all the rules together."""
        return len({p for rule in self for c in rule.conditions for p in c.predicates})

    @property
    def scores(self) -> tuple[PointScore, ...]:
        """The scores that the rules use, in the order of the rules; see the option ``scores``."""
        named = (condition.column for rule in self for condition in rule.conditions)
        return tuple(dict.fromkeys(name for name in named if isinstance(name, PointScore)))

    @property
    def score_sentences(self) -> tuple[str, ...]:
        """The points of each score that the rules use, and what it means, a sentence each."""
        return tuple(score.sentence for score in self.scores)

    def mask(self, X: Any, given: Any = None) -> NDArray[np.bool_]:
        """Return a mask of the rows of ``X`` inside any rule; ``given`` is as in `Rule.mask`."""
        if not self.rules:
            return np.zeros(open_table(X).n_rows, dtype=bool)
        if not self._of_one_diff:
            masks = [rule.mask(X, given) for rule in self]
            return np.asarray(np.any(masks, axis=0))
        boxes = tuple(rule.box for rule in self)
        return replace(self.rules[0]._region, boxes=boxes).any_mask(X, given)

    @property
    def _of_one_diff(self) -> bool:
        """Whether the boxes of all rules are over the same columns."""
        return all(rule._region.columns is self.rules[0]._region.columns for rule in self)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the conditions, with only the values that these name."""
        if not self.rules:
            return ()
        if not self._of_one_diff:
            raise InputError(
                "the rules come from diffs of different tables: save those "
                "of each diff by themselves."
            )
        named: dict[int, set[Hashable]] = {}
        for condition in (condition for rule in self for condition in rule.conditions):
            named.setdefault(condition.position, set()).update(condition.named)
        every = self.rules[0]._region.columns
        return tuple(c.only((), named[c.position]) for c in every if c.position in named)

    def to_query(self) -> str:
        """Return an expression for ``DataFrame.query`` that holds if any rule holds."""
        return languages.any_of((rule.to_query() for rule in self), " or ", languages.QUERY_NEVER)

    def to_sql(self) -> str:
        """Return a condition for SQL's WHERE that holds if any rule holds."""
        return languages.any_of((rule.to_sql() for rule in self), " OR ", languages.SQL_NEVER)

    def to_frame(self) -> pd.DataFrame:
        """Return a table with one row per rule: text, outcomes and measures.

        ``m1`` and ``m2`` are the ``outcomes`` of the rule, ``outcome_share`` is the share of the
        differing rows with exactly these, and ``outcome`` is the title of the rule as text, which
        names further outcomes. ``measured_rate`` is the rate on rows not used to fit, and
        ``measured_rate_low`` and ``measured_rate_high`` are the ends of its 95 % interval;
        ``expected_rate`` is described in `Rule`. For values and probabilities, ``up`` and ``down``
        count the rows on which the output of model 2 is larger and smaller. With
        ``y``, ``fixes`` counts the rows on which only model 2 is right,
        ``breaks`` those on which only model 1 is right, and ``net`` is ``fixes - breaks``; a value
        counts as right within the tolerance. ``measured_net`` is the net on rows not used to fit
        as a share of these rows, ``measured_net_low`` and ``measured_net_high`` are the ends of its
        95 % interval. With ``loss``, ``measured_m1_loss`` and ``measured_m2_loss`` are the means on
        the same rows. ``confirmed`` is described in `Rule`. For values and probabilities,
        ``mean_y`` is the mean of ``y``, ``m1_mae`` and ``m2_mae`` are the mean absolute errors,
        ``m1_rmse`` and ``m2_rmse`` the root mean squared errors.
        """
        columns: dict[str, list[Any]] = {
            "rule": [languages.conditions_text(rule.conditions) for rule in self],
            "m1": [rule.outcomes[0] for rule in self],
            "m2": [rule.outcomes[1] for rule in self],
            "outcome_share": [rule.outcome_share for rule in self],
            "outcome": [str(rule.title) for rule in self],
        }
        for name in ("up", "down"):
            if any(getattr(rule, name) is not None for rule in self):
                columns[name] = [getattr(rule, name) for rule in self]
        for name in RuleMeasures.__annotations__:
            values = [getattr(rule, name) for rule in self]
            if name == "interval":
                columns["measured_rate_low"] = [low for low, _ in values]
                columns["measured_rate_high"] = [high for _, high in values]
            else:
                columns[name] = values
        if any(rule.weight != rule.support for rule in self):
            for name in ("weight", "differing_weight"):
                columns[name] = [getattr(rule, name) for rule in self]
        for prefix in ("", "holdout_"):
            rights = [getattr(rule, f"{prefix}right") for rule in self]
            if any(right is not None and right.known for right in rights):
                for name in _TRUTH:
                    columns[prefix + name] = [getattr(right, name) for right in rights]
            if any(right is not None and right.mean_y is not None for right in rights):
                columns[f"{prefix}mean_y"] = [right.mean_y for right in rights]
                for name, field_name in (("mae", "errors"), ("rmse", "rmse")):
                    pairs = [getattr(right, field_name) or (None, None) for right in rights]
                    columns[f"{prefix}m1_{name}"] = [first for first, _ in pairs]
                    columns[f"{prefix}m2_{name}"] = [second for _, second in pairs]
        judged = [rule.correctness for rule in self]
        if any(right is not None and right.size is not None for right in judged):
            shares = [none_for_nan(right.net_share) if right else None for right in judged]
            ends = [(right and right.net_share_interval) or (None, None) for right in judged]
            columns["measured_net"] = shares
            columns["measured_net_low"] = [low for low, _ in ends]
            columns["measured_net_high"] = [high for _, high in ends]
        losses = [right.losses if right else () for right in judged]
        asked = [next((loss.means for loss in own if loss.asked), None) for own in losses]
        if any(asked):
            columns["measured_m1_loss"] = [means and means[0] for means in asked]
            columns["measured_m2_loss"] = [means and means[1] for means in asked]
        return pd.DataFrame({name: _as_column(values) for name, values in columns.items()})

    def _report(self) -> Report:
        frame = self.to_frame()
        shown = frame[[name for name in SHOWN if name in frame]]
        return Report(self.score_sentences, table=shown)

    def __str__(self) -> str:
        lines = languages.numbered(zip(self._numbers, self.rules, strict=True), self.names)
        return "\n".join([*lines, *self.score_sentences]) or "no rules"
