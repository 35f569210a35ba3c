"""A global model that describes the data, and local models where it needs help (Rueping 2005)."""

from __future__ import annotations

from imd_widget._base.optional import importing

with importing("imd_widget.learners.local_models"):
    from imd_widget.learners.local_models.classifier import LocalModelsClassifier
    from imd_widget.learners.local_models.cross_validation import LocalModelsClassifierCV
    from imd_widget.learners.local_models.densities import (
        GaussianDensity,
        KMedoidsDensity,
        MCDDensity,
    )

__all__ = [
    "GaussianDensity",
    "KMedoidsDensity",
    "LocalModelsClassifier",
    "LocalModelsClassifierCV",
    "MCDDensity",
]
