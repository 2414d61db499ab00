#!/usr/bin/env bash
# Train on this machine; the log is log.txt, the models are output/pass-00000 and so on. Arguments
# are more flags of paddle train, and go before those here: ./run.sh --num_passes=10
set -euo pipefail
cd "$(dirname "$0")"
status=0
paddle train \
    --config=trainer_config.py \
    --save_dir=./output \
    --use_gpu=false \
    --trainer_count=4 \
    --test_all_data_in_one_period=true \
    --log_period=100 \
    --dot_period=1 \
    --num_passes=50 \
    "$@" 2>&1 | tee log.txt || status=$?
exit $status
