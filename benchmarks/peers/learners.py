"""The learners: from a table and "these rows differ" to a prediction and a number of rules.

Each is imported where it is used, so that one that does not install leaves the others as they are.
There are at most `MOST_RULES` rules, where a learner has such an option. Where it ranks rules and
leaves their number open, the best prefix by G = (F1 + MCC) / 2 on the rows used to fit is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget.comparison.confusion import Confusion
from imd_widget.tree.pruning import SHRINKAGE, balanced_score

MOST_RULES, BINS, SECONDS = 8, 5, 60
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Task:
    """The rows to fit to, with categories as they are, and one by one as numbers."""

    raw: pd.DataFrame
    X: pd.DataFrame
    first: NDArray[Any]
    second: NDArray[Any]

    @property
    def differs(self) -> Mask:
        return np.asarray(self.first != self.second)


@dataclass(frozen=True)
class Fitted:
    """A prediction for other rows, from the table with categories and from the numbers."""

    predict: Callable[[pd.DataFrame, pd.DataFrame], Any]
    n_rules: int


def ours(task: Task) -> Fitted:
    d = imd.diff(task.first, task.second, task.raw, test_size=0, measure="none")
    return Fitted(lambda raw, _: d.predict(raw), len(d.rules))


def _pruned_tree(task: Task) -> DecisionTreeClassifier:
    tree = DecisionTreeClassifier(
        max_depth=8, min_samples_leaf=5, class_weight="balanced", random_state=0
    )
    alphas = tree.cost_complexity_pruning_path(task.X, task.differs).ccp_alphas
    tried = np.unique(np.quantile(alphas.clip(0), np.linspace(0, 1, 15)))
    search = GridSearchCV(tree, {"ccp_alpha": tried}, scoring="balanced_accuracy", cv=5)
    return search.fit(task.X, task.differs).best_estimator_


def cart(task: Task) -> Fitted:
    """An ordinary class-balanced tree, pruned by cross-validation."""
    tree = _pruned_tree(task)
    claimed = tree.predict(task.X)
    leaves = np.unique(tree.apply(task.X)[claimed])
    return Fitted(lambda _, X: tree.predict(X), len(leaves))


def cart_with_our_leaves(task: Task) -> Fitted:
    """The same tree; its leaves are chosen as ours are, by G and shrunken rates."""
    tree = _pruned_tree(task)
    leaf = tree.apply(task.X)
    rows = np.bincount(leaf).astype(float)
    differing = np.bincount(leaf, task.differs)
    base = task.differs.mean()
    rates = (differing + SHRINKAGE * base) / (rows + SHRINKAGE)
    used = np.flatnonzero(rows)
    order = used[np.argsort(-rates[used], kind="stable")]
    claimed, both = np.cumsum(rows[order]), np.cumsum((rows * rates)[order])
    score = balanced_score(claimed, both, float(both[-1]), float(claimed[-1])).value
    chosen = order[: 1 + int(score[: max(1, len(order) - 1)].argmax())]
    chosen = chosen[rates[chosen] > base]
    return Fitted(lambda _, X: np.isin(tree.apply(X), chosen), len(chosen))


def figs(task: Task) -> Fitted:
    from imodels import FIGSClassifier

    model = FIGSClassifier(max_rules=MOST_RULES, class_weight="balanced", random_state=0)
    model.fit(task.X, task.differs.astype(int))
    return Fitted(lambda _, X: model.predict(X) > 0, int(model.complexity_))


def rule_fit(task: Task) -> Fitted:
    from imodels import RuleFitClassifier

    model = RuleFitClassifier(max_rules=MOST_RULES, include_linear=False, random_state=0)
    model.fit(task.X.to_numpy(float), task.differs.astype(int))
    limit = _best_limit(model.predict_proba(task.X.to_numpy(float))[:, 1], task.differs)
    return Fitted(
        lambda _, X: model.predict_proba(X.to_numpy(float))[:, 1] >= limit, len(model.rules_)
    )


def skope_rules(task: Task) -> Fitted:
    from imodels import SkopeRulesClassifier

    names = [f"c{i}" for i in range(task.X.shape[1])]
    precision = float(min(0.5, 1.5 * task.differs.mean()))
    model = SkopeRulesClassifier(precision_min=precision, recall_min=0.01, random_state=0)
    model.fit(task.X.to_numpy(float), task.differs.astype(int), feature_names=names)
    queries = [str(rule) for rule in model.rules_]

    def mask(X: pd.DataFrame, query: str) -> Mask:
        return np.asarray(X.set_axis(names, axis=1).eval(query), dtype=bool)

    return _prefix(task, [lambda _, X, q=q: mask(X, q) for q in queries])


def ripper(task: Task) -> Fitted:
    from wittgenstein import RIPPER

    model = RIPPER(max_rules=MOST_RULES, random_state=0)
    model.fit(task.raw.assign(differs_=task.differs), class_feat="differs_", pos_class=True)
    return Fitted(lambda raw, _: model.predict(raw), len(model.ruleset_.rules))


def subgroups(task: Task) -> Fitted:
    import pysubgroup as ps

    data = task.raw.assign(differs_=task.differs)
    found = ps.BeamSearch(beam_width=MOST_RULES * 2).execute(
        ps.SubgroupDiscoveryTask(
            data,
            ps.BinaryTarget("differs_", True),
            ps.create_selectors(data, nbins=2 * BINS, ignore=["differs_"]),
            result_set_size=MOST_RULES,
            depth=3,
            qf=ps.WRAccQF(),
        )
    )
    groups = [group for _, group in found.to_descriptions()]
    return _prefix(task, [lambda raw, _, g=g: np.asarray(g.covers(raw)) for g in groups])


def slices(task: Task) -> Fitted:
    from sliceline.slicefinder import Slicefinder

    binned = _Binned.of(task.raw)
    model = Slicefinder(alpha=0.9, k=MOST_RULES, max_l=3, min_sup=10, verbose=False)
    model.fit(binned.codes(task.raw) + 1, task.differs.astype(float))

    def mask(raw: pd.DataFrame, row: Sequence[Any]) -> Mask:
        codes = binned.codes(raw) + 1
        asked = [i for i, value in enumerate(row) if value is not None]
        inside = [codes[:, i] == row[i] for i in asked]
        return np.logical_and.reduce(inside) if inside else np.ones(len(raw), dtype=bool)

    rows = [list(row) for row in np.asarray(model.top_slices_, dtype=object)]
    return _prefix(task, [lambda raw, _, row=row: mask(raw, row) for row in rows])


def divergence(task: Task) -> Fitted:
    from divexplorer import DivergenceExplorer

    binned = _Binned.of(task.raw)
    frame = pd.DataFrame(binned.codes(task.raw)).add_prefix("c")
    found = DivergenceExplorer(frame.assign(differs_=task.differs.astype(int)))
    patterns = found.get_pattern_divergence(
        min_support=0.02, boolean_outcomes=["differs_"], attributes=list(frame)
    )
    patterns = patterns[patterns["itemset"].map(lambda items: 0 < len(items) <= 3)]
    top = patterns.sort_values("differs__t", ascending=False)
    top = top[top["differs__div"] > 0].head(MOST_RULES)

    def mask(raw: pd.DataFrame, items: Any) -> Mask:
        codes = binned.codes(raw)
        pairs = [str(item).split("=") for item in items]
        return np.logical_and.reduce([codes[:, int(c[1:])] == int(v) for c, v in pairs])

    return _prefix(task, [lambda raw, _, items=items: mask(raw, items) for items in top["itemset"]])


class _Said(ClassifierMixin, BaseEstimator):
    """A model whose outputs for one table are known."""

    def __init__(self, outputs: Any) -> None:
        self.outputs = outputs

    def predict(self, _: Any) -> Any:
        return self.outputs


def delta(task: Task) -> Fitted:
    from deltaxplainer import DeltaXplainer

    model = DeltaXplainer()
    model.fit(task.X.reset_index(drop=True), _Said(task.first), _Said(task.second))
    return Fitted(
        lambda _, X: np.asarray(model.predict(X.reset_index(drop=True))).astype(float) > 0,
        len(model.get_segments()),
    )


def _binary(task: Task) -> tuple[Any, pd.DataFrame]:
    from gosdt import ThresholdGuessBinarizer

    binarizer = ThresholdGuessBinarizer(n_estimators=30, max_depth=2, random_state=0)
    binarizer.set_output(transform="pandas")
    return binarizer, binarizer.fit_transform(task.X, task.differs)


def streed(task: Task) -> Fitted:
    from pystreed import STreeDClassifier

    binarizer, binary = _binary(task)
    model = STreeDClassifier("f1-score", max_depth=3, time_limit=SECONDS)
    model.fit(binary.to_numpy(int), task.differs.astype(int))
    said = model.predict(binary.to_numpy(int))
    rules = 1 if said.any() else 0
    if hasattr(model, "get_n_leaves"):
        rules = int(model.get_n_leaves()) // 2
    return Fitted(lambda _, X: model.predict(binarizer.transform(X).to_numpy(int)) > 0, rules)


@dataclass(frozen=True)
class _Binned:
    """Each column as few codes: quantiles of numbers, categories as they are."""

    edges: tuple[Any, ...]

    @classmethod
    def of(cls, raw: pd.DataFrame) -> _Binned:
        return cls(tuple(_edges(raw[name]) for name in raw))

    def codes(self, raw: pd.DataFrame) -> NDArray[np.int64]:
        columns = zip(raw, self.edges, strict=True)
        return np.column_stack([_codes(raw[name], edges) for name, edges in columns])


def _edges(column: pd.Series[Any]) -> Any:
    if column.dtype.kind in "iuf":
        return np.unique(np.quantile(column, np.linspace(0, 1, BINS + 1)[1:-1]))
    return sorted(map(str, column.unique()))


def _codes(column: pd.Series[Any], edges: Any) -> NDArray[np.int64]:
    if column.dtype.kind in "iuf":
        return np.searchsorted(edges, column, side="right").astype(np.int64)
    place = {value: number for number, value in enumerate(edges)}
    return np.array([place.get(str(value), len(edges)) for value in column], dtype=np.int64)


def _prefix(task: Task, masks: Sequence[Callable[[Any, Any], Mask]]) -> Fitted:
    """The union of the first rules, as many as give the largest G on the rows used to fit."""
    masks = masks[:MOST_RULES]
    best, score, inside = 0, -1.0, np.zeros(len(task.raw), dtype=bool)
    for number, mask in enumerate(masks, 1):
        inside = inside | mask(task.raw, task.X)
        found = Confusion.of(inside, task.differs).balanced
        if found > score:
            best, score = number, found
    chosen = masks[:best]

    def predict(raw: pd.DataFrame, X: pd.DataFrame) -> Mask:
        every = [mask(raw, X) for mask in chosen]
        return np.logical_or.reduce(every) if every else np.zeros(len(raw), dtype=bool)

    return Fitted(predict, best)


def _best_limit(scores: NDArray[Any], differs: Mask) -> float:
    limits = np.unique(np.quantile(scores, np.linspace(0, 1, 60)))
    return float(max(limits, key=lambda one: Confusion.of(scores >= one, differs).balanced))


#: The quick ones first: an interrupted run has them for every pair.
LEARNERS: dict[str, Callable[[Task], Fitted]] = {
    "imd-widget": ours,
    "CART, balanced, our choice of leaves": cart_with_our_leaves,
    "CART, balanced": cart,
    "DeltaXplainer": delta,
    "FIGS": figs,
    "pysubgroup": subgroups,
    "STreeD": streed,
    "SkopeRules": skope_rules,
    "RIPPER": ripper,
    "SliceLine": slices,
    "DivExplorer": divergence,
    "RuleFit": rule_fit,
}
