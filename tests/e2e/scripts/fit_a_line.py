"""Fit a line to points of a known one."""
import sys

import numpy as np
import paddle.fluid as fluid

from book import leave, train

rng = np.random.RandomState(1)
POINTS = rng.uniform(-1, 1, (400, 13)).astype("float32")
PRICES = (POINTS.dot(np.arange(-6, 7)).reshape(-1, 1) + 22
          + 0.1 * rng.randn(400, 1)).astype("float32")


def batches():
    for at in range(0, 400, 20):
        yield {"x": POINTS[at:at + 20], "y": PRICES[at:at + 20]}


x = fluid.layers.data(name="x", shape=[13], dtype="float32")
y = fluid.layers.data(name="y", shape=[1], dtype="float32")
price = fluid.layers.fc(input=x, size=1, act=None)
loss = fluid.layers.mean(fluid.layers.square_error_cost(input=price, label=y))
test_program = fluid.default_main_program().clone(for_test=True)
fluid.optimizer.SGD(learning_rate=0.05).minimize(loss)

exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
train(exe, batches, loss, goal=0.02, passes=100)  # the noise alone is 0.01
leave(sys.argv[1], exe, {"x": POINTS[:7]}, price, test_program)
