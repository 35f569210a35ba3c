"""Classes: labels, of which two are the same or differ."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import starmap
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, Given, InputError, InPython, Quoted, Setting, warn
from imd_widget._base.plain import Plain, from_json, listed, shown
from imd_widget._base.plain_values import distinct_from_plain, to_plain
from imd_widget._base.spelling import respelled
from imd_widget.counting.channels import Channels, ClassChannels, Purpose
from imd_widget.counting.observations import Observations
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import ComparedOutputs, ComparisonInput, OutputOptions, check_complete
from imd_widget.outputs.correctness import Right, who_is_right
from imd_widget.outputs.detection import MAX_CLASSES, look_like_labels
from imd_widget.outputs.dissimilarity import (
    DIFFERENT,
    KnownPairs,
    alike_pairs,
    apart_matrix,
    check_alike,
    in_words,
    known_pairs,
)
from imd_widget.outputs.interface import (
    Counted,
    LabelCounts,
    NodeOutputs,
    NodeTotals,
    OutcomePair,
    Outputs,
    RegionTotals,
    RightView,
    RuleDetails,
    RuleOutcomes,
    RuleOutputs,
)
from imd_widget.outputs.labels import (
    MISSING,
    Factors,
    class_names,
    factorize,
    joined,
    matched,
)
from imd_widget.outputs.spec import OutputSpec

#: Labels that are listed at a node, the most frequent ones.
MOST_LABELS = 12
#: Further pairs of labels that a rule lists.
MOST_OUTCOMES = 3


@dataclass(frozen=True, eq=False)
class ClassOutputs(Outputs):
    """Labels that both models give."""

    #: Every label that at least one model gave, sorted.
    labels: tuple[Hashable, ...]
    #: How they are shown, in the same order.
    class_names: tuple[str, ...]
    #: Pairs of different labels, of model 1 and of model 2, that count as the same.
    alike: tuple[tuple[int, int], ...] = ()

    kind = "class"
    what = "class"
    tolerance = None
    agreement = ""
    scale = None
    finer_kind = "proba"

    @property
    def differs(self) -> str | None:
        """When two labels differ, in words; None if they do whenever they are not equal."""
        return in_words(self.class_names, self.alike)

    @property
    def disagree(self) -> str:
        """What two models do on a row that differs."""
        return f"differ ({self.differs.removeprefix(DIFFERENT)})" if self.differs else "disagree"

    def are_apart(self, first: NDArray[Any], second: NDArray[Any]) -> NDArray[np.bool_]:
        """Whether labels differ, by row."""
        pairs = zip(first.tolist(), second.tolist(), strict=True)
        apart = starmap(self._apart, pairs)
        return np.fromiter(apart, dtype=bool, count=len(first))

    @cached_property
    def _apart(self) -> Callable[[Any, Any], bool]:
        return KnownPairs(frozenset((self.labels[i], self.labels[j]) for i, j in self.alike))

    def texts(self, values: Sequence[Any]) -> list[str]:
        """The names of labels."""
        return [self._names[value] for value in values]

    @cached_property
    def _names(self) -> dict[Hashable, str]:
        return dict(zip(self.labels, self.class_names, strict=True))

    def mean_difference_notes(self, mean: float | None, names: Sequence[str]) -> tuple[str, ...]:
        """No sentence: labels have no mean."""
        del mean, names
        return ()

    def distance_notes(self) -> tuple[str, ...]:
        """No sentence: labels have no distance."""
        return ()

    def right_texts(self, right: Right) -> RightView:
        """Nothing: a label is right or wrong, and not by an amount."""
        return RightView.of(right)

    def decoded(self, codes: NDArray[Any]) -> NDArray[Any]:
        """The labels of a model, as the user's own objects."""
        labels = np.empty(len(self.labels), dtype=object)
        labels[:] = self.labels
        return np.asarray(labels[codes])

    def mean_difference(self, sums: NDArray[np.float64], weight: float) -> float | None:
        """None: labels have no mean."""
        del sums, weight
        return None

    def means(self, sums: NDArray[np.float64], weight: NDArray[np.int64]) -> NDArray[np.float64]:
        """No column: labels have no mean."""
        del weight
        return np.empty((len(sums), 0))

    def spreads(self, sums: NDArray[np.float64], weight: NDArray[np.int64]) -> NDArray[np.float64]:
        """No column: labels have no standard deviation."""
        del weight
        return np.empty((len(sums), 0))

    def leaf_outputs(self, nodes: NodeTotals, is_leaf: NDArray[np.bool_]) -> NDArray[Any]:
        """The label that each leaf predicts; the first label for other nodes."""
        label = [nodes.label(node) if leaf else 0 for node, leaf in enumerate(is_leaf)]
        return np.asarray(_array_of(self.labels)[label])

    def leaf_text(self, nodes: NodeTotals, leaf: int) -> str:
        """The name of the label that a leaf predicts."""
        return self.class_names[nodes.label(leaf)]

    def is_impure(self, nodes: NodeTotals, leaf: int) -> bool:
        """Whether the leaf's own model gives more than one label there."""
        model = int(nodes.side[leaf]) - 1
        return int((nodes.label_counts[model][leaf] > 0).sum()) > 1

    def leaf_pair(self, nodes: NodeTotals, pair: tuple[int, int]) -> tuple[int, int]:
        """The labels that two leaves predict, as indices; twice the first if they are alike."""
        first, second = nodes.label(pair[0]), nodes.label(pair[1])
        return (first, first) if (first, second) in self.alike else (first, second)

    def fidelity(
        self, nodes: NodeTotals, counted: Counted, task: Purpose, leaves: NDArray[np.intp]
    ) -> float:
        """The share of the weight on which a surrogate predicts its model's label."""
        said = [nodes.label(int(leaf)) for leaf in leaves]
        labels = nodes.target.labels(task, counted.counts.T)
        return float(labels[said, leaves].sum() / nodes.target.weight(counted.counts[0]))

    def node_view(self, nodes: NodeTotals, node: int, is_leaf: bool) -> NodeOutputs:
        """The most frequent labels; for a leaf its label, and that label's share."""
        view = NodeOutputs(
            label=None,
            said=None,
            value=None,
            purity=None,
            spread=None,
            counts=(_most_frequent(nodes, node, 0), _most_frequent(nodes, node, 1)),
            means=None,
        )
        if is_leaf:
            label, weight = nodes.label(node), int(nodes.weight[node])
            own = nodes.label_counts[int(nodes.side[node]) - 1]
            view["label"], view["said"] = label, self.class_names[label]
            view["purity"] = int(own[node, label]) / weight if weight else 1.0
        return view

    def rule_outcomes(self, nodes: NodeTotals, region: RegionTotals) -> RuleOutcomes:
        """The labels of the region's outcome pair."""
        del nodes
        return RuleOutcomes(*self._pair(region.outcomes))

    def common_outcomes(self, nodes: NodeTotals, region: RegionTotals) -> tuple[int, int]:
        """The label that both models predict most often inside, the first of ties, twice."""
        inside = list(region.nodes)
        first, second = (counts[inside].sum(axis=0) for counts in nodes.label_counts)
        label = int(np.minimum(first, second).argmax())
        return label, label

    def rule_details(
        self,
        region: RegionTotals,
        pairs: NDArray[np.int64],
        differing: int,
        amount: Callable[[int], float],
    ) -> RuleDetails:
        """The next most frequent outcome pairs on differing rows, and how many pairs there are."""
        del amount
        ranked = sorted(region.fit.pairs.items(), key=lambda pair: (-pair[1], pair[0]))
        others = [
            OutcomePair(*self._pair((one, two)), weight / differing)
            for (one, two), weight in ((pairs[at].tolist(), weight) for at, weight in ranked)
            if (one, two) != region.outcomes
        ]
        return {
            "other_outcomes": tuple(others[:MOST_OUTCOMES]),
            "n_outcomes": sum(weight > 0 for weight in region.fit.pairs.values()),
        }

    def _pair(self, outcomes: tuple[int, int]) -> tuple[tuple[Any, Any], tuple[str, str]]:
        """Two labels from their indices, and how they are shown."""
        one, two = outcomes
        names = self.class_names
        return (self.labels[one], self.labels[two]), (names[one], names[two])

    def rule_view(
        self,
        nodes: NodeTotals,
        inside: Sequence[int],
        outcomes: tuple[Any, Any],
        said: tuple[str, str],
    ) -> RuleOutputs:
        """Indices of the labels, and the label that either model gives most often inside.

        The latter is None if no whole node lies inside the rule, which then is not counted by
        itself.
        """
        usual = None
        if inside:
            one, two = (int(own[list(inside)].sum(axis=0).argmax()) for own in nodes.label_counts)
            usual = self.class_names[one], self.class_names[two]
        return RuleOutputs(
            outcomes=(self.labels.index(outcomes[0]), self.labels.index(outcomes[1])),
            values=None,
            said=said,
            usual=usual,
        )

    def check_outcomes(self, outcomes: tuple[Any, Any]) -> None:
        """Raise ValueError if an outcome is none of the labels."""
        if not self._names.keys() >= set(outcomes):
            raise ValueError(f"a rule has the outcome {shown(outcomes)}, which are not labels")

    def to_plain(self) -> dict[str, Any]:
        """Kind, labels and their names."""
        labels = [to_plain(label, "the label") for label in self.labels]
        plain = {"kind": self.kind, "labels": labels, "class_names": list(self.class_names)}
        return {**plain, "alike": self.alike} if self.alike else plain

    @property
    def options(self) -> dict[str, Any]:
        """Options that compare the labels again."""
        return {"outputs": self.kind, **known_pairs(self.labels, self.alike)}


def read_classes(case: ComparisonInput) -> ComparedOutputs:
    """Compare outputs as labels, which differ if they are not equal, or by a dissimilarity."""
    check_class_options(case.output_options)
    factors = [labels_of(output) for output in case.model_outputs]
    names = [output.argument for output in case.model_outputs]
    if case.truth is not None:
        factors.append(factorize(case.truth, "y"))
        names.append("y")
    factors = matched(factors, names)
    labels, (first, second), usable = _known_labels(factors[:2], case.n_own)
    check_count(len(labels))
    right = None
    if case.truth is not None:
        check_truth(factors[2], labels)
        _, (one, two, actual) = joined(factors)
        right = who_is_right(one == actual, two == actual, actual != MISSING)
    n = len(labels)
    alike = alike_pairs(case.output_options.dissimilarity, labels)
    joint = first * n + second
    found = np.flatnonzero(np.bincount(joint, minlength=n * n))
    place = np.zeros(n * n, dtype=np.uint16 if len(found) < 1 << 16 else np.uint32)
    place[found] = np.arange(len(found))
    pairs = np.stack([found // n, found % n], axis=1)
    apart = apart_matrix(n, alike)[pairs[:, 0], pairs[:, 1]].astype(np.uint8)
    observations = Observations(
        ClassChannels(case.weights is not None, n),
        outcome=apart[place[joint]] if alike else (first != second).astype(np.uint8),
        pair=place[joint],
        pair_outcome=apart,
        labels=(first.astype(np.uint16), second.astype(np.uint16)),
        pair_labels=pairs,
        weight=case.weights.whole if case.weights else None,
        right=right,
    )
    outputs = ClassOutputs(labels, class_names(labels, case.output_options.class_names), alike)
    return ComparedOutputs(outputs, observations, pairs, usable, partial(as_labels, labels))


def as_labels(labels: tuple[Hashable, ...], output: ModelOutput) -> NDArray[Any]:
    """The output of a model as labels of the diff; a label that the diff lacks stays as it is.

    Text and a number of the same spelling ("1" and 1) are one label, as when the diff was made.
    """
    factors = labels_of(output)
    distinct = np.empty(len(factors.labels), dtype=object)
    distinct[:] = respelled(factors.labels, labels)
    return np.asarray(distinct[factors.places])


def check_class_options(output_options: OutputOptions) -> None:
    """Raise InputError if an option has no meaning for classes."""
    if output_options.tolerance is not None:
        raise InputError(
            Given("tolerance", output_options.tolerance),
            " has no meaning for classes, which are the same or not. Leave it out, or compare "
            "numbers: ",
            Setting("outputs", "proba"),
            " or ",
            Setting("outputs", "value"),
            ".",
        )
    if output_options.pos_label is not None:
        raise InputError(
            Given("pos_label", output_options.pos_label),
            " names the class whose probability is compared, which needs ",
            Setting("outputs", "proba"),
            ".",
        )


def _known_labels(
    factors: Sequence[Factors], n_own: int
) -> tuple[tuple[Hashable, ...], list[NDArray[np.intp]], NDArray[np.bool_]]:
    """Labels of rows that are the user's own; new rows of other labels cannot be used."""
    labels, places = joined(factors)
    usable = np.ones(len(places[0]), dtype=bool)
    if n_own == len(usable):
        return labels, places, usable
    known = np.zeros(len(labels), dtype=bool)
    for place in places:
        known[place[:n_own]] = True
    if known.all():
        return labels, places, usable
    for place in places:
        usable &= known[place]
    number = np.where(known, np.cumsum(known) - 1, 0)
    kept = tuple(label for label, own in zip(labels, known, strict=True) if own)
    return kept, [number[place] for place in places], usable


def check_count(n_labels: int) -> None:
    """Raise InputError if two models give more than `MAX_CLASSES` labels."""
    if n_labels > MAX_CLASSES:
        raise InputError(
            f"the two models give {n_labels} distinct labels, as a regression does. At most "
            f"{MAX_CLASSES} classes can be compared: ",
            InPython(
                "pass functions that bin the outputs", "make columns with fewer labels of them"
            ),
            ", or compare them as numbers with ",
            Setting("outputs", "value"),
            ".",
        )


def labels_of(output: ModelOutput) -> Factors:
    """The labels of a model; InputError if one is missing or infinite."""
    found = factorize(output.values, output.argument)
    check_complete(found.places == MISSING, output.argument)
    if not found.labels:
        raise InputError(Argument(output.argument), " gave no output at all.")
    wild = [x for x in found.labels if isinstance(x, float) and math.isinf(x)]
    if wild:
        raise InputError(
            Argument(output.argument),
            f" gave {wild[0]!r} as a label. Classes are anything hashable but infinite numbers.",
        )
    return found


def check_truth(truth: Factors, labels: Collection[Hashable]) -> None:
    """Warn if no label of the models occurs in the truth."""
    if truth.labels and not set(truth.labels) & set(labels):
        warn(
            Argument("y"),
            " holds [",
            Quoted(*truth.labels[:3]),
            "], the models give [",
            Quoted(*list(labels)[:3]),
            "]: they have no label in common, so no model is ever right. Is ",
            Argument("y"),
            " in the labels of the models?",
        )


def _most_frequent(nodes: NodeTotals, node: int, model: int) -> LabelCounts:
    """Labels that occur, with their rows and their share by weight, the most frequent first."""
    weight = nodes.label_counts[model][node]
    total = max(int(weight.sum()), 1)
    rows = weight
    if nodes.label_rows is not None:
        rows = nodes.label_rows[node, model]
    elif nodes.target.weighted:  # the first files have no rows by label
        rows = np.rint(weight * (int(nodes.rows[node]) / total)).astype(np.int64)
    order = np.argsort(-weight, kind="stable")[:MOST_LABELS]
    return tuple(
        (int(label), int(rows[label]), int(weight[label]) / total)
        for label in order
        if weight[label]
    )


def _array_of(labels: tuple[Hashable, ...]) -> NDArray[Any]:
    """Labels as NumPy holds them if all are of one type, else as objects."""
    kinds = {type(label) for label in labels}
    if kinds <= {int} or kinds <= {str} or kinds <= {bool}:
        return np.asarray(labels)
    objects = np.empty(len(labels), dtype=object)
    objects[:] = labels
    return objects


def _from_plain(plain: Plain) -> ClassOutputs:
    labels = distinct_from_plain(listed(plain, "labels"), "the outputs")
    names = tuple(map(str, listed(plain, "class_names")))
    if len(labels) != len(names):
        raise ValueError(f"there are {len(labels)} labels and {len(names)} class names")
    return ClassOutputs(labels, names, check_alike(plain.get("alike", ()), len(labels)))


def _channels_from_plain(plain: Plain) -> Channels:
    if "n_labels" not in plain:
        raise ValueError("outputs and counts are of different kinds")
    return from_json(ClassChannels, plain)


CLASSES = OutputSpec(
    kind="class",
    claims=look_like_labels,
    read=read_classes,
    from_plain=_from_plain,
    channels_from_plain=_channels_from_plain,
    check_options=check_class_options,
)
