"""The self-contained page and the command line."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import imd_widget as imd
from imd_widget import static_files
from imd_widget.__main__ import main
from imd_widget.packing import packed

HOSTILE = "</script><script>alert(1)</script><!--"


@pytest.fixture
def d() -> imd.ModelDiff:
    X = pd.DataFrame({HOSTILE: np.arange(200.0), "b": np.arange(200) % 9})
    y1 = np.where(X[HOSTILE] < 100, HOSTILE, "b")
    y2 = np.where(X[HOSTILE] < 120, HOSTILE, "b")
    return imd.diff(y1, y2, X, names=(HOSTILE, "new"))


def test_the_page_holds_the_view_and_no_address(d: imd.ModelDiff, tmp_path: Path) -> None:
    path = d.to_html(tmp_path / "deep" / "page.html")
    page = path.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="imd-data">(.*?)</script>', page, re.S)
    assert data is not None
    assert json.loads(data[1])["view"] == packed(d.to_dict())
    assert HOSTILE not in page
    assert not re.search(r"""(src|href)\s*=\s*["']?https?:""", page)
    assert "default-src 'none'" in page


def test_a_missing_bundle_says_how_to_build_it(
    d: imd.ModelDiff, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(static_files, "STATIC", tmp_path)
    with pytest.raises(FileNotFoundError, match="make build"):
        d.to_html(tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "-o", str(tmp_path / "demo.html")]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("LR and RF disagree on ")
    assert re.search(r"^  1\. .*: \w+ -> \w+ \(\d+ of \d+ rows differ\)$", printed, re.M)
    assert str(tmp_path / "demo.html") in printed
    assert (tmp_path / "demo.html").stat().st_size > 50_000


def test_a_command_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "demo" in capsys.readouterr().err


def test_the_core_loads_without_notebook_or_plots() -> None:
    code = (
        "import sys, imd_widget as imd; imd.diff([0, 1], [1, 1], [[1], [2]]);"
        "heavy = {'anywidget', 'ipywidgets', 'matplotlib', 'IPython'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_unknown_names_are_unknown() -> None:
    with pytest.raises(AttributeError, match="no attribute 'shwo'"):
        _ = imd.shwo
    assert all(hasattr(imd, name) for name in imd.__all__)
