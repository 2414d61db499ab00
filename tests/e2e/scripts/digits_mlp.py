"""Tell ten figures apart with fully connected layers."""
import sys

import numpy as np
import paddle.fluid as fluid

import digits_data
from book import leave, train

img = fluid.layers.data(name="img", shape=[1, digits_data.SIDE, digits_data.SIDE])
label = fluid.layers.data(name="label", shape=[1], dtype="int64")
hidden = fluid.layers.fc(input=img, size=128, act="relu")
hidden = fluid.layers.fc(input=hidden, size=64, act="tanh")
hidden = fluid.layers.dropout(hidden, dropout_prob=0.1)
figure = fluid.layers.fc(input=hidden, size=10, act="softmax")
loss = fluid.layers.mean(fluid.layers.cross_entropy(input=figure, label=label))
right = fluid.layers.accuracy(input=figure, label=label)
test_program = fluid.default_main_program().clone(for_test=True)
fluid.optimizer.Adam(learning_rate=0.002).minimize(loss)

exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
some = digits_data.batches(20)
train(exe, lambda: some, loss, goal=0.05, passes=20)
fresh = dict(zip(("img", "label"), digits_data.batch(1, 500)))
value, = exe.run(test_program, feed=fresh, fetch_list=[right])
assert float(np.ravel(value)[0]) > 0.9, "of unseen figures %.2f are right" % float(np.ravel(value)[0])
leave(sys.argv[1], exe, {"img": fresh["img"][:5]}, figure, test_program)
