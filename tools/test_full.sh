#!/usr/bin/env bash
# The slower checks: the guides' cmake line, a minute of fuzzing for each parser, wheels for every
# Python found.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/test_cmake.sh
tools/fuzz.sh "${FUZZ_SECONDS:-60}"
tools/test_wheel.sh
