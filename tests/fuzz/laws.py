"""Laws that hold for every case; each counts how often it had something to check."""

from __future__ import annotations

import math
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray
from tqdm import tqdm

import imd_widget as imd
from imd_widget.comparison.rows import Trace
from imd_widget.data import summaries
from imd_widget.data import table as tables_of
from imd_widget.data.derivation import Derivation
from imd_widget.data.derived import raw_positions
from imd_widget.data.point_score import PointScore
from imd_widget.export.html import contents as page_contents
from imd_widget.models import calling as asking
from imd_widget.rules.conditions import all_hold
from imd_widget.rules.languages import or_none
from imd_widget.views import schema
from imd_widget.views.build import view_of
from imd_widget.views.codec import packed
from tests.fuzz import texts
from tests.fuzz.tables import FRAMES, Case, Reusing, fit
from tests.unit.conformance import departures
from tests.unit.large_tables import cut, diff_frames

Mask = NDArray[np.bool_]
#: Name of the column that numbers the rows of a table in a database.
ROW = "imd_row_number"
#: How far F1 may be off where thresholds are placed on some of the rows only.
F1_APART = 0.1


@dataclass(eq=False)
class Trial:
    """A case on trial: its diff, and what can be said of it without one.

    Attributes
    ----------
    case : Case
    checked : Counter
        How often each law had something to check, and what was refused or could not be tried.
    """

    case: Case
    checked: Counter[str] = field(default_factory=Counter)

    @cached_property
    def X(self) -> Any:
        return self.case.table()

    @cached_property
    def d(self) -> imd.ModelDiff:
        return fit(self.case)

    @cached_property
    def differs(self) -> Mask:
        """For each row, also of a holdout of its own: do the models differ?"""
        said = self.case.outputs
        if said.kind == "class":
            pairs = zip(said.first.tolist(), said.second.tolist(), strict=True)
            return np.array([said.label(one) != said.label(two) for one, two in pairs])
        assert self.d.tolerance is not None
        apart = np.abs(said.first.astype(float) - said.second.astype(float))
        return np.asarray(apart > self.d.tolerance * (1 + 1e-9))

    @cached_property
    def weight(self) -> NDArray[np.float64]:
        """Of each row; 1 for an average row of either table that counts."""
        weight, case = self.case.weight, self.case
        if weight is None:
            return np.ones(len(self.differs))
        weight = weight / weight.max()
        parts = [weight[case.own], weight[case.others]]
        return np.concatenate([p / p[p > 0].mean() if len(p) else p for p in parts])

    @cached_property
    def fitted(self) -> Mask:
        """Rows used to fit."""
        own = np.arange(len(self.differs)) < self.case.n_own
        return own & ~self.aside & (self.weight > 0)

    @cached_property
    def aside(self) -> Mask:
        """Rows kept aside, of the table or of one of its own."""
        case = self.case
        aside = np.zeros(len(self.differs), dtype=bool)
        aside[case.others] = True
        if case.holdout == "share":
            aside[: case.n_own] = self.d.kept_aside
        elif case.holdout == "mask":
            aside[: case.n_own] = case.aside
        return aside & (self.weight > 0)

    def everywhere(self, ask: Callable[[Any], Any]) -> NDArray[Any]:
        """Answers about the rows of the table, then about those of a holdout of its own."""
        parts = [ask(self.X)]
        if len(self.case.others):
            parts.append(ask(self._other_table))
        return np.concatenate(parts)

    @cached_property
    def _other_table(self) -> Any:
        return self.case.table(self.case.others)

    @cached_property
    def masks(self) -> list[Mask]:
        return [self.everywhere(rule.mask) for rule in self.d.rules]

    @cached_property
    def conditions(self) -> list[tuple[int, Any]]:
        """Each condition with the number of its rule."""
        return [(at, c) for at, rule in enumerate(self.d.rules) for c in rule.conditions]


# --- 1: rules, masks and counts ------------------------------------------------------------------


def masks_are_the_prediction(trial: Trial) -> int:
    """Masks are what conditions say of raw values; their union is the prediction, none overlap."""
    for rule, mask in zip(trial.d.rules, trial.masks, strict=True):
        by_conditions = trial.everywhere(partial(all_hold, rule.conditions))
        same(mask, by_conditions, "rule.mask(X)", "its conditions")
    times = np.sum(trial.masks, axis=0) if trial.masks else np.zeros(len(trial.differs))
    assert times.max(initial=0) <= 1, "two rules hold for one row"
    same(trial.everywhere(trial.d.predict), times > 0, "d.predict(X)", "the union of the masks")
    same(trial.everywhere(trial.d.rules.mask), times > 0, "d.rules.mask(X)", "the union")
    return len(trial.masks)


def rules_count_their_rows(trial: Trial) -> int:
    """Every number of a rule is recounted by its mask."""
    same(trial.d.differs, trial.differs[: trial.case.n_own], "d.differs", "a recount")
    total = trial.weight[trial.fitted & trial.differs].sum()
    for rule, mask in zip(trial.d.rules, trial.masks, strict=True):
        for prefix, rows in (("", trial.fitted), ("holdout_", trial.aside)):
            inside, differing = mask & rows, mask & rows & trial.differs
            equal(getattr(rule, f"{prefix}support"), inside.sum(), f"{prefix}support")
            equal(getattr(rule, f"{prefix}differing"), differing.sum(), f"{prefix}differing")
            weights = trial.weight[inside].sum(), trial.weight[differing].sum()
            near(getattr(rule, f"{prefix}weight"), weights[0], f"{prefix}weight")
            near(
                getattr(rule, f"{prefix}differing_weight"), weights[1], f"{prefix}differing_weight"
            )
            rate = weights[1] / weights[0] if weights[0] else float("nan")
            near(getattr(rule, f"{prefix}rate"), rate, f"{prefix}rate")
            _check_right(trial, getattr(rule, f"{prefix}right"), inside, f"rule.{prefix}right")
        inside = mask & trial.fitted
        if total:
            near(rule.coverage, trial.weight[inside & trial.differs].sum() / total, "coverage")
        _check_outcomes(trial, rule, inside)
    return len(trial.masks)


def _check_outcomes(trial: Trial, rule: Any, inside: Mask) -> None:
    """What a rule says that the models say."""
    said, weight = trial.case.outputs, trial.weight
    differing = inside & trial.differs
    if said.kind == "class":
        pairs: Counter[Any] = Counter()
        for row in np.flatnonzero(differing):
            pairs[said.label(said.first[row]), said.label(said.second[row])] += weight[row]
        listed = [(rule.outcomes, rule.outcome_share)]
        listed += [(other.outcomes, other.share) for other in rule.other_outcomes]
        for (one, two), share in listed:
            if pairs:
                own = pairs[said.label(one), said.label(two)] / sum(pairs.values())
                near(share, own, f"share of {one!r} -> {two!r}")
        return
    if not weight[inside].sum():
        return
    for outcome, own in zip(rule.outcomes, (said.first, said.second), strict=True):
        values = own[inside].astype(float)
        size = max(np.abs(own[: trial.case.n_own].astype(float)).max(), 1e-300)
        mean = np.average(values / size, weights=weight[inside])
        assert abs(outcome / size - mean) < 1e-6, f"mean {outcome}, recounted {mean * size}"
    way = said.second.astype(float) > said.first.astype(float)
    near(rule.up, weight[differing & way].sum(), "up")
    near(rule.down, weight[differing & ~way].sum(), "down")


def _check_right(trial: Trial, right: Any, rows: Mask, what: str) -> None:
    """Who is right about these rows."""
    said = trial.case.outputs
    if said.truth is None:
        assert right is None, f"{what} without a truth"
        return
    known = rows & ~pd.isna(said.truth)
    weight = trial.weight
    one, two = (_is_right(trial, own) for own in (said.first, said.second))
    for name, wanted in (
        ("both", one & two),
        ("first", one & ~two),
        ("second", two & ~one),
        ("neither", ~one & ~two),
    ):
        near(getattr(right, name), weight[known & wanted].sum(), f"{what}.{name}")
    near(right.unknown, weight[rows & ~known].sum(), f"{what}.unknown")


def _is_right(trial: Trial, own: NDArray[Any]) -> Mask:
    said = trial.case.outputs
    assert said.truth is not None
    if said.kind == "class":
        pairs = zip(own.tolist(), said.truth.tolist(), strict=True)
        return np.array([y is not None and said.label(v) == said.label(y) for v, y in pairs])
    with np.errstate(invalid="ignore"):
        if said.kind == "proba":
            return np.asarray((own > 0.5) == (said.truth == 1))
        assert trial.d.tolerance is not None
        apart = np.abs(own - said.truth)
        return np.asarray(apart <= trial.d.tolerance * (1 + 1e-9))


# --- 2: texts, queries and SQL -------------------------------------------------------------------


def texts_mean_the_mask(trial: Trial) -> int:
    """Every condition, read from its text and held against the values, selects its rows."""
    case, checked = trial.case, 0
    table = tables_of.open_table(trial.X)
    for _, condition in trial.conditions:
        if isinstance(condition.column, PointScore):
            scores = naive_scores(case, condition.column)
            inside = texts.scores_inside(str(condition), str(condition.column), scores)
            same(condition.mask(table), inside, str(condition), "its text read")
            trial.checked["texts about scores"] += 1
            checked += 1
            continue
        [at] = places(condition)
        column = case.columns[at]
        name = str(column.name)
        if not condition.unique:
            name += f" (column {at + 1})"
        if isinstance(condition.column, Derivation):
            derived, values = condition.column, table.get(at)
            if derived.of_text:
                inside = texts.texts_inside(str(condition), name, values.tolist())
            else:
                inside = texts.dates_inside(str(condition), name, values, derived.zone)
            same(condition.mask(table), inside, str(condition), "its text read")
            trial.checked[f"texts about {'texts' if derived.of_text else 'parts of dates'}"] += 1
            checked += 1
            continue
        if not column.kind.readable:
            trial.checked["texts not readable"] += 1
            continue
        values = [column.values[row] for row in case.own]
        readings = texts.rows_inside(str(condition), name, column, values)
        assert readings, f"{str(condition)!r} cannot be read"
        if len(readings) > 1:
            trial.checked["texts with two meanings"] += 1
            continue
        same(condition.mask(table), np.array(readings[0]), str(condition), "its text read")
        checked += 1
    for rule, text in zip(trial.d.rules, trial.d.rules.to_frame()["rule"], strict=True):
        parts = list(map(str, rule.conditions))
        if len(parts) > 1:
            parts = [f"({part})" if _has_alternatives(part) else part for part in parts]
        equal(text, " and ".join(parts) or "always", "the text of a rule")
        assert str(rule).startswith(f"{text}: "), f"{str(rule)!r} does not begin with {text!r}"
    return checked


def _has_alternatives(text: str) -> bool:
    negations = ("not", "none of", "contains", "does not contain", "has")
    return text.endswith(" or missing") or any(
        f" is missing or {negation} " in text for negation in negations
    )


def queries_mean_the_mask(trial: Trial) -> int:
    """A pandas query selects the rows of the mask, or it is refused."""
    if trial.case.library != "pandas":
        return 0
    frame, checked = trial.X.reset_index(drop=True), 0
    for rule in [*trial.d.rules, trial.d.rules]:
        query = or_refused(trial, rule.to_query, "queries refused")
        if query is None or _is_beyond_pandas(trial, rule):
            continue
        found = np.zeros(len(frame), dtype=bool)
        found[frame.query(query).index] = True
        same(found, rule.mask(trial.X), f"the query {query!r}", "the mask")
        checked += 1
    return checked


def _is_beyond_pandas(trial: Trial, rule: imd.Rule | imd.RuleSet) -> bool:
    """Whether pandas itself cannot answer: no query could do better.

    It takes no rows of big-endian columns, and joins no answers about Arrow columns with those
    about nullable ones.
    """
    columns = [trial.case.columns[at] for at in _spoken_of(rule)]
    dtypes = [trial.X.iloc[:, at].dtype for at in _spoken_of(rule)]
    with_gaps = [
        type(dtype)
        for dtype, column in zip(dtypes, columns, strict=True)
        if any(column.values[row] is None for row in trial.case.own)
    ]
    arrow = pd.ArrowDtype in with_gaps
    nullable = any(issubclass(own, pd.core.dtypes.dtypes.BaseMaskedDtype) for own in with_gaps)
    beyond = any(not column.kind.query for column in trial.case.columns) or (arrow and nullable)
    trial.checked["queries not tried: beyond pandas"] += beyond
    return beyond


def sql_means_the_mask(trial: Trial) -> int:
    """SQL selects the rows of the mask in DuckDB, whatever zone its session has."""
    zones = trial.case.zones
    if not any(column.kind.zoned for column in trial.case.columns):
        zones = zones[:1]
    if trial.case.library == "numpy":
        return 0
    checked = 0
    for zone in zones:
        for rule in [*trial.d.rules, trial.d.rules]:
            where = or_refused(trial, rule.to_sql, "SQL refused")
            if where is None or _is_read_otherwise(trial, rule):
                continue
            rows = _rows_by_sql(trial, rule, where, zone)
            if rows is None:
                trial.checked["SQL not tried: DuckDB cannot read the table"] += 1
                continue
            same(rows, rule.mask(trial.X), f"the SQL {where!r} in {zone}", "the mask")
            checked += 1
    return checked


def _spoken_of(rule: imd.Rule | imd.RuleSet) -> list[int]:
    """Places of the columns that a rule, or a set of them, speaks of."""
    rules = rule if isinstance(rule, imd.RuleSet) else [rule]
    return sorted({at for own in rules for c in own.conditions for at in places(c)})


def places(condition: Any) -> tuple[int, ...]:
    """The places, in the table, of the columns that a condition is about or is derived from."""
    return raw_positions(condition.column, condition.position)


def naive_scores(case: Case, score: PointScore) -> list[int]:
    """The score of each row of the table, added up item by item."""
    totals = []
    for row in case.own:
        total = score.constant + 0.5
        for item in score.items:
            column = case.columns[item.at]
            value = column.values[row]
            if item.of_level:
                total += item.points if value is not None and value == item.level else 0
            else:
                total += (item.missing if value is None else float(value)) * item.factor
        totals.append(math.floor(total))
    return totals


def _is_read_otherwise(trial: Trial, rule: imd.Rule | imd.RuleSet) -> bool:
    """Whether a database takes a column for something else: objects for text."""
    kinds = [trial.case.columns[at].kind for at in _spoken_of(rule)]
    found = any(not kind.sql for kind in kinds)
    trial.checked["SQL not tried: read otherwise"] += found
    return found


def _rows_by_sql(trial: Trial, rule: imd.Rule | imd.RuleSet, where: str, zone: str) -> Mask | None:
    """The rows that a database selects; None where it cannot hold the table."""
    columns = trial.case.columns
    known = [at for at, own in enumerate(columns) if "\0" not in str(own.name)]
    for positions in (known, _spoken_of(rule)):
        table = _numbered(trial, positions)
        with duckdb.connect(config={"threads": 1}) as connection:
            connection.execute(f"SET TimeZone = '{zone}'")
            try:  # only what the database itself makes of the table
                connection.register("t", table)
                connection.execute("CREATE TABLE held AS SELECT * FROM t")
            except Exception:
                continue
            for source in ("t", "held"):
                found = connection.execute(f'SELECT "{ROW}" FROM {source} WHERE {where}')
                inside = np.zeros(trial.case.n_own, dtype=bool)
                inside[[row for (row,) in found.fetchall()]] = True
                if source == "t":
                    first = inside
            same(inside, first, "SQL about a table", "SQL about the registered one")
            return inside
    return None


def _numbered(trial: Trial, positions: list[int]) -> Any:
    """Some columns of the table, and the numbers of its rows."""
    numbers = np.arange(trial.case.n_own)
    if trial.case.library == "pandas":
        frame = trial.X.iloc[:, positions].reset_index(drop=True)
        names = [*frame.columns, ROW]
        frame = pd.concat([frame, pd.Series(numbers)], axis=1)
        return frame.set_axis(pd.Index(names, dtype=object, tupleize_cols=False), axis=1)
    if trial.case.library == "polars":
        own = [trial.X.to_series(at) for at in positions]
        return pl.DataFrame([*own, pl.Series(ROW, numbers)])
    return trial.X.select(positions).append_column(ROW, pa.array(numbers))


def or_refused(trial: Trial, write: Callable[[], str], what: str) -> str | None:
    """What is said in a language; None where it is refused, with a way out."""
    try:
        return write()
    except imd.InputError as error:
        if "rule.mask(X)" not in str(error):
            raise
        trial.checked[what] += 1
        return None


# --- 3: order ------------------------------------------------------------------------------------


def order_does_not_matter(trial: Trial) -> int:
    """A permutation of the rows gives the same rules, where all rows are looked at."""
    case = trial.case
    if case.subsampled:
        return 0
    order = np.random.default_rng(case.seed).permutation(case.n_own)
    changes = {} if case.holdout in ("table", "mask") else {"test_size": 0}
    one, two = fit(case, **changes), fit(case, order, **changes)
    equal(contents(two), contents(one), "the rules of a permutation")
    return len(one.rules)


def order_matters_little(trial: Trial) -> int:
    """Where some rows are looked at only, a permutation finds as much, whatever the rhythm."""
    case = trial.case
    if not case.subsampled:
        return 0
    order = np.random.default_rng(case.seed).permutation(case.n_own)
    one, two = trial.d, fit(case, order)
    scores = [_f1(trial, own.predict(trial.X)) for own in (one, two)]
    assert abs(scores[0] - scores[1]) <= F1_APART, f"F1 {scores[0]:.2f}, permuted {scores[1]:.2f}"
    assert min(scores) > 0.8, f"F1 {scores[0]:.2f} and {scores[1]:.2f} of what a tree can say"
    return 1


def _f1(trial: Trial, claimed: Mask) -> float:
    differs = trial.differs[: trial.case.n_own]
    return float(2 * (claimed & differs).sum() / max(claimed.sum() + differs.sum(), 1))


# --- 4: models and measures ----------------------------------------------------------------------


def swapped_models_predict_the_same(trial: Trial) -> int:
    one, two = trial.case.models()
    swapped = fit(trial.case, models=(two, one))
    same(swapped.predict(trial.X), trial.d.predict(trial.X), "swapped models", "the models")
    return len(trial.d.rules)


def equal_models_have_no_rule(trial: Trial) -> int:
    one, _ = trial.case.models()
    d = fit(trial.case, models=(one, one))
    assert not len(d.rules), f"equal models have the rule {d.rules[0]}"
    equal((d.metrics.n_differing, d.metrics.f1), (0, 1), "measures of equal models")
    return 1


def measures_are_recounted(trial: Trial) -> int:
    """Every measure, by hand."""
    case, metrics, weight, differs = trial.case, trial.d.metrics, trial.weight, trial.differs
    own = (np.arange(len(differs)) < case.n_own) & (weight > 0)
    equal(metrics.n_rows, own.sum(), "n_rows")
    equal(metrics.n_differing, (own & differs).sum(), "n_differing")
    near(metrics.disagreement, weight[own & differs].sum() / weight[own].sum(), "disagreement")
    equal(metrics.n_rules, len(trial.d.rules), "n_rules")
    asked = {p for rule in trial.d.rules for c in rule.conditions for p in c.predicates}
    equal(metrics.n_predicates, len(asked), "n_predicates")
    equal(metrics.on_holdout, bool(trial.aside.any()), "on_holdout")
    rows = trial.aside if trial.aside.any() else trial.fitted
    equal(metrics.measured_rows, rows.sum(), "measured_rows")
    equal(metrics.measured_differing, (rows & differs).sum(), "measured_differing")
    _check_right(trial, trial.d.right, own, "d.right")
    _check_right(trial, trial.d.holdout_right, trial.aside, "d.holdout_right")
    for share, interval in (
        (metrics.precision, metrics.precision_interval),
        (metrics.recall, metrics.recall_interval),
    ):
        assert interval is not None
        assert 0 <= interval[0] <= share <= interval[1] <= 1, f"{share} in {interval}"
    if metrics.measured_by == "cv":  # by rules that are not those of the diff: test_cross_fit
        return 1
    claimed = np.any(trial.masks, axis=0) if trial.masks else np.zeros(len(rows), dtype=bool)
    equal(metrics.measured_claimed, (rows & claimed).sum(), "measured_claimed")

    def total(chosen: Mask) -> float:
        return float(weight[rows & chosen].sum())

    both = total(claimed & differs)
    precision = both / total(claimed) if total(claimed) else float(not total(differs))
    recall = both / total(differs) if total(differs) else 1.0
    near(metrics.precision, precision, "precision")
    near(metrics.recall, recall, "recall")
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    near(metrics.f1, f1, "f1")
    near(
        metrics.measured_disagreement, total(differs) / weight[rows].sum(), "measured_disagreement"
    )
    _check_fidelity(trial, rows)
    return 1


def _check_fidelity(trial: Trial, rows: Mask) -> None:
    said = trial.case.outputs
    surrogates = trial.everywhere(trial.d.tree.predict)
    for at, own in enumerate((said.first, said.second)):
        if said.kind == "class":
            pairs = zip(own.tolist(), surrogates[:, at].tolist(), strict=True)
            alike = np.array([said.label(one) == said.label(two) for one, two in pairs])
            share = trial.weight[rows & alike].sum() / trial.weight[rows].sum()
            near(trial.d.metrics.fidelity[at], share, f"fidelity[{at}]")
            continue
        size = np.abs(own).max()
        if size < 1e-290:  # squares and quotients of such numbers mean nothing
            continue
        values, guess = own.astype(float)[rows] / size, surrogates[rows, at].astype(float) / size
        weight = trial.weight[rows]
        spread = np.average((values - np.average(values, weights=weight)) ** 2, weights=weight)
        left = np.average((values - guess) ** 2, weights=weight)
        if spread > 1e-9:
            assert abs(trial.d.metrics.fidelity[at] - (1 - left / spread)) < 1e-3 * (
                1 + left / spread
            ), f"fidelity {trial.d.metrics.fidelity[at]}, recounted {1 - left / spread}"


# --- 5: files ------------------------------------------------------------------------------------


def files_come_back(trial: Trial) -> int:
    """A saved diff is read again: the same rules, texts and predictions."""
    case = trial.case
    with tempfile.TemporaryDirectory() as folder:
        path = trial.d.save(Path(folder) / "d.json")
        again = imd.load(path)
        equal(list(map(str, again.rules)), list(map(str, trial.d.rules)), "the rules of the file")
        equal(again.summary(), trial.d.summary(), "the headline of the file")
        same(again.predict(trial.X), trial.d.predict(trial.X), "the file's prediction", "its own")
        same(again.rules.mask(trial.X), trial.d.rules.mask(trial.X), "the file's masks", "its own")
        for mine, other in zip(trial.d.rules, again.rules, strict=True):
            equal(said_in(other), said_in(mine), "query and SQL of a rule of the file")
        if case.seed % 6 == 0 and case.n_own < 5000:
            if all(column.kind.listed for column in case.columns):
                trial.d.save(Path(folder) / "d.html", rows=20)
            for suffix in ("html", "md", "csv", "svg"):
                written = trial.d.save(Path(folder) / f"d.{suffix}").read_text(encoding="utf-8")
                assert written, f"an empty {suffix}"
                trial.checked[f"files: {suffix}"] += 1
    return len(trial.d.rules)


def said_in(rule: Any) -> list[str | None]:
    return [or_none(rule.to_query), or_none(rule.to_sql)]


# --- 6: libraries --------------------------------------------------------------------------------


def libraries_agree(trial: Trial) -> int:
    """The same table of pandas, polars and pyarrow gives the same rules."""
    case = trial.case
    if case.library not in FRAMES:
        return 0
    checked = 0
    texts_of = all(isinstance(column.name, str) for column in case.columns)
    if not texts_of or len({column.name for column in case.columns}) < len(case.columns):
        return 0
    for library in FRAMES:
        kept = all(library in column.kind.stores for column in case.columns)
        if library == case.library or not kept:
            continue
        other = fit(case, library=library)
        equal(list(map(str, other.rules)), list(map(str, trial.d.rules)), f"rules in {library}")
        table = case.table(library=library)
        same(other.predict(table), trial.d.predict(trial.X), f"prediction in {library}", "here")
        same(other.rules.mask(table), trial.d.rules.mask(trial.X), f"masks in {library}", "here")
        same(trial.d.predict(table), other.predict(table), f"this diff on {library}", "its own")
        checked += len(other.rules)
    return checked


def partitions_agree(trial: Trial) -> int:
    """The same rows in partitions, some of them empty, give the same view to the bit."""
    case = trial.case
    names = [column.name for column in case.columns]
    options = case.arguments()
    truth, weight = options.pop("y", None), options.pop("sample_weight", None)
    impossible = ("holdout", "groups", "by", "augment", "feature_names")
    if (
        case.library != "pandas"
        or len(set(names)) < len(names)
        or not all(isinstance(name, str) for name in names)
        or any(options.pop(name, None) is not None for name in impossible)
        or options.get("max_bins", 255) is None
        or options.get("subsample", 1) is None
        or case.outputs.first.ndim > 1
    ):
        return 0
    options.pop("scores", None)
    options.pop("sets", None)
    frame = trial.X.reset_index(drop=True)
    roles = {"m1": ("out 1", case.outputs.first), "m2": ("out 2", case.outputs.second)}
    roles |= {"y": ("truth", truth)} if truth is not None else {}
    roles |= {"sample_weight": ("weight", weight)} if weight is not None else {}
    for name, values in roles.values():
        frame[name] = np.asarray(values)[: case.n_own]
    rng = np.random.default_rng(case.seed)
    edges = rng.integers(0, case.n_own + 1, 3).tolist()
    common = options | {"names": ("out 1", "out 2"), "measure": "holdout"}
    m1, m2 = case.outputs.first[: case.n_own], case.outputs.second[: case.n_own]
    wanted = imd.diff(m1, m2, trial.X, y=truth, sample_weight=weight, **common)
    if any(one.value == "margins" for one in wanted.suggestions):
        return 0  # how sure the models are is not known of partitions
    columns = {argument: name for argument, (name, _) in roles.items()}
    found = diff_frames(cut(frame, edges), columns, **common)
    equal(found.to_dict(), wanted.to_dict(), "the view of partitions")
    return len(found.rules)


def objects_are_the_same_values(trial: Trial) -> int:
    """New rows of Python's own values lie in the same rules as the rows of the table."""
    case = trial.case
    if case.library == "numpy" or any(column.kind.own_objects for column in case.columns):
        return 0
    columns = [pd.Series([c.values[row] for row in case.own], dtype=object) for c in case.columns]
    names = pd.Index([c.name for c in case.columns], dtype=object, tupleize_cols=False)
    frame = pd.concat(columns, axis=1).set_axis(names, axis=1)
    same(trial.d.predict(frame), trial.d.predict(trial.X), "prediction of objects", "of the table")
    same(trial.d.rules.mask(frame), trial.d.rules.mask(trial.X), "masks of objects", "of the table")
    return len(trial.d.rules)


# --- 7: models that are asked --------------------------------------------------------------------


def buffers_may_be_reused(trial: Trial) -> int:
    """Models that write all their answers into one buffer are compared as their copies are."""
    case, said = trial.case, trial.case.outputs
    if said.form == "two columns":
        return 0
    dtype = np.result_type(said.first, said.second) if said.kind != "class" else object
    if said.kind == "class" and said.first.dtype == said.second.dtype:
        dtype = said.first.dtype
    buffer = np.empty(len(said.first), dtype=dtype)
    one, two = (Reusing(own, case.own, case.others, buffer) for own in (said.first, said.second))
    batches = case.library == "pandas" and case.n_own <= 300
    with asked_in_batches() if batches else nullcontext():
        reused = fit(case, models=(one, two), names=trial.d.names)
    trial.checked["buffers: asked in batches"] += min(one.asked, two.asked) > 3
    equal(contents(reused), contents(trial.d), "the rules of models that reuse a buffer")
    equal(reused.metrics.n_differing, trial.d.metrics.n_differing, "n_differing")
    return len(trial.d.rules)


def asked_at_once() -> Any:
    """However many rows there are."""
    return mock.patch.object(asking, "MANY_ROWS", 10**9)


@contextmanager
def asked_in_batches() -> Iterator[None]:
    """Models count as slow, so that they are asked a few rows at a time."""
    with (
        mock.patch.object(asking, "MANY_ROWS", 10),
        mock.patch.object(asking, "PROBE_SHARE", 0.2),
        mock.patch.object(asking, "SLOW", -1.0),
        mock.patch.object(asking, "BATCH_SECONDS", 1e-9),
        mock.patch("tqdm.auto.tqdm", partial(tqdm, disable=True)),
    ):
        yield


def every_rule_has_a_differing_row(trial: Trial) -> int:
    if trial.case.options["method"] != "calibrated":
        return 0
    for rule in trial.d.rules:
        assert rule.differing > 0, f"no row differs: {rule}"
    return len(trial.d.rules)


def views_have_the_types_of_the_schema(trial: Trial) -> int:
    """Whatever the table holds, the front-end gets what js/protocol/schema.ts says."""
    view = view_of(trial.d)
    equal(departures(view, schema.DiffView), [], "departures of the view from the schema")
    equal(departures(packed(view), schema.PackedView), [], "departures of the packed view")
    page = page_contents(trial.d, (), refinements=1, rows=5)
    equal(departures(page, schema.PageContents), [], "departures of a page from the schema")
    equal(departures(trial.d.trace(0), Trace), [], "departures of a trace from the schema")
    return len(view.nodes)


LAWS: tuple[Callable[[Trial], int], ...] = (
    masks_are_the_prediction,
    rules_count_their_rows,
    texts_mean_the_mask,
    queries_mean_the_mask,
    sql_means_the_mask,
    order_does_not_matter,
    order_matters_little,
    swapped_models_predict_the_same,
    equal_models_have_no_rule,
    measures_are_recounted,
    files_come_back,
    libraries_agree,
    partitions_agree,
    objects_are_the_same_values,
    buffers_may_be_reused,
    every_rule_has_a_differing_row,
    views_have_the_types_of_the_schema,
)


# --- trying --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Failure:
    """A law that does not hold for a case."""

    case: Case
    law: str
    error: BaseException

    def __str__(self) -> str:
        lines = str(self.error).strip().splitlines() or [""]
        return (
            f"seed {self.case.seed}: {self.law}: {type(self.error).__name__}: {lines[0][:600]}\n"
            f"  {self.case}\n"
        )


def tried(
    case: Case, checked: Counter[str], laws: Sequence[Callable[[Trial], int]] = LAWS
) -> list[Failure]:
    """The laws that do not hold for a case."""
    trial = Trial(case)
    failures = []
    with surroundings(case):
        try:
            conditional = any(rule.conditions for rule in trial.d.rules)
        except Exception as error:
            return [Failure(case, "a diff is made", error)]
        for law in laws:
            try:
                checked[law.__name__] += law(trial)
            except Exception as error:
                failures.append(Failure(case, law.__name__, error))
    checked["cases"] += 1
    checked["cases with a condition"] += conditional
    for _, condition in trial.conditions:
        for at in places(condition):
            checked[f"kind: {case.columns[at].kind.name}"] += 1
    checked.update(trial.checked)
    return failures


@contextmanager
def surroundings(case: Case) -> Iterator[None]:
    """The limits of the case hold, no clock decides, and warnings but our own are errors."""
    most = case.max_categories or summaries.MAX_CATEGORIES
    limit = mock.patch.object(summaries, "MAX_CATEGORIES", most)
    with warnings.catch_warnings(), limit, asked_at_once():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", imd.InputWarning)
        yield


def shrunk(failure: Failure) -> Failure:
    """The same law broken by a case of fewer columns and rows, where that is quickly found."""

    def again(case: Case) -> Failure | None:
        try:
            found = [own for own in tried(case, Counter()) if own.law == failure.law]
        except Exception:  # a case that cannot be made
            return None
        alike = [own for own in found if type(own.error) is type(failure.error)]
        return alike[0] if alike else None

    best = failure
    for at in reversed(range(len(failure.case.columns))):
        if len(best.case.columns) > 1:
            best = again(best.case.without_column(at)) or best
    for _ in range(12):
        smaller = again(best.case.only_rows(np.arange(best.case.n_own // 2)))
        if smaller is None:
            break
        best = smaller
    return best


# --- comparing -----------------------------------------------------------------------------------


def contents(d: imd.ModelDiff) -> list[Any]:
    """What the rules say, without the order in which the tree happens to ask."""
    return sorted(
        (sorted(map(str, rule.conditions)), list(map(str, rule.said)), rule.support, rule.differing)
        for rule in d.rules
    )


def same(found: Mask, wanted: Mask, what: str, other: str) -> None:
    """Whether two masks select the same rows."""
    found, wanted = np.asarray(found, dtype=bool), np.asarray(wanted, dtype=bool)
    if found.shape == wanted.shape and (found == wanted).all():
        return
    first: Any = "?"
    if found.shape == wanted.shape:
        first = int(np.flatnonzero(found != wanted)[0])
    raise AssertionError(
        f"{what} selects {found.sum()} rows, {other} {wanted.sum()}; first at row {first}"
    )


def equal(found: Any, wanted: Any, what: str) -> None:
    assert found == wanted, f"{what}: {found!r}, expected {wanted!r}"


def near(found: float, wanted: float, what: str) -> None:
    both_nan = np.isnan(found) and np.isnan(wanted)
    close = abs(found - wanted) <= 1e-6 * max(abs(wanted), 1e-3)
    assert both_nan or close, f"{what}: {found!r}, recounted {wanted!r}"
