"""Everything that can be given wrongly: what is raised, and that it says what to do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget.models.calling import TableChangedError
from imd_widget.models.coercion import WrongLengthError
from imd_widget.outputs.base import MissingOutputError

N = 40
X = pd.DataFrame({"a": np.arange(float(N)), "b": np.arange(N) % 5})
LOW = (X["a"] < 20).to_numpy()
GOOD = LOW.astype(int)
PROBA = np.linspace(0, 1, N)
SCORES = np.linspace(-7, 5, N)


@dataclass(frozen=True)
class Bad:
    """One wrong call: what differs from a good one, what is raised, and what the text has."""

    says: str
    m1: Any = field(default_factory=lambda: GOOD)
    m2: Any = field(default_factory=lambda: 1 - GOOD)
    X: Any = field(default_factory=lambda: X.copy())
    options: dict[str, Any] = field(default_factory=dict)
    error: type[Exception] = imd.InputError


@dataclass(frozen=True)
class OnlyPredicts:
    """A model with nothing but ``predict``, such as a pyfunc of MLflow."""

    outputs: Any

    def predict(self, table: Any) -> Any:
        return self.outputs[: len(table)]


def generator() -> Iterator[int]:
    yield from GOOD.tolist()


class Several:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise ValueError("inhomogeneous")


def adds_a_column(table: pd.DataFrame) -> Any:
    table["c"] = 1
    return GOOD


def scales_in_place(table: pd.DataFrame) -> Any:
    table["a"] = table["a"] * 2
    return GOOD


def scales_an_array(table: Any) -> Any:
    table *= 2
    return GOOD


def adds_a_row(table: pd.DataFrame) -> Any:
    table.loc[N] = [0.0, 0]
    return GOOD


class PerColumn:
    """As a pipeline of texts: it iterates over what it gets, and a table gives names of columns."""

    def predict(self, table: Any) -> Any:
        return np.array([len(str(one)) for one in table])


def foreign(module: str, name: str = "InferenceSession") -> Any:
    """An object of a library that is not installed."""
    return type(name, (), {"__module__": module})()


def two_targets() -> Any:
    return LinearRegression().fit(X, np.stack([GOOD, GOOD], axis=1))


def several_labels() -> Any:
    return DecisionTreeClassifier().fit(X, np.stack([GOOD, 1 - GOOD], axis=1))


def three_classes() -> Any:
    return DecisionTreeClassifier().fit(X, X["b"].clip(0, 2))


def odd_column(values: list[Any]) -> pd.DataFrame:
    return X.assign(odd=pd.Series(values, dtype=object))


MODELS = {
    "a class": Bad(r"m1 is the class LogisticRegression.*\(\)\.fit\(X, y\)", m1=LogisticRegression),
    "None": Bad("m1 is a NoneType.*predict method.*function.*array of outputs", m1=None),
    "a number": Bad("m1 is an int", m1=3),
    "the name of no column": Bad(
        "m1 is the text 'pred'. A model is.*X has no column of that name; it has 'a', 'b'",
        m1="pred",
    ),
    "a name for an array": Bad("m1 is the text 'x0'", m1="x0", X=X.to_numpy()),
    "an output for each column": Bad(
        r"m1 gave 2 outputs for 40 rows: one for each column.*"
        r"m1=lambda X: model\.predict\(X\['b'\]\)",
        m1=PerColumn(),
        X=X.assign(b="some text"),
    ),
    "an output for each column of a function": Bad(
        r"m2=lambda X: model\(X\['a'\]\)", m2=lambda table: [0 for _ in table]
    ),
    "a report of skore": Bad(
        r"m1 is a CrossValidationReport.*Pass m1=report\.reports_",
        m1=foreign("skore._sklearn", "CrossValidationReport"),
    ),
    "a dict": Bad("m1 is a dict", m1={"a": 1}),
    "a generator": Bad(r"m1 is a generator.*list\(m1\)", m1=generator()),
    "a function that gives a generator": Bad(
        "gave a generator.*only once", m1=lambda _: generator()
    ),
    "a sparse array": Bad(r"m1 is a csr_.*m1\.toarray\(\)", m1=scipy.sparse.csr_matrix(GOOD)),
    "a function that gives a sparse matrix": Bad(
        "m1 gave a sparse matrix", m1=lambda _: scipy.sparse.csr_matrix(GOOD[:, None])
    ),
    "a function that gives None": Bad("m1 gave None", m1=lambda _: None),
    "a function that gives one number": Bad("m1 gave a single output", m1=lambda _: 1),
    "too few outputs": Bad("m1 gave 39 outputs for 40 rows", m1=lambda _: GOOD[:-1]),
    "too many outputs": Bad("m2 gave 80 outputs for 40 rows", m2=np.tile(GOOD, 2)),
    "no outputs": Bad("m1 gave 0 outputs for 40 rows", m1=GOOD[:0]),
    "probabilities of two classes": Bad(
        r'look like probabilities: .*outputs="proba".*argmax',
        m1=np.stack([PROBA, 1 - PROBA], axis=1),
    ),
    "two outputs a row": Bad(
        r"shape \(40, 2\).*one output at a time.*model\.predict\(X\)\[:, 0\]", m1=np.zeros((N, 2))
    ),
    "a regression of two targets": Bad("one output at a time", m1=two_targets()),
    "three dimensions": Bad(r"shape \(40, 1, 1\)", m1=np.zeros((N, 1, 1))),
    "rows of different lengths": Bad("rows of different lengths", m1=[[1], [2, 3]] * 20),
    "NaN among outputs": Bad("no output for 20 of 40 rows .*row 0", m1=np.where(LOW, np.nan, 1)),
    "None among labels": Bad("no output for 20 of 40 rows", m1=np.where(LOW, None, "a")),
    "NA among labels": Bad(
        "no output for 1 of 40 rows", m1=pd.Series([pd.NA, *GOOD[1:]], dtype="Int64")
    ),
    "infinite outputs": Bad("m1 gave inf at row 0", m1=np.where(LOW, np.inf, 7.5), m2=SCORES),
    "nothing but infinity": Bad("m1 gave inf as a label", m1=np.full(N, np.inf)),
    "values beyond all bounds": Bad("m1 gave 2e[+]200", m1=np.where(LOW, 2e200, 7.5), m2=SCORES),
    "complex outputs": Bad("m1 gave complex numbers", m1=[1j] * N),
    "labels that are sets": Bad(r"cannot be compared, for example \{1\}", m1=[{1}] * N),
    "text against numbers": Bad(
        "m1 gives 'high', 'low' and m2 gives 0, 1: they have no label in common.*map one onto",
        m1=np.where(LOW, "low", "high"),
    ),
    "yes against True": Bad("no label in common.*np.where", m1=np.where(LOW, "yes", "no"), m2=LOW),
    "text against values": Bad(
        "values and classes cannot be compared", m1=PROBA, m2=np.where(LOW, "yes", "no")
    ),
    "thousands of labels": Bad(
        '3001 distinct labels.*outputs="value"',
        m1=[f"name {k}" for k in range(3000)],
        m2=["a"] * 3000,
        X=pd.DataFrame({"a": np.arange(3000)}),
    ),
    "an unfitted model": Bad("not fitted", m1=LogisticRegression(), error=NotFittedError),
    "a model with other columns": Bad(
        "feature names", m1=LogisticRegression().fit(X.assign(c=1), GOOD), error=ValueError
    ),
    "a model that adds a column to X": Bad(
        r"m1 \(adds_a_column\) changed the table in place.*new: \['c'\].*X\.copy\(\)",
        m1=adds_a_column,
    ),
    "a model that changes a column of X": Bad(
        "changed the table in place.*values of column 'a'", m2=scales_in_place
    ),
    "a model that changes an array": Bad(
        "changed the table in place.*column 'x0'", m1=scales_an_array, X=X.to_numpy(dtype=float)
    ),
    "a model that adds a row to X": Bad(
        "changed the table in place.*41 rows, before", m1=adds_a_row
    ),
    "labels against probabilities": Bad(
        'm2 gives the labels 0, 1, m1 numbers.*> 0.5.*outputs="value"', m1=PROBA
    ),
    "labels against scores": Bad(
        r"m2 gives the labels 1, 0, m1 numbers such as -7\.0.*raw score.*"
        r'm1=np\.where\(scores > 0, 1, 0\).*outputs="value"',
        m1=SCORES,
        m2=GOOD,
    ),
    "labels of -1 and 1 against scores": Bad(
        r"m2=lambda X: np\.where\(model\(X\) > 0, 1, -1\)", m1=2.0 * GOOD - 1, m2=lambda _: SCORES
    ),
    "a classifier against the scores of a model": Bad(
        r"m2=lambda X: np\.where\(model\.predict\(X\) > 0, 1, 0\)",
        m1=LogisticRegression().fit(X, GOOD),
        m2=OnlyPredicts(SCORES),
    ),
    "a classifier of many classes against numbers": Bad(
        "m1 gives the labels 0, 1, 2, m2 numbers such as.*made by a function of the numbers",
        m1=three_classes(),
        m2=SCORES,
    ),
    "labels against many whole numbers": Bad(
        "m1 gives the labels True, False, m2 numbers such as 0, 7, 14",
        m1=np.arange(2000) % 2 == 0,
        m2=np.arange(2000) * 7,
        X=pd.DataFrame({"a": np.arange(2000)}),
    ),
    "a classifier against a regressor": Bad(
        "m1 is a classifier and m2 a regressor",
        m1=LogisticRegression().fit(X, GOOD),
        m2=LinearRegression().fit(X, X["a"]),
    ),
    "several arrays": Bad("could not be read as an array", m1=lambda _: Several()),
}

PROBABILITIES = {
    "a model without probabilities": Bad(
        "has no predict_proba.*CalibratedClassifierCV",
        m1=LinearSVC().fit(X, GOOD),
        options={"outputs": "proba"},
    ),
    "scores": Bad(
        "-3.0, which is not a probability.*sigmoid", m1=PROBA - 3, options={"outputs": "proba"}
    ),
    "two models of labels": Bad(
        'm1 and m2 give only 0 and 1 and have no predict_proba.*outputs="class".*predict_proba',
        m1=OnlyPredicts(GOOD),
        m2=OnlyPredicts(1 - GOOD),
        options={"outputs": "proba"},
    ),
    "probabilities that do not sum to one": Bad(
        "do not sum to one: 1.2 at row 0",
        m1=np.full((N, 2), 0.6),
        m2=PROBA,
        options={"outputs": "proba"},
    ),
    "labels for probabilities": Bad(
        "are not numbers", m1=np.where(LOW, "yes", "no"), m2=PROBA, options={"outputs": "proba"}
    ),
    "three classes and none chosen": Bad(
        r"have 3 classes.*pos_label=... one of \[0, 1, 2\]",
        m1=three_classes(),
        m2=three_classes(),
        options={"outputs": "proba"},
    ),
    "a class that nobody knows": Bad(
        r"pos_label='x' is not a class of m1, which has \[0, 1, 2\]",
        m1=three_classes(),
        m2=PROBA,
        options={"outputs": "proba", "pos_label": "x"},
    ),
    "models of different classes": Bad(
        "choose the class whose probability",
        m1=LogisticRegression().fit(X, GOOD),
        m2=LogisticRegression().fit(X, GOOD + 1),
        options={"outputs": "proba"},
    ),
    "several labels at once": Bad(
        "one output at a time", m1=several_labels(), m2=PROBA, options={"outputs": "proba"}
    ),
    "a positive class of classes": Bad('needs outputs="proba"', options={"pos_label": 1}),
    "a tolerance that nothing exceeds": Bad(
        "never more than 1 apart", m1=PROBA, options={"outputs": "proba", "tolerance": 1}
    ),
}

TABLES = {
    "a model": Bad(
        r"X is a LogisticRegression, which is a model: the order is diff\(m1, m2, X\)",
        m1=X,
        X=LogisticRegression().fit(X, GOOD),
    ),
    "no rows": Bad("0 rows and 2 columns", X=X[:0], m1=[], m2=[]),
    "no columns": Bad("40 rows and 0 columns", X=X[[]]),
    "a sparse matrix": Bad(r"sparse matrix.*X\.toarray\(\)", X=scipy.sparse.csr_matrix(X)),
    "one dimension": Bad(r"1 dimension.*X\.reshape\(-1, 1\)", X=X["a"].to_numpy()),
    "a number": Bad("X is a builtins.int", X=7),
    "a file of another format": Bad(r"Read it first: pd\.read_csv\('data\.csv'\)", X="data.csv"),
    "a Series of texts": Bad(
        r"X\.to_frame\('b'\)\. .*m1=lambda X: model\.predict\(X\['b'\]\)",
        X=pd.Series(["some text"] * N, name="b"),
    ),
    "a frame of Spark": Bad(
        r"X is a pyspark\.DataFrame.*X=X\.toPandas\(\)\. If .*X\.write\.parquet",
        X=foreign("pyspark.sql.dataframe", "DataFrame"),
    ),
    "a query": Bad(
        r'X is a query of SQL.*X=duckdb\.sql\("SELECT \.\.\."\)',
        X="SELECT * FROM scored WHERE age > 30",
    ),
    "a long query": Bad(
        r'X=duckdb\.sql\("SELECT \.\.\."\)',
        X=f"\n  with old as (select * from '{'x' * 5_000}.csv')\nselect * from old",
    ),
    "text": Bad("X names no file: 'my table' is neither", X="my table"),
    "a dict": Bad("X is a builtins.dict", X={"a": [1, 2]}),
    "rows of different lengths": Bad("different lengths", X=[[1], [1, 2]] * 20),
    "lists in a column": Bad(r"column 'odd'.*for example \[1\].*X\.drop", X=odd_column([[1]] * N)),
    "dicts in a column": Bad("column 'odd'", X=odd_column([{}] * N)),
    "complex numbers": Bad("column 'odd' holds complex", X=X.assign(odd=1j)),
}

OPTIONS = {
    "depth 0": Bad("max_depth=0: a whole number from 1 to 30", options={"max_depth": 0}),
    "depth 50": Bad("max_depth=50: a whole number from 1 to 30", options={"max_depth": 50}),
    "depth and a half": Bad("max_depth=2.5", options={"max_depth": 2.5}),
    "a depth that is True": Bad("max_depth=True", options={"max_depth": True}),
    "an unknown method": Bad("'best' is not known.*calibrated, imd", options={"method": "best"}),
    "no rows in a leaf": Bad("min_samples_leaf=0", options={"min_samples_leaf": 0}),
    "alpha without its method": Bad("alpha=0.5 has no meaning", options={"alpha": 0.5}),
    "max_rules of another method": Bad(
        'no meaning with method="imd"', options={"method": "imd", "max_rules": 1}
    ),
    "sensitivity of another method": Bad(
        'no meaning with method="direct"', options={"method": "direct", "sensitivity": 0.5}
    ),
    "sensitivity above 1": Bad("sensitivity=2", options={"sensitivity": 2}),
    "a negative rule_cost": Bad("rule_cost=-1", options={"rule_cost": -1}),
    "no rules": Bad("max_rules=0", options={"max_rules": 0}),
    "one bin": Bad("max_bins=1", options={"max_bins": 1}),
    "all rows aside": Bad("test_size=1", options={"test_size": 1}),
    "a random_state that is none": Bad("random_state=None", options={"random_state": None}),
    "an unknown augment": Bad("augment='more' is not known", options={"augment": "more"}),
    "new rows for an array": Bad("m1 is an array of outputs", options={"augment": "neighbours"}),
    "unknown outputs": Bad("'classes' is not known.*auto, class", options={"outputs": "classes"}),
    "outputs that are a list": Bad("is not known", options={"outputs": ["class"]}),
    "a negative tolerance": Bad(
        "tolerance=-0.1.*number from 0 up", m1=PROBA, m2=PROBA, options={"tolerance": -0.1}
    ),
    "a tolerance that is text": Bad("tolerance='wide'", m1=PROBA, options={"tolerance": "wide"}),
    "a tolerance above all": Bad("tolerance='200%'", m1=PROBA, options={"tolerance": "200%"}),
    "a relative tolerance of probabilities": Bad(
        'compared by their distance.*outputs="value"',
        m1=PROBA,
        m2=PROBA,
        options={"tolerance": "10%", "outputs": "proba"},
    ),
    "an unknown measure": Bad(
        "measure='folds' is not known. Choose one of auto, holdout, cv, none",
        options={"measure": "folds"},
    ),
    "folds beside rows kept aside": Bad(
        "measure='cv' measures without rows kept aside, and holdout gives such rows",
        options={"measure": "cv", "holdout": [True] * 10 + [False] * 30},
    ),
    "groups that are no column": Bad(
        "groups='user' is not a column of the table", options={"groups": "user"}
    ),
    "one group": Bad("groups holds one group only", options={"groups": [1] * 40}),
    "too few groups": Bad("groups", options={"groups": [1, 2]}),
    "by no column": Bad("by='sex' is not a column of the table", options={"by": "sex"}),
    "columns that are not there": Bad(
        "columns names 'zz', and the table has", options={"columns": ["zz"]}
    ),
    "no column to ask about": Bad("columns names no column", options={"columns": []}),
    "columns as text": Bad("a list of column names is needed", options={"columns": "a"}),
    "names for columns that have names": Bad(
        "feature_names names the columns of an array", options={"feature_names": ["b"]}
    ),
    "a tolerance for classes": Bad("no meaning for classes", options={"tolerance": 0.1}),
    "a tolerance for classes that were asked for": Bad(
        "no meaning for classes", options={"tolerance": 0.1, "outputs": "class"}
    ),
    "one name": Bad("names has 1 entries", options={"names": ["a"]}),
    "a name that is not a list": Bad("names has 1 entries", options={"names": "ab"}),
    "a number for names": Bad("names has 1 entries", options={"names": 5}),
    "no name": Bad("a model name must not be empty", options={"names": [" ", "b"]}),
    "the same name twice": Bad("both models are called 'a'", options={"names": ["a", "a"]}),
    "too many class names": Bad(
        "3 entries, the models give 2 labels", options={"class_names": ["a", "b", "c"]}
    ),
    "a number for class names": Bad("class_names has 1 entries", options={"class_names": 5}),
    "the same class name twice": Bad(
        "gives two labels the name 'a'", options={"class_names": {0: "a", 1: "a"}}
    ),
    "a y that is too short": Bad(
        "y has 3 entries, its table has 40 rows", options={"y": [1, 0, 1]}
    ),
    "a y of other labels": Bad(
        "y gives 'x', 'z': they have no label in common", options={"y": np.where(LOW, "x", "z")}
    ),
    "a y that is a name": Bad(r"y is 'c'.*y=X\['name'\]", options={"y": "c"}),
    "a y of two columns": Bad(r"y has the shape \(40, 2\)", options={"y": np.zeros((N, 2))}),
    "names for values": Bad(
        "class_names has no meaning for values",
        m1=PROBA,
        m2=PROBA,
        options={"class_names": ["a"], "outputs": "value"},
    ),
    "a y that is not a number": Bad(
        "y holds 'x', 'z', and the models give numbers",
        m1=PROBA,
        m2=PROBA,
        options={"y": np.where(LOW, "x", "z"), "outputs": "value"},
    ),
    "too few weights": Bad(r"sample_weight has shape \(3,\)", options={"sample_weight": [1, 2, 3]}),
    "negative weights": Bad(
        "sample_weight holds -1.0 at row 0", options={"sample_weight": -X["a"] - 1}
    ),
    "weights that are missing": Bad(
        "sample_weight holds nan", options={"sample_weight": np.full(N, np.nan)}
    ),
    "weights of text": Bad("could not be read as numbers", options={"sample_weight": ["x"] * N}),
    "no weight at all": Bad("weight of every row is zero", options={"sample_weight": np.zeros(N)}),
    "a holdout that arrays know nothing of": Bad(
        "holdout is a separate table, and m1 is an array", options={"holdout": X}
    ),
    "a holdout of other columns": Bad(
        "holdout lacks the column 'b'",
        m1=lambda table: table["a"] < 20,
        m2=lambda table: table["a"] < 10,
        options={"holdout": X[["a"]]},
    ),
    "a holdout without rows": Bad(
        "holdout has 0 rows",
        m1=lambda table: table["a"] < 20,
        m2=lambda table: table["a"] < 10,
        options={"holdout": X[:0]},
    ),
    "a share": Bad("holdout=0.2: .*test_size=0.2", options={"holdout": 0.2}),
    "marks for too few rows": Bad(
        "holdout marks 3 rows, X has 40", options={"holdout": [True] * 3}
    ),
    "row numbers for marks": Bad("holdout is an array of int64", options={"holdout": [1, 2, 3]}),
    "every row aside": Bad("no row is left to fit on", options={"holdout": np.ones(N, bool)}),
}


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(bad, id=f"{kind}: {name}")
        for kind, group in (
            ("model", MODELS),
            ("probabilities", PROBABILITIES),
            ("table", TABLES),
            ("option", OPTIONS),
        )
        for name, bad in group.items()
    ],
)
def test_what_is_wrong_is_said(bad: Bad) -> None:
    with pytest.raises(bad.error, match=re.compile(bad.says, re.DOTALL)) as caught:
        imd.diff(bad.m1, bad.m2, bad.X, **bad.options)
    if bad.error is imd.InputError:
        known = (imd.InputError, TableChangedError, MissingOutputError, WrongLengthError)
        assert type(caught.value) in known
        assert str(caught.value).rstrip().endswith((".", "?", "...", ")"))


def test_a_model_that_lacks_columns_says_which() -> None:
    model = LogisticRegression().fit(X.assign(c=1, d=2), GOOD)
    with pytest.raises(ValueError, match="feature names") as caught:
        imd.diff(GOOD, model, X)
    assert "X lacks columns that it was fitted with: 'c', 'd'." in caught.value.__notes__[0]


@pytest.mark.parametrize("new", [lambda t: t["missing"], lambda t: 1 / 0])
def test_an_error_inside_a_model_keeps_its_own_type(new: Callable[[Any], Any]) -> None:
    with pytest.raises((KeyError, ZeroDivisionError)) as caught:
        imd.diff(new, GOOD, X)
    assert caught.value.__notes__[0].startswith("imd_widget: m1")
    assert "lambda" in str(caught.traceback[-1]) or "pandas" in str(caught.traceback[-1].path)
