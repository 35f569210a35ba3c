"""The laws of large tables: the same diff, to the bit, however the rows are divided."""

from __future__ import annotations

import gc
import tempfile
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow.dataset as pads
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import imd_widget as imd
from imd_widget._base.checkpoint import checking
from imd_widget.data.binning import bin_table
from imd_widget.data.sampling import (
    LARGEST,
    hashed,
    holdout_rows,
    in_band,
    nth_hash,
    sample_bound,
    split_rows,
)
from imd_widget.data.table import open_table
from imd_widget.large import files
from imd_widget.large.order_statistics import at_ranks
from imd_widget.large.progress import ProgressSource
from imd_widget.tree.requests import Histograms
from imd_widget.tree.shape import Step
from imd_widget.tree.source import CountSource
from tests.examples import examples
from tests.unit.large_tables import (
    FEATURES,
    Frames,
    contents,
    cut,
    diff_frames,
    made_up,
    written,
)
from tests.unit.strategies import Problem, problems

FRAME = made_up()

#: Arguments in memory, and the same by the names of columns.
CASES: dict[str, tuple[list[str], dict[str, Any]]] = {
    "classes": (["old", "new"], {}),
    "truth": (["old", "new", "truth"], {}),
    "weights": (["old", "new", "truth", "weight"], {}),
    "odd weights": (["old", "new", "truth", "odd_weight"], {}),
    "given": (["old", "new"], {"given": "auto"}),
    "values": (["price", "price2", "paid"], {"outputs": "value"}),
    "relative": (["price", "price2", "paid"], {"outputs": "value", "tolerance": "10 %"}),
    "weighted values": (["price", "price2", "paid", "odd_weight"], {"outputs": "value"}),
    "given values": (["price", "price2"], {"outputs": "value", "given": "m1"}),
    "scores": (["slanted", "steeper"], {"scores": True}),
    "weighted scores": (["slanted", "steeper", "truth", "odd_weight"], {"scores": True}),
    "scores, given an output": (["slanted", "steeper"], {"scores": True, "given": "m1"}),
    "the paper's": (["old", "new"], {"method": "imd", "max_depth": 3}),
    "some columns": (["old", "new"], {"columns": ["job", "income"], "max_bins": 20}),
    "sampled": (["old", "new"], {"subsample": 300, "random_state": 3, "test_size": 0.4}),
}
ROLES = ("m1", "m2", "y", "sample_weight")


def in_memory(case: str) -> imd.ModelDiff:
    columns, options = CASES[case]
    m1, m2, *rest = (FRAME[name] for name in columns)
    more = dict(zip(("y", "sample_weight"), rest, strict=False))
    names = (columns[0], columns[1])
    return imd.diff(m1, m2, FRAME[FEATURES], names=names, measure="holdout", **more, **options)


def by_names(case: str) -> tuple[pd.DataFrame, dict[str, Any], dict[str, Any]]:
    columns, options = CASES[case]
    return FRAME[[*FEATURES, *columns]], dict(zip(ROLES, columns, strict=False)), dict(options)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("edges", [(), (1, 1, 1000, 2999), tuple(range(60, 3000, 60))])
def test_partitions_give_the_diff_of_the_whole_table(case: str, edges: tuple[int, ...]) -> None:
    frame, named, options = by_names(case)
    d = diff_frames(cut(frame, edges), named, **options)
    wanted = in_memory(case)
    assert len(wanted.rules) > 0
    assert contents(d) == contents(wanted)


@pytest.mark.parametrize("case", ["weights", "values", "given values"])
def test_a_refined_or_changed_diff_is_that_of_the_whole_table(case: str) -> None:
    frame, named, options = by_names(case)
    d, wanted = diff_frames(cut(frame, (500, 1700)), named, **options), in_memory(case)
    assert contents(d.refine()) == contents(wanted.refine())
    changes: list[dict[str, Any]] = [{"max_depth": 3}, {"given": "m2"}, {"given": "nothing"}]
    if wanted.tolerance is not None:
        changes.append({"tolerance": 5.0})
    for change in changes:
        d, wanted = d.change(**change), wanted.change(**change)
        assert contents(d) == contents(wanted), change


@pytest.mark.parametrize("edges", [(), (1500,), (1, 1, 400, 800, 2000, 2999)])
def test_scores_of_partitions_are_those_of_the_whole_table(edges: tuple[int, ...]) -> None:
    frame, named, _ = by_names("scores")
    d, wanted = diff_frames(cut(frame, edges), named), in_memory("scores")
    scored = d.change(scores=True)
    assert wanted.rules.scores
    assert {own.source for score in wanted.rules.scores for own in score.items} >= {"age", "score"}
    assert contents(scored) == contents(wanted)
    assert scored.rules.scores == wanted.rules.scores
    np.testing.assert_array_equal(scored.covered(), wanted.covered())
    for change in ({"given": "m2"}, {"given": "nothing"}, {"scores": False}):
        scored, wanted = scored.change(**change), wanted.change(**change)
        assert contents(scored) == contents(wanted), change
    assert contents(scored) == contents(d)


def test_rows_are_read_when_they_are_asked_for() -> None:
    frame, named, options = by_names("truth")
    d, wanted = diff_frames(cut(frame, (500, 500, 1700)), named, **options), in_memory("truth")
    np.testing.assert_array_equal(d.differs, wanted.differs)
    np.testing.assert_array_equal(d.kept_aside, wanted.kept_aside)
    np.testing.assert_array_equal(d.covered(), wanted.covered())
    np.testing.assert_array_equal(d.truth, wanted.truth)
    for row in (0, 499, 500, 2999):
        assert d.trace(row) == wanted.trace(row)
    assert d.cohort("age < 30").rows == wanted.cohort("age < 30").rows
    assert d.histograms([0]) == wanted.histograms([0])
    pd.testing.assert_frame_equal(
        d.table.rows(d.covered()), FRAME[FEATURES][wanted.covered()], check_index_type=False
    )
    rows = np.array([2999, 3, 500, 3])
    pd.testing.assert_frame_equal(
        d.table.take(rows).native, FRAME[FEATURES].iloc[rows].reset_index(drop=True)
    )


def test_models_are_called_with_partitions_and_explained_on_rows() -> None:
    def old(table: pd.DataFrame) -> Any:
        return np.where(table["age"] >= 40, 1.0, 0.0) + table["income"] / 1e5

    def new(table: pd.DataFrame) -> Any:
        return old(table) + np.where(table["job"] == "nurse", 0.7, 0)

    d = diff_frames(cut(FRAME[FEATURES], (700, 2000)), {"m1": old, "m2": new}, outputs="value")
    wanted = imd.diff(old, new, FRAME[FEATURES], outputs="value", measure="holdout")
    assert contents(d) == contents(wanted)
    mine, theirs = (one.explain(one.rules[0]).partial_dependence("age") for one in (d, wanted))
    np.testing.assert_allclose(mine.difference, theirs.difference)


@given(problems(), st.data())
@settings(max_examples=examples(60), deadline=None)
def test_odd_tables_give_the_same_diff_in_any_partitions(problem: Problem, data: Any) -> None:
    frame = problem.X.assign(**{"out 1": problem.y1, "out 2": problem.y2})
    named = {"m1": "out 1", "m2": "out 2"}
    options = problem.options
    weight = options.pop("sample_weight", None)
    if weight is not None:
        frame["its weight"] = weight
        named["sample_weight"] = "its weight"
    names = ("out 1", "out 2")
    common = {"names": names, "measure": "holdout", "random_state": 1, **options}
    try:
        wanted = imd.diff(problem.y1, problem.y2, problem.X, sample_weight=weight, **common)
    except imd.InputError:
        with pytest.raises(imd.InputError):
            diff_frames(cut(frame, ()), named, **common)
        return
    edges = data.draw(st.lists(st.integers(0, len(frame)), max_size=4))
    d = diff_frames(cut(frame, edges), named, **common)
    assert contents(d) == contents(wanted)


@given(problems(), st.data(), st.integers(2, 12))
@settings(max_examples=examples(60), deadline=None)
def test_summaries_describe_columns_as_the_whole_table_does(
    problem: Problem, data: Any, subsample: int
) -> None:
    frame = problem.X.assign(**{"out 1": problem.y1, "out 2": problem.y2})
    edges = data.draw(st.lists(st.integers(0, len(frame)), max_size=4))
    options: dict[str, Any] = {"max_bins": 4, "subsample": subsample, "test_size": 0.3}
    options["derive"] = None
    d = diff_frames(cut(frame, edges), {"m1": "out 1", "m2": "out 2"}, outputs="class", **options)
    aside = holdout_rows(len(frame), 0.3, 0)
    wanted = bin_table(open_table(problem.X), ~aside, 4, subsample, 0).columns
    found = d.rows.dataset.columns
    assert [column.to_plain() for column in found] == [column.to_plain() for column in wanted]


@given(st.integers(2, 5000), st.floats(0, 1), st.integers(0, 5), st.booleans())
def test_rows_kept_aside_are_those_of_a_table_in_memory(
    n: int, test_size: float, seed: int, weighted: bool
) -> None:
    counts = np.random.default_rng(seed).random(n) < 0.6 if weighted else np.ones(n, dtype=bool)
    counts[0] = True
    split = split_rows(
        int(counts.sum()), test_size, seed, lambda low, high: in_band(0, n, seed, low, high, counts)
    )
    found = split.aside(0, n) & counts
    np.testing.assert_array_equal(found, holdout_rows(n, test_size, seed, counts))
    n_aside = min(round(int(counts.sum()) * test_size), int(counts.sum()) - 1)
    smallest = sorted(np.flatnonzero(counts), key=hashed(n, seed).__getitem__)[:n_aside]
    assert sorted(smallest) == np.flatnonzero(found).tolist()


@given(st.lists(st.integers(0, LARGEST), min_size=1, max_size=50, unique=True), st.data())
def test_the_nth_hash_is_found_also_where_hashes_are_not_uniform(
    hashes: list[int], data: Any
) -> None:
    every = np.array(hashes, dtype=np.uint64)
    n = data.draw(st.integers(1, len(hashes)))

    def count(low: int, high: int) -> Any:
        inside = (every >= np.uint64(low)) & (every <= np.uint64(high))
        return int((every < np.uint64(low)).sum()), every[inside]

    assert nth_hash(n, len(hashes), count) == sorted(hashes)[n - 1]


class Lists:
    """Arrays that are kept, each a partition."""

    def __init__(self, parts: list[np.ndarray[Any, Any]]) -> None:
        self.parts = parts

    def sum(self, task: Any, *shared: Any) -> Any:
        results = [task(part, *shared) for part in self.parts]
        return [sum(one) for one in zip(*results, strict=True)]


@given(
    st.lists(st.lists(st.floats(-1e100, 1e100), max_size=20), min_size=1, max_size=4).filter(any)
)
def test_order_statistics_of_parts_are_those_of_the_whole(parts: list[list[float]]) -> None:
    kept: Any = Lists([np.array(part, dtype=float) for part in parts])
    every = np.sort(np.concatenate(kept.parts))
    found = at_ranks(kept, lambda part: {"x": part}, (), {"x": list(range(len(every)))})
    np.testing.assert_array_equal(found["x"], every)


def test_order_statistics_know_one_zero() -> None:
    """-0.0 and 0.0 are equal: whichever a partition has, the statistic is 0.0."""
    for parts in ([[-0.0], [0.0]], [[0.0, -0.0], [-1.0, 1.0]], [[-0.0, -0.0]]):
        kept: Any = Lists([np.array(part) for part in parts])
        ranks = {"x": list(range(sum(map(len, parts))))}
        found = at_ranks(kept, lambda part: {"x": part}, (), ranks)["x"]
        zeros = [number for number in found if number == 0]
        assert len(zeros) == sum(number == 0 for part in parts for number in part)
        assert not np.signbit(zeros).any()


@pytest.mark.parametrize("n, most", [(1000, 100), (5000, 300), (20_000, 2000), (200_000, 5000)])
def test_a_sample_has_as_many_rows_as_it_should_have(n: int, most: int) -> None:
    """The bound leaves room for the chance of hashes, so that one look is enough."""
    for seed in range(30):
        n_inside = int((hashed(n, seed) <= np.uint64(sample_bound(n, most))).sum())
        assert most <= n_inside <= 2 * most


@pytest.mark.parametrize("change", [-5, 5])
@pytest.mark.parametrize("reads", range(6))
def test_partitions_must_give_the_same_rows_each_time(change: int, reads: int) -> None:
    """Whichever pass it is that finds other rows than the first."""
    frame, named, options = by_names("weights")

    class Changing(Frames):
        n_read = 0

        def read(self, number: int) -> pd.DataFrame:
            own = super().read(number)
            if number != 1:
                return own
            self.n_read += 1
            return frame.iloc[1000 : 2000 + change] if self.n_read > reads else own

    frames = Changing(cut(frame, (1000, 2000)).frames)
    if not reads:  # the first look counts: then these are the rows
        assert diff_frames(frames, named, **options).metrics.n_rows
        return
    message = f"partition 1 of 3: it has {1000 + change} rows, and had 1000 when it was read before"
    if reads < 5:  # the passes in which the diff is made
        with pytest.raises(imd.InputError, match=message):
            diff_frames(frames, named, **options)
        return
    d = diff_frames(frames, named, **options)
    with pytest.raises(imd.InputError, match=message):
        d.table.take(np.array([1500]))


def test_hashes_of_a_range_are_those_of_the_whole() -> None:
    np.testing.assert_array_equal(in_band(7, 50, 3, 0, LARGEST)[1], hashed(50, 3)[7:])


def test_scores_of_files_are_those_of_the_whole_table(tmp_path: Path) -> None:
    frame, named, options = by_names("scores")
    d = imd.diff(X=written(frame, tmp_path / "scores"), **named, **options)
    assert d.rules.scores
    assert contents(d) == contents(in_memory("scores"))
    assert [one.name for one in d.alternatives()][:2] == ["columns", "columns and scores"]


@pytest.mark.parametrize("form", ["pattern", "folder", "list", "dataset"])
def test_files_give_the_diff_of_the_whole_table(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "FEW_ROWS", 500)  # several partitions of one file
    frame, named, options = by_names("weights")
    folder = written(frame, tmp_path / "scores")
    X: Any = {
        "pattern": str(folder / "*.parquet"),
        "folder": folder,
        "list": sorted(folder.iterdir()),
        "dataset": pads.dataset(folder),
    }[form]
    d = imd.diff(named.pop("m1"), named.pop("m2"), X, **named, **options)
    assert contents(d) == contents(in_memory("weights"))


def test_integers_that_are_missing_somewhere_are_floats_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "FEW_ROWS", 100)
    frame = FRAME[["age", "income", "old", "new"]].astype({"age": "Int64"})
    frame.loc[frame.index[-5:], "age"] = pd.NA
    folder = written(frame, tmp_path / "scores", n_files=2)
    plain = pd.read_parquet(folder).astype({"age": float})
    d = imd.diff("old", "new", folder, names=("a", "b"))
    wanted = imd.diff(
        plain["old"], plain["new"], plain[["age", "income"]], names=("a", "b"), measure="holdout"
    )
    assert contents(d) == contents(wanted)


def test_temporary_files_are_removed_with_the_diff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    frame, named, options = by_names("classes")
    d = diff_frames(cut(frame, (1000,)), named, **options)
    assert list(tmp_path.iterdir())
    d.refine()
    del d
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_temporary_files_are_removed_when_a_model_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def fails(table: pd.DataFrame) -> Any:
        if (table["income"] == FRAME["income"].iloc[2500]).any():
            raise ZeroDivisionError("no such job")
        return table["age"] > 40

    with pytest.raises(ZeroDivisionError, match="no such job") as caught:
        diff_frames(cut(FRAME[FEATURES], (1000, 2000)), {"m1": fails, "m2": fails})
    assert any("partition 2 of 3" in note for note in caught.value.__notes__)
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_pages_files_and_widgets_are_made_of_a_large_diff(tmp_path: Path) -> None:
    frame, named, options = by_names("truth")
    d, wanted = diff_frames(cut(frame, (900,)), named, **options), in_memory("truth")
    for suffix in ("json", "md", "csv", "svg"):
        one, other = (x.save(tmp_path / f"{n}.{suffix}") for n, x in ((1, d), (2, wanted)))
        if suffix != "svg":
            assert one.read_text() == other.read_text()
    assert d.save(tmp_path / "page.html", rows=20).stat().st_size > 1000
    loaded = imd.load(tmp_path / "1.json")
    assert str(loaded.rules) == str(wanted.rules)
    w = imd.show(d)
    w.selected_rules = [0]
    assert len(w.selected_rows) == int(wanted.covered([0]).sum())
    w.change(max_depth=1)
    w.refine()
    assert str(w.diff.rules) == str(wanted.change(max_depth=1).refine().rules)
    w.undo()
    w.undo()
    assert str(w.diff.rules) == str(wanted.rules)


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "sets": ({"sets": True}, "sets=True needs a table in memory."),
    "margins": ({"given": "margins"}, 'given="margins" needs a table in memory.'),
    "augment": ({"augment": "neighbours"}, "augment is not supported for partitioned tables"),
    "groups": ({"groups": "job"}, "groups is not supported"),
    "by": ({"by": "job"}, "d.cohort measures one at a time"),
    "holdout": ({"holdout": FRAME}, "holdout is not supported"),
    "bins": ({"max_bins": None}, "max_bins is not supported"),
    "sample": ({"subsample": None}, "subsample is not supported"),
    "folds": ({"measure": "cv"}, '"holdout" keeps rows aside'),
    "names": ({"feature_names": ["a"]}, "its columns have names"),
    "y": ({"y": FRAME["truth"]}, "pass the name of a column, such as 'age'"),
    "no such y": ({"y": "target"}, "y='target' is not a column of the table, which has 'age'"),
    "twice": ({"y": "old"}, "y='old' is named twice"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_cannot_be_had_is_said(case: str, tmp_path: Path) -> None:
    options, message = BAD[case]
    folder = written(FRAME[[*FEATURES, "old", "new"]], tmp_path / "scores")
    with pytest.raises(imd.InputError) as caught:
        imd.diff("old", "new", folder, **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("call", [imd.evaluate, imd.surrogate, imd.compare])
def test_what_needs_a_table_in_memory_says_so(call: Any, tmp_path: Path) -> None:
    folder = str(written(FRAME[FEATURES], tmp_path / "scores"))
    model = lambda table: table["age"] > 40  # noqa: E731
    given = {imd.evaluate: (model, model), imd.surrogate: (model,), imd.compare: ([model, model],)}
    with pytest.raises(imd.InputError, match=r"imd\.diff and imd\.show read in partitions"):
        call(*given[call], folder)


def test_an_array_of_outputs_is_refused(tmp_path: Path) -> None:
    folder = written(FRAME[[*FEATURES, "old", "new"]], tmp_path / "scores")
    with pytest.raises(imd.InputError, match="the name of the column with its outputs"):
        imd.diff(FRAME["old"].to_numpy(), "new", folder)


def test_a_filtered_dataset_has_the_rows_that_are_left(tmp_path: Path) -> None:
    folder = written(FRAME[[*FEATURES, "old", "new"]], tmp_path / "scores")
    data = pads.dataset(folder)
    left = imd.diff("old", "new", data.filter(pads.field("age") > 30))
    assert left.metrics.n_rows == int((FRAME["age"] > 30).sum())
    assert imd.diff("old", "new", data).metrics.n_rows == len(FRAME)


def test_a_column_of_ids_is_remarked_on_once() -> None:
    frame = FRAME[[*FEATURES, "old", "new"]].assign(id=[f"no {n}" for n in range(len(FRAME))])
    roles = {"m1": "old", "m2": "new"}
    with pytest.warns(imd.InputWarning, match="the column 'id' holds a different value") as found:
        diff_frames(cut(frame, (1000, 2000)), roles)
    assert len(found) == 1
    diff_frames(cut(frame, (1000, 2000)), roles, columns=FEATURES)


def test_labels_beside_scores_are_refused() -> None:
    frame = FRAME[FEATURES].assign(score=FRAME["age"] - 40.5, label=(FRAME["age"] > 40).astype(int))
    parts = cut(frame, (1000, 2000))
    with pytest.raises(imd.InputError, match=r"m2 gives the labels .*raw score.*outputs="):
        diff_frames(parts, {"m1": "score", "m2": "label"})
    assert diff_frames(parts, {"m1": "score", "m2": "label"}, outputs="value").outputs == "value"
    flags = cut(frame.assign(score=1 - frame["label"]), (1000, 2000))
    with pytest.warns(imd.InputWarning, match="both models give only 0 and 1"):
        diff_frames(flags, {"m1": "score", "m2": "label"}, outputs="proba")


def test_missing_outputs_are_counted_over_all_partitions() -> None:
    frame = FRAME[[*FEATURES, "old", "new"]].copy()
    frame.loc[[1200, 2100], "new"] = None
    with pytest.raises(imd.InputError, match=r"no output for 2 of 3000 rows \(the first is row"):
        diff_frames(cut(frame, (1000, 2000)), {"m1": "old", "m2": "new"})


def test_partitions_must_be_alike() -> None:
    frame = FRAME[[*FEATURES, "old", "new"]]
    parts = [frame.iloc[:1000], frame.iloc[1000:].drop(columns="job")]
    with pytest.raises(imd.InputError, match=r"partition 1 of 2: it lacks the column 'job'"):
        diff_frames(Frames(parts), {"m1": "old", "m2": "new"})
    parts = [frame.iloc[:1000], frame.iloc[1000:].astype({"age": float})]
    with pytest.raises(imd.InputError, match="'age' is int64 in partition 0 of 2 and float64"):
        diff_frames(Frames(parts), {"m1": "old", "m2": "new"})
    parts = [frame.iloc[:0], frame.iloc[:0]]
    with pytest.raises(imd.InputError, match="has no rows"):
        diff_frames(Frames(parts), {"m1": "old", "m2": "new"})


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    with pytest.raises(imd.InputError, match="names no file"):
        imd.diff("old", "new", str(tmp_path / "*.parquet"))
    frame = FRAME[[*FEATURES, "old", "new"]]
    folder = written(frame, tmp_path / "scores")
    cut_off = folder / "part-1.parquet"
    cut_off.write_bytes(cut_off.read_bytes()[:-200])
    with pytest.raises(imd.InputError, match=r"Is the file complete\?"):
        imd.diff("old", "new", folder)
    written(frame.drop(columns="age"), tmp_path / "others", n_files=1)
    (tmp_path / "others" / "part-0.parquet").rename(folder / "part-1.parquet")
    with pytest.raises(imd.InputError, match=r"part-1\.parquet has other columns than the first"):
        imd.diff("old", "new", folder)


def test_a_file_that_disappears_is_said_when_rows_are_read(tmp_path: Path) -> None:
    folder = written(FRAME[[*FEATURES, "old", "new"]], tmp_path / "scores", n_files=2)
    d = imd.diff("old", "new", folder)
    (folder / "part-1.parquet").unlink()
    assert d.trace(0).said
    assert len(d.refine().rules) > 0
    with pytest.raises(imd.InputError, match="not there"):
        d.table.take(np.array([2500]))


class Stopped(Exception):
    pass


@pytest.mark.parametrize("after", [0, 3, 8])
def test_work_stops_at_the_next_checkpoint(
    after: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the first passes and between levels; nothing stays behind, and the diff goes on."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    frame, named, options = by_names("classes")
    passed: list[int] = []

    def check() -> None:
        passed.append(1)
        if len(passed) > after:
            raise Stopped

    with checking(check), pytest.raises(Stopped):
        diff_frames(cut(frame, (1000,)), named, **options)
    gc.collect()
    assert not list(tmp_path.iterdir())
    d = diff_frames(cut(frame, (1000,)), named, **options)
    passed.clear()
    with checking(check), pytest.raises(Stopped):
        d.change(max_depth=3).change(max_depth=5)
    assert str(d.change(max_depth=3).rules) == str(in_memory("classes").change(max_depth=3).rules)


@pytest.mark.parametrize("deepest, told", [(1, "level 2 of 6"), (5, "6 of 6"), (6, "7 of 7")])
def test_no_level_is_beyond_the_last(
    capsys: pytest.CaptureFixture[str], monkeypatch: Any, deepest: int, told: str
) -> None:
    from tqdm import auto

    shown = auto.tqdm
    monkeypatch.setattr(
        auto, "tqdm", lambda *a, **given: shown(*a, **{**given, "delay": 0, "mininterval": 0})
    )
    source = SimpleNamespace(
        columns=(), layout=None, target=None, session=nullcontext, answer=lambda _: ()
    )
    progress = ProgressSource(cast(CountSource, source), 6)
    step = Step(0, 1, missing=False, yes=True)
    with progress.session():
        progress.answer(Histograms([(step,) * deepest], []))
    assert told in capsys.readouterr().err


def test_the_level_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    from tqdm import auto

    shown = auto.tqdm
    monkeypatch.setattr(
        auto, "tqdm", lambda *a, **given: shown(*a, **{**given, "delay": 0, "mininterval": 0})
    )
    frame, named, options = by_names("classes")
    diff_frames(cut(frame, (1000,)), named, max_depth=3, **options)
    told = capsys.readouterr().err
    for text in ("describing columns", "encoding and predicting partitions", "level 2 of 3"):
        assert text in told
