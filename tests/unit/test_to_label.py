"""Rows to label: how they are drawn, what their labels show, and messages about bad labels."""

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget.cli import main
from imd_widget.deciding.sampling import to_label
from imd_widget.deciding.strata import OTHERS, Stratum, allocated, labelled_strata, strata_of
from tests.examples import examples

N = 3000


def world(seed=0, n=N):
    """A table, two models and the truth: the new one fixes a region, breaks another, and errs."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.integers(0, 100, n), "site": rng.choice(list("ABCDEFGH"), n)})
    old = np.where(X["a"] >= 50, "yes", "no")
    better, worse = X["a"].between(44, 49), (X["site"] == "C") & (X["a"] >= 80)
    scattered = rng.random(n) < 0.01
    new = np.where(better | worse | scattered, np.where(old == "yes", "no", "yes"), old)
    right = np.select([worse, better], [0.1, 0.9], 0.5)
    y = np.where((old != new) & (rng.random(n) < right), new, old)
    return X, old, new, y


#: The true net of these worlds.
TRUE_NET = 0.06 * 0.8 - 0.2 / 8 * 0.8


@pytest.fixture(scope="module")
def compared():
    X, old, new, y = world()
    return imd.diff(old, new, X, names=("old", "new")), y


def filled(d, y, n=60, **options):
    frame = d.to_label(n, **options).frame
    frame["label"] = y[frame["row"]]
    return frame


def test_rows_are_drawn_where_the_models_differ(compared):
    d, _ = compared
    drawn = d.to_label(60)
    frame = drawn.frame
    assert len(drawn) == len(frame) == frame["row"].nunique() == 60
    assert d.differs[frame["row"]].all()
    assert list(frame.columns) == ["row", "stratum", "weight", "label", "a", "site"]
    assert frame["label"].isna().all()
    assert (d.table.native.iloc[frame["row"]]["a"].to_numpy() == frame["a"]).all()
    for one in drawn.strata:
        own = frame[frame["stratum"] == one.name]
        assert len(own) == one.drawn >= min(3, one.rows)
        assert own["weight"].sum() == pytest.approx(one.rows)
    assert sum(one.rows for one in drawn.strata) == d.differs.sum()
    assert d.to_label(60, outputs=True).frame.columns.tolist()[4:6] == ["old", "new"]
    assert d.to_label(60).frame.equals(frame)
    assert not d.to_label(60, random_state=1).frame.equals(frame)
    assert len(d.to_label(10**6)) == d.differs.sum()


@given(st.lists(st.integers(1, 50), min_size=1, max_size=8), st.integers(1, 400))
def test_small_strata_are_merged_and_no_row_is_lost(sizes, n):
    ends = np.cumsum(sizes)
    n = min(n, sum(sizes))
    names = [*(f"rule {at}" for at in range(len(sizes) - 1)), OTHERS]
    strata = [
        Stratum(name, "", None, np.arange(end - size, end))
        for name, size, end in zip(names, sizes, ends.tolist(), strict=True)
    ]
    found = allocated(strata, n)
    assert sorted(np.concatenate([one.rows for one, _ in found])) == list(range(sum(sizes)))
    assert sum(own for _, own in found) == n
    for one, own in found:
        assert own <= len(one.rows)
        assert len(found) == 1 or own >= min(3, len(one.rows))
    labelled = np.concatenate([one.rows[:own] for one, own in found])
    again = labelled_strata(strata, labelled)
    assert [one.name for one in again] == [one.name for one, _ in found]


def test_a_few_other_differences_do_not_hide_a_rule():
    rule, other, rest = (np.arange(290), np.arange(290, 410), np.arange(410, 412))
    strata = [Stratum("rule 0", "", 0, rule), Stratum("rule 1", "", 1, other)]
    found = allocated([*strata, Stratum(OTHERS, "", None, rest)], 60)
    assert [(one.name, own) for one, own in found] == [("rule 0", 41), ("rule 1", 17), (OTHERS, 2)]


def test_all_labels_give_the_net_of_all_rows(compared):
    d, y = compared
    net = d.with_labels(filled(d, y, 10**6))
    full = imd.diff(
        *(d.predictions[name].to_numpy() for name in d.names), d.table.native, y=y
    ).correctness
    assert (round(net.first), round(net.second)) == (full.breaks, full.fixes)
    assert net.net_share == pytest.approx(full.net_share)
    assert net.effective_rows == pytest.approx(N)
    assert net.net_share_interval == pytest.approx(full.net_share_interval, abs=1e-6)


def test_swapped_models_negate_the_net(compared):
    d, y = compared
    both = [d.predictions[name].to_numpy() for name in d.names]
    other = imd.diff(*both[::-1], d.table.native, names=("new", "old"))
    labels = dict(zip(*(filled(d, y)[name] for name in ("row", "label")), strict=True))
    one, two = d.with_labels(labels), other.with_labels(labels)
    assert two.net == -one.net
    assert two.net_share_interval == tuple(-end for end in one.net_share_interval[::-1])
    assert one.p_value == two.p_value
    assert len(one.worse) == len(two.better) == 1


def test_the_net_is_unbiased_and_its_interval_holds():
    errors, held, width, plain = [], 0, [], []
    runs = 60
    for seed in range(runs):
        X, old, new, y = world(seed, 1500)
        d = imd.diff(old, new, X, measure="none")
        net = d.with_labels(filled(d, y, 60, random_state=seed))
        low, high = net.net_share_interval
        errors.append(net.net_share - TRUE_NET)
        held += low <= TRUE_NET <= high
        width.append(high - low)
        plain.append(net.effective_rows)
    assert abs(np.mean(errors)) < 4 * np.std(errors) / math.sqrt(runs)
    assert held / runs >= 0.88
    assert np.mean(plain) > 400  # random labels as good as these 60
    assert np.mean(width) < 0.06


def test_a_sample_of_one_kind_does_not_show_that_all_rows_are_of_it():
    X = pd.DataFrame({"a": np.arange(1000)})
    d = imd.diff(X["a"] < 400, X["a"] < 500, X)
    frame = d.to_label(20).frame
    net = d.with_labels(frame.assign(label=frame["a"] < 500))
    assert net.net_share == pytest.approx(0.1)
    assert 100 < net.effective_rows < 1000
    assert net.net_share_interval[0] < 0.083


def test_labels_come_back_in_a_file(compared, tmp_path):
    d, y = compared
    path = d.to_label(60).save(tmp_path / "new" / "label.csv")
    frame = pd.read_csv(path, keep_default_na=False)
    assert (frame["label"] == "").all()
    frame["label"] = y[frame["row"]]
    frame.sample(frac=1, random_state=0).to_csv(path, index=False)
    expected = d.with_labels(filled(d, y))
    for labels in (
        path,
        str(path),
        frame,
        pl.from_pandas(frame),
        pd.Series(frame["label"].to_numpy(), frame["row"]),
        dict(zip(frame["row"], frame["label"], strict=True)),
    ):
        assert d.with_labels(labels) == expected


def test_labels_of_a_file_are_numbers_and_truth_values_again(tmp_path):
    X = pd.DataFrame({"a": np.arange(300)})
    for old, new in (
        (X["a"] < 100, X["a"] < 150),
        ((X["a"] < 100).astype(int), (X["a"] < 150).astype(int)),
    ):
        d = imd.diff(old, new, X)
        frame = d.to_label(20).frame
        frame["label"] = new.to_numpy()[frame["row"]]
        frame.to_csv(tmp_path / "label.csv", index=False)
        assert d.with_labels(tmp_path / "label.csv").net_share == pytest.approx(50 / 300)


def test_values_are_drawn_where_models_agree_too(tmp_path):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=2000), "b": rng.choice(list("xyz"), 2000)})
    old = X["a"].to_numpy() * 10
    new = old + np.where(X["b"] == "x", 3.0, 0.3)
    y = old + rng.normal(size=2000)
    d = imd.diff(old, new, X, outputs="value", tolerance=1, names=("old", "new"))
    drawn = d.to_label(80)
    assert drawn.strata[-1].name == "agreement"
    assert 3 <= drawn.strata[-1].drawn < 40
    frame = drawn.frame
    frame["label"] = y[frame["row"]]
    frame.to_csv(tmp_path / "label.csv", index=False)
    net = d.with_labels(tmp_path / "label.csv")
    full = imd.diff(old, new, X, y=y, outputs="value", tolerance=1).correctness
    for own, every in zip(net.losses, full.losses, strict=True):
        low, high = own.interval
        assert own.name == every.name
        assert low < every.difference < high
    assert str(net).startswith("80 labels: mean absolute error old ")


def test_weights_and_groups(compared):
    y = compared[1]
    X, old, new, _ = world()
    weight = np.where(X["site"] == "C", 3.0, 1.0)
    own = imd.diff(old, new, X, sample_weight=weight)
    net = own.with_labels(filled(own, y, 10**6))
    full = imd.diff(old, new, X, y=y, sample_weight=weight).correctness
    assert net.net_share == pytest.approx(full.net_share)
    assert net.net_share_interval is not None


def test_groups_widen_the_interval_as_they_do_with_the_whole_truth(compared):
    y = compared[1]
    X, old, new, _ = world()
    for groups in (np.arange(N) % 900, X["a"].to_numpy() // 4):
        own = imd.diff(old, new, X, groups=groups)
        net = own.with_labels(filled(own, y, 10**6))
        full = imd.diff(old, new, X, y=y, groups=groups).correctness
        assert net.net_share == pytest.approx(full.net_share)
        # one label of doubt, although every row has one, is all that is added
        assert net.net_share_interval == pytest.approx(full.net_share_interval, abs=2e-3)
        few = own.with_labels(filled(own, y))
        low, high = few.net_share_interval
        assert high - low > np.diff(net.net_share_interval)[0]
    assert any(one.interval is not None for one in few.strata)
    two = imd.diff(old, new, X, groups=np.arange(N) % 2)
    found = two.with_labels(filled(two, y))
    assert (found.net_share_interval, found.p_value, found.losses) == (None, None, ())
    assert "(" not in str(found)


def test_the_interval_with_groups_holds_the_true_net():
    """Every group has rows of one kind: the groups are what the table is a sample of."""
    held, apart = 0, 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        groups = np.repeat(np.arange(40), 20)
        kind = rng.choice(3, 40, p=[0.8, 0.12, 0.08])[groups]  # agreement, fixes, breaks
        X = pd.DataFrame({"a": kind * 10 + rng.integers(0, 10, 800)})
        old, y = kind == 2, kind != 0
        new = kind == 1
        d = imd.diff(old, new, X, groups=groups, measure="none")
        low, high = d.with_labels(filled(d, y, 40)).net_share_interval
        held += low <= 0.04 <= high
        plain = imd.diff(old, new, X, measure="none")
        low, high = plain.with_labels(filled(plain, y, 40)).net_share_interval
        apart += not low <= 0.04 <= high
    assert held >= 36
    assert apart >= 12


def test_the_gate_checks_the_net_of_labels(compared):
    d, y = compared
    net = d.with_labels(filled(d, y))
    assert d.check(net=0, labels=net).passed
    frame = filled(d, y)
    frame["label"] = d.predictions["old"].to_numpy()[frame["row"]]
    verdict = d.check(net=0.01, labels=d.with_labels(frame))
    assert not verdict.passed
    assert "all rows: net loss" in verdict.reasons[0]
    with pytest.raises(imd.InputError, match="needs the truth"):
        d.check(net=0, breaks=0.1, labels=net)


def test_text_and_frame(compared):
    d, y = compared
    net = d.with_labels(filled(d, y))
    assert str(net).startswith("60 labels: new is right on about ")
    assert "labels of random rows" in str(net)
    frame = net.to_frame()
    assert frame["labels"].sum() == 60
    assert frame["rows"].sum() == d.differs.sum()
    assert (frame["net_low"] <= frame["net"]).all()
    assert str(d.to_label(60)).startswith("60 rows to label: ")


@pytest.mark.parametrize(
    "change, reason",
    [
        (lambda f: f.assign(label=[None] * 3 + f["label"].tolist()[3:]), "no label for 3 of 60"),
        (lambda f: pd.concat([f, f.iloc[[0]].assign(label="no")]), " twice, with the labels "),
        (
            lambda f: f.assign(label=f["label"].replace("yes", "yess")),
            "'yess' for row .*Correct the spelling",
        ),
        (lambda f: f.assign(row=f["row"] + N), "row '.*': the position of a row"),
        (lambda f: f.assign(row="x"), "row 'x'"),
        (lambda f: f.drop(columns="label"), 'has the columns row, .*"row" and "label"'),
        (lambda f: 7, "labels is int"),
        (lambda f: {}, "holds no row"),
        (lambda f: "nowhere.csv", "'nowhere.csv' cannot be read"),
    ],
)
def test_bad_labels_are_named(compared, change, reason):
    d, y = compared
    with pytest.raises(imd.InputError, match=reason):
        d.with_labels(change(filled(d, y)))


def test_other_messages(compared, tmp_path):
    d, y = compared
    agreeing = np.flatnonzero(~d.differs)[:5]
    with pytest.raises(imd.InputError, match="agree on every labelled row"):
        d.with_labels(dict.fromkeys(agreeing.tolist(), "yes"))
    with pytest.raises(imd.InputError, match="n=0"):
        d.to_label(0)
    with pytest.raises(imd.InputError, match=r"is not a \.csv file"):
        d.to_label(5).save(tmp_path / "label.xlsx")
    X = pd.DataFrame({"a": np.arange(50)})
    with pytest.raises(imd.InputError, match="agree on every row"):
        imd.diff(X["a"] < 9, X["a"] < 9, X).to_label()
    with pytest.raises(imd.InputError, match="neither rows nor models"):
        imd.load(d.save(tmp_path / "d.json")).to_label()
    net = d.with_labels(filled(d, np.where(y == "yes", "maybe", y)), other_labels=["maybe"])
    assert net.labels == 60


def test_lines_may_be_left_out(compared):
    d, y = compared
    frame = filled(d, y)
    whole, less = d.with_labels(frame), d.with_labels(frame.iloc[:50])
    assert less.labels == 50
    assert less.effective_rows < whole.effective_rows * 1.3


@settings(max_examples=examples(10), deadline=None)
@given(st.integers(1, 300), st.integers(0, 9))
def test_any_number_of_rows_can_be_drawn(n, seed):
    X, old, new, _ = world(3, 600)
    d = imd.diff(old, new, X, measure="none")
    drawn = to_label(d, n, False, seed)
    differing = sum(len(one.rows) for one in strata_of(d) if one.differs)
    assert len(drawn) == min(n, differing)


def test_the_command_line_writes_the_rows_and_reads_their_labels(
    tmp_path, monkeypatch, capsys, compared
):
    monkeypatch.chdir(tmp_path)
    X, old, new, y = world()
    X.assign(old=old, new=new).to_csv("scored.csv", index=False)
    command = ["diff", "scored.csv", "--m1", "old", "--m2", "new", "--quiet"]
    assert main([*command, "--to-label", "out/label.csv", "--n-labels", "40"]) == 0
    assert "Written: out" in capsys.readouterr().out
    frame = pd.read_csv("out/label.csv")
    assert len(frame) == 40
    frame.assign(label=y[frame["row"]]).to_csv("done.csv", index=False)
    assert main([*command, "--labels", "done.csv", "--fail-net", "0"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("PASSED: the limit holds (net).\n\n40 labels: new is right on")
    assert main([*command, "--labels", "done.csv", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)["labels"]
    assert report["labels"] == 40
    assert report["net_share_interval"][0] < report["net_share"]
    assert sum(one["labels"] for one in report["strata"]) == 40
    frame.assign(label=old[frame["row"]]).to_csv("done.csv", index=False)
    assert main([*command, "--labels", "done.csv", "--fail-net", "1%"]) == 1
    capsys.readouterr()
    new_label = ["maybe", *["yes"] * 39]
    frame.assign(label=new_label).to_csv("maybe.csv", index=False)
    pd.concat([frame.assign(label="yes")] * 2).to_csv("twice.csv", index=False)
    assert main([*command, "--labels", "maybe.csv", "--other-labels", "maybe"]) == 0
    capsys.readouterr()
    for options, message in (
        (["--labels", "maybe.csv"], "a label of its own: --other-labels maybe."),
        (["--labels", "twice.csv"], "twice, with the labels 'yes', 'yes'. Keep one line per row."),
        (["--labels", "out/label.csv"], "--labels has no label for 40 of 40 rows: row "),
        (["--labels", "nowhere.csv"], "--labels nowhere.csv: there is no such file"),
        (["--to-label", "rows.xlsx"], "--to-label rows.xlsx: name a .csv file"),
        (["--fail-net", "0"], "--fail-net needs the true outputs"),
        (["--to-label", "label.csv", "--n-labels", "0"], "--n-labels"),
    ):
        assert main([*command, *options]) == 2
        assert message in " ".join(capsys.readouterr().err.split())
