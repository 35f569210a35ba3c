"""Plain values -> a diff, checked on the way: a file may have been changed by hand, or cut off."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from imd_widget.bars import Bars
from imd_widget.columns import Box, CategoryColumn, Column, OrderedColumn
from imd_widget.compare import ModelDiff
from imd_widget.errors import InputError
from imd_widget.files.checks import fits, hints, made, shown, whole
from imd_widget.files.values import from_plain
from imd_widget.files.writing import FORMAT, VERSION
from imd_widget.methods import MethodOptions
from imd_widget.metrics import Metrics
from imd_widget.options import method_options
from imd_widget.outputs import ClassOutputs, Outputs, ValueOutputs
from imd_widget.rules.conditions import condition
from imd_widget.rules.rule import Rule, RuleSet
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import NONE, Kind, Side, TreeShape
from imd_widget.tree.target import ClassTarget, Target, ValueTarget
from imd_widget.truth import Right

Plain = Mapping[str, Any]
#: Letters of a reason that an error shows.
LONGEST_REASON = 300


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
    content = path.read_bytes()
    try:
        plain = json.loads(content.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise _not_ours(path, "it is not text in UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise _not_ours(path, f"it is no JSON ({shorter(error)})") from error
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise _not_ours(path, f'its "format" is not "{FORMAT}"')
    version = plain.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _not_ours(path, f'its "version" is {shown(version)}')
    if version > VERSION:
        writer = shorter(plain.get("written_by", "a newer release"))
        raise InputError(
            f"{path.name!r} has version {version} of the format, written by {writer}; this release "
            f"reads up to {VERSION}. Install a newer one: pip install --upgrade imd-widget"
        )
    try:
        return diff_of(plain)
    except KeyError as error:
        raise _not_ours(path, f"it lacks {shorter(error)}") from error
    except Exception as error:  # whatever a file makes of us, it is the file that is wrong
        raise _not_ours(path, shorter(error) or type(error).__name__) from error


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def shorter(text: object) -> str:
    """Of an error that may quote a whole file, the beginning."""
    words = str(text)
    return words if len(words) <= LONGEST_REASON else f"{words[:LONGEST_REASON]}…"


def _not_ours(path: Path, why: str) -> InputError:
    return InputError(
        f"{path.name!r} cannot be read: {why}. imd.load reads what d.save('diff.json') wrote, "
        "unchanged; save the diff again."
    )


def diff_of(plain: Plain) -> ModelDiff:
    """The diff that was written."""
    columns = tuple(_column(own, at) for at, own in enumerate(_list(plain, "columns")))
    outputs, target = _outputs(plain["outputs"]), _target(plain["counted"])
    nodes = _list(plain, "nodes")
    tree = _tree(nodes, columns, outputs, target)
    written = _list(plain, "rules")
    boxes = tuple(_box(_list(rule, "conditions"), columns) for rule in written)
    rules = tuple(_rule(rule, box, tree) for rule, box in zip(written, boxes, strict=True))
    refinable = tuple(_list(plain, "refinable"))
    _check_ids(refinable, tree)
    names = _list(plain, "names")
    if not fits(tuple(names), tuple[str, str]):
        raise ValueError(f"names are {shown(names)}")
    options = {name: plain["options"][name] for name in hints(MethodOptions)}
    stored = Stored(
        column_names=tuple(column.name for column in columns),
        options=method_options(**options),
        refinements=whole(plain["refinements"], "refinements", 0, 1 << 31),
        tree=tree,
        boxes=boxes,
        rules=RuleSet(rules),
        metrics=made(Metrics, plain["metrics"]),
        right=_right(plain["right"]),
        holdout_right=_right(plain["holdout_right"]),
        has_own_holdout=bool(plain["has_own_holdout"]),
        refinable=refinable,
        bars={at: _bars(node["bars"]) for at, node in enumerate(nodes) if node["kind"] == "split"},
    )
    return ModelDiff((names[0], names[1]), stored)


def _list(plain: Plain, name: str) -> list[Any]:
    value = plain[name]
    if not isinstance(value, list):
        raise ValueError(f"{name} is {shown(value)}")
    return value


def _bars(plain: Plain) -> Bars:
    bars = made(Bars, plain)
    lengths = {len(bars.same), len(bars.differ), len(bars.labels or bars.same)}
    if len(lengths) != 1:
        raise ValueError("the bars of a node are not of one length")
    return bars


def _column(plain: Plain, position: int) -> Column:
    name, unique = from_plain(plain["name"]), bool(plain["unique"])
    hash(name)
    has_missing = bool(plain["has_missing"])
    if plain["kind"] == "category":
        return CategoryColumn(
            name,
            position,
            _distinct(_list(plain, "categories"), name),
            has_missing,
            complete=bool(plain["complete"]),
            unique=unique,
        )
    dtype = np.dtype(plain["dtype"])
    if plain["kind"] != "ordered" or dtype.kind not in "iufmM":
        raise ValueError(f"the column {name!r} is {plain['kind']!r} of {plain['dtype']!r}")
    thresholds = np.array(
        _list(plain, "thresholds"), dtype=np.int64 if dtype.kind in "mM" else dtype
    )
    if thresholds.ndim != 1 or not (thresholds[1:] > thresholds[:-1]).all():
        raise ValueError(f"the thresholds of {name!r} do not increase")
    order = None if plain["order"] is None else _distinct(_list(plain, "order"), name)
    if order is not None and not ((thresholds >= 0) & (thresholds < len(order))).all():
        raise ValueError(f"a threshold of {name!r} is no place in its order")
    return OrderedColumn(
        name,
        position,
        thresholds.view(dtype) if dtype.kind in "mM" else thresholds,
        has_missing,
        categories=order,
        timezone="UTC" if plain["with_timezone"] else None,
        python_dates=bool(plain["python_dates"]),
        unique=unique,
    )


def _distinct(plain: list[Any], name: Hashable) -> tuple[Hashable, ...]:
    values = tuple(map(from_plain, plain))
    if len(set(values)) != len(values):
        raise ValueError(f"a category of {shown(name)} is there twice")
    return values


def _outputs(plain: Plain) -> Outputs:
    if plain["kind"] != "class":
        return made(ValueOutputs, plain)
    labels = _distinct(_list(plain, "labels"), "the outputs")
    names = tuple(map(str, _list(plain, "class_names")))
    if len(labels) != len(names):
        raise ValueError(f"there are {len(labels)} labels and {len(names)} class names")
    return ClassOutputs(labels, names)


def _target(plain: Plain) -> Target:
    return made(ClassTarget if "n_labels" in plain else ValueTarget, plain)


def _tree(
    nodes: Sequence[Plain], columns: tuple[Column, ...], outputs: Outputs, target: Target
) -> JointTree:
    """Ids are ways from the root, so they tell the form."""
    n_labels = target.n_labels if isinstance(target, ClassTarget) else None
    if n_labels != (len(outputs.labels) if isinstance(outputs, ClassOutputs) else None):
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
            raise ValueError(f"the node {shown(ids[at])} hangs nowhere")
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
    counts = np.array([_counts(node) for node in nodes], dtype=np.int64)
    n_sums = 4 if isinstance(target, ValueTarget) else 0
    sums = np.array([node["sums"] for node in nodes], dtype=np.float64).reshape(size, -1)
    if counts.shape != (size, target.n_counts) or sums.shape != (size, n_sums):
        raise ValueError("the counts of the nodes have another form than the outputs")
    if not np.isfinite(sums).all():
        raise ValueError("a sum is no number")
    return JointTree.over(shape, target, outputs, counts, sums)


def _counts(node: Plain) -> tuple[int, ...]:
    counts = tuple(_list(node, "counts"))
    if not fits(counts, tuple[int, ...]):
        raise ValueError(f"the counts of {shown(node['id'])} are {shown(counts)}")
    return counts


def _question(node: Plain, columns: Sequence[Column]) -> tuple[int, int, bool]:
    if node["kind"] != "split":
        return NONE, NONE, False
    column = whole(node["column"], "the column of a question", 0, len(columns))
    cut = whole(node["cut"], "the cut of a question", 0, columns[column].n_codes)
    return column, cut, bool(node["missing_says_yes"])


def _box(conditions: Sequence[Plain], columns: Sequence[Column]) -> dict[int, int]:
    """The codes that conditions leave open."""
    box: dict[int, int] = {}
    for plain in conditions:
        at = whole(plain["column"], "the column of a rule", 0, len(columns))
        if at in box:
            raise ValueError("a rule speaks of a column twice")
        box[at] = _codes(plain, columns[at])
    return box


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


def _rule(plain: Plain, box: Box, tree: JointTree) -> Rule:
    first, second = map(from_plain, _list(plain, "outcomes"))
    outputs = tree.outputs
    if isinstance(outputs, ClassOutputs):
        if not {first, second} <= set(outputs.labels):
            raise ValueError(f"a rule speaks of {shown((first, second))}, which are no labels")
    elif not fits((first, second), tuple[float, float]):
        raise ValueError(f"a rule speaks of {shown((first, second))}, which are no numbers")
    rule = made(
        Rule,
        plain,
        conditions=tuple(condition(tree.columns[at], codes) for at, codes in box.items()),
        outcomes=(first, second),
        right=_right(plain["right"]),
        holdout_right=_right(plain["holdout_right"]),
    )
    _check_ids([rule.node, *rule.nodes, *(leaf for pair in rule.leaves for leaf in pair)], tree)
    return rule


def _check_ids(ids: Sequence[str], tree: JointTree) -> None:
    unknown = set(ids) - set(tree.ids)
    if unknown:
        raise ValueError(f"there is no node {shown(min(unknown))}")


def _right(plain: Plain | None) -> Right | None:
    return None if plain is None else made(Right, plain)
