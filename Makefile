# Every target sets itself up: a virtual environment from the hashed requirements, then the work.
# Variables: ENV RAW NOISE POLICY BUDGET KEY REUSE_KEY OUT PORT SCALE STORE SHARED_STORE STORE_SIZE ENGINE FRESH VERSION RELEASE FROM TO BENCH TASKS ANSWERS SECONDS ALL (see `make help`).

.DEFAULT_GOAL := help
SHELL := /bin/sh
PYTHON ?= python3
ENV ?= dataclaw-18
OUT ?= environments
POLICY ?= lsd
SCALE ?= 1

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
READY_WEB := $(VENV)/.ready-web
READY_SITE := $(VENV)/.ready-site
READY_DASK := $(VENV)/.ready-dask
READY_SPARK := $(VENV)/.ready-spark
READY_S3 := $(VENV)/.ready-s3
READY_DEV := $(VENV)/.ready-dev
READY_AUDIT := $(VENV)/.ready-audit
PEERS := .venv-peers
READY_PEERS := $(PEERS)/.ready
# Beside the environment of the tests: what is imported with Spark wherever that is installed would slow them all.
SPARK := .spark/.ready
export DAGSTER_HOME := $(CURDIR)
# Matrices here are small: more threads of BLAS would only wait for each other.
export OPENBLAS_NUM_THREADS := 1
# Many processes load the same modules: what one of them compiled, the others read.
unexport PYTHONDONTWRITEBYTECODE

OPTIONS = --environment '$(ENV)' --out '$(OUT)' --policy '$(POLICY)' --scale '$(SCALE)' \
	$(if $(RAW),--raw '$(RAW)') $(if $(NOISE),--noise '$(NOISE)') $(if $(KEY),--key-file '$(KEY)') \
	$(if $(BUDGET),--budget '$(BUDGET)') \
	$(if $(STORE),--store '$(STORE)') $(if $(ENGINE),--engine '$(ENGINE)') \
	$(if $(SHARED_STORE),--shared-store '$(SHARED_STORE)') \
	$(if $(STORE_SIZE),--store-size '$(STORE_SIZE)') $(if $(filter 1,$(FRESH)),--fresh)
VARIANTS = $(patsubst env-%,%,$(filter env-noisy env-clean,$(MAKECMDGOALS)))

# pip installs what a file lists and no more, each file with its hashes; uv resolves, for every Python and machine at once.
INSTALL = $(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-compile
TYPED = export PATH="$(CURDIR)/$(BIN):$$PATH"
# A command, and how those that it prints can be typed, where they cannot be yet.
TOLD = run() { "$$@"; status=$$?; command -v silt > /dev/null || echo '  to type    silt: $(TYPED)' >&2; return $$status; }; run
# A command that takes long and says nothing, with a dot each second.
DOTTED = { $(1) & pid=$$!; while kill -0 $$pid 2> /dev/null; do printf .; sleep 1; done; echo; wait $$pid; }
# Libraries bring their tests, headers of C, a second engine of zstandard's, and pip comes compiled: 125 MB that nothing imports.
UNUSED = $(addprefix $(VENV)/lib/python*/site-packages/,$(addsuffix /tests,numpy numpy/* pandas pyarrow scipy/*) \
	numpy/_core/include pyarrow/include zstandard/_cffi.* pip/*/*/__pycache__ pip/*/*/*/__pycache__)
COMPILE = $(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url \
	--no-strip-extras --quiet pyproject.toml
# The pins of an extra beside those of other files, which it must fit; a third argument pins alike what both have.
BESIDE = $(COMPILE) --extra $(1) $(addprefix --constraint ,$(2) $(3)) --output-file requirements-$(1).txt \
		$$(sed -n '/win32/!s/^\([a-z0-9-]*\)[^ ]*==.*/--no-emit-package \1/p' $(2)) && \
	sed -i.all '/^$$/d; /^\# The following packages were excluded/,$$d' requirements-$(1).txt && rm requirements-$(1).txt.all

.PHONY: help setup setup-dev setup-audit setup-dask setup-spark setup-s3 build tasks score env-noisy env-clean env-ablations release audit deliver dev test test-slow test-full test-spark lint types check bench frontier mutants mutations faults fuzz pictures site dist noise-docs requirements

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {line = sprintf("  make %-13s", $$1); n = split($$2, words, " "); \
		for (i = 1; i <= n; i++) {if (length(line words[i]) > 98) {print line; line = sprintf("%20s", "")} line = line " " words[i]} \
		print line}' $(MAKEFILE_LIST)
	@echo
	@echo "  ENV=dataclaw-18|us-listed|FILE.py:NAME  RAW=folder or address of your tables"
	@echo "  NOISE=spec.yaml  POLICY=lsd|guarded  SCALE=size of generated tables  OUT=output folder"
	@echo "  BUDGET=what a guarded release may tell of one company (rho; 10 if nothing is declared)"
	@echo "  KEY=file of the release key  REUSE_KEY=1: release another policy or other tables under it, too"
	@echo "  STORE=folder for what is kept between builds  STORE_SIZE=its size in GB  FRESH=1: make all anew"
	@echo "  PORT=port of make dev  ENGINE=local, dask://HOST:PORT or spark://HOST:PORT: what performs the steps"
	@echo "  SHARED_STORE=s3://BUCKET/FOLDER  VERSION=of a release  RELEASE=its further options"
	@echo "  TASKS='--count 100' (tasks)  ANSWERS=file (score)  VARIANT=clean|noisy (audit)"
	@echo "  BENCH='scale peer --scales 10 50 --peer-scales 1' (bench)"

env-noisy: build ## build the noisy environment (with env-clean in one command, shared stages run once)
	@:

env-clean: build ## build the clean environment
	@:

env-ablations: setup ## build every ablation variant: noise taken apart, family by family (NOISE=plan.yaml)
	@$(TOLD) $(BIN)/silt ablate $(OPTIONS)

tasks: setup ## make tasks with gold answers from a finished build (TASKS="--count 100")
	@$(TOLD) $(BIN)/silt tasks make --environment '$(ENV)' --out '$(OUT)' $(if $(KEY),--key-file '$(KEY)') $(TASKS)

score: setup ## score answers to these tasks: results.json and results.html beside them (ANSWERS=answers.jsonl)
	@$(TOLD) $(BIN)/silt score $(if $(ANSWERS),'$(ANSWERS)') --environment '$(ENV)' --out '$(OUT)' $(if $(TO),--to '$(TO)')

build: setup
	@$(TOLD) $(BIN)/silt build $(VARIANTS) $(OPTIONS)

release: setup ## make a release that others can verify and rebuild (VERSION=1.0.0, TASKS=yes, RELEASE='--documented --sign FILE')
	@$(TOLD) $(BIN)/silt release --version '$(VERSION)' $(OPTIONS) $(if $(filter yes,$(TASKS)),--tasks) $(if $(filter 1,$(REUSE_KEY)),--reuse-key) $(RELEASE)

audit: setup ## attack the published files with the originals in hand (VARIANT=clean or noisy)
	@$(TOLD) $(BIN)/silt audit $(VARIANT) --environment '$(ENV)' --out '$(OUT)' $(if $(RAW),--raw '$(RAW)') $(if $(KEY),--key-file '$(KEY)')

deliver: setup ## put a variant or a release at an address (FROM=environments/us-listed/noisy TO=s3://BUCKET/FOLDER)
	@$(BIN)/silt deliver '$(FROM)' --to '$(TO)'

dev: $(READY_WEB) ## serve the asset graph of your builds to a web browser: http://127.0.0.1:3000
	@$(BIN)/silt dev $(if $(PORT),--port '$(PORT)')

# A worker at times waits for a program that it started, or for another's build: three keep two cores at work. Each has one thread
# of polars', for more would wait for those of the others.
PYTEST = POLARS_MAX_THREADS=1 $(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

test: setup-dev setup-audit ## run the tests, but for the slow ones (ALL=1: these, too)
	@$(PYTEST) -m 'not full$(if $(filter 1,$(ALL)),, and not slow)'

test-slow: setup-dev setup-audit ## run the tests that take long: kills, guarded, a mutant for each check, the browser
	@$(PYTEST) -m slow tests/integration

test-full: setup-dev ## build the environment at the paper's size, and compare counts, reports and the page on noise
	@$(BIN)/python -m pytest -m full tests/integration

test-spark: setup-dev $(SPARK) ## build on Spark, and compare (490 MB, and it needs Java)
	@$(BIN)/python -m pytest tests/integration/test_engines.py

lint: setup-dev ## check format, lint and import contracts
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports

types: setup-dev ## check types, strictly
	@$(BIN)/mypy

check: lint types test ## everything that must pass, but for slow tests

bench: setup $(READY_PEERS) ## measure builds beside floor and peers, and say which targets are met (BENCH=parts and options)
	@$(BIN)/python -m benchmarks $(BENCH) $(if $(RAW),--real '$(RAW)')

frontier: setup $(READY_PEERS) ## show what each mechanism for figures protects and costs (RAW=folder with real tables)
	@$(BIN)/python -m benchmarks.frontier --picture validation/frontier.svg $(if $(RAW),--raw '$(RAW)')

mutants: setup-dev ## run every negative control and print which check caught it
	@$(BIN)/python -m tests.mutants

fuzz: setup-dev setup-audit ## read random files of every kind (SECONDS=120), and try every property with fresh examples
	@$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),120)
	@$(PYTEST) tests/unit -m hypothesis --hypothesis-profile=fresh

mutations: setup-dev ## put mistakes into critical modules, one at a time, and print those that no test notices
	@$(BIN)/python -m tests.mutations

faults: setup-dev ## kill builds, cut the power, start two at once, fill disks and change files, and print what was left
	@$(BIN)/python -m tests.faults
	@$(BIN)/python -m tests.faults.stale

pictures: setup-dev build ## make the pictures of README and docs anew, from a build of dataclaw-18
	@$(BIN)/python -m tests.pictures '$(OUT)/dataclaw-18' raw/dataclaw-18/*-scale-1

site: $(READY_SITE) ## make the documentation a static site, with search and sample reports: site/html/index.html
	@rm -rf site && mkdir -p site/pages/samples/lsd site/pages/samples/guarded
	@set -e; for policy in lsd guarded; do \
		$(BIN)/silt build noisy --quiet --environment us-listed --policy $$policy --out site/samples/$$policy; \
		(cd site/samples/$$policy/us-listed/noisy && cp -r --parents reports database ../../../../pages/samples/$$policy); done
	@cp -r --parents README.md CHANGELOG.md LICENSE docs noise_specs/README.md tests/*/*.md benchmarks/frontier/README.md validation/frontier.svg \
		silt/environments/us_listed/tasks.yaml site/pages
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --config-file docs/mkdocs.yml
	@echo "to search it: python3 -m http.server --directory site/html"

dist: setup-dev ## make a wheel and a source archive of the commit, and try both where nothing else is: dist/
	@test -z "$$(git status --porcelain)" || { echo "a wheel names its commit: commit what was changed first"; exit 2; }
	@rm -rf dist
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BIN)/uv build --quiet --no-build-isolation --python $(BIN)/python --out-dir dist
	@$(BIN)/python -m tests.distribution dist

noise-docs: setup ## refresh what noise_specs/ holds that follows from the code: schema.json and the table of kinds
	@$(BIN)/python -m pipeline.noise.shipped

setup: $(READY) ## install what a build needs into .venv

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info[:2] < (3, 14) else "silt needs Python 3.11 to 3.13; name one with PYTHON=")'
	@test -x $(BIN)/python || { printf "making $(VENV) "; $(call DOTTED,$(PYTHON) -m venv $(VENV)); }
	@printf "setting up $(VENV) (0.9 GB) "
	@$(call DOTTED,$(INSTALL) --require-hashes -r requirements.txt)
	@printf "installing silt, and compiling what a build imports "
	@$(call DOTTED,$(INSTALL) --no-build-isolation --editable . && rm -rf $(UNUSED) && \
		$(BIN)/python -c 'import great_expectations; import silt.commands.build; import silt.definitions')
	@echo 'to type silt anywhere: $(TYPED)'
	@touch $@

setup-dev: $(READY_DEV) ## add what tests, lint and types need

$(READY_DEV): $(READY_WEB) $(READY_DASK) $(READY_S3)

setup-audit: $(READY_AUDIT) ## add what the independent opinion in an audit and fuzzing need (475 MB)

setup-dask: $(READY_DASK) ## add Dask, on which a build can run (25 MB)

setup-spark: $(READY_SPARK) ## add Spark, on which a build can run (490 MB, and it needs Java)

setup-s3: $(READY_S3) ## add what a store or tables on S3 need (25 MB)

$(READY_WEB) $(READY_SITE) $(READY_DASK) $(READY_SPARK) $(READY_S3) $(READY_DEV) $(READY_AUDIT): $(VENV)/.ready-%: requirements-%.txt $(READY)
	@printf "setting up $(VENV), $* "
	@$(call DOTTED,$(INSTALL) --require-hashes -r requirements-$*.txt)
	@touch $@

$(SPARK): requirements-spark.txt $(READY)
	@printf "setting up .spark "
	@$(call DOTTED,$(INSTALL) --upgrade --target .spark --require-hashes -r $<)
	@touch $@

$(READY_PEERS): requirements-peers.txt
	@echo "setting up $(PEERS) for the benchmarks ..."
	@test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $<
	@touch $@

requirements: setup-dev ## pin the requirements anew, with hashes and without index addresses
	@$(COMPILE) --extra setup --output-file requirements.txt
	@$(COMPILE:pyproject.toml=) --group pyproject.toml:peers --output-file requirements-peers.txt
	@$(call BESIDE,web,requirements.txt)
	@$(call BESIDE,site,requirements.txt)
	@$(call BESIDE,dask,requirements.txt)
	@$(call BESIDE,spark,requirements.txt)
	@$(call BESIDE,s3,requirements.txt)
	@$(call BESIDE,dev,requirements.txt requirements-web.txt requirements-dask.txt requirements-s3.txt)
	@$(call BESIDE,audit,requirements.txt requirements-dev.txt,requirements-dask.txt)
