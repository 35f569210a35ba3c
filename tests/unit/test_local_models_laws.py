"""Laws of the mixture and its parts, each against a slow, obvious twin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from imd_widget.learners.local_models.columns import TableEncoder, prepared
from imd_widget.learners.local_models.complexity import Limit, measured
from imd_widget.learners.local_models.densities import (
    GaussianDensity,
    KMedoidsDensity,
    MCDDensity,
)
from imd_widget.learners.local_models.kmedoids import kmedoids
from imd_widget.learners.local_models.mixture import (
    adjusted,
    batches,
    least_global_rows,
    log_responsibilities,
    mixed,
)
from imd_widget.learners.local_models.parts import (
    ConstantClassifier,
    fit_part,
    fitted_slope,
    scores,
)

TAUS = st.sampled_from([0.05, 0.1, 0.3, 0.5, 0.9])


def likelihoods(seed: int, n_parts: int, spread: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 60))
    prior = rng.dirichlet(np.ones(n_parts))
    return np.log(prior), rng.normal(0, spread, (n, n_parts))


# --- responsibilities -----------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_responsibilities_are_bayes_rule(seed: int, n_parts: int) -> None:
    log_prior, log_likelihood = likelihoods(seed, n_parts, 3)
    found = np.exp(log_responsibilities(log_prior, log_likelihood))
    for row, likelihood in zip(found, log_likelihood, strict=True):
        joint = [math.exp(a) * math.exp(b) for a, b in zip(log_prior, likelihood, strict=True)]
        np.testing.assert_allclose(row, np.array(joint) / sum(joint), atol=1e-12)


@given(st.integers(0, 10_000), st.integers(2, 4), TAUS, st.sampled_from([0.1, 3.0, 1e4]))
def test_the_mean_responsibility_keeps_tau(
    seed: int, n_parts: int, tau: float, spread: float
) -> None:
    log_prior, log_likelihood = likelihoods(seed, n_parts, spread)
    found = adjusted(log_prior, log_likelihood, tau=tau, rule="posterior")
    assert found.local_share <= tau
    assert np.exp(found.log_prior).sum() == pytest.approx(1)
    np.testing.assert_allclose(np.exp(found.log_responsibility).sum(axis=1), 1)


@given(st.integers(0, 10_000), st.integers(2, 4), TAUS)
def test_the_prior_is_raised_no_further_than_needed(seed: int, n_parts: int, tau: float) -> None:
    log_prior, log_likelihood = likelihoods(seed, n_parts, 3)
    mean = np.exp(log_responsibilities(log_prior, log_likelihood)).mean(axis=0)
    free = np.exp(log_responsibilities(np.log(mean), log_likelihood))[:, 0].mean()
    found = adjusted(log_prior, log_likelihood, tau=tau, rule="posterior")
    if free >= 1 - tau:
        np.testing.assert_allclose(np.exp(found.log_prior), mean)
    else:
        assert found.local_share == pytest.approx(tau, abs=1e-9)
    # the local parts keep their proportions to each other
    ratio = np.exp(found.log_prior[1:]) / mean[1:]
    np.testing.assert_allclose(ratio, ratio[0])


def test_the_published_rule_bounds_the_prior_and_not_the_posterior() -> None:
    log_likelihood = np.column_stack([np.zeros(10), np.r_[np.full(6, 9.0), np.full(4, -9.0)]])
    prior = np.log([0.5, 0.5])
    literal = adjusted(prior, log_likelihood, tau=0.3, rule="prior")
    assert np.exp(literal.log_prior[0]) == pytest.approx(0.7)
    assert literal.local_share > 0.55
    assert adjusted(prior, log_likelihood, tau=0.3, rule="posterior").local_share <= 0.3


@given(st.integers(0, 10_000), st.integers(2, 4), TAUS)
def test_batches_are_those_of_a_slow_twin(seed: int, n_parts: int, tau: float) -> None:
    log_prior, log_likelihood = likelihoods(seed, n_parts, 3)
    found = log_responsibilities(log_prior, log_likelihood)
    owner = batches(found, tau)
    n = len(owner)
    assert (owner == 0).sum() >= least_global_rows(n, tau) >= (1 - tau) * n - 1e-6
    expected = [max(range(n_parts), key=lambda j: (row[j], -j)) for row in found]
    while expected.count(0) < least_global_rows(n, tau):
        local = [i for i in range(n) if expected[i] != 0]
        nearest = max(local, key=lambda i: (found[i][0] - found[i][expected[i]], -i))
        expected[nearest] = 0
    assert owner.tolist() == expected


@pytest.mark.parametrize(
    "n, tau, least", [(10, 0.3, 7), (10, 0.1, 9), (20, 0.05, 19), (11, 0.3, 8)]
)
def test_whole_shares_are_not_rounded_up(n: int, tau: float, least: int) -> None:
    assert least_global_rows(n, tau) == least


@given(st.integers(0, 1000))
def test_the_mixture_is_a_sum_over_parts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, k, c = rng.integers(1, 6, 3)
    r, p = rng.dirichlet(np.ones(k), n), rng.dirichlet(np.ones(c), (k, n))
    found = mixed(r, p)
    for i in range(n):
        for y in range(c):
            assert found[i, y] == pytest.approx(sum(r[i, j] * p[j, i, y] for j in range(k)))


# --- k-medoids and densities ----------------------------------------------------------------------


@given(st.integers(0, 1000))
def test_one_medoid_has_the_least_sum_of_distances(seed: int) -> None:
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(int(rng.integers(1, 30)), 2)).round(1)
    found = kmedoids(Z, 1, np.random.RandomState(0))
    sums = [sum(math.dist(a, b) for b in Z) for a in Z]
    assert sums[found.medoids[0]] == pytest.approx(min(sums))


@given(st.integers(0, 1000), st.integers(1, 5))
def test_each_row_belongs_to_its_nearest_medoid(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(int(rng.integers(1, 40)), 2)).round(1)
    found = kmedoids(Z, k, np.random.RandomState(0))
    assert len(found.medoids) <= k
    for row, label in zip(Z, found.labels, strict=True):
        distances = [math.dist(row, Z[medoid]) for medoid in found.medoids]
        assert distances[label] == pytest.approx(min(distances))


def test_medoids_find_clusters_that_are_apart() -> None:
    rng = np.random.default_rng(0)
    centers = np.array([[0, 0], [9, 0], [0, 9]])
    Z = np.vstack([rng.normal(center, 0.5, (20, 2)) for center in centers])
    labels = kmedoids(Z, 3, np.random.RandomState(0)).labels
    assert len({tuple(labels[i : i + 20]) for i in (0, 20, 40)}) == 3
    assert all(len(set(labels[i : i + 20])) == 1 for i in (0, 20, 40))
    assert len(kmedoids(np.ones((5, 2)), 3, np.random.RandomState(0)).medoids) == 1


def test_a_sample_of_a_large_cluster_gives_nearly_its_medoid() -> None:
    Z = np.random.default_rng(0).normal(size=(5_000, 2))
    medoid = Z[kmedoids(Z, 1, np.random.RandomState(0)).medoids[0]]
    assert np.abs(medoid).max() < 0.15


def test_a_density_of_medoids_is_a_gaussian_and_robust() -> None:
    rng = np.random.default_rng(0)
    Z = rng.normal([1, -1], 0.5, (400, 2))
    density = KMedoidsDensity().fit(Z)
    assert density.scales_[0] == pytest.approx(0.5, rel=0.1)
    expected = multivariate_normal(density.medoids_[0], density.scales_[0] ** 2 * np.eye(2))
    np.testing.assert_allclose(density.score_samples(Z), expected.logpdf(Z))
    far = np.vstack([Z, np.full((150, 2), 40.0)])
    moved = KMedoidsDensity().fit(far)
    assert math.dist(moved.medoids_[0], [1, -1]) < 0.5
    assert moved.scales_[0] < 1
    # its plain twin is not: mean and covariance follow the rows from elsewhere
    assert np.sqrt(GaussianDensity().fit(far).covariance_[0, 0]) > 10
    assert math.dist(MCDDensity(random_state=0).fit(far).mean_, [1, -1]) < 0.2


def test_several_medoids_are_a_mixture() -> None:
    rng = np.random.default_rng(0)
    Z = np.vstack([rng.normal(0, 1, (60, 2)), rng.normal(20, 1, (20, 2))])
    density = KMedoidsDensity(2).fit(Z)
    assert sorted(density.shares_) == [0.25, 0.75]
    pairs = zip(density.medoids_, density.scales_, density.shares_, strict=True)
    parts = [share * multivariate_normal(m, s**2 * np.eye(2)).pdf(Z) for m, s, share in pairs]
    np.testing.assert_allclose(density.score_samples(Z), np.log(sum(parts)))


@pytest.mark.parametrize("density", [KMedoidsDensity(), GaussianDensity(), MCDDensity()])
@pytest.mark.parametrize("rows", [1, 2, 7])
def test_equal_rows_have_a_finite_density(density: Any, rows: int) -> None:
    Z = np.ones((rows, 3))
    assert np.isfinite(density.fit(Z).score_samples(np.vstack([Z, np.full((1, 3), 1e6)]))).all()


def test_gaussians_have_the_density_of_their_mean_and_covariance() -> None:
    Z = np.random.default_rng(0).normal(size=(300, 3)) @ np.diag([1, 2, 0.5])
    for density in (GaussianDensity().fit(Z), MCDDensity(random_state=0).fit(Z)):
        expected = multivariate_normal(density.mean_, density.covariance_).logpdf(Z)
        np.testing.assert_allclose(density.score_samples(Z), expected)
        np.testing.assert_allclose(np.sqrt(np.diag(density.covariance_)), [1, 2, 0.5], rtol=0.2)


# --- probabilities of learners --------------------------------------------------------------------


@given(st.integers(0, 1000), st.integers(2, 4))
def test_the_slope_has_the_least_cross_entropy(seed: int, n_classes: int) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 60))
    codes = rng.integers(0, n_classes, n)
    score = rng.normal(size=(n, n_classes))
    score[np.arange(n), codes] += rng.uniform(-0.5, 3)
    slope = fitted_slope(score, codes)
    assert slope >= 0

    def entropy(a: float) -> float:
        total = 0.0
        for row, code in zip(score, codes, strict=True):
            p = np.exp(a * row) / np.exp(a * row).sum()
            for c in range(n_classes):
                weight = ((n if c == code else 0) + 1) / (n + n_classes)
                total -= weight * math.log(p[c])
        return total

    best = entropy(slope)
    assert all(best <= entropy(a) + 1e-5 for a in (slope * 0.9, slope * 1.1, 0.5, 1.0, 2.0))


def test_a_learner_that_only_names_classes_has_its_accuracy_as_probability() -> None:
    codes = np.repeat([0, 1], 50)
    said = codes.copy()
    said[:20] = 1 - said[:20]
    slope = fitted_slope(np.eye(2)[said], codes)
    p = 1 / (1 + math.exp(-slope))
    # a row counts as its class with 101/102, as the other with 1/102
    assert p == pytest.approx((80 * 101 + 20 * 1) / (100 * 102), abs=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("learner", [SVC(), Perceptron(), LogisticRegression()])
def test_scaling_keeps_the_class_that_the_learner_says(learner: Any, n_classes: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 2))
    y = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + rng.normal(0, 0.5, 120), [-0.4, 0.4])]
    if n_classes == 2:
        y = np.where(y == "c", "a", y)
    part = fit_part(learner, X, y, np.unique(y), seed=0)
    proba = part.proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (proba >= 0).all()
    assert (np.unique(y)[proba.argmax(axis=1)] == part.model.predict(X)).mean() > 0.99
    assert (part.slope is None) == hasattr(learner, "predict_proba")


def test_scores_fall_back_on_the_class_that_is_said() -> None:
    class Says:
        def predict(self, X: Any) -> Any:
            return np.array(["b"] * len(X))

        def decision_function(self, X: Any) -> Any:
            return np.zeros((len(X), 6))  # one against one: six columns for four classes

    found = scores(Says(), np.zeros((2, 1)), np.array(["a", "b", "c", "d"]))
    assert found.tolist() == [[0, 1, 0, 0]] * 2


def test_a_batch_of_one_class_is_a_constant_after_laplace() -> None:
    part = fit_part(SVC(), np.zeros((8, 1)), np.array(["b"] * 8), np.array(["a", "b", "c"]), 0)
    assert isinstance(part.model, ConstantClassifier)
    assert part.proba(np.zeros((2, 1))).tolist() == [[1 / 11, 9 / 11, 1 / 11]] * 2
    assert part.model.predict(np.zeros((2, 1))).tolist() == ["b", "b"]
    assert ConstantClassifier().fit([[0]], ["x"]).predict([[0]]).tolist() == ["x"]


def test_classes_that_a_batch_lacks_have_no_probability() -> None:
    X, y = np.arange(8.0)[:, None], np.repeat(["a", "c"], 4)
    part = fit_part(DecisionTreeClassifier(), X, y, np.array(["a", "b", "c"]), 0)
    assert part.proba(X).tolist() == [[1, 0, 0]] * 4 + [[0, 0, 1]] * 4
    # the leaf holds four rows: (4 * 1 + 1) / (4 + 3), and (4 * 0 + 1) / (4 + 3)
    found = np.exp(part.log_likelihood(X[:2], np.array([0, 1])))
    np.testing.assert_allclose(found, [5 / 7, 1 / 7])


# --- tables as numbers ----------------------------------------------------------------------------


def test_a_raw_table_becomes_numbers() -> None:
    table = pd.DataFrame(
        {
            "n": [1.0, np.nan, 3.0, 5.0],
            "job": ["cook", None, "nurse", "cook"],
            "on": pd.to_datetime(["2020-01-01", "2020-01-02", None, "2020-01-04"], utc=True),
            "took": pd.to_timedelta([1, 2, 3, 4], unit="D"),
            "flag": [True, False, True, True],
            "whole": pd.array([1, None, 3, 4], dtype="Int64"),
        }
    )
    encoder = TableEncoder(scale=False).fit(table)
    found = pd.DataFrame(encoder.transform(table), columns=encoder.get_feature_names_out())
    assert list(found) == [
        *("n", "job=cook", "job=nurse", "job=missing", "on", "took", "flag", "whole"),
    ]
    assert found["n"].tolist() == [1, 3, 3, 5]
    assert found["job=cook"].tolist() == [1, 0, 0, 1]
    assert found["job=missing"].tolist() == [0, 1, 0, 0]
    assert found["on"].diff().tolist()[1:] == [1, 0, 2]
    assert found["took"].tolist() == [1, 2, 3, 4]
    assert found["flag"].tolist() == [1, 0, 1, 1]
    assert found["whole"].tolist() == [1, 3, 3, 4]
    scaled = TableEncoder().fit_transform(table)
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(axis=0), 1)
    # a level that was not there when it was fitted is none of the levels
    assert encoder.transform(table.assign(job="pilot"))[:, 1:4].sum() == 0
    kept = TableEncoder(scale=False, impute=False).fit_transform(table)
    assert np.isnan(kept[1, 0])


def test_a_constant_column_stays_where_it_is() -> None:
    found = TableEncoder().fit_transform(np.column_stack([np.full(5, 0.1), np.arange(5)]))
    assert np.abs(found[:, 0]).max() < 1e-12


def test_only_what_a_learner_needs_is_put_before_it() -> None:
    tree, svm = DecisionTreeClassifier(), SVC()
    numbers = np.arange(8.0).reshape(4, 2)
    text = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    assert prepared(tree, numbers) is tree
    assert [name for name, _ in prepared(svm, numbers).steps] == ["columns", "model"]
    assert prepared(svm, numbers).steps[0][1].scale
    assert not prepared(tree, text).steps[0][1].scale
    pipeline = prepared(svm, text)
    assert prepared(pipeline, text) is pipeline
    holes = np.where(numbers == 3, np.nan, numbers)
    assert prepared(tree, holes) is tree, "it takes missing values itself"


# --- complexity -----------------------------------------------------------------------------------


def test_a_limit_is_a_share_of_the_model_without_one_or_a_number() -> None:
    assert Limit.of("depth", 0.75, 7).most == 5
    assert Limit.of("depth", 0.1, 4).most == 1
    assert Limit.of("leaves", 0.1, 4).most == 2
    assert Limit.of("nodes", 9, 100).most == 9
    assert Limit.of(len, 0.5, 3).most == 1.5
    assert Limit.of(None, 0.75, 7).allows(1e9)
    assert not Limit.of("depth", 3, 7).allows(4)


@pytest.mark.parametrize("complexity, most", [("depth", 2), ("leaves", 5), ("nodes", 7)])
def test_trees_keep_their_limit(complexity: str, most: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    [learner] = Limit.of(complexity, most, math.inf).learners(DecisionTreeClassifier())
    assert measured(learner.fit(X, y), complexity) == most
    [kept] = Limit.of("depth", 9, math.inf).learners(DecisionTreeClassifier(max_depth=3))
    assert kept.max_depth == 3


def test_a_penalty_grows_until_few_coefficients_are_left() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8))
    y = X[:, 0] + 0.3 * X[:, 1] + rng.normal(0, 0.5, 200) > 0
    lasso = LogisticRegression(l1_ratio=1, solver="liblinear")
    sizes = [
        measured(learner.fit(X, y), "coefficients")
        for learner in list(Limit.of("coefficients", 2, 8).learners(lasso))[:8]
    ]
    assert sizes[0] == 8
    assert min(sizes) <= 2
    assert np.isnan(measured(SVC().fit(X, y), None))
    assert measured(LinearRegression().fit(X, y), None) == 8


@given(st.integers(0, 500))
def test_plain_numbers_are_encoded_as_any_other_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(int(rng.integers(1, 12)), 3)).round(1)
    holes = rng.random(values.shape) < rng.choice([0, 0.3])
    plain = pd.DataFrame(np.where(holes, np.nan, values), columns=["a", "b", "c"])
    slow = plain.astype("Float64")
    np.testing.assert_array_equal(
        TableEncoder(scale=False).fit_transform(plain),
        TableEncoder(scale=False).fit_transform(slow),
    )
    if not holes.any():
        np.testing.assert_array_equal(
            TableEncoder().fit(plain).transform(slow), TableEncoder().fit_transform(plain)
        )
