# make mini       make RoDR's Table 2, its learning curve, the claims that they decide, and the audit, from nothing
# make check-machine   make RoDR's Table 2, and compare this machine's runs with the ledger's; GPU=1: on its GPU
# make papers     make the tables and figures of all papers
# make review     check the numbers of any paper, FILE=paper.tex; the page is in results/review/ or in OUT=FOLDER
# make evidence   run the scale `evidence`, for some hours; it resumes where it stopped; add the runs to the ledger evidence/
# make findings   write docs/findings.md, and README's findings and picture, from the ledger or from `make papers`
# make leaderboard   measure retrievers of today on real text, and write docs/leaderboard.md, of all that was measured; MODELS="FOLDER ..." names them
# make test       run the tests, without the slow ones
# make test-all   run all tests
# make lint       check formatting, style, types, the workflow, and the links of the documentation
# make docs       build the documentation in site/; write its tables of keys and commands again
# make setup      install what `make mini` needs, into .venv; other commands add what they need
#                 GPU=1 takes torch and FAISS with CUDA, at the locked versions
#                 GPU=1 TORCH_CUDA=cu126 takes torch's build for another CUDA, from where pip is told to look for it
# make dvc        add DVC, for `dvc repro` and the other commands of dvc.yaml
# make requirements   print the locked packages, with these builds
# make schemas    write JSON schemas of the configuration, for editors
# make sbom       list all packages in CycloneDX's format, in dist/robustdr.cdx.json
# make release    build the wheel and the source archive in dist/
# make lock       write requirements.lock, its hashes and envs/ from what is installed; it needs the program uv
# make bench      compare speed and memory with other libraries
# make rehearse   run the stages on drawn data of MS MARCO's size, and print what they cost; SIZE=0.01 takes a hundredth
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
SIZE ?= 1
QUESTIONS ?= 1000
LENGTH ?= 128
COLLECTIONS ?= squad-sentences medquad stackfaq wikiqa-release
FILE ?= $(error Name the paper: make review FILE=paper.tex)
OUT ?= results/review/$(basename $(notdir $(FILE)))
CORES ?= $(shell getconf _NPROCESSORS_ONLN)
PYTEST := pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
GPU ?= $(if $(wildcard $(VENV)/ready-gpu-*),1)# an environment stays what it was set up for
BUILDS := $(if $(GPU),--gpu=$(TORCH_CUDA))
# Each part of the set-up leaves a marker with the digest of the files that decide it.
digest = $(shell cat $(1) | cksum | cut -d' ' -f1)
READY := $(VENV)/ready-$(if $(GPU),gpu-)$(call digest,requirements.lock requirements.hashes envs/build.hashes envs/faiss-gpu.hashes envs/torch-gpu.hashes pyproject.toml)
REVIEW := $(VENV)/review-$(call digest,envs/review.hashes)
TEST := $(VENV)/test-$(call digest,envs/test.hashes)
DVC := $(VENV)/dvc-$(call digest,envs/dvc.hashes)
DOCS := $(VENV)/docs-$(call digest,envs/docs.hashes)
SBOM := $(VENV)/sbom-$(call digest,envs/sbom.hashes)

# One line shows the progress. Snakemake's log in .snakemake/log has every job, and why it runs.
TOLD := --logger robustdr --logger-robustdr-benchmarks results/mini/benchmarks --
MAKES := snakemake --cores $(CORES) $(TOLD)
PAPERS := $(shell ls config/papers/*/experiment.yaml | cut -d/ -f3 | paste -sd,)
MAKES_PAPERS := snakemake --cores $(CORES) --config scale=mini 'papers=[$(PAPERS)]' $(TOLD)

# Strict: a link that leads nowhere, or a page that the navigation lacks, is an error. `--quiet` would not count them.
SITE := NO_MKDOCS_2_WARNING=1 mkdocs build --strict

export PATH := $(CURDIR)/$(BIN):$(PATH)
export HF_HUB_OFFLINE ?= 1

.PHONY: mini check-machine papers review evidence findings leaderboard test test-all docs lint lock release sbom bench rehearse clean setup dvc requirements schemas

mini: setup
	$(MAKES) results/mini/tables/rodr_table2.md
	@echo; echo "RoDR's Table 2 is made: results/mini/tables/rodr_table2.md. The report follows."; echo
	$(MAKES) results/mini/report/index.html results/mini/report/headline.json results/audit/summary.md
	@echo; echo "Read results/mini/tables/rodr_table2.md, or open results/mini/report/index.html in a browser."
	@echo; robustdr controls results/mini || echo "Claims that need a control that fails are not testable here."
	@echo; robustdr evidence check results/mini || true # it says why; with other settings, the ledger has no such runs

check-machine: setup
	$(MAKES) results/mini/tables/rodr_table2.md
	robustdr evidence check results/mini

papers: setup
	$(MAKES_PAPERS) all results/audit/summary.md
	@echo; echo "Open results/mini/report/index.html in a browser."

# `robustdr evidence add` may be called while this runs: it adds the systems that are measured on all their query sets.
evidence: setup
	snakemake --cores $(CORES) --config scale=evidence 'papers=[$(PAPERS)]' stage=measures -- stage
	robustdr evidence add results/evidence

findings: setup
	robustdr evidence findings

SLIPS := human_misspelling swap_adjacent_key swap_neighbour_chars
REWORDINGS := swap_synonym_wordnet no_stopwords swap_words
# OVERLAY: a folder whose collections.yaml binds the collections to files here. Ids are digests, so the first questions are as drawn.
leaderboard: setup
	snakemake --cores $(CORES) --config scale=text $(if $(OVERLAY),overlay=$(OVERLAY)) -- \
	  $(foreach name,$(COLLECTIONS),results/text/collections/$(name)/corpus.jsonl results/text/collections/$(name)/test/queries.tsv)
	for name in $(COLLECTIONS); do \
	  from=results/text/collections/$$name; to=results/leaderboard/$$name; mkdir -p $$to; \
	  sort $$from/test/queries.tsv | head -n $(QUESTIONS) > $$to/queries.tsv; \
	  awk 'NR == FNR {asked[$$1]; next} $$1 in asked' $$to/queries.tsv $$from/test/qrels.txt > $$to/qrels.txt; \
	  robustdr evaluate --models $(MODELS) --corpus $$from/corpus.jsonl --queries $$to/queries.tsv --qrels $$to/qrels.txt \
	    --spell-checker --variations $(SLIPS) $(REWORDINGS) --passage-length $(LENGTH) --cores $(CORES) -o $$to || exit; \
	done
	robustdr leaderboard results/leaderboard/*/ -o docs/leaderboard.md

# One test compares the lock with all that is installed.
test: setup $(REVIEW) $(TEST) $(DVC)
	$(PYTEST) -m "not slow" -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true --max-worker-restart=0

test-all: setup $(REVIEW) $(TEST) $(DVC)
	$(PYTEST)

bench: setup $(TEST)
	python tests/benchmarks

rehearse: setup
	PYTHONPATH=workflow:tests python -m rehearsal --size $(SIZE)

docs: setup $(DOCS)
	robustdr reference
	$(SITE)
	@echo; echo "Open site/index.html in a browser. To search the pages: mkdocs serve"

lint: setup $(REVIEW) $(TEST) $(DOCS)
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile rules
	mypy
	snakemake --lint
	robustdr deviations --check
	$(SITE)

# A paper in, a page out; `robustdr review --help` has more.
review: setup $(REVIEW)
	robustdr review "$(FILE)" -o "$(OUT)"
	@echo "Open $(OUT)/index.html in a browser."

# The locked setuptools builds both; what an earlier build left would be in the wheel.
release: setup
	rm -rf build dist
	python -c "from setuptools import build_meta; build_meta.build_sdist('dist'); build_meta.build_wheel('dist')"

sbom: setup $(SBOM)
	mkdir -p dist
	cyclonedx-py requirements requirements.lock --pyproject pyproject.toml --output-reproducible -o dist/robustdr.cdx.json

schemas: setup
	robustdr schemas config

lock: setup $(REVIEW) $(TEST) $(DVC)
	python envs/lock.py

setup: $(READY)

dvc: setup $(DVC)

requirements:
	@$(PYTHON) envs/setup.py --print $(BUILDS)

$(READY):
	@$(PYTHON) envs/setup.py $(BUILDS)
	@rm -f $(VENV)/ready-*
	@touch $@

$(REVIEW) $(TEST) $(DVC) $(DOCS) $(SBOM): $(VENV)/%: | $(READY)
	@$(BIN)/python envs/setup.py envs/$(firstword $(subst -, ,$*)).hashes
	@rm -f $(VENV)/$(firstword $(subst -, ,$*))-*
	@touch $@

clean:
	rm -rf results/mini .snakemake site
