"""A small CTR model trained from files, for epochs of shuffled data with dropout and momentum: what a trainer
that is started again has to skip to the batch. Saves after each epoch, and at the end to --save."""
import argparse
import os

import numpy as np
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (StrategyFactory,
                                                                                fleet)

ROWS, BATCH = 500, 8


def model():
    ids = fluid.layers.data("ids", [1], dtype="int64", lod_level=1)
    label = fluid.layers.data("label", [1], dtype="float32")
    rows = fluid.layers.embedding(ids, [ROWS, 6], is_sparse=True, param_attr=fluid.ParamAttr(
        name="table", initializer=fluid.initializer.Uniform(-0.1, 0.1, seed=3)))
    hidden = fluid.layers.fc(fluid.layers.sequence_pool(rows, "sum"), 16, act="relu")
    hidden = fluid.layers.dropout(hidden, 0.3, seed=5)
    out = fluid.layers.fc(hidden, 1)
    return [ids, label], fluid.layers.mean(fluid.layers.square_error_cost(out, label))


def write_data(folder, worker, files):
    rng = np.random.RandomState(100 + worker)
    paths = []
    for k in range(files):
        path = os.path.join(folder, "data-%d-%d" % (worker, k))
        with open(path, "w") as out:
            for _ in range(5 * BATCH):
                ids = rng.randint(0, ROWS, rng.randint(1, 5))
                out.write("%d %s 1 %d\n" % (len(ids), " ".join(map(str, ids)), ids[0] % 2))
        paths.append(path)
    return paths


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--save")
    parser.add_argument("--mode", default="sync")
    parser.add_argument("--dataset", default="InMemoryDataset")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    for program in (fluid.default_main_program(), fluid.default_startup_program()):
        program.random_seed = 11
    used, loss = model()
    fleet.init(role_maker.PaddleCloudRoleMaker())
    strategy = (StrategyFactory.create_geo_strategy(5) if args.mode == "geo" else
                getattr(StrategyFactory, "create_%s_strategy" % args.mode)())
    fleet.distributed_optimizer(fluid.optimizer.Momentum(0.01, 0.9), strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    dataset = fluid.DatasetFactory().create_dataset(args.dataset)
    dataset.set_use_var(used)
    dataset.set_batch_size(BATCH)
    dataset.set_thread(args.threads)
    dataset.set_pipe_command("cat")
    dataset.set_filelist(write_data(os.getcwd(), fleet.worker_index(), 3))
    for epoch in range(args.epochs):
        if args.dataset == "InMemoryDataset":
            dataset.load_into_memory()
            dataset.local_shuffle()
        exe.train_from_dataset(fleet.main_program, dataset, thread=args.threads)
        fleet.barrier_worker()
        if fleet.is_first_worker():
            fleet.save_persistables(exe, "%s-%d" % (args.save, epoch))
        fleet.barrier_worker()
    if fleet.is_first_worker():
        fleet.save_persistables(exe, args.save)
    fleet.stop_worker()


if __name__ == "__main__":
    main()
