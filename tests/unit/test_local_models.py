"""What a global model with local models promises, and what it finds where the truth is known."""

from __future__ import annotations

import pickle
import re
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.mixture import GaussianMixture
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget.datasets import pumps, small_cluster
from imd_widget.learners import LocalModelsClassifier
from imd_widget.learners.local_models.parts import ConstantClassifier
from tests.examples import examples

SEEDS = range(10)


def linear() -> SVC:
    return SVC(kernel="linear")


def plane(seed: int, n_rows: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    points = small_cluster(n_rows, random_state=seed)
    return points[["x1", "x2"]].to_numpy(), points["label"].to_numpy(), points["cluster"].to_numpy()


def angle(model: Any) -> float:
    """Degrees between the line where the model changes its mind and the first axis."""
    at_origin, right, up = model.decision_function([[0, 0], [1, 0], [0, 1]])
    return float(np.degrees(np.arctan(-(right - at_origin) / (up - at_origin))))


def table(n_rows: int = 300, seed: int = 0, n_classes: int = 2) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["a", "b", "c"])
    strange = (X["a"] > 0.7) & (X["b"] > 0.2)
    code = np.digitize(X["c"], np.linspace(-1, 1, n_classes - 1) if n_classes > 2 else [0.0])
    code = np.where(strange, (code + 1) % n_classes, code)
    code = np.where(rng.random(n_rows) < 0.05, rng.integers(0, n_classes, n_rows), code)
    return X, np.array(["low", "middle", "top", "very"])[code]


# --- what it promises -----------------------------------------------------------------------------


@pytest.mark.parametrize("tau", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("n_classes, n_local", [(2, 1), (3, 2)])
def test_the_combined_model_stays_within_tau_of_the_global_one(
    tau: float, n_classes: int, n_local: int
) -> None:
    X, y = table(n_classes=n_classes)
    model = LocalModelsClassifier(tau=tau, n_local=n_local, random_state=0).fit(X, y)
    responsibility, proba = model.responsibilities(X), model.predict_proba(X)
    np.testing.assert_allclose(
        proba, np.einsum("ij,jik->ik", responsibility, model.part_proba(X)), atol=1e-12, rtol=0
    )
    np.testing.assert_allclose(responsibility.sum(axis=1), 1)
    gap = np.abs(proba - model.global_model_.predict_proba(X))
    assert (gap <= 1 - responsibility[:, :1] + 1e-12).all()
    assert model.local_models_, "otherwise nothing was tested"
    assert gap.max() > 0.01
    assert gap.max(axis=1).mean() <= tau
    assert 0 < model.local_share_ <= tau
    assert model.local_share_ == pytest.approx(1 - responsibility[:, 0].mean())
    history = model.history_
    assert (history.loc[1:, "local_share"] <= tau).all()
    assert (history["mean_gap"] <= history["local_share"] + 1e-12).all()
    # row by row it also holds where nothing was learned
    new, _ = table(seed=1, n_classes=n_classes)
    gap = np.abs(model.predict_proba(new) - model.global_model_.predict_proba(new))
    assert (gap <= 1 - model.responsibilities(new)[:, :1] + 1e-12).all()


@pytest.mark.filterwarnings("ignore:no local model has rows")
def test_the_published_rule_does_not_promise_it() -> None:
    shares: dict[str, list[float]] = {"prior": [], "posterior": []}
    for seed in range(5):
        X, y, _ = plane(seed)
        for adjust, found in shares.items():
            model = LocalModelsClassifier(
                linear(), linear(), tau=0.03, adjust=adjust, n_iter=1, random_state=0
            ).fit(X, y)
            assert model.priors_.sum() == pytest.approx(1)
            assert model.priors_[0] >= 0.97 - 1e-12
            found.append(model.local_share_)
    assert max(shares["posterior"]) <= 0.03
    assert max(shares["prior"]) > 0.04


def test_history_tells_each_iteration_and_the_first_state_is_never_chosen() -> None:
    X, y = table()
    model = LocalModelsClassifier(n_iter=4, random_state=0).fit(X, y)
    history = model.history_
    assert history["iteration"].tolist() == [0, 1, 2, 3, 4]
    assert not history["chosen"][0]
    assert history["chosen"].sum() == 1
    after = history.loc[1:]
    [chosen] = history.index[history["chosen"]]
    assert history["error"][chosen] == after["error"].min()
    assert history["error"][chosen] == pytest.approx((model.predict(X) != y).mean())
    said = model.global_model_.predict(X)
    assert history["global_error"][chosen] == pytest.approx((said != y).mean())
    assert history["disagreement"][chosen] == pytest.approx((said != model.predict(X)).mean())
    assert history["size"][chosen] == model.global_model_.get_depth()
    assert history["global_rows"][0] == len(X)
    assert (after["global_rows"] + after["local_rows"] == len(X)).all()
    assert (after["global_rows"] >= 0.7 * len(X)).all()
    last = LocalModelsClassifier(n_iter=4, select="last", random_state=0).fit(X, y).history_
    assert last["chosen"].tolist() == [False] * 4 + [True]


def test_fewer_iterations_are_the_first_of_more() -> None:
    X, y = table()
    more = LocalModelsClassifier(n_iter=3, select="last", random_state=5).fit(X, y).history_
    fewer = LocalModelsClassifier(n_iter=2, select="last", random_state=5).fit(X, y).history_
    pd.testing.assert_frame_equal(more.drop(columns="chosen").head(3), fewer.drop(columns="chosen"))


class Spy(ClassifierMixin, BaseEstimator):
    """Remembers what it was fitted to; it knows the nearest neighbours."""

    seen: ClassVar[list[tuple[str, int]]] = []

    def __init__(self, role: str = "", k: int = 5) -> None:
        self.role = role
        self.k = k

    def fit(self, X: Any, y: Any) -> Any:
        self.seen.append((self.role, len(X)))
        self.classes_ = np.unique(y)
        self.model_ = KNeighborsClassifier(min(self.k, len(X))).fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X)

    def predict_proba(self, X: Any) -> Any:
        return self.model_.predict_proba(X)


def test_each_part_is_fitted_to_its_own_batch() -> None:
    X, y = table()
    Spy.seen.clear()
    model = LocalModelsClassifier(Spy("global", 80), Spy("local"), n_iter=3, random_state=0)
    model.fit(X, y)
    fits = list(Spy.seen)
    assert fits[:2] == [("global", 300), ("local", 300)], "first of all, both from all rows"
    by_role = {role: [rows for name, rows in fits[2:] if name == role] for role, _ in fits}
    history = model.history_.loc[1:]
    assert (history["local_rows"] > 0).all()
    assert by_role["global"] == history["global_rows"].tolist()
    # a batch of one class needs no learner
    assert set(by_role["local"]) <= set(history["local_rows"])
    assert all(rows <= 90 for rows in by_role["local"])


# --- what it finds --------------------------------------------------------------------------------


def test_figures_3_and_4_the_line_turns_back_and_the_cluster_is_local() -> None:
    before, after, inside, outside, gains = [], [], [], [], []
    for seed in SEEDS:
        X, y, cluster = plane(seed)
        alone = make_pipeline(StandardScaler(), linear()).fit(X, y)
        model = LocalModelsClassifier(linear(), linear(), n_iter=1, random_state=seed).fit(X, y)
        before.append(angle(alone))
        after.append(angle(model.global_model_))
        local = model.responsibilities(X)[:, 1] > 0.5
        inside.append(local[cluster].mean())
        outside.append(local[~cluster].mean())
        new, truth, _ = plane(seed + 1000, 2000)
        gains.append(model.score(new, truth) - alone.score(new, truth))
    assert np.mean(before) > 5
    assert min(before) > 0
    assert abs(np.mean(after)) < 2.5
    assert (np.abs(after) < np.abs(before)).mean() >= 0.9
    assert np.mean(inside) > 0.95
    assert np.mean(outside) < 0.02
    assert np.mean(gains) > 0.03


def test_a_random_region_does_not_do_what_the_iterations_do() -> None:
    gains = []
    for seed in SEEDS:
        X, y, _ = plane(seed)
        model = LocalModelsClassifier(linear(), linear(), random_state=seed).fit(X, y)
        rng = np.random.default_rng(seed)
        n_local = int(model.history_.loc[model.history_["chosen"], "local_rows"].iloc[0])
        center = X[rng.integers(len(X))]
        region = np.argsort(((X - center) ** 2).sum(axis=1))[:n_local]
        reach = ((X[region] - center) ** 2).sum(axis=1).max()
        rest = np.setdiff1d(np.arange(len(X)), region)
        outer = linear().fit(X[rest], y[rest])
        one_class = len(set(y[region])) == 1
        inner = ConstantClassifier() if one_class else linear()
        inner.fit(X[region], y[region])
        new, truth, _ = plane(seed + 1000, 2000)
        within = ((new - center) ** 2).sum(axis=1) <= reach
        said = np.where(within, inner.predict(new), outer.predict(new))
        gains.append(model.score(new, truth) - (said == truth).mean())
    assert np.mean(gains) > 0.03


@pytest.mark.filterwarnings("ignore:no local model has rows")
def test_a_cluster_that_the_line_gets_right_is_left_to_it() -> None:
    shares: dict[str, list[float]] = {"positive": [], "as the line says": []}
    for seed in SEEDS:
        X, y, cluster = plane(seed)
        for name, classes in (
            ("positive", y),
            ("as the line says", np.where(cluster, "negative", y)),
        ):
            model = LocalModelsClassifier(linear(), linear(), n_iter=2, random_state=seed)
            model.fit(X, classes)
            shares[name].append(1 - model.responsibilities(X)[cluster, 0].mean())
    assert np.mean(shares["positive"]) > 0.9
    assert np.mean(shares["as the line says"]) < 0.5


@pytest.mark.filterwarnings("ignore:no local model has rows")
def test_labels_that_are_only_noise_cost_nothing() -> None:
    errors: dict[str, list[float]] = {"plain": [], "local": []}
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(1400, 2))
        truth = X[:, 0] + X[:, 1] > 0
        y = truth ^ (rng.random(1400) < 0.15)
        plain = make_pipeline(StandardScaler(), linear()).fit(X[:400], y[:400])
        model = LocalModelsClassifier(linear(), linear(), n_iter=2, random_state=seed)
        model.fit(X[:400], y[:400])
        errors["plain"].append((plain.predict(X[400:]) != truth[400:]).mean())
        errors["local"].append((model.predict(X[400:]) != truth[400:]).mean())
    assert np.mean(errors["local"]) - np.mean(errors["plain"]) < 0.01


def test_two_clusters_get_a_local_model_each() -> None:
    rng = np.random.default_rng(0)
    places = [rng.normal(center, 0.1, (10, 2)) for center in ([2.5, 2], [-2.5, 2])]
    X = np.vstack([rng.normal(0, 1, (380, 2)), *places])
    y = np.r_[X[:380, 1] < 0, np.ones(20, dtype=bool)]
    model = LocalModelsClassifier(linear(), linear(), n_local=2, random_state=0).fit(X, y)
    owner = model.responsibilities(X).argmax(axis=1)
    assert len(model.local_models_) == 2
    assert {len(set(owner[380:390])), len(set(owner[390:]))} == {1}
    assert {owner[380], owner[390]} == {1, 2}
    assert (owner[:380] == 0).mean() > 0.97
    assert model.score(X, y) > 0.97


# --- complexity -----------------------------------------------------------------------------------


def test_a_tree_is_cut_at_three_quarters_of_its_depth() -> None:
    X, y = table()
    tree = DecisionTreeClassifier(min_samples_leaf=5)
    model = LocalModelsClassifier(tree, complexity="depth", random_state=0).fit(X, y)
    alone = model.history_["size"][0]
    assert alone >= 5
    assert (model.history_.loc[1:, "size"] <= int(0.75 * alone)).all()
    assert (
        model.global_model_.get_depth() == model.history_["size"][model.history_["chosen"]].item()
    )
    most = LocalModelsClassifier(tree, complexity="leaves", max_complexity=4, random_state=0)
    assert most.fit(X, y).global_model_.get_n_leaves() <= 4


def test_the_smallest_model_that_errs_no_more_can_be_asked_for() -> None:
    X, y = table()
    model = LocalModelsClassifier(select="complexity", random_state=0).fit(X, y)
    history = model.history_
    good = history.loc[1:][history.loc[1:, "error"] <= history["global_error"][0]]
    assert len(good)
    assert history.loc[history["chosen"], "size"].item() == good["size"].min()


def test_a_function_can_be_the_criterion() -> None:
    X, y = table()
    tree = DecisionTreeClassifier(min_samples_leaf=5)

    def questions(model: Any) -> float:
        return float((model.tree_.feature >= 0).sum())

    model = LocalModelsClassifier(tree, complexity=questions, max_complexity=1.0, random_state=0)
    history = model.fit(X, y).history_
    assert history["size"][history["chosen"]].item() == questions(model.global_model_)
    with pytest.raises(
        imd.InputError,
        match=r"max_complexity: no iteration made a global model of "
        r"complexity 1 or less; the least was \d+\. Raise it, or pass a global model ",
    ):
        LocalModelsClassifier(tree, complexity=questions, max_complexity=1).fit(X, y)


def test_coefficients_are_reduced_by_a_stronger_penalty() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 8))
    y = (X[:, 0] + 0.4 * X[:, 1] > 0) ^ (np.abs(X[:, 2] - 1.5) < 0.4)
    lasso = LogisticRegression(l1_ratio=1, solver="liblinear")
    model = LocalModelsClassifier(lasso, complexity="coefficients", max_complexity=3)
    model.set_params(n_iter=2, random_state=0).fit(X, y)
    assert np.count_nonzero(model.global_model_[-1].coef_) <= 3
    assert model.history_["size"][0] > 3


# --- tables, learners, classes --------------------------------------------------------------------


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_a_raw_table_is_taken_as_it_is(library: Any) -> None:
    machines = pumps(600)
    y = machines.pop("outcome")
    machines["seen"] = pd.date_range("2024-01-01", periods=600, freq="h")
    X = machines if library is pd.DataFrame else pl.from_pandas(machines)
    model = LocalModelsClassifier(n_iter=2, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8
    assert model.feature_names_in_.tolist() == list(machines)
    assert model.global_model_.predict(X).shape == (600,)
    names = model.global_model_[0].get_feature_names_out()
    assert "site=Galveston" in names
    tree = model.global_model_[-1].tree_
    asked = names[tree.feature[0]]
    assert tree.threshold[0] > 1 or "=" in asked, "a threshold in the units of the table"
    with pytest.raises(ValueError, match="feature names"):
        model.predict(machines.rename(columns={"site": "place"}))


@pytest.mark.parametrize(
    "global_model, local_model, density",
    [
        (LogisticRegression(), RandomForestClassifier(n_estimators=10), "gaussian"),
        (GaussianNB(), KNeighborsClassifier(), "mcd"),
        (linear(), DecisionTreeClassifier(), GaussianMixture(2, random_state=0)),
        (make_pipeline(StandardScaler(), LogisticRegression()), SVC(), "kmedoids"),
    ],
)
def test_any_learners_and_any_density(global_model: Any, local_model: Any, density: Any) -> None:
    X, y = table(n_classes=3)
    model = LocalModelsClassifier(global_model, local_model, density=density, n_iter=2)
    model.set_params(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.6
    assert model.classes_.tolist() == ["low", "middle", "top"]
    assert model.predict_proba(X).shape == (300, 3)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    assert len(model.densities_) == len(model.priors_) == 1 + len(model.local_models_)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_model_of_their_own_needs_no_more_than_fit_and_predict() -> None:
    class Own:
        def fit(self, X: Any, y: Any) -> None:
            self.first, self.second = np.unique(y)

        def predict(self, X: Any) -> Any:
            return np.where(np.asarray(X)[:, 2] < 0, self.first, self.second)

    X, y = table()
    model = LocalModelsClassifier(Own(), SVC(), n_iter=1, random_state=0).fit(X, y)
    assert model.score(X, y) > (model.global_model_.predict(X) == y).mean()
    alone = model.part_proba(X)[0]
    assert (model.classes_[alone.argmax(axis=1)] == model.global_model_.predict(X)).all()


def test_missing_numbers_are_taken() -> None:
    X, y, cluster = plane(0)
    holes = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    holes[cluster] = X[cluster]
    for library in (np.asarray, pd.DataFrame):
        table = library(holes)
        model = LocalModelsClassifier(linear(), linear(), random_state=0).fit(table, y)
        assert np.isfinite(model.predict_proba(table)).all()
        assert model.score(table, y) > 0.85
        assert (model.responsibilities(table)[cluster, 1] > 0.5).all()


def test_the_same_seed_learns_the_same() -> None:
    X, y = table()
    model = LocalModelsClassifier(
        RandomForestClassifier(5, max_depth=2), RandomForestClassifier(5), n_iter=2, random_state=3
    )
    first, second = (clone(model).fit(X, y).predict_proba(X) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    assert model.global_model.random_state is None, "what was passed is left alone"


# --- words and widget -----------------------------------------------------------------------------


def test_it_explains_who_decides_where() -> None:
    X, y, _ = plane(0)
    named = pd.DataFrame(X, columns=["x1", "x2"])
    model = LocalModelsClassifier(linear(), linear(), random_state=0).fit(named, y)
    explanation = model.explain()
    [region] = explanation.regions
    assert region.n_rows == (model.responsibilities(named)[:, 1] > 0.5).sum()
    assert {landmark.column for landmark in region.landmarks} == {"x1", "x2"}
    text = str(explanation)
    assert text.startswith(
        f"The global SVC decides {100 * explanation.decides:.3g} % of the training"
    )
    assert "A local " in text
    assert " takes over near x" in text
    assert "= 1.8" in text or "= 1.9" in text or "= 2" in text
    assert "instead of" in text


def test_a_place_of_text_is_told_by_its_level() -> None:
    rng = np.random.default_rng(0)
    site = np.where(np.arange(400) < 60, "Galveston", rng.choice(["A", "B", "C"], 400))
    X = pd.DataFrame({"site": site, "speed": rng.normal(size=400)})
    y = np.where((X["speed"] > 0) ^ (site == "Galveston"), "yes", "no")
    model = LocalModelsClassifier(DecisionTreeClassifier(max_depth=1), random_state=0).fit(X, y)
    assert re.search(
        r"near site = Galveston \(\d\d\d? % there, [\d.]+ % elsewhere\)", str(model.explain())
    )
    assert model.score(X, y) > 0.9


def test_show_draws_where_the_local_models_change_its_mind() -> None:
    X, y, cluster = plane(0, 1000)
    named = pd.DataFrame(X, columns=["x1", "x2"])
    model = LocalModelsClassifier(linear(), linear(), random_state=0).fit(named, y)
    widget = model.show(named, outputs="class")
    assert widget.diff.names == ("global", "combined")
    mask = np.zeros(len(X), dtype=bool)
    for rule in widget.diff.rules:
        mask |= rule.mask(named)
    assert mask[cluster].mean() > 0.95
    assert mask[~cluster].mean() < 0.02


# --- odd tables -----------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:no local model has rows")
@settings(max_examples=examples(25))
@given(st.integers(0, 100_000))
def test_the_promises_hold_on_odd_tables(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 60))
    columns = {
        "number": rng.normal(size=n).round(int(rng.integers(0, 3))),
        "constant": np.full(n, 7.0),
        "text": rng.choice(["a", "b", None], n),
        "huge": rng.normal(size=n) * 1e12,
        "rare": np.where(np.arange(n) == 0, "once", "often"),
        "hole": np.where(rng.random(n) < 0.4, np.nan, rng.normal(size=n)),
    }
    names = rng.permutation(list(columns))[: int(rng.integers(1, 7))]
    X = pd.DataFrame({name: columns[name] for name in names})
    n_classes = int(rng.integers(2, 4))
    y = np.r_[np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)]
    tau = float(rng.choice([0.15, 0.3, 0.6]))
    model = LocalModelsClassifier(
        rng.choice([DecisionTreeClassifier(max_depth=2), LogisticRegression()]),
        rng.choice([SVC(), KNeighborsClassifier(1), DecisionTreeClassifier()]),
        n_local=int(rng.integers(1, 1 + max(1, int(tau * n) // 2))),
        tau=tau,
        density=str(rng.choice(["kmedoids", "gaussian"])),
        n_iter=3,
        random_state=seed,
    ).fit(X, y)
    responsibility = model.responsibilities(X)
    np.testing.assert_allclose(responsibility.sum(axis=1), 1)
    assert model.local_share_ <= tau
    assert responsibility.shape == (n, 1 + len(model.local_models_))
    gap = np.abs(model.predict_proba(X) - model.part_proba(X)[0]).max(axis=1)
    assert (gap <= 1 - responsibility[:, 0] + 1e-9).all()
    history = model.history_
    assert (history["global_rows"] >= (1 - tau) * n - 1e-6).all()
    assert (history.loc[1:, "global_rows"] + history.loc[1:, "local_rows"] == n).all()
    assert set(model.predict(X)) <= set(y)
    assert str(model.explain())
