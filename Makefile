# Every target builds .venv by itself. `make demo` needs only the core; the others install the test tools too, and
# `make bench` the peers that benchmarks run beside.
PYTHON ?= python3
BIN := .venv/bin
# Not quiet: a first installation takes a minute, and shows what it does. Wheels before sources, which would be compiled;
# Python compiles what it imports, which is much less than all.
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check --prefer-binary --no-compile --editable

.PHONY: demo setup test chromium mutants bench fuzz clean

demo: .venv/core
	@$(BIN)/python -m pokerlab.demo

setup: .venv/full

test: .venv/full chromium
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy
	$(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder

# The page is tried in Debian's browser, which is installed where that may be done.
chromium:
	@command -v chromium >/dev/null || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null || \
	    timeout 300 sh -c 'apt-get -qq update && apt-get -qq install -y chromium' >/dev/null 2>&1 || true
	@command -v chromium >/dev/null || echo "no chromium: the tests of the page in a browser will not run"

mutants: .venv/full
	@$(BIN)/python tests/mutants.py --sample 50

bench: .venv/bench
	@unmet=""; for script in benchmarks/[a-z]*.py; do \
	    echo "== $$script"; $(BIN)/python $$script || unmet="$$unmet $$script"; done; \
	    test -z "$$unmet" || { echo "claims not met, or not judged, in$$unmet"; exit 1; }

fuzz: .venv/full
	$(BIN)/python tests/fuzz_files.py --files 20000
	$(BIN)/python tests/fuzz_options.py --seconds 900

.venv/core: pyproject.toml
	@test -x $(BIN)/python || { echo "setting up .venv, once: pip fetches and installs what pokerlab needs"; $(PYTHON) -m venv .venv; }
	@$(INSTALL) .
	@touch $@

.venv/full: .venv/core
	@$(INSTALL) '.[plots,store,test]'
	@touch $@

.venv/bench: .venv/full
	@$(INSTALL) '.[bench]'
	@touch $@

clean:
	rm -rf .venv build results src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
