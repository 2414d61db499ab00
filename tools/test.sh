#!/usr/bin/env bash
# What CI runs: the C tests, plain and sanitized, then the Python tests. Arguments are passed to
# pytest.
set -euo pipefail
cd "$(dirname "$0")/.."
(cd build && ctest --output-on-failure --timeout 300 -j2 | tail -n 40)
tools/test_sanitized.sh
.venv/bin/python -m pytest -q "${@:-tests}"
