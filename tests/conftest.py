"""Settings of all tests."""

from __future__ import annotations

import os

import hypothesis

from tests.examples import examples

# Tests run side by side: threads of BLAS and OpenMP would only wait for each other.
for _library in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_library, "1")

# Files hold the time at which a diff was made; equal diffs give equal files in the tests.
os.environ.setdefault("SOURCE_DATE_EPOCH", "1790000000")

# Tests never time: on a busy machine an example may take any time. All else stays as Hypothesis
# chose it: with CI=true the same examples in every run.
hypothesis.settings.register_profile(
    "untimed", hypothesis.settings(), deadline=None, max_examples=examples(100)
)
hypothesis.settings.load_profile("untimed")
