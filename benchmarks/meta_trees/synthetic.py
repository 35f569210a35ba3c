"""The synthetic tasks of the paper's section 4: a random tree of depth two over ten columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from imd_widget.learners import MetaTreeClassifier
from imd_widget.learners.meta_trees.forest import Rows
from imd_widget.learners.meta_trees.growth import Examples, grow

N_COLUMNS, SKEW = 10, 1.3
SIZES = (5, 10, 20, 30, 50)
#: Smallest and largest number of rows of a task to learn from.
TASK_ROWS = (10, 80)
BATCH_SIZE = 128


def tasks(n_tasks: int, n_rows: Any, seed: int) -> tuple[Any, Any, Any]:
    """Rows, labels and the task of each row; ``n_rows`` of each task, or drawn from a range."""
    rng = np.random.default_rng(seed)
    weights = SKEW ** np.arange(1, N_COLUMNS + 1)
    rows, labels, task = [], [], []
    for at in range(n_tasks):
        n = int(n_rows if np.isscalar(n_rows) else rng.integers(*n_rows))
        x = rng.normal(size=(n, N_COLUMNS))
        i1, i2, i3 = rng.choice(N_COLUMNS, 3, replace=False, p=weights / weights.sum())
        rows.append(x)
        labels.append(np.where(x[:, i1] > 0, x[:, i2] > 0, x[:, i3] > 0).astype(int))
        task.append(np.full(n, at))
    return np.concatenate(rows), np.concatenate(labels), np.concatenate(task)


def measure(
    depth: int, *, n_tasks: int = 3000, n_new: int = 400, n_test: int = 200, **options: Any
) -> dict[str, Any]:
    """Accuracy on tasks never seen, by the number of examples, of meta, local and global trees.

    For meta and local trees also the mean number of inner nodes.
    """
    X, y, task = tasks(n_tasks, (TASK_ROWS[0], TASK_ROWS[1] + 1), seed=1)
    trees = MetaTreeClassifier(**{"depth": depth, "batch_size": BATCH_SIZE, **options}).fit(
        X, y, groups=task
    )
    whole = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    names = ("meta", "local", "global", "meta inner", "local inner")
    found: dict[str, Any] = {name: [] for name in names}
    for size in SIZES:
        X_new, y_new, new = tasks(n_new, size + n_test, seed=100 + size)
        first = (np.arange(len(new)) % (size + n_test)) < size
        examples = _examples(trees, X_new[first], y_new[first], new[first], n_new)
        forest = grow(trees.parameters_, trees.architecture_, trees.features_, examples)
        rows = _as_rows(trees, X_new[~first])
        said = forest.predict_hard(new[~first], rows).argmax(axis=1)
        found["meta"].append(float((said == y_new[~first]).mean()))
        found["global"].append(float((whole.predict(X_new[~first]) == y_new[~first]).mean()))
        found["meta inner"].append(float(n_inner(forest).mean()))
        right = inner = 0
        for at in range(n_new):
            own, asked = first & (new == at), ~first & (new == at)
            tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
            tree.fit(X_new[own], y_new[own])
            inner += tree.tree_.node_count // 2
            right += int((tree.predict(X_new[asked]) == y_new[asked]).sum())
        found["local"].append(right / (n_new * n_test))
        found["local inner"].append(inner / n_new)
    return found


def n_inner(forest: Any) -> Any:
    """Number of inner nodes of each tree that a row can reach."""
    inner = ~forest.is_leaf
    reached = np.zeros(inner.shape, dtype=bool)
    reached[:, 0] = True
    for child in range(1, inner.shape[1]):
        parent = (child - 1) // 2
        reached[:, child] = reached[:, parent] & inner[:, parent]
    return (reached & inner).sum(axis=1)


def _as_rows(trees: MetaTreeClassifier, X: Any) -> Rows:
    from imd_widget.data.table import open_table
    from imd_widget.learners.meta_trees.estimators import _rows

    return _rows(open_table(X), trees.features_)


def _examples(trees: MetaTreeClassifier, X: Any, y: Any, task: Any, n: int) -> Examples:
    encoded = trees.targets_.encoded(y, len(y))
    return Examples(_as_rows(trees, X), encoded.seen, encoded.outcomes, task, n)
