#!/usr/bin/env bash
# What CI runs: the C tests, the Python tests, and the C tests under sanitizers, which are built
# beside the Python tests: those wait much of the time. Arguments are passed to one pytest in place
# of all its lots.
set -euo pipefail
cd "$(dirname "$0")/.."
(cd build && ctest --output-on-failure --timeout 300 -j6 | tail -n 40)
if [ $# -gt 0 ]; then
    tools/test_sanitized.sh
    exec .venv/bin/python -m pytest -q "$@"
fi

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
export REGATTA_PROMISES="$logs/promises"
mkdir "$REGATTA_PROMISES"
nice tools/test_sanitized.sh --build > "$logs/sanitized" 2>&1 &
sanitized=$!
failed=0
tools/test_lots.sh .venv/bin/python -m pytest -q || failed=$?
wait "$sanitized" || cat "$logs/sanitized"
tools/test_sanitized.sh || failed=$?
tools/promises.py --results "$REGATTA_PROMISES"
exit "$failed"
