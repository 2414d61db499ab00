#!/usr/bin/env bash
# The slower checks: the guides' cmake line, how well jobs without barriers learn, clusters of hosts
# in all their ways to end, what fails at each fault point, minutes of jobs whose processes are
# killed, all examples of docstrings and a type checker, thousands of simulated jobs that things
# happen to, a minute of fuzzing for each parser, wheels for every Python found.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/test_cmake.sh
REGATTA_FULL=1 .venv/bin/python -m pytest -q tests/e2e_ps/test_quality.py tests/clusters \
    tests/faults/test_points.py tests/faults/test_journal.py tests/faults/test_resume.py \
    tests/faults/test_elastic.py tests/faults/test_rejoin.py tests/rec/test_rec_cluster.py \
    tests/python/test_help.py tests/python/test_docs.py tests/docs
PATH="$PWD/.venv/bin:$PATH" python tests/faults/soak.py --minutes "${SOAK_MINUTES:-3}"
build/tests/sim --seeds "0:${SIM_SEEDS:-10000}"
tools/fuzz.sh "${FUZZ_SECONDS:-60}"
tools/test_wheel.sh
