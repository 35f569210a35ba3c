"""Restores a diff from plain values and checks it: files may be edited by hand."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from imd_widget._base.errors import Quoted, warn
from imd_widget._base.intervals import UNKNOWN, wilson
from imd_widget._base.plain import (
    LONGEST,
    Plain,
    cut,
    from_json,
    listed,
    matches_type,
    shown,
    whole,
)
from imd_widget._base.plain_values import from_plain
from imd_widget.comparison.advice import Advice
from imd_widget.comparison.by_groups import ByGroups
from imd_widget.comparison.crosstab import CrossTable
from imd_widget.comparison.metrics import Metrics
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.split_histogram import SplitHistogram
from imd_widget.data.boxes import Box, Boxes
from imd_widget.data.columns import Column, column_from_plain
from imd_widget.data.derivation import raw_name, raw_position
from imd_widget.export.json_format.checks import (
    check_advice,
    check_by,
    check_metrics,
    check_right,
    check_rule,
)
from imd_widget.export.json_format.trees import tree_of
from imd_widget.methods import KNOWN_OPTIONS, Method, method_from_plain
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.interface import OutcomePair, Outputs
from imd_widget.outputs.registry import channels_from_plain, outputs_from_plain
from imd_widget.rules.conditions import condition
from imd_widget.rules.rule import Rule, RuleSet
from imd_widget.tree.joint_tree import JointTree

#: Most unknown options that a warning names.
MOST_NAMED = 5


def diff_of(plain: Plain) -> ModelDiff:
    """Return the diff from the plain values that `writing.contents` returns."""
    columns = tuple(column_from_plain(c, i) for i, c in enumerate(listed(plain, "columns")))
    outputs = outputs_from_plain(plain["outputs"])
    target = channels_from_plain(plain["counted"], outputs.kind)
    nodes = listed(plain, "nodes")
    tree = tree_of(nodes, columns, outputs, target)
    known = _Known.of(tree)
    names = listed(plain, "names")
    if not matches_type(tuple(names), tuple[str, str]):
        raise ValueError(f"names are {shown(names)}")
    both = (names[0], names[1])
    metrics = from_json(Metrics, plain["metrics"])
    check_metrics(metrics)
    base = metrics.disagreement
    rules = _rules(listed(plain, "rules"), known, both, base)
    agreement = _rules(_optional(plain, "agreement"), known, both, base, first=len(rules))
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
        right=_right(plain["right"]),
        holdout_right=_right(plain["holdout_right"]),
        has_own_holdout=bool(plain["has_own_holdout"]),
        refinable=refinable,
        split_histograms={
            i: _bars(node["bars"]) for i, node in enumerate(nodes) if node["kind"] == "split"
        },
    )
    check_advice(stored.suggestions)
    check_by(stored.group_rates)
    check_right(stored.right)
    check_right(stored.holdout_right)
    return stored


def _column_names(columns: Sequence[Column]) -> tuple[Hashable, ...]:
    """Return the names of the raw columns, in the order of the table."""
    own = [column for column in columns if not column.given]
    names = {raw_position(column.name, column.position): raw_name(column.name) for column in own}
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


def _rules(
    written: Sequence[Plain], known: _Known, names: tuple[str, str], base: float, first: int = 0
) -> RuleSet:
    """Return the rules, numbered from ``first`` on; ``base`` is the share of rows that differ."""
    rules = tuple(
        _rule(rule, _box(listed(rule, "conditions"), known), known, base) for rule in written
    )
    return RuleSet(rules, names, tuple(range(first, first + len(rules))))


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
    if len(by.rules) != n_rules or any(len(rule) != len(by.groups) for rule in by.rules):
        raise ValueError("the rates by group are not those of the rules")
    return by


def _right(plain: Plain | None) -> Right | None:
    return None if plain is None else from_json(Right, plain)


def _bars(plain: Plain) -> SplitHistogram:
    bars = from_json(SplitHistogram, plain)
    lengths = {len(bars.same), len(bars.differ), len(bars.labels or bars.same)}
    if len(lengths) != 1:
        raise ValueError("the bars of a node are not of one length")
    return bars


@dataclass(frozen=True, eq=False)
class _Known:
    """Columns, nodes and labels that the rules of a file refer to."""

    columns: tuple[Column, ...]
    #: For each column, the index of each of its thresholds or categories.
    cuts: tuple[dict[Hashable, int], ...]
    #: Ids of the nodes.
    ids: frozenset[str]
    outputs: Outputs
    #: Labels of the outputs; empty if they are numbers.
    labels: frozenset[Hashable]

    @classmethod
    def of(cls, tree: JointTree) -> _Known:
        cuts = tuple(column.cuts() for column in tree.columns)
        labels = frozenset(tree.outputs.labels)
        return cls(tree.columns, cuts, frozenset(tree.ids), tree.outputs, labels)

    def column_index(self, position: Any) -> int:
        """Return the index of the column at a position of the table; ValueError if unknown."""
        places = [index for index, own in enumerate(self.columns) if own.position == position]
        if not places or isinstance(position, bool):
            raise ValueError(f"the column of a rule is {shown(position)}")
        return places[0]

    def cut_index(self, column_index: int, value: Any) -> int:
        """Return the index of a threshold or category of a column; ValueError if unknown."""
        try:
            return self.cuts[column_index][value]
        except KeyError:
            column = self.columns[column_index]
            what = "threshold" if column.ordered else "category"
            raise ValueError(
                f"a rule has {shown(value)}, and {shown(column.name)} has no such {what}"
            ) from None

    def check_ids(self, ids: Iterable[str]) -> None:
        unknown = [name for name in ids if name not in self.ids]
        if unknown:
            raise ValueError(f"there is no node {shown(min(unknown))}")


def _box(conditions: Sequence[Plain], known: _Known) -> dict[int, int]:
    """Return, for each column with a condition, the codes for which it holds, as a bit mask."""
    box: dict[int, int] = {}
    for plain in conditions:
        index = known.column_index(plain["column"])
        if index in box:
            raise ValueError("a rule has two conditions on one column")
        box[index] = _codes(plain, index, known)
    return box


def _codes(plain: Plain, index: int, known: _Known) -> int:
    column = known.columns[index]
    missing = 1 << column.n_values
    every = missing - 1
    if "is_missing" in plain:
        return missing if plain["is_missing"] else every
    values = column.codes_from_plain(plain, partial(known.cut_index, index))
    return values | missing if plain["or_missing"] else values


def _rule(plain: Plain, box: Box, known: _Known, base: float) -> Rule:
    first, second = map(from_plain, listed(plain, "outcomes"))
    known.outputs.check_outcomes((first, second))
    rule = from_json(
        Rule,
        {**_measured_earlier(plain), **plain},
        other_outcomes=_other_outcomes(plain, known),
        conditions=tuple(condition(known.columns[index], codes) for index, codes in box.items()),
        outcomes=(first, second),
        _region=Boxes(known.columns, (box,)),
    )
    known.check_ids([rule.node, *rule.nodes, *(leaf for pair in rule.leaves for leaf in pair)])
    check_rule(rule)
    return rule if "expected_rate" in plain else rule.with_expected(base)


def _measured_earlier(plain: Plain) -> Plain:
    """Return the measured rate of a rule in a file of a release that did not write it."""
    if "measured_rate" in plain or not plain["holdout_weight"]:
        return {}
    rate = plain["holdout_differing_weight"] / plain["holdout_weight"]
    # with weights or groups, earlier intervals were too narrow
    dependent = plain.get("holdout_effective_support") is not None
    interval = UNKNOWN if dependent else wilson(rate, plain["holdout_support"])
    return {"measured_rate": rate, "interval": list(interval)}


def _other_outcomes(plain: Plain, known: _Known) -> tuple[OutcomePair, ...]:
    """Return the other outcome pairs of a rule; empty for files of releases that wrote none."""
    pairs = []
    for other in plain.get("other_outcomes", ()):
        one, two = map(from_plain, listed(other, "outcomes"))
        if not {one, two} <= known.labels:
            raise ValueError(f"a rule has the outcome {shown((one, two))}, which are not labels")
        said = tuple(known.outputs.texts((one, two)))
        pairs.append(from_json(OutcomePair, other, outcomes=(one, two), said=said))
    return tuple(pairs)
