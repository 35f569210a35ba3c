"""The rules of a diff as a file for pytest, which needs neither imd-widget nor the models."""

from __future__ import annotations

from pprint import pformat
from typing import Any

from imd_widget._base.intervals import UNKNOWN, wilson
from imd_widget._base.version import __version__
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.remeasuring import OUTSIDE, regions_of
from imd_widget.rules.languages import conditions_text, or_none
from imd_widget.rules.rule import Rule

#: The file; names in braces are replaced by literals of Python.
TEMPLATE = '''\
"""Tests of where two models differ; written by imd-widget {version}.

The environment variable SCORED names a file (.csv, .jsonl or .parquet; default: scored.csv). It
holds the outputs of both models in the columns OLD and NEW, and the columns that the rules use. To
pass a table instead, delete the fixture `scored` below and define one in conftest.py.

A test fails if the rows contradict what was measured on {n_rows:,} rows. By chance, this happens in
about one of 100 runs of the whole file.
"""

import os

import pandas as pd
import pytest
from scipy.stats import binom

OLD, NEW = {names}
#: Two outputs differ if they are further apart than this; None: if they are not equal.
TOLERANCE = {tolerance}
#: Whether the tolerance is a share of the larger output.
RELATIVE = {relative}
#: Different labels of both models that count as the same.
ALIKE = {alike}
#: Each rule as a pandas query; the 95 % interval of the share of rows that differ; the outputs of
#: both models on differing rows, and the lowest share of these rows that should have them.
RULES = {rules}
#: The highest share of the other rows that should differ; None if it is not known.
OUTSIDE = {outside}
LEVEL = 0.01 / (2 * len(RULES) + 1)


@pytest.fixture(scope="module")
def scored():
    path = os.environ.get("SCORED", "scored.csv")
    if path.endswith(".parquet"):
        return pd.read_parquet(path)
    return pd.read_json(path, lines=True) if path.endswith(".jsonl") else pd.read_csv(path)


def differs(rows):
    old, new = rows[OLD], rows[NEW]
    if TOLERANCE is None:
        both = pd.Series(list(zip(old.map(str), new.map(str))), index=rows.index, dtype=object)
        return (old.map(str) != new.map(str)) & ~both.isin(ALIKE)
    limit = TOLERANCE * old.abs().combine(new.abs(), max) if RELATIVE else TOLERANCE
    return (old - new).abs() > limit


def is_unlikely(count, n, low, high):
    """Whether so few, or so many, of n rows contradict a share between low and high."""
    return binom.cdf(count, n, low) < LEVEL or binom.sf(count - 1, n, high) < LEVEL


@pytest.mark.parametrize("rule", RULES, ids=[rule["text"] for rule in RULES])
def test_models_differ_inside_the_rule_as_before(scored, rule):
    rows = scored.query(rule["query"])
    count, n = int(differs(rows).sum()), len(rows)
    low, high = rule["interval"]
    assert not is_unlikely(count, n, low, high), f"{{count}} of {{n}} rows differ"


@pytest.mark.parametrize("rule", RULES, ids=[rule["text"] for rule in RULES])
def test_outputs_inside_the_rule_are_as_before(scored, rule):
    rows = scored.query(rule["query"])
    rows = rows[differs(rows)]
    if rule["said"] in ("up", "down"):
        as_before = (rows[NEW] > rows[OLD]) == (rule["said"] == "up")
    else:
        old, new = rule["said"]
        as_before = (rows[OLD].map(str) == old) & (rows[NEW].map(str) == new)
    count, n = int(as_before.sum()), len(rows)
    assert not is_unlikely(count, n, rule["share"], 1), f"{{count}} of {{n}} rows that differ"


def test_models_agree_outside_the_rules(scored):
    inside = pd.Series(False, index=scored.index)
    for rule in RULES:
        inside[scored.query(rule["query"]).index] = True
    rows = scored[~inside]
    count, n = int(differs(rows).sum()), len(rows)
    if OUTSIDE is None:
        pytest.skip("not measured")
    assert not is_unlikely(count, n, 0, OUTSIDE), f"{{count}} of {{n}} rows differ"
'''


def release_test(diff: ModelDiff) -> str:
    """Return a file for pytest that pins the differences of two models.

    Rules that pandas cannot query, that use outputs, or whose rate was not measured are left
    out.
    """
    rules = [
        pinned
        for rule in diff.rules
        if diff.given is None and (pinned := _pinned(rule)) is not None
    ]
    [outside] = [figures for name, _, figures in regions_of(diff) if name == OUTSIDE]
    is_known = outside.rate is not None and outside.interval != UNKNOWN
    relative = diff.tolerance_share is not None
    again = diff.tree.outputs.options.get("dissimilarity")
    alike = sorted((str(one), str(two)) for one, two in again.alike) if again else []
    return TEMPLATE.format(
        version=__version__,
        n_rows=diff.metrics.n_rows,
        names=repr(diff.names),
        tolerance=repr(diff.tolerance_share if relative else diff.tolerance),
        relative=relative,
        alike=pformat(alike, width=100),
        rules=pformat(rules, width=100, sort_dicts=False),
        outside=repr(round(outside.interval[1], 6)) if is_known else None,
    )


def _pinned(rule: Rule) -> dict[str, Any] | None:
    """Return what is pinned of a rule; None if it cannot be."""
    query = or_none(rule.to_query)
    if query is None or not rule.conditions or rule.interval == UNKNOWN:
        return None
    said: Any = tuple(str(label) for label in rule.outcomes)
    if rule.up is not None:
        said = "up" if (rule.up or 0) >= (rule.down or 0) else "down"
    low, high = (round(end, 6) for end in rule.interval)
    return {
        "text": conditions_text(rule.conditions),
        "query": query,
        "interval": (low, high),
        "said": said,
        "share": round(wilson(rule.outcome_share, rule.differing)[0], 6),
    }
