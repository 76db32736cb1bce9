# make mini       RoDR's tables and figure, the comparison of all methods and the audit, from nothing: set-up included
# make papers     the tables and figures of every paper that is built
# make test       the test suite without what takes long
# make test-all   all of it
# make lint       formatting, style, types, workflow lint
# make findings   docs/findings.md from the claims of every paper
# make lock       requirements.lock and envs/ from what is installed
# make bench      speed and memory beside what others offer: ends with a table of ratios
# make rehearse   what the stages cost at MS MARCO's size, on drawn data; SIZE=0.01 for a hundredth of it
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
SIZE ?= 1
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
PYTEST := pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
READY := $(VENV)/ready-$(shell cat requirements.lock pyproject.toml | cksum | cut -d' ' -f1)

# Snakemake's own log, every job and why it runs, lies in .snakemake/log.
QUIETLY := --quiet rules reason host --
MAKES := snakemake --cores $(CORES) $(QUIETLY)
PAPERS := $(shell ls config/papers/*/experiment.yaml | cut -d/ -f3 | paste -sd,)
MAKES_PAPERS := snakemake --cores $(CORES) --config scale=mini 'papers=[$(PAPERS)]' $(QUIETLY)

export PATH := $(CURDIR)/$(BIN):$(PATH)
export HF_HUB_OFFLINE ?= 1

.PHONY: mini papers findings test test-all lint lock bench rehearse clean setup

mini: setup
	$(MAKES) results/mini/tables/rodr_table2.md
	@echo; echo "RoDR's Table 2 is made: results/mini/tables/rodr_table2.md. The report follows."; echo
	$(MAKES) results/mini/report/index.html results/mini/report/headline.json results/audit/summary.md
	@echo; echo "Read results/mini/tables/rodr_table2.md, or open results/mini/report/index.html in a browser."

papers: setup
	$(MAKES_PAPERS) all results/audit/summary.md
	@echo; echo "Open results/mini/report/index.html in a browser."

findings: papers
	$(MAKES_PAPERS) docs/findings.md

test: setup
	$(PYTEST) -m "not slow"

test-all: setup
	$(PYTEST)

bench: setup
	python tests/benchmarks

rehearse: setup
	PYTHONPATH=workflow:tests python -m rehearsal --size $(SIZE)

lint: setup
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile rules
	mypy
	snakemake --lint

lock: setup
	python envs/lock.py

setup: $(READY)

# torch comes first: what depends on it then takes this version, and no other build of it is fetched.
$(READY):
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "$$(grep -o '^torch==[^ ]*' requirements.lock)"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	rm -f $(VENV)/ready-*
	touch $@

clean:
	rm -rf results/mini .snakemake
