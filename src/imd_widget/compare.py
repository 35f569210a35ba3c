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
from numpy.typing import NDArray

from imd_widget.augment import copies, neighbours
from imd_widget.errors import InputError
from imd_widget.inputs import Outputs, ask, can_be_asked, model_names, outputs_of
from imd_widget.methods import Fit, Method, MethodOptions, Problem, Teacher, fit, refinable, refine
from imd_widget.metrics import Metrics, measure
from imd_widget.rules.regions import conditions, path_box, rules_from
from imd_widget.rules.rule import RuleSet
from imd_widget.sampling import holdout_rows
from imd_widget.summary import headline
from imd_widget.table import EncodedTable, Table, encode, find_columns, open_table
from imd_widget.tree.histogram import LocalSource
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.splitter import Layout


def diff(
    m1: Any,
    m2: Any,
    X: Any,
    *,
    names: Sequence[str] | None = None,
    max_depth: int = 6,
    method: Method = "calibrated",
    alpha: float | None = None,
    diff_weight: float = 5.0,
    min_samples_leaf: int | None = None,
    rule_cost: float = 0.005,
    max_rules: int | None = None,
    sensitivity: float | None = None,
    augment: Literal["neighbours"] | None = None,
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
        already have. Each is asked once, for the whole table as you gave it (with ``augment`` once
        more, for the new rows).
    X : pandas, polars or pyarrow table, or ndarray of shape (n_rows, n_columns)
        Numbers, booleans, text, categories, dates and times; values may be missing. No ground
        truth is needed.
    names : sequence of two str, optional
        What to call the models; by default their classes' names.
    max_depth : int, default=6
        Largest number of conditions of a surrogate.
    method : {"calibrated", "imd", "separate", "direct"}, default="calibrated"
        "calibrated": a joint tree that looks for the differences, cut back to the few questions
        that tell where they are; regions are claimed by their rate of difference. "imd": the
        paper's joint tree. "separate": two trees that share nothing. "direct": one decision tree
        on "differs".
    alpha : float, optional
        Of "imd": the paper's condition (5) in place of (6). The surrogates part where their best
        separate splits together cost at most ``alpha`` times the best common split. At most 1.
    diff_weight : float, default=5
        Of "calibrated": how much a shared split looks for the differences; 0 looks for the two
        models alone.
    min_samples_leaf : int, optional
        Rows that both sides of a split keep at least: 5 for "calibrated", 1 for the others.
    rule_cost : float, default=0.005
        Of "calibrated": share of all differences that a question must be worth to stay.
    max_rules : int, optional
        Of "calibrated": raises ``rule_cost`` until there are no more rules than this.
    sensitivity : float, optional
        Of "calibrated": share of the differing rows that the rules should cover, from 0 to 1. More
        of them at the cost of precision. None: the best F1.
    augment : {"neighbours"}, optional
        Of "calibrated": ask the models about new rows between those of the table as well, when
        looking for the differences. For small tables (below some 2,000 rows) and models that can
        be asked. Nothing that is shown or measured counts a new row.
    max_bins : int or None, default=255
        Parts that a column is cut into at most, at quantiles. None: a threshold between every two
        values that occur.
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
    options = _options(
        method, max_depth, alpha, diff_weight, min_samples_leaf, rule_cost, max_rules, sensitivity
    )
    _check_rest(max_bins, test_size, random_state)
    _check_augment(augment, method, m1, m2)
    both = model_names(m1, m2, names)
    table = open_table(X)
    holdout = holdout_rows(table.n_rows, float(test_size), int(random_state))
    encoded = encode(table, find_columns(table, ~holdout, max_bins))
    first, second = (ask(m, X, table.n_rows, name) for m, name in ((m1, "m1"), (m2, "m2")))
    more = None
    if augment is not None:
        more = open_table(neighbours(table, encoded, np.flatnonzero(~holdout), int(random_state)))
        first = np.concatenate([first, ask(m1, more.native, more.n_rows, "m1")])
        second = np.concatenate([second, ask(m2, more.native, more.n_rows, "m2")])
    said = outputs_of(first, second, class_names)
    outputs = said.head(table.n_rows)
    layout = Layout.of(encoded.columns, outputs.pairs, len(outputs.labels))
    source = LocalSource(encoded.columns, encoded.codes, outputs.pair, holdout, layout)
    teacher = None if more is None else _teacher(encoded, holdout, more, said, layout)
    problem = Problem(source, outputs.labels, outputs.pairs, options, teacher)
    return ModelDiff(
        names=both,
        table=table,
        refinements=0,
        _outputs=outputs,
        _problem=problem,
        _fit=fit(problem),
    )


@dataclass(frozen=True, eq=False, repr=False)
class ModelDiff:
    """Where two models differ: a joint tree, the rules read off it, and how good they are.

    Immutable: `refine` gives another one. Made by `diff`.

    Attributes
    ----------
    names : tuple of two str
        What the models are called.
    table : Table
        The table it was made from.
    refinements : int
        Number of refinement steps done.
    """

    names: tuple[str, str]
    table: Table
    refinements: int
    _outputs: Outputs
    _problem: Problem
    _fit: Fit

    @property
    def tree(self) -> JointTree:
        """The two surrogates with their shared part."""
        return self._fit.tree

    @property
    def method(self) -> Method:
        """How it was made."""
        return self._problem.options.method

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
        return RuleSet(rules_from(self.tree, self._fit.regions))

    @cached_property
    def metrics(self) -> Metrics:
        """How good the rules are, on the rows kept aside where there are any."""
        counts = self._fit.counts
        on_holdout = bool(counts.holdout)
        claimed = {pair for region in self._fit.regions for pair in region.leaves}
        rows = counts.holdout if on_holdout else counts.fit
        measured = measure(self.tree, rows, claimed)
        return Metrics(
            n_rows=self.table.n_rows,
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
        encoded = encode(open_table(X), self.tree.columns)
        claimed = np.zeros(encoded.n_rows, dtype=bool)
        for region in self._fit.regions:
            claimed |= region.holds(encoded.codes, encoded.n_rows)
        return claimed

    def reaches(self, node: str) -> NDArray[np.bool_]:
        """For each row of the table: does it pass through the node with this id?"""
        if node not in self.tree.ids:
            raise InputError(f"there is no node {node!r}: d.tree.ids has them all.")
        path = self.tree.path(self.tree.ids.index(node))
        inside = np.ones(self.table.n_rows, dtype=bool)
        for condition in conditions(path_box(path, self.tree.columns), self.tree.columns):
            inside &= condition.mask(self.table)
        return inside

    @cached_property
    def refinable(self) -> tuple[str, ...]:
        """Ids of the nodes that one more refinement step would split.

        Of "imd" and "separate": leaves that take part in a rule although their own model gives
        more than one label there. Of "calibrated" and "direct": regions that are rules although
        the models do not differ on every row, and of which a question can tell a part that should
        be none. One whose rows are all alike cannot be split, and is not among them.
        """
        return tuple(self.tree.ids[node] for node in refinable(self._problem, self._fit))

    def refine(self, n: int = 1) -> ModelDiff:
        """A new diff after ``n`` refinement steps; this one stays as it is.

        Each step splits every node in `refinable` once more and reads the rules again. Expect a
        higher precision and a lower recall. Where nothing is left to split, the diff itself comes
        back.
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

    def _refined_once(self) -> ModelDiff:
        refined = refine(self._problem, self._fit)
        if refined is self._fit:
            return self
        return replace(self, refinements=self.refinements + 1, _fit=refined)


def _teacher(
    encoded: EncodedTable,
    holdout: NDArray[np.bool_],
    more: Table,
    said: Outputs,
    layout: Layout,
) -> Teacher:
    """The rows used to fit, as often as they count, and the new rows."""
    times = copies(int((~holdout).sum()), more.n_rows)
    rows = np.concatenate(
        [
            np.repeat(np.flatnonzero(~holdout), times),
            np.arange(encoded.n_rows, encoded.n_rows + more.n_rows),
        ]
    )
    new = encode(more, encoded.columns)
    codes = [
        np.concatenate([old, added])[rows]
        for old, added in zip(encoded.codes, new.codes, strict=True)
    ]
    nothing_aside = np.zeros(len(rows), dtype=bool)
    return Teacher(
        LocalSource(encoded.columns, codes, said.pair[rows], nothing_aside, layout), times
    )


def _options(
    method: Any,
    max_depth: Any,
    alpha: Any,
    diff_weight: Any,
    min_samples_leaf: Any,
    rule_cost: Any,
    max_rules: Any,
    sensitivity: Any,
) -> MethodOptions:
    """The options of a method, checked."""
    known = get_args(Method)
    if method not in known:
        raise InputError(f"method={method!r} is not known. Choose one of {', '.join(known)}.")
    _check_whole("max_depth", max_depth, 1, 30)
    if min_samples_leaf is None:
        min_samples_leaf = 5 if method == "calibrated" else 1
    _check_whole("min_samples_leaf", min_samples_leaf, 1, None)
    if max_rules is not None:
        _check_whole("max_rules", max_rules, 1, None)
    if alpha is not None:
        if method != "imd":
            raise InputError(
                f'alpha={alpha!r} has no meaning with method="{method}": it is the paper\'s '
                'condition for parting. Leave it out, or use method="imd".'
            )
        if not (_is_number(alpha) and alpha <= 1):
            raise InputError(
                f"alpha={alpha!r}: a number up to 1 is needed. 1 parts the surrogates at the root, "
                "smaller numbers keep them together longer; None uses the paper's condition (6)."
            )
    for name, value in (("max_rules", max_rules), ("sensitivity", sensitivity)):
        if value is not None and method != "calibrated":
            raise InputError(
                f'{name}={value!r} has no meaning with method="{method}": leave it out, or use '
                'method="calibrated".'
            )
    for name, value in (("diff_weight", diff_weight), ("rule_cost", rule_cost)):
        if not (_is_number(value) and 0 <= value < np.inf):
            raise InputError(f"{name}={value!r}: a number from 0 up is needed.")
    if sensitivity is not None and not (_is_number(sensitivity) and 0 <= sensitivity <= 1):
        raise InputError(
            f"sensitivity={sensitivity!r}: the share of differing rows to cover is a number from 0 "
            "to 1; None chooses the best F1."
        )
    return MethodOptions(
        method,
        int(max_depth),
        int(min_samples_leaf),
        None if alpha is None else float(alpha),
        float(diff_weight),
        float(rule_cost),
        None if max_rules is None else int(max_rules),
        None if sensitivity is None else float(sensitivity),
    )


def _check_augment(augment: Any, method: str, m1: Any, m2: Any) -> None:
    if augment is None:
        return
    if augment != "neighbours":
        raise InputError(f'augment={augment!r} is not known. Choose "neighbours" or None.')
    if method != "calibrated":
        raise InputError(f'augment has no meaning with method="{method}": use "calibrated".')
    for name, model in (("m1", m1), ("m2", m2)):
        if not can_be_asked(model):
            raise InputError(
                f"augment asks the models about new rows, and {name} is an array of outputs. Pass "
                "the model itself or a function, or leave augment out."
            )


def _check_rest(max_bins: Any, test_size: Any, random_state: Any) -> None:
    if max_bins is not None:
        _check_whole("max_bins", max_bins, 2, 65_535)
    if not (_is_number(test_size) and 0 <= test_size < 1):
        raise InputError(
            f"test_size={test_size!r}: the share of rows to keep aside is a number from 0 to "
            "below 1, for example 0.25."
        )
    _check_whole("random_state", random_state, 0, None)


def _is_number(value: Any) -> bool:
    return isinstance(value, float | int | np.number) and not isinstance(value, bool)


def _check_whole(name: str, value: Any, low: int, high: int | None) -> None:
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < low or (high is not None and value > high):
        limits = f"from {low} up" if high is None else f"from {low} to {high}"
        raise InputError(f"{name}={value!r}: a whole number {limits} is needed.")
