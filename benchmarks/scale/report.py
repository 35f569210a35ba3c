"""The figures as a page of Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.markdown import table
from benchmarks.scale.rivals import RIVALS
from benchmarks.scale.watch import PHASES

Result = dict[str, Any]

HOWS = {
    "threads": "threads",
    "cluster": "workers",
    "kept": "workers, kept",
    "files": "files",
}
HEADING = (
    "# Evidence: large tables\n\n"
    "Measured by `make bench-scale` (`python -m benchmarks.scale`). [Large tables](scale.md) "
    "describes how they are compared."
)
MOST_EXPONENT, MOST_WHOLE, MOST_GROWING = 1.05, 1.5, 1.0


def exponent(results: Sequence[Result]) -> float | None:
    """The exponent of the seconds in the number of rows, by least squares on logarithms."""
    if len({result["n_rows"] for result in results}) < 2:
        return None
    rows = np.log([result["n_rows"] for result in results])
    return float(np.polyfit(rows, np.log([result["total"] for result in results]), 1)[0])


def report(results: Sequence[Result], about: str, quick: bool) -> str:
    """The whole page."""
    parts = [HEADING, about]
    if quick:
        parts.append("This is the quick run: its figures mean nothing.")
    parts += [_seconds(results), _exponents(results), _against(results), _travels(results)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _ours(results: Sequence[Result]) -> list[Result]:
    return [result for result in results if result["how"] in HOWS]


def _seconds(results: Sequence[Result]) -> str:
    lines = [["", "rows", *PHASES, "rest", "whole", "driver", "worker"]]
    for result in _ours(results):
        phases = [f"{result['seconds'][phase]:.1f}" for phase in (*PHASES, "rest")]
        worker = _megabytes(result["worker"]) if result["worker"] else ""
        lines.append(
            [
                HOWS[result["how"]],
                f"{result['n_rows']:,}",
                *phases,
                f"{result['total']:.1f} s",
                _megabytes(result["driver"]),
                worker,
            ]
        )
    return (
        "Seconds of each phase, and the peak memory above that before the fit. *Threads* are "
        "Dask's threads, *workers* two worker processes of Dask, *kept* the same with the whole "
        "table in memory beforehand, and *files* Parquet files without Dask:\n\n" + table(lines)
    )


def _megabytes(size: float) -> str:
    return f"{size / 1e6:,.0f} MB"


def _exponents(results: Sequence[Result]) -> str:
    sentences = []
    for how, title in HOWS.items():
        own = [result for result in results if result["how"] == how]
        found = exponent(own)
        if found is not None and how != "kept":
            sizes = [result["n_rows"] for result in own]
            sentences.append(
                f"{title.capitalize()}: from {min(sizes):,} to {max(sizes):,} rows, time grows "
                f"with the number of rows to the power {found:.2f}."
            )
    aim = f"The target is at most {MOST_EXPONENT}." if sentences else ""
    return " ".join([*sentences, aim])


def _against(results: Sequence[Result]) -> str:
    targets = [
        f"whole fit (target: at most {MOST_WHOLE})",
        f"growing (target: at most {MOST_GROWING})",
    ]
    lines = [["rows", "against", "its one tree", "ours", *targets]]
    for theirs in (result for result in results if result["how"] in RIVALS):
        same = [one for one in _ours(results) if one["n_rows"] == theirs["n_rows"]]
        for ours in (one for one in same if one["how"] != "files"):
            one_tree = theirs["total"] - (theirs["make"] if ours["how"] == "kept" else 0)
            whole, growing = (
                seconds / one_tree for seconds in (ours["total"], ours["seconds"]["grow"])
            )
            told = [theirs["how"], f"{one_tree:.1f} s", HOWS[ours["how"]]]
            lines.append([f"{ours['n_rows']:,}", *told, f"{whole:.2f} x", f"{growing:.2f} x"])
    if len(lines) == 1:
        return ""
    return (
        "The other libraries fit one tree to the outputs of one model (depth 6, 255 bins) with "
        "two worker processes, in the same run. They create the table once and keep it in memory. "
        "We create it for each of three passes, call both models, and measure on held-out rows. "
        "In the rows *kept*, the table is in memory beforehand, and the time of the others is "
        "without creating it. Both ratios are to the whole fit of their one tree:\n\n"
        + table(lines)
    )


def _travels(results: Sequence[Result]) -> str:
    clusters = [result for result in results if result["how"] == "cluster"]
    if not clusters:
        return ""
    largest = max(clusters, key=lambda result: result["n_rows"])
    requests = largest["requests"]
    lines = [["request", "how often", "to the workers", "from the workers", "seconds"]]
    for name in dict.fromkeys(request["request"] for request in requests):
        own = [request for request in requests if request["request"] == name]
        sent, returned, seconds = (
            sum(request[key] for request in own) for key in ("sent", "returned", "seconds")
        )
        lines.append(
            [
                name,
                str(len(own)),
                f"{sent / 1e6:.1f} MB",
                f"{returned / 1e6:.1f} MB",
                f"{seconds:.1f}",
            ]
        )
    text = (
        f"Data sent while the tree of {largest['n_rows']:,} rows grows in two worker processes. "
        f"Each request is one pass over all partitions; the workers add up its result:"
        f"\n\n{table(lines)}"
    )
    return "\n\n".join([text, *_more_workers(clusters)])


def _more_workers(clusters: Sequence[Result]) -> list[str]:
    """What more workers would give, from the part of the seconds that grows with the rows."""
    sizes = [result["n_rows"] for result in clusters]
    if len(set(sizes)) < 2:
        return []
    slope, fixed = np.polyfit(sizes, [result["total"] for result in clusters], 1)
    n_rows, fixed = max(sizes), max(float(fixed), 0.0)
    by_workers = {n: fixed + slope * n_rows * 2 / n for n in (2, 8, 32)}
    times = ", ".join(f"{seconds:.0f} s with {n}" for n, seconds in by_workers.items())
    return [
        f"With two workers, {fixed:.1f} s do not depend on the number of rows: the driver's own "
        "work and the round trips of about thirty requests. The rest is work on partitions, which "
        f"workers share. Extrapolated, {n_rows:,} rows would take {times} workers. More than two "
        "workers were not measured."
    ]
