# Commands for development and CI. `make` lists them.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PORT ?= 8000
SITE_URL ?= http://127.0.0.1:$(PORT)

PY := .venv/bin/python
TESTBED := $(PY) -m scripts.testbed
PYTEST := $(PY) -m pytest
# Test processes: one more than there are processors, because tests also wait.
JOBS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
ARGS ?=

.PHONY: help demo serve demo-prolific check test test-sqlite test-long coverage screenshots bench lint format build lock sbom audit docs clean

help:  ## list the commands
	@echo "Touchstone: controlled crowdsourcing, from a corpus to a gold dataset."
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

demo: export SITE_URL := $(SITE_URL)
demo:  ## run the platform with a simulated campaign on http://127.0.0.1:8000 (change with PORT=8010)
	@scripts/install base
	@$(PY) -m scripts.check_port "$(SITE_URL)"
	@exec $(PY) manage.py demo $(ARGS)

serve: export SITE_URL := $(SITE_URL)
serve:  ## run a site of your own on this machine, empty at first (change the port with PORT=8010)
	@scripts/install base
	@exec $(PY) manage.py serve $(ARGS)

demo-prolific: export SITE_URL := $(SITE_URL)
demo-prolific:  ## run the platform with a stand-in of Prolific and a simulated campaign
	@scripts/install dev
	@$(PY) -m scripts.check_port "$(SITE_URL)"
	@exec $(PY) -m tests.prolific.demo $(ARGS)

check:  ## run the fast tests: schemes, metrics, architecture and language, without a database server
	@scripts/install dev
	@exec env TEST_DATABASE=sqlite $(PYTEST) -q -n 2 --benchmark-disable -m "not bench and not long and not browser and not system and not slow" tests/schemes tests/metrics tests/test_architecture.py tests/test_language.py $(ARGS)

test: lint  ## run lint and all tests on PostgreSQL, Redis and Chromium (ARGS="tests/crowd -x" selects some)
	@exec $(TESTBED) -- $(PYTEST) -m "not bench and not long" -n $(JOBS) --dist loadfile --no-loadscope-reorder --benchmark-disable $(ARGS)

test-sqlite:  ## run the tests on SQLite
	@scripts/install dev
	@exec env TEST_DATABASE=sqlite $(TESTBED) -- $(PYTEST) -m "not bench and not long" -n $(JOBS) --dist loadfile --no-loadscope-reorder --benchmark-disable $(ARGS)

test-long:  ## run the long campaigns and many random examples, and on SQLite those that kill processes
	@scripts/install dev
	@$(TESTBED) -- $(PYTEST) -m "long or hypothesis" --hypothesis-profile thorough --timeout 7200 $(ARGS)
	@exec env TEST_DATABASE=sqlite $(TESTBED) -- $(PYTEST) -m long --timeout 7200 tests/crowd/test_killed_processes.py

coverage:  ## measure the coverage of domain code, schemes and metrics on SQLite, with a floor of 93 %
	@scripts/install dev
	@env TEST_DATABASE=sqlite .venv/bin/python -m coverage run -m pytest -q --benchmark-disable $(ARGS)
	@exec .venv/bin/python -m coverage report --include="*/domain/*,schemes/*,metrics/*" --skip-covered --fail-under=93

screenshots:  ## take the screenshots of the documentation from a demo
	@scripts/install dev
	@exec env SCREENSHOTS_DIR=docs/images $(TESTBED) -- $(PYTEST) -q -m long --timeout 900 tests/browser/test_screenshots.py

bench:  ## run the benchmarks one at a time on a database that syncs to disk, and write their table
	@scripts/install dev
	@scripts/bench $(ARGS)

lint:  ## run ruff, mypy, import-linter and djlint, and check migrations and tracked files
	@scripts/install dev
	@scripts/lint

format:  ## fix and format Python with ruff
	@scripts/install dev
	@.venv/bin/ruff check --fix --exit-zero --quiet . && .venv/bin/ruff format --quiet .

build:  ## build the wheel of the committed state in dist/
	@scripts/install dev
	@scripts/build dist

lock:  ## update requirements/*.txt from pyproject.toml (needs uv)
	@scripts/lock

sbom:  ## list the deployed packages in sbom.json (CycloneDX)
	@scripts/install base
	@exec scripts/audit sbom

audit:  ## look for known vulnerabilities in the deployed packages (needs the network)
	@scripts/install base
	@exec scripts/audit audit

docs:  ## build the documentation in site/
	@scripts/install dev
	@.venv/bin/python -m mkdocs build --strict --quiet
	@echo "site/index.html"

clean:  ## remove the environment and caches, but not your data in var/
	@test -L .venv || rm -rf .venv
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .benchmarks .coverage site dist
	@find . -name __pycache__ -type d -not -path './.venv*' -prune -exec rm -rf {} +
	@test ! -d var || echo "var/ contains databases and exports, and was not removed. Delete it yourself if you no longer need it."
