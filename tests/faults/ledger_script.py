"""A model whose parameters count: every gradient is 1 and the rate is 1, so that after n steps of
every worker each number is minus the pushes that were applied, and one too many or too few shows.

Prints "ledger" and what the servers have in the end, the least and the largest number of each: of
w, of the row that all look up, of the row of each worker, of the large parameter."""
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

ROWS, GEO = 50, 5


def model(large):
    zero = fluid.initializer.Constant(0.0)
    ids = fluid.layers.data("ids", [1], dtype="int64")
    w = fluid.layers.create_parameter([3], "float32", name="w", default_initializer=zero)
    rows = fluid.layers.embedding(ids, [ROWS, 2], is_sparse=True, param_attr=fluid.ParamAttr(
        name="table", initializer=zero))
    parts = [fluid.layers.reduce_sum(w), fluid.layers.reduce_sum(rows)]
    if large:
        parts.append(fluid.layers.reduce_sum(fluid.layers.create_parameter(
            [large], "float32", name="large", default_initializer=zero)))
    return fluid.layers.sums(parts)


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", default="sync")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--large", type=int, default=0, help="numbers of one more parameter")
    parser.add_argument("--meet", type=int, default=0, help="barrier and sum after so many steps")
    parser.add_argument("--pause", type=float, default=0.0, help="seconds after each step")
    parser.add_argument("--gradient-every", type=int, default=0,
                        help="the first of so many steps fetches a gradient")
    parser.add_argument("--wait-for", help="before the last step, a file")
    return parser.parse_args()


def start(args):
    fleet.init(role_maker.PaddleCloudRoleMaker())
    loss = model(args.large)
    strategy = (StrategyFactory.create_geo_strategy(GEO) if args.mode == "geo" else
                getattr(StrategyFactory, "create_%s_strategy" % args.mode)())
    strategy.set_program_config({"slice_var_up": False})
    fleet.distributed_optimizer(fluid.optimizer.SGD(1.0), strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        sys.exit(0)
    fleet.init_worker()


def train(args, exe):
    index, workers = fleet.worker_index(), fleet.worker_num()
    for step in range(args.steps):
        while args.wait_for and step == args.steps - 1 and not os.path.exists(args.wait_for):
            time.sleep(0.02)
        # Each worker has a row of its own, and one is everybody's.
        ids = np.array([[index + 1], [0]], dtype="int64")
        fetch = ["w@GRAD"] if args.gradient_every and step % args.gradient_every == 0 else []
        exe.run(fleet.main_program, feed={"ids": ids}, fetch_list=fetch)
        print("step %d" % step)
        sys.stdout.flush()
        time.sleep(args.pause)
        if args.meet and (step + 1) % args.meet == 0:
            fleet.barrier_worker()
            total = _core.job_reduce("steps", "sum", np.array([float(step), 1.0]).tobytes(), False)
            total = np.frombuffer(total)
            assert list(total) == [float(step) * workers, float(workers)], total


def on_servers(name):
    for endpoint in fleet.server_endpoints():
        try:
            return np.array(_core.job_get(endpoint, name))
        except Exception:  # it is on another
            continue
    raise KeyError(name)


def main():
    args = parse_args()
    start(args)
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    train(args, exe)
    _core.job_flush()
    fleet.barrier_worker()
    w, table = on_servers("w"), on_servers("table")
    rows = [table[i] for i in range(fleet.worker_num() + 1)]
    numbers = [w.min(), w.max()] + [x for row in rows for x in (row.min(), row.max())]
    if args.large:
        large = on_servers("large")
        numbers += [large.min(), large.max()]
    print("ledger " + " ".join("%g" % x for x in numbers))
    sys.stdout.flush()
    fleet.barrier_worker()
    fleet.stop_worker()


if __name__ == "__main__":
    main()
