"""CTR on parameter servers, with Fleet and a dataset of files:

    python -m paddle.distributed.launch_ps --worker_num 2 --server_num 2 dist_train.py \\
        --train 'raw_data/part-*' [--test 'raw_data/test-*'] [--mode async]

Files hold raw Criteo logs, as `paddle gen-criteo` makes them up. Each worker reads its share of the
files; loss and AUC are those of all workers; worker 0 writes an inference model at the end."""
import argparse
import glob
import json
import os
import sys

import numpy as np
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (StrategyFactory,
                                                                                fleet)

DENSE, SLOTS = 13, 26


def parse_args():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--train", required=True, metavar="GLOB", help="files to train on")
    parser.add_argument("--test", metavar="GLOB", help="files to measure the AUC on")
    parser.add_argument("--mode", default="async", choices=["sync", "async", "half_async", "geo"])
    parser.add_argument("--push", type=int, default=100, help="geo: steps between two pushes")
    parser.add_argument("--buckets", type=int, default=1000001, help="rows of the table")
    parser.add_argument("--embedding_size", type=int, default=10)
    parser.add_argument("--batch_size", type=int, default=512)
    parser.add_argument("--optimizer", default="Adam", help="a class of fluid.optimizer")
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--threads", type=int, default=1, help="of each worker")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--points", type=int, default=1,
                        help="portions of an epoch, with the AUC of each")
    parser.add_argument("--curve", metavar="FILE.json",
                        help="[[examples so far, AUC of the portion], ...]")
    parser.add_argument("--init", metavar="FOLDER", help="servers start from this model")
    parser.add_argument("--checkpoint", metavar="FOLDER", help="persistables, after each epoch")
    parser.add_argument("--model", metavar="FOLDER", default="output/ctr.model")
    return parser.parse_args()


def build(args):
    """(inputs, label, loss, AUC)"""
    from ctr_dnn_model_dataset import ctr_dnn_model_dataset
    dense = fluid.layers.data(name="dense_input", shape=[DENSE], dtype="float32")
    slots = [fluid.layers.data(name="C%d" % i, shape=[1], lod_level=1, dtype="int64")
             for i in range(1, SLOTS + 1)]
    label = fluid.layers.data(name="label", shape=[1], dtype="int64")
    loss, auc, _ = ctr_dnn_model_dataset(dense, slots, label, args.embedding_size, args.buckets)
    return [dense] + slots, label, loss, auc


def dataset_of(args, variables, files):
    dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
    dataset.set_use_var(variables)
    dataset.set_pipe_command("paddle criteo --hash %d" % args.buckets)
    dataset.set_batch_size(args.batch_size)
    dataset.set_thread(args.threads)
    dataset.set_filelist(files)
    return dataset


def counters(program, sliding):
    """The names of the positives' and negatives' counters of the program's auc ops."""
    return [op.input(slot)[0] for op in program.global_block().ops
            if op.type == "auc" and (sliding or op.attr("slide_steps") == 0)
            for slot in ("StatPos", "StatNeg")]


def clear_auc(program):
    """An AUC is of the examples since this: of one epoch, or of the test files."""
    for name in counters(program, sliding=True):
        tensor = fluid.global_scope().find_var(name).get_tensor()
        tensor.set(np.zeros(tensor.shape(), "int64"), fluid.CPUPlace())


def global_auc(program):
    """Of the examples of all workers."""
    return fleet.metrics.auc(*counters(program, sliding=False))


def examples_seen(program):
    """Examples of all workers since the counters were cleared."""
    names = counters(program, sliding=False)
    mine = sum(int(np.array(fluid.global_scope().find_var(n).get_tensor()).sum()) for n in names)
    return int(fleet.metrics.sum(np.array([mine], "int64"))[0])


def say(text):
    if fleet.is_first_worker():
        print(text)
        sys.stdout.flush()


def portions(files, n):
    """The files in n lists, as even as they go; some may be empty, so that every worker has n."""
    return [files[len(files) * i // n:len(files) * (i + 1) // n] for i in range(n)]


def train_epoch(args, exe, variables, files, curve):
    """The epoch's points are added to the curve. Workers meet after each portion."""
    program, seen = fleet.main_program, curve[-1][0] if curve else 0
    for portion in portions(files, args.points):
        clear_auc(program)
        if portion:
            exe.train_from_dataset(program, dataset_of(args, variables, portion),
                                   thread=args.threads)
        seen += examples_seen(program)
        curve.append((seen, global_auc(program)))


def test_auc(args, exe, variables, files):
    clear_auc(fleet.main_program)
    exe.infer_from_dataset(fleet.main_program, dataset_of(args, variables, files),
                           thread=args.threads)
    return global_auc(fleet.main_program)


def work(args, inputs, label, loss, auc):
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    train = fleet.split_files(sorted(glob.glob(args.train)))
    test = fleet.split_files(sorted(glob.glob(args.test))) if args.test else []
    variables, curve = inputs + [label], []
    for epoch in range(args.epochs):
        train_epoch(args, exe, variables, train, curve)
        say("epoch %d  train auc %.4f" % (epoch, curve[-1][1]))
        if args.test:
            say("epoch %d  test auc %.4f" % (epoch, test_auc(args, exe, variables, test)))
        if args.checkpoint and fleet.is_first_worker():
            fleet.save_persistables(exe, args.checkpoint)
    fleet.barrier_worker()  # the model is of all workers: none saves before the last has trained
    if fleet.is_first_worker():
        fleet.save_inference_model(exe, args.model, [v.name for v in variables], [loss, auc])
        say("inference model: %s" % args.model)
        if args.curve:
            os.makedirs(os.path.dirname(args.curve) or ".", exist_ok=True)
            with open(args.curve, "w") as out:
                json.dump(curve, out)
    fleet.barrier_worker()  # servers stay while worker 0 reads their tables
    fleet.stop_worker()


def main():
    args = parse_args()
    inputs, label, loss, auc = build(args)
    fleet.init(role_maker.PaddleCloudRoleMaker())
    strategy = (StrategyFactory.create_geo_strategy(args.push) if args.mode == "geo" else
                getattr(StrategyFactory, "create_%s_strategy" % args.mode)())
    optimizer = getattr(fluid.optimizer, args.optimizer)(args.lr)
    fleet.distributed_optimizer(optimizer, strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server(args.init)
        fleet.run_server()
    else:
        work(args, inputs, label, loss, auc)


if __name__ == "__main__":
    main()
