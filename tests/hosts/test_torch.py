"""A module of PyTorch, which only who has PyTorch can run: the line of docs/where.md."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch

import imd_widget as imd
from tests.hosts.recipes import line_of

N_ROWS = 300
RNG = np.random.default_rng(0)
X = pd.DataFrame({"age": RNG.uniform(-1, 1, N_ROWS), "income": RNG.uniform(-1, 1, N_ROWS)})


def test_the_line_that_the_error_names_calls_the_module() -> None:
    module = torch.nn.Linear(2, 3)
    line = line_of("a PyTorch module")
    with pytest.raises(imd.InputError, match="Linear of torch") as raised:
        imd.diff(module, np.zeros(N_ROWS), X)
    assert line in str(raised.value)
    model = eval(line, {"module": module, "torch": torch, "np": np})
    own = X.to_numpy("float32") @ module.weight.detach().numpy().T + module.bias.detach().numpy()
    assert imd.diff(model, own.argmax(axis=1), X).metrics.n_differing == 0
