"""Labels of two or more models."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.errors import Argument, InputError, Quoted
from imd_widget.models.adapters import ModelOutput
from imd_widget.outputs.base import ComparisonInput, OutputOptions
from imd_widget.outputs.classes import (
    ClassOutputs,
    check_class_options,
    check_count,
    check_truth,
    labels_of,
)
from imd_widget.outputs.dissimilarity import (
    Dissimilarity,
    alike_pairs,
    apart_matrix,
    in_words,
)
from imd_widget.outputs.judging import Judged
from imd_widget.outputs.labels import (
    MISSING,
    Factors,
    class_names,
    factorize,
    joined,
    matched,
    mixes_text,
)
from imd_widget.outputs.several.base import OnError, SeveralOutputs, read_each
from imd_widget.outputs.several.pairwise import Differ, Differing, Rows, count_differing, most_said


@dataclass(frozen=True, eq=False)
class SeveralClasses(SeveralOutputs):
    """Labels of two or more models, which differ if they are not equal."""

    kept: tuple[int, ...]
    #: The labels of each model.
    factors: tuple[Factors, ...]
    truth: Factors | None
    #: What to call each of the models.
    arguments: tuple[str, ...]
    judged: Judged | None
    #: Which labels differ; see `imd_widget.diff`.
    dissimilarity: Dissimilarity | None
    differs: str | None

    kind = ClassOutputs.kind
    tolerance = None
    score_name = "accuracy"
    scores_errors = False

    def _alike(self, labels: tuple[Hashable, ...]) -> tuple[tuple[int, int], ...]:
        """Return the pairs of labels that count as the same; InputError if not both ways."""
        pairs = alike_pairs(self.dissimilarity, labels)
        for one, two in pairs:
            if (two, one) not in pairs:
                raise InputError(
                    Argument("dissimilarity"),
                    " of more than two models has to be symmetric: ",
                    Quoted(labels[one]),
                    " and ",
                    Quoted(labels[two]),
                    " count as the same in this order only.",
                )
        return pairs

    def _differ(self, labels: tuple[Hashable, ...]) -> Differ:
        """Return a function from codes of labels to whether they differ."""
        alike = self._alike(labels)
        if not alike:
            return np.not_equal
        apart = apart_matrix(len(labels), alike)
        return lambda first, others: apart[first, others]

    def differing(self, rows: Rows, weight: NDArray[np.float64] | None) -> Differing:
        """Count the rows on which the labels of two models are not equal."""
        if not mixes_text((*self.factors, *self._truths)):
            labels, numbers = joined([_distinct(own) for own in self.factors])
            small = [_small(own, len(labels)) for own in numbers]
            codes = [
                number[own.places[rows]] for number, own in zip(small, self.factors, strict=True)
            ]
            return count_differing(codes, self._differ(labels), weight)
        k = len(self.factors)
        found = Differing(np.zeros((k, k), dtype=np.int64), np.zeros((k, k)))
        for one, two in combinations(range(k), 2):  # what is the same depends on who is compared
            labels, codes = joined(self._matched(self.factors, self._truths, one, two)[:2])
            differ = self._differ(labels)
            counted = count_differing([own[rows] for own in codes], differ, weight)
            for at in ((one, two), (two, one)):
                found.rows[at], found.weight[at] = counted.rows[0, 1], counted.weight[0, 1]
        return found

    def error_text(self, error: float) -> str | None:
        """None: a label is right or wrong."""
        del error
        return None

    def pair_options(self, given: OutputOptions) -> OutputOptions:
        """Names of labels in a list are those of all models; two of them may give fewer labels."""
        labels, _ = joined([_distinct(own) for own in self.factors])
        names = class_names(labels, given.class_names)
        if given.class_names is None or isinstance(given.class_names, Mapping):
            return super().pair_options(given)
        return replace(
            super().pair_options(given), class_names=dict(zip(labels, names, strict=True))
        )

    def vote(self, outputs: Sequence[ModelOutput], own: int) -> NDArray[Any]:
        """The most frequent label; see `most_said` for ties."""
        factors = [labels_of(output) for output in outputs]
        names = [output.argument for output in outputs]
        labels, codes = joined(matched(factors, names, remark=False))
        distinct = np.empty(len(labels), dtype=object)
        distinct[:] = labels
        said = most_said([_small(own, len(labels)) for own in codes], own)
        return np.asarray(distinct[np.stack(codes)[said, np.arange(len(said))]])

    def check(self) -> None:
        """Raise InputError if two models cannot be compared; warn if they hardly can."""
        self._alike(joined([_distinct(own) for own in self.factors])[0])
        few, truths = [_distinct(own) for own in self.factors], [*map(_distinct, self._truths)]
        for one, two in combinations(range(len(few)), 2):
            self._matched(few, truths, one, two)
            check_count(len({*few[one].labels, *few[two].labels}))
        names = [*self.arguments, "y"]
        found = matched([*few, *truths], names[: len(few) + len(truths)])
        for truth in found[len(few) :]:
            check_truth(truth, [label for own in found[: len(few)] for label in own.labels])

    @property
    def _truths(self) -> tuple[Factors, ...]:
        return () if self.truth is None else (self.truth,)

    def _matched(
        self, factors: Sequence[Factors], truths: Sequence[Factors], one: int, two: int
    ) -> list[Factors]:
        """The labels of two models and the truth, as `read_classes` compares them."""
        names = [self.arguments[one], self.arguments[two], "y"]
        found = [factors[one], factors[two], *truths]
        return matched(found, names[: len(found)], remark=False)


def _distinct(factors: Factors) -> Factors:
    """Each label once, in place of the rows."""
    return Factors(np.arange(len(factors.labels)), factors.labels)


def _small(places: NDArray[np.intp], n_labels: int) -> NDArray[Any]:
    """Places of labels in as few bytes as hold them."""
    return places.astype(np.min_scalar_type(n_labels))


def read_several_classes(case: ComparisonInput, on_error: OnError | None) -> SeveralClasses:
    """Read the outputs of each model as labels."""
    check_class_options(case.output_options)
    kept, factors = read_each(case.model_outputs, labels_of, on_error)
    dissimilarity = case.output_options.dissimilarity
    labels, _ = joined([_distinct(own) for own in factors])
    truth = None if case.truth is None else factorize(case.truth, "y")
    arguments = tuple(case.model_outputs[number].argument for number in kept)
    found = SeveralClasses(
        kept,
        tuple(factors),
        truth,
        arguments,
        _judged(factors, truth, arguments),
        dissimilarity,
        in_words([str(label) for label in labels], alike_pairs(dissimilarity, labels)),
    )
    found.check()
    return found


def _judged(
    factors: Sequence[Factors], truth: Factors | None, arguments: Sequence[str]
) -> Judged | None:
    """A model is right if its label is the true one."""
    if truth is None:
        return None
    right = []
    for own, argument in zip(factors, arguments, strict=True):
        _, (said, actual) = joined(matched([own, truth], [argument, "y"], remark=False))
        right.append(said == actual)
    return Judged(np.stack(right), truth.places != MISSING)
