# Every target sets itself up: a virtual environment from the hashed requirements, then the work.
# Variables: ENV RAW NOISE POLICY KEY OUT SCALE (see `make help`).

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
export DAGSTER_HOME := $(CURDIR)

OPTIONS = --environment '$(ENV)' --out '$(OUT)' --policy '$(POLICY)' --scale '$(SCALE)' \
	$(if $(RAW),--raw '$(RAW)') $(if $(NOISE),--noise '$(NOISE)') $(if $(KEY),--key-file '$(KEY)')
VARIANTS = $(patsubst env-%,%,$(filter env-noisy env-clean,$(MAKECMDGOALS)))

.PHONY: help setup build env-noisy env-clean dev test lint types check bench requirements

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "  ENV=dataclaw-18|us-listed|FILE.py:NAME  RAW=folder of your tables  NOISE=spec.yaml  POLICY=lsd"
	@echo "  KEY=file of the release key  OUT=output folder  SCALE=size of the generated corpus"

env-noisy: build ## build the noisy environment (with env-clean in one command, shared stages run once)
	@:

env-clean: build ## build the clean environment
	@:

build: setup
	@$(BIN)/silt build $(VARIANTS) $(OPTIONS)

dev: setup ## open the asset graph in a web server: http://127.0.0.1:3000
	@$(BIN)/silt dev --environment '$(ENV)'

test: setup ## run the whole test suite
	@$(BIN)/python -m pytest

lint: setup ## check format, lint and import contracts
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports

types: setup ## check types, strictly
	@$(BIN)/mypy

check: lint types test ## everything that must pass

bench: setup ## run the benchmarks and print their table
	@$(BIN)/python -m benchmarks

setup: $(READY)

$(READY): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info[:2] < (3, 14) else "silt needs Python 3.11 to 3.13; name one with PYTHON=")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

requirements: setup ## pin the requirements anew, with hashes and without index addresses
	@$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-strip-extras \
		--extra dev --quiet pyproject.toml --output-file requirements.txt
