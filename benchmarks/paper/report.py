"""docs/evidence.md from the results: claims, tables beside the paper's figures, tests, curves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.markdown import table
from benchmarks.paper import published
from benchmarks.paper.claims import in_short
from benchmarks.paper.correlation import table_4, table_5
from benchmarks.paper.evidence import METHODS, NAMES, Evidence
from benchmarks.paper.models import LEAST_DIFFERENCE
from benchmarks.paper.runs import DEPTH, DEPTHS
from benchmarks.paper.statistics import Comparison, against, friedman, mean_ranks


def write_report(folder: Path) -> Path:
    """Write evidence.md and its picture from the results stored in ``folder``; print it too."""
    pictures = folder / "images" / "evidence"
    evidence = Evidence.read(pictures)
    if evidence.has_curves:
        draw_curves(curve_points(evidence), pictures / "size.svg")
    file = folder / "evidence.md"
    text = page(evidence)
    file.write_text(text, encoding="utf-8")
    print(text)
    print(f"written to {file}")
    return file


def page(evidence: Evidence) -> str:
    """The whole page as Markdown."""
    sections = [
        introduction(evidence),
        in_short(evidence),
        NOT_REPRODUCED,
        pairs_section(evidence),
        table_1(evidence),
        table_2(evidence),
        table_3(evidence),
        table_4(evidence),
        table_5(evidence),
        deviations_section(evidence),
    ]
    if evidence.has_curves:
        sections.append(curves_section(evidence))
    return "\n\n".join(sections) + "\n"


NOT_REPRODUCED = """## What was not reproduced

- The settings of the paper's models. It does not print them, so pairs are the same by name only;
  its accuracies are in a supplement that was not available to us.
- The case study of an advertising campaign (Figure 3 of the paper). Its data and models are not
  public.
- The integer program of the baseline "BRCG Diff.", see above.
- The qualitative comparison of the direct tree with the joint tree, and the importance of columns
  to a joint tree, both in the supplement.
- A dissimilarity of one's own. The problem statement of the paper allows any; its method and
  experiments use "the labels differ", and so does this page. In the package it is the option
  `dissimilarity`.

The tests compare the trees of the package with [the method in NumPy](method-in-numpy.md), node
for node."""


# --- words and tables -----------------------------------------------------------------------------


def introduction(evidence: Evidence) -> str:
    """What was done, when, with what."""
    run = evidence.run
    datasets = evidence.means["dataset"].nunique()
    note = (
        "\n\nThis is the quick run: a smoke test of the machinery, not evidence of anything."
        if run.quick
        else ""
    )
    return f"""# Evidence

Measured by `make paper` (`python -m benchmarks.paper`) on {run.date};
{run.software}; {run.machine}.
`python -m benchmarks.paper --stored` writes this page again from the stored results in
`images/evidence`.{note}

There are {datasets} datasets and {len(evidence.ends)} benchmarks. On each dataset, these are the
two pairs of models with the largest and the smallest difference in test accuracy, among the pairs
that differ on at least {100 * LEAST_DIFFERENCE:.0f} % of the rows. The models are decision trees,
random forests, nearest neighbours, logistic regression, gradient boosting, neural networks and
naive Bayes, fitted on 70 % of the rows with scikit-learn's defaults or few changes. Other pairs in
Table 1 of the paper are in the tables, but not in any mean. Diffs are fitted on 70 % of the rows
and measured on the rest, on {run.n_splits} splits, at depth {DEPTH}. Duplicate rows are dropped and
categories one-hot encoded, as in the paper.

All outputs are classes. Not measured here: values, probabilities, weights and groups, and whether
readers understand the rules.

The paper does not print the settings of its models, so its pairs are the same by name only. Compare
its figures (in brackets) with ours by trend, not digit by digit.

{grounded_rules()}"""


def grounded_rules() -> str:
    """Where the baseline of grounded rules deviates from the papers that it follows."""
    return """*Grounded rules* is our version of the paper's baseline "BRCG Diff.": a rule set for
each model, learned by column generation (Dash, Günlük and Wei, 2018), the second grounded in the
first (Nair et al., 2021). It deviates from these papers in three ways. New clauses are found by a
beam search instead of an integer program, which may miss a useful clause. The rules of the two sets
are not paired one to one, because predicting differences needs no pairs. A difference, "this clause
of one set and none of the other", is expanded into conjunctions, because the paper counts
conjunctions and does not describe how it derives them from two rule sets."""


def pairs_section(evidence: Evidence) -> str:
    """The pairs and the test accuracies of their models."""
    head = ["dataset", "models", "why", "accuracy of the first", "of the second", "differ"]
    rows = []
    for pair in evidence.pairs:
        about = evidence.about(pair)
        accuracies = [f"{one:.3f}" for one in evidence.accuracy(pair)]
        differ = f"{about['disagreement']:.3f}"
        rows.append([about["dataset"], about["models"], about["why"], *accuracies, differ])
    return (
        "## The pairs\n\n"
        "Accuracy on the 30 % of the rows that the models were not fitted on, and the share of "
        "rows on which the two models differ. The accuracies of the paper are in a supplement "
        f"that was not available to us.\n\n{table([head, *rows])}"
    )


def deviations_section(evidence: Evidence) -> str:
    """Standard deviations over the splits."""
    columns = [
        (method, column)
        for method in ("separate", "imd", "calibrated")
        for column in ("precision", "recall")
    ]
    columns += [(method, "f1") for method in evidence.methods]
    short = {"precision": "Pr", "recall": "Re", "f1": "F1"}
    head = ["dataset", "models", *(f"{NAMES[m]} {short[column]}" for m, column in columns)]
    rows = []
    for pair in evidence.pairs:
        about = evidence.about(pair)
        row = [about["dataset"], about["models"]]
        for method, column in columns:
            missing = (pair, method) not in evidence.deviations.index
            row.append("" if missing else f"{evidence.deviations.loc[(pair, method), column]:.2f}")
        rows.append(row)
    return (
        "## Standard deviations\n\n"
        "Standard deviations of the figures in Tables 1 and 2 over the "
        f"{evidence.run.n_splits} splits. The splits overlap, so these are not standard errors of "
        "the means. `images/evidence/results.csv` has those of all other figures."
        f"\n\n{table([head, *rows])}"
    )


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
        "Pr (precision): share of the rows inside a rule that differ. Re (recall): share of the "
        "differing rows that are inside a rule. In brackets: the paper.\n\n"
        f"{table([head, *rows, last])}\n\n"
        f"Distinct predicates on average: separate {predicates['separate']:.0f} "
        f"({told['separate']:.0f}), IMD {predicates['imd']:.0f} ({told['imd']:.0f}), calibrated "
        f"{predicates['calibrated']:.0f}."
    )


def table_2(evidence: Evidence) -> str:
    """F1 of all methods, ranks and tests."""
    methods = evidence.methods
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
        "Rule sets are learned for two classes only, as in the paper. In brackets: the paper, for "
        "the pair of the same name or, if it names none, for its pair with the largest or the "
        "smallest difference.",
    ]
    binary = evidence.scores("f1", methods, evidence.ends)
    what = f"{len(binary)} benchmarks with two classes"
    parts.append(ranked(what, binary, mean_rules(evidence, binary), paper=True))
    without = tuple(name for name in methods if name != "grounded")
    everything = evidence.scores("f1", without, evidence.ends)
    what = f"all {len(everything)} benchmarks"
    parts.append(ranked(what, everything, mean_rules(evidence, everything), paper=False))
    return "\n\n".join(parts)


def mean_rules(evidence: Evidence, scores: pd.DataFrame) -> dict[str, float]:
    """Mean number of rules of the methods that have rules, over the benchmarks of ``scores``."""
    methods = tuple(name for name in scores if name != "direct_boosting")
    return evidence.scores("n_rules", methods, list(scores.index)).mean().to_dict()


def ranked(what: str, scores: pd.DataFrame, rules: dict[str, float], paper: bool) -> str:
    """Means, mean ranks, and tests of IMD and of ours against the others."""
    ranks, means = mean_ranks(scores), scores.mean()
    told = dict(zip(METHODS[1:], published.TABLE_2_RANKS, strict=True)) if paper else {}
    told_rules = published.MEAN_RULES_TWO_CLASSES if paper else {}
    head = [what, *(NAMES[name] for name in scores)]
    rows = [
        ["mean F1", *(f"{means[name]:.3f}" for name in scores)],
        ["mean rank", *(with_paper(ranks[name], told.get(name)) for name in scores)],
        [
            "mean number of rules",
            *(with_paper(rules.get(name, np.nan), told_rules.get(name), 1) for name in scores),
        ],
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


def curve_points(evidence: Evidence) -> dict[str, np.ndarray]:
    """Mean number of rules and mean F1 of each method, a row for each depth."""
    return {
        NAMES[method]: np.array(
            [
                [
                    evidence.scores(column, (name,), evidence.ends)[name].mean()
                    for column in ("n_rules", "f1")
                ]
                for depth in DEPTHS
                for name in [method if depth == DEPTH else f"{method} at {depth}"]
            ]
        )
        for method in ("calibrated", "imd", "separate", "direct_tree")
    }


def curves_section(evidence: Evidence) -> str:
    """Accuracy against size, as a picture and as a table."""
    rows = [
        [name, *(f"{f1:.3f} / {rules:.0f}" for rules, f1 in line)]
        for name, line in curve_points(evidence).items()
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
