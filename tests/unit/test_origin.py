"""When, from which models and with which tags a diff was made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import imd_widget as imd
from imd_widget.cli import main
from imd_widget.comparison.origin import model_id

X = np.arange(200).reshape(200, 1)
OLD, NEW = X[:, 0] < 80, X[:, 0] < 120


class Metadata:
    run_id, artifact_path, model_id = "4a5b", "model", None


class PyFuncModel:
    """Has the module and the metadata of a model that MLflow loaded."""

    metadata: Any = Metadata()

    def predict(self, table: Any) -> np.ndarray:
        return np.asarray(table)[:, 0] < 80


PyFuncModel.__module__ = "mlflow.pyfunc"


def test_a_file_keeps_the_origin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000000")
    d = imd.diff(OLD, NEW, X, tags={"release": "2.1"})
    assert d.origin is not None
    assert (d.origin.when, d.origin.date) == ("2026-09-21T14:13:20Z", "2026-09-21")
    assert (d.origin.version, d.origin.tags) == (imd.__version__, {"release": "2.1"})
    assert imd.load(d.save(tmp_path / "d.json")).origin == d.origin
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1790000001")
    again = imd.diff(OLD, NEW, X)
    assert again.origin != d.origin
    assert again == d


def test_a_file_of_an_early_release_has_no_origin(tmp_path: Path) -> None:
    path = imd.diff(OLD, NEW, X).save(tmp_path / "d.json")
    plain = json.loads(path.read_text())
    del plain["origin"]
    path.write_text(json.dumps(plain))
    assert imd.load(path).origin is None


def test_models_of_mlflow_have_an_address() -> None:
    model: Any = PyFuncModel()
    assert model_id(model) == "runs:/4a5b/model"
    model.metadata = type("Metadata", (), {"model_id": "m-1f3", "run_id": "4a5b"})()
    assert model_id(model) == "models:/m-1f3"
    assert model_id(lambda table: table) is None
    d = imd.diff(model, NEW, X)
    assert d.origin is not None
    assert d.origin.model_ids == ("models:/m-1f3", None)


@pytest.mark.parametrize("tags", ["2.1", {"release": 2}, ["release"]])
def test_tags_are_texts(tags: Any) -> None:
    with pytest.raises(imd.InputError, match="a dict from names to texts is needed"):
        imd.diff(OLD, NEW, X, tags=tags)


def test_tags_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import pandas as pd

    path, out = tmp_path / "rows.csv", tmp_path / "d.json"
    pd.DataFrame({"x": X[:, 0], "old": OLD, "new": NEW}).to_csv(path, index=False)
    command = ["diff", str(path), "--m1", "old", "--m2", "new", "-o", str(out), "--quiet"]
    assert main([*command, "--tag", "release=2.1", "--tag", "by=me=you"]) == 0
    assert imd.load(out).origin.tags == {"release": "2.1", "by": "me=you"}
    capsys.readouterr()
    with pytest.raises(SystemExit) as stopped:
        main([*command, "--tag", "release"])
    assert stopped.value.code == 2
    assert "'release' is not KEY=TEXT, such as release=2.1." in capsys.readouterr().err
