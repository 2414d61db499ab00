#!/usr/bin/env bash
# CTR-DNN on this machine's GPU: microseconds a step next to PyTorch's (where it is installed:
# PEER_PYTHON, or python3) and the bars; then whether it trains as on the CPU.
set -uo pipefail
cd "$(dirname "$0")"
python=${PYTHON:-../../.venv/bin/python}
peer=${PEER_PYTHON:-python3}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
if ! "$python" -c 'import paddle.fluid as fluid; fluid.CUDAPlace(0)' 2> "$out/why"; then
    tail -n 1 "$out/why"
    exit 1
fi
status=0
"$python" ctr_dnn.py "$@" > "$out/ours" || status=1
if "$peer" -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2> /dev/null; then
    "$peer" peer_torch.py > "$out/torch" 2> "$out/torch.log" || tail -n 3 "$out/torch.log"
else
    echo "no PyTorch with CUDA for $peer: its column is empty (PEER_PYTHON=...)"
    : > "$out/torch"
fi
"$python" table.py "$out/ours" "$out/torch" || status=1
"$python" curves.py || status=1
exit $status
