"""Builds views: the plain JSON values of a `ModelDiff`, with a version."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from typing import cast

from imd_widget._base.plain import record_from
from imd_widget.comparison.advice import Advice
from imd_widget.comparison.by_groups import ByGroups, GroupRates
from imd_widget.comparison.cohort import Cohort
from imd_widget.comparison.given import is_truth
from imd_widget.comparison.kept_rules import kept_rules
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.redaction import redacted_groups, redacted_histograms
from imd_widget.comparison.split_histogram import SplitHistogram
from imd_widget.comparison.summary import change, headline
from imd_widget.data.boxes import yes_codes
from imd_widget.data.derivation import Derivation
from imd_widget.data.level_sets import LevelSets
from imd_widget.data.point_score import PointScore
from imd_widget.methods import METHODS
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.interface import OutcomePair, RightView
from imd_widget.rules.conditions import Condition, condition
from imd_widget.rules.languages import condition_query, condition_sql, condition_text, or_none
from imd_widget.rules.regions import conditions, path_box
from imd_widget.rules.rule import Rule, none_for_nan, share
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import NONE, Kind
from imd_widget.views.schema import (
    MESSAGES,
    VERSION,
    Change,
    CohortView,
    ConditionView,
    DiffView,
    Edge,
    HeadlineView,
    MessageKind,
    NodeKind,
    NodeView,
    OptionsView,
    OutcomeView,
    OutputsView,
    RefinementView,
    RuleView,
    ScoreView,
    Side,
)

#: Why a diff without rows cannot answer the messages that need the rows of the table.
NO_ROWS = "This diff was read from a file, which holds no rows of the table."
#: Why it cannot be explained.
NO_MODELS = (
    "This diff was read from a file, which holds neither rows nor models: make it again with "
    "imd.diff(m1, m2, X) to see why they differ."
)


#: Stands for "->" where text is not limited to ASCII.
ARROW = "→"

_KINDS: tuple[NodeKind, ...] = ("split", "or", "leaf")
_SIDES: tuple[Side, ...] = (0, 1, 2)


def view_of(
    diff: ModelDiff,
    before: ModelDiff | None = None,
    undoable: bool = False,
    redact: bool = False,
) -> DiffView:
    """Return the view of a diff.

    Parameters
    ----------
    before : ModelDiff, optional
        The diff before the last refinement.
    undoable : bool, default=False
        Whether a step or change can be undone.
    redact : bool, default=False
        Whether to leave out, as files do, categories that neither the tree nor a rule names, and
        the names of small groups.
    """
    rules = _all_rules(diff)
    by = redacted_groups(diff) if redact else diff.group_rates
    indices = {c: i for i, c in enumerate(dict.fromkeys(c for r in rules for c in r.conditions))}
    return DiffView(
        version=VERSION,
        names=diff.names,
        classes=diff.class_names,
        outputs=_outputs(diff),
        options=OptionsView(
            max_depth=diff.max_depth,
            sensitivity=diff.sensitivity,
            tunable=diff.is_tunable,
            given=diff.given,
            scores=diff.fitted_method.scores,
            sets=diff.fitted_method.sets,
            max_rules=diff.max_rules,
            tolerance=diff.tolerance_share or diff.tolerance,
            relative=diff.tolerance_share is not None,
            method=diff.fitted_method.name,
            alpha=diff.fitted_method.alpha,
        ),
        columns=tuple(map(str, diff.column_names)),
        headline=record_from(
            HeadlineView, headline(diff), advice=tuple(map(_advised, diff.suggestions))
        ),
        nodes=_nodes(diff, redacted_histograms(diff) if redact else diff.split_histograms),
        conditions=tuple(map(_condition, indices)),
        rules=tuple(_rule(diff, number, rule, indices, by) for number, rule in enumerate(rules)),
        metrics=diff.metrics,
        right=_right(diff, diff.right),
        refinement=_refinement(diff, before, undoable),
        crosstab=diff.label_counts,
        by=None if by is None else record_from(GroupRates, by),
        truth=_truth_side(diff),
        lacks=_lacks(diff),
    )


def _advised(advice: Advice) -> Change:
    """Return the change of options that an advice proposes; empty if the models must be called."""
    return Change() if advice.kind == "outputs" else Change(**advice.options)


def _all_rules(diff: ModelDiff) -> tuple[Rule, ...]:
    """The diff rules, then the rules of agreement, which continue their numbers."""
    return (*diff.rules, *diff.agreement)


def cohort_view(diff: ModelDiff, cohort: Cohort) -> CohortView:
    """Return the view of a cohort of the user's own."""
    return record_from(
        CohortView,
        cohort,
        rate=none_for_nan(cohort.rate),
        outside_rate=none_for_nan(cohort.outside_rate),
        outcomes=tuple(_outcome(diff.tree, pair) for pair in cohort.outcomes),
        right=_right(diff, cohort.right),
    )


def _lacks(diff: ModelDiff) -> dict[MessageKind, str]:
    if diff.has_rows:
        return {}
    lacks = {kind: NO_ROWS for kind, message in MESSAGES.items() if message.needs_rows}
    return {**lacks, "explain": NO_MODELS}


def _truth_side(diff: ModelDiff) -> Side:
    """Return which of the two is called like the ground truth; 0 for neither."""
    called = [is_truth(diff.names, model) for model in (0, 1)]
    return 0 if called[0] == called[1] else 1 if called[0] else 2


def _outputs(diff: ModelDiff) -> OutputsView:
    outputs = diff.tree.outputs
    scale = outputs.scale
    return OutputsView(
        kind=outputs.kind,
        what=outputs.what,
        differs=outputs.differs,
        low=scale.low if scale else None,
        high=scale.high if scale else None,
        low_text=scale.low_text if scale else None,
        high_text=scale.high_text if scale else None,
        weighted=diff.tree.target.weighted,
    )


def _right(diff: ModelDiff, right: Right | None) -> RightView | None:
    return None if right is None else diff.tree.outputs.right_texts(right)


def _nodes(diff: ModelDiff, bars: Mapping[int, SplitHistogram]) -> tuple[NodeView, ...]:
    tree = diff.tree
    rules_below = _rules_below(diff)
    regions = {node for rule in diff.rules for node in rule.nodes}
    return tuple(
        _node(diff, node, rules_below[tree.ids[node]], tree.ids[node] in regions, bars.get(node))
        for node in tree.walk()
    )


def _node(
    diff: ModelDiff, node: int, rules: list[int], region: bool, bars: SplitHistogram | None
) -> NodeView:
    tree = diff.tree
    kind = Kind(tree.kind[node])
    parent = int(tree.parent[node])
    text = name = position = None
    if kind == Kind.SPLIT:
        step = tree.question(node)
        column = tree.columns[step.column]
        name, position = str(column.name), _position(column.name, column.position)
        text = condition_text(condition(column, yes_codes(column, step.cut, step.missing)))
    return NodeView(
        id=tree.ids[node],
        parent=None if parent == NONE else tree.ids[parent],
        kind=_KINDS[kind],
        side=_SIDES[tree.side[node]],
        edge=_edge(tree, node, parent),
        depth=int(tree.levels[node]),
        condition=text,
        column=name,
        position=position,
        bars=bars,
        **tree.outputs.node_view(tree, node, kind == Kind.LEAF),
        rows=int(tree.rows[node]),
        differing=int(tree.target.differing_rows(tree.counts[node])),
        rate=none_for_nan(share(tree.differing[node], tree.weight[node])),
        rules=tuple(rules),
        region=region,
    )


def _edge(tree: JointTree, node: int, parent: int) -> Edge | None:
    if parent == NONE:
        return None
    second = bool(tree.children[parent, 1] == node)
    if tree.kind[parent] == Kind.OR:
        return "model2" if second else "model1"
    return "no" if second else "yes"


def _rules_below(diff: ModelDiff) -> dict[str, list[int]]:
    """For each node, the numbers of the rules that have a leaf at or below it."""
    numbers: dict[str, list[int]] = {node: [] for node in diff.tree.ids}
    for number, rule in enumerate(_all_rules(diff)):
        leaves = [leaf for pair in rule.leaves for leaf in pair]
        for node in {leaf[:end] for leaf in leaves for end in range(1, len(leaf) + 1)}:
            numbers[node].append(number)
    return numbers


def _condition(condition: Condition) -> ConditionView:
    return ConditionView(
        text=condition_text(condition),
        column=str(condition.column),
        position=_position(condition.column, condition.position),
        query=or_none(partial(condition_query, condition)),
        sql=or_none(partial(condition_sql, condition)),
        word=(condition.column.word or None) if isinstance(condition.column, Derivation) else None,
        score=_score(condition.column),
    )


def _position(name: Hashable, position: int) -> int:
    """Return the position of the one column that a column is, or is computed from.

    Scores have a position after the columns of the table, as the outputs of a given model have.
    """
    return name.at if isinstance(name, Derivation | LevelSets) else position


def _score(name: Hashable) -> ScoreView | None:
    if not isinstance(name, PointScore):
        return None
    return ScoreView(name.lines(), name.meaning)


def _rule(
    diff: ModelDiff,
    number: int,
    rule: Rule,
    indices: Mapping[Condition, int],
    by: ByGroups | None,
) -> RuleView:
    tree = diff.tree
    inside = [tree.ids.index(node) for node in rule.nodes]
    shared = _shared_conditions(tree, rule)
    title = rule.title
    return record_from(
        RuleView,
        rule,
        number=number,
        others=tuple(_outcome(tree, other) for other in rule.other_outcomes),
        title_before=title.before,
        title_pairs=_title_pairs(rule),
        title_link=ARROW if title.link == "->" else title.link,
        title_more=title.more or None,
        conditions=tuple(indices[c] for c in rule.conditions),
        shared=tuple(indices[c] for c in rule.conditions if c in shared),
        rate=none_for_nan(rule.rate),
        holdout_rate=none_for_nan(rule.holdout_rate),
        right=_right(diff, rule.right),
        holdout_right=_right(diff, rule.holdout_right),
        correctness=_right(diff, rule.correctness),
        by=None if by is None else by.rules[number],
        **tree.outputs.rule_view(tree, inside, rule.outcomes, rule.said),
    )


def _outcome(tree: JointTree, pair: OutcomePair) -> OutcomeView:
    fields = tree.outputs.rule_view(tree, (), pair.outcomes, pair.said)
    return OutcomeView(cast("tuple[int, int]", fields["outcomes"]), fields["said"], pair.share)


def _title_pairs(rule: Rule) -> tuple[int, ...]:
    """Return the pairs that the title names, as places in ``outcomes`` and ``other_outcomes``."""
    known = [rule.outcomes, *(pair.outcomes for pair in rule.other_outcomes)]
    return tuple(known.index(pair.outcomes) for pair in rule.title.pairs)


def _shared_conditions(tree: JointTree, rule: Rule) -> set[Condition]:
    """Return the conditions of a rule that the path to its node implies.

    If these include every condition of the rule, return those on the path to the parent instead:
    the remaining conditions then distinguish the rule from its neighbours.
    """
    node = tree.ids.index(rule.node)
    shared = set(conditions(path_box(tree.path(node), tree.columns), tree.columns))
    if node and shared >= set(rule.conditions):
        above = tree.path(int(tree.parent[node]))
        shared = set(conditions(path_box(above, tree.columns), tree.columns))
    return shared


def _refinement(diff: ModelDiff, before: ModelDiff | None, undoable: bool) -> RefinementView:
    old = set(before.tree.ids) if before else set(diff.tree.ids)
    return RefinementView(
        steps=diff.refinements,
        undoable=undoable,
        impure=len(diff.refinable),
        what=METHODS[diff.method].splits,
        targets=diff.refinable,
        reason=_reason(diff),
        change=change(before, diff) if before else None,
        added=tuple(node for node in diff.tree.ids if node not in old),
        kept=kept_rules(before, diff) if before else (),
        prepared=None,
    )


def _reason(diff: ModelDiff) -> str | None:
    """Return why no further refinement is possible; None if one is."""
    if not diff.rules:
        return "There is no rule to refine."
    if not diff.refinable:
        return "No further split makes a rule more precise."
    return None
