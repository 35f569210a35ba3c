"""The region of a local model: its shape, chance, its rules; and other ways to learn it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

import imd_widget as imd
from imd_widget.learners import LocalModelsClassifier
from imd_widget.learners.local_models.parts import fitted_slope

LINE = SVC(kernel="linear")


def cluster(seed: int = 3) -> tuple[Any, Any]:
    points = imd.datasets.small_cluster(random_state=seed)
    return points[["x1", "x2"]], points["label"].to_numpy()


def fitted(X: Any, y: Any, **options: Any) -> LocalModelsClassifier:
    options = {"n_iter": 2, "random_state": 0, **options}
    return LocalModelsClassifier(LINE, LINE, **options).fit(X, y)


def test_responsibilities_are_u_shaped_where_the_parts_are_apart() -> None:
    X, y = cluster()
    model = fitted(X, y)
    found = model.explain()
    global_share = model.responsibilities(X)[:, 0]
    counts = [((global_share >= at / 10) & (global_share < (at + 1) / 10)).sum() for at in range(9)]
    assert found.share_counts == (*counts, len(X) - sum(counts))
    assert found.clear == np.mean((global_share >= 0.9) | (global_share <= 0.1))
    assert found.share_counts[0] + found.share_counts[-1] > 0.9 * len(X)
    assert "as the method assumes." in str(found)
    assert len(found.plot().patches) == 10


def test_an_overlap_of_the_parts_is_reported() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    found = fitted(X, y, density="gaussian", tau=0.5).explain()
    assert found.clear < 0.8
    assert "the parts overlap" in str(found)


@pytest.mark.filterwarnings("ignore:no local model")
def test_the_region_of_a_real_cluster_is_more_than_chance_and_of_noise_is_not() -> None:
    X, y = cluster()
    real = fitted(X, y, n_iter=1).region_test(X, y, n_permutations=19)
    assert real.p_value == 0.05  # the smallest possible
    assert real.gain > max(real.null_gains)
    assert "p = 0.05, 19 shuffles" in str(real)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2))
    y = (X[:, 0] > 0) ^ (rng.random(150) < 0.2)
    noise = fitted(X, y, n_iter=1).region_test(X, y, n_permutations=19)
    assert noise.p_value > 0.05


def test_shuffled_classes_keep_the_errors_of_the_global_model() -> None:
    from imd_widget.learners.local_models.region_test import shuffled_within

    rng = np.random.default_rng(0)
    y, said = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    shuffled = shuffled_within(y, said, rng)
    assert (shuffled != y).any()
    for label in range(3):
        assert sorted(shuffled[said == label]) == sorted(y[said == label])


def test_the_rules_of_a_region_hold_for_the_rows_that_the_local_model_decides() -> None:
    X, y = cluster()
    model = fitted(X, y)
    d = model.region_rules(X)
    local = model.responsibilities(X).argmax(axis=1) == 1
    assert {rule.outcomes for rule in d.rules} == {("global", "local")}
    inside = d.predict(X)
    assert (inside & local).sum() >= 0.9 * local.sum()
    assert (inside & ~local).sum() <= 2


def test_the_slope_has_the_least_squared_error() -> None:
    rng = np.random.default_rng(1)
    score = rng.normal(size=(80, 3))
    codes = np.where(rng.random(80) < 0.6, score.argmax(axis=1), rng.integers(0, 3, 80))
    target = np.full((80, 3), 1 / 83)
    target[np.arange(80), codes] += 80 / 83

    def error(slope: float) -> float:
        return ((softmax(slope * score, axis=1) - target) ** 2).sum()

    slope = fitted_slope(score, codes, "squared_error")
    assert error(slope) <= min(map(error, np.linspace(0, 20, 4001))) + 1e-6
    assert slope != pytest.approx(fitted_slope(score, codes), abs=1e-3)
    assert fitted_slope(np.zeros((5, 2)), np.array([0, 1, 0, 1, 0]), "squared_error") == 0


class Spy(LogisticRegression):
    """Records how many rows each fit gets."""

    seen: list[int] = []  # noqa: RUF012 - shared by the clones on purpose

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Fit, and record the rows."""
        type(self).seen.append(len(y))
        return super().fit(X, y, sample_weight)


class GlobalSpy(Spy):
    """The same for global models."""

    seen: list[int] = []  # noqa: RUF012


class LocalSpy(Spy):
    """The same for local models."""

    seen: list[int] = []  # noqa: RUF012


def rows_seen(**options: Any) -> tuple[list[int], list[int]]:
    GlobalSpy.seen, LocalSpy.seen = [], []
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (190, 2)), rng.normal(2, 0.1, (10, 2))])
    y = (X[:, 1] < 0) | (np.arange(200) >= 190)
    options = {"n_iter": 1, "random_state": 0, **options}
    LocalModelsClassifier(GlobalSpy(), LocalSpy(), **options).fit(X, y)
    return GlobalSpy.seen, LocalSpy.seen


def test_the_global_model_learns_from_a_sample() -> None:
    whole, local = rows_seen()
    for sample, sizes in ((0.5, [100, round(whole[1] / 2)]), (30, [30, 30]), (10**6, whole)):
        seen, local_rows = rows_seen(global_sample=sample)
        assert seen == sizes
        assert local_rows[0] == local[0] == 200


def test_batches_overlap_where_no_part_is_clearly_responsible() -> None:
    X, y = cluster()
    columns = ["global_rows", "local_rows"]
    apart, both = (
        fitted(X, y, n_iter=1, overlap=overlap).history_[columns].iloc[1]
        for overlap in (None, 0.01)
    )
    assert apart.sum() == len(X)
    assert both["global_rows"] >= apart["global_rows"]
    assert both["local_rows"] >= apart["local_rows"]
    assert both.sum() > len(X)


@pytest.mark.parametrize(
    "option, message",
    [
        ({"scaling": "platt"}, "one of 'cross_entropy', 'squared_error' is needed"),
        ({"overlap": 0.7}, "above 0 and up to 0.5"),
        ({"global_sample": 1}, "a whole number of rows from 2 up"),
        ({"global_sample": 1.5}, "a share above 0 and up to 1"),
    ],
)
def test_options_that_cannot_be_used(option: dict[str, Any], message: str) -> None:
    X, y = cluster()
    with pytest.raises(imd.InputError, match=message):
        fitted(X, y, **option)
