"""`LocalModelsClassifierCV`: how much is left to local models, chosen by cross-validation."""

from __future__ import annotations

import warnings
from dataclasses import asdict, dataclass
from itertools import product
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, check_random_state
from sklearn.utils.parallel import Parallel, delayed

from imd_widget._base.errors import Given, InputError, InputWarning
from imd_widget._base.validation import check_whole, is_several
from imd_widget.learners.local_models.checks import check_options, check_rows, check_tau, room
from imd_widget.learners.local_models.classifier import LocalModelsClassifier
from imd_widget.learners.local_models.parts import seeded

#: What is measured on each fold; the parts alone are there to be compared with.
COMBINED, GLOBAL, LOCAL = "combined", "global alone", "local alone"


@dataclass(frozen=True)
class _Candidate:
    """A model to measure: the combined one with its two parameters, or a part alone."""

    model: str
    tau: float = float("nan")
    n_local: int = 0


@dataclass(frozen=True)
class _Score:
    """A candidate on one fold."""

    score: float
    size: float = float("nan")
    local_share: float = 0.0
    disagreement: float = 0.0


class LocalModelsClassifierCV(LocalModelsClassifier):
    """A `LocalModelsClassifier` whose ``tau`` and number of local models are cross-validated.

    The pair with the highest mean score is taken; among equal ones that which leaves most to the
    global model: the least ``tau``, then the fewest local models. ``cv_results_`` also has the
    scores of the global and of the local learner alone on the same folds.

    Parameters
    ----------
    global_model : classifier, default=DecisionTreeClassifier(max_depth=4)
    local_model : classifier, default=SVC()
    taus : sequence of float, default=(0.05, 0.1, 0.2, 0.3)
        Values of ``tau`` to try.
    n_locals : sequence of int, default=(1, 2, 3)
        Numbers of local models to try.
    cv : int, splitter or iterable, default=5
        As in scikit-learn; an int makes stratified folds.
    scoring : str, function or None, default=None
        A scorer as in scikit-learn; None is the accuracy.
    density, adjust, select, n_iter, complexity, max_complexity, scaling, overlap, global_sample,
    random_state
        See `LocalModelsClassifier`.
    n_jobs : int or None, default=None
        Number of processes, as in scikit-learn.

    Attributes
    ----------
    tau_ : float
        The ``tau`` that was chosen.
    n_local_ : int
        The number of local models that was chosen.
    best_score_ : float
        Their mean score over the folds.
    cv_results_ : DataFrame
        Mean and deviation of the score of each candidate over the folds, with the size of the
        global model, the mean share of the local models on the training rows, and the share of the
        rows kept aside that the combined model classifies otherwise than the global one. The score
        of a part alone is NaN if the scorer needs probabilities that the learner does not give.
    global_model_, local_models_, densities_, priors_, local_share_, history_, classes_
        See `LocalModelsClassifier`; learned from all rows with what was chosen.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from imd_widget.datasets import small_cluster
    >>> from imd_widget.learners import LocalModelsClassifierCV
    >>> points = small_cluster(400, random_state=2)
    >>> model = LocalModelsClassifierCV(
    ...     DecisionTreeClassifier(max_depth=1), n_locals=(1,), n_iter=1, random_state=0
    ... )
    >>> model = model.fit(points[["x1", "x2"]], points["label"])
    >>> alone = model.cv_results_.set_index("model")["mean_score"]
    >>> bool(model.best_score_ > alone["global alone"])
    True
    """

    def __init__(
        self,
        global_model: Any = None,
        local_model: Any = None,
        *,
        taus: Any = (0.05, 0.1, 0.2, 0.3),
        n_locals: Any = (1, 2, 3),
        cv: Any = 5,
        scoring: Any = None,
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
        n_jobs: int | None = None,
    ) -> None:
        # not the parameters of the class above: tau and n_local are what is looked for
        self.global_model = global_model
        self.local_model = local_model
        self.taus = taus
        self.n_locals = n_locals
        self.cv = cv
        self.scoring = scoring
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
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> Self:
        """Choose ``tau`` and the number of local models, then learn from all rows.

        Parameters
        ----------
        X : table or array-like of shape (n_samples, n_columns)
        y : array-like of shape (n_samples,)
            Classes.

        Returns
        -------
        LocalModelsClassifierCV
            The estimator itself.
        """
        taus, n_locals = self._checked_grid()
        check_options({**self.get_params(deep=False), "tau": taus[0], "n_local": n_locals[0]})
        X, y = self._checked(X, y)
        check_rows(y, np.unique(y), n_local=min(n_locals), tau=max(taus))
        folds = list(check_cv(self.cv, y, classifier=True).split(np.zeros(len(y)), y))
        smallest = min(len(train) for train, _ in folds)
        pairs = [pair for pair in product(taus, n_locals) if room(smallest, pair[0]) >= pair[1]]
        if not pairs:
            raise InputError(
                Given("taus", self.taus),
                f": no local model gets a row among the {smallest} of a fold.",
                hint="Raise tau, or pass more rows.",
            )
        candidates = [_Candidate(COMBINED, *pair) for pair in pairs]
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        measured = Parallel(n_jobs=self.n_jobs)(
            delayed(self._measure)(candidate, X, y, train, test, seed)
            for candidate in [*candidates, _Candidate(GLOBAL), _Candidate(LOCAL)]
            for train, test in folds
        )
        self.cv_results_ = _results(
            [*candidates, _Candidate(GLOBAL), _Candidate(LOCAL)], measured, len(folds)
        )
        scores = self.cv_results_["mean_score"].to_numpy()[: len(pairs)]
        # the grid runs from the least tau and the fewest local models up, so that a tie is theirs
        best = int(np.nanargmax(scores))
        self.tau_, self.n_local_ = pairs[best]
        self.best_score_ = float(scores[best])
        self._keep(self._learn(X, y, tau=self.tau_, n_local=self.n_local_), X)
        return self

    def _checked_grid(self) -> tuple[list[float], list[int]]:
        """Values to try, in increasing order."""
        for name in ("taus", "n_locals"):
            values = getattr(self, name)
            if not is_several(values) or not len(values):
                raise InputError(Given(name, values), ": a list of values to try is needed.")
        for tau in self.taus:
            check_tau("taus", tau)
        for n_local in self.n_locals:
            check_whole("n_locals", n_local, 1)
        return sorted(set(self.taus)), sorted(set(self.n_locals))

    def _measure(
        self,
        candidate: _Candidate,
        X: Any,
        y: NDArray[Any],
        train: NDArray[np.intp],
        test: NDArray[np.intp],
        seed: int,
    ) -> _Score:
        """Fit to the rows of a fold and measure on the others."""
        inside, outside = _safe_indexing(X, train), _safe_indexing(X, test)
        with warnings.catch_warnings():
            # that a candidate has no use for a local model is what is measured here
            warnings.simplefilter("ignore", InputWarning)
            if candidate.model != COMBINED:
                name = "global_model" if candidate.model == GLOBAL else "local_model"
                part = seeded(self._learner(name, inside), seed)
                part.fit(inside, y[train])
                try:
                    return _Score(self._score(part, outside, y[test]))
                except AttributeError:  # a learner without predict_proba
                    return _Score(float("nan"))
            shared = LocalModelsClassifier._get_param_names()
            options = {name: getattr(self, name) for name in shared if hasattr(self, name)}
            options |= {"tau": candidate.tau, "n_local": candidate.n_local, "random_state": seed}
            model = LocalModelsClassifier(**options).fit(inside, y[train])
        otherwise = (
            model.predict(outside) != model.classes_[model.part_proba(outside)[0].argmax(axis=1)]
        )
        chosen = model.history_[model.history_["chosen"]]
        return _Score(
            self._score(model, outside, y[test]),
            size=float(chosen["size"].iloc[0]),
            local_share=model.local_share_,
            disagreement=float(otherwise.mean()),
        )

    def _score(self, model: Any, X: Any, y: NDArray[Any]) -> float:
        if self.scoring is None:
            return float(accuracy_score(y, model.predict(X)))
        return float(check_scoring(model, self.scoring)(model, X, y))


def _results(candidates: list[_Candidate], measured: list[_Score], n_folds: int) -> pd.DataFrame:
    """A row for each candidate: means over the folds, and the deviation of the score."""
    folds = pd.DataFrame([asdict(score) for score in measured])
    groups = folds.groupby(np.repeat(np.arange(len(candidates)), n_folds))
    means = groups.mean().rename(columns={"score": "mean_score"})
    means.insert(1, "std_score", groups["score"].std(ddof=0))
    return pd.concat([pd.DataFrame([asdict(one) for one in candidates]), means], axis=1)
