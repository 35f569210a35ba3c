"""Contributions computed from walks, with their standard errors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from imd_widget.data.table import Table
from imd_widget.explanations.contributions import Contributions
from imd_widget.explanations.ground import FEWEST_PAIRS, Ground
from imd_widget.explanations.players import OTHERS
from imd_widget.explanations.precision import cleared
from imd_widget.explanations.walks import Walks, by_gap

#: Rows that each model is called with at most.
MAX_CALLS = 50_000
#: Most pairs of walks of one row.
MOST_PAIRS = 500
#: Fewest walks from whose starts a regression is made.
FEWEST_TO_REGRESS = 10
#: Parts in which progress is reported.
N_PARTS = 10


def contributions_of_rows(
    ground: Ground,
    rows: NDArray[np.intp],
    weights: NDArray[np.float64],
    n_selected: int,
    max_calls: int,
    after_each: Callable[[], object] = lambda: None,
    *,
    averages_out: bool = False,
) -> Contributions:
    """Compute the contributions of the players on some rows of the table.

    Parameters
    ----------
    ground : Ground
    rows : ndarray of int
        Positions of the rows that are explained.
    weights : ndarray of shape (n_rows,)
        Weight of each of them.
    n_selected : int
        Number of rows that they were chosen from.
    max_calls : int
        Most rows that each model is called with, if they allow two pairs of walks for each row.
    after_each : callable
        Called `N_PARTS` times; an exception that it raises ends the work, and the walks made so far
        are lost.
    averages_out : bool
        Whether they were chosen from all rows of the table.
    """
    n_pairs = n_pairs_of(len(rows), len(ground.players), ground.left_of(max_calls, len(rows)))
    memory, key = ground.remembered.walks, ground.key
    stored = [memory.get(key, row) for row in rows.tolist()]
    known = [0 if own is None else own[0].shape[1] for own in stored]
    at_rows = ground.scores(rows)
    walks = Walks.draw(
        rows.tolist(),
        known,
        n_pairs,
        ground.ladder(),
        len(ground.players),
        ground.random_state,
    )
    new = ground.walk(walks, ground.table.take(rows), at_rows, _in_parts(len(walks), after_each))
    begun = ground.scores(ground.background)[:, walks.starts]
    by_row, at_starts = [], []
    for place, row in enumerate(rows.tolist()):
        mine = walks.ends == place
        own = (new[:, mine], begun[:, mine])
        before = stored[place]
        if before is not None:
            own = (
                np.concatenate([before[0], own[0]], axis=1),
                np.concatenate([before[1], own[1]], axis=1),
            )
        if mine.any():
            memory.put(key, row, own)
        by_row.append(own[0][:, :n_pairs])
        at_starts.append(own[1][:, :n_pairs])
    return _averaged(
        ground,
        np.stack(by_row, axis=1),
        np.stack(at_starts, axis=1),
        at_rows,
        weights,
        rows,
        n_selected,
        averages_out,
    )


def contributions_of_other_row(
    ground: Ground, row: Table, max_calls: int, after_each: Callable[[], object] = lambda: None
) -> Contributions:
    """Compute the contributions of the players to the scores of a row that is in no table."""
    n_pairs = n_pairs_of(1, len(ground.players), ground.left_of(max_calls, 1))
    scores = ground.asked(row)
    ladder = ground.ladder()
    walks = Walks.draw([0], [0], n_pairs, ladder, len(ground.players), ground.random_state)
    found = ground.walk(walks, row, scores, _in_parts(len(walks), after_each))
    begun = ground.scores(ground.background)[:, walks.starts]
    nowhere = np.empty(0, dtype=np.intp)
    return _averaged(ground, found[:, None], begun[:, None], scores, np.ones(1), nowhere, 1)


def _in_parts(total: int, after_each: Callable[[], object]) -> Callable[[int], None]:
    """Return a function of the number done, which calls ``after_each`` `N_PARTS` times in all."""
    told = 0

    def count(done: int) -> None:
        nonlocal told
        while told < N_PARTS and told < done * N_PARTS // max(total, 1):
            told += 1
            after_each()

    if not total:
        count(1)
    return count


def _averaged(
    ground: Ground,
    per_row: NDArray[np.float64],
    at_starts: NDArray[np.float64],
    at_rows: NDArray[np.float64],
    weights: NDArray[np.float64],
    rows: NDArray[np.intp],
    n_selected: int,
    averages_out: bool = False,
) -> Contributions:
    """Average walks: of shape (2, n_rows, n_pairs, n_players), and scores at their starts."""
    players, precision = ground.players, ground.score.precision
    n_rows, n_pairs = per_row.shape[1:3]
    share = weights / weights.sum()
    per_row, base = _from_the_mean(per_row, at_starts, ground.scores(ground.background), share)
    individual = per_row.mean(axis=2)
    means = np.einsum("r,mrp->mp", share, individual)
    # what is cleared in all columns together is not more than rounding either
    clean = cleared(means, precision / len(players))
    gaps = per_row[0] - per_row[1]
    n_known = len(np.union1d(rows, ground.background)) + (not len(rows))
    return Contributions(
        columns=tuple(player.name for player in players),
        names=ground.names,
        what=ground.score.what,
        base=base,
        level=at_rows @ share,
        first=clean[0],
        second=clean[1],
        difference=cleared(clean[0] - clean[1], precision / len(players)),
        standard_error=_standard_error(gaps, at_starts, share, n_selected),
        size=cleared(
            np.einsum("r,mrp->mp", share, np.abs([*individual, individual[0] - individual[1]])),
            precision,
        ),
        rows=rows,
        n_selected=n_selected,
        n_asked=n_known + 2 * n_rows * n_pairs * (len(players) - 1),
        precision=precision,
        averages_out=averages_out,
        apart=float(np.abs(at_rows[0] - at_rows[1]) @ share),
        positions=tuple(
            player.positions[0] if len(player.positions) == 1 and player.name != OTHERS else None
            for player in players
        ),
    )


def _from_the_mean(
    per_row: NDArray[np.float64],
    at_starts: NDArray[np.float64],
    at_background: NDArray[np.float64],
    share: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Let walks begin at the mean scores of the background; return them and these means.

    The rows that the walks begin at have other means by chance. The contributions are corrected for
    it by a regression on the scores of both models at the start, which are the same for all
    columns: a column that both models use alike still contributes alike. The corrections of all
    columns sum to what the means are away, as the contributions of a walk sum to its end less its
    start, so that sums stay exact.
    """
    begun, mean = at_starts.mean(axis=2), at_background.mean(axis=1)
    n_rows, n_pairs = at_starts.shape[1:]
    if n_rows * (n_pairs - 1) < FEWEST_TO_REGRESS:
        return per_row, begun @ share
    per_row = np.ascontiguousarray(per_row)  # the same sums to the last digit, however it was made
    n_players = per_row.shape[3]
    # the same equations for swapped models
    order = [0, 1] if at_background[0].tolist() <= at_background[1].tolist() else [1, 0]
    centred = (at_starts - begun[..., None]).reshape(2, -1)[order].T
    targets = per_row.reshape(2, -1, n_players)
    slopes = np.stack([np.linalg.lstsq(centred, own, rcond=None)[0] for own in targets])
    away = (at_starts - mean[:, None, None]).reshape(2, -1)[order].T
    corrected = (targets - away @ slopes).reshape(per_row.shape)
    ends = (per_row.sum(axis=3) + at_starts).mean(axis=2) @ share
    sums = np.einsum("r,mrkp->m", share, corrected) / n_pairs + mean
    if not np.allclose(sums, ends, rtol=0, atol=1e-9 * max(1.0, float(np.abs(ends).max()))):
        return per_row, begun @ share  # a score hardly varies at these starts
    return corrected, mean


def _standard_error(
    gaps: NDArray[np.float64],
    at_starts: NDArray[np.float64],
    share: NDArray[np.float64],
    n_selected: int,
) -> NDArray[np.float64]:
    """Standard error of the mean, from gaps of shape (n_rows, n_pairs, n_players).

    The starts of a row are spread evenly over the background, by their gap, so neighbours in this
    order are compared: their differences hold the chance of orders and of what else differs.
    """
    n_rows, n_pairs = gaps.shape[:2]
    along = by_gap(at_starts)
    ordered = np.take_along_axis(gaps, along[:, :, None], axis=1)
    within = (np.diff(ordered, axis=1) ** 2).mean(axis=1) / 2 / n_pairs
    variance = (share**2) @ within
    explained = n_rows / n_selected
    if explained < 1 and n_rows > 1:  # two stages: rows from those selected, then walks of a row
        means = gaps.mean(axis=1)
        deviations = means - share @ means
        between = (share**2) @ deviations**2 * n_rows / (n_rows - 1)
        variance = (1 - explained) * between + explained * variance
    return np.asarray(np.sqrt(variance))


def n_pairs_of(n_rows: int, n_players: int, max_calls: int) -> int:
    """Return the number of pairs of walks of each row."""
    steps = max(1, n_players - 1)
    return int(np.clip(max_calls // (2 * steps * n_rows), FEWEST_PAIRS, MOST_PAIRS))
