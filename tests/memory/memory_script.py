"""A model with one large table, on parameter servers: each step looks up ids of its own choice.

    memory_script.py [--mode sync] [--ids new|zipf] [--each N] [--steps N] [--save DIR]"""
import argparse
import sys

import numpy as np
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.distributed import CountFilterEntry, ProbabilityEntry
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (StrategyFactory,
                                                                                fleet)

ROWS, WIDTH = 2000000, 16


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="sync")
    parser.add_argument("--ids", default="new", choices=["new", "zipf"])
    parser.add_argument("--each", type=int, default=2000, help="ids of a step of a worker")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--optimizer", default="Adagrad")
    parser.add_argument("--save")
    parser.add_argument("--shrink", action="store_true", help="at half of the steps, and at the end")
    parser.add_argument("--count", type=int, help="pushes before an id gets a row")
    parser.add_argument("--probability", type=float, help="that it gets one with a push")
    parser.add_argument("--config", action="append", default=[],
                        help="NAME=VALUE of the server's runtime config")
    return parser.parse_args()


def ids_of(args, step, worker, workers):
    rng = np.random.RandomState(100 * step + worker)
    if args.ids == "new":
        first = (step * workers + worker) * args.each
        found = np.arange(first, first + args.each) * 7919 % args.rows
    else:
        found = (rng.zipf(1.2, args.each) * 7919) % args.rows
    return found.astype("int64").reshape(-1, 1), rng.rand(args.each, 1).astype("float32")


def main():
    args = parse()
    for program in (fluid.default_main_program(), fluid.default_startup_program()):
        program.random_seed = 5
    ids = fluid.layers.data("ids", [1], dtype="int64")
    label = fluid.layers.data("label", [1])
    attr = fluid.ParamAttr(name="table", initializer=fluid.initializer.Uniform(-0.1, 0.1))
    if args.count or args.probability:
        rows = fluid.contrib.layers.sparse_embedding(
            ids, [args.rows, WIDTH], param_attr=attr,
            entry=CountFilterEntry(args.count) if args.count else ProbabilityEntry(args.probability))
    else:
        rows = fluid.layers.embedding(ids, [args.rows, WIDTH], is_sparse=True, param_attr=attr)
    loss = fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(rows, 1), label))
    fleet.init(role_maker.PaddleCloudRoleMaker())
    strategy = (StrategyFactory.create_geo_strategy(3) if args.mode == "geo" else
                getattr(StrategyFactory, "create_%s_strategy" % args.mode)())
    if args.config:
        strategy.set_server_runtime_config(dict(pair.split("=", 1) for pair in args.config))
    optimizer = getattr(fluid.optimizer, args.optimizer)(0.05)
    fleet.distributed_optimizer(optimizer, strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    for step in range(args.steps):
        found, labels = ids_of(args, step, fleet.worker_index(), fleet.worker_num())
        value, = exe.run(fleet.main_program, feed={"ids": found, "label": labels},
                         fetch_list=[loss])
        print("step %d loss %.9g" % (step, float(value[0])))
        sys.stdout.flush()
        if args.shrink and step + 1 in (args.steps // 2, args.steps):
            print("shrink: %d rows" % fleet.shrink(threshold=2))
    if args.shrink:
        print("shrink: %d rows" % fleet.shrink(threshold=1))
    fleet.barrier_worker()
    if args.save and fleet.is_first_worker():
        fleet.save_persistables(exe, args.save)
    fleet.stop_worker()


if __name__ == "__main__":
    main()
