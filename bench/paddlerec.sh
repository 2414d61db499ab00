#!/usr/bin/env bash
# paddlerec.sh - rank/dnn by `python -m paddlerec.run` here and with paddle-rec 1.8.5.1 on Paddle
# 1.8.5: the same model.py, config.yaml and 200,000 made-up rows, batch 512, one thread. Examples
# per CPU-second of the whole run, start and all; and the seconds from start to the first batch.
# Then every model of the package (rec/models.py has how).
# REC185: a Python that has paddle-rec, where it should not be installed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
ours=$here/../.venv/bin/python
. "$here/peers.sh"
REC185=${REC185:-$(peer rec185 3.7 paddlepaddle==1.8.5 paddle-rec==1.8.5.1 'protobuf<3.21')}
export OMP_NUM_THREADS=1 CPU_NUM=1 GLOG_v=0
rounds=${ROUNDS:-3} rows=${ROWS:-200000}
dnn=$here/../python/paddlerec/models/rank/dnn
data=$PEERS/paddlerec-data/$rows
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -e "$data/part-0" ]; then
    mkdir -p "$data"
    "$ours" "$dnn/data/generate.py" "$rows" 5 > "$data/.part-0"
    mv "$data/.part-0" "$data/part-0"
fi
cp "$dnn/model.py" "$work"
ln -s "$data" "$work/data"
config() { # DATA PRINT-INTERVAL
    cat << EOF
workspace: "$work"
mode: [single_cpu_train]
dataset:
- name: dataloader_train
  batch_size: 512
  type: DataLoader
  data_path: "{workspace}/$1"
  sparse_slots: "click 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26"
  dense_slots: "dense_var:13"
hyper_parameters:
  optimizer:
    class: Adam
    learning_rate: 0.001
  sparse_feature_number: 1000001
  sparse_feature_dim: 9
  fc_sizes: [512, 256, 128, 32]
runner:
- name: single_cpu_train
  class: train
  device: cpu
  epochs: 1
  print_interval: $2
  phases: [phase1]
phase:
- name: phase1
  model: "{workspace}/model.py"
  dataset_name: dataloader_train
  thread_num: 1
EOF
}
config data 100 > "$work/config.yaml"
config first 1 > "$work/first.yaml"
mkdir "$work/first"
head -2000 "$data/part-0" > "$work/first/part-0"

cpu_seconds() { # PYTHON: of the run; its output to $work/said
    local TIMEFORMAT='%U %S'
    { time PATH="$(dirname "$1"):$PATH" "$1" -m paddlerec.run -m "$work/config.yaml" \
        > "$work/said" 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

auc() { sed -n 's/.*global metrics:.* AUC=\([0-9.]*\) .*/\1/p' "$work/said" | tail -1; }

: > "$work/a"; : > "$work/b"
cd "$work"
for _ in $(seq "$rounds"); do
    [ -z "$REC185" ] || { cpu_seconds "$REC185" >> b; their_auc=$(auc); }
    cpu_seconds "$ours" >> a
    our_auc=$(auc)
done
awk -v rows="$rows" -v a="$(sort -g a | head -1)" -v b="$(sort -g b | head -1)" \
    -v x="$our_auc" -v y="${their_auc:-}" 'BEGIN {
        if (!b) { printf "paddlerec rank/dnn: no paddle-rec to compare with; ours %.0f\n", rows / a; exit }
        printf "paddlerec rank/dnn: ours %.0f, paddle-rec 1.8.5.1 %.0f examples/CPU-s: %.1fx (bar 5x); " \
               "AUC %s and %s\n", rows / a, rows / b, b / a, x, y }'

# Batch 1 is the first that is shown: two batches, and all that is before them.
for _ in $(seq "$rounds"); do
    begin=$(date +%s.%N)
    "$ours" -u -m paddlerec.run -m first.yaml 2>&1 |
        { grep -m1 'batch: 1,' > /dev/null; echo "$(date +%s.%N) $begin"; cat > /dev/null; }
done | awk '{ s = $1 - $2; if (!best || s < best) best = s }
    END { printf "paddlerec: start to the second batch in %.2f s (bar 1)\n", best }'

"$ours" "$here/rec/models.py" "$REC185"
