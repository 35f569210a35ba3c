"""The command line: what it prints, writes and exits with, and what it says of bad arguments."""

from __future__ import annotations

import gzip
import inspect
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import imd_widget as imd
from imd_widget._base.errors import Given, Message
from imd_widget._base.options import Flag
from imd_widget.cli import arguments, main, outputs
from imd_widget.cli import diff_command as comparing
from imd_widget.cli.arguments import OPTIONS, CommandOption, given_values, parse, passed_on
from imd_widget.cli.exits import Exit
from imd_widget.cli.option_types import DeriveAction, TagAction, share
from imd_widget.cli.output import LONGEST_LINE
from imd_widget.cli.wording import Wording
from imd_widget.comparison.options import OPTIONS as DIFF_OPTIONS
from imd_widget.export.formats import Format, formats_of

N = 400
MODELS = ("--m1", "old", "--m2", "new")


def table() -> pd.DataFrame:
    """Two models that differ on the 40 cooks from 2021 on: a tenth of the rows."""
    at = np.arange(N)
    X = pd.DataFrame(
        {
            "age": 20 + at % 50,
            "job": np.where(at % 5 == 0, "cook", "judge"),
            "hired": np.where(at < N // 2, "2019-06-01", "2021-06-01"),
        }
    )
    later = (X["job"] == "cook") & (X["hired"] > "2020")
    old = np.where(X["age"] < 40, "yes", "no")
    new = np.where(later, np.where(old == "yes", "no", "yes"), old)
    # of the 40 rows the new model gets every fourth right
    target = np.where(later & (at % 4 == 0), new, old)
    return X.assign(target=target, weight=1 + at % 3, old=old, new=new)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder that holds ``data.csv`` and ``data.parquet``."""
    monkeypatch.chdir(tmp_path)
    table().to_csv("data.csv", index=False)
    table().to_parquet("data.parquet")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Exit code, stdout and stderr of a command."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(arguments)
        except SystemExit as left:
            code = int(left.code or 0)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


Run = Callable[..., tuple[int, str, str]]


def report(run: Run, *arguments: str) -> dict[str, Any]:
    """The JSON that a command prints."""
    code, out, err = run("diff", *arguments, "--json", "--quiet")
    assert code in (0, 1), err

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not valid JSON")

    return json.loads(out, parse_constant=refuse)  # type: ignore[no-any-return]


def test_text_says_how_much_and_where(run: Run) -> None:
    code, out, err = run("diff", "data.csv", *MODELS, "--drop", "target", "weight")
    assert code == Exit.FINE
    assert out.startswith("old and new disagree on 40 of 400 rows (10.0 %). ")
    assert re.search(
        r"^  0\. job is cook and hired >= 20\d\d-\d\d-\d\d: .* rows differ.*\)$", out, re.M
    )
    assert err.splitlines() == [
        "imd-widget: reading data.csv",
        "imd-widget: comparing old and new: 400 rows, 3 columns",
        "imd-widget: derived from hired: weekday, month",
    ]


def test_quiet_is_quiet(run: Run) -> None:
    code, out, err = run("diff", "data.csv", *MODELS, "--quiet", "--fail-over", "0.5")
    assert (code, err) == (0, "")
    assert out


def test_json_has_the_documented_fields(run: Run) -> None:
    found = report(run, "data.parquet", *MODELS, "--drop", "target", "weight")
    assert (found["format"], found["version"]) == ("imd-widget report", 1)
    assert found["names"] == ["old", "new"]
    assert (found["n_rows"], found["n_differing"], found["disagreement"]) == (400, 40, 0.1)
    assert (found["compared"], found["tolerance"], found["on_holdout"]) == ("class", None, False)
    assert found["measured_by"] == "cv"
    low, high = found["precision_interval"]
    assert low <= found["precision"] <= high
    assert {"precision", "recall", "f1", "measured_rows", "headline"} <= found.keys()
    assert (found["right"], found["written"], found["remarks"]) == (None, [], [])
    assert set(found["allowed"].values()) == {None}
    assert found["verdict"] is None
    assert found["failed"] is False
    rule = found["rules"][0]
    assert rule["conditions"][0] == "job is cook"
    assert rule["text"].startswith(" and ".join(rule["conditions"]))
    assert len(table().query(rule["query"])) == 40
    assert "\"job\" IN ('cook')" in rule["sql"]
    assert {"support", "differing", "rate", "coverage", "outcomes"} <= rule.keys()
    assert {"holdout_support", "holdout_differing", "holdout_rate"} <= rule.keys()


def test_what_is_no_number_is_null(run: Run) -> None:
    found = report(run, "data.csv", *MODELS, "--test-size", "0")
    assert found["on_holdout"] is False
    assert {rule["holdout_rate"] for rule in found["rules"]} == {None}


@pytest.mark.parametrize(
    "options, code",
    [
        (["--fail-over", "0.1"], 0),
        (["--fail-over", "10%"], 0),
        (["--fail-over", "0.0999"], 1),
        (["--fail-over", "9.9 %"], 1),
        (["--fail-breaks", "0.075", "--y", "target"], 0),
        (["--fail-breaks", "7%", "--y", "target"], 1),
        (["--fail-over", "1", "--fail-breaks", "0", "--y", "target"], 1),
    ],
)
def test_gates(run: Run, options: list[str], code: int) -> None:
    found, _, err = run("diff", "data.csv", *MODELS, "--quiet", *options)
    assert found == code
    assert ("above the limit of" in err) == (code == 1)


def test_a_verdict_tells_shares_apart_that_are_close(run: Run) -> None:
    _, _, err = run("diff", "data.csv", *MODELS, "--fail-over", "0.09999", "--quiet")
    assert err == (
        "imd-widget: the models differ on 10.000 % of the rows, above the limit of 9.999 %.\n"
    )


def test_right_is_told_and_json_says_what_was_allowed(run: Run) -> None:
    found = report(
        run, "data.csv", *MODELS, "--y", "target", "--fail-over", "5%", "--fail-breaks", ".2"
    )
    assert found["right"]["fixes"] == 10
    assert found["right"]["breaks"] == 30
    limits = {name: limit for name, limit in found["allowed"].items() if limit is not None}
    assert limits == {"disagreement": 0.05, "breaks": 0.2}
    assert found["failed"] is True


def test_outputs_are_written_before_it_fails(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = []
    really = Format.content

    def content(self: Format, diff: imd.ModelDiff, **page: int) -> bytes:
        saved.append((self.suffix, page))
        return really(self, diff, **page)

    monkeypatch.setattr(Format, "content", content)
    outputs = ("-o", "deep/er/d.html", "--output", "d.csv", "-o", "d.csv")
    code, out, err = run(
        *("diff", "data.csv", *MODELS, *outputs),
        *("--rows", "50", "--refinements", "1", "--fail-over", "0"),
    )
    assert code == Exit.DIFFER
    page = str(Path("deep", "er", "d.html"))
    assert saved == [(".html", {"rows": 50, "refinements": 1}), (".csv", {})]
    assert out.endswith(f"\nWritten: {page}\nWritten: d.csv\n")
    assert f"imd-widget: writing {page}\n" in err
    assert Path(page).stat().st_size > 50_000
    assert pd.read_csv("d.csv")["rule"].str.contains("job is cook").any()


@pytest.mark.parametrize("suffix", [*formats_of(imd.ModelDiff), ".HTML"])
def test_each_form_is_written(run: Run, suffix: str) -> None:
    code, _, err = run("diff", "data.csv", *MODELS, "-o", f"d{suffix}")
    assert code == 0, err
    assert Path(f"d{suffix}").stat().st_size > 0


def test_a_full_disk_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(path: Path, content: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(outputs, "write_whole", write)
    code, out, err = run("diff", "data.csv", *MODELS, "-o", "d.html")
    assert (code, out.splitlines()[0][:16]) == (Exit.UNWRITTEN, "old and new disa")
    assert "Written" not in out
    assert "error: -o d.html could not be written: No space left on device." in err


def test_options_reach_the_library(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, Any] = {}

    def spy(*models: Any, **options: Any) -> Any:
        seen.update(options)
        return imd.diff(*models, **options)

    monkeypatch.setattr(comparing, "diff", spy)
    run("diff", "data.csv", *MODELS)
    assert seen == {"y": None, "names": ("old", "new"), "sample_weight": None, "groups": None}
    seen.clear()
    frame = table().assign(old=0.25, new=0.75, target=np.arange(N) % 2)
    frame.to_csv("proba.csv", index=False)
    code, out, err = run(
        *("diff", "proba.csv", *MODELS, "--y", "target", "--weight", "weight", "--groups", "job"),
        *("--names", "before", "after", "--max-depth", "3", "--max-rules", "2"),
        *("--sensitivity", "0.9", "--outputs", "proba", "--tolerance", "0.2", "--pos-label", "0"),
        *("--test-size", "0.5", "--random-state", "7", "--method", "calibrated"),
    )
    assert code == 0, err
    assert out.startswith("before and after ")
    assert seen.pop("y").tolist() == frame["target"].tolist()
    assert seen.pop("sample_weight").tolist() == frame["weight"].tolist()
    assert seen.pop("groups").tolist() == frame["job"].tolist()
    assert seen.pop("names") == ["before", "after"]
    assert type(seen["pos_label"]) is int  # the truth is of numbers
    assert seen == {
        "method": "calibrated",
        "max_depth": 3,
        "max_rules": 2,
        "sensitivity": 0.9,
        "outputs": "proba",
        "tolerance": 0.2,
        "pos_label": 0,
        "test_size": 0.5,
        "random_state": 7,
    }


@pytest.mark.parametrize(
    "options, expected",
    [
        ((), ["age", "job", "hired", "target", "weight"]),
        (("--y", "target", "--weight", "weight"), ["age", "job", "hired"]),
        (("--drop", "age", "--drop", "target", "weight"), ["job", "hired"]),
        (("--columns", "job", "age", "--columns", "job"), ["job", "age"]),
    ],
)
def test_columns_of_X(
    run: Run, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], expected: list[str]
) -> None:
    seen = table_of(run, monkeypatch, "data.parquet", *options)
    assert list(seen.columns) == expected


def table_of(run: Run, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> pd.DataFrame:
    """The X that the library is given."""
    tables = []

    def spy(m1: Any, m2: Any, X: pd.DataFrame, **options: Any) -> Any:
        tables.append(X)
        return imd.diff(m1, m2, X, **options)

    monkeypatch.setattr(comparing, "diff", spy)
    code, _, err = run("diff", *arguments, *MODELS)
    assert code == 0, err
    return tables[0]


def test_text_that_is_all_iso_dates_becomes_dates(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = {
        "day": "2024-02-29",
        "moment": "2024-02-29 08:15:00.5",
        "zoned": "2024-02-29T08:15Z",
        "mixed": "2024-02-29T08:15Z",
        "german": "29.02.2024",
        "no_day": "2024-02-30",
        "name": "2024-02-29",
        "self": "2024-02-29",
    }
    second = {
        **first,
        "zoned": "2024-02-29T08:15+02:00",
        "mixed": "2024-02-29T08:15",
        "name": "2024-02-29 approx.",
    }
    frame = pd.DataFrame([first, second, dict.fromkeys(first)] * 10)
    frame.assign(old=0, new=1).to_csv("dates.csv", index=False)
    X = table_of(run, monkeypatch, "dates.csv")
    moments = [name for name in X if X[name].dtype.kind == "M"]
    assert moments == ["day", "moment", "zoned", "self"]
    assert str(X["zoned"].dt.tz) == "UTC"
    assert X["zoned"].iloc[1] == pd.Timestamp("2024-02-29 06:15", tz="UTC")
    assert X["day"].isna().sum() == 10


@pytest.mark.parametrize(
    "name, options, settings",
    [
        ("a.csv.gz", (), {}),
        ("a.tsv", (), {"sep": "\t"}),
        ("a.tsv.gz", (), {"sep": "\t"}),
        ("a.CSV", (), {}),
        ("a.csv", ("--separator", ";"), {"sep": ";"}),
        ("b.csv", ("--separator", "tab"), {"sep": "\t"}),
        ("c.csv", (), {"encoding": "utf-8-sig"}),
    ],
)
def test_forms_of_csv(
    run: Run, name: str, options: tuple[str, ...], settings: dict[str, Any]
) -> None:
    table().to_csv(name, index=False, **settings)
    assert report(run, name, *MODELS, *options)["n_differing"] == 40


def test_a_column_without_a_name_is_left_out(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    table().to_csv("index.csv")
    table().set_axis(list(range(N))).to_parquet("index.pq")
    for name in ("index.csv", "index.pq"):
        assert "age" in table_of(run, monkeypatch, name).columns
        [remark] = report(run, name, *MODELS)["remarks"]
        assert re.match(rf"column \d of {name} has no name", remark)


def test_a_named_index_of_parquet_is_a_column(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    table().set_index("age").to_parquet("index.parquet")
    assert "age" in table_of(run, monkeypatch, "index.parquet").columns


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_names_of_any_kind(run: Run, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    names = ["1", "a", "a.b", "a b\n'c\"", "Unnamed: 0", "self"]
    frame = pd.DataFrame({name: np.arange(N) % (3 + at) for at, name in enumerate(names)})
    frame = frame.assign(old=0, new=1)
    if suffix == ".csv":
        frame.to_csv("odd.csv", index=False)
    else:
        frame.to_parquet("odd.parquet")
    pd.testing.assert_frame_equal(table_of(run, monkeypatch, f"odd{suffix}"), frame[names])


def test_dates_and_categories_of_parquet_are_what_they_are(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = table().assign(hired=pd.to_datetime(table()["hired"]).dt.date)
    frame["job"] = pd.Categorical(frame["job"], ["judge", "cook"], ordered=True)
    frame.to_parquet("typed.parquet")
    X = table_of(run, monkeypatch, "typed.parquet")
    assert X["hired"].dtype.kind == "M"
    assert X["job"].cat.ordered


def test_labels_are_what_they_mean(run: Run) -> None:
    """Numbers in one column and the same as text in the other: the library remarks on it."""
    frame = table().assign(old=(table()["old"] == "yes") * 1)
    frame["new"] = np.where(table()["new"] == "yes", "1", "0")
    frame.to_parquet("spelled.parquet")
    code, out, err = run("diff", "spelled.parquet", *MODELS, "--quiet")
    assert code == 0
    assert "disagree on 40 of 400 rows" in out
    assert re.fullmatch(r"imd-widget: remark: --m1 gives numbers .*\n", err)


def test_a_leak_is_remarked_on_in_the_words_of_the_command(run: Run) -> None:
    table().assign(copy=table()["old"]).to_csv("leak.csv", index=False)
    [remark] = report(run, "leak.csv", *MODELS)["remarks"]
    assert "the file has the column 'copy', which is --m1 itself" in remark
    assert remark.endswith("Leave it out: --drop copy.")
    # beside --columns there is no --drop
    [remark] = report(run, "leak.csv", *MODELS, "--columns", "age", "copy")["remarks"]
    assert remark.endswith("Leave it out: --columns without copy.")


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.dest)
def test_an_option_is_one_entry_of_the_table(
    run: Run, monkeypatch: pytest.MonkeyPatch, option: CommandOption
) -> None:
    """The parser, the calls and the words of errors are all derived from the entry."""
    monkeypatch.setenv("COLUMNS", "500")
    for command in ("diff", "compare"):
        listed = re.sub(r" [A-Z]+(?=,)", "", run(command, "-h")[1])
        namesakes = [other for other in OPTIONS if other.flag == option.flag]
        wanted = any(command in other.commands for other in namesakes)
        assert (f"\n  {', '.join(option.flags)} " in listed) == wanted
    if option.argument is not None:
        calls = [imd.ModelDiff.to_html if option.target == "page" else imd.diff]
        if "compare" in option.commands:
            calls = [imd.compare, imd.ModelComparison.save]
        calls += [imd.ModelDiff.check, imd.ModelDiff.to_label, imd.ModelDiff.with_labels]
        assert any(option.argument in inspect.signature(call).parameters for call in calls)
        assert Wording().text(Message(Given(option.argument, 3))) == f"{option.flag} 3"
    if option.target != "command":
        is_switch = option.settings.get("action") == "store_true"
        words = [option.flag] if is_switch else [option.flag, _value(option)]
        given = parse(["diff", "data.csv", "--m1", "1", "--m2", "1", *words])
        value = given_values(given, option.target)[option.argument]
        value = value[0] if isinstance(value, list) else value
        value = "=".join(*value.items()) if isinstance(value, dict) else value
        assert str(value).removesuffix(".0") == ("True" if is_switch else _value(option))


def _value(option: CommandOption) -> str:
    """A value that the option takes: the first of its choices, "auto", or a number."""
    if option.settings.get("action") is DeriveAction:
        return "auto"
    if option.settings.get("action") is TagAction:
        return "release=2.1"
    choices = option.settings.get("choices")
    return str(next(iter(choices))) if choices else "1"


def test_an_option_with_a_flag_is_passed_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    alpha = replace(DIFF_OPTIONS["alpha"], flag=Flag("--alpha", "when to part", "X"))
    monkeypatch.setattr(arguments, "OPTIONS", (*OPTIONS, passed_on(alpha)))
    code, _, err = run("diff", "data.csv", *MODELS, "--method", "imd", "--alpha", "7")
    assert code == Exit.UNUSABLE
    assert "error: --alpha 7.0: a number up to 1 is needed." in err
    assert run("diff", "data.csv", *MODELS, "--method", "imd", "--alpha", "0.5")[0] == Exit.FINE


def test_signs_that_a_terminal_obeys_are_spelled_out(run: Run) -> None:
    table().rename(columns={"job": "job\x1b[2J"}).to_csv("odd.csv", index=False)
    _, out, _ = run("diff", "odd.csv", *MODELS)
    assert "\x1b" not in out
    assert "job\\x1b[2J is cook" in out


def write(name: str, content: str | bytes) -> str:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return name


def without_columns() -> str:
    table()[["old", "new"]].to_csv("two.csv", index=False)
    return "two.csv"


def same_name_twice() -> str:
    arrays = [pa.array([1, 2])] * 3
    pq.write_table(pa.table(arrays, names=["a", "a", "b"]), "twice.parquet")
    return "twice.parquet"


def with_missing(column: str) -> str:
    table().assign(**{column: table()[column].where(np.arange(N) != 2)}).to_csv(
        "holes.csv", index=False
    )
    return "holes.csv"


def cut_off(name: str) -> str:
    content = gzip.compress(Path("data.csv").read_bytes())
    if name.endswith("parquet"):
        content = Path("data.parquet").read_bytes()
    return write(name, content[: len(content) // 2])


def with_lists() -> str:
    table().assign(tags=[["a"]] * N).to_parquet("lists.parquet")
    return "lists.parquet"


BAD_FILES: dict[str, tuple[Callable[[], str], str]] = {
    "missing": (lambda: "gone.csv", "gone.csv does not exist."),
    "a folder": (
        lambda: os.makedirs("f.csv") or "f.csv",
        "f.csv is a folder without a file that ends with .parquet",
    ),
    "no suffix": (
        lambda: write("data", "a,b"),
        r"data cannot be read\. Files that can be read end with \.csv, \.csv\.gz, .*\.pq\.",
    ),
    "a spreadsheet": (lambda: write("d.xlsx", "a"), r"d\.xlsx cannot be read\. Files that"),
    "nothing": (lambda: write("d.csv", ""), "d.csv is empty: a table with the names"),
    "blank lines": (lambda: write("d.csv", "\n\n"), "d.csv is empty"),
    "no Parquet": (lambda: write("d.parquet", "a,b\n1,2\n"), "d.parquet could not be read: "),
    "half of a Parquet file": (lambda: cut_off("d.parquet"), "d.parquet could not be read: "),
    "half of a gzip file": (lambda: cut_off("d.csv.gz"), "d.csv.gz ends with .gz, but could not"),
    "no gzip": (lambda: write("d.csv.gz", "a,b"), "d.csv.gz ends with .gz, but could not"),
    "header alone": (lambda: write("d.csv", "old,new,a\n"), "d.csv has the names .* but no rows"),
    "latin-1": (
        lambda: write("d.csv", b"old,new,a\n1,2,\xe9\n"),
        "the text of d.csv is not UTF-8. Save it .*: iconv -f cp1252 -t utf-8 OLD.csv > NEW.csv",
    ),
    "latin-1 names": (lambda: write("d.csv", b"\xe9,old,new\n"), "the text of d.csv is not UTF-8"),
    "UTF-16": (
        lambda: write("d.csv", "old,new,a\n1,2,3\n".encode("utf-16")),
        "the text of d.csv is not UTF-8. .* iconv -f utf-16 -t utf-8",
    ),
    "rows longer than names": (
        lambda: write("d.csv", "old,new,a\n9,1,2,3\n9,1,2,3\n"),
        "the rows of d.csv have more values than its first line has names",
    ),
    "one row too long": (
        lambda: write("d.csv", "old,new,a\n1,2,3\n9,1,2,3\n"),
        "d.csv could not be read: line 3 has 4 values, and there are 3 columns. A value that holds",
    ),
    "a quote that is not closed": (
        lambda: write("d.csv", 'old,new,a\n1,2,"3\n'),
        "d.csv could not be read: a quotation mark is opened and never closed.$",
    ),
    "two columns of one name": (
        lambda: write("d.csv", "old,new,a,b,a\n1,2,3,4,5\n"),
        "d.csv has more than one column called 'a': each column needs a name of its own. .The "
        "names are taken from the first line.",
    ),
    "two columns of one name in Parquet": (same_name_twice, "more than one column called 'a'"),
    "outputs alone": (
        without_columns,
        "no column of two.csv is left for rules: it has 'old', 'new'",
    ),
    "another separator": (
        lambda: write("d.csv", "old;new;a\n1;2;3\n"),
        "--m1: d.csv has no column 'old'. Its values do not seem to be separated by ',': try "
        "--separator ';'. It has 'old;new;a'",
    ),
    "tabs": (lambda: write("d.csv", "old\tnew\ta\n1\t2\t3\n"), ".*: try --separator tab."),
    "one column": (
        lambda: write("d.csv", "a\n1\n"),
        "--m1: d.csv has no column 'old'. Are its values not separated by ','[?] Use --separator",
    ),
    "a missing output": (
        lambda: with_missing("new"),
        r"the column 'new' \(--m2\) has no value in 1 of 400 rows, the first of them is row 3\. "
        r"\(In a CSV file, words such as NA and None count as no value\.\) .*out, or write a label",
    ),
    "a missing number": (
        lambda: write("d.csv", "old,new,a\n0.5,0.5,1\n0.5,,1\n"),
        r"the column 'new' \(--m2\) has no value in 1 of 2 rows, .*leave those rows out\.$",
    ),
    "lists": (with_lists, "column 'tags' holds values that cannot .* leave it out: --drop tags"),
    "classes against numbers": (
        lambda: write("d.csv", "old,new,a\n" + "yes,0.5,1\nno,0.25,2\n" * 20),
        r"--m2 gives numbers .*: values and classes cannot be compared\. Give both the same kind "
        r"of output, for example a column of labels made from the numbers\. \(--m1 is the column "
        r"'old', --m2 is the column 'new'\.\)",
    ),
    "other labels": (
        lambda: write("d.csv", "old,new,a\n" + "yes,0,1\nno,1,2\n" * 20),
        r"--m1 gives 'no', 'yes' and --m2 gives 0, 1: .*, map one onto the other\. \(--m1 is the",
    ),
}


@pytest.mark.parametrize("bad", BAD_FILES)
def test_bad_files(run: Run, bad: str) -> None:
    make, says = BAD_FILES[bad]
    code, out, err = run("diff", make(), *MODELS, "--quiet")
    assert (code, out) == (Exit.UNUSABLE, "")
    assert re.match(f"imd-widget: error: .*{says}", err), err
    assert err.count("\n") == 1


BAD_ARGUMENTS: dict[str, tuple[list[str], str]] = {
    "a slip": (
        ["--m1", "old", "--m2", "nwe"],
        "--m2: data.csv has no column 'nwe'. Did you mean 'new'[?] It has 'age', 'job', .*'new'.$",
    ),
    "another case": (["--m1", "OLD", "--m2", "new"], "Did you mean 'old'[?]"),
    "nothing like it": (["--m1", "zzz", "--m2", "new"], "no column 'zzz'. It has 'age'"),
    "an unknown y": ([*MODELS, "--y", "traget"], "--y: .*Did you mean 'target'[?]"),
    "an unknown weight": ([*MODELS, "--weight", "w8"], "--weight: .*no column 'w8'"),
    "an unknown drop": ([*MODELS, "--drop", "ag"], "--drop: .*Did you mean 'age'[?]"),
    "an unknown column": ([*MODELS, "--columns", "age", "jobs"], "--columns: .*mean 'job'[?]"),
    "the same column": (
        ["--m1", "old", "--m2", "old"],
        "--m1 and --m2 are the same column, 'old': give each its own",
    ),
    "y is a model": ([*MODELS, "--y", "new"], "--m2 and --y are the same column, 'new'"),
    "outputs among the columns": (
        [*MODELS, "--columns", "age", "old"],
        "--columns has 'old', which is --m1: rules would use what they are to explain",
    ),
    "all dropped": (
        [*MODELS, "--drop", "age", "job", "hired", "target", "weight"],
        "no column of data.csv is left for rules",
    ),
    "both choices": (
        [*MODELS, "--columns", "age", "--drop", "job"],
        "argument --drop: not allowed with argument --columns",
    ),
    "no models": ([], "the following arguments are required: --m1, --m2"),
    "a share beyond one": (
        [*MODELS, "--fail-over", "5"],
        "argument --fail-over: '5' is not between 0 and 1.*Did you mean 5%[?]",
    ),
    "a share below none": ([*MODELS, "--fail-over=-0.1"], "'-0.1' is not between 0 and 1"),
    "more than all": ([*MODELS, "--fail-over", "101%"], "'101%' is not between 0 and 1"),
    "no share": (
        [*MODELS, "--fail-over", "few"],
        "'few' is not a share of the rows: give a number from 0 to 1, such as 0.05, or a ",
    ),
    "no number": ([*MODELS, "--fail-over", "nan"], "'nan' is not between 0 and 1"),
    "breaks without a truth": (
        [*MODELS, "--fail-breaks", "0.1"],
        "--fail-breaks needs the true outputs: name their column with --y",
    ),
    "an unknown output": (
        [*MODELS, "-o", "d.html", "-o", "d.pdf"],
        r"'d\.pdf' ends in '\.pdf'\. The suffix chooses the format: \.html .*, \.md",
    ),
    "an output that is the input": ([*MODELS, "-o", "data.csv"], "-o data.csv is the file to be"),
    "an output below a file": (
        [*MODELS, "-o", "data.csv/d.html"],
        "-o data.csv/d.html: the folder data.csv cannot be made",
    ),
    "a name that is too long": (
        [*MODELS, "-o", "n" * 300 + ".html"],
        r"-o n{300}\.html cannot be written: File name too long\.$",
    ),
    "a folder whose name is too long": (
        [*MODELS, "-o", "n" * 300 + "/d.html"],
        r"-o n{300}/d\.html: the folder n{300} cannot be made \(File name too long\)\.$",
    ),
    "a folder": ([*MODELS, "-o", "f.html"], "-o f.html is a folder: name the file to write in it"),
    "rows of no page": (
        [*MODELS, "-o", "d.csv", "--rows", "9"],
        "--rows is for pages, and no page is w",
    ),
    "a depth that is none": (
        [*MODELS, "--max-depth", "deep"],
        "'deep' is not a whole number from 0",
    ),
    "a depth of nothing": ([*MODELS, "--max-depth", "0"], "max_depth|--max-depth 0: a whole"),
    "a sensitivity beyond one": ([*MODELS, "--sensitivity", "2"], "--sensitivity 2.0: the share"),
    "a tolerance that is none": ([*MODELS, "--tolerance", "x"], "--tolerance: 'x' is not a number"),
    "a tolerance of classes": (
        [*MODELS, "--tolerance", "1"],
        "--tolerance 1.0 has no meaning for classes.*--outputs proba or --outputs value",
    ),
    "an unknown method": ([*MODELS, "--method", "best"], "argument --method: invalid choice"),
    "a long separator": ([*MODELS, "--separator", "::"], "'::' is not one sign"),
    "names alike": ([*MODELS, "--names", "a", "a"], "both models are called 'a'"),
    "an abbreviation": ([*MODELS, "--fail", "0"], "unrecognized arguments: --fail 0"),
}


@pytest.mark.parametrize("bad", BAD_ARGUMENTS)
def test_bad_arguments(run: Run, bad: str) -> None:
    arguments, says = BAD_ARGUMENTS[bad]
    Path("f.html").mkdir()
    code, out, err = run("diff", "data.csv", *arguments, "--quiet")
    assert (code, out) == (Exit.UNUSABLE, "")
    assert re.match(f"imd-widget: error: .*({says})", err), err
    assert err.count("\n") == 1


def test_a_separator_of_parquet(run: Run) -> None:
    code, _, err = run("diff", "data.parquet", *MODELS, "--separator", ";")
    assert code == 2
    assert "--separator applies to CSV files, and data.parquet is Parquet." in err


def test_breaks_need_a_truth_that_is_known(run: Run) -> None:
    table().assign(target=np.nan).to_csv("unknown.csv", index=False)
    code, _, err = run("diff", "unknown.csv", *MODELS, "--y", "target", "--fail-breaks", "0")
    assert code == 2
    assert "no row that counts has a value in the column 'target' (--y)" in err


def test_a_folder_that_cannot_be_written(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    code, _, err = run("diff", "data.csv", *MODELS, "-o", "d.html")
    assert code == 2
    assert err == "imd-widget: error: -o d.html cannot be written: you may not write there.\n"


def test_without_pyarrow_the_line_to_type_is_told(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    code, _, err = run("diff", "data.parquet", *MODELS)
    assert code == 2
    assert err.endswith("is not installed: pip install pyarrow\n")


def test_no_folder_is_made_for_a_file_that_cannot_be_used(run: Run) -> None:
    assert run("diff", "gone.csv", *MODELS, "-o", "deep/d.html")[0] == 2
    assert not Path("deep").exists()


def test_an_error_of_our_own_is_no_difference(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("a bug")

    monkeypatch.setattr(comparing, "diff", fail)
    code, out, err = run("diff", "data.csv", *MODELS)
    assert (code, out) == (70, "")
    assert "RuntimeError: a bug" in err
    assert "Traceback" in err


def test_stopped_by_hand(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(comparing, "diff", stop)
    code, _, err = run("diff", "data.csv", *MODELS, "--quiet")
    assert (code, err) == (130, "imd-widget: error: stopped.\n")


def test_help_tells_the_exit_codes(run: Run) -> None:
    code, out, _ = run("diff", "--help")
    assert code == 0
    for exit_code in Exit:
        assert re.search(rf"^  {int(exit_code)} +\w", out, re.M)
    assert run("--version")[1] == f"imd-widget {imd.__version__}\n"


@pytest.mark.parametrize(
    "text, value", [("0", 0), ("1", 1), ("0.7%", 0.007), ("100%", 1), (" 5 % ", 0.05), (".5", 0.5)]
)
def test_shares(text: str, value: float) -> None:
    assert share(text) == value


def in_a_process(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "imd_widget", *arguments], text=True, check=False, **settings
    )


def test_streams_and_exit_code_of_a_process() -> None:
    done = in_a_process(
        *("diff", "data.csv", *MODELS, "--json", "--fail-over", "1%"), capture_output=True
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["failed"] is True
    assert done.stderr.splitlines() == [
        "imd-widget: reading data.csv",
        "imd-widget: comparing old and new: 400 rows, 5 columns",
        "imd-widget: derived from hired: weekday, month",
        "imd-widget: the models differ on 10.0 % of the rows, above the limit of 1.0 %.",
    ]


def test_a_reader_that_has_gone_changes_no_exit_code() -> None:
    for stream in ("stdout", "stderr"):
        reader, writer = os.pipe()
        os.close(reader)
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: writer}
        done = in_a_process("diff", "data.csv", *MODELS, "--fail-over", "1%", **streams)
        os.close(writer)
        assert done.returncode == 1
        assert "Broken" not in f"{done.stdout}{done.stderr}"


def in_a_shell(command: str, *, env: dict[str, str] | None = None) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a line that a shell reads; ``imd-widget`` is the command."""
    words = f"{shlex.quote(sys.executable)} -m imd_widget"
    line = command.replace("imd-widget", words)
    done = subprocess.run(
        ["sh", "-c", line],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **(env or {})},
    )
    return done.returncode, done.stdout, done.stderr


needs_dev_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
FULL = "imd-widget: error: stdout could not be written: No space left on device.\n"


@needs_dev_full
@pytest.mark.parametrize(
    "command, code",
    [
        # with progress, and with a remark alone
        ("diff data.csv --m1 old --m2 new 2>/dev/full", Exit.FINE),
        ("diff leak.csv --m1 old --m2 new --quiet 2</dev/null", Exit.FINE),
        ("diff data.csv --m1 old --m2 new --fail-over 1% --quiet --json 2>/dev/full", Exit.DIFFER),
        ("diff data.csv --m1 old --m2 new --y target --fail-breaks 0 2>/dev/full", Exit.DIFFER),
        ("diff gone.csv --m1 old --m2 new 2>/dev/full", Exit.UNUSABLE),
        ("diff data.csv --m1 old 2>/dev/full", Exit.UNUSABLE),
    ],
)
def test_a_stderr_that_cannot_be_written_changes_no_exit_code(command: str, code: Exit) -> None:
    table().assign(copy=table()["old"]).to_csv("leak.csv", index=False)
    found, out, err = in_a_shell(f"imd-widget {command}")
    assert (found, err) == (code, "")
    assert bool(out) == (code in (Exit.FINE, Exit.DIFFER))


@needs_dev_full
@pytest.mark.parametrize(
    "command, unbuffered",
    [
        ("diff data.csv --m1 old --m2 new --quiet", ""),
        ("diff data.csv --m1 old --m2 new --quiet --json", "1"),
        ("demo", ""),
        ("diff --help", "1"),
        ("--version", ""),
    ],
)
def test_a_full_stdout_has_an_exit_code_of_its_own(command: str, unbuffered: str) -> None:
    code, _, err = in_a_shell(
        f"imd-widget {command} >/dev/full", env={"PYTHONUNBUFFERED": unbuffered}
    )
    assert (code, err) == (Exit.UNWRITTEN, FULL)


@needs_dev_full
def test_both_streams_full() -> None:
    found = in_a_shell("imd-widget diff data.csv --m1 old --m2 new >/dev/full 2>/dev/full")
    assert found == (Exit.UNWRITTEN, "", "")


@needs_dev_full
def test_a_full_stdout_loses_neither_verdict_nor_files() -> None:
    code, _, err = in_a_shell(
        "imd-widget diff data.csv --m1 old --m2 new --quiet --fail-over 1% -o d.md >/dev/full"
    )
    verdict = "imd-widget: the models differ on 10.0 % of the rows, above the limit of 1.0 %."
    assert (code, err) == (Exit.UNWRITTEN, f"{verdict}\n{FULL}")
    assert Path("d.md").stat().st_size > 0


@needs_dev_full
def test_an_error_stays_an_error_with_a_full_stdout() -> None:
    code, _, err = in_a_shell("imd-widget diff gone.csv --m1 old --m2 new >/dev/full")
    assert (code, err) == (Exit.UNUSABLE, "imd-widget: error: gone.csv does not exist.\n")


@needs_dev_full
def test_one_file_that_cannot_be_written_loses_no_other() -> None:
    Path("full.html").symlink_to("/dev/full")
    code, out, err = in_a_shell(
        "imd-widget diff data.csv --m1 old --m2 new --quiet --json -o a.md -o full.html -o b.csv"
    )
    assert code == Exit.UNWRITTEN
    assert err == (
        "imd-widget: error: -o full.html could not be written: No space left on device.\n"
    )
    assert json.loads(out)["written"] == ["a.md", "b.csv"]
    assert Path("a.md").stat().st_size > 0
    assert Path("b.csv").stat().st_size > 0


@pytest.mark.parametrize(
    "command, code",
    [
        ("diff data.csv --m1 old --m2 new --json >&-", Exit.FINE),
        ("diff data.csv --m1 old --m2 new --fail-over 0 2>&-", Exit.DIFFER),
        ("diff gone.csv --m1 old --m2 new >&- 2>&-", Exit.UNUSABLE),
        ("--help >&-", Exit.FINE),
    ],
)
def test_closed_streams_change_no_exit_code(command: str, code: Exit) -> None:
    found, _, err = in_a_shell(f"imd-widget {command}")
    assert found == code
    assert "Traceback" not in err


def test_a_reader_that_takes_one_line() -> None:
    code, out, err = in_a_shell(
        "{ imd-widget diff data.csv --m1 old --m2 new --json --quiet; echo code $? >&2; } | head -1"
    )
    assert (code, out, err) == (0, "{\n", "code 0\n")


#: Sends SIGINT to the process as soon as this module is looked for.
INTERRUPTED = """
import os, signal, sys

class Interrupt:
    def find_spec(self, name, *_):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
sys.argv = ["imd-widget", "--version"]
from imd_widget.__main__ import main
raise SystemExit(main())
"""


@pytest.mark.parametrize(
    "module",
    [
        "imd_widget.cli",
        "imd_widget.cli.output",
        "imd_widget.cli.arguments",
        "imd_widget.cli.diff_command",
    ],
)
def test_stopped_by_hand_during_the_imports(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED.format(module=module)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (
        Exit.STOPPED,
        "",
        "imd-widget: error: stopped.\n",
    )


def test_ctrl_c_is_handled_before_what_takes_time_is_loaded() -> None:
    code = (
        "import sys, imd_widget.__main__, imd_widget.cli;"
        "print(sorted({'numpy', 'pandas', 'sklearn', 'scipy', 'narwhals'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


LONG = "x" * 1_000_000


@pytest.mark.parametrize(
    "head, cell, label, options",
    [
        (LONG, "1", "0", ("--m1", "gone", "--m2", "new")),
        (LONG, "1", "0", MODELS),
        ("a", LONG, "0", MODELS),
        ("a", "1", LONG, MODELS),
        ("a", "1", LONG, (*MODELS, "--outputs", "value")),
        ("a", "1", LONG, (*MODELS, "--y", "a")),
    ],
)
def test_what_is_printed_can_be_read(
    run: Run, head: str, cell: str, label: str, options: tuple[str, ...]
) -> None:
    # the first column tells where the models differ, so that the rule speaks of it
    rows = "".join(f"{cell},1,0,{row % 7}\n2,0,0,{row % 7}\n" for row in range(20))
    rows += f"{cell},{label},0,1\n" * 2
    write("long.csv", f"{head},old,new,b\n{rows}")
    _, out, err = run("diff", "long.csv", *options)
    for line in (out + err).splitlines():
        assert len(line) < LONGEST_LINE + 100
    # a name or a value in a message is shorter still, so that the advice behind it is seen
    for line in err.splitlines():
        assert len(line) < 1_000


def test_a_name_cannot_pretend_to_be_a_line(run: Run) -> None:
    name = "job\nimd-widget: error: gone\u202e"
    table().rename(columns={"job": name, "old": "m\n1"}).to_csv("odd.csv", index=False)
    _, out, err = run("diff", "odd.csv", "--m1", "m\n1", "--m2", "new")
    assert "job\\nimd-widget: error: gone\\u202e is cook" in out
    assert not [line for line in (out + err).splitlines() if line.startswith("imd-widget: error")]
    assert "comparing m\\n1 and new" in err


def test_names_that_look_like_options_stay_as_they_are(run: Run) -> None:
    frame = table().rename(columns={"old": "m1", "new": "m2", "job": "y"})
    frame["y"] = np.where(frame["y"] == "cook", "method=GET", "rows=3")
    frame.to_csv("odd.csv", index=False)
    _, out, _ = run("diff", "odd.csv", "--m1", "m1", "--m2", "m2", "--quiet")
    assert out.startswith("m1 and m2 disagree")
    assert "y is method=GET" in out


@pytest.mark.parametrize(
    "column, says",
    [
        (
            ["unknown", *map(str, range(1, N))],
            "the column 'x' is read as text, because 1 of its values is not a number, such as "
            "'unknown'. Leave such values empty if the others are meant as numbers.",
        ),
        (
            [f"{row},5" for row in range(N)],
            "the column 'x' is read as text, because 400 of its values are not numbers, such as "
            "'0,5'. Write numbers with a decimal point, and without commas.",
        ),
        (["7 days", *("week" for _ in range(1, N))], None),
        (["1", "2", "3", "many"] * (N // 4), None),
        (list(range(N)), None),
    ],
)
def test_numbers_that_are_read_as_text_are_remarked_on(
    run: Run, column: list[Any], says: str | None
) -> None:
    table().assign(x=column).to_csv("text.csv", index=False)
    remarks = report(run, "text.csv", *MODELS)["remarks"]
    ids = (
        "the column 'x' holds a different value in nearly every row, as an id or free text does: a "
    )
    ids += "rule could only select single rows. Leave such a column out, for example --drop x."
    assert remarks == ([] if says is None else [says, ids])


def test_labels_that_are_numbers_or_words_are_no_slip(run: Run) -> None:
    labels = ["unknown", *(str(row % 2) for row in range(1, N))]
    table().assign(old=labels, new=labels[::-1]).to_csv("labels.csv", index=False)
    assert report(run, "labels.csv", *MODELS)["remarks"] == []


def test_a_weight_is_named_with_its_column(run: Run) -> None:
    table().assign(weight=[1] * (N - 1) + [-1]).to_csv("negative.csv", index=False)
    code, _, err = run("diff", "negative.csv", *MODELS, "--weight", "weight", "--quiet")
    assert code == Exit.UNUSABLE
    assert "--weight holds -1.0 at row 400: " in err
    assert err.endswith("(--weight is the column 'weight'.)\n")


def test_a_command_is_asked_for(run: Run) -> None:
    code, _, err = run()
    assert (code, err) == (
        Exit.UNUSABLE,
        "imd-widget: error: a command is needed: demo, diff or compare. (imd-widget --help lists "
        "the options.)\n",
    )
    assert "argument COMMAND: invalid choice: 'dif' (choose from" in run("dif")[2]


def test_the_input_is_never_written_over(tmp_path: Path, capsys: Any) -> None:
    file, other = tmp_path / "a.csv", tmp_path / "other.csv"
    write_table(file)
    before = file.read_bytes()
    other.hardlink_to(file)
    assert main(["diff", str(file), "--m1", "old", "--m2", "new", "-o", str(other)]) == 2
    assert "is the file to be read" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_the_demo_says_where_it_cannot_write(tmp_path: Path, capsys: Any) -> None:
    assert main(["demo", "-o", str(tmp_path)]) == 2
    assert "is a folder: name the file" in capsys.readouterr().err


def test_too_many_refinements_are_told_before_the_work(tmp_path: Path, capsys: Any) -> None:
    file = tmp_path / "a.csv"
    write_table(file)
    page = str(tmp_path / "a.html")
    options = ["--m1", "old", "--m2", "new", "-o", page, "--refinements", "99"]
    assert main(["diff", str(file), *options]) == 2
    said = capsys.readouterr().err
    assert "--refinements 99" in said
    assert "comparing" not in said


def write_table(file: Path) -> None:
    rows = "".join(f"{row % 50},{row % 2},{int(row % 50 < 25)}\n" for row in range(200))
    file.write_text(f"age,old,new\n{rows}", encoding="utf-8")
