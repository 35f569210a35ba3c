"""Trained models as files: a NumPy archive with a JSON text inside, no pickle."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import asdict, fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from imd_widget._base.atomic_write import write_whole
from imd_widget._base.errors import Given, InputError
from imd_widget._base.plain import LONGEST, cut, from_json, listed, matches_type, shown, whole
from imd_widget._base.plain_values import distinct_from_plain, from_plain, to_plain
from imd_widget.learners.meta_trees.features import TreeFeature
from imd_widget.learners.meta_trees.file_checks import (
    check_architecture,
    check_features,
    check_forest,
    check_parameters,
)
from imd_widget.learners.meta_trees.fitting import Fitting
from imd_widget.learners.meta_trees.forest import Forest
from imd_widget.learners.meta_trees.networks import Architecture
from imd_widget.learners.meta_trees.options import check_options
from imd_widget.learners.meta_trees.plan import Plan, TrainingState
from imd_widget.learners.meta_trees.targets import Classes, Numbers, Targets

if TYPE_CHECKING:
    from imd_widget.learners.meta_trees.estimators import BaseMetaTrees

    Model = TypeVar("Model", bound=BaseMetaTrees)

FORMAT, VERSION = "imd-widget meta trees", 1
Arrays = dict[str, NDArray[Any]]


def save_model(model: BaseMetaTrees, path: str | PathLike[str]) -> None:
    """Write a fitted estimator to a file."""
    fitting = model.fitting_
    arrays: Arrays = {f"parameters/{k}": v for k, v in fitting.state.parameters.items()}
    arrays |= {f"best/{k}": v for k, v in (fitting.best or {}).items()}
    arrays |= {f"optimiser/{at}": v for at, v in enumerate(fitting.state.optimiser)}
    arrays |= {f"forest/{k}": v for k, v in _forest_arrays(model.forest_).items()}
    for at, feature in enumerate(model.features_):
        arrays |= {f"grid/{at}": feature.grid, f"thresholds/{at}": feature.thresholds}
    about = {
        "format": FORMAT,
        "version": VERSION,
        "class": type(model).__name__,
        "options": {name: to_plain(v, name) for name, v in model.get_params().items()},
        "columns": [to_plain(name, "the column name") for name in model.columns_],
        "groups": [to_plain(group, "the group") for group in model.groups_],
        "targets": _targets_plain(model.targets_),
        "features": [_feature_plain(feature) for feature in model.features_],
        "architecture": asdict(model.architecture_),
        "plan": asdict(fitting.plan),
        "fingerprint": fitting.fingerprint,
        "step": fitting.state.step,
        "losses": fitting.losses,
        "validation": fitting.validation,
    }
    text = json.dumps(about, ensure_ascii=False, allow_nan=False)
    arrays["about.json"] = np.frombuffer(text.encode(), dtype=np.uint8)
    written = io.BytesIO()
    named: dict[str, Any] = arrays  # the stubs take the names for those of options
    np.savez_compressed(written, **named)
    write_whole(Path(path), written.getvalue())


def load_model(kind: type[Model], path: str | PathLike[str]) -> Model:
    """The estimator in a file that `save_model` wrote."""
    try:
        arrays = _read_arrays(path)
        about = json.loads(arrays.pop("about.json").tobytes())
        if about["format"] != FORMAT or about["version"] > VERSION:
            raise ValueError(f"its format is {about['format']!r}, version {about['version']}")
        written_by = str(about["class"])
    except OSError:  # there is no such file, or it may not be read
        raise
    except Exception as error:  # any other failure is caused by the file's content
        raise InputError(
            Given("path", str(path)),
            f" is not a file that save wrote ({type(error).__name__}: {cut(str(error), LONGEST)}). "
            f"Models of version {VERSION} and before are read.",
        ) from error
    if written_by != kind.__name__:
        raise InputError(
            Given("path", str(path)),
            f" holds a {cut(written_by, LONGEST)}, not a {kind.__name__}: use "
            f"{cut(written_by, LONGEST)}.load.",
        )
    try:
        return _model_from(kind, about, arrays)
    except Exception as error:  # as above
        raise InputError(
            Given("path", str(path)),
            f" is damaged ({type(error).__name__}: {cut(str(error), LONGEST)}). Save the model "
            "again.",
        ) from error


def _read_arrays(path: str | PathLike[str]) -> Arrays:
    with Path(path).open("rb") as file:
        if file.read(2) != b"PK":
            raise ValueError("it is no archive")
        file.seek(0)
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}


def _model_from(kind: type[Model], about: Mapping[str, Any], arrays: Arrays) -> Model:
    model = kind(**{name: from_plain(value) for name, value in about["options"].items()})
    check_options(model.get_params())
    model.columns_ = tuple(map(from_plain, listed(about, "columns")))
    model.n_features_in_ = len(model.columns_)
    groups = distinct_from_plain(listed(about, "groups"), "groups")
    model.groups_ = np.empty(len(groups), dtype=object)
    model.groups_[:] = groups
    model.targets_ = _targets_from(about["targets"])
    model.features_ = tuple(
        TreeFeature.from_plain(
            plain, grid=arrays[f"grid/{at}"], thresholds=arrays[f"thresholds/{at}"]
        )
        for at, plain in enumerate(listed(about, "features"))
    )
    model.architecture_ = from_json(Architecture, about["architecture"])
    forest, best = _below("forest/", arrays), _below("best/", arrays)
    parameters, optimiser = _below("parameters/", arrays), _below("optimiser/", arrays)
    check_architecture(model.architecture_, model.targets_)
    check_features(model.features_, model.columns_, model.architecture_)
    check_forest(forest, model.architecture_, len(groups))
    for learned in (parameters, best) if best else (parameters,):
        check_parameters(learned, model.architecture_)
    model.forest_ = Forest(**forest)
    losses, validation = (_numbers(about, name) for name in ("losses", "validation"))
    state = TrainingState(
        parameters,
        tuple(optimiser[str(at)] for at in range(len(optimiser))),
        whole(about["step"], "step", 0, 1 << 53),
        losses[-1],
    )
    model.fitting_ = Fitting(
        model.architecture_,
        from_json(Plan, about["plan"]),
        str(about["fingerprint"]),
        state,
        losses,
        validation,
        best or None,
    )
    model.parameters_ = model.fitting_.parameters
    model.n_iter_, model.loss_curve_ = state.step, model.fitting_.losses
    model.validation_curve_ = model.fitting_.validation
    return model


def _below(prefix: str, arrays: Arrays) -> dict[str, Any]:
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}


def _forest_arrays(forest: Forest) -> Arrays:
    arrays = {field.name: getattr(forest, field.name) for field in fields(forest)}
    return {name: array for name, array in arrays.items() if array is not None}


def _numbers(about: Mapping[str, Any], name: str) -> list[float]:
    values = listed(about, name)
    if not matches_type(tuple(values), tuple[float, ...]):
        raise ValueError(f"{name} is {shown(values)}")
    return values


def _feature_plain(feature: TreeFeature) -> dict[str, Any]:
    scale = {"mean": feature.mean, "scale": feature.scale, "unit": feature.unit}
    return {**feature.to_plain(), **scale}


def _targets_plain(targets: Targets) -> dict[str, Any]:
    if isinstance(targets, Numbers):
        return {name: getattr(targets, name) for name in ("low", "high", "centre", "scale")}
    classes = [to_plain(label, "the class") for label in targets.classes]
    return {"classes": classes, "shares": list(targets.shares)}


def _targets_from(plain: Mapping[str, Any]) -> Targets:
    if "classes" not in plain:
        return from_json(Numbers, plain, classes=None)
    classes = distinct_from_plain(listed(plain, "classes"), "the classes")
    return from_json(Classes, plain, classes=classes)
