"""docs/evidence.md from the results: claims, tables beside the paper's figures, tests, curves."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.markdown import table
from benchmarks.paper import published
from benchmarks.paper.correlation import correlation_claims, table_4, table_5
from benchmarks.paper.evidence import METHODS, NAMES, Claim, Evidence
from benchmarks.paper.models import LEAST_DIFFERENCE
from benchmarks.paper.runs import DEPTH, DEPTHS
from benchmarks.paper.statistics import Comparison, against, friedman, mean_ranks

LIBRARIES = ("imd-widget", "numpy", "pandas", "scikit-learn", "scipy")


def write_report(found: pd.DataFrame, folder: Path, quick: bool) -> Path:
    """Write evidence.md and its pictures into ``folder``; print it too."""
    evidence = Evidence.of(found)
    folder.mkdir(parents=True, exist_ok=True)
    pictures = folder / "images" / "evidence"
    pictures.mkdir(parents=True, exist_ok=True)
    sections = [
        introduction(evidence, quick),
        claims_section(evidence),
        table_1(evidence),
        table_2(evidence),
        table_3(evidence),
    ]
    sections += [table_4(evidence), table_5(evidence)]
    if evidence.has_curves:
        sections.append(curves_section(evidence, pictures))
    file = folder / "evidence.md"
    text = "\n\n".join(sections) + "\n"
    file.write_text(text, encoding="utf-8")
    numbers = evidence.deviations.select_dtypes("number").add_suffix("_deviation")
    evidence.means.join(numbers).to_csv(pictures / "results.csv", float_format="%.4f")
    print(text)
    print(f"written to {file}")
    return file


# --- words and tables -----------------------------------------------------------------------------


def introduction(evidence: Evidence, quick: bool) -> str:
    """What was done, when, with what."""
    versions = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    datasets = evidence.means["dataset"].nunique()
    note = (
        "\n\nThis is the quick run: a smoke test of the machinery, not evidence of anything."
        if quick
        else ""
    )
    made = f"{date.today()}; Python {platform.python_version()}, {versions}"
    return f"""# Evidence

Written by `make paper` (`python -m benchmarks.paper`) from its own results on
{made}; {os.cpu_count()} cores, {memory:.0f} GB.{note}

{datasets} datasets, {len(evidence.ends)} benchmarks: on each dataset the two pairs of models with
the largest and the smallest difference in test accuracy, of those that differ on at least
{100 * LEAST_DIFFERENCE:.0f} % of the rows, chosen from decision trees, random forests, nearest
neighbours, logistic regression, gradient boosting, neural networks and naive Bayes, fitted on 70 %
of the rows with scikit-learn's defaults or little else. Pairs that Table 1 of the paper names are
added where they are others. Diffs are fitted on 70 % of the rows and measured on the rest, on
{evidence.n_splits} splits, at depth {DEPTH}. Duplicate rows are dropped and categories one-hot
encoded, as in the paper.

The paper does not print the settings of its models, so its pairs are the same by name only, and
its figures (in brackets) are to be compared in kind, not digit by digit."""


def claims(evidence: Evidence) -> Iterator[Claim]:
    """What the paper, and we, expect to see."""
    share = evidence.change("precision", "separate", "imd")
    yield Claim(
        "precision of IMD against separate surrogates",
        f"hardly lower (paper: {published.CHANGES['precision, separate to imd']:+.1f} %)",
        f"{share:+.1f} %",
        share >= -5,
    )
    rules = evidence.scores("n_rules", ("separate", "imd", "calibrated"), evidence.ends).mean()
    ratio = rules["separate"] / rules["imd"]
    yield Claim(
        "rules of separate surrogates for one of IMD",
        f"about ten (paper: {published.MEAN_RULES['separate'] / published.MEAN_RULES['imd']:.0f})",
        f"{ratio:.1f} ({rules['separate']:.0f} against {rules['imd']:.1f})",
        bool(ratio >= 8),
    )
    for column, sign in (("precision", 1), ("recall", -1)):
        change = evidence.change(column, "imd", "imd 6+1")
        told = published.CHANGES[f"{column}, imd to refined"]
        yield Claim(
            f"{column} of IMD after one refinement",
            f"{'higher' if sign > 0 else 'lower'} (paper: {told:+.1f} %)",
            f"{change:+.1f} %",
            sign * change > 0,
        )
    yield from correlation_claims(evidence, rules)
    most = ("calibrated", "imd", "separate", "direct_boosting")
    f1 = evidence.scores("f1", most, evidence.ends).mean()
    for other, least in (("imd", 1.25), ("separate", 1.0), ("direct_boosting", 1.0)):
        ratio = f1["calibrated"] / f1[other]
        yield Claim(
            f"mean F1 of calibrated against {NAMES[other]}",
            f"at least {least} x",
            f"{ratio:.3f} x ({f1['calibrated']:.3f} against {f1[other]:.3f})",
            bool(ratio >= least),
        )
    yield Claim(
        "rules of calibrated, on average",
        "at most 9",
        f"{rules['calibrated']:.1f}",
        bool(rules["calibrated"] <= 9),
    )


def claims_section(evidence: Evidence) -> str:
    """Expected, measured, and whether it holds."""
    rows = [
        [claim.what, claim.expected, claim.measured, "yes" if claim.holds else "**no**"]
        for claim in claims(evidence)
    ]
    head = ["", "expected", "measured", "holds"]
    note = "Changes in percent are means over the benchmarks, as in the paper."
    return f"## In short\n\n{table([head, *rows])}\n\n{note}"


def paper_line(evidence: Evidence, pair: str) -> tuple[str, int] | None:
    """Dataset and line of the paper's tables with the same models; None where it names none."""
    about = evidence.about(pair)
    dataset, models = about["dataset"], set(about["models"].split("-"))
    for i, line in enumerate(published.TABLE_1.get(dataset, ())):
        if set(line.models) == models:
            return dataset, i
    return None


def with_paper(ours: float, theirs: float | None, digits: int = 2) -> str:
    """Our figure, and the paper's in brackets."""
    text = "" if np.isnan(ours) else f"{ours:.{digits}f}"
    return text if theirs is None else f"{text} ({theirs:.{digits}f})"


def table_1(evidence: Evidence) -> str:
    """Separate surrogates, IMD and ours: precision, recall, rules."""
    head = ["dataset", "models", "why", "differ"]
    for name in ("separate", "IMD", "calibrated"):
        head += [f"{name} Pr", "Re", "rules"]
    rows = []
    for pair in evidence.pairs:
        about, place = evidence.about(pair), paper_line(evidence, pair)
        line = published.TABLE_1[place[0]][place[1]] if place else None
        row = [about["dataset"], about["models"], about["why"]]
        row.append(with_paper(about["disagreement"], line.diffs if line else None))
        for method in ("separate", "imd", "calibrated"):
            told = getattr(line, method, None) if line else None
            ours = evidence.means.loc[(pair, method)]
            for i, column in enumerate(("precision", "recall", "n_rules")):
                theirs = told[i] if told else None
                row.append(with_paper(ours[column], theirs, 2 if i < 2 else 1))
        rows.append(row)
    last: list[str] = ["**mean**", f"{len(evidence.ends)} benchmarks", "max, min", ""]
    for method in ("separate", "imd", "calibrated"):
        for i, column in enumerate(("precision", "recall", "n_rules")):
            mean = evidence.scores(column, (method,), evidence.ends)[method].mean()
            last.append(f"**{mean:.{2 if i < 2 else 1}f}**")
    predicates = evidence.scores(
        "n_predicates", ("separate", "imd", "calibrated"), evidence.ends
    ).mean()
    told = published.MEAN_PREDICATES
    return (
        "## Table 1: joint and separate surrogates\n\n"
        "Pr: share of the rows inside a rule that differ. Re: share of the differing rows that lie "
        f"inside a rule. In brackets: the paper.\n\n{table([head, *rows, last])}\n\n"
        f"Distinct predicates on average: separate {predicates['separate']:.0f} "
        f"({told['separate']:.0f}), IMD {predicates['imd']:.0f} ({told['imd']:.0f}), calibrated "
        f"{predicates['calibrated']:.0f}."
    )


def table_2(evidence: Evidence) -> str:
    """F1 of all methods, ranks and tests."""
    known = set(evidence.means.index.get_level_values("method"))
    methods = tuple(name for name in METHODS if name in known)
    head = ["dataset", "models", *(NAMES[name] for name in methods)]
    rows = []
    for pair in evidence.pairs:
        about, place = evidence.about(pair), paper_line(evidence, pair)
        told = dict.fromkeys(methods)
        if about["dataset"] not in published.TABLE_1 and about["why"] in ("max", "min"):
            place = about["dataset"], ("max", "min").index(about["why"])
        if place and place[0] in published.TABLE_2:
            told |= dict(zip(METHODS[1:], published.TABLE_2[place[0]][place[1]], strict=True))
        row = [about["dataset"], about["models"]]
        for name in methods:
            missing = (pair, name) not in evidence.means.index
            row.append(
                "" if missing else with_paper(evidence.means.loc[(pair, name), "f1"], told[name])
            )
        rows.append(row)
    parts = [
        "## Table 2: all methods, F1",
        table([head, *rows]),
        "Rule sets are learnt for two classes only, as in the paper. In brackets: the paper, for "
        "the pair of the same name; where it names none, for its pair of the largest or the "
        "smallest difference.",
    ]
    binary = evidence.scores("f1", methods, evidence.ends)
    parts.append(ranked(f"{len(binary)} benchmarks with two classes", binary, paper=True))
    without = tuple(name for name in methods if name != "grounded")
    everything = evidence.scores("f1", without, evidence.ends)
    parts.append(ranked(f"all {len(everything)} benchmarks", everything, paper=False))
    return "\n\n".join(parts)


def ranked(what: str, scores: pd.DataFrame, paper: bool) -> str:
    """Means, mean ranks, and tests of IMD and of ours against the others."""
    ranks, means = mean_ranks(scores), scores.mean()
    told = dict(zip(METHODS[1:], published.TABLE_2_RANKS, strict=True)) if paper else {}
    head = [what, *(NAMES[name] for name in scores)]
    rows = [
        ["mean F1", *(f"{means[name]:.3f}" for name in scores)],
        ["mean rank", *(with_paper(ranks[name], told.get(name)) for name in scores)],
    ]
    text = table([head, *rows])
    if len(scores) < 3:
        return text
    text += f"\n\nFriedman's test: p = {friedman(scores):.2g}."
    for ours in ("imd", "calibrated"):
        tests = "; ".join(map(in_words, against(scores, ours)))
        text += f" Wilcoxon's signed rank tests of {NAMES[ours]}, with Holm's thresholds: {tests}."
    return text


def in_words(test: Comparison) -> str:
    """One comparison."""
    verdict = "significant" if test.significant else "not significant"
    return f"against {NAMES[test.against]} p = {test.p:.2g} ({verdict} at {test.threshold:.2g})"


def table_3(evidence: Evidence) -> str:
    """What refinement does."""
    variants = ("imd", "imd 6+1", "imd 7", "calibrated", "calibrated 6+1")
    head = [
        "dataset",
        "models",
        "IMD 6 Pr",
        "IMD 6+1 Pr",
        "IMD 7 Pr",
        "calibrated Pr",
        "refined Pr",
    ]
    rows = []
    for pair in evidence.pairs:
        about, place = evidence.about(pair), paper_line(evidence, pair)
        told = published.TABLE_3[place[0]][place[1]] if place else (None,) * 3
        figures = [
            with_paper(evidence.means.loc[(pair, name), "precision"], theirs)
            for name, theirs in zip(variants, (*told, None, None), strict=True)
        ]
        rows.append([about["dataset"], about["models"], *figures])
    lines = []
    for column, digits in (("precision", 3), ("recall", 3), ("n_rules", 1)):
        means = evidence.scores(column, variants, evidence.ends).mean()
        what = {"n_rules": "rules"}.get(column, column)
        lines.append([f"mean {what}", "", *(f"{means[name]:.{digits}f}" for name in variants)])
    return "## Table 3: refinement\n\n" + table([head, *rows, *lines])


def curves_section(evidence: Evidence, pictures: Path) -> str:
    """Accuracy against size, as a picture and as a table."""
    methods = ("calibrated", "imd", "separate", "direct_tree")
    points = {
        method: [
            evidence.scores(column, (name,), evidence.ends)[name].mean()
            for depth in DEPTHS
            for name in [method if depth == DEPTH else f"{method} at {depth}"]
            for column in ("n_rules", "f1")
        ]
        for method in methods
    }
    draw_curves(
        {NAMES[name]: np.reshape(found, (-1, 2)) for name, found in points.items()},
        pictures / "size.svg",
    )
    rows = [
        [NAMES[name], *(f"{f1:.3f} / {rules:.0f}" for rules, f1 in np.reshape(found, (-1, 2)))]
        for name, found in points.items()
    ]
    head = ["F1 / rules at depth", *map(str, DEPTHS)]
    return (
        "## Accuracy against size\n\n"
        "![Mean F1 against mean number of rules, for depths 2 to 8](images/evidence/size.svg)\n\n"
        + table([head, *rows])
    )


def draw_curves(points: dict[str, np.ndarray], file: Path) -> None:
    """Mean F1 against mean number of rules, a line a method, a point a depth."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "imd"
    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    colours = ("#0072b2", "#e69f00", "#009e73", "#d55e00")
    for (name, line), colour, mark in zip(points.items(), colours, "osD^", strict=True):
        axes.plot(line[:, 0], line[:, 1], f"{mark}-", color=colour, label=name)
        for depth, (x, y) in zip(DEPTHS, line, strict=True):
            if depth in (DEPTHS[0], DEPTHS[-1]):
                axes.annotate(f" {depth}", (x, y), fontsize=8, color=colour)
    axes.set(xscale="log", xlabel="rules (log scale)", ylabel="F1 on rows kept aside")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.savefig(file, metadata={"Date": None})
    plt.close(figure)
