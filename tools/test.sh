#!/usr/bin/env bash
# What CI runs: the C tests, plain and sanitized, then the Python tests: those that compute in one
# process beside those that start jobs, which wait more than they work. Arguments are passed to
# one pytest in place of both.
set -euo pipefail
cd "$(dirname "$0")/.."
(cd build && ctest --output-on-failure --timeout 300 -j2 | tail -n 40)
tools/test_sanitized.sh
if [ $# -gt 0 ]; then
    exec .venv/bin/python -m pytest -q "$@"
fi

in_one_process=(tests/ops tests/layers tests/python tests/transpiler tests/v1 tests/v2)
present=() ignored=()
for folder in "${in_one_process[@]}"; do
    if [ -d "$folder" ]; then
        present+=("$folder")
        ignored+=("--ignore=$folder")
    fi
done
log=$(mktemp)
trap 'rm -f "$log"' EXIT
.venv/bin/python -m pytest -q "${present[@]}" > "$log" 2>&1 &
computing=$!
failed=0
.venv/bin/python -m pytest -q tests "${ignored[@]}" || failed=$?
wait "$computing" || failed=$?
cat "$log"
exit "$failed"
