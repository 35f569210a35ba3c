"""Threads: results in order, errors that come out, and no work that goes on."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from imd_widget._base import parallel
from imd_widget._base.parallel import each, n_threads, team


def helpers() -> list[threading.Thread]:
    """The threads of teams that are alive now."""
    return [thread for thread in threading.enumerate() if thread.name.startswith("imd-count")]


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_results_are_in_order(size: int) -> None:
    with team(size) as threads:
        for n_items in (0, 1, 2, 7, 20):
            assert threads.each(lambda item: item * item, range(n_items)) == [
                item * item for item in range(n_items)
            ]
    assert not helpers()


def test_the_caller_works_too_and_items_run_at_a_time() -> None:
    meeting = threading.Barrier(3, timeout=30)

    def work(item: int) -> int:
        meeting.wait()  # passes only if three items are worked on at a time
        return threading.get_ident()

    with team(3) as threads:
        idents = threads.each(work, [0, 1, 2])
    assert idents[0] == threading.get_ident()
    assert len(set(idents)) == 3


@pytest.mark.parametrize("failing", [0, 1, 2])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_comes_out_and_nothing_goes_on(failing: int, error: Any) -> None:
    begun: list[int] = []
    ended: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        if item == failing:
            raise error
        time.sleep(0.05)
        ended.append(item)

    with team(3) as threads:
        with pytest.raises(error):
            threads.each(work, range(12))
        known = sorted(begun)
        assert sorted([*ended, failing]) == known, "what had begun has ended"
        time.sleep(0.1)
        assert sorted(begun) == known, "nothing begins after the error"
        assert threads.each(lambda item: item, range(4)) == list(range(4)), "the team still works"
    assert not helpers()


def test_threads_are_as_many_as_cores_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    for cores, expected in ((1, 1), (2, 2), (8, 8), (64, 8)):
        monkeypatch.setattr(parallel, "_n_cores", lambda cores=cores: cores)
        assert n_threads() == expected


@pytest.mark.parametrize("n_rows", [10, 1_000_000])
def test_each_is_a_map(n_rows: int) -> None:
    assert each(lambda item: -item, range(5), n_rows) == [0, -1, -2, -3, -4]
    assert each(lambda item: -item, [], n_rows) == []


def test_teams_of_several_threads_do_not_mix() -> None:
    def work(start: int) -> list[int]:
        with team(3) as threads:
            return threads.each(lambda item: start + item, range(6))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(0, 320, 10)))
    assert found == [list(range(start, start + 6)) for start in range(0, 320, 10)]
