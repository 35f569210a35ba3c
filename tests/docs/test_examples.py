"""Every example in the pages, the README and the docstrings runs and prints what is shown."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import imd_widget as imd
from tests.docs.examples import blocks, run_doctest, run_page

ROOT = Path(__file__).parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))
MODULES = ["imd_widget", *(m.name for m in pkgutil.walk_packages(imd.__path__, "imd_widget."))]


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Examples write files; pictures are drawn without a screen.

    One thread: on a busy machine the threads of small models wait for each other.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    with threadpool_limits(1):
        yield


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_examples_of_a_page_run(file: Path) -> None:
    run_page(file, {"__name__": "__main__"})


def test_examples_of_the_readme_run() -> None:
    run_page(ROOT / "README.md", readme_names())


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_examples_of_docstrings_run(name: str) -> None:
    found = doctest.DocTestFinder().find(importlib.import_module(name))
    failures = [line for examples in found if examples.examples for line in run_doctest(examples)]
    assert not failures, "\n".join(["", *failures])


@pytest.mark.parametrize("file", PAGES, ids=lambda file: file.stem)
def test_prompts_are_in_blocks_that_run(file: Path) -> None:
    """A prompt in a block that is not run would be an unchecked example."""
    for block in blocks(file):
        if block.language not in {"pycon", "console"}:
            assert ">>> " not in block.text, f"{file.name}:{block.line} has a prompt: use pycon"


def readme_names() -> dict[str, Any]:
    """The names that the README uses: models, a table, the truth."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(400, 3)), columns=["length", "width", "height"])
    y = np.where(X["length"] + X["width"] < 1, "setosa", "virginica")
    m1, m2 = (DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y) for depth in (1, 4))
    # the models take those of the columns that they were trained on
    X = X.assign(age=rng.integers(18, 90, 400))
    return {"__name__": "__main__", "m1": m1, "m2": m2, "X": X, "y": y}
