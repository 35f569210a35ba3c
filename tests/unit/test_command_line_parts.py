"""The command line with several Parquet files: the same results, and what cannot be had."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from imd_widget.cli import main
from imd_widget.cli.exits import Exit
from imd_widget.export.html import NO_GROWTH
from imd_widget.large.files import FileReader
from tests.unit.test_comparison_views import data_of

N = 2000
MODELS = ("--m1", "old", "--m2", "new", "--drop", "id")
Run = Callable[..., tuple[int, str, str]]


def table() -> pd.DataFrame:
    """Two models that differ on the cooks from 2021 on: a tenth of the rows."""
    at = np.arange(N)
    X = pd.DataFrame(
        {
            "age": np.where(at % 7 == 0, np.nan, 20 + at % 50),
            "job": np.where(at % 5 == 0, "cook", "judge"),
            "hired": np.where(at < N // 2, "2019-06-01", "2021-06-01"),
            "id": at,
        }
    )
    later = (X["job"] == "cook") & (X["hired"] > "2020")
    old = np.where(at % 50 < 20, "yes", "no")
    new = np.where(later, np.where(old == "yes", "no", "yes"), old)
    target = np.where(later & (at % 4 == 0), new, old)
    return X.assign(target=target, weight=1 + at % 3, old=old, new=new)


def write(
    frame: pd.DataFrame, folder: str = "scores", edges: tuple[int, ...] = (0, 700, 701)
) -> None:
    """Write a table as one Parquet file, and as several of some rows each."""
    Path(folder).mkdir()
    frame.to_parquet("one.parquet", index=False)
    for number, (start, stop) in enumerate(zip(edges, (*edges[1:], N), strict=True)):
        frame.iloc[start:stop].to_parquet(f"{folder}/part-{number}.parquet", index=False)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit code, stdout and stderr of a command."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(("diff", *arguments))
        except SystemExit as left:
            code = int(left.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.mark.parametrize("given", ["scores", "scores/part-0.parquet scores/part-1.parquet +"])
def test_parts_give_what_one_file_gives(run: Run, given: str) -> None:
    write(table())
    files = given.replace("+", "scores/part-2.parquet").split()
    options = (*MODELS, "--y", "target", "--weight", "weight", "--measure", "holdout", "--quiet")
    results = ("--rows", "9", "--refinements", "1")
    one = run("one.parquet", *options, "-o", "d.json", "-o", "d.html", *results)
    expected = Path("d.json").read_bytes()
    page = data_of(Path("d.html").read_text(encoding="utf-8"))
    assert one[0] == Exit.FINE
    assert "1 rule shows where" in one[1]
    assert run(*files, *options, "-o", "d.json", "-o", "d.html", *results) == one
    same = Path("d.json").read_bytes() == expected  # a diff of such texts takes minutes
    assert same
    # only the growth of a table in memory is in a page
    assert page.pop("growth")
    page["growth"] = None
    for step in page["steps"]:
        step["lacks"]["growth"] = NO_GROWTH
    same = data_of(Path("d.html").read_text(encoding="utf-8")) == page
    assert same


@pytest.mark.parametrize(
    "option, code", [("--fail-over 5%", Exit.DIFFER), ("--fail-over 20%", Exit.FINE)]
)
def test_gates_exit_with_the_same_code(run: Run, option: str, code: Exit) -> None:
    write(table())
    for files in ("scores", "one.parquet"):
        assert run(files, *MODELS, *option.split(), "--measure", "holdout", "--quiet")[0] == code


def test_only_the_columns_that_are_used_are_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(table())
    read, asked = FileReader.read, set()

    def recorded(reader: FileReader, number: int) -> pd.DataFrame:
        frame = read(reader, number)
        asked.update(frame.columns)
        return frame

    monkeypatch.setattr(FileReader, "read", recorded)
    code, out, err = run("scores", *MODELS[:4], "--columns", "job", "hired")
    assert code == Exit.FINE
    assert asked == {"job", "hired", "old", "new"}
    assert "job is cook" in out
    assert "comparing old and new: 2,000 rows, 2 columns" in err
    assert "reading scores in parts" in err


def test_an_output_that_is_missing_is_told_as_of_one_file(run: Run) -> None:
    frame = table()
    frame.loc[[705, 1500], "new"] = None
    write(frame)
    told = [run(files, *MODELS, "--quiet") for files in ("one.parquet", "scores")]
    assert told[0] == told[1]
    assert (
        "'new' (--m2) has no value in 2 of 2,000 rows, the first of them is row 706." in told[0][2]
    )


def test_the_truth_of_no_row_is_told_as_of_one_file(run: Run) -> None:
    write(table().assign(target=pd.Series([None] * N, dtype="str")))
    options = (*MODELS, "--y", "target", "--fail-breaks", "1%", "--quiet")
    told = [run(files, *options) for files in ("one.parquet", "scores")]
    assert told[0] == told[1]
    assert told[0][0] == Exit.UNUSABLE
    assert "it is unknown which model is right" in told[0][2]


def test_a_label_of_y_is_looked_up_in_all_files(run: Run) -> None:
    frame = table()
    at = np.arange(N)
    p = np.where(at % 50 < 20, 0.9, 0.2)
    frame = frame.assign(
        old=p, new=np.where(frame["job"] == "cook", 1 - p, p), target=(p > 0.5) * 1
    )
    write(frame, edges=(0, 20, 40))
    options = (*MODELS, "--y", "target", "--outputs", "proba", "--pos-label", "1", "--quiet")
    told = [run(files, *options, "--measure", "holdout") for files in ("one.parquet", "scores")]
    assert told[0] == told[1]
    assert told[0][0] == Exit.FINE


IMPOSSIBLE = {
    "--groups id": "--groups is not supported for several files or a folder, which are read in ",
    "--by job": "--by is not supported for several files or a folder, which are read in parts: ",
    "--measure cv": "--measure cv is not supported for several files or a folder, which",
    "--separator ;": "--separator applies to CSV files, and part-0.parquet is Parquet.",
    "--y targt": "--y: scores has no column 'targt'. Did you mean 'target'?",
}


@pytest.mark.parametrize("option", IMPOSSIBLE)
def test_what_cannot_be_had_is_said(run: Run, option: str) -> None:
    write(table())
    code, out, err = run("scores", *MODELS[:4], *option.split())
    assert (code, out) == (Exit.UNUSABLE, "")
    assert err.startswith(f"imd-widget: error: {IMPOSSIBLE[option]}")


def csv() -> str:
    table().to_csv("a.csv", index=False)
    return "scores a.csv"


def another() -> str:
    table().drop(columns="age").to_parquet("other.parquet")
    return "scores other.parquet"


def empty() -> str:
    Path("empty").mkdir()
    return "empty"


FILES: dict[str, tuple[Callable[[], str], str]] = {
    "CSV": (
        csv,
        "a.csv is not a Parquet file: several files are read in parts, which needs Parquet",
    ),
    "twice": (lambda: "scores scores/../scores/part-0.parquet", "is named twice: its rows would"),
    "none": (empty, "empty is a folder without a file that ends with .parquet"),
    "gone": (lambda: "one.parquet gone.parquet", "gone.parquet does not exist"),
    "other columns": (another, "has other columns than the first file: 'age'"),
    "the result": (lambda: "one.parquet d.json -o d.json", "-o d.json is the file to be read"),
}


@pytest.mark.parametrize("case", FILES)
def test_files_that_cannot_be_read_together(run: Run, case: str) -> None:
    write(table())
    Path("d.json").write_text("{}", encoding="utf-8")
    make, message = FILES[case]
    code, out, err = run(*make().split(), *MODELS)
    assert (code, out) == (Exit.UNUSABLE, "")
    assert message in err
    assert err.startswith("imd-widget: error: ")


@pytest.mark.parametrize("given", ["scores", "scores/*"])
def test_folders_that_are_named_after_values_give_a_column(run: Run, given: str) -> None:
    table().to_parquet("scores", partition_cols=["job"], index=False)
    files = [given] if given == "scores" else sorted(map(str, Path().glob(given)))
    code, out, err = run(*files, *MODELS, "--drop", "target", "weight", "-o", "diff.json")
    assert code == Exit.FINE, err
    assert "job is cook" in out
    code, out, err = run(*files, *MODELS[:4], "--columns", "age", "job", "-o", "some.json")
    assert code == Exit.FINE, err
    assert "job is cook" in out


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_not_the_present_folder(run: Run, name: str) -> None:
    write(table())
    code, _, err = run(name, *MODELS)
    assert code == Exit.UNUSABLE
    assert "is not a name: give a file or a folder" in err
