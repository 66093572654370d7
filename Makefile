# `make lab` and `make test` are all the set-up there is.  They need Python >= 3.11 and make.

PYTHON ?= python3
BIN := .venv/bin
VENV := .venv/.installed
SITE := build/site
SAMPLE := build/sample
LITE := build/lite
PAGES = $(VENV) $(shell find ldp_lib docs notebooks deploy examples tests/readings LECTURERS.md CITATION.cff -type f \
                        -not -path '*/__pycache__/*' -not -path '*/.*')
# Hundreds of processes import the same modules: where nothing is kept each of them compiles all anew.
unexport PYTHONDONTWRITEBYTECODE

URL ?=
ADDRESS := 127.0.0.1
PORT := 8000
ROOT := $(if $(filter-out 0,$(shell id -u)),sudo)
HAS_CHROMIUM := $(BIN)/python -c "from ldp_lib.check import chromium; raise SystemExit(chromium() is None)"

.PHONY: lab site serve app lite films notebooks hooks bench quick test test-all beside unit-tests notebook-tests browser-tests chromium \
        test-lowest constraints python clean
.NOTPARALLEL:

# The tests' type checker would start as a language server in every JupyterLab and take time from the panels.
lab: $(VENV)
	$(BIN)/jupyter lab --ServerApp.jpserver_extensions=ldp_lib.server=True --LanguageServerManager.autodetect=False notebooks/00_start_here.ipynb

# Pages that move without Python, into build/site; they may be copied anywhere. URL=https://example.org/privacy/ says
# where they will stand: see RELEASE.md.
site: $(SITE)/index.html

# The same pages, and what is not stored is computed: http://127.0.0.1:8000. make serve ADDRESS=0.0.0.0 is for a room.
serve: $(SITE)/index.html
	$(BIN)/python -m ldp_lib.site.serve --address $(ADDRESS) --port $(PORT) $(SITE)

app: serve

$(SITE)/index.html: $(PAGES)
	$(BIN)/python docs/site/build.py --url "$(URL)" $(SITE)

# The same pages with fewer states: what is not stored is greyed or computed, and tests are not told more by more.
$(SAMPLE)/index.html: $(PAGES)
	$(BIN)/python docs/site/build.py --url https://example.org/privacy/ --sample $(SAMPLE)

# JupyterLab whose Python runs in the browser, into build/lite; docs/site/hosts.md says what its pages fetch.
lite: $(VENV)
	$(PYTHON) -m venv --clear --without-pip $(LITE)/tools
	$(BIN)/python -m pip --python $(LITE)/tools/bin/python install --quiet --constraint constraints.txt anywidget \
	  "jupyterlite-core[contents]==0.8.6" jupyterlite-pyodide-kernel==0.8.6
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir $(LITE)/tools/pypi .
	cd $(LITE)/tools && bin/jupyter lite build --no-sourcemaps --apps lab --output-dir ../site \
	  --contents $(CURDIR)/notebooks --extra-ignore-contents '\.(py|jsonl)$$'

# The films of the README and of the first page, and their last frames.
films: $(VENV)
	rm -rf docs/films && mkdir docs/films
	$(BIN)/python -m ldp_lib.site.film "start?scene=sum" docs/films/sum.gif
	$(BIN)/python -m ldp_lib.site.film "consistency?scene=more+people" docs/films/more_people.gif
	$(BIN)/python -m ldp_lib.site.film "elbow?scene=keep+or+cut" docs/films/keep_or_cut.gif

# Execute in place and clean, the appendix too; a choice by: make notebooks NAMES="01_ldp_check errata"
notebooks: $(VENV)
	$(BIN)/python notebooks/execute.py $(NAMES)

# Before each commit git then runs .pre-commit-config.yaml.
hooks: $(VENV)
	$(BIN)/pre-commit install

bench: $(SITE)/index.html
	$(BIN)/python -m tests.benchmarks

# Lines of code and modules by room, without docstrings, comments and blank lines.
.PHONY: size
size: $(VENV)
	$(BIN)/python -m tests.benchmarks size

# Whether nothing is left out: see tests/extent.py.
EVERYTHING := $(filter true,$(CI))$(filter 1,$(LDP_FULL))
LEFT_OUT ?= /dev/stdout

# While working: what a change is most likely to break, in less than a minute; make quick DEEP=1 adds what stands on it.
quick: $(VENV)
	DEEP=$(DEEP) $(BIN)/python -m tests.quick

# Kernels start slowly and then rest: beside the unit tests notebooks cost little time, and so do pages, which one
# core builds. What they said comes after.
test: export LEFT_OUT = build/left_out.txt
test: $(VENV)
	@mkdir -p build && rm -f $(LEFT_OUT)
	@$(MAKE) --no-print-directory beside >build/beside.log 2>&1 & beside=$$!; \
	$(MAKE) --no-print-directory unit-tests; unit=$$?; \
	wait $$beside; found=$$?; cat build/beside.log; exit $$((unit | found))
	@if $(FOR_BROWSERS); then $(MAKE) --no-print-directory browser-tests; else \
	echo "The browser tests were LEFT OUT: no Chromium was found. To add them, install it (Debian, Ubuntu:"; \
	echo "sudo apt-get install chromium) or say where it is (make test CHROMIUM=/path/to/chromium)."; fi
	@if [ -f $(LEFT_OUT) ]; then cat $(LEFT_OUT); fi

# Every stored state, 300 students, 100 telephones, ten programmers, a survey of a million people, and speed
# beside its goals.
test-all: export LDP_FULL = 1
test-all: test bench

# With CI=true a missing Chromium is installed, and its absence is a failure.
FOR_BROWSERS := $(if $(filter true,$(CI)),true,$(HAS_CHROMIUM))
beside: $(VENV)
	@$(if $(filter true,$(CI)),$(HAS_CHROMIUM) || $(MAKE) --no-print-directory chromium)
	@if $(FOR_BROWSERS); then $(MAKE) --no-print-directory $(LOOKED_AT)/index.html; fi
	@$(MAKE) --no-print-directory notebook-tests

# Many tests that wait for CI wait for other processes, too: there a third one fits on two cores. In a fresh clone one
# process compiles, a quarter of a minute, what each of them would compile for itself at the same time.
unit-tests: $(VENV)
	-@[ -d tests/__pycache__ ] || LEFT_OUT= $(BIN)/python -m pytest --collect-only --ignore=tests/browser >/dev/null
	$(BIN)/python -m pytest -n $(if $(EVERYTHING),3,2) --dist worksteal --ignore=tests/browser

# One after the other: kernels that start side by side can starve each other.
notebook-tests: $(VENV)
	$(BIN)/python -m pytest -p tests.processor --nbval --nbval-current-env --nbval-cell-timeout=240 \
	  --nbval-kernel-startup-timeout=180 \
	  --nbval-sanitize-with tests/sanitize.cfg $(if $(EVERYTHING),notebooks,$(wildcard notebooks/*.ipynb))
	@$(if $(EVERYTHING),,echo "Notebooks of the appendix were LEFT OUT; now: make notebook-tests CI=true" >>$(LEFT_OUT))

# Most of the time a page rests, so three fit on two cores. CI and make test-all look at all pages whole. Chromium's
# engine without its window, where it is installed, does so with a sixth less of the processor; make test-all takes
# what people have. What asks how quick something is comes after them, by itself.
LOOKED_AT = $(if $(EVERYTHING),$(SITE),$(SAMPLE))
WINDOWLESS = $(if $(CHROMIUM)$(filter 1,$(LDP_FULL)),,$(shell command -v chromium-headless-shell))
browser-tests: $(LOOKED_AT)/index.html
	$(if $(WINDOWLESS),CHROMIUM=$(WINDOWLESS)) $(BIN)/python -m pytest -n 3 --dist worksteal -m "not alone" tests/browser
	$(if $(EVERYTHING),$(BIN)/python -m pytest -m alone tests/browser/test_load.py)

# Debian has the engine alone, too, and less to unpack. It comes without a font of its own.
chromium:
	$(ROOT) apt-get update
	$(ROOT) apt-get install --yes --no-install-recommends chromium-headless-shell fonts-dejavu-core || \
	$(ROOT) apt-get install --yes --no-install-recommends chromium fonts-dejavu-core

# The lower bounds of pyproject.toml, run.
test-lowest: .venv-lowest/.installed
	CI=true .venv-lowest/bin/python -m pytest -n 2 --dist worksteal --ignore=tests/browser

.venv-lowest/.installed: pyproject.toml tests/lowest.txt | python
	$(PYTHON) -m venv --clear .venv-lowest
	.venv-lowest/bin/python -m pip install --quiet --constraint tests/lowest.txt --editable .[test]
	touch $@

# What nobody imports is never compiled: that is most of it. Unpacking keeps one core busy, so that halves of the exact
# versions come at once. To look for what fits takes longer than that, and is left to machines that do not have these,
# or need more beside them.
PIP := $(BIN)/python -m pip install --quiet --no-compile
$(VENV): pyproject.toml constraints.txt | python
	$(PYTHON) -m venv .venv
	grep -v '^#' constraints.txt | xargs -n 110 -P 2 $(PIP) --no-deps && \
	$(PIP) --no-deps --no-build-isolation --editable . && $(BIN)/python -m pip check --quiet || \
	$(PIP) --constraint constraints.txt --editable .[test]
	touch $@

# Renew the exact versions from what is current and allowed by pyproject.toml. Since 4.25 jsonschema lets every process
# of Jupyter and of pytest compile 35 grammars of addresses first, more than a second of it, which nothing here reads.
constraints: | python
	$(PYTHON) -m venv --clear .venv
	$(BIN)/python -m pip install --quiet --editable .[test] "jsonschema<4.25"
	{ grep '^#' constraints.txt; $(BIN)/python -m pip freeze --exclude-editable; } > constraints.new
	mv constraints.new constraints.txt
	touch $(VENV)

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed;\
	 $(PYTHON) is older or absent. Say which one to use: make PYTHON=/path/to/python3.11 ..."; exit 1; }
ifeq ($(CI),true)
	@$(PYTHON) -c 'import ensurepip' || { $(ROOT) apt-get update && $(ROOT) apt-get install --yes python3-venv; }
endif
	@$(PYTHON) -c 'import ensurepip' || { echo "$(PYTHON) cannot create environments. On Debian and Ubuntu:\
	 sudo apt-get install python3-venv"; exit 1; }

clean:
	rm -rf .venv .venv-lowest build dist *.egg-info .pytest_cache .hypothesis .import_linter_cache \
	  .ruff_cache
	find . -name __pycache__ -prune -exec rm -r {} +
