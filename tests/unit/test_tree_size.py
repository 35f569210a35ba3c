"""C4.5 as the benchmark grows it, and the page on the size of its trees."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.local_models.c45 import C45
from benchmarks.local_models.tree_size import NOTHING, main


def test_c45_finds_a_threshold_and_makes_a_leaf_of_noise() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X[:, 1] > 0.3
    tree = C45().fit(X, y)
    assert tree.get_n_leaves() == 2
    assert (tree.root_.column, tree.get_depth()) == (1, 1)
    assert (tree.predict(X) == y).all()
    noise = rng.random(200) < 0.3
    assert C45().fit(X, noise).get_n_leaves() < C45(**NOTHING).fit(X, noise).get_n_leaves()


def test_c45_needs_a_tenth_of_the_cases_on_both_sides() -> None:
    X = np.arange(100.0)[:, None]
    y = np.arange(100) >= 96
    assert C45(penalty=False).fit(X, y).root_.threshold < 95
    assert C45(penalty=False, wide_sides=False).fit(X, y).root_.threshold == 95


def test_the_page_of_the_size_runs_in_small(tmp_path: Path) -> None:
    main(["--quick", "--out", str(tmp_path), "--cache", str(tmp_path / "cache")])
    page = (tmp_path / "evidence-tree-size.md").read_text()
    assert "The rule that matters most" in page
