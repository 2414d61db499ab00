#!/usr/bin/env bash
# The Python tests in lots side by side: one that computes in one process, and several that start
# jobs, which wait more than they work. Each lot's output is shown whole, one after the other.
# Arguments: the command that starts pytest.
set -euo pipefail
cd "$(dirname "$0")/.."

# Lots of about the same time. What is in none of them, a new folder too, is the last one's. Jobs
# that are killed wait for leases most of the time: two lots of them cost little more than one.
waiting="tests/faults/test_points.py tests/faults/test_ps_faults.py"
lots=("tests/ops tests/layers tests/python tests/transpiler tests/v1 tests/v2"
      "tests/e2e_ps tests/e2e_coll"
      "$waiting"
      "tests/faults ${waiting//tests/--ignore=tests}"
      "tests/clusters tests/kubernetes tests/gpu tests/e2e_ctr")
rest=(tests)
# shellcheck disable=SC2048 # each word is a folder, or an option
for folder in ${lots[*]}; do
    case $folder in --*) ;; *) rest+=("--ignore=$folder") ;; esac
done
lots+=("${rest[*]}")

logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
running=()
for i in "${!lots[@]}"; do
    # shellcheck disable=SC2086 # each word is an argument
    "$@" ${lots[i]} > "$logs/$i" 2>&1 &
    running+=($!)
done
failed=0
for i in "${!lots[@]}"; do
    wait "${running[i]}" || failed=$?
    cat "$logs/$i"
done
exit "$failed"
