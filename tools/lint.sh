#!/usr/bin/env bash
# Formatting, clang's warnings, clang-tidy, headers that compile alone.
set -euo pipefail
cd "$(dirname "$0")/.."
missing=()
for p in clang clang-format clang-tidy; do command -v "$p" >/dev/null || missing+=("$p"); done
if [ ${#missing[@]} -gt 0 ]; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null
fi
echo "lint: clang-format"
python3 tools/format.py --check
echo "lint: docs/ops.md"
tools/build.sh build
tools/ops_page.sh --check
python3 tools/commands_page.py --check
python3 tools/metrics_page.py --check
echo "lint: clang's warnings"
CC=clang tools/build.sh build-clang -DCMAKE_C_COMPILER=clang -DWITH_PYTHON=OFF -DWITH_SWIG_PY=OFF
echo "lint: headers compile alone"
for h in $(git ls-files 'src/*.h' | grep -vE '_(rows|loops|terms)\.h$'); do
    clang -std=c17 -D_GNU_SOURCE -fsyntax-only -Wall -Wextra -Wno-unused-function -Isrc -Iinclude -Ibuild-clang/generated \
        -I/usr/include/x86_64-linux-gnu/openblas-pthread -x c "$h" || exit 1
done
echo "lint: clang-tidy"
found=$(git ls-files 'src/*.c' | xargs -P2 -n8 clang-tidy --quiet -p build-clang 2>/dev/null |
    grep -E 'warning:|error:' || true)
if [ -n "$found" ]; then
    echo "$found"
    exit 1
fi
echo "lint: clean"
