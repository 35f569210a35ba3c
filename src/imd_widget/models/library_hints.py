"""Models of libraries that cannot be called as they are, and the line of code that calls them."""

from __future__ import annotations

from typing import Any

#: What to pass for a model, by the first part of the module and the name of its class or a base.
LINES = {
    ("torch", "Module"): (
        'lambda X: module(torch.as_tensor(np.asarray(X, dtype="float32"))).argmax(1)'
    ),
    ("skore", "CrossValidationReport"): "report.reports_[0].estimator_",
    ("skore", "ComparisonReport"): 'report.reports_["name"].estimator_',
    ("pyspark", "Transformer"): (
        'lambda X: model.transform(spark.createDataFrame(X)).toPandas()["prediction"]'
    ),
}


def line_for(model: Any) -> tuple[str | None, str]:
    """Return what to pass for a model that cannot be called with a table, and its library.

    None if nothing is known of the model, or if it has ``predict``.
    """
    for kind in type(model).__mro__[:-1]:
        library = kind.__module__.partition(".")[0]
        line = LINES.get((library, kind.__name__))
        if line is not None and not hasattr(type(model), "predict"):
            return line, library
    return None, ""
