"""A fleet in async whose gradient is 1 at every step, so that the parameter tells how steps were sent. A
worker makes one step, waits for the file `go`, prints each step with the parameter it had, and, last, the
servers'."""
import os
import sys
import time

import numpy as np

import paddle.fluid as fluid
from paddle.fluid import communicator
from paddle.fluid.incubate.fleet.base.role_maker import PaddleCloudRoleMaker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import \
    StrategyFactory


def main(steps):
    fleet.init(PaddleCloudRoleMaker())
    x = fluid.layers.data("x", shape=[1], dtype="float32")
    w = fluid.layers.create_parameter([1], "float32", name="w",
                                      default_initializer=fluid.initializer.Constant(101.0))
    cost = fluid.layers.reduce_mean(fluid.layers.elementwise_mul(x, w))
    fleet.distributed_optimizer(fluid.optimizer.SGD(1.0),
                                StrategyFactory.create_async_strategy()).minimize(cost)
    if fleet.is_server():
        fleet.init_server()
        fleet.run_server()
        return
    exe = fluid.Executor(fluid.CPUPlace())
    fleet.init_worker()
    exe.run(fleet.startup_program)
    one = {"x": np.ones((1, 1), "float32")}
    exe.run(fleet.main_program, feed=one)  # the first makes the channel to the servers
    communicator.flush()
    print("ready", flush=True)
    while not os.path.exists("go"):
        time.sleep(0.01)
    for step in range(1, steps + 1):
        had, = exe.run(fleet.main_program, feed=one, fetch_list=[w])
        print("step %d had %g" % (step, had[0]), flush=True)
    communicator.flush()
    print("servers have %g" % communicator.pull(
        fleet.main_program._parameters_on_pservers.parts["w"])[0], flush=True)
    fleet.stop_worker()


main(int(sys.argv[1]))
