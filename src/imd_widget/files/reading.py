"""Plain values -> a diff, checked on the way: a file may have been changed by hand, or cut off."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from imd_widget.bars import Bars
from imd_widget.columns import Box, CategoryColumn, Column, OrderedColumn
from imd_widget.compare import ModelDiff
from imd_widget.errors import InputError
from imd_widget.files.values import from_plain
from imd_widget.files.writing import FORMAT, VERSION
from imd_widget.methods import MethodOptions
from imd_widget.metrics import Metrics
from imd_widget.options import method_options
from imd_widget.outputs import ClassOutputs, Outputs, ValueOutputs
from imd_widget.rules.conditions import Condition, condition
from imd_widget.rules.rule import Rule, RuleSet
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import NONE, Kind, Side, TreeShape
from imd_widget.tree.target import ClassTarget, Target, ValueTarget
from imd_widget.truth import Right

Plain = Mapping[str, Any]
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Stored:
    """What a file says of a diff; see `imd_widget.findings.Findings`."""

    column_names: tuple[Hashable, ...]
    options: MethodOptions
    refinements: int
    tree: JointTree
    boxes: tuple[Box, ...]
    rules: RuleSet
    metrics: Metrics
    right: Right | None
    holdout_right: Right | None
    has_own_holdout: bool
    refinable: tuple[str, ...]
    bars: Mapping[int, Bars]


def load(path: str | Path) -> ModelDiff:
    """A diff that `ModelDiff.save` wrote as JSON, without the models and without the rows.

    It is shown, plotted, saved and said as it was, and it predicts on other tables. What needs the
    rows it was made from (refining, tracing, the rows of a rule) asks for a new diff.

    Parameters
    ----------
    path : str or Path
        The ``.json`` file.

    Returns
    -------
    ModelDiff

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> import pandas as pd
    >>> import imd_widget as imd
    >>> age = np.tile(np.arange(20, 70), 8)
    >>> X = pd.DataFrame({"age": age, "job": np.repeat(["cook", "nurse"], 200)})
    >>> old = np.where(X["age"] >= 40, "yes", "no")
    >>> new = np.where(X["job"] == "cook", old, "no")
    >>> d = imd.diff(old, new, X)
    >>> with TemporaryDirectory() as folder:
    ...     again = imd.load(d.save(Path(folder, "diff.json")))
    >>> print(again.rules)
    age >= 40 and job is nurse: yes -> no (88 of 88 rows differ)
    >>> bool((again.predict(X) == d.predict(X)).all())
    True
    >>> again.has_rows
    False
    """
    path = Path(path)
    if path.suffix.lower() != ".json":
        raise InputError(
            f"{path.name!r} is no JSON file. imd.load reads what d.save('diff.json') wrote; the "
            "other formats are for people and cannot be read back."
        )
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise _not_ours(path, "it is not text in UTF-8") from error
    try:
        plain = json.loads(text)
    except json.JSONDecodeError as error:
        raise _not_ours(path, f"it is no JSON ({error})") from error
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise _not_ours(path, f'its "format" is not "{FORMAT}"')
    version = plain.get("version")
    if not isinstance(version, int) or version < 1:
        raise _not_ours(path, f'its "version" is {version!r}')
    if version > VERSION:
        raise InputError(
            f"{path.name!r} has version {version} of the format, written by "
            f"{plain.get('written_by', 'a newer release')}; this release reads up to {VERSION}. "
            "Install a newer one: pip install --upgrade imd-widget"
        )
    try:
        return diff_of(plain)
    except KeyError as error:
        raise _not_ours(path, f"it lacks {error}") from error
    except (TypeError, ValueError, IndexError, AttributeError, AssertionError) as error:
        raise _not_ours(path, str(error) or type(error).__name__) from error


def _not_ours(path: Path, why: str) -> InputError:
    return InputError(
        f"{path.name!r} cannot be read: {why}. imd.load reads what d.save('diff.json') wrote, "
        "unchanged; save the diff again."
    )


def diff_of(plain: Plain) -> ModelDiff:
    """The diff that was written."""
    columns = tuple(_column(own, at) for at, own in enumerate(plain["columns"]))
    outputs, target = _outputs(plain["outputs"]), _target(plain["counted"])
    tree = _tree(plain["nodes"], columns, outputs, target)
    boxes = tuple(_box(rule["conditions"], columns) for rule in plain["rules"])
    rules = tuple(
        _rule(rule, box, tree, outputs) for rule, box in zip(plain["rules"], boxes, strict=True)
    )
    refinable = tuple(plain["refinable"])
    _check_ids(refinable, tree)
    first, second = plain["names"]
    stored = Stored(
        column_names=tuple(column.name for column in columns),
        options=method_options(**plain["options"]),
        refinements=int(plain["refinements"]),
        tree=tree,
        boxes=boxes,
        rules=RuleSet(rules),
        metrics=_made(Metrics, plain["metrics"]),
        right=_right(plain["right"]),
        holdout_right=_right(plain["holdout_right"]),
        has_own_holdout=bool(plain["has_own_holdout"]),
        refinable=refinable,
        bars={
            at: _made(Bars, node["bars"])
            for at, node in enumerate(plain["nodes"])
            if node["kind"] == "split"
        },
    )
    return ModelDiff((str(first), str(second)), stored)


def _column(plain: Plain, position: int) -> Column:
    name, unique = from_plain(plain["name"]), bool(plain["unique"])
    has_missing = bool(plain["has_missing"])
    if plain["kind"] == "category":
        return CategoryColumn(
            name,
            position,
            tuple(map(from_plain, plain["categories"])),
            has_missing,
            complete=bool(plain["complete"]),
            unique=unique,
        )
    dtype = np.dtype(plain["dtype"])
    if plain["kind"] != "ordered" or dtype.kind not in "iufmM":
        raise ValueError(f"the column {name!r} is {plain['kind']!r} of {plain['dtype']!r}")
    thresholds = np.array(plain["thresholds"], dtype=np.int64 if dtype.kind in "mM" else dtype)
    if thresholds.ndim != 1 or not (thresholds[1:] > thresholds[:-1]).all():
        raise ValueError(f"the thresholds of {name!r} do not increase")
    order = plain["order"]
    return OrderedColumn(
        name,
        position,
        thresholds.view(dtype) if dtype.kind in "mM" else thresholds,
        has_missing,
        categories=None if order is None else tuple(map(from_plain, order)),
        timezone="UTC" if plain["with_timezone"] else None,
        python_dates=bool(plain["python_dates"]),
        unique=unique,
    )


def _outputs(plain: Plain) -> Outputs:
    if plain["kind"] != "class":
        return _made(ValueOutputs, plain)
    labels = tuple(map(from_plain, plain["labels"]))
    names = tuple(map(str, plain["class_names"]))
    if len(labels) != len(names):
        raise ValueError(f"there are {len(labels)} labels and {len(names)} class names")
    return ClassOutputs(labels, names)


def _target(plain: Plain) -> Target:
    return _made(ClassTarget if "n_labels" in plain else ValueTarget, plain)


def _tree(
    nodes: Sequence[Plain], columns: tuple[Column, ...], outputs: Outputs, target: Target
) -> JointTree:
    """Ids are ways from the root, so they tell the form."""
    if isinstance(target, ClassTarget) != isinstance(outputs, ClassOutputs):
        raise ValueError("outputs and counts are of different kinds")
    ids = [str(node["id"]) for node in nodes]
    number = {name: at for at, name in enumerate(ids)}
    if len(number) != len(ids) or not ids or ids[0] != "r":
        raise ValueError("the ids of the nodes are not those of a tree")
    kinds = [Kind[node["kind"].upper()] for node in nodes]
    size = len(ids)
    parent = np.full(size, NONE, dtype=np.int32)
    children = np.full((size, 2), NONE, dtype=np.int32)
    side = np.zeros(size, dtype=np.int8)
    for at in range(1, size):
        above = number.get(ids[at][:-1], size)
        branches = {Kind.SPLIT: "yn", Kind.OR: "12"}.get(kinds[above] if above < at else Kind.LEAF)
        if branches is None or ids[at][-1] not in branches:
            raise ValueError(f"the node {ids[at]!r} hangs nowhere")
        which = branches.index(ids[at][-1])
        parent[at], children[above, which] = above, at
        side[at] = which + 1 if kinds[above] == Kind.OR else side[above]
        if kinds[at] == Kind.OR and side[at] != Side.SHARED:
            raise ValueError(f"the or-node {ids[at]!r} lies below another one")
    for at, kind in enumerate(kinds):
        if (kind != Kind.LEAF) == (NONE in children[at].tolist()):
            raise ValueError(f"the node {ids[at]!r} lacks a branch")
        if kind == Kind.LEAF and side[at] == Side.SHARED:
            raise ValueError(f"the leaf {ids[at]!r} belongs to no model")
    asked = [_question(node, columns) for node in nodes]
    shape = TreeShape(
        columns=columns,
        kind=np.array(kinds, dtype=np.int8),
        side=side,
        parent=parent,
        children=children,
        column=np.array([one[0] for one in asked], dtype=np.int32),
        cut=np.array([one[1] for one in asked], dtype=np.int32),
        missing=np.array([one[2] for one in asked], dtype=bool),
    )
    counts = np.array([node["counts"] for node in nodes], dtype=np.int64)
    n_sums = 4 if isinstance(target, ValueTarget) else 0
    sums = np.array([node["sums"] for node in nodes], dtype=np.float64).reshape(size, -1)
    if counts.shape != (size, target.n_counts) or sums.shape != (size, n_sums):
        raise ValueError("the counts of the nodes have another form than the outputs")
    return JointTree.over(shape, target, outputs, counts, sums)


def _question(node: Plain, columns: Sequence[Column]) -> tuple[int, int, bool]:
    if node["kind"] != "split":
        return NONE, NONE, False
    column, cut = int(node["column"]), int(node["cut"])
    if not 0 <= column < len(columns) or not 0 <= cut < columns[column].n_codes:
        raise ValueError(f"the node {node['id']!r} asks about what no column has")
    return column, cut, bool(node["missing_says_yes"])


def _box(conditions: Sequence[Plain], columns: Sequence[Column]) -> dict[int, int]:
    """The codes that conditions leave open."""
    return {
        int(plain["column"]): _codes(plain, columns[int(plain["column"])]) for plain in conditions
    }


def _codes(plain: Plain, column: Column) -> int:
    missing = 1 << column.n_values
    every = missing - 1
    if "is_missing" in plain:
        return missing if plain["is_missing"] else every
    if isinstance(column, OrderedColumn):
        low, high = (_place(column, from_plain(plain[end])) for end in ("low", "high"))
        below = every if high is None else (1 << (high + 1)) - 1
        values = below & ~((1 << (low + 1)) - 1 if low is not None else 0)
    else:
        negated = "not_one_of" in plain
        named = map(from_plain, plain["not_one_of" if negated else "one_of"])
        bits = sum(1 << column.categories.index(value) for value in named)
        values = every & ~bits if negated else bits
    return values | missing if plain["or_missing"] else values


def _place(column: OrderedColumn, bound: Any) -> int | None:
    """Which of the thresholds a bound is."""
    if bound is None:
        return None
    if column.categories is not None:
        raw: Any = column.categories.index(bound)
    else:
        raw = bound.tz_localize(None) if getattr(bound, "tzinfo", None) is not None else bound
    found = np.flatnonzero(column.thresholds == np.asarray(raw, dtype=column.thresholds.dtype))
    if len(found) != 1:
        raise ValueError(f"a rule speaks of {bound!r}, which {column.name!r} has no threshold for")
    return int(found[0])


def _rule(plain: Plain, box: Box, tree: JointTree, outputs: Outputs) -> Rule:
    parts = {name: plain[name] for name in Rule.__dataclass_fields__}
    leaves = tuple((str(one), str(two)) for one, two in plain["leaves"])
    _check_ids([plain["node"], *plain["nodes"], *(leaf for pair in leaves for leaf in pair)], tree)
    first, second = map(from_plain, plain["outcomes"])
    if isinstance(outputs, ClassOutputs) and not {first, second} <= set(outputs.labels):
        raise ValueError(f"a rule speaks of {first!r} and {second!r}, which are no labels")
    conditions: tuple[Condition, ...] = tuple(
        condition(tree.columns[at], codes) for at, codes in box.items()
    )
    parts |= {
        "conditions": conditions,
        "outcomes": (first, second),
        "said": tuple(map(str, plain["said"])),
        "right": _right(plain["right"]),
        "holdout_right": _right(plain["holdout_right"]),
        "nodes": tuple(plain["nodes"]),
        "leaves": leaves,
    }
    return Rule(**parts)


def _check_ids(ids: Sequence[str], tree: JointTree) -> None:
    unknown = set(ids) - set(tree.ids)
    if unknown:
        raise ValueError(f"there is no node {sorted(unknown)[0]!r}")


def _right(plain: Plain | None) -> Right | None:
    return None if plain is None else _made(Right, plain)


def _made(kind: type[T], plain: Plain) -> T:
    """A dataclass from its fields; lists become the tuples that they were."""
    return kind(**{name: _tupled(value) for name, value in plain.items()})


def _tupled(value: Any) -> Any:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value
