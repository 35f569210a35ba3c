"""The machinery behind docs/evidence-local-models.md, and a small run of all of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from benchmarks.local_models.__main__ import main
from benchmarks.local_models.measure import Job, jobs_of, random_region
from benchmarks.local_models.published import CLAIMED, TABLE, Line
from benchmarks.local_models.report import by_dataset, prose
from benchmarks.local_models.tables import DATASETS, load, split
from benchmarks.local_models.trees import PrunedTree, errors_expected, pruned_tree

ROOT = Path(__file__).parents[2]


def test_the_published_table_says_what_the_paper_says_of_it() -> None:
    lines = list(TABLE.values())
    nodes = np.mean([100 * (third.nodes / first.nodes - 1) for first, _, third in lines])
    error = np.mean([100 * (third.error / first.global_error - 1) for first, _, third in lines])
    assert error == pytest.approx(CLAIMED["error"], abs=0.5)
    disagreement = np.mean([100 * third.disagreement for _, _, third in lines])
    assert nodes == pytest.approx(CLAIMED["nodes"], abs=1.5)
    assert disagreement == pytest.approx(CLAIMED["disagreement"], abs=1)
    assert set(DATASETS) < set(TABLE)


def test_pruning_expects_what_the_binomial_limit_expects() -> None:
    # C4.5: 6 rows without an error have a limit of 0.206, 9 of 0.143, 1 of 0.75
    found = errors_expected(np.array([6.0, 9.0, 1.0]), np.zeros(3)) / [6, 9, 1]
    np.testing.assert_allclose(found, [0.206, 0.143, 0.75], atol=5e-4)
    assert errors_expected(np.array([4.0]), np.array([4.0])) == [4]


def test_a_pruned_tree_is_a_part_of_the_tree_and_says_its_own_size() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    y = (X[:, 0] > 0) ^ (rng.random(400) < 0.2)
    tree = pruned_tree()
    whole = DecisionTreeClassifier(**tree.get_params()).fit(X, y)
    tree.fit(X, y)
    assert 2 <= tree.get_n_leaves() < whole.get_n_leaves()
    assert tree.get_depth() <= whole.get_depth()
    assert len(set(tree.apply(X))) <= tree.get_n_leaves()
    assert tree.tree_.feature[0] == whole.tree_.feature[0]
    assert (tree.predict(X) != y).mean() >= (whole.predict(X) != y).mean()
    noise = pruned_tree().fit(X, rng.random(400) < 0.1)
    assert noise.get_n_leaves() < 10
    assert isinstance(clone(tree), PrunedTree)
    assert pruned_tree(2).fit(X, y).get_depth() <= 2


def test_a_random_region_asks_the_local_model_inside_and_the_global_one_outside() -> None:
    class Says:
        def __init__(self, word: str) -> None:
            self.word = word

        def fit(self, X: Any, y: Any) -> Any:
            self.n_rows = len(X)
            return self

        def predict(self, X: Any) -> Any:
            return np.repeat(self.word, len(X))

    Z = np.arange(100.0)[:, None]
    y = np.where(np.arange(100) % 2, "a", "b")
    outer, inner = Says("outer"), Says("inner")
    said = random_region(Z, y, Z, 10, outer, inner, np.random.default_rng(0))
    assert (outer.n_rows, inner.n_rows) == (90, 10)
    assert (said == "inner").sum() in (10, 11)
    inside = np.flatnonzero(said == "inner")
    assert np.ptp(inside) == len(inside) - 1, "one interval"
    assert set(random_region(Z, y, Z, 0, outer, inner, np.random.default_rng(0))) == {"outer"}


def test_jobs_have_files_of_their_own_and_folds_cover_the_table(tmp_path: Path) -> None:
    jobs = list(jobs_of(DATASETS, 20, 3))
    assert len({job.file(tmp_path) for job in jobs}) == len(jobs)
    assert sum(job.kind == "plane" for job in jobs) == 20
    assert sum(job.kind == "table" for job in jobs) == 4 * 15 + 5
    assert sum(job.kind == "choice" for job in jobs) == 25
    table = load("bc")
    tested = np.concatenate([split(table, 1, fold)[1] for fold in range(5)])
    assert sorted(tested) == list(range(len(table.y)))


def test_missing_data_are_named_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IMD_DATA", str(tmp_path))
    load.cache_clear()
    with pytest.raises(SystemExit, match=r"^breast is missing\. IMD_DATA names a folder with"):
        main(["--cache", str(tmp_path / "cache")])
    assert not (tmp_path / "cache").exists()


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quick")
    main(["--quick", "--workers", "1", "--out", str(folder), "--cache", str(folder / "cache")])
    return folder


def test_a_quick_run_writes_every_section(quick: Path) -> None:
    text = (quick / "evidence-local-models.md").read_text(encoding="utf-8")
    published = (ROOT / "docs" / "evidence-local-models.md").read_text(encoding="utf-8")
    heads = [line for line in text.splitlines() if line.startswith("#")]
    assert heads == [line for line in published.splitlines() if line.startswith("#")]
    assert "This is the quick run" in text
    assert "This is the quick run" not in published
    for control in ("depth cut", "cut, random rows", "cut, random region", "SVM alone"):
        assert f"| {control} " in text
    assert "nan" not in text


def test_a_second_run_measures_nothing_again(quick: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: Any) -> None:
        raise AssertionError("it was measured already")

    monkeypatch.setattr("benchmarks.local_models.__main__.run_job", never)
    main(["--quick", "--workers", "1", "--out", str(quick), "--cache", str(quick / "cache")])
    [lost] = [Job("plane", (1,)).file(quick / "cache")]
    kept = lost.read_bytes()
    lost.unlink()
    with pytest.raises(AssertionError, match="measured already"):
        main(["--quick", "--workers", "1", "--out", str(quick), "--cache", str(quick / "cache")])
    lost.write_bytes(kept)


def test_the_published_page_is_a_full_run() -> None:
    text = (ROOT / "docs" / "evidence-local-models.md").read_text(encoding="utf-8")
    assert "over 20 draws" in text
    for name in DATASETS:
        assert f"| {name} " in text
        assert f"{TABLE[name][2].nodes:.1f}" in text, "the paper's figures beside ours"


def lines_of_the_page() -> dict[str, tuple[Line, ...]]:
    """Our figures in the table of the page, by dataset."""
    text = (ROOT / "docs" / "evidence-local-models.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in text.splitlines()]
    found: dict[str, tuple[Line, ...]] = {}
    name = ""
    for row in rows:
        if len(row) == 7 and row[1] in ("1", "2", "3"):
            name = row[0] or name
            figures = [float(cell.split(" / ")[0]) for cell in row[2:]]
            found[name] = (*found.get(name, ()), Line(*figures))
    return found


def test_the_page_says_on_how_many_sets_the_error_falls() -> None:
    lines = lines_of_the_page()
    assert set(lines) == set(DATASETS)
    text = (ROOT / "docs" / "evidence-local-models.md").read_text(encoding="utf-8")
    assert prose(by_dataset(lines)) in text


def test_the_sentence_about_sets_follows_the_figures() -> None:
    assert "on 3 of 5 sets, with a median change of -1 % (the paper's figures: 3 of 5, -1 %)" in (
        by_dataset({name: TABLE[name] for name in DATASETS})
    )
    worse = {
        name: (first, first, replace(first, error=0.9)) for name, (first, _, _) in TABLE.items()
    }
    assert "has a smaller error than the tree alone on 0 of 7 sets" in by_dataset(worse)
    assert "has a larger error than the tree alone on 0 of 7" in by_dataset(worse)
