"""Prune a shared tree that was grown for purity to a small tree with a large G.

The tree is processed in one pass from its leaves to its root. At each split the two subtrees are
fixed, and only the rows on which they disagree matter: such a row is claimed on one side and not on
the other. The best condition sends differing rows to the side that claims them; a split whose gain
is at most its price is replaced by one of its subtrees.

Claiming a row gains ``differs - price``. The price is the share of differing rows at which one more
claimed row leaves G = (F1 + MCC) / 2 unchanged, MCC being Matthews' correlation of "claimed" and
"differs". F1 alone rewards rules that cover nearly everything where models differ often: of the
rule "always" it is ``2 b / (1 + b)`` for a base rate ``b``, and MCC is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.boxes import yes_codes
from imd_widget.tree.evidence import likelihood_ratio, needed, two_by_two
from imd_widget.tree.requests import DisputedRows, SplitSizes
from imd_widget.tree.shape import Path, Step
from imd_widget.tree.shared_tree import SharedSplit, SharedTree, walk, with_claims
from imd_widget.tree.source import CountSource
from imd_widget.tree.splitter import Candidates, centred

#: Weight of the rate above a node in the rate of the node itself, in rows.
SHRINKAGE = 5.0

#: The rows that shared leaves are claimed for: those on which the models differ, or agree.
Aim = Literal["differ", "agree"]


@dataclass(frozen=True)
class Calibration:
    """Rates of the shared leaves of a shared tree, and which of them are claimed."""

    #: Share of the rows that the aim names, shrunk towards the rate of the parent.
    rates: NDArray[np.float64]
    #: Shared leaves with at least this rate are claimed, if a row reaches them.
    threshold: float
    #: What claiming a row must bring: the share of such rows at which it breaks even.
    price: float
    claims: NDArray[np.bool_]
    #: Whether leaves are claimed in which the models differ, or agree.
    aim: Aim = "differ"


def calibrate(
    shared_tree: SharedTree,
    rows: NDArray[np.float64],
    differing: NDArray[np.float64],
    sensitivity: float | None,
    shrinkage: float = SHRINKAGE,
    aim: Aim = "differ",
) -> Calibration:
    """Decide in which shared leaves the models are claimed to differ, or to agree.

    Parameters
    ----------
    shared_tree : SharedTree
    rows, differing : ndarray of shape (n_leaves,)
        Rows used to fit at each leaf, and those of them that differ; by weight, 1 on average.
    sensitivity : float or None
        Smallest share of the wanted rows to claim; None chooses the largest G. The splits do not
        depend on it, so that changing it does not change the tree.
    shrinkage : float
        Weight of the rate above a node in the rate of the node itself, in rows.
    aim : {"differ", "agree"}
        The wanted rows.
    """
    wanted = differing if aim == "differ" else rows - differing
    base = wanted.sum() / rows.sum()
    rates = np.empty(len(rows))
    _shrink(shared_tree, rows, wanted, shrinkage, base, rates, 0)
    threshold, price = _threshold(rows, wanted, rates, sensitivity)
    claims = (rates >= threshold) & (rows > 0)
    if sensitivity is None and len(rows) > 1:
        claims &= rates > base * (1 + 1e-9)  # a region that differs no more often is no finding
    if sensitivity is None and len(rows) == 1:
        claims &= base >= 0.5  # "always" is a finding only where it mostly holds
    return Calibration(rates, threshold, price, claims, aim)


def prune(
    source: CountSource,
    shared_tree: SharedTree,
    calibration: Calibration,
    split_price: float,
    min_samples_leaf: int,
    row: float = 1.0,
) -> SharedTree:
    """Return the shared tree with better conditions and without splits whose gain is too small.

    Parameters
    ----------
    split_price : float
        A shared split is kept if its gain, in differing rows, is more than this.
    row : float
        Weight of a row of the table, over all its copies.
    """
    claimed = with_claims(shared_tree, calibration.claims.tolist())
    levels: dict[int, list[tuple[Path, SharedSplit]]] = {}
    pruned: dict[Path, SharedTree] = {}
    for path, part in walk(claimed):
        pruned[path] = part
        if isinstance(part, SharedSplit):
            levels.setdefault(len(path), []).append((path, part))
    price = calibration.price
    # of a row that only one side claims: agreeing and differing rows of "yes", then of "no"
    gains = np.array([-price, 1 - price, price, price - 1])
    if calibration.aim == "agree":
        gains = gains[[1, 0, 3, 2]]
    for level in sorted(levels, reverse=True):
        shared_splits = [
            replace(
                shared_split,
                yes=pruned[(*path, shared_split.step)],
                no=pruned[(*path, shared_split.step._replace(yes=False))],
            )
            for path, shared_split in levels[level]
        ]
        paths = [path for path, _ in levels[level]]
        searches = [
            _Search(shared_split, contest, gains, source, needed(source.layout, level) * row)
            for shared_split, contest in zip(
                shared_splits, source.answer(DisputedRows(paths, shared_splits)), strict=True
            )
        ]
        _choose(source, paths, searches, min_samples_leaf)
        for path, search in zip(paths, searches, strict=True):
            pruned[path] = search.pruned(split_price)
    return pruned[()]


class _Search:
    """The search for the best condition of one shared split, given the rows that it contests.

    Parameters
    ----------
    shared_split : SharedSplit
    contest : ndarray of shape (4, n_bins)
        Weight of the contested rows; see `DisputedRows`.
    gains : ndarray of shape (4,)
        Gain of sending a row of each channel to "yes".
    source : CountSource
    evidence : float
        The likelihood ratio statistic that a condition on one of many columns needs, by weight.
    """

    def __init__(
        self,
        shared_split: SharedSplit,
        contest: NDArray[np.float64],
        gains: NDArray[np.float64],
        source: CountSource,
        evidence: float,
    ) -> None:
        self._shared_split = shared_split
        self._contest = contest
        self._layout = source.layout
        self._everything = float(contest[:, : self._layout.offsets[1]].sum(axis=1) @ gains)
        start = int(self._layout.offsets[shared_split.step.column])
        column = source.columns[shared_split.step.column]
        codes = yes_codes(column, shared_split.step.cut, shared_split.step.missing)
        yes = [start + code for code in range(column.n_codes) if codes >> code & 1]
        self._best = float(contest[:, yes].sum(axis=1) @ gains)
        self._candidates = Candidates.at_node(contest, _all_rows, self._layout, 0)
        self._leave_out_chance(gains, evidence)
        self._gain = gains @ self._candidates.yes
        self._better = iter(self._ranked())

    def _leave_out_chance(self, gains: NDArray[np.float64], evidence: float) -> None:
        """Keep a condition on one of many columns only if it certainly tells rows apart.

        These are the rows that gain on the side of "yes", and those that gain on the other.
        """
        of_many = self._layout.of_many[self._candidates.bins]
        if not of_many.any():
            return
        sides = np.array([gains > 0, gains <= 0]).T.astype(float)
        total = self._contest[:, : self._layout.offsets[1]].sum(axis=1) @ sides
        bits = two_by_two(sides.T @ self._candidates.yes, total)
        self._candidates = self._candidates.only(
            ~of_many | (likelihood_ratio(bits, 1.0) >= evidence)
        )

    def _ranked(self) -> list[int]:
        """Return the candidates that gain more than the present condition, the best first."""
        order = np.argsort(-self._gain, kind="stable")
        better = order[self._gain[order] > self._best + 1e-9]
        return [int(candidate) for candidate in better]

    def next(self, count: int) -> list[tuple[Step, float]]:
        """Return the next ``count`` best conditions with their gains, as far as there are any."""
        return [
            (self._step(candidate), float(self._gain[candidate]))
            for candidate in islice(self._better, count)
        ]

    def _step(self, candidate: int) -> Step:
        split = self._candidates.split(candidate, 0, self._layout)
        split = centred(split, self._contest, self._layout)
        return self._shared_split.step._replace(
            column=split.column, cut=split.cut, missing=split.missing
        )

    def choose(self, step: Step, gain: float) -> None:
        """Replace the present condition."""
        self._shared_split = replace(self._shared_split, step=step)
        self._best = gain
        self._better = iter(())

    def pruned(self, split_price: float) -> SharedTree:
        """Return the split with the chosen condition, or a subtree if its gain is too small."""
        if self._best <= max(0.0, self._everything) + split_price:
            return self._shared_split.yes if self._everything > 0 else self._shared_split.no
        return self._shared_split


def _all_rows(contest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of the contested rows."""
    return np.asarray(contest.sum(axis=0))


#: Questions whose rows are counted at once for a shared split: first, and in each later round.
_FIRST_ROUND, _LATER_ROUNDS = 1, 16


def _choose(
    source: CountSource,
    paths: Sequence[Path],
    searches: Sequence[_Search],
    min_samples_leaf: int,
) -> None:
    """Let each search choose its best condition that keeps ``min_samples_leaf`` on both sides.

    All searches of a level share one request to the source; a second one is rarely needed.
    """
    opened = list(range(len(searches)))
    count = _FIRST_ROUND
    while opened:
        asked = [(number, *one) for number in opened for one in searches[number].next(count)]
        if not asked:
            return
        numbers, steps, _ = zip(*asked, strict=True)
        sides = source.answer(SplitSizes([paths[number] for number in numbers], steps))
        enough = sides.min(axis=1) >= min_samples_leaf
        chosen = set()
        for (number, step, gain), is_enough in zip(asked, enough, strict=True):
            if is_enough and number not in chosen:
                searches[number].choose(step, gain)
                chosen.add(number)
        opened = [number for number in opened if number not in chosen]
        count = _LATER_ROUNDS


def _shrink(
    shared_tree: SharedTree,
    rows: NDArray[np.float64],
    differing: NDArray[np.float64],
    shrinkage: float,
    above: float,
    rates: NDArray[np.float64],
    first: int,
) -> int:
    """Fill in the rates of the leaves below, from ``first`` on; return the last number plus 1."""
    last = first + sum(1 for _, part in walk(shared_tree) if not isinstance(part, SharedSplit))
    n_rows, n_differing = rows[first:last].sum(), differing[first:last].sum()
    own = (n_differing + shrinkage * above) / (n_rows + shrinkage)
    if isinstance(shared_tree, SharedSplit):
        middle = _shrink(shared_tree.yes, rows, differing, shrinkage, own, rates, first)
        return _shrink(shared_tree.no, rows, differing, shrinkage, own, rates, middle)
    rates[first] = own
    return last


def _threshold(
    rows: NDArray[np.float64],
    differing: NDArray[np.float64],
    rates: NDArray[np.float64],
    sensitivity: float | None,
) -> tuple[float, float]:
    """Return the smallest rate that is claimed, and the corresponding price of a row."""
    order = np.argsort(-rates, kind="stable")
    ranked = rates[order]
    claimed = np.cumsum(rows[order])
    found = np.cumsum(rows[order] * ranked)
    total = found[-1]
    if total == 0:
        return np.inf, 1.0
    ends = np.flatnonzero(np.append(ranked[1:] < ranked[:-1], True))
    if sensitivity is None:
        # the last prefix claims every row: it counts only if there is no other
        prefixes = ends[:-1] if len(ends) > 1 else ends
        score = balanced_score(claimed[prefixes], found[prefixes], total, claimed[-1])
        best = int(score.value.argmax())
        return float(ranked[prefixes[best]]), float(score.price[best])
    held = np.cumsum(differing[order])
    enough = np.flatnonzero(held[ends] >= sensitivity * held[-1] * (1 - 1e-9))
    last = float(ranked[ends[enough[0]]])
    return last, last


@dataclass(frozen=True, eq=False)
class BalancedScore:
    """G = (F1 + MCC) / 2 of several sets of claimed rows."""

    value: NDArray[np.float64]
    #: The share of differing rows, ``-(dG/dS) / (dG/dT)``, at which one more claimed row leaves G
    #: unchanged.
    price: NDArray[np.float64]


def balanced_score(
    claimed: NDArray[np.float64], both: NDArray[np.float64], differing: float, rows: float
) -> BalancedScore:
    """G and the price of a row for claimed rows S, of them differing T, of P differing and N rows.

    ``F1 = 2 T / (S + P)`` and ``MCC = (T N - S P) / sqrt(S P (N - S) (N - P))``, which is taken
    as 0 where the root is 0.
    """
    either = np.maximum(claimed + differing, 1e-300)
    f1 = 2 * both / either
    f1_by_both, f1_by_claimed = 2 / either, -f1 / either
    root = np.sqrt(np.maximum(claimed * differing * (rows - claimed) * (rows - differing), 0.0))
    defined = root > 1e-9 * rows * rows
    safe = np.where(defined, root, 1.0)
    balance = np.where(defined, 2 * claimed * (rows - claimed), 1.0)
    mcc = np.where(defined, (both * rows - claimed * differing) / safe, 0.0)
    mcc_by_both = np.where(defined, rows / safe, 0.0)
    mcc_by_claimed = np.where(
        defined, -differing / safe - mcc * (rows - 2 * claimed) / balance, 0.0
    )
    price = -(f1_by_claimed + mcc_by_claimed) / (f1_by_both + mcc_by_both)
    return BalancedScore((f1 + mcc) / 2, price)
