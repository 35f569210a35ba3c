"""The problem that a method fits, from a dataset and the outputs of both models."""

from __future__ import annotations

import numpy as np

from imd_widget._base.parallel import n_threads
from imd_widget.comparison.dataset import Dataset
from imd_widget.counting.layout import Layout
from imd_widget.methods import AugmentedSource, Fit, Method, Problem, spec_of
from imd_widget.outputs.base import ComparedOutputs
from imd_widget.tree.chunk import Chunk
from imd_widget.tree.local_source import LocalSource

#: With fewer rows, handing chunks to threads costs more time than it saves.
MANY_ROWS = 100_000


def make_problem(
    dataset: Dataset, compared: ComparedOutputs, method: Method, n_chunks: int | None = None
) -> Problem:
    """Return the problem of a dataset whose rows are counted in ``n_chunks`` chunks.

    None: one per thread, and as many threads as cores if there are at least `MANY_ROWS` rows.
    """
    codes, observed = dataset.codes, compared.observations
    chunk = Chunk(codes, observed, dataset.fit, dataset.holdout)
    source = _source(dataset, chunk, n_chunks)
    augmented_source = None
    if dataset.new is not None:
        rows, times = dataset.augmented_rows(compared.usable)
        every = np.arange(len(rows), dtype=np.int32)
        nothing = np.empty(0, dtype=np.int32)
        augmented_codes = [column_codes[rows] for column_codes in codes]
        more = Chunk(augmented_codes, observed.take(rows), every, nothing)
        augmented_source = AugmentedSource(_source(dataset, more, n_chunks), times)
    outputs, pairs = compared.outputs, compared.pairs
    return Problem(source, outputs, pairs, dataset.unit, method, augmented_source)


def _source(dataset: Dataset, chunk: Chunk, n_chunks: int | None) -> LocalSource:
    columns = dataset.columns
    threads = n_threads() if len(chunk.fit) + len(chunk.holdout) >= MANY_ROWS else 1
    chunks = chunk.deal(threads) if n_chunks is None else chunk.split(n_chunks)
    return LocalSource(columns, chunks, Layout.of(columns), n_threads=threads)


def fit_problem(problem: Problem, refinements: int = 0) -> Fit:
    """Fit the method of a problem, and refine the fit as far as ``refinements`` and it allow."""
    spec = spec_of(problem)
    with problem.source.session():
        fit = spec.fit(problem)
        for _ in range(refinements):
            fit = spec.refine(problem, fit)
    return fit
