# What a contributor runs. Every target sets up what it needs.

VENV := .venv/bin
DEV := .venv/.fairtrial-dev-installed
SOURCES := src tests benches scripts hatch_build.py
# Tests run side by side; tests/scheduling.py says which, and which run alone. Two workers more than processors: a third
# of a test's time is spent waiting for something else than a processor.
WORKERS ?= $(shell expr $$(nproc) + 2)
SIDE_BY_SIDE := --numprocesses $(WORKERS) --dist loadscope --no-loadscope-reorder

# The tests start hundreds of Python processes. Where this is set, each of them compiles what it imports.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help set-up system build build-tests build-lab test test-quick lint-and-python lint-rust test-python collect \
	test-engine test-timing bench wheels wheels-again image site docket charts lint audit format lock clean

help:  ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

set-up: $(DEV)  ## the Python environment with the development tools

$(DEV): requirements-dev.lock pyproject.toml scripts/set-up scripts/uv.lock
	sh scripts/set-up . requirements-dev.lock $(DEV)
	cp requirements.lock .venv/.fairtrial-installed

system: $(DEV)  ## what the tests need of the system, installed where this user may do that
	$(VENV)/python -m tests.machine.install

build:  ## the engine, for its own tests and as the lab runs it, and the shipped stacks; what they need of the system
	$(MAKE) --no-print-directory --jobs=2 build-tests build-lab

build-tests:  # from the first second on: compilers and package managers wait for different things
	@command -v cargo >/dev/null || { echo "error: Rust is needed, and there is no cargo on PATH" >&2; \
		echo "remedy: install it (rustup.rs)" >&2; exit 4; }
	cd engine && cargo test --quiet --locked --workspace --no-run

build-lab: system  # stacks are built with what was installed
	$(VENV)/python -m tests.shipped.build

test: build  ## everything: lint, types, and the tests of both languages; it sets up all that they need
	$(MAKE) --no-print-directory test-timing
	$(MAKE) --no-print-directory --jobs=2 test-engine lint-and-python

lint-and-python:  # beside the engine's tests, which wait most of their time
	$(MAKE) --no-print-directory --jobs=2 lint collect
	$(MAKE) --no-print-directory test-python

test-quick: $(DEV)  ## the edit loop: ruff, mypy, and the tests that start no processes
	$(VENV)/ruff check $(SOURCES) stacks examples
	$(VENV)/mypy
	$(VENV)/pytest -q $(SIDE_BY_SIDE) -m "not processes and not measures" $(TESTS)

lint: $(DEV) lint-rust  ## ruff, mypy, rustfmt, clippy
	$(VENV)/ruff check $(SOURCES) stacks examples
	$(VENV)/ruff format --check $(SOURCES) stacks examples
	$(VENV)/ruff check --quiet --preview --select PLW1514 src  # an encoding is named: no locale decides it
	$(VENV)/mypy

lint-rust: $(DEV)
	$(VENV)/python -m tests.machine.rust_lint

# Compiles the tests once, while the engine's wait; otherwise each worker does. To syrupy, all snapshots would be unused.
collect: $(DEV)
	$(VENV)/pytest --collect-only --quiet -p no:syrupy >/dev/null

test-engine:  ## the engine's own tests, those of its drivers by both
	cd engine && cargo test --quiet --locked --workspace --lib --bins --test fuzz_smoke --test integration
	cd engine && FAIRTRIAL_TEST_DRIVER=epoll cargo test --quiet --locked --test integration by_driver::

test-timing:  # alone: what else takes a processor is in its figures
	cd engine && cargo test --quiet --locked --test timing

test-python: $(DEV)  ## the lab's tests; TESTS=tests/judge for some of them
	$(VENV)/python -m tests.second_try $(SIDE_BY_SIDE) $(TESTS)

audit:  ## known vulnerabilities of pinned packages; needs pip-audit, cargo-audit and the network
	sh scripts/audit .

bench: $(DEV)  ## rerun the tables of docs/benchmarks.md; ARGUMENTS="--help" for less of it
	cd engine && cargo build --quiet --locked --release
	$(VENV)/python benches/compare.py --write $(ARGUMENTS)

wheels: $(DEV)  ## wheels with the engine inside, in dist/; TARGETS="x86_64-unknown-linux-gnu" for some of them
	sh scripts/wheels . $(TARGETS)
	set -- dist/fairtrial-*-manylinux_*_$$(uname -m)*.whl && [ ! -e "$$1" ] || \
		FAIRTRIAL_WHEEL=$$1 $(VENV)/pytest -q tests/commands/test_installed.py

wheels-again:  ## after `make wheels`: build them in another folder, and compare their digests
	rm -rf build/again && git clone --quiet . build/again && ln -s "$$PWD/.venv" build/again/.venv
	sh scripts/wheels build/again $(TARGETS)
	cd build/again/dist && sha256sum * | (cd ../../../dist && sha256sum --check)

image: $(DEV)  ## the image of the Dockerfile, and its tests; OPTIONS="--build-arg BASE=…" for the build
	$${FAIRTRIAL_CONTAINERS:-podman} build --tag fairtrial $(OPTIONS) .
	FAIRTRIAL_IMAGE=fairtrial $(VENV)/pytest -q tests/commands/test_image.py

site: $(DEV)  ## the documentation as a site that opens and searches without a server, in build/site
	sh scripts/site .

docket: $(DEV)  ## the kept records, and data of boards in the folder BOARDS, as a site in build/docket
	$(VENV)/fairtrial docket build benches/records $(BOARDS) --out build/docket

charts:  ## the script of the reports' charts, of the packages that its package-lock.json pins; needs npm
	sh scripts/bundle-charts .

format: $(DEV)  ## rewrite the sources as the formatters want them
	$(VENV)/ruff check --fix $(SOURCES) stacks
	$(VENV)/ruff format $(SOURCES) stacks
	cd engine && cargo fmt --all
	cd stacks/rust-axum && cargo fmt
	cd stacks/rust-batch && cargo fmt

lock: $(DEV)  ## pin the newest Python packages that pyproject.toml allows
	echo uv | $(VENV)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade - -o scripts/uv.lock
	printf 'cargo-zigbuild\nziglang\nauditwheel\n' | $(VENV)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade - -o scripts/wheels.lock
	echo zensical | $(VENV)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade - -o scripts/site.lock
	$(VENV)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --upgrade pyproject.toml -o requirements.lock
	$(VENV)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --upgrade pyproject.toml --extra cluster -o requirements-cluster.lock
	$(VENV)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --upgrade pyproject.toml --extra cluster --extra databases --extra grpc --extra http3 --extra notebook --extra otel --group dev -o requirements-dev.lock
	$(VENV)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["databases"], sep="\n")' \
		| $(VENV)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --upgrade - -o src/fairtrial/catalog/services/common/drivers.txt

clean:  ## remove what the targets above made here
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache engine/target build dist
