# Everything a newcomer and a CI machine need; `make` alone lists it.
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

PORT ?= 8000
SITE_URL ?= http://127.0.0.1:$(PORT)

PY := .venv/bin/python
TESTBED := $(PY) -m scripts.testbed
PYTEST := $(PY) -m pytest
ARGS ?=

.PHONY: help demo test test-sqlite test-long bench lint format lock docs clean

help:  ## this list
	@echo "Touchstone: controlled crowdsourcing, from a corpus to a gold dataset."
	@echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1|\2/p' Makefile | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

demo: export SITE_URL := $(SITE_URL)
demo:  ## the whole platform with a rehearsed campaign on http://127.0.0.1:8000 (PORT=8010 moves it)
	@scripts/install base
	@$(PY) -m scripts.check_port "$(SITE_URL)"
	@exec $(PY) manage.py demo $(ARGS)

test: lint  ## lint, types and every test, on PostgreSQL, Redis and Chromium (ARGS="tests/crowd -x" narrows it)
	@exec $(TESTBED) -- $(PYTEST) -m "not bench and not long" -n 2 --dist loadfile --no-loadscope-reorder --benchmark-disable $(ARGS)

test-sqlite:  ## the same tests with SQLite as the ordinary database
	@scripts/install dev
	@exec env TEST_DATABASE=sqlite $(TESTBED) -- $(PYTEST) -m "not bench and not long" -n 2 --dist loadfile --no-loadscope-reorder --benchmark-disable $(ARGS)

test-long:  ## the long campaigns; those that kill processes on SQLite too
	@scripts/install dev
	@$(TESTBED) -- $(PYTEST) -m long --timeout 7200 $(ARGS)
	@exec env TEST_DATABASE=sqlite $(TESTBED) -- $(PYTEST) -m long --timeout 7200 tests/crowd/test_killed_processes.py

bench:  ## the measurements, one at a time, on a database that really writes to disk
	@scripts/install dev
	@exec $(TESTBED) --durable -- $(PYTEST) -m bench --timeout 7200 $(ARGS)

lint:  ## ruff, mypy, import-linter, djlint, missing migrations, traces of a machine in tracked files
	@scripts/install dev
	@scripts/lint

format:  ## let ruff format what it can
	@scripts/install dev
	@.venv/bin/ruff check --fix --exit-zero --quiet . && .venv/bin/ruff format --quiet .

lock:  ## write requirements/*.txt anew from pyproject.toml (needs uv)
	@scripts/lock

docs:  ## the documentation as pages, in site/
	@scripts/install dev
	@.venv/bin/python -m mkdocs build --strict --quiet
	@echo "site/index.html"

clean:  ## remove the environment and caches; var/, which holds your data, stays
	@test -L .venv || rm -rf .venv
	@rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .benchmarks .coverage site
	@find . -name __pycache__ -type d -not -path './.venv*' -prune -exec rm -rf {} +
	@test ! -d var || echo "var/ holds databases and exports and was left alone; remove it by hand if you mean to."
