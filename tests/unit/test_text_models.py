"""Models that take a column of texts instead of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB
from sklearn.pipeline import Pipeline, make_pipeline

import imd_widget as imd
from imd_widget.explanations.views import what_if_view

RNG = np.random.default_rng(0)
WORDS = np.array(["good", "bad", "film", "plot", "actor", "boring", "great", "story", "sad", "fun"])
X = pd.DataFrame(
    {
        "n": RNG.random(400),
        "text": [" ".join(RNG.choice(WORDS, 8)) for _ in range(400)],
    }
)
Y = X["text"].str.contains("great").to_numpy()


def words_only(first: Any) -> Any:
    return make_pipeline(first, LogisticRegression()).fit(X["text"], Y)


MODELS: dict[str, Any] = {
    "tf-idf": words_only(TfidfVectorizer()),
    "counts": words_only(CountVectorizer()),
    "hashes": words_only(HashingVectorizer(n_features=64)),
    "nested": Pipeline([("none", "passthrough"), ("inner", words_only(TfidfVectorizer()))]),
    "search": GridSearchCV(
        make_pipeline(CountVectorizer(), BernoulliNB()), {"bernoullinb__alpha": [1.0]}, cv=2
    ).fit(X["text"], Y),
    "bound method": words_only(TfidfVectorizer()).predict,
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
def test_a_model_of_texts_gets_the_only_text_column(model: Any) -> None:
    outputs = getattr(model, "predict", model)(X["text"])
    d = imd.diff(model, np.zeros(len(X), dtype=bool), X)
    assert (d.predictions.iloc[:, 0].to_numpy() == outputs).all()


@pytest.mark.parametrize(
    "table",
    [pl.from_pandas(X), pa.Table.from_pandas(X), X[["text"]], X.to_numpy(), X[["text"]].to_numpy()],
    ids=["polars", "pyarrow", "one column", "array", "array of one column"],
)
def test_the_library_of_the_table_makes_no_difference(table: Any) -> None:
    model = MODELS["tf-idf"]
    d = imd.diff(model, np.zeros(len(X), dtype=bool), table)
    assert (d.predictions.iloc[:, 0].to_numpy() == model.predict(X["text"])).all()


def test_several_text_columns_are_named_in_the_line_that_chooses_one() -> None:
    two = X[["text"]].assign(answer=X["text"].str[::-1])
    with pytest.raises(imd.InputError, match=r"m1=lambda X: model\.predict\(X\['text'\]\)"):
        imd.diff(MODELS["tf-idf"], Y, two)
    d = imd.diff(lambda rows: MODELS["tf-idf"].predict(rows["text"]), ~Y, two)
    assert d.metrics.n_rows == len(X)


def test_rules_about_words_of_two_models_of_texts() -> None:
    great = words_only(TfidfVectorizer())
    without = make_pipeline(TfidfVectorizer(stop_words=["great"]), LogisticRegression())
    d = imd.diff(great, without.fit(X["text"], Y), X)
    assert "text contains 'great'" in {str(c) for rule in d.rules for c in rule.conditions}


class TextPipeline:
    """Stands in for a pipeline of transformers: a list of texts in, a dict for each text out."""

    __module__ = "transformers.pipelines.text_classification"
    task = "text-classification"

    def __init__(self, top_k: int = 1) -> None:
        self.top_k = top_k

    def __call__(self, texts: Any) -> list[Any]:
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ValueError("a list of texts is needed")
        found: list[Any] = []
        for text in texts:
            share = 0.9 if "great" in text else 0.2
            both = [{"label": "YES", "score": share}, {"label": "NO", "score": 1 - share}]
            best = max(both, key=lambda one: float(str(one["score"])))
            found.append(best if self.top_k == 1 else both)
        return found


@pytest.mark.parametrize("top_k", [1, 2])
@pytest.mark.parametrize("table", [X, X.to_numpy()], ids=["pandas", "array"])
def test_a_pipeline_of_transformers_gets_a_list_of_texts(table: Any, top_k: int) -> None:
    d = imd.diff(TextPipeline(top_k), np.full(len(X), "NO"), table)
    assert d.predictions.iloc[:, 0].tolist() == np.where(Y, "YES", "NO").tolist()


def test_the_line_for_a_pipeline_of_transformers_names_the_column() -> None:
    two = X[["text"]].assign(answer=X["text"].str[::-1])
    with pytest.raises(ValueError, match="a list of texts") as caught:
        imd.diff(TextPipeline(), np.full(len(X), "NO"), two)
    assert "m1=lambda X: [row['label'] for row in model(list(X['text']))]" in str(
        caught.value.__notes__
    )


def test_free_text_comes_before_columns_of_a_few_categories() -> None:
    more = X.assign(kind=np.where(X["n"] > 0.5, "one kind of text", "another kind of text"))
    more = more[["kind", "n", "text"]]
    model = MODELS["tf-idf"]
    d = imd.diff(model, np.zeros(len(X), dtype=bool), more)
    assert (d.predictions.iloc[:, 0].to_numpy() == model.predict(X["text"])).all()
    with pytest.raises(imd.InputError, match=r"m1=lambda X: model\(X\['text'\]\)"):
        imd.diff(lambda texts: ["great" in text for text in texts], Y, more)


def test_a_column_transformer_gets_the_table() -> None:
    model = make_pipeline(
        ColumnTransformer([("words", TfidfVectorizer(), "text"), ("n", "passthrough", ["n"])]),
        LogisticRegression(),
    ).fit(X, Y)
    two = X.assign(answer=X["text"].str[::-1])
    d = imd.diff(model, np.zeros(len(X), dtype=bool), two)
    assert (d.predictions.iloc[:, 0].to_numpy() == model.predict(X)).all()


SAID = [f"the parcel number {number} came late and nobody called" for number in range(80)]


@pytest.mark.parametrize("texts", [SAID, tuple(SAID), np.array(SAID), np.array(SAID, dtype=object)])
def test_texts_that_are_no_table_get_the_line_that_makes_one(texts: Any) -> None:
    with pytest.raises(imd.InputError) as error:
        imd.diff(lambda X: np.zeros(len(X)), lambda X: np.zeros(len(X)), texts)
    assert 'A table of texts: pd.DataFrame({"text": texts}).' in str(error.value)
    assert "names no file" not in str(error.value)


def test_names_of_files_are_still_names_of_files() -> None:
    for names in (["scores/a.parquet"], ["my own scores of may.parquet"], ["scores"]):
        with pytest.raises(imd.InputError, match="names no file"):
            imd.diff(lambda X: np.zeros(len(X)), lambda X: np.zeros(len(X)), names)


def test_free_text_left_as_it_is_is_offered_to_be_derived() -> None:
    table = pd.DataFrame({"text": SAID, "k": np.arange(80.0)})
    with pytest.warns(imd.InputWarning) as caught:
        imd.diff(lambda X: X["k"] > 30, lambda X: X["k"] > 40, table, derive=None)
    [text] = [str(own.message) for own in caught if "nearly every row" in str(own.message)]
    assert text.index('derive="auto"') < text.index("Leave such a column out")


def test_texts_of_other_rows_are_not_offered() -> None:
    table = pd.DataFrame({"text": SAID, "k": np.arange(80.0)})

    def about(X: pd.DataFrame) -> Any:
        return X["text"].str.contains("number [0-9] ").to_numpy() & (X["k"] < 100).to_numpy()

    d = imd.diff(about, lambda X: np.zeros(len(X), dtype=bool), table)
    assert not d.smallest_change(3).found, "only another text would do"
    [field] = [own for own in what_if_view(d.what_if(3)).fields if own.column == "text"]
    assert field.choices == ()
