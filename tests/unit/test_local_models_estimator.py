"""scikit-learn's own standard for a classifier, and the answers to bad input."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import imd_widget as imd
from imd_widget.learners import LocalModelsClassifier, LocalModelsClassifierCV

RNG = np.random.default_rng(0)
X = pd.DataFrame({"a": RNG.normal(size=120), "b": RNG.normal(size=120)})
Y = np.where((X["a"] > 0) ^ ((X["b"] > 0.8) & (X["a"] < 0.3)), "yes", "no")
STUMP = DecisionTreeClassifier(max_depth=1)


@pytest.mark.filterwarnings("ignore:no local model has rows")
@parametrize_with_checks(
    [
        LocalModelsClassifier(n_iter=2),
        LocalModelsClassifier(
            LogisticRegression(), STUMP, n_local=2, density="gaussian", adjust="prior", n_iter=1
        ),
    ]
)
def test_it_passes_the_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_it_can_be_searched_and_cloned() -> None:
    model = LocalModelsClassifier(STUMP, SVC(), random_state=0, n_iter=1)
    assert clone(model).get_params()["local_model__C"] == 1
    search = GridSearchCV(model, {"tau": [0.1, 0.3], "local_model__C": [1, 10]}, cv=2).fit(X, Y)
    assert search.best_score_ > 0.7
    assert set(search.best_params_) == {"tau", "local_model__C"}


def test_importing_the_package_loads_no_learner() -> None:
    code = (
        "import sys, imd_widget as imd; "
        "assert not any(name.startswith('imd_widget.learners') for name in sys.modules); "
        "assert 'learners' in dir(imd); "
        "names = dir(imd.learners); "
        "assert 'LocalModelsClassifier' in names; "
        "assert 'sklearn' not in sys.modules; "
        "imd.learners.LocalModelsClassifier; "
        "assert 'imd_widget.widget.api' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="has no attribute 'LocalModel'"):
        imd.learners.LocalModel  # noqa: B018 (the access is what is tested)


def test_the_names_of_the_folder_are_those_of_the_package() -> None:
    for name in ("LocalModelsClassifier", "LocalModelsClassifierCV"):
        assert getattr(imd.learners.local_models, name) is getattr(imd.learners, name)
    several = imd.learners.local_models.KMedoidsDensity(2)
    model = LocalModelsClassifier(STUMP, density=several, n_iter=1, random_state=0).fit(X, Y)
    assert len(model.densities_[0].medoids_) == 2


def test_it_says_so_when_it_was_not_fitted() -> None:
    for method in ("predict", "predict_proba", "responsibilities", "part_proba", "show"):
        with pytest.raises(NotFittedError):
            getattr(LocalModelsClassifier(), method)(X)
    with pytest.raises(NotFittedError):
        LocalModelsClassifier().explain()


class NoPredict(BaseEstimator):
    def fit(self, X: Any, y: Any) -> Any:
        return self


BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    *(
        (
            {"tau": tau},
            f"tau={tau!r}: a number above 0 and below 1 is needed: the greatest mean share of the "
            "local models.",
        )
        for tau in (0, 1, 0.0, 1.0, -0.3, 30, "0.3", None, float("nan"), True)
    ),
    ({"n_local": 0}, "n_local=0: a whole number from 1 up is needed."),
    ({"n_local": 1.0}, "n_local=1.0: a whole number from 1 up is needed."),
    ({"n_iter": 0}, "n_iter=0: a whole number from 1 up is needed."),
    ({"adjust": "tau"}, "adjust='tau': one of 'posterior', 'prior' is needed."),
    ({"select": None}, "select=None: one of 'train_error', 'complexity', 'last' is needed."),
    (
        {"complexity": "size"},
        "complexity='size': one of 'depth', 'leaves', 'nodes', 'coefficients', a function of the "
        "fitted model, or None is needed.",
    ),
    (
        {"max_complexity": 1.5},
        "max_complexity=1.5: a share above 0 and up to 1 as a float, or a whole number from 1 up, "
        "is needed. max_complexity=0.75 keeps three quarters of what the global model has when it "
        "is learned alone.",
    ),
    (
        {"global_model": LinearRegression()},
        "global_model is a regressor, LinearRegression; a classifier is needed.",
    ),
    ({"local_model": SVC}, "local_model is the class SVC. Pass an instance of it: SVC()."),
    (
        {"local_model": NoPredict()},
        "local_model is a NoPredict without predict. A classifier is needed, with fit(X, y) and "
        "predict(X).",
    ),
    (
        {"global_model": 7},
        "global_model is a int without fit and predict. A classifier is needed, with fit(X, y) "
        "and predict(X).",
    ),
    (
        {"density": "knn"},
        "density='knn': one of 'kmedoids', 'gaussian', 'mcd', or an estimator with fit(X) and "
        "score_samples(X), is needed. scikit-learn's GaussianMixture() and KernelDensity() are "
        "such estimators.",
    ),
    (
        {"complexity": "depth", "global_model": LogisticRegression()},
        "complexity='depth' is not defined for LogisticRegression. Pass a function of the fitted "
        "model that returns a number.",
    ),
    (
        {"tau": 0.001},
        "tau=0.001 leaves 0 of 120 rows to n_local=1; each local model needs at least one. Raise "
        "tau, use fewer local models, or pass more rows.",
    ),
]


@pytest.mark.parametrize("options, message", BAD_OPTIONS)
def test_bad_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(imd.InputError) as caught:
        LocalModelsClassifier(**options).fit(X, Y)
    assert str(caught.value) == message
    assert caught.value.argument in options


def test_a_clusterer_without_a_density_is_refused() -> None:
    with pytest.raises(imd.InputError, match=r"^density=KMeans\(\): one of .* score_samples\(X\)"):
        LocalModelsClassifier(density=KMeans()).fit(X, Y)


def test_a_density_that_gives_nan_is_refused() -> None:
    class Broken(BaseEstimator):
        def fit(self, X: Any) -> Any:
            return self

        def score_samples(self, X: Any) -> Any:
            return np.full(len(X), np.nan)

    with pytest.raises(imd.InputError) as caught:
        LocalModelsClassifier(STUMP, density=Broken()).fit(X, Y)
    assert str(caught.value) == (
        "density gave NaN in score_samples. Each row needs the logarithm of a density; -inf is "
        "taken, NaN is not."
    )


def test_a_density_may_be_zero() -> None:
    class Box(BaseEstimator):
        def fit(self, X: Any) -> Any:
            self.low_, self.high_ = X.min(axis=0), X.max(axis=0)
            return self

        def score_samples(self, X: Any) -> Any:
            inside = np.all(np.clip(X, self.low_, self.high_) == X, axis=1)
            volume = np.prod(np.maximum(self.high_ - self.low_, 0.01))
            with np.errstate(divide="ignore"):
                return np.log(inside / volume)

    model = LocalModelsClassifier(STUMP, density=Box(), random_state=0).fit(X, Y)
    far = pd.DataFrame({"a": [1e6, 0.0], "b": [1e6, 0.0]})
    assert np.isfinite(model.responsibilities(far)).all()
    assert 0 < model.local_share_ <= 0.3


BAD_DATA: list[tuple[Any, Any, dict[str, Any], str]] = [
    (X, np.repeat("yes", 120), {}, "y has one class, 'yes', in all rows; at least two are needed."),
    (
        X[:3],
        ["no", "yes", "no"],
        {"n_local": 3},
        "n_local=3: 3 rows are too few for so many local models and a global one.",
    ),
    (X, None, {}, "y is needed: the class of each row."),
    (X, Y[:100], {}, "y has 100 values, but X 120 rows."),
    (
        X,
        np.where(np.arange(120) == 7, None, Y),
        {},
        "y has no class at row 7; 1 are missing. Leave those rows out.",
    ),
    (X[[]], Y, {}, "X has no columns."),
    (X[:0], Y[:0], {}, "X has no rows."),
    (
        X,
        np.array([1, "1"] * 60, dtype=object),
        {},
        "y mixes classes of the kinds int and str. Convert them to one kind: y.astype(str).",
    ),
    (
        X.assign(a=np.inf),
        Y,
        {},
        "The column 'a' of X is infinite in 120 row(s), first in row 0. Replace infinities by "
        "numbers, or by NaN where the value is missing.",
    ),
    (
        X.set_axis(["a", "a"], axis=1),
        Y,
        {},
        "X has 2 columns called 'a', and an estimator knows columns by their names. Rename them.",
    ),
    (
        X.assign(b=np.where(np.arange(120) == 5, 1e300, 0)),
        Y,
        {},
        "column 'b' holds 1e+300 at row 5: numbers of up to 3.4e+38 are needed, because trees of "
        "scikit-learn compare them in single precision. Divide the column, or replace the number "
        "by a missing value.",
    ),
    (
        np.where(np.arange(240).reshape(120, 2) == 7, -1e200, 0.5),
        Y,
        {},
        "column 1 holds -1e+200 at row 3: numbers of up to 3.4e+38 are needed, because trees of "
        "scikit-learn compare them in single precision. Divide the column, or replace the number "
        "by a missing value.",
    ),
    (
        X.assign(t="x"),
        Y,
        {"density": "mcd"},
        'density="mcd" is meant for up to 20 columns of '
        "numbers, but column 't' holds text. Use density=\"kmedoids\".",
    ),
    (
        pd.DataFrame(RNG.normal(size=(120, 21))),
        Y,
        {"density": "mcd"},
        'density="mcd" is meant for '
        'up to 20 columns of numbers, but the table has 21 columns. Use density="kmedoids".',
    ),
]


@pytest.mark.parametrize("table, y, options, message", BAD_DATA)
def test_bad_data_are_named(table: Any, y: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(imd.InputError) as caught:
        LocalModelsClassifier(**options).fit(table, y)
    assert str(caught.value) == message


@pytest.mark.filterwarnings("ignore:no local model has rows")
@pytest.mark.parametrize("kind", [LocalModelsClassifier, LocalModelsClassifierCV])
def test_bad_rows_are_named_by_every_method(kind: type[Any]) -> None:
    twice, large = X.set_axis(["a", "a"], axis=1), X.assign(b=1e300)
    with pytest.raises(imd.InputError, match=r"^X has 2 columns called 'a'"):
        kind().fit(twice, Y)
    model = kind(STUMP, random_state=0).fit(X, Y)
    for method in (model.predict, model.predict_proba, model.responsibilities):
        with pytest.raises(imd.InputError, match=r"^X has 2 columns called 'a'"):
            method(twice)
        with pytest.raises(imd.InputError, match=r"^column 'b' holds 1e\+300 at row 0"):
            method(large)


def test_two_columns_of_one_name_in_arrow_are_named() -> None:
    twice = pa.Table.from_arrays([pa.array(X["a"]), pa.array(X["b"])], ["a", "a"])
    with pytest.raises(imd.InputError, match=r"^X has 2 columns called 'a'"):
        LocalModelsClassifier().fit(twice, Y)


def test_missing_values_that_a_learner_cannot_take_are_its_own_error_with_its_name() -> None:
    holes = X.mask(RNG.random(X.shape) < 0.1)
    own = make_pipeline(StandardScaler(), LogisticRegression())
    with pytest.raises(ValueError, match="contains NaN") as caught:
        LocalModelsClassifier(STUMP, own).fit(holes, Y)
    assert caught.value.__notes__ == ["raised by local_model while it was fitted to 120 rows"]
    # without a pipeline of its own it gets medians
    LocalModelsClassifier(STUMP, SVC(), n_iter=1, random_state=0).fit(holes, Y)


def test_without_a_row_for_a_local_model_the_global_one_decides_and_says_so() -> None:
    separable = np.where(X["a"] > 0, "yes", "no")
    model = LocalModelsClassifier(STUMP, STUMP, random_state=0)
    with pytest.warns(imd.InputWarning) as caught:
        model.fit(X, separable)
    assert str(caught[0].message) == (
        "no local model has rows of its own, so the global model predicts all rows. "
        "It errs on 0.0% of the training rows."
    )
    assert model.local_models_ == []
    assert model.local_share_ == 0
    assert (model.responsibilities(X) == 1).all()
    np.testing.assert_array_equal(model.predict(X), model.global_model_.predict(X))
    assert str(model.explain()) == (
        "The global DecisionTreeClassifier predicts all rows: no local model has rows of its own. "
        "It errs on 0 % of the training rows."
    )


def test_a_part_that_lost_its_rows_votes_nowhere() -> None:
    """Three local models, but one small place: those without rows are gone."""
    rng = np.random.default_rng(0)
    table = np.vstack([rng.normal(0, 1, (150, 2)), np.tile([2.0, 2.0], (12, 1))])
    y = np.r_[table[:150, 1] < 0, np.ones(12, dtype=bool)]
    line = SVC(kernel="linear")
    model = LocalModelsClassifier(line, line, n_local=3, random_state=0).fit(table, y)
    n_parts = 1 + len(model.local_models_)
    assert n_parts < 4
    assert model.responsibilities(table).shape == (162, n_parts)
    owner = model.responsibilities(table).argmax(axis=1)
    assert set(owner) == set(range(n_parts))
    assert (owner == 0).mean() >= 0.7


def test_labels_of_any_kind_come_back_as_they_are() -> None:
    for y in (Y, Y == "yes", np.where(Y == "yes", 3, 1), pd.Series(Y, index=range(5, 125))):
        model = LocalModelsClassifier(STUMP, random_state=0).fit(X, y)
        assert set(model.predict(X)) <= set(np.asarray(y))
        assert model.classes_.dtype == np.asarray(y).dtype
        assert model.score(X, y) > 0.8


# --- cross-validation -----------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:no local model has rows")
@parametrize_with_checks([LocalModelsClassifierCV(taus=(0.3,), n_locals=(1,), cv=2, n_iter=1)])
def test_cross_validation_passes_the_checks_of_scikit_learn(estimator: Any, check: Any) -> None:
    check(estimator)


def test_cross_validation_takes_the_best_pair_and_measures_the_parts_alone() -> None:
    points = imd.datasets.small_cluster(300, random_state=1)
    table, y = points[["x1", "x2"]], points["label"]
    model = LocalModelsClassifierCV(
        STUMP, SVC(), taus=(0.3, 0.02, 0.1), n_locals=(2, 1), cv=3, n_iter=2, random_state=0
    ).fit(table, y)
    results = model.cv_results_
    assert results["model"].tolist() == ["combined"] * 6 + ["global alone", "local alone"]
    assert results["tau"].tolist()[:6] == [0.02, 0.02, 0.1, 0.1, 0.3, 0.3]
    combined = results[results["model"] == "combined"]
    assert model.best_score_ == combined["mean_score"].max()
    first = combined[combined["mean_score"] == model.best_score_].iloc[0]
    assert (model.tau_, model.n_local_) == (first["tau"], first["n_local"])
    assert model.local_share_ <= model.tau_
    assert (combined["local_share"] <= combined["tau"]).all()
    alone = results.set_index("model")["mean_score"]
    assert model.best_score_ > alone["global alone"] + 0.02
    # by hand, on the same folds
    folds = StratifiedKFold(3).split(table, y)
    scores = [
        STUMP.fit(table.iloc[train], y[train]).score(table.iloc[test], y[test])
        for train, test in folds
    ]
    assert alone["global alone"] == pytest.approx(np.mean(scores))
    same = LocalModelsClassifier(
        STUMP, SVC(), tau=model.tau_, n_local=model.n_local_, n_iter=2, random_state=0
    ).fit(table, y)
    np.testing.assert_array_equal(same.predict_proba(table), model.predict_proba(table))
    assert str(same.explain()) == str(model.explain())


def test_cross_validation_takes_any_scorer() -> None:
    model = LocalModelsClassifierCV(
        STUMP, taus=(0.2,), n_locals=(1,), cv=2, n_iter=1, scoring="neg_log_loss", random_state=0
    ).fit(X, Y)
    assert model.best_score_ < 0
    alone = model.cv_results_.set_index("model")["mean_score"]
    assert alone["global alone"] < 0
    assert np.isnan(alone["local alone"]), "an SVC gives no probabilities by itself"


@pytest.mark.parametrize(
    "options, message",
    [
        ({"taus": 0.3}, "taus=0.3: a list of values to try is needed."),
        ({"n_locals": ()}, "n_locals=(): a list of values to try is needed."),
        (
            {"taus": (0.1, 1.0)},
            "taus=1.0: a number above 0 and below 1 is needed: the greatest mean share of the "
            "local models.",
        ),
        ({"n_locals": (0,)}, "n_locals=0: a whole number from 1 up is needed."),
        (
            {"taus": (0.01,), "cv": 2},
            "taus=(0.01,): no local model gets a row among the 60 of a fold. Raise tau, or pass "
            "more rows.",
        ),
    ],
)
def test_bad_grids_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(imd.InputError) as caught:
        LocalModelsClassifierCV(**options).fit(X, Y)
    assert str(caught.value) == message
