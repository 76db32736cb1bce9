# make mini       RoDR's tables and figure, the comparison of all methods and the audit, from nothing: set-up included
# make papers     the tables and figures of every paper that is built
# make test       the test suite without what takes long
# make test-all   all of it
# make lint       formatting, style, types, workflow lint
# make findings   docs/findings.md from the claims of every paper
# make lock       requirements.lock and envs/ from what is installed
# make bench      speed and memory beside what others offer: ends with a table of ratios
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
PYTEST := pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
READY := $(VENV)/ready-$(shell cat requirements.lock pyproject.toml | cksum | cut -d' ' -f1)

# One line of progress; Snakemake's own log, every job and why it runs, lies in .snakemake/log.
TOLD := --logger robustdr --logger-robustdr-benchmarks results/mini/benchmarks --
MAKES := snakemake --cores $(CORES) $(TOLD)
PAPERS := $(shell ls config/papers/*/experiment.yaml | cut -d/ -f3 | paste -sd,)
MAKES_PAPERS := snakemake --cores $(CORES) --config scale=mini 'papers=[$(PAPERS)]' $(TOLD)

export PATH := $(CURDIR)/$(BIN):$(PATH)
export HF_HUB_OFFLINE ?= 1

.PHONY: mini papers findings test test-all lint lock bench clean setup

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
# Errors alone of pip are shown: its warnings are about mirrors and folders of the machine.
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check install
OTHERS := $(shell grep == requirements.lock | grep -vc ^torch==)

$(READY):
	@echo "Set-up, 1 of 4: an environment of its own in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@echo "Set-up, 2 of 4: torch, 190 MB as built for processors; then 650 MB are left"
	@$(PIP) "$$(grep -o '^torch==[^ ]*' requirements.lock)"
	@echo "Set-up, 3 of 4: the other $(OTHERS) packages of requirements.lock, 650 MB"
	@$(PIP) -r requirements.lock
	@echo "Set-up, 4 of 4: this project"
	@$(PIP) --no-deps --editable .
	@rm -f $(VENV)/ready-*
	@touch $@

clean:
	rm -rf results/mini .snakemake
