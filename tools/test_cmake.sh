#!/usr/bin/env bash
# Build by the cmake line of the Fluid guides, in a fresh folder, and run the command that it made.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d -p . build-guide.XXXXXX)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cmake .. -DWITH_DOC=OFF -DWITH_GPU=OFF -DWITH_DISTRIBUTE=ON -DWITH_SWIG_PY=ON -DWITH_PYTHON=ON > log ||
    { cat log; exit 1; }
make -j2 > log 2>&1 || { tail -30 log; exit 1; }
./paddle version > /dev/null
[ -f _core.abi3.so ]
echo "cmake: the guides' line configures and builds"
