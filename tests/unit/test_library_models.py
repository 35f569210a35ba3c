"""Models of other libraries: called as their library means it, or refused with a line to write."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import lightgbm
import numpy as np
import onnxruntime
import pandas as pd
import polars as pl
import pytest
import skl2onnx
import statsmodels.api as sm
import statsmodels.formula.api as smf
import xgboost
from catboost import CatBoost, CatBoostClassifier, CatBoostRegressor
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import imd_widget as imd
from imd_widget.data.table import open_table
from imd_widget.models.adapters import ModelOutput, names_of, predict

N_ROWS = 300
RNG = np.random.default_rng(0)
X = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N_ROWS).astype(float),
        "income": RNG.integers(20, 100, N_ROWS) * 50.0,
        "city": pd.Categorical(RNG.choice(["Lima", "Oslo", "Rome"], N_ROWS)),
    }
)
NUMBERS = X[["age", "income"]]
NOISY = NUMBERS["age"] + RNG.normal(0, 15, N_ROWS) > 45
TWO = NOISY.to_numpy().astype(int)
THREE = np.digitize(NUMBERS["age"], [35, 55])
AMOUNTS = NUMBERS["age"].to_numpy() * 1.5


def output(model: Any, table: Any = X, outputs: str = "class") -> ModelOutput:
    return predict(model, open_table(table), "m1", outputs)


def title(model: Any) -> str:
    return names_of([model], open_table(X))[0]


def boosted(target: Any, table: pd.DataFrame = X, **parameters: Any) -> Any:
    data = xgboost.DMatrix(table, label=target, enable_categorical=True)
    return xgboost.train({"max_depth": 3, "nthread": 1, **parameters}, data, 3)


def light(target: Any, table: Any = X, **parameters: Any) -> Any:
    fixed = {"num_threads": 1, "verbose": -1}
    return lightgbm.train({**fixed, **parameters}, lightgbm.Dataset(table, label=target), 3)


# Boosters


@pytest.mark.parametrize("target, objective", [(TWO, "binary:logistic"), (TWO, "binary:logitraw")])
def test_a_booster_of_xgboost_gives_the_classes_of_the_classifier(
    target: Any, objective: str
) -> None:
    booster = boosted(target, objective=objective)
    raw = booster.predict(xgboost.DMatrix(X, enable_categorical=True), output_margin=True)
    classes, probabilities = output(booster), output(booster, outputs="proba")
    np.testing.assert_array_equal(classes.values, (raw > 0).astype(int))
    np.testing.assert_allclose(probabilities.values[:, 1], 1 / (1 + np.exp(-raw)), rtol=1e-6)
    assert probabilities.classes == (0, 1)
    assert classes.classifier
    assert title(booster) == "Booster of XGBoost"


@pytest.mark.parametrize("objective", ["multi:softprob", "multi:softmax"])
def test_a_booster_of_xgboost_with_three_classes(objective: str) -> None:
    booster = boosted(THREE, objective=objective, num_class=3)
    expected = boosted(THREE, objective="multi:softprob", num_class=3).predict(
        xgboost.DMatrix(X, enable_categorical=True)
    )
    np.testing.assert_array_equal(output(booster).values, expected.argmax(axis=1))
    np.testing.assert_allclose(output(booster, outputs="proba").values, expected, atol=1e-5)


@pytest.mark.parametrize("objective", ["reg:squarederror", "count:poisson"])
def test_a_booster_of_xgboost_gives_values(objective: str) -> None:
    booster = boosted(AMOUNTS, objective=objective)
    found = output(booster, outputs="value")
    assert found.regressor
    own = booster.predict(xgboost.DMatrix(X, enable_categorical=True))
    np.testing.assert_array_equal(found.values, own)


def test_a_booster_takes_arrays_other_libraries_and_columns_in_another_order() -> None:
    booster = boosted(TWO, NUMBERS, objective="binary:logistic")
    expected = output(booster, NUMBERS).values
    for table in (NUMBERS.to_numpy(), pl.from_pandas(NUMBERS), X[["city", "income", "age"]]):
        np.testing.assert_array_equal(output(booster, table).values, expected)


def test_a_booster_of_lightgbm_gives_the_classes_of_the_classifier() -> None:
    booster = light(TWO, objective="binary")
    own = booster.predict(X)
    np.testing.assert_array_equal(output(booster).values, (own > 0.5).astype(int))
    np.testing.assert_array_equal(output(booster, outputs="proba").values[:, 1], own)
    again = lightgbm.Booster(model_str=booster.model_to_string())
    np.testing.assert_array_equal(output(again).values, output(booster).values)
    assert title(booster) == "Booster of LightGBM"


def test_a_booster_of_lightgbm_with_three_classes_and_with_values() -> None:
    booster = light(THREE, objective="multiclass", num_class=3)
    np.testing.assert_array_equal(output(booster).values, booster.predict(X).argmax(axis=1))
    values = light(AMOUNTS, objective="regression")
    assert output(values, outputs="value").regressor
    np.testing.assert_array_equal(output(values, outputs="value").values, values.predict(X))


def test_a_booster_of_lightgbm_that_was_fitted_on_an_array() -> None:
    booster = light(TWO, NUMBERS.to_numpy(), objective="binary")
    np.testing.assert_array_equal(
        output(booster, NUMBERS).values, output(booster, NUMBERS.to_numpy()).values
    )


CATBOOST: dict[str, Any] = {
    "iterations": 3,
    "depth": 3,
    "thread_count": 1,
    "verbose": False,
    "allow_writing_files": False,
    "cat_features": ["city"],
}


@pytest.mark.parametrize("target", [np.where(TWO, "yes", "no"), THREE], ids=["words", "three"])
def test_catboost_from_a_file_gives_classes_and_no_raw_scores(target: Any, tmp_path: Any) -> None:
    fitted = CatBoostClassifier(**CATBOOST).fit(X, target)
    fitted.save_model(tmp_path / "model.cbm")
    loaded = CatBoost().load_model(tmp_path / "model.cbm")
    expected = np.ravel(fitted.predict(X))
    np.testing.assert_array_equal(output(loaded).values, expected)
    found = output(loaded, outputs="proba")
    np.testing.assert_allclose(found.values, fitted.predict_proba(X))
    assert found.classes == tuple(fitted.classes_)
    assert imd.diff(loaded, fitted, X).metrics.n_differing == 0


def test_catboost_for_values_from_a_file_is_called_as_it_is(tmp_path: Any) -> None:
    fitted = CatBoostRegressor(**CATBOOST).fit(X, AMOUNTS)
    fitted.save_model(tmp_path / "model.cbm")
    loaded = CatBoost().load_model(tmp_path / "model.cbm")
    np.testing.assert_array_equal(output(loaded, outputs="value").values, fitted.predict(X))


# ONNX


def session(model: Any, example: Any, **options: Any) -> Any:
    exported = skl2onnx.to_onnx(
        model, example, target_opset={"": 18, "ai.onnx.ml": 3}, options=options or None
    )
    return onnxruntime.InferenceSession(
        exported.SerializeToString(), providers=["CPUExecutionProvider"]
    )


WORDS = np.where(TWO, "yes", "no")
FITTED = LogisticRegression(max_iter=500).fit(NUMBERS.to_numpy(), WORDS)
EXAMPLE = NUMBERS.to_numpy(np.float32)[:2]


@pytest.mark.parametrize("zipmap", [True, False])
def test_a_session_of_onnx_gives_labels_and_probabilities(zipmap: bool) -> None:
    exported = session(FITTED, EXAMPLE, zipmap=zipmap)
    np.testing.assert_array_equal(output(exported, NUMBERS).values, FITTED.predict(NUMBERS.values))
    found = output(exported, NUMBERS, "proba")
    assert found.classes == ("no", "yes")
    np.testing.assert_allclose(found.values, FITTED.predict_proba(NUMBERS.values), atol=1e-5)
    d = imd.diff(exported, FITTED.predict_proba(NUMBERS.values)[:, 1], NUMBERS, outputs="proba")
    assert d.names[0] == "InferenceSession"
    assert d.metrics.n_differing == 0


def test_a_session_of_onnx_with_an_input_for_each_column() -> None:
    table = X.astype({"age": "float32", "income": "float32", "city": object})
    encode = make_column_transformer((OneHotEncoder(), ["city"]), remainder="passthrough")
    model = make_pipeline(encode, LogisticRegression(max_iter=500)).fit(table, TWO)
    exported = session(model, table[:2])
    shuffled = table[["city", "age", "income"]].assign(more=1)
    np.testing.assert_array_equal(output(exported, shuffled).values, model.predict(table))
    with pytest.raises(imd.InputError, match="no columns for: 'income'"):
        output(exported, table[["age", "city"]])


def test_a_session_of_onnx_gives_values() -> None:
    model = LinearRegression().fit(NUMBERS.to_numpy(), AMOUNTS)
    found = output(session(model, EXAMPLE), NUMBERS, "value")
    np.testing.assert_allclose(found.values, model.predict(NUMBERS.to_numpy()), rtol=1e-4)
    with pytest.raises(imd.InputError, match="takes 2 columns, and X has 3"):
        output(session(model, EXAMPLE), NUMBERS.assign(more=1))


class Node(SimpleNamespace):
    """An input or an output of a session."""


def network(rows: Any) -> Any:
    """A session as PyTorch exports it: one output with a number for each class."""
    kind = type("InferenceSession", (), {"__module__": "onnxruntime.capi"})
    own = kind()
    own.get_inputs = lambda: [Node(name="x", type="tensor(float)", shape=["n", 2])]
    own.get_outputs = lambda: [Node(name="y", type="tensor(float)", shape=["n", 3])]
    own.run = lambda names, feeds: [np.tile(np.float32(rows), (len(feeds["x"]), 1))]
    return own


def test_a_network_in_onnx_is_a_classifier_only_if_it_gives_probabilities() -> None:
    found = output(network([0.2, 0.5, 0.3]), NUMBERS)
    assert set(found.values.tolist()) == {1}
    with pytest.raises(imd.InputError, match=r"lambda X: session\.run\(None.*argmax\(axis=1\)"):
        output(network([2.0, 5.0, -3.0]), NUMBERS)


# statsmodels


@pytest.mark.parametrize("kind", [sm.Logit, sm.Probit, sm.GLM])
def test_results_of_statsmodels_find_their_columns_and_the_constant(kind: Any) -> None:
    family = {"family": sm.families.Binomial()} if kind is sm.GLM else {}
    scaled = NUMBERS / 100
    fit = kind(TWO, sm.add_constant(scaled), **family)
    result = fit.fit(disp=0)
    own = np.asarray(result.predict(sm.add_constant(scaled)))
    shuffled = scaled.assign(city=X["city"])[["city", "income", "age"]]
    np.testing.assert_array_equal(output(result, shuffled).values, (own > 0.5).astype(int))
    np.testing.assert_allclose(output(result, shuffled, "proba").values[:, 1], own)
    np.testing.assert_allclose(output(result, scaled.to_numpy(), "proba").values[:, 1], own)
    assert title(result) == kind.__name__
    with pytest.raises(imd.InputError, match="columns that X lacks: 'income'"):
        output(result, scaled[["age"]])


def test_results_of_statsmodels_for_arrays_and_values() -> None:
    design = sm.add_constant(NUMBERS.to_numpy())
    result = sm.OLS(AMOUNTS, design).fit()
    for table in (NUMBERS, NUMBERS.to_numpy(), design):
        np.testing.assert_allclose(output(result, table, "value").values, AMOUNTS)
    assert output(result, NUMBERS, "value").regressor
    plain = sm.OLS(AMOUNTS, NUMBERS).fit()
    np.testing.assert_allclose(output(plain, X, "value").values, AMOUNTS)


def test_results_of_statsmodels_with_a_formula() -> None:
    result = smf.logit("seen ~ np.log(age) + C(city)", X.assign(seen=TWO)).fit(disp=0)
    own = np.asarray(result.predict(X))
    np.testing.assert_array_equal(output(result).values, (own > 0.5).astype(int))
    with pytest.raises(imd.InputError, match="fitted with a formula"):
        output(result, NUMBERS.to_numpy())


def test_results_of_statsmodels_with_three_classes() -> None:
    noisy = np.digitize(NUMBERS["age"] + RNG.normal(0, 20, N_ROWS), [35, 55])
    result = sm.MNLogit(noisy, sm.add_constant(NUMBERS / 100)).fit(disp=0)
    own = np.asarray(result.predict())
    np.testing.assert_array_equal(output(result, NUMBERS / 100).values, own.argmax(axis=1))
    assert output(result, NUMBERS / 100, "proba").classes == (0, 1, 2)


# MLflow and skore, as recorded from MLflow 3.17 and skore 0.28


class Schema:
    """The signature of a logged model."""

    def has_input_names(self) -> bool:
        return True

    def input_names(self) -> list[str]:
        return ["age", "income"]


class PyFuncModel:
    """Checks its columns, as MLflow does with the signature of a model."""

    def __init__(self, raw: Any, predict_fn: str = "predict") -> None:
        self._raw = raw
        self.metadata = SimpleNamespace(
            run_id="6fbb7b44da5642689e0f701fb86768b3",
            model_id="m-6a020b7e0dc744ac",
            flavors={"python_function": {"predict_fn": predict_fn}},
            get_input_schema=Schema,
        )

    def get_raw_model(self) -> Any:
        if not hasattr(self._raw, "predict"):
            raise NotImplementedError("`get_raw_model` is not implemented by the underlying model")
        return self._raw

    def predict(self, data: Any) -> Any:
        assert list(data.columns) == ["age", "income"]
        own = self._raw.predict if hasattr(self._raw, "predict") else self._raw
        return own(data)


PyFuncModel.__module__ = "mlflow.pyfunc"


@pytest.mark.parametrize("predict_fn", ["predict", "predict_proba"])
def test_a_model_of_mlflow_is_named_and_gives_classes_and_probabilities(predict_fn: str) -> None:
    raw = LogisticRegression(max_iter=500).fit(NUMBERS, WORDS)
    model = PyFuncModel(raw, predict_fn)
    np.testing.assert_array_equal(output(model).values, raw.predict(NUMBERS))
    found = output(model, outputs="proba")
    np.testing.assert_array_equal(found.values, raw.predict_proba(NUMBERS))
    assert found.classes == ("no", "yes")
    assert title(model) == "LogisticRegression of run 6fbb7b44"


def test_a_model_of_mlflow_around_a_booster_and_around_a_function() -> None:
    booster = boosted(TWO, NUMBERS, objective="binary:logistic")
    np.testing.assert_array_equal(output(PyFuncModel(booster)).values, output(booster).values)
    old = PyFuncModel(lambda table: table["age"] > 45)
    np.testing.assert_array_equal(output(old).values, NUMBERS["age"] > 45)
    assert title(old) == "model of run 6fbb7b44"


def test_a_classifier_of_mlflow_without_probabilities_is_refused() -> None:
    class Labels:
        def predict(self, table: Any) -> Any:
            return np.asarray(table["age"] > 45).astype(int)

    pair = PyFuncModel(Labels()), PyFuncModel(Labels())
    with pytest.raises(imd.InputError, match="labels, not probabilities"):
        imd.diff(*pair, X, outputs="proba")


def test_reports_of_skore() -> None:
    def report(name: str, **attributes: Any) -> Any:
        own = type(name, (), {"__module__": "skore._sklearn"})()
        vars(own).update(attributes)
        return own

    fitted = LogisticRegression(max_iter=500).fit(NUMBERS, WORDS)
    own = report("EstimatorReport", estimator_=fitted)
    np.testing.assert_array_equal(output(own, NUMBERS).values, fitted.predict(NUMBERS))
    assert title(own) == "LogisticRegression"
    with pytest.raises(imd.InputError, match=r"Pass m1=report\.reports_\[0\]"):
        output(report("CrossValidationReport"), NUMBERS)


def test_a_module_of_torch_is_refused_with_the_line_to_write() -> None:
    base = type("Module", (), {"__module__": "torch.nn.modules.module", "__call__": lambda self: 1})
    module = type("Net", (base,), {"__module__": "mine"})()
    with pytest.raises(imd.InputError, match=r"Net of torch.*Pass m1=lambda X: module\(torch\."):
        output(module)
    with_predict = type("Net", (base,), {"predict": lambda self, table: table["age"] > 45})()
    np.testing.assert_array_equal(output(with_predict).values, X["age"] > 45)


# Functions


def test_a_coroutine_is_waited_for_also_inside_a_running_loop() -> None:
    async def model(table: Any) -> Any:
        await asyncio.sleep(0)
        return table["age"] > 45

    np.testing.assert_array_equal(output(model).values, X["age"] > 45)

    async def notebook() -> Any:
        return output(model).values

    np.testing.assert_array_equal(asyncio.run(notebook()), X["age"] > 45)


def test_dicts_are_read_if_there_is_one_choice() -> None:
    flags = (X["age"] > 45).tolist()
    np.testing.assert_array_equal(output(lambda X: {"predictions": flags}).values, flags)
    named = {"predictions": flags, "model": "v3"}
    np.testing.assert_array_equal(output(lambda X: named).values, flags)
    rows = [{"label": flag} for flag in flags]
    np.testing.assert_array_equal(output(lambda X: rows).values, flags)
    shares = {"no": [0.25] * N_ROWS, "yes": [0.75] * N_ROWS}
    found = output(lambda X: shares, outputs="proba")
    assert found.classes == ("no", "yes")
    assert found.values[0].tolist() == [0.25, 0.75]


def test_dicts_with_several_choices_are_refused_with_the_line_to_write() -> None:
    flags = (X["age"] > 45).tolist()
    two = {"label": flags, "score": [0.5] * N_ROWS}
    with pytest.raises(imd.InputError, match=r"m1=lambda X: model\(X\)\['label'\]"):
        output(lambda X: two)
    rows = [{"label": flag, "score": 0.5} for flag in flags]
    with pytest.raises(imd.InputError, match=r"m1=lambda X: \[row\['label'\] for row in model\(X"):
        output(lambda X: rows)


# Batches


def test_batches_have_at_most_so_many_rows_and_change_nothing() -> None:
    sizes = []

    class Service:
        classes_ = np.array([False, True])

        def predict(self, table: Any) -> Any:
            sizes.append(len(table))
            return list(table["age"] > 45)

        def predict_proba(self, table: Any) -> Any:
            sizes.append(len(table))
            above = (table["age"] > 45).to_numpy() * 0.9
            return np.column_stack([1 - above, above])

    whole = imd.diff(Service(), NOISY.to_numpy(), X)
    sizes.clear()
    d = imd.diff(Service(), NOISY.to_numpy(), X, batch_size=64)
    assert sizes == [64, 64, 64, 64, 44]
    assert d.names == whole.names == ("Service", "model 2")
    assert d.rules == whole.rules
    c = imd.compare({"a": Service(), "b": NOISY.to_numpy()}, X, batch_size=64, outputs="class")
    assert c["a", "b"].metrics.n_differing == whole.metrics.n_differing
    proba = imd.diff(Service(), Service(), X, outputs="proba", batch_size=50)
    assert max(sizes) == 64
    assert proba.metrics.n_differing == 0


def test_batches_of_coroutines_dicts_and_boosters() -> None:
    async def model(table: Any) -> Any:
        return {"predictions": (table["age"] > 45).tolist()}

    assert imd.diff(model, X["age"] > 45, X, batch_size=7).metrics.n_differing == 0
    booster = boosted(TWO, objective="binary:logistic")
    d = imd.diff(booster, output(booster).values, X, batch_size=100)
    assert d.metrics.n_differing == 0
    assert d.names[0] == "Booster of XGBoost"
    with pytest.raises(imd.InputError, match="batch_size=0"):
        imd.diff(model, model, X, batch_size=0)


# Columns by their names


def test_the_truth_and_weights_may_be_columns_of_a_table_in_memory() -> None:
    table = NUMBERS.assign(old=TWO, new=THREE > 0, truth=TWO, weight=1.0 + TWO)
    by_name = imd.diff("old", "new", table, y="truth", sample_weight="weight")
    arrays = {"y": TWO, "sample_weight": 1.0 + TWO, "names": ("old", "new")}
    by_array = imd.diff(TWO, THREE > 0, NUMBERS, **arrays)
    assert by_name.rules == by_array.rules
    assert by_name.to_dict() == by_array.to_dict()
    c = imd.compare(["old", "new"], table, y="truth", sample_weight="weight")
    assert c["old", "new"].rules == by_array.rules
    with pytest.raises(imd.InputError, match="y is"):
        imd.diff("old", "new", table, y="nothing")
