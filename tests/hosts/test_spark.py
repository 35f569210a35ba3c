"""Models and tables of Spark, which only who has Spark and Java can run: the lines of the docs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from pyspark.ml import Pipeline
from pyspark.ml.classification import DecisionTreeClassifier
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import SparkSession

import imd_widget as imd
from tests.hosts.recipes import line_of

#: Spark calls what newer releases of pandas and NumPy deprecate.
pytestmark = pytest.mark.filterwarnings("ignore")

N_ROWS = 300
RNG = np.random.default_rng(0)
X = pd.DataFrame({"age": RNG.integers(18, 80, N_ROWS), "income": RNG.uniform(20, 99, N_ROWS)})
BOUGHT = (X["age"] > 45).astype(float).to_numpy()


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    folder = tmp_path_factory.mktemp("spark")
    with pytest.MonkeyPatch.context() as patch:
        # its workers import pyarrow from where the tests run
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
        session = builder.config("spark.sql.warehouse.dir", str(folder)).getOrCreate()
        yield session
        session.stop()


def test_the_line_of_the_docs_calls_a_model_of_spark(spark: SparkSession) -> None:
    columns = VectorAssembler(inputCols=["age", "income"], outputCol="features")
    tree = DecisionTreeClassifier(labelCol="bought", maxDepth=2)
    model = Pipeline(stages=[columns, tree]).fit(spark.createDataFrame(X.assign(bought=BOUGHT)))
    called: Any = eval(line_of("a model of Spark"), {"model": model, "spark": spark})
    own = model.transform(spark.createDataFrame(X)).toPandas()["prediction"].to_numpy()
    assert imd.diff(called, own, X).metrics.n_differing == 0
    flipped = np.where(X["income"] > 60, 1 - own, own)
    assert imd.diff(called, flipped, X).metrics.n_differing == int((X["income"] > 60).sum())


def test_a_table_of_spark_is_read_through_arrow(spark: SparkSession, tmp_path: Path) -> None:
    new = np.where(X["income"] > 60, 1 - BOUGHT, BOUGHT)
    expected = imd.diff("old", "new", X.assign(old=BOUGHT, new=new))
    table = spark.createDataFrame(X.assign(old=BOUGHT, new=new))
    d = imd.diff("old", "new", table)
    assert str(d.rules) == str(expected.rules)
    assert d.metrics == expected.metrics
    assert imd.compare(["old", "new"], table)["old", "new"].rules == expected.rules
    assert str(imd.diff("old", "new", table.toPandas()).rules) == str(expected.rules)
    table.write.parquet(str(tmp_path / "scores"))
    by_file = imd.diff("old", "new", str(tmp_path / "scores"))
    assert by_file.metrics.n_differing == expected.metrics.n_differing
    assert len(by_file.rules) == len(expected.rules)
