"""What words of texts cost: ``python -m benchmarks.derive``.

A diff of a table of texts, from which words, pairs of words, lengths and signs are derived, against
what one would do by hand: scikit-learn's CountVectorizer with words and pairs of words, and an
ordinary diff with that many columns. CPU times of one run, printed and written to
``out/derive.md``.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer

import imd_widget as imd
from benchmarks.markdown import table
from benchmarks.speed import Line, cpu_seconds
from imd_widget.data.deriving import choose
from imd_widget.data.table import encode, open_table
from imd_widget.data.words import MOST_COMMON, MOST_WORDS, RAREST

N_WORDS = 50
REPORT = Path("out") / "derive.md"


def texts(n: int) -> list[str]:
    """Made-up texts of 50 words, which are as frequent as words are."""
    rng = np.random.default_rng(0)
    words = np.array([f"word{number}" for number in range(20_000)])
    share = 1 / np.arange(1, len(words) + 1)
    rows = rng.choice(words, n * N_WORDS, p=share / share.sum()).reshape(n, N_WORDS)
    return [" ".join(row) for row in rows.tolist()]


def lines(n: int, repeats: int) -> Iterator[Line]:
    """The cost of each part, and of the whole."""
    X = pd.DataFrame({"text": texts(n)})
    rng = np.random.default_rng(1)
    first = rng.random(n) < 0.5
    second = first ^ X["text"].str.contains("word50 ").to_numpy()
    counter = CountVectorizer(
        binary=True, ngram_range=(1, 2), min_df=RAREST, max_df=MOST_COMMON, max_features=MOST_WORDS
    )
    counted = counter.fit_transform(X["text"]).toarray().astype(bool)
    by_hand = pd.DataFrame(counted, columns=[f"has {name}" for name in counter.vocabulary_])
    count = cpu_seconds(lambda: counter.fit_transform(X["text"]), repeats)
    ordinary = cpu_seconds(lambda: imd.diff(first, second, by_hand), repeats)
    opened, every_row = open_table(X), np.ones(n, dtype=bool)
    chosen = choose(opened, every_row, "auto", 0, None, 255)
    size, together = f"{n:,} texts of {N_WORDS} words", "CountVectorizer and a diff"
    for what, taken in (
        ("choose", cpu_seconds(lambda: choose(opened, every_row, "auto", 0, None, 255), repeats)),
        ("encode", cpu_seconds(lambda: encode(opened, chosen.columns), repeats)),
        ("CountVectorizer", count),
        ("a diff with that many columns", ordinary),
    ):
        yield Line(f"{what}, {size}", taken, taken / (count + ordinary), together, "")
    whole = cpu_seconds(lambda: imd.diff(first, second, X), repeats)
    yield Line(f"whole, {size}", whole, whole / (count + ordinary), together, "at most 1.5")


def main() -> None:
    """Measure, print and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few texts, some seconds in all")
    given = parser.parse_args()
    warnings.filterwarnings("ignore")
    found = list(lines(5_000 if given.quick else 100_000, 1 if given.quick else 3))
    report = table(
        [["what", "CPU time", "ratio", "against", "target"], *(line.cells() for line in found)]
    )
    print(report)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(report + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
