"""A model with dropout, a schedule of its rate and a count of its own, trained by exe.run(): what a
worker that is started again comes by once more. --fetch none, loss or gradient; saves to --save."""
import argparse

import numpy as np
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (StrategyFactory,
                                                                                fleet)

ROWS, BATCH = 500, 16


def model():
    ids = fluid.layers.data("ids", [1], dtype="int64")
    label = fluid.layers.data("label", [1], dtype="float32")
    rows = fluid.layers.embedding(ids, [ROWS, 6], is_sparse=True, param_attr=fluid.ParamAttr(
        name="table", initializer=fluid.initializer.Uniform(-0.1, 0.1, seed=3)))
    hidden = fluid.layers.dropout(fluid.layers.fc(rows, 16, act="relu"), 0.3)
    seen = fluid.layers.create_global_var([1], 0.0, "float32", persistable=True, name="seen")
    fluid.layers.increment(seen)
    return fluid.layers.mean(fluid.layers.square_error_cost(fluid.layers.fc(hidden, 1), label))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--save")
    parser.add_argument("--mode", default="sync")
    parser.add_argument("--fetch", default="none")
    parser.add_argument("--steps", type=int, default=12)
    args = parser.parse_args()
    for program in (fluid.default_main_program(), fluid.default_startup_program()):
        program.random_seed = 11
    loss = model()
    fleet.init(role_maker.PaddleCloudRoleMaker())
    strategy = getattr(StrategyFactory, "create_%s_strategy" % args.mode)()
    rate = fluid.layers.exponential_decay(0.05, 4, 0.5)
    fleet.distributed_optimizer(fluid.optimizer.Adam(rate), strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    fetch = {"none": [], "loss": [loss], "gradient": [loss, "fc_0.w_0@GRAD"]}[args.fetch]
    rng = np.random.RandomState(fleet.worker_index())
    for step in range(args.steps):
        ids = rng.randint(0, ROWS, (BATCH, 1))
        feed = {"ids": ids.astype("int64"), "label": (ids % 2).astype("float32")}
        got = exe.run(fleet.main_program, feed=feed, fetch_list=fetch)
        print("step", step, [float(np.sum(value)) for value in got])
    print("seen", np.array(fluid.global_scope().find_var("seen").get_tensor())[0])
    if args.save and fleet.is_first_worker():
        fleet.save_persistables(exe, args.save)
    fleet.stop_worker()


main()
