"""How the documentation is built: ``make docs``. Every warning is an error."""

from __future__ import annotations

import sys
from pathlib import Path

import imd_widget

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "imd-widget"
author = "The imd-widget developers"
copyright = "The imd-widget developers, BSD 3-Clause"
version = release = imd_widget.__version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    # our own, in _ext
    "api_links",
    "docstrings",
    "mathml",
    "public_names",
    "twin_pictures",
]
exclude_patterns = ["_ext"]
nitpicky = True
# No reference is ignored. If one has to be, it stands here with its reason:
# nitpick_ignore = [("py:class", "...")]  # because ...

# --- Markdown -------------------------------------------------------------------------------------

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
# $5 is a price, $x$ a formula
myst_dmath_allow_space = False
myst_dmath_allow_digits = False

# --- docstrings -----------------------------------------------------------------------------------

#: `ModelDiff` in a docstring is a reference.
default_role = "py:obj"
autodoc_member_order = "bysource"
# Types stand in the docstrings, in words; annotations name things that are not public.
autodoc_typehints = "none"
# Signatures are partly made from declared options, which have no source to take defaults from.
autodoc_preserve_defaults = False
add_module_names = False
toc_object_entries_show_parents = "hide"
# What is quoted is often code.
smartquotes = False
viewcode_line_numbers = True

# --- HTML -----------------------------------------------------------------------------------------

html_theme = "furo"
html_title = f"imd-widget {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_copy_source = False
html_show_sourcelink = False
# A summary is fetched from the pages, which browsers refuse where these are opened from disk.
html_show_search_summary = False
pygments_style = "friendly"
pygments_dark_style = "github-dark"
# Prompts and output are for the eye: what is copied can be run.
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_line_continuation_character = "\\"
