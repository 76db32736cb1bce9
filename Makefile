# make mini       make RoDR's Table 2, its learning curve, the claims that they decide, and the audit, from nothing
# make papers     make the tables and figures of all papers
# make evidence   run the scale `evidence`, for some hours; it resumes where it stopped; add the runs to the ledger evidence/
# make findings   write docs/findings.md, and README's findings and picture, from the ledger or from `make papers`
# make test       run the tests, without the slow ones
# make test-all   run all tests
# make lint       check formatting, style, types, the workflow, and the links of the documentation
# make docs       build the documentation in site/; write its tables of keys and commands again
# make setup      install what the others need, into .venv
#                 GPU=1 takes torch and FAISS with CUDA, at the locked versions
#                 GPU=1 TORCH_CUDA=cu126 takes torch's build for another CUDA, from where pip is told to look for it
# make requirements   print the packages that it installs
# make schemas    write JSON schemas of the configuration, for editors
# make lock       write requirements.lock, its hashes and envs/ from what is installed; it needs the program uv
# make bench      compare speed and memory with other libraries
# make rehearse   run the stages on drawn data of MS MARCO's size, and print what they cost; SIZE=0.01 takes a hundredth
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
SIZE ?= 1
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
PYTEST := pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
GPU ?= $(if $(wildcard $(VENV)/ready-gpu-*),1)# an environment stays what it was set up for
READY := $(VENV)/ready-$(if $(GPU),gpu-)$(shell cat requirements.lock requirements.hashes pyproject.toml | cksum | cut -d' ' -f1)
# The package index's torch has CUDA. `===` takes only this build, or the one that TORCH_CUDA names.
BUILDS := $(if $(GPU),sed 's/^faiss-cpu==/faiss-gpu==/; s/^torch==\([^ ]*\)/torch===\1$(TORCH_CUDA:%=+%)/',cat)

# One line shows the progress. Snakemake's log in .snakemake/log has every job, and why it runs.
TOLD := --logger robustdr --logger-robustdr-benchmarks results/mini/benchmarks --
MAKES := snakemake --cores $(CORES) $(TOLD)
PAPERS := $(shell ls config/papers/*/experiment.yaml | cut -d/ -f3 | paste -sd,)
MAKES_PAPERS := snakemake --cores $(CORES) --config scale=mini 'papers=[$(PAPERS)]' $(TOLD)

# Strict: a link that leads nowhere, or a page that the navigation lacks, is an error. `--quiet` would not count them.
SITE := NO_MKDOCS_2_WARNING=1 mkdocs build --strict
DOCS := $(VENV)/docs-$(shell cksum < envs/docs.hashes | cut -d' ' -f1)

export PATH := $(CURDIR)/$(BIN):$(PATH)
export HF_HUB_OFFLINE ?= 1

.PHONY: mini papers evidence findings test test-all docs lint lock bench rehearse clean setup requirements schemas

mini: setup
	$(MAKES) results/mini/tables/rodr_table2.md
	@echo; echo "RoDR's Table 2 is made: results/mini/tables/rodr_table2.md. The report follows."; echo
	$(MAKES) results/mini/report/index.html results/mini/report/headline.json results/audit/summary.md
	@echo; echo "Read results/mini/tables/rodr_table2.md, or open results/mini/report/index.html in a browser."
	@echo; robustdr controls results/mini || echo "Claims that need a control that does not pass are not testable here."

papers: setup
	$(MAKES_PAPERS) all results/audit/summary.md
	@echo; echo "Open results/mini/report/index.html in a browser."

# RoDR and the comparison of methods come first: the ledger has their runs before the others begin.
evidence: setup
	snakemake --cores $(CORES) --config scale=evidence 'papers=[rodr,all]' -- measures
	robustdr evidence add results/evidence
	snakemake --cores $(CORES) --config scale=evidence 'papers=[$(PAPERS)]' -- measures
	robustdr evidence add results/evidence

findings: setup
	robustdr evidence findings

test: setup
	$(PYTEST) -m "not slow" -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true --max-worker-restart=0

test-all: setup
	$(PYTEST)

bench: setup
	python tests/benchmarks

rehearse: setup
	PYTHONPATH=workflow:tests python -m rehearsal --size $(SIZE)

docs: setup $(DOCS)
	robustdr reference
	$(SITE)
	@echo; echo "Open site/index.html in a browser. To search the pages: mkdocs serve"

lint: setup $(DOCS)
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile rules
	mypy
	snakemake --lint
	robustdr deviations --check
	$(SITE)

schemas: setup
	robustdr schemas config

lock: setup
	python envs/lock.py

setup: $(READY)

# pip installs only files whose digest is in requirements.hashes. torch is not there, because its builds differ. It comes
# last, after the packages that it needs. The two builds of FAISS share an entry of hashes. Only pip's errors are shown:
# its warnings are about mirrors and folders of the machine.
PIP := $(BIN)/python -m pip --quiet --quiet --disable-pip-version-check
OTHERS := $(shell grep == requirements.lock | grep -vc ^torch==)

requirements:
	@$(BUILDS) requirements.lock

$(READY):
	@echo "Set-up, 1 of 4: an environment of its own in $(VENV)"
	@$(PYTHON) -m venv $(VENV)
	@$(BUILDS) requirements.hashes > $(VENV)/requirements.txt
	@$(PIP) uninstall --yes faiss-$(if $(GPU),cpu,gpu)
	@echo "Set-up, 2 of 4: $(OTHERS) packages of requirements.lock, 650 MB"
	@$(PIP) install --no-deps --require-hashes -r $(VENV)/requirements.txt
	@echo "Set-up, 3 of 4: torch, $(if $(GPU),several GB with CUDA,190 MB as built for processors)"
	@$(PIP) install "$$($(BUILDS) requirements.lock | grep -o '^torch==[^ ]*')"
	@echo "Set-up, 4 of 4: this project"
	@$(PIP) install --no-deps --editable .
	@$(BIN)/robustdr schemas config > $(VENV)/schemas.txt
	@rm -f $(VENV)/ready-*
	@touch $@

$(DOCS): | $(READY)
	@$(PIP) install --no-deps --require-hashes -r envs/docs.hashes
	@rm -f $(VENV)/docs-*
	@touch $@

clean:
	rm -rf results/mini .snakemake site
