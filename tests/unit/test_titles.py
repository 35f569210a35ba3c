"""The title of a rule: every number in it is recounted from the differing rows."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget.rules.languages import rule_text

N = 1000


def diff_with(pairs: dict[tuple[Any, Any], float], **options: Any) -> imd.ModelDiff:
    """A diff with one rule, x >= 5, inside which the outcome pairs have these shares."""
    X = pd.DataFrame({"x": np.arange(N) // 100})
    first, second = np.full(N, "a", dtype=object), np.full(N, "a", dtype=object)
    inside = np.arange(N // 2, N)
    ends = np.cumsum([round(share * len(inside)) for share in pairs.values()])
    spread = np.random.default_rng(0).permutation(len(inside))
    for (one, two), rows in zip(pairs, np.split(spread, ends[:-1]), strict=True):
        first[inside[rows]], second[inside[rows]] = one, two
    options = {"names": ("old", "new"), "test_size": 0, "measure": "none", **options}
    return imd.diff(first, second, X, **options)


def title_of(pairs: dict[tuple[Any, Any], float]) -> str:
    d = diff_with(pairs)
    [rule] = d.rules
    return str(rule.title)


@pytest.mark.parametrize(
    "pairs, title",
    [
        ({("a", "b"): 1}, "a -> b"),
        ({("a", "b"): 0.98, ("b", "a"): 0.02}, "mostly a -> b (98 %)"),
        ({("a", "b"): 0.76, ("b", "a"): 0.24}, "mostly a -> b (76 %)"),
        ({("a", "b"): 0.74, ("b", "a"): 0.26}, "a -> b (74 %) or b -> a (26 %)"),
        ({("a", "b"): 0.51, ("b", "a"): 0.49}, "a -> b (51 %) or b -> a (49 %)"),
        (
            {("a", "b"): 0.5, ("b", "c"): 0.45, ("c", "d"): 0.05},
            "mostly a -> b (50 %) or b -> c (45 %)",
        ),
        ({("a", "b"): 0.55, ("b", "c"): 0.25, ("c", "d"): 0.2}, "mostly a -> b (55 %)"),
        (
            {("a", "b"): 0.4, ("b", "c"): 0.3, ("c", "d"): 0.3},
            "3 different outcomes, most often a -> b (40 %)",
        ),
    ],
)
def test_a_title_names_what_most_differing_rows_have(
    pairs: dict[tuple[Any, Any], float], title: str
) -> None:
    assert title_of(pairs) == title


def test_the_number_of_outcomes_is_counted_beyond_those_that_are_listed() -> None:
    letters = "abcdefghijklm"
    pairs = dict.fromkeys(pairwise(letters), 1 / 12)
    [rule] = diff_with(pairs).rules
    assert rule.n_outcomes == 12
    assert len(rule.outcome_pairs) < 12
    assert str(rule.title).startswith("12 different outcomes, most often ")
    assert "12 different outcomes, most often old " in str(imd.RuleSet((rule,), ("old", "new")))


@pytest.mark.parametrize("method", ["calibrated", "direct", "imd", "separate"])
@pytest.mark.parametrize("seed", range(3))
def test_every_title_is_true_of_the_differing_rows(method: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 4, size=(600, 3)), columns=list("pqr"))
    first = (X["p"] + (rng.random(600) < 0.2)).to_numpy() % 4
    second = np.where(X["q"] > 1, rng.integers(0, 4, 600), first)
    options = {"method": method, "test_size": 0, "measure": "none", "outputs": "class"}
    d = imd.diff(first, second, X, **options)
    assert len(d.rules)
    for rule in d.rules:
        rows = rule.mask(X) & (first != second)
        said = Counter(f"{a} -> {b}" for a, b in zip(first[rows], second[rows], strict=True))
        check_title(str(rule.title), said)


def check_title(title: str, said: Counter[str]) -> None:
    """Recount what a title states."""
    total = said.total()
    named = re.findall(r"(\d -> \d)(?: \((\d+) %\))?", title)
    before = title.split(named[0][0])[0].strip()
    if before == "predicted":
        assert not total
        return
    shares = [said[pair] / total for pair, _ in named]
    assert shares == sorted(shares, reverse=True)
    assert said.most_common(1)[0][1] == said[named[0][0]]
    for (_, percent), share in zip(named, shares, strict=True):
        assert abs(int(percent or 100) - 100 * share) <= 0.5
    if before == "":
        assert sum(shares) == pytest.approx(1)
    elif before == "mostly":
        assert 0.5 <= sum(shares) < 1
    else:
        assert before == f"{len(said)} different outcomes, most often"
        assert shares[0] < 0.5


def test_text_frame_view_and_files_have_one_title(tmp_path: Path) -> None:
    d = diff_with({("a", "b"): 0.52, ("b", "a"): 0.48})
    both = "old a -> new b (52 %) or old b -> new a (48 %) (500 of 500 rows differ"
    assert both in str(d.rules)
    title = "a -> b (52 %) or b -> a (48 %)"
    assert list(d.rules.to_frame()["outcome"]) == [title]
    assert list(pd.read_csv(d.save(tmp_path / "diff.csv"))["outcome"]) == [title]
    markdown = d.save(tmp_path / "diff.md").read_text(encoding="utf-8")
    assert "| rule | where | old → new | rows | differ |" in markdown
    assert "| a → b (52 %) or b → a (48 %) |" in markdown
    loaded = imd.load(d.save(tmp_path / "diff.json"))
    assert [str(rule.title) for rule in loaded.rules] == [title]
    [rule] = d.to_dict()["rules"]
    assert (rule["title_before"], rule["title_pairs"], rule["title_more"]) == (
        "",
        [0, 1],
        "either way",
    )
    assert rule["others"][0]["outcomes"] == [1, 0]


def test_values_have_one_title_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.random(N)})
    first = rng.normal(100, 1, N)
    apart = np.where(rng.random(N) < 0.5, 20.0, -20.0)
    second = first + np.where(X["x"] > 0.5, apart, 0)
    d = imd.diff(first, second, X, names=("old", "new"), tolerance=5, measure="none", test_size=0)
    markdown = d.save(tmp_path / "diff.md").read_text(encoding="utf-8")
    assert "more than 5 apart either way, on average about 100 and about " in markdown
    assert all("either way" in text for text in d.rules.to_frame()["outcome"])


def test_a_file_without_the_number_of_outcomes_is_read(tmp_path: Path) -> None:
    letters = "abcdefghijklm"
    pairs = dict.fromkeys(pairwise(letters), 1 / 12)
    path = diff_with(pairs).save(tmp_path / "diff.json")
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r'"n_outcomes": ?\d+,', "", text), encoding="utf-8")
    [rule] = imd.load(path).rules
    assert rule.n_outcomes is None
    assert str(rule.title).startswith("several different outcomes, most often ")


def test_a_rule_of_agreement_says_so() -> None:
    first = np.arange(400) % 5
    X = pd.DataFrame({"x": np.arange(400)})
    d = imd.diff(first, np.where(X["x"] < 60, first, (first + 1) % 5), X, outputs="class")
    assert {str(rule.title) for rule in d.agreement} == {"they agree"}


def test_a_rule_of_both_directions_names_them_once() -> None:
    X = pd.DataFrame({"x": np.arange(100)})
    one = np.where(X["x"] % 5 < 2, "bad", "good")
    other = np.where(X["x"] < 60, one, np.where(one == "bad", "good", "bad"))
    [rule] = imd.diff(one, other, X, names=("RF", "LR"), measure="none").rules
    text = rule_text(rule, ("RF", "LR"))
    assert "RF good -> LR bad (60 %) or RF bad -> LR good (40 %) (40 of 40 rows differ" in text
    assert text.count("->") == 2
