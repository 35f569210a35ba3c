"""The engine against the method in plain NumPy, node for node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from docs import method_in_numpy as simple
from imd_widget.data.table import open_table
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import Kind
from tests.examples import examples
from tests.unit.strategies import NUMERIC, Problem, problems

Plain = tuple[Any, ...]


def simple_problem(problem: Problem, **options: Any) -> simple.Problem:
    return simple.Problem(problem.X.to_numpy(float), problem.y1, problem.y2, **options)


def fitted(problem: Problem, **options: Any) -> imd.ModelDiff:
    return imd.diff(problem.y1, problem.y2, problem.X, max_bins=None, test_size=0, **options)


def tree_of(tree: JointTree, at: int = 0) -> Plain:
    """The tree of the engine: rows of each node, splits as codes, labels of leaves."""
    children = [tree_of(tree, int(child)) for child in tree.children[at] if child >= 0]
    rows = int(tree.rows[at])
    if tree.kind[at] == Kind.SPLIT:
        return rows, (int(tree.column[at]), int(tree.cut[at])), *children
    return (rows, "or", *children) if children else (rows, tree.labels[tree.label(at)])


def simple_tree(p: simple.Problem, node: simple.Node, y: Any = None) -> Plain:
    """The tree of the plain method in the same form."""
    if node.children:
        return len(node.rows), node.split, *(simple_tree(p, child, y) for child in node.children)
    if y is not None:
        return len(node.rows), simple.label(p, node, y)
    sides = zip(node.branches, (p.y1, p.y2), strict=True)
    return len(node.rows), "or", *(simple_tree(p, side, y) for side, y in sides)


def plain_rule(rule: tuple[simple.Box, Any]) -> Plain:
    """A box and its outcomes in a form that can be sorted."""
    box, outcomes = rule
    return sorted((column, sorted(codes)) for column, codes in box.items()), *map(str, outcomes)


def rules_of(d: imd.ModelDiff, problem: Problem) -> list[Plain]:
    """The rules of the engine in the same form: the codes that each condition selects."""
    position = {name: at for at, name in enumerate(problem.X.columns)}
    found = []
    for rule in d.rules:
        box: simple.Box = {}
        for condition in rule.conditions:
            values = pd.DataFrame({condition.column: np.unique(problem.X[condition.column])})
            selected = condition.mask(open_table(values))
            box[position[condition.column]] = frozenset(np.flatnonzero(selected).tolist())
        found.append(plain_rule((box, rule.outcomes)))
    return sorted(found)


PAPER = {
    "problem": problems(values=False, weights=False, kinds=NUMERIC, gaps=False),
    "max_depth": st.integers(1, 5),
    "min_samples_leaf": st.sampled_from([1, 1, 2, 4]),
}


@settings(max_examples=examples(100), deadline=None)
@given(**PAPER, alpha=st.sampled_from([None, None, 1.0, 0.9, 0.5, 0.0]), steps=st.integers(0, 3))
def test_the_joint_tree_of_the_paper(
    problem: Problem, max_depth: int, min_samples_leaf: int, alpha: float | None, steps: int
) -> None:
    options = {"max_depth": max_depth, "min_samples_leaf": min_samples_leaf, "alpha": alpha}
    d, p = fitted(problem, method="imd", **options), simple_problem(problem, **options)
    root = simple.joint_tree(p)
    for _ in range(steps):
        simple.refine(p, root)
    refined = d.refine(steps)
    assert tree_of(refined.tree) == simple_tree(p, root)
    found = [(rule.box, rule.outcomes) for rule in simple.rules(p, root)]
    assert rules_of(refined, problem) == sorted(map(plain_rule, found))


@settings(max_examples=examples(150), deadline=None)
@given(**PAPER, rule_cost=st.sampled_from([0.005, 0.0, 0.05]))
def test_the_default_tree(
    problem: Problem, max_depth: int, min_samples_leaf: int, rule_cost: float
) -> None:
    options = {"max_depth": max_depth, "min_samples_leaf": min_samples_leaf}
    d, p = fitted(problem, rule_cost=rule_cost, **options), simple_problem(problem, **options)
    pruned = simple.default_tree(p, rule_cost=rule_cost)
    assert tree_of(d.tree) == simple_tree(p, pruned.tree)
    claimed = [row for claim in pruned.claimed for row in claim.leaf.rows]
    inside = np.isin(np.arange(len(problem.X)), claimed)
    np.testing.assert_array_equal(d.predict(problem.X), inside)


@pytest.mark.parametrize("method", ["imd", "calibrated"])
def test_real_models(method: str) -> None:
    X, y = load_iris(return_X_y=True, as_frame=True)
    m1 = LogisticRegression(max_iter=1000).fit(X.iloc[::2], y[::2])
    m2 = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X.iloc[1::3], y[1::3])
    problem = Problem(X, m1.predict(X), m2.predict(X))
    d = fitted(problem, method=method, max_depth=4, min_samples_leaf=2)
    p = simple_problem(problem, max_depth=4, min_samples_leaf=2)
    root = simple.joint_tree(p) if method == "imd" else simple.default_tree(p).tree
    assert d.rules, "a pair that differs is needed"
    assert tree_of(d.tree) == simple_tree(p, root)


def test_separate_is_alpha_one() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    y1, y2 = (X["a"] + X["b"] > 0).to_numpy(int), (X["a"] - X["c"] > 0).to_numpy(int)
    problem = Problem(X, y1, y2)
    d = fitted(problem, method="separate", max_depth=3)
    p = simple_problem(problem, max_depth=3, alpha=1.0)
    root = simple.joint_tree(p)
    assert d.tree.or_nodes == ("r",)
    assert tree_of(d.tree) == simple_tree(p, root)
    found = [(rule.box, rule.outcomes) for rule in simple.rules(p, root)]
    assert rules_of(d, problem) == sorted(map(plain_rule, found))
