"""`ModelDiff`: the result of `diff`, with its rules, metrics, predictions and exports."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.bars import progress_bar
from imd_widget._base.displayed import Report
from imd_widget._base.errors import Argument, Given, InputError, Setting
from imd_widget._base.frozen import read_only
from imd_widget._base.late import pending
from imd_widget._base.plain import to_json
from imd_widget._base.validation import check_whole
from imd_widget._base.verbs import verb
from imd_widget.comparison.advice import suggest
from imd_widget.comparison.alternatives import (
    Alternatives,
    compare_alternatives,
    possible_methods,
)
from imd_widget.comparison.cohort import Cohort, cohort
from imd_widget.comparison.crosstab import cross_table
from imd_widget.comparison.diff_rows import DiffRows
from imd_widget.comparison.equivalence import Equivalence, equivalent
from imd_widget.comparison.gate import FEWEST_ROWS, check
from imd_widget.comparison.growth import GrowthStep, growth_steps
from imd_widget.comparison.options import changed_method, read_tolerance
from imd_widget.comparison.origin import Origin
from imd_widget.comparison.paired import with_statistics
from imd_widget.comparison.record import DiffRecord
from imd_widget.comparison.remeasuring import Remeasured, remeasure
from imd_widget.comparison.rows import Trace, predictions, trace
from imd_widget.comparison.rule_histograms import RuleHistogram, rule_histograms
from imd_widget.comparison.scoring import why_no_scores
from imd_widget.comparison.split_histogram import split_histograms
from imd_widget.comparison.stability import Stability, measure_stability
from imd_widget.comparison.summary import headline
from imd_widget.comparison.verdict import Limits, Verdict
from imd_widget.data.deriving import derived_from, derived_texts
from imd_widget.data.table import Table
from imd_widget.methods import GivenChoice, MethodName
from imd_widget.rules.regions import path_box

if TYPE_CHECKING:
    from imd_widget.deciding.labelled import LabelledNet
    from imd_widget.deciding.sampling import RowsToLabel
    from imd_widget.explanations.explanation import Explanation
    from imd_widget.explanations.smallest_change import SmallestChange
    from imd_widget.explanations.what_if import WhatIf
    from imd_widget.widget.diff_widget import DiffWidget


#: Parts of a file that may differ between equal diffs.
_NOT_COMPARED = ("written_by", "origin")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ModelDiff(DiffRecord):
    """Where two models differ: a joint tree, the rules read off it, and how good they are.

    A diff is immutable: `refine` returns another one, and its arrays cannot be written to. `diff`
    makes it from rows; `load` reads it from a file without rows, and whatever needs rows then
    raises an error.
    """

    _rows: DiffRows | None = None

    def __post_init__(self) -> None:
        for rule in (*self.rules, *self.agreement):
            rule.of(self)

    @classmethod
    def of(cls, rows: DiffRows) -> ModelDiff:
        """Return the diff of a fit: measures its rules, and counts what a file holds of it.

        What takes long and is not always read is computed when it is read.
        """
        measured, totals = rows.measured, rows.totals
        return cls(
            names=rows.models.names,
            column_names=rows.table.names,
            fitted_method=rows.method,
            refinements=rows.refinements,
            tree=rows.tree,
            rules=measured.rules,
            agreement=measured.agreement,
            metrics=measured.metrics,
            right=with_statistics(rows.right_from(totals.right), rows, range(rows.table.n_rows)),
            holdout_right=with_statistics(
                rows.right_from(totals.holdout_right), rows, rows.dataset.holdout
            ),
            has_own_holdout=rows.dataset.has_own_holdout,
            label_counts=cross_table(rows.compared.observations.pair_labels, totals.pairs),
            group_rates=rows.group_rates,
            has_known_rules=rows.fit.known,
            identifiers=rows.fit_input.identifiers,
            no_scores=why_no_scores(rows.dataset, rows.compared, rows.method),
            derivations=derived_texts(derived_from(rows.tree.columns)),
            origin=Origin.now(rows.models.models, rows.fit_input.tags),
            suggestions=pending(partial(suggest, rows)),
            refinable=pending(rows.refinable),
            further_groups=pending(rows.further_groups),
            split_histograms=pending(partial(split_histograms, rows.tree, rows.problem.source)),
            _rows=rows,
        )

    @property
    def has_rows(self) -> bool:
        """Whether the diff holds the rows that it was made from; False after `load`."""
        return self._rows is not None

    @property
    def rows(self) -> DiffRows:
        """The rows and the fit, for the package's own use; raises an error after `load`."""
        if self._rows is None:
            raise InputError(
                "this diff was read from a file, which holds neither rows nor models: it can be "
                "shown, plotted and saved, and it predicts. For anything else make it again: "
                "imd.diff(m1, m2, X)."
            )
        return self._rows

    @property
    def table(self) -> Table:
        """The table that the diff was made from."""
        return self.rows.table

    @property
    def derived(self) -> dict[Hashable, tuple[str, ...]]:
        """What was derived from each column for the rules, in the form that ``derive=`` takes.

        A diff from a file has what its tree and rules use.
        """
        return derived_from(self.tree.columns)

    @property
    def differs(self) -> NDArray[np.bool_]:
        """Mask of the rows of the table on which the models differ."""
        return read_only(self.rows.differs)

    @property
    def kept_aside(self) -> NDArray[np.bool_]:
        """Mask of the rows of the table that are kept aside, to measure on."""
        return read_only(self.rows.kept_aside)

    @property
    def predictions(self) -> pd.DataFrame:
        """The outputs of the models for each row of the table: two columns, named like them.

        The frame is a copy, as every frame that a result returns.
        """
        return self._predictions.copy()

    @cached_property
    def _predictions(self) -> pd.DataFrame:
        return predictions(self.rows, self.names)

    @property
    def truth(self) -> NDArray[Any] | None:
        """The ``y`` that was given for the rows of the table."""
        truth = self.rows.dataset.truth
        return None if truth is None else read_only(np.asarray(truth[: self.table.n_rows]))

    def reaches(self, node: str) -> NDArray[np.bool_]:
        """Return a mask of the rows of the table that reach the node with this id."""
        return self.rows.inside(path_box(self.path_to(node), self.tree.columns))

    def covered(self, rules: Sequence[int] | None = None) -> NDArray[np.bool_]:
        """Return a mask of the rows of the table inside one of the rules with these numbers.

        The rows are those of ``rule.mask(X)``, computed from the encoded table.

        Parameters
        ----------
        rules : sequence of int, optional
            Numbers of rules in ``rules``; from ``len(d.rules)`` on, those of the rules in
            ``agreement``. None: all of ``rules``.
        """
        inside = np.zeros(self.table.n_rows, dtype=bool)
        for number in range(len(self.rules)) if rules is None else rules:
            inside |= self.rows.inside(self.rule_at(number).box)
        return inside

    def refine(self, n: int = 1) -> ModelDiff:
        """Return a new diff after ``n`` refinement steps.

        Each step splits every node in ``refinable`` once and derives the rules again. Precision
        usually rises and recall falls. If no node can be split, the same diff is returned.

        Examples
        --------
        >>> import imd_widget as imd
        >>> pair = imd.datasets.breast_cancer_pair()
        >>> d = imd.diff(pair.m1, pair.m2, pair.X, measure="holdout")
        >>> refined = d.refine()
        >>> round(d.metrics.precision, 2), round(refined.metrics.precision, 2)
        (0.71, 0.77)
        >>> d.refinements, refined.refinements
        (0, 1)
        """
        if not isinstance(n, Integral) or n < 0:
            raise InputError(
                Given("n", n), ": the number of refinement steps is a whole number from 0."
            )
        if n == 0:
            return self
        before = self.rows
        for _ in range(int(n)):
            refined = before.refined()
            if refined is before:
                break
            before = refined
        return self if before is self._rows else ModelDiff.of(before)

    def change(
        self,
        *,
        max_depth: int | None = None,
        sensitivity: float | Literal["auto"] | None = None,
        given: GivenChoice | Literal["nothing"] | None = None,
        scores: bool | None = None,
        sets: bool | None = None,
        max_rules: int | Literal["auto"] | None = None,
        tolerance: float | str | None = None,
        method: MethodName | None = None,
        alpha: float | Literal["auto"] | None = None,
        **others: Any,
    ) -> ModelDiff:
        """Return a new diff with another depth, method, ...; no model is called again.

        Parameters
        ----------
        max_depth : int, optional
            Largest number of conditions of a surrogate; None keeps the present one.
        sensitivity : float or "auto", optional
            Share of the differing rows that the rules should cover; "auto" chooses the best
            balance. None keeps the present one.
        given : {"m1", "m2", "auto", "margins", "nothing"}, optional
            The model whose outputs rules may use; "margins" makes rules of how sure the models are,
            without the columns (of classes, ``predict_proba`` is called then); "nothing" leaves
            them the columns alone. None keeps the present one.
        scores : bool, optional
            Whether rules may use a score of either model. None keeps the present choice.
        sets : bool, optional
            Whether one split may separate several levels of a category. None keeps the present
            choice.
        max_rules : int or "auto", optional
            Largest number of rules; "auto" sets no limit. None keeps the present one.
        tolerance : float or str, optional
            For values and probabilities: two outputs differ when they are more than this apart; of
            values also a share of the larger one, "10 %". None keeps the present one.
        method : {"calibrated", "imd", "separate", "direct"}, optional
            The method; another one keeps the depth, and has its own defaults for all other options.
            None keeps the present one.
        alpha : float or "auto", optional
            Only for "imd": use condition (5) of the paper; "auto" uses condition (6). None keeps
            the present one.

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(100).reshape(100, 1)
        >>> d = imd.diff(X[:, 0] < 40, X[:, 0] < 60, X)
        >>> print(d.rules)
        0. x0 is 40 to 59: model 1 False -> model 2 True (20 of 20 rows differ; 95 % of held-out
        rows differ)
        >>> print(d.change(max_depth=1).rules)  # one question only
        0. x0 >= 40: model 1 False -> model 2 True (20 of 60 rows differ; 29 % of held-out rows
        differ)
        """
        if others:
            raise _cannot_change(others)
        wanted = {
            "max_depth": max_depth,
            "sensitivity": sensitivity,
            "given": given,
            "scores": scores,
            "sets": sets,
            "max_rules": max_rules,
            "alpha": alpha,
        }
        present = dict.fromkeys(("sensitivity", "max_rules", "alpha"), "auto")
        present["given"] = "nothing"
        changed = changed_method(
            self.fitted_method,
            {
                name: None if value == present.get(name) else value
                for name, value in wanted.items()
                if value is not None
            },
            method,
        )
        other = None if tolerance is None else read_tolerance(tolerance)
        if other is not None and self.tolerance is None:
            raise InputError(
                Given("tolerance", tolerance),
                ": classes are the same or not. Compare probabilities or values: ",
                Setting("outputs", "proba"),
                ".",
            )
        return ModelDiff.of(self.rows.changed(changed, other))

    def alternatives(self) -> Alternatives:
        """Compare what rules may use: the columns, scores, the output of a model, margins.

        Each is fitted and measured with the other options of this diff, without refinement. Models
        are not called again, but for how sure they are of classes: ``predict_proba`` is called
        once.

        Returns
        -------
        Alternatives
            For each the number of rules, and how well they predict where the models differ.
            ``d.change(**found.best.options)`` is the diff with the largest correlation.

        Examples
        --------
        >>> import imd_widget as imd
        >>> pair = imd.datasets.breast_cancer_pair()
        >>> d = imd.diff(pair.m1, pair.m2, pair.X)
        >>> found = d.alternatives()
        >>> print(found)
        columns: 4 rules, MCC 0.65
        columns and scores: 4 rules, MCC 0.76
        given LogisticRegression's output: 3 rules, MCC 0.77
        given RandomForestClassifier's output: 3 rules, MCC 0.82
        given LogisticRegression's probability of malignant: 1 rule, MCC 0.78
        >>> better = d.change(**found.best.options)
        """
        methods = possible_methods(self.rows)
        with progress_bar(total=len(methods), desc="fits", delay=1, leave=False) as bar:
            return compare_alternatives(self.rows, methods, lambda _: bar.update())

    def cohort(self, condition: Any) -> Cohort:
        """Measure a cohort of your own: the rows of the table that a condition holds for.

        Parameters
        ----------
        condition : str or array of bool, shape (n_rows,)
            As for ``DataFrame.query``, or a mask of the rows. A text must be True or False for each
            row ("smoker == 1", not "smoker"). It may hold comparisons, arithmetic, "and", "or",
            "not", "in", and methods that only read, such as ``job.str.contains('nurse')``; it is
            never run as code.

        Returns
        -------
        Cohort

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(100).reshape(100, 1)
        >>> d = imd.diff(X[:, 0] < 40, X[:, 0] < 60, X)
        >>> print(d.cohort("x0 < 50"))
        x0 < 50: 10 of 50 rows differ (20 %, 11 to 33 %; outside 20 %)
        """
        return cohort(self, condition)

    def equivalent(
        self, margin: float | str, *, of: Literal["correctness", "outputs"] | None = None
    ) -> Equivalence:
        """Test whether the models are the same within a margin.

        No significant difference does not show that two models are the same: few rows show nothing.
        This test shows it, at a level of 5 %.

        Parameters
        ----------
        margin : float or str
            The largest difference that does not matter, as a share of the rows: 0.01 or "1 %".
        of : {"correctness", "outputs"}, optional
            "correctness": the accuracies differ by less than the margin, in either direction (two
            one-sided tests); needs ``y``. "outputs": the models differ on fewer rows than the
            margin. None: correctness if ``y`` was given, else outputs.

        Returns
        -------
        Equivalence

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(1000).reshape(1000, 1)
        >>> d = imd.diff(X[:, 0] < 400, X[:, 0] < 403, X)
        >>> print(d.equivalent(0.01))
        the same within 1.00 %: the models differ on 0.30 % (0.08 to 0.77 %)
        >>> bool(d.equivalent(0.005))
        False
        """
        return equivalent(self, margin, of)

    def check(
        self,
        *,
        disagreement: float | str | None = None,
        breaks: float | str | None = None,
        rule_breaks: float | str | None = None,
        group_breaks: float | str | None = None,
        net: float | str | None = None,
        same: float | str | None = None,
        min_rows: int = FEWEST_ROWS,
        baseline: ModelDiff | str | Path | None = None,
        labels: LabelledNet | None = None,
    ) -> Verdict:
        """Compare the diff with limits, to decide about a release.

        Each limit is a share of the rows, such as 0.05 or "5 %". ``disagreement`` and ``breaks``
        limit the measured shares themselves. A net loss is the share of rows that going from model
        1 to model 2 breaks minus the share that it fixes. It fails only if it exceeds its limit
        beyond chance, at a level of 5 % for all rules or all groups together (Holm).

        Parameters
        ----------
        disagreement : float or str, optional
            The models differ on at most this share of the rows.
        breaks : float or str, optional
            On at most this share of the rows with ``y`` only model 1 is right.
        rule_breaks : float or str, optional
            The net loss inside each rule. How many rows change is measured on rows that were not
            used to find the rule; breaks against fixes count on all rows inside.
        group_breaks : float or str, optional
            The net loss in each group of ``by``, also of groups that ``d.by`` shows together.
        net : float or str, optional
            The net loss over all rows.
        same : float or str, optional
            The margin within which the models are shown to be the same, see `equivalent`.
        min_rows : int, default=10
            Rules and groups with fewer rows are not checked; ``notes`` of the verdict lists them.
        baseline : ModelDiff, str or Path, optional
            The diff of the same models of last time, or its file. Rows inside its rules are known:
            ``disagreement``, ``breaks`` and ``rule_breaks`` count the other rows only.
        labels : LabelledNet, optional
            The result of `with_labels`, with which ``net`` is checked; ``y`` is then not needed.

        Returns
        -------
        Verdict

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(400).reshape(400, 1)
        >>> old, truth = X[:, 0] >= 100, X[:, 0] >= 100
        >>> d = imd.diff(old, old & (X[:, 0] < 370), X, y=truth)
        >>> verdict = d.check(breaks=0.1, rule_breaks=0.05)
        >>> verdict.passed
        False
        >>> print(verdict)
        FAILED: rule 0: x0 >= 370: net loss 100.0 % (77.3 to 100.0 %) of 29 held-out rows (30 in
        all), above the limit of 5.0 %.
        """
        limits = Limits.of(
            {
                "disagreement": disagreement,
                "breaks": breaks,
                "rule_breaks": rule_breaks,
                "group_breaks": group_breaks,
                "net": net,
                "same": same,
            }
        )
        return check(self, limits, min_rows, baseline, labels)

    def measure(
        self,
        m1: Any,
        m2: Any,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        groups: Any = None,
        pos_label: Any = None,
    ) -> Remeasured:
        """Measure the rules on new rows, such as those of next week; no rule is fitted again.

        Rules that are fitted again differ from week to week even if the models do not. This
        compares the same regions. A diff that was read from a file can be measured too.

        Parameters
        ----------
        m1, m2 : model, callable, array of outputs, or name of a column of ``X``
            The models, as for `imd_widget.diff`.
        X : table
            The new rows, with the columns that the rules name.
        y : array of shape (n_rows,), optional
            The true outputs.
        sample_weight, groups : array of shape (n_rows,), optional
            As for `imd_widget.diff`.
        pos_label : label, optional
            The class whose probability is compared; by default that of the diff, which a file does
            not hold.

        Returns
        -------
        Remeasured
            For each rule, for what lies outside all rules and for all rows: rate and net then and
            now, and tests of the change.

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(400).reshape(400, 1)
        >>> d = imd.diff(X[:, 0] < 160, X[:, 0] < 240, X)
        >>> print(d.measure(X[:, 0] < 160, X[:, 0] < 200, X))
        rule 0: x0 is 159 to 240: 94.0 % of the 83 rows not used to find it differed, 48.8 % of 82
        rows differ (changed)
        outside all rules: 0.6 % of 317 rows differed, 0.0 % of 318 rows differ
        all rows: 20.0 % of 400 rows differed, 10.0 % of 400 rows differ (changed)
        """
        options = {"sample_weight": sample_weight, "groups": groups, "pos_label": pos_label}
        return remeasure(self, m1, m2, X, y=y, **options)

    def to_label(self, n: int = 60, *, outputs: bool = False, random_state: int = 0) -> RowsToLabel:
        """Draw rows to be labelled, so that few labels decide which model is better.

        Where two classifiers agree, no label decides between them. So only rows on which they
        differ are drawn, at random within strata: each rule, and the other differences, in
        proportion to their rows. Of values and probabilities some rows are drawn that agree within
        the tolerance, too. The models are not called.

        Parameters
        ----------
        n : int, default=60
            Number of rows; fewer if the models differ on fewer.
        outputs : bool, default=False
            Whether the outputs of the models are shown, which may influence who labels the rows.
        random_state : int, default=0
            Draws the rows.

        Returns
        -------
        RowsToLabel
            ``.frame`` has the rows, and ``.save("label.csv")`` writes them. Fill in the column
            ``label`` and pass it to `with_labels`.

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(1000).reshape(1000, 1)
        >>> old, new = X[:, 0] < 400, X[:, 0] < 500
        >>> d = imd.diff(old, new, X, names=("old", "new"))
        >>> to_label = d.to_label(40)
        >>> print(to_label)
        40 rows to label: 40 of 100 in rule 0.
        >>> filled = to_label.frame
        >>> filled["label"] = filled["x0"] < 480
        >>> print(d.with_labels(filled))
        40 labels: new is right on about 60 more of 1,000 rows than old, net +6.0 % (+3.3 to
        +9.0 %). As precise as 495 labels of random rows.
        """
        found: RowsToLabel = verb("to_label")(self, n, outputs, random_state)
        return found

    def with_labels(self, labels: Any, *, other_labels: Sequence[Any] = ()) -> LabelledNet:
        """Return which model is better, with an interval, from labels of rows of `to_label`.

        Parameters
        ----------
        labels : str, Path, DataFrame, Series or mapping
            The file or frame of `to_label` with the column ``label`` filled in; or labels by the
            position of their row in the table. Rows that were chosen otherwise than by `to_label`
            would bias the result. A row without a line counts as one like the others of its
            stratum.
        other_labels : sequence of labels, optional
            Labels that are true although no model predicts them.

        Returns
        -------
        LabelledNet
            The net of fixes and breaks for all rows, with its interval and p-value; see there.
        """
        read = verb("read_labels")(self, labels, other_labels)
        found: LabelledNet = verb("labelled_net")(self, read)
        return found

    def to_markdown(self, verdict: Verdict | None = None) -> str:
        """Return headline, rules and groups as Markdown, for a comment on a pull request.

        Parameters
        ----------
        verdict : Verdict, optional
            The verdict of `check`, which then comes first.
        """
        return cast("str", verb("markdown")(self, verdict))

    def histograms(self, rules: Sequence[int]) -> list[RuleHistogram]:
        """Return a histogram of each column of some rules, inside and outside them."""
        columns = dict.fromkeys(column for number in rules for column in self.rule_at(number).box)
        return rule_histograms(self.rows, list(columns), self.covered(rules))

    def growth(self) -> tuple[GrowthStep, ...]:
        """Return how the joint tree grows, node by node; no model is called.

        Each step has the best split for model 1, for model 2 and for both, what impurity each
        leaves (the paper's imp1, imp2 and imp12), and why the surrogates share a split or part.

        Returns
        -------
        tuple of GrowthStep
            Level by level. Leaves are no steps.

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(200).reshape(200, 1)
        >>> d = imd.diff(X[:, 0] < 80, X[:, 0] < 120, X, method="imd", measure="none")
        >>> step = d.growth()[0]
        >>> step.kind, step.split1, step.split2
        ('part', 'x0 < 80', 'x0 < 120')
        >>> step.reason[:31]
        'They part: imp1 and imp2 are 0:'
        """
        return growth_steps(self.rows.problem, self.rows.fit, self.names)

    def stability(self, n: int = 20, *, random_state: int = 0) -> Stability:
        """Look for each rule again in ``n`` resamples of the rows; no model is called.

        A resample draws as many rows as were used to fit, with replacement; with groups, whole
        groups. A rule is found again if a rule fitted there overlaps it by at least half: of the
        rows inside either, at least half, by weight, lie inside both.

        Parameters
        ----------
        n : int, default=20
            Number of resamples.
        random_state : int, default=0
            Chooses the resamples.

        Returns
        -------
        Stability

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(400).reshape(400, 1)
        >>> d = imd.diff(X[:, 0] < 160, X[:, 0] < 240, X)
        >>> d.stability(5).found_share
        (1.0,)
        """
        check_whole("n", n, 1, None)
        check_whole("random_state", random_state, 0, None)
        with progress_bar(total=int(n), desc="resamples", delay=1, leave=False) as bar:
            return measure_stability(self.rows, int(n), int(random_state), lambda _: bar.update())

    def explain(
        self,
        where: Any = None,
        *,
        row: int | None = None,
        pos_label: Any = None,
        segments: Any = None,
        n_points: int = 20,
        max_samples: int = 1000,
        max_calls: int = 50_000,
        max_depth: int = 4,
        random_state: int = 0,
    ) -> Explanation:
        """Explain both models side by side, and their difference, on some rows of the table.

        Nothing is computed before it is read. The same arguments give the same object.

        Parameters
        ----------
        where : Rule, str, Cohort or array of bool of shape (n_rows,), optional
            The rows to explain: a rule of the diff, the id of a node, a condition as in `cohort`
            ("age < 30"), a cohort, or a mask of the rows. None: all rows. Surrogates need at least
            20 rows.
        row : int, optional
            Position of a row, which is then explained by itself too; it must be one of these rows.
        pos_label : label, optional
            Of classes: the class whose probability is explained. By default the second of two
            classes; of more, the later of the two that the rule is about. Where a model gives no
            probabilities, the votes of both models are explained: 1 for this class, 0 for others.
        segments : str or array of shape (n_rows,), optional
            For K-LIME: a column, or a value for each row, whose groups get a linear model each. By
            default the rows are put into clusters by k-means.
        n_points : int, default=20
            Number of points of a curve at most.
        max_samples : int, default=1000
            Number of rows that a curve is averaged over at most, chosen by a hash of their
            positions.
        max_calls : int, default=50000
            Number of rows that each model is called with at most for each technique: for
            contributions, the curves of eight columns, the conditions of a rule, interactions, a
            map, or a row. More make the standard errors of contributions smaller.
        max_depth : int, default=4
            Depth of the decision tree surrogates.
        random_state : int, default=0
            Chooses these rows, the rows kept aside for the surrogates, and the surrogates.

        Returns
        -------
        Explanation

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> import imd_widget as imd
        >>> X = pd.DataFrame({"age": np.tile(np.arange(20.0, 70.0), 8)})
        >>> d = imd.diff(lambda t: t["age"], lambda t: (t["age"] - 45).abs(), X, outputs="value")
        >>> curves = d.explain().partial_dependence("age", grid=[30, 45, 60])
        >>> curves.first, curves.second, curves.difference
        (array([30., 45., 60.]), array([15.,  0., 15.]), array([15., 45., 45.]))
        """
        explanation: Explanation = verb("explain")(
            self,
            where,
            row=row,
            pos_label=pos_label,
            segments=segments,
            n_points=n_points,
            max_samples=max_samples,
            max_calls=max_calls,
            max_depth=max_depth,
            random_state=random_state,
        )
        return explanation

    def what_if(
        self,
        row: int,
        changes: Mapping[Hashable, Any] | None = None,
        /,
        *,
        max_calls: int = 50_000,
        **values: Any,
    ) -> WhatIf:
        """Return what both models give for a row of the table with some other values.

        Parameters
        ----------
        row : int
            Position of the row in the table.
        changes : mapping, optional
            The other values by the name of their column, for names that are not Python names:
            ``d.what_if(17, {"worst area": 800})``.
        max_calls : int, default=50000
            Number of rows that each model is called with at most for contributions.
        **values
            The same by keyword: ``d.what_if(17, age=40)``. None stands for a missing value.

        Returns
        -------
        WhatIf

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> import imd_widget as imd
        >>> X = pd.DataFrame({"age": np.tile(np.arange(20, 70), 8)})
        >>> d = imd.diff(lambda t: t["age"] < 40, lambda t: t["age"] < 50, X, names=("a", "b"))
        >>> print(d.what_if(25))
        Row 25: a gives False, b True. They differ.
        >>> print(d.what_if(25, age=60))
        With age 60 instead of 45, a still gives False, b gives False instead of True. They now
        agree.
        """
        found: WhatIf = verb("what_if")(self, row, changes, values, max_calls=max_calls)
        return found

    def smallest_change(self, row: int, *, max_calls: int = 50_000) -> SmallestChange:
        """Return the smallest change of a row after which the models agree.

        Only values that occur in the table are tried: first those of one column, then, if none of
        them is enough, those of two columns. The size of a change is the share of rows whose value
        lies between the old and the new one; a change of category counts 0.5.

        Parameters
        ----------
        row : int
            Position of the row in the table.
        max_calls : int, default=50000
            Number of rows that each model is called with at most.

        Returns
        -------
        SmallestChange

        Examples
        --------
        >>> import numpy as np
        >>> import pandas as pd
        >>> import imd_widget as imd
        >>> X = pd.DataFrame({"age": np.tile(np.arange(20, 70), 8)})
        >>> d = imd.diff(lambda t: t["age"] < 40, lambda t: t["age"] < 50, X, names=("a", "b"))
        >>> print(d.smallest_change(22))
        The models agree on row 22 with age 39 instead of 42: both give True.
        """
        found: SmallestChange = verb("smallest_change")(self, row, max_calls=max_calls)
        return found

    @cached_property
    def explanations(self) -> dict[Hashable, Explanation]:
        """The explanations that were made last, by their arguments."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {name: own for name, own in self.__dict__.items() if name != "explanations"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()

    def trace(self, row: int) -> Trace:
        """Return the path of one row of the table, given by its number, through both surrogates.

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(100).reshape(100, 1)
        >>> d = imd.diff(X[:, 0] < 40, X[:, 0] < 60, X)
        >>> way = d.trace(50)
        >>> way.said, way.rules
        (('False', 'True'), (0,))
        """
        return trace(self, row)

    def summary(self) -> str:
        """Return the headline as text."""
        return str(headline(self))

    def to_dict(self) -> dict[str, Any]:
        """Return the content of a view as plain values that JSON can encode."""
        return cast("dict[str, Any]", to_json(verb("view_of")(self)))

    def show(self, **options: Any) -> DiffWidget:
        """Return a widget that shows the diff; ``options`` are those of `imd_widget.show`."""
        return cast("DiffWidget", verb("show")(self, **options))

    def plot(
        self,
        ax: Any = None,
        *,
        differences_only: bool = True,
        orientation: str = "right",
        headline: bool = True,
    ) -> Any:
        """Draw the tree with matplotlib and return the axes.

        Rules carry the numbers that they have in ``rules``.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw: the tree is scaled to fit, its text with it. None: a new figure, as large
            as the tree needs it with text of 8 to 9 points.
        differences_only : bool, default=True
            Whether parts in which the models agree are folded, and regions that are one rule as a
            whole are not taken apart.
        orientation : {"right", "down"}, default="right"
            Where the tree grows to.
        headline : bool, default=True
            Whether the headline and its bar of all rows stand above the tree.

        Returns
        -------
        matplotlib Axes

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(100).reshape(100, 1)
        >>> d = imd.diff(X[:, 0] < 40, X[:, 0] < 60, X)
        >>> ax = d.plot()
        >>> ax.figure.savefig("tree.pdf", bbox_inches="tight")  # doctest: +SKIP
        """
        options = {"differences_only": differences_only, "orientation": orientation}
        return verb("plot")(self, ax, headline=headline, **options)

    @overload
    def to_html(
        self, path: str | Path, *, refinements: int = 3, rows: int = 0, explain: bool = False
    ) -> Path: ...

    @overload
    def to_html(
        self, path: None = None, *, refinements: int = 3, rows: int = 0, explain: bool = False
    ) -> str: ...

    def to_html(
        self,
        path: str | Path | None = None,
        *,
        refinements: int = 3,
        rows: int = 0,
        explain: bool = False,
    ) -> Path | str:
        """Write one self-contained interactive page and return its path, or return its HTML.

        Parameters
        ----------
        path : str or Path, optional
            None: the HTML is returned, for example for an app that draws it in a frame.
        refinements : int, default=3
            Refinement steps to take along, as far as there are any.
        rows : int, default=0
            Rows of the table to take along, drawn at random: of each rule in proportion to its
            rows, and a few at least. The page states what it holds.
        explain : bool, default=False
            Whether the page explains why the models differ, on all rows and on each of the first 20
            rules; see `explain`. Only columns that rules may use are explained. Numbers and
            dates are rounded, and categories that fewer than 10 rows have are left out, so that no
            value of a single row is shown.
        """
        options = {"refinements": refinements, "rows": rows, "explain": explain}
        if path is None:
            return cast("str", verb("page_text")(self, **options))
        return cast("Path", verb("save")(self, path, suffix=".html", **options))

    def save(
        self, path: str | Path, *, refinements: int = 3, rows: int = 0, explain: bool = False
    ) -> Path:
        """Write the diff in the format given by the suffix of ``path``, and return the path.

        Parameters
        ----------
        path : str or Path
            ``.html``: an interactive page, see `to_html`. ``.svg``, ``.png``: the tree, see `plot`.
            ``.json``: all of it, for `load`. ``.csv``: the rules. ``.md``: headline and rules.
            ``.py``: tests for pytest, which fail if scored rows contradict the rules.
        refinements, rows, explain
            For a page: what it holds, see `to_html`. With ``explain`` a ``.md`` file explains the
            first five rules, too.
        """
        options = {"refinements": refinements, "rows": rows, "explain": explain}
        return cast("Path", verb("save")(self, path, **options))

    def to_frame(self) -> pd.DataFrame:
        """Return the rules as a table: ``d.rules.to_frame()``."""
        return self.rules.to_frame()

    def _repr_html_(self) -> str:
        return Report((self.summary(),)).html() + str(verb("rule_tables")(self))

    def __eq__(self, other: object) -> bool:
        """Whether files of both would hold the same; rows, models and times are not compared."""
        if self is other or not isinstance(other, ModelDiff):
            return self is other
        if (self.names, self.refinements, self.rules) != (
            other.names,
            other.refinements,
            other.rules,
        ):
            return False
        contents = verb("contents")
        one, two = (
            {name: part for name, part in contents(diff).items() if name not in _NOT_COMPARED}
            for diff in (self, other)
        )
        return bool(one == two)

    def __hash__(self) -> int:
        return hash((self.names, self.refinements, len(self.rules), self.metrics.n_differing))

    def __repr__(self) -> str:
        return f"<ModelDiff: {self.summary()}>"


def _cannot_change(others: Mapping[str, Any]) -> InputError:
    """Return the error for an option that needs the comparison to be made again."""
    name, *_ = others
    return InputError(
        Argument(name),
        " cannot be changed in a diff: d.change takes max_depth, sensitivity, given, scores, "
        "max_rules, tolerance, method and alpha. Make the diff again: "
        f"imd.diff(m1, m2, X, {name}=...).",
    )
