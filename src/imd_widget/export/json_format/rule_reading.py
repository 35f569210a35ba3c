"""Restores rules from plain values and checks them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from imd_widget._base.intervals import UNKNOWN, wilson
from imd_widget._base.plain import Plain, from_json, listed, shown
from imd_widget._base.plain_values import from_plain
from imd_widget.data.boxes import Box, Boxes
from imd_widget.data.columns import Column
from imd_widget.export.json_format.checks import check_rule
from imd_widget.outputs.interface import OutcomePair, Outputs
from imd_widget.rules.conditions import condition
from imd_widget.rules.rule import Rule, RuleSet
from imd_widget.tree.joint_tree import JointTree


def rules_of(
    written: Sequence[Plain], known: KnownRules, names: tuple[str, str], first: int = 0
) -> RuleSet:
    """Return the rules, numbered from ``first`` on."""
    rules = tuple(_rule(rule, _box(listed(rule, "conditions"), known), known) for rule in written)
    return RuleSet(rules, names, tuple(range(first, first + len(rules))))


@dataclass(frozen=True, eq=False)
class KnownRules:
    """Columns, nodes and labels that the rules of a file refer to."""

    columns: tuple[Column, ...]
    #: For each column, the index of each of its thresholds or categories.
    cuts: tuple[dict[Hashable, int], ...]
    #: Ids of the nodes, and the outputs with their labels, which are none if they are numbers; None
    #: for rules without a tree, such as those of a patch.
    ids: frozenset[str] | None = None
    outputs: Outputs | None = None
    #: Share of all rows on which the models differ, for rules of earlier releases, which had no
    #: expected rate; None for those of a patch.
    disagreement: float | None = None

    @classmethod
    def of_columns(cls, columns: tuple[Column, ...]) -> KnownRules:
        """Return what the rules of a patch refer to."""
        return cls(columns, tuple(column.cuts() for column in columns))

    @classmethod
    def of(cls, tree: JointTree, disagreement: float) -> KnownRules:
        """Return what the rules of a diff refer to."""
        cuts = tuple(column.cuts() for column in tree.columns)
        return cls(tree.columns, cuts, frozenset(tree.ids), tree.outputs, disagreement)

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
        """Raise ValueError if an id is that of no node."""
        unknown = [] if self.ids is None else [name for name in ids if name not in self.ids]
        if unknown:
            raise ValueError(f"there is no node {shown(min(unknown))}")


def _box(conditions: Sequence[Plain], known: KnownRules) -> dict[int, int]:
    """Return, for each column with a condition, the codes for which it holds, as a bit mask."""
    box: dict[int, int] = {}
    for plain in conditions:
        index = known.column_index(plain["column"])
        if index in box:
            raise ValueError("a rule has two conditions on one column")
        box[index] = _codes(plain, index, known)
    return box


def _codes(plain: Plain, index: int, known: KnownRules) -> int:
    column = known.columns[index]
    missing = 1 << column.n_values
    every = missing - 1
    if "is_missing" in plain:
        return missing if plain["is_missing"] else every
    values = column.codes_from_plain(plain, partial(known.cut_index, index))
    return values | missing if plain["or_missing"] else values


def _rule(plain: Plain, box: Box, known: KnownRules) -> Rule:
    first, second = map(from_plain, listed(plain, "outcomes"))
    if known.outputs is not None:
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
    if "expected_rate" in plain or known.disagreement is None:
        return rule
    return rule.with_expected(known.disagreement)


def _measured_earlier(plain: Plain) -> Plain:
    """Return the measured rate of a rule in a file of a release that did not write it."""
    n_rows = plain["holdout_support"] or None
    if "measured_rate" in plain or not plain["holdout_weight"]:
        return {"measured_rows": n_rows}
    rate = plain["holdout_differing_weight"] / plain["holdout_weight"]
    # with weights or groups, earlier intervals were too narrow
    dependent = plain.get("holdout_effective_support") is not None
    interval = UNKNOWN if dependent else wilson(rate, plain["holdout_support"])
    return {"measured_rate": rate, "interval": list(interval), "measured_rows": n_rows}


def _other_outcomes(plain: Plain, known: KnownRules) -> tuple[OutcomePair, ...]:
    """Return the other outcome pairs of a rule; empty for patches, and in the first files."""
    if known.outputs is None:
        return ()
    pairs, labels = [], frozenset(known.outputs.labels)
    for other in plain.get("other_outcomes", ()):
        one, two = map(from_plain, listed(other, "outcomes"))
        if not {one, two} <= labels:
            raise ValueError(f"a rule has the outcome {shown((one, two))}, which are not labels")
        said = tuple(known.outputs.texts((one, two)))
        pairs.append(from_json(OutcomePair, other, outcomes=(one, two), said=said))
    return tuple(pairs)
