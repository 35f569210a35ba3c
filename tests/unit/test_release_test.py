"""The rules as a file for pytest, judged by mutants of the models."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from benchmarks.planted import Planted, planted


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = planted(1, n_inside=80)
    d = imd.diff(made.old, made.new, made.X, names=("old", "new"))
    return d.save(tmp_path_factory.mktemp("release") / "test_release.py")


def fails(release: Path, frame: pd.DataFrame) -> bool:
    """Whether a test of the file fails on a scored table."""
    tests = runpy.run_path(str(release))
    try:
        for rule in tests["RULES"]:
            tests["test_models_differ_inside_the_rule_as_before"](frame, rule)
            tests["test_outputs_inside_the_rule_are_as_before"](frame, rule)
        tests["test_models_agree_outside_the_rules"](frame)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("suffix, mended", [(".csv", False), (".jsonl", True), (".parquet", False)])
def test_pytest_runs_the_file(release: Path, suffix: str, mended: bool) -> None:
    frame = planted(2, n_inside=80, broken=not mended).frame()
    path = release.with_name(f"scored{suffix}")
    if suffix == ".csv":
        frame.to_csv(path, index=False)
    elif suffix == ".parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(release)],
        env={**os.environ, "SCORED": str(path), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        cwd=release.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == int(mended), ran.stdout + ran.stderr


def test_the_number_of_measured_rows_has_separators(release: Path) -> None:
    text = release.read_text(encoding="utf-8")
    (n_rows,) = re.findall(r"measured on (\S+) rows", text)
    assert re.fullmatch(r"\d{1,3}(,\d{3})+", n_rows)


def test_new_rows_of_the_same_models_pass(release: Path) -> None:
    failed = [fails(release, planted(seed, n_inside=80).frame()) for seed in range(100, 140)]
    assert sum(failed) <= 2


def _undone(made: Planted) -> pd.DataFrame:
    return made.frame().assign(new=np.where(made.region, made.old, made.new))


def _turned(made: Planted) -> pd.DataFrame:
    """The old model is wrong in the region, and not the new one."""
    return made.frame().assign(
        old=np.where(made.region, made.new, made.old), new=np.where(made.region, made.y, made.new)
    )


def _elsewhere(made: Planted) -> pd.DataFrame:
    other = (made.X["site"] == "G").to_numpy()
    return made.frame().assign(new=np.where(other, "stops", made.new))


def _half(made: Planted) -> pd.DataFrame:
    half = made.region & (np.arange(len(made.X)) % 2 == 0)
    return made.frame().assign(new=np.where(half, made.old, made.new))


def _noisy(made: Planted) -> pd.DataFrame:
    random = np.random.default_rng(0)
    other = np.where(made.new == "runs", "stops", "runs")
    return made.frame().assign(new=np.where(random.random(len(other)) < 0.1, other, made.new))


def _constant(made: Planted) -> pd.DataFrame:
    return made.frame().assign(new="runs")


@pytest.mark.parametrize("mutant", [_undone, _turned, _elsewhere, _half, _noisy, _constant])
def test_mutants_of_the_models_are_noticed(
    release: Path, mutant: Callable[[Planted], pd.DataFrame]
) -> None:
    assert fails(release, mutant(planted(3, n_inside=80)))


@pytest.mark.parametrize("tolerance", [0.5, "5 %"])
def test_numbers(tmp_path: Path, tolerance: Any) -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.random(600) + 1, "b": random.random(600)})
    old = X["a"] * 10
    new = old + np.where(X["b"] > 0.8, 3.0, 0.0)
    d = imd.diff(old, new, X[["b"]], outputs="value", tolerance=tolerance, names=("old", "new"))
    release = d.save(tmp_path / "test_release.py")
    frame = X.assign(old=old, new=new)
    assert not fails(release, frame)
    assert fails(release, frame.assign(new=old))
    assert fails(release, frame.assign(new=2 * old - new))


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    name = 'x"""\nimport os; os.abort()  # {names}'
    X = pd.DataFrame({name: np.arange(200.0)})
    d = imd.diff(X[name] < 40, X[name] < 80, X, names=('o"""', "n\n{rules}"))
    text = d.save(tmp_path / "test_release.py").read_text(encoding="utf-8")
    compile(text, "test_release.py", "exec")
    assert "\nimport os; os.abort()" not in text


def test_a_diff_without_rules(tmp_path: Path) -> None:
    X = pd.DataFrame({"a": np.arange(100.0)})
    same = np.arange(100) % 2
    release = imd.diff(same, same.copy(), X, names=("old", "new")).save(
        tmp_path / "test_release.py"
    )
    assert not fails(release, X.assign(old=same, new=same))
