"""The benchmark of other rule learners: those that need no other package, and the page."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from benchmarks.peers.learners import Task, _Binned, _prefix, cart, cart_with_our_leaves, ours
from benchmarks.peers.report import OURS, TREE, page

RNG = np.random.default_rng(0)
RAW = pd.DataFrame({"a": RNG.normal(size=600), "job": RNG.choice(["x", "y", "z"], 600)})
X = pd.get_dummies(RAW, dtype=int)
INSIDE = ((RAW["a"] > 0.3) & (RAW["job"] == "y")).to_numpy()
TASK = Task(RAW, X, np.zeros(600, int), INSIDE.astype(int))


@pytest.mark.parametrize("learner", [ours, cart, cart_with_our_leaves])
def test_a_planted_region_is_found(learner) -> None:
    fitted = learner(TASK)
    assert 1 <= fitted.n_rules <= 2
    assert np.mean(np.asarray(fitted.predict(RAW, X), dtype=bool) == INSIDE) > 0.99


def test_the_best_prefix_of_ranked_rules_is_taken() -> None:
    first = (RAW["a"] > 0.3).to_numpy() & INSIDE
    masks = [lambda raw, _: first, lambda raw, _: np.ones(len(raw), dtype=bool)]
    assert _prefix(TASK, masks).n_rules == 1
    assert not _prefix(TASK, []).predict(RAW, X).any()


def test_values_are_binned_by_quantiles_and_unknown_ones_are_apart() -> None:
    binned = _Binned.of(RAW)
    codes = binned.codes(RAW)
    assert np.bincount(codes[:, 0]).tolist() == [120] * 5
    assert binned.codes(RAW.assign(job="other"))[:, 1].tolist() == [3] * 600


def test_the_page_has_the_means_of_the_pairs_that_both_have() -> None:
    def result(kind: str, pair: str, learner: str, mcc: float | None) -> dict[str, object]:
        figures = {"mcc": mcc, "f1": 0.5, "rules": 2, "seconds": 1.0}
        own = {"error": "TimeoutError"} if mcc is None else figures
        return {"kind": kind, "pair": pair, "split": 0, "learner": learner, **own}

    found = [
        result("development", "one", OURS, 0.4),
        result("development", "two", OURS, 0.2),
        result("development", "one", TREE, 0.5),
        result("development", "two", TREE, None),
        result("kept aside", "three", OURS, 0.1),
        result("kept aside", "three", TREE, 0.1),
    ]
    text = page(found)
    [line] = [own for own in text.splitlines() if own.startswith(f"| {TREE}")][:1]
    cells = [cell.strip() for cell in line.split("|")[2:-1]]
    assert cells == ["1", "0.500", "0.400", "1", "0", "0.500", "2.0", "1.00", "1"]
    assert "One split" in text
