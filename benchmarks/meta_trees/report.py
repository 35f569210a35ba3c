# ruff: noqa: E501 - the text of the page is as wide as the other pages
"""The evidence page: every figure in it comes from the results of the runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.markdown import table
from benchmarks.meta_trees import personal
from benchmarks.meta_trees.differences import (
    APART,
    Ablated,
    disagreements,
    settings_table,
    synthetic_differences,
)
from benchmarks.meta_trees.published import TABLE_1, TABLE_2
from benchmarks.meta_trees.ratings import Ratings
from benchmarks.meta_trees.runs import ABLATIONS, CHOICES, SENSITIVITY, VARIANTS, Job
from benchmarks.meta_trees.synthetic import SIZES
from benchmarks.meta_trees.table_1 import BASELINES

Results = dict[str, Any]
NOT_RUN = "not run"

#: What a row of the tables is called in the page.
WORDS = {
    "main": "the paper's form, but half of the loss routed hard (`evidence=False`)",
    "semi-sparse": "1. semi-sparse: rules not reduced to one column",
    "no sparse norm": "2. no sparsity term",
    "mean leaves": "3. mean leaves, no g",
    "without r": "4. f and g see r_I alone",
    "without beta": "5. beta = 1",
    "signed": "6. beta = 1, negative weights allowed",
    "one-hot": "7. one-hot weights in the training",
    "hard loss": "8. the whole loss routed hard",
    "train loss": "9. loss also on the rows that grow the trees",
    "loss as printed": "the loss as printed: soft routing alone",
    "dynamic": "dynamic architecture, depth up to 5",
    "dynamic, evidence": "dynamic architecture, `evidence=True`",
    "mean leaves, evidence": "mean leaves, `evidence=True`",
    "evidence": "the default: f sees candidate thresholds, `evidence=True`",
    "rich": "`evidence=True, max_repeats=2`",
    "no feature twice": "`evidence=True, max_repeats=1`",
    "paper sizes": "the paper's sizes: 512 units, λ of its sum, half of the loss routed hard",
    "paper sizes, as printed": "the paper's sizes and its loss: soft routing alone",
}


def write_report(results: Results, ratings: Ratings, out: Path, *, seeds: int, quick: bool) -> None:
    """Write the page into a folder."""
    parts = [
        _head(ratings, seeds, quick=quick),
        _in_short(results, seeds),
        differences(),
        _accuracy(results, seeds),
        _choices(results),
        _controls(results, seeds),
        _ablations(results, seeds),
        _sensitivity(results),
        _questions(results, seeds),
        _personal(results, seeds),
        _synthetic(results),
        _speed(results, seeds),
    ]
    out.mkdir(parents=True, exist_ok=True)
    (out / "evidence-meta-trees.md").write_text("\n".join(parts), encoding="utf-8")


def _head(ratings: Ratings, seeds: int, *, quick: bool) -> str:
    data = "MovieLens-100K, fold u1"
    if quick:
        data = "a made-up film club (a smoke test whose figures mean nothing)"
    return f"""# Evidence: meta decision trees

Measured by `python -m benchmarks.meta_trees`. It needs MovieLens-100K in the folder `IMD_DATA`; the data may not be
redistributed, and the command prints where to get them. [Meta decision trees](meta-trees.md) describes how the trees are
grown and trained.

The data are {data}: {len(ratings.train):,} ratings for training, {len(ratings.test):,} for testing,
{ratings.train["user"].nunique():,} users. Trees use the {ratings.items.shape[1]} columns of an item: its
genres, its year, and the mean and the number of its ratings in the training part. The mean is shrunk towards that of all
items, as if by 5 more ratings. "Paper" is Shulman and Wolf (2020). Figures with brackets are the mean and the standard
deviation of {seeds} seeds; all other rows are one seed.
"""


def _in_short(results: Results, seeds: int) -> str:
    """The main findings, as far as they were measured."""

    def mean(name: str, key: str) -> float:
        return float(np.mean(_of(results, name, seeds, key) or [np.nan]))

    baselines = {name: own["rmse"] for name, own in results.get("baselines", {}).items()}
    found = []
    for routing in ("soft", "hard"):
        ours, paper = mean("evidence", f"{routing}_rmse"), TABLE_1[routing][0]
        found.append(
            f"The default has an RMSE of {ours:.3f} with {routing} routing; the paper has {paper:.3f}."
        )
    if "line" in baselines:
        found.append(
            f"A line per user on the mean rating of the item has {baselines['line']:.3f}, and a linear model per user on all "
            f"columns {baselines['linear models']:.3f}: both are simpler than a tree."
        )
    other, shuffled = (mean("evidence", f"{kind} hard_rmse") for kind in ("other", "shuffled"))
    found.append(
        f"The tree of another user has {other:.3f} with hard routing, and a tree from shuffled labels {shuffled:.3f}."
    )
    asked = results.get(Job("evidence").file, {}).get("questions", {}).get("asked", {})
    found.append(
        f"{100 * asked.get('mean_rating', np.nan):.1f} % of the splits use the mean rating of the item. The personal genres of the paper's trees are not reproduced."
    )
    lines = "\n".join(f"- {sentence}" for sentence in found)
    return f"## In short\n\n{lines}\n"


def differences() -> str:
    """What the "paper's form" here has and the paper has not."""
    return f"""## What differs from the paper

"The paper's form" is ours with `evidence=False`. It has the networks and the growth of the paper, but other sizes and
another training:

{settings_table()}

MovieLens-1M, Jester and more baselines, SVD and SVD++ among them, are in [Table 1](evidence-meta-trees-table-1.md).
"""


def _of(results: Results, name: str, seeds: int, key: str, *, split: bool = False) -> list[float]:
    found = [results.get(Job(name, seed, split).file) for seed in range(seeds)]
    return [result[key] for result in found if result is not None and key in result]


def _cell(values: list[float], digits: int = 3) -> str:
    if not values:
        return NOT_RUN
    mean = f"{np.mean(values):.{digits}f}"
    return mean if len(values) == 1 else f"{mean} ({np.std(values, ddof=1):.{digits}f})"


def _paper(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _accuracy(results: Results, seeds: int) -> str:
    rows = [["", "RMSE", "MAE", "paper RMSE", "paper MAE"]]
    kinds = {
        "main": ("the paper's form", "", seeds),
        "evidence": ("the default", "", seeds),
        "rich": ("`max_repeats=2`", "", seeds),
        "dynamic, evidence": ("dynamic, `evidence=True`", "dynamic ", 1),
    }
    for name, (words, prefix, n) in kinds.items():
        for routing in ("soft", "hard"):
            cells = [_cell(_of(results, name, n, f"{routing}_{m}")) for m in ("rmse", "mae")]
            published = map(_paper, TABLE_1[f"{prefix}{routing}"])
            rows.append([f"meta trees, {words}, {routing}", *cells, *published])
    for name, found in results.get("baselines", {}).items():
        published = map(_paper, TABLE_1.get(name, (None, None)))
        cells = [f"{found['rmse']:.3f}", f"{found['mae']:.3f}"]
        rows.append([BASELINES.get(name, name), *cells, *published])
    texts = [
        _against(words, routing, _of(results, name, seeds, f"{routing}_rmse"))
        for name, (words, _, _) in list(kinds.items())[:2]
        for routing in ("soft", "hard")
    ]
    text = "\n".join(filter(None, [*texts, _dynamic(results)]))
    return f"""## Accuracy on the test part

{table(rows)}

{text}

Matrix factorisation (ours: biased, rank 8) and SVD++ are more accurate, but not readable. The depths of the global and local
trees and the penalty of the factorisation were chosen on a split of the training part; the paper chose those of its
baselines on the test part.
"""


def _against(words: str, routing: str, ours: list[float]) -> str:
    if not ours:
        return ""
    gap = float(np.mean(ours)) - TABLE_1[routing][0]
    side = "above" if gap > 0 else "below"
    return f"With {words} and {routing} routing the RMSE is {abs(gap):.3f} {side} the paper's."


def _dynamic(results: Results) -> str:
    """The dynamic architecture in the paper's form, which the table leaves out."""
    found = [_of(results, "dynamic", 1, f"{routing}_rmse") for routing in ("soft", "hard")]
    return dynamic_sentence(found[0][0], found[1][0]) if all(found) else ""


def dynamic_sentence(soft: float, hard: float) -> str:
    """How the dynamic architecture in the paper's form does beside the paper's."""
    paper = [TABLE_1[f"dynamic {routing}"][0] for routing in ("soft", "hard")]
    return (
        f"The dynamic architecture in the paper's form (without `evidence=True`) has an RMSE of {soft:.3f} with soft "
        f"and {hard:.3f} with hard routing, where the paper has {paper[0]:.3f} and {paper[1]:.3f} (see "
        "[Ablations](#ablations))."
    )


def _choices(results: Results) -> str:
    rows = [["on a split of the training part", "soft RMSE", "hard RMSE"]]
    for name in CHOICES:
        cells = [_cell(_of(results, name, 1, f"{r}_rmse", split=True)) for r in ("soft", "hard")]
        rows.append([WORDS[name], *cells])
    return f"""## Choices

A fifth of the training part was held out, with one seed. The test part was not used for any choice. The number of steps
and the learning rate were chosen on another split of this kind.

{table(rows)}

{_chosen(results)}
"""


def _chosen(results: Results) -> str:
    hard = {n: _of(results, n, 1, "hard_rmse", split=True) for n in ("main", "evidence")}
    if not all(hard.values()):
        return ""
    better = min(hard, key=lambda name: hard[name][0])
    word = "better" if better == "evidence" else "worse"
    return (
        f"With hard routing, `evidence=True`, the default of the package, is {word} on the split than the "
        "paper's form. The paper's form is kept below for comparison with the paper."
    )


def _controls(results: Results, seeds: int) -> str:
    words = {
        "": "the user's own tree",
        "other ": "another user's tree",
        "shuffled ": "labels shuffled within the user, then grown",
    }
    kinds = {"main": "paper's form", "evidence": "the default"}
    rows = [["RMSE", *(f"{form}, {r}" for form in kinds.values() for r in ("soft", "hard"))]]
    for prefix, text in words.items():
        keys = [(name, f"{prefix}{r}_rmse") for name in kinds for r in ("soft", "hard")]
        rows.append([text, *(_cell(_of(results, name, seeds, key)) for name, key in keys)])
    means = results.get("baselines", {}).get("means", {}).get("rmse")
    simple = "" if means is None else f" User mean + item mean - mean has an RMSE of {means:.3f}."
    return f"""## Controls

{table(rows)}

A tree is specific to its user: the tree of another user is far worse. But trees from shuffled labels, which keep only the
level and spread of a user's ratings, are almost as good: most of the gain comes from the mean and the spread of a user's
ratings, applied to the mean rating of an item.{simple}
"""


def _ablations(results: Results, seeds: int) -> str:
    rows = [["", "soft", "hard", "paper soft", "paper hard"]]
    for name in ("main", "semi-sparse", *ABLATIONS, *(v for v in VARIANTS)):
        if name == "semi-sparse":
            keys = [_of(results, "main", seeds, f"semi-sparse {r}_rmse") for r in ("soft", "hard")]
        else:
            n = seeds if name in ("main", "rich", "evidence") else 1
            keys = [_of(results, name, n, f"{r}_rmse") for r in ("soft", "hard")]
        published = map(_paper, TABLE_2.get(name, (None, None)))
        rows.append([WORDS[name], *map(_cell, keys), *published])
    return f"""## Ablations

RMSE on the test part. Rows 1 to 9 are those of the paper's Table 2; the paper's figures for the dynamic architecture are
from its Table 1. The paper's main row has no hard routing in its loss. Half of our loss uses hard routing, without which
hard routing performs badly (the row "as printed").

{table(rows)}

{_disagreements(results, seeds)}

{_collapsed(results)}

Training is sensitive: another order of the same sums changes its result as much as another seed does. Read rows of one seed
with the deviations of the others in mind.
"""


def _sensitivity(results: Results) -> str:
    """The paper's appendix C: one option of the default at a time."""
    rows = [["", "soft RMSE", "hard RMSE", "leaves in a tree"]]
    soft = []
    for name in ("evidence", *SENSITIVITY):
        found = results.get(Job(name).file)
        cells = [_cell(_of(results, name, 1, f"{r}_rmse")) for r in ("soft", "hard")]
        words = "the default: width 128, depth 3" if name == "evidence" else name
        rows.append([words, *cells, f"{found['questions']['leaves']:.1f}" if found else NOT_RUN])
        soft += _of(results, name, 1, "soft_rmse")
    spread = f" With soft routing they span {max(soft) - min(soft):.3f}." if soft else ""
    return f"""## Sensitivity (appendix C)

One option of the default at a time, seed 0. The paper varies its width of 512 and its depth of 3 and finds its method largely
insensitive to both; it shows plots, without figures.{spread}

{table(rows)}
"""


def _disagreements(results: Results, seeds: int) -> str:
    rows = {}
    for name in ("main", *ABLATIONS):
        n = seeds if name == "main" else 1
        ours = [_of(results, name, n, f"{r}_rmse") for r in ("soft", "hard")]
        if all(ours):
            rows[name] = Ablated(float(np.mean(ours[0])), float(np.mean(ours[1])), *TABLE_2[name])
    return disagreements_text(rows) if "main" in rows else ""


def disagreements_text(rows: dict[str, Ablated]) -> str:
    """Where the ablations and those of the paper disagree."""
    found = list(disagreements(rows, WORDS))
    if not found:
        return f"No ablation changes the RMSE by {APART} more or less than in the paper."
    head = (
        "The paper calls all of these changes detrimental, except the eighth for hard routing. These disagree with it "
        f"by more than {APART} in soft or hard routing:"
    )
    return "\n".join([head, "", *found])


def _collapsed(results: Results) -> str:
    """Which trainings ended in trees without a question."""
    names = [
        WORDS[name]
        for name in (*ABLATIONS, *VARIANTS)
        if results.get(Job(name).file, {}).get("questions", {}).get("leaves", 2) < 1.05
    ]
    if not names:
        return ""
    return (
        f"Collapsed: {'; '.join(names)}. In these rows, every tree is one leaf: at every node all examples of "
        "a group go the same way, and no gradient leads back from there. The row shows how well a user's mean rating "
        "alone predicts. The rows with `evidence=True` were added afterwards."
    )


def _questions(results: Results, seeds: int) -> str:
    rows = [["", "questions about the mean rating", "users asked about a genre", "forms of trees"]]
    statistics = {"mean_rating", "n_ratings", "year"}
    for name in ("main", "evidence", "rich", "no feature twice"):
        found = results.get(Job(name, 0).file)
        if found is None:
            rows.append([WORDS[name], *[NOT_RUN] * 3])
            continue
        asked, users = found["questions"]["asked"], found["questions"]["users"]
        genres = max((v for k, v in users.items() if k not in statistics), default=0.0)
        about = f"{100 * asked.get('mean_rating', 0):.1f} %"
        rows.append([WORDS[name], about, f"{100 * genres:.1f} %", str(found["questions"]["forms"])])
    return f"""## What is not reproduced

The paper shows trees that split on genres for most of its users. Ours split almost always on the mean rating of the item
(seed 0; "users asked about a genre" is the share of users for the most common genre; two trees have the same form if they
split on the same columns at the same nodes):

{table(rows)}

{_price(results, seeds)}
"""


def _price(results: Results, seeds: int) -> str:
    rows = [["`max_repeats=2` against", "soft RMSE", "hard RMSE"]]
    reached = []
    for name in ("main", "evidence"):
        cells = []
        for routing in ("soft", "hard"):
            rich, plain = (_of(results, n, seeds, f"{routing}_rmse") for n in ("rich", name))
            if not rich or not plain:
                return "The price of asking about more columns was not measured in this run."
            price = float(np.mean(rich) - np.mean(plain))
            cells.append(f"{price:+.4f}")
            reached.append(price <= 0.005)
        rows.append([WORDS[name], *cells])
    asked = results[Job("rich", 0).file]["questions"]["asked"]
    most = sorted(asked.items(), key=lambda pair: -pair[1])[:3]
    shares = ", ".join(f"{column} {100 * share:.1f} %" for column, share in most)
    target = "All four meet the target." if all(reached) else "Not all four meet the target."
    return f"""`max_repeats=2` allows at most two splits on one column per path. The change of the RMSE, with a target of at most 0.005:

{table(rows)}

{target} The splits of its trees (seed 0): {shares}. The trees use more columns, but
nearly the same ones for all users; the personal genres of the paper's examples are not reproduced."""


def _personal(results: Results, seeds: int) -> str:
    """Trees of what a line per user leaves, which have genres of their own."""
    found = [one for seed in range(seeds) if (one := results.get(f"personal-{seed}"))]
    if not found:
        return "## Personal columns\n\nNot run.\n"

    def cells(prefix: str) -> list[str]:
        return [_cell([one[f"{prefix}{r}_rmse"] for one in found]) for r in ("soft", "hard")]

    line = _cell([found[0]["line_rmse"]])
    rows = [
        ["RMSE on the test part", "soft", "hard"],
        ["a line per user alone", line, line],
        ["a line and a tree of its residuals", *cells("")],
        ["the line, and another user's tree", *cells("other ")],
        ["the line, and a tree of shuffled residuals", *cells("shuffled ")],
    ]
    chosen = [["on a split of the training part", "soft RMSE", "hard RMSE"]]
    for at, words in enumerate(personal.CHOICES):
        one = results.get(f"personal-split-{at}")
        chosen.append(
            [
                words,
                *([f"{one[f'{r}_rmse']:.3f}" for r in ("soft", "hard")] if one else [NOT_RUN] * 2),
            ]
        )
    asked = found[0]["questions"]
    most = sorted(asked["users"].items(), key=lambda pair: -pair[1])[:6]
    shares = ", ".join(f"{name} {100 * share:.0f} %" for name, share in most)
    return f"""## Personal columns

The paper's trees split on genres, ours on the mean rating, which explains most. Here a line per user on the mean rating explains
it first ([Table 1](evidence-meta-trees-table-1.md)), and the trees are grown from its residuals, with the genres and the year as
their only columns. Their options were chosen by hard routing:

{table(chosen)}

With the last of them:

{table(rows)}

What a user likes is in the values of the leaves: the tree of another user is worse. The columns are not personal. By the share of
users whose tree splits on them (seed 0) they are {shares}, in {asked["forms"]} {"form" if asked["forms"] == 1 else "forms"} of
trees with {asked["leaves"]:.1f} leaves on average.
"""


def _synthetic(results: Results) -> str:
    parts = []
    words = {
        "meta": "meta trees",
        "local": "local trees",
        "global": "global tree",
        "meta inner": "inner nodes of meta trees",
        "local inner": "inner nodes of local trees",
    }
    titles = {"2": "Depth 2", "3": "Depth 3", "dynamic": "Dynamic meta trees, depth up to 4"}
    for kind, title in titles.items():
        found = results.get(f"synthetic-{kind}", {})
        rows = [["examples", *map(str, SIZES)]]
        for name, text in words.items():
            digits = 1 if name.endswith("inner") else 3
            values = [f"{v:.{digits}f}" for v in found.get(name, [])] or [NOT_RUN] * len(SIZES)
            rows.append([text, *values])
        parts.append(f"{title}:\n\n{table(rows)}\n")
    tables = "\n".join(parts)
    return f"""## Synthetic tasks

As in section 4 of the paper, the labels of a task come from a random tree of depth two over ten columns (s = 1.3). The
networks (`MetaTreeClassifier`, defaults) are trained on 3,000 tasks. The tables have the accuracy of hard routing on 400 new
tasks, by the number of examples, and the mean number of inner nodes. The paper shows its results as plots only.
{synthetic_differences()}

{tables}"""


def _speed(results: Results, seeds: int) -> str:
    def row(words: str, key: str, digits: int) -> list[str]:
        cells = []
        for name in ("main", "evidence"):
            values = _of(results, name, seeds, key)
            cells.append(f"{min(values):.{digits}f} s" if values else NOT_RUN)
        return [words, *cells]

    rows = [
        ["the fastest of the seeds", "paper's form", "the default"],
        row("training after compilation", "training_s", 1),
        row("`fit` with compilation", "fit_s", 1),
        row("growing all trees", "growing_s", 3),
        row("`tree_for` from 30 examples", "tree_for_s", 4),
        row("scikit-learn: one tree of depth 3 per user", "sklearn_s", 3),
    ]
    return f"""## Speed

{table(rows)}

Measured with `OMP_NUM_THREADS=1` and `XLA_FLAGS=--xla_cpu_multi_thread_eigen=false`, on a machine with two cores that ran
other work at the same time.
"""
