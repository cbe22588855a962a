# The front door. `make quickstart` builds and shows Godwit at work; `make test` runs every test.
.DEFAULT_GOAL := help
SHELL := /bin/bash
JOBS ?= $(shell nproc)
RELEASE := build/release

.PHONY: help quickstart test build deps bench fuzz sim sync-sim stress slt slt-all cases clients reference install package format asan clean

help:
	@echo "make quickstart  install what is missing, build, run SQL on a real database file"
	@echo "make test        install, build, run all tests"
	@echo "make build       build/release/bin/godwit and build/release/lib/libsqlite3.so.0"
	@echo "make bench       micro-benchmarks beside reference SQLite, as ratios"
	@echo "make fuzz        differential fuzzing against reference SQLite [SEED=n STATEMENTS=n]"
	@echo "make sim         simulated power cuts, kills and disk faults [SEEDS=n FIRST=n]"
	@echo "make sync-sim    replicas over a network that loses and cuts, killed at times [SEEDS=n]"
	@echo "make stress      Godwit and C SQLite processes on one database [SECONDS=n]"
	@echo "make slt         sqllogictest: a sample; make slt-all: all open files"
	@echo "make cases       small SQL scripts with known output"
	@echo "make clients     programs that use SQLite, on this library"
	@echo "make install     into PREFIX (/usr/local) [DESTDIR=folder]; make package: a .deb in build/release"
	@echo "make asan        build and run the unit tests under the address sanitizer"
	@echo "make reference   build reference SQLite, the oracle, under build/reference"
	@echo "make format      clang-format over src, tests, bench"

deps:
	@tools/install_deps.sh

build: deps
	@cmake --preset release $(CMAKE_ARGS) >/dev/null
	@cmake --build --preset release -j$(JOBS)

# Without the tests, so that a first look does not wait for them.
quickstart: deps
	@cmake --preset release $(CMAKE_ARGS) >/dev/null
	@cmake --build --preset release -j$(JOBS) --target godwit_shell sqlite3_shared sqlite3_static
	@tools/quickstart.sh

test: build
	@tools/run_tests.sh

reference: deps
	@tools/build_reference.sh

bench: build reference
	@tools/bench.sh $(BENCH_ARGS)

fuzz: build reference
	@python3 tools/fuzz/differential.py --seed $(or $(SEED),1) --statements $(or $(STATEMENTS),10000)

sync-sim: build
	@GODWIT_SYNC_SEEDS=1-$(or $(SEEDS),2000) build/release/bin/unit_sync --gtest_filter='Convergence.*'

sim: build reference
	@build/release/bin/godwit_sim --seeds $(or $(SEEDS),500) --first $(or $(FIRST),1) --jobs $(JOBS)

stress: build
	@STRESS_SECONDS=$(or $(SECONDS),60) tests/suites/stress.sh

slt: build
	@tools/slt.sh sample

slt-all: build
	@tools/slt.sh all

cases: build
	@tools/cases.sh

clients: build reference
	@tools/clients.sh

PREFIX ?= /usr/local

install: build
	@cmake --install $(RELEASE) --prefix $(PREFIX) --strip

package: build
	@cd $(RELEASE) && cpack -G DEB

asan: deps
	@cmake --preset asan >/dev/null
	@cmake --build --preset asan -j$(JOBS)
	@ctest --preset asan -j$(JOBS)

format:
	@git ls-files 'src/*.cc' 'src/*.h' 'tests/*.cc' 'bench/*.cc' | xargs clang-format -i

clean:
	rm -rf build
