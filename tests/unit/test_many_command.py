"""``imd-widget compare``: columns of a file as models."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.__main__ import main
from imd_widget.cli.exits import Exit

N = 300
MODELS = ("--models", "v1", "v2", "v3")

Run = Callable[..., tuple[int, str, str]]


def table() -> pd.DataFrame:
    at = np.arange(N)
    X = pd.DataFrame({"age": 20 + at % 50, "job": np.where(at % 5 == 0, "cook", "judge")})
    v1 = np.where(X["age"] < 40, "yes", "no")
    v2 = np.where(X["age"] < 41, "yes", "no")
    v3 = np.where(X["job"] == "cook", "no", v1)
    return X.assign(target=v1, weight=1 + at % 3, user=at // 3, v1=v1, v2=v2, v3=v3)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table().to_csv("data.csv", index=False)
    table().to_parquet("data.parquet")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit code, stdout and stderr of a command."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(("compare", *arguments))
        except SystemExit as left:
            code = int(left.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.mark.parametrize("file", ["data.csv", "data.parquet"])
def test_text_says_which_differ_and_how_much(run: Run, file: str) -> None:
    code, out, err = run(file, *MODELS, "--y", "target", "--drop", "weight", "user")
    assert code == Exit.FINE
    frame = table()
    c = imd.compare({v: frame[v] for v in MODELS[1:]}, frame[["age", "job"]], y=frame["target"])
    lines = out.splitlines()
    assert lines[0] == c.summary()
    assert lines[3:6] == [
        "  v2 and v3: 30 of 300 rows differ (10.0 %); v3 fixes 6 and breaks 24",
        "  v1 and v3: 24 of 300 rows differ (8.0 %); v3 fixes 0 and breaks 24",
        "  v1 and v2: 6 of 300 rows differ (2.0 %); v2 fixes 0 and breaks 6",
    ]
    assert lines[7:] == ["Accuracy:", "  v1: 100.0 %", "  v2: 98.0 %", "  v3: 92.0 %"]
    assert err.splitlines() == [
        f"imd-widget: reading {file}",
        "imd-widget: comparing 3 models: 300 rows, 2 columns",
    ]


@pytest.mark.parametrize(
    "allowed, code, said",
    [
        (
            "5%",
            Exit.DIFFER,
            "v2 and v3 differ on 10.0 % of the rows, above the limit of 5.0 % (and 1 "
            "more of 3 pairs).",
        ),
        ("0.09", Exit.DIFFER, "above the limit of 9.0 %."),
        (
            "10%",
            Exit.FINE,
            "no two models differ on more than 10.0 % of the rows, within the limit of 10.0 %.",
        ),
    ],
)
def test_fail_over(run: Run, allowed: str, code: Exit, said: str) -> None:
    found, _, err = run("data.csv", *MODELS, "--fail-over", allowed)
    assert found == code
    assert err.splitlines()[-1].endswith(said)
    quiet, _, err = run("data.csv", *MODELS, "--fail-over", allowed, "--quiet")
    assert (quiet, bool(err)) == (code, code == Exit.DIFFER)


def test_json_is_one_document(run: Run) -> None:
    code, out, err = run("data.csv", *MODELS, "--y", "target", "--json", "--quiet")
    assert (code, err) == (0, "")
    report: dict[str, Any] = json.loads(out)
    assert report["format"] == "imd-widget comparison report"
    assert report["names"] == ["v1", "v2", "v3"]
    assert report["n_differing"][1][2] == 30
    assert report["scores"] == [1.0, 0.98, 0.92]
    assert report["fixes"][1] == [6, 0, 6]
    assert report["failed"] is False


def test_files_are_written_as_their_endings_say(run: Run) -> None:
    names = ("--names", "one", "two", "three", "--pair", "one", "three")
    outputs = [f"out/c.{suffix}" for suffix in ("json", "csv", "md", "svg", "png")]
    code, out, err = run("data.csv", *MODELS, *names, *(f"-o{path}" for path in outputs))
    assert code == 0, err
    assert [line for line in out.splitlines() if "Written" in line] == [
        f"Written: {path}" for path in outputs
    ]
    c = imd.load("out/c.json")
    assert c.names == ("one", "two", "three")
    assert c["one", "three"].rules
    with pytest.raises(imd.InputError, match="no diff"):
        c["one", "two"]
    assert "## one and three: where they differ" in Path("out/c.md").read_text(encoding="utf-8")


def test_weights_and_groups_are_columns(run: Run) -> None:
    code, out, err = run("data.csv", *MODELS, "--weight", "weight", "--groups", "user", "--quiet")
    assert (code, err) == (0, "")
    frame = table()
    apart = frame["v2"] != frame["v3"]
    share = frame["weight"][apart].sum() / frame["weight"].sum()
    assert f"v2 and v3: 30 of 300 rows differ ({100 * share:.1f} %)" in out
    assert "Shares are by weight." in out


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--models", "v1"), "--models names 1 column: 2 to 30 models can be compared."),
        (("--models", "v1", "v9"), r"--models: data.csv has no column 'v9'. It has 'age'"),
        (("--models", "v1", "v1"), "--models and --models are the same column, 'v1'"),
        ((*MODELS, "--y", "v1"), "--y and --models are the same column, 'v1'"),
        ((*MODELS, "--columns", "v1"), "--columns has 'v1', which is --models: rules would"),
        ((*MODELS, "--names", "a", "b"), "--names has 2 names and --models 3 columns: one name"),
        ((*MODELS, "--names", "a", "b", "a"), "--names has 'a' twice: give each model a name"),
        ((*MODELS, "--pair", "v1", "v9"), "--pair names 'v9', and the models are 'v1', 'v2', 'v3'"),
        ((*MODELS, "--pair", "v1", "v1"), "--pair names 'v1' twice: name two models"),
        ((*MODELS, "-o", "c.pdf"), "'c.pdf' ends in '.pdf'. The suffix chooses the format: "),
        ((*MODELS, "--rows", "3"), "--rows is for pages, and no page is written"),
        (("--models", "v1", "age"), "the column 'v1' gives 'no', 'yes' and the column 'age' gives"),
        ((*MODELS, "--max-depth", "0"), "--max-depth 0: a whole number from 1 to 30"),
        ((*MODELS, "--tolerance", "1"), "--tolerance 1.0 has no meaning for classes"),
    ],
)
def test_what_cannot_be_compared(run: Run, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = run("data.csv", *arguments, "--quiet")
    assert (code, out) == (Exit.UNUSABLE, "")
    assert re.search(message, err), err


def test_a_row_without_an_output_is_named(run: Run) -> None:
    frame = table()
    frame.loc[4, "v2"] = None
    frame.to_csv("gaps.csv", index=False)
    code, _, err = run("gaps.csv", *MODELS)
    assert code == Exit.UNUSABLE
    assert "the column 'v2' (--models) has no value in 1 of 300 rows, the first of them is" in err
