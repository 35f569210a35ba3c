"""95 % intervals contain the truth about as often as they claim, on tables whose truth is known.

`python -m benchmarks.coverage` measures more designs, with more tables.
"""

from __future__ import annotations

import pytest

from benchmarks.coverage import DESIGNS, simulate

#: Smallest share of the intervals that must contain the truth, with 40 tables: an interval of 95 %
#: does so less often in one of 20 runs.
LEAST = 0.88


@pytest.mark.slow
@pytest.mark.parametrize(
    "design",
    ["hard", "agreement", "12 groups", "holdout, 24 groups", "probabilities", "refined"],
)
def test_intervals_contain_the_truth(design: str) -> None:
    held = simulate(DESIGNS[design], range(40))
    for name, intervals in held.items():
        assert len(intervals.contains) >= 20, name
        assert intervals.coverage >= LEAST, f"{name}: {intervals}"


@pytest.mark.slow
def test_too_narrow_intervals_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the variance of the rules, too many intervals miss the truth."""
    monkeypatch.setattr("imd_widget.comparison.measuring.share_interval", _of_rows_alone)
    held = simulate(DESIGNS["hard"], range(40))
    assert held["recall"].coverage < LEAST


def _of_rows_alone(share, size, spread=None):  # type: ignore[no-untyped-def]
    from imd_widget._base.intervals import share_interval

    return share_interval(share, size)
