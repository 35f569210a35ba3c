"""`DiffRecord`: what a file holds of a diff, and what can be computed from that."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from imd_widget._base.errors import InputError
from imd_widget._base.kinds import OutputKind
from imd_widget._base.late import Late
from imd_widget.comparison.advice import Advice
from imd_widget.comparison.by_groups import ByGroups, FurtherGroups
from imd_widget.comparison.crosstab import CrossTable
from imd_widget.comparison.metrics import Metrics
from imd_widget.comparison.origin import Origin
from imd_widget.comparison.split_histogram import SplitHistogram
from imd_widget.methods import Calibrated, Method, MethodName
from imd_widget.outputs.correctness import Right
from imd_widget.rules.rule import Rule, RuleSet
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import NONE, Step


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class DiffRecord:
    """What a file holds of a diff: each part is declared here and nowhere else."""

    #: Names of the models.
    names: tuple[str, str]
    #: Names of the columns of the table.
    column_names: tuple[Hashable, ...]
    #: The method with its options.
    fitted_method: Method
    #: Number of refinement steps done.
    refinements: int
    #: The two surrogates with their shared part.
    tree: JointTree
    #: The diff rules; each next one adds most to those before it.
    rules: RuleSet
    #: The rules of agreement: where the models agree although they mostly differ. Empty unless they
    #: differ on more than half of the rows used to fit; "calibrated" only.
    agreement: RuleSet
    #: The metrics of the rules; their ``measured_by`` names the rows they come from.
    metrics: Metrics
    #: How often either model is right, over all rows of the table and over the rows kept aside;
    #: None without ``y``. Deprecated: read ``correctness``, which is one of them.
    right: Right | None
    holdout_right: Right | None
    #: Whether the rows kept aside are a separate table.
    has_own_holdout: bool
    #: Rows of the table by the labels of both models; None for numbers. See ``crosstab``.
    label_counts: CrossTable | None
    #: Rates by group; None without ``by``. See ``ModelDiff.by``.
    group_rates: ByGroups | None
    #: Whether the rules are those of a patched model, and were not fitted.
    has_known_rules: bool = False
    #: Names of columns with a different value in nearly every row, which no rule can use.
    identifiers: tuple[str, ...] = ()
    #: Why there are no scores although they were asked for; empty if there are some.
    no_scores: str = ""
    #: What rules may use of texts and dates, in words: "words and length of review".
    derivations: tuple[str, ...] = ()
    #: When and from which models the diff was made; None for a file of an early release.
    origin: Origin | None = None
    #: Changes of options that would explain more.
    suggestions: Late[tuple[Advice, ...]] = Late()
    #: Ids of the nodes that one more refinement step would split. For "imd" and "separate" these
    #: are the impure leaves that belong to a rule. For "calibrated" and "direct" they are the
    #: regions of rules in which some rows do not differ and that have a split whose sides are
    #: claimed differently. A node without an allowed split is not listed.
    refinable: Late[tuple[str, ...]] = Late()
    #: The groups of ``by`` that are too many to be shown, which a gate checks.
    further_groups: Late[FurtherGroups] = Late()
    #: Histogram of the rows at each split over the column of the split, by node number.
    split_histograms: Late[Mapping[int, SplitHistogram]] = Late()

    @property
    def correctness(self) -> Right | None:
        """How often either model is right, with paired statistics; None without ``y``.

        Over all rows of the table; if ``holdout`` was given as a table of its own, over the rows of
        that table. ``d.right`` is the older name of what is counted on the rows of the table.

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(100).reshape(100, 1)
        >>> old, new, truth = X[:, 0] < 40, X[:, 0] < 60, X[:, 0] < 55
        >>> found = imd.diff(old, new, X, y=truth).correctness
        >>> found.net, [round(end) for end in found.net_interval], round(found.p_value, 3)
        (10, [1, 19], 0.041)
        """
        return self.holdout_right if self.has_own_holdout else self.right

    @property
    def method(self) -> MethodName:
        """The name of the method that the diff was made with."""
        return self.fitted_method.name

    @property
    def labels(self) -> tuple[Hashable, ...]:
        """The sorted labels that at least one model predicts; empty if classes are not compared."""
        return self.tree.labels

    @property
    def class_names(self) -> tuple[str, ...]:
        """The names of the labels, in the same order."""
        return self.tree.outputs.class_names

    @property
    def outputs(self) -> OutputKind:
        """The kind of outputs that is compared: "class", "proba" or "value"."""
        return self.tree.outputs.kind

    @property
    def tolerance(self) -> float | None:
        """Two outputs differ if ``abs(output_1 - output_2) > tolerance``; None for classes.

        If the tolerance is relative ("10 %"), this is that share of the median of the larger
        outputs; `tolerance_share` is the share itself.
        """
        return self.tree.outputs.tolerance

    @property
    def tolerance_share(self) -> float | None:
        """The share of the larger output of a relative tolerance; None if it is a distance."""
        return self.tree.outputs.relative

    @property
    def max_depth(self) -> int:
        """Largest number of conditions of a surrogate, before refinement."""
        return self.fitted_method.max_depth

    @property
    def is_tunable(self) -> bool:
        """Whether the method has the option ``sensitivity``."""
        return isinstance(self.fitted_method, Calibrated)

    @property
    def sensitivity(self) -> float | None:
        """Share of the differing rows that the rules should cover; None: the best balance."""
        return self.fitted_method.sensitivity

    @property
    def max_rules(self) -> int | None:
        """Largest number of rules; None if there is no limit."""
        return self.fitted_method.max_rules

    @property
    def given(self) -> Literal["m1", "m2", "margins"] | None:
        """The model whose outputs rules may use, or "margins"; None if they use columns alone."""
        given = self.fitted_method.given
        return None if given == "auto" else given

    @property
    def crosstab(self) -> pd.DataFrame | None:
        """Numbers of rows of the table by the labels of both models; None for numbers.

        Rows of weight 0 are left out. A row per label of model 1, a column per label of model 2.
        """
        if self.label_counts is None:
            return None
        counts = np.zeros((len(self.labels), len(self.labels)), dtype=np.int64)
        for one, two, rows in self.label_counts.cells:
            counts[one, two] = rows
        first, second = self.names
        return pd.DataFrame(
            counts,
            index=pd.Index(self.class_names, name=first),
            columns=pd.Index(self.class_names, name=second),
        )

    @property
    def by(self) -> pd.DataFrame | None:
        """Rates by group of ``by``, a row per group; None without ``by``.

        Over all rows of the table: ``rows``, the number of ``differing`` ones, the ``rate`` with
        the ends of its 95 % interval, and ``ways``, the most frequent ways to differ. With ``y``:
        what the change ``fixes`` and ``breaks``, and ``net_rate``, fixes less breaks as a share of
        the rows with a truth, with its interval. Then the rows and the rate inside each rule.
        """
        return None if self.group_rates is None else self.group_rates.to_frame()

    def predict(self, X: Any, given: Any = None) -> NDArray[np.bool_]:
        """Predict for each row of ``X`` whether the models differ on it.

        The prediction is True if the row lies inside a rule. No model is called, unless the rules
        use the outputs of one of them.

        Parameters
        ----------
        X : table
            The columns that the rules name, in any order.
        given : array of shape (n_rows,), optional
            Outputs of the model in `given`, if the rules use them. By default they are read from a
            column of ``X``, such as "LR predicts", or the model is called.

        Returns
        -------
        ndarray of bool, shape (n_rows,)

        Examples
        --------
        >>> import numpy as np
        >>> import imd_widget as imd
        >>> X = np.arange(100).reshape(100, 1)
        >>> d = imd.diff(X[:, 0] < 40, X[:, 0] < 60, X)
        >>> d.predict(np.array([[30], [50]]))
        array([False,  True])
        """
        return self.rules.mask(X, given)

    @property
    def score_sentences(self) -> tuple[str, ...]:
        """The points of each score that rules use, those of agreement too, a sentence each."""
        return tuple(dict.fromkeys((*self.rules.score_sentences, *self.agreement.score_sentences)))

    def rule_at(self, number: int) -> Rule:
        """Return the rule with this number: ``rules`` first, then ``agreement``."""
        known: tuple[Rule, ...] = (*self.rules, *self.agreement)
        if not 0 <= number < len(known):
            raise InputError(f"there is no rule {number}: there are {len(known)}, numbered from 0.")
        return known[number]

    def path_to(self, node: str) -> tuple[Step, ...]:
        """Return the steps from the root to the node with this id."""
        if node not in self.tree.ids:
            raise InputError(f"there is no node {node!r}: d.tree.ids has them all.")
        return self.tree.path(self.tree.ids.index(node))

    def bars(self, node: str) -> SplitHistogram:
        """Return the histogram of the rows at a split, given by its id, over its column."""
        tree = self.tree
        number = tree.ids.index(node) if node in tree.ids else NONE
        if number not in self.split_histograms:
            raise InputError(
                f"{node!r} is not a split: the splits are the nodes in d.tree.ids that are neither "
                "leaves nor or-nodes."
            )
        return self.split_histograms[number]

    def to_frame(self) -> pd.DataFrame:
        """Return the rules as a table, one row per rule; see `RuleSet.to_frame`."""
        return self.rules.to_frame()
