"""Outputs of several models on a small table, for property tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st


@dataclass(frozen=True)
class Several:
    """Models, a table, and the options of their comparison."""

    models: dict[str, np.ndarray[Any, Any]]
    X: pd.DataFrame
    options: dict[str, Any]

    @property
    def weight(self) -> np.ndarray[Any, Any]:
        return np.asarray(self.options.get("sample_weight", np.ones(len(self.X))), dtype=float)


@st.composite
def several(
    draw: st.DrawFn, least: int = 2, most: int = 5, kinds: str = "class proba value"
) -> Any:
    """Models that differ in parts of a table, some of them twins; of any kind."""
    n_rows, k = draw(st.integers(20, 60)), draw(st.integers(least, most))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 60, n_rows),
            "town": rng.choice(["Bonn", "Rome", "Oslo"], n_rows),
            "size": rng.normal(size=n_rows).round(2),
        }
    )
    kind = draw(st.sampled_from(kinds.split()))
    score = (X["age"] / 60 + 0.2 * X["size"]).to_numpy()
    found: list[np.ndarray[Any, Any]] = []
    for _ in range(k):
        if found and draw(st.integers(0, 3)) == 0:
            found.append(draw(st.sampled_from(found)).copy())  # a twin
            continue
        part = np.asarray(X["town"] == draw(st.sampled_from(["Bonn", "Rome", "Oslo"])))
        own = score + np.where(part, draw(st.sampled_from([-0.4, 0.1, 0.5])), 0)
        if kind == "class":
            labels = np.array(["no", "maybe", "yes"], dtype=object)
            own = labels[np.digitize(own, [0.5, draw(st.sampled_from([0.8, 1.0, 9.0]))])]
        elif kind == "proba":
            own = np.clip(own, 0, 1).round(3)
        found.append(own)
    options: dict[str, Any] = {"outputs": kind}
    if kind == "value":
        options["tolerance"] = draw(st.sampled_from([None, 0, 0.2, "10 %"]))
    if draw(st.booleans()):
        weight = rng.integers(0, 4, n_rows)
        weight[0] = 1
        options["sample_weight"] = weight
    if draw(st.booleans()):
        y = np.where(rng.random(n_rows) < 0.2, found[-1], found[0])
        options["y"] = (score > 0.6).astype(int) if kind == "proba" else y
    return Several({f"m{at}": own for at, own in enumerate(found)}, X, options)


def differs(one: Any, two: Any, kind: str, tolerance: Any) -> list[bool]:
    """Whether two models differ on each row, a row at a time."""
    if kind == "class":
        return [a != b for a, b in zip(one, two, strict=True)]
    if isinstance(tolerance, str):
        share = float(tolerance.strip(" %")) / 100
        return [
            abs(a - b) > share * max(abs(a), abs(b)) * (1 + 1e-9)
            for a, b in zip(one, two, strict=True)
        ]
    return [abs(a - b) > tolerance * (1 + 1e-9) for a, b in zip(one, two, strict=True)]
