#!/usr/bin/env bash
# Which pass of the last ./run.sh was the best?
set -euo pipefail
cd "$(dirname "$0")"
"${PYTHON:-python}" evaluate.py "${1:-log.txt}"
