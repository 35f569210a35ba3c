"""The problem that a method fits, from a dataset and the outputs of both models."""

from __future__ import annotations

from imd_widget.comparison.dataset import Dataset
from imd_widget.data.boxes import Box
from imd_widget.methods import Fit, Method, Problem, fit_known, spec_of
from imd_widget.outputs.base import ComparedOutputs


def make_problem(
    dataset: Dataset,
    compared: ComparedOutputs,
    method: Method,
    n_chunks: int | None = None,
    known: tuple[Box, ...] = (),
) -> Problem:
    """Return the problem of a dataset; ``n_chunks`` is explained at `MemoryDataset.source`."""
    return Problem(
        dataset.source(compared, method.max_depth, n_chunks),
        compared.outputs,
        compared.pairs,
        dataset.unit,
        method,
        dataset.augmented_source(compared, n_chunks),
        known,
    )


def fit_problem(problem: Problem, refinements: int = 0) -> Fit:
    """Fit the method of a problem, and refine the fit as far as ``refinements`` and it allow.

    Known boxes are described instead, if they can be.
    """
    spec = spec_of(problem)
    with problem.source.session():
        fit = (fit_known(problem) if problem.known else None) or spec.fit(problem)
        for _ in range(refinements):
            fit = spec.refine(problem, fit)
    return fit
