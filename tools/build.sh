#!/usr/bin/env bash
# Configure and build into a folder. Usage: build.sh [--target TARGET] FOLDER [cmake options]
set -euo pipefail
cd "$(dirname "$0")/.."
target=all
if [ "$1" = --target ]; then
    target=$2
    shift 2
fi
folder=$1
shift
if [ ! -f "$folder/build.ninja" ] || [ $# -gt 0 ]; then
    cmake -S . -B "$folder" -G Ninja -DWITH_TESTING=ON \
        -DPython3_EXECUTABLE="$PWD/.venv/bin/python" "$@" > "$folder.log" 2>&1 ||
        { cat "$folder.log"; rm -f "$folder.log"; exit 1; }
    rm -f "$folder.log"
fi
cmake --build "$folder" --target "$target" -- --quiet
# Python's bytecode, so that importing is quick also where Python may not write it.
.venv/bin/python -m compileall -q python/paddle python/paddlerec
