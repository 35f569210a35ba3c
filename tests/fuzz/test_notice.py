"""Each law notices the defect that it is there for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

import numpy as np
import pytest

import imd_widget as imd
from imd_widget.comparison import diff_rows as findings
from imd_widget.comparison import metrics
from imd_widget.data import columns, summaries, table
from imd_widget.data.columns import OrderedColumn
from imd_widget.models import calling as asking
from imd_widget.rules import conditions, languages
from imd_widget.rules.rule import Rule
from imd_widget.views import build
from tests.fuzz import laws
from tests.fuzz.tables import case_of

Patch = Callable[[], Any]
real_diff, real_rules, real_load = imd.diff, findings.rules_from, columns.from_plain
real_column, real_query = table.narwhals_column, languages._query_literal


def lopsided(m1: Any, m2: Any, X: Any, **options: Any) -> imd.ModelDiff:
    """Looks less closely where the first model comes last."""
    d = real_diff(m1, m2, X, **options)
    one, two = (d.predictions.iloc[:, at].astype(str).tolist() for at in (0, 1))
    return d.change(max_depth=1) if one > two else d


def suspicious(m1: Any, m2: Any, X: Any, **options: Any) -> imd.ModelDiff:
    """Finds a difference where there is none."""
    if m1 is m2 and isinstance(m1, np.ndarray):
        m2 = m1[::-1]
    return real_diff(m1, m2, X, **options)


def without_differing(*given: Any) -> list[tuple[Rule, Any]]:
    return [(replace(rule, differing=0), region) for rule, region in real_rules(*given)]


def every_kth(rows: Any, numbers: Any, most: int) -> Any:
    return rows[:: -(-len(rows) // most)]


def first_half(self: Any, missing: Any) -> Any:
    return self.chosen[: len(self.chosen) // 2], self.n_fit


def as_floats(frame: Any, position: int) -> Any:
    read = real_column(frame, position)
    whole = getattr(read.series.dtype, "kind", "O") in "iu"
    return replace(read, series=read.series.astype("Float64")) if whole else read


def rounded(plain: Any) -> Any:
    value = real_load(plain)
    return float(round(value)) if isinstance(value, float) else value


def at_most(condition: Any, name: str) -> str:
    return f"{name} < {languages.value_text(condition.high or condition.low)}"


def naive(column: Any, cut: int) -> Any:
    bound = real_bound(column, cut)
    return bound.tz_localize(None) if getattr(bound, "tz", None) is not None else bound


real_bound = OrderedColumn.bound


@contextmanager
def each_alone() -> Iterator[None]:
    """Names that differ in case are told apart, as SQL does not."""
    real = OrderedColumn.__init__

    def init(self: Any, *args: Any, **named: Any) -> None:
        real(self, *args, **named | {"unique_in_sql": True})

    with mock.patch.object(OrderedColumn, "__init__", init):
        yield


def patch(owner: Any, name: str, new: Any) -> Patch:
    return lambda: mock.patch.object(owner, name, new)


@pytest.mark.parametrize(
    "law, defect, kind",
    [
        (
            laws.masks_are_the_prediction,
            patch(conditions, "_reaches", lambda raw, bound: raw > bound),
            "int64",
        ),
        (laws.rules_count_their_rows, patch(Rule, "rate", 0.123), None),
        (laws.texts_mean_the_mask, patch(languages, "_interval_text", at_most), "float64"),
        (laws.queries_mean_the_mask, patch(languages, "_query_literal", lambda v: "0"), "float64"),
        (laws.queries_mean_the_mask, patch(languages, "_NO_QUERY", {}), "Decimal"),
        (laws.queries_mean_the_mask, patch(languages, "_NO_QUERY", {}), "dates"),
        (laws.sql_means_the_mask, patch(languages, "_exact_text", lambda v: "0"), "float64"),
        (laws.sql_means_the_mask, patch(languages, "_NO_SQL", {}), "text and numbers"),
        (laws.sql_means_the_mask, patch(OrderedColumn, "bound", naive), "zoned"),
        (laws.sql_means_the_mask, each_alone, "int64"),
        (
            laws.order_does_not_matter,
            patch(summaries.ChunkRows, "candidates", first_half),
            "float64",
        ),
        (laws.order_matters_little, patch(summaries, "sampled", every_kth), None),
        (laws.swapped_models_predict_the_same, patch(imd, "diff", lopsided), None),
        (laws.equal_models_have_no_rule, patch(imd, "diff", suspicious), None),
        (laws.measures_are_recounted, patch(metrics.Confusion, "precision", 1.0), None),
        (laws.files_come_back, patch(columns, "from_plain", rounded), "float64"),
        (laws.libraries_agree, patch(table, "narwhals_column", as_floats), "big Int64"),
        (laws.buffers_may_be_reused, patch(asking, "copied", lambda given: given), None),
        (
            laws.every_rule_has_a_differing_row,
            patch(findings, "rules_from", without_differing),
            None,
        ),
        (laws.views_have_the_types_of_the_schema, patch(build, "_edge", lambda *_: 7), None),
    ],
    ids=lambda value: getattr(value, "__name__", None) if callable(value) else value,
)
def test_a_law_notices(law: Callable[[laws.Trial], int], defect: Patch, kind: str | None) -> None:
    for seed in range(100):
        case = case_of(seed, kind)
        if law is laws.order_matters_little and not case.subsampled:
            continue
        if defect is each_alone and "Age" not in [column.name for column in case.columns]:
            continue
        with defect():
            failures = laws.tried(case, Counter(), [law])
        if failures:
            # it is the defect that is noticed, and nothing else
            assert not laws.tried(case, Counter(), [law])
            return
    raise AssertionError("no case shows the defect")
