"""Reading of a diff from JSON. All values are validated, as files may be edited or truncated."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from imd_widget._base.errors import InputError
from imd_widget.comparison.metrics import Metrics
from imd_widget.comparison.model_diff import ModelDiff
from imd_widget.comparison.options import method_options
from imd_widget.comparison.split_histogram import SplitHistogram
from imd_widget.data.boxes import Box
from imd_widget.data.columns import Column, OrderedColumn
from imd_widget.export.json_format.checks import Plain, cut, fits, hints, listed, made, shown, whole
from imd_widget.export.json_format.trees import column_of, outputs_of, target_of, tree_of
from imd_widget.export.json_format.values import from_plain
from imd_widget.export.json_format.writing import FORMAT, VERSION
from imd_widget.methods import MethodOptions
from imd_widget.outputs.correctness import Right
from imd_widget.outputs.spec import ClassOutputs
from imd_widget.rules.conditions import bound_value, condition
from imd_widget.rules.rule import OutcomePair, Rule, RuleSet
from imd_widget.tree.joint_tree import JointTree

#: Maximal length of the reason in an error message.
LONGEST_REASON = 300


@dataclass(frozen=True, eq=False)
class StoredResults:
    """The results of a diff as stored in a file; see `imd_widget.comparison.results.Results`."""

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
    bars: Mapping[int, SplitHistogram]


def load(path: str | Path) -> ModelDiff:
    """Read a diff that `ModelDiff.save` wrote as JSON, which has neither models nor rows.

    It can be shown, plotted, saved and printed as before, and it predicts on other tables. Methods
    that need the original rows (refining, tracing, the rows of a rule) raise an `InputError`.

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
        raise _not_ours(path, f"it is no JSON ({cut(str(error), LONGEST_REASON)})") from error
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise _not_ours(path, f'its "format" is not "{FORMAT}"')
    version = plain.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _not_ours(path, f'its "version" is {shown(version)}')
    if version > VERSION:
        writer = cut(str(plain.get("written_by", "a newer release")), LONGEST_REASON)
        raise InputError(
            f"{path.name!r} has version {version} of the format, written by {writer}; this release "
            f"reads up to {VERSION}. Install a newer one: pip install --upgrade imd-widget"
        )
    try:
        return diff_of(plain)
    except KeyError as error:
        raise _not_ours(path, f"it lacks {cut(str(error), LONGEST_REASON)}") from error
    except Exception as error:  # any other error is caused by invalid content
        raise _not_ours(path, cut(str(error), LONGEST_REASON) or type(error).__name__) from error


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _not_ours(path: Path, why: str) -> InputError:
    return InputError(
        f"{path.name!r} cannot be read: {why}. imd.load reads what d.save('diff.json') wrote, "
        "unchanged; save the diff again."
    )


def diff_of(plain: Plain) -> ModelDiff:
    """Create a diff from the JSON object of a file."""
    columns = tuple(column_of(column, j) for j, column in enumerate(listed(plain, "columns")))
    outputs, target = outputs_of(plain["outputs"]), target_of(plain["counted"])
    nodes = listed(plain, "nodes")
    tree = tree_of(nodes, columns, outputs, target)
    known = _Known.of(tree)
    written = listed(plain, "rules")
    boxes = tuple(_box(listed(rule, "conditions"), known) for rule in written)
    rules = tuple(_rule(rule, box, known) for rule, box in zip(written, boxes, strict=True))
    refinable = tuple(listed(plain, "refinable"))
    known.check_ids(refinable)
    names = listed(plain, "names")
    if not fits(tuple(names), tuple[str, str]):
        raise ValueError(f"names are {shown(names)}")
    options = {name: plain["options"][name] for name in hints(MethodOptions)}
    stored = StoredResults(
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
        bars={i: _bars(node["bars"]) for i, node in enumerate(nodes) if node["kind"] == "split"},
    )
    return ModelDiff((names[0], names[1]), stored)


def _bars(plain: Plain) -> SplitHistogram:
    bars = made(SplitHistogram, plain)
    lengths = {len(bars.same), len(bars.differ), len(bars.labels or bars.same)}
    if len(lengths) != 1:
        raise ValueError("the bars of a node are not of one length")
    return bars


@dataclass(frozen=True, eq=False)
class _Known:
    """Look-up tables for the values that rules refer to.

    Attributes
    ----------
    columns : tuple of Column
    positions : tuple of dict
        For each column, the positions of its categories or thresholds by their values.
    ids : frozenset of str
        Ids of the nodes.
    labels : dict or None
        Class names by label; None if the outputs are not classes.
    """

    columns: tuple[Column, ...]
    positions: tuple[dict[Hashable, int], ...]
    ids: frozenset[str]
    labels: dict[Hashable, str] | None

    @classmethod
    def of(cls, tree: JointTree) -> _Known:
        outputs, labels = tree.outputs, None
        if isinstance(outputs, ClassOutputs):
            labels = dict(zip(outputs.labels, outputs.class_names, strict=True))
        return cls(tree.columns, tuple(map(_positions, tree.columns)), frozenset(tree.ids), labels)

    def position(self, j: int, value: Any) -> int:
        """Position of a value among the categories or thresholds of column ``j``."""
        try:
            return self.positions[j][value]
        except KeyError:
            column = self.columns[j]
            what = "threshold" if column.ordered else "category"
            raise ValueError(
                f"a rule speaks of {shown(value)}, and {shown(column.name)} has no such {what}"
            ) from None

    def check_ids(self, ids: Iterable[str]) -> None:
        unknown = [name for name in ids if name not in self.ids]
        if unknown:
            raise ValueError(f"there is no node {shown(min(unknown))}")


def _positions(column: Column) -> dict[Hashable, int]:
    if isinstance(column, OrderedColumn):
        return {bound_value(column, cut): cut for cut in range(len(column.thresholds))}
    return {category: code for code, category in enumerate(column.categories)}


def _box(conditions: Sequence[Plain], known: _Known) -> dict[int, int]:
    """The box of a list of conditions."""
    box: dict[int, int] = {}
    for plain in conditions:
        j = whole(plain["column"], "the column of a rule", 0, len(known.columns))
        if j in box:
            raise ValueError("a rule speaks of a column twice")
        box[j] = _codes(plain, j, known)
    return box


def _codes(plain: Plain, j: int, known: _Known) -> int:
    column = known.columns[j]
    missing = 1 << column.n_values
    every = missing - 1
    if "is_missing" in plain:
        return missing if plain["is_missing"] else every
    if isinstance(column, OrderedColumn):
        bounds = (from_plain(plain[end]) for end in ("low", "high"))
        low, high = (None if bound is None else known.position(j, bound) for bound in bounds)
        below = every if high is None else (1 << (high + 1)) - 1
        values = below & ~((1 << (low + 1)) - 1 if low is not None else 0)
    else:
        negated = "not_one_of" in plain
        named = listed(plain, "not_one_of" if negated else "one_of")
        bits = _bits([known.position(j, from_plain(value)) for value in named], column.n_values)
        values = every & ~bits if negated else bits
    return values | missing if plain["or_missing"] else values


def _bits(positions: list[int], size: int) -> int:
    """An integer with these bits set; setting them one by one would take quadratic time."""
    flags = np.zeros(size, dtype=bool)
    flags[positions] = True
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")


def _rule(plain: Plain, box: Box, known: _Known) -> Rule:
    first, second = map(from_plain, listed(plain, "outcomes"))
    if known.labels is not None:
        if not known.labels.keys() >= {first, second}:
            raise ValueError(f"a rule speaks of {shown((first, second))}, which are no labels")
    elif not fits((first, second), tuple[float, float]):
        raise ValueError(f"a rule speaks of {shown((first, second))}, which are no numbers")
    rule = made(
        Rule,
        plain,
        other_outcomes=_other_outcomes(plain, known),
        conditions=tuple(condition(known.columns[j], codes) for j, codes in box.items()),
        outcomes=(first, second),
        right=_right(plain["right"]),
        holdout_right=_right(plain["holdout_right"]),
    )
    known.check_ids([rule.node, *rule.nodes, *(leaf for pair in rule.leaves for leaf in pair)])
    return rule


def _other_outcomes(plain: Plain, known: _Known) -> tuple[OutcomePair, ...]:
    """The other pairs of labels of a rule; files of the first release have none."""
    names = known.labels or {}
    pairs = []
    for other in plain.get("other_outcomes", ()):
        one, two = map(from_plain, listed(other, "outcomes"))
        if not {one, two} <= names.keys():
            raise ValueError(f"a rule speaks of {shown((one, two))}, which are no labels")
        pair = made(OutcomePair, other, outcomes=(one, two), said=(names[one], names[two]))
        pairs.append(pair)
    return tuple(pairs)


def _right(plain: Plain | None) -> Right | None:
    return None if plain is None else made(Right, plain)
