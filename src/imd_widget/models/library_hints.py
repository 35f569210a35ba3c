"""Models of libraries that are called in a way of their own, and the line of code that does it."""

from __future__ import annotations

from typing import Any

#: What to pass for a model, by the first part of the module and the name of a class.
LINES = {
    ("xgboost", "Booster"): "lambda X: booster.predict(xgboost.DMatrix(X))",
    ("onnxruntime", "InferenceSession"): (
        "lambda X: session.run(None, {session.get_inputs()[0].name: "
        'np.asarray(X, dtype="float32")})[0]'
    ),
    ("skore", "EstimatorReport"): "report.estimator_",
    ("skore", "CrossValidationReport"): "report.estimator_reports_[0].estimator_",
}
#: The line for results of statsmodels, whose predict takes what the model was fitted with.
STATSMODELS = "lambda X: result.predict(sm.add_constant(pd.DataFrame(X), has_constant='add'))"


def line_for(model: Any) -> str | None:
    """Return what to pass for a model that cannot be called with a table; None if it is unknown."""
    kind = type(model)
    return LINES.get((kind.__module__.partition(".")[0], kind.__name__))


def failure_hint(model: Any, argument: str) -> str:
    """Return what a model that failed may need; empty if nothing is known of it."""
    if not type(model).__module__.startswith("statsmodels"):
        return ""
    return (
        "A result of statsmodels needs the columns that it was fitted with, the constant among "
        "them, and one that was fitted by a formula needs their names: "
        f"{argument}={STATSMODELS}. "
    )
