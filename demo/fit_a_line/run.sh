#!/usr/bin/env bash
# Train on the real housing data if they are in the cache or can be fetched; else say so, and
# train on generated ones. Arguments are passed to train.py.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-$here/../../.venv/bin/python}
if [ -z "${PADDLE_DATASET:-}" ] &&
    ! timeout 20 "$python" -c 'import paddle.dataset.uci_housing as u; u.fetch()' 2>/dev/null; then
    echo "demo: the housing data are neither in ~/.cache/paddle/dataset nor to be had from the network."
    echo "demo: going on with PADDLE_DATASET=synthetic, which is GENERATED data (docs/datasets.md)."
    export PADDLE_DATASET=synthetic
fi
exec "$python" "$here/train.py" "$@"
