"""Files of diffs, comparisons and trees: the laws that every format of the registry keeps."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier

import imd_widget as imd
from imd_widget._base import optional
from imd_widget.export.formats import FORMATS, Format, formats_of, save
from imd_widget.learners.meta_trees.tree import MetaTree
from imd_widget.rules.tree_record import PlottableTree

HOSTILE = "</script><script>alert(1)</script><!--"
#: Half of a character: text that UTF-8 cannot encode.
HALF = "half\ud800"


def model(column: str, limit: float, label: str) -> Callable[[pd.DataFrame], Any]:
    def predict(table: pd.DataFrame) -> Any:
        labels = np.array(["other", label], dtype=object)
        return labels[(table[column] < limit).astype(int)]

    return predict


def meta_tree(name: str) -> MetaTree:
    """An exported tree as a file has it; training one would need JAX."""
    question = {"column": name, "position": 0, "kind": "number", "threshold": 40}
    asks = {**question, "missing": False, "had_missing": False}
    root = {"value": [0.25, 0.75], "n_examples": 12, "question": asks, "no": 1, "yes": 2}
    leaves = [{"value": [1.0, 0.0], "n_examples": 3}, {"value": [0.0, 1.0], "n_examples": 9}]
    return MetaTree.from_dict(
        {
            "kind": "meta_tree",
            "version": 1,
            "group": name,
            "classes": ["other", name],
            "nodes": [root, *leaves],
        }
    )


@cache
def thing(kind: str, name: str = HOSTILE) -> Any:
    """A diff, a comparison or a tree whose models, columns, labels and categories are ``name``."""
    X = pd.DataFrame([[float(n), f"{name} {n % 3}"] for n in range(200)], dtype=object)
    X.columns = pd.Index([name, "b"], dtype=object)
    models = {own: model(name, limit, name) for own, limit in ((name, 100), ("new", 130))}
    if kind == "diff":
        return imd.diff(*models.values(), X, names=tuple(models))
    if kind == "track":
        return imd.track({"first": thing("diff", name), f"later {name}": (*models.values(), X)})
    if kind == "comparison":
        return imd.compare(models | {"third": model(name, 20, name)}, X)
    if kind == "surrogate":
        return imd.surrogate(models[name], X, name=name)
    if kind == "exported tree":
        return meta_tree(name)
    fitted = DecisionTreeClassifier(max_depth=2).fit(X.iloc[:, [0]], models[name](X))
    return imd.show(fitted).drawable


THINGS = ("diff", "comparison", "track", "surrogate", "exported tree", "tree of scikit-learn")
KINDS = {"diff": imd.ModelDiff, "comparison": imd.ModelComparison, "track": imd.Track}
FILES = [(kind, suffix) for kind in THINGS for suffix in formats_of(KINDS.get(kind, PlottableTree))]
PAGES = [kind for kind, suffix in FILES if suffix == ".html"]
DRAWN = [(kind, suffix) for kind, suffix in FILES if suffix in (".svg", ".png")]
#: The first bytes of a file.
STARTS = {
    ".html": b"<!doctype html>\n",
    ".svg": b"<?xml",
    ".png": b"\x89PNG",
    ".json": b"{\n",
    ("diff", ".csv"): b"rule,m1,m2,",
    ("diff", ".md"): b"# ",
    ("diff", ".py"): b'"""',
    ("track", ".csv"): b"region,period,rows,measured_rows,rate,",
    ("track", ".md"): b"\\</script",
    ("comparison", ".csv"): b"first,second,rows,differing,share\n",
    ("comparison", ".md"): b"# 3 models: which of them differ\n",
}


def page_data(path: Path) -> dict[str, Any]:
    """The data that a page holds."""
    page = path.read_text(encoding="utf-8")
    data = re.search(r'<script type="application/json" id="imd-data">(.*?)</script>', page, re.S)
    assert data is not None
    return dict(json.loads(data[1]))


def test_every_registered_type_is_tested() -> None:
    # a patch has one format and no widget: tests/unit/test_patch.py; test_one_model.py has the rest
    others = {imd.Patch, imd.ModelExplanation}
    assert {kind for kind, _ in FORMATS} == {
        KINDS.get(kind, PlottableTree) for kind in THINGS
    } | others
    for (kind, suffix), form in FORMATS.items():
        assert (form.kind, form.suffix) == (kind, suffix)


@pytest.mark.parametrize("kind, suffix", FILES)
def test_the_suffix_selects_the_format(kind: str, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / f"file{suffix.upper()}"
    assert thing(kind).save(str(path)) == path
    content = path.read_bytes()
    assert content.startswith(STARTS.get(suffix) or STARTS[kind, suffix])
    again = tmp_path / f"again{suffix}"
    assert save(thing(kind), again).read_bytes() == content
    assert {file for file in tmp_path.rglob("*") if file.is_file()} == {path, again}


@pytest.mark.parametrize("kind, suffix", FILES)
def test_a_widget_saves_what_it_shows(kind: str, suffix: str, tmp_path: Path) -> None:
    widget = imd.show(thing(kind), picture=False)
    saved = widget.save(tmp_path / f"widget{suffix}").read_bytes()
    expected = thing(kind).save(tmp_path / f"thing{suffix}").read_bytes()
    if suffix == ".html" and not isinstance(thing(kind), PlottableTree):
        # the page also restores the state of the widget
        assert saved.startswith(STARTS[".html"])
        assert page_data(tmp_path / "widget.html").keys() >= {"height", "theme"}
    else:
        assert saved == expected


@pytest.mark.parametrize("kind", THINGS)
@pytest.mark.parametrize("suffix", [".html", ".svg", ".json"])
def test_the_format_can_be_given_apart_from_the_path(
    kind: str, suffix: str, tmp_path: Path
) -> None:
    path = save(thing(kind), tmp_path / "file.txt", suffix=suffix)
    assert path.read_bytes() == save(thing(kind), tmp_path / f"file{suffix}").read_bytes()


@pytest.mark.parametrize("name", ["file.pkl", "file", "file.HTM", ".json"])
@pytest.mark.parametrize("kind", [kind for kind in THINGS if kind != "exported tree"])
def test_an_unknown_suffix_is_an_error_that_lists_the_formats(
    kind: str, name: str, tmp_path: Path
) -> None:
    formats = formats_of(type(thing(kind))).values()
    listed = ", ".join(f"{form.suffix} ({form.description})" for form in formats)
    came = f"ends in {Path(name).suffix!r}" if Path(name).suffix else "has no ending"
    with pytest.raises(imd.InputError) as refused:
        thing(kind).save(tmp_path / name)
    assert str(refused.value) == f"{name!r} {came}. The suffix chooses the format: {listed}."
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["anna", "anna.tree", ".json"])
def test_an_exported_tree_is_json_under_any_other_name(name: str, tmp_path: Path) -> None:
    tree = thing("exported tree")
    assert tree.save(tmp_path / name) == tmp_path / name
    assert MetaTree.load(tmp_path / name).to_dict() == tree.to_dict()


def test_the_lists_of_formats() -> None:
    """The registry as users read it."""
    assert {
        kind.__name__: {suffix: form.description for suffix, form in formats_of(kind).items()}
        for kind in dict.fromkeys(kind for kind, _ in FORMATS)
    } == {
        "ModelDiff": {
            ".html": "an interactive page",
            ".svg": "the tree, for papers",
            ".png": "the tree, for slides",
            ".json": "all of it, for imd.load",
            ".csv": "a line for each rule",
            ".md": "headline and rules, for people",
            ".py": "the rules as tests, for pytest",
        },
        "ModelComparison": {
            ".html": "an interactive page",
            ".svg": "the matrix, for papers",
            ".png": "the matrix, for slides",
            ".json": "the matrix and some diffs, for imd.load",
            ".csv": "a line for each pair",
            ".md": "the matrix, for people",
        },
        "Track": {
            ".html": "an interactive page",
            ".svg": "the picture, for papers",
            ".png": "the picture, for slides",
            ".json": "plain values",
            ".csv": "a line for each region and period",
            ".md": "headline and table, for people",
        },
        "PlottableTree": {
            ".html": "an interactive page",
            ".svg": "the tree, for papers",
            ".png": "the tree, for slides",
            ".json": "plain values",
        },
        "Patch": {".json": "rules and figures, for imd.load"},
        "ModelExplanation": {
            ".html": "an interactive page",
            ".md": "a report, for people",
        },
    }


@pytest.mark.parametrize("other", [3, "d.html", None, imd.ModelDiff])
def test_other_things_cannot_be_saved(other: Any, tmp_path: Path) -> None:
    with pytest.raises(imd.InputError, match="cannot be saved: a diff, a comparison, a tree, a"):
        save(other, tmp_path / "x.html")


@pytest.mark.parametrize("kind", THINGS)
def test_a_format_needs_one_line_of_the_registry(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = next(base for base, _ in FORMATS if isinstance(thing(kind), base))
    new = Format(own, ".type", "the type", lambda thing: type(thing).__name__)
    monkeypatch.setitem(FORMATS, (own, ".type"), new)
    path = save(thing(kind), tmp_path / "file.TYPE", rows=3, pairs=["nonsense"])
    assert path.read_text(encoding="utf-8") == type(thing(kind)).__name__
    assert "the type" in [form.description for form in formats_of(type(thing(kind))).values()]
    others = [base for base, _ in FORMATS if base is not own]
    assert all(".type" not in formats_of(base) for base in others)


@pytest.mark.parametrize("kind, suffix", [file for file in FILES if file[0] in KINDS])
def test_every_format_is_documented(kind: str, suffix: str) -> None:
    docs = Path(__file__).parents[2] / "docs"
    texts = {path.name: path.read_text(encoding="utf-8") for path in docs.glob("*.md")}
    name = {"diff": "diff", "comparison": "compare", "track": "track"}[kind]
    if suffix == ".py":
        name = "test_diff"  # as pytest finds it
    pages = [page for page, text in texts.items() if f"`{name}{suffix}`" in text]
    assert {"diff": "files.md", "comparison": "compare.md", "track": "ship.md"}[kind] in pages
    assert len(pages) > 1 or kind != "diff"
    assert f"`{suffix}`" in texts["command-line.md"]
    assert f"``{suffix}``" in (KINDS[kind].save.__doc__ or "")


def test_every_format_of_a_tree_is_documented() -> None:
    text = PlottableTree.save.__doc__ or ""
    assert all(f"``{suffix}``" in text for suffix in formats_of(PlottableTree))


# --- what a file holds ----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_loads_nothing_and_runs_its_own_script_only(kind: str, tmp_path: Path) -> None:
    path = thing(kind).save(tmp_path / "page.html")
    page = path.read_text(encoding="utf-8")
    assert HOSTILE not in page
    assert HOSTILE in json.dumps(page_data(path))
    assert not re.search(r"""(src|href)\s*=\s*["']?https?:""", page)
    assert "It loads nothing and sends nothing over the network." in page
    assert "no rows of the table" in page
    policy = re.search(r'http-equiv="Content-Security-Policy" content="(.*?)"', page)
    assert policy is not None
    parts = dict(part.strip().split(" ", 1) for part in policy[1].split(";"))
    for tag, name in (("style", "style-src"), ("script", "script-src")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert parts.pop(name) == f"'sha256-{digest}'"
    assert parts == {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}


@pytest.mark.parametrize("kind", ["surrogate", "exported tree", "tree of scikit-learn"])
def test_a_page_of_a_tree_holds_its_view(kind: str, tmp_path: Path) -> None:
    held = page_data(thing(kind).save(tmp_path / "tree.html"))
    assert held["tree"] == imd.show(thing(kind), picture=False).tree


@pytest.mark.parametrize("kind, suffix", FILES)
def test_text_with_half_a_character_is_written(kind: str, suffix: str, tmp_path: Path) -> None:
    content = thing(kind, HALF).save(tmp_path / f"file{suffix}").read_bytes()
    if suffix not in (".png", ".svg"):
        assert "half\\ud800" in content.decode("utf-8")


@pytest.mark.parametrize("name", [HOSTILE, HALF])
def test_json_is_read_back(name: str, tmp_path: Path) -> None:
    again = {
        kind: imd.load(thing(kind, name).save(tmp_path / f"{kind}.json"))
        for kind in ("diff", "comparison")
    }
    assert again["diff"].rules == thing("diff", name).rules
    assert again["comparison"].summary() == thing("comparison", name).summary()
    for kind in again:
        assert again[kind].names == thing(kind, name).names
        assert again[kind].save(tmp_path / "again.json").read_bytes() == (
            (tmp_path / f"{kind}.json").read_bytes()
        )
    tree = thing("exported tree", name)
    assert MetaTree.load(tree.save(tmp_path / "tree.json")).to_dict() == tree.to_dict()
    for kind in ("surrogate", "tree of scikit-learn"):
        path = thing(kind, name).save(tmp_path / "tree.json")
        expected = json.loads(json.dumps(thing(kind, name).to_dict()))
        assert json.loads(path.read_bytes()) == expected


# --- pictures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", THINGS)
def test_several_threads_draw_the_same_picture(kind: str, tmp_path: Path) -> None:
    own = thing(kind)
    expected = own.save(tmp_path / "one.svg").read_bytes()
    with ThreadPoolExecutor(4) as threads:
        drawn = list(threads.map(lambda n: own.save(tmp_path / f"{n}.svg").read_bytes(), range(4)))
    assert all(svg == expected for svg in drawn)


@pytest.mark.parametrize("kind, suffix", FILES)
def test_only_pictures_need_matplotlib(
    kind: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optional, "find_spec", lambda _: None)
    path = tmp_path / f"file{suffix}"
    if (kind, suffix) not in DRAWN:
        assert thing(kind).save(path) == path
        return
    with pytest.raises(imd.InputError, match="drawing needs matplotlib, which is not installed"):
        thing(kind).save(path)
    assert list(tmp_path.iterdir()) == []


# --- files are written whole or not at all --------------------------------------------------------


def fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file that is opened from now on takes ten bytes, then the disk is full."""
    real = os.fdopen

    def opened(handle: int, *args: Any, **kwargs: Any) -> Any:
        file = real(handle, *args, **kwargs)

        class Full:
            def __enter__(self) -> Any:
                return self

            def __exit__(self, *_: object) -> None:
                file.close()

            def write(self, content: bytes) -> None:
                file.write(content[:10])
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        return Full()

    def written(path: Path, content: bytes) -> int:
        with path.open("wb") as file:
            file.write(content[:10])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fdopen", opened)
    monkeypatch.setattr(Path, "write_bytes", written)


@pytest.mark.parametrize("kind, suffix", FILES)
def test_a_full_disk_leaves_the_old_file(
    kind: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"file{suffix}"
    path.write_bytes(b"old")
    saves = [thing(kind).save, imd.show(thing(kind), picture=False).save]
    saves += [thing(kind).to_html] if kind == "diff" else []
    fill_the_disk(monkeypatch)
    for own in saves:
        for target in (path, tmp_path / f"new{suffix}"):
            with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
                own(target)
            assert path.read_bytes() == b"old"
            assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", THINGS)
def test_an_interrupted_save_leaves_the_old_file(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b"old")

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        thing(kind).save(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
