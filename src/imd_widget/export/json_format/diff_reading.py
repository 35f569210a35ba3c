"""Restores a diff from plain values and checks it: files may be edited by hand."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from imd_widget._base.errors import Quoted, warn
from imd_widget._base.plain import (
    LONGEST,
    Plain,
    cut,
    from_json,
    listed,
    matches_type,
    short,
    shown,
    whole,
)
from imd_widget.comparison.advice import Advice
from imd_widget.comparison.by_groups import ByGroups, FurtherGroups
from imd_widget.comparison.crosstab import CrossTable
from imd_widget.comparison.metrics import Metrics
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.origin import Origin
from imd_widget.comparison.split_histogram import SplitHistogram
from imd_widget.data.columns import Column, column_from_plain
from imd_widget.data.derived import raw_columns
from imd_widget.export.json_format.checks import (
    check_advice,
    check_by,
    check_further,
    check_metrics,
    check_right,
)
from imd_widget.export.json_format.rule_reading import KnownRules, rules_of
from imd_widget.export.json_format.trees import tree_of
from imd_widget.methods import KNOWN_OPTIONS, Method, method_from_plain
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.registry import channels_from_plain, outputs_from_plain

#: Most unknown options that a warning names.
MOST_NAMED = 5


def diff_of(plain: Plain) -> ModelDiff:
    """Return the diff from the plain values that `writing.contents` returns."""
    columns = tuple(column_from_plain(c, i) for i, c in enumerate(listed(plain, "columns")))
    outputs = outputs_from_plain(plain["outputs"])
    target = channels_from_plain(plain["counted"], outputs.kind)
    nodes = listed(plain, "nodes")
    tree = tree_of(nodes, columns, outputs, target)
    metrics = from_json(Metrics, plain["metrics"])
    check_metrics(metrics)
    known = KnownRules.of(tree, metrics.disagreement)
    names = listed(plain, "names")
    if not matches_type(tuple(names), tuple[str, str]):
        raise ValueError(f"names are {shown(names)}")
    both = (names[0], names[1])
    rules = rules_of(listed(plain, "rules"), known, both)
    agreement = rules_of(_optional(plain, "agreement"), known, both, first=len(rules))
    refinable = tuple(listed(plain, "refinable"))
    known.check_ids(refinable)
    stored = ModelDiff(
        names=both,
        column_names=_column_names(columns),
        fitted_method=_method(plain["options"]),
        refinements=whole(plain["refinements"], "refinements", 0, 1 << 31),
        tree=tree,
        rules=rules,
        agreement=agreement,
        metrics=metrics,
        suggestions=tuple(from_json(Advice, advice) for advice in _optional(plain, "advice")),
        label_counts=_crosstab(plain.get("crosstab"), len(outputs.labels)),
        group_rates=_by(plain.get("by"), len(rules) + len(agreement)),
        origin=_origin(plain.get("origin")),
        right=_right(plain["right"]),
        holdout_right=_right(plain["holdout_right"]),
        has_own_holdout=bool(plain["has_own_holdout"]),
        identifiers=_texts(_optional(plain, "identifiers")),
        no_scores=short(plain.get("no_scores", ""), "why there are no scores"),
        derivations=_texts(_optional(plain, "derivations")),
        has_known_rules=bool(plain.get("has_known_rules", False)),
        refinable=refinable,
        further_groups=from_json(FurtherGroups, plain.get("further_groups", {})),
        split_histograms={
            i: _bars(node["bars"]) for i, node in enumerate(nodes) if node["kind"] == "split"
        },
    )
    check_advice(stored.suggestions)
    check_by(stored.group_rates)
    check_further(stored.further_groups)
    check_right(stored.right)
    check_right(stored.holdout_right)
    return stored


def _column_names(columns: Sequence[Column]) -> tuple[Hashable, ...]:
    """Return the names of the raw columns, in the order of the table."""
    own = [column for column in columns if not column.given]
    names = {at: name for column in own for name, at in raw_columns(column.name, column.position)}
    return tuple(names[position] for position in sorted(names))


def _method(plain: Plain) -> Method:
    """Return the method with its options; those that a file lacks have their default."""
    unknown = [name for name in plain if name not in KNOWN_OPTIONS]
    if unknown:
        warn(
            "the file has options that this release does not know, and they are ignored: ",
            Quoted(*(cut(name, LONGEST) for name in unknown[:MOST_NAMED])),
            ". Install a newer release: pip install --upgrade imd-widget",
        )
    return method_from_plain(plain)


def _optional(plain: Plain, name: str) -> list[Any]:
    """Return a list that files of earlier releases do not have."""
    return listed(plain, name) if name in plain else []


def _texts(written: list[Any]) -> tuple[str, ...]:
    if not matches_type(tuple(written), tuple[str, ...]):
        raise ValueError(f"column names are {shown(written)}")
    return tuple(written)


def _crosstab(plain: Plain | None, n_labels: int) -> CrossTable | None:
    if plain is None:
        return None
    crosstab = from_json(CrossTable, plain)
    if any(not 0 <= label < n_labels for cell in crosstab.cells for label in cell[:2]):
        raise ValueError("the cross table has an unknown label")
    return crosstab


def _by(plain: Plain | None, n_rules: int) -> ByGroups | None:
    if plain is None:
        return None
    by = from_json(ByGroups, plain)
    lengths = {len(by.groups), *map(len, by.rules), len(by.conditions or by.groups)}
    if len(by.rules) != n_rules or len(lengths) != 1:
        raise ValueError("the rates by group are not those of the rules")
    return by


def _origin(plain: Plain | None) -> Origin | None:
    if plain is None:
        return None
    tags = {name: text for name, text in plain["tags"].items() if isinstance(text, str)}
    return from_json(Origin, {**plain, "tags": tags})


def _right(plain: Plain | None) -> Right | None:
    return None if plain is None else from_json(Right, plain)


def _bars(plain: Plain) -> SplitHistogram:
    bars = from_json(SplitHistogram, plain)
    lengths = {len(bars.same), len(bars.differ), len(bars.labels or bars.same)}
    if len(lengths) != 1:
        raise ValueError("the bars of a node are not of one length")
    return bars
