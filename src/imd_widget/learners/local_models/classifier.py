"""`LocalModelsClassifier`: a global model, and local models where it needs help."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from imd_widget._base.errors import InputWarning, warn
from imd_widget._base.validation import check_whole
from imd_widget._base.verbs import verb
from imd_widget.learners.local_models.checks import (
    check_numbers,
    check_options,
    check_rows,
    checked_classes,
    checked_density,
)
from imd_widget.learners.local_models.columns import TableEncoder, as_frame, is_table, prepared
from imd_widget.learners.local_models.em import Learned, Task, learn
from imd_widget.learners.local_models.explanation import LocalModelsExplanation, explained
from imd_widget.learners.local_models.parts import seeded
from imd_widget.learners.local_models.region_test import RegionTest, gain_of, shuffled_within
from imd_widget.learners.local_models.states import history_frame

if TYPE_CHECKING:
    from imd_widget.comparison.model_diff import ModelDiff
    from imd_widget.widget.diff_widget import DiffWidget

Floats = NDArray[np.float64]


class LocalModelsClassifier(ClassifierMixin, BaseEstimator):
    """A global model that describes the data, and local models where it needs help.

    The classifier is a mixture. Each part has a classifier ``P(y | x, z)`` and a density
    ``P(x | z)`` of the region where it is responsible; the global model has a share of at least
    ``1 - tau`` on average. So a reader of the global model knows what the combined model predicts
    in all but a share of ``tau``, and the densities show where the rest is.

    Parameters
    ----------
    global_model : classifier, default=DecisionTreeClassifier(max_depth=4)
        The model to be read: any classifier, with ``predict_proba`` or without.
    local_model : classifier, default=SVC()
        Learns where the global model needs help: any classifier.
    n_local : int, default=1
        Number of local models.
    tau : float, default=0.3
        Greatest mean responsibility of all local models together: ``0 < tau < 1``.
    density : {"kmedoids", "gaussian", "mcd"} or estimator, default="kmedoids"
        How the place of a part is described. An estimator needs ``fit(X)`` and
        ``score_samples(X)``, the logarithm of a density; it gets numbers of mean 0 and variance 1.
    adjust : {"posterior", "prior"}, default="posterior"
        How ``tau`` is kept. "posterior" bounds the mean responsibility of the local models over the
        training rows. "prior" bounds their prior, as published, and promises nothing about the
        responsibilities.
    select : {"train_error", "complexity", "last"}, default="train_error"
        The iteration that is kept: that of least training error; that of the smallest global model
        among those which err no more than the global model alone; or the last.
    n_iter : int, default=5
        Number of iterations.
    complexity : {"depth", "leaves", "nodes", "coefficients"}, function or None, default=None
        What is reduced for the global model. A function takes the fitted model and returns a
        number. With None the global model is learned as it was passed.
    max_complexity : float or int, default=0.75
        With ``complexity``, the greatest that the global model may have: a float up to 1 is the
        share of what it has when learned alone from all rows, an int the number itself.
    scaling : {"cross_entropy", "squared_error"}, default="cross_entropy"
        What the slope minimises that turns the scores of a learner without ``predict_proba`` into
        probabilities.
    overlap : float, optional
        Batches overlap: each part also learns the rows of other parts for which its responsibility
        is at least this, above 0 and up to 0.5. None: batches are disjoint, as published.
    global_sample : float or int, optional
        The global model is learned from a random sample of its batch, for large tables: a float
        is a share of it, an int the greatest number of rows. None: all of them.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    global_model_ : classifier
        The fitted global model. Where it was passed without the steps that the table needs, it is a
        ``Pipeline`` with them.
    local_models_ : list of classifier
        The fitted local models; fewer than ``n_local`` if a batch lost its rows.
    densities_ : list
        The density of each part, that of the global model first.
    priors_ : ndarray of shape (n_parts,)
        ``P(z = j)``, that of the global model first.
    local_share_ : float
        Mean responsibility of the local models over the training rows. It is at most ``tau`` with
        ``adjust="posterior"``.
    history_ : DataFrame
        Size, errors, disagreement and shares on the training rows for each iteration, from 0, the
        state before the first one. ``chosen`` marks the one that was kept.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the columns, if all of them are text.

    References
    ----------
    S. Rueping, *Learning with Local Models*, in Local Pattern Detection, Springer, 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from imd_widget.learners import LocalModelsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = np.vstack([rng.normal(0, 1, (190, 2)), rng.normal(2, 0.1, (10, 2))])
    >>> y = (X[:, 1] < 0) | (np.arange(200) >= 190)
    >>> model = LocalModelsClassifier(LogisticRegression(), LogisticRegression(), random_state=0)
    >>> model.fit(X, y).score(X, y) > model.global_model_.score(X, y)
    True
    """

    def __init__(
        self,
        global_model: Any = None,
        local_model: Any = None,
        *,
        n_local: int = 1,
        tau: float = 0.3,
        density: Any = "kmedoids",
        adjust: str = "posterior",
        select: str = "train_error",
        n_iter: int = 5,
        complexity: Any = None,
        max_complexity: float = 0.75,
        scaling: str = "cross_entropy",
        overlap: float | None = None,
        global_sample: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.global_model = global_model
        self.local_model = local_model
        self.n_local = n_local
        self.tau = tau
        self.density = density
        self.adjust = adjust
        self.select = select
        self.n_iter = n_iter
        self.complexity = complexity
        self.max_complexity = max_complexity
        self.scaling = scaling
        self.overlap = overlap
        self.global_sample = global_sample
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the global model and the local models.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_columns)
            Text, dates and missing values are taken as they are.
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        LocalModelsClassifier
            The estimator itself.
        """
        check_options(self.get_params(deep=False))
        X, y = self._checked(X, y)
        self._keep(self._learn(X, y, tau=self.tau, n_local=self.n_local), X)
        return self

    def _checked(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        """The training data, and the names and number of columns kept."""
        if is_table(X):
            check_numbers(X)
            validate_data(self, X, skip_check_array=True)
            y = checked_classes(y, as_frame(X))
        else:
            X, y = validate_data(self, X, y, ensure_all_finite="allow-nan")
            check_numbers(X)
        check_classification_targets(y)
        return X, y

    def _learn(self, X: Any, y: NDArray[Any], *, tau: float, n_local: int) -> Learned:
        """Iterate on checked data."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        check_rows(y, self.classes_, n_local=n_local, tau=tau)
        self._space = TableEncoder().fit(X)
        task = Task(
            X=X,
            Z=self._space.transform(X),
            y=y,
            classes=self.classes_,
            codes=codes,
            global_model=self._learner("global_model", X),
            local_model=self._learner("local_model", X),
            density=checked_density(self.density, X),
            n_local=n_local,
            tau=tau,
            adjust=self.adjust,
            n_iter=self.n_iter,
            complexity=self.complexity,
            max_complexity=self.max_complexity,
            scaling=self.scaling,
            overlap=self.overlap,
            global_sample=self.global_sample,
        )
        return learn(task, check_random_state(self.random_state))

    def _learner(self, name: str, X: Any) -> Any:
        """A learner that was passed, or its default, with what it needs to take ``X``."""
        given = getattr(self, name)
        default = DecisionTreeClassifier(max_depth=4) if name == "global_model" else SVC()
        return prepared(default if given is None else given, X)

    def _keep(self, learned: Learned, X: Any) -> None:
        """Set what was learned as attributes."""
        chosen = learned.chosen(self.select)
        self._state = state = chosen.state
        self.global_model_ = state.parts[0].model
        self.local_models_ = [part.model for part in state.parts[1:]]
        self.densities_ = list(state.densities)
        self.priors_ = np.exp(state.log_prior)
        self.local_share_ = chosen.local_share
        self.history_ = history_frame(learned.history, state.iteration)
        responsibility = np.exp(state.log_responsibilities(self._space.transform(X)))
        self._explanation = explained(chosen, X, responsibility)
        if not self.local_models_:
            warn(
                "no local model has rows of its own, so the global model predicts all rows. "
                f"It errs on {chosen.global_error:.1%} of the training rows."
            )

    def _rows(self, X: Any) -> Any:
        check_is_fitted(self)
        if is_table(X):
            check_numbers(X)
            validate_data(self, X, reset=False, skip_check_array=True)
            return X
        X = validate_data(self, X, reset=False, ensure_all_finite="allow-nan")
        check_numbers(X)
        return X

    def responsibilities(self, X: Any) -> Floats:
        """The share of each part in each row's prediction.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_columns)

        Returns
        -------
        ndarray of shape (n_samples, n_parts)
            ``P(z = j | x)``, the global model first; each row sums to 1.
        """
        X = self._rows(X)
        result: Floats = np.exp(self._state.log_responsibilities(self._space.transform(X)))
        return result

    def part_proba(self, X: Any) -> Floats:
        """Probabilities of the classes according to each part alone.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_columns)

        Returns
        -------
        ndarray of shape (n_parts, n_samples, n_classes)
            The global model first. Of a learner with ``predict_proba`` they are its own; the others
            are scaled so that the likeliest class is the one that the learner predicts.
        """
        X = self._rows(X)
        return self._state.part_proba(X)

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes: those of the parts, weighted by their responsibilities.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_columns)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        X = self._rows(X)
        return self._state.proba(X, self._space.transform(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_columns)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        likeliest = self.predict_proba(X).argmax(axis=1)
        result: NDArray[Any] = self.classes_[likeliest]
        return result

    def explain(self) -> LocalModelsExplanation:
        """Who decides where, in words.

        Returns
        -------
        LocalModelsExplanation
            ``print`` it, or read its fields; the figures are those of the training rows.
        """
        check_is_fitted(self)
        return self._explanation

    def region_rules(self, X: Any, **options: Any) -> ModelDiff:
        """Describe by rules which rows the local models decide.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_columns)
            The training rows, or others.
        **options
            Options of `imd_widget.diff`.

        Returns
        -------
        ModelDiff
            Its rules are regions of feature space whose rows a local model decides mostly; see
            ``rules`` and ``tree``. They describe `responsibilities`, and predictions do not use
            them.
        """
        owner = self.responsibilities(X).argmax(axis=1)
        several = len(self.local_models_) > 1
        local = [f"local {at + 1}" if several else "local" for at in range(len(self.local_models_))]
        labels = np.array(["global", *local], dtype=object)
        options = {"names": ("global alone", "combined"), "test_size": 0, **options}
        always = np.full(len(owner), "global", dtype=object)
        found: ModelDiff = verb("diff")(always, labels[owner], X, **options)
        return found

    def region_test(
        self, X: Any, y: Any, *, n_permutations: int = 99, random_state: int = 0
    ) -> RegionTest:
        """Test whether the local models find more than chance offers.

        The classes are shuffled among the training rows for which the global model, learned alone,
        predicts the same class. So it keeps its errors, and they are no longer in one place. Then
        all is learned again, the choice of the region too. It takes ``n_permutations`` times as
        long as `fit`.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_columns)
            The training rows.
        y : array-like of shape (n_samples,)
        n_permutations : int, default=99
        random_state : int, default=0

        Returns
        -------
        RegionTest
            ``print`` it, or read ``p_value``.
        """
        check_is_fitted(self)
        check_whole("n_permutations", n_permutations, 1)
        X, y = clone(self)._checked(X, y)
        rng = np.random.default_rng(random_state)
        alone = seeded(self._learner("global_model", X), int(rng.integers(2**31 - 1)))
        said = np.asarray(alone.fit(X, y).predict(X))
        gains = []
        for _ in range(n_permutations):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", InputWarning)
                again = clone(self).fit(X, shuffled_within(y, said, rng))
            gains.append(gain_of(again.history_))
        return RegionTest(gain_of(self.history_), tuple(gains))

    def show(self, X: Any, **options: Any) -> DiffWidget:
        """Return a widget that draws where the local models change the global prediction.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_columns)
        **options
            Options of `imd_widget.show`.

        Returns
        -------
        DiffWidget
            ``imd_widget.show(model.global_model_, model, X, names=("global", "combined"))``.
        """
        check_is_fitted(self)
        options = {"names": ("global", "combined"), **options}
        widget: DiffWidget = verb("show")(self.global_model_, self, X, **options)
        return widget
