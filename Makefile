# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test lint types peers clean

run: $(VENV)/installed  ## set up, then check a game, solve it and rate players of it
	$(BIN)/ludens check tic_tac_toe
	$(BIN)/ludens solve tic_tac_toe
	$(BIN)/ludens rate --game tic_tac_toe random greedy mcts:sims=20 mcts:sims=500 solver

test: $(VENV)/installed  ## set up, then pass all tests
	$(BIN)/pytest --numprocesses auto --dist worksteal

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed
	$(BIN)/mypy

peers: $(VENV)/installed  ## other engines for the benchmarks (JAX: several hundred MB)
	$(BIN)/pip install --quiet --group peers --no-binary trianglengin

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --constraint constraints.txt --editable . --group dev
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache
