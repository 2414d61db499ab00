#!/usr/bin/env bash
# Run every fuzz target for a while on its kept corpus. Usage: fuzz.sh [SECONDS each]
# promise 22, 23, 28, 29
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
if ! command -v clang >/dev/null || ! ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer* >/dev/null 2>&1; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq clang libclang-rt-14-dev >/dev/null
fi
tools/build.sh build-fuzz -DCMAKE_C_COMPILER=clang -DFUZZ=ON -DSANITIZE=address -DWITH_PYTHON=OFF \
    -DWITH_SWIG_PY=OFF -DWITH_TESTING=OFF
for target in build-fuzz/fuzz_*; do
    [ -x "$target" ] && [ -f "$target" ] || continue
    name=${target##*/}
    work=$(mktemp -d)
    mkdir -p "fuzz/corpus/$name"
    echo "fuzz: $name for $seconds s"
    FLAGS_log_level=E "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -max_len=8192 \
        -print_final_stats=1 -artifact_prefix="fuzz/" "$work" "fuzz/corpus/$name" 2>&1 |
        grep -E 'ERROR|SUMMARY|stat::number_of_executed_units|Test unit written|cov:' | tail -n 4
    rm -rf "$work"
done
