"""Reading of columns, outputs and the joint tree from JSON, with validation."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from imd_widget.counting.channels import Channels, ClassChannels, ValueChannels
from imd_widget.data.columns import CategoryColumn, Column, OrderedColumn
from imd_widget.data.native import Storage
from imd_widget.export.json_format.checks import Plain, fits, listed, made, short, shown, whole
from imd_widget.export.json_format.values import from_plain
from imd_widget.outputs.spec import ClassOutputs, Outputs, ValueOutputs
from imd_widget.tree.joint_tree import JointTree
from imd_widget.tree.shape import NONE, Kind, Side, TreeShape


def column_of(plain: Plain, position: int) -> Column:
    """Create a column from its JSON object."""
    name, unique = from_plain(plain["name"]), bool(plain["unique"])
    hash(name)
    has_missing = bool(plain["has_missing"])
    if plain["kind"] == "category":
        return CategoryColumn(
            name,
            position,
            _distinct(listed(plain, "categories"), name),
            has_missing,
            complete=bool(plain["complete"]),
            storage=_storage(plain),
            unique=unique,
            unique_in_sql=bool(plain.get("unique_in_sql", True)),
        )
    dtype = np.dtype(short(plain["dtype"], "a dtype"))
    if plain["kind"] != "ordered" or dtype.kind not in "iufmM":
        raise ValueError(f"the column {name!r} is {plain['kind']!r} of {plain['dtype']!r}")
    thresholds = np.array(
        list(map(from_plain, listed(plain, "thresholds"))),
        dtype=np.int64 if dtype.kind in "mM" else dtype,
    )
    if thresholds.ndim != 1 or not (thresholds[1:] > thresholds[:-1]).all():
        raise ValueError(f"the thresholds of {name!r} do not increase")
    order = None if plain["order"] is None else _distinct(listed(plain, "order"), name)
    if order is not None and not ((thresholds >= 0) & (thresholds < len(order))).all():
        raise ValueError(f"a threshold of {name!r} is no place in its order")
    return OrderedColumn(
        name,
        position,
        thresholds.view(dtype) if dtype.kind in "mM" else thresholds,
        has_missing,
        categories=order,
        timezone="UTC" if plain["with_timezone"] else None,
        whole=bool(plain.get("whole", False)),
        storage=_storage(plain),
        unique=unique,
        unique_in_sql=bool(plain.get("unique_in_sql", True)),
    )


def _storage(plain: Plain) -> Storage:
    """The storage of a column; files of the first release only have ``python_dates``."""
    storage = plain.get("storage", "objects" if plain.get("python_dates") else "native")
    if storage not in get_args(Storage):
        raise ValueError(f"the storage of a column is {shown(storage)}")
    return storage  # type: ignore[no-any-return]


def _distinct(plain: list[Any], name: Hashable) -> tuple[Hashable, ...]:
    values = tuple(map(from_plain, plain))
    if len(set(values)) != len(values):
        raise ValueError(f"a category of {shown(name)} is there twice")
    return values


def outputs_of(plain: Plain) -> Outputs:
    """Create the description of the outputs."""
    if plain["kind"] != "class":
        return made(ValueOutputs, plain)
    labels = _distinct(listed(plain, "labels"), "the outputs")
    names = tuple(map(str, listed(plain, "class_names")))
    if len(labels) != len(names):
        raise ValueError(f"there are {len(labels)} labels and {len(names)} class names")
    return ClassOutputs(labels, names)


def target_of(plain: Plain) -> Channels:
    """Create the description of the counts."""
    return made(ClassChannels if "n_labels" in plain else ValueChannels, plain)


def tree_of(
    nodes: Sequence[Plain], columns: tuple[Column, ...], outputs: Outputs, target: Channels
) -> JointTree:
    """Create the joint tree. Ids of nodes are paths from the root, which define its shape."""
    n_labels = target.n_labels if isinstance(target, ClassChannels) else None
    if n_labels != (len(outputs.labels) if isinstance(outputs, ClassOutputs) else None):
        raise ValueError("outputs and counts are of different kinds")
    ids = [str(node["id"]) for node in nodes]
    number = {name: node for node, name in enumerate(ids)}
    if len(number) != len(ids) or not ids or ids[0] != "r":
        raise ValueError("the ids of the nodes are not those of a tree")
    kinds = [Kind[node["kind"].upper()] for node in nodes]
    size = len(ids)
    parent = np.full(size, NONE, dtype=np.int32)
    children = np.full((size, 2), NONE, dtype=np.int32)
    side = np.zeros(size, dtype=np.int8)
    for node in range(1, size):
        above = number.get(ids[node][:-1], size)
        branches = {Kind.SPLIT: "yn", Kind.OR: "12"}.get(
            kinds[above] if above < node else Kind.LEAF
        )
        if branches is None or ids[node][-1] not in branches:
            raise ValueError(f"the node {shown(ids[node])} hangs nowhere")
        which = branches.index(ids[node][-1])
        parent[node], children[above, which] = above, node
        side[node] = which + 1 if kinds[above] == Kind.OR else side[above]
        if kinds[node] == Kind.OR and side[node] != Side.SHARED:
            raise ValueError(f"the or-node {ids[node]!r} lies below another one")
    for node, kind in enumerate(kinds):
        if (kind != Kind.LEAF) == (NONE in children[node].tolist()):
            raise ValueError(f"the node {ids[node]!r} lacks a branch")
        if kind == Kind.LEAF and side[node] == Side.SHARED:
            raise ValueError(f"the leaf {ids[node]!r} belongs to no model")
    splits = [_split(node, columns) for node in nodes]
    shape = TreeShape(
        columns=columns,
        kind=np.array(kinds, dtype=np.int8),
        side=side,
        parent=parent,
        children=children,
        column=np.array([split[0] for split in splits], dtype=np.int32),
        cut=np.array([split[1] for split in splits], dtype=np.int32),
        missing=np.array([split[2] for split in splits], dtype=bool),
    )
    counts = np.array([_counts(node) for node in nodes], dtype=np.int64)
    n_sums = 4 if isinstance(target, ValueChannels) else 0
    sums = np.array([node["sums"] for node in nodes], dtype=np.float64).reshape(size, -1)
    if counts.shape != (size, target.n_counts) or sums.shape != (size, n_sums):
        raise ValueError("the counts of the nodes have another form than the outputs")
    if not np.isfinite(sums).all():
        raise ValueError("a sum is no number")
    return JointTree.over(shape, target, outputs, counts, sums, _label_rows(nodes, target))


def _label_rows(nodes: Sequence[Plain], target: Channels) -> NDArray[np.int64] | None:
    """Unweighted counts by label if rows have weights; the first release did not write them."""
    if not isinstance(target, ClassChannels) or "label_rows" not in nodes[0]:
        return None
    rows = np.array([listed(node, "label_rows") for node in nodes])
    if rows.shape != (len(nodes), 2, target.n_labels) or rows.dtype.kind != "i" or rows.min() < 0:
        raise ValueError("the rows by label of the nodes have another form than the outputs")
    return rows


def _counts(node: Plain) -> tuple[int, ...]:
    counts = tuple(listed(node, "counts"))
    if not fits(counts, tuple[int, ...]):
        raise ValueError(f"the counts of {shown(node['id'])} are {shown(counts)}")
    return counts


def _split(node: Plain, columns: Sequence[Column]) -> tuple[int, int, bool]:
    if node["kind"] != "split":
        return NONE, NONE, False
    column = whole(node["column"], "the column of a question", 0, len(columns))
    cut = whole(node["cut"], "the cut of a question", 0, columns[column].n_codes)
    return column, cut, bool(node["missing_says_yes"])
