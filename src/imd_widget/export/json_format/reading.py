"""Reads a diff, a comparison or a patch from a JSON file, which may be edited by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from imd_widget._base.errors import InputError
from imd_widget._base.plain import Plain, cut, shown
from imd_widget.export.json_format.comparison_reading import comparison_of
from imd_widget.export.json_format.comparison_writing import (
    COMPARISON_FORMAT,
    COMPARISON_VERSION,
)
from imd_widget.export.json_format.diff_reading import diff_of
from imd_widget.export.json_format.patches import PATCH_FORMAT, PATCH_VERSION, patch_of
from imd_widget.export.json_format.writing import FORMAT, VERSION

#: Most characters of the reason in an error.
LONGEST_REASON = 300


def load(path: str | Path) -> Any:
    """Read a diff, a comparison or a patch that ``save`` wrote as JSON, without models and rows.

    A diff can be shown, plotted, saved and summarised, and it predicts on other tables. Methods
    that need the rows it was fitted on (refining, tracing, the rows of a rule) raise an error. A
    comparison has its matrix, its scores and the diffs that were saved with it. A patch has its
    rules and figures; `patch` applies it to two models.

    Parameters
    ----------
    path : str or Path
        The ``.json`` file.

    Returns
    -------
    ModelDiff, ModelComparison or Patch
        The kind that the file holds.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> import pandas as pd
    >>> import imd_widget as imd
    >>> age = np.tile(np.arange(20, 70), 8)
    >>> X = pd.DataFrame({"age": age, "job": np.repeat(["cook", "nurse"], 200)})
    >>> old = np.where(X["age"] >= 40, "yes", "no")
    >>> new = np.where(X["job"] == "cook", old, "no")
    >>> d = imd.diff(old, new, X)
    >>> with TemporaryDirectory() as folder:
    ...     again = imd.load(d.save(Path(folder, "diff.json")))
    >>> print(again.rules)
    0. age >= 40 and job is nurse: model 1 yes -> model 2 no (120 of 120 rows differ; 100 % of
    held-out rows differ)
    >>> bool((again.predict(X) == d.predict(X)).all())
    True
    >>> again.has_rows
    False
    """
    path = Path(path)
    if path.suffix.lower() != ".json":
        raise InputError(
            f"{path.name!r} is not a JSON file. imd.load reads what d.save('diff.json') wrote; the "
            "other formats are for people and cannot be read back."
        )
    content = path.read_bytes()
    try:
        plain = json.loads(content.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError as error:
        raise _not_ours(path, "it is not text in UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise _not_ours(
            path, f"it is not valid JSON ({cut(str(error), LONGEST_REASON)})"
        ) from error
    form = plain.get("format") if isinstance(plain, dict) else None
    if not isinstance(form, str) or form not in READERS:
        known = " or ".join(f'"{name}"' for name in READERS)
        raise _not_ours(path, f'its "format" is not {known}')
    version = plain.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise _not_ours(path, f'its "version" is {shown(version)}')
    read, newest = READERS[form]
    if version > newest:
        writer = cut(str(plain.get("written_by", "a newer release")), LONGEST_REASON)
        raise InputError(
            f"{path.name!r} has version {version} of the format, written by {writer}; this release "
            f"reads up to {newest}. Install a newer one: pip install --upgrade imd-widget"
        )
    try:
        return read(plain)
    except KeyError as error:
        raise _not_ours(path, f"it lacks {cut(str(error), LONGEST_REASON)}") from error
    except Exception as error:  # any failure here is caused by the file's content
        raise _not_ours(path, cut(str(error), LONGEST_REASON) or type(error).__name__) from error


#: From the name of a format to its reader and its newest version.
READERS: Mapping[str, tuple[Callable[[Plain], Any], int]] = {
    FORMAT: (diff_of, VERSION),
    COMPARISON_FORMAT: (comparison_of, COMPARISON_VERSION),
    PATCH_FORMAT: (patch_of, PATCH_VERSION),
}


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def _not_ours(path: Path, why: str) -> InputError:
    return InputError(
        f"{path.name!r} cannot be read: {why}. imd.load reads what d.save('diff.json') wrote, "
        "unchanged; save the diff again."
    )
