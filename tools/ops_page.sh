#!/usr/bin/env bash
# Make docs/ops.md from the ops that the built command knows; with --check, fail where the page
# is out of step.
set -euo pipefail
cd "$(dirname "$0")/.."
fresh=$(mktemp)
trap 'rm -f "$fresh"' EXIT
build/paddle ops --markdown > "$fresh"
if [ "${1:-}" = --check ]; then
    diff -q "$fresh" docs/ops.md >/dev/null ||
        { echo "docs/ops.md is out of step with the ops: run tools/ops_page.sh" >&2; exit 1; }
else
    cp "$fresh" docs/ops.md
fi
