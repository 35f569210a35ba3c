"""Every model and table that docs/where.md lists is run by a test, or marked as run by hand."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "where.md"
UNIT, HOSTS = "tests/unit/", "tests/hosts/"
MODELS, ADAPTED = f"{UNIT}test_libraries.py", f"{UNIT}test_library_models.py"
STREAMS, FILES = f"{UNIT}test_other_tables.py", f"{UNIT}test_large_files.py"
REAL_MODELS, REAL_TABLES = f"{HOSTS}test_model_libraries.py", f"{HOSTS}test_table_libraries.py"

#: By the beginning of a row: a file, and the name of a test in it that runs the row.
RUN_BY = {
    "scikit-learn and what follows": (MODELS, "test_boosted_trees"),
    "`xgboost.Booster`": (ADAPTED, "test_a_booster_of_xgboost_gives_values"),
    "`catboost.CatBoost`": (ADAPTED, "test_catboost_from_a_file_gives_classes_and_no_raw_scores"),
    "`onnxruntime.InferenceSession`": (
        ADAPTED,
        "test_a_session_of_onnx_with_an_input_for_each_column",
    ),
    "`mlflow.pyfunc.PyFuncModel`": (REAL_MODELS, "test_a_model_of_mlflow"),
    "results of statsmodels": (ADAPTED, "test_results_of_statsmodels_with_a_formula"),
    "`skore.EstimatorReport`": (REAL_MODELS, "test_a_report_of_skore"),
    "a PyTorch module": (
        f"{HOSTS}test_torch.py",
        "test_the_line_that_the_error_names_calls_the_module",
    ),
    "a model of Spark": (
        f"{HOSTS}test_spark.py",
        "test_the_line_of_the_docs_calls_a_model_of_spark",
    ),
    "a service": (ADAPTED, "test_a_coroutine_is_waited_for_also_inside_a_running_loop"),
    "pandas, polars or pyarrow": (f"{UNIT}test_table.py", "test_other_tables_give_the_same_rules"),
    "`polars.LazyFrame`": (STREAMS, "test_the_rules_are_those_of_the_same_rows_in_pandas"),
    "`pyarrow.RecordBatch`": (STREAMS, "test_the_rules_are_those_of_the_same_rows_in_pandas"),
    "a query of ADBC": (REAL_TABLES, "test_models_get_the_table_that_the_docs_name"),
    "a relation of DuckDB": (STREAMS, "test_the_rules_are_those_of_the_same_rows_in_pandas"),
    "a table of Ibis": (REAL_TABLES, "test_models_get_the_table_that_the_docs_name"),
    "a DataFrame of Spark": (
        f"{HOSTS}test_spark.py",
        "test_a_table_of_spark_is_read_through_arrow",
    ),
    "anything else with the Arrow": (
        STREAMS,
        "test_the_rules_are_those_of_the_same_rows_in_pandas",
    ),
    "Parquet files": (FILES, "test_the_names_of_folders_are_the_values_of_a_column"),
    "a Dask DataFrame": (
        f"{UNIT}test_large_dask.py",
        "test_threads_give_the_diff_of_the_whole_table",
    ),
}
#: What the last cell of a row begins with, by the file of its test.
MARKS = {
    f"{HOSTS}test_spark.py": "by hand",
    f"{HOSTS}test_torch.py": "by hand",
    REAL_MODELS: "`make test-hosts`",
    REAL_TABLES: "`make test-hosts`",
}


def rows() -> dict[str, str]:
    """The first cell of each row of both lists, and the last one."""
    text = PAGE.read_text(encoding="utf-8")
    lists = re.findall(r"^\| (?:Model|Table) \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.M)
    assert len(lists) == 2
    lines = [line.strip("| \n").split(" | ") for one in lists for line in one.splitlines()]
    return {cells[0]: cells[-1] for cells in lines}


def test_every_row_has_a_test() -> None:
    assert {start for row in rows() for start in RUN_BY if row.startswith(start)} == set(RUN_BY)
    assert len(rows()) == len(RUN_BY)


@pytest.mark.parametrize("start", RUN_BY)
def test_the_test_of_a_row_exists_and_its_mark_is_right(start: str) -> None:
    path, name = RUN_BY[start]
    body = ast.parse((ROOT / path).read_text(encoding="utf-8")).body
    assert name in {node.name for node in body if isinstance(node, ast.FunctionDef)}
    (mark,) = (mark for row, mark in rows().items() if row.startswith(start))
    assert mark.startswith(MARKS.get(path, "`make test`"))


def test_the_workflow_runs_the_platforms_that_the_page_and_the_package_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = " ".join(project["classifiers"])
    versions = re.findall(r"Python :: (3\.\d+)", named)
    assert project["requires-python"] == f">={versions[0]}"
    workflow = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    matrices = [re.findall(r"3\.\d+", line) for line in re.findall(r"python: \[.*", workflow)]
    assert matrices == [versions, versions]
    systems = set(re.findall(r"(ubuntu|macos|windows)-latest", workflow))
    assert systems == {"ubuntu", "macos", "windows"}
    text = PAGE.read_text(encoding="utf-8")
    first, second, *_, last = versions
    assert f"| Linux, Python {first} | The whole test suite" in text
    assert f"| Linux, Python {second} to {last} | Not yet proved: " in text
    assert f"| macOS and Windows, Python {first} to {last} | Not yet proved: " in text
