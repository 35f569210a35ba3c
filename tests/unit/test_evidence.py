"""The evidence that a split on a word needs: one of hundreds of words looks good by chance."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, chi2_contingency

import imd_widget as imd
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.counting.channels import ClassChannels, Purpose, ValueChannels
from imd_widget.counting.histogram import Histogram
from imd_widget.counting.layout import CodeLayout
from imd_widget.data.columns import CategoryColumn
from imd_widget.data.derivation import Derivation
from imd_widget.tree.evidence import LEVEL, needed
from imd_widget.tree.splitter import NodeSplits

WORDS = np.array([f"w{number}" for number in range(400)])
SHARES = 1 / np.arange(3, 403)
SHARES /= SHARES.sum()


def texts_beside_numbers(n: int, rng: np.random.Generator) -> pd.DataFrame:
    lengths = rng.integers(8, 20, n)
    X = pd.DataFrame({f"x{number}": rng.normal(size=n).round(2) for number in range(3)})
    X["text"] = [" ".join(rng.choice(WORDS, length, p=SHARES)) for length in lengths]
    return X


def names_a_word(d: ModelDiff) -> bool:
    columns = [c.column for rule in d.rules for c in rule.conditions]
    return any(isinstance(name, Derivation) and name.part == "word" for name in columns)


@pytest.mark.parametrize("method", ["calibrated", "direct", "imd"])
def test_without_a_relation_no_rule_names_a_word(method: str) -> None:
    n_with_words = 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = texts_beside_numbers(300, rng)
        first = rng.random(300) < 0.5
        differs = rng.random(300) < (0.1, 0.2, 0.4)[seed % 3]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            d = imd.diff(first, first ^ differs, X, method=method, measure="none")
        n_with_words += names_a_word(d)
    # the level of a test is divided by the number of words and of nodes
    assert n_with_words == 0


def test_a_word_with_a_weak_relation_is_found() -> None:
    rng = np.random.default_rng(0)
    X = texts_beside_numbers(1500, rng)
    has = X["text"].str.contains(r"\bw3\b").to_numpy()
    first = rng.random(1500) < 0.5
    differs = rng.random(1500) < np.where(has, 0.4, 0.12)
    d = imd.diff(first, first ^ differs, X)
    assert "text contains 'w3'" in {str(c) for rule in d.rules for c in rule.conditions}


def word_columns(n: int) -> list[CategoryColumn]:
    return [
        CategoryColumn(Derivation("text", 0, "word", f"w{j}"), j + 1, (True, False))
        for j in range(n)
    ]


@pytest.mark.parametrize("weight", [1, 3])
@pytest.mark.parametrize("copies", [1, 2])
def test_the_test_is_that_of_a_contingency_table(weight: int, copies: int) -> None:
    """Naive twin: scipy's G test of each word, with weights and copies that change nothing."""
    rng = np.random.default_rng(0)
    n, n_words, depth = 400, 30, 2
    has = rng.random((n_words, n)) < 0.3
    differs = rng.random(n) < np.where(has[0], 0.5, np.where(has[1], 0.35, 0.15))
    layout = CodeLayout.of(word_columns(n_words))
    target = ClassChannels(weighted=weight > 1, n_labels=2)
    values = np.zeros((layout.n_bins, target.n_channels))
    for j, flags in enumerate(has):
        for code, mask in enumerate((flags, ~flags)):
            rows = np.array([(mask & ~differs).sum(), (mask & differs).sum()]) * copies
            values[layout.offsets[j] + code, :2] = rows * weight
            if weight > 1:
                values[layout.offsets[j] + code, 2:4] = rows
    histogram = Histogram(values.T, np.arange(target.n_channels))
    splits = NodeSplits(histogram, target, layout, 1, [Purpose.DIFFERS], depth, copies)
    level = LEVEL / (n_words * 2**depth)
    expected = []
    for j, flags in enumerate(has):
        cells = [[(a & b).sum() for b in (differs, ~differs)] for a in (flags, ~flags)]
        found = chi2_contingency(cells, correction=False, lambda_="log-likelihood")
        if found.pvalue <= level:
            expected.append(j)
    assert expected, "the test would show nothing"
    assert splits.none == (not expected)
    assert splits.best_common()[0].column in expected
    for j in range(n_words):  # alone, and as one of as many
        assert (j in expected) == (j in splits.columns)


def test_the_needed_statistic_is_a_quantile() -> None:
    layout = CodeLayout.of(word_columns(50))
    for depth, degrees in ((0, 1), (3, 1), (2, 5)):
        assert needed(layout, depth, degrees) == pytest.approx(
            chi2.isf(LEVEL / (50 * 2**depth), degrees)
        )


def test_numbers_of_one_model_are_tested_by_explained_variance() -> None:
    rng = np.random.default_rng(0)
    has = rng.random((20, 300)) < 0.4
    output = rng.normal(size=300) + has[0]
    layout = CodeLayout.of(word_columns(20))
    target = ValueChannels(weighted=False, slack=0.0, variances=(float(output.var()), 0.0))
    values = np.zeros((layout.n_bins, target.n_channels))
    for j, flags in enumerate(has):
        for code, mask in enumerate((flags, ~flags)):
            own = output[mask]
            values[layout.offsets[j] + code, [0, 3, 4]] = (len(own), own.sum(), (own**2).sum())
    histogram = Histogram(values.T, np.arange(target.n_channels))
    assert NodeSplits(histogram, target, layout, 1, [Purpose.FIRST]).columns == {0}
    assert NodeSplits(histogram, target, layout, 1, [Purpose.DIFFERS]).none
