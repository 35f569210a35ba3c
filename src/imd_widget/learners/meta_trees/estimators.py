"""The estimators: networks that are trained on many groups and grow a tree for each."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from os import PathLike
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from imd_widget._base.errors import Argument, Given, InputError, warn
from imd_widget.data.features import feature_matrix
from imd_widget.data.table import Table
from imd_widget.learners.meta_trees.export import export_tree
from imd_widget.learners.meta_trees.features import (
    TreeFeature,
    candidate_splits,
    fit_features,
    standardised_matrix,
)
from imd_widget.learners.meta_trees.fitting import Fitting, TrainingProgress
from imd_widget.learners.meta_trees.forest import Forest, Rows
from imd_widget.learners.meta_trees.growth import Examples, grow
from imd_widget.learners.meta_trees.inputs import (
    open_rows,
    places_of,
    read_groups,
    read_labels,
    read_numbers,
)
from imd_widget.learners.meta_trees.networks import Architecture, Parameters
from imd_widget.learners.meta_trees.options import check_choice, check_options
from imd_widget.learners.meta_trees.targets import Classes, Numbers, Targets
from imd_widget.learners.meta_trees.tree import MetaTree

Routing = Literal["hard", "soft"]

#: With ``evidence=True``, a threshold is at most that far from the mean of its candidates, in
#: standard deviations of the feature.
MAX_SHIFT = 0.5


class BaseMetaTrees(BaseEstimator):
    """What both estimators share: all but the reading of targets."""

    def __init__(
        self,
        *,
        depth: int = 3,
        dynamic: bool = False,
        sparsity: float = 0.02,
        hard_share: float = 0.5,
        max_repeats: int | None = None,
        evidence: bool = True,
        max_iter: int = 600,
        batch_size: int = 64,
        learning_rate: float = 2e-3,
        width: int = 128,
        hidden: int = 64,
        leaves: Literal["network", "mean"] = "network",
        context: bool = True,
        softness: Literal["learned", "fixed"] = "learned",
        signed: bool = False,
        sparse: bool = True,
        one_hot: bool = False,
        measure_all: bool = False,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 10,
        verbose: bool = False,
        random_state: int = 0,
    ) -> None:
        self.depth = depth
        self.dynamic = dynamic
        self.sparsity = sparsity
        self.hard_share = hard_share
        self.max_repeats = max_repeats
        self.evidence = evidence
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.width = width
        self.hidden = hidden
        self.leaves = leaves
        self.context = context
        self.softness = softness
        self.signed = signed
        self.sparse = sparse
        self.one_hot = one_hot
        self.measure_all = measure_all
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.verbose = verbose
        self.random_state = random_state

    # what `fit` learned, for readers and for files
    features_: tuple[TreeFeature, ...]
    targets_: Targets
    architecture_: Architecture
    parameters_: Parameters
    forest_: Forest
    groups_: NDArray[Any]
    n_iter_: int
    loss_curve_: list[float]
    validation_curve_: list[float]
    n_features_in_: int
    columns_: tuple[Hashable, ...]
    fitting_: Fitting

    def fit(
        self,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        resume: bool = False,
        on_step: Callable[[TrainingProgress], bool | None] | None = None,
    ) -> Self:
        """Train the networks, and grow the tree of every group from all of its rows.

        Ctrl-C ends the training and keeps what was learned so far, with a warning. JAX and optax
        are needed here and nowhere else: ``pip install 'imd-widget[meta]'``.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            Numbers, booleans, text, categories; values may be missing.
        y : array of shape (n_samples,)
        groups : array of shape (n_samples,)
            Whose each row is: a name or a number, the same for all rows of one group.
        resume : bool, default=False
            Whether to go on with a training of the same data and parameters that was stopped. The
            result is the same as without the stop, to the bit.
        on_step : callable, optional
            Called after every step with a
            `~imd_widget.learners.meta_trees.fitting.TrainingProgress`; if it returns True, the
            training ends.

        Returns
        -------
        self
        """
        check_options(self.get_params())
        table = open_rows(X, "X").cached()
        labels = read_groups(groups, table.n_rows)
        targets = self._fit_targets(y, table.n_rows)
        features = fit_features(table)
        places, known = pd.factorize(labels, use_na_sentinel=False)
        rows = _rows(table, features)
        examples = _examples(rows, y, targets, np.asarray(places), len(known))
        architecture = self._architecture(features, targets, rows)
        earlier = getattr(self, "fitting_", None) if resume else None
        if resume and earlier is None:
            raise InputError(
                Given("resume", True), ": there is no earlier training to go on with. Leave it out."
            )
        fitting = Fitting.begin(examples, architecture, self.get_params(), targets.mean(), earlier)
        fitting.run(features, on_step)
        self.features_, self.targets_, self.architecture_ = features, targets, architecture
        self.columns_, self.n_features_in_ = table.names, len(table.names)
        self.groups_ = _labels_array(known)
        self.fitting_, self.parameters_ = fitting, fitting.parameters
        self.n_iter_, self.loss_curve_ = fitting.state.step, fitting.losses
        self.validation_curve_ = fitting.validation
        self.forest_ = grow(self.parameters_, architecture, features, examples, sparse=self.sparse)
        _warn_of_one_leaf(self.forest_)
        return self

    def predict(self, X: Any, *, groups: Any = None, routing: Routing = "hard") -> NDArray[Any]:
        """Predict each row with the tree of its group.

        Parameters
        ----------
        X : table of shape (n_samples, n_features)
            With the columns of `fit`.
        groups : array of shape (n_samples,), or one group for all rows
        routing : {"hard", "soft"}, default="hard"
            "hard": the value of the one leaf in which a row ends, exactly as the tree of
            `tree_of` predicts. "soft": the mean of all leaves, weighted by the probability
            ``sigmoid(beta * (w @ x - b))`` of each answer on the way; mostly more accurate, and
            not what a person reads off the tree.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.targets_of_fit().decoded(self._outputs(X, groups, routing))

    def tree_of(self, group: Hashable) -> MetaTree:
        """The tree of a group that had rows in `fit`.

        Parameters
        ----------
        group : Hashable
            One of ``groups_``.

        Returns
        -------
        MetaTree
        """
        check_is_fitted(self, "forest_")
        place = int(places_of(_labels_array([group]), self._known())[0])
        return self._exported(self.forest_, place, group)

    def tree_for(self, X: Any, y: Any, *, name: Hashable = None) -> MetaTree:
        """Grow a tree for a new group from a few examples, without training.

        Parameters
        ----------
        X : table of shape (n_examples, n_features)
            With the columns of `fit`.
        y : array of shape (n_examples,)
        name : Hashable, optional
            Whose tree it is.

        Returns
        -------
        MetaTree
        """
        targets = self.targets_of_fit()
        table = open_rows(X, "X", self.columns_).cached()
        rows = _rows(table, self.features_)
        group = np.zeros(table.n_rows, dtype=np.intp)
        examples = _examples(rows, y, targets, group, 1)
        forest = grow(
            self.parameters_, self.architecture_, self.features_, examples, sparse=self.sparse
        )
        return self._exported(forest, 0, name)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the trained model to a file that `load` reads: a NumPy archive, without pickle.

        It holds networks, trees and what `fit` needs to resume; none of the rows, but the distinct
        values of each column, between which thresholds lie, and the names of the groups.
        """
        from imd_widget.learners.meta_trees.files import save_model

        check_is_fitted(self, "forest_")
        save_model(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """The model in a file that `save` wrote; needs neither JAX nor optax."""
        from imd_widget.learners.meta_trees.files import load_model

        return load_model(cls, path)

    def targets_of_fit(self) -> Targets:
        """How targets were read in `fit`; raises an error if the model is not fitted."""
        check_is_fitted(self, "forest_")
        return self.targets_

    def _outputs(self, X: Any, groups: Any, routing: Routing) -> NDArray[np.float64]:
        check_is_fitted(self, "forest_")
        check_choice("routing", routing, ("hard", "soft"))
        table = open_rows(X, "X", self.columns_).cached()
        places = places_of(read_groups(groups, table.n_rows), self._known())
        rows = _rows(table, self.features_)
        if routing == "hard":
            return self.forest_.predict_hard(places, rows)
        return self.forest_.predict_soft(places, rows)

    def _exported(self, forest: Forest, place: int, name: Hashable) -> MetaTree:
        if forest.dense is not None:
            raise InputError(
                Given("sparse", False),
                ": the rules weigh several columns and are no questions that a tree could "
                "show. Set sparse=True and fit again.",
            )
        return export_tree(forest, place, self.features_, name, self.targets_.classes)

    def _known(self) -> pd.Index[Any]:
        known: pd.Index[Any] = pd.Index(self.groups_, dtype=object)
        return known

    def _architecture(
        self, features: tuple[TreeFeature, ...], targets: Targets, rows: Rows
    ) -> Architecture:
        low, high = targets.range
        candidates = candidate_splits(features, rows.standardised) if self.evidence else ()
        return Architecture(
            n_features=len(features),
            n_targets=targets.n_targets,
            n_outputs=targets.n_outputs,
            low=low,
            high=high,
            depth=self.depth,
            dynamic=self.dynamic,
            width=self.width,
            hidden=self.hidden,
            leaves=self.leaves,
            context=self.context,
            softness=self.softness,
            signed=self.signed,
            max_repeats=self.max_repeats,
            candidates=candidates,
            summaries=self.evidence,
            max_shift=MAX_SHIFT if self.evidence else None,
        )

    def _fit_targets(self, y: Any, n_rows: int) -> Targets:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class MetaTreeRegressor(BaseMetaTrees):
    """A readable regression tree for every group, grown by one set of networks.

    Three networks are trained on all groups together (Shulman and Wolf, 2020). h embeds an example,
    which is a row and its target. f turns the mean embedding of the examples that arrive at a node
    into its question, and g into the value of a leaf. So a group with few rows gets a tree that
    rests on what all groups have in common, and somebody who was not there in `fit` gets one from
    a few examples: `tree_for`.

    Parameters
    ----------
    depth : int, default=3
        Questions on the longest path, from 1 to 8.
    dynamic : bool, default=False
        Whether a node becomes a leaf where its question would send all examples the same way.
    sparsity : float, default=0.02
        Weight of the term that drives each rule towards one column. It rises from 0 between 20 %
        and 60 % of the steps.
    hard_share : float, default=0.5
        Share of the loss that is measured with hard routing, from 0 to 1. With 0, the loss of the
        paper, hard routing is of little use; with 1 soft routing is less accurate.
    max_repeats : int, optional
        Questions about one feature on a path: 1 or 2 gives trees that use more columns. None:
        no limit.
    evidence : bool, default=True
        Whether f also sees how well each of at most eight thresholds of each feature separates the
        targets of a node's examples, and chooses among these. It finds the columns that matter to
        a group with far less training. False: f sees mean embeddings alone, as in the paper.
    max_iter : int, default=600
        Steps of the training.
    batch_size : int, default=64
        Groups in a step.
    learning_rate : float, default=2e-3
        The largest; it rises over the first 30 % of the steps and falls to 0.
    width : int, default=128
        Units of the four layers of h.
    hidden : int, default=64
        Units of the hidden layer of f and of g.
    leaves : {"network", "mean"}, default="network"
        Whether g gives the value of a leaf, or it is the mean target of its examples.
    context : bool, default=True
        Whether f and g see the mean embedding of all examples of the group beside that of the node.
    softness : {"learned", "fixed"}, default="learned"
        Whether f gives beta, the softness and direction of a question, or beta is 1.
    signed : bool, default=False
        Whether the weights of columns may be negative; needs ``softness="fixed"``.
    sparse : bool, default=True
        Whether each rule is reduced to the column with the largest weight when trees are grown.
        Trees whose rules weigh several columns predict, but cannot be exported.
    one_hot : bool, default=False
        Whether rules have one column already in the training, by a straight-through gradient.
    measure_all : bool, default=False
        Whether the loss is also measured on the rows that trees are grown from.
    early_stopping : bool, default=False
        Whether to keep ``validation_fraction`` of the rows of each group aside, and to stop when
        the loss on them has not improved for ``n_iter_no_change`` measurements. The best networks
        are kept; the trees are grown from all rows.
    validation_fraction : float, default=0.1
    n_iter_no_change : int, default=10
    verbose : bool, default=False
        Whether to show a progress bar.
    random_state : int, default=0
        The same number, data and machine give the same trees.

    Attributes
    ----------
    groups_ : ndarray
        The groups that have a tree.
    n_iter_ : int
        Steps that were made.
    loss_curve_ : list of float
        The loss of each step.
    validation_curve_ : list of float
        The loss on the rows kept aside, at each measurement.
    n_features_in_ : int
    columns_ : tuple
        Names of the columns.
    features_ : tuple of TreeFeature
        What splits can use: each column of numbers is a feature, each category is one.
    architecture_, parameters_, forest_, targets_
        The form of the networks, their weights, the trees as arrays, the reading of targets.

    Examples
    --------
    >>> from imd_widget import datasets
    >>> from imd_widget.learners import MetaTreeRegressor
    >>> club = datasets.film_club(n_members=12, n_ratings=20)
    >>> X, y = club.ratings[club.film_columns], club.ratings["rating"]
    >>> trees = MetaTreeRegressor(depth=2, max_iter=5, width=8)
    >>> trees = trees.fit(X, y, groups=club.ratings["member"])
    >>> tree = trees.tree_of("Anna")
    >>> bool((tree.predict(X) == trees.predict(X, groups="Anna")).all())
    True
    """

    def _fit_targets(self, y: Any, n_rows: int) -> Targets:
        return Numbers.of(read_numbers(y, n_rows))

    def score(self, X: Any, y: Any, *, groups: Any = None, routing: Routing = "hard") -> float:
        """The coefficient of determination R² of the predictions."""
        predicted = self.predict(X, groups=groups, routing=routing)
        truth = read_numbers(y, len(predicted))
        spread = float(((truth - truth.mean()) ** 2).sum())
        missed = float(((truth - predicted) ** 2).sum())
        return 1 - missed / spread if spread else float(missed == 0)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import RegressorTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags


class MetaTreeClassifier(BaseMetaTrees):
    """A readable classification tree for every group, grown by one set of networks.

    The classifier is trained on the logarithm of the probability that the tree gives to the true
    class; all else is as in `MetaTreeRegressor`, which has the same parameters.

    Attributes
    ----------
    classes_ : ndarray
        The classes, in the order of the columns of `predict_proba`.
    groups_, n_iter_, loss_curve_, validation_curve_, n_features_in_, columns_, features_
        See `MetaTreeRegressor`.
    """

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, in the order of the columns of `predict_proba`."""
        return _labels_array(list(self.targets_of_fit().classes or ()))

    def predict_proba(
        self, X: Any, *, groups: Any = None, routing: Routing = "hard"
    ) -> NDArray[np.float64]:
        """The probability of each class: shape (n_samples, n_classes).

        See `MetaTreeRegressor.predict` for the parameters.
        """
        return self._outputs(X, groups, routing)

    def score(self, X: Any, y: Any, *, groups: Any = None, routing: Routing = "hard") -> float:
        """The accuracy of the predictions."""
        predicted = self.predict(X, groups=groups, routing=routing)
        return float(np.mean(predicted == read_labels(y, len(predicted))))

    def _fit_targets(self, y: Any, n_rows: int) -> Targets:
        return Classes.of(read_labels(y, n_rows))

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags


def _rows(table: Table, features: tuple[TreeFeature, ...]) -> Rows:
    raw = feature_matrix(table, features)
    return Rows(raw, standardised_matrix(raw, features))


def _examples(
    rows: Rows, y: Any, targets: Targets, group: NDArray[np.intp], n_groups: int
) -> Examples:
    encoded = targets.encoded(y, len(group))
    return Examples(rows, encoded.seen, encoded.outcomes, group, n_groups)


def _warn_of_one_leaf(forest: Forest) -> None:
    """Warn if most trees send all of their examples to one leaf."""
    reached = forest.is_leaf & (forest.n_examples > 0)
    n_one = int((reached.sum(axis=1) <= 1).sum())
    if n_one > len(forest) / 2:
        warn(
            f"{n_one:,} of {len(forest):,} trees send all of their examples to one leaf, so they "
            "predict one value. The training has not found a split that helps, or has lost it: a "
            "smaller ",
            Argument("learning_rate"),
            " or more steps, ",
            Argument("max_iter"),
            ", can help.",
        )


def _labels_array(labels: Any) -> NDArray[Any]:
    """Labels as they are, one for each place, also if they are tuples."""
    array = np.empty(len(labels), dtype=object)
    for at, label in enumerate(labels):
        array[at] = label
    return array
