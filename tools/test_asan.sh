#!/usr/bin/env bash
# All tests, C and Python, on a library built with AddressSanitizer and UBSan. Arguments are
# passed to one pytest in place of all its lots.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
tools/build.sh build-asan -DSANITIZE=address -DFAULTS=ON
(cd build-asan && ctest --output-on-failure --timeout 300 -j6 | tail -n 40)

# The Python package with the sanitized extension in the place of the other one.
overlay=build-asan/overlay/paddle
rm -rf build-asan/overlay
mkdir -p "$overlay"
for entry in python/paddle/*; do
    [ "${entry##*/}" = _core.abi3.so ] || ln -s "$PWD/$entry" "$overlay/"
done
cp build-asan/_core.abi3.so "$overlay/"
# -P: or the link `paddle` in this folder would stand before the overlay.
# Python itself never frees some of what it allocates, so leaks are looked for in C only; and what
# is written in C++ (troff, for one, which a test starts) mixes new and free.
pytest=(env "LD_PRELOAD=$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libubsan.so)"
        "PYTHONPATH=$PWD/build-asan/overlay" PYTHONMALLOC=malloc "REGATTA_BUILD=$PWD/build-asan"
        ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0 UBSAN_OPTIONS=print_stacktrace=1
        .venv/bin/python -P -m pytest -q -p no:cacheprovider)
if [ $# -gt 0 ]; then
    exec "${pytest[@]}" "$@"
fi
tools/test_lots.sh "${pytest[@]}"
