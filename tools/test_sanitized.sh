#!/usr/bin/env bash
# The C tests under AddressSanitizer and UBSan, and those of the threads that talk (rpc, dist)
# under ThreadSanitizer. --build: they are only built.
# promise 34
set -euo pipefail
cd "$(dirname "$0")/.."

# The same settings as in test_asan.sh and `make test-tsan`, so that the folders are shared.
tools/build.sh --target c_tests build-asan -DSANITIZE=address -DFAULTS=ON
tools/build.sh --target c_tests build-tsan -DSANITIZE=thread -DWITH_PYTHON=OFF -DWITH_SWIG_PY=OFF
if [ "${1:-}" = --build ]; then
    exit 0
fi
(cd build-asan && ctest --output-on-failure --timeout 300 -j6 | tail -n 40)
talking=$(cd tests && ls rpc/test_*.c dist/test_*.c | sed 's,.*/\(.*\)\.c,\1,' | paste -sd'|')
(cd build-tsan && TSAN_OPTIONS="suppressions=$PWD/../tools/tsan.supp" \
    ctest --output-on-failure --timeout 300 -j6 -R "^($talking)\$" | tail -n 40)
