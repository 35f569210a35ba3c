# ruff: noqa: E501 - the text of the page is as wide as the other pages
"""``python -m benchmarks.local_models.tree_size``: why the paper's trees are smaller than ours."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.local_models.c45 import C45
from benchmarks.local_models.published import TABLE
from benchmarks.local_models.tables import DATASETS, FOLDS, QUICK, load, split
from benchmarks.local_models.trees import pruned_tree
from benchmarks.markdown import table, wrapped

NOTHING = {"wide_sides": False, "penalty": False, "ratio": False, "raising": False}
#: Each tree has the rules of those before it.
TREES: dict[str, Callable[[], Any]] = {
    "the evidence's tree (scikit-learn, pessimistic pruning)": pruned_tree,
    "C4.5: growth by gain, collapse, pessimistic pruning": lambda: C45(**NOTHING),
    "+ both sides need a tenth of the cases for each class, from 2 to 25": lambda: C45(
        **{**NOTHING, "wide_sides": True}
    ),
    "+ the gain of a threshold is reduced by the bits that choose it": lambda: C45(
        ratio=False, raising=False
    ),
    "+ columns are ranked by gain ratio": lambda: C45(raising=False),
    "+ a subtree may be replaced by its larger branch: all of C4.5": C45,
}


def measure(name: str, repeats: int) -> dict[str, Any]:
    """Mean nodes, depth and test error of each tree over folds."""
    data, start = load(name), time.perf_counter()
    found: dict[str, list[list[float]]] = {words: [] for words in TREES}
    for repeat in range(repeats):
        for fold in range(FOLDS):
            train, test = split(data, repeat, fold)
            X, X_test = (data.X.iloc[rows].to_numpy(dtype=float) for rows in (train, test))
            for words, make in TREES.items():
                tree = make().fit(X, data.y[train])
                wrong = float((tree.predict(X_test) != data.y[test]).mean())
                found[words].append([2 * tree.get_n_leaves() - 1, tree.get_depth(), wrong])
    means = {words: np.mean(rows, axis=0).tolist() for words, rows in found.items()}
    return {"trees": means, "repeats": repeats, "seconds": time.perf_counter() - start}


def write_page(found: dict[str, dict[str, Any]], folder: Path) -> None:
    """Write the page into a folder."""
    rows = [["nodes (test error)", *found]]
    for words in TREES:
        cells = [one["trees"][words] for one in found.values()]
        rows.append([words, *(f"{nodes:.1f} ({error:.3f})" for nodes, _, error in cells)])
    paper = [TABLE.get(name, (None,))[0] for name in found]
    rows.append(
        [
            "the paper",
            *("" if one is None else f"{one.nodes:.1f} ({one.error:.3f})" for one in paper),
        ]
    )
    runs = "; ".join(
        f"{name} {one['repeats']}, {one['seconds']:.0f} s" for name, one in found.items()
    )
    text = f"""# Evidence: the size of C4.5's trees

Measured by `python -m benchmarks.local_models.tree_size`. The trees of [the evidence on local models](evidence-local-models.md) are
larger than those that the paper prints for iteration 1, most of all on diabetes. This page adds the rules of C4.5 (Release 8) one by one,
in an implementation of ours for columns of numbers. Means over five folds, whose seed is the number of the repetition. Repetitions and
time: {runs}.

{table(rows)}

{wrapped(_finding(found))}
"""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "evidence-tree-size.md").write_text(text, encoding="utf-8")


def _finding(found: dict[str, dict[str, Any]]) -> str:
    names = list(TREES)
    nodes = {name: [one["trees"][words][0] for words in names] for name, one in found.items()}
    steps = {
        at: np.mean([np.log(n[at] / n[at - 1]) for n in nodes.values()])
        for at in range(2, len(names))
    }
    most = min(steps, key=lambda at: steps[at])
    public = [name for name in found if name in TABLE]
    gaps = "; ".join(
        f"{name} {nodes[name][0]:.0f} to {nodes[name][-1]:.0f}, the paper {TABLE[name][0].nodes:.0f}"
        for name in public
    )
    return (
        f"The rule that matters most is *{names[most].removeprefix('+ ')}*: it changes the number of nodes by {100 * (np.exp(steps[most]) - 1):.0f} % "
        f"(geometric mean), the others by {', '.join(f'{100 * (np.exp(v) - 1):+.0f} %' for at, v in steps.items() if at != most)}. It is a rule of growth, "
        f"and not of pruning, that scikit-learn's trees do not have. Nodes in all: {gaps or 'no dataset of the paper'}. What is left may be the paper's folds, its version of "
        "C4.5 or its options, none of which it prints."
    )


def main(arguments: list[str] | None = None) -> None:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.local_models.tree_size")
    parser.add_argument("--quick", action="store_true", help="one dataset of scikit-learn")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path("docs"))
    parser.add_argument("--cache", type=Path, default=Path("out") / "tree-size")
    given = parser.parse_args(arguments)
    found = {}
    for name in (QUICK,) if given.quick else DATASETS:
        path = given.cache / f"{name}.json"
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            repeats = 1 if given.quick or name == "covtype" else given.repeats
            path.write_text(json.dumps(measure(name, repeats), indent=1))
        found[name] = json.loads(path.read_text())
        print(name, found[name]["trees"], flush=True)
    write_page(found, given.out)


if __name__ == "__main__":
    main()
