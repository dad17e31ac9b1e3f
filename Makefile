# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

PYTEST := $(BIN)/pytest --numprocesses auto --dist worksteal
SEARCHING := $(addprefix tests/,games search)
LEARNING := $(addprefix tests/,agents arena bench learn selfplay)

.PHONY: run test slow lint types peers clean

run: $(VENV)/installed  ## set up, then train a net for tic-tac-toe and count its mistakes
	$(BIN)/ludens train tic_tac_toe --run runs/tic_tac_toe

# In parts: a process that has compiled many games holds more than 1 GB.
test: $(VENV)/installed  ## set up, then pass all tests
	$(PYTEST) $(SEARCHING)
	$(PYTEST) $(LEARNING)
	$(PYTEST) tests $(addprefix --ignore=,$(SEARCHING) $(LEARNING))

slow: $(VENV)/installed  ## more of what the tests prove
	$(PYTEST) -m slow

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed
	$(BIN)/mypy

peers: $(VENV)/installed  ## other engines for the benchmarks (JAX: several hundred MB)
	CMAKE_ARGS="-DPYTHON_EXECUTABLE=$(abspath $(BIN))/python" \
		$(BIN)/pip install --quiet --group peers --no-binary trianglengin

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --constraint constraints.txt --editable . --group dev
	touch $@

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache
