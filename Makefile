# The front door. CMake does the work; `make help` lists what there is.
#
# build/ is the optimised build, build-NAME/ the build of preset NAME. JOBS, CMAKE_FLAGS and
# CTEST_FLAGS are passed on.
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CMAKE_FLAGS ?=
CTEST_FLAGS ?=
MAKEFLAGS += --no-print-directory

.DEFAULT_GOAL := build
.PHONY: build demo check check-asan bench fuzz coverage format tidy abi install clean help

# The first configuration asks only for what the program needs; `make check` adds the rest.
WITHOUT_TESTS = $(if $(wildcard build/CMakeCache.txt),,\
	-DLSCHED_BUILD_TESTS=OFF -DLSCHED_BUILD_BINDINGS=OFF)
WITH_TESTS = -DLSCHED_BUILD_TESTS=ON -DLSCHED_BUILD_BINDINGS=ON
CTEST = ctest -j $(JOBS) --output-on-failure --no-tests=error

OPENB = --nodes examples/openb/nodes.csv --tasks examples/openb/tasks.csv
PHILLY = examples/philly/jobs.csv
MIG80 = examples/mig80/mig80.csv
DAY = examples/scenarios/research-and-product.yaml

build: ## libraries, program, examples, benchmarks into build/ (the default)
	@scripts/install-deps demo
	@scripts/quietly cmake --preset release $(WITHOUT_TESTS) $(CMAKE_FLAGS)
	@cmake --build build -j $(JOBS)

demo: ## build the program, replay two clusters, look at a scenario, pack GPUs
	@scripts/install-deps demo
	@scripts/quietly cmake --preset release $(WITHOUT_TESTS) $(CMAKE_FLAGS)
	@echo "Building build/lsched ..."
	@scripts/quietly cmake --build build -j $(JOBS) --target lsched
	@echo
	build/lsched simulate openb $(OPENB) --policy best-fit --policy fgd --policy least-fragmentation
	@echo
	build/lsched simulate philly $(PHILLY) --policy guaranteed-quota --compare-static
	@echo
	build/lsched run $(DAY)
	@echo
	build/lsched explain $(DAY) llm
	@echo
	build/lsched pack $(MIG80)

check: ## build everything and run all tests
	@scripts/install-deps check
	@scripts/quietly cmake --preset release $(WITH_TESTS) $(CMAKE_FLAGS)
	@cmake --build build -j $(JOBS)
	@$(CTEST) --test-dir build $(CTEST_FLAGS)

check-asan: ## the tests but the long ones under AddressSanitizer and UBSan
	@scripts/install-deps check
	@scripts/quietly cmake --preset asan-ubsan $(CMAKE_FLAGS)
	@cmake --build build-asan-ubsan -j $(JOBS)
	@$(CTEST) --test-dir build-asan-ubsan -LE long $(CTEST_FLAGS)

bench: ## run the benchmarks, each row beside its baseline (JSON=1: as JSON)
	@scripts/install-deps demo >&2
	@scripts/quietly cmake --preset release $(WITHOUT_TESTS) $(CMAKE_FLAGS) >&2
	@scripts/quietly cmake --build build -j $(JOBS) >&2
	@scripts/bench $(if $(JSON),--json) build

fuzz: ## fuzz each harness for FUZZ_SECONDS (60) with clang's libFuzzer
	@scripts/install-deps fuzz
	@scripts/quietly cmake --preset fuzz $(CMAKE_FLAGS)
	@cmake --build build-fuzz -j $(JOBS)
	@scripts/fuzz build-fuzz

coverage: ## lines of the library that the tests run, per directory
	@scripts/install-deps check
	@scripts/quietly cmake --preset coverage $(CMAKE_FLAGS)
	@cmake --build build-coverage -j $(JOBS)
	@find build-coverage -name '*.gcda' -delete
	@$(CTEST) --test-dir build-coverage -LE long $(CTEST_FLAGS)
	@scripts/coverage build-coverage

format: ## lay out all C and C++ sources with clang-format
	@scripts/format

tidy: ## static analysis: cppcheck and clang-tidy
	@scripts/install-deps ci
	@scripts/tidy

abi: ## rewrite tests/abi/symbols.txt from the library as built
	@cmake --build build -j $(JOBS) --target libsched
	@python3 tests/checks/check_symbols.py --update build/libsched.so

install: build ## install under CMAKE_INSTALL_PREFIX (DESTDIR is honoured)
	@cmake --install build

clean: ## remove the build directories
	@rm -rf build build-dev build-asan-ubsan build-fuzz build-coverage build-clang build-ci-logs

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
