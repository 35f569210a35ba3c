# ruff: noqa: E501 - the text of the page is as wide as the other pages
"""Table 1 of the paper beside ours: three datasets, meta trees and what they are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.markdown import table, wrapped
from benchmarks.meta_trees.published import DATASETS
from benchmarks.meta_trees.runs import table_jobs

Results = dict[str, Any]

NAMES = {
    "u1": "MovieLens-100K",
    "ml1m": "MovieLens-1M",
    "jester5k": "Jester5k",
}
#: What the data are, and how they differ from the paper's.
ABOUT = {
    "u1": "The fold u1, as in the paper: 80,000 ratings of 943 users to learn from. Columns: genres, year, mean and number of the ratings of an item.",
    "ml1m": "900,189 ratings of 6,040 users to learn from, a random tenth to measure on, as in the paper. Titles and genres could not be joined, so the "
    "only columns are the mean and the number of the ratings of an item; the paper also has genres and the year.",
    "jester5k": "The public sample of 5,000 users and 100 jokes of dataset 1, at least 36 ratings each, a random tenth to measure on. The paper has dataset 2: "
    "26,151 users and 140 jokes. Its figures are of the same kind, not of the same rows. Columns: lengths, 50 words, mean and number of the ratings.",
}
BASELINES = {
    "global tree": "global tree",
    "local trees": "local trees",
    "knn trees": "trees of the k nearest users",
    "boosted trees": "boosted trees",
    "boosted trees, users": "boosted trees, with the user's mean, spread and number",
    "means": "user mean + item mean - mean",
    "line": "a line per user on the item's mean rating",
    "linear models": "a linear model per user, all columns",
    "matrix factorisation": "our matrix factorisation",
    "svd": "SVD",
    "svd++": "SVD++",
}
TREES = {
    "evidence": ("meta trees, the default", ""),
    "rich": ("meta trees, `max_repeats=2`", ""),
    "dynamic, evidence": ("dynamic meta trees", "dynamic "),
}


def write_table_1(results: Mapping[str, Results], out: Path, seeds: int) -> None:
    """Write the page into a folder; ``results`` are by dataset.

    The section of a dataset without results stays as it is.
    """
    page = out / "evidence-meta-trees-table-1.md"
    before = page.read_text(encoding="utf-8") if page.is_file() else ""
    sections = [
        _dataset(name, results[name], seeds) if _has_any(results.get(name)) else kept(before, name)
        for name in NAMES
    ]
    out.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join([_head(), *sections]), encoding="utf-8")


def _has_any(results: Results | None) -> bool:
    """Whether a baseline or a training was measured."""
    return bool(results) and any(own for own in (results or {}).values())


def kept(page: str, name: str) -> str:
    """The section of a dataset in the present page; one without figures if there is none."""
    _, found, rest = page.partition(f"## {NAMES[name]}\n")
    if not found:
        return _dataset(name, {}, 0)
    return (found + rest.split("\n## ")[0]).rstrip("\n") + "\n"


def _head() -> str:
    return """# Evidence: Table 1 of meta decision trees

Measured by `python -m benchmarks.meta_trees`, which can be stopped and goes on where it was. [Meta decision trees](meta-trees.md)
describes the method, and [the other page](evidence-meta-trees.md) the controls and ablations on MovieLens-100K. "Paper" is Shulman and
Wolf (2020). Figures with brackets are the mean and the standard deviation over seeds; all others are one seed. Trees have a depth of 3,
dynamic ones of at most 5. The mean rating of an item is shrunk towards that of all items, as if by 5 more ratings.

Trees of the k nearest users are measured on the ratings of 500 random users of a large dataset; users are near if the angle between their
vectors of the matrix factorisation is small. Depths, penalties and sizes of the baselines were chosen on a split of the training part; the paper chose its own on the test part. *A line
per user* and *a linear model per user* are random-effects models: the coefficients of each user are drawn towards the mean of all users as
far as the likelihood supports. A line is the simplest readable model of this kind: a tree that is less accurate than the line has no
advantage over it. SVD and SVD++ are those of scikit-surprise with its defaults.
"""


def _dataset(name: str, results: Results, seeds: int) -> str:
    rows = [["", "RMSE", "MAE", "paper RMSE", "paper MAE"]]
    paper = DATASETS[name]
    for tree, (words, prefix) in TREES.items():
        found = [
            results[job.file]
            for job in table_jobs(name, seeds)
            if job.name == tree and job.file in results
        ]
        for routing in ("soft", "hard"):
            cells = [_cell([one[f"{routing}_{m}"] for one in found]) for m in ("rmse", "mae")]
            rows.append([f"{words}, {routing}", *cells, *_figures(paper.get(f"{prefix}{routing}"))])
    baselines = results.get("baselines", {})
    for key, words in BASELINES.items():
        own = baselines.get(key)
        if own is None and key not in paper:
            continue
        cells = _figures(None if own is None else (own["rmse"], own["mae"]), "not run")
        rows.append([words, *cells, *_figures(paper.get(key))])
    return f"""## {NAMES[name]}

{wrapped(ABOUT[name])}

{table(rows)}

{_findings(name, results, seeds)}
"""


def _findings(name: str, results: Results, seeds: int) -> str:
    jobs = [
        job for job in table_jobs(name, seeds) if job.name == "evidence" and job.file in results
    ]
    found = [results[job.file] for job in jobs]
    if not found:
        return "Meta trees were not run."
    line = results.get("baselines", {}).get("line", {}).get("rmse")
    sentences = []
    for routing in ("soft", "hard"):
        ours = [one[f"{routing}_rmse"] for one in found]
        gap = float(np.mean(ours)) - DATASETS[name][routing][0]
        against = ""
        if line is not None:
            apart = float(np.mean(ours)) - line
            against = f", and {abs(apart):.3f} {'above' if apart > 0 else 'below'} that of a line per user"
        side = "above" if gap > 0 else "below"
        sentences.append(
            f"With {routing} routing the RMSE is {abs(gap):.3f} {side} the paper's{against}."
        )
    linear = results.get("baselines", {}).get("linear models", {}).get("rmse")
    if linear is not None and linear > DATASETS[name]["soft"][0]:
        sentences.append(
            f"A linear model per user on all of our columns has {linear:.3f}, which is above the paper's soft routing: the paper's figure is probably out "
            "of reach with these rows and columns."
        )
    seconds = ", ".join(f"{one['fit_s']:.0f} s" for one in found)
    memory = max(one.get("peak_mb", 0) for one in found)
    leaves = ", ".join(f"{one['questions']['leaves']:.1f}" for one in found)
    nearest = results.get("baselines", {}).get("knn trees", {}).get("choice")
    if nearest is not None:
        sentences.append(f"The trees of the nearest users take k = {nearest:g} of them.")
    steps = found[0]["settings"].get("max_iter", 600)
    seeds_run = ", ".join(str(job.seed) for job in jobs)
    sentences.append(
        f"{'Seed' if len(jobs) == 1 else 'Seeds'} {seeds_run}: {steps:,} steps in {seconds}, with at most {memory:,.0f} MB, on a machine that was busy with "
        f"other work; {leaves} leaves in a tree on average."
    )
    asked = found[0]["questions"]["asked"]
    most = ", ".join(
        f"{k} {100 * v:.1f} %" for k, v in sorted(asked.items(), key=lambda kv: -kv[1])[:3]
    )
    sentences.append(f"The questions of the trees (seed {jobs[0].seed}): {most}.")
    return wrapped(" ".join(sentences))


def _cell(values: list[float]) -> str:
    if not values:
        return "not run"
    mean = f"{np.mean(values):.3f}"
    return mean if len(values) == 1 else f"{mean} ({np.std(values, ddof=1):.3f})"


def _figures(pair: tuple[float, float] | None, absent: str = "") -> list[str]:
    return [absent] * 2 if pair is None else [f"{value:.3f}" for value in pair]
