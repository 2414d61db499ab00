"""The same model and data on Paddle 2.6.2, in static mode on its parameter server; its launcher is
paddle.distributed.launch. Lines as those of ctr_fluid.py --ps.

    python -m paddle.distributed.launch --server_num 2 --trainer_num 2 ... ctr26.py
        --data DIR --out FILE [--parts N] [--reps N]"""
import argparse
import glob
import json
import math
import time

import paddle
import paddle.distributed.fleet as fleet
from paddle.distributed.fleet.base.role_maker import PaddleCloudRoleMaker
from paddle.nn import functional, initializer

TABLE_ROWS, WIDTH, DENSE, SLOTS, BATCH = 1000001, 10, 13, 26, 512


def build():
    static = paddle.static
    dense = static.data("dense_input", [None, DENSE], "float32")
    slots = [static.data("C%d" % i, [None, 1], "int64", lod_level=1) for i in range(1, SLOTS + 1)]
    label = static.data("label", [None, 1], "int64")
    table = paddle.ParamAttr(name="table", initializer=initializer.Uniform())
    rows = [paddle.reshape(static.nn.embedding(s, [TABLE_ROWS, WIDTH], is_sparse=True,
                                               param_attr=table), [-1, WIDTH]) for s in slots]
    hidden = paddle.concat(rows + [dense], axis=1)

    def weights(inputs):
        return paddle.ParamAttr(initializer=initializer.Normal(std=1 / math.sqrt(inputs)))
    for inputs in (SLOTS * WIDTH + DENSE, 400, 400):
        hidden = static.nn.fc(hidden, 400, activation="relu", weight_attr=weights(inputs))
    logits = static.nn.fc(hidden, 2, weight_attr=weights(400))
    loss = paddle.sum(functional.cross_entropy(logits, label, reduction="none"))
    auc, _, _ = static.auc(functional.softmax(logits), label, num_thresholds=2 ** 12,
                           slide_steps=20)
    return [dense] + slots + [label], loss, auc


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--parts", type=int, default=4)
    parser.add_argument("--reps", type=int, default=3)
    args = parser.parse_args()
    paddle.enable_static()
    fleet.init(PaddleCloudRoleMaker())
    slots, loss, auc = build()
    strategy = fleet.DistributedStrategy()
    strategy.a_sync = True
    fleet.distributed_optimizer(paddle.optimizer.SGD(1e-4), strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    exe = paddle.static.Executor(paddle.CPUPlace())
    exe.run(paddle.static.default_startup_program())
    fleet.init_worker()
    worker = fleet.worker_index()
    files = sorted(glob.glob(args.data + "/text/part-*"))[worker::fleet.worker_num()][:args.parts]
    with open(args.data + "/rows") as count:
        rows = int(count.read()) * len(files)
    dataset = paddle.distributed.InMemoryDataset()
    dataset.init(use_var=slots, pipe_command="cat", batch_size=BATCH, thread_num=1)
    dataset.set_filelist(files)
    dataset.load_into_memory()

    def say(**figures):
        with open(args.out, "a") as out:
            out.write(json.dumps(figures) + "\n")
    for rep in range(-1, args.reps):
        began = time.time()
        exe.train_from_dataset(paddle.static.default_main_program(), dataset, thread=1,
                               fetch_list=[auc], fetch_info=["auc"], print_period=10 ** 6)
        if rep >= 0:
            say(rep=rep, worker=worker, rows=rows, began=began, ended=time.time())
    say(done=worker)
    fleet.stop_worker()


main()
