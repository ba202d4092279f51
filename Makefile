# The two commands of this repository: `make demo` and `make test`. Both make .venv where it is missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
EXAMPLE := example_project

.PHONY: demo test lint types check-python seeds bench fuzz clean

demo: $(STAMP)
	@$(BIN)/python -m evals.demo

test: $(STAMP) lint types
	$(BIN)/python -m pytest -n auto -m slow
	$(BIN)/python -m pytest -n auto -m "not slow" --cov --cov-report=term

lint: $(STAMP)
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .

types: $(STAMP)
	$(BIN)/mypy

bench: $(STAMP)
	$(BIN)/python -m evals.bench.guard
	$(BIN)/python -m evals.bench.cold_ask

# A long run of the guard's fuzzer with fresh seeds: make fuzz MINUTES=30
MINUTES ?= 10
fuzz: $(STAMP)
	$(BIN)/python -m evals.fuzz --minutes $(MINUTES)

$(STAMP): pyproject.toml constraints.txt | check-python
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(STAMP)

check-python:
	@test -x $(BIN)/python || $(PYTHON) -c 'import sys; v = sys.version_info[:2]; ok = (3, 11) <= v <= (3, 13); sys.exit(0 if ok else "dbt-t2s needs Python 3.11 to 3.13, and $(PYTHON) is %d.%d. Name another one: make demo PYTHON=python3.12" % v)'

clean:
	rm -rf $(VENV) $(EXAMPLE)/target $(EXAMPLE)/logs $(EXAMPLE)/retail.duckdb
