"""Which rule of a changed diff is a rule that was there before: for what a user has selected."""

from __future__ import annotations

from collections.abc import Sequence

from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.rules.conditions import Condition
from imd_widget.rules.regions import conditions, path_box
from imd_widget.rules.rule import Rule
from imd_widget.tree.joint_tree import JointTree

#: In place of the number of a rule that is gone.
GONE = -1


def kept_rules(before: ModelDiff, after: ModelDiff) -> tuple[int, ...]:
    """Return for each rule of ``before`` the number of its rule of ``after``, `GONE` for none.

    It is the rule with the same conditions, or else the one nearest in size among the rules at,
    above or below the same node: a refinement makes rules of parts of a rule. Numbers count the
    diff rules first, then the rules of agreement.
    """
    new = (*after.rules, *after.agreement)
    same = {(rule.agrees, frozenset(rule.conditions)): i for i, rule in enumerate(new)}
    return tuple(
        same.get((rule.agrees, frozenset(rule.conditions)), _near(rule, new, before, after))
        for rule in (*before.rules, *before.agreement)
    )


def still_selected(selected: Sequence[int], before: ModelDiff, after: ModelDiff) -> list[int]:
    """Return the numbers in ``after`` of the rules that were selected in ``before``.

    A rule that is gone, as after a change of the method, gives way to the one with most rows in
    common, if there is one.
    """
    if not selected:
        return []
    kept = kept_rules(before, after)
    found = (
        _overlapping(number, before, after) if kept[number] == GONE else kept[number]
        for number in selected
    )
    return list(dict.fromkeys(number for number in found if number != GONE))


def _overlapping(number: int, before: ModelDiff, after: ModelDiff) -> int:
    """Return the number of the rule of ``after`` with most rows in common; `GONE` for none."""
    if not (before.has_rows and after.has_rows and after.rows.dataset.in_memory):
        return GONE
    mask = before.covered([number])
    agrees = number >= len(before.rules)
    n_rules = len(after.rules)
    numbers = range(n_rules, n_rules + len(after.agreement)) if agrees else range(n_rules)
    common = {other: int((mask & after.covered([other])).sum()) for other in numbers}
    best = max(common, key=common.__getitem__, default=GONE)
    return best if common.get(best) else GONE


def _near(rule: Rule, new: Sequence[Rule], before: ModelDiff, after: ModelDiff) -> int:
    related = [
        number
        for number, other in enumerate(new)
        if other.agrees == rule.agrees and _is_same_path(rule, other, before.tree, after.tree)
    ]
    return min(related, key=lambda i: abs(new[i].support - rule.support), default=GONE)


def _is_same_path(one: Rule, two: Rule, old: JointTree, new: JointTree) -> bool:
    """Whether the node of one rule is at or above that of the other, by the same conditions."""
    above = min(one.node, two.node, key=len)
    if not (one.node.startswith(above) and two.node.startswith(above)):
        return False
    return _conditions(old, above) == _conditions(new, above)


def _conditions(tree: JointTree, node: str) -> tuple[Condition, ...] | None:
    if node not in tree.ids:
        return None
    return tuple(conditions(path_box(tree.path(tree.ids.index(node)), tree.columns), tree.columns))
