# `make demo` and `make test` need only Python >= 3.11 (with venv) and make.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo $$p; break; }; done)
VENV ?= .venv
JOBS ?= 2

BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test slow lint format bench bench-codegen clean

demo: $(STAMP)
	@$(BIN)/python tools/demo.py

test: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS)

slow: $(STAMP)
	$(BIN)/python -m pytest -n $(JOBS) -m slow

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)
	@$(BIN)/python tools/bench.py
	@$(BIN)/python tools/bench_interpreter.py

# Static and deterministic; needs NVIDIA's binary tools, no GPU.
bench-codegen: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[tileiras,cutile,codegen]'
	@$(BIN)/python tools/codegen_bench.py

clean:
	rm -rf build dist $(VENV)

# NVIDIA's tools and its Python front end are wheels that some platforms lack: without them the
# tests that need them are skipped, so their absence does not stop the installation.
$(STAMP): pyproject.toml
	@test -n "$(PYTHON)" || { echo "error: no Python >= 3.11 found; set PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[tileiras]' || \
		echo "note: NVIDIA's tileiras could not be installed; what needs it will be skipped" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[cutile]' || \
		echo "note: cuda-tile could not be installed; what needs it will be skipped" >&2
	@touch $@
