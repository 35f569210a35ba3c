# Needs make and Python 3.11 or newer; everything else is fetched into .venv and node_modules.
# (Where there is no Node, it comes from PyPI into .venv.)

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
# The scripts of .venv first: its own Node, if there is one, is found before an old one.
WITH_PATH := PATH="$(CURDIR)/$(VENV)/bin:$$PATH"
NPM := $(WITH_PATH) npm
PIP_INSTALL := $(WITH_PATH) $(PY) -m pip install -qq --disable-pip-version-check
# Threads of BLAS and OpenMP would only wait for the other worker.
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
PYTEST := $(WITH_PATH) $(ONE_THREAD) $(PY) -m pytest
# A browser that got no processor for half a minute is tried once more; a failed assertion is not.
IN_BROWSER := --dist loadfile --reruns 1 --only-rerun 'TimeoutError: .* Timeout [0-9]+ms exceeded'
BROWSER := $(PYTEST) tests/e2e $(IN_BROWSER)

STATIC := src/imd_widget/static
BUNDLE := $(STATIC)/widget.js
FRONT_END := $(shell find js -type f 2>/dev/null) package.json package-lock.json esbuild.config.mjs

# In a container one is root; Jupyter wants to be told that this is meant.
LAB_OPTIONS := $(shell [ "$$(id -u)" = 0 ] && echo --allow-root)

# How long make fuzz goes on.
SECONDS ?= 60

# Stamps: each is newer than what it was made from, so a second run has nothing to set up.
PACKAGE := $(VENV)/.stamp-package
LAB := $(VENV)/.stamp-lab
DEV := $(VENV)/.stamp-dev
NODE := node_modules/.stamp
# Other people's libraries, to measure against, stay out of .venv.
BENCH_VENV := .venv-bench
BENCH_PY := $(BENCH_VENV)/bin/python
BENCH := $(BENCH_VENV)/.stamp
PEERS_VENV := .venv-peers
PEERS := $(PEERS_VENV)/.stamp
# So do the apps that show a diff.
HOSTS_VENV := .venv-hosts
HOSTS_PY := $(HOSTS_VENV)/bin/python
HOSTS := $(HOSTS_VENV)/.stamp

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo lab quality test test-lint test-types test-unit test-fuzz test-docs test-js test-notebooks \
	test-packaging test-browser test-lab test-hosts fuzz format bench bench-widget bench-scale paper docs build schema release-check clean distclean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*  ## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) \
		| awk -F'|' '{ printf "  make %-16s %s\n", $$1, $$2 }'

demo: $(PACKAGE)  ## two models compared: headline and rules here, the picture in out/demo.html
	@$(VENV)/bin/imd-widget demo

lab: $(LAB)  ## open the quick-start notebook in JupyterLab
	@$(WITH_PATH) $(PY) -m jupyter lab $(LAB_OPTIONS) notebooks/quickstart.ipynb

test: test-lint test-types test-unit test-fuzz test-docs test-js test-notebooks test-packaging test-browser test-lab  ## every check
	@echo "every check passed"

test-lint: $(DEV)  ## ruff: rules and format; import-linter: which package may import which
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(VENV)/bin/lint-imports --no-cache

test-types: $(DEV)  ## mypy, strict
	$(PY) -m mypy

test-unit: $(DEV) $(BUNDLE)  ## unit and property tests
	$(PYTEST) tests/unit -n 2 --dist loadfile

test-fuzz: $(DEV) $(BUNDLE)  ## laws on a few hundred odd tables of fixed seeds
	$(PYTEST) tests/fuzz -n 2

fuzz: $(DEV) $(BUNDLE)  ## the same on new tables: SECONDS=600, or forever; SEED=1 begins there
	$(PY) -m tests.fuzz $(if $(filter forever,$(SECONDS)),--forever,--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED))

test-docs: $(DEV) $(BUNDLE)  ## the site builds strictly and needs no network, every example runs
	$(PYTEST) tests/docs -n 2 --dist loadfile

test-js: $(NODE)  ## the front-end: biome, tsc, vitest
	$(NPM) run --silent lint
	$(NPM) run --silent typecheck
	$(NPM) run --silent test

test-notebooks: $(DEV) $(BUNDLE)  ## every notebook runs from top to bottom
	$(PYTEST) --nbmake --nbmake-timeout=600 -n 2 notebooks

test-packaging: $(DEV) $(NODE)  ## the wheel and the sdist hold what they should
	$(PYTEST) tests/packaging

test-browser: $(DEV) $(BUNDLE)  ## the bundle and the exported page in Chromium
	$(PY) tools/ensure_chromium.py
	$(BROWSER) -n 2 -m "browser and not lab"

test-lab: $(DEV) $(BUNDLE)  ## real servers: JupyterLab, Notebook 7, marimo
	$(PY) tools/ensure_chromium.py
	$(BROWSER) -n 3 -m lab  # servers and kernels are often waited for

test-hosts: $(HOSTS) $(BUNDLE)  ## real servers of apps (Voila, Shiny, ...), and libraries that no other test needs (MLflow, Ibis, ...)
	$(HOSTS_PY) tools/ensure_chromium.py
	$(ONE_THREAD) $(HOSTS_PY) -m pytest tests/hosts -n 2 $(IN_BROWSER)

format: $(DEV) $(NODE)  ## rewrite the sources in the house format
	$(PY) -m ruff check --fix .
	$(PY) -m ruff format .
	$(NPM) run --silent format

bench: $(BENCH)  ## how long comparisons and explanations take, against other libraries
	$(BENCH_PY) -m benchmarks.speed
	$(BENCH_PY) -m benchmarks.many
	$(BENCH_PY) -m benchmarks.explain
	$(BENCH_PY) -m benchmarks.derive

bench-widget: $(DEV) $(BUNDLE)  ## how quickly a large tree is drawn, in Chromium
	$(PY) tools/ensure_chromium.py
	$(PY) -m benchmarks.widget
	$(PY) -m benchmarks.clicks

bench-scale: $(DEV)  ## large tables: seconds, memory and growth, against xgboost.dask and lightgbm.dask
	$(PY) -m benchmarks.scale

quality: $(BENCH) $(PEERS)  ## how well each method and other rule learners find the differences (data: IMD_DATA or OpenML)
	$(BENCH_PY) -m benchmarks.quality
	nice $(PEERS_VENV)/bin/python -W ignore -m benchmarks.peers

paper: $(PACKAGE)  ## the paper's tables made again, into docs/evidence.md (data: IMD_DATA or OpenML)
	$(PY) -m benchmarks.paper

docs: $(DEV)  ## the documentation, into out/docs; every warning is an error
	rm -rf out/docs
	$(WITH_PATH) $(PY) -m sphinx -W --keep-going -n -E -q -b html -d out/docs-cache docs out/docs
	@echo "open out/docs/index.html"

build: $(BUNDLE)  ## the front-end only

schema: $(PACKAGE)  ## the front-end's types, from views/schema.py, and the table of options
	$(PY) tools/generate_schema.py
	$(PY) tools/generate_options.py

release-check: $(DEV)  ## wheel and sdist into dist, each installed and tried (TAG=v1.2.3 checks the tag too)
	$(WITH_PATH) $(PY) tools/release_check.py $(if $(TAG),--tag $(TAG))

clean:  ## remove what was built; the environments stay
	rm -rf $(STATIC) build dist out test-results .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -f $(PACKAGE) $(LAB) $(DEV)

distclean: clean  ## remove the environments too
	rm -rf $(VENV) $(BENCH_VENV) $(PEERS_VENV) $(HOSTS_VENV) node_modules

# --- set-up -------------------------------------------------------------------------------------

$(PY):
	@command -v $(PYTHON) >/dev/null || { \
		echo "$(PYTHON) was not found. Install Python 3.11 or newer, or name it: make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
		"$(PYTHON) is Python %d.%d; 3.11 or newer is needed. Name another: make PYTHON=python3.12" % sys.version_info[:2])'
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) cannot make environments with pip. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@echo "setting up $(VENV)"
	@$(PYTHON) -m venv $(VENV)
# Scripts inside .venv are not part of our package.json, which says that scripts are modules.
	@echo '{}' > $(VENV)/package.json

# An editable install builds the front-end when it is older than its sources (hatch_build.py).
$(PACKAGE): pyproject.toml hatch_build.py $(FRONT_END) | $(PY)
	@echo "installing imd-widget"
	@$(PIP_INSTALL) --editable .
	@touch $@

$(LAB): pyproject.toml hatch_build.py $(FRONT_END) | $(PY)
	@echo "installing imd-widget and JupyterLab"
	@$(PIP_INSTALL) --editable '.[lab]'
	@touch $(PACKAGE) $@

$(DEV): pyproject.toml hatch_build.py | $(NODE) $(PY)
	@echo "installing imd-widget and its development tools (some minutes the first time)"
	@$(PIP_INSTALL) --editable '.[dev]'
	@touch $(PACKAGE) $(LAB) $@

# AIX360 pins libraries of years ago: without them, but for the two that its joint tree needs.
$(BENCH): pyproject.toml $(FRONT_END) | $(PY)
	@$(PYTHON) -m venv $(BENCH_VENV)
	@echo "installing imd-widget and the libraries to measure against"
	@$(BENCH_PY) -m pip install -qq --disable-pip-version-check --editable . lightgbm xgboost networkx graphviz dalex shap
	@$(BENCH_PY) -m pip install -qq --disable-pip-version-check --no-deps aix360==0.3.0
	@touch $@

# One that does not install is left out: the benchmark counts it as failed.
$(PEERS): pyproject.toml $(FRONT_END) | $(PY)
	@$(PYTHON) -m venv $(PEERS_VENV)
	@echo "installing imd-widget and other rule learners"
	@$(PEERS_VENV)/bin/python -m pip install -qq --disable-pip-version-check --editable .
	@for peer in imodels wittgenstein pysubgroup sliceline divexplorer deltaxplainer gosdt pystreed setuptools six; do \
		$(PEERS_VENV)/bin/python -m pip install -qq --disable-pip-version-check $$peer || echo "without $$peer"; done
	@touch $@

$(HOSTS): pyproject.toml hatch_build.py | $(NODE) $(PY)
	@$(PYTHON) -m venv $(HOSTS_VENV)
	@echo "installing imd-widget and apps to show it in (some minutes, 2 GB)"
	@$(WITH_PATH) $(HOSTS_PY) -m pip install -qq --disable-pip-version-check --editable '.[hosts]'
	@touch $@

$(NODE): package.json package-lock.json | $(PY)
	@$(WITH_PATH) $(PY) tools/ensure_node.py
	@echo "installing the front-end's development tools"
	@$(NPM) ci --no-audit --no-fund --loglevel=error
	@touch $@

$(BUNDLE): $(FRONT_END) | $(NODE)
	@$(NPM) run --silent build
	@touch $(STATIC)/*
