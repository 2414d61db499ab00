# What people need. Everything else is CMake's (build/) and pip's (.venv/).
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON := .venv/bin/python

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

.PHONY: help setup build demo demo-chaos soak demo-ctr demo-fit-a-line test test-full test-asan test-tsan bench bench-gpu lint format clean

setup: ## Debian packages, a Python environment in .venv; once
	@tools/setup.sh

build: setup ## compile the library, the extension and the command
	@tools/build.sh build

demo: build ## a click model on 2 parameter servers and 2 workers, from made-up logs; its AUC curve
	@tools/setup.sh demo
	PATH="$$PWD/.venv/bin:$$PATH" python demo/ctr/dist_demo.py

demo-chaos: build ## a job of which a random process is killed every 5 s, and the same in peace: one model
	@tools/setup.sh demo
	PATH="$$PWD/.venv/bin:$$PATH" python demo/ctr/chaos.py

soak: build ## MINUTES=20: jobs of which a random process is killed every 10 s; same model, exact ledger, flat memory
	@tools/setup.sh demo
	PATH="$$PWD/.venv/bin:$$PATH" python tests/faults/soak.py --minutes $(or $(MINUTES),20)

demo-ctr: build ## the same on one machine, without servers
	@tools/setup.sh demo
	PATH="$$PWD/.venv/bin:$$PATH" python demo/ctr/demo.py

demo-fit-a-line: build ## train fit_a_line and draw its loss curve
	@tools/setup.sh demo
	@demo/fit_a_line/run.sh --plot output/fit_a_line.png

test: build lint-quick ## all tests that CI runs
	@tools/setup.sh test
	@tools/test.sh

test-full: test test-asan ## slower checks: sanitizers, fuzzing, wheels
	@tools/test_full.sh

test-asan: build ## all tests under AddressSanitizer and UBSan
	@tools/test_asan.sh

test-tsan: setup ## threads under ThreadSanitizer
	@tools/build.sh build-tsan -DSANITIZE=thread -DWITH_PYTHON=OFF -DWITH_SWIG_PY=OFF
	@cd build-tsan && TSAN_OPTIONS=suppressions=$(CURDIR)/tools/tsan.supp ctest --output-on-failure

bench: build ## ratios against the peers, measured in this run
	@bench/run.sh

bench-gpu: build ## CTR-DNN on a GPU: steps next to PyTorch's and the bars, curves next to the CPU's
	@bench/gpu/run.sh

lint: setup lint-quick ## format, clang-tidy, layers, banned functions
	@tools/lint.sh

lint-quick:
	@sh tools/check_layers.sh .
	@sh tools/check_banned.sh .
	@python3 tools/promises.py --check

format: ## clang-format everything
	@python3 tools/format.py

clean: ## remove what was built; .venv stays
	rm -rf build build-asan build-tsan build-fuzz output python/paddle/_core.abi3.so python/paddle/libregatta_cuda.so
