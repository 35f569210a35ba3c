"""Growth step by step: the steps decide the tree again, for every method and kind of output."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import imd_widget as imd
from imd_widget.comparison.growth import GrowthStep
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.export.html import contents

N = 600


def table(seed: int = 0) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    return np.round(rng.uniform(0, 20, (N, 3)))


def outputs(X: NDArray[np.float64], kind: str) -> tuple[NDArray[Any], NDArray[Any]]:
    score = X[:, 0] + X[:, 1] * (X[:, 2] > 8)
    first, second = score, score + 6 * ((X[:, 0] > 12) & (X[:, 1] < 9))
    if kind == "value":
        return first, second
    return np.digitize(first, (8, 20)).astype(str), np.digitize(second, (8, 20)).astype(str)


def diff(kind: str, **options: Any) -> ModelDiff:
    X = table()
    return imd.diff(*outputs(X, kind), X, measure="none", **options)


def entropy(labels: NDArray[Any]) -> float:
    counts = np.unique(labels, return_counts=True)[1]
    return float(-(counts * np.log2(counts / counts.sum())).sum())


def naive_imps(d: ModelDiff, step: GrowthStep, minimum: int) -> tuple[float, float, float]:
    """The best splits by trying each threshold of each column on the rows of the node."""
    X, here = table(), d.reaches(step.node)
    both = [said[here] for said in outputs(table(), "class")]
    best = [np.inf] * 3
    for column in X[here].T:
        for cut in np.unique(column)[:-1]:
            yes = column <= cut
            if min(yes.sum(), (~yes).sum()) < minimum:
                continue
            own = [entropy(said[yes]) + entropy(said[~yes]) for said in both]
            best = [min(pair) for pair in zip(best, (*own, sum(own)), strict=True)]
    return best[0] / here.sum(), best[1] / here.sum(), best[2] / here.sum()


@pytest.mark.parametrize("kind", ["class", "value"])
@pytest.mark.parametrize("alpha", [None, 0.2, 0.6, 1.0])
def test_the_steps_of_the_papers_method_decide_its_tree(kind: str, alpha: float | None) -> None:
    d = diff(kind, method=imd.Imd(max_depth=4, alpha=alpha))
    for step in d.growth():
        if step.kind == "split":
            side = d.tree.side[d.tree.ids.index(step.node)]
            assert step.chosen == (step.split1 if side == 1 else step.split2)
        elif step.kind != "stop":
            assert step.imp1 is not None
            assert step.imp2 is not None
            assert step.imp12 is not None
            if alpha is None:
                parts = step.imp1 == 0 or step.imp2 == 0
            else:
                parts = step.imp1 + step.imp2 <= alpha * step.imp12 + 1e-12
            assert step.kind == ("part" if parts else "share")
            assert step.chosen == (None if parts else step.split12)


@pytest.mark.parametrize("method", ["imd", "calibrated", "separate", "direct"])
@pytest.mark.parametrize("refinements", [0, 2])
def test_every_inner_node_is_a_step_after_its_parent(method: Any, refinements: int) -> None:
    d = diff("class", method=method, max_depth=4)
    d = d.refine(refinements) if refinements else d
    ids = [step.node for step in d.growth()]
    inner = {i for i, kind in zip(d.tree.ids, d.tree.kind, strict=True) if kind != 2}
    assert set(ids) == inner
    assert len(ids) == len(inner)
    for place, node in enumerate(ids):
        assert node == "r" or node[:-1] in ids[:place]
    for step in d.growth():
        assert step.rows == d.reaches(step.node).sum()
        assert step.reason.endswith(".")
        assert (step.chosen is None) == (step.kind in ("part", "stop"))


def test_impurities_are_those_of_a_naive_search() -> None:
    d = diff("class", method=imd.Imd(max_depth=3, min_samples_leaf=4))
    for step in d.growth():
        if step.imp1 is None:
            continue
        found = (step.imp1, step.imp2, step.imp12)
        assert found == pytest.approx(naive_imps(d, step, 4), abs=1e-3)


def test_reasons() -> None:
    reasons = {
        method: {step.kind: step.reason for step in diff("class", method=method).growth()}
        for method in ("imd", "calibrated", "separate", "direct")
    }
    assert "condition 6" in reasons["imd"]["share"]
    planted = diff("class", method="calibrated").growth()[0]
    assert "pruning kept it" in planted.reason
    assert reasons["separate"]["part"].startswith("They part at the root")
    assert reasons["direct"]["stop"].startswith("They stop: this method grows one tree")
    with_alpha = diff("class", method=imd.Imd(alpha=0.5)).growth()
    assert "times imp12, > alpha = 0.5 (condition 5 of the paper)" in with_alpha[0].reason
    shallow = diff("class", method=imd.Imd(max_depth=1)).growth()
    assert {s.reason for s in shallow if s.kind == "stop"} <= {
        "They stop: the depth limit of 1 is reached.",
        "They stop: each model gives one output on these rows.",
    }


def test_a_model_that_is_pure_needs_no_split_to_be_so() -> None:
    """Model 1 gives one output on all rows, and a split makes model 2 pure."""
    X = np.arange(200.0)[:, None]
    d = imd.diff(np.zeros(200, int), (X[:, 0] > 99) * 1, X, method="imd", names=("A", "B"))
    [root, *_] = d.growth()
    assert root.reason == (
        "They part: imp1 and imp2 are 0: A gives one output on all of these rows, and a split "
        "leaves one output of B on each side (condition 6 of the paper)."
    )


def splits_of(step: GrowthStep) -> tuple[str | None, ...]:
    return step.split1, step.split2, step.split12


def test_a_page_names_no_split_that_the_tree_does_not_have() -> None:
    d = diff("class", method="imd")
    held = contents(d, (), 1, 0)
    assert held.growth is not None
    named = {step.chosen for step in held.growth}
    for step, full in zip(held.growth, d.growth(), strict=True):
        assert (step.imp1, step.imp2, step.imp12) == (full.imp1, full.imp2, full.imp12)
        for split, whole in zip(splits_of(step), splits_of(full), strict=True):
            if whole in named:
                assert split == whole
            elif whole is not None:  # the column, without its threshold
                assert split == f"{whole.split()[0]} …"
    assert any(str(split).endswith("…") for step in held.growth for split in splits_of(step))
    assert "growth" not in held.steps[held.at].lacks
    assert all("growth" in view.lacks for view in held.steps[1:])


def test_a_diff_from_a_file_names_the_reason(tmp_path: Any) -> None:
    path = tmp_path / "d.json"
    diff("class").save(path)
    with pytest.raises(imd.InputError, match="holds neither rows"):
        imd.load(path).growth()
