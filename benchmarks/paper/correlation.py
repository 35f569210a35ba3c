"""Tables beyond F1: Matthews' correlation, explained entropy, and a given model."""

from __future__ import annotations

import numpy as np

from benchmarks.markdown import table
from benchmarks.paper.evidence import NAMES, Evidence


def table_4(evidence: Evidence) -> str:
    """Matthews' correlation and explained entropy of all methods: what F1 hides."""
    methods = (*evidence.methods, "ceiling")
    head = ["dataset", "models", "differ", "F1 of always", *(NAMES[name] for name in methods)]
    rows = []
    for pair in evidence.pairs:
        about = evidence.about(pair)
        base = float(about["disagreement"])
        row = [about["dataset"], about["models"], f"{base:.2f}", f"{2 * base / (1 + base):.2f}"]
        for name in methods:
            missing = (pair, name) not in evidence.means.index
            row.append("" if missing else f"{evidence.means.loc[(pair, name), 'mcc']:.2f}")
        rows.append(row)
    without = tuple(name for name in methods if name != "grounded")
    for column, what in (("mcc", "mean MCC"), ("explained", "mean explained")):
        means = evidence.scores(column, without, evidence.ends).mean()
        cells = ["" if name == "grounded" else f"**{means[name]:.3f}**" for name in methods]
        rows.append([f"**{what}**", f"{len(evidence.ends)} benchmarks", "", "", *cells])
    often = [p for p in evidence.pairs if evidence.about(p)["disagreement"] > 0.4]
    hidden = ""
    if often:
        f1 = evidence.scores("f1", ("calibrated",), often)["calibrated"].mean()
        mcc = evidence.scores("mcc", ("calibrated",), often)["calibrated"].mean()
        bases = [evidence.about(pair)["disagreement"] for pair in often]
        always = float(np.mean([2 * base / (1 + base) for base in bases]))
        hidden = (
            f" On the {len(often)} pairs that differ on more than 40 % of the rows, the rule "
            f'"all rows" has a mean F1 of {always:.2f} and no information; calibrated has '
            f"{f1:.2f} with a correlation of {mcc:.2f}."
        )
    return (
        "## Table 4: what F1 hides\n\n"
        'The Matthews correlation (MCC) between "inside a rule" and "differs" is 1 if the rules '
        "cover all differences and nothing else, and 0 if they have no information. The rule "
        '"all rows" has an F1 of $2b / (1 + b)$ for a share $b$ of differing rows, and a '
        "correlation of 0." + hidden + "\n\n"
        f"{table([head, *rows])}\n\n"
        '*Explained* is the share of the entropy of "differs" that the rules explain. The '
        "*ceiling* is not a method: gradient boosting of either model, with the threshold chosen "
        "on the rows that are measured. Means leave out grounded rules, which support two classes "
        "only."
    )


def table_5(evidence: Evidence) -> str:
    """Rules that may use the output of one model, against the columns alone."""
    variants = ("calibrated", "calibrated given")
    columns = ("f1", "mcc", "explained", "n_rules")
    head = [
        "dataset",
        "models",
        *(
            f"{what} {column}"
            for column in ("F1", "MCC", "explained", "rules")
            for what in ("columns", "given")
        ),
    ]
    rows = []
    for pair in evidence.pairs:
        about = evidence.about(pair)
        row = [about["dataset"], about["models"]]
        for column in columns:
            digits = 1 if column == "n_rules" else 2
            row += [f"{evidence.means.loc[(pair, name), column]:.{digits}f}" for name in variants]
        rows.append(row)
    last = ["**mean**", f"{len(evidence.ends)} benchmarks"]
    for column in columns:
        means = evidence.scores(column, variants, evidence.ends).mean()
        digits = 1 if column == "n_rules" else 3
        last += [f"**{means[name]:.{digits}f}**" for name in variants]
    mcc = evidence.scores("mcc", variants, evidence.ends)
    risen = int((mcc["calibrated given"] > mcc["calibrated"]).sum())
    return (
        "## Table 5: given the output of one model\n\n"
        'With `given="auto"`, rules answer another question: they may use the output of one of '
        "the two models, and new rows need this output. A model that is hard to describe then "
        "does not have to be described. The correlation is higher on "
        f"{risen} of {len(mcc)} benchmarks.\n\n{table([head, *rows, last])}"
    )
