"""The growth of a joint tree, node by node: what was compared at each node, and what followed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from numpy.typing import NDArray

from imd_widget.counting.channels import Purpose
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.impurity import SCALE
from imd_widget.data.boxes import yes_codes
from imd_widget.methods import Fit, Problem
from imd_widget.rules.conditions import condition
from imd_widget.rules.languages import condition_text
from imd_widget.tree.requests import Histograms, Totals
from imd_widget.tree.shape import Kind, Path, Side, Step
from imd_widget.tree.shared_tree import SharedSplit, walk
from imd_widget.tree.splitter import NodeSplits, Split

#: What happens at a node: the surrogates share a split, part, or stop; or one of them, which has
#: parted before, splits.
Growth = Literal["share", "part", "stop", "split"]


@dataclass(frozen=True)
class GrowthStep:
    """One node of the joint tree at the moment at which the tree grows there.

    Attributes
    ----------
    node : str
        Its id in ``d.tree.ids``.
    kind : {"share", "part", "stop", "split"}
        Whether the surrogates share a split, part, or stop here; "split": the node belongs to one
        surrogate, which splits.
    rows : int
        Rows used to fit at the node.
    imp1, imp2, imp12 : float or None
        Impurity that is left by the best split for model 1, by that for model 2, and for both
        models by the best common split, per row; 0: pure. For classes in bits of entropy, for
        numbers in shares of their variance. None if there is no allowed split.
    split1, split2, split12 : str or None
        These splits as text.
    chosen : str or None
        The split that the tree has at the node; None where the surrogates part or stop.
    reason : str
        Why, in a sentence.
    """

    node: str
    kind: Growth
    rows: int
    imp1: float | None
    imp2: float | None
    imp12: float | None
    split1: str | None
    split2: str | None
    split12: str | None
    chosen: str | None
    reason: str


def growth_steps(problem: Problem, fit: Fit, names: tuple[str, str]) -> tuple[GrowthStep, ...]:
    """Return the steps in which the tree of a fit grows, level by level; leaves are no steps.

    The splits that were compared are computed again from the rows used to fit; the tree itself is
    that of the fit.
    """
    tree, source = fit.tree, problem.source
    inner = [node for node in tree.walk() if tree.kind[node] != Kind.LEAF]
    growing = _Growing(problem, fit, names)
    steps: list[GrowthStep] = []
    with source.session():
        for level in range(tree.depth + 1):
            nodes = [node for node in inner if tree.levels[node] == level]
            paths = list(dict.fromkeys(tree.path(node) for node in nodes))
            if not paths:
                break
            counted = zip(
                paths, source.answer(Histograms(paths)), source.answer(Totals(paths)), strict=True
            )
            found = {
                path: growing.found(len(path), histogram, totals)
                for path, histogram, totals in counted
            }
            steps += [growing.step(node, found[tree.path(node)]) for node in nodes]
    return tuple(steps)


@dataclass(frozen=True)
class _Found:
    """What the growth compares at a node."""

    #: Whether all outputs of model 1, and of model 2, are the same here.
    pure: tuple[bool, bool]
    #: The best splits for model 1, for model 2, and for both; none if no split is allowed.
    splits: tuple[Split, ...]


class _Growing:
    """Writes the steps of one fit.

    Parameters
    ----------
    problem : Problem
    fit : Fit
    names : tuple of two str
        The names of the models.
    """

    def __init__(self, problem: Problem, fit: Fit, names: tuple[str, str]) -> None:
        self._problem = problem
        self._tree = fit.tree
        self._names = names
        self._grows_on = fit.shared_tree is None or fit.grows_on
        self._planted: set[Path] = set()
        if fit.shared_tree is not None:
            parts = walk(fit.shared_tree)
            self._planted = {path for path, part in parts if isinstance(part, SharedSplit)}

    def found(self, depth: int, histogram: Histogram, totals: NDArray[Any]) -> _Found:
        """Return what is compared at a node with this depth, histogram and totals."""
        source, target = self._problem.source, self._problem.source.target
        pure = (target.is_pure(Purpose.FIRST, totals), target.is_pure(Purpose.SECOND, totals))
        minimum = self._problem.method.min_samples_leaf
        models = (Purpose.FIRST, Purpose.SECOND)
        splits = NodeSplits(histogram, target, source.layout, minimum, models, depth)
        if splits.none:
            return _Found(pure, ())
        own = (splits.best_for(purpose)[0] for purpose in models)
        return _Found(pure, (*own, splits.best_common()[0]))

    def step(self, node: int, found: _Found) -> GrowthStep:
        """Return the step of one inner node."""
        tree = self._tree
        is_split = tree.kind[node] == Kind.SPLIT
        chosen = self._text(tree.question(node)) if is_split else None
        kind, reason = self._decision(node, found)
        weight = max(int(tree.weight[node]), 1) * SCALE
        imps: list[float | None] = [split.cost / weight for split in found.splits]
        texts: list[str | None] = [
            self._text(Step(one.column, one.cut, one.missing, yes=True)) for one in found.splits
        ]
        imp1, imp2, imp12 = imps or (None, None, None)
        split1, split2, split12 = texts or (None, None, None)
        return GrowthStep(
            node=tree.ids[node],
            kind=kind,
            rows=int(tree.rows[node]),
            imp1=imp1,
            imp2=imp2,
            imp12=imp12,
            split1=split1,
            split2=split2,
            split12=split12,
            chosen=chosen,
            reason=reason,
        )

    def _text(self, step: Step) -> str:
        column = self._tree.columns[step.column]
        return condition_text(condition(column, yes_codes(column, step.cut, step.missing)))

    def _decision(self, node: int, found: _Found) -> tuple[Growth, str]:
        tree = self._tree
        side = tree.side[node]
        if side != Side.SHARED:
            name = self._names[side - 1]
            return "split", f"The trees of the two models have parted: best split for {name} alone."
        if tree.kind[node] == Kind.SPLIT:
            return "share", self._why_shared(node, found)
        if all(tree.kind[child] == Kind.LEAF for child in tree.children[node]):
            return "stop", self._why_stopped(node, found)
        return "part", self._why_parted(found)

    def _why_shared(self, node: int, found: _Found) -> str:
        if self._tree.path(node) in self._planted:
            if self._problem.method.name == "direct":
                return "Both share this split: it separates the rows that differ best."
            return (
                "Both share this split: it was chosen for the differences, and pruning kept it "
                "because it isolates enough differing rows."
            )
        if self._alpha is not None:
            return f"Both share the best common split: {self._condition_5(found)}."
        return (
            "Both share the best common split: imp1 and imp2 are above 0, so no split leaves one "
            "output of either model on each side (condition 6 of the paper)."
        )

    def _why_parted(self, found: _Found) -> str:
        if self._problem.method.name == "separate":
            return 'They part at the root: the method "separate" shares no split.'
        if self._alpha is not None:
            return f"They part: {self._condition_5(found)}."
        pure = [
            f"imp{model + 1}" for model in (0, 1) if found.splits and not found.splits[model].cost
        ]
        if not pure:
            return "They stopped here; a refinement step split a leaf for one of them."
        are = "is" if len(pure) == 1 else "are"
        why = [self._why_pure(int(imp[-1]) - 1, found) for imp in pure]
        return (
            f"They part: {' and '.join(pure)} {are} 0: {', and '.join(why)} "
            "(condition 6 of the paper)."
        )

    def _why_pure(self, model: int, found: _Found) -> str:
        """Return why the impurity that is left for a model is 0."""
        if found.pure[model]:
            return f"{self._names[model]} gives one output on all of these rows"
        return f"a split leaves one output of {self._names[model]} on each side"

    def _why_stopped(self, node: int, found: _Found) -> str:
        method = self._problem.method
        if not self._grows_on:
            return "They stop: this method grows one tree for the difference, and no surrogates."
        if all(found.pure):
            return "They stop: each model gives one output on these rows."
        if not found.splits:
            return (
                "They stop: no split leaves at least "
                f"min_samples_leaf={method.min_samples_leaf} rows on both sides."
            )
        if self._tree.levels[node] >= method.max_depth:
            return f"They stop: the depth limit of {method.max_depth} is reached."
        return "They stop: no split was made here."

    @property
    def _alpha(self) -> float | None:
        return 1.0 if self._problem.method.name == "separate" else self._problem.method.alpha

    def _condition_5(self, found: _Found) -> str:
        first, second, common = (split.cost for split in found.splits)
        alpha = self._alpha or 0.0
        ratio = (first + second) / common if common else 1.0
        sign = "<=" if first + second <= alpha * common else ">"
        compared = f"imp1 + imp2 is {ratio:.3g} times imp12, {sign} alpha = {alpha:g}"
        return f"{compared} (condition 5 of the paper)"
