"""Models of MLflow, skops and skore: the real libraries, and the rows of docs/where.md."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import mlflow
import numpy as np
import pandas as pd
import pytest
import skops.io
import skore
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import imd_widget as imd
from imd_widget.cli import main
from imd_widget.cli.exits import Exit

#: MLflow warns about its own type hints, and calls what its dependencies deprecate.
pytestmark = pytest.mark.filterwarnings(
    "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning:mlflow"
)

N_ROWS = 300
RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N_ROWS).astype(float),
        "income": RNG.integers(20, 100, N_ROWS) * 50.0,
    }
)
BOUGHT = np.where(X["age"] + RNG.normal(0, 12, N_ROWS) > 45, "yes", "no")
SIMPLE = np.where(X["age"] > 45, "yes", "no")


def classifier() -> Any:
    return LogisticRegression(max_iter=500).fit(X, BOUGHT)


def check_same(model: Any, own: Any, table: Any = X) -> imd.ModelDiff:
    """Check that a model gives the classes and the probabilities of the one inside."""
    assert imd.diff(model, own, table).metrics.n_differing == 0
    assert imd.diff(model, own, table, outputs="proba").metrics.n_differing == 0
    d = imd.diff(model, SIMPLE, table)
    assert d.metrics.n_differing == int((own.predict(X) != SIMPLE).sum())
    return d


# --- MLflow ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
        patch.chdir(folder)
        mlflow.set_tracking_uri(f"sqlite:///{folder / 'mlflow.db'}")
        yield


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("predict_fn", ["predict", "predict_proba"])
def test_a_model_of_mlflow(predict_fn: str) -> None:
    own = classifier()
    with mlflow.start_run() as run:
        signature = mlflow.models.infer_signature(X)
        logged = mlflow.sklearn.log_model(
            own, name="model", signature=signature, pyfunc_predict_fn=predict_fn
        )
    model = mlflow.pyfunc.load_model(logged.model_uri)
    shuffled = X.assign(more=1)[["more", "income", "age"]]
    d = check_same(model, own, shuffled)
    assert d.names[0] == f"LogisticRegression of run {run.info.run_id[:8]}"


@pytest.mark.usefixtures("store")
def test_a_regressor_and_a_function_of_mlflow() -> None:
    own = LinearRegression().fit(X, X["age"] * 2)
    info = mlflow.sklearn.log_model(own, name="values", input_example=X[:2])
    values = mlflow.pyfunc.load_model(info.model_uri)
    assert imd.diff(values, own, X).metrics.n_differing == 0

    class Rule(mlflow.pyfunc.PythonModel):
        def predict(self, context: Any, model_input: pd.DataFrame, params: Any = None) -> Any:
            return np.where(model_input["age"] > 45, "yes", "no")

    info = mlflow.pyfunc.log_model(name="rule", python_model=Rule(), input_example=X[:2])
    rule = mlflow.pyfunc.load_model(info.model_uri)
    assert imd.diff(rule, SIMPLE, X).metrics.n_differing == 0


@pytest.mark.usefixtures("store")
def test_the_command_line_reads_a_registered_model(capsys: pytest.CaptureFixture[str]) -> None:
    own = classifier()
    mlflow.sklearn.log_model(own, name="model", registered_model_name="churn")
    X.assign(new=SIMPLE).to_csv("data.csv", index=False)
    code = main(["diff", "data.csv", "--m1", "models:/churn/1", "--m2", "new", "--quiet"])
    found = capsys.readouterr()
    assert code == Exit.FINE, found.err
    n = int((own.predict(X) != SIMPLE).sum())
    assert f" disagree on {n} of 300 rows" in found.out


# --- skops ----------------------------------------------------------------------------------------


def test_the_command_line_reads_a_model_of_skops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    own = classifier()
    skops.io.dump(own, "old.skops")
    X.assign(new=SIMPLE).to_csv("data.csv", index=False)
    code = main(["diff", "data.csv", "--m1", "old.skops", "--m2", "new", "--quiet"])
    found = capsys.readouterr()
    assert code == Exit.FINE, found.err
    n = int((own.predict(X) != SIMPLE).sum())
    assert f"old.skops and new disagree on {n} of 300 rows" in found.out


def test_a_model_of_skops_with_types_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    skops.io.dump(make_pipeline(FunctionTransformer(own_step), classifier()), "old.skops")
    X.assign(new=SIMPLE).to_csv("data.csv", index=False)
    code = main(["diff", "data.csv", "--m1", "old.skops", "--m2", "new", "--quiet"])
    assert code == Exit.UNUSABLE
    assert "old.skops holds types that skops does not trust: " in capsys.readouterr().err


def own_step(table: Any) -> Any:
    """A function that a stranger's file could name."""
    return table


# --- skore ----------------------------------------------------------------------------------------


def test_a_report_of_skore() -> None:
    own = classifier()
    report = skore.EstimatorReport(own, X_test=X, y_test=BOUGHT)
    assert check_same(report, own).names[0] == "LogisticRegression"


def test_a_report_of_several_fits_is_refused_with_the_line_to_write() -> None:
    reports = skore.CrossValidationReport(classifier(), X, BOUGHT)
    with pytest.raises(imd.InputError, match=r"Pass m1=report\.reports_\[0\]"):
        imd.diff(reports, SIMPLE, X)
    first = reports.reports_[0]
    assert imd.diff(first, first.estimator_, X).metrics.n_differing == 0
