#!/usr/bin/env bash
# Build the wheel with the oldest Python found and install it in every one: one abi3 wheel
# for 3.8 to 3.13, under 10 MB (13 with the GPU module), that trains and has the command. And by PaddleRec.tar.gz, as the
# documents' own before_hook.sh does it.
set -euo pipefail
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
pythons=()
for v in 3.8 3.9 3.10 3.11 3.12 3.13; do
    for p in "$(command -v "python$v" || true)" "$(pyenv root 2>/dev/null)"/versions/"$v".*/bin/python; do
        [ -x "$p" ] && "$p" -c 'import venv, ctypes' 2>/dev/null && { pythons+=("$p"); break; }
    done
done
[ ${#pythons[@]} -gt 0 ] || { echo "wheel: no Python found" >&2; exit 1; }
"${pythons[0]}" -m venv "$tmp/build"
"$tmp/build/bin/pip" install -q --disable-pip-version-check build 2>&1 | grep -v notice || true
"$tmp/build/bin/python" -m build --wheel --outdir "$tmp/dist" . > "$tmp/log" 2>&1 || { tail -30 "$tmp/log"; exit 1; }
wheel=$(ls "$tmp"/dist/*.whl)
size=$(stat -c %s "$wheel")
echo "wheel: ${wheel##*/}, $((size / 1024)) KiB"
case $wheel in *cp38-abi3-*) ;; *) echo "wheel: not an abi3 wheel for 3.8" >&2; exit 1 ;; esac
limit=10
"${pythons[0]}" -m zipfile -l "$wheel" > "$tmp/list"
grep -q libregatta_cuda "$tmp/list" && limit=13
[ "$size" -lt "${limit}000000" ] || { echo "wheel: over $limit MB" >&2; exit 1; }
for p in "${pythons[@]}"; do
    rm -rf "$tmp/env"
    "$p" -m venv "$tmp/env"
    "$tmp/env/bin/pip" install -q --disable-pip-version-check "$wheel" 2>&1 | grep -v notice || true
    (cd "$tmp" && PADDLE_DATASET=synthetic env/bin/python "$OLDPWD/demo/fit_a_line/train.py" --passes 20 \
        --model "$tmp/model" > "$tmp/log" 2>&1) || { tail -30 "$tmp/log"; exit 1; }
    "$tmp/env/bin/paddle" version > /dev/null
    # What scripts import along: six, and names of real Paddle that are not implemented.
    (cd "$tmp" && env/bin/python -c "import six
from paddle.fluid.dygraph import Layer, to_variable
from paddle.fluid.layers.detection import yolo_box") || exit 1
    # The launchers over SSH and MPI, in a copy of their folders as people make one.
    scripts=$(cd "$tmp" && env/bin/python -c "import os, paddle.scripts as s; print(os.path.dirname(s.__file__))")
    for launcher in cluster_train cluster_train_v2/fabric; do
        rm -rf "$tmp/launcher"
        cp -r "$scripts/$launcher" "$tmp/launcher"
        (cd "$tmp/launcher" && ../env/bin/python paddle.py --help | grep -q job_dispatch_package && [ -f run.sh ]) || exit 1
    done
    [ -x "$scripts/cluster_train_v2/openmpi/start_mpi_train.sh" ] && [ -f "$scripts/node.sh" ] || exit 1
    echo "wheel: works on $("$p" --version)"
done

# tar, then python setup.py install, in a Python that has nothing; a second time over the first.
(cd "$tmp" && env/bin/python -m paddlerec.tools.pack "$wheel" > /dev/null) || exit 1
rm -rf "$tmp/node" "$tmp/env"
"${pythons[-1]}" -m venv "$tmp/node"
for _ in first again; do
    (cd "$tmp" && PATH="$tmp/node/bin:$PATH" && rm -rf PaddleRec && tar -xf PaddleRec.tar.gz && cd PaddleRec &&
        python setup.py install > "$tmp/log" 2>&1) || { tail -30 "$tmp/log"; exit 1; }
done
mkdir "$tmp/job"
(cd "$tmp/job" && PATH="$tmp/node/bin:$PATH" && env runner__single_cpu_train__epochs=1 \
    python -m paddlerec.run -m paddlerec.models.rank.dnn > "$tmp/log" 2>&1 &&
    grep -q "epoch 0 done" "$tmp/log" && grep -q "Infer phase1 of epoch 0 done" "$tmp/log") ||
    { tail -30 "$tmp/log"; exit 1; }
echo "wheel: PaddleRec.tar.gz installs and trains"
