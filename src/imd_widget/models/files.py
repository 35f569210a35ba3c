"""Models in files that are data: reading one executes no code of the file."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from imd_widget._base.errors import InputError

#: Suffixes of files that execute code when they are read.
CODE = (".pkl", ".pickle", ".joblib", ".dill", ".cloudpickle", ".pt", ".pth")
#: How the addresses of models in MLflow begin.
ADDRESSES = ("models:/", "runs:/")


def is_model_file(name: str) -> bool:
    """Whether a text names a model: a file with a suffix of one, or an address of MLflow."""
    return name.startswith(ADDRESSES) or Path(name).suffix.lower() in (*READERS, *CODE)


def read_model(name: str) -> Any:
    """Read a model of a file, or one that MLflow keeps; MLflow may execute code of the model."""
    if name.startswith(ADDRESSES):
        return _library("mlflow.pyfunc", name, "mlflow").load_model(name)
    path = Path(name)
    suffix = path.suffix.lower()
    if suffix in CODE:
        raise InputError(
            f"{name} is not read, because such a file can execute code when it is read. Save the "
            f"model in a data format ({', '.join(READERS)}); for scikit-learn, "
            "skops.io.dump(model, 'model.skops')."
        )
    if not path.is_file():
        raise InputError(f"{name} does not exist.")
    try:
        return READERS[suffix](path)
    except InputError:
        raise
    except Exception as error:  # whatever the library raises for a file that it cannot read
        why = " ".join(str(error).split())[:300].rstrip(".")
        raise InputError(f"{name} could not be read as a model: {why}.") from error


def _library(module: str, name: object, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"{name} is read by {package}, which is not installed: pip install {package}"
        ) from error


def _onnx(path: Path) -> Any:
    library = _library("onnxruntime", path, "onnxruntime")
    return library.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def _xgboost(path: Path) -> Any:
    return _library("xgboost", path, "xgboost").Booster(model_file=str(path))


def _lightgbm(path: Path) -> Any:
    return _library("lightgbm", path, "lightgbm").Booster(model_file=str(path))


def _catboost(path: Path) -> Any:
    return _library("catboost", path, "catboost").CatBoost().load_model(str(path))


def _skops(path: Path) -> Any:
    library = _library("skops.io", path, "skops")
    unknown = library.get_untrusted_types(file=path)
    if unknown:
        raise InputError(
            f"{path} holds types that skops does not trust: {', '.join(unknown[:5])}. Read it in "
            "Python, where you can name those that you trust."
        )
    return library.load(path)


#: How a file is read, by its suffix.
READERS: dict[str, Callable[[Path], Any]] = {
    ".onnx": _onnx,
    ".ubj": _xgboost,
    ".json": _xgboost,
    ".txt": _lightgbm,
    ".cbm": _catboost,
    ".skops": _skops,
}
