"""The models that people have: of other libraries, in pipelines, or behind a function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import lightgbm
import numpy as np
import onnxruntime
import pandas as pd
import pytest
import skl2onnx
import xgboost
from catboost import CatBoost, CatBoostClassifier, CatBoostRegressor
from lightgbm import LGBMClassifier, LGBMRegressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import LabelEncoder, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits
from xgboost import XGBClassifier, XGBRegressor

import imd_widget as imd

N_ROWS = 400


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """Models this small wait for their threads longer than they compute."""
    with threadpool_limits(1):
        yield


def customers() -> pd.DataFrame:
    """A table as it comes: text, gaps, a column of booleans, rows with names of their own."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "age": rng.integers(18, 80, N_ROWS).astype(float),
            "monthly income": rng.integers(20, 100, N_ROWS) * 50,
            "city": rng.choice(["Lima", "Oslo", "Rome"], N_ROWS),
            "member": rng.random(N_ROWS) < 0.5,
        },
        index=pd.Index([f"customer {i}" for i in range(N_ROWS)], name="who"),
    )
    table.loc[table.index[::9], "age"] = np.nan
    table.loc[table.index[::11], "city"] = None
    return table


RAW = customers()
#: Text as categories, which the libraries of boosted trees read by themselves.
CATEGORIES = RAW.astype({"city": "category"})
#: CatBoost takes text, but no gaps in it.
FILLED = RAW.fillna({"city": "nowhere"})
NUMBERS = RAW[["age", "monthly income"]]

OLD_ENOUGH = (RAW["age"] > 45).to_numpy()
RICH = (RAW["monthly income"] > 3500).to_numpy()
#: What the first model learns, and what the second does: it says no to the old and rich too.
BEFORE, AFTER = OLD_ENOUGH, OLD_ENOUGH & ~RICH


def numbers(answer: Any) -> Any:
    return answer.astype(int)


def words(answer: Any) -> Any:
    return np.where(answer, "yes", "no")


def three_words(answer: Any) -> Any:
    return np.where(answer, "yes", np.where(RAW["member"] & ~RAW["age"].isna(), "maybe", "no"))


def amounts(answer: Any) -> Any:
    return 100.0 * answer + RAW["monthly income"].to_numpy() / 100 + 0.5


def watch(model: Any, method: str = "predict") -> list[Any]:
    """Every table that this method of the model is given from now on."""
    seen = []
    own = getattr(model, method)

    def watched(table: Any) -> Any:
        seen.append(table)
        return own(table)

    setattr(model, method, watched)
    return seen


def check(d: imd.ModelDiff, table: pd.DataFrame, differs: Any) -> None:
    """The diff counts the rows that NumPy counts, and its rules find many of them."""
    assert d.metrics.n_rows == N_ROWS
    assert d.metrics.n_differing == differs.sum()
    assert 0 < differs.sum() < N_ROWS
    assert d.rules
    assert d.rules[0].conditions
    inside = d.rules.mask(table)
    assert differs[inside].mean() > 0.7
    assert inside[differs].mean() > 0.5
    assert 0 < d.metrics.f1 <= 1


def check_once_as_it_is(seen: list[Any], table: pd.DataFrame, kept: pd.DataFrame) -> None:
    """A model was asked once, for the user's own table, which is still what it was."""
    assert len(seen) == 1
    assert seen[0] is table
    pd.testing.assert_frame_equal(table, kept)


def compare_classes(m1: Any, m2: Any, table: pd.DataFrame, labels: tuple[Any, ...]) -> Any:
    """The diff of two models that have ``predict``, checked against their own outputs."""
    kept = table.copy()
    first, second = (np.ravel(model.predict(table)) for model in (m1, m2))
    seen = [watch(m1), watch(m2)]
    d = imd.diff(m1, m2, table)
    for tables in seen:
        check_once_as_it_is(tables, table, kept)
    assert d.labels == labels == tuple(np.union1d(first, second).tolist())
    check(d, table, first != second)
    inside = d.rules[0].mask(table) & (first != second)
    said = Counter(zip(first[inside].tolist(), second[inside].tolist(), strict=True))
    assert said[d.rules[0].outcomes] > said[d.rules[0].outcomes[::-1]]
    return d


# Pipelines and estimators of scikit-learn


def prepared() -> Any:
    """What makes numbers of the raw table."""
    return make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "monthly income"]),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["city"]),
        remainder="passthrough",
    )


def tree(max_depth: int = 4) -> Any:
    return DecisionTreeClassifier(max_depth=max_depth, random_state=0)


SCIKIT_LEARN: dict[str, Callable[[], Any]] = {
    "DecisionTreeClassifier": tree,
    "RandomForestClassifier": lambda: RandomForestClassifier(5, max_depth=6, random_state=0),
    "StackingClassifier": lambda: StackingClassifier(
        [("tree", tree()), ("line", LogisticRegression())], cv=2
    ),
    "VotingClassifier": lambda: VotingClassifier(
        [("tree", tree()), ("forest", RandomForestClassifier(5, random_state=0))], voting="soft"
    ),
    "CalibratedClassifierCV": lambda: CalibratedClassifierCV(tree(), cv=2),
    "GridSearchCV": lambda: GridSearchCV(tree(), {"max_depth": [3, 4]}, cv=2),
}


@pytest.mark.parametrize("name", SCIKIT_LEARN)
def test_pipelines_take_text_and_gaps_as_they_are(name: str) -> None:
    m1, m2 = (
        make_pipeline(prepared(), SCIKIT_LEARN[name]()).fit(RAW, words(answer))
        for answer in (BEFORE, AFTER)
    )
    d = compare_classes(m1, m2, RAW, ("no", "yes"))
    found = "DecisionTreeClassifier" if name == "GridSearchCV" else name
    assert d.names == (f"{found} 1", f"{found} 2")


def test_pipelines_with_three_classes() -> None:
    m1, m2 = (
        make_pipeline(prepared(), DecisionTreeClassifier(max_depth=6, random_state=0)).fit(
            RAW, three_words(answer)
        )
        for answer in (BEFORE, AFTER)
    )
    compare_classes(m1, m2, RAW, ("maybe", "no", "yes"))


def test_a_search_around_a_whole_pipeline() -> None:
    pipeline = make_pipeline(prepared(), tree())
    depths = {"decisiontreeclassifier__max_depth": [3, 4]}
    m1, m2 = (
        GridSearchCV(pipeline, depths, cv=2).fit(RAW, numbers(answer)) for answer in (BEFORE, AFTER)
    )
    compare_classes(m1, m2, RAW, (0, 1))


def test_histogram_boosting_reads_categories() -> None:
    m1, m2 = (
        HistGradientBoostingClassifier(
            max_iter=5, learning_rate=0.5, categorical_features="from_dtype", random_state=0
        ).fit(CATEGORIES, words(answer))
        for answer in (BEFORE, AFTER)
    )
    compare_classes(m1, m2, CATEGORIES, ("no", "yes"))


def test_a_model_without_probabilities() -> None:
    m1, m2 = (
        make_pipeline(prepared(), LinearSVC()).fit(RAW, words(answer)) for answer in (BEFORE, AFTER)
    )
    assert not hasattr(m1, "predict_proba")
    compare_classes(m1, m2, RAW, ("no", "yes"))


def test_a_model_that_always_says_the_same() -> None:
    m1 = DummyClassifier(strategy="constant", constant="no").fit(RAW, words(BEFORE))
    m2 = make_pipeline(prepared(), tree()).fit(RAW, words(BEFORE))
    d = compare_classes(m1, m2, RAW, ("no", "yes"))
    assert {rule.outcomes for rule in d.rules} == {("no", "yes")}


def test_a_model_against_itself_differs_nowhere() -> None:
    model = catboost_classifier().fit(FILLED, three_words(BEFORE))
    d = imd.diff(model, model, FILLED)
    assert d.labels == ("maybe", "no", "yes")
    assert d.metrics.n_differing == 0
    assert not d.rules


# Libraries of boosted trees

XGBOOST: dict[str, Any] = {
    "n_estimators": 5,
    "max_depth": 4,
    "learning_rate": 0.5,
    "n_jobs": 1,
    "enable_categorical": True,
}
LIGHTGBM: dict[str, Any] = {
    "n_estimators": 5,
    "max_depth": 4,
    "learning_rate": 0.5,
    "n_jobs": 1,
    "verbose": -1,
}
CATBOOST: dict[str, Any] = {
    "iterations": 5,
    "depth": 4,
    "learning_rate": 0.5,
    "thread_count": 1,
    "random_seed": 0,
    "verbose": False,
    "allow_writing_files": False,
}


def catboost_classifier() -> Any:
    return CatBoostClassifier(cat_features=["city"], **CATBOOST)


@pytest.mark.parametrize(
    "answers, labels",
    [
        (numbers, (0, 1)),
        (np.asarray, (0, 1)),
        (words, ("no", "yes")),
        (three_words, ("maybe", "no", "yes")),
    ],
    ids=["numbers", "booleans", "words", "three words"],
)
@pytest.mark.parametrize(
    "make, table",
    [(lambda: LGBMClassifier(**LIGHTGBM), CATEGORIES), (catboost_classifier, FILLED)],
    ids=["LGBMClassifier", "CatBoostClassifier"],
)
def test_boosted_trees(make: Any, table: pd.DataFrame, answers: Any, labels: Any) -> None:
    m1, m2 = (make().fit(table, answers(answer)) for answer in (BEFORE, AFTER))
    d = compare_classes(m1, m2, table, labels)
    assert d.names == (f"{type(m1).__name__} 1", f"{type(m1).__name__} 2")


@pytest.mark.parametrize("answers", [numbers, np.asarray], ids=["numbers", "booleans"])
def test_boosted_trees_of_xgboost_give_numbers(answers: Any) -> None:
    m1, m2 = (
        XGBClassifier(**XGBOOST).fit(CATEGORIES, answers(answer)) for answer in (BEFORE, AFTER)
    )
    d = compare_classes(m1, m2, CATEGORIES, (0, 1))
    assert d.names == ("XGBClassifier 1", "XGBClassifier 2")


def test_three_classes_of_xgboost_are_numbers() -> None:
    encoder = LabelEncoder().fit(three_words(BEFORE))
    m1, m2 = (
        XGBClassifier(**XGBOOST).fit(CATEGORIES, encoder.transform(three_words(answer)))
        for answer in (BEFORE, AFTER)
    )
    compare_classes(m1, m2, CATEGORIES, (0, 1, 2))


def test_catboost_gives_a_column_for_three_classes_and_is_compared_with_others() -> None:
    m1 = catboost_classifier().fit(FILLED, three_words(BEFORE))
    m2 = make_pipeline(prepared(), RandomForestClassifier(5, max_depth=6, random_state=0)).fit(
        FILLED, three_words(AFTER)
    )
    assert m1.predict(FILLED).shape == (N_ROWS, 1)
    d = compare_classes(m1, m2, FILLED, ("maybe", "no", "yes"))
    assert d.names == ("CatBoostClassifier", "RandomForestClassifier")


def test_two_libraries_that_spell_true_otherwise() -> None:
    m1 = XGBClassifier(**XGBOOST).fit(CATEGORIES, BEFORE)
    m2 = LGBMClassifier(**LIGHTGBM).fit(CATEGORIES, AFTER)
    assert m1.predict(CATEGORIES).dtype == np.int64
    assert m2.predict(CATEGORIES).dtype == bool
    compare_classes(m1, m2, CATEGORIES, (0, 1))


def test_two_libraries_of_which_one_needs_text_as_categories() -> None:
    m1 = catboost_classifier().fit(FILLED, words(BEFORE))
    m2 = XGBClassifier(**XGBOOST).fit(FILLED.astype({"city": "category"}), numbers(AFTER))

    def boosted(table: Any) -> Any:
        return words(m2.predict(table.astype({"city": "category"})) == 1)

    d = imd.diff(m1, boosted, FILLED)
    assert d.names == ("CatBoostClassifier", "boosted")
    assert d.labels == ("no", "yes")
    check(d, FILLED, m1.predict(FILLED) != boosted(FILLED))


def xgboost_booster(answer: Any, **parameters: Any) -> Any:
    data = xgboost.DMatrix(NUMBERS, label=answer)
    return xgboost.train({"max_depth": 4, "eta": 0.5, "nthread": 1, **parameters}, data, 5)


def lightgbm_booster(answer: Any, **parameters: Any) -> Any:
    fixed = {"max_depth": 4, "learning_rate": 0.5, "num_threads": 1, "verbose": -1}
    return lightgbm.train({**fixed, **parameters}, lightgbm.Dataset(NUMBERS, label=answer), 5)


def test_a_booster_of_xgboost_through_a_function() -> None:
    b1, b2 = (xgboost_booster(answer, objective="binary:logistic") for answer in (BEFORE, AFTER))
    p1, p2 = (b.predict(xgboost.DMatrix(NUMBERS)) for b in (b1, b2))
    d = imd.diff(
        lambda X: b1.predict(xgboost.DMatrix(X)) > 0.5,
        lambda X: b2.predict(xgboost.DMatrix(X)) > 0.5,
        NUMBERS,
    )
    assert d.labels == (0, 1)
    check(d, NUMBERS, (p1 > 0.5) != (p2 > 0.5))


def test_a_booster_of_xgboost_gives_classes_as_floats() -> None:
    b1, b2 = (
        xgboost_booster(numbers(answer), objective="multi:softmax", num_class=2)
        for answer in (BEFORE, AFTER)
    )
    p1, p2 = (b.predict(xgboost.DMatrix(NUMBERS)) for b in (b1, b2))
    assert p1.dtype == np.float32
    d = imd.diff(
        lambda X: b1.predict(xgboost.DMatrix(X)), lambda X: b2.predict(xgboost.DMatrix(X)), NUMBERS
    )
    assert d.labels == (0, 1)
    check(d, NUMBERS, p1 != p2)


def test_a_booster_of_lightgbm_through_a_function() -> None:
    b1, b2 = (lightgbm_booster(answer, objective="binary") for answer in (BEFORE, AFTER))
    d = imd.diff(lambda X: b1.predict(X) > 0.5, lambda X: b2.predict(X) > 0.5, NUMBERS)
    assert d.labels == (0, 1)
    check(d, NUMBERS, (b1.predict(NUMBERS) > 0.5) != (b2.predict(NUMBERS) > 0.5))


def test_a_booster_of_lightgbm_with_three_classes_through_a_function() -> None:
    names, codes = np.unique(three_words(BEFORE), return_inverse=True)
    b1, b2 = (
        lightgbm_booster(answer, objective="multiclass", num_class=3)
        for answer in (codes, np.where(RICH, 2, codes))
    )
    d = imd.diff(
        lambda X: names[b1.predict(X).argmax(axis=1)],
        lambda X: names[b2.predict(X).argmax(axis=1)],
        NUMBERS,
    )
    first, second = (names[b.predict(NUMBERS).argmax(axis=1)] for b in (b1, b2))
    assert d.labels == tuple(np.union1d(first, second).tolist())
    check(d, NUMBERS, first != second)


# Models behind a function: ONNX, Keras, PyTorch, statsmodels


def onnx_session(answer: Any) -> Any:
    model = make_pipeline(SimpleImputer(), tree()).fit(NUMBERS, answer)
    example = NUMBERS.to_numpy(np.float32)[:1]
    # operators that every runtime knows: the newest ones are known to the exporter first
    known = {"": 18, "ai.onnx.ml": 3}
    exported = skl2onnx.to_onnx(model, example, target_opset=known, options={"zipmap": False})
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(
        exported.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def run_onnx(session: Any, table: Any) -> list[Any]:
    """Labels and probabilities."""
    return session.run(None, {"X": table.to_numpy(np.float32)})


@pytest.mark.parametrize("answers, labels", [(words, ("no", "yes")), (numbers, (0, 1))])
def test_onnx_through_a_function(answers: Any, labels: tuple[Any, ...]) -> None:
    s1, s2 = (onnx_session(answers(answer)) for answer in (BEFORE, AFTER))
    seen = []

    def after(table: Any) -> Any:
        seen.append(table)
        return run_onnx(s2, table)[0]

    kept = NUMBERS.copy()
    d = imd.diff(lambda X: run_onnx(s1, X)[0], after, NUMBERS)
    check_once_as_it_is(seen, NUMBERS, kept)
    assert d.labels == labels
    check(d, NUMBERS, run_onnx(s1, NUMBERS)[0] != run_onnx(s2, NUMBERS)[0])


class Network:
    """As in Keras: predict gives probabilities, and there is neither predict_proba nor classes_.

    With one unit a column of shape (n, 1), else one column a class.
    """

    def __init__(self, answer: Any, units: int, max_depth: int = 4) -> None:
        self.model = make_pipeline(SimpleImputer(), tree(max_depth)).fit(NUMBERS, answer)
        self.units = units

    def predict(self, table: Any, verbose: str | int = "auto") -> Any:
        given = self.model.predict_proba(table).astype(np.float32)
        return given[:, 1:] if self.units == 1 else given


def test_a_network_as_in_keras_with_one_unit_through_a_function() -> None:
    m1, m2 = (Network(answer, units=1) for answer in (BEFORE, AFTER))
    first, second = (model.predict(NUMBERS) > 0.5 for model in (m1, m2))
    assert first.shape == (N_ROWS, 1)
    d = imd.diff(
        lambda X: m1.predict(X, verbose=0) > 0.5, lambda X: m2.predict(X, verbose=0) > 0.5, NUMBERS
    )
    assert d.labels == (0, 1)
    check(d, NUMBERS, np.ravel(first != second))


def test_a_network_as_in_keras_with_a_unit_for_each_class_through_a_function() -> None:
    m1, m2 = (Network(three_words(answer), units=3) for answer in (BEFORE, AFTER))
    first, second = (model.predict(NUMBERS).argmax(axis=1) for model in (m1, m2))
    d = imd.diff(
        lambda X: m1.predict(X).argmax(axis=1),
        lambda X: m2.predict(X).argmax(axis=1),
        NUMBERS,
        class_names={0: "maybe", 1: "no", 2: "yes"},
    )
    assert d.labels == tuple(np.union1d(first, second).tolist())
    assert set(d.class_names) <= {"maybe", "no", "yes"}
    check(d, NUMBERS, first != second)


class Tensor:
    """As in PyTorch: an array to NumPy, but not while it can be trained, and no Sequence."""

    def __init__(self, values: Any, requires_grad: bool = False) -> None:
        self.values = np.asarray(values)
        self.requires_grad = requires_grad

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape

    def __len__(self) -> int:
        return len(self.values)

    def detach(self) -> Tensor:
        return Tensor(self.values)

    def numpy(self) -> Any:
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return self.values

    def __array__(self, dtype: Any = None) -> Any:
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def argmax(self, axis: int) -> Tensor:
        return Tensor(self.values.argmax(axis))


class Module:
    """As in PyTorch: called with a tensor, gives a tensor that can be trained."""

    def __init__(self, answer: Any) -> None:
        filled = NUMBERS.fillna(0).to_numpy()
        self.model = tree().fit(filled, answer)

    def __call__(self, given: Any) -> Tensor:
        if not isinstance(given, Tensor):
            raise TypeError(f"argument 'input' must be Tensor, not {type(given).__name__}")
        return Tensor(self.model.predict_proba(given.values), requires_grad=True)


def tensor(table: pd.DataFrame) -> Tensor:
    return Tensor(table.fillna(0).to_numpy())


@pytest.mark.parametrize(
    "outputs",
    [
        lambda given: given.argmax(1),
        lambda given: given.argmax(1).numpy(),
        lambda given: given.detach().numpy().argmax(axis=1),
    ],
    ids=["a tensor", "its array", "the array of the probabilities"],
)
def test_a_module_as_in_pytorch_through_a_function(outputs: Any) -> None:
    m1, m2 = (Module(answer) for answer in (BEFORE, AFTER))
    first, second = (np.asarray(model(tensor(NUMBERS)).argmax(1)) for model in (m1, m2))
    d = imd.diff(lambda X: outputs(m1(tensor(X))), lambda X: outputs(m2(tensor(X))), NUMBERS)
    assert d.labels == (0, 1)
    check(d, NUMBERS, first != second)


def test_a_module_itself_cannot_read_a_table_and_we_say_which_model_it_was() -> None:
    with pytest.raises(TypeError, match="must be Tensor") as caught:
        imd.diff(Module(BEFORE), numbers(AFTER), NUMBERS)
    assert "m1 (Module) raised this" in caught.value.__notes__[0]


class Results:
    """As in statsmodels: predict wants the constant as a column and gives a Series of floats."""

    def __init__(self, answer: Any) -> None:
        filled = NUMBERS.fillna(0)
        self.model = make_pipeline(StandardScaler(), LogisticRegression()).fit(filled, answer)

    def predict(self, table: pd.DataFrame) -> Any:
        given = self.model.predict_proba(table.drop(columns="const").fillna(0))
        return pd.Series(given[:, 1], index=table.index)


def with_constant(table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(const=1.0)


def test_results_as_in_statsmodels_through_a_function() -> None:
    r1, r2 = (Results(answer) for answer in (BEFORE, AFTER))
    d = imd.diff(
        lambda X: r1.predict(with_constant(X)) > 0.5,
        lambda X: r2.predict(with_constant(X)) > 0.5,
        NUMBERS,
    )
    first, second = (r.predict(with_constant(NUMBERS)).to_numpy() > 0.5 for r in (r1, r2))
    assert d.labels == (0, 1)
    check(d, NUMBERS, first != second)


# New rows to ask about are of the same kind as those of the table


@pytest.mark.parametrize(
    "make, table",
    [
        (lambda: make_pipeline(prepared(), tree()), RAW),
        (lambda: LGBMClassifier(**LIGHTGBM), CATEGORIES),
        (catboost_classifier, FILLED),
    ],
    ids=["Pipeline", "LGBMClassifier", "CatBoostClassifier"],
)
def test_new_rows_have_the_columns_and_dtypes_of_the_table(make: Any, table: pd.DataFrame) -> None:
    m1, m2 = (make().fit(table, words(answer)) for answer in (BEFORE, AFTER))
    first, second = (np.ravel(model.predict(table)) for model in (m1, m2))
    seen = watch(m1)
    d = imd.diff(m1, m2, table, augment="neighbours")
    assert seen[0] is table
    assert len(seen) > 1
    for new_rows in seen[1:]:
        pd.testing.assert_series_equal(new_rows.dtypes, table.dtypes)
    check(d, table, first != second)


# Values


REGRESSORS: dict[str, tuple[Callable[[], Any], pd.DataFrame]] = {
    "pipeline": (
        lambda: make_pipeline(prepared(), DecisionTreeRegressor(max_depth=5, random_state=0)),
        RAW,
    ),
    "GridSearchCV": (
        lambda: GridSearchCV(
            make_pipeline(prepared(), DecisionTreeRegressor(random_state=0)),
            {"decisiontreeregressor__max_depth": [4, 5]},
            cv=2,
        ),
        RAW,
    ),
    "VotingRegressor": (
        lambda: make_pipeline(
            prepared(),
            VotingRegressor(
                [("line", LinearRegression()), ("tree", DecisionTreeRegressor(max_depth=5))],
                weights=[1, 9],
            ),
        ),
        RAW,
    ),
    "TransformedTargetRegressor": (
        lambda: make_pipeline(
            prepared(),
            TransformedTargetRegressor(
                DecisionTreeRegressor(max_depth=5), func=np.log1p, inverse_func=np.expm1
            ),
        ),
        RAW,
    ),
    "HistGradientBoostingRegressor": (
        lambda: HistGradientBoostingRegressor(
            max_iter=5, learning_rate=0.5, categorical_features="from_dtype"
        ),
        CATEGORIES,
    ),
    "XGBRegressor": (lambda: XGBRegressor(**XGBOOST), CATEGORIES),
    "LGBMRegressor": (lambda: LGBMRegressor(**LIGHTGBM), CATEGORIES),
    "CatBoostRegressor": (
        lambda: CatBoostRegressor(cat_features=["city"], **CATBOOST),
        FILLED,
    ),
}
TOLERANCE = 30.0


@pytest.mark.parametrize("options", [{}, {"outputs": "value"}], ids=["auto", "value"])
@pytest.mark.parametrize("name", REGRESSORS)
def test_two_regressors_are_compared_by_their_values(name: str, options: dict[str, Any]) -> None:
    make, table = REGRESSORS[name]
    kept = table.copy()
    m1, m2 = (make().fit(table, amounts(answer)) for answer in (BEFORE, AFTER))
    first, second = (np.asarray(model.predict(table), dtype=float) for model in (m1, m2))
    seen = [watch(m1), watch(m2)]
    d = imd.diff(m1, m2, table, tolerance=TOLERANCE, **options)
    for tables in seen:
        check_once_as_it_is(tables, table, kept)
    check(d, table, np.abs(first - second) > TOLERANCE)


def test_regressors_that_happen_to_give_whole_numbers_are_compared_by_their_values() -> None:
    m1, m2 = (
        make_pipeline(prepared(), DecisionTreeRegressor(max_depth=4, random_state=0)).fit(
            RAW, 100 * numbers(answer)
        )
        for answer in (BEFORE, AFTER)
    )
    first, second = (model.predict(RAW) for model in (m1, m2))
    d = imd.diff(m1, m2, RAW, tolerance=TOLERANCE)
    check(d, RAW, np.abs(first - second) > TOLERANCE)


def test_a_regressor_that_always_says_the_same() -> None:
    m1 = DummyRegressor(strategy="median").fit(RAW, amounts(BEFORE))
    m2 = make_pipeline(prepared(), DecisionTreeRegressor(max_depth=4)).fit(RAW, amounts(BEFORE))
    d = imd.diff(m1, m2, RAW, tolerance=TOLERANCE)
    check(d, RAW, np.abs(m1.predict(RAW) - m2.predict(RAW)) > TOLERANCE)


def test_values_of_two_libraries_with_floats_of_different_width() -> None:
    m1 = XGBRegressor(**XGBOOST).fit(CATEGORIES, amounts(BEFORE))
    m2 = LGBMRegressor(**LIGHTGBM).fit(CATEGORIES, amounts(AFTER))
    first, second = m1.predict(CATEGORIES), m2.predict(CATEGORIES)
    assert (first.dtype, second.dtype) == (np.float32, np.float64)
    d = imd.diff(m1, m2, CATEGORIES, tolerance=TOLERANCE)
    assert d.names == ("XGBRegressor", "LGBMRegressor")
    check(d, CATEGORIES, np.abs(first.astype(float) - second) > TOLERANCE)


@pytest.mark.parametrize("outputs", ["auto", "value"])
def test_boosters_of_regressions_through_functions(outputs: str) -> None:
    b1 = xgboost_booster(amounts(BEFORE), objective="reg:squarederror")
    b2 = lightgbm_booster(amounts(AFTER), objective="regression")
    first, second = b1.predict(xgboost.DMatrix(NUMBERS)), b2.predict(NUMBERS)
    d = imd.diff(
        lambda X: b1.predict(xgboost.DMatrix(X)), b2, NUMBERS, outputs=outputs, tolerance=TOLERANCE
    )
    check(d, NUMBERS, np.abs(first.astype(float) - second) > TOLERANCE)


def test_catboost_without_a_wrapper_is_compared_by_classes() -> None:
    m1, m2 = (
        CatBoost({"loss_function": "Logloss", **CATBOOST}).fit(NUMBERS, numbers(answer))
        for answer in (BEFORE, AFTER)
    )
    first, second = (model.predict(NUMBERS) > 0 for model in (m1, m2))
    d = imd.diff(m1, m2, NUMBERS)
    assert d.labels == (0, 1)
    check(d, NUMBERS, first != second)


def test_without_a_tolerance_values_are_compared_all_the_same() -> None:
    m1, m2 = (
        LGBMRegressor(**LIGHTGBM).fit(CATEGORIES, amounts(answer)) for answer in (BEFORE, AFTER)
    )
    d = imd.diff(m1, m2, CATEGORIES)
    assert 0 < d.metrics.n_differing < N_ROWS
    assert d.rules
    same = imd.diff(m1, m1, CATEGORIES)
    assert same.metrics.n_differing == 0
    assert not same.rules


# Probabilities

CLOSE = 0.2

CLASSIFIERS: dict[str, tuple[Callable[[], Any], pd.DataFrame, Any]] = {
    "pipeline": (lambda: make_pipeline(prepared(), tree()), RAW, words),
    "GridSearchCV": (
        lambda: GridSearchCV(
            make_pipeline(prepared(), tree()), {"decisiontreeclassifier__max_depth": [3, 4]}, cv=2
        ),
        RAW,
        words,
    ),
    "HistGradientBoostingClassifier": (
        lambda: HistGradientBoostingClassifier(
            max_iter=5, learning_rate=0.5, categorical_features="from_dtype"
        ),
        CATEGORIES,
        words,
    ),
    "XGBClassifier": (lambda: XGBClassifier(**XGBOOST), CATEGORIES, numbers),
    "LGBMClassifier": (lambda: LGBMClassifier(**LIGHTGBM), CATEGORIES, words),
    "LGBMClassifier of booleans": (lambda: LGBMClassifier(**LIGHTGBM), CATEGORIES, np.asarray),
    "CatBoostClassifier": (
        catboost_classifier,
        FILLED,
        words,
    ),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_two_classifiers_are_compared_by_their_probabilities(name: str) -> None:
    make, table, answers = CLASSIFIERS[name]
    kept = table.copy()
    m1, m2 = (make().fit(table, answers(answer)) for answer in (BEFORE, AFTER))
    first, second = (model.predict_proba(table)[:, 1].astype(float) for model in (m1, m2))
    seen = [watch(m1, "predict_proba"), watch(m2, "predict_proba")]
    d = imd.diff(m1, m2, table, outputs="proba", tolerance=CLOSE)
    for tables in seen:
        check_once_as_it_is(tables, table, kept)
    check(d, table, np.abs(first - second) > CLOSE)


@pytest.mark.parametrize("label", ["maybe", "no", "yes"])
def test_the_probability_of_one_class_of_three(label: str) -> None:
    m1 = catboost_classifier().fit(FILLED, three_words(BEFORE))
    m2 = make_pipeline(prepared(), DecisionTreeClassifier(max_depth=6, random_state=0)).fit(
        FILLED, three_words(AFTER)
    )
    first, second = (
        model.predict_proba(FILLED)[:, list(model.classes_).index(label)] for model in (m1, m2)
    )
    d = imd.diff(m1, m2, FILLED, outputs="proba", pos_label=label, tolerance=CLOSE)
    check(d, FILLED, np.abs(first - second) > CLOSE)


def test_columns_of_probabilities_are_found_by_their_class() -> None:
    options = {"cat_features": ["city"], **CATBOOST}
    m1 = CatBoostClassifier(**options).fit(FILLED, words(BEFORE))
    m2, m3 = (
        CatBoostClassifier(class_names=["yes", "no"], **options).fit(FILLED, words(answer))
        for answer in (BEFORE, AFTER)
    )
    assert list(m1.classes_) == ["no", "yes"]
    assert list(m2.classes_) == ["yes", "no"]
    assert imd.diff(m1, m2, FILLED, outputs="proba", tolerance=CLOSE).metrics.n_differing == 0
    first, second = m1.predict_proba(FILLED)[:, 1], m3.predict_proba(FILLED)[:, 0]
    d = imd.diff(m1, m3, FILLED, outputs="proba", tolerance=CLOSE)
    check(d, FILLED, np.abs(first - second) > CLOSE)


def test_a_class_that_one_model_never_saw_is_refused() -> None:
    m1, m2 = (
        make_pipeline(prepared(), tree()).fit(RAW, answer)
        for answer in (words(BEFORE), three_words(BEFORE))
    )
    assert list(m1.classes_) == ["no", "yes"]
    with pytest.raises(
        imd.InputError, match=r"pos_label='maybe' is not a class of m1.*'no', 'yes'"
    ):
        imd.diff(m1, m2, RAW, outputs="proba", pos_label="maybe")


def test_probabilities_of_two_libraries_that_spell_true_otherwise() -> None:
    m1 = XGBClassifier(**XGBOOST).fit(CATEGORIES, BEFORE)
    m2 = LGBMClassifier(**LIGHTGBM).fit(CATEGORIES, AFTER)
    assert m1.classes_.dtype != m2.classes_.dtype
    first, second = (m.predict_proba(CATEGORIES)[:, 1].astype(float) for m in (m1, m2))
    d = imd.diff(m1, m2, CATEGORIES, outputs="proba", tolerance=CLOSE)
    check(d, CATEGORIES, np.abs(first - second) > CLOSE)


@pytest.mark.parametrize(
    "answers, label",
    [
        (words, "no"),
        (words, "yes"),
        (np.asarray, False),
        (np.asarray, True),
        (lambda answer: answer + 1, 1),
        (lambda answer: answer + 1, 2),
    ],
    ids=["no", "yes", "False", "True", "1 of 1 and 2", "2 of 1 and 2"],
)
def test_columns_without_names_are_those_of_the_other_model(answers: Any, label: Any) -> None:
    model = make_pipeline(SimpleImputer(), tree()).fit(NUMBERS, answers(BEFORE))
    given = model.predict_proba(NUMBERS)
    d = imd.diff(model, lambda X: given, NUMBERS, outputs="proba", pos_label=label)
    assert d.metrics.n_differing == 0


@pytest.mark.parametrize(
    "outputs",
    [
        lambda given: given[:, 1],
        lambda given: given[:, 1:],
        lambda given: given,
        lambda given: given[:, 1].astype(np.float32),
        lambda given: given.tolist(),
        lambda given: pd.DataFrame(given),
        lambda given: pd.Series(given[:, 1], index=NUMBERS.index),
    ],
    ids=["(n,)", "(n, 1)", "(n, 2)", "float32", "list", "DataFrame", "Series"],
)
@pytest.mark.parametrize("as_function", [True, False], ids=["function", "array"])
def test_probabilities_of_a_function_or_an_array(outputs: Any, as_function: bool) -> None:
    first, second = (
        make_pipeline(SimpleImputer(), tree(max_depth=1))
        .fit(NUMBERS, answer)
        .predict_proba(NUMBERS)
        for answer in (BEFORE, AFTER)
    )
    given = outputs(first)
    m1 = (lambda X: given) if as_function else given
    d = imd.diff(m1, second[:, 1], NUMBERS, outputs="proba", tolerance=CLOSE)
    check(d, NUMBERS, np.abs(first - second)[:, 1] > CLOSE)


def test_probabilities_of_boosters_through_functions() -> None:
    b1 = xgboost_booster(BEFORE, objective="binary:logistic")
    b2 = lightgbm_booster(AFTER, objective="binary")
    first, second = b1.predict(xgboost.DMatrix(NUMBERS)), b2.predict(NUMBERS)
    d = imd.diff(
        lambda X: b1.predict(xgboost.DMatrix(X)),
        lambda X: b2.predict(X),
        NUMBERS,
        outputs="proba",
        tolerance=CLOSE,
    )
    check(d, NUMBERS, np.abs(first.astype(float) - second) > CLOSE)


def test_probabilities_of_onnx_through_a_function() -> None:
    session = onnx_session(words(BEFORE))
    model = make_pipeline(SimpleImputer(), tree()).fit(NUMBERS, words(AFTER))
    first, second = run_onnx(session, NUMBERS)[1], model.predict_proba(NUMBERS)
    assert first.dtype == np.float32
    d = imd.diff(
        lambda X: run_onnx(session, X)[1], model, NUMBERS, outputs="proba", tolerance=CLOSE
    )
    check(d, NUMBERS, np.abs(first - second)[:, 1] > CLOSE)


@pytest.mark.parametrize("units", [1, 2])
def test_probabilities_of_networks_as_in_keras_through_a_function(units: int) -> None:
    m1, m2 = (Network(answer, units, max_depth=1) for answer in (BEFORE, AFTER))
    first, second = (model.predict(NUMBERS)[:, -1].astype(float) for model in (m1, m2))
    d = imd.diff(
        lambda X: m1.predict(X, verbose=0),
        lambda X: m2.predict(X, verbose=0),
        NUMBERS,
        outputs="proba",
        tolerance=CLOSE,
    )
    check(d, NUMBERS, np.abs(first - second) > CLOSE)


def test_probabilities_of_modules_as_in_pytorch_through_a_function() -> None:
    m1, m2 = (Module(answer) for answer in (BEFORE, AFTER))
    first, second = (model(tensor(NUMBERS)).detach().numpy()[:, 1] for model in (m1, m2))
    d = imd.diff(
        lambda X: m1(tensor(X)).detach(),
        lambda X: m2(tensor(X)).detach().numpy(),
        NUMBERS,
        outputs="proba",
        tolerance=CLOSE,
    )
    check(d, NUMBERS, np.abs(first - second) > CLOSE)


def test_probabilities_of_results_as_in_statsmodels_through_a_function() -> None:
    r1, r2 = (Results(answer) for answer in (BEFORE, AFTER))
    first, second = (r.predict(with_constant(NUMBERS)).to_numpy() for r in (r1, r2))
    d = imd.diff(
        lambda X: r1.predict(with_constant(X)),
        lambda X: r2.predict(with_constant(X)),
        NUMBERS,
        outputs="proba",
        tolerance=CLOSE,
    )
    check(d, NUMBERS, np.abs(first - second) > CLOSE)
