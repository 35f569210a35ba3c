"""Settings of all tests."""

from __future__ import annotations

import hypothesis

# Tests never time: on a busy machine an example may take any time. All else stays as Hypothesis
# chose it: with CI=true the same examples in every run.
hypothesis.settings.register_profile("untimed", hypothesis.settings(), deadline=None)
hypothesis.settings.load_profile("untimed")
