"""Tell ten figures apart with convolutions, pooling and batch normalisation."""
import sys

import numpy as np
import paddle.fluid as fluid

import digits_data
from book import leave, train

img = fluid.layers.data(name="img", shape=[1, digits_data.SIDE, digits_data.SIDE])
label = fluid.layers.data(name="label", shape=[1], dtype="int64")
first = fluid.nets.simple_img_conv_pool(input=img, filter_size=5, num_filters=8, pool_size=2,
                                        pool_stride=2, act="relu")
first = fluid.layers.batch_norm(first)
second = fluid.layers.conv2d(input=first, num_filters=12, filter_size=3, padding=1,
                             bias_attr=False)
second = fluid.layers.batch_norm(second, act="relu")
second = fluid.layers.pool2d(second, pool_size=2, pool_stride=2, pool_type="avg")
figure = fluid.layers.fc(input=second, size=10, act="softmax")
loss = fluid.layers.mean(fluid.layers.cross_entropy(input=figure, label=label))
right = fluid.layers.accuracy(input=figure, label=label)
test_program = fluid.default_main_program().clone(for_test=True)
fluid.optimizer.Momentum(learning_rate=0.02, momentum=0.9).minimize(loss)

exe = fluid.Executor(fluid.CPUPlace())
exe.run(fluid.default_startup_program())
some = digits_data.batches(15)
train(exe, lambda: some, loss, goal=0.05, passes=10)
fresh = dict(zip(("img", "label"), digits_data.batch(1, 300)))
value, = exe.run(test_program, feed=fresh, fetch_list=[right])
assert float(np.ravel(value)[0]) > 0.9, "of unseen figures %.2f are right" % float(np.ravel(value)[0])
leave(sys.argv[1], exe, {"img": fresh["img"][:5]}, figure, test_program)
