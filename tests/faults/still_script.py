"""A sync job over leased data, whose parameter is large enough to be read where the server has it.
Each example adds 1 to the gradient of all elements, and the rate is 1: a step of batches of 4 takes 4
from them, whoever takes part.

    still_script.py --stand WORKER:STEP [WORKER:STEP ...]

In the middle of that step of its own the worker says "stands still", until there is a file onWORKER.
Before each step it says what the parameter is, and in it "torn" where that is another at the end of
the forward pass than at the beginning. One that the job goes on without trains on all the same,
batches of 8, so that gradients it has had are written over; then it says "went on", and ends when
there is a file `end`."""
import argparse
import os
import sys
import time

import numpy as np
import paddle.fluid as fluid
import paddle.fluid.incubate.fleet.base.role_maker as role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import (StrategyFactory,
                                                                                fleet)

SHAPE = [300, 100]

parser = argparse.ArgumentParser()
parser.add_argument("--stand", nargs="+", required=True)
args = parser.parse_args()
steps = 0


def wait_for(name):
    while not os.path.exists(name):
        time.sleep(0.02)


def number(tensor):
    return np.array(tensor)[0]


def begins(mean):
    global steps
    steps += 1
    print("step %d: %g" % (steps, number(mean)), flush=True)
    if "%d:%d" % (fleet.worker_index(), steps) in args.stand:
        print("stands still", flush=True)
        wait_for("on%d" % fleet.worker_index())
    time.sleep(0.02)
    return np.array(mean)


def ends(before, after):
    same = number(before) == number(after)
    print("forward pass %d%s" % (steps, "" if same else ": torn, %g, %g" % (
        number(before), number(after))), flush=True)
    return np.array(after)


def call(function, inputs, name):
    out = fluid.default_main_program().current_block().create_var(name=name, dtype="float32",
                                                                  shape=[1])
    fluid.layers.py_func(function, inputs, out)


def model():
    ids = fluid.layers.data("ids", [1], dtype="int64")
    w = fluid.layers.create_parameter(SHAPE, "float32", name="w",
                                      default_initializer=fluid.initializer.Constant(0.0))
    before = fluid.layers.reduce_mean(w)
    call(begins, before, "begins")
    n = fluid.layers.reduce_sum(fluid.layers.cast(ids, "float32") * 0.0 + 1.0)
    loss = fluid.layers.reduce_sum(w) * n
    call(ends, [before, fluid.layers.reduce_mean(w)], "ends")
    return ids, loss


def train(exe, ids):
    exe.run(fleet.startup_program)
    dataset = fluid.DatasetFactory().create_dataset("QueueDataset")
    dataset.set_use_var([ids])
    dataset.set_batch_size(4)
    dataset.set_thread(1)
    dataset.set_filelist([os.path.join("data", n) for n in sorted(os.listdir("data"))], lease=True)
    exe.train_from_dataset(fleet.main_program, dataset)


def main():
    fleet.init(role_maker.PaddleCloudRoleMaker())
    ids, loss = model()
    strategy = StrategyFactory.create_sync_strategy()
    strategy.set_program_config({"slice_var_up": False})
    fleet.distributed_optimizer(fluid.optimizer.SGD(1.0), strategy).minimize(loss)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    fleet.init_worker()
    exe = fluid.Executor(fluid.CPUPlace())
    try:
        train(exe, ids)
        fleet.stop_worker()
    except Exception as e:  # noqa: what it says is looked at
        print(e, flush=True)
    else:
        return
    for _ in range(3):
        try:
            exe.run(fleet.main_program, feed={"ids": np.zeros((8, 1), "int64")})
        except Exception as e:  # noqa: that nobody listens
            print(e, flush=True)
    print("went on", flush=True)
    wait_for("end")
    sys.exit(3)


if __name__ == "__main__":
    main()
