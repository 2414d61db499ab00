"""What a script does to the servers' variables beside training: a load, values that are set, tables
that are shrunk, emptied and saved. Every gradient is 1 and the rate is 1, so that after n steps each
number is n less than what it was set to.

Dies where it is told to, once. Prints "ledger" and the least and the largest number in the end: of w,
which has a part at each server, of u and v, which one server has each, of the row that each step
uses; and how many rows are not as they start."""
import argparse
import os
import signal
import sys

import numpy as np
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle import _core
from paddle.fluid import communicator, core
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (StrategyFactory,
                                                                                fleet)

ROWS, DAYS, STEPS = 4000, 3, 2
DENSE = {"w": [ROWS, 8], "u": [3], "v": [3]}


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["load", "set", "days", "dense"])
    parser.add_argument("--die", default="", help="where, once")
    parser.add_argument("--optimizer", default="SGD")
    parser.add_argument("--init", help="a snapshot that servers begin with")
    return parser.parse_args()


def die(args, where):
    if args.die == where and not os.path.exists("died"):
        open("died", "w").close()
        os.kill(os.getpid(), signal.SIGKILL)


def model(has_table):
    zero = fluid.initializer.Constant(0.0)
    parts = [fluid.layers.reduce_sum(fluid.layers.create_parameter(
        shape, "float32", name=name, default_initializer=zero))
        for name, shape in sorted(DENSE.items())]
    if not has_table:
        return fluid.layers.sums(parts)
    ids = fluid.layers.data("ids", [1], dtype="int64")
    rows = fluid.layers.embedding(ids, [ROWS, 8], is_sparse=True, param_attr=fluid.ParamAttr(
        name="table", initializer=zero))
    return fluid.layers.sums(parts + [fluid.layers.reduce_sum(rows)])


def write_model(folder):
    """As one process would have saved it: all is 100, but for the table."""
    program, scope = fluid.Program(), core.Scope()
    for name, shape in dict(DENSE, table=[ROWS, 8]).items():
        program.global_block().create_parameter(shape=shape, dtype="float32", name=name)
        scope.var(name).get_tensor().set(
            np.full(shape, 0 if name == "table" else 100, "float32"), fluid.CPUPlace())
    with fluid.scope_guard(scope):
        fluid.io.save_persistables(fluid.Executor(fluid.CPUPlace()), folder, program)


def optimizer(name):
    more = {"Momentum": {"momentum": 0.9}}.get(name, {})
    return getattr(fluid.optimizer, name)(1.0, **more)


def step(exe, ids):
    exe.run(fleet.main_program, feed={"ids": np.array(ids, "int64").reshape(-1, 1)})


def put(args, name, value):
    """Sets a variable, part by part, as communicator.push() does."""
    parts = fleet.main_program._parameters_on_pservers.parts[name]
    change = _core.job_change(len(parts))
    for i, part in enumerate(parts):
        if i > 0:
            die(args, "between")
        tensor = core.LoDTensor()
        tensor.set(np.full([part.rows or ROWS, 8], value, "float32"), fluid.CPUPlace())
        _core.job_set(change, part.endpoint, part.remote, tensor)


def save(exe, folder):
    program = fluid.Program()
    program.global_block().append_op("checkpoint_notify", {}, {}, {
        "epmap": fleet.server_endpoints(), "dir": folder, "lookup_table": "table", "trainer_id": 0})
    exe.run(program)


def train(args, exe):
    if args.what == "dense":
        exe.run(fleet.main_program)
        return
    if args.what == "load":
        fleet.load(exe, "model")
    for day in range(DAYS):
        for _ in range(STEPS):
            step(exe, [0, 1 + day, ROWS - 1 - day])
        if args.what == "set" and day == 1:
            put(args, "w", 1000.0)
        if args.what == "days":
            save(exe, "day-%d" % day)
            fleet.shrink(unseen=1)
    if args.what == "days":
        save(exe, "last")
    die(args, "late")
    step(exe, [0])
    if args.what == "load":
        layout = fleet.main_program._parameters_on_pservers
        communicator.clear(layout.parts["table"])
        step(exe, [0, 7])


def tell(name):
    array = communicator.pull(fleet.main_program._parameters_on_pservers.parts[name])
    return array.reshape(len(array), -1)


def main():
    args = parse_args()
    fleet.init(role_maker.PaddleCloudRoleMaker())
    loss = model(args.what != "dense")
    fleet.distributed_optimizer(optimizer(args.optimizer),
                                StrategyFactory.create_sync_strategy()).minimize(loss)
    if fleet.is_server():
        fleet.init_server(args.init)
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    train(args, exe)
    if args.what == "dense":
        die(args, "late")
        fleet.stop_worker()
        return
    table = tell("table")
    numbers = [tell(name) for name in ("w", "u", "v")] + [table[0]]
    print("ledger " + " ".join("%g %g" % (x.min(), x.max()) for x in numbers)
          + " %d" % (table != 0).any(1).sum())
    sys.stdout.flush()
    fleet.stop_worker()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write_model(sys.argv[2])
    else:
        main()
