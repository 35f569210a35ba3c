"""The gate: limits on all rows, on rules and on groups, baselines, Markdown, the action."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

import imd_widget as imd
from benchmarks.planted import planted
from imd_widget.cli import main

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def case() -> Any:
    made = planted()
    return made, imd.diff(made.old, made.new, made.X, y=made.y, by="site", names=("old", "new"))


def test_a_global_share_does_not_see_the_region(case: Any) -> None:
    _, d = case
    assert d.check(breaks=0.06, net=0.05)
    verdict = d.check(breaks=0.06, rule_breaks=0.05)
    assert not verdict
    [reason] = verdict.reasons
    assert "site is C" in reason
    assert "above the limit of 5.0 %" in reason
    failed = verdict.checks[0]
    assert failed.limit == "rule_breaks"
    assert not failed.passed
    assert failed.p_value is not None
    assert failed.p_value <= 0.05
    assert failed.interval is not None
    assert failed.interval[0] > 0.05
    assert str(verdict).startswith("FAILED: rule ")
    with pytest.raises(imd.CheckFailedError, match="FAILED: rule "):
        verdict.raise_if_failed()
    passed = d.check(breaks=0.06)
    assert passed.raise_if_failed() is passed
    assert str(passed) == "PASSED: the limit holds (breaks)."


def test_thirty_planted_rows_fail_whatever_the_seed() -> None:
    failed = 0
    for seed in range(20):
        made = planted(seed)
        d = imd.diff(made.old, made.new, made.X, y=made.y)
        failed += not d.check(rule_breaks=0.05, min_rows=20)
    assert failed >= 19


def test_thirty_planted_rows_fail_among_many_other_errors() -> None:
    """A sixth of all rows differ by chance; only few of the rows inside are kept aside."""
    for seed in range(8):
        made = planted(seed, wrong=0.08)
        d = imd.diff(made.old, made.new, made.X, y=made.y, measure="holdout")
        assert not d.check(rule_breaks=0.05, min_rows=20), seed


@pytest.mark.parametrize("limit", [0.002, 0.05])
def test_gains_and_losses_that_are_equal_pass(limit: float) -> None:
    """Models differ often in a box, and the truth follows from the columns."""
    alarms = 0
    for seed in range(30):
        random = np.random.default_rng(seed)
        X = pd.DataFrame({"a": random.random(600), "b": random.random(600)})
        y = (X["b"] > 0.6).astype(int).to_numpy()
        wrong = np.where(X["a"] < 0.25, 0.4, 0.03)
        old, new = (np.where(random.random(600) < wrong, 1 - y, y) for _ in range(2))
        alarms += not imd.diff(old, new, X, y=y).check(rule_breaks=limit)
    # 5 % of 30 and two standard errors
    assert alarms <= 4


def test_no_regression_passes() -> None:
    """False alarms: two models that are right equally often everywhere, and a limit of 0."""
    rules = groups = net = 0
    for seed in range(60):
        made = planted(seed + 1000, broken=False, n=600)
        d = imd.diff(made.old, made.new, made.X, y=made.y, by="site")
        rules += not d.check(rule_breaks=0)
        groups += not d.check(group_breaks=0)
        net += not d.check(net=0)
    # 5 % of 60 and two standard errors
    assert max(rules, groups, net) <= 6


def test_groups(case: Any) -> None:
    made, d = case
    verdict = d.check(group_breaks=0.02)
    [failed] = [check for check in verdict.checks if not check.passed]
    assert failed.where == "site is C"
    inside = (made.X["site"] == "C").to_numpy()
    lost = ((made.old == made.y)[inside].sum() - (made.new == made.y)[inside].sum()) / inside.sum()
    assert failed.estimate == pytest.approx(lost)
    assert failed.rows == inside.sum()
    assert len(verdict.checks) == 8
    few = d.check(group_breaks=0.02, min_rows=int(inside.sum()) + 1)
    assert "site is C: not checked" in " ".join(few.notes)


def many_groups(broken: str = "s17", n: int = 6000) -> tuple[dict[str, Any], pd.DataFrame]:
    """Sixty sites, at one of which the new model is wrong on every row."""
    random = np.random.default_rng(0)
    sites = np.char.add("s", random.integers(10, 70, n).astype(str))
    frame = pd.DataFrame(
        {"x": random.random(n), "site": sites, "sex": random.choice(["f", "m"], n)}
    )
    y = np.where(random.random(n) < 0.5, "runs", "stops")
    other = np.where(y == "runs", "stops", "runs")
    old, new = (np.where(random.random(n) < 0.03, other, y) for _ in range(2))
    new = np.where(frame["site"] == broken, other, new)
    return {"m1": old, "m2": new, "X": frame[["x"]], "y": y}, frame


def test_every_group_is_checked_however_many_there_are(tmp_path: Path) -> None:
    given, frame = many_groups()
    d = imd.diff(**given, by=frame["site"])
    assert d.by is not None
    assert "s17" not in d.by.index  # it is shown among the others
    verdict = d.check(group_breaks=0.05)
    assert [check.where for check in verdict.checks if not check.passed] == ["site is s17"]
    assert len(verdict.checks) == 60
    assert verdict.notes == ()
    loaded = imd.load(d.save(tmp_path / "d.json"))
    assert loaded.check(group_breaks=0.05) == verdict
    assert loaded == d


def test_every_group_of_several_columns_is_checked(tmp_path: Path) -> None:
    given, frame = many_groups()
    d = imd.diff(**given, by=frame[["site", "sex"]])
    verdict = d.check(group_breaks=0.05)
    failed = {check.where for check in verdict.checks if not check.passed}
    assert failed == {f"site is s17 and sex is {sex}" for sex in "fm"}
    sizes = frame.groupby(["site", "sex"]).size()
    few = d.check(group_breaks=0.05, min_rows=50)
    assert len(few.checks) == (sizes >= 50).sum() < len(verdict.checks) == len(sizes)
    n_shown = sum("is not" not in note and note.startswith("site is") for note in few.notes)
    n_more = (sizes < 50).sum() - n_shown
    assert few.notes[-1] == (f"{n_more} more groups by site, sex: not checked, fewer than 50 rows.")
    assert imd.load(d.save(tmp_path / "d.json")).check(group_breaks=0.05, min_rows=50) == few


def test_markdown_folds_groups_that_pass() -> None:
    given, frame = many_groups()
    d = imd.diff(**given, by=frame["site"])
    verdict = d.check(group_breaks=0.05)
    n_above = sum(check.passed and check.estimate > 0.05 for check in verdict.checks)
    assert n_above > 1
    lines = d.to_markdown(verdict).splitlines()
    assert lines[3].startswith("- ❌ site is s17: net loss ")
    assert lines[4] == (
        f"- ✅ {59 - n_above} groups are within the limit of 5.0 %; {n_above} groups are above the "
        "limit of 5.0 %, but this may be chance."
    )
    assert lines[5] == ""
    calm = d.to_markdown(d.check(group_breaks=0.99)).splitlines()
    assert calm[3:5] == ["- ✅ 60 groups are within the limit of 99.0 %.", ""]
    nothing = d.to_markdown(d.check(group_breaks=0.05, min_rows=5000))
    assert "PASSED: nothing was checked" in nothing


def test_false_alarms_in_sixty_groups() -> None:
    """5 % over all groups together."""
    alarms = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        site = np.char.add("s", random.integers(10, 70, 1200).astype(str))
        y = random.random(1200) < 0.5
        old, new = (y ^ (random.random(1200) < 0.1) for _ in range(2))
        X = random.random((1200, 1)).round(1)
        d = imd.diff(old, new, X, y=y, by=site, measure="none", max_depth=1)
        alarms += not d.check(group_breaks=0)
    # 5 % of 60 and two standard errors
    assert alarms <= 6


def test_groups_that_a_file_does_not_hold_are_counted(tmp_path: Path, monkeypatch: Any) -> None:
    given, frame = many_groups(n=1500)
    small = frame["site"].where(frame["site"] != "s20", [f"t{i}" for i in range(1500)])
    d = imd.diff(**given, by=small)
    n_small = (frame["site"] == "s20").sum()
    everything = d.check(group_breaks=0.05, min_rows=1)
    # a net that is exactly 0 has an interval too, and one row can be judged
    assert len(everything.checks) + len(everything.notes) == 59 + n_small
    text = Path(d.save(tmp_path / "d.json")).read_text(encoding="utf-8")
    assert not re.search(r"\bt\d", text)  # groups of one row have no name there
    verdict = imd.load(tmp_path / "d.json").check(group_breaks=0.05, min_rows=1)
    assert [check.where for check in verdict.checks if not check.passed] == ["site is s17"]
    [note] = verdict.notes
    assert note.startswith(f"{n_small} more groups by site: not checked, the file holds no group")
    plain = json.loads(text)
    plain.pop("further_groups")
    plain["by"].pop("conditions")
    older = tmp_path / "older.json"
    older.write_text(json.dumps(plain), encoding="utf-8")
    [note] = imd.load(older).check(group_breaks=0.05).notes
    assert note == (
        "site is others: checked together, since the file is from an earlier release. Make the "
        "diff again."
    )


def test_numbers_of_sites_are_noted() -> None:
    given, frame = many_groups()
    d = imd.diff(**given, by=frame["site"].str[1:].astype(int))
    [note] = d.check(group_breaks=0.05).notes
    assert note.startswith("site: whole numbers are checked in ranges. To check each of them")
    halves = imd.diff(**given, by=frame["site"].str[1:].astype(int) / 2)
    assert halves.check(group_breaks=0.05).notes == ()
    few = imd.diff(**given, by=frame["site"].str[1:].astype(int) % 10)
    assert few.check(group_breaks=0.05).notes == ()


def test_the_command_checks_every_group(tmp_path: Path, capsys: Any) -> None:
    given, frame = many_groups()
    path = tmp_path / "scored.csv"
    frame.assign(old=given["m1"], new=given["m2"], y=given["y"]).to_csv(path, index=False)
    command = ["diff", str(path), *COMMAND, "--drop", "site", "sex", "--by"]
    assert main([*command, "site", "--fail-group", "5%"]) == 1
    assert capsys.readouterr().out.startswith("FAILED: site is s17: net loss ")
    assert main([*command, "site", "sex", "--fail-group", "5%"]) == 1
    assert "site is s17 and sex is f: net loss " in capsys.readouterr().out.splitlines()[0]


def test_percentages_are_limits_too(case: Any) -> None:
    _, d = case
    assert d.check(rule_breaks="5%", breaks="6 %") == d.check(rule_breaks=0.05, breaks=0.06)
    assert d.equivalent("0.7 %") == d.equivalent(0.007)
    with pytest.raises(imd.InputError, match="margin='0 %': the margin is a share"):
        d.equivalent("0 %")


def test_a_verdict_is_displayed(case: Any) -> None:
    _, d = case
    verdict = d.check(breaks=0.06, group_breaks=0.02)
    assert "<td>failed</td>" in verdict._repr_html_()
    assert verdict.to_markdown().startswith("FAILED: site is C: net loss ")
    assert "| site is C | failed | net loss in a group: 2.0 % | " in verdict.to_markdown()


def test_equivalence_and_net(case: Any) -> None:
    made, d = case
    assert not d.check(net=0)
    assert d.check(net=0.1)
    assert not d.check(same=0.01)
    assert d.check(same=0.1)
    better = imd.diff(made.new, made.old, made.X, y=made.y)
    assert better.check(net=0, rule_breaks=0)
    assert "net gain" in better.check(net=0).checks[0].text


def test_small_rules_are_noted(case: Any) -> None:
    _, d = case
    verdict = d.check(rule_breaks=0.05, min_rows=1000)
    assert verdict
    assert all("rows are fewer than 1,000" in note for note in verdict.notes)
    assert len(verdict.notes) == len(d.rules)
    n = len(d.rules)
    which = f"all {n} rules have" if n > 1 else "the only rule has"
    why = f"rule_breaks: {which} fewer than 1,000 rows"
    assert str(verdict) == f"PASSED: nothing was checked ({why})."
    both = d.check(rule_breaks=0.05, breaks=0.5, min_rows=1000)
    assert str(both) == f"PASSED: the limit holds (breaks). Not checked: {why}."
    same = imd.diff([0, 1] * 50, [0, 1] * 50, np.arange(100).reshape(100, 1), y=[0, 1] * 50)
    assert str(same.check(rule_breaks=0.05)).endswith("(rule_breaks: there are no rules).")


@pytest.mark.parametrize("measure", ["cv", "holdout"])
def test_what_was_known_last_time_does_not_count(tmp_path: Path, measure: Any) -> None:
    last, now = planted(1, n_inside=80), planted(2, n_inside=80)
    options: dict[str, Any] = {"names": ("old", "new"), "measure": measure}
    before = imd.diff(last.old, last.new, last.X, y=last.y, **options)
    today = imd.diff(now.old, now.new, now.X, y=now.y, **options)
    limits: dict[str, Any] = {"rule_breaks": 0.05, "disagreement": 0.08, "breaks": 0.05}
    assert not today.check(**limits)
    path = before.save(tmp_path / "last.json")
    verdict = today.check(**limits, baseline=path)
    assert verdict
    assert verdict == today.check(**limits, baseline=before)
    known = before.predict(now.X)
    differs = now.old != now.new
    [share] = [check for check in verdict.checks if check.limit == "disagreement"]
    assert share.estimate == pytest.approx((differs & ~known).mean())
    assert "were known" in " ".join([*verdict.notes, *(one.text for one in verdict.checks)])
    # a region that was not there
    moved = now.new.copy()
    elsewhere = ((now.X["site"] == "G") & (now.X["vibration"] < 0.6)).to_numpy()
    moved[elsewhere] = np.where(now.y[elsewhere] == "runs", "stops", "runs")
    third = imd.diff(now.old, moved, now.X, y=now.y, **options)
    again = third.check(rule_breaks=0.05, baseline=before)
    assert not again
    assert all("site is G" in reason for reason in again.reasons)
    [new] = [check for check in again.checks if not check.passed]
    assert new.known is not None
    assert new.known < 0.1
    assert new.known_interval is not None
    assert new.known_interval[0] <= new.known <= new.known_interval[1]


def test_a_baseline_that_is_none(case: Any, tmp_path: Path) -> None:
    made, d = case
    other = imd.diff(made.old, made.new, made.X, y=made.y, names=("a", "b"))
    with pytest.raises(imd.InputError, match="baseline compares 'a', 'b', and this diff 'old', 'n"):
        d.check(rule_breaks=0.05, baseline=other)
    with pytest.raises(imd.InputError, match=r'same names: names=."old", "new"'):
        d.check(rule_breaks=0.05, baseline=other)
    nowhere = tmp_path / "nowhere.json"
    with pytest.raises(imd.InputError, match=r"baseline='.*nowhere.json' cannot be read: No such"):
        d.check(rule_breaks=0.05, baseline=nowhere)
    with pytest.raises(imd.InputError, match=r"baseline='.*nowhere.json' cannot be read: No such"):
        d.check(rule_breaks=0.05, baseline=str(nowhere))
    with pytest.raises(imd.InputError, match="baseline is not a diff"):
        d.check(rule_breaks=0.05, baseline=3)
    renamed = imd.diff(
        made.old,
        made.new,
        made.X.rename(columns={"site": "place"}),
        y=made.y,
        names=("old", "new"),
    )
    with pytest.raises(imd.InputError, match="has rules about 'place', which this table does not"):
        d.check(rule_breaks=0.05, baseline=renamed)


@pytest.mark.parametrize(
    "limits, says",
    [
        ({}, "d.check needs a limit"),
        ({"net": 5}, "net=5: a limit is a share of the rows from 0 to 1"),
        ({"net": "500%"}, "net='500%': a limit is a share"),
        ({"net": "5"}, "net='5': a limit is a share"),
        ({"net": "lots %"}, "net='lots %': a limit is a share"),
        ({"breaks": True}, "breaks=True: a limit is a share"),
        ({"net": 0.1, "min_rows": 0}, "min_rows=0"),
    ],
)
def test_limits_that_cannot_be_read(case: Any, limits: dict[str, Any], says: str) -> None:
    _, d = case
    with pytest.raises(imd.InputError, match=says):
        d.check(**limits)


def test_what_limits_need(case: Any) -> None:
    made, _ = case
    plain = imd.diff(made.old, made.new, made.X)
    with pytest.raises(imd.InputError, match="needs the truth: pass y"):
        plain.check(rule_breaks=0.05)
    assert plain.check(disagreement=0.5, same=0.2)
    judged = imd.diff(made.old, made.new, made.X, y=made.y)
    with pytest.raises(imd.InputError, match="limits what is broken in each group: pass by"):
        judged.check(group_breaks=0.05)


def test_a_loaded_diff_is_checked_the_same(case: Any, tmp_path: Path) -> None:
    _, d = case
    limits: dict[str, Any] = {"rule_breaks": 0.05, "net": 0, "same": 0.01, "group_breaks": 0.02}
    assert imd.load(d.save(tmp_path / "d.json")).check(**limits) == d.check(**limits)


def test_markdown_begins_with_the_verdict(case: Any) -> None:
    _, d = case
    verdict = d.check(rule_breaks=0.05, breaks=0.06)
    lines = d.to_markdown(verdict).splitlines()
    assert lines[:2] == ["<!-- imd-widget -->", "**Failed**"]
    assert lines[3].startswith("- ❌ rule 0: site is C")
    assert "# old and new: where they differ" in lines
    assert "stops → runs" in d.to_markdown()
    assert "| site | rows | differ | how | fixes | breaks | net |" in lines


@pytest.fixture
def scored(tmp_path: Path) -> Path:
    path = tmp_path / "scored.csv"
    planted().frame().to_csv(path, index=False)
    return path


COMMAND = ["--m1", "old", "--m2", "new", "--y", "y", "--quiet"]


def test_the_command_fails_and_names_the_region(scored: Path, capsys: Any) -> None:
    assert main(["diff", str(scored), *COMMAND, "--fail-breaks", "6%"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0] == "PASSED: the limit holds (breaks)."
    command = ["diff", str(scored), *COMMAND, "--fail-rule-breaks", "5%", "--min-rows", "30"]
    report = scored.with_name("report.md")
    assert main([*command, "-o", str(report)]) == 1
    captured = capsys.readouterr()
    first = captured.out.splitlines()[0]
    assert first.startswith("FAILED: rule 0: site is C and vibration >= ")
    assert "above the limit of 5.0 %." in captured.err
    assert report.read_text(encoding="utf-8").splitlines()[1] == "**Failed**"
    assert main([*command, "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert list(document)[:3] == ["format", "version", "verdict"]
    assert document["verdict"]["passed"] is False
    assert document["verdict"]["checks"][0]["limit"] == "rule_breaks"
    assert document["failed"] is True
    assert document["allowed"]["rule_breaks"] == 0.05
    assert document["allowed"]["net"] is None


def test_the_other_gates_of_the_command(scored: Path, capsys: Any) -> None:
    command = ["diff", str(scored), *COMMAND]
    assert main([*command, "--by", "site", "--fail-group", "2%"]) == 1
    assert "FAILED: site is C: " in capsys.readouterr().out
    assert main([*command, "--fail-net", "0"]) == 1
    assert main([*command, "--fail-net", "10%"]) == 0
    assert main([*command, "--fail-unless-same", "1%"]) == 1
    assert main([*command, "--fail-unless-same", "10%"]) == 0
    last = scored.with_name("last.json")
    assert main([*command, "-o", str(last)]) == 0
    assert main([*command, "--fail-rule-breaks", "5%", "--baseline", str(last)]) == 0
    assert "were known" in capsys.readouterr().out


@pytest.mark.parametrize(
    "options, says",
    [
        (["--fail-rule-breaks", "5%"], "--fail-rule-breaks needs the true outputs"),
        (["--y", "y", "--fail-group", "5%"], "--fail-group needs groups"),
        (["--y", "y", "--fail-net", "lots"], "'lots' is not a share of the rows"),
        (["--fail-unless-same", "0"], "no number of rows shows"),
        (["--fail-over", "5%", "--baseline", "nowhere.json"], "nowhere.json"),
        (["--baseline", "nowhere.json"], "--baseline leaves out regions that are known"),
        (["--fail-over", "5%", "--min-rows", "-3"], "is not a whole number"),
    ],
)
def test_commands_that_cannot_be_used(
    scored: Path, capsys: Any, options: list[str], says: str
) -> None:
    written = scored.with_name("out.md")
    command = ["diff", str(scored), "--m1", "old", "--m2", "new", "-o", str(written), *options]
    try:
        code = main(command)
    except SystemExit as stopped:
        code = int(stopped.code or 0)
    assert code == 2
    assert says in capsys.readouterr().err
    assert not written.exists()


def test_a_baseline_of_other_models_exits_with_2(scored: Path, capsys: Any) -> None:
    last = scored.with_name("last.json")
    assert main(["diff", str(scored), *COMMAND, "--names", "a", "b", "-o", str(last)]) == 0
    written = scored.with_name("out.md")
    command = ["diff", str(scored), *COMMAND, "--fail-over", "5%", "-o", str(written)]
    assert main([*command, "--baseline", str(last)]) == 2
    assert "--baseline compares 'a', 'b', and this diff 'old', 'new'" in capsys.readouterr().err
    assert not written.exists()


def test_the_summary_of_a_step_is_appended_to(scored: Path, monkeypatch: Any) -> None:
    summary = scored.with_name("step_summary_1234")
    summary.write_text("from another command\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert main(["diff", str(scored), *COMMAND, "-o", str(summary)]) == 0
    text = summary.read_text(encoding="utf-8")
    assert text.startswith("from another command\n<!-- imd-widget -->\n# old and new")


GH = """#!/bin/sh
echo "$@" >> "$GH_LOG"
case "$*" in *--paginate*) cat "$GH_KNOWN";; esac
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="the action is a script for bash")
@pytest.mark.parametrize("known", ["", "77\n"])
def test_the_action_comments_once(scored: Path, tmp_path: Path, known: str) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert len((ROOT / "action.yml").read_text(encoding="utf-8").splitlines()) <= 60
    [step] = action["runs"]["steps"]
    inputs = {
        "files": str(scored),
        "m1": "old",
        "m2": "new",
        "options": "--y y\n--fail-rule-breaks 5%",
        "comment": "true",
        "token": "secret",
    }
    assert set(inputs) == set(action["inputs"])
    environment = {
        name: inputs[value.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, value in step["env"].items()
    }
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "gh").write_text(GH, encoding="utf-8")
    command = f'#!/bin/sh\nexec "{sys.executable}" -m imd_widget "$@"\n'
    (tools / "imd-widget").write_text(command, encoding="utf-8")
    for tool in tools.iterdir():
        tool.chmod(0o755)
    (tmp_path / "known").write_text(known, encoding="utf-8")
    summary, log = tmp_path / "summary", tmp_path / "log"
    ran = subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", step["run"]],
        env={
            **os.environ,
            **environment,
            "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
            "GH_LOG": str(log),
            "GH_KNOWN": str(tmp_path / "known"),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_REPOSITORY": "me/mine",
            "GITHUB_REF": "refs/pull/12/merge",
            "GITHUB_ACTION_PATH": str(ROOT),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 1, ran.stderr
    assert summary.read_text(encoding="utf-8").startswith("<!-- imd-widget -->\n**Failed**")
    *_, last = log.read_text(encoding="utf-8").splitlines()
    if known:
        assert "--method PATCH repos/me/mine/issues/comments/77 -F body=@" in last
    else:
        assert "--method POST repos/me/mine/issues/12/comments -F body=@" in last


def test_weights_are_repeated_rows() -> None:
    made = planted()
    weight = np.resize([1, 2, 3], len(made.X)).astype(float)
    d = imd.diff(made.old, made.new, made.X, y=made.y, sample_weight=weight)
    times = weight.astype(int)
    repeated = imd.diff(
        np.repeat(made.old, times),
        np.repeat(made.new, times),
        made.X.loc[made.X.index.repeat(times)].reset_index(drop=True),
        y=np.repeat(made.y, times),
        groups=np.repeat(np.arange(len(made.X)), times),
    )
    one, two = d.check(net=0).checks[0], repeated.check(net=0).checks[0]
    assert one.estimate == pytest.approx(two.estimate)
    assert one.p_value == pytest.approx(two.p_value, rel=0.02)


def test_values_have_a_gate_too() -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.random(800), "b": random.random(800)})
    y = X["a"].to_numpy() * 100
    new = y + np.where(X["b"] > 0.9, 50.0, 0.0)
    d = imd.diff(y + 0.01, new, X, y=y, outputs="value", tolerance=5)
    verdict = d.check(rule_breaks=0.05)
    assert not verdict
    assert "b >= 0.9" in verdict.reasons[0]
