#!/bin/sh
# A cluster job of demo/recommendation: set the folder of your workspace, the hosts in conf.py,
# then: sh run.sh. Where the workspace is on every node already, put
# --job_workspace=FOLDER_ON_THE_NODES in the place of --job_dispatch_package.
cd "$(dirname "$0")" || exit 1
workspace=${PATH_TO_LOCAL_WORKSPACE:-../../../../demo/recommendation}
if [ ! -d "$workspace" ]; then
    echo "run.sh: there is no folder $workspace: set PATH_TO_LOCAL_WORKSPACE to your workspace" >&2
    exit 2
fi

exec "${PYTHON:-python}" paddle.py \
    --job_dispatch_package="$workspace" \
    --dot_period=10 \
    --ports_num_for_sparse=2 \
    --log_period=50 \
    --num_passes=10 \
    --trainer_count=4 \
    --saving_period=1 \
    --local=0 \
    --config=./trainer_config.py \
    --save_dir=./output \
    --use_gpu=0 \
    "$@"
