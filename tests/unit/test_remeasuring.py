"""The same rules on new rows, and over several periods."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact

import imd_widget as imd
from benchmarks.planted import Planted, planted
from imd_widget._base.intervals import size_of_interval, wilson
from imd_widget.comparison.remeasuring import RegionChange, RegionFigures, Remeasured
from imd_widget.views.track import track_view


@pytest.fixture(scope="module")
def first() -> tuple[Planted, imd.ModelDiff]:
    made = planted(1, n_inside=80)
    return made, imd.diff(made.old, made.new, made.X, y=made.y, names=("old", "new"))


def test_figures_of_the_new_rows_are_counted(first: Any) -> None:
    _, d = first
    week = planted(2, n_inside=60)
    found = d.measure(week.old, week.new, week.X, y=week.y)
    frame = found.to_frame()
    assert list(frame.index) == [
        *(f"rule {number}" for number in range(len(d.rules))),
        "outside all rules",
        "all rows",
    ]
    differs = week.old != week.new
    masks = {f"rule {number}": rule.mask(week.X) for number, rule in enumerate(d.rules)}
    masks["outside all rules"] = ~d.predict(week.X)
    masks["all rows"] = np.ones(len(differs), dtype=bool)
    for region in found.regions:
        mask = masks[region.name]
        assert region.now.rows == mask.sum()
        assert region.now.rate == pytest.approx(differs[mask].mean())
        assert region.now.interval == pytest.approx(wilson(differs[mask].mean(), mask.sum()))
        right = region.now.correctness
        assert right is not None
        assert right.breaks == ((week.old == week.y) & (week.new != week.y))[mask].sum()
    rule, then = d.rules[0], found.regions[0].then
    assert (then.rate, then.interval) == (rule.measured_rate, rule.interval)
    assert found.regions[-1].then.rate == d.metrics.disagreement
    assert found.regions[-1].then.correctness == d.correctness
    assert not found.changed


def test_what_lies_outside_all_rules_then(first: Any) -> None:
    made, _ = first
    d = imd.diff(made.old, made.new, made.X, measure="holdout")
    outside = d.measure(made.old, made.new, made.X).regions[-2].then
    aside = d.kept_aside & ~d.predict(made.X)
    assert outside.rows == aside.sum()
    assert outside.rate == pytest.approx(d.differs[aside].mean())


@pytest.mark.parametrize("measure", ["holdout", "cv"])
def test_a_rate_stands_beside_the_rows_that_it_was_measured_on(
    first: Any, measure: Any, tmp_path: Path
) -> None:
    made, _ = first
    d = imd.diff(made.old, made.new, made.X, y=made.y, measure=measure)
    rule = d.rules[0]
    found = d.measure(made.old, made.new, made.X)
    then, now = found.regions[0].then, found.regions[0].now
    assert rule.correctness is not None
    assert rule.measured_rows == then.measured_rows == rule.correctness.known
    assert now.measured_rows == now.rows == then.rows == rule.mask(made.X).sum()
    assert then.rate is not None
    assert then.measured_rows is not None
    if measure == "holdout":
        assert then.measured_rows == (rule.mask(made.X) & d.kept_aside).sum() < then.rows
    differing = then.rate * then.measured_rows
    assert differing == pytest.approx(round(differing))
    which = f"{then.measured_rows} rows"
    if then.measured_rows != then.rows:
        which = f"the {which} not used to find it"
    assert f" % of {which} differed, " in str(found)
    assert f" % of {now.rows} rows differ" in str(found)
    frame = found.to_frame()
    assert list(frame.loc["rule 0", ["rows_then", "measured_rows_then"]]) == [
        then.rows,
        then.measured_rows,
    ]
    track = imd.track({"May": d, "June": (made.old, made.new, made.X)})
    assert track.to_frame().loc[("rule 0", "May"), "measured_rows"] == then.measured_rows
    shown = track_view(track)
    assert f" % of {which} differ (" in shown.regions[0].periods[0].text
    assert f" %) of {then.measured_rows} |" in track.to_markdown()
    plain = json.loads(Path(d.save(tmp_path / "d.json")).read_text(encoding="utf-8"))
    for own in plain["rules"]:
        own.pop("measured_rows")
    older = tmp_path / "older.json"
    older.write_text(json.dumps(plain), encoding="utf-8")
    again = str(imd.load(older).measure(made.old, made.new, made.X))
    if measure == "cv":
        assert imd.load(older).rules[0].measured_rows is None
        which = "the rows not used to find it"
    assert f" % of {which} differed, " in again


def test_columns_of_rules_are_checked_before_models_are_called(first: Any) -> None:
    made, d = first
    called = []

    def model(table: Any) -> Any:
        called.append(table)
        return table["site"]

    lacking = made.X.drop(columns="site")
    with pytest.raises(imd.InputError, match="X lacks the column 'site', which is needed"):
        d.measure(model, model, lacking)
    with pytest.raises(imd.InputError, match="lacks the column 'site', which is needed"):
        imd.track({"May": d, "June": (model, model, lacking)})
    assert not called


def test_what_was_measured_is_displayed(first: Any) -> None:
    made, d = first
    mended = planted(3, n_inside=80, broken=False)
    found = d.measure(mended.old, mended.new, mended.X, y=mended.y)
    assert "<td>yes</td>" in found._repr_html_()
    first_line = found.to_markdown().splitlines()[0]
    assert first_line == (
        f"old and new: {len(found.changed)} of {len(found.regions)} regions changed beyond chance."
    )
    assert " differed then | differ now | net then | net now | changed |" in found.to_markdown()
    plain = imd.diff(made.old, made.new, made.X, names=("old", "new"))
    same = plain.measure(made.old, made.new, made.X)
    assert same.to_markdown().startswith("old and new: no region changed beyond chance.")
    assert "net now" not in same.to_markdown()


def test_a_region_that_is_mended_is_noticed(first: Any) -> None:
    _, d = first
    mended = planted(3, n_inside=80, broken=False)
    found = d.measure(mended.old, mended.new, mended.X, y=mended.y)
    assert "rule 0" in [region.name for region in found.changed]
    assert "(changed)" in str(found)
    assert found.regions[0].now.net is not None
    assert found.regions[0].now.net > -0.2


def test_a_loaded_diff_measures_the_same(first: Any, tmp_path: Path) -> None:
    _, d = first
    week = planted(2)
    again = imd.load(d.save(tmp_path / "d.json"))
    pd.testing.assert_frame_equal(
        again.measure(week.old, week.new, week.X, y=week.y).to_frame(),
        d.measure(week.old, week.new, week.X, y=week.y).to_frame(),
    )


def test_partitioned_tables_are_measured_alike(first: Any, tmp_path: Path) -> None:
    _, d = first
    week = planted(2, n_inside=80)
    for number, part in enumerate(np.array_split(np.arange(len(week.X)), 3)):
        week.frame().iloc[part].to_parquet(tmp_path / f"{number}.parquet")
    large = d.measure("old", "new", tmp_path, y="y")
    in_memory = d.measure(week.old, week.new, week.X, y=week.y)
    pd.testing.assert_frame_equal(large.to_frame(), in_memory.to_frame())
    today = imd.diff("old", "new", tmp_path, y="y", names=("old", "new"))
    same = imd.diff(week.old, week.new, week.X, y=week.y, names=("old", "new"), measure="holdout")
    limits: Any = {"rule_breaks": 0.05, "disagreement": 0.08, "net": 0}
    assert today.check(**limits) == same.check(**limits)
    assert today.check(**limits, baseline=d) == same.check(**limits, baseline=d)
    with pytest.raises(imd.InputError, match="is a diff of a table that is read in partitions"):
        imd.track({"May": d, "June": today})


def test_columns_of_outputs_weights_and_groups(first: Any) -> None:
    _, d = first
    week = planted(2)
    plain = d.measure(week.old, week.new, week.X, y=week.y)
    named = d.measure("old", "new", week.frame().drop(columns="y"), y=week.y)
    pd.testing.assert_frame_equal(named.to_frame(), plain.to_frame())
    times = np.resize([1, 2, 0], len(week.X))
    weighted = d.measure(
        week.old, week.new, week.X, y=week.y, sample_weight=times.astype(float)
    ).to_frame()
    rows = np.repeat(np.arange(len(week.X)), times)
    repeated = d.measure(
        week.old[rows], week.new[rows], week.X.iloc[rows].reset_index(drop=True), y=week.y[rows]
    ).to_frame()
    np.testing.assert_allclose(weighted["rate_now"], repeated["rate_now"])
    assert (weighted["rows_now"] < repeated["rows_now"]).all()
    grouped = d.measure(
        week.old, week.new, week.X, y=week.y, groups=np.arange(len(week.X)) // 40
    ).to_frame()
    assert grouped.loc["all rows", "rate_now"] == plain.to_frame().loc["all rows", "rate_now"]


@pytest.mark.parametrize("outputs", ["value", "proba"])
def test_numbers_are_compared_as_before(outputs: Any) -> None:
    random = np.random.default_rng(0)
    X = pd.DataFrame({"a": random.random(800), "b": random.random(800)})
    y = (random.random(800) < X["a"]).astype(int)
    one = X["a"].to_numpy()
    two = np.clip(one + np.where(X["b"] > 0.8, 0.3, 0.02), 0, 1)
    d = imd.diff(one, two, X[["b"]], y=y, outputs=outputs, tolerance=0.1)
    again = d.measure(one, two, X[["b"]], y=y)
    assert again.regions[-1].now.rate == d.metrics.disagreement
    assert again.regions[-1].now.correctness == d.correctness
    assert not again.changed


def test_rules_given_a_model(first: Any) -> None:
    made, _ = first
    d = imd.diff(made.old, made.new, made.X, given="m1", max_depth=3)
    found = d.measure(made.old, made.new, made.X)
    assert found.regions[0].now.rows == d.rules[0].support + d.rules[0].holdout_support


def test_a_table_without_the_columns_is_refused(first: Any) -> None:
    _, d = first
    week = planted(2)
    with pytest.raises(imd.InputError, match="site"):
        d.measure(week.old, week.new, week.X.drop(columns="site"))


def test_size_of_an_interval_inverts_wilson() -> None:
    for share, n in ((0.0, 30), (1.0, 12), (0.3, 200), (0.02, 55)):
        assert size_of_interval(share, wilson(share, n)) == pytest.approx(n)


def test_rates_are_compared_by_fishers_exact_test(first: Any) -> None:
    made, _ = first
    d = imd.diff(made.old, made.new, made.X, measure="holdout")
    week = planted(9, n_inside=10)
    region = d.measure(week.old, week.new, week.X).regions[-1]
    counts = [
        [d.metrics.n_differing, d.metrics.n_rows - d.metrics.n_differing],
        [int((week.old != week.new).sum()), int((week.old == week.new).sum())],
    ]
    # the smallest of the p-values is multiplied by the number of tests
    chance = fisher_exact(counts).pvalue
    assert region.p_value is not None
    assert chance <= region.p_value <= min(1, chance * 6) + 1e-12


def test_no_change_gives_few_alarms() -> None:
    """Alarms over regions and periods together, for models that do not change."""
    alarms = 0
    for seed in range(25):
        reference = planted(seed, n=500, n_inside=60)
        d = imd.diff(reference.old, reference.new, reference.X, y=reference.y)
        later = {}
        for week in range(4):
            made = planted(1000 + 10 * seed + week, n=500, n_inside=60)
            later[f"week {week}"] = (made.old, made.new, made.X, made.y)
        alarms += bool(imd.track({"start": d, **later}).alarms)
    assert alarms <= 4


def test_a_track_shows_what_shrank_grew_and_appeared(first: Any) -> None:
    _, d = first
    same, mended = planted(5, n_inside=80), planted(6, n_inside=80, broken=False)
    worse = planted(7, n_inside=80)
    elsewhere = np.where((worse.X["site"] == "G").to_numpy(), "stops", worse.new)
    other = imd.diff(worse.old, elsewhere, worse.X, y=worse.y)
    found = imd.track(
        {
            "May": d,
            "June": (same.old, same.new, same.X, same.y),
            "July": (mended.old, mended.new, mended.X, mended.y),
            "August": other,
        }
    )
    assert found.periods == ("May", "June", "July", "August")
    assert "rule 0" in found.shrank
    assert "outside all rules" in found.grew
    assert found.appeared == ("August",)
    assert {period for period, _ in found.alarms} == {"July", "August"}
    frame = found.to_frame()
    assert len(frame) == 4 * len(found.regions)
    assert frame.loc[("rule 0", "May"), "rate"] == d.rules[0].measured_rate
    assert not frame.loc[("rule 0", "June"), "changed"]
    assert frame.loc[("rule 0", "July"), "changed"]
    assert str(found).startswith("July: rule 0: ")


def test_a_track_is_drawn(first: Any) -> None:
    _, d = first
    week = planted(5)
    found = imd.track({"May": d, "June": (week.old, week.new, week.X)})
    axes = found.plot()
    assert [ax.get_title("left") for ax in axes] == list(found.regions)
    assert [tick.get_text() for tick in axes[0].get_xticklabels()] == ["May", "June"]


@pytest.mark.parametrize(
    "periods, says",
    [
        ({}, "takes a dict with at least two periods"),
        ([1, 2], "is a list, which takes diffs"),
        ({"a": (1, 2, 3), "b": (1, 2, 3)}, "the first period, 'a', is not a diff"),
    ],
)
def test_periods_that_cannot_be_tracked(periods: Any, says: str) -> None:
    with pytest.raises(imd.InputError, match=says):
        imd.track(periods)


def test_a_period_that_is_no_data(first: Any) -> None:
    _, d = first
    with pytest.raises(imd.InputError, match="the period 'b' is int: pass a diff, or a tuple"):
        imd.track({"a": d, "b": 3})


@pytest.fixture(scope="module")
def track(first: Any) -> imd.Track:
    _, d = first
    same, mended = planted(5, n_inside=80), planted(6, n_inside=80, broken=False)
    return imd.track(
        {
            "May": d,
            "June": (same.old, same.new, same.X, same.y),
            "<b>July</b>": (mended.old, mended.new, mended.X, mended.y),
        }
    )


def test_a_track_has_a_headline(track: imd.Track) -> None:
    assert track.title == "old and new, May to <b>July</b>"
    assert track.verdict("rule 0") == "shrank in <b>July</b>"
    assert track.verdict("outside all rules") == "no change"
    assert track.holds == ()
    assert "Rule 0: shrank in <b>July</b>." in track.summary()
    assert "The rules are those of May, made on 2026-09-21." in track.summary()


def test_a_rule_holds_if_nothing_changed(first: Any) -> None:
    _, d = first
    same = planted(5, n_inside=80)
    calm = imd.track({"May": d, "June": (same.old, same.new, same.X, same.y)})
    assert calm.holds == tuple(name for name in calm.regions if name.startswith("rule"))
    assert "did not change beyond chance in the later period." in calm.summary()


@pytest.mark.parametrize(
    "changed, sentence",
    [
        ((False,), "The rule did not change beyond chance in the later period."),
        ((True,), "The rule changed."),
        ((False, False), "Neither rule changed beyond chance in the later period."),
        ((True, False), "1 of 2 rules did not change beyond chance in the later period."),
        ((True, True), "Both rules changed."),
        ((False,) * 3, "None of the 3 rules changed beyond chance in the later period."),
        ((True,) * 3, "All 3 rules changed."),
        ((), None),
    ],
)
def test_a_track_counts_the_rules_that_changed(
    changed: tuple[bool, ...], sentence: str | None
) -> None:
    figures = RegionFigures(100, 0.5)
    regions = [
        RegionChange(f"rule {at}", "x", figures, figures, 0.001 if moved else 1.0, None)
        for at, moved in enumerate(changed)
    ]
    rest = RegionChange("all rows", "", figures, figures, 1.0, None)
    measured = Remeasured(("old", "new"), (*regions, rest))
    track = imd.Track(("old", "new"), ("May", "June"), (measured,))
    assert track.sentences[0] == (sentence or "The rules are those of May.")


def test_the_markdown_of_a_track_is_readable(track: imd.Track) -> None:
    lines = track.to_markdown().splitlines()
    [head] = [line for line in lines if line.startswith("| region")]
    assert head == "| region | period | differ | net | changed |"
    [july] = [line for line in lines if line.startswith("| rule 0: ") and "July" in line]
    assert re.search(r"\| \d+\.\d % \(.* to .* %\) of \d+ \| .* % \(.*\) \| yes \|", july)
    assert "False" not in track.to_markdown()


def test_a_track_is_saved_in_each_format(track: imd.Track, tmp_path: Path) -> None:
    texts = {
        suffix: track.save(tmp_path / f"track.{suffix}").read_bytes()
        for suffix in ("html", "svg", "png", "csv", "md")
    }
    assert all(texts.values())
    page = texts["html"].decode()
    assert "default-src 'none'" in page
    assert "<b>July" not in page
    assert ">yes<" in page  # without JavaScript, too
    assert " % (" in page
    frame = pd.read_csv(tmp_path / "track.csv")
    assert len(frame) == 3 * len(track.regions)
    assert frame["rate"].to_numpy() == pytest.approx(track.to_frame()["rate"].to_numpy())
    assert texts["md"].decode() == track.to_markdown()
    with pytest.raises(imd.InputError, match="The suffix chooses the format"):
        track.save(tmp_path / "track.xlsx")


def test_a_widget_draws_what_was_measured(track: imd.Track, tmp_path: Path) -> None:
    widget = track.show(theme="dark")
    assert isinstance(widget, imd.TrackWidget)
    assert widget.theme == "dark"
    regions = widget.track["regions"]
    assert [region["name"] for region in regions] == list(track.regions)
    july = regions[0]["periods"][2]
    figures = track.figures("rule 0")[2]
    assert (july["rate"], tuple(july["interval"]), july["changed"]) == (
        figures.rate,
        figures.interval,
        True,
    )
    assert f"of {figures.rows:,} rows differ" in july["text"]
    assert regions[0]["top"] == 1.0
    assert "image/svg+xml" in widget._repr_mimebundle_()[0]
    assert widget.save(tmp_path / "track.html").exists()
    with pytest.raises(imd.InputError, match="TrackWidget expects a Track"):
        imd.TrackWidget(3)  # type: ignore[arg-type]
    with pytest.raises(imd.InputError, match="takes no models"):
        imd.show(track, max_depth=3)


def test_diffs_of_several_days_are_ordered(first: Any, tmp_path: Path) -> None:
    from dataclasses import replace

    _, d = first
    later = replace(d, origin=replace(d.origin, when="2027-01-01T00:00:00Z", tags={}))
    found = imd.track([later, d])
    assert found.periods == ("2026-09-21", "2027-01-01")
    with pytest.raises(imd.InputError, match="two periods are called '2026-09-21'"):
        imd.track([d, d])
    path = d.save(tmp_path / "first.json")
    week = planted(5, n_inside=80)
    data = (week.old, week.new, week.X, week.y)
    of_file = imd.track({"May": str(path), "June": data})
    assert of_file.to_frame().equals(imd.track({"May": d, "June": data}).to_frame())
    with pytest.raises(imd.InputError, match="the period 'June' is a diff from a file"):
        imd.track({"May": d, "June": imd.load(path)})
    with pytest.raises(imd.InputError, match="is a list, which takes diffs"):
        imd.track([d, data])
