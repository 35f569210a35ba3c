"""Two files joined by a key on the command line."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.planted import planted
from imd_widget.cli import main


@pytest.fixture
def frames(tmp_path: Path, monkeypatch: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The outputs of two models in two tables, in another order, in the present folder."""
    monkeypatch.chdir(tmp_path)
    made = planted()
    X = made.X.assign(id=np.arange(len(made.X)) * 7 + 3)
    old = X.assign(y=made.y, pred=made.old)
    new = pd.DataFrame({"pred": made.new, "id": X["id"]})
    new = new.sample(frac=1, random_state=0)
    old.to_csv("old.csv", index=False)
    new.to_csv("new.csv", index=False)
    new.to_json("new.jsonl", orient="records", lines=True)
    new.to_parquet("new.parquet", index=False)
    return old, new


JOINED = ["--on", "id", "--m1", "pred", "--m2", "pred", "--y", "y", "--quiet"]


def document(capsys: Any, *arguments: str) -> Any:
    capsys.readouterr()
    assert main(["diff", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("name", ["new.csv", "new.jsonl", "new.parquet"])
def test_two_files_are_one_table(frames: Any, capsys: Any, name: str) -> None:
    made = planted()
    made.frame().to_csv("one.csv", index=False)
    single = document(
        capsys,
        "one.csv",
        "--m1",
        "old",
        "--m2",
        "new",
        "--y",
        "y",
        "--quiet",
        "--names",
        "old",
        "new",
    )
    joined = document(capsys, "old.csv", name, *JOINED)
    assert joined["names"] == ["old", "new"]
    assert joined["remarks"] == []
    for part in ("rules", "right", "disagreement", "headline"):
        assert joined[part] == single[part]


def test_a_file_and_its_column(frames: Any, capsys: Any) -> None:
    both = document(capsys, "old.csv", "new.csv", *JOINED)
    short = document(capsys, "old.csv:pred", "new.csv:pred", "--on", "id", "--y", "y", "--quiet")
    assert short == both
    planted().frame().to_csv("one.csv", index=False)
    one = document(capsys, "one.csv:old", "one.csv:new", "--y", "y", "--quiet")
    assert one["rules"] == both["rules"]
    assert main(["diff", "nowhere.csv:old", "one.csv:new", "--on", "id", "--quiet"]) == 2
    assert "nowhere.csv does not exist" in capsys.readouterr().err
    assert main(["diff", "one.csv:old", "one.csv", "--quiet"]) == 2
    assert "give two of them" in capsys.readouterr().err


def test_stdin_is_one_of_them(frames: Any, capsys: Any, monkeypatch: Any) -> None:
    both = document(capsys, "old.csv", "new.csv", *JOINED)
    content = io.TextIOWrapper(io.BytesIO(Path("new.csv").read_bytes()))
    monkeypatch.setattr(sys, "stdin", content)
    piped = document(capsys, "old.csv", "-", *JOINED)
    assert piped["rules"] == both["rules"]
    assert piped["names"] == ["old", "stdin"]
    assert main(["diff", "-", "-", *JOINED]) == 2


def test_rows_of_one_file_only_are_counted(frames: Any, capsys: Any) -> None:
    old, new = frames
    new[:-50].to_csv("new.csv", index=False)
    old[:-20].to_csv("old.csv", index=False)
    found = document(capsys, "old.csv", "new.csv", *JOINED)
    n_both = len(set(old["id"][:-20]) & set(new["id"][:-50]))
    [remark] = found["remarks"]
    assert f"{len(old) - 20 - n_both:,} of {len(old) - 20:,} rows of old.csv and" in remark
    assert f"{len(new) - 50 - n_both:,} of {len(new) - 50:,} rows of new.csv have" in remark
    assert remark.endswith(f"{n_both:,} rows are compared.")
    assert found["n_rows"] == n_both


def test_columns_that_changed_are_named(frames: Any, capsys: Any) -> None:
    old, new = frames
    again = new.merge(old[["id", "age", "site"]], on="id")
    again.loc[:9, "age"] += 1
    again.to_csv("new.csv", index=False)
    [remark] = document(capsys, "old.csv", "new.csv", *JOINED)["remarks"]
    assert remark == (
        "the files differ in 'age' too, on 10 of 1,200 rows. The values of old.csv are used."
    )


def test_a_key_of_two_columns_and_columns_of_the_new_file(frames: Any, capsys: Any) -> None:
    old, new = frames
    for frame, name in (
        (old.drop(columns="y"), "old.csv"),
        (new.merge(old[["id", "y"]]), "new.csv"),
    ):
        parts = frame.assign(day=frame["id"] // 100, number=frame["id"] % 100)
        parts.drop(columns="id").to_csv(name, index=False)
    command = ["--on", "day", "number", "--m1", "pred", "--m2", "pred", "--y", "y", "--quiet"]
    found = document(capsys, "old.csv", "new.csv", *command)
    assert found["right"]["breaks"] > 0
    assert all("day" not in rule["text"] for rule in found["rules"])


def _doubled(old: pd.DataFrame, new: pd.DataFrame) -> None:
    pd.concat([new, new[:3]]).to_csv("new.csv", index=False)


def _missing(old: pd.DataFrame, new: pd.DataFrame) -> None:
    old.assign(id=old["id"].where(old["id"] > 10)).to_csv("old.csv", index=False)


def _text(old: pd.DataFrame, new: pd.DataFrame) -> None:
    new.assign(id="a" + new["id"].astype(str)).to_csv("new.csv", index=False)


def _others(old: pd.DataFrame, new: pd.DataFrame) -> None:
    new.assign(id=new["id"] + 1).to_csv("new.csv", index=False)


def _no_key(old: pd.DataFrame, new: pd.DataFrame) -> None:
    new.rename(columns={"id": "ID"}).to_csv("new.csv", index=False)


def _nothing(old: pd.DataFrame, new: pd.DataFrame) -> None:
    """The files are fine."""


@pytest.mark.parametrize(
    "change, command, says",
    [
        (_doubled, JOINED, "--on: 3 keys are in more than one row of new.csv (6 rows, the first"),
        (_missing, JOINED, "--on: 2 of 1,200 rows of old.csv have no value of 'id'; the first is"),
        (_text, JOINED, "'id' is numbers in old.csv and text in new.csv"),
        (_others, JOINED, "old.csv and new.csv have no value of 'id' in common"),
        (_no_key, JOINED, "--on: new.csv has no column 'id'. It has 'pred', 'ID'."),
        (_nothing, ["--on", "id", "--m1", "prd", "--m2", "pred"], "old.csv has no column 'prd'"),
        (_nothing, ["--on", "pred", "--m1", "pred", "--m2", "pred"], "not a column of outputs"),
        (_nothing, ["--m1", "pred", "--m2", "pred"], "is not a Parquet file"),
        (_nothing, ["--on", "id"], "the following arguments are required: --m1, --m2"),
    ],
)
def test_files_that_cannot_be_joined(
    frames: Any, capsys: Any, change: Any, command: list[str], says: str
) -> None:
    change(*frames)
    assert main(["diff", "old.csv", "new.csv", *command, "-o", "out.md"]) == 2
    assert says in capsys.readouterr().err
    assert not Path("out.md").exists()


def test_one_file_cannot_be_joined(frames: Any, capsys: Any) -> None:
    assert main(["diff", "old.csv", *JOINED]) == 2
    assert "--on joins two files, not 1 file" in capsys.readouterr().err


def test_a_file_with_a_colon_in_its_name(frames: Any, capsys: Any) -> None:
    old, _ = frames
    old.assign(new=old["pred"]).to_csv("old:v1.csv", index=False)
    found = document(capsys, "old:v1.csv", "--m1", "pred", "--m2", "new", "--drop", "y", "--quiet")
    assert found["disagreement"] == 0
