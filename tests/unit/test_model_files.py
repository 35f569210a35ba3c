"""Models in files that the command line reads: data, and never a pickle."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import lightgbm
import numpy as np
import pandas as pd
import pytest
import skl2onnx
import xgboost
from catboost import CatBoostClassifier
from sklearn.linear_model import LogisticRegression

from imd_widget.cli import main
from imd_widget.cli.exits import Exit

N_ROWS = 300
RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {"age": RNG.integers(18, 80, N_ROWS).astype(float), "income": RNG.integers(20, 99, N_ROWS)}
)
SEEN = (X["age"] + RNG.normal(0, 12, N_ROWS) > 45).astype(int)
TABLE = X.assign(new=(X["age"] > 45).astype(int))


def onnx(path: Path) -> Any:
    model = LogisticRegression(max_iter=500).fit(X.to_numpy(np.float32), SEEN)
    exported = skl2onnx.to_onnx(
        model, X.to_numpy(np.float32)[:2], target_opset={"": 18, "ai.onnx.ml": 3}
    )
    path.write_bytes(exported.SerializeToString())
    return model.predict(X.to_numpy(np.float32))


def boosted(path: Path) -> Any:
    data = xgboost.DMatrix(X, label=SEEN)
    booster = xgboost.train({"objective": "binary:logistic", "nthread": 1}, data, 3)
    booster.save_model(path)
    return booster.predict(data) > 0.5


def light(path: Path) -> Any:
    fixed = {"objective": "binary", "num_threads": 1, "verbose": -1}
    booster = lightgbm.train(fixed, lightgbm.Dataset(X, label=SEEN), 3)
    booster.save_model(path)
    return booster.predict(X) > 0.5


def cat(path: Path) -> Any:
    model = CatBoostClassifier(
        iterations=3, thread_count=1, verbose=False, allow_writing_files=False
    )
    model.fit(X, SEEN).save_model(path)
    return model.predict(X)


FILES: dict[str, Callable[[Path], Any]] = {
    "old.onnx": onnx,
    "old.ubj": boosted,
    "old.json": boosted,
    "old.txt": light,
    "old.cbm": cat,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    TABLE.to_csv("data.csv", index=False)
    TABLE.to_parquet("part.parquet")


@pytest.mark.parametrize("name", FILES)
def test_a_model_in_a_file_is_called_with_the_table(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    outputs = FILES[name](Path(name))
    assert main(["diff", "data.csv", "--m1", name, "--m2", "new", "--quiet"]) == Exit.FINE
    n_differing = int((np.asarray(outputs).astype(int) != TABLE["new"]).sum())
    out = capsys.readouterr().out
    assert f"{name} and new disagree on {n_differing} of {N_ROWS} rows" in " ".join(out.split())


def test_both_models_may_be_files_and_the_table_too(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = boosted(Path("a.ubj")), light(Path("b.txt"))
    assert main(["diff", "data.csv", "--m1", "a.ubj", "--m2", "b.txt", "--drop", "new"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"a.ubj and b.txt disagree on {int((first != second).sum())} of {N_ROWS} rows" in out
    given = ["--m1", "a.ubj", "--m2", "b.txt", "--drop", "new"]
    TABLE.to_parquet("more.parquet")
    assert main(["diff", "part.parquet", "more.parquet", *given]) == 0


@pytest.mark.parametrize("name", ["old.pkl", "old.joblib", "old.pt"])
def test_a_pickle_is_never_read(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    class Bomb:
        def __reduce__(self) -> Any:
            return Path.touch, (Path("exploded"),)

    Path(name).write_bytes(pickle.dumps(Bomb()))
    assert main(["diff", "data.csv", "--m1", name, "--m2", "new"]) == Exit.UNUSABLE
    error = " ".join(capsys.readouterr().err.split())
    assert "is not read, because such a file can execute code when it is read" in error
    assert "Save the model in a data format (.onnx, " in error
    assert not Path("exploded").exists()


@pytest.mark.parametrize(
    "name, content, words",
    [
        ("gone.onnx", None, "gone.onnx does not exist."),
        ("bad.onnx", b"no model", "bad.onnx could not be read as a model"),
        ("bad.txt", b"no model", "bad.txt could not be read as a model"),
        ("bad.json", b"{}", "bad.json could not be read as a model"),
    ],
)
def test_files_that_hold_no_model(
    name: str, content: bytes | None, words: str, capfd: pytest.CaptureFixture[str]
) -> None:
    if content is not None:
        Path(name).write_bytes(content)
    assert main(["diff", "data.csv", "--m1", name, "--m2", "new"]) == Exit.UNUSABLE
    assert words in " ".join(capfd.readouterr().err.split())


def test_a_model_that_lacks_its_columns_is_an_error_in_words(
    capsys: pytest.CaptureFixture[str],
) -> None:
    boosted(Path("old.ubj"))
    given = ["diff", "data.csv", "--m1", "old.ubj", "--m2", "new", "--drop", "income"]
    assert main(given) == Exit.UNUSABLE
    assert "a model could not be called with the table" in capsys.readouterr().err


def test_a_column_of_that_name_comes_first(capsys: pytest.CaptureFixture[str]) -> None:
    TABLE.assign(**{"old.pkl": SEEN}).to_csv("data.csv", index=False)
    assert main(["diff", "data.csv", "--m1", "old.pkl", "--m2", "new"]) == Exit.FINE


def test_an_address_in_mlflow(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    given = ["diff", "data.csv", "--m1", "models:/churn/1", "--m2", "new", "--quiet"]
    assert main(given) == Exit.UNUSABLE
    assert "is read by mlflow, which is not installed: pip install mlflow" in " ".join(
        capsys.readouterr().err.split()
    )
    module: Any = ModuleType("mlflow.pyfunc")
    module.load_model = lambda uri: lambda table: table["age"] > 40
    monkeypatch.setitem(sys.modules, "mlflow", ModuleType("mlflow"))
    monkeypatch.setitem(sys.modules, "mlflow.pyfunc", module)
    assert main(given) == Exit.FINE
    assert "models:/churn/1 and new disagree on" in " ".join(capsys.readouterr().out.split())
