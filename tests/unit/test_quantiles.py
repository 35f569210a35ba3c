"""Values at ranks, distinct whole numbers: each fast way against the obvious one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imd_widget.data import quantiles
from imd_widget.data.quantiles import around_ranks
from imd_widget.data.sampling import hashed, sampled
from imd_widget.data.summaries import thresholds_of
from imd_widget.data.thresholds import shortest_between
from imd_widget.outputs import whole_numbers
from imd_widget.outputs.whole_numbers import factorize_close, n_distinct
from tests.examples import examples

NUMBERS = st.one_of(
    st.lists(st.floats(allow_nan=False), min_size=1, max_size=80),
    st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=80),
    st.lists(st.sampled_from([0.0, -0.0, 5e-324, 1.0, 1e308, -1e308]), min_size=1, max_size=80),
)


def naive_around(values: np.ndarray, ranks: list[int]) -> tuple[list[Any], list[Any]]:
    ordered = sorted(values.tolist())
    at = sorted({ordered[rank] for rank in ranks} - {ordered[0]})
    return [max(v for v in ordered if v < value) for value in at], at


@settings(max_examples=examples(200), deadline=None)
@given(numbers=NUMBERS, data=st.data(), buckets=st.sampled_from([3, 40, (1 << 16) - 1]))
def test_values_around_ranks_are_those_of_a_sort(
    numbers: list[float], data: st.DataObject, buckets: int
) -> None:
    ranks = sorted(data.draw(st.sets(st.integers(0, len(numbers) - 1), min_size=1)))
    for values in (np.array(numbers), np.array(numbers).view(np.int64)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(quantiles, "FEW_VALUES", 2)
            patch.setattr(quantiles, "LAST_BUCKET", buckets)
            below, at = around_ranks(values, np.array(ranks))
        expected = naive_around(values, ranks)
        assert (below.tolist(), at.tolist()) == expected


def skewed(name: str, n_values: int = 30_000) -> np.ndarray:
    rng = np.random.default_rng(0)
    values = {
        "normal": rng.normal(size=n_values),
        "tails": rng.standard_cauchy(n_values) ** 3,
        "logs": np.exp(rng.normal(scale=9, size=n_values)),
        "many zeros": rng.normal(size=n_values) * (rng.random(n_values) < 0.4),
        "rounded": rng.normal(size=n_values).round(2),
        "float32": rng.normal(size=n_values).astype(np.float32),
        "whole": rng.integers(-(2**63), 2**63 - 1, n_values),
        "infinite": np.where(rng.random(n_values) < 0.01, np.inf, rng.normal(size=n_values)),
        "moments": rng.integers(0, 10**15, n_values).astype("datetime64[us]"),
    }
    return values[name]


@pytest.mark.parametrize("max_bins", [2, 9, 255])
@pytest.mark.parametrize(
    "name",
    ["normal", "tails", "logs", "many zeros", "rounded", "float32", "whole", "infinite", "moments"],
)
def test_thresholds_are_at_the_quantiles_of_a_sort(name: str, max_bins: int) -> None:
    values = skewed(name)
    found: list[Any] = []

    def keep(low: np.ndarray, high: np.ndarray) -> np.ndarray:
        found.extend((low, high))
        return high

    thresholds_of(values, max_bins, keep)
    distinct, counts = np.unique(values, return_counts=True)
    shares = np.arange(1, max_bins) * (counts.sum() / max_bins)
    cuts = np.unique(np.searchsorted(np.cumsum(counts), shares, side="left"))
    cuts = cuts[cuts > 0]
    np.testing.assert_array_equal(found[0], distinct[cuts - 1])
    np.testing.assert_array_equal(found[1], distinct[cuts])


@pytest.mark.parametrize("n_distinct_values", [1, 2, 255, 256, 300])
def test_few_values_have_a_threshold_between_any_two(n_distinct_values: int) -> None:
    values = np.tile(np.arange(n_distinct_values, dtype=float), 40)
    thresholds = thresholds_of(values, 255, shortest_between)
    assert len(thresholds) == n_distinct_values - 1 if n_distinct_values <= 255 else 254


@settings(max_examples=examples(100), deadline=None)
@given(
    dtype=st.sampled_from([np.int8, np.uint8, np.int16, np.int64, np.uint64, np.uint32, bool]),
    data=st.data(),
    close=st.sampled_from([2, 20, 1 << 16]),
)
def test_distinct_whole_numbers(dtype: Any, data: st.DataObject, close: int) -> None:
    limits = (0, 1) if dtype is bool else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    at = data.draw(st.integers(*limits))
    near = st.integers(max(limits[0], at - 30), min(limits[1], at + 30))
    values = np.array(data.draw(st.lists(near, min_size=1, max_size=50)), dtype=dtype)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole_numbers, "CLOSE", close)
        assert n_distinct(values) == len(set(values.tolist()))
        found = factorize_close(values)
    assert (found is not None) == (int(values.max()) - int(values.min()) < close)
    if found is not None:
        places, distinct = found
        assert distinct.dtype == values.dtype
        assert distinct.tolist() == sorted(set(values.tolist()))
        assert distinct[places].tolist() == values.tolist()


def test_what_is_not_whole_is_not_counted() -> None:
    for values in ([0.5], ["a"], [None], pd.to_datetime(["2020-01-01"])):
        assert factorize_close(np.asarray(values)) is None
    assert factorize_close(np.array([], dtype=int)) is None
    assert n_distinct(np.array([], dtype=int)) == 0


@pytest.mark.parametrize("most", [1, 100, 20_000, 49_999])
def test_a_sample_of_many_rows_is_those_whose_hash_is_smallest(most: int) -> None:
    rows = np.flatnonzero(np.arange(60_000) % 6)
    numbers = hashed(60_000, 3)
    naive = np.sort(rows[np.argsort(numbers[rows])[:most]])
    np.testing.assert_array_equal(sampled(rows, numbers, most), naive)
