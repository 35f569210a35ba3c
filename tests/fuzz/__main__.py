"""Odd tables for as long as one likes: ``python -m tests.fuzz --seconds 600``."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter

from tests.fuzz.kinds import BY_NAME
from tests.fuzz.laws import LAWS, Failure, shrunk, tried
from tests.fuzz.tables import case_of


def main() -> int:
    given = _arguments()
    checked: Counter[str] = Counter()
    failures: Counter[tuple[str, str]] = Counter()
    start, seed = time.monotonic(), given.seed
    print(f"from seed {seed} on", flush=True)
    try:
        while True:
            for failure in tried(case_of(seed, given.kind), checked):
                known = failure.law, type(failure.error).__name__
                failures[known] += 1
                _tell(failure, given.kind, shrink=failures[known] <= 3)
            seed += 1
            if given.one or (given.seconds and time.monotonic() - start > given.seconds):
                break
    except KeyboardInterrupt:
        pass
    print(report(checked))
    print(f"seeds {given.seed} to {seed - 1}: {sum(failures.values())} failures")
    return 1 if failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    how_long = parser.add_mutually_exclusive_group()
    how_long.add_argument("--seconds", type=float, default=60.0, help="how long (60)")
    how_long.add_argument("--forever", dest="seconds", action="store_const", const=None)
    how_long.add_argument("--one", action="store_true", help="the case of the seed alone")
    parser.add_argument(
        "--seed",
        type=int,
        default=time.time_ns() // 10**6 % 10**9,
        help="the first seed (by default another one each time)",
    )
    parser.add_argument("--kind", choices=list(BY_NAME), help="differ by a column of this kind")
    return parser.parse_args()


def _tell(failure: Failure, kind: str | None, shrink: bool) -> None:
    print(failure, end="")
    if shrink:
        shorter = shrunk(failure)
        if shorter is not failure:
            print(f"  shorter: {shorter.case}\n  {_first_line(shorter)}")
    print(f"  alone: {alone(failure.case.seed, kind)}\n", flush=True)


def _first_line(failure: Failure) -> str:
    return (str(failure.error).strip().splitlines() or [""])[0][:600]


def alone(seed: int, kind: str | None = None) -> str:
    """How to run one case by itself."""
    named = "" if kind is None else f" --kind {kind!r}"
    return f"python -m tests.fuzz --one --seed {seed}{named}"


def report(checked: Counter[str]) -> str:
    """How often each law had something to check, and what was refused or not tried."""
    laws = [law.__name__ for law in LAWS]
    lines = [f"{checked['cases']:8} cases, {checked['cases with a condition']} with a condition"]
    lines += [f"{checked[law]:8} {law}" for law in laws]
    others = sorted(set(checked) - {*laws, "cases", "cases with a condition"})
    lines += [f"{checked[name]:8}   {name}" for name in others if not name.startswith("kind: ")]
    rare = [name for name in BY_NAME if checked[f"kind: {name}"] == 0]
    lines += [f"kinds that no rule spoke of: {', '.join(rare) or 'none'}"]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
