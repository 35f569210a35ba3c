"""Labels that are spelled alike: text and a number may stand for the same class."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable


def spelling_of(label_sets: Iterable[Collection[Hashable]]) -> Callable[[Hashable], str]:
    """Return how labels are spelled: regardless of case, unless case tells two of a set apart."""

    def loose(label: Hashable) -> str:
        return str(label).strip().casefold()

    apart = all(len({loose(label) for label in labels}) == len(labels) for labels in label_sets)
    return loose if apart else str


def respelled(labels: Iterable[Hashable], known: Collection[Hashable]) -> list[Hashable]:
    """Return each label as ``known`` has it, if just one of the two is text and both spell alike.

    Any other label stays as it is.
    """
    spelling = spelling_of([known])
    by_spelling = {spelling(label): label for label in known}
    found = []
    for label in labels:
        other = by_spelling.get(spelling(label), label)
        crosses = isinstance(label, str) != isinstance(other, str)
        found.append(other if crosses and label not in known else label)
    return found
