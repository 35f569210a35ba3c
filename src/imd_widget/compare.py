"""`diff` and `ModelDiff`: the whole way from two models and a table to rules.

The only module that knows every stage; each line of `diff` is one of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget.errors import InputError
from imd_widget.inputs import Outputs, ask_both, model_names
from imd_widget.metrics import Metrics, measure
from imd_widget.rules.regions import Region, conditions, differing_regions, path_box, rules_from
from imd_widget.rules.rule import RuleSet
from imd_widget.sampling import holdout_rows
from imd_widget.summary import headline
from imd_widget.table import as_frame, encode, find_columns
from imd_widget.tree.grower import Grower, GrowthOptions, TreeBuilder
from imd_widget.tree.histogram import CountSource, LocalSource, RegionCounts
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.refine import split_leaves
from imd_widget.tree.splitter import Layout

Method = Literal["imd", "separate"]


def diff(
    m1: Any,
    m2: Any,
    X: Any,
    *,
    names: Sequence[str] | None = None,
    max_depth: int = 6,
    method: Method = "imd",
    alpha: float | None = None,
    min_samples_leaf: int = 1,
    max_bins: int | None = 255,
    test_size: float = 0.25,
    random_state: int = 0,
    class_names: Mapping[Any, str] | Sequence[str] | None = None,
) -> ModelDiff:
    """Where in feature space two models differ.

    Parameters
    ----------
    m1, m2 : model
        Anything with ``predict``, a function of the table, or an array of outputs that you
        already have. Each is asked once, for the whole table as you gave it.
    X : DataFrame or ndarray of shape (n_rows, n_columns)
        Numbers without missing values. No ground truth is needed.
    names : sequence of two str, optional
        What to call the models; by default their classes' names.
    max_depth : int, default=6
        Largest number of conditions of a surrogate.
    method : {"imd", "separate"}, default="imd"
        "imd" is the paper's joint tree; "separate" grows two trees that share nothing.
    alpha : float, optional
        The paper's condition (5) in place of (6): the surrogates part where their best separate
        splits together cost at most ``alpha`` times the best common split. At most 1.
    min_samples_leaf : int, default=1
        Rows that both sides of a split keep at least.
    max_bins : int or None, default=255
        Thresholds tried a column, at quantiles. None: between every two values that occur.
    test_size : float, default=0.25
        Share of the rows kept aside, on which the diff is measured. 0: none.
    random_state : int, default=0
        Chooses the rows kept aside.
    class_names : dict or sequence of str, optional
        How outputs are shown: from label to name, or one name for each label in sorted order.

    Returns
    -------
    ModelDiff
    """
    options = _options(method, max_depth, alpha, min_samples_leaf)
    _check_rest(max_bins, test_size, random_state)
    both = model_names(m1, m2, names)
    frame = as_frame(X)
    holdout = holdout_rows(len(frame), test_size, random_state)
    table = encode(frame, find_columns(frame[~holdout], max_bins))
    outputs = ask_both(m1, m2, X, len(frame), class_names)
    layout = Layout.of([c.n_codes for c in table.columns], outputs.pairs, len(outputs.labels))
    source = LocalSource(table.codes, outputs.pair, holdout, layout)
    builder = TreeBuilder(table.columns, outputs.labels, outputs.pairs)
    tree = Grower(source, builder, options).grow()
    regions = differing_regions(tree)
    return ModelDiff(
        names=both,
        tree=tree,
        method=method,
        refinements=0,
        frame=frame,
        _outputs=outputs,
        _source=source,
        _options=options,
        _regions=tuple(regions),
    )


@dataclass(frozen=True, eq=False, repr=False)
class ModelDiff:
    """Where two models differ: a joint tree, the rules read off it, and how good they are.

    Immutable: `refine` gives another one. Made by `diff`.

    Attributes
    ----------
    names : tuple of two str
        What the models are called.
    tree : JointTree
        The two surrogates with their shared part.
    method : str
        How it was made.
    refinements : int
        Number of refinement steps done.
    frame : DataFrame
        The table it was made from.
    """

    names: tuple[str, str]
    tree: JointTree
    method: Method
    refinements: int
    frame: pd.DataFrame
    _outputs: Outputs
    _source: CountSource
    _options: GrowthOptions
    _regions: tuple[Region, ...]

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """Every output that at least one model gave, sorted."""
        return self._outputs.labels

    @property
    def class_names(self) -> tuple[str, ...]:
        """How the labels are shown, same order."""
        return self._outputs.class_names

    @cached_property
    def rules(self) -> RuleSet:
        """The diff rules, the one with most differing rows first."""
        found = rules_from(
            self.tree, list(self._regions), self._counts, self._outputs.differing_pairs
        )
        return RuleSet(found)

    @cached_property
    def metrics(self) -> Metrics:
        """How good the rules are, on the rows kept aside where there are any."""
        on_holdout = bool(self._counts.holdout)
        rows = self._counts.holdout if on_holdout else self._counts.fit
        measured = measure(self.tree, rows, self._claimed)
        return Metrics(
            n_rows=len(self.frame),
            n_differing=int(self._outputs.differs.sum()),
            precision=measured.scores.precision,
            recall=measured.scores.recall,
            f1=measured.scores.f1,
            n_rules=len(self.rules),
            n_predicates=self.rules.n_predicates,
            fidelity=measured.fidelity,
            on_holdout=on_holdout,
            measured_rows=measured.rows,
            measured_differing=measured.differing,
        )

    def predict(self, X: Any) -> NDArray[np.bool_]:
        """For each row of ``X``: are the models predicted to differ on it?"""
        leaves = self.tree.apply(X)
        claimed = np.zeros((self.tree.n_nodes, self.tree.n_nodes), dtype=bool)
        for first, second in self._claimed:
            claimed[first, second] = True
        return np.asarray(claimed[leaves[:, 0], leaves[:, 1]])

    def reaches(self, node: str) -> NDArray[np.bool_]:
        """For each row of ``frame``: does it pass through the node with this id?"""
        path = self.tree.path(self.tree.ids.index(node))
        inside = np.ones(len(self.frame), dtype=bool)
        for condition in conditions(path_box(path, self.tree.columns), self.tree.columns):
            inside &= condition.mask(self.frame)
        return inside

    @cached_property
    def refinable(self) -> tuple[str, ...]:
        """Ids of the leaves that one more refinement step would split.

        Those that take part in a diff rule although their own model gives more than one label
        there. A leaf whose rows are all alike is among them, and stays as it is.
        """
        return tuple(self.tree.ids[leaf] for leaf in self._impure)

    def refine(self, n: int = 1) -> ModelDiff:
        """A new diff after ``n`` refinement steps; this one stays as it is.

        Each step splits every leaf in `refinable` once more for its own model, and reads the
        rules again. Expect a higher precision and a lower recall. Where nothing is left to
        split, the diff itself comes back.
        """
        if not isinstance(n, Integral) or n < 0:
            raise InputError(f"n={n!r}: the number of refinement steps is a whole number from 0.")
        refined = self
        for _ in range(int(n)):
            refined = refined._refined_once()
        return refined

    def summary(self) -> str:
        """The headline in words."""
        return str(headline(self))

    def to_dict(self) -> dict[str, Any]:
        """All that a view shows, as plain values ready for JSON."""
        from imd_widget.viewmodel import view_of

        return cast("dict[str, Any]", view_of(self))

    def to_html(self, path: str | Path) -> Path:
        """Write one self-contained interactive page; its path."""
        from imd_widget.export import write_page

        return write_page(self, Path(path))

    def __repr__(self) -> str:
        return f"<ModelDiff: {self.summary()}>"

    @cached_property
    def _counts(self) -> RegionCounts:
        return self._source.regions(self.tree)

    @cached_property
    def _claimed(self) -> frozenset[tuple[int, int]]:
        return frozenset((region.first, region.second) for region in self._regions)

    @cached_property
    def _impure(self) -> list[int]:
        taking_part = {leaf for pair in self._claimed for leaf in pair}
        return [leaf for leaf in sorted(taking_part) if self.tree.is_impure(leaf)]

    def _refined_once(self) -> ModelDiff:
        if not self._impure:
            return self
        minimum = self._options.min_samples_leaf
        tree = split_leaves(self.tree, self._source, self._impure, minimum)
        if tree.n_nodes == self.tree.n_nodes:
            return self
        regions = tuple(differing_regions(tree))
        return replace(self, tree=tree, refinements=self.refinements + 1, _regions=regions)


def _options(method: str, max_depth: Any, alpha: Any, min_samples_leaf: Any) -> GrowthOptions:
    """The options of growth, checked."""
    known = get_args(Method)
    if method not in known:
        raise InputError(f"method={method!r} is not known. Choose one of {', '.join(known)}.")
    _check_whole("max_depth", max_depth, 1, 30)
    _check_whole("min_samples_leaf", min_samples_leaf, 1, None)
    if method == "separate":
        if alpha is not None:
            raise InputError(
                f'alpha={alpha!r} has no meaning with method="separate", which is alpha=1. '
                'Leave it out, or use method="imd".'
            )
        alpha = 1.0
    if alpha is not None and not (isinstance(alpha, float | int | np.number) and alpha <= 1):
        raise InputError(
            f"alpha={alpha!r}: a number up to 1 is needed. 1 parts the surrogates at the root, "
            "smaller numbers keep them together longer; None uses the paper's condition (6)."
        )
    return GrowthOptions(max_depth, None if alpha is None else float(alpha), min_samples_leaf)


def _check_rest(max_bins: Any, test_size: Any, random_state: Any) -> None:
    if max_bins is not None:
        _check_whole("max_bins", max_bins, 2, 65_535)
    if not (isinstance(test_size, float | int | np.number) and 0 <= test_size < 1):
        raise InputError(
            f"test_size={test_size!r}: the share of rows to keep aside is a number from 0 to "
            "below 1, for example 0.25."
        )
    _check_whole("random_state", random_state, 0, None)


def _check_whole(name: str, value: Any, low: int, high: int | None) -> None:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        limits = f"from {low} up" if high is None else f"from {low} to {high}"
        raise InputError(f"{name}={value!r}: a whole number {limits} is needed.")
