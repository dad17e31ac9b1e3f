# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

PYTEST := $(BIN)/pytest --numprocesses auto --dist worksteal
SEARCHING := $(addprefix tests/,games search)
PLAYING := $(addprefix tests/,agents arena learn selfplay)
TRAINING := tests/training
STRAINING := $(addprefix tests/,bench cluster faults)
TELLING := $(addprefix tests/,cli infer nets)
KEEPING := formats report store
FIGURE := $(addprefix --cov=ludens.,$(KEEPING)) --cov-report=term:skip-covered
SHOWING := $(addprefix tests/,browser hostile web)

.PHONY: run test coverage slow lint types page peers clean

run: $(VENV)/installed  ## set up, then train a net for tic-tac-toe and count its mistakes
	$(BIN)/ludens train tic_tac_toe --run runs/tic_tac_toe

# In parts: a process that has compiled many games holds more than 1 GB. With byte code:
# to compile the tests and Ludens anew in every process takes a tenth of all the CPU time.
# Coverage is measured where it is cheap: 22 s of CPU time instead of 15 (Python 3.11).
test: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/installed  ## set up, then pass all tests
	$(PYTEST) $(SEARCHING)
	$(PYTEST) $(PLAYING)
	$(PYTEST) $(TRAINING)
	$(PYTEST) $(STRAINING)
	$(PYTEST) $(TELLING)
	$(PYTEST) $(addprefix tests/,$(KEEPING)) $(FIGURE)
	$(PYTEST) $(SHOWING)
	$(PYTEST) tests $(addprefix --ignore=,\
		$(SEARCHING) $(PLAYING) $(TRAINING) $(STRAINING) $(TELLING) $(SHOWING) \
		$(addprefix tests/,$(KEEPING)))

coverage: $(VENV)/installed  ## all tests, and the share of the lines of Python that they run
	rm -f .coverage
	$(MAKE) test FIGURE= PYTEST="$(PYTEST) --cov --cov-append --cov-report="
	$(BIN)/coverage report --format=total

slow: $(VENV)/installed  ## more of what the tests prove
	$(BIN)/pip install --quiet --constraint constraints.txt --group slow
	$(PYTEST) -m slow

lint: $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed
	$(BIN)/mypy

page:  ## format and types of the page's code, where there is Node
	@if ! command -v npm >/dev/null; then echo "no npm: the page is not checked"; \
	elif ! $(MAKE) --silent node_modules/installed; then \
		echo "npm has no registry: the page is not checked"; \
	else npm run --silent page; fi

node_modules/installed: package.json
	npm install --no-package-lock --ignore-scripts --fetch-retries=1 --loglevel=silent
	touch $@

peers: $(VENV)/installed  ## other engines for the benchmarks (JAX: several hundred MB)
	CMAKE_ARGS="-DPYTHON_EXECUTABLE=$(abspath $(BIN))/python" \
		$(BIN)/pip install --quiet --group peers --no-binary trianglengin

$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/pip install --quiet --constraint constraints.txt --editable . --group dev
	touch $@

clean:
	rm -rf $(VENV) node_modules .mypy_cache .pytest_cache .ruff_cache
