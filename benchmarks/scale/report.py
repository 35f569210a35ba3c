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
MOST_EXPONENT, MOST_WHOLE, MOST_GROWING = 1.05, 1.5, 1.0


def exponent(results: Sequence[Result]) -> float | None:
    """The exponent of the seconds in the number of rows, by least squares on logarithms."""
    if len({result["n_rows"] for result in results}) < 2:
        return None
    rows = np.log([result["n_rows"] for result in results])
    return float(np.polyfit(rows, np.log([result["total"] for result in results]), 1)[0])


def report(results: Sequence[Result], about: str, quick: bool) -> str:
    """The whole page."""
    parts = ["<!-- Written by python -m benchmarks.scale. -->", about]
    if quick:
        parts.append("This is the quick run: its figures say nothing.")
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
        "Seconds of each phase, and the largest memory above that before the fit, with Dask's "
        "threads, with two worker processes of Dask, with the same that have the whole table in "
        "memory before (kept), and from Parquet files without Dask:\n\n" + table(lines)
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
                f"{title.capitalize()}: seconds grow with the rows to the power {found:.2f} from "
                f"{min(sizes):,} to {max(sizes):,} rows."
            )
    aim = f"The aim is at most {MOST_EXPONENT}." if sentences else ""
    return " ".join([*sentences, aim])


def _against(results: Sequence[Result]) -> str:
    aims = [f"whole fit (aim: at most {MOST_WHOLE})", f"growing (aim: at most {MOST_GROWING})"]
    lines = [["rows", "against", "its one tree", "ours", *aims]]
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
        "Against one tree for the outputs of one model (depth 6, 255 bins), fitted by two worker "
        "processes in the same run. They make the table once and keep it in memory; we make it "
        "anew for each of three passes, unless it is in memory before (then their seconds are "
        "without making it, too), call both models, and measure on rows kept aside. Both ratios "
        "are to the whole fit of that one tree:\n\n" + table(lines)
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
        f"What travels while the tree of {largest['n_rows']:,} rows grows in two worker processes "
        f"(each request is one pass over all partitions, and its result is added up in the "
        f"workers):\n\n{table(lines)}"
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
    told = ", ".join(f"{seconds:.0f} s with {n}" for n, seconds in by_workers.items())
    return [
        f"Of the seconds with two workers, {fixed:.1f} do not depend on the number of rows (the "
        "driver's own work, and the way there and back of some thirty requests); the rest is work "
        f"on partitions, which workers share. If nothing else waits, {n_rows:,} rows would take "
        f"{told} workers."
    ]
