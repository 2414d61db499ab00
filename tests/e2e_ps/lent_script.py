"""One trainer whose gradients are large enough to be sent from where they are. The loss is linear
in the weights, so that a step's gradient is the mean of its batch whatever the weights are, and
what all steps come to is known: in any mode, however late servers apply a push.

    lent_script.py --mode MODE [--fetch]      prints how far the weights, and the gradients, are off"""
import argparse
import time

import numpy as np
import paddle.fluid as fluid
from paddle.fluid.incubate.fleet.base import role_maker
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler import fleet
from paddle.fluid.incubate.fleet.parameter_server.distribute_transpiler.distributed_strategy import \
    StrategyFactory

ROWS, WIDTH, STEPS, RATE, SECONDS = 240, 100, 40, 0.5, 60

parser = argparse.ArgumentParser()
parser.add_argument("--mode", choices=["sync", "async", "half_async"])
parser.add_argument("--fetch", action="store_true", help="the gradient, too, in every step")
args = parser.parse_args()

fleet.init(role_maker.PaddleCloudRoleMaker())
x = fluid.layers.data(name="x", shape=[ROWS], dtype="float32")
y = fluid.layers.fc(x, WIDTH, bias_attr=False, param_attr=fluid.ParamAttr(
    name="w", initializer=fluid.initializer.Constant(1.0)))
loss = fluid.layers.reduce_sum(fluid.layers.reduce_mean(y, dim=0))
strategy = getattr(StrategyFactory, "create_%s_strategy" % args.mode)()
fleet.distributed_optimizer(fluid.optimizer.SGD(RATE), strategy).minimize(loss)


def train():
    exe = fluid.Executor(fluid.CPUPlace())
    exe.run(fleet.startup_program)
    random, total, gradients = np.random.RandomState(5), np.zeros((ROWS, 1)), 0.0
    names = [loss.name] + (["w@GRAD"] if args.fetch else [])
    for _ in range(STEPS):
        batch = random.randint(-8, 9, (4, ROWS)).astype("float32")  # sums of them are exact
        mean = batch.mean(axis=0, keepdims=True).T
        total += mean
        got = exe.run(fleet.main_program, feed={"x": batch}, fetch_list=names)
        if args.fetch:
            gradients = max(gradients, float(np.abs(got[1] - mean).max()))
    end = time.time() + SECONDS
    while True:  # what servers have made of them comes back with one of the steps behind them
        exe.run(fleet.main_program, feed={"x": np.zeros((4, ROWS), "float32")},
                fetch_list=[loss.name])
        weights = np.array(fluid.global_scope().find_var("w").get_tensor())
        off = float(np.abs(weights - (1 - RATE * total)).max())
        if off == 0 or time.time() > end:
            break
    print("weights are off by %r, gradients by %r" % (off, gradients))


if fleet.is_server():
    fleet.init_server()
    fleet.run_server()
else:
    fleet.init_worker()
    train()
    fleet.stop_worker()
