"""The command line in pipes, in workflows and where libraries are missing."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.cli import main
from imd_widget.cli.exits import Exit

N = 400
QUIET = ("--m1", "old", "--m2", "new", "--quiet")

Run = Callable[..., tuple[int, str, str]]


def table() -> pd.DataFrame:
    """Two models that differ in the north below 40."""
    at = np.arange(N)
    age = 20 + at * 7 % 50
    site = np.where(at % 3 == 0, "north", "south")
    old = at % 2
    new = np.where((site == "north") & (age < 40), 1 - old, old)
    hired = np.where(at < 200, "2019-06-01", "2021-06-01")
    return pd.DataFrame({"age": age, "site": site, "hired": hired, "old": old, "new": new})


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    table().to_csv("data.csv", index=False)


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """Exit code, stdout and stderr of ``imd-widget diff``."""

    def run(*arguments: str) -> tuple[int, str, str]:
        try:
            code = main(["diff", *arguments])
        except SystemExit as left:
            code = int(left.code or 0)
        said = capsysbinary.readouterr()
        return code, said.out.decode(), said.err.decode()

    return run


def test_a_path_without_an_ending_is_written_as_format_says(run: Run) -> None:
    code, _, err = run("data.csv", *QUIET, "-o", "step_summary", "-o", "diff.html")
    assert code == Exit.UNUSABLE
    assert "'step_summary' has no ending." in err
    assert "For another path, --format names it." in err
    code, _, _ = run("data.csv", *QUIET, "-o", "step_summary", "-o", "d.html", "--format", "md")
    assert code == Exit.FINE
    text = Path("step_summary").read_text(encoding="utf-8")
    assert text.startswith("<!-- imd-widget -->\n# old and new: where")
    assert Path("d.html").read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize("stdout", ["-", "/dev/stdout"])
def test_stdout_gets_the_file_in_place_of_the_report(run: Run, stdout: str) -> None:
    code, out, err = run("data.csv", *QUIET, "-o", stdout)
    assert (code, err) == (Exit.FINE, "")
    assert out.startswith("<!-- imd-widget -->\n# old and new: where they differ\n")
    assert "Rules, with counts" not in out
    code, out, _ = run("data.csv", *QUIET, "-o", stdout, "--format", "csv")
    assert code == Exit.FINE
    assert list(pd.read_csv(io.StringIO(out))["rule"]) == ["site is north and age < 40"]
    code, out, _ = run("data.csv", *QUIET, "-o", stdout, "--format", "json")
    Path("x.json").write_text(out, encoding="utf-8")
    assert imd.load("x.json").names == ("old", "new")
    assert not Path("-").exists()


@pytest.mark.parametrize(
    "options, message",
    [
        (("-o", "-", "--json"), "-o - and --json both write to stdout: choose one of them."),
        (("--format", "md"), "--format md is for -o - (stdout) and for paths whose ending is not"),
        (("-o", "x.md", "--format", "csv"), "-o - --format csv prints it."),
        (("--fail-over", "500%"), "'500%' is not between 0 and 1 (0% and 100%), none and all"),
        (("--fail-over", "50"), "Did you mean 50%?"),
    ],
)
def test_options_that_cannot_be_used(run: Run, options: tuple[str, ...], message: str) -> None:
    code, _, err = run("data.csv", *QUIET, *options)
    assert code == Exit.UNUSABLE
    assert message in err
    assert "%%" not in err
    assert ("Did you mean" in err) == ("50" in options)


def test_stdin_is_a_csv_file(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    _, expected, _ = run("data.csv", *QUIET)
    for name, separator in (("-", ","), ("/dev/stdin", ";")):
        content = table().to_csv(index=False, sep=separator).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        code, out, err = run(name, *QUIET, "--separator", separator)
        assert (code, out, err) == (Exit.FINE, expected, "")


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", "stdin is empty"),
        (b"a,old,new\n1,\xff,2\n", "the text of stdin is not UTF-8"),
        (b"a,old\n1,2\n", "stdin has no column 'new'"),
        (b"a,old,new\n", "stdin has the names of columns, but no rows."),
    ],
)
def test_errors_name_stdin(
    run: Run, monkeypatch: pytest.MonkeyPatch, content: bytes, message: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    code, _, err = run("-", *QUIET)
    assert code == Exit.UNUSABLE
    assert message in err


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz"])
def test_json_lines_are_read(run: Run, ending: str) -> None:
    _, expected, _ = run("data.csv", *QUIET)
    nested = table().assign(tags=[[1, 2]] * N)
    nested.to_json(f"data{ending}", orient="records", lines=True)
    code, out, err = run(f"data{ending}", *QUIET, "--drop", "tags")
    assert (code, out, err) == (Exit.FINE, expected, "")
    code, _, err = run(f"data{ending}", *QUIET)
    assert code == Exit.UNUSABLE
    assert "the column 'tags' of data" in err
    assert "leave it out with --drop" in err
    code, _, err = run(f"data{ending}", *QUIET, "--separator", ";")
    assert f"--separator applies to CSV files, and data{ending} is JSON Lines." in err


@pytest.mark.parametrize("line", ["no JSON", "[1, 2]", "3"])
def test_a_line_that_is_no_object(run: Run, line: str) -> None:
    text = f'{{"age": 1, "old": 0, "new": 1}}\n\n{line}\n'
    Path("bad.jsonl").write_text(text, encoding="utf-8")
    code, _, err = run("bad.jsonl", *QUIET)
    assert code == Exit.UNUSABLE
    assert "line 3 of bad.jsonl is not a JSON object: each line is one row, such as {" in err


def test_rates_by_group_are_in_every_result(run: Run) -> None:
    saved = ("-o", "d.md", "-o", "d.csv", "-o", "d.html", "-o", "d.json")
    code, out, err = run("data.csv", *QUIET, "--by", "site", *saved)
    assert (code, err) == (Exit.FINE, "")
    counts = table().assign(differ=lambda t: t["old"] != t["new"]).groupby("site")["differ"]
    north, n_north = counts.mean()["north"], counts.size()["north"]
    rate = f"{100 * north:.0f} % of {n_north}"
    assert "Share of the rows that differ, by site:" in out
    assert f"  all rows: north: {rate}; south: 0 % of" in out
    assert "  rule 0: north: 100 % of " in out
    markdown = Path("d.md").read_text(encoding="utf-8")
    assert "| share that differs, by site | north | south |" in markdown
    assert f"| all rows | {rate} | 0 % of " in markdown
    assert "| rule 0 | 100 % of " in markdown
    [line] = pd.read_csv("d.csv").to_dict("records")
    assert line["site is north: rate"] == 1
    assert line["site is south: rows"] == 0
    assert np.isnan(line["site is south: rate"])
    assert '"by":{"name":"site"' in Path("d.html").read_text(encoding="utf-8").replace(" ", "")
    _, out, _ = run("data.csv", *QUIET, "--by", "site", "--json")
    by = json.loads(out)["by"]
    assert by == json.loads(Path("d.json").read_text(encoding="utf-8"))["by"]
    assert [group["rate"] for group in by["groups"]] == [pytest.approx(north), 0]


#: Blocks modules, as if they were not installed, and runs some lines.
BLOCKED = """
import json, sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {blocked}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
import numpy as np, pandas as pd, imd_widget as imd
from imd_widget.cli import main

t = pd.read_csv("data.csv")
X, old, new = t[["age", "site"]], t["old"], t["new"]

class Model:
    def predict(self, X):
        return (X["age"] < 40).astype(int)

def raised(work):
    try:
        work()
    except imd.InputError as error:
        print(error)
"""
OPTIONAL = {
    "IPython",
    "PIL",
    "anywidget",
    "ipywidgets",
    "joblib",
    "matplotlib",
    "polars",
    "pyarrow",
    "sklearn",
    "threadpoolctl",
    "tqdm",
    "traitlets",
}


#: Where a process finds this package, and the tests.
HOMES = (Path(imd.__file__).parents[1], Path(__file__).parents[2])


def blocked(lines: str) -> subprocess.CompletedProcess[str]:
    code = BLOCKED.format(blocked=OPTIONAL) + lines
    command: list[Any] = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, HOMES))}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_diffs_and_files_need_no_notebook_plots_or_scikit_learn() -> None:
    done = blocked(
        "d = imd.diff(Model(), new, X)\n"
        "for name in ('d.md', 'd.json', 'd.csv', 'd.html'): d.save(name)\n"
        "imd.load('d.json').predict(X)\n"
        "c = imd.compare({'a': old, 'b': new, 'c': 1 - old}, X)\n"
        "for name in ('c.md', 'c.json', 'c.csv', 'c.html'): c.save(name)\n"
        "print(main(['diff', 'data.csv', '--m1', 'old', '--m2', 'new', '-o', 'x.html', '--json']))"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("}\n0\n")


def test_what_needs_a_library_says_which() -> None:
    done = blocked(
        "d = imd.diff(Model(), new, X)\n"
        "raised(lambda: d.plot())\n"
        "raised(lambda: d.save('d.svg'))\n"
        "raised(lambda: imd.show(d))\n"
        "raised(lambda: d.show())\n"
        "raised(lambda: imd.diff(Model(), Model(), X, augment='neighbours'))\n"
        "raised(lambda: imd.JointSurrogateTree)\n"
        "raised(lambda: imd.learners.MetaTreeClassifier)\n"
        "raised(lambda: imd.learners.LocalModelsClassifier)\n"
        "raised(lambda: imd.datasets.breast_cancer_pair())\n"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "drawing needs matplotlib, which is not installed: pip install matplotlib",
        "drawing needs matplotlib, which is not installed: pip install matplotlib",
        "imd_widget.show needs anywidget, which is not installed: pip install anywidget",
        "show() needs anywidget, which is not installed: pip install anywidget",
        'augment="neighbours" needs scikit-learn, which is not installed: pip install scikit-learn',
        "imd_widget.JointSurrogateTree needs scikit-learn, which is not installed: pip install "
        "scikit-learn",
        "imd_widget.learners.MetaTreeClassifier needs scikit-learn, which is not installed: pip "
        "install scikit-learn",
        "imd_widget.learners.local_models needs scikit-learn, which is not installed: pip install "
        "scikit-learn",
        "breast_cancer_pair() needs scikit-learn, which is not installed: pip install scikit-learn",
    ]


def test_every_public_name_works_or_says_which_library_it_needs() -> None:
    """An ImportError, or a public function or parameter that `doors` does not know, fails."""
    done = blocked("from tests.unit import doors\nprint(json.dumps(doors.refusals()))\n")
    assert done.returncode == 0, done.stderr
    refused: dict[str, str] = json.loads(done.stdout)
    sentence = re.compile(r"[\w.()]+ needs (\S+), which is not installed: pip install \1")
    assert {door for door, text in refused.items() if not sentence.fullmatch(text)} == set()
    shown = {"imd.show", "ModelDiff.show", "ModelComparison.show", "Track.show"}
    fitted = {"imd.evaluate", "imd.patch", "imd.surrogate()", "datasets.breast_cancer_pair()"}
    assert shown | fitted <= set(refused)
    light = {"imd.diff()", "imd.compare()", "imd.load()", "imd.track()", "datasets.census()"}
    assert not light & set(refused)


def test_the_demo_needs_no_library() -> None:
    done = blocked("sys.exit(main(['demo', '-o', 'demo.html']))")
    assert done.returncode == 0
    assert done.stdout.startswith("income and audited_income disagree on ")
    assert Path("demo.html").stat().st_size > 50_000
    assert done.stderr == (
        "imd-widget: remark: breast_cancer_pair() needs scikit-learn, which is not installed: pip "
        "install scikit-learn. Two columns of a made-up census are compared instead.\n"
    )


@pytest.mark.parametrize("command", ["'diff', 'data.csv', '--m1', 'old', '--m2', 'new'"])
def test_a_picture_without_matplotlib_is_refused_before_the_work(command: str) -> None:
    done = blocked(f"print(main([{command}, '-o', 'd.svg']))")
    assert done.stdout == f"{int(Exit.UNUSABLE)}\n"
    assert done.stderr == (
        "imd-widget: error: drawing needs matplotlib, which is not installed: pip install "
        "matplotlib\n"
    )
