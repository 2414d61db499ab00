"""Leased data and a model that counts: each example has an id of its own, every gradient is 1 and the
rate is 1, so that the row of an id is minus how often its example was trained on, at each server.

Prints "counted" and, over all examples, the least and the largest number of times (in sync, where a
step is a mean, only whether it is more than none), how often the dense parameter counted, and how
many examples this worker had. The data is made by tests (write())."""
import argparse
import os
import sys
import time

import numpy as np
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle import _core
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (StrategyFactory,
                                                                                fleet)


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="async")
    parser.add_argument("--data", default="data")
    parser.add_argument("--rows", type=int, required=True, help="examples in all")
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds in each batch")
    parser.add_argument("--kind", default="QueueDataset")
    parser.add_argument("--no-lease", action="store_true")
    parser.add_argument("--save", default="", help="worker 0 saves the model here")
    return parser.parse_args()


def write(folder, files):
    """files: how many examples each has; ids count on from file to file."""
    os.makedirs(str(folder), exist_ok=True)
    first = 0
    for i, n in enumerate(files):
        with open(os.path.join(str(folder), "part-%d" % i), "w") as out:
            out.writelines("1 %d\n" % k for k in range(first, first + n))
        first += n
    return first


def model(args):
    zero = fluid.initializer.Constant(0.0)
    ids = fluid.layers.data("ids", [1], dtype="int64")

    def one(name):  # tables with one server each
        return fluid.layers.reduce_sum(fluid.layers.embedding(
            ids, [args.rows, 1], is_sparse=True,
            param_attr=fluid.ParamAttr(name=name, initializer=zero)))
    w = fluid.layers.create_parameter([1], "float32", name="w", default_initializer=zero)
    n = fluid.layers.reduce_sum(fluid.layers.cast(ids, "float32") * 0.0 + 1.0)
    parts = [one("table_a"), one("table_b"), fluid.layers.reduce_sum(w) * n]
    if args.pause:
        out = fluid.default_main_program().current_block().create_var(
            name="paused", dtype="int64", shape=[-1, 1])
        fluid.layers.py_func(lambda x: (time.sleep(args.pause), np.array(x))[1], ids, out)
    return ids, fluid.layers.sums(parts)


def on_servers(name):
    for endpoint in fleet.server_endpoints():
        try:
            return np.array(_core.job_get(endpoint, name))
        except Exception:  # it is on another
            continue
    raise KeyError(name)


def main():
    args = parse_args()
    fleet.init(role_maker.PaddleCloudRoleMaker())
    ids, loss = model(args)
    strategy = (StrategyFactory.create_geo_strategy(5) if args.mode == "geo" else
                getattr(StrategyFactory, "create_%s_strategy" % args.mode)())
    strategy.set_program_config({"slice_var_up": False})
    fleet.distributed_optimizer(fluid.optimizer.SGD(1.0), strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    dataset = fluid.DatasetFactory().create_dataset(args.kind)
    dataset.set_use_var([ids])
    dataset.set_batch_size(args.batch)
    dataset.set_thread(args.threads)
    names = sorted(os.listdir(args.data), key=lambda n: int(n.split("-")[1].split(".")[0]))
    dataset.set_filelist([os.path.join(args.data, n) for n in names], lease=not args.no_lease)
    for i in range(args.passes):
        print("pass %d" % i)
        sys.stdout.flush()
        exe.train_from_dataset(fleet.main_program, dataset)
        fleet.barrier_worker()
    _core.job_flush()
    fleet.barrier_worker()
    tables = np.concatenate([-on_servers("table_a"), -on_servers("table_b")])
    if args.mode == "sync":
        tables = (tables > 0).astype("float32")
    print("counted %g %g %g" % (tables.min(), tables.max(), -on_servers("w")[0]))
    if args.save and fleet.is_first_worker():
        fleet.save_persistables(exe, args.save)
        print("saved")
    sys.stdout.flush()
    fleet.barrier_worker()
    fleet.stop_worker()


if __name__ == "__main__":
    main()
